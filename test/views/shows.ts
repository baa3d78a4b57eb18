// The exchange's view compared with a state, reading by reading.
// Invariant: whatever the state can vouch for is compared; nothing is changed.
import assert from "node:assert/strict";
import { orderNumber } from "#base/ids.ts";
import { isOpen } from "#core/book/order.ts";
import { chainPointName, positionName } from "#core/names.ts";
import type { State } from "#core/state.ts";
import type { ExchangeView } from "#views/exchange.ts";

/** Every reading of the view that the state can vouch for. */
export function assertShows(view: ExchangeView, state: State): void {
  assert.deepEqual(new Map(view.accounts), state.accounts);
  assert.deepEqual(new Map(view.keys), state.keys);
  assert.deepEqual(new Map(view.markets), state.markets);
  assert.deepEqual([...view.orders.values()], [...state.orders.values()]);
  assert.deepEqual(new Map(view.releases), state.releases);
  for (const [name, balance] of state.ledger) assert.equal(view.balance(name), balance, name);
  for (const { id } of state.accounts.values()) {
    const free = state.balance(`cash:${id}`) - state.exposures.locked(id);
    assert.equal(view.available(id), free, `available of ${id}`);
    const mine = [...state.orders.values()].filter(({ accountId }) => accountId === id);
    const open = view.openOrdersOf(id).toSorted((a, b) => orderNumber(a.id) - orderNumber(b.id));
    assert.deepEqual(open, mine.filter(isOpen), `open orders of ${id}`);
    for (const order of mine) {
      if (order.clientOrderId === null) continue;
      assert.deepEqual(view.orderByClientId(id, order.clientOrderId), order);
    }
    assert.deepEqual(view.exposures.totals(id), state.exposures.totals(id), `totals of ${id}`);
    assert.deepEqual(view.exposures.shorts(id), state.exposures.shorts(id), `shorts of ${id}`);
    for (const held of view.positionsOf(id)) {
      assert.deepEqual(held, state.positions.get(positionName(id, held.marketId)));
    }
  }
  for (const [name, position] of state.positions) {
    const { accountId, marketId } = position;
    assert.deepEqual(view.position(accountId, marketId), position, name);
  }
  for (const { id, frontendId } of state.markets.values()) {
    for (const side of ["bids", "asks"] as const) {
      const own = [...view.book(id)[side]()];
      assert.deepEqual(own, [...state.book(id)[side]()], `${side} of ${id}`);
    }
    assert.equal(view.marketByAnyId(frontendId.toUpperCase())?.id, id);
    assert.equal(view.marketByAnyId(id.toUpperCase())?.id, id);
  }
  for (const point of state.chainPoints.values()) {
    const { index, nodeId, month } = point;
    assert.deepEqual(view.chainPoints.get(chainPointName(index, nodeId, month)), point);
    // Of weather a place has a newest print of each window.
    if (index !== "weather") assert.deepEqual(view.chainPoint(index, nodeId), point);
  }
}
