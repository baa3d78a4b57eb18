// The step that is drawn for a market without a print, while prints of a release are still read
// from the database.
// Invariant: no step rests on fewer prints than the journal has.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeId } from "#base/ids.ts";
import { fallbackOf } from "#quoting/fallback.ts";
import { county, DUE, Stage, zip } from "#test/core/fallback-stage.ts";
import { month } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";

/** The prints of a place that are shown: a month may be left out. */
type Shown = readonly (readonly [NodeId, string])[];

function drawn(stage: Stage, shown: Shown) {
  const series = new SeriesView();
  for (const [place, monthText] of shown) {
    series.extend("zhvi", place, [{ ...stage.of(place, monthText), backfill: false }]);
  }
  return fallbackOf({ series, exchange: ExchangeView.from(stage.state) }, stage.market);
}

function printed(successor: NodeId | null, ...prints: readonly (readonly [...Shown[0], string])[]) {
  const stage = new Stage(successor);
  stage.runTo(DUE);
  for (const [place, monthText, value] of prints) stage.at(place, monthText, value);
  return stage;
}

const baselines: Shown = [
  [county, "2024-10"],
  [zip, "2024-10"],
];

test("of a month that the journal has and the series has not, nothing is drawn", () => {
  const stage = printed(
    null,
    [zip, "2025-06", "297000"],
    [zip, "2025-07", "240000"],
    [zip, "2025-09", "235000"],
  );
  const some: Shown = [...baselines, [zip, "2025-06"]];
  assert.equal(drawn(stage, some), undefined, "the newest print is not shown");
  assert.equal(drawn(stage, [...some, [zip, "2025-09"]]), undefined, "one before it is not");
  // The newest one is past the term: no step rests on it.
  const last = stage.of(zip, "2025-07");
  assert.deepEqual(drawn(stage, [...some, [zip, "2025-07"]])?.taken, { step: "last-level", last });
  assert.deepEqual(drawn(stage, [...some, [zip, "2025-07"], [zip, "2025-09"]]), {
    taken: { step: "last-level", last },
    ground: [month("2025-09"), 8],
  });
});

test("nor of the successor; one that has not printed the month keeps no step waiting", () => {
  const stage = printed(
    county,
    [zip, "2025-06", "270000"],
    [county, "2025-06", "480000"],
    [county, "2025-08", "470000"],
  );
  const own: Shown = [...baselines, [zip, "2025-06"]];
  assert.equal(drawn(stage, own), undefined);
  assert.equal(drawn(stage, [...own, [county, "2025-06"]]), undefined);
  assert.equal(drawn(stage, [...own, [county, "2025-08"]]), undefined);
  const [from, to] = [stage.of(county, "2025-06"), stage.of(county, "2025-08")];
  const last = stage.of(zip, "2025-06");
  assert.deepEqual(drawn(stage, [...own, [county, "2025-06"], [county, "2025-08"]]), {
    taken: { step: "successor", last, from, to },
    ground: [month("2025-06"), 7, month("2025-08"), 8],
  });

  const silent = printed(county, [zip, "2025-06", "270000"]);
  const taken = { step: "last-level", last: silent.of(zip, "2025-06") };
  assert.deepEqual(drawn(silent, own)?.taken, taken);
});
