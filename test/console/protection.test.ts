// The console's own arithmetic and words: payoffs as the terms say them, months and money as people
// read them. What is owed is decided by the exchange alone; a difference here would mislead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chainLevelOf, firstLevel } from "#base/print-value.ts";
import { layeredFraction } from "#contract/payoff.ts";
import {
  coverageOf,
  deductibleOf,
  layers,
  levelPayment,
  paidShare,
  pastOf,
} from "../../console/src/parts/protection.ts";
import { scales, stepOf } from "../../console/src/screens/home/scales.ts";
import {
  chanceWords,
  change,
  dollars,
  layerOf,
  monthAfter,
  monthsBetween,
  monthWords,
  percent,
} from "../../console/src/words.ts";

test("a fall pays as the contract's own payoff says, at every layer and every fall", () => {
  for (const layer of layers) {
    for (let fallBps = -500; fallBps <= 2_500; fallBps += 25) {
      const settled = layeredFraction(
        firstLevel,
        chainLevelOf(BigInt(10_000 - fallBps) * 100_000_000n),
        layer.attach * 100,
        layer.exhaust * 100,
      );
      const shown = Math.floor(paidShare(fallBps / 100, layer) * 1e6 + 1e-6);
      assert.equal(shown, Number(settled), `${fallBps} bps of ${layer.attach}-${layer.exhaust}`);
    }
  }
  const [first = { attach: 0, exhaust: 0 }] = layers;
  assert.equal(coverageOf(500_000, first), 40_000);
  assert.equal(deductibleOf(500_000, first), 10_000);
});

test("monthly payments are those of the documented example", () => {
  // docs/concepts/premiums.md: 8 is lent at 9 %, two payments of 4.045057.
  assert.equal(levelPayment(8, 900, 2).toFixed(5), "4.04506");
  assert.equal(levelPayment(12, 0, 12), 1);
});

test("the past counts every month in which a protection could have begun", () => {
  const values = [100, 100, 95, 90, 99];
  const prints = values.map((value, index) => ({ month: monthAfter("2025-11", index), value }));
  assert.deepEqual(pastOf(prints, 2, { attach: 2, exhaust: 10 }), {
    from: "2025-11",
    to: "2026-01",
    count: 3,
    paid: 2,
    full: 1,
    meanShare: (3 / 8 + 1 + 0) / 3,
    worst: { fall: 10, month: "2025-12" },
  });
  assert.equal(pastOf(prints, 5, { attach: 2, exhaust: 10 }), undefined);
});

test("months, money, percentages and chances are said as people say them", () => {
  assert.equal(monthWords("2027-10"), "October 2027");
  assert.equal(monthAfter("2026-10", 15), "2028-01");
  assert.equal(monthsBetween("2026-10", "2028-01"), 15);
  assert.equal(dollars(-1_234_567.4), "−$1,234,567");
  assert.deepEqual(
    [percent(4.25), change(-4.25), change(0.04), change(3)],
    ["4.3%", "−4.3%", "0.0%", "+3.0%"],
  );
  assert.deepEqual([0.0475, 0.4, 0.6, 0.99, 0.0001].map(chanceWords), [
    "about 1 in 21",
    "about 1 in 2.5",
    "about 6 in 10",
    "almost certain",
    "less than 1 in 1,000",
  ]);
  assert.deepEqual(layerOf("srs.zhvi.zip-10001.b2026-10.e2027-10.L0500-1500"), [5, 15]);
  assert.equal(layerOf("srs.zhvi.state-fl.b2026-10.e2027-10.K0300"), undefined);
});

test("each value of the map has one step, and its legend says that step's bounds", () => {
  assert.equal(stepOf("change", -5)?.words, "−5 to −2");
  assert.equal(stepOf("change", -5.01)?.words, "−5% or less");
  assert.equal(stepOf("change", 5)?.words, "5% or more");
  assert.equal(stepOf("price", 0)?.words, "under 2%");
  assert.equal(stepOf("price", undefined), undefined);
  for (const { bounds, steps } of Object.values(scales))
    assert.equal(steps.length, bounds.length + 1);
});
