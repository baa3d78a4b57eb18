// Risk arrays on marks, listings and markets: kept as sent, and read where they are short.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RiskTicks, scenarios } from "#contract/scenarios.ts";
import { riskOf, sameMarks } from "#core/margin/risk.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, system, tick, World } from "./world.ts";

const array = (from: number): RiskTicks =>
  scenarios.map((_, at) => tick(((from + at) / 10_000).toFixed(4)));

test("a listing's array and a mark's stand on the market", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "500");
  const plain = world.listing("2025-04", { kind: "binary", strikeBps: 500 });
  const listing = { ...plain, riskTicks: array(900) };
  world.order(order(listing, "SELL", "10", "0.1"), seller, listing);
  const market = () => world.state.market(plain.marketId);
  assert.deepEqual(market().riskTicks, array(900));
  const marks = { marketId: plain.marketId, markTick: tick("0.2"), stressedTick: tick("0.3") };
  const publish = (mark: object) => world.do(system, publishMarks([{ ...marks, ...mark }]));
  assert.equal(publish({ riskTicks: array(3_000) }).length > 0, true);
  assert.deepEqual(market().riskTicks, array(3_000));
  const marked = (events: readonly { readonly type: string }[]) =>
    events.filter(({ type }) => type === "MarketMarked").length;
  assert.equal(marked(publish({ riskTicks: array(3_000) })), 0, "nothing has changed");
  assert.equal(marked(publish({ riskTicks: array(3_001) })), 1, "one column has");
});

test("an array of a shorter list repeats its first column", () => {
  const marks = { markTick: tick("0.1"), stressedTick: tick("0.25"), riskTicks: array(1) };
  const older = array(4_000).slice(0, 2);
  const columns = riskOf({ ...marks, riskTicks: older });
  assert.deepEqual(columns.slice(0, 3), [4_000, 4_001, 4_000]);
  assert.equal(columns.length, scenarios.length);
  assert.equal(riskOf(marks)[2], 3);
  assert.equal(sameMarks(marks, { ...marks }), true);
  assert.equal(sameMarks({ ...marks, riskTicks: older }, marks), false);
});
