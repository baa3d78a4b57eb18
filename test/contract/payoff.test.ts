// The payoff, by rows a reader can check with pencil and paper, and by laws.
// Invariant: rows cite the rule they come from.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId, releaseId } from "#base/ids.ts";
import { monthOf } from "#base/month.ts";
import { chainLevelOf, firstLevel, parsePrintValue } from "#base/print-value.ts";
import { binaryFraction, layeredFraction, settle } from "#contract/payoff.ts";
import type { Payoff, Terms } from "#contract/terms.ts";

const print = (text: string) => parsePrintValue(text) ?? assert.fail(`${text} is a print`);

/** A level in millionths, 1,000,000 = where the baseline stands in these rows. */
const level = (millionths: number) => chainLevelOf(BigInt(millionths) * 1_000_000n);

const terms = (payoff: Payoff): Terms => ({
  index: "zhvi",
  nodeId: nodeId("state:tx"),
  measurementMonth: monthOf(2025, 9),
  payoff,
  baseline:
    payoff.kind === "level"
      ? null
      : {
          month: monthOf(2024, 9),
          valueE15: print("300000"),
          levelE12: firstLevel,
          releaseId: releaseId("rel-1"),
        },
  rounding: "payout-millionths-down",
  fallback: "fallbacks-1",
  successor: null,
  methodologyVersion: "1",
  expectedAtMillis: 0,
});

test("the worked check: 50,000 of cover on 10→20 %, decline 15 %, pays 25,000", () => {
  const fraction = layeredFraction(firstLevel, level(850_000), 1000, 2000);
  assert.equal((50_000n * fraction) / 1_000_000n, 25_000n);
});

test("a layer by hand: nothing up to its attachment, all from its exhaustion on", () => {
  const rows: readonly [number, number, number, bigint][] = [
    // level after, attach, exhaust, millionths paid
    [1_000_000, 200, 1000, 0n],
    [1_050_000, 200, 1000, 0n],
    [980_000, 200, 1000, 0n], // exactly at the attachment
    [979_999, 200, 1000, 12n], // 0.0001 % of 8 % = 12.5 millionths, down
    [940_000, 200, 1000, 500_000n],
    [960_000, 200, 1000, 250_000n],
    [900_001, 200, 1000, 999_987n], // 12.5 millionths short of all, down
    [900_000, 200, 1000, 1_000_000n], // exactly at the exhaustion
    [500_000, 200, 1000, 1_000_000n],
    [900_000, 800, 2000, 166_666n], // 2/12, down
    [0, 0, 10_000, 1_000_000n],
    [999_999, 0, 10_000, 1n],
  ];
  for (const [to, attach, exhaust, expected] of rows) {
    assert.equal(layeredFraction(firstLevel, level(to), attach, exhaust), expected, String(to));
  }
});

test("a binary decline pays all from its strike on, and nothing a hair before", () => {
  assert.equal(binaryFraction(firstLevel, level(950_000), 500), 1_000_000n);
  assert.equal(binaryFraction(firstLevel, chainLevelOf(950_000_000_001n), 500), 0n);
  assert.equal(binaryFraction(firstLevel, chainLevelOf(949_999_999_999n), 500), 1_000_000n);
});

test("a level contract compares the first print with its threshold, equality included", () => {
  const rows: readonly ["gte" | "lte", string, bigint][] = [
    ["gte", "300000", 1_000_000n],
    ["gte", "299999.999999999999999", 0n],
    ["lte", "300000", 1_000_000n],
    ["lte", "300000.000000000000001", 0n],
  ];
  for (const [comparator, value, expected] of rows) {
    const payoff = { kind: "level", comparator, thresholdE15: print("300000") } as const;
    const settled = settle(terms(payoff), { valueE15: print(value), levelE12: null });
    assert.equal(settled?.payoutMillionths, expected, `${value} ${comparator}`);
    assert.equal(settled?.comparisonValueE15, print("300000"));
    assert.equal(settled?.settledValueE15, print(value));
  }
});

test("a decline without a chain is not settled: the fallback in the terms applies", () => {
  const layered = terms({ kind: "layered", attachBps: 200, exhaustBps: 1000 });
  const binary = terms({ kind: "binary", strikeBps: 500 });
  const unlinked = { valueE15: print("1"), levelE12: null };
  assert.equal(settle(layered, unlinked), undefined);
  assert.equal(settle(binary, unlinked), undefined);
});

test("terms of a decline without a baseline stop the node", () => {
  const unbased = { ...terms({ kind: "binary", strikeBps: 500 }), baseline: null };
  const linked = { valueE15: print("1"), levelE12: firstLevel };
  assert.throws(() => settle(unbased, linked), /has a baseline/);
});

test("a decline settles on the chain, not on the raw prints", () => {
  // Raw 300,000 → 303,000 looks like a rise; the provider had rescaled and the chain fell 6 %.
  const binary = terms({ kind: "binary", strikeBps: 600 });
  const settled = settle(binary, { valueE15: print("303000"), levelE12: level(940_000) });
  assert.equal(settled?.payoutMillionths, 1_000_000n);
  assert.equal(settled?.settledValueE15, print("303000"));
});

const levels = fc.bigInt({ min: 1n, max: 5n * 10n ** 12n }).map(chainLevelOf);
const layers = fc
  .tuple(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 1, max: 10_000 }))
  .filter(([attach, exhaust]) => attach < exhaust);

test("a payout lies between nothing and all, and never grows with the index", () => {
  fc.assert(
    fc.property(levels, levels, levels, layers, (from, one, other, [attach, exhaust]) => {
      const [low, high] = one < other ? [one, other] : [other, one];
      const more = layeredFraction(from, low, attach, exhaust);
      const less = layeredFraction(from, high, attach, exhaust);
      assert.ok(0n <= less && less <= more && more <= 1_000_000n);
      assert.ok(binaryFraction(from, high, exhaust) <= binaryFraction(from, low, exhaust));
    }),
  );
});

test("scaling both levels changes nothing", () => {
  const factors = fc.bigInt({ min: 1n, max: 10n ** 6n });
  fc.assert(
    fc.property(levels, levels, layers, factors, (from, to, [attach, exhaust], by) => {
      const [scaledFrom, scaledTo] = [chainLevelOf(from * by), chainLevelOf(to * by)];
      assert.equal(
        layeredFraction(scaledFrom, scaledTo, attach, exhaust),
        layeredFraction(from, to, attach, exhaust),
      );
      assert.equal(
        binaryFraction(scaledFrom, scaledTo, exhaust),
        binaryFraction(from, to, exhaust),
      );
    }),
  );
});

test("a layer's payout is the exact fraction, rounded down to a millionth", () => {
  fc.assert(
    fc.property(levels, levels, layers, (from, to, [attach, exhaust]) => {
      const paid = layeredFraction(from, to, attach, exhaust);
      // decline − attach over exhaust − attach, both times 10,000 × from.
      const top = (from - to) * 10_000n - BigInt(attach) * from;
      const bottom = BigInt(exhaust - attach) * from;
      if (top <= 0n) assert.equal(paid, 0n);
      else if (top >= bottom) assert.equal(paid, 1_000_000n);
      else {
        assert.ok(paid * bottom <= top * 1_000_000n);
        assert.ok((paid + 1n) * bottom > top * 1_000_000n);
      }
    }),
  );
});
