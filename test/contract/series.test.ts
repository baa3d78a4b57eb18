// Ids of contracts: the readable series id, and the hash that covers every term.
// Invariant: a changed term is a changed hash, field by field, so none is forgotten.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId, releaseId } from "#base/ids.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { addMonths, monthOf } from "#base/month.ts";
import { chainLevelOf, printValue } from "#base/print-value.ts";
import { vacancyThreshold } from "#contract/level.ts";
import {
  type DeclinePayoff,
  formatSeriesId,
  isSeries,
  isStandard,
  isStandardSeries,
  type LevelPayoff,
  parseSeriesId,
} from "#contract/series.ts";
import { type Baseline, derivedIds, type Payoff, type Terms, termsHash } from "#contract/terms.ts";

const months = fc.integer({ min: monthOf(1800, 1), max: monthOf(2999, 12) }).map((at) => {
  return addMonths(monthOf(0, 1), at);
});
const places = fc
  .tuple(
    fc.constantFrom("state", "county", "city", "nbhd", "zip"),
    fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,40}$/),
  )
  .map(([level, place]) => nodeId(`${level}:${place}`));
const payoffs: fc.Arbitrary<DeclinePayoff> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 1, max: 10_000 }))
    .map(([attachBps, exhaustBps]) => ({ kind: "layered" as const, attachBps, exhaustBps })),
  fc.integer({ min: 1, max: 9_999 }).map((strikeBps) => ({ kind: "binary" as const, strikeBps })),
);

const levels: fc.Arbitrary<LevelPayoff> = fc
  .tuple(fc.constantFrom("gte" as const, "lte" as const), fc.bigInt({ min: 0n, max: 10n ** 22n }))
  .map(([comparator, units]) => ({ kind: "level", comparator, thresholdE15: printValue(units) }));

test("the id of a level names all of it, and no month it starts from", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...indexKinds),
      places,
      months,
      levels,
      (index, node, measurementMonth, payoff) => {
        const series = { index, nodeId: node, baselineMonth: null, measurementMonth, payoff };
        const id = formatSeriesId(series);
        assert.deepEqual(parseSeriesId(id), series);
        assert.deepEqual(parseSeriesId(id.toUpperCase()), series);
      },
    ),
  );
});

test("a series id names its series completely", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...indexKinds),
      places,
      months,
      months,
      payoffs,
      (index, node, baselineMonth, measurementMonth, payoff) => {
        const series = { index, nodeId: node, baselineMonth, measurementMonth, payoff };
        const id = formatSeriesId(series);
        assert.deepEqual(parseSeriesId(id), series);
        assert.deepEqual(parseSeriesId(id.toUpperCase()), series);
      },
    ),
  );
});

test("an id reads as in the interface", () => {
  const series = {
    index: "zhvi",
    nodeId: nodeId("zip:10001"),
    baselineMonth: monthOf(2026, 9),
    measurementMonth: monthOf(2027, 9),
  } as const;
  const layered = {
    ...series,
    payoff: { kind: "layered", attachBps: 200, exhaustBps: 1000 },
  } as const;
  const binary = { ...series, payoff: { kind: "binary", strikeBps: 500 } } as const;
  assert.equal(formatSeriesId(layered), "srs.zhvi.zip-10001.b2026-09.e2027-09.L0200-1000");
  assert.equal(formatSeriesId(binary), "srs.zhvi.zip-10001.b2026-09.e2027-09.K0500");
  const thresholdE15 = printValue(64_500_000_000_000_000n);
  const level = {
    ...series,
    index: "weather",
    baselineMonth: null,
    payoff: { kind: "level", comparator: "lte", thresholdE15 },
  } as const;
  assert.equal(formatSeriesId(level), "lvl.weather.zip-10001.e2027-09.lte-64.5");
});

test("a series has one id: other spellings of its numbers are no ids", () => {
  for (const text of [
    "",
    "mkt-001",
    "srs.zhvi.zip-10001.b2026-09.e2027-09",
    "srs.gold.zip-10001.b2026-09.e2027-09.K0500",
    "srs.zhvi.street-10001.b2026-09.e2027-09.K0500",
    "srs.zhvi.zip-10001.b2026-13.e2027-09.K0500",
    "srs.zhvi.zip-10001.b2026-09.e2027-09.K500",
    "srs.zhvi.zip-10001.b2026-09.e2027-09.K00500",
    "srs.zhvi.zip-10001.b2026-09.e2027-09.L00200-1000",
    "srs.zhvi.zip-10001.b2026-09.e2027-09.L0200-01000",
    "srs.zhvi.zip-10001.b2026-09.e2027-09.L0200-1000 ",
    "lvl.vacancy.state-tx.e2026-06.gte-8.0",
    "lvl.vacancy.state-tx.e2026-06.gte-08",
    "lvl.vacancy.state-tx.e2026-06.gte-8.",
    "lvl.vacancy.state-tx.e2026-06.gte--8",
    "lvl.vacancy.state-tx.e2026-06.eq-8",
    "lvl.vacancy.state-tx.b2025-06.e2026-06.gte-8",
  ]) {
    const parsed = parseSeriesId(text);
    assert.equal(parsed === undefined ? undefined : formatSeriesId(parsed), undefined, text);
  }
});

test("standard: the three layers, and whole percents from 1 to 99", () => {
  assert.ok(isStandard({ kind: "layered", attachBps: 500, exhaustBps: 1500 }));
  assert.ok(!isStandard({ kind: "layered", attachBps: 500, exhaustBps: 1000 }));
  assert.ok(isStandard({ kind: "binary", strikeBps: 100 }));
  assert.ok(isStandard({ kind: "binary", strikeBps: 9_900 }));
  for (const strikeBps of [0, 50, 150, 9_950, 10_000]) {
    assert.ok(!isStandard({ kind: "binary", strikeBps }), String(strikeBps));
  }
});

test("an order lists declines of prices, and levels where nothing else would be settled", () => {
  const june = monthOf(2026, 6);
  const strike = { kind: "binary", strikeBps: 500 } as const;
  const eight = { kind: "level", comparator: "gte", thresholdE15: vacancyThreshold(800) } as const;
  const listed = (index: IndexKind, payoff: Payoff, measurementMonth = june): boolean =>
    isSeries({ index, measurementMonth, payoff });
  assert.ok(listed("zhvi", strike) && listed("zori", strike) && listed("vacancy", eight));
  assert.ok(!listed("vacancy", strike) && !listed("weather", strike));
  assert.ok(!listed("zhvi", eight) && !listed("zori", eight));
  assert.ok(!listed("vacancy", eight, monthOf(2026, 5)), "no quarter ends in May");
  const hundred = { ...eight, thresholdE15: vacancyThreshold(10_000) };
  const none = { ...eight, thresholdE15: printValue(0n) };
  const half = { ...eight, thresholdE15: vacancyThreshold(850) };
  for (const payoff of [hundred, none, half]) assert.ok(!listed("vacancy", payoff));
});

const baseline: Baseline = {
  month: monthOf(2024, 9),
  valueE15: printValue(300n),
  levelE12: chainLevelOf(10n ** 12n),
  releaseId: releaseId("rel-1"),
};
const terms: Terms = {
  index: "zhvi",
  nodeId: nodeId("state:tx"),
  measurementMonth: monthOf(2025, 9),
  payoff: { kind: "layered", attachBps: 200, exhaustBps: 1000 },
  baseline,
  rounding: "payout-millionths-down",
  fallback: "fallbacks-1",
  successor: null,
  methodologyVersion: "1",
  expectedAtMillis: 1,
};

test("the terms' hash covers every field", () => {
  const level = { kind: "level", comparator: "gte", thresholdE15: printValue(5n) } as const;
  // They have one value so far: another one stands in for what a later version may say.
  const rounded: Terms = Object.assign({}, terms, { rounding: "otherwise" });
  const settled: Terms = Object.assign({}, terms, { fallback: "otherwise" });
  const changed: Record<keyof Terms, readonly Terms[]> = {
    index: [{ ...terms, index: "zori" }],
    nodeId: [{ ...terms, nodeId: nodeId("state:ny") }],
    measurementMonth: [{ ...terms, measurementMonth: monthOf(2025, 10) }],
    payoff: [
      { ...terms, payoff: { kind: "layered", attachBps: 201, exhaustBps: 1000 } },
      { ...terms, payoff: { kind: "layered", attachBps: 200, exhaustBps: 1001 } },
      { ...terms, payoff: { kind: "binary", strikeBps: 200 } },
      { ...terms, payoff: { kind: "binary", strikeBps: 201 } },
      { ...terms, payoff: level },
      { ...terms, payoff: { ...level, comparator: "lte" } },
      { ...terms, payoff: { ...level, thresholdE15: printValue(6n) } },
    ],
    baseline: [
      { ...terms, baseline: null },
      { ...terms, baseline: { ...baseline, month: monthOf(2024, 8) } },
      { ...terms, baseline: { ...baseline, valueE15: printValue(301n) } },
      { ...terms, baseline: { ...baseline, levelE12: chainLevelOf(1n) } },
      { ...terms, baseline: { ...baseline, releaseId: releaseId("rel-2") } },
    ],
    rounding: [rounded],
    fallback: [settled],
    successor: [{ ...terms, successor: nodeId("state:ok") }],
    methodologyVersion: [{ ...terms, methodologyVersion: "2" }],
    expectedAtMillis: [{ ...terms, expectedAtMillis: 2 }],
  };
  const hashes = [terms, ...Object.values(changed).flat()].map(termsHash);
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(termsHash({ ...terms }), termsHash(terms));
});

test("derived ids are 32 bytes, all different, and follow from the hash alone", () => {
  const ids = derivedIds(termsHash(terms));
  const all = [ids.conditionId, ids.questionId, ids.onChainMarketId, ...ids.positionIds];
  for (const id of all) assert.match(id, /^0x[0-9a-f]{64}$/);
  assert.equal(new Set(all).size, 5);
  assert.deepEqual(derivedIds(termsHash({ ...terms })), ids);
});

test("a place has 36 standard series a year: four quarters, three lengths, three layers", () => {
  const standard: string[] = [];
  for (let baseline = 1; baseline <= 12; baseline += 1) {
    const baselineMonth = monthOf(2026, baseline);
    for (let ahead = 1; ahead <= 60; ahead += 1) {
      const measurementMonth = addMonths(baselineMonth, ahead);
      const listable = declines.filter((payoff) =>
        isStandardSeries({ index: "zhvi", baselineMonth, measurementMonth, payoff }),
      );
      for (const payoff of listable) {
        const place = { index: "zhvi" as const, nodeId: nodeId("zip:10001") };
        standard.push(formatSeriesId({ ...place, baselineMonth, measurementMonth, payoff }));
      }
    }
  }
  assert.equal(new Set(standard).size, 36);
  assert.ok(standard.includes("srs.zhvi.zip-10001.b2026-09.e2027-09.L0500-1500"));
  for (const id of standard) assert.match(id, /\.b2026-(03|06|09|12)\.e20\d\d-\1\.L/);
});

/** Every layer of whole hundreds, and every strike of one. */
const declines: readonly DeclinePayoff[] = Array.from({ length: 30 }, (_, from) => from).flatMap(
  (from) => [
    { kind: "binary", strikeBps: (from + 1) * 100 },
    ...Array.from({ length: 30 - from }, (_, width) => ({
      kind: "layered" as const,
      attachBps: from * 100,
      exhaustBps: (from + width + 1) * 100,
    })),
  ],
);
