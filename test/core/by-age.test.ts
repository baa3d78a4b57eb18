// Records by age: the oldest is the one that a walk from the start meets first.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByAge, oldestOf } from "#core/by-age.ts";

const key = fc.integer({ min: 0, max: 9 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ put: key }) },
  { weight: 3, arbitrary: fc.record({ drop: key }) },
  { weight: 5, arbitrary: fc.constant({ dropOldest: true }) },
  { weight: 1, arbitrary: fc.constant({ clear: true }) },
);

test("the oldest is what a walk from the start meets first, whatever was put and has left", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.boolean(), (steps, looksEachTime) => {
      const [plain, aged] = [new Map<number, number>(), new ByAge<number, number>()];
      for (const [at, taken] of steps.entries()) {
        const oldest = "dropOldest" in taken ? [...plain.keys()][0] : undefined;
        for (const map of [plain, aged]) {
          if ("put" in taken) map.set(taken.put, at);
          if ("drop" in taken) map.delete(taken.drop);
          if (oldest !== undefined) map.delete(oldest);
          if ("clear" in taken) map.clear();
        }
        if (looksEachTime || at % 7 === 0) assert.deepEqual(oldestOf(aged), [...plain][0]);
      }
      assert.deepEqual([...aged], [...plain]);
      assert.deepEqual(oldestOf(plain), [...plain][0]);
    }),
    { numRuns: 2_000 },
  );
});
