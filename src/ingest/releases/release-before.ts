// The data a file is checked against as a whole: the releases there are, the one before it, its
// regions.
// Invariant: releases follow each other within one index, level and variable.

import type { MarketId, NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Month, monthOf } from "#base/month.ts";
import { isLive } from "#core/market/life.ts";
import { hasPrinted } from "#core/market/printed-since.ts";
import { chainPointName } from "#core/names.ts";
import type {
  AcceptedRelease,
  ChainPoint,
  Market,
  OperatorName,
  QuarantinedRelease,
  ReleaseFacts,
} from "#core/records.ts";
import type { HeldPlace, Rename } from "#core/settlement/held-place.ts";
import type { WordCommand } from "#core/words/word.ts";
import type { GeoTree } from "#geo/tree.ts";
import { hasValueAt, lastMonthOf, type PackedRow } from "#prints/packed-row.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { chainingOf } from "#prints/release.ts";
import type { KnownPlaces, SeriesOfFiles } from "../places/known-places.ts";

/** The one that ends last; of those that end together the one published last. */
export function newestOf(
  { index, level, variable }: SeriesOfFiles,
  releases: ReadonlyMap<ReleaseId, AcceptedRelease>,
): AcceptedRelease | undefined {
  let newest: AcceptedRelease | undefined;
  for (const release of releases.values()) {
    const isOfSeries = release.index === index && release.level === level;
    if (!isOfSeries || release.variable !== variable) continue;
    const ahead =
      newest === undefined
        ? 1
        : release.lastMonth - newest.lastMonth ||
          release.publishedAtMillis - newest.publishedAtMillis;
    if (ahead >= 0) newest = release;
  }
  return newest;
}

/** The first month of all releases of a series whose values are no chain; else nothing. */
export function historyFrom(
  { index, level, variable }: SeriesOfFiles,
  releases: ReadonlyMap<ReleaseId, AcceptedRelease>,
): { readonly historyFrom?: Month } {
  if (chainingOf(index, level) !== false) return {};
  const series = [...releases.values()].filter(
    (release) =>
      release.index === index && release.level === level && release.variable === variable,
  );
  const [first] = series.map(({ firstMonth }) => firstMonth).sort((a, b) => a - b);
  return first === undefined ? {} : { historyFrom: first };
}

/** The regions that had a value for the newest month of all. */
export function newestRegions(
  places: KnownPlaces,
  latest: ReadonlyMap<number, PackedRow>,
): readonly string[] {
  let month = monthOf(0, 1);
  for (const row of latest.values()) {
    const last = lastMonthOf(row);
    if (last > month) month = last;
  }
  const regions: string[] = [];
  for (const [place, row] of latest) {
    const node = hasValueAt(row, month) ? places.nodeOf(place) : undefined;
    const region = node && places.regionOf(node);
    if (region !== undefined) regions.push(region);
  }
  return regions;
}

/**
 * An index has one provider at a level, for prints of two would not be of one series; and what is
 * made up never stands beside what is not.
 */
export function refuseProvider(
  releases: ReadonlyMap<ReleaseId, AcceptedRelease>,
  { index, level, provider }: Pick<ReleaseFacts, "index" | "level" | "provider">,
): void {
  for (const release of releases.values()) {
    if (release.index !== index || release.provider === provider) continue;
    const isSample = provider === "sample" || release.provider === "sample";
    if (release.level !== level && !isSample) continue;
    throw new ReleaseRefusal(
      "OTHER_PROVIDER",
      {},
      isSample
        ? `${index} is published here by ${release.provider}; ` +
            `use a store without the sample (FIRSTPRINT_SAMPLE=0) for files of ${provider}.`
        : `${index} by ${level} is published here by ${release.provider}, not by ${provider}; ` +
            "an index has one provider at a level.",
    );
  }
}

/**
 * The markets that wait for prints, and the prints there are: drawn from the journal, not from any
 * table.
 */
export interface KnownToJournal {
  readonly markets: ReadonlyMap<MarketId, Market>;
  /** The newest first print of each series, by `chainPointName`. */
  readonly chainPoints: ReadonlyMap<string, ChainPoint>;
}

/** Months that markets wait for and that, by the journal, no release has printed. */
export function awaitedIn(
  known: KnownToJournal,
  index: IndexKind,
): ReadonlyMap<NodeId, readonly Month[]> {
  const awaited = new Map<NodeId, Month[]>();
  for (const { terms, status } of known.markets.values()) {
    const { nodeId, measurementMonth: month } = terms;
    if (terms.index !== index || !isLive(status)) continue;
    const newest = known.chainPoints.get(chainPointName(index, nodeId, month));
    const isPrinted = newest !== undefined && hasPrinted(newest, month);
    const months = awaited.get(nodeId) ?? [];
    if (!isPrinted && !months.includes(month)) awaited.set(nodeId, [...months, month]);
  }
  return awaited;
}

/** The durable facts of the exchange that the intake needs. */
export interface DurableReleases extends KnownToJournal {
  readonly releases: ReadonlyMap<ReleaseId, AcceptedRelease>;
  readonly quarantine: ReadonlyMap<ReleaseId, QuarantinedRelease>;
  readonly heldPlaces: ReadonlyMap<string, HeldPlace>;
  readonly renames: ReadonlyMap<string, Rename>;
  readonly geo: GeoTree;
  /** Whether a word of this person would be the second of two. */
  isSecond(command: WordCommand, by: OperatorName): boolean;
}
