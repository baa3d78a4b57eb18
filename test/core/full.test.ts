// An exchange that holds as many records as it can: it refuses what would add to them, and never a
// cancel, long before a map of V8's ends the node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { Command, Idempotency } from "#core/command.ts";
import {
  ANSWERS_KEPT_MILLIS,
  MOST_ANSWERS,
  MOST_ORDERS,
  MOST_RECORDS,
  refuseFull,
  usedShare,
} from "#core/full.ts";
import { isRejected } from "#core/outcome.ts";
import { State } from "#core/state.ts";
import { order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "BUY", "5", "0.05"), anna, listing);
  return { world, anna, listing };
}

const codeOf = (world: World, ...asked: Parameters<World["try"]>): string | undefined => {
  const outcome = world.try(...asked);
  return isRejected(outcome) ? outcome.rejection.code : undefined;
};

test("at the cap no order, key or account is added; cancels and payments are taken", () => {
  const { world, anna, listing } = stage();
  const place: Command = {
    type: "PlaceOrder",
    order: order(listing, "BUY", "1", "0.05"),
    listing: null,
  };
  const { orders } = world.state;
  const size = (value: number) =>
    Object.defineProperty(orders, "size", { value, configurable: true });
  size(MOST_ORDERS - 1);
  assert.equal(codeOf(world, anna.actor, place), undefined, "the last one");
  size(MOST_ORDERS);
  const entries = world.journal.length;
  const once: Idempotency = { key: "once", digest: "d".repeat(64) };
  for (const idempotency of [null, once]) {
    assert.equal(codeOf(world, anna.actor, place, idempotency), "EXCHANGE_FULL");
    const batch: Command = { type: "PlaceBatch", orders: [place.order], listings: [] };
    assert.equal(codeOf(world, anna.actor, batch, idempotency), "EXCHANGE_FULL");
  }
  assert.equal(world.journal.length, entries, "a refusal for want of room takes none");
  const [resting] = world.state.openOrders.get(anna.id) ?? [];
  assert.ok(resting !== undefined);
  const amountMicros = micros(1n);
  world.do(root, { type: "FundAccount", accountId: anna.id, amountMicros, memo: null });
  world.do(anna.actor, { type: "CancelOrder", orderId: resting });
  world.do(anna.actor, { type: "CancelAll", marketId: null });
  assert.equal(usedShare(world.state), 1);
});

test("of answers a day's worth is kept: cancels do without, the oldest make room", () => {
  const { world, anna, listing } = stage();
  const { answers } = world.state;
  const first = { scope: "x", digest: "d", sequence: 1, atMillis: world.nowMillis };
  answers.set("first", first);
  // Eight million answers would only be waited for: a map that says it has them is asked the same.
  Object.defineProperty(answers, "size", { value: MOST_ANSWERS, configurable: true });
  const place: Command = {
    type: "PlaceOrder",
    order: order(listing, "BUY", "1", "0.05"),
    listing: null,
  };
  const under = (key: string): Idempotency => ({ key, digest: "d".repeat(64) });
  assert.equal(codeOf(world, anna.actor, place, under("a")), "EXCHANGE_FULL");
  assert.equal(codeOf(world, anna.actor, place), undefined, "without a key there is no answer");
  const entries = world.journal.length;
  world.try(anna.actor, { type: "CancelAll", marketId: null }, under("b"));
  assert.equal(world.journal.length, entries + 1);
  assert.deepEqual([...answers.keys()], ["first"], "the cancel is done, and its answer not kept");

  world.nowMillis += ANSWERS_KEPT_MILLIS;
  assert.equal(codeOf(world, anna.actor, place, under("c")), undefined);
  assert.ok(
    [...answers.keys()].some((name) => name.endsWith("c")),
    "the oldest has made room",
  );
});

test("the caps lie below what V8's maps hold", () => {
  assert.ok(MOST_RECORDS + 100_000 < 2 ** 24, "positions of liquidations and batches have room");
  assert.ok(MOST_ORDERS + 100_000 < 2 ** 23, "orders of liquidations and batches have room");
  assert.ok(MOST_ANSWERS < 2 ** 23, "a map that loses entries is made anew at half its most");
  const state = new State();
  const command: Command = { type: "CancelAll", marketId: null };
  Object.defineProperty(state.orders, "size", { value: MOST_ORDERS });
  const envelope = { timeMillis: 0, actor: root, requestId: null, idempotency: null, command };
  assert.equal(refuseFull(state, envelope), undefined);
});
