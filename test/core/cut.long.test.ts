// Claims that the guarantee fund cannot pay in full, in drawn releases of four markets.
// Invariant: no payout depends on what a market is called.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY, decide, endOfWindow, paidTo, places, resolved } from "./cut-stage.ts";

const partOf = fc.record({
  weak: fc.integer({ min: 0, max: 1_200 }),
  sound: fc.integer({ min: 1, max: 800 }),
  print: fc.integer({ min: 265_000, max: 300_000 }),
  disputed: fc.boolean(),
  amended: fc.option(fc.integer({ min: 265_000, max: 300_000 }), { nil: undefined }),
  isLate: fc.boolean(),
});

test("markets that change their places change nobody's payout, now or after disputes", () => {
  fc.assert(
    fc.property(
      fc.array(partOf, { minLength: 4, maxLength: 4 }),
      fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      fc.integer({ min: 1, max: 2_500 }),
      (drawn, order_, fund) => {
        const [first = { weak: 0 }] = drawn;
        const parts = drawn.map((part) => (part === first ? { ...part, weak: 1_200 } : part));
        const payouts = [[0, 1, 2, 3], order_].map((numbers) => {
          const placed = parts.map((part, at) => ({
            ...part,
            place: places[numbers[at] ?? 0] ?? assert.fail(),
          }));
          const ended = resolved(placed, String(fund));
          ended.world.runTo(endOfWindow);
          const paid = [paidTo(ended)];
          for (const isNow of [false, true]) {
            for (const [at, { disputed, amended, isLate }] of parts.entries()) {
              if (disputed && isLate === isNow) decide(ended, at, amended?.toString());
            }
            ended.world.runTo(ended.world.nowMillis + 4 * DAY);
            paid.push(paidTo(ended));
          }
          return paid;
        });
        assert.deepEqual(payouts[1], payouts[0]);
      },
    ),
    { numRuns: 40 },
  );
});
