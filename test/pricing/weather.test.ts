// The weather model: the worked example, trend, rain, short records, loads, refusals.
// Invariant: the figures were computed apart from this code and are never regenerated from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BinaryQuote, QuoteResult } from "#pricing/quote.ts";
import {
  openWeatherChance,
  quoteWeather,
  type SeasonDistribution,
  seasonDistributionOf,
  stressedWeatherChance,
  type WeatherInput,
  type WeatherTrigger,
  weatherChance,
  weatherQualityBps,
} from "#pricing/weather.ts";

const size = { coverageUsd: 10_000, dataQualityBps: 0 };

function assertNear(actual: number, expected: number, tolerance: number, what = "value") {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} is ${actual}, not ${expected}`);
}

function quoted(result: QuoteResult<BinaryQuote>): BinaryQuote {
  assert.ok(result.status === "quoted", JSON.stringify(result));
  return result.quote;
}

const line = (years: number, from: number, slope: number): number[] =>
  Array.from({ length: years }, (_, at) => from + slope * at);

const wave = Array.from({ length: 30 }, (_, i) => 70 + 0.04 * i + 1.5 * Math.sin(1.7 * i));

const input = (change: Partial<WeatherInput> = {}): WeatherInput => ({
  kind: "temperature",
  values: wave,
  // Three nodes, so the median slope is that of the middle one.
  region: [line(30, 50, 0.03), line(30, 60, -1), line(30, 70, 2)],
  seasonsAhead: 1,
  ...change,
});

function seasonOf(change: Partial<WeatherInput> = {}): SeasonDistribution {
  const season = seasonDistributionOf(input(change));
  assert.ok(season !== undefined);
  return season;
}

const atLeast = (threshold: number): WeatherTrigger => ({ comparator: "gte", threshold });
const atMost = (threshold: number): WeatherTrigger => ({ comparator: "lte", threshold });

test("the worked example: mean, deviation, chance", () => {
  const season = seasonOf();
  assertNear(season.mean, 70.91247517, 5e-9);
  assertNear(season.deviation, 1.12202278, 5e-9);
  assertNear(weatherChance(season, atLeast(73)), 0.0314073, 5e-8);
  assertNear(weatherChance(season, atLeast(73)), 0.03140731794219581, 1e-12);
  assert.equal(season.usedDefaultVol, false);
  assertNear(seasonOf({ seasonsAhead: 5 }).mean, 71.00113790521135, 1e-10);
});

test("only the last thirty years count, and shorter records than ten lend no slope", () => {
  const longer = seasonOf({ values: [900, -900, ...wave] });
  assert.deepEqual(longer, seasonOf());
  const region = [[900, ...line(30, 50, 0.03)], line(9, 0, 50), line(30, 60, -1), line(30, 7, 2)];
  assert.deepEqual(seasonOf({ region }), seasonOf());
  // Alone in its region a node has only its own slope: 0.75 of it, 15.5 years from the middle.
  assertNear(
    seasonOf({ region: [wave] }).mean,
    70.5689070658524 + 0.75 * 0.029108490852506406 * 15.5,
    1e-10,
  );
  assert.deepEqual(seasonOf({ region: [] }), seasonOf({ region: [wave] }));
});

const rain = Array.from(
  { length: 70 },
  (_, i) => 10 + 3 * Math.sin(2.3 * i) + 0.5 * Math.cos(0.7 * i),
);

test("rain: gamma, mean of thirty and sixty years, variance of sixty", () => {
  const season = seasonOf({ kind: "precipitation", values: rain });
  assert.equal(season.family, "gamma");
  assertNear(season.mean, 9.970740636911028, 1e-12);
  assertNear(season.deviation, 2.1668097276548046, 1e-12);
  assertNear(weatherChance(season, atLeast(13)), 0.08881796992651968, 1e-12);
  assertNear(weatherChance(season, atMost(8)), 0.18308331874531852, 1e-12);
  assert.deepEqual(seasonOf({ kind: "precipitation", values: [99, ...rain] }), season);
  assert.equal(weatherChance(season, atLeast(-1)), 1);
});

test("below ten years: the region's record, moved to where the node stands", () => {
  const region = [line(40, 60, 0.1), line(40, 80, 0.1)];
  // The last five years of the region average 70 + 3.7; the node stands at 50.
  const short = seasonOf({ values: [49, 51, 50, 48, 52], region });
  assert.equal(short.usedDefaultVol, true);
  assertNear(short.mean, 50 - 3.7 + 70 + 0.1 * (10 + 14.5) + 0.75 * 0.1 * 15.5 - 70, 1e-10);
  assertNear(short.deviation, 0, 1e-10);
  const ten = seasonOf({ values: wave.slice(-10), region });
  assert.equal(ten.usedDefaultVol, false);
  assertNear(seasonOf({ values: [], region }).mean, 70 + 2.45 + 0.75 * 0.1 * 15.5, 1e-10);

  const dry = seasonOf({ kind: "precipitation", values: [20, 22], region: [rain] });
  const shift = 21 - ((rain[68] ?? Number.NaN) + (rain[69] ?? Number.NaN)) / 2;
  assertNear(dry.mean, 9.970740636911028 + shift, 1e-12);
  assertNear(dry.deviation, 2.1668097276548046, 1e-12);
  assert.equal(dry.usedDefaultVol, true);

  assert.equal(seasonDistributionOf(input({ values: [1, 2], region: [[1, 2]] })), undefined);
  assert.equal(seasonDistributionOf(input({ values: [], region: [] })), undefined);
});

test("an index that never varied is certain, either way, at its own value too", () => {
  const season = seasonOf({ kind: "precipitation", values: line(30, 0, 0) });
  assert.equal(season.deviation, 0);
  assert.equal(weatherChance(season, atLeast(0)), 1);
  assert.equal(weatherChance(season, atMost(0)), 1);
  assert.equal(weatherChance(season, atLeast(1)), 0);
  assert.equal(weatherChance(season, atMost(-1)), 0);
});

test("what a sum of decimals leaves over is no variation", () => {
  for (const kind of ["precipitation", "temperature"] as const) {
    for (const value of [8.1, 0.07, 12.34]) {
      const values = line(60, value, 0);
      const season = seasonOf({ kind, values, region: [values] });
      assert.deepEqual([season.mean, season.deviation], [value, 0]);
      assert.equal(weatherChance(season, atLeast(value)), 1);
      assert.equal(weatherChance(season, atMost(value)), 1);
    }
  }
});

test("the quote: Wang's shift whatever the time, carry by time, flat load", () => {
  const season = seasonOf();
  const quote = quoted(quoteWeather(season, 6, atLeast(73), size));
  const shifted = 0.05364423185501074;
  assertNear(quote.fairValue, 0.03140731794219581, 1e-12);
  assert.equal(quote.anyClaimProb, quote.fairValue);
  assert.equal(quote.fullLimitProb, quote.fairValue);
  assertNear(quote.price, shifted + 0.005 * (1 - shifted) + 0.0015, 1e-10);
  const later = quoted(quoteWeather(season, 24, atLeast(73), size));
  assertNear(later.price - quote.price, 0.015 * (1 - shifted), 1e-12);

  const wet = seasonOf({ kind: "precipitation", values: rain });
  const wetQuote = quoted(quoteWeather(wet, 12, atLeast(13), size));
  assertNear(wetQuote.price, 0.13608700988177147 * 0.99 + 0.01 + 0.0015, 1e-10);
});

test("laws: chances add up to 1, fall with the threshold, and a price is never below", () => {
  for (const kind of ["temperature", "precipitation"] as const) {
    const season = seasonOf({ kind, values: kind === "temperature" ? wave : rain });
    let before = 1;
    for (let step = -12; step <= 12; step += 0.25) {
      const threshold = season.mean + step * season.deviation;
      const up = quoted(quoteWeather(season, 12, atLeast(threshold), size));
      const down = quoted(quoteWeather(season, 12, atMost(threshold), size));
      assertNear(up.fairValue + down.fairValue, 1, 1e-15);
      assert.ok(up.fairValue <= before && up.fairValue >= 0, `${kind} at ${threshold}`);
      assert.ok(up.fairValue <= up.price && up.price <= 1, `${kind} at ${threshold}`);
      assert.ok(down.fairValue <= down.price && down.price <= 1, `${kind} at ${threshold}`);
      before = up.fairValue;
    }
    assertNear(before, 0, 1e-9);
  }
});

test("an open contract: the chance now, and after a season one in a hundred is worse than", () => {
  const { seasonsAhead: _seasons, ...record } = input();
  const open = { ...record, horizonMonths: 12 };
  assert.equal(openWeatherChance(open, atLeast(73)), weatherChance(seasonOf(), atLeast(73)));
  // The next print is the one that settles: all, where it is not rarer than one in a hundred.
  assert.equal(stressedWeatherChance(open, atLeast(73)), 1);
  assert.equal(stressedWeatherChance(open, atLeast(75)), 0);
  assert.equal(stressedWeatherChance(open, atMost(69)), 1);

  const far = { ...open, horizonMonths: 36 };
  const { mean, deviation } = seasonOf();
  const adverse = mean + 2.3263478740408408 * deviation;
  const later = seasonOf({
    values: [...wave, adverse],
    region: record.region.map((one) => [...one, one.reduce((sum, x) => sum + x, 0) / one.length]),
    seasonsAhead: 2,
  });
  const stressed = stressedWeatherChance(far, atLeast(73)) ?? Number.NaN;
  assertNear(stressed, weatherChance(later, atLeast(73)), 1e-10);
  assert.ok(stressed > (openWeatherChance(far, atLeast(73)) ?? 1));

  const rainy = { kind: "precipitation", values: rain, region: [rain], horizonMonths: 24 } as const;
  const wet = stressedWeatherChance(rainy, atLeast(13)) ?? Number.NaN;
  assert.ok(wet > (openWeatherChance(rainy, atLeast(13)) ?? 1) && wet < 1);
  for (const horizonMonths of [0, 72]) {
    assert.equal(openWeatherChance({ ...open, horizonMonths }, atLeast(73)), undefined);
    assert.equal(stressedWeatherChance({ ...open, horizonMonths }, atLeast(73)), undefined);
  }
});

test("a region that gains or loses a place is no jump of its climate", () => {
  const region = [line(40, 60, 0), line(12, 90, 0), [99, 99]];
  const short = seasonOf({ values: [50, 50], region });
  assertNear(short.mean, 50, 1e-10);
  assertNear(short.deviation, 0, 1e-10);
});

test("add-on and refusals", () => {
  assert.equal(weatherQualityBps(seasonOf()), 0);
  assert.equal(weatherQualityBps(seasonOf({ values: wave.slice(-9) })), 100);
  for (const months of [0, 61, 2.5]) {
    assert.deepEqual(quoteWeather(seasonOf(), months, atLeast(73), size), {
      status: "refused",
      refusal: { code: "HORIZON_OUT_OF_RANGE", minMonths: 1, maxMonths: 60 },
    });
  }
  assert.deepEqual(quoteWeather(seasonOf(), 12, atLeast(Number.NaN), size), {
    status: "refused",
    refusal: { code: "INVALID_STRIKE" },
  });
});
