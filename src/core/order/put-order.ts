// Puts an order in its place: among all, of its account, in its book, and where it is looked for.
// Invariant: an order that is done is in no book and in no list of open ones.
import type { OrderId } from "#base/ids.ts";
import { setOf } from "#base/set-of.ts";
import { noteGroup } from "../account/put-group.ts";
import { isOpen } from "../book/order.ts";
import { clientOrderName, groupName, positionName } from "../names.ts";
import type { Order } from "../records.ts";
import type { State } from "../state.ts";

export function putOrder(state: State, order: Order): void {
  const before = state.orders.get(order.id);
  state.exposures.orderChanged(before, order);
  listOrder(state, before, order);
  bookOrder(state, before, order);
}

/** Those of a snapshot, into a state that has none. */
export function putOrders(state: State, orders: readonly Order[]): void {
  for (const order of orders) listOrder(state, undefined, order);
  // Book by book: its levels stay in the processor's cache meanwhile.
  const byMarket = Map.groupBy(orders.filter(isOpen), ({ marketId }) => marketId);
  for (const [market, open] of byMarket) {
    const book = state.book(market);
    for (const order of open) book.put(order);
  }
  state.exposures.ordersLoaded(orders);
}

/** Those of another state into one that has none: each list is copied as it stands. */
export function copyOrders(state: State, of: State): void {
  const { orderCount, lastRank } = of;
  const books = new Map(Array.from(of.books, ([id, book]) => [id, book.copy()] as const));
  Object.assign(state, {
    orders: of.orders.copy(),
    orderCount,
    lastRank,
    books,
    clientOrderIds: new Map(of.clientOrderIds),
    openOrders: setsOf(of.openOrders),
    reduceOnlyOrders: setsOf(of.reduceOnlyOrders),
    releaseOrders: setsOf(of.releaseOrders),
    groupOrders: setsOf(of.groupOrders),
    groupsOf: setsOf(of.groupsOf),
  } satisfies Partial<State>);
}

const setsOf = <K, V>(sets: ReadonlyMap<K, ReadonlySet<V>>): Map<K, Set<V>> =>
  new Map(Array.from(sets, ([key, set]) => [key, new Set(set)] as const));

function listOrder(state: State, before: Order | undefined, order: Order): void {
  state.orders.set(order);
  if (before === undefined) state.orderCount += 1;
  const mine = setOf(state.openOrders, order.accountId);
  if (before === undefined && order.clientOrderId !== null) {
    state.clientOrderIds.set(clientOrderName(order.accountId, order.clientOrderId), order.id);
  }
  if (isOpen(order)) mine.add(order.id);
  else mine.delete(order.id);
  if (order.reduceOnly) {
    keepOpen(state.reduceOnlyOrders, positionName(order.accountId, order.marketId), order);
  }
  const index = order.cancelOnRelease && state.markets.get(order.marketId)?.terms.index;
  if (index) keepOpen(state.releaseOrders, index, order);
  if (order.group !== undefined) {
    keepOpen(state.groupOrders, groupName(order.accountId, order.group), order);
    noteGroup(state, order.accountId, order.group);
  }
  state.lastRank = Math.max(state.lastRank, order.rank);
  const expires = before?.expirySeconds !== order.expirySeconds && order.expirySeconds !== 0;
  if (isOpen(order) && expires) {
    state.due.add({
      atMillis: order.expirySeconds * 1000,
      command: { type: "ExpireOrder", orderId: order.id },
    });
  }
}

function bookOrder(state: State, before: Order | undefined, order: Order): void {
  if (!isOpen(order) && (before === undefined || !isOpen(before))) return;
  state.book(order.marketId).put(order, before);
}

function keepOpen<K>(byName: Map<K, Set<OrderId>>, name: K, order: Order): void {
  const ids = setOf(byName, name);
  if (isOpen(order)) ids.add(order.id);
  else ids.delete(order.id);
  if (ids.size === 0) byName.delete(name);
}
