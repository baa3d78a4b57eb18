// Price-time matching in one YES book: the incoming order meets the best resting ones first.
// Invariant: execution is at the resting price; an account never trades with itself.
import type { AccountId } from "#base/ids.ts";
import { fillId } from "#base/ids.ts";
import { micros, noMoney } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { costOf, type Lots, lots } from "#base/quantity.ts";
import { charged, traded } from "../account/position.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { feeBase, feeOn, feeShares } from "../margin/fee.ts";
import type { CancelReason, Order, Position } from "../records.ts";
import { cashOf, emit, positionOf, post, type Step } from "../step.ts";
import { buysYes, cancelled, filled, remaining, yesTick } from "./order.ts";

/** What is left of the incoming order, and whether it may still rest. */
interface Incoming {
  order: Order;
  stopped: CancelReason | undefined;
  /** Σ min(p, 1−p) × quantity over its fills: the fee is rounded once. */
  feeBase: bigint;
}

/** Matches an accepted order that is not in the book yet; its last record is emitted at the end. */
export function execute(step: Step, order: Order): void {
  const refused = refusedBeforeMatching(step, order);
  const incoming: Incoming = { order, stopped: refused, feeBase: 0n };
  if (refused === undefined) matchAgainstBook(step, incoming);
  chargeFee(step, incoming);
  emit(step, { type: "OrderChanged", order: closeIfStopped(incoming) });
}

function refusedBeforeMatching(step: Step, order: Order): CancelReason | undefined {
  if (order.postOnly && meetsBook(step, order)) return "POST_ONLY_WOULD_CROSS";
  if (order.timeInForce === "FOK" && fillable(step, order) < order.amountLots) {
    return "FILL_OR_KILL";
  }
  return undefined;
}

function matchAgainstBook(step: Step, incoming: Incoming): void {
  const buying = buysYes(incoming.order);
  const book = step.state.book(incoming.order.marketId);
  while (remaining(incoming.order) > 0n) {
    const resting = book.firstAgainst(buying);
    if (resting === undefined || !crosses(incoming.order, resting)) return;
    if (resting.accountId === incoming.order.accountId) {
      preventSelfTrade(step, incoming, resting);
      if (incoming.stopped !== undefined) return;
    } else {
      trade(step, incoming, resting);
    }
  }
}

const crosses = (order: Order, resting: Order): boolean =>
  buysYes(order) ? yesTick(resting) <= yesTick(order) : yesTick(resting) >= yesTick(order);

function meetsBook(step: Step, order: Order): boolean {
  const resting = step.state.book(order.marketId).firstAgainst(buysYes(order));
  return resting !== undefined && crosses(order, resting);
}

/** How much would fill at once; an own order in the way ends it. */
function fillable(step: Step, order: Order): bigint {
  let total = 0n;
  for (const resting of step.state.book(order.marketId).against(buysYes(order))) {
    if (!crosses(order, resting) || total >= order.amountLots) break;
    if (resting.accountId === order.accountId) {
      if (order.selfTradePrevention === "cancel_resting") continue;
      break;
    }
    total += remaining(resting);
  }
  return total;
}

function preventSelfTrade(step: Step, incoming: Incoming, resting: Order): void {
  const rule = incoming.order.selfTradePrevention;
  if (rule !== "cancel_incoming") {
    emit(step, { type: "OrderChanged", order: cancelled(resting, "SELF_TRADE") });
  }
  if (rule !== "cancel_resting") incoming.stopped = "SELF_TRADE";
}

function trade(step: Step, incoming: Incoming, resting: Order): void {
  const { state } = step;
  const quantity = lesser(remaining(incoming.order), remaining(resting));
  const tick = yesTick(resting);
  const takerBuysYes = buysYes(incoming.order);
  const buyer = takerBuysYes ? incoming.order.accountId : resting.accountId;
  const seller = takerBuysYes ? resting.accountId : incoming.order.accountId;
  const { marketId } = incoming.order;
  const id = fillId(`fil-${state.fillCount + 1}`);
  emit(step, { type: "OrderChanged", order: filled(resting, quantity) });
  emit(step, {
    type: "Filled",
    fill: {
      id,
      marketId,
      yesTick: tick,
      amountLots: quantity,
      takerOrderId: incoming.order.id,
      makerOrderId: resting.id,
      buyer,
      seller,
      takerBuysYes,
      timeMillis: step.nowMillis,
    },
  });
  const premium = costOf(quantity, tick);
  post(step, cashOf(buyer), cashOf(seller), premium, "premium", id);
  move(step, traded(positionOf(state, buyer, marketId), quantity, tick));
  move(step, traded(positionOf(state, seller, marketId), lots(-quantity), tick));
  incoming.order = filled(incoming.order, quantity);
  incoming.feeBase += feeBase(quantity, tick);
  lastTraded(step, incoming.order, tick);
}

const move = (step: Step, position: Position): void =>
  emit(step, { type: "PositionChanged", position });

function lastTraded(step: Step, order: Order, tick: Tick): void {
  const market = step.state.market(order.marketId);
  if (market.lastTick === tick) return;
  const changed = { ...market, lastTick: tick, updatedAtMillis: step.nowMillis };
  emit(step, { type: "MarketChanged", market: changed });
}

/** The incoming side pays; half feeds the guarantee fund. */
function chargeFee(step: Step, { order, feeBase: base }: Incoming): void {
  const fee = feeOf(step, order.accountId, base);
  if (fee === noMoney) return;
  const { house, fund } = feeShares(fee);
  const payer = cashOf(order.accountId);
  post(step, payer, "fees", house, "fee", order.id);
  post(step, payer, "guarantee", fund, "fee-share", order.id);
  move(step, charged(positionOf(step.state, order.accountId, order.marketId), fee));
  const market = step.state.market(order.marketId);
  emit(step, {
    type: "MarketChanged",
    market: {
      ...market,
      houseFeesMicros: micros(market.houseFeesMicros + house),
      fundFeesMicros: micros(market.fundFeesMicros + fund),
    },
  });
}

const feeOf = (step: Step, account: AccountId, base: bigint) =>
  base === 0n
    ? noMoney
    : feeOn(base, accountTerms(step.state.rules, step.state.account(account)).feeBps);

function closeIfStopped({ order, stopped }: Incoming): Order {
  if (remaining(order) === 0n) return order;
  if (stopped !== undefined) return cancelled(order, stopped);
  if (order.timeInForce === "IOC") return cancelled(order, "UNFILLED_IMMEDIATE");
  return order;
}

const lesser = (a: Lots, b: Lots): Lots => (a < b ? a : b);
