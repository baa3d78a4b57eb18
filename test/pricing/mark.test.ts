// Marks: what the index has done counts, and the stressed mark is the day after a bad print.
// Invariant: each stressed figure is rebuilt here step by step from its published definition.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, monthOf } from "#base/month.ts";
import { cumulative, distributionOf, survival } from "#pricing/distribution.ts";
import { featuresOf } from "#pricing/features.ts";
import { type MarkResult, markOf, type OpenContract, stressed, valueAfter } from "#pricing/mark.ts";
import { firstLoads, quoteLayered } from "#pricing/quote.ts";

const asOfMonth = monthOf(2025, 6);
const logLevels = Array.from({ length: 40 }, (_, i) => 5 + 0.003 * i + 0.004 * Math.sin(i / 3));

const contract: OpenContract = {
  node: {
    model: "hmr-t4r",
    index: "zhvi",
    level: "county",
    asOfMonth,
    logLevels,
    vRef: 0.0115,
    nation: { momentum: 0.03, g60: 0.04 },
    state: { momentum: 0.02, g60: 0.07 },
  },
  horizonMonths: 12,
  accruedLogChange: 0,
  payoff: { kind: "layered", attachBps: 200, exhaustBps: 1000 },
};

function marked(result: MarkResult) {
  assert.ok(result.status === "marked", JSON.stringify(result));
  return result;
}

function assertNear(actual: number, expected: number, tolerance = 1e-12) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} not ${expected}`);
}

const outlookOf = ({ node, horizonMonths }: OpenContract) => ({
  model: node.model,
  index: node.index,
  level: node.level,
  asOfMonth: node.asOfMonth,
  horizonMonths,
  features: featuresOf(node),
});

/** The 1 % quantile of the one-month change; of one regime with Student-t(4)'s from a table. */
function adverseChange(open: OpenContract): number {
  const next = distributionOf(outlookOf({ ...open, horizonMonths: 1 }));
  if (next.bust === undefined) return next.mu - 3.746947387979196 * next.s;
  // Of two by walking down to it, ever finer.
  let y = next.mu;
  for (let step = 0.1; step > 1e-17; step /= 10) {
    while (cumulative(next, y - step) > 0.01) y -= step;
  }
  return y;
}

test("with the baseline at the as-of month the mark is the fair value", () => {
  const result = quoteLayered(
    outlookOf(contract),
    { attachBps: 200, exhaustBps: 1000 },
    { coverageUsd: 1, dataQualityBps: 0, loads: firstLoads },
  );
  assert.ok(result.status === "quoted");
  const mark = marked(markOf(contract));
  assert.equal(mark.value, result.quote.fairValue);
  assert.equal(mark.tick, Math.max(1, Math.round(10_000 * result.quote.fairValue)));
});

test("what the index has done since the baseline counts in full", () => {
  const payoff = { kind: "binary", strikeBps: 500 } as const;
  const fallen = { ...contract, payoff, accruedLogChange: -0.03 };
  // Having fallen by e^−.03 already, 5 % in all needs ln .95 + .03 from here.
  const left = 1 - Math.exp(Math.log(0.95) + 0.03);
  assertNear(marked(markOf(fallen)).value, survival(distributionOf(outlookOf(contract)), left));
  const risen = marked(markOf({ ...contract, accruedLogChange: 0.2 })).value;
  assert.ok(risen < marked(markOf(contract)).value);
  assert.ok(marked(markOf({ ...contract, accruedLogChange: -0.3 })).value > 0.99);
});

test("the value after a scenario: features as they then are, the change, the months left", () => {
  const { payoff } = contract;
  const outlook = outlookOf(contract);
  assert.equal(valueAfter(outlook, 0, payoff), marked(markOf(contract)).value);
  const worse = { ...outlook, features: { ...outlook.features, mS: -0.2, g60S: 0.15 } };
  const value = valueAfter({ ...worse, horizonMonths: 11 }, -0.04, payoff);
  const steps = 20_000;
  let sum = 0;
  const distribution = distributionOf({ ...worse, horizonMonths: 11 });
  for (let at = 0; at < steps; at += 1) {
    const decline = 0.02 + (0.08 * (at + 0.5)) / steps;
    sum += cumulative(distribution, Math.log(1 - decline) + 0.04);
  }
  assertNear(value, sum / steps, 1e-9);
  assert.equal(
    valueAfter({ ...worse, horizonMonths: 0 }, Math.log(0.94), payoff).toFixed(12),
    "0.500000000000",
  );
});

test("stressed: one adverse print appended, features anew, one month less", () => {
  for (const [index, model] of [
    ["zhvi", "hmr-t4r"],
    ["zori", "hmr-t4r"],
    ["zhvi", "hmr-t4"],
    ["zori", "hmr-t4"],
  ] as const) {
    const open = { ...contract, node: { ...contract.node, index, model } };
    const change = adverseChange(open);
    const after = {
      ...open,
      node: {
        ...open.node,
        asOfMonth: addMonths(asOfMonth, 1),
        logLevels: [...logLevels, (logLevels.at(-1) ?? Number.NaN) + change],
      },
      horizonMonths: 11,
      accruedLogChange: change,
    };
    const shock = marked(stressed(open));
    assert.ok(change < 0);
    assertNear(shock.value, marked(markOf(after)).value);
    assert.ok(shock.value > marked(markOf(open)).value);
    assert.equal(shock.tick, Math.ceil(shock.value * 10_000));
  }
});

test("stressed with one month left: the adverse print settles it", () => {
  const near = { ...contract, horizonMonths: 1, accruedLogChange: -0.04 };
  const decline = 1 - Math.exp(-0.04 + adverseChange(near));
  assertNear(marked(stressed(near)).value, (decline - 0.02) / 0.08);
  const binary = { ...near, payoff: { kind: "binary", strikeBps: 500 } as const };
  assert.equal(marked(stressed(binary)).value, 1);
  assert.equal(marked(stressed(binary)).tick, 9_999);
});

test("stressed is never below the mark, and never outside 0…1", () => {
  for (let horizonMonths = 1; horizonMonths <= 60; horizonMonths += 1) {
    for (const accruedLogChange of [-0.5, -0.2, -0.1, -0.05, 0, 0.05, 0.3]) {
      const open = { ...contract, horizonMonths, accruedLogChange };
      const mark = marked(markOf(open));
      const shock = marked(stressed(open));
      assert.ok(mark.value >= 0 && shock.value >= mark.value && shock.value <= 1);
      assert.ok(shock.tick >= mark.tick);
    }
  }
});

test("a horizon or payoff that cannot be priced is refused by both", () => {
  const late = { ...contract, horizonMonths: 0 };
  const refusal = { code: "HORIZON_OUT_OF_RANGE", minMonths: 1, maxMonths: 60 };
  assert.deepEqual(markOf(late), { status: "refused", refusal });
  assert.deepEqual(stressed(late), { status: "refused", refusal });
  const empty = { kind: "layered", attachBps: 500, exhaustBps: 500 } as const;
  const invalid = { status: "refused", refusal: { code: "INVALID_LAYER" } };
  assert.deepEqual(stressed({ ...contract, payoff: empty }), invalid);
});
