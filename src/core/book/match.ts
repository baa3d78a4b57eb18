// Price-time matching in one YES book: the incoming order meets the best resting ones first.
// Invariant: execution is at the resting price; an owner never trades with itself.
import type { AccountId, OrderId } from "#base/ids.ts";
import { fillId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { least } from "#base/least.ts";
import { micros, noMoney } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { costOf, type Lots, lots, noLots } from "#base/quantity.ts";
import { leftToday } from "../account/caps.ts";
import { countAgainst } from "../account/maker-protection.ts";
import { countInGroup } from "../account/order-groups.ts";
import { sameOwner } from "../account/owner.ts";
import { charged, traded } from "../account/position.ts";
import { beforeOf, feePart, isStray } from "../busts/stray.ts";
import type { Found } from "../busts/stray-record.ts";
import { forgetUnfilled } from "../forget.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { Offers } from "../mandate/offer.ts";
import { feeBase, feeOn, feeOnRest, feeShares } from "../margin/fee.ts";
import { isMatchingHeld } from "../market/matching.ts";
import { stateOver } from "../readers-state.ts";
import type { CancelReason, Fill, Order, Position } from "../records.ts";
import { cashOf, emit, positionOf, post, type Step } from "../step.ts";
import { fillsWhole } from "./fillable.ts";
import { buysYes, cancelled, crosses, filled, isOpen, remaining, yesTick } from "./order.ts";
import { preventOwn } from "./own.ts";
import { cutTo, cutToPosition, fitReduceOnly, reducible } from "./reduce-only.ts";

/** The rest of the incoming order, and whether it may still rest. */
interface Incoming {
  order: Order;
  stopped: CancelReason | undefined;
  /** Of its newest fill; of an auction's, that of the fills before it. */
  lastTick: Tick | undefined;
  /** Σ of what fees are taken on, over its fills: the fee is rounded once. */
  feeBase: bigint;
  /** Fills off the reference, and the fee base before and after each. */
  readonly strayed: { readonly fill: Fill; readonly found: Found; readonly base: bigint }[];
  /** Undefined of one that meets resting orders only. */
  readonly offers: Offers | undefined;
  /** The accounts whose resting orders it has traded with. */
  readonly met: Set<AccountId>;
}

/**
 * Matches an accepted order that is new, or amended so that it lost its place (the book holds its
 * old record meanwhile, on the side it does not meet). Its own last record is the last event.
 */
export function execute(step: Step, accepted: Order): void {
  const order = isOpen(accepted) ? cutToPosition(step, accepted) : accepted;
  const isHeld = isMatchingHeld(step.state, step.state.market(order.marketId));
  const refused = isOpen(order) ? refusedBeforeMatching(step, order, isHeld) : undefined;
  const incoming = begin(order, refused, offersFor(step, order));
  if (isOpen(order) && refused === undefined) {
    if (!isHeld) matchAgainstBook(step, incoming);
    else if (rests(order)) incoming.order = preventOwn(step, order);
  }
  chargeFee(step, incoming);
  const last = fitAfterMatching(step, incoming, closeIfStopped(incoming));
  const isNew = !step.state.orders.has(last.id);
  emit(step, { type: "OrderChanged", order: last });
  if (isNew) forgetUnfilled(step, last);
}

/**
 * Fills pairs of orders of an auction, all at its price. Of a pair the one that came later pays the
 * fee, as it would have in any other hour: from its own reserve, once an order, and of one that was
 * filled in part before rounded down. Answers whose orders were met.
 */
export function fillAtOnePrice(
  step: Step,
  pairs: readonly Pair[],
  tick: Tick,
): readonly MadeFill[] {
  const takers = new Map<OrderId, { readonly incoming: Incoming; readonly isWhole: boolean }>();
  const met: MadeFill[] = [];
  let lastTick: Tick | undefined;
  for (const { buy, sell, quantity } of pairs) {
    const [later, earlier] = buy.rank > sell.rank ? [buy, sell] : [sell, buy];
    const isWhole = later.filledLots === 0n;
    const taker = takers.get(later.id) ?? { incoming: begin(later), isWhole };
    takers.set(later.id, taker);
    const { incoming } = taker;
    incoming.order = step.state.order(later.id);
    incoming.lastTick = lastTick;
    trade(step, incoming, step.state.order(earlier.id), tick, quantity);
    emit(step, { type: "OrderChanged", order: incoming.order });
    met.push({ maker: earlier, quantity });
    lastTick = tick;
  }
  for (const { incoming, isWhole } of takers.values()) {
    chargeFee(step, incoming, isWhole ? feeOn : feeOnRest);
  }
  return met;
}

/** Two orders that trade with each other, and how much. */
export interface Pair {
  readonly buy: Order;
  readonly sell: Order;
  readonly quantity: Lots;
}

/** A fill of an account's resting order. */
interface MadeFill {
  readonly maker: Order;
  readonly quantity: Lots;
}

/** A leg of a block trade: two whole orders that were agreed on outside the book. */
export function tradeBlock(step: Step, taker: Order, maker: Order): void {
  const incoming = begin(taker);
  // It was agreed on: it is no sign that quotes are being swept.
  trade(step, incoming, maker, yesTick(maker), remaining(maker));
  chargeFee(step, incoming);
  const order = fitAfterMatching(step, incoming, incoming.order);
  emit(step, { type: "OrderChanged", order });
}

const begin = (order: Order, stopped?: CancelReason, offers?: Offers): Incoming => ({
  ...{ order, stopped, offers, lastTick: undefined, feeBase: 0n, strayed: [], met: new Set() },
});

const offersFor = ({ state }: Step, order: Order): Offers | undefined =>
  state.mandates.size === 0 ? undefined : new Offers({ state }, order);

const rests = ({ timeInForce }: Order): boolean => timeInForce === "GTC" || timeInForce === "GTD";

/** Positions have moved: reduce-only orders give way, the incoming one first, being the newest. */
function fitAfterMatching(step: Step, { met }: Incoming, order: Order): Order {
  const { id, accountId, marketId } = order;
  for (const maker of met) fitReduceOnly(step, maker, marketId, id);
  const claimed = fitReduceOnly(step, accountId, marketId, id);
  if (!order.reduceOnly || !isOpen(order)) return order;
  const { heldLots } = positionOf(step.state, accountId, marketId);
  return cutTo(order, reducible(heldLots, buysYes(order)) - claimed);
}

function refusedBeforeMatching(
  step: Step,
  order: Order,
  isHeld: boolean,
): CancelReason | undefined {
  if (order.postOnly && meetsAny(step, order, isHeld)) return "POST_ONLY_WOULD_CROSS";
  const isWhole = order.timeInForce !== "FOK" || (!isHeld && fillsAll(step, order));
  return isWhole ? undefined : "FILL_OR_KILL";
}

const best = (step: Step, { order }: Incoming): Order | undefined =>
  step.state.book(order.marketId).firstAgainst(buysYes(order));

function matchAgainstBook(step: Step, incoming: Incoming): void {
  while (remaining(incoming.order) > 0n) {
    const left = leftToday(step, incoming.order.accountId);
    if (left === noLots) {
      if (meetsAny(step, incoming.order, false)) incoming.stopped = "DAILY_LIMIT";
      return;
    }
    const wanted = least(remaining(incoming.order), left);
    const resting = best(step, incoming);
    const given = incoming.offers?.best(step, incoming.order, resting, wanted);
    if (given !== undefined) {
      const { order, use } = given;
      tradeWith(step, incoming, order, wanted);
      emit(step, { type: "MandateUsed", use, accountId: order.accountId });
      continue;
    }
    if (resting === undefined || !crosses(incoming.order, resting)) return;
    if (sameOwner(step.state, resting.accountId, incoming.order.accountId)) {
      preventSelfTrade(step, incoming, resting);
      if (incoming.stopped !== undefined) return;
      continue;
    }
    const fitting = fittingNow(step, resting);
    if (fitting === resting) tradeWith(step, incoming, resting, wanted);
    else emit(step, { type: "OrderChanged", order: fitting });
  }
}

/** As it can trade: cut to its position, and gone where its account has had its day. */
function fittingNow(step: Step, resting: Order): Order {
  const fitting = cutToPosition(step, resting);
  const isOver = fitting === resting && leftToday(step, resting.accountId) === noLots;
  return isOver ? cancelled(resting, "DAILY_LIMIT") : fitting;
}

function meetsAny(step: Step, order: Order, isHeld: boolean): boolean {
  const resting = step.state.book(order.marketId).firstAgainst(buysYes(order));
  if (resting !== undefined && crosses(order, resting)) return true;
  return !isHeld && meetsOffer(step, order);
}

const meetsOffer = (step: Step, order: Order): boolean =>
  offersFor(step, order)?.best(step, order, undefined) !== undefined;

/** One that meets mandates is tried out: each gives by what it has given before. */
function fillsAll(step: Step, order: Order): boolean {
  if (!meetsOffer(step, order)) return fillsWhole(step, order);
  const trial: Step = { ...step, state: stateOver(step.state), events: [], touched: new Map() };
  const incoming = begin(order, undefined, offersFor(trial, order));
  matchAgainstBook(trial, incoming);
  return remaining(incoming.order) === noLots;
}

function preventSelfTrade(step: Step, incoming: Incoming, resting: Order): void {
  const rule = incoming.order.selfTradePrevention;
  if (rule !== "cancel_incoming") {
    emit(step, { type: "OrderChanged", order: cancelled(resting, "SELF_TRADE") });
  }
  if (rule !== "cancel_resting") incoming.stopped = "SELF_TRADE";
}

/** At the price of the order that rests, which counts for its account's protection. */
function tradeWith(step: Step, incoming: Incoming, resting: Order, wanted: Lots): void {
  const given = least(remaining(resting), leftToday(step, resting.accountId));
  const quantity = least(wanted, given);
  trade(step, incoming, resting, yesTick(resting), quantity);
  countInGroup(step, resting, quantity);
  countAgainst(step, resting.accountId, quantity);
}

function trade(step: Step, incoming: Incoming, resting: Order, tick: Tick, quantity: Lots): void {
  const { state } = step;
  const takerBuysYes = buysYes(incoming.order);
  const buyer = takerBuysYes ? incoming.order.accountId : resting.accountId;
  const seller = takerBuysYes ? resting.accountId : incoming.order.accountId;
  const { marketId } = incoming.order;
  const id = fillId(`fil-${state.fillCount + 1}`);
  emit(step, { type: "OrderChanged", order: filled(resting, quantity) });
  const fill: Fill = {
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
    ...(resting.rfqId === undefined ? {} : { rfqId: resting.rfqId }),
  };
  noteStray(step, incoming, fill);
  emit(step, { type: "Filled", fill });
  const premium = costOf(quantity, tick);
  post(step, cashOf(buyer), cashOf(seller), premium, "premium", id);
  move(step, traded(positionOf(state, buyer, marketId), quantity, tick));
  move(step, traded(positionOf(state, seller, marketId), lots(-quantity), tick));
  incoming.order = filled(incoming.order, quantity);
  incoming.feeBase += feeBase(quantity, tick);
  incoming.met.add(resting.accountId);
  incoming.lastTick = tick;
}

/** As the fill finds its market and its parties: it may have to be undone. */
function noteStray({ state }: Step, { strayed, feeBase: base, lastTick }: Incoming, fill: Fill) {
  const { marketId, buyer, seller } = fill;
  const market = state.market(marketId);
  if (!isStray(state, fill, market.markTick)) return;
  const found = {
    referenceTick: market.markTick,
    lastTick: lastTick ?? market.lastTick,
    buyer: beforeOf(positionOf(state, buyer, marketId)),
    seller: beforeOf(positionOf(state, seller, marketId)),
  };
  strayed.push({ fill, found, base });
}

const move = (step: Step, position: Position): void =>
  emit(step, { type: "PositionChanged", position });

/** The incoming side pays; half feeds the guarantee fund. */
function chargeFee(step: Step, incoming: Incoming, on = feeOn): void {
  const { order, lastTick, feeBase: base, strayed } = incoming;
  if (lastTick === undefined) return;
  const { feeBps } = accountTerms(step.state.rules, step.state.account(order.accountId));
  const fee = on(base, feeBps);
  const { house, fund } = feeShares(fee);
  const payer = cashOf(order.accountId);
  post(step, payer, "fees", house, "fee", order.id);
  post(step, payer, "guarantee", fund, "fee-share", order.id);
  if (fee !== noMoney) {
    move(step, charged(positionOf(step.state, order.accountId, order.marketId), fee));
  }
  const { houseFeesMicros, fundFeesMicros } = step.state.market(order.marketId);
  emit(step, {
    type: "MarketTraded",
    marketId: order.marketId,
    lastTick,
    houseFeesMicros: micros(houseFeesMicros + house),
    fundFeesMicros: micros(fundFeesMicros + fund),
  });
  for (const { fill, found, base: without } of strayed) {
    const upTo = on(without + feeBase(fill.amountLots, fill.yesTick), feeBps);
    const stray = { fill, ...found, ...feePart(on(without, feeBps), upTo) };
    emit(step, { type: "FillStrayed", stray });
  }
}

function closeIfStopped({ order, stopped }: Incoming): Order {
  if (!isOpen(order)) return order;
  if (stopped !== undefined) return cancelled(order, stopped);
  if (order.timeInForce === "IOC") return cancelled(order, "UNFILLED_IMMEDIATE");
  invariant(order.timeInForce !== "FOK", "a fill-or-kill order never rests");
  return order;
}
