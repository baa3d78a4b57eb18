// Lines decided by their words, beside the same lines decided as they are written.
// Invariant tested: the same counts, observations, reasons and stored bytes, release by release.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId, releaseId } from "#base/ids.ts";
import { addMonths } from "#base/month.ts";
import { PRINT_PLACES, type PrintValue, parsePrintValue } from "#base/print-value.ts";
import { KnownPlaces } from "#ingest/places/known-places.ts";
import { emptyReading, type ReleaseReading, readRow } from "#ingest/releases/reading.ts";
import { ReleaseWriter } from "#ingest/releases/release-writer.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import { type PackedRow, packRow, WordRow } from "#prints/packed-row.ts";
import { runsOf } from "#prints/print-run.ts";
import { firstChain, repeated } from "#prints/word-row.ts";
import { SeriesView } from "#views/series.ts";
import { january } from "../prints/rows.ts";

type Kind = "zhvi" | "zori";

/** One exchange's side of the comparison: what it knows, and what it was told last. */
class Side {
  readonly #kind: Kind;
  readonly #isByWords: boolean;
  readonly #places: KnownPlaces;
  #latest = new Map<number, PackedRow>();
  #releases = 0;

  constructor(kind: Kind, level: string, isByWords: boolean) {
    this.#kind = kind;
    this.#isByWords = isByWords;
    this.#places = new KnownPlaces({ index: kind, level }, new SeriesView());
  }

  /** Everything that a release tells the exchange and the store. */
  async take(rows: readonly MonthRow[]): Promise<unknown> {
    const stored: Uint8Array[] = [];
    const newest: Uint8Array[] = [];
    const texts: string[] = [];
    const staging = {
      add: async (block: { places: string; bytes: Uint8Array }) => {
        texts.push(block.places);
        stored.push(block.bytes);
      },
      addLatest: async ({ bytes }: { bytes: Uint8Array }) => void newest.push(bytes),
    };
    const writer = new ReleaseWriter(staging, this.#places.count);
    const span = { variable: null, firstMonth: january, lastMonth: addMonths(january, 400) };
    const reading = emptyReading(this.#places, false, span);
    const before = {
      places: this.#places,
      latest: this.#latest,
      writer,
      cleared: new Set<string>(),
    };
    for (const [at, history] of rows.entries()) {
      const region = String(at + 1);
      const node = nodeId(`zip:${10_000 + at}`);
      const place = this.#places.numberOf(region) ?? writer.newPlace(region, node);
      const row = { ...rowOf(region, at), history: this.#isByWords ? byWords(history) : history };
      readRow(reading, before, { index: this.#kind, place, node, row });
    }
    const digests = await writer.finish(this.#latest);
    this.#show(texts, stored);
    this.#latest = new Map();
    for (const bytes of newest) {
      for (const run of runsOf(bytes)) this.#latest.set(run.place, run.row());
    }
    return { digests, stored, newest, ...toldOf(reading) };
  }

  #show(texts: readonly string[], stored: readonly Uint8Array[]): void {
    this.#releases += 1;
    for (const text of texts) this.#places.add(text);
    const release = releaseId(`release-${this.#releases}`);
    for (const bytes of stored) {
      for (const run of runsOf(bytes)) this.#places.printsOf(run.place).take(run, release);
    }
  }
}

const byWords = (history: MonthRow): WordRow => new WordRow(packRow(history));

const rowOf = (regionId: string, at: number): Omit<ProviderRow, "history"> => ({
  ...{ line: at + 2, regionId, regionName: regionId, level: "zip", stateCode: null },
  ...{ countyFips: null, city: null, county: null },
});

function toldOf({ validation, ...reading }: ReleaseReading): object {
  const release = { lastMonth: reading.lastMonth, publishedAtMillis: 0 };
  return { ...reading, reasons: validation.reasons(release, undefined, []) };
}

/** As the provider writes it: a double's shortest text. */
function printOf(amount: number): PrintValue {
  const [whole = "0", fraction = ""] = String(amount).split(".");
  const text = fraction === "" ? whole : `${whole}.${fraction.slice(0, PRINT_PLACES)}`;
  return parsePrintValue(text) ?? assert.fail(text);
}

/** A place's whole path, and what each release makes of it. */
const aPlace = fc.record({
  start: fc.double({ min: 0.5, max: 900_000, noNaN: true }),
  steps: fc.array(fc.double({ min: 0.97, max: 1.04, noNaN: true }), {
    minLength: 1,
    maxLength: 170,
  }),
  blanks: fc.array(fc.nat(170), { maxLength: 16 }),
  late: fc.oneof(fc.constant(0), fc.nat(40)),
  isWhole: fc.boolean(),
});
const aRelease = fc.record({
  scales: fc.array(fc.oneof(fc.constant(1), fc.double({ min: 0.9, max: 1.1, noNaN: true })), {
    minLength: 3,
    maxLength: 3,
  }),
  grown: fc.constantFrom(0, 1, 1, 1, 2, 15),
  /** A month that is revised by itself, and one that is filled in. */
  odd: fc.option(fc.nat(170), { freq: 4 }),
  filled: fc.option(fc.nat(170), { freq: 3 }),
  shift: fc.constantFrom(0, 0, 0, 3),
});

type Place = typeof aPlace extends fc.Arbitrary<infer T> ? T : never;
type Release = typeof aRelease extends fc.Arbitrary<infer T> ? T : never;

function historyOf(
  place: Place,
  { odd, filled, shift }: Release,
  months: number,
  scale: number,
): MonthRow {
  let path = place.start;
  const values: (PrintValue | null)[] = [];
  for (let at = 0; at < months; at += 1) {
    path *= place.steps[at % place.steps.length] ?? 1;
    const isBlank = at < place.late || (place.blanks.includes(at) && filled !== at);
    const amount = path * scale * (odd === at ? 1.01 : 1);
    const shown = place.isWhole ? Math.max(1, Math.round(amount)) : amount;
    values.push(isBlank ? null : printOf(shown));
  }
  return { firstMonth: addMonths(january, shift), values: values.slice(shift) };
}

test("what a release tells is the same by words and by what is written", async () => {
  const drawn = fc.record({
    kind: fc.constantFrom<Kind>("zhvi", "zori"),
    level: fc.constantFrom("zip", "zip", "neighborhood"),
    months: fc.integer({ min: 1, max: 150 }),
    places: fc.array(aPlace, { minLength: 3, maxLength: 3 }),
    releases: fc.array(aRelease, { minLength: 1, maxLength: 4 }),
  });
  const property = fc.asyncProperty(drawn, async ({ kind, level, places, releases, ...rest }) => {
    const sides = [new Side(kind, level, true), new Side(kind, level, false)] as const;
    let { months } = rest;
    for (const release of releases) {
      months += release.grown;
      const rows = places.map((place, at) =>
        historyOf(place, release, months, release.scales[at] ?? 1),
      );
      const [words, whole] = [await sides[0].take(rows), await sides[1].take(rows)];
      assert.deepEqual(words, whole);
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

test("histories as providers write them are decided by their words", () => {
  const place: Place = {
    ...{ start: 200_000, late: 7, isWhole: false },
    steps: [1.004, 0.999],
    blanks: [30],
  };
  const release: Release = { scales: [], grown: 0, odd: null, filled: null, shift: 0 };
  const first = packRow(historyOf(place, release, 150, 1));
  const next = packRow(historyOf(place, release, 151, 1.01));
  assert.equal(firstChain(first.words)?.valued.length, 142);
  assert.deepEqual(repeated(first.words, next.words, 0), {
    ...{ unchanged: 0, revised: 142, isRescaled: true, lastShared: 149 },
  });
});
