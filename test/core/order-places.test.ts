// An order before it meets the book, and the places in which it is looked for afterwards: by its
// account, its reference, its position, the release that takes it back, its group, and its expiry.
// Invariant: a snapshot and a reader's copy look in the same places; one that is done is in none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import type { OrderInput } from "#core/command.ts";
import { draft } from "#core/order/draft.ts";
import { putOrder } from "#core/order/put-order.ts";
import { readersState } from "#core/readers-state.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import { amendment, order, tick, World } from "./world.ts";

/** Anna holds ten contracts. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
  world.order(order(listing, "SELL", "10", "0.05"), bela, listing);
  world.order(order(listing, "BUY", "10", "0.05"), anna);
  const buy = (price: string, more: Partial<OrderInput> = {}) =>
    world.order(order(listing, "BUY", "1", price, more), anna);
  return { world, anna, bela, listing, buy };
}

const listed = (sets: ReadonlyMap<string, ReadonlySet<string>>) =>
  [...sets].map(([name, ids]) => [name, [...ids]]).filter(([, ids]) => ids?.length);

const lookedFor = (state: State) => ({
  open: listed(state.openOrders),
  references: [...state.clientOrderIds],
  reducing: listed(state.reduceOnlyOrders),
  released: listed(state.releaseOrders),
  grouped: listed(state.groupOrders),
  groups: listed(state.groupsOf),
  best: [...state.books].map(([id, book]) => [id, book.bestBid(), book.bestAsk()]),
  counted: [state.orderCount, state.lastRank] as const,
  orders: [...state.orders.values()],
});

test("an order is numbered and ranked behind all others, and those placed before it", () => {
  const { world, anna, listing } = stage();
  const { state, nowMillis } = world;
  const account = state.account(anna.id);
  const plain = order(listing, "BUY", "1", "0.05");
  const first = draft({ state, nowMillis }, account, plain, tick("0.04"), 0);
  assert.deepEqual([first.id, first.rank, first.priceTick], ["ord-3", state.lastRank + 1, 400]);
  const third = draft({ state, nowMillis }, account, plain, tick("0.04"), 2);
  assert.deepEqual([third.id, third.rank], ["ord-5", state.lastRank + 3]);
  const { status, filledLots, cancelReason, createdAtMillis } = first;
  assert.deepEqual(
    [status, filledLots, cancelReason, createdAtMillis],
    ["OPEN", 0n, null, nowMillis],
  );
  assert.ok(!("cancelOnRelease" in first) && !("group" in first));
  const more = { cancelOnRelease: true, group: "texas" } as const;
  const { cancelOnRelease, group } = draft(
    { state, nowMillis },
    account,
    { ...plain, ...more },
    tick("0.04"),
    0,
  );
  assert.deepEqual({ cancelOnRelease, group }, more);
});

test("an open order is in each place that it is looked for in, and in none once it is done", () => {
  const { world, anna, listing, buy } = stage();
  const before = lookedFor(world.state);
  const { id } = buy("0.02", { clientOrderId: "mine", cancelOnRelease: true, group: "texas" });
  const sell = order(listing, "SELL", "10", "0.9", { reduceOnly: true });
  const reducing = world.order(sell, anna);
  const open = lookedFor(world.state);
  assert.deepEqual(open.open, [[anna.id, [id, reducing.id]]]);
  assert.deepEqual(open.references, [[`${anna.id}|mine`, id]]);
  assert.deepEqual(open.reducing, [[`${anna.id}|${listing.marketId}`, [reducing.id]]]);
  assert.deepEqual(open.released, [["zhvi", [id]]]);
  assert.deepEqual(open.grouped, [[`${anna.id}|texas`, [id]]]);
  assert.deepEqual(open.groups, [[anna.id, ["texas"]]]);
  assert.deepEqual(open.best, [[listing.marketId, 200, 9_000]]);
  assert.deepEqual(open.counted, [4, before.counted[1] + 2]);
  world.do(anna.actor, { type: "CancelAll", marketId: null });
  const { references, orders, ...done } = lookedFor(world.state);
  assert.deepEqual(references, open.references, "its reference is not free again");
  assert.deepEqual(
    orders.map(({ status }) => status),
    ["FILLED", "FILLED", "CANCELLED", "CANCELLED"],
  );
  const { references: _none, orders: _two, ...empty } = before;
  assert.deepEqual(done, { ...empty, counted: open.counted });
  const { reduceOnlyOrders, releaseOrders, groupOrders } = world.state;
  assert.deepEqual([reduceOnlyOrders.size, releaseOrders.size, groupOrders.size], [0, 0, 0]);
});

test("one of two that share a place leaves the other there", () => {
  const { world, anna, listing, buy } = stage();
  const more = { cancelOnRelease: true, group: "texas" } as const;
  const [one, two] = [buy("0.02", more), buy("0.03", more)];
  world.do(anna.actor, { type: "CancelOrder", orderId: two.id });
  const { open, released, grouped, groups, best } = lookedFor(world.state);
  assert.deepEqual([open, released], [[[anna.id, [one.id]]], [["zhvi", [one.id]]]]);
  assert.deepEqual([grouped, groups], [[[`${anna.id}|texas`, [one.id]]], [[anna.id, ["texas"]]]]);
  assert.deepEqual(best, [[listing.marketId, 200, undefined]]);
});

test("a snapshot and a reader's copy look in the same places", () => {
  const { world, anna, listing, buy } = stage();
  buy("0.02", { clientOrderId: "mine", cancelOnRelease: true, group: "texas" });
  const gone = buy("0.04");
  world.do(anna.actor, { type: "CancelOrder", orderId: gone.id });
  world.order(order(listing, "SELL", "10", "0.9", { reduceOnly: true }), anna);
  const before = lookedFor(world.state);
  const restored = decodeState(encodeState(world.state));
  assert.deepEqual(lookedFor(restored), before);
  assert.equal(restored.exposures.locked(anna.id), world.state.exposures.locked(anna.id));
  assert.deepEqual(restored.exposures.totals(anna.id), world.state.exposures.totals(anna.id));
  const copy = readersState(world.state);
  assert.deepEqual(lookedFor(copy), before);
  world.do(anna.actor, { type: "CancelAll", marketId: null });
  buy("0.05", { clientOrderId: "other", group: "ohio" });
  assert.deepEqual(lookedFor(copy), before, "a copy stays as it was");
  assert.notDeepEqual(lookedFor(world.state), before);
});

test("an order that expires falls due at its second, an amended one at its new one", () => {
  const { world, anna, buy } = stage();
  const begun = world.nowMillis / 1000;
  const expiring = (seconds: number) =>
    ({ timeInForce: "GTD", expirySeconds: begun + seconds }) as const;
  const [first, second] = [buy("0.02", expiring(60)), buy("0.03", expiring(60))];
  world.do(anna.actor, amendment({ orderId: second.id, expirySeconds: begun + 90 }));
  const open = () => [first, second].map(({ id }) => world.state.order(id).status);
  world.runTo((begun + 60) * 1000 - 1);
  assert.deepEqual(open(), ["OPEN", "OPEN"]);
  world.runTo((begun + 60) * 1000);
  assert.deepEqual(open(), ["CANCELLED", "OPEN"]);
  world.runTo((begun + 90) * 1000);
  assert.deepEqual(open(), ["CANCELLED", "CANCELLED"]);
});

test("nothing falls due of an order that never rested, or has no expiry", () => {
  const { world, buy } = stage();
  const { state } = world;
  const due = state.due.size;
  const one = buy("0.02");
  assert.equal(state.due.size, due);
  const expirySeconds = world.nowMillis / 1000 + 60;
  const done = { ...one, id: orderId("ord-9"), expirySeconds, status: "FILLED" } as const;
  putOrder(state, done);
  assert.equal(state.due.size, due);
  putOrder(state, { ...done, id: orderId("ord-10"), status: "OPEN" });
  assert.equal(state.due.size, due + 1);
});
