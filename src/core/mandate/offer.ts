// The mandates that an incoming order meets, best price first, and the lots each can give now.
// Invariant: a mandate never trades nearer to the mark than its spread, gives no lot that its
// budgets or its account's cash do not allow, and never meets an account of its own owner.
import { type AccountId, type MarketId, orderId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { refuseUnpaidSale } from "../acceptance/financed.ts";
import { sameOwner } from "../account/owner.ts";
import { buysYes, remaining, yesTick } from "../book/order.ts";
import { isMatchingHeld, isShut } from "../market/matching.ts";
import { Beside } from "../order/beside.ts";
import { refuseBalance, refuseFundShort, refuseSize, refuseStanding } from "../order/checks.ts";
import type { Account, Market, Order } from "../records.ts";
import type { State } from "../state.ts";
import { cashOf, type Moment, type Step } from "../step.ts";
import { nearerFirst } from "./by-place.ts";
import type { InOrder } from "./in-order.ts";
import { type Mandate, type MandateUse, stateUseName, useName } from "./record.ts";
import {
  covers,
  monthsLeft,
  placesOf,
  priceOf,
  type Quoted,
  spreadOf,
  stateOfPlace,
} from "./scope.ts";

interface Offer {
  readonly mandate: Mandate;
  readonly tick: Tick;
}

/** A market, or one that its first order would list. */
export type OfferedMarket = Quoted &
  Pick<Market, "id" | "stressedTick" | "riskTicks"> &
  Partial<Pick<Market, "resolution">>;

/** Everything that covers a contract, on the side an incoming order would meet; best first. */
function* offersFor(
  state: Pick<State, "chainPoints" | "mandatesByPlace">,
  quoted: Quoted,
  incomingBuysYes: boolean,
): Generator<Offer, undefined> {
  const { terms, markTick } = quoted;
  const months = monthsLeft(state, terms);
  if (months === undefined || months < 1) return;
  const side = incomingBuysYes ? "SELL" : "BUY";
  const queues = placesOf(quoted)
    .map((place) => new Queue(state.mandatesByPlace.at(terms.index, side, place, months)))
    .filter(({ first }) => first !== undefined);
  const nearer = nearerFirst(months);
  const told = new Set<Mandate>();
  for (;;) {
    let nearest: Queue | undefined;
    for (const queue of queues) {
      const [mandate, best] = [queue.first, nearest?.first];
      if (mandate === undefined) continue;
      if (best === undefined || nearer(mandate, best) < 0) nearest = queue;
    }
    const mandate = nearest?.first;
    if (nearest === undefined || mandate === undefined) return;
    nearest.next();
    // One that names a county and its state stands in the queues of both.
    if (told.has(mandate)) continue;
    told.add(mandate);
    if (!covers(mandate.scope, terms, months)) continue;
    const tick = priceOf(mandate, markTick, spreadOf(mandate, months));
    if (tick !== undefined) yield { mandate, tick };
  }
}

/** A mandate gives an incoming order one of its account's, which is filled at once. */
interface Given {
  readonly order: Order;
  readonly use: MandateUse;
}

/** The mandates of a place, the nearest to the mark first. */
class Queue {
  readonly #chunks: InOrder<Mandate>;
  #chunk = 0;
  #at = 0;

  constructor(chunks: InOrder<Mandate>) {
    this.#chunks = chunks;
  }

  get first(): Mandate | undefined {
    return this.#chunks[this.#chunk]?.[this.#at];
  }

  next(): void {
    this.#at += 1;
    if (this.#at < (this.#chunks[this.#chunk]?.length ?? 0)) return;
    this.#chunk += 1;
    this.#at = 0;
  }
}

/** The offers that one incoming order meets; each is asked until it gives nothing more. */
export class Offers {
  readonly #told: Generator<Offer, undefined>;
  #first: Offer | undefined;
  /** Accounts that cannot give another lot: none of their mandates is asked again. */
  readonly #spent = new Set<AccountId>();

  constructor({ state }: Pick<Step, "state">, order: Order) {
    this.#told = offersFor(state, state.market(order.marketId), buysYes(order));
    this.#first = this.#told.next().value;
  }

  /** Undefined where the resting order comes first, or no offer is as good as the order asks. */
  best(
    step: Step,
    order: Order,
    resting: Order | undefined,
    wanted = remaining(order),
  ): Given | undefined {
    for (; this.#first !== undefined; this.#first = this.#told.next().value) {
      const { mandate, tick } = this.#first;
      if (!comesFirst(order, tick, resting)) return undefined;
      if (this.#spent.has(mandate.accountId)) continue;
      if (sameOwner(step.state, mandate.accountId, order.accountId)) continue;
      const market = step.state.market(order.marketId);
      const given = givenBy(step, this.#first, market, wanted);
      if (given === undefined) this.#spent.add(mandate.accountId);
      else if (given > noLots) return givenTo(step, this.#first, order, given);
    }
    return undefined;
  }
}

/** At one price a resting order comes before every mandate. */
function comesFirst(order: Order, tick: Tick, resting: Order | undefined): boolean {
  if (buysYes(order)) {
    return tick <= yesTick(order) && (resting === undefined || tick < yesTick(resting));
  }
  return tick >= yesTick(order) && (resting === undefined || tick > yesTick(resting));
}

/** Lots that it gives now, at most `wanted`; undefined where its account can give none at all. */
function givenBy(
  moment: Moment,
  { mandate, tick }: Offer,
  market: OfferedMarket,
  wanted: Lots,
): Lots | undefined {
  const { state } = moment;
  const account = state.account(mandate.accountId);
  const most = least(wanted, roomOf(state, mandate, market));
  if (most <= noLots) return noLots;
  if (refuseStanding(moment, account, false) !== undefined) return undefined;
  const draft = draftOf(moment, mandate, tick, market.id);
  const quantity = mostOf(most, (amountLots) =>
    isPayable(moment, account, mandate, { ...draft, amountLots }, market),
  );
  return quantity === noLots ? undefined : quantity;
}

/** Lots that the narrowest of its budgets still allows. */
function roomOf(
  { mandateUses, mandateSums }: State,
  { id, mostInMarketLots, mostInStateLots, mostInAllLots }: Mandate,
  market: OfferedMarket,
): Lots {
  const used = (name: string): Lots => mandateSums.get(name) ?? noLots;
  const inMarket = mandateUses.get(useName(id, market.id))?.usedLots ?? noLots;
  const rooms = [
    mostInMarketLots - inMarket,
    mostInStateLots - used(stateUseName(id, stateOfPlace(market))),
    mostInAllLots - used(id),
  ];
  return lots(rooms.reduce((fewest, room) => (room < fewest ? room : fewest)));
}

/** The most that passes, at most `wanted`: whole if it can be, else by halves. */
function mostOf(wanted: Lots, passes: (quantity: Lots) => boolean): Lots {
  if (passes(wanted)) return wanted;
  let [some, tooMany]: [bigint, bigint] = [0n, wanted];
  while (tooMany - some > 1n) {
    const middle = (some + tooMany) / 2n;
    if (passes(lots(middle))) some = middle;
    else tooMany = middle;
  }
  return lots(some);
}

/** As an order of the account's own would be judged. */
function isPayable(
  moment: Moment,
  account: Account,
  { collateral }: Mandate,
  order: Order,
  market: OfferedMarket,
): boolean {
  const { state } = moment;
  const fresh = new Map(state.markets.has(market.id) ? [] : [[market.id, market]]);
  const proposal = { orders: [order], fresh };
  const judged = { beside: new Beside(state.exposures, account.id) };
  if (refuseFundShort(moment, order, judged) !== undefined) return false;
  if (refuseSize(moment, account, order, judged) !== undefined) return false;
  if (refuseUnpaidSale(moment, order, { isPaidNow: false }) !== undefined) return false;
  if (refuseBalance(moment, account.id, proposal) !== undefined) return false;
  if (collateral === "margin") return true;
  const { fullMicros } = state.exposures.totalsWith(account.id, proposal.orders, fresh);
  return fullMicros <= state.balance(cashOf(account.id));
}

function givenTo(step: Step, { mandate, tick }: Offer, order: Order, amountLots: Lots): Given {
  const { state } = step;
  const { marketId } = order;
  const used = state.mandateUses.get(useName(mandate.id, marketId))?.usedLots ?? noLots;
  return {
    order: {
      ...draftOf(step, mandate, tick, marketId),
      // A new incoming order has its number already, and is counted once it is done.
      id: orderId(`ord-${state.orderCount + (state.orders.has(order.id) ? 1 : 2)}`),
      amountLots,
    },
    use: {
      mandateId: mandate.id,
      marketId,
      state: stateOfPlace(state.market(marketId)),
      usedLots: lots(used + amountLots),
    },
  };
}

const draftOf = (
  { nowMillis }: Moment,
  mandate: Mandate,
  tick: Tick,
  marketId: MarketId,
): Order => ({
  id: orderId("ord-0"),
  accountId: mandate.accountId,
  marketId,
  clientOrderId: null,
  outcomeIndex: 0,
  side: mandate.side,
  priceTick: tick,
  amountLots: noLots,
  filledLots: noLots,
  status: "OPEN",
  cancelReason: null,
  timeInForce: "IOC",
  postOnly: false,
  reduceOnly: false,
  selfTradePrevention: "cancel_incoming",
  expirySeconds: 0,
  createdAtMillis: nowMillis,
  // It never rests.
  rank: 0,
  mandateId: mandate.id,
});

/** Lots that mandates give at one price. */
export interface OfferedLevel {
  readonly tick: Tick;
  readonly lots: Lots;
}

/** Whether an order would meet anything now. */
export function isTrading(state: State, market: OfferedMarket): boolean {
  const listed = state.markets.get(market.id);
  if (isMatchingHeld(state, market)) return false;
  return listed === undefined ? state.exchange?.halted !== true : !isShut(state, listed);
}

/**
 * The levels that an incoming order would meet, best first, up to so many lots of each mandate.
 * An account counts with its first mandate alone: what another one gives depends on what that gave.
 */
export function* offeredLevels(
  moment: Moment,
  market: OfferedMarket,
  incomingBuysYes: boolean,
  most: Lots,
): Generator<OfferedLevel> {
  const { state } = moment;
  if (!isTrading(state, market)) return;
  const counted = new Set<AccountId>();
  let level: OfferedLevel | undefined;
  for (const offer of offersFor(state, market, incomingBuysYes)) {
    const { accountId } = offer.mandate;
    if (counted.has(accountId)) continue;
    const given = givenBy(moment, offer, market, most);
    if (given === noLots) continue;
    counted.add(accountId);
    if (given === undefined) continue;
    if (level !== undefined && level.tick !== offer.tick) yield level;
    const before = level?.tick === offer.tick ? level.lots : noLots;
    level = { tick: offer.tick, lots: lots(before + given) };
  }
  if (level !== undefined) yield level;
}
