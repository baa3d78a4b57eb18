// Buying back at default: at once, what others offer in the books for no more than the fund asks.
// Invariant: the account pays for it with its cash, and with no more than each short's part of it.
import type { AccountId } from "#base/ids.ts";
import { orderId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { least } from "#base/least.ts";
import { isTick, MAX_TICK, nearestTick, type Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { floorDiv } from "#base/rounding.ts";
import { execute } from "../book/match.ts";
import { yesTick } from "../book/order.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { isMatchingHeld, isShut } from "../market/matching.ts";
import type { Order } from "../records.ts";
import type { State } from "../state.ts";
import { cashOf, positionOf, type Step } from "../step.ts";
import type { Short } from "./exposure.ts";
import { feeBase } from "./fee.ts";
import { PARTS_PER_MICRO, takeoverCharge } from "./requirement.ts";

/** Of a frozen account: what the books sell for no more than the guarantee fund asks. */
export function buyBackAll(step: Step, id: AccountId): void {
  const { state } = step;
  const shorts = state.exposures.shorts(id);
  // Followed from trade to trade: drawn anew for each short it would be the square of them.
  let charges = shorts.reduce((sum, short) => sum + chargeFor(state, short), 0n);
  for (const short of shorts) {
    const before = chargeFor(state, short);
    if (!buyBack(step, id, short, charges)) continue;
    const { heldLots } = positionOf(state, id, short.marketId);
    charges += chargeFor(state, { ...short, shortLots: lots(-heldLots) }) - before;
  }
}

/** The fund's charge for a short, beyond its mark. */
const chargeFor = (
  { markets }: Pick<State, "markets">,
  { marketId, shortLots }: Pick<Short, "marketId" | "shortLots">,
): bigint => {
  const market = markets.get(marketId);
  invariant(market !== undefined, `market ${marketId} is known`);
  return shortLots * takeoverCharge(market);
};

/**
 * At no more than the account can pay for each lot it is short of, and than the guarantee fund
 * asks; and for no more than its cash, with fee.
 */
function buyBack(step: Step, id: AccountId, short: Short, charges: bigint): boolean {
  const { state } = step;
  const market = state.market(short.marketId);
  const trades = !isShut(state, market) && !isMatchingHeld(state, market);
  const limit = limitOf(step, id, short, charges);
  const best = state.book(market.id).firstAgainst(true);
  if (!trades || best === undefined || limit === undefined || yesTick(best) > limit) return false;
  const payable = payableLots(step, id, limit);
  const amountLots = payable < short.shortLots ? payable : short.shortLots;
  if (amountLots <= 0n) return false;
  execute(step, orderOf(step, id, short, amountLots, limit));
  return true;
}

/**
 * The mark, and of the fund's charge the share that the account can pay for all its shorts; where
 * its cash does not reach their marks, that share of the mark. Whole ticks, rounded down; undefined
 * below the lowest price. `charges`: of all its shorts.
 */
function limitOf(
  step: Step,
  id: AccountId,
  { marketId, rate }: Short,
  charges: bigint,
): Tick | undefined {
  const { state } = step;
  const charge = takeoverCharge(state.market(marketId));
  const cash = state.balance(cashOf(id)) * PARTS_PER_MICRO;
  const owed = state.exposures.shortTotals(id).liabilityParts;
  const above = charges === 0n ? charge : least(charge, (charge * (cash - owed)) / charges);
  const parts = cash < owed ? (rate.liability * cash) / owed : rate.liability + above;
  const tick = Number(parts / PARTS_PER_MICRO);
  if (tick >= MAX_TICK) return nearestTick(MAX_TICK);
  return isTick(tick) ? tick : undefined;
}

/** Every lot costs at most limit + fee on it: at a better price the two together are less. */
function payableLots({ state }: Step, id: AccountId, limit: Tick): Lots {
  const { feeBps } = accountTerms(state.rules, state.account(id));
  const perLot = BigInt(limit) * 10_000n + BigInt(feeBps) * feeBase(lots(1n), limit);
  return lots(floorDiv(state.balance(cashOf(id)) * 10_000n, perLot));
}

/** An order of the account's own, given by the exchange. */
function orderOf(
  { state, nowMillis }: Step,
  accountId: AccountId,
  { marketId }: Short,
  amountLots: Lots,
  priceTick: Tick,
): Order {
  return {
    id: orderId(`ord-${state.orderCount + 1}`),
    accountId,
    marketId,
    clientOrderId: null,
    outcomeIndex: 0,
    side: "BUY",
    priceTick,
    amountLots,
    filledLots: noLots,
    status: "OPEN",
    cancelReason: null,
    timeInForce: "IOC",
    postOnly: false,
    reduceOnly: false,
    // Another account of the owner cannot keep the exchange from buying back by resting in the way.
    selfTradePrevention: "cancel_resting",
    expirySeconds: 0,
    createdAtMillis: nowMillis,
    rank: state.lastRank + 1,
  };
}
