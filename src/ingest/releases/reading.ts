// Reads a provider's file line by line against the known values: counts, observes, writes.
// Invariant: each line is read once, and nothing of it is kept but what the release adds.
import { type NodeId, nodeId, type ReleaseId } from "#base/ids.ts";
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import { chainLevelOf } from "#base/print-value.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { AcceptedRelease, Observation, ReleaseFacts } from "#core/records.ts";
import type { HeldPlaceFacts } from "#core/settlement/held-place.ts";
import { matchRegion } from "#geo/match.ts";
import type { GeoTree } from "#geo/tree.ts";
import {
  decideNode,
  gapsOf,
  type KnownNode,
  type MonthRow,
  type NodeDecision,
} from "#prints/first-prints.ts";
import type { ValidatedKind } from "#prints/limits.ts";
import type { Methodology } from "#prints/methodology.ts";
import { cutRow, type PackedRow, packRow, WordRow } from "#prints/packed-row.ts";
import { HIGHEST_LEVEL } from "#prints/print-run.ts";
import { valueIn } from "#prints/print-word.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { chainingOf } from "#prints/release.ts";
import { MONTHS_LOOKED_BACK, ReleaseValidation } from "#prints/release-validation.ts";
import type { ValidationReason } from "#prints/validation-reason.ts";
import { type FirstChain, firstChain, type Repeated, repeated } from "#prints/word-row.ts";
import type { KnownPlaces, SeriesOfFiles } from "../places/known-places.ts";
import type { ProviderFile, ProviderRow } from "../sources/provider-file.ts";
import type { ReleaseWriter, StagedDigests } from "./release-writer.ts";
import type { ReleaseMeta } from "./sent-as.ts";

/** Sizes of what a file brought, and what the exchange must be told of it. */
export interface ReleaseReading {
  readonly variable?: WeatherVariable;
  rows: number;
  firstPrints: number;
  revisions: number;
  unchanged: number;
  rescaled: number;
  unmatched: number;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  readonly observations: Observation[];
  /** Places that validation holds: nothing of their lines counts, nor is written. */
  readonly heldPlaces: HeldPlaceFacts[];
  /** Lines of places that a release before holds. */
  waiting: number;
  readonly validation: ReleaseValidation;
}

/**
 * The data a file is compared with: the places of its series, their newest values, and its writer.
 */
export interface Before {
  readonly places: KnownPlaces;
  /** By the place's number; taken out once the file has carried the place. */
  readonly latest: Map<number, PackedRow>;
  readonly writer: ReleaseWriter;
  /** Codes of validation that two operators let the release through for. */
  readonly cleared: ReadonlySet<string>;
  /** Months that markets wait for and nobody has printed; absent where a file is read again. */
  readonly awaited?: ReadonlyMap<NodeId, readonly Month[]>;
}

export function matched(
  geo: GeoTree,
  { provider }: Pick<ReleaseFacts, "provider">,
  row: ProviderRow,
): NodeId | undefined {
  // Zillow numbers its metros, which are kept for pricing and are no places of the hierarchy.
  if (row.level === "metro" && provider !== "census") return nodeId(`metro:${row.regionId}`);
  const region = {
    provider,
    level: row.level,
    name: row.regionName,
    stateCode: row.stateCode,
    fips: row.countyFips,
    cityName: row.city,
    countyName: row.county,
  };
  for (const regionId of [row.regionId, ...(row.otherIds ?? [])]) {
    const node = matchRegion(geo, { ...region, regionId });
    if (node !== undefined) return node;
  }
  return undefined;
}

interface PlacedRow {
  readonly index: IndexKind;
  readonly place: number;
  readonly node: NodeId;
  readonly row: ProviderRow;
}

/** A line's additions, and the part of it that validation is to see. */
interface LineDecision {
  readonly counts: Pick<NodeCounts, "firstPrints" | "revisions" | "unchanged" | "rescaled">;
  readonly observations: readonly Observation[];
  readonly newPrints: NodeDecision["newPrints"];
  /** Before the line; with `seen`, as far back as validation looks. */
  readonly known: KnownNode | undefined;
  readonly seen: MonthRow;
  readonly whole?: Repeated;
  /** Of a place that nobody knew: its prints, all of them backfill, are these. */
  readonly chain?: FirstChain;
}

type NodeCounts = Omit<ReleaseReading, "observations" | "heldPlaces" | "validation">;

/**
 * Takes one line: counted, observed, and handed to the writer; or, if validation holds the place,
 * only noted. The place's newest values then stay what they were.
 */
export function readRow(reading: ReleaseReading, before: Before, placed: PlacedRow): void {
  const { latest, writer, cleared, awaited } = before;
  const { place, node, row } = placed;
  const packed = packRow(row.history);
  const knownRow = latest.get(place);
  const decision =
    (knownRow === undefined
      ? decideFirst(placed, before, packed)
      : decideRepeated(placed, before, packed, knownRow)) ?? decideWhole(placed, before, knownRow);
  const { newPrints, known, seen, whole, observations, chain, counts } = decision;
  const { regionId } = row;
  const reasons = reading.validation
    .add({ node, regionId }, known, seen, newPrints, whole)
    .filter(({ code }) => !cleared.has(code));
  refuseGrowth(newPrints, row);
  const months = awaited?.get(node) ?? [];
  if (months.length > 0) reading.validation.expect(node, months, row.history, newPrints);
  if (reasons.length > 0) {
    reading.heldPlaces.push({ nodeId: node, regionId, reasons, observations });
    return;
  }
  reading.firstPrints += counts.firstPrints;
  reading.revisions += counts.revisions;
  reading.unchanged += counts.unchanged;
  reading.rescaled += counts.rescaled;
  reading.observations.push(...observations);
  if (chain === undefined) writer.add(place, newPrints, packed, knownRow);
  else writer.addFirst(place, chain, packed);
  latest.delete(place);
}

/** By its words, where they are plain: a place that no release had. */
function decideFirst(
  { index, node, row }: PlacedRow,
  { places }: Before,
  packed: PackedRow,
): LineDecision | undefined {
  const { firstMonth, words } = packed;
  const isPlain = row.history instanceof WordRow && chainingOf(index, places.level) !== false;
  const chain = isPlain ? firstChain(words) : undefined;
  if (chain === undefined) return undefined;
  const months = chain.valued.map((at) => addMonths(firstMonth, at));
  const [linked, newest] = chain.levels.map((level, nth) => {
    const at = chain.valued.at(nth - 2);
    if (level === null || at === undefined) return null;
    const month = addMonths(firstMonth, at);
    return { month, valueE15: valueIn(words[at] ?? 0n), levelE12: chainLevelOf(level) };
  });
  invariant(newest !== undefined && newest !== null, "a chain has a newest print");
  const gaps = gapsOf(months, periodMonths[index]);
  return {
    counts: { firstPrints: months.length, revisions: 0, unchanged: 0, rescaled: 0 },
    observations: [{ ...newest, link: linked ?? null, backfill: true, nodeId: node, gaps }],
    newPrints: [],
    known: undefined,
    seen: new WordRow(cutRow(packed, chain.end - 1 - MONTHS_LOOKED_BACK)),
    chain,
  };
}

/** By its words: a place that comes back rescaled, or as it was, and perhaps with new months. */
function decideRepeated(
  { index, place, node, row }: PlacedRow,
  { places }: Before,
  packed: PackedRow,
  knownRow: PackedRow,
): LineDecision | undefined {
  const isPlain = row.history instanceof WordRow && knownRow.wide.size === 0;
  if (!isPlain || chainingOf(index, places.level) !== true) return undefined;
  const shift = knownRow.firstMonth - packed.firstMonth;
  const whole = repeated(knownRow.words, packed.words, shift);
  if (whole === undefined) return undefined;
  const from = whole.lastShared - MONTHS_LOOKED_BACK;
  const seen = new WordRow(cutRow(packed, from));
  const known = places.known(place, cutRow(knownRow, from - shift), seen);
  const { newPrints } = decideNode(known, seen, true);
  // The print they are linked to lies further back, or there is none.
  if (newPrints.some(({ link }) => link === null)) return undefined;
  const { revised, unchanged, isRescaled } = whole;
  return {
    counts: {
      firstPrints: newPrints.length,
      revisions: revised,
      unchanged,
      rescaled: isRescaled ? 1 : 0,
    },
    observations: observationsOf(index, node, false, newPrints),
    newPrints,
    known,
    seen,
    whole,
  };
}

/** All of it, as it is written. */
function decideWhole(
  { index, place, node, row: { history } }: PlacedRow,
  { places }: Before,
  knownRow: PackedRow | undefined,
): LineDecision {
  const known = knownRow === undefined ? undefined : places.known(place, knownRow, history);
  const decision = decideNode(known, history, chainingOf(index, places.level));
  const { newPrints, revisions, unchanged, scaleE12 } = decision;
  return {
    counts: {
      firstPrints: newPrints.length,
      revisions: revisions.length,
      unchanged,
      rescaled: scaleE12 === null ? 0 : 1,
    },
    observations: observationsOf(index, node, known === undefined, newPrints),
    newPrints,
    known,
    seen: history,
  };
}

function refuseGrowth(newPrints: NodeDecision["newPrints"], { line }: ProviderRow): void {
  const far = newPrints.find(({ levelE12 }) => levelE12 !== null && levelE12 > HIGHEST_LEVEL);
  if (far === undefined) return;
  throw new ReleaseRefusal(
    "BAD_NUMBER",
    { line, column: formatMonth(far.month) },
    "is more than nine million times the region's first value; the file is damaged: download it " +
      "again",
  );
}

/** First prints proper, each; of a place seen for the first time, its newest month. */
export function observationsOf(
  index: IndexKind,
  node: NodeId,
  isNew: boolean,
  newPrints: NodeDecision["newPrints"],
): readonly Observation[] {
  const newest = newPrints.at(-1);
  if (isNew && newest !== undefined) {
    const months = newPrints.map(({ month }) => month);
    return [{ ...newest, nodeId: node, gaps: gapsOf(months, periodMonths[index]) }];
  }
  const first = newPrints.filter(({ backfill }) => !backfill);
  return first.map((print) => ({ ...print, nodeId: node, gaps: [] }));
}

/**
 * The differences from every form the provider has published; a form that two people have let in once
 * holds no later file of the series.
 */
export function layoutChanged(
  { changes = [] }: ProviderFile,
  series: SeriesOfFiles,
  releases: Iterable<AcceptedRelease>,
): readonly ValidationReason[] {
  const seen = [...releases]
    .filter(({ index, level, variable }) => {
      return index === series.index && level === series.level && variable === series.variable;
    })
    .flatMap(({ clearance }) => clearance?.reasons ?? [])
    .filter(({ code }) => code === "LAYOUT_CHANGED");
  const fresh = changes.filter((change) => !seen.some(({ message }) => message.includes(change)));
  return fresh.length === 0 ? [] : [{ code: "LAYOUT_CHANGED", message: fresh.join(" ") }];
}

/** `isDeclared`: an operator said that the file is of another method. */
export const emptyReading = (
  { index, level }: { readonly index: IndexKind; readonly level: string },
  isDeclared: boolean,
  { variable, firstMonth, lastMonth }: Pick<ProviderFile, "variable" | "firstMonth" | "lastMonth">,
): ReleaseReading => ({
  ...(variable === null ? {} : { variable }),
  rows: 0,
  firstPrints: 0,
  revisions: 0,
  unchanged: 0,
  rescaled: 0,
  unmatched: 0,
  firstMonth,
  lastMonth,
  observations: [],
  heldPlaces: [],
  waiting: 0,
  validation: new ReleaseValidation(validatedKind(index, variable), level, isDeclared),
});

/** The kind whose limits a file is held to. */
export function validatedKind(index: IndexKind, variable: WeatherVariable | null): ValidatedKind {
  if (index !== "weather") return index;
  invariant(variable !== null, "a weather file says what it measures");
  return variable;
}

export function summaryOf(
  id: ReleaseId,
  sha256: string,
  { provider, index, level, publishedAtMillis }: ReleaseMeta,
  {
    observations: _observations,
    validation: _gate,
    heldPlaces,
    waiting,
    ...counts
  }: ReleaseReading,
  { version, change }: Methodology,
  digests: StagedDigests,
): ReleaseFacts {
  const renamed = heldPlaces.filter(({ renamedFrom }) => renamedFrom !== undefined).length;
  const held = heldPlaces.length - renamed + waiting;
  return {
    id,
    provider,
    index,
    level,
    publishedAtMillis,
    sha256,
    ...counts,
    ...(held === 0 ? {} : { held }),
    methodologyVersion: version,
    ...(change === null ? {} : { methodologyChange: change }),
    ...digests,
  };
}
