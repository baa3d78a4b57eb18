// Packed prints: nothing is lost in the bytes, and ten thousand imports move no first print.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { type PrintValue, printValue } from "#base/print-value.ts";
import { KnownPlaces, placesText } from "#ingest/places/known-places.ts";
import { decideNode, type KnownNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";
import { mergeRows, type PackedRow, packRow, unpackRow } from "#prints/packed-row.ts";
import { RunWriter, runsOf } from "#prints/print-run.ts";
import { valueIn, WIDE_WORD, wordOf } from "#prints/print-word.ts";
import { SeriesView } from "#views/series.ts";

const tx = nodeId("state:tx");
const start = monthOf(2000, 1);
/** As providers write them, on the edges of a word, and longer than any word. */
const aValue = fc
  .oneof(
    fc.bigInt({ min: 1n, max: 10n ** 17n }).map((digits) => digits * 10n ** 4n),
    fc.bigInt({ min: 1n, max: 999n }).map((digits) => digits * 10n ** 15n),
    fc.bigInt({ min: 2n ** 59n - 2n, max: 2n ** 59n + 2n }),
    fc.bigInt({ min: 1n, max: 10n ** 45n }),
    // Temperatures, and rates that round to nothing.
    fc.bigInt({ min: -(10n ** 5n), max: 0n }).map((digits) => digits * 10n ** 13n),
    fc.bigInt({ min: -(10n ** 45n), max: -1n }),
  )
  .map(printValue);
const rowOf = (value: fc.Arbitrary<PrintValue>): fc.Arbitrary<MonthRow> =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 30 }),
      fc.array(fc.option(value, { freq: 4 }), { minLength: 1, maxLength: 40 }),
    )
    .map(([offset, values]) => ({ firstMonth: addMonths(start, offset), values }));
const aRow = rowOf(aValue);
/** So that no level outgrows its 63 bits; the importer refuses a file in which one does. */
const aLevelledValue = fc
  .oneof(
    fc.bigInt({ min: 10n ** 20n, max: 10n ** 21n }),
    fc.bigInt({ min: 10n ** 5n, max: 10n ** 6n }).map((digits) => digits * 10n ** 15n),
  )
  .map(printValue);
const aLevelledRow = rowOf(aLevelledValue);

test("a word is the value to the last digit, and says so where it does not fit", () => {
  const anyValue = fc.oneof(
    aValue,
    aValue.map((value) => printValue(-value)),
  );
  fc.assert(
    fc.property(anyValue, (value) => {
      const word = wordOf(value);
      if (word !== WIDE_WORD) assert.equal(valueIn(word), value);
      const digits = (value < 0n ? -value : value).toString().replace(/0{1,15}$/, "");
      assert.equal(word === WIDE_WORD, BigInt(digits) >= 2n ** 59n);
    }),
    { numRuns: 2_000 },
  );
  assert.equal(valueIn(wordOf(printValue(0n))), 0n);
});

test("a row comes out of its words, and out of its bytes, as it went in", () => {
  fc.assert(
    fc.property(aRow, (row) => {
      const packed = packRow(row);
      assert.deepEqual(unpackRow(packed), row);
      const writer = new RunWriter(16);
      writer.addRow(7, packed);
      const runs = [...runsOf(writer.take())];
      assert.deepEqual(
        runs.map((run) => [run.place, unpackRow(run.row())]),
        [[7, row]],
      );
    }),
  );
});

test("of merged rows the later value of a month stays", () => {
  fc.assert(
    fc.property(fc.array(aRow, { minLength: 1, maxLength: 4 }), (rows) => {
      const newest = new Map<number, PrintValue>();
      let merged: PackedRow | undefined;
      for (const row of rows) {
        merged = mergeRows(merged, packRow(row));
        for (const [month, value] of valuesOf(row)) newest.set(month, value);
      }
      const values = merged === undefined ? [] : valuesOf(unpackRow(merged));
      assert.deepEqual(new Map(values.sort()), new Map([...newest].sort()));
      assert.equal(merged === undefined, newest.size === 0, "blanks alone make no row");
    }),
  );
});

const valuesOf = ({ firstMonth, values }: MonthRow): [number, PrintValue][] =>
  values.flatMap((value, at) => (value === null ? [] : [[firstMonth + at, value]]));

/** One place whose releases go through bytes, as the importer writes and shows them. */
class PackedPlace {
  readonly view = new SeriesView();
  readonly #places = new KnownPlaces({ index: "zhvi", level: "metro" }, this.view);
  #latest: PackedRow | undefined;
  readonly #blocks: { readonly bytes: Uint8Array; readonly release: ReleaseId }[] = [];

  constructor() {
    this.#places.add(placesText([["9", tx]]));
  }

  import(row: MonthRow, release: ReleaseId) {
    const known = this.#latest && this.#places.known(0, this.#latest, row);
    const decision = decideNode(known, row, true);
    const writer = new RunWriter(64);
    const packed = packRow(row);
    writer.add(0, decision.newPrints, packed);
    const hasValue = known !== undefined || decision.newPrints.length > 0;
    if (hasValue) this.#latest = mergeRows(this.#latest, packed);
    const bytes = writer.take();
    this.#blocks.push({ bytes, release });
    for (const run of runsOf(bytes)) this.#places.printsOf(run.place).take(run, release);
    return decision;
  }

  /** As a start reads it. */
  again(): SeriesView {
    const view = new SeriesView();
    const places = new KnownPlaces({ index: "zhvi", level: "metro" }, view);
    places.add(placesText([["9", tx]]));
    for (const { bytes, release } of this.#blocks) {
      for (const run of runsOf(bytes)) places.printsOf(run.place).take(run, release);
    }
    return view;
  }
}

const settled = (known: KnownNode | undefined) =>
  (known?.values ?? []).flatMap((valueE15, at) =>
    known === undefined || valueE15 === null
      ? []
      : { month: known.firstMonth + at, valueE15, levelE12: known.levels[at] ?? null },
  );

const shownBy = (view: SeriesView) =>
  view.points("zhvi", tx).map(({ month, valueE15, levelE12 }) => ({ month, valueE15, levelE12 }));

const RUNS = 500;
const IMPORTS_A_RUN = 20;

test("10,000 permuted, repeated and restated imports change no first print", () => {
  let imports = 0;
  const runs = fc.property(
    fc.array(aLevelledRow, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(3), aLevelledValue), {
      minLength: IMPORTS_A_RUN,
      maxLength: IMPORTS_A_RUN,
    }),
    (rows, steps) => {
      const packed = new PackedPlace();
      let plain: KnownNode | undefined;
      for (const [at, [pick, kind, factor]] of steps.entries()) {
        const row = restated(rows[pick % rows.length] ?? assert.fail("no rows"), kind, factor);
        const before = settled(plain);
        const decision = decideNode(plain, row, true);
        assert.deepEqual(packed.import(row, releaseId(`rel-${at}`)), decision);
        plain = knownAfter(plain, decision);
        const shown = shownBy(packed.view);
        assert.deepEqual(shown, settled(plain));
        const months = new Set<number>(before.map(({ month }) => month));
        assert.deepEqual(
          shown.filter(({ month }) => months.has(month)),
          before,
        );
        imports += 1;
      }
      assert.deepEqual(packed.again().points("zhvi", tx), packed.view.points("zhvi", tx));
    },
  );
  fc.assert(runs, { numRuns: RUNS });
  assert.ok(imports >= RUNS * IMPORTS_A_RUN);
});

/** 0 as it is, 1 rescaled, 2 one month moved, 3 only its later half. */
function restated(row: MonthRow, kind: number, factor: PrintValue): MonthRow {
  const { values, firstMonth } = row;
  const half = Math.floor(values.length / 2);
  if (kind === 3 && half > 0) {
    return { firstMonth: addMonths(firstMonth, half), values: values.slice(half) };
  }
  const moved = values.map((value, at) => {
    if (value === null || kind === 0) return value;
    if (kind === 1) return printValue(value * (1n + (factor % 5n)));
    return at === half ? factor : value;
  });
  return { firstMonth, values: moved };
}

test("a late month inside a long run, before it and after it takes its place", () => {
  const values = Array.from({ length: 12 }, (_, at) => printValue(BigInt(at + 1) * 10n ** 15n));
  const withGap = values.map((value, at) => (at === 5 ? null : value));
  const packed = new PackedPlace();
  packed.import({ firstMonth: addMonths(start, 4), values: withGap }, releaseId("rel-0"));
  packed.import(
    { firstMonth: start, values: [...values.slice(0, 4), ...values] },
    releaseId("rel-1"),
  );
  const months = shownBy(packed.view).map(({ month }) => month);
  assert.deepEqual(
    months,
    Array.from({ length: 16 }, (_, at): Month => addMonths(start, at)),
  );
  const late = packed.view.at("zhvi", tx, addMonths(start, 9));
  assert.equal(late?.releaseId, "rel-1");
  assert.equal(late?.backfill, false);
  assert.equal(packed.view.at("zhvi", tx, start)?.backfill, true);
  const early = packed.view.indexValue("zhvi", tx, undefined, (release) => release === "rel-0");
  assert.equal(early?.series.length, 11);
  assert.equal(packed.view.indexValue("zhvi", tx)?.series.length, 12);
});
