// The files of a made-up provider, "Firstprint Sample Data", in the wide layout of the importer.
// Invariant: a file's bytes are a function of seed, last month of the history, release, index and
// level; only + − × ÷ and Math.sqrt on the way, so they are the same on every machine.

import { csvLine } from "#base/csv.ts";
import { addMonths, calendarMonth, type Month, monthEndMillis } from "#base/month.ts";
import { type GeoLevel, geoLevels } from "#geo/node.ts";
import { zoriSeason } from "#pricing/constants.ts";
import { HISTORY_MONTHS, type SampleRelease } from "./calendar.ts";
import { type Blanks, blanksOf, isCovered, isMissed } from "./coverage.ts";
import { type SampleIndex, SeedMarket } from "./growth.ts";
import { regions, type SampleRegion } from "./regions.ts";
import { METHOD_CHANGE, methodChange, revisionsOf, scalesOf } from "./restatement.ts";

export interface SampleFile {
  readonly index: SampleIndex;
  readonly level: GeoLevel;
  readonly text: string;
}

const indices: readonly SampleIndex[] = ["zhvi", "zori"];

/** The constants of a place: its two histories, by the old and the new method. */
interface Past {
  readonly oldMethod: readonly number[];
  readonly newMethod: readonly number[];
  readonly scales: readonly number[];
  readonly blanks: Blanks;
  /** By month, as it was written last: most values are those of the release before. */
  readonly written: { value: number; text: string }[];
}

export class SampleProvider {
  readonly #seed: number;
  readonly #market: SeedMarket;
  readonly #pasts = new Map<string, Past>();

  constructor(seed: number) {
    this.#seed = seed;
    this.#market = new SeedMarket(seed);
  }

  /** A file of each index and level, coarsest level first. */
  *files(release: SampleRelease): Generator<SampleFile> {
    for (const index of indices) {
      for (const level of geoLevels)
        yield { index, level, text: this.#text(release, index, level) };
    }
  }

  #text(release: SampleRelease, index: SampleIndex, level: GeoLevel): string {
    const lines = [csvLine([...columns[level], ...monthColumns(release)])];
    for (const region of regions) {
      if (region.level !== level || !isCovered(index, region, release.number)) continue;
      const { written } = this.#pastOf(index, region);
      const cells = this.#values(release, index, region).map((value, at) => {
        if (value === undefined) return "";
        const last = written[at];
        if (last?.value === value) return last.text;
        const text = String(value);
        written[at] = { value, text };
        return text;
      });
      lines.push(csvLine([...describingCells(region), ...cells]));
    }
    return lines.join("");
  }

  /** Undefined where the release has no value. */
  #values(
    release: SampleRelease,
    index: SampleIndex,
    region: SampleRegion,
  ): (number | undefined)[] {
    const { firstMonth, lastMonth, number } = release;
    const past = this.#pastOf(index, region);
    const path = index === "zhvi" && number >= METHOD_CHANGE ? past.newMethod : past.oldMethod;
    const scale = past.scales[number] ?? 1;
    const last = lastMonth - firstMonth;
    const revisions = index === "zori" ? revisionsOf(this.#seed, region, number) : [];
    return path.slice(0, last + 1).map((value, at) => {
      const isBlank =
        at < past.blanks.before ||
        past.blanks.inside.has(at) ||
        (at === last && isMissed(index, region, number));
      if (isBlank) return undefined;
      return (
        value * scale * seasonOf(index, addMonths(firstMonth, at)) * (revisions[last - at] ?? 1)
      );
    });
  }

  #pastOf(index: SampleIndex, region: SampleRegion): Past {
    const name = `${index}|${region.nodeId}`;
    const known = this.#pasts.get(name);
    if (known !== undefined) return known;
    const growth = this.#market.growth(index, region);
    const newest = index === "zhvi" ? region.valueUsd : rentOf(region.valueUsd);
    const oldMethod = pathOf(newest, growth);
    const past: Past = {
      oldMethod,
      newMethod: index === "zori" ? oldMethod : pathOf(newest, this.#restated(region, growth)),
      scales: scalesOf(this.#seed, index, region),
      blanks: blanksOf(this.#seed, index, region),
      written: [],
    };
    this.#pasts.set(name, past);
    return past;
  }

  #restated(region: SampleRegion, growth: readonly number[]): readonly number[] {
    const change = methodChange(this.#seed, region);
    return growth.map((old, at) => old + (change[at] ?? 0));
  }
}

/** Invented: a part that grows with the home's value on top of a part that does not. */
const rentOf = (valueUsd: number): number => 900 + 0.0026 * valueUsd;

/** The history that ends at `newest`, taken backwards. */
function pathOf(newest: number, growth: readonly number[]): readonly number[] {
  const path = new Array<number>(HISTORY_MONTHS).fill(newest);
  for (let at = HISTORY_MONTHS - 2; at >= 0; at -= 1) {
    path[at] = (path[at + 1] ?? newest) / (1 + (growth[at + 1] ?? 0));
  }
  return path;
}

/** Home values are published adjusted; rents have their season. */
const seasonOf = (index: SampleIndex, month: Month): number =>
  index === "zhvi" ? 1 : 1 + (zoriSeason[calendarMonth(month) - 1] ?? 0);

const first = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName"];

const columns: Readonly<Record<GeoLevel, readonly string[]>> = {
  state: first,
  county: [...first, "State", "Metro", "StateCodeFIPS", "MunicipalCodeFIPS"],
  city: [...first, "State", "Metro", "CountyName"],
  neighborhood: [...first, "State", "City", "Metro", "CountyName"],
  zip: [...first, "State", "City", "Metro", "CountyName"],
};

function monthColumns({ firstMonth, lastMonth }: SampleRelease): string[] {
  return Array.from({ length: lastMonth - firstMonth + 1 }, (_, at) =>
    new Date(monthEndMillis(addMonths(firstMonth, at)) - 1).toISOString().slice(0, 10),
  );
}

/** State files leave the state's code out. */
function describingCells(region: SampleRegion): readonly string[] {
  const { level, stateCode, metro, countyFips, countyName, cityName } = region;
  const { regionId, rank, name } = region;
  const state = level === "state" ? "" : stateCode;
  const common = [regionId, String(rank), name, level, state];
  const fips = countyFips ?? "";
  switch (level) {
    case "state":
      return common;
    case "county":
      return [...common, stateCode, metro ?? "", fips.slice(0, 2), fips.slice(2)];
    case "city":
      return [...common, stateCode, metro ?? "", countyName ?? ""];
    case "neighborhood":
    case "zip":
      return [...common, stateCode, cityName ?? "", metro ?? "", countyName ?? ""];
  }
}
