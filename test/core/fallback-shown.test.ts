// A fallback as people read it: in the audit trail, on a resolution, in a certificate.
// Invariant: every figure that the payout follows from is there, exactly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { chainLevelOf, parsePrintValue } from "#base/print-value.ts";
import { lots } from "#base/quantity.ts";
import type { Baseline } from "#contract/terms.ts";
import { fallbackShown } from "#core/settlement/fallback-step.ts";
import { month } from "./world.ts";

const print = (monthText: string, value: string, levelE12: bigint): Baseline => ({
  month: month(monthText),
  valueE15: parsePrintValue(value) ?? assert.fail(value),
  levelE12: chainLevelOf(levelE12),
  releaseId: releaseId(`rel-of-${monthText}`),
});

const last = print("2025-03", "285000.5", 950_001_666_667n);
const lastShown = {
  ...{ month: "2025-03", value: "285000.5", level: "0.950001666667" },
  releaseId: "rel-of-2025-03",
};

test("a successor's growth is shown with the three prints that it follows from", () => {
  const from = print("2025-03", "480000", 960_000_000_000n);
  const to = print("2025-08", "456789", 913_578_000_000n);
  assert.deepEqual(fallbackShown({ step: "successor", last, from, to }), {
    step: "successor",
    last: lastShown,
    from: { ...lastShown, value: "480000", level: "0.96" },
    to: {
      ...{ month: "2025-08", value: "456789", level: "0.913578" },
      releaseId: "rel-of-2025-08",
    },
  });
});

test("a last level, and a call for marks, are shown with the last print, if there is one", () => {
  assert.deepEqual(fallbackShown({ step: "last-level", last }), {
    step: "last-level",
    last: lastShown,
  });
  assert.deepEqual(fallbackShown({ step: "cash", last }), { step: "cash", last: lastShown });
  assert.deepEqual(fallbackShown({ step: "cash", last: null }), { step: "cash" });
  const median = { step: "median", last, valueTicks: 9_000 } as const;
  assert.deepEqual(fallbackShown(median), { step: "median", last: lastShown, value: 0.9 });
  assert.deepEqual(fallbackShown({ step: "void" }), { step: "void" });
});

test("what marks came to is shown in dollars: the model's, each seller's, and the median", () => {
  const { month: printed, valueE15 } = last;
  const settled = {
    ...({ step: "cash", modelTicks: 3_000, modelLots: lots(9_000_000n) } as const),
    marks: [
      { valueTicks: 2_000, weightLots: lots(333_333n) },
      { valueTicks: 3_100, weightLots: lots(50n) },
      { valueTicks: 10_000, weightLots: lots(666_617n) },
    ],
    valueTicks: 3_100,
    print: { month: printed, valueE15 },
  };
  assert.deepEqual(fallbackShown(settled), {
    step: "cash",
    model: 0.3,
    modelWeight: 90_000,
    marks: [0.2, 0.31, 1],
    weights: [3_333.33, 0.5, 6_666.17],
    value: 0.31,
  });
});
