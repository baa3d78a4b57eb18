// Two accounts trade a hundredth of a contract with each other, far from what it is worth, so that
// everybody who reads the market's price reads theirs.
// Invariant: a last trade is a price while it is newer than the mark, and near it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { publishMarks } from "#test/core/publish-marks.ts";
import { projectMarket } from "#views/market.ts";
import { order, system, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [one, other] = [world.trader("one", "100"), world.trader("other", "100")];
  const listing = world.listing("2025-12", layer, "0.05");
  const trade = (price: string) => {
    world.order(order(listing, "SELL", "0.01", price), one, listing);
    world.order(order(listing, "BUY", "0.01", price), other);
  };
  const mark = (price: string) => {
    const [markTick, stressedTick] = [tick(price), tick(price)];
    const marks = [{ marketId: listing.marketId, markTick, stressedTick }];
    world.do(system, publishMarks(marks));
  };
  const shown = () => {
    const spreadMaxTicks = world.state.rules.liquidity.zhvi.spreadMaxTicks;
    const empty = { node: undefined, bestBid: undefined, bestAsk: undefined, attribution: "" };
    const none = { ...empty, isMatchingHeld: false, isPrintOverdue: false, indicative: null };
    const market = world.state.market(listing.marketId);
    const [{ price, priceBasis }] = projectMarket(market, { ...none, spreadMaxTicks }).outcomes;
    return [price, priceBasis];
  };
  return { trade, mark, shown };
}

test("a trade far from the mark paints no price", (t) => {
  const { trade, shown } = stage();
  trade("0.9");
  assert.deepEqual(shown(), [0.05, "mark"]);
  t.diagnostic(`after: ${shown().join(" by ")}`);
  trade("0.15");
  assert.deepEqual(shown(), [0.15, "trade"], "0.10 from the mark is near");
  trade("0.1501");
  assert.deepEqual(shown(), [0.05, "mark"]);
});

test("a trade from before the marks is no price any more, until there is another", () => {
  const { trade, mark, shown } = stage();
  trade("0.06");
  assert.deepEqual(shown(), [0.06, "trade"]);
  mark("0.08");
  assert.deepEqual(shown(), [0.08, "mark"]);
  trade("0.06");
  assert.deepEqual(shown(), [0.06, "trade"], "the same price, traded anew");
});
