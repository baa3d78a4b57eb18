// Whole releases imported 10,000 times over, permuted, repeated and restated, by the importer's own
// reading, writing, digesting and showing; only PostgreSQL is left out, for its time.
// Invariant: what is held against it is worked out a place at a time, and never stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import { addMonths, monthOf } from "#base/month.ts";
import { type PrintValue, printValue } from "#base/print-value.ts";
import { readLatest } from "#ingest/latest.ts";
import { KnownPlaces } from "#ingest/places/known-places.ts";
import { emptyReading, readRow } from "#ingest/releases/reading.ts";
import { ReleaseWriter, type StagedDigests } from "#ingest/releases/release-writer.ts";
import { showDelivery } from "#ingest/series.ts";
import type { LatestBlock, PrintBlock } from "#ingest/store.ts";
import { decideNode, type KnownNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";
import { SeriesView } from "#views/series.ts";

const RUNS = 500;
const IMPORTS_A_RUN = 20;
const REGIONS = 5;
const january = monthOf(2020, 1);
const series = { index: "zhvi", level: "metro" } as const;

type Release = readonly (readonly [region: string, history: MonthRow])[];

const nodeOf = (region: string) => nodeId(`metro:${region}`);

/** The importer of one index and level; its blocks lie in memory. */
class Importer {
  readonly view = new SeriesView();
  readonly #places = new KnownPlaces(series, this.view);
  readonly #blocks = new Map<string, PrintBlock[]>();
  readonly #latest = new Map<string, LatestBlock[]>();
  readonly #digests = new Map<ReleaseId, StagedDigests>();

  readonly #store = {
    blocks: (key: string) => listed(this.#blocks.get(key) ?? []),
    latest: (key: string) => listed(this.#latest.get(key) ?? []),
  };

  async import(id: ReleaseId, release: Release): Promise<void> {
    const places = this.#places;
    const latest = await readLatest(this.#store, places.deliveries);
    const writer = new ReleaseWriter(this.#staging(id), places.count);
    const lastMonth = addMonths(january, 11);
    const reading = emptyReading(this.#places, false, {
      variable: null,
      firstMonth: january,
      lastMonth,
    });
    for (const [region, history] of release) {
      const node = nodeOf(region);
      const place = places.numberOf(region) ?? writer.newPlace(region, node);
      const row = { ...rowOf(region), history };
      readRow(
        reading,
        { places, latest, writer, cleared: everyReason },
        { index: "zhvi", place, node, row },
      );
      await writer.drain();
    }
    const digests = await writer.finish(latest);
    this.#digests.set(id, digests);
    await showDelivery(this.#store, deliveryOf(id, digests), places, this.view);
  }

  /** As a start shows it. */
  async again(): Promise<SeriesView> {
    const view = new SeriesView();
    const places = new KnownPlaces(series, view);
    for (const [id, digests] of this.#digests) {
      await showDelivery(this.#store, deliveryOf(id, digests), places, view);
    }
    return view;
  }

  #staging(id: ReleaseId) {
    const blocks: PrintBlock[] = [];
    const latest: LatestBlock[] = [];
    this.#blocks.set(id, blocks);
    this.#latest.set(id, latest);
    return {
      add: async (block: PrintBlock) => void blocks.push(block),
      addLatest: async (block: LatestBlock) => void latest.push(block),
    };
  }
}

const deliveryOf = (id: ReleaseId, digests: StagedDigests) => ({
  key: id,
  releaseId: id,
  rereadBy: 0,
  ...digests,
});

async function* listed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const rowOf = (region: string) => ({
  line: 2,
  regionId: region,
  regionName: region,
  level: "metro" as const,
  stateCode: null,
  countyFips: null,
  city: null,
  county: null,
});

/** Values here leap as none do: the law is of first prints; held places have tests of their own. */
const everyReason: ReadonlySet<string> = new Set(["UNIT_SLIP", "MOVE_TOO_LARGE", "RESTATED"]);

const aValue = fc.bigInt({ min: 10n ** 19n, max: 10n ** 21n }).map(printValue);
const aHistory: fc.Arbitrary<MonthRow> = fc.record({
  firstMonth: fc.integer({ min: 0, max: 6 }).map((offset) => addMonths(january, offset)),
  values: fc.array(fc.option(aValue, { freq: 5 }), { minLength: 1, maxLength: 6 }),
});
/** One file: some regions, in any order. */
const aRelease: fc.Arbitrary<Release> = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: REGIONS }).map(String), aHistory),
  { selector: ([region]) => region, minLength: 1 },
);
const aStep = fc.record({ pick: fc.nat(), kind: fc.nat(4), factor: aValue });

/** 0 as it is, 1 permuted, 2 rescaled whole, 3 one month restated, 4 without its first region. */
function varied(release: Release, kind: number, factor: PrintValue): Release {
  if (kind === 0) return release;
  if (kind === 1) return release.toReversed();
  if (kind === 4) return release.slice(1);
  return release.map(([region, { firstMonth, values }]) => {
    const half = values.length >> 1;
    const moved = values.map((value, at) => {
      if (value === null) return null;
      if (kind === 2) return printValue(value * (1n + (factor % 3n)));
      return at === half ? factor : value;
    });
    return [region, { firstMonth, values: moved }];
  });
}

/** Month by month, of every place: value, level, whose, and whether it is backfill. */
function shownBy(view: SeriesView): Map<string, string> {
  const shown = new Map<string, string>();
  for (let region = 1; region <= REGIONS; region += 1) {
    for (const { month, valueE15, levelE12, ...whose } of view.points(
      "zhvi",
      nodeOf(String(region)),
    )) {
      const { releaseId: id, backfill } = whose;
      shown.set(`${region} ${month}`, `${valueE15} ${levelE12} ${id} ${backfill}`);
    }
  }
  return shown;
}

/** First prints, worked out a place at a time; each stays what it was when it came. */
class Plain {
  readonly prints = new Map<string, string>();
  readonly #known = new Map<string, KnownNode | undefined>();

  import(id: ReleaseId, release: Release): void {
    for (const [region, history] of release) {
      const known = this.#known.get(region);
      const decision = decideNode(known, history, true);
      for (const { month, valueE15, levelE12, backfill } of decision.newPrints) {
        const name = `${region} ${month}`;
        assert.ok(!this.prints.has(name), `${name} is printed once`);
        this.prints.set(name, `${valueE15} ${levelE12} ${id} ${backfill}`);
      }
      this.#known.set(region, knownAfter(known, decision));
    }
  }
}

test("10,000 permuted, repeated and restated releases change no first print", async () => {
  let imports = 0;
  const runs = fc.asyncProperty(
    fc.array(aRelease, { minLength: 1, maxLength: 4 }),
    fc.array(aStep, { minLength: IMPORTS_A_RUN, maxLength: IMPORTS_A_RUN }),
    async (releases, steps) => {
      const importer = new Importer();
      const plain = new Plain();
      for (const [at, { pick, kind, factor }] of steps.entries()) {
        const release = releases[pick % releases.length] ?? assert.fail("no release");
        const file = varied(release, kind, factor);
        const id = releaseId(`rel-${at}`);
        await importer.import(id, file);
        plain.import(id, file);
        assert.deepEqual(shownBy(importer.view), new Map([...plain.prints].sort(byMonth)));
        imports += 1;
      }
      assert.deepEqual(shownBy(await importer.again()), shownBy(importer.view));
    },
  );
  await fc.assert(runs, { numRuns: RUNS });
  assert.ok(imports >= RUNS * IMPORTS_A_RUN, `${imports} imports`);
});

function byMonth([one]: readonly [string, string], [other]: readonly [string, string]): number {
  const [region = "", month = ""] = one.split(" ");
  const [otherRegion = "", otherMonth = ""] = other.split(" ");
  return Number(region) - Number(otherRegion) || Number(month) - Number(otherMonth);
}
