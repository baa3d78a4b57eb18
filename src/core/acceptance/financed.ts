// Protection whose premium is lent stands behind its loan: how much is lent on it, and what a sale
// of some of it has to pay back.
// Invariant: a loan is never more than its lots are worth at the mark when it is made, and lots
// leave the account only with their share of it.
import type { AccountId, MarketId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { atLeastZero, type Micros, micros, noMoney } from "#base/money.ts";
import { costOf, type Lots, lots } from "#base/quantity.ts";
import { mulDivUp } from "#base/rounding.ts";
import { buysYes, remaining, yesTick } from "../book/order.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { feeHeld } from "../margin/fee.ts";
import type { Marked } from "../margin/risk.ts";
import type { Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { promisedIn } from "../rfq/promises.ts";
import type { State } from "../state.ts";
import { cashOf, type Moment } from "../step.ts";
import { owedIfPaidNow } from "./owed.ts";

type Now = Pick<Moment, "state" | "nowMillis">;

const noneFresh: ReadonlyMap<string, Marked> = new Map();

/** Owed by the account for its protection in a market, were it paid now. */
export function owedIn({ state, nowMillis }: Now, account: AccountId, market: MarketId): Micros {
  let owed = 0n;
  for (const id of state.debts.openOf(account, market)) {
    owed += owedIfPaidNow(state.acceptance(id), nowMillis);
  }
  return micros(owed);
}

/** The part of a loan that stands on so many of the lots held; lots beyond have none. */
export function shareOf(owed: Micros, sold: Lots, held: bigint): Micros {
  if (held <= 0n || owed === 0n) return noMoney;
  return micros(mulDivUp(owed, least(sold, lots(held)), held));
}

/**
 * A sale brings what its lots' share of the loan comes to, the fee paid. `isPaidNow`: the order is
 * filled at once or not at all, so that free cash may pay what is missing; an order that rests
 * could find that cash gone.
 */
export function refuseUnpaidSale(
  now: Now,
  order: Order,
  { isPaidNow }: { readonly isPaidNow: boolean },
): Rejection | undefined {
  if (buysYes(order)) return undefined;
  const { accountId, marketId } = order;
  const { state } = now;
  const owed = owedIn(now, accountId, marketId);
  if (owed === 0n) return undefined;
  const held = state.position(accountId, marketId)?.heldLots ?? 0n;
  const sold = remaining(order);
  const { feeBps } = accountTerms(state.rules, state.account(accountId));
  const brought = costOf(sold, yesTick(order)) - feeHeld(order, feeBps);
  const missing = shareOf(owed, sold, held) - brought;
  if (missing <= 0n) return undefined;
  const { lockedMicros } = state.exposures.totalsWith(accountId, [order], noneFresh);
  const free = atLeastZero(micros(state.balance(cashOf(accountId)) - lockedMicros));
  if (isPaidNow && missing <= free) return undefined;
  return reject("FINANCED_POSITION", {
    requiredMicros: micros(missing),
    availableMicros: isPaidNow ? free : noMoney,
  });
}

/** No premium is lent on lots that would close a short, or that are for sale already. */
export function refuseUnsecured(
  state: State,
  { accountId, marketId }: Order,
  advance: Micros,
): Rejection | undefined {
  if (advance === 0n || !state.markets.has(marketId)) return undefined;
  const { heldLots, sellLots } = state.exposures.standingWith(accountId, marketId, [], noneFresh);
  const isFree =
    heldLots >= 0n && sellLots === 0n && promisedIn(state, accountId, marketId).sellLots === 0n;
  return isFree ? undefined : reject("FINANCED_POSITION");
}
