// Default: the end of a margin call that was not met, or of cash that a known payout takes.
// Invariant: all that default in a command have left the books before the first of them is handled.
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { byAge } from "../account/owner.ts";
import type { CommandOf } from "../command.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import type { State } from "../state.ts";
import { cashOf, emit, GUARANTEE, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import { endEmptyAuction, openAuction } from "./auction.ts";
import { healthSteps } from "./health.ts";
import { buyBackAll } from "./liquidate.ts";
import { passOnKnown, putDefault } from "./takeover.ts";

/** Of a call that began in somebody else's command, or by a mark. */
export function reportMarginCall(
  step: Step,
  { accountId }: CommandOf<"ReportMarginCall">,
): undefined {
  const account = step.state.account(accountId);
  const { marginCall } = account;
  invariant(marginCall !== undefined, `${accountId} is called`);
  const reported = { ...marginCall, reported: true } as const;
  emit(step, { type: "AccountChanged", account: { ...account, marginCall: reported } });
}

/** Of accounts that are still below health 1: the others are in no call any more. */
export function endMarginCalls(step: Step): undefined {
  const { state, nowMillis } = step;
  const over = [...state.callsDue].filter(([dueMillis]) => dueMillis <= nowMillis);
  const accounts = over.flatMap(([, called]) => [...called]);
  defaultAll(step, worstFirst(state, accounts));
}

/** By health, equal ones in the order they were opened, so that every node does the same. */
export function worstFirst(state: State, accounts: Iterable<AccountId>): readonly AccountId[] {
  const healths = new Map<AccountId, bigint>();
  for (const id of accounts) if (id !== GUARANTEE) healths.set(id, healthOf(state, id));
  const isBefore = ([a, first]: [AccountId, bigint], [b, second]: [AccountId, bigint]): number =>
    first === second ? byAge(a, b) : first < second ? -1 : 1;
  return [...healths].sort(isBefore).map(([id]) => id);
}

export const healthOf = (state: State, id: AccountId): bigint =>
  healthSteps(state.balance(cashOf(id)), state.exposures.shortTotals(id));

/** In this order: the worst first. */
export function defaultAll(step: Step, accounts: readonly AccountId[]): void {
  for (const id of accounts) freeze(step, id);
  for (const id of accounts) {
    buyBackAll(step, id);
    passOnKnown(step, id);
    openAuction(step, id);
  }
}

/** Stops the account and takes its orders off the books, so that nobody buys back against them. */
function freeze(step: Step, id: AccountId): void {
  const { marginCall: _ended, ...account } = step.state.account(id);
  const frozen = { ...account, halted: true, marginStatus: "liquidation" } as const;
  putDefault(step, frozen, {});
  cancelOrdersOf(step, id, null, "LIQUIDATION");
  raiseAlert(step, id, "liquidation", "The account is in default: it is frozen and liquidated");
}

/** Of an account whose positions are auctioned, after anything changed its cash or its markets. */
export function followAuction(step: Step, id: AccountId): void {
  passOnKnown(step, id);
  endEmptyAuction(step, id);
}
