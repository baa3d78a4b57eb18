// An operator, or whoever sends files, opens windows so that nobody can trade against a position.
// Invariant: a word holds for a day and once until a release comes; nobody ends a window by hand;
// a cancel is always taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import { isRejected } from "#core/outcome.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, root, system, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const DAY_MILLIS = 86_400_000;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-12", layer);
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  const offer = world.order(order(listing, "SELL", "100", "0.06"), maker, listing);
  const call = () =>
    world.try(root, { type: "OpenWindow", index: "zhvi", reason: "the page is out" });
  const codeOf = () => {
    const outcome = call();
    return isRejected(outcome) ? outcome.rejection.code : undefined;
  };
  const isHeld = () => isMatchingHeld(world.state, world.state.market(listing.marketId));
  return { world, listing, maker, taker, offer, codeOf, isHeld };
}

test("a word without a release holds for a day, and not again for ten", (t) => {
  const { world, listing, taker, codeOf, isHeld } = stage();
  assert.equal(codeOf(), undefined);
  assert.equal(codeOf(), "WINDOW_STATE", "it is awaited already");
  world.order(order(listing, "BUY", "10", "0.06"), taker);
  world.runTo(world.nowMillis + DAY_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 0]);
  world.runTo(world.nowMillis + 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [false, 1], "those who came meet at once");
  let held = 0;
  const from = world.nowMillis;
  for (let hour = 0; hour < 8 * 24; hour += 1) {
    world.runTo(from + hour * 3_600_000);
    assert.equal(codeOf(), "WINDOW_STATE");
    held += isHeld() ? 1 : 0;
  }
  assert.equal(held, 0, "an operator that calls every hour holds nothing");
  t.diagnostic("after: frozen for 1 day of 10");
  world.runTo(from + 9 * DAY_MILLIS);
  assert.equal(codeOf(), undefined);
});

test("a release ends the wait for another word", () => {
  const { world, codeOf } = stage();
  assert.equal(codeOf(), undefined);
  world.nowMillis = Date.UTC(2024, 11, 16);
  world.print("2024-11", "285000");
  world.do(system, publishMarks([]));
  world.runTo(world.nowMillis + 3 * DAY_MILLIS);
  assert.equal(codeOf(), undefined);
});

test("who rests is free to go at any time, and a word takes nothing from a maker that does", () => {
  const { world, maker, taker, listing, offer, codeOf } = stage();
  codeOf();
  world.order(order(listing, "BUY", "100", "0.06"), taker);
  world.do(maker.actor, { type: "CancelOrder", orderId: offer.id });
  assert.equal(world.state.heldMatching.size, 0);
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.deepEqual([world.state.fillCount, world.cash(maker)], [0, 1_000_000_000n]);
});

test("files that are none hold nothing beyond themselves, and ten days in a row at most", () => {
  const { world, listing, taker, isHeld } = stage();
  const of = (name: string) => ({ index: "zhvi", releaseId: releaseId(name) }) as const;
  world.do(system, { type: "AwaitRelease", ...of("rel-a") });
  world.do(system, { type: "ForgetAwaited", ...of("rel-a") });
  assert.equal(isHeld(), false);
  world.order(order(listing, "BUY", "10", "0.05"), taker);
  // One that lies unread, and another each day: the ten days are those of the first.
  const from = world.nowMillis;
  for (let day = 0; day < 10; day += 1) {
    world.runTo(from + day * DAY_MILLIS);
    world.do(system, { type: "AwaitRelease", ...of(`rel-${day}-b`) });
  }
  world.order(order(listing, "BUY", "10", "0.06"), taker);
  world.runTo(from + 10 * DAY_MILLIS + 16 * 3_600_000);
  assert.equal(world.state.fillCount, 1, "then the markets meet once a day");
});

test("a word holds while the print is overdue, and a file seen then is waited for", () => {
  const { world, listing, taker, codeOf } = stage();
  world.runTo(Date.UTC(2024, 11, 30));
  world.order(order(listing, "BUY", "10", "0.06"), taker);
  world.runTo(Date.UTC(2024, 11, 30, 15));
  assert.equal(codeOf(), undefined);
  world.runTo(Date.UTC(2024, 11, 30, 20));
  assert.equal(world.state.fillCount, 0, "not at 16:00 of that day");
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("rel-late") });
  world.runTo(Date.UTC(2025, 0, 9));
  assert.equal(world.state.fillCount, 0);
  world.runTo(Date.UTC(2025, 0, 10, 16));
  assert.equal(world.state.fillCount, 1, "for ten days at most");
});

test("nobody's key ends a window", () => {
  const { world, codeOf } = stage();
  codeOf();
  const operator = world.open("olga", "operator");
  for (const actor of [root, operator.actor]) {
    for (const type of ["EndWindow", "EndAuction", "CancelForRelease"] as const) {
      const outcome = world.try(actor, { type, index: "zhvi" });
      assert.equal(isRejected(outcome) && outcome.rejection.code, "NOT_OPERATOR", type);
    }
  }
});
