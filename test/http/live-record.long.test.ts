// Old forecasts against the prints that came, on prints that a test makes: which pairs are scored,
// that a forecast reads nothing later, and that a record is drawn once between two releases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type NodeId, releaseId } from "#base/ids.ts";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { chainLevelOf, printValue } from "#base/print-value.ts";
import { builtInStates } from "#geo/states.ts";
import { GeoTree } from "#geo/tree.ts";
import { LiveOnce } from "#http/public/model.ts";
import { SeriesView } from "#views/series.ts";

const first = monthOf(2018, 1);
const live = monthOf(2023, 1);
const last = monthOf(2024, 12);
const states = builtInStates.slice(0, 24).map(({ id }) => id);
const geo = GeoTree.builtIn();

/** A log level of a state; from `changed` on the history is another. */
const logOf = (place: number, month: Month, changed: Month): number => {
  const at = month - first;
  const fall = month >= changed ? -0.06 * (month - changed + 1) : 0;
  return 0.004 * at + 0.003 * Math.sin(at * (1 + place / 7)) + fall;
};

/** The months up to `until`; those before `live` came as a history. */
function printed(until: Month, changed: Month = addMonths(last, 1)): SeriesView {
  const series = new SeriesView();
  for (const [place, id] of states.entries()) extend(series, place, id, first, until, changed);
  return series;
}

function extend(
  series: SeriesView,
  place: number,
  id: NodeId,
  from: Month,
  until: Month,
  changed: Month,
): void {
  for (let month = from; month <= until; month = addMonths(month, 1)) {
    const level = BigInt(Math.round(1e12 * Math.exp(logOf(place, month, changed))));
    const point = { month, valueE15: printValue(1000n * level), levelE12: chainLevelOf(level) };
    const release = releaseId(`rel-${month}`);
    series.extend("zhvi", id, [{ ...point, releaseId: release, backfill: month < live }]);
  }
}

const recordOf = (series: SeriesView) => {
  const none = { geo, markets: new Map(), releases: new Map() };
  return new LiveOnce({ exchange: none, series });
};

test("each horizon of each model against the newest twelve months, counted", async () => {
  const found = await recordOf(printed(last)).scores();
  assert.equal(found.length, 2 * 5);
  for (const { level, horizonMonths, firstMonth, lastMonth, knownThen, scores } of found) {
    assert.equal(level, "state");
    assert.deepEqual([firstMonth, lastMonth], [addMonths(last, -11), last]);
    assert.equal(scores.pairs, 12 * states.length);
    // An origin before 2023 came with the history.
    const known = Math.min(12, Math.max(0, last - horizonMonths - live + 1));
    assert.equal(knownThen, known * states.length);
    assert.ok(scores.brier >= 0 && scores.log > 0);
  }
});

test("a month that came with a history foretells nothing, and no release no record", async () => {
  assert.deepEqual(await recordOf(printed(addMonths(live, -1))).scores(), []);
  const [one] = await recordOf(printed(live)).scores();
  assert.deepEqual([one?.firstMonth, one?.lastMonth], [live, live]);
  assert.equal(one?.scores.pairs, states.length);
});

test("a forecast reads no print later than its origin", async () => {
  const changed = addMonths(last, -5);
  const [calm, fallen] = await Promise.all(
    [printed(last), printed(last, changed)].map((series) => recordOf(series).scores()),
  );
  for (const [at, one] of (calm ?? []).entries()) {
    const other = fallen?.[at];
    assert.notEqual(other?.scores.brier, one.scores.brier, "the outcomes are others");
    if (one.horizonMonths < 6) continue;
    // Every origin of six months and more lies before the change: the forecasts are the same.
    assert.deepEqual(other?.scores.fairValues, one.scores.fairValues);
  }
});

test("drawn once between two releases, and anew after one", async () => {
  const series = printed(addMonths(last, -1));
  const record = recordOf(series);
  const before = await record.scores();
  assert.equal(await record.scores(), before);
  for (const [place, id] of states.entries()) {
    extend(series, place, id, last, last, addMonths(last, 1));
  }
  const after = await record.scores();
  assert.deepEqual(after, await recordOf(printed(last)).scores());
  assert.notDeepEqual(after, before);
});
