// Decimal text is read strictly: one way to write a number's digits, nothing coerced, nothing lost.
// Invariant: what is refused is refused at every number of places.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDecimal, parseDecimal } from "#base/decimal.ts";
import { formatMicros, micros, parseMicros, usdNumber } from "#base/money.ts";
import { complement, isTick, nearestTick, parseTick, tickPrice } from "#base/price.ts";
import { costOf, faceOf, formatLots, lots, MAX_ORDER_LOTS, parseLots } from "#base/quantity.ts";

const nonsense = [
  "",
  " ",
  " 1",
  "1 ",
  "1\n",
  "+1",
  "-",
  "--1",
  "-0",
  "-0.0",
  "-0.000",
  "1e3",
  "1E3",
  "1e-2",
  ".5",
  "5.",
  "0x10",
  "00",
  "01",
  "007",
  "-01",
  "1,000",
  "1_000",
  "1n",
  "NaN",
  "Infinity",
  "null",
  "true",
  "１",
  "1.5.2",
  "1. 5",
  "½",
  "0.1-",
  "1".repeat(31),
];

test("everything that is not plain decimal text is refused", () => {
  for (const text of nonsense) {
    for (const places of [0, 2, 6, 30]) assert.equal(parseDecimal(text, places), undefined, text);
  }
});

test("more decimals than there are places are refused, even zeros", () => {
  assert.equal(parseDecimal("1.005", 2), undefined);
  assert.equal(parseDecimal("1.000", 2), undefined);
  assert.equal(parseDecimal("1.00", 2), 100n);
  assert.equal(parseDecimal("1.0", 0), undefined);
});

test("0.1 + 0.2 is 0.3 in units, and a double's text of it is refused", () => {
  assert.equal((parseMicros("0.1") ?? 0n) + (parseMicros("0.2") ?? 0n), parseMicros("0.3"));
  assert.equal(parseMicros(String(0.1 + 0.2)), undefined);
});

test("format and parse are inverse at every number of places", () => {
  const places = fc.integer({ min: 0, max: 15 });
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 28n), max: 10n ** 28n }), places, (value, at) => {
      const text = formatDecimal(value, at);
      assert.equal(parseDecimal(text, at), value);
      assert.doesNotMatch(text, /\.\d*0$|\.$|^-0$/);
    }),
  );
});

test("money: up to six decimals, never a float between", () => {
  assert.equal(parseMicros("0.000001"), 1n);
  assert.equal(parseMicros("0.0000001"), undefined);
  assert.equal(formatMicros(micros(-1_500_000n)), "-1.5");
  assert.equal(usdNumber(micros(123_456n)), 0.123456);
});

test("both ends of the range are ticks; a price becomes the nearest one inside it", () => {
  assert.deepEqual([0, 1, 9_999, 10_000].map(isTick), [false, true, true, false]);
  assert.deepEqual([-3, 0.123_44, 0.123_46, 3].map(nearestTick), [1, 1_234, 1_235, 9_999]);
});

test("ticks: 0.0001 to 0.9999 on the grid, nothing else", () => {
  assert.equal(parseTick("0.0001"), 1);
  assert.equal(parseTick("0.9999"), 9_999);
  assert.equal(parseTick("0.5"), 5_000);
  for (const text of [
    "0",
    "0.0000",
    "1",
    "1.0000",
    "0.00005",
    "0.12345",
    "-0.5",
    "5e-1",
    "1e400",
  ]) {
    assert.equal(parseTick(text), undefined, text);
  }
  assert.equal(isTick(0), false);
  assert.equal(isTick(10_000), false);
  assert.equal(isTick(1.5), false);
});

test("the complement of a tick is a tick, and its own inverse", () => {
  for (let at = 1; at <= 9_999; at += 1) {
    const tick = parseTick(formatDecimal(BigInt(at), 4));
    assert.ok(tick !== undefined);
    assert.ok(isTick(complement(tick)));
    assert.equal(complement(complement(tick)), tick);
    assert.equal(parseTick(String(tickPrice(tick))), tick, "a price survives JSON");
    assert.equal(nearestTick(tickPrice(tick)), tick);
  }
  assert.equal(nearestTick(-3), 1);
  assert.equal(nearestTick(3), 9_999);
});

test("lots: 0.01 to 1e10 contracts, two decimals", () => {
  assert.equal(parseLots("0.01"), 1n);
  assert.equal(parseLots("10000000000"), MAX_ORDER_LOTS);
  for (const text of ["0", "0.00", "-1", "0.001", "1.234", "10000000000.01", "1e3", "01", ""]) {
    assert.equal(parseLots(text), undefined, text);
  }
  assert.equal(formatLots(lots(150n)), "1.5");
});

test("lots × ticks is exactly micro-dollars: YES and NO of one lot cost its face", () => {
  const quantity = fc.bigInt({ min: 1n, max: MAX_ORDER_LOTS });
  fc.assert(
    fc.property(quantity, fc.integer({ min: 1, max: 9_999 }), (amount, at) => {
      const tick = parseTick(formatDecimal(BigInt(at), 4));
      assert.ok(tick !== undefined);
      const held = lots(amount);
      assert.equal(costOf(held, tick) + costOf(held, complement(tick)), faceOf(held));
    }),
  );
  assert.equal(costOf(lots(10_000n), parseTick("0.05") ?? assert.fail()), 5_000_000n);
});
