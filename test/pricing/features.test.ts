// Features from histories: the worked example, every short-history rule, clamps, season, gaps.
// Invariant: each expectation is worked out from the rule by hand, not by the code under test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, monthOf } from "#base/month.ts";
import { chainLevelOf } from "#base/print-value.ts";
import { zoriSeason } from "#pricing/constants.ts";
import { type FeatureInput, featuresOf, growthOf, momentumOf } from "#pricing/features.ts";
import { nationGrowthOf, stateGrowthOf } from "#pricing/region.ts";
import { medianVolatility, seriesOf, volatilityOf } from "#pricing/series.ts";

const asOfMonth = monthOf(2025, 6);

function assertNear(actual: number | undefined, expected: number, tolerance = 1e-12) {
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= tolerance,
    `${actual} not ${expected}`,
  );
}

const wavy = Array.from(
  { length: 25 },
  (_, i) => Math.log(300_000) + 0.003 * i + 0.004 * Math.sin(i / 3),
);

const straight = (prints: number, monthlyGrowth: number): number[] =>
  Array.from({ length: prints }, (_, i) => 5 + monthlyGrowth * i);

const input = (logLevels: readonly number[], change: Partial<FeatureInput> = {}): FeatureInput => ({
  model: "hmr-t4r",
  index: "zhvi",
  level: "county",
  asOfMonth,
  logLevels,
  vRef: 0.0115,
  nation: { momentum: 0.03, g60: 0.035 },
  state: { momentum: 0.05, g60: 0.06 },
  ...change,
});

test("the worked example: 25 prints, and only the last 13 of them", () => {
  const long = featuresOf(input(wavy));
  assertNear(long.m, 0.04215129, 5e-9);
  assertNear(long.g60, 0.03797872, 5e-9);
  assertNear(long.lv, -1.28864744, 5e-9);
  assert.equal(long.usedDefaultVol, false);
  assert.equal(long.mN, 0.03);
  assert.equal(long.mS, 0.05);
  assert.deepEqual([long.g60N, long.g60S], [0.035, 0.06]);

  const short = featuresOf(input(wavy.slice(-13)));
  assertNear(short.m, long.m);
  assertNear(short.g60, 0.04059693, 5e-9);
  // −1.38629436 at the clamp, half believed after 12 of 24 growths.
  assertNear(short.lv, -Math.LN2, 5e-9);
  assert.equal(short.usedDefaultVol, true);
});

test("a history of any array kind gives the same features", () => {
  const typed = featuresOf({ ...input([]), logLevels: Float64Array.from(wavy) });
  assert.deepEqual(typed, featuresOf(input(wavy)));
});

test("momentum of short histories leans on the state", () => {
  // From 13 prints on its own; 4 to 12 blended by n/12; below 4 the state's.
  assertNear(featuresOf(input(straight(13, 0.01))).m, 0.12);
  assertNear(featuresOf(input(straight(12, 0.01))).m, 0.12);
  assertNear(featuresOf(input(straight(6, 0.01))).m, 0.5 * 0.12 + 0.5 * 0.05);
  assertNear(featuresOf(input(straight(4, 0.01))).m, 0.12 / 3 + (0.05 * 2) / 3);
  assert.equal(featuresOf(input(straight(3, 0.01))).m, 0.05);
  assert.equal(featuresOf(input([])).m, 0.05);
  assert.equal(featuresOf(input([], { state: undefined })).m, 0.03);
  assert.equal(featuresOf(input([], { state: undefined, nation: undefined })).m, 0.04);
  assert.equal(momentumOf("zhvi", { asOfMonth, logLevels: straight(3, 0.01) }), undefined);
});

test("nation and state: whose momentum is whose", () => {
  const rising = straight(30, 0.01);
  const county = featuresOf(input(rising, { state: undefined }));
  assert.deepEqual([county.mN, county.mS], [0.03, 0.03]);
  assert.deepEqual([county.g60N, county.g60S], [0.035, 0.035]);
  const alone = featuresOf(input(rising, { nation: undefined }));
  assert.deepEqual([alone.mN, alone.mS], [0.05, 0.05]);
  assert.deepEqual([alone.g60N, alone.g60S], [0.06, 0.06]);

  const state = featuresOf(input(rising, { level: "state" }));
  assert.equal(state.mN, 0.03);
  assertNear(state.mS, 0.12);
  assert.equal(state.g60N, 0.035);
  assertNear(state.g60S, 0.12);
  // A state's own momentum cannot be what it leans on while young: the nation is.
  assert.equal(featuresOf(input(straight(2, 0.01), { level: "state" })).m, 0.03);

  const nation = featuresOf(input(rising, { level: "nation" }));
  assertNear(nation.mN, 0.12);
  assertNear(nation.mS, 0.12);
  assertNear(nation.g60N, 0.12);
  assertNear(nation.g60S, 0.12);
});

test("five-year growth: trailing, blended with 4 % below 24 prints, else the parent's", () => {
  const kinked = [...straight(40, 0.02), ...straight(60, 0.005).map((x) => x + 0.8)];
  // 99 growths: only the last 60 count, the oldest of which is the kink.
  const oldest = kinked[kinked.length - 61] ?? Number.NaN;
  assertNear(featuresOf(input(kinked)).g60, ((kinked.at(-1) ?? Number.NaN) - oldest) / 5);
  assertNear(featuresOf(input(straight(30, 0.01))).g60, 0.12);
  assertNear(featuresOf(input(straight(24, 0.01))).g60, 0.12);
  assertNear(featuresOf(input(straight(23, 0.01))).g60, (22 / 60) * 0.12 + (38 / 60) * 0.04);
  assertNear(featuresOf(input(straight(2, 0.01))).g60, (1 / 60) * 0.12 + (59 / 60) * 0.04);
  assert.equal(featuresOf(input([5])).g60, 0.06);
  assert.equal(featuresOf(input([5], { state: undefined })).g60, 0.035);
  assert.equal(featuresOf(input([5], { level: "state" })).g60, 0.035);
  assert.equal(featuresOf(input([5], { state: undefined, nation: undefined })).g60, 0.04);
});

test("volatility: belief grows with the history, default below 24 growths", () => {
  const jagged = (prints: number): number[] =>
    Array.from({ length: prints }, (_, i) => (i % 2 === 0 ? 0.002 : 0));
  // Growths alternate ±0.002, so over an even number of them the deviation is exactly 0.002.
  const annual = 0.002 * Math.sqrt(12);
  const wild = Math.log(annual / 0.0035);
  assertNear(volatilityOf("zhvi", { asOfMonth, logLevels: jagged(61) }), annual);
  assertNear(featuresOf(input(jagged(25), { vRef: 0.0035 })).lv, wild);
  assertNear(featuresOf(input(jagged(9), { vRef: 0.0035 })).lv, (8 / 24) * wild);
  assert.equal(featuresOf(input(jagged(7), { vRef: 0.0035 })).lv, 0);
  assert.notEqual(featuresOf(input(jagged(8), { vRef: 0.0035 })).lv, 0);
  assert.equal(featuresOf(input(jagged(24))).usedDefaultVol, true);
  assert.equal(featuresOf(input(jagged(25))).usedDefaultVol, false);
});

test("clamps: momentum ±.40, growth −.20 to .25, volatility ratio ¼ to 4", () => {
  const up = featuresOf(input(straight(80, 0.1)));
  assert.deepEqual([up.m, up.g60], [0.4, 0.25]);
  const down = featuresOf(input(straight(80, -0.1)));
  assert.deepEqual([down.m, down.g60], [-0.4, -0.2]);
  const noisy = Array.from({ length: 40 }, (_, i) => (i % 2) * 0.1);
  assertNear(featuresOf(input(noisy)).lv, Math.log(4));
  const flat = Array.from({ length: 40 }, () => 5);
  assertNear(featuresOf(input(flat)).lv, -Math.log(4));
});

test("rents: the season is taken out before anything is measured", () => {
  // Fourteen months of steady growth plus the season, ending in each month of the year.
  for (let month = 1; month <= 12; month += 1) {
    const end = monthOf(2025, month);
    const levels = straight(30, 0.003).map((x, i) => {
      const calendar = (month - 1 + i - 29 + 120) % 12;
      return x + (zoriSeason[calendar] ?? Number.NaN);
    });
    const series = { asOfMonth: end, logLevels: levels };
    const rent = featuresOf(input(levels, { index: "zori", asOfMonth: end, vRef: 0.02 }));
    assertNear(rent.m, 0.036);
    assertNear(rent.g60, 0.036);
    assertNear(volatilityOf("zori", series), 0, 1e-12);
    assertNear(momentumOf("zori", series), 0.036);
  }
});

test("the usual volatility of a level: median of at least 20 nodes, else the table", () => {
  const node = (size: number, prints = 25) => ({
    asOfMonth,
    logLevels: Array.from({ length: prints }, (_, i) => (i % 2 === 0 ? size : 0)),
  });
  const sizes = Array.from({ length: 20 }, (_, i) => 0.001 * (i + 1));
  const nodes = sizes.map((size) => node(size));
  assertNear(medianVolatility("zhvi", "county", nodes), 0.0105 * Math.sqrt(12));
  assertNear(medianVolatility("zhvi", "county", [...nodes, node(1)]), 0.011 * Math.sqrt(12));
  assert.equal(medianVolatility("zhvi", "county", nodes.slice(1)), 0.011);
  const young = nodes.map((_, i) => node(0.001 * i, 12));
  assert.equal(medianVolatility("zori", "zip", young), 0.039);
  assert.equal(medianVolatility("zhvi", "nation", []), 0.007);
  const still = sizes.map(() => node(0));
  assert.equal(medianVolatility("zhvi", "zip", still), 0.015);
});

test("one print a quarter: momentum is the last year's growth alone", () => {
  const kinked = [...straight(40, 0.01), 5.4, 5.41, 5.43];
  const quarterly = { asOfMonth, logLevels: kinked, stepMonths: 3 } as const;
  const year = 5.43 - (kinked.at(-13) ?? Number.NaN);
  assertNear(momentumOf("zhvi", quarterly), year);
  const quarter = 4 * (5.43 - (kinked.at(-4) ?? Number.NaN));
  assertNear(momentumOf("zhvi", { asOfMonth, logLevels: kinked }), (quarter + year) / 2);
});

test("the nation: each month's median growth, summed; a state: the median of its places", () => {
  // Twenty places: place i grows i thousandths a month, but in the last month all go the other way.
  const places = Array.from({ length: 20 }, (_, i) => ({
    asOfMonth,
    logLevels: [...straight(30, 0.001 * i), 5 + 0.001 * i * 29 - 0.001 * i],
  }));
  // The median place of every month is between the 9 and the 10 thousandths one.
  const month = 0.0095;
  const nation = nationGrowthOf("zhvi", places);
  assertNear(nation?.momentum, (4 * (3 - 2) * month + (12 - 2) * month) / 2);
  assertNear(nation?.g60, (12 * (30 - 2) * month) / 30);
  assert.equal(nationGrowthOf("zhvi", places.slice(1)), undefined);

  // A place of its own month does not move the month that twenty share, nor a wild one the median.
  const ahead = { asOfMonth: addMonths(asOfMonth, 1), logLevels: straight(30, 0.5) };
  const more = nationGrowthOf("zhvi", [...places, ahead]);
  assertNear(more?.momentum, (4 * (2 * 0.01 - 0.009) + (11 * 0.01 - 0.009)) / 2);

  const own = places.slice(0, 3).flatMap((place) => growthOf("zhvi", place) ?? []);
  assert.deepEqual(stateGrowthOf(own), own[1]);
  assert.deepEqual(stateGrowthOf(own.slice(0, 1)), own[0]);
});

test("a gap: only the unbroken run up to the newest month counts", () => {
  const point = (back: number, level: bigint) => ({
    month: addMonths(asOfMonth, -back),
    levelE12: chainLevelOf(level),
  });
  const broken = [
    point(6, 1n),
    point(5, 2n),
    point(3, 4n),
    point(2, 8n),
    point(1, 16n),
    point(0, 32n),
  ];
  const series = seriesOf(broken);
  assert.ok(series !== undefined);
  assert.equal(series.asOfMonth, asOfMonth);
  assert.deepEqual(Array.from(series.logLevels), [4, 8, 16, 32].map(Math.log));
  assert.equal(seriesOf(broken.slice(0, 2))?.logLevels.length, 2);
  assert.equal(seriesOf(broken.slice(0, 3))?.logLevels.length, 1);
  assert.equal(seriesOf([]), undefined);
});

test("a usual volatility of zero is our own mistake and stops", () => {
  assert.throws(() => featuresOf(input(wavy, { vRef: 0 })), /vRef must be positive/);
});
