// The mandates that an incoming order meets, best price first, and the lots each can give now.
// Invariant: a mandate never trades nearer to the mark than its spread, gives no lot that its
// budgets or its account's cash do not allow, and never meets an account of its own owner.
import { type AccountId, orderId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import { sameOwner } from "../account/owner.ts";
import { buysYes, remaining, yesTick } from "../book/order.ts";
import { refuseBalance, refuseSize, refuseStanding } from "../order/checks.ts";
import type { Account, Order } from "../records.ts";
import type { State } from "../state.ts";
import { cashOf, type Step } from "../step.ts";
import { nearerFirst } from "./by-place.ts";
import { type Mandate, type MandateUse, stateUseName, useName } from "./record.ts";
import { covers, monthsLeft, placesOf, priceOf, type Quoted, spreadOf, stateOfPlace } from "./scope.ts";

interface Offer {
  readonly mandate: Mandate;
  readonly tick: Tick;
}

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
    .map((place) => ({ at: 0, of: state.mandatesByPlace.at(terms.index, side, place, months) }))
    .filter(({ of }) => of.length > 0);
  const nearer = nearerFirst(months);
  const told = new Set<Mandate>();
  for (;;) {
    let first: (typeof queues)[number] | undefined;
    for (const queue of queues) {
      const [mandate, best] = [queue.of[queue.at], first?.of[first.at]];
      if (mandate === undefined) continue;
      if (best === undefined || nearer(mandate, best) < 0) first = queue;
    }
    const mandate = first?.of[first.at];
    if (first === undefined || mandate === undefined) return;
    first.at += 1;
    // One that names a county and its state stands in the queues of both.
    if (told.has(mandate)) continue;
    told.add(mandate);
    if (!covers(mandate.scope, terms, months)) continue;
    const tick = priceOf(mandate, markTick, spreadOf(mandate, months));
    if (tick !== undefined) yield { mandate, tick };
  }
}

/** What a mandate gives an incoming order: an order of its account's, which is filled at once. */
export interface Given {
  readonly order: Order;
  readonly use: MandateUse;
}

/** The offers that one incoming order meets; each is asked until it gives nothing more. */
export class Offers {
  readonly #told: Generator<Offer, undefined>;
  #first: Offer | undefined;
  /** Accounts that cannot give another lot: none of their mandates is asked again. */
  readonly #spent = new Set<AccountId>();

  constructor(state: State, order: Order) {
    this.#told = offersFor(state, state.market(order.marketId), buysYes(order));
    this.#first = this.#told.next().value;
  }

  /** Undefined where the resting order comes first, or no offer is as good as the order asks. */
  best(step: Step, order: Order, resting: Order | undefined): Given | undefined {
    for (; this.#first !== undefined; this.#first = this.#told.next().value) {
      const { mandate, tick } = this.#first;
      if (!comesFirst(order, tick, resting)) return undefined;
      if (this.#spent.has(mandate.accountId)) continue;
      const given = givenBy(step, mandate, tick, order);
      if (given !== undefined) return given;
      if (roomOf(step.state, mandate, order) > 0n) this.#spent.add(mandate.accountId);
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

function givenBy(step: Step, mandate: Mandate, tick: Tick, order: Order): Given | undefined {
  const { state } = step;
  if (sameOwner(state, mandate.accountId, order.accountId)) return undefined;
  const account = state.account(mandate.accountId);
  const wanted = least(remaining(order), lots(roomOf(state, mandate, order)));
  if (wanted <= noLots || refuseStanding(step, account, false) !== undefined) return undefined;
  const draft = draftOf(step, mandate, tick, order);
  const quantity = mostOf(wanted, (amountLots) =>
    isPayable(step, account, mandate, { ...draft, amountLots }),
  );
  if (quantity === noLots) return undefined;
  const use = useOf(state, mandate, order);
  return {
    order: { ...draft, amountLots: quantity },
    use: { ...use, usedLots: lots(use.usedLots + quantity) },
  };
}

/** Lots that the narrowest of its budgets still allows. */
function roomOf({ mandateUses, mandateSums, markets }: State, mandate: Mandate, order: Order) {
  const market = markets.get(order.marketId);
  const { id, mostInMarket, mostInState, mostInAll } = mandate;
  const state = market === undefined ? undefined : stateOfPlace(market);
  const used = (name: string): Lots => mandateSums.get(name) ?? noLots;
  const inMarket = mandateUses.get(useName(id, order.marketId))?.usedLots ?? noLots;
  return [
    mostInMarket - inMarket,
    mostInState - (state === undefined ? noLots : used(stateUseName(id, state))),
    mostInAll - used(id),
  ].reduce((fewest, room) => (room < fewest ? room : fewest));
}

function useOf(state: State, { id: mandateId }: Mandate, { marketId }: Order): MandateUse {
  const known = state.mandateUses.get(useName(mandateId, marketId));
  const place = stateOfPlace(state.market(marketId));
  return known ?? { mandateId, marketId, state: place, usedLots: noLots };
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
function isPayable(step: Step, account: Account, mandate: Mandate, order: Order): boolean {
  const proposal = { orders: [order], fresh: new Map() };
  if (refuseSize(step, account, proposal) !== undefined) return false;
  if (refuseBalance(step, account.id, proposal) !== undefined) return false;
  if (mandate.collateral === "margin") return true;
  const { exposures } = step.state;
  const { fullMicros } = exposures.totalsWith(account.id, proposal.orders, proposal.fresh);
  return fullMicros <= step.state.balance(cashOf(account.id));
}

/** The incoming order has its number already, and is not counted before it is done if it is new. */
function draftOf({ state, nowMillis }: Step, mandate: Mandate, tick: Tick, order: Order): Order {
  const number = state.orderCount + (state.orders.has(order.id) ? 1 : 2);
  return {
    id: orderId(`ord-${number}`),
    accountId: mandate.accountId,
    marketId: order.marketId,
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
  };
}
