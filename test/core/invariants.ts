// What must be true of the exchange after every command, told from its records alone.
// Invariant: a figure the core keeps beside the records is recounted here, never believed.
import assert from "node:assert/strict";
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { isOpen } from "#core/book/order.ts";
import type { LedgerName } from "#core/event.ts";
import { ledgerTotal, type State } from "#core/state.ts";

export function checkInvariants(state: State): void {
  assert.equal(ledgerTotal(state), 0n, "the ledger's total is zero");
  for (const [name, balance] of state.ledger) {
    assert.ok(name === "external" || balance >= 0n, `${name} is not below zero: ${balance}`);
  }
  for (const id of state.accounts.keys()) {
    const name: LedgerName = `cash:${id}`;
    const [cash, locked] = [state.balance(name), state.exposures.locked(id)];
    assert.ok(cash >= locked, `${id} holds ${cash} and locks ${locked}`);
  }
  checkPositions(state);
  checkBooks(state);
}

function checkPositions(state: State): void {
  const held = new Map<MarketId, bigint>();
  const flows = new Map<MarketId, bigint>();
  for (const { marketId, heldLots, flowMicros } of state.positions.values()) {
    held.set(marketId, (held.get(marketId) ?? 0n) + heldLots);
    flows.set(marketId, (flows.get(marketId) ?? 0n) + flowMicros);
  }
  for (const [id, total] of held) {
    assert.equal(total, 0n, `longs and shorts of ${id} are equal`);
    const { houseFeesMicros, fundFeesMicros, status } = state.market(id);
    if (status !== "CANCELLED") {
      const fees = houseFeesMicros + fundFeesMicros;
      assert.equal(-(flows.get(id) ?? 0n), fees, `${id}: flows are fees`);
    }
    if (status === "FINALIZED" || status === "CANCELLED") {
      assert.equal(state.balance(`market:${id}`), 0n, `${id} has paid out all it took`);
    }
  }
}

/** Books hold exactly the open orders, each where it belongs, and never cross. */
function checkBooks(state: State): void {
  const inBooks = new Set<OrderId>();
  for (const [market, book] of state.books) {
    const [bid, ask] = [book.bestBid(), book.bestAsk()];
    assert.ok(bid === undefined || ask === undefined || bid < ask, `${market} is not crossed`);
    for (const order of [...book.against(false), ...book.against(true)]) {
      assert.equal(state.orders.get(order.id), order, `the book's ${order.id} is the record`);
      assert.ok(isOpen(order) && order.marketId === market, `${order.id} is open in ${market}`);
      const { status, tradingClosed } = state.market(market);
      assert.ok(
        (status === "ACTIVE" || status === "PAUSED") && !tradingClosed,
        `${market} is open`,
      );
      assert.equal(state.account(order.accountId).kyc.status, "approved", `${order.id} is cleared`);
      inBooks.add(order.id);
    }
  }
  const counted = new Map<AccountId, number>();
  let open = 0;
  for (const order of state.orders.values()) {
    if (!isOpen(order)) continue;
    assert.ok(inBooks.has(order.id), `the open ${order.id} is in its book`);
    counted.set(order.accountId, (counted.get(order.accountId) ?? 0) + 1);
    open += 1;
  }
  assert.equal(inBooks.size, open, "books and open orders are as many");
  for (const id of state.accounts.keys()) {
    const count = counted.get(id) ?? 0;
    assert.equal(state.openOrders.get(id)?.size ?? 0, count, `open orders of ${id}`);
    assert.equal(state.exposures.totals(id).openOrders, count, `orders counted for ${id}`);
  }
}
