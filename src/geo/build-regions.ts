// Regions as the provider's files name them: the lines of one region in many files, made one.
// Invariant: what a region comes to does not depend on the order of files or lines.
import type { Month } from "#base/month.ts";
import { isGarbled, isUsable } from "./build-names.ts";
import { coarseness, type GeoLevel } from "./node.ts";

/** A region's line in one file; null where the file does not say. */
export interface RegionRow {
  readonly level: GeoLevel;
  /** Digits. */
  readonly regionId: string;
  readonly name: string;
  /** Two letters. */
  readonly stateCode: string | null;
  /** Five digits, counties only. */
  readonly countyFips: string | null;
  readonly city: string | null;
  readonly county: string | null;
  /** Of the file: where files differ, the newer one counts. */
  readonly lastMonth: Month;
}

export interface Region extends Omit<RegionRow, "lastMonth"> {
  /** Its name in every file. */
  readonly spellings: ReadonlySet<string>;
}

/** By rising RegionID. */
export function regionsOf(rows: Iterable<RegionRow>): Region[] {
  const groups = new Map<string, RegionRow[]>();
  for (const row of rows) {
    const group = groups.get(row.regionId);
    if (group === undefined) groups.set(row.regionId, [row]);
    else group.push(row);
  }
  return [...groups.values()]
    .flatMap((group) => regionOf(group) ?? [])
    .sort((a, b) => Number(a.regionId) - Number(b.regionId));
}

/**
 * Undefined where no file has a name that could be shown. The provider turned some neighborhoods
 * into cities over the years: the newest file says which a region is, and older lines do not count.
 */
function regionOf(group: readonly RegionRow[]): Region | undefined {
  const [newest, ...others] = group.filter(({ name }) => isUsable(name)).sort(newestFirst);
  if (newest === undefined) return undefined;
  const rows = [newest, ...others.filter(({ level }) => level === newest.level)];
  const placed = rows.find(({ county }) => county !== null) ?? newest;
  return {
    level: newest.level,
    regionId: newest.regionId,
    name: (rows.find(({ name }) => !isGarbled(name)) ?? newest).name,
    stateCode: rows.find(({ stateCode }) => stateCode !== null)?.stateCode ?? null,
    countyFips: rows.find(({ countyFips }) => countyFips !== null)?.countyFips ?? null,
    city: (placed.city !== null ? placed : rows.find(({ city }) => city !== null))?.city ?? null,
    county: placed.county,
    spellings: new Set(rows.map(({ name }) => name)),
  };
}

function newestFirst(a: RegionRow, b: RegionRow): number {
  if (a.lastMonth !== b.lastMonth) return b.lastMonth - a.lastMonth;
  if (a.level !== b.level) return coarseness(a.level) - coarseness(b.level);
  const [textA, textB] = [textOf(a), textOf(b)];
  return textA < textB ? -1 : textA > textB ? 1 : 0;
}

const textOf = ({ name, stateCode, countyFips, city, county }: RegionRow): string =>
  [name, stateCode, countyFips, city, county].join("\n");
