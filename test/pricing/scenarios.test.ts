// The worth of open contracts after each scenario, against the same shocks put together by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, monthOf } from "#base/month.ts";
import { scenarios } from "#contract/scenarios.ts";
import { NATION_BETA, STATE_BETA } from "#pricing/constants.ts";
import { cumulative, distributionOf } from "#pricing/distribution.ts";
import { type FeatureInput, featuresOf } from "#pricing/features.ts";
import { constantsAt } from "#pricing/horizon.ts";
import { fairValueOf } from "#pricing/mark.ts";
import { type Remaining, valuesAfter } from "#pricing/scenarios.ts";

const asOfMonth = monthOf(2_026, 6);
const logLevels = Array.from({ length: 61 }, (_, at) => 0.004 * at + 0.003 * Math.sin(at));
const node: FeatureInput = {
  index: "zhvi",
  level: "county",
  asOfMonth,
  logLevels,
  vRef: 0.011,
  model: "hmr-t4r",
  nation: { momentum: 0.04, g60: 0.03 },
  state: { momentum: 0.05, g60: 0.06 },
};
const payoff = { kind: "layered", attachBps: 500, exhaustBps: 1_500 } as const;
const worth = (remaining: Remaining): number => fairValueOf({ ...remaining, payoff });

function valuesOf(stateCode: string, horizonMonths: number, accruedLogChange = 0, given = node) {
  const open = { node: given, horizonMonths, accruedLogChange };
  const values = valuesAfter({ ...open, stateCode, worth });
  return { now: worth(open), values };
}

const column = (id: string): number => scenarios.findIndex((scenario) => scenario.id === id);
const at = ({ values }: { readonly values: readonly number[] }, id: string): number =>
  values[column(id)] ?? assert.fail(id);

test("every column has a value, none below the worth of now but after a rise", () => {
  for (let horizon = 1; horizon <= 60; horizon += 1) {
    for (const accrued of [-0.3, -0.08, 0, 0.1]) {
      const found = valuesOf("CA", horizon, accrued);
      assert.equal(found.values.length, scenarios.length);
      for (const [index, value] of found.values.entries()) {
        assert.ok(value >= 0 && value <= 1, `${scenarios[index]?.id} ${value}`);
        if (scenarios[index]?.direction === "down") assert.ok(value >= found.now);
      }
    }
  }
});

test("with the constants of a time, a fall that was not over by then is unknown", () => {
  const constants = Array.from({ length: 36 }, (_, at) => constantsAt("hmr-t4r", "zhvi", at + 1));
  const inYear = (year: number, given: Partial<FeatureInput>) =>
    valuesOf("CA", 24, 0, { ...node, asOfMonth: monthOf(year, 6), ...given });
  for (const [id, year] of [
    ["replay-2006", 2012],
    ["replay-1989", 1996],
  ] as const) {
    const before = inYear(year, { constants });
    assert.equal(at(before, id), before.now);
    assert.ok(at(inYear(year + 1, { constants }), id) > before.now);
    assert.ok(at(inYear(year, {}), id) > before.now, "production knows all of them");
  }
});

test("three prints together: the history goes on, state and nation go with it", () => {
  const months = 3;
  const { model, index, level } = node;
  const outlook = { model, index, level, asOfMonth, horizonMonths: months };
  const together = distributionOf({ ...outlook, features: featuresOf(node) });
  // Where one in a hundred lies lower, found by halving.
  let [low, change] = [-2, 0];
  for (let turn = 0; turn < 100; turn += 1) {
    const middle = (low + change) / 2;
    if (cumulative(together, middle) < 0.01) low = middle;
    else change = middle;
  }
  const last = logLevels.at(-1) ?? 0;
  const later = [...logLevels, last + change / 3, last + (2 * change) / 3, last + change];
  const after = { ...node, asOfMonth: addMonths(asOfMonth, months), logLevels: later };
  const [now, then] = [featuresOf(node), featuresOf(after)];
  const [moved, grown] = [then.m - now.m, then.g60 - now.g60];
  assert.ok(moved < 0 && grown < 0);
  const expected = worth({
    node: {
      ...after,
      state: { momentum: 0.05 + STATE_BETA * moved, g60: 0.06 + STATE_BETA * grown },
      nation: { momentum: 0.04 + NATION_BETA * moved, g60: 0.03 + NATION_BETA * grown },
    },
    horizonMonths: 21,
    accruedLogChange: -0.02 + change,
  });
  assert.ok(Math.abs(at(valuesOf("CA", 24, -0.02), "all-3") - expected) < 1e-12);
  const still = worth({ node: after, horizonMonths: 21, accruedLogChange: -0.02 + change });
  assert.ok(expected > still, "a place that falls alone falls less");
});

test("a region falls alone: places of the others, and the nation, stay where they are", () => {
  const found = valuesOf("CA", 24);
  assert.ok(at(found, "west") > at(found, "all-6"), "1 in 1,000 is worse than 1 in 100");
  for (const id of ["northeast", "midwest", "south"]) assert.equal(at(found, id), found.now);
  const nowhere = valuesOf("", 24);
  for (const id of ["northeast", "midwest", "south", "west"]) {
    assert.equal(at(nowhere, id), nowhere.now);
  }
});

test("replays and the missing print settle: the payout by hand", () => {
  const paid = (fall: number): number => Math.min(1, Math.max(0, (fall - 0.05) / 0.1));
  const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9);
  // Arizona's years over 12 months: 24.7 %; half way to 3 months: 4.1 %; all others: 7.2 %.
  near(at(valuesOf("FL", 12), "replay-2006"), 1);
  near(at(valuesOf("OH", 12), "replay-2006"), paid(0.072));
  near(at(valuesOf("OH", 24), "replay-2006"), paid(0.111));
  near(at(valuesOf("CA", 18), "replay-1989"), paid(0.08));
  near(at(valuesOf("TX", 12), "replay-1985"), paid(0.119));
  const ohio = valuesOf("OH", 12);
  assert.equal(at(ohio, "replay-1985"), ohio.now, "it did not reach Ohio");
  near(at(valuesOf("OH", 12, Math.log(0.91)), "missing-print"), paid(0.09));
  const short = valuesOf("OH", 6);
  assert.ok(at(short, "minus-20") >= paid(1 - Math.exp(Math.log(0.8) / 4)));
  near(at(valuesOf("OH", 24), "minus-20"), 1);
});

test("more prints are worse than one, a rise is good, and a short history is priced too", () => {
  for (const given of [node, { ...node, logLevels: [0], state: undefined }]) {
    const found = valuesOf("GA", 36, 0, given);
    const one = at(found, "all-1");
    assert.ok(one > found.now);
    // A fast quarter is taken to go on: it may be worse than a year that fell by more.
    for (const id of ["all-3", "all-6", "all-12"]) assert.ok(at(found, id) > one, id);
    assert.ok(at(found, "up-12") < found.now);
  }
});
