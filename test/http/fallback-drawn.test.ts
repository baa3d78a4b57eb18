// The step that is drawn for a market without a print, also while prints of a release are still
// read from the database.
// Invariant: no step rests on fewer prints than the journal has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type NodeId, nodeId } from "#base/ids.ts";
import { printValue } from "#base/print-value.ts";
import { lots } from "#base/quantity.ts";
import type { Market } from "#core/records.ts";
import { GeoTree } from "#geo/tree.ts";
import { fallbackOf, successorOf } from "#quoting/fallback.ts";
import { county, DUE, layer, Stage, zip } from "#test/core/fallback-stage.ts";
import { month, order, root } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";

type PrintAt = readonly [place: NodeId, month: string];
type Printed = readonly [...PrintAt, value: string];

/** The exchange, where the series has all first prints of the journal but these. */
function shown(stage: Stage, hidden: readonly PrintAt[] = []) {
  const series = new SeriesView();
  for (const { envelope } of stage.journal) {
    const { command } = envelope;
    if (command.type !== "AcceptRelease") continue;
    const { index, id: releaseId } = command.release;
    for (const { nodeId: place, month: at, valueE15, levelE12, backfill } of command.observations) {
      if (hidden.some(([node, text]) => node === place && month(text) === at)) continue;
      series.extend(index, place, [{ month: at, valueE15, levelE12, releaseId, backfill }]);
    }
  }
  return { series, exchange: ExchangeView.from(stage.state) };
}

/** The step for a market. */
const drawn = (stage: Stage, hidden?: readonly PrintAt[], market: Market = stage.market) =>
  fallbackOf(shown(stage, hidden), market);

function printed(successor: NodeId | null, ...prints: readonly Printed[]): Stage {
  const stage = new Stage(successor);
  stage.runTo(DUE);
  for (const [place, monthText, value] of prints) stage.at(place, monthText, value);
  return stage;
}

test("of a month that the journal has and the series has not, nothing is drawn", () => {
  const stage = printed(
    null,
    [zip, "2025-06", "297000"],
    [zip, "2025-07", "240000"],
    [zip, "2025-09", "235000"],
  );
  // Hidden are all that came at once, and then one alone behind the newest.
  assert.equal(
    drawn(stage, [
      [zip, "2025-07"],
      [zip, "2025-09"],
    ]),
    undefined,
  );
  assert.equal(drawn(stage, [[zip, "2025-07"]]), undefined);
  assert.equal(drawn(stage, [[zip, "2025-06"]]), undefined);
  const taken = { step: "last-level", last: stage.of(zip, "2025-07") };
  const ground = [month("2025-09"), 8];
  assert.deepEqual(drawn(stage), { taken, ground });
  assert.deepEqual(drawn(stage, [[zip, "2025-09"]]), { taken, ground }, "it is past the term");
});

test("nor of a month of the successor that the step would rest on", () => {
  const stage = printed(
    county,
    [zip, "2025-06", "270000"],
    [county, "2025-06", "480000"],
    [county, "2025-07", "475000"],
    [county, "2025-08", "470000"],
  );
  const all = ["2024-10", "2025-06", "2025-07", "2025-08"].map((text) => [county, text] as const);
  assert.equal(drawn(stage, all), undefined, "nothing of it is shown");
  assert.equal(drawn(stage, [[county, "2025-08"]]), undefined);
  assert.equal(drawn(stage, [[county, "2025-06"]]), undefined);
  const [from, to] = [stage.of(county, "2025-06"), stage.of(county, "2025-08")];
  const taken = { step: "successor", last: stage.of(zip, "2025-06"), from, to };
  const ground = [month("2025-06"), 7, month("2025-08"), 7];
  assert.deepEqual(drawn(stage, [[county, "2025-07"]]), { taken, ground });
});

test("a successor without one of the two months in its chain does not stand in", () => {
  for (const prints of [
    [],
    [[county, "2025-06", "480000"]],
    [[county, "2025-08", "470000"]],
  ] as const) {
    const stage = printed(county, [zip, "2025-06", "270000"], ...prints);
    const taken = { step: "last-level", last: stage.of(zip, "2025-06") };
    assert.deepEqual(drawn(stage)?.taken, taken, String(prints));
  }
  const ended = printed(county, [zip, "2025-06", "270000"], [county, "2025-06", "480000"]);
  ended.at(county, "2025-08", "470000", null);
  assert.equal(drawn(ended)?.taken.step, "last-level");
  const begun = printed(county, [zip, "2025-06", "270000"]);
  begun.at(county, "2025-06", "480000", null);
  assert.equal(drawn(begun)?.taken.step, "last-level");
});

test("a successor whose prints begin after the last month keeps no step waiting", () => {
  const state = nodeId("state:tx");
  const stage = new Stage(null);
  stage.runTo(Date.UTC(2025, 1, 20));
  stage.at(state, "2024-12", "500000");
  [stage.place, stage.successor] = [zip, state];
  const listing = stage.listing("2025-08", { ...layer, attachBps: 800, exhaustBps: 2000 });
  stage.order(order(listing, "SELL", "1", "0.05"), stage.anna, listing);
  stage.order(order(listing, "BUY", "1", "0.05"), stage.bela);
  stage.runTo(DUE);
  stage.at(zip, "2024-11", "270000");
  stage.at(state, "2025-07", "480000");
  const taken = { step: "cash", last: stage.of(zip, "2024-11") };
  const market = stage.state.market(listing.marketId);
  assert.deepEqual(drawn(stage, [], market)?.taken, taken);
});

test("terms name no successor whose chain began after the baseline", () => {
  const stage = printed(null, [county, "2024-12", "490000"]);
  const tx = GeoTree.builtIn().get("state:tx") ?? assert.fail();
  const nodes = [
    { ...tx, id: county, level: "county", parentIds: [tx.id] },
    { ...tx, id: zip, level: "zip", parentIds: [county] },
  ] as const;
  stage.do(root, { type: "LoadGeo", nodes, sha256: "" });
  const successorFrom = (monthText: string): NodeId | null => {
    const baseline = { ...stage.of(zip, "2024-10"), month: month(monthText) };
    return successorOf(shown(stage), { index: "zhvi", nodeId: zip, baseline });
  };
  assert.equal(successorFrom("2024-10"), county);
  assert.equal(successorFrom("2024-11"), county, "of that month it has no print");
  assert.equal(successorFrom("2024-09"), null);
});

test("the last level is the newest in the chain, which may be the baseline", () => {
  const stage = printed(null, [zip, "2025-03", "285000"]);
  const cash = { step: "cash", last: stage.of(zip, "2025-03") };
  assert.deepEqual(drawn(stage)?.taken, cash);
  stage.at(zip, "2025-07", "400000", null);
  assert.deepEqual(drawn(stage)?.taken, cash, "a print out of the chain is no level");

  const late = printed(null, [zip, "2025-09", "285000"]);
  assert.deepEqual(drawn(late)?.taken, { step: "cash", last: late.of(zip, "2024-10") });
});

test("a place that has printed the month after all, or moved, has no successor", () => {
  const stage = printed(
    county,
    [zip, "2025-06", "270000"],
    [county, "2025-06", "480000"],
    [county, "2025-08", "470000"],
  );
  stage.takeInTwo(drawn(stage)?.taken ?? assert.fail());
  stage.at(zip, "2025-08", "240000");
  stage.dispute();
  stage.undo();
  assert.equal(stage.market.status, "ACTIVE");
  const taken = { step: "last-level", last: stage.of(zip, "2025-08") };
  assert.deepEqual(drawn(stage)?.taken, taken);

  const block = nodeId("nbhd:heights-houston-tx");
  const moved = new Stage();
  moved.at(block, "2024-10", "300000");
  moved.place = block;
  const listing = moved.listing("2025-08", layer);
  moved.order(order(listing, "SELL", "1", "0.05"), moved.anna, listing);
  moved.order(order(listing, "BUY", "1", "0.05"), moved.bela);
  moved.runTo(DUE);
  for (const [place, monthText, value, link] of [
    [block, "2025-06", "270000", undefined],
    [county, "2025-06", "480000", undefined],
    [block, "2025-07", "400000", null],
    [county, "2025-08", "470000", undefined],
  ] as const) {
    moved.at(place, monthText, value, link);
  }
  const market = moved.state.market(listing.marketId);
  const last = moved.of(block, "2025-06");
  assert.deepEqual(drawn(moved, [], market)?.taken, { step: "last-level", last });
});

test("nothing printed is void, and a level that printed is marked", () => {
  const stage = printed(null);
  assert.deepEqual(drawn(stage), { taken: { step: "void" }, ground: [month("2024-10"), 0] });

  stage.place = zip;
  const payoff = { kind: "level", comparator: "lte", thresholdE15: printValue(1n) } as const;
  const listing = stage.listing("2026-08", payoff);
  stage.do(root, { type: "ListMarket", listing, frontendId: null });
  const level = () => drawn(stage, [], stage.state.market(listing.marketId))?.taken;
  assert.deepEqual(level(), { step: "void" });
  stage.runTo(stage.nowMillis + 1);
  stage.at(zip, "2025-09", "285000");
  assert.deepEqual(level(), { step: "cash", last: null });
});

test("of a median far from the model the exchange draws that, and a call for marks after ten days", () => {
  const stage = printed(null, [zip, "2025-03", "285000"]);
  const last = stage.of(zip, "2025-03");
  assert.deepEqual(drawn(stage)?.taken, { step: "cash", last });
  const found = { modelTicks: 3_000, modelLots: lots(0n), marks: [], valueTicks: 9_000 };
  const at = (againAtMillis: number) =>
    drawn(stage, [], { ...stage.market, farMedian: { ...found, againAtMillis } })?.taken;
  const { lastTimeMillis } = stage.state;
  assert.deepEqual(at(lastTimeMillis + 1), { step: "median", last, valueTicks: 9_000 });
  assert.deepEqual(at(lastTimeMillis), { step: "cash", last });
});
