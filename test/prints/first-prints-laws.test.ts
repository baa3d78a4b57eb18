// Laws of the chain over random histories: nothing printed ever changes, and scales cancel.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addMonths } from "#base/month.ts";
import {
  type ChainLevel,
  chainLevelOf,
  firstLevel,
  type PrintValue,
  printValue,
} from "#base/print-value.ts";
import { divHalfEven } from "#base/rounding.ts";
import { decideNode, type KnownNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";
import { january } from "./rows.ts";

const RUNS = 300;
const aValue = fc
  .bigInt({ min: 10_000_000_000_000_000n, max: 9_000_000_000_000_000_000_000n })
  .map(printValue);
const aRow: fc.Arbitrary<MonthRow> = fc.record({
  firstMonth: fc.integer({ min: 0, max: 6 }).map((offset) => addMonths(january, offset)),
  values: fc.array(fc.option(aValue, { freq: 4 }), { minLength: 1, maxLength: 14 }),
});
const someRows = fc.array(aRow, { minLength: 1, maxLength: 6 });

const ingest = (known: KnownNode | undefined, row: MonthRow): KnownNode | undefined =>
  knownAfter(known, decideNode(known, row, true));

/** First print and level of every printed month, by month: what must never change. */
function settled(known: KnownNode | undefined): Map<number, string> {
  const prints = new Map<number, string>();
  for (const [offset, value] of (known?.values ?? []).entries()) {
    if (value === null || known === undefined) continue;
    prints.set(known.firstMonth + offset, `${value} at ${known.levels[offset]}`);
  }
  return prints;
}

test("no release changes a first print or a level that was there before", () => {
  fc.assert(
    fc.property(someRows, (rows) => {
      let known: KnownNode | undefined;
      for (const row of rows) {
        const before = settled(known);
        known = ingest(known, row);
        const after = settled(known);
        for (const [month, print] of before) assert.equal(after.get(month), print);
        assert.equal(known?.latest.length, known?.values.length);
      }
    }),
    { numRuns: RUNS },
  );
});

test("repeated, permuted or restated, what was imported adds no print and no level", () => {
  fc.assert(
    fc.property(
      someRows,
      fc.infiniteStream(fc.nat()),
      fc.infiniteStream(aValue),
      (rows, picks, restatements) => {
        const known = rows.reduce(ingest, undefined);
        const before = settled(known);
        let again = known;
        for (const pick of picks.take(8)) {
          const row = rows[pick % rows.length] ?? assert.fail("no rows");
          const isRestated = pick % 3 === 0;
          const values = row.values.map((value) =>
            value === null || !isRestated ? value : (restatements.next().value ?? value),
          );
          const decision = decideNode(again, { ...row, values }, true);
          assert.deepEqual(decision.newPrints, []);
          again = knownAfter(again, decision);
        }
        assert.deepEqual(settled(again), before);
      },
    ),
    { numRuns: RUNS },
  );
});

test("the order of a release's regions does not matter", () => {
  const aFile = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 9 }), aRow), {
    selector: ([region]) => region,
    minLength: 1,
  });
  const fold = (files: readonly (readonly (readonly [number, MonthRow])[])[]) => {
    const nodes = new Map<number, KnownNode | undefined>();
    for (const file of files) {
      for (const [region, row] of file) nodes.set(region, ingest(nodes.get(region), row));
    }
    return [...nodes].sort(([left], [right]) => left - right);
  };
  fc.assert(
    fc.property(fc.array(aFile, { minLength: 1, maxLength: 4 }), (files) => {
      assert.deepEqual(fold(files), fold(files.map((file) => file.toReversed())));
    }),
    { numRuns: RUNS },
  );
});

/** The rule of the chain read out slowly: every month before m is asked in turn. */
function levelByTheRule(
  before: KnownNode | undefined,
  row: MonthRow,
  offset: number,
): ChainLevel | null {
  const month = row.firstMonth + offset;
  const levels = before?.levels ?? [];
  const start = before && before.firstMonth + levels.findIndex((level) => level !== null);
  const here = before === undefined ? undefined : before.levels[month - before.firstMonth];
  if (before !== undefined && (before.values[month - before.firstMonth] ?? null) !== null) {
    return here ?? null;
  }
  if (start !== undefined && month < start) return null;
  for (let earlier = offset - 1; earlier >= 0; earlier -= 1) {
    const value = row.values[earlier] ?? null;
    const level = value === null ? null : levelByTheRule(before, row, earlier);
    if (value === null || level === null) continue;
    const print = row.values[offset] ?? assert.fail("a blank has no level");
    const linked = divHalfEven(level * print, value);
    return linked === 0n ? null : chainLevelOf(linked);
  }
  return before === undefined ? firstLevel : null;
}

test("every level is what the rule, read month by month, says", () => {
  fc.assert(
    fc.property(someRows, (rows) => {
      let known: KnownNode | undefined;
      for (const row of rows) {
        const decision = decideNode(known, row, true);
        for (const { month, levelE12 } of decision.newPrints) {
          assert.equal(levelE12, levelByTheRule(known, row, month - row.firstMonth));
        }
        known = knownAfter(known, decision);
      }
    }),
    { numRuns: RUNS },
  );
});

const scaled = (row: MonthRow, by: (value: PrintValue) => bigint): MonthRow => ({
  ...row,
  values: row.values.map((value) => (value === null ? null : printValue(by(value)))),
});

test("a release multiplied by a constant has the same levels, so the same declines", () => {
  fc.assert(
    fc.property(someRows, fc.bigInt({ min: 2n, max: 1_000n }), fc.nat(), (rows, factor, pick) => {
      const at = pick % rows.length;
      const plain = rows.reduce(ingest, undefined);
      const moved = rows
        .map((row, place) => (place === at ? scaled(row, (value) => value * factor) : row))
        .reduce(ingest, undefined);
      assert.deepEqual(moved?.levels, plain?.levels);
    }),
    { numRuns: RUNS },
  );
});

test("rescaled by a fraction and rounded as a provider rounds, levels agree to 1e-11", () => {
  const aMonthlyGrowth = fc.integer({ min: 9_700, max: 10_300 });
  fc.assert(
    fc.property(
      fc.array(aMonthlyGrowth, { minLength: 24, maxLength: 24 }),
      fc.integer({ min: 940_000, max: 1_060_000 }),
      (growths, millionths) => {
        let value = 250_000n * 1_000_000_000_000_000n;
        const values = growths.map((growth) => {
          value = divHalfEven(value * BigInt(growth), 10_000n);
          return printValue(value);
        });
        const first: MonthRow = { firstMonth: january, values: values.slice(0, 12) };
        const second: MonthRow = { firstMonth: january, values };
        // Eleven decimals, as the files have.
        const rescaled = scaled(
          second,
          (it) => divHalfEven(it * BigInt(millionths), 1_000_000n * 10_000n) * 10_000n,
        );
        const plain = [first, second].reduce(ingest, undefined)?.levels ?? [];
        const moved = [first, rescaled].reduce(ingest, undefined)?.levels ?? [];
        assert.equal(moved.length, 24);
        for (const [offset, level] of plain.entries()) {
          const distance = (level ?? 0n) - (moved[offset] ?? 0n);
          assert.ok(distance <= 10n && distance >= -10n, `month ${offset}: ${distance}e-12`);
        }
      },
    ),
    { numRuns: RUNS },
  );
});
