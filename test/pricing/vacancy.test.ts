// The vacancy model: worked examples, the t(6) closed form, knots, features, loads, refusals.
// Invariant: the figures were computed apart from this code and are never regenerated from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PricingLevel } from "#pricing/constants.ts";
import type { BinaryQuote, QuoteResult } from "#pricing/quote.ts";
import {
  openVacancyChance,
  type QuarterlyRates,
  quoteVacancy,
  type RateTrigger,
  stressedVacancyChance,
  studentT6,
  type VacancyFeatures,
  type VacancyOutlook,
  vacancyChance,
  vacancyDistributionOf,
  vacancyFeaturesOf,
  vacancyGroupOf,
  vacancyQualityBps,
} from "#pricing/vacancy.ts";

const size = { coverageUsd: 10_000, dataQualityBps: 0 };
const logit = (percent: number): number => Math.log(percent / (100 - percent));

function assertNear(actual: number, expected: number, tolerance: number, what = "value") {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} is ${actual}, not ${expected}`);
}

function quoted(result: QuoteResult<BinaryQuote>): BinaryQuote {
  assert.ok(result.status === "quoted", JSON.stringify(result));
  return result.quote;
}

/** Rates 6.1, 6.8, 7.0, 7.6 around a mean of 7.2 %. */
const example: VacancyFeatures = {
  last: logit(7.6),
  yearMean: (logit(6.1) + logit(6.8) + logit(7) + logit(7.6)) / 4,
  nodeMean: logit(7.2),
  volatilityRatio: 1,
  usedDefaultVol: false,
};

const outlook = (
  level: PricingLevel,
  horizonMonths: number,
  change: Partial<VacancyFeatures> = {},
): VacancyOutlook => ({ level, horizonMonths, features: { ...example, ...change } });

const atLeast = (rateBps: number): RateTrigger => ({ comparator: "gte", rateBps });
const atMost = (rateBps: number): RateTrigger => ({ comparator: "lte", rateBps });

test("Student-t(6): the reference value, the usual form, the far tail", () => {
  assertNear(studentT6(1.5), 0.907859631929259, 1e-15);
  assert.equal(studentT6(0), 0.5);
  for (let z = -6; z <= 6; z += 0.01) {
    const c = z / Math.sqrt(6 + z * z);
    const usual = 0.5 + (c / 2) * (1 + (1 - c * c) * (0.5 + 0.375 * (1 - c * c)));
    assertNear(studentT6(z), usual, 1e-15, `T6(${z})`);
  }
  // Far out the tail is 33.75/z⁶, which that form cannot see.
  assertNear(studentT6(-1e4) * 1e24, 33.75, 1e-4);
});

test("worked examples: a state at 8 %, a metro at 9 %", () => {
  const state = vacancyDistributionOf(outlook("state", 12));
  assertNear(state.mu, -2.57371642, 5e-9);
  assertNear(state.s, 0.21924, 1e-15);
  assertNear(vacancyChance(state, atLeast(800)), 0.28547679, 5e-9);
  const metro = vacancyDistributionOf(outlook("metro", 12));
  assertNear(vacancyChance(metro, atLeast(900)), 0.30420254, 5e-9);
});

test("knots: each row at 1, 4 and 8 quarters, linear between, held outside", () => {
  const rows = {
    nation: [0.7, 0.3, 0.047, 1.22, -0.25, 0.074, 1.64, -0.72, 0.113],
    state: [0.33, 0.61, 0.217, 0.29, 0.65, 0.252, 0.29, 0.65, 0.277],
    metro: [0.22, 0.34, 0.47, 0.23, 0.02, 0.49, 0.06, 0, 0.52],
  } as const;
  const features = { nodeMean: 0, last: 1, yearMean: 100 };
  const found = (level: PricingLevel, months: number) =>
    vacancyDistributionOf(outlook(level, months, features));
  for (const level of ["nation", "state", "metro"] as const) {
    const row = rows[level];
    for (const [at, months] of [3, 12, 24].entries()) {
      const [last, year, scale] = row.slice(3 * at, 3 * at + 3);
      assert.ok(last !== undefined && year !== undefined && scale !== undefined);
      assertNear(found(level, months).mu, last + 100 * year, 1e-12, `${level} mu ${months}`);
      assertNear(found(level, months).s, 0.87 * scale, 1e-15, `${level} s ${months}`);
    }
    assert.deepEqual(found(level, 1), found(level, 3));
    assert.deepEqual(found(level, 36), found(level, 24));
  }
  // Six months are two quarters: a third of the way from one to four.
  assertNear(found("metro", 6).mu, 0.22 + 0.01 / 3 + 100 * (0.34 - 0.32 / 3), 1e-12);
  assertNear(found("metro", 6).s, 0.87 * (0.47 + 0.02 / 3), 1e-15);
  // Seven months: the horizon need not be whole quarters.
  assertNear(found("state", 7).s, 0.87 * (0.217 + (0.035 * 4) / 9), 1e-15);
  for (const level of ["county", "city", "zip", "neighborhood"] as const) {
    assert.deepEqual(found(level, 9), found("metro", 9));
  }
});

test("the volatility ratio counts with its power .7, within .4 and 2.5", () => {
  const s = (volatilityRatio: number): number =>
    vacancyDistributionOf(outlook("state", 12, { volatilityRatio })).s / 0.21924;
  assertNear(s(2), 1.624504792712471, 1e-12);
  assertNear(s(0.5), 1 / 1.624504792712471, 1e-12);
  assertNear(s(0.01), 0.4, 1e-12);
  assertNear(s(100), 2.5, 1e-12);
});

test("features: the newest quarter, four of them, and a mean drawn to the group", () => {
  const two = [
    [5, 6, 7, 8],
    [8, 9, 11, 12],
  ];
  const group = vacancyGroupOf(two);
  assert.ok(group !== undefined);
  const means = two.map((rates) => {
    const logits = rates.map(logit);
    const mean = logits.reduce((sum, x) => sum + x, 0) / 4;
    return { mean, sampling: logits.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 3 / 4 };
  });
  const [low, high] = means;
  assert.ok(low !== undefined && high !== undefined);
  const between = (high.mean - low.mean) ** 2 / 2 - (low.sampling + high.sampling) / 2;
  assertNear(group.mean, (low.mean + high.mean) / 2, 1e-14);
  assertNear(group.betweenVariance, between, 1e-14);
  assert.equal(group.usualDeviation, undefined);

  const [first] = two;
  assert.ok(first !== undefined);
  const features = vacancyFeaturesOf(first, "state", group);
  assert.ok(features !== undefined);
  const belief = between / (between + low.sampling);
  assertNear(features.nodeMean, belief * low.mean + (1 - belief) * group.mean, 1e-14);
  assertNear(features.last, logit(8), 1e-15);
  assertNear(features.yearMean, low.mean, 1e-14);
  assert.equal(features.usedDefaultVol, true);
  assert.equal(features.volatilityRatio, 1);
});

test("features: only four quarters in the year, a lone quarter, no group, no rate", () => {
  const long = vacancyFeaturesOf([20, 5, 6, 7, 8], "nation", undefined);
  assert.ok(long !== undefined);
  assertNear(long.yearMean, (logit(5) + logit(6) + logit(7) + logit(8)) / 4, 1e-14);
  assertNear(long.nodeMean, (4 * long.yearMean + logit(20)) / 5, 1e-14);

  const group = { mean: logit(9), betweenVariance: 1, usualDeviation: 0.2 };
  const lone = vacancyFeaturesOf([5], "state", group);
  assert.equal(lone?.nodeMean, logit(9));
  assert.equal(vacancyFeaturesOf([], "state", group), undefined);
  assert.equal(vacancyGroupOf([[]]), undefined);

  // A group whose means differ by no more than chance lends all of its mean.
  const same = vacancyGroupOf([
    [5, 9],
    [9, 5],
  ]);
  assert.equal(same?.betweenVariance, 0);
  const drawn = vacancyFeaturesOf([2, 3], "state", same);
  assertNear(drawn?.nodeMean ?? Number.NaN, same?.mean ?? Number.NaN, 1e-15);
});

test("features: volatility from eight changes on, against the median of the group", () => {
  const zigzag = (width: number, count: number): QuarterlyRates =>
    Array.from({ length: count }, (_, at) => (at % 2 === 0 ? 7 : 7 + width));
  const group = vacancyGroupOf([zigzag(1, 9), zigzag(2, 9), zigzag(4, 9), zigzag(8, 8)]);
  const ratioOf = (series: QuarterlyRates, level: PricingLevel) =>
    vacancyFeaturesOf(series, level, group);
  assertNear(ratioOf(zigzag(2, 9), "state")?.volatilityRatio ?? Number.NaN, 1, 1e-12);
  const twice = ratioOf(zigzag(4, 9), "state");
  // Both alternate, so the ratio is that of the steps.
  const steps = (logit(11) - logit(7)) / (logit(9) - logit(7));
  assertNear(twice?.volatilityRatio ?? Number.NaN, steps, 1e-12);
  assert.equal(twice?.usedDefaultVol, false);
  assert.equal(ratioOf(zigzag(4, 8), "state")?.volatilityRatio, 1);
  assert.equal(ratioOf(zigzag(4, 8), "state")?.usedDefaultVol, true);
  assert.equal(ratioOf(zigzag(4, 9), "metro")?.usedDefaultVol, false);
  for (const level of ["county", "city", "zip"] as const) {
    assert.equal(ratioOf(zigzag(4, 9), level)?.usedDefaultVol, true);
  }
  assert.equal(vacancyFeaturesOf(zigzag(4, 9), "nation", undefined)?.volatilityRatio, 1);
  assert.equal(vacancyFeaturesOf(zigzag(4, 9), "nation", undefined)?.usedDefaultVol, false);
});

test("rates of 0 and 100 % keep everything finite", () => {
  const features = vacancyFeaturesOf([0, 100, 0, 0], "metro", undefined);
  assert.ok(features !== undefined);
  assert.equal(features.last, logit(0.05));
  for (const rateBps of [1, 9_999]) {
    const { fairValue } = quoted(
      quoteVacancy({ level: "metro", features, horizonMonths: 12 }, atLeast(rateBps), size),
    );
    assert.ok(fairValue >= 0 && fairValue <= 1, String(fairValue));
  }
});

test("the quote: chance, shift toward the trigger, carry, flat load", () => {
  const quote = quoted(quoteVacancy(outlook("state", 12), atLeast(800), size));
  assertNear(quote.fairValue, 0.28547679, 5e-9);
  assert.equal(quote.anyClaimProb, quote.fairValue);
  assert.equal(quote.fullLimitProb, quote.fairValue);
  // z of the fair chance, moved by a quarter of a scale: T6(−.59839… + .25).
  const z = (-2.5737164239188925 - logit(8)) / 0.21924;
  const shifted = studentT6(z + 0.25);
  assertNear(quote.price, shifted + 0.01 * (1 - shifted) + 0.0015, 1e-12);
  assert.equal(quote.spreadBps, Math.round(1e4 * (quote.price - quote.fairValue)));
  assertNear(quote.premiumUsd, 10_000 * quote.price, 1e-9);
  assertNear(quote.premiumUsd + quote.sellerCollateralUsd, 10_000, 1e-9);

  // Three years: the shift grows with the root of time, the carry with time.
  const { mu, s } = vacancyDistributionOf(outlook("state", 36));
  const late = studentT6((mu - logit(8)) / s + 0.25 * Math.sqrt(3));
  const price = quoted(quoteVacancy(outlook("state", 36), atLeast(800), size)).price;
  assertNear(price, late + 0.03 * (1 - late) + 0.0015, 1e-12);
});

test("at most and at least share one whole, and each is loaded toward its own trigger", () => {
  for (const rateBps of [300, 720, 800, 1500]) {
    const up = quoted(quoteVacancy(outlook("state", 12), atLeast(rateBps), size));
    const down = quoted(quoteVacancy(outlook("state", 12), atMost(rateBps), size));
    assertNear(up.fairValue + down.fairValue, 1, 1e-15);
    assert.ok(up.price > up.fairValue && down.price > down.fairValue);
    assert.ok(up.price + down.price > 1);
  }
  const [low, high] = [700, 900].map((rateBps) =>
    quoted(quoteVacancy(outlook("metro", 12), atLeast(rateBps), size)),
  );
  assert.ok(low !== undefined && high !== undefined && low.price > high.price);
});

test("add-ons: sampling error by level, default volatility, age beyond the next print", () => {
  const clean = {
    level: "nation",
    usedDefaultVol: false,
    asOfAgeMonths: 4,
  } as const;
  assert.equal(vacancyQualityBps(clean), 0);
  assert.equal(vacancyQualityBps({ ...clean, level: "state" }), 50);
  assert.equal(vacancyQualityBps({ ...clean, level: "metro" }), 100);
  assert.equal(vacancyQualityBps({ ...clean, level: "zip", usedDefaultVol: true }), 150);
  assert.equal(vacancyQualityBps({ ...clean, asOfAgeMonths: 5 }), 50);
  const price = (dataQualityBps: number): number =>
    quoted(quoteVacancy(outlook("state", 12), atLeast(800), { ...size, dataQualityBps })).price;
  assertNear(price(150) - price(0), 0.015, 1e-15);
});

test("an open contract: the chance now, and after a quarter one in a hundred is worse than", () => {
  const open = {
    rates: [6.1, 6.8, 7, 7.6],
    level: "state",
    group: undefined,
    horizonMonths: 12,
    trigger: atLeast(800),
  } as const;
  const features = vacancyFeaturesOf(open.rates, "state", undefined);
  assert.ok(features !== undefined);
  const known = vacancyDistributionOf({ level: "state", features, horizonMonths: 12 });
  assert.equal(openVacancyChance(open), vacancyChance(known, atLeast(800)));

  // The quarter beyond which one in a hundred lies is the next print; three of four are left.
  const next = vacancyDistributionOf({ level: "state", features, horizonMonths: 3 });
  const adverse = next.mu + 3.142668403 * next.s;
  assertNear(studentT6((next.mu - adverse) / next.s), 0.01, 1e-11);
  const rates = [...open.rates, 100 / (1 + Math.exp(-adverse))];
  const later = openVacancyChance({ ...open, rates, horizonMonths: 9 });
  assertNear(stressedVacancyChance(open) ?? Number.NaN, later ?? Number.NaN, 1e-8);

  // With one quarter left it is the payout: the adverse quarter lies beyond 8 %, not beyond 20 %.
  assert.ok(rates.at(-1) !== undefined && (rates.at(-1) ?? 0) > 8 && (rates.at(-1) ?? 0) < 20);
  const stress = (trigger: RateTrigger) =>
    stressedVacancyChance({ ...open, horizonMonths: 3, trigger });
  assert.deepEqual([stress(atLeast(800)), stress(atLeast(2_000))], [1, 0]);
  assert.deepEqual([stress(atMost(700)), stress(atMost(100))], [1, 0]);

  for (const far of [{ horizonMonths: 37 }, { horizonMonths: 0 }, { rates: [] }]) {
    assert.equal(openVacancyChance({ ...open, ...far }), undefined);
    assert.equal(stressedVacancyChance({ ...open, ...far }), undefined);
  }
});

test("what cannot be priced is refused with its reason", () => {
  for (const horizonMonths of [0, 37, 1.5, Number.NaN]) {
    assert.deepEqual(quoteVacancy(outlook("state", horizonMonths), atLeast(800), size), {
      status: "refused",
      refusal: { code: "HORIZON_OUT_OF_RANGE", minMonths: 1, maxMonths: 36 },
    });
  }
  assert.equal(quoteVacancy(outlook("state", 36), atLeast(800), size).status, "quoted");
  for (const rateBps of [0, 10_000, 2.5]) {
    const result = quoteVacancy(outlook("state", 12), atLeast(rateBps), size);
    assert.deepEqual(result, { status: "refused", refusal: { code: "INVALID_STRIKE" } });
  }
});
