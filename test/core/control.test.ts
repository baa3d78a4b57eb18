// An operator's hand on markets, marks and the clock.
// Invariant: what has ended stays as it ended; what changes nothing is no event.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "#base/ids.ts";
import type { Event } from "#core/event.ts";
import { flatRisk, publishMarks } from "./publish-marks.ts";
import { order, root, system, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

/** One market to December 2024, its marks at 0.05. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2024-12", layer);
  const anna = world.trader("anna", "100");
  world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  // Traded: a market that nobody traded would be forgotten once its orders were gone.
  world.order(order(listing, "SELL", "0.5", "0.05"), world.trader("bela", "100"));
  const { marketId: id } = listing;
  const market = () => world.state.market(id);
  const mark = (price: string, stressed = price, where = id): readonly Event[] => {
    const [markTick, stressedTick] = [tick(price), tick(stressed)];
    const marks = [{ marketId: where, markTick, stressedTick }];
    return world.do(system, publishMarks(marks));
  };
  return { world, id, market, mark };
}

const marksOf = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === "MarketMarked" ? [[event.markTick, event.stressedTick]] : [],
  );

test("marks that say nothing new are no event; either one alone is", () => {
  const { id: marketId, mark } = stage();
  assert.deepEqual(marksOf(mark("0.05")), [], "but what is open has been counted");
  assert.deepEqual(mark("0.05"), []);
  const [markTick, stressedTick] = [tick("0.05"), tick("0.2")];
  const marks = { markTick, stressedTick, riskTicks: flatRisk(stressedTick) };
  assert.deepEqual(mark("0.05", "0.2"), [{ type: "MarketMarked", marketId, ...marks }]);
  assert.deepEqual(marksOf(mark("0.06", "0.2")), [[600, 2000]]);
  assert.deepEqual(mark("0.06", "0.2"), []);
});

test("marks reach a market that is paused, and none that has ended or never was", () => {
  const { world, id, market, mark } = stage();
  world.do(root, { type: "PauseMarket", marketId: id, reason: "drill" });
  assert.deepEqual(marksOf(mark("0.07")), [[700, 700]]);
  assert.deepEqual(mark("0.08", "0.08", marketId("none")), []);
  world.doInTwo({ type: "CancelMarket", marketId: id, reason: "drill" });
  assert.deepEqual(marksOf(mark("0.08")), []);
  assert.equal(market().markTick, 700);
});

test("a market that has settled or is void is not voided again, nor paused", () => {
  const { world, id, market } = stage();
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  world.runTo(Date.UTC(2025, 0, 25));
  assert.equal(market().status, "FINALIZED");
  const refusal = { code: "MARKET_STATE", details: { status: "FINALIZED" } };
  for (const type of ["CancelMarket", "PauseMarket", "ResumeMarket"] as const) {
    assert.deepEqual(world.refused(root, { type, marketId: id, reason: "drill" }), refusal, type);
  }
  const other = stage();
  other.world.doInTwo({ type: "CancelMarket", marketId: other.id, reason: "drill" });
  assert.deepEqual(
    other.world.refused(root, { type: "CancelMarket", marketId: other.id, reason: "again" }),
    { code: "MARKET_STATE", details: { status: "CANCELLED" } },
  );
});

test("a paused market settles like an open one", () => {
  const { world, id, market } = stage();
  world.do(root, { type: "PauseMarket", marketId: id, reason: "drill" });
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  assert.equal(market().status, "RESOLVED");
});

test("a sandbox's clock goes forward only, and no other clock is set", () => {
  const sandbox = new World();
  const toMillis = Date.UTC(2025, 5, 1);
  sandbox.do(root, { type: "SetClock", toMillis });
  sandbox.do(root, { type: "SetClock", toMillis });
  assert.deepEqual(sandbox.refused(root, { type: "SetClock", toMillis: toMillis - 1 }), {
    code: "CLOCK_NOT_FORWARD",
    field: "setTo",
  });
  const live = new World("real");
  assert.equal(live.refused(root, { type: "SetClock", toMillis }).code, "CLOCK_NOT_SANDBOX");
});
