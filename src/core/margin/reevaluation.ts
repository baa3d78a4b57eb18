// After every command: the accounts whose cash or margin it changed are judged, again and again,
// until a judgement changes nobody any more.
// Invariant: between commands every account's status is that of its figures, each below health 1
// is in a margin call, and no open order reserves cash that is not there.

import { formatDecimal } from "#base/decimal.ts";
import type { AccountId, OrderId } from "#base/ids.ts";
import { sweep } from "../acceptance/collect.ts";
import { buysYes, isOpen } from "../book/order.ts";
import { cancelAs } from "../market/cancel.ts";
import type { AlertType, MarginStatus, Order } from "../records.ts";
import { lapseQuotesOf } from "../rfq/end.ts";
import { available, cashOf, emit, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import { callNow, coversKnown, toldOf } from "./call.ts";
import { isBelowInitial, lowersHealth } from "./closing.ts";
import { payAssessment } from "./contribution.ts";
import { defaultAll, followAuction, healthOf, worstFirst } from "./default.ts";
import { isWorse, statusOf } from "./health.ts";
import { repayFund } from "./takeover.ts";

/** The worst first. Below health 1 an account is called; it defaults where it cannot pay. */
export function reevaluateMargins(step: Step): void {
  const { state } = step;
  queueTouched(step);
  while (state.marginQueue.size > 0) {
    const accounts = worstFirst(state, state.marginQueue);
    state.marginQueue.clear();
    const from = step.events.length;
    defaultAll(
      step,
      accounts.filter((id) => judge(step, id) === "defaults"),
    );
    // Others were paid for what was bought back from them.
    sweep(step, from);
  }
}

/**
 * Accounts whose orders have changed while cash was lacking: an order that held nothing back beside
 * one that is gone may do so now. And those that owe an assessment: cash may have become free.
 */
function queueTouched({ state, events }: Step): void {
  const asked = new Set<AccountId>();
  for (const event of events) {
    if (event.type !== "OrderChanged" || asked.has(event.order.accountId)) continue;
    const { accountId } = event.order;
    asked.add(accountId);
    const owes = state.account(accountId).contribution?.owesMicros ?? 0n;
    if (owes > 0n || available(state, accountId) < 0n) state.marginQueue.add(accountId);
  }
}

/** Puts the account's status to what its figures say, and tells it of one that is worse. */
function judge(step: Step, id: AccountId): "defaults" | undefined {
  const { state } = step;
  if (isAuctioned(step, id)) followAuction(step, id);
  repayFund(step, id);
  payAssessment(step, id);
  if (isAuctioned(step, id)) return undefined;
  dropUncovered(step, id);
  const { marginCall: _ended, ...account } = state.account(id);
  const status = statusOf(state.balance(cashOf(id)), state.exposures.shortTotals(id));
  if (status === "liquidation" && !coversKnown(state, id)) return "defaults";
  if (status === account.marginStatus) return undefined;

  const called = status === "liquidation" ? { marginCall: callNow(step, id) } : {};
  emit(step, { type: "AccountChanged", account: { ...account, marginStatus: status, ...called } });
  if (status === "healthy" || !isWorse(status, account.marginStatus)) return undefined;
  const { type, text } = warnings[status];
  const health = formatDecimal(healthOf(state, id), 4);
  const asked = called.marginCall === undefined ? "" : toldOf(called.marginCall);
  raiseAlert(step, id, type, `Margin health is ${health}, ${text}${asked}`);
  return undefined;
}

/** In default, and its positions have not found their taker: what it is worth decides nothing. */
const isAuctioned = ({ state }: Step, id: AccountId): boolean =>
  state.account(id).inDefault?.auctionId !== undefined;

const warnings: Record<
  Exclude<MarginStatus, "healthy">,
  { readonly type: AlertType; readonly text: string }
> = {
  warning: { type: "margin_warning", text: "below 1.5: add cash or reduce the short positions" },
  critical: { type: "margin_critical", text: "below 1.2: below 1 a margin call begins" },
  liquidation: { type: "margin_call", text: "below 1: " },
};

/**
 * Orders whose cash is no longer there cannot stand. The newest go first, and only those that hold
 * cash back: an order that closes a short stays while it can be paid for and does no harm. With
 * each that goes, one that held nothing back beside it may begin to.
 */
function dropUncovered(step: Step, id: AccountId): void {
  const { state } = step;
  if (available(state, id) < 0n) lapseQuotesOf(step, id);
  const open = (): number => state.openOrders.get(id)?.size ?? 0;
  for (let before = -1; before !== open() && available(state, id) < 0n; ) {
    before = open();
    dropInTheWay(step, id);
  }
}

function dropInTheWay(step: Step, id: AccountId): void {
  const { state } = step;
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
