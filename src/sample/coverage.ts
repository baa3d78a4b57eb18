// The gaps in the sample's data: regions without rents, late starts, blank months.
// Invariant: a month that is blank for good is blank in every release; states have every month.

import type { SampleIndex } from "./growth.ts";
import { randomOf, wholeBetween } from "./random.ts";
import type { SampleRegion } from "./regions.ts";

/** Home values of this place appear first in this release, as of a region just added. */
const addedLater: Readonly<Record<string, number>> = { "zip:86001": 6 };

/** The newest rent of this place is missing from this release, and comes with the next one. */
const missedOnce: Readonly<Record<string, number>> = { "zip:85719": 7 };

/** Does the release's file have a line for the place? */
export function isCovered(index: SampleIndex, region: SampleRegion, release: number): boolean {
  if (index === "zhvi") return release >= (addedLater[region.nodeId] ?? 0);
  if (region.level === "zip") return region.rank % 3 !== 2;
  return region.level !== "neighborhood" || region.rank % 2 === 0;
}

/** Places of the months, from the first of the history on, that the provider has no value for. */
export interface Blanks {
  readonly before: number;
  readonly inside: ReadonlySet<number>;
}

export function blanksOf(seed: number, index: SampleIndex, region: SampleRegion): Blanks {
  const random = randomOf(seed, `${index} blanks ${region.nodeId}`);
  const { level, rank } = region;
  const small = level === "zip" || level === "neighborhood";
  const late = index === "zori" ? small : small && rank % 5 === 4;
  const before = late ? wholeBetween(random, 24, 72) : 0;
  const gaps = index === "zori" && level === "zip" && rank % 5 === 1;
  const inside = new Set(gaps ? [wholeBetween(random, 84, 96), wholeBetween(random, 97, 110)] : []);
  return { before, inside };
}

/** Is the newest month of a release blank for the place, this once? */
export const isMissed = (index: SampleIndex, region: SampleRegion, release: number): boolean =>
  index === "zori" && missedOnce[region.nodeId] === release;
