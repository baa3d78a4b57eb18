// Division against rationals: a/b is compared by cross-multiplying, never by dividing again.
// Invariant: each direction is proved by inequalities that leave exactly one integer.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { divHalfEven, divHalfUp, floorDiv, mulDivDown, mulDivUp } from "#base/rounding.ts";

const big = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const small = fc.bigInt({ min: -30n, max: 30n });
const whole = fc.oneof(big, small);
const positive = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
  fc.bigInt({ min: 1n, max: 12n }),
);
const abs = (value: bigint): bigint => (value < 0n ? -value : value);

test("floorDiv is the greatest whole number not above n/d, for every sign", () => {
  fc.assert(
    fc.property(whole, positive, fc.boolean(), (n, magnitude, negative) => {
      const d = negative ? -magnitude : magnitude;
      const q = floorDiv(n, d);
      // q ≤ n/d < q + 1, multiplied by |d|.
      const over = d < 0n ? -n : n;
      assert.ok(q * magnitude <= over && over < (q + 1n) * magnitude, `${n}/${d} = ${q}`);
    }),
  );
});

test("mulDivDown and mulDivUp enclose a·b/c and meet when it is whole", () => {
  fc.assert(
    fc.property(whole, whole, positive, (a, b, c) => {
      const [down, up] = [mulDivDown(a, b, c), mulDivUp(a, b, c)];
      assert.ok(down * c <= a * b && a * b <= up * c);
      assert.equal(up - down, (a * b) % c === 0n ? 0n : 1n);
    }),
  );
});

test("divHalfEven is nearest, and even on a tie", () => {
  fc.assert(
    fc.property(whole, positive, (n, d) => {
      const q = divHalfEven(n, d);
      const twiceOff = abs(2n * (n - q * d));
      assert.ok(twiceOff <= d);
      if (twiceOff === d) assert.equal(q % 2n, 0n);
    }),
  );
});

test("divHalfUp is nearest, and away from zero on a tie", () => {
  fc.assert(
    fc.property(whole, positive, (n, d) => {
      const q = divHalfUp(n, d);
      const twiceOff = abs(2n * (n - q * d));
      assert.ok(twiceOff <= d);
      if (twiceOff === d) assert.ok(abs(q * d) > abs(n));
    }),
  );
});

test("the four roundings of ±1/2, ±3/2 and ±5/2", () => {
  const rows: readonly [bigint, bigint, bigint, bigint, bigint][] = [
    // n/2: down, up, half-even, half-up
    [-5n, -3n, -2n, -2n, -3n],
    [-3n, -2n, -1n, -2n, -2n],
    [-1n, -1n, 0n, 0n, -1n],
    [1n, 0n, 1n, 0n, 1n],
    [3n, 1n, 2n, 2n, 2n],
    [5n, 2n, 3n, 2n, 3n],
  ];
  for (const [n, down, up, even, away] of rows) {
    assert.equal(mulDivDown(n, 1n, 2n), down);
    assert.equal(mulDivUp(n, 1n, 2n), up);
    assert.equal(divHalfEven(n, 2n), even);
    assert.equal(divHalfUp(n, 2n), away);
  }
});
