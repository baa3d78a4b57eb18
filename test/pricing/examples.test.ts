// Worked examples of the model, as literals: special functions, constants, quotes, refusals.
// Invariant: the figures were computed apart from this code and are never regenerated from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, monthOf } from "#base/month.ts";
import type { PricingLevel } from "#pricing/constants.ts";
import {
  distributionOf,
  type Outlook,
  studentT4,
  studentT4Quantile,
} from "#pricing/distribution.ts";
import { constantsAt } from "#pricing/horizon.ts";
import {
  type BinaryQuote,
  dataQualityAddOnBps,
  firstLoads,
  type LayeredQuote,
  type QuoteResult,
  quoteBinary,
  quoteLayered,
  tickUp,
} from "#pricing/quote.ts";

const asOfMonth = monthOf(2025, 6);
const size = { coverageUsd: 10_000, dataQualityBps: 0, loads: firstLoads };

function assertNear(actual: number, expected: number, tolerance: number, what = "value") {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} is ${actual}, not ${expected}`);
}

function quoted<Quote>(result: QuoteResult<Quote>): Quote {
  assert.ok(result.status === "quoted", JSON.stringify(result));
  return result.quote;
}

type Inputs = readonly [m: number, g60: number, lv: number, mN: number, mS: number];

const outlook = (
  level: PricingLevel,
  horizonMonths: number,
  [m, g60, lv, mN, mS]: Inputs,
): Outlook => ({
  model: "hmr-t4",
  index: "zhvi",
  level,
  asOfMonth,
  horizonMonths,
  features: { m, g60, lv, mN, mS, g60N: 0.07, g60S: 0.08, usedDefaultVol: false },
});

const calm = outlook("county", 12, [0.04, 0.045, 0, 0.04, 0.04]);
const soft = outlook("county", 12, [-0.01, 0.06, 0.2, 0.01, 0]);
const boom = outlook("zip", 24, [0.12, 0.1, 0.3, 0.1, 0.11]);
const bust = outlook("metro", 12, [-0.12, 0.05, 0.5, -0.08, -0.1]);
const young = outlook("zip", 18, [0.02, 0.04, 0, 0.02, 0.02]);

test("Student-t(4): distribution and quantile", () => {
  assertNear(studentT4(-2.5), 0.033383272405994, 1e-15);
  assertNear(studentT4(0.7), 0.738749917203275, 1e-15);
  assert.equal(studentT4(0), 0.5);
  // The usual form of the same function, where it has not yet lost its digits.
  for (let z = -6; z <= 6; z += 0.01) {
    const w = z / Math.sqrt(4 + z * z);
    assertNear(studentT4(z), 0.5 + 0.75 * w * (1 - (w * w) / 3), 1e-15, `T4(${z})`);
  }
  // Far out the tail is 3/z⁴, which that form cannot see.
  assertNear(studentT4(-1e5) * 1e20, 3, 1e-6);
  assertNear(studentT4Quantile(0.01), -3.746947387979196, 1e-13);
  for (const p of [1e-4, 0.01, 0.2, 0.4999, 0.5, 0.7, 0.99]) {
    assertNear(studentT4(studentT4Quantile(p)), p, 1e-9, `T4 at the quantile of ${p}`);
  }
});

test("constants between knots: h = 9, and below the first knot", () => {
  const nine = constantsAt("hmr-t4", "zhvi", 9);
  const expected = [0.01055, 0.28525, -0.181, 0.1129, 0.2766, 0, 0];
  for (const [at, b] of nine.b.entries()) assertNear(b, expected[at] ?? Number.NaN, 1e-15);
  assertNear(nine.gamma, 0.2375, 1e-15);
  assertNear(nine.delta, 6.9165, 1e-14);
  assertNear(nine.eta, 4.4035, 1e-14);
  assertNear(nine.tau, 0.01914770801618, 1e-14);

  const one = constantsAt("hmr-t4", "zhvi", 1);
  assertNear(one.b[1], 0.081 / 3, 1e-15);
  assertNear(one.tau, 0.0103 * Math.sqrt(1 / 3), 1e-15);
  assert.equal(one.gamma, 0.322);
  assertNear(constantsAt("hmr-t4", "zhvi", 60).tau, 0.12535, 1e-15);
});

test("worked quotes: location, scale, layers, prices", () => {
  const cases: readonly (readonly [Outlook, number, number, number, number, readonly number[]])[] =
    [
      [calm, 0.0391465, 0.0270357002, 200, 1000, [0.01446683, 0.04657414, 0.00295262, 0.02987994]],
      [calm, 0.0391465, 0.0270357002, 500, 1500, [0.00431135, 0.01434832, 0.00086302, 0.01671262]],
      [calm, 0.0391465, 0.0270357002, 800, 2000, [0.00157951, 0.00528027, 0.00031593, 0.01333623]],
      [soft, -0.002299, 0.042743119, 500, 1500, [0.05151026, 0.15780082, 0.00998707, 0.07925099]],
      [boom, 0.149734, 0.1099696348, 500, 1500, [0.0427417, 0.07077582, 0.02344695, 0.08395621]],
      [bust, -0.090591, 0.0672252031, 500, 1500, [0.42580103, 0.70488937, 0.17245381, 0.51414415]],
      [young, 0.036354, 0.0473390045, 500, 1500, [0.0256621, 0.0688764, 0.00684219, 0.05163028]],
    ];
  const spreads = [154, 124, 118, 277, 412, 883, 260];
  for (const [at, [node, mu, s, attachBps, exhaustBps, values]] of cases.entries()) {
    assertNear(distributionOf(node).mu, mu, 1e-12, `mu of case ${at}`);
    assertNear(distributionOf(node).s, s, 5e-11, `s of case ${at}`);
    const quote = quoted(quoteLayered(node, { attachBps, exhaustBps }, size));
    const found = [quote.fairValue, quote.anyClaimProb, quote.fullLimitProb, quote.price];
    for (const [k, value] of values.entries()) {
      assertNear(found[k] ?? Number.NaN, value, 5.1e-9, `value ${k} of case ${at}`);
    }
    assert.equal(quote.spreadBps, spreads[at]);
  }

  const binary = quoted(quoteBinary(calm, 500, size));
  assertNear(binary.fairValue, 0.01434832, 5.1e-9);
  assertNear(binary.price, 0.02951315, 5.1e-9);
  assert.equal(binary.spreadBps, 152);
  assert.equal(binary.anyClaimProb, binary.fairValue);

  // A six-month metro from June to December: ZHVI has no seasonal term.
  const metro = outlook("metro", 6, [0.04, 0.045, 0, 0.04, 0.04]);
  assertNear(distributionOf(metro).mu, 0.0196435, 1e-12);
  const layer = quoted(quoteLayered(metro, { attachBps: 200, exhaustBps: 1000 }, size));
  assertNear(layer.fairValue, 0.00855012, 5.1e-9);
  assertNear(layer.anyClaimProb, 0.03958463, 5.1e-9);
});

test("USD amounts, deductible and exposure", () => {
  const amounts = (attachBps: number, exhaustBps: number, coverageUsd: number): LayeredQuote =>
    quoted(quoteLayered(calm, { attachBps, exhaustBps }, { ...size, coverageUsd }));
  assert.equal(amounts(200, 1000, 10_000).deductibleUsd, 2_500);
  assert.equal(amounts(500, 1500, 10_000).deductibleUsd, 5_000);
  assertNear(amounts(800, 2000, 10_000).deductibleUsd, 6_666.67, 0.005);
  assert.equal(amounts(200, 1000, 10_000).impliedExposureUsd, 125_000);
  assert.equal(amounts(500, 1500, 10_000).impliedExposureUsd, 100_000);
  assertNear(amounts(800, 2000, 10_000).impliedExposureUsd, 83_333.33, 0.005);
  assert.equal(amounts(1000, 2000, 50_000).deductibleUsd, 50_000);
  assert.equal(amounts(1000, 2000, 50_000).impliedExposureUsd, 500_000);

  const quote = amounts(200, 1000, 25_000);
  assertNear(quote.premiumUsd, 25_000 * 0.02987994, 1.3e-4);
  assert.equal(quote.maxPayoutUsd, 25_000);
  assertNear(quote.sellerCollateralUsd + quote.premiumUsd, 25_000, 1e-9);
});

test("the limit tick is the next one up, and stays on the grid", () => {
  assert.equal(
    quoted(quoteLayered(calm, { attachBps: 200, exhaustBps: 1000 }, size)).limitTick,
    299,
  );
  assert.equal(tickUp(0.03), 300);
  assert.equal(tickUp(0.1 + 0.2), 3_000);
  assert.equal(tickUp(0.03001), 301);
  assert.equal(tickUp(0), 1);
  assert.equal(tickUp(1), 9_999);
});

test("data-quality add-ons: each alone, all together, and in the price", () => {
  const clean = {
    index: "zhvi",
    level: "county",
    usedDefaultVol: false,
    payoff: { kind: "layered", attachBps: 500, exhaustBps: 1500 },
    asOfAgeMonths: 2,
  } as const;
  const bespoke = { kind: "layered", attachBps: 500, exhaustBps: 1400 } as const;
  assert.equal(dataQualityAddOnBps(clean), 0);
  assert.equal(dataQualityAddOnBps({ ...clean, usedDefaultVol: true }), 50);
  assert.equal(dataQualityAddOnBps({ ...clean, level: "zip" }), 25);
  assert.equal(dataQualityAddOnBps({ ...clean, level: "neighborhood" }), 25);
  assert.equal(dataQualityAddOnBps({ ...clean, index: "zori" }), 25);
  assert.equal(dataQualityAddOnBps({ ...clean, payoff: bespoke }), 50);
  assert.equal(dataQualityAddOnBps({ ...clean, payoff: { kind: "binary", strikeBps: 250 } }), 0);
  assert.equal(dataQualityAddOnBps({ ...clean, asOfAgeMonths: 3 }), 50);
  assert.equal(dataQualityAddOnBps({ ...clean, asOfAgeMonths: 5 }), 150);
  const worst = { index: "zori", level: "zip", usedDefaultVol: true, payoff: bespoke } as const;
  assert.equal(dataQualityAddOnBps({ ...worst, asOfAgeMonths: 4 }), 250);

  const price = (dataQualityBps: number): BinaryQuote =>
    quoted(quoteBinary(calm, 500, { coverageUsd: 1, dataQualityBps, loads: firstLoads }));
  assertNear(price(75).price - price(0).price, 0.0075, 1e-15);
  assert.equal(price(75).fairValue, price(0).fairValue);
  assert.equal(price(20_000).price, 1);
});

test("what cannot be priced is refused with its reason", () => {
  const layer = { attachBps: 500, exhaustBps: 1500 };
  for (const horizonMonths of [0, -1, 61, 1.5, Number.NaN]) {
    assert.deepEqual(quoteLayered({ ...calm, horizonMonths }, layer, size), {
      status: "refused",
      refusal: { code: "HORIZON_OUT_OF_RANGE", minMonths: 1, maxMonths: 60 },
    });
  }
  assert.equal(quoteLayered({ ...calm, horizonMonths: 60 }, layer, size).status, "quoted");
  assert.deepEqual(quoteBinary({ ...calm, index: "zori", horizonMonths: 37 }, 500, size), {
    status: "refused",
    refusal: { code: "HORIZON_OUT_OF_RANGE", minMonths: 1, maxMonths: 36 },
  });
  assert.equal(
    quoteBinary({ ...calm, index: "zori", horizonMonths: 36 }, 500, size).status,
    "quoted",
  );

  const layers = [
    [500, 500],
    [500, 400],
    [-1, 500],
    [500, 10_001],
    [0.5, 500],
  ] as const;
  for (const [attachBps, exhaustBps] of layers) {
    const result = quoteLayered(calm, { attachBps, exhaustBps }, size);
    assert.deepEqual(result, { status: "refused", refusal: { code: "INVALID_LAYER" } });
  }
  for (const strike of [0, 10_000, 2.5]) {
    const result = quoteBinary(calm, strike, size);
    assert.deepEqual(result, { status: "refused", refusal: { code: "INVALID_STRIKE" } });
  }
  const whole = quoted(quoteLayered(calm, { attachBps: 0, exhaustBps: 10_000 }, size));
  assert.equal(whole.fullLimitProb, 0);
});

test("rents: fitted constants, kappa 1, and the season between the two months", () => {
  const around = { mN: 0.02, mS: 0.04, g60N: 0.07, g60S: 0.08 };
  const features = { m: 0.03, g60: 0.05, lv: 0.1, ...around, usedDefaultVol: false };
  const rent = (month: number, horizonMonths: number) =>
    distributionOf({
      model: "hmr-t4",
      index: "zori",
      level: "city",
      features,
      asOfMonth: addMonths(monthOf(2025, 1), month - 1),
      horizonMonths,
    });
  // A year on: no season. 0.0223 + .1659·.03 − .1742·.05 + .1597·.02 + .4086·.04
  assertNear(rent(3, 12).mu, 0.038105, 1e-12);
  // 1.1 · .02206 · exp(.14·.1 + 6.41·.01 + 5.711·.02) = .024266 · exp(.19232)
  assertNear(rent(3, 12).s, 0.024266 * Math.exp(0.19232), 1e-12);
  // Half a year, June → December: 0.0079 + .0271·.03 − .0574·.05 + .0968·.02 + .2797·.04 = .018967
  assertNear(rent(6, 6).mu, 0.018967 - 0.0058 - 0.0049, 1e-12);
  assertNear(rent(12, 6).mu, 0.018967 + 0.0049 + 0.0058, 1e-12);
  // Below the first knot: location by the horizon, scale by its root.
  assertNear(rent(4, 3).mu, 0.018967 / 2 + 0.0061, 1e-12);
  assertNear(rent(4, 3).s, rent(4, 6).s * Math.sqrt(0.5), 1e-15);
});
