// Runs of first prints in bytes: what they give back, what they refuse, how many bytes they take.
// Invariant: sizes are by hand: 16 bytes a run, 8 or 24 a value, none, 1 or 8 a level.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import {
  type ChainLevel,
  chainLevelOf,
  firstLevel,
  type PrintValue,
  printValue,
} from "#base/print-value.ts";
import { packRow } from "#prints/packed-row.ts";
import { HIGHEST_LEVEL, type PrintRun, RunWriter, runsOf } from "#prints/print-run.ts";
import { BLANK_WORD, WIDE_WORD } from "#prints/print-word.ts";

type Print = {
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel | null;
  readonly backfill: boolean;
};

const start = monthOf(2020, 1);
const whole = (units: number): PrintValue => printValue(BigInt(units) * 10n ** 15n);
/** More digits than a word holds. */
const widest = printValue(10n ** 40n + 1n);

const print = (at: number, value: PrintValue, level: bigint | null, backfill = false): Print => ({
  month: addMonths(start, at),
  valueE15: value,
  levelE12: level === null ? null : chainLevelOf(level),
  backfill,
});

function written(prints: readonly Print[], capacityBytes = 0): Uint8Array {
  const writer = new RunWriter(capacityBytes);
  const first = prints[0]?.month ?? start;
  const months = (prints.at(-1)?.month ?? start) - first + 1;
  const values = new Array<PrintValue | null>(months).fill(null);
  for (const { month, valueE15 } of prints) values[month - first] = valueE15;
  writer.add(9, prints, packRow({ firstMonth: first, values }));
  assert.equal(writer.length, writer.take().byteLength);
  writer.add(9, prints, packRow({ firstMonth: first, values }));
  return writer.take();
}

const runs = (prints: readonly Print[]): readonly PrintRun[] => [...runsOf(written(prints))];

const back = (run: PrintRun): readonly Print[] =>
  Array.from({ length: run.months }, (_, at) => addMonths(run.firstMonth, at)).flatMap((month) => {
    const valueE15 = run.valueAt(month);
    if (valueE15 === null) assert.equal(run.levelAt(month), null);
    const { backfill } = run;
    return valueE15 === null ? [] : [{ month, valueE15, levelE12: run.levelAt(month), backfill }];
  });

const somePrints = fc
  .array(
    fc.record({
      skipped: fc.nat(14),
      value: fc.oneof(fc.constant(widest), fc.bigInt({ min: 1n, max: 10n ** 20n }).map(printValue)),
      // Beside value/first value, where a byte says it, and far away.
      off: fc.option(fc.constantFrom(-129n, -128n, -1n, 0n, 1n, 127n, 128n, 10n ** 9n)),
      backfill: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((rows) => {
    let at = 0;
    const first = rows[0]?.value ?? whole(1);
    return rows.map(({ skipped, value, off, backfill }, nth) => {
      at += nth === 0 ? 0 : 1 + skipped;
      const near = (value * firstLevel) / first + (off ?? 0n);
      const fits = off !== null && near > 0n && near <= HIGHEST_LEVEL;
      return print(at, value, nth === 0 ? firstLevel : fits ? near : null, backfill);
    });
  });

test("every print comes back with its value, level and backfill, and no other does", () => {
  fc.assert(
    fc.property(somePrints, (prints) => {
      const all = runs(prints);
      assert.deepEqual(all.flatMap(back), prints);
      for (const run of all) {
        assert.equal(run.place, 9);
        assert.equal(run.count(), back(run).length);
        for (const outside of [
          addMonths(run.firstMonth, -1),
          addMonths(run.firstMonth, run.months),
        ]) {
          assert.equal(run.valueAt(outside), null);
          assert.equal(run.levelAt(outside), null);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("twelve months from one print to the next are one run, thirteen are two", () => {
  const after = (months: number) => runs([print(0, whole(1), null), print(months, whole(2), null)]);
  assert.deepEqual(
    after(12).map((run) => [run.months, run.count()]),
    [[13, 2]],
  );
  assert.deepEqual(
    after(13).map((run) => [run.months, run.count()]),
    [
      [1, 1],
      [1, 1],
    ],
  );
});

test("backfill and what followed it are runs of their own", () => {
  const [early, late] = runs([print(0, whole(1), null, true), print(1, whole(2), null, false)]);
  assert.deepEqual([early?.backfill, late?.backfill], [true, false]);
});

test("a level costs a byte where rounding alone parts it from its value, else a word", () => {
  const bytes = (...prints: readonly Print[]) => written(prints).byteLength;
  const first = print(0, whole(4), firstLevel);
  const second = (off: bigint) => print(1, whole(6), 1_500_000_000_000n + off);
  assert.equal(bytes(print(0, whole(4), null), print(1, whole(6), null)), 16 + 2 * 8);
  for (const off of [-128n, 0n, 127n]) assert.equal(bytes(first, second(off)), 16 + 2 * 9);
  for (const off of [-129n, 128n]) assert.equal(bytes(first, second(off)), 16 + 2 * 16);
  // A run that does not start the chain, or has a month outside it, has no first value to go by.
  assert.equal(bytes(second(0n), print(2, whole(4), firstLevel)), 16 + 2 * 16);
  assert.equal(bytes(first, print(1, whole(6), null)), 16 + 2 * 16);
  assert.equal(bytes(first, print(1, widest, null)), 16 + 2 * (24 + 8));
  assert.equal(bytes(print(0, whole(4), firstLevel + 5n)), 16 + 16);
  // The chain's first value is never below zero; should it be, a word each says all there is.
  assert.equal(bytes(print(0, whole(-4), firstLevel)), 16 + 16);
  assert.equal(bytes(print(0, whole(0), firstLevel)), 16 + 16);
});

test("the highest level there can be is kept, and no higher one is written", () => {
  const [run] = runs([print(0, whole(1), 1n), print(1, whole(2), HIGHEST_LEVEL)]);
  assert.equal(HIGHEST_LEVEL, 9_223_372_036_854_775_807n);
  assert.equal(run?.levelAt(addMonths(start, 1)), HIGHEST_LEVEL);
  assert.throws(() => written([print(0, whole(1), HIGHEST_LEVEL + 1n)]), /fits its word/);
});

test("runs give their rows one by one, with what is wide beside the words", () => {
  const prints = [
    print(0, whole(1), null),
    print(1, whole(2), null, true),
    print(3, widest, null, true),
  ];
  const writer = new RunWriter(0);
  const narrow = packRow({ firstMonth: start, values: [whole(1), whole(2)] });
  writer.add(1, prints.slice(0, 2), narrow);
  const wide = packRow({ firstMonth: addMonths(start, 1), values: [whole(2), null, widest] });
  writer.add(2, prints.slice(1), wide);
  const rows = [...runsOf(writer.take())].map((run) => run.row());
  assert.deepEqual(rows, [
    packRow({ firstMonth: start, values: [whole(1)] }),
    packRow({ firstMonth: addMonths(start, 1), values: [whole(2)] }),
    {
      firstMonth: addMonths(start, 1),
      words: BigInt64Array.of(WIDE_WORD, BLANK_WORD, WIDE_WORD),
      wide: new Map([
        [addMonths(start, 1), whole(2)],
        [addMonths(start, 3), widest],
      ]),
    },
  ]);
});

test("a month left blank has no level, whatever stood in the writer before", () => {
  const writer = new RunWriter(0);
  const full = [0, 1, 2].map((at) => print(at, whole(at + 1), HIGHEST_LEVEL));
  writer.add(1, full, packRow({ firstMonth: start, values: [whole(1), whole(2), whole(3)] }));
  writer.take();
  const gapped = [print(0, whole(1), 5n), print(2, whole(3), 7n)];
  writer.add(1, gapped, packRow({ firstMonth: start, values: [whole(1), null, whole(3)] }));
  const [run] = runsOf(writer.take());
  const levels = [0, 1, 2].map((at) => run?.levelAt(addMonths(start, at)));
  assert.deepEqual(levels, [5n, null, 7n]);
});

test("nothing printed writes nothing, and a writer grows by what it lacks", () => {
  assert.equal(written([]).byteLength, 0);
  const prints = Array.from({ length: 30 }, (_, at) => print(at, whole(at + 1), null));
  for (const capacity of [0, 15, 16, 16 + 30 * 8, 16 + 30 * 8 - 1]) {
    assert.deepEqual([...runsOf(written(prints, capacity))].flatMap(back), prints);
  }
});

test("a chain that starts with its first print takes the same bytes by its words", () => {
  const values = [whole(100), null, whole(150), whole(200)];
  const near = Int8Array.of(0, 0, 1, -1);
  const level = (at: number) => BigInt(at) * 10n ** 10n;
  const chain = [
    print(0, whole(100), level(100), true),
    print(2, whole(150), level(150) + 1n, true),
    print(3, whole(200), level(200) - 1n, true),
  ];
  const writer = new RunWriter(0);
  const { words } = packRow({ firstMonth: start, values });
  for (let times = 0; times < 2; times += 1) writer.addFirst(9, start, words, near);
  assert.equal(writer.length, 2 * written(chain).byteLength);
  const twice = Buffer.concat([written(chain), written(chain)]);
  assert.deepEqual([...writer.take()], [...twice]);
});
