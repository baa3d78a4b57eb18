// The loads of a price that follow from the contract: the carry by the rule, the load for a bust.
// Invariant: a bust is charged in proportion to the boom, up to two points, and never more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { monthOf } from "#base/month.ts";
import { nearestTick } from "#base/price.ts";
import { PARTS_PER_MICRO, shortRate } from "#core/margin/requirement.ts";
import { loadsOf } from "#pricing/loads.ts";
import { markOf, stressed } from "#pricing/mark.ts";
import { firstLoads, quoteLayered } from "#pricing/quote.ts";
import { flatRisk } from "#test/core/publish-marks.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;

/** A county of a state that grew so much a year in five years. */
const contract = (g60: number, horizonMonths: number, index: "zhvi" | "zori" = "zhvi") => {
  const logLevels = Array.from({ length: 40 }, (_, at) => 5 + 0.003 * at);
  const asOfMonth = monthOf(2025, 6);
  const region = { momentum: 0.03, g60 };
  const place = { index, level: "county", asOfMonth, logLevels, vRef: 0.0115 } as const;
  const node = { ...place, model: "hmr-t4r", nation: region, state: region } as const;
  return { node, horizonMonths, accruedLogChange: 0, payoff: layer } as const;
};

test("the load for a bust grows with the boom, is whole at two points, and needs one", () => {
  // California fell by more than the layer in each of these spans: it would pay in full.
  for (const [months, years] of [
    [12, 1],
    [36, 3],
  ] as const) {
    const at = (g60: number) => loadsOf(contract(g60, months), "CA", 0.04).bustLoad;
    const shares = [0.02, 0.04, 0.045, 0.05, 0.06, 0.09].map((g60) => at(g60) / (0.03 * years));
    for (const [index, share] of [0, 0, 0.25, 0.5, 1, 1].entries()) {
      assert.ok(Math.abs((shares[index] ?? Number.NaN) - share) < 1e-12, `${shares}`);
    }
  }
  assert.equal(loadsOf(contract(0.09, 36), undefined, 0.04).bustLoad, 0, "in no state");
  assert.equal(loadsOf(contract(0.09, 36, "zori"), "CA", 0.04).bustLoad, 0, "rents");
  assert.equal(loadsOf(contract(0.09, 36), "ND", 0.04).bustLoad, 0, "a state that did not fall");
});

test("the margin behind the carry is the exchange's, with one adverse print for a scenario", () => {
  for (const [months, accruedLogChange] of [
    [6, 0],
    [12, -0.03],
    [12, -0.08],
    [36, 0],
    [36, -0.05],
    [36, -0.2],
  ] as const) {
    const fallen = { ...contract(0.04, months), accruedLogChange };
    const { expectedMargin } = loadsOf(fallen, "CA", 0.04);
    const [mark, stress] = [markOf(fallen), stressed(fallen)];
    assert.ok(mark.status !== "refused" && stress.status !== "refused");
    const [markTick, stressedTick] = [nearestTick(mark.value), nearestTick(stress.value)];
    const riskTicks = flatRisk(stressedTick);
    const { initial } = shortRate({ markTick, stressedTick, riskTicks, resolution: null }, 500);
    const bound = Number(initial) / Number(PARTS_PER_MICRO) / 10_000;
    assert.ok(Math.abs((expectedMargin ?? 0) - bound) < 3e-4, `${expectedMargin}, bound ${bound}`);
  }
});

test("the carry is the rule's rate, a year, on the margin; the first model has its own", () => {
  const open = contract(0.04, 24);
  const [none, usual, twice] = [0, 0.04, 0.08].map((rate) => loadsOf(open, "CA", rate));
  assert.ok(usual?.expectedMargin !== undefined && usual.expectedMargin > 0.05);
  const features = { m: 0.03, g60: 0.04, lv: 0, mN: 0.03, mS: 0.03, g60N: 0.04, g60S: 0.04 };
  const { model, index, level, asOfMonth } = open.node;
  const placed = { model, index, level, asOfMonth, horizonMonths: 24 } as const;
  const outlook = { ...placed, features: { ...features, usedDefaultVol: false } };
  const carries = [none, usual, twice].map((loads = assert.fail()) => {
    const quoted = quoteLayered(outlook, layer, { coverageUsd: 1, dataQualityBps: 0, loads });
    assert.ok(quoted.status === "quoted");
    return quoted.quote.parts.carry;
  });
  const expected = 0.04 * 2 * usual.expectedMargin;
  assert.deepEqual(carries, [0, expected, 2 * expected]);
  const first = { ...open, node: { ...open.node, model: "hmr-t4" } } as const;
  assert.equal(loadsOf(first, "CA", 0.08), firstLoads, "whatever the rule");
});
