// Liquidation, in one go: freeze, cancel, buy back what the book sells, hand over the rest.
// Invariant: the account ends without a short; nothing it pays is more than it has.
import type { AccountId } from "#base/ids.ts";
import { orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { isTick, MAX_TICK, nearestTick, TICKS_PER_USD, type Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { floorDiv } from "#base/rounding.ts";
import { settled, takenOver } from "../account/position.ts";
import { execute } from "../book/match.ts";
import { yesTick } from "../book/order.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import type { Order } from "../records.ts";
import { cashOf, emit, GUARANTEE, positionOf, post, type Step } from "../step.ts";
import type { Short } from "./exposure.ts";
import { microsUp, PARTS_PER_MICRO } from "./requirement.ts";

export function liquidate(step: Step, id: AccountId): void {
  emit(step, { type: "AccountChanged", account: { ...step.state.account(id), halted: true } });
  cancelOrdersOf(step, id, null, "LIQUIDATION");
  for (const short of step.state.exposures.shorts(id)) buyBack(step, id, short);
  handOver(step, id);
}

/** At no more than mark + add-on, and for no more than the account's cash, fee included. */
function buyBack(step: Step, id: AccountId, short: Short): void {
  const { state } = step;
  const market = state.market(short.marketId);
  const trades = market.status === "ACTIVE" && !market.tradingClosed && !isHalted(step);
  const limit = limitOf(short);
  const best = state.book(market.id).firstAgainst(true);
  if (!trades || best === undefined || yesTick(best) > limit) return;
  const payable = payableLots(step, id, limit);
  const amountLots = payable < short.shortLots ? payable : short.shortLots;
  if (amountLots > 0n) execute(step, orderOf(step, id, short, amountLots, limit));
}

const isHalted = ({ state }: Step): boolean => state.exchange?.halted === true;

/** Whole ticks, rounded down; a short that owes everything is bought back at the highest price. */
function limitOf({ rate }: Short): Tick {
  const tick = Number((rate.liability + rate.maintenance) / PARTS_PER_MICRO);
  return isTick(tick) ? tick : nearestTick(MAX_TICK);
}

/** Every lot costs at most limit + fee on it: at a better price the two together are less. */
function payableLots({ state }: Step, id: AccountId, limit: Tick): Lots {
  const { feeBps } = accountTerms(state.rules, state.account(id));
  const feeBase = BigInt(Math.min(limit, TICKS_PER_USD - limit));
  const perLot = BigInt(limit) * 10_000n + BigInt(feeBps) * feeBase;
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

/**
 * The guarantee fund takes each short over at its mark and is paid that, as far as the cash goes;
 * then it gets what cash is left. With no short left the account keeps its cash.
 */
function handOver(step: Step, id: AccountId): void {
  const { state } = step;
  const shorts = state.exposures.shorts(id);
  if (shorts.length === 0) return;
  const cash = cashOf(id);
  for (const { marketId, shortLots, rate } of shorts) {
    const worth = microsUp(shortLots * rate.liability);
    const has = state.balance(cash);
    const paid = worth < has ? worth : has;
    post(step, cash, "guarantee", paid, "takeover", marketId);
    const given = settled(positionOf(state, id, marketId), micros(-paid));
    emit(step, { type: "PositionChanged", position: given });
    const taken = takenOver(positionOf(state, GUARANTEE, marketId), shortLots, paid);
    emit(step, { type: "PositionChanged", position: taken });
  }
  post(step, cash, "guarantee", state.balance(cash), "liquidation", id);
}
