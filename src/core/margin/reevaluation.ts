// After every command: the accounts whose cash or margin it changed are judged, again and again,
// until a judgement changes nobody any more.
// Invariant: between commands every account's status is that of its figures, none is in
// liquidation, and no open order reserves cash that is not there.

import { formatDecimal } from "#base/decimal.ts";
import type { AccountId, OrderId } from "#base/ids.ts";
import { buysYes, isOpen } from "../book/order.ts";
import { cancelAs } from "../market/cancel.ts";
import type { AlertType, MarginStatus, Order } from "../records.ts";
import type { State } from "../state.ts";
import { available, cashOf, emit, GUARANTEE, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import { isBelowInitial, lowersHealth } from "./closing.ts";
import { healthSteps, isWorse, statusOf } from "./health.ts";
import { freeze, liquidate } from "./liquidate.ts";

/**
 * The worst first. All that fail are frozen and their orders cancelled before the first of them is
 * bought back: none of them is sold to by another that fails beside it.
 */
export function reevaluateMargins(step: Step): void {
  const { state } = step;
  while (state.marginQueue.size > 0) {
    const accounts = worstFirst(state);
    state.marginQueue.clear();
    const failed = accounts.filter((id) => judge(step, id) === "liquidation");
    for (const id of failed) freeze(step, id);
    for (const id of failed) liquidate(step, id);
  }
}

/** By health, equal ones in the order they were opened, so that every node does the same. */
function worstFirst(state: State): readonly AccountId[] {
  const healths = new Map<AccountId, bigint>();
  for (const id of state.marginQueue) {
    if (id !== GUARANTEE) healths.set(id, healthOf(state, id));
  }
  const isBefore = ([a, first]: [AccountId, bigint], [b, second]: [AccountId, bigint]): number =>
    first === second ? byAge(a, b) : first < second ? -1 : 1;
  return [...healths].sort(isBefore).map(([id]) => id);
}

const healthOf = (state: State, id: AccountId): bigint =>
  healthSteps(state.balance(cashOf(id)), state.exposures.shortTotals(id));

/** `acc-9` before `acc-10`; no two are the same. */
const byAge = (a: AccountId, b: AccountId): number => a.length - b.length || (a < b ? -1 : 1);

/** Says where the account fell to; undefined where it is as it was, or better. */
function judge(step: Step, id: AccountId): MarginStatus | undefined {
  const { state } = step;
  dropUncovered(step, id);
  const account = state.account(id);
  const status = statusOf(state.balance(cashOf(id)), state.exposures.shortTotals(id));
  if (status === account.marginStatus) return undefined;

  emit(step, { type: "AccountChanged", account: { ...account, marginStatus: status } });
  if (status === "healthy" || !isWorse(status, account.marginStatus)) return undefined;
  const { type, text } = warnings[status];
  raiseAlert(step, id, type, `Margin health is ${formatDecimal(healthOf(state, id), 4)}, ${text}`);
  return status;
}

const warnings: Record<
  Exclude<MarginStatus, "healthy">,
  { readonly type: AlertType; readonly text: string }
> = {
  warning: { type: "margin_warning", text: "below 1.5: add cash or reduce the short positions" },
  critical: { type: "margin_critical", text: "below 1.2: below 1 the account is liquidated" },
  liquidation: { type: "liquidation", text: "below 1: the account is frozen and liquidated" },
};

/**
 * Orders whose cash is no longer there cannot stand. The newest go first, and only those that hold
 * cash back: an order that closes a short stays while it can be paid for and does no harm.
 */
function dropUncovered(step: Step, id: AccountId): void {
  const { state } = step;
  if (available(state, id) >= 0n) return;
  const newestFirst = [...(state.openOrders.get(id) ?? [])].reverse();
  // A newer order that held nothing back may do so once an older one across its book is gone.
  const cash = state.balance(cashOf(id));
  const isInTheWay = (order: Order): boolean =>
    isOpen(order) && state.exposures.holdsBack(order, cash);
  while (available(state, id) < 0n) {
    const newest = newestFirst.find((orderId) => isInTheWay(state.order(orderId)));
    if (newest === undefined) break;
    cancelAs(step, state.order(newest), "MARGIN");
  }
  for (const orderId of newestFirst) {
    if (state.exposures.totals(id).outlayMicros <= state.balance(cashOf(id))) break;
    const order = state.order(orderId);
    if (isOpen(order) && buysYes(order)) cancelAs(step, order, "MARGIN");
  }
  dropHarmful(step, id, newestFirst);
}

/** Below initial margin no order waits that would lower the health when somebody fills it. */
function dropHarmful(step: Step, id: AccountId, newestFirst: readonly OrderId[]): void {
  const { state } = step;
  const cash = state.balance(cashOf(id));
  const totals = state.exposures.shortTotals(id);
  if (!isBelowInitial(cash, totals)) return;
  for (const orderId of newestFirst) {
    const order = state.order(orderId);
    if (!isOpen(order)) continue;
    const beside = state.exposures.standingWith(id, order.marketId, [], new Map(), order);
    if (lowersHealth(cash, totals, order, beside)) cancelAs(step, order, "MARGIN");
  }
}
