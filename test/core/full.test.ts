// An exchange that holds as many records as it can: it refuses what would add to them, and never a
// cancel, long before a map of V8's ends the node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { Answers, LEAST_KEPT_MILLIS, MOST_ANSWERS, MOST_OWN_ANSWERS } from "#core/answers.ts";
import type { Command, Idempotency } from "#core/command.ts";
import { MOST_ORDERS, MOST_RECORDS, refuseFull, usedShare } from "#core/full.ts";
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

test("answers are never a reason to refuse: beyond its share an account's oldest leave", (t) => {
  const { world, anna, listing } = stage();
  const { answers } = world.state;
  const place: Command = {
    type: "PlaceOrder",
    order: order(listing, "BUY", "1", "0.05"),
    listing: null,
  };
  const other = { scope: "acc-9", digest: "d", sequence: 1, atMillis: world.nowMillis - 1 };
  answers.set("another's, older than all", other);
  const own = (at: number) => `${anna.id}\0own ${at}`;
  for (let at = 0; at < MOST_OWN_ANSWERS; at += 1) {
    const sequence = at + 1;
    answers.set(own(at), { scope: anna.id, digest: "d", sequence, atMillis: world.nowMillis });
  }
  const under = (key: string): Idempotency => ({ key, digest: "d".repeat(64) });
  const kept = () => answers.keptSeconds(anna.id, world.nowMillis);
  assert.equal(kept(), 900, "none of them is a quarter of an hour old");
  world.nowMillis += LEAST_KEPT_MILLIS - 1;
  assert.equal(codeOf(world, anna.actor, place, under("a")), undefined);
  assert.ok(answers.has(own(0)), "its rate may need them all within a quarter of an hour");
  world.nowMillis += 1;
  world.try(anna.actor, { type: "CancelAll", marketId: null }, under("b"));
  assert.deepEqual(
    [0, 1, 2].map((at) => answers.has(own(at))),
    [false, false, true],
  );
  assert.ok(answers.has(`${anna.id}\0a`) && answers.has(`${anna.id}\0b`));
  assert.ok(answers.has("another's, older than all"), "nobody makes room for another");
  assert.equal(kept(), 900);
  assert.equal(answers.keptSeconds("acc-9", world.nowMillis), undefined, "a day");
  world.nowMillis += 3_600_000;
  assert.equal(kept(), 4_500, "as long as they come slowly");
  const most = MOST_OWN_ANSWERS.toLocaleString("en");
  t.diagnostic(`after: beyond ${most} of one account its own leave, and nothing is refused`);
});

test("a burst beyond the share shrinks by steps, and a snapshot shares as the state did", () => {
  const answers = new Answers(10, 100);
  const give = (at: number, scope: string, atMillis: number) =>
    answers.keep(`${scope} ${at}`, { scope, digest: "d", sequence: at, atMillis });
  for (let at = 0; at < 50; at += 1) give(at, "a", 1_000);
  assert.equal(answers.size, 50, "all of one quarter of an hour");
  let before = answers.size;
  for (let at = 50; at < 75; at += 1) {
    give(at, "a", 1_000 + LEAST_KEPT_MILLIS);
    assert.equal(answers.size, before - 1, "two leave where one comes");
    before = answers.size;
  }
  give(0, "a", 2_000 + LEAST_KEPT_MILLIS);
  assert.equal([...answers.keys()].at(-1), "a 0", "one that is given again is the youngest");
  for (let at = 0; at < 200; at += 1) give(at, `s${at}`, 3_000 + LEAST_KEPT_MILLIS);
  assert.equal(answers.size, 100, "all together");
  assert.equal(answers.keptSeconds("new", 8_000 + LEAST_KEPT_MILLIS), 5);
  answers.forgetBefore(Number.POSITIVE_INFINITY);
  assert.deepEqual([answers.size, answers.keptSeconds("a", 0)], [0, undefined]);
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
