// The records that will leave the state: orders that are done, client order ids that are spent, and
// markets that an order listed and nobody trades. The journal keeps all of it.
// Invariant: nothing that money or an open order depends on leaves; the oldest stand first.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { isOpen } from "./book/order.ts";
import { oldestOf } from "./by-age.ts";
import type { EventOf } from "./event.ts";
import { awaitingName, clientOrderName } from "./names.ts";
import type { Order } from "./records.ts";
import type { State } from "./state.ts";

/** How long a done order stays, and its client order id is taken. */
export const DONE_KEPT_MILLIS = DAY_MILLIS;

/** How long a market that an order listed stays without a position and without an open order. */
export const IDLE_KEPT_MILLIS = DAY_MILLIS;

/** Records done in one minute leave together: an entry for each would double the journal. */
const TOGETHER_MILLIS = 60_000;

/** In one entry; what is beyond follows in the next, at the same moment. */
export const MOST_FORGOTTEN = 4_000;

/** Listings of one account that nobody has traded yet. */
export const MOST_UNFILLED_LISTINGS = 200;

/** Those of them that are no standard series, where standard ones could be listed. */
export const MOST_OTHER_LISTINGS = 20;

/** When something is to leave next; undefined while nothing waits for that. */
export function forgetsAtMillis({ done, idle, doneRfqs }: State): number | undefined {
  const [, order] = oldestOf(done) ?? [];
  const [, market] = oldestOf(idle) ?? [];
  const [, rfq] = oldestOf(doneRfqs) ?? [];
  const first = Math.min(
    order === undefined ? Number.POSITIVE_INFINITY : order + DONE_KEPT_MILLIS,
    market === undefined ? Number.POSITIVE_INFINITY : market + IDLE_KEPT_MILLIS,
    rfq === undefined ? Number.POSITIVE_INFINITY : rfq + DONE_KEPT_MILLIS,
  );
  if (first === Number.POSITIVE_INFINITY) return undefined;
  return Math.ceil(first / TOGETHER_MILLIS) * TOGETHER_MILLIS;
}

/** After an order's record was put: from when on it, and its market, are of no use. */
export function noteOrder(state: State, order: Order, timeMillis: number): void {
  if (!isOpen(order) && !state.done.has(order.id)) state.done.set(order.id, timeMillis);
  noteMarket(state, order.marketId, timeMillis);
}

export function noteListing(
  state: State,
  { marketId, accountId }: EventOf<"MarketListed">,
  timeMillis: number,
): void {
  putListing(state, marketId, accountId);
  noteMarket(state, marketId, timeMillis);
}

/** Markets that orders listed and nobody has traded: whose they are, and which are idle. */
type Listings = Pick<State, "listings" | "listingsOf" | "idle">;

export function putListing(
  { listings, listingsOf }: Listings,
  marketId: MarketId,
  accountId: AccountId,
): void {
  listings.set(marketId, accountId);
  const mine = listingsOf.get(accountId) ?? new Set();
  listingsOf.set(accountId, mine.add(marketId));
}

/**
 * Idle from the moment its last order left; one that people have stopped or doubt is not idle, nor
 * is one that takes marks.
 */
export function noteMarket(state: State, id: MarketId, timeMillis: number): void {
  if (!state.listings.has(id)) return;
  const market = state.market(id);
  const isDoubted = market.dispute !== null;
  const isHeld = market.status === "PAUSED" || isDoubted || market.markRound !== undefined;
  const book = state.book(id);
  const isEmpty = book.firstAgainst(true) === undefined && book.firstAgainst(false) === undefined;
  if (isHeld || !isEmpty) state.idle.delete(id);
  else if (!state.idle.has(id)) state.idle.set(id, timeMillis);
}

/** A market with a position is nobody's listing any more: it stays until it is settled. */
export function dropListing({ listings, listingsOf, idle }: Listings, id: MarketId): void {
  const accountId = listings.get(id);
  if (accountId === undefined) return;
  listings.delete(id);
  idle.delete(id);
  const mine = listingsOf.get(accountId);
  mine?.delete(id);
  if (mine?.size === 0) listingsOf.delete(accountId);
}

export function forgetOrders(state: State, ids: readonly OrderId[], timeMillis: number): void {
  for (const id of ids) {
    const { accountId, clientOrderId } = state.order(id);
    const doneMillis = state.done.get(id) ?? timeMillis;
    state.orders.delete(id);
    state.done.delete(id);
    if (clientOrderId === null) continue;
    const name = clientOrderName(accountId, clientOrderId);
    state.clientOrderIds.delete(name);
    if (doneMillis + DONE_KEPT_MILLIS > timeMillis) state.spentIds.set(name, doneMillis);
  }
}

export function forgetMarkets(state: State, ids: readonly MarketId[]): void {
  for (const id of ids) {
    const market = state.market(id);
    const { frontendId, terms } = market;
    const number = Number(/^mkt-(\d+)$/.exec(frontendId)?.[1] ?? 0);
    state.retiredNumber = Math.max(state.retiredNumber, number);
    dropListing(state, id);
    state.exposures.forgetMarket(id);
    state.expected.marketChanged(terms, market, undefined);
    state.books.delete(id);
    state.markets.delete(id);
    state.marketsByFrontendId.delete(frontendId);
    const name = awaitingName(terms.index, terms.nodeId, terms.measurementMonth);
    state.awaiting.get(name)?.delete(id);
    if (state.awaiting.get(name)?.size === 0) state.awaiting.delete(name);
  }
}

/** The next entry drops one that is old: until then it may still be here. */
export const isSpent = ({ spentIds }: State, name: string, nowMillis: number): boolean =>
  (spentIds.get(name) ?? Number.NEGATIVE_INFINITY) + DONE_KEPT_MILLIS > nowMillis;

/** With every entry, as the answers under idempotency keys. */
export function forgetSpentIds(
  { spentIds }: { readonly spentIds: Map<string, number> },
  timeMillis: number,
): void {
  for (;;) {
    const [name, doneMillis] = oldestOf(spentIds) ?? [];
    if (name === undefined || doneMillis === undefined) return;
    if (doneMillis + DONE_KEPT_MILLIS > timeMillis) return;
    spentIds.delete(name);
  }
}
