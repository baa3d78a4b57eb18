// Orders named by their account, batches judged order by order, and commands that come too late.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptanceId, nodeId, orderId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import type { Command, CommandOf } from "#core/command.ts";
import { clientOrderName } from "#core/names.ts";
import { acceptanceSubject, clientSubject, doneNumber, doneSubject } from "#core/order/filed.ts";
import type { OrderSelection } from "#core/order/named.ts";
import { ordersRefusedIn, placedIn } from "#core/order/orders-in-events.ts";
import { orderNamed } from "#core/order/selection.ts";
import { isRejected } from "#core/outcome.ts";
import { resourceOf } from "#core/resource.ts";
import { order, root, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const maker = world.trader("maker", "1000");
  const other = world.trader("other", "1000");
  const [one, two] = ["2025-04", "2025-05"].map((month) => world.listing(month, layer));
  assert.ok(one && two);
  const place = (clientOrderId: string | null, more: object = {}, listing = one) => {
    const input = order(listing, "BUY", "10", "0.05", { clientOrderId, ...more });
    return world.order(input, maker, listing).id;
  };
  return { world, maker, other, one, two, place };
}

const open = ({ state }: World, { id }: Trader) =>
  [...(state.openOrders.get(id) ?? [])].map((one) => state.order(one).clientOrderId);

const cancelling = (only: OrderSelection): CommandOf<"CancelAll"> => ({
  type: "CancelAll",
  marketId: null,
  only,
});

test("a cancel takes the orders that have all it names, and of lists what either names", () => {
  const cases: readonly (readonly [OrderSelection, readonly string[]])[] = [
    [{ clientOrderIds: ["a", "unknown"] }, ["b", "c", "theirs"]],
    [{ orderIds: [orderId("ord-2")], clientOrderIds: ["c"] }, ["a", "theirs"]],
    [{ orderIds: [orderId("ord-2")] }, ["a", "c", "theirs"]],
    [{ side: "SELL" }, ["a", "b", "theirs"]],
    [{ side: "SELL", clientOrderIds: ["a"] }, ["a", "b", "c", "theirs"]],
    [{ placeId: nodeId("state:tx") }, ["theirs"]],
    [{ placeId: nodeId("state:ny") }, ["a", "b", "c", "theirs"]],
    [{ index: "zhvi", side: "BUY" }, ["c", "theirs"]],
    [{ index: "zori" }, ["a", "b", "c", "theirs"]],
  ];
  for (const [only, left] of cases) {
    const { world, maker, other, one, two, place } = stage();
    place("a");
    place("b", {}, two);
    place("c", { side: "SELL", priceTick: tick("0.9"), group: "texas" });
    world.order(order(one, "BUY", "1", "0.01", { clientOrderId: "theirs" }), other);
    world.do(maker.actor, cancelling(only));
    assert.deepEqual([...open(world, maker), ...open(world, other)], left, JSON.stringify(only));
  }
});

test("a reference names the account's own order, to change it and to cancel it", () => {
  const { world, maker, other, one, place } = stage();
  const id = place("mine");
  world.order(order(one, "BUY", "1", "0.01", { clientOrderId: "theirs" }), other);
  const named = { clientOrderId: "mine" };
  const changes = { price: null, amountLots: lots(400n), expirySeconds: null };
  const amend: Command = { type: "AmendOrder", ...named, ...changes };
  const events = world.do(maker.actor, amend);
  assert.equal(resourceOf(amend, events), id);
  assert.equal(world.state.order(id).amountLots, 400n);
  const theirs = world.refused(maker.actor, { type: "CancelOrder", clientOrderId: "theirs" });
  assert.equal(theirs.code, "ORDER_NOT_FOUND");
  const cancel: Command = { type: "CancelOrder", ...named };
  assert.equal(resourceOf(cancel, world.do(maker.actor, cancel)), id);
  assert.equal(world.refused(maker.actor, cancel).code, "ORDER_DONE");
  assert.deepEqual(open(world, maker), []);
});

test("with mode each, what is refused leaves the others and takes no cash from them", () => {
  const { world, maker, one } = stage();
  const whole = { type: "PlaceBatch", listings: [one] } as const;
  const orders = [
    order(one, "BUY", "10", "0.05"),
    order(one, "BUY", "10", "0.05", { priceTick: null }),
    order(one, "BUY", "900000", "0.05"),
    order(one, "SELL", "10", "0.9", { clientOrderId: "last" }),
  ];
  assert.equal(world.refused(maker.actor, { ...whole, orders }).code, "INVALID_PRICE");
  assert.equal(world.state.markets.size, 0, "nothing is listed by a batch that is refused whole");
  const batch: Command = { ...whole, orders, each: true };
  const events = world.do(maker.actor, batch);
  assert.deepEqual(
    ordersRefusedIn(events).map(({ index, rejection }) => [index, rejection.code]),
    [
      [1, "INVALID_PRICE"],
      [2, "INSUFFICIENT_BALANCE"],
    ],
  );
  assert.deepEqual(
    placedIn(batch, events).map(({ side }) => side),
    ["BUY", "SELL"],
  );
  assert.deepEqual(open(world, maker), [null, "last"]);
});

test("a command after its time is refused, by the time of its place in the journal", () => {
  const { world, maker, one, place } = stage();
  place("mine");
  const cancel: Command = { type: "CancelOrder", clientOrderId: "mine" };
  const at = world.nowMillis;
  const late = world.try(
    maker.actor,
    { ...cancel, expiresAfterMillis: at - 1 },
    { key: "k", digest: "d" },
  );
  assert.ok(isRejected(late) && late.rejection.code === "REQUEST_EXPIRED");
  assert.deepEqual(open(world, maker), ["mine"]);
  world.do(maker.actor, { ...cancel, expiresAfterMillis: at });
  assert.deepEqual(open(world, maker), []);
  const bid: Command = { type: "PlaceOrder", order: order(one, "BUY", "1", "0.05"), listing: null };
  assert.equal(
    world.refused(maker.actor, { ...bid, expiresAfterMillis: 1 }).code,
    "REQUEST_EXPIRED",
  );
  assert.equal(
    world.refused(root, { ...bid, expiresAfterMillis: 1 }).code,
    "NOT_OPERATOR",
    "whether the sender may is judged first",
  );
});

test("the journal's names of what has left are as they were first written", () => {
  const { id } = stage().maker;
  assert.equal(doneSubject(id, 70), `order:${id}|0000000000000070`);
  assert.equal(doneNumber(doneSubject(id, 70)), 70);
  assert.equal(clientSubject(id, "mine"), `client:${id}|mine`);
  assert.equal(acceptanceSubject(id, acceptanceId("acp-3")), `acceptance:${id}|acp-3`);
});

test("an order that has left is told as done, by its number; others are not found", () => {
  const world = new World();
  const { id: account } = world.trader("maker", "1");
  const { state, nowMillis } = world;
  state.orderCount = 12;
  const told = (id: string) => {
    const name = { orderId: orderId(id) };
    const found = orderNamed({ state, nowMillis, nowSeconds: 0 }, account, name);
    return "code" in found ? found.code : assert.fail(id);
  };
  for (const id of ["ord-1", "ord-9", "ord-12"]) assert.equal(told(id), "ORDER_DONE", id);
  for (const id of ["ord-0", "ord-13", "ord-012", "ord-", "ord-1.0", "ord--1", "fil-1"]) {
    assert.equal(told(id), "ORDER_NOT_FOUND", id);
  }
});

test("a reference whose order has left is told as done while it is kept, then not found", () => {
  const world = new World();
  const { id: account } = world.trader("maker", "1");
  const { state } = world;
  const told = (clientOrderId: string, nowMillis: number) => {
    const found = orderNamed({ state, nowMillis, nowSeconds: 0 }, account, { clientOrderId });
    return "code" in found ? found.code : assert.fail(clientOrderId);
  };
  state.spentIds.set(clientOrderName(account, "mine"), world.nowMillis);
  assert.equal(told("mine", world.nowMillis), "ORDER_DONE");
  assert.equal(told("other", world.nowMillis), "ORDER_NOT_FOUND");
  assert.equal(told("mine", world.nowMillis + 400 * 86_400_000), "ORDER_NOT_FOUND");
});
