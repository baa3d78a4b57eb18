// Reads a provider's file line by line against the known values: counts, observes, writes.
// Invariant: each line is read once, and nothing of it is kept but what the release adds.
import { type NodeId, nodeId, type ReleaseId } from "#base/ids.ts";
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth, type Month } from "#base/month.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { Observation, ReleaseFacts } from "#core/records.ts";
import type { HeldPlaceFacts } from "#core/settlement/held-place.ts";
import { matchRegion } from "#geo/match.ts";
import type { GeoTree } from "#geo/tree.ts";
import { decideNode, gapsOf, type NodeDecision } from "#prints/first-prints.ts";
import type { Methodology } from "#prints/methodology.ts";
import { type PackedRow, packRow } from "#prints/packed-row.ts";
import { HIGHEST_LEVEL } from "#prints/print-run.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { chainingOf } from "#prints/release.ts";
import { ReleaseValidation, type ValidatedKind } from "#prints/release-validation.ts";
import type { KnownPlaces } from "../places/known-places.ts";
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
  return matchRegion(geo, {
    provider,
    level: row.level,
    regionId: row.regionId,
    name: row.regionName,
    stateCode: row.stateCode,
    fips: row.countyFips,
    cityName: row.city,
    countyName: row.county,
  });
}

interface PlacedRow {
  readonly index: IndexKind;
  readonly place: number;
  readonly node: NodeId;
  readonly row: ProviderRow;
}

/**
 * Takes one line: counted, observed, and handed to the writer; or, if validation holds the place,
 * only noted. The place's newest values then stay what they were.
 */
export function readRow(
  reading: ReleaseReading,
  { places, latest, writer, cleared, awaited }: Before,
  { index, place, node, row }: PlacedRow,
): void {
  const { history } = row;
  const before = latest.get(place);
  const known = before === undefined ? undefined : places.known(place, before, history);
  const decision = decideNode(known, history, chainingOf(index, places.level));
  const { newPrints, revisions, unchanged, scaleE12 } = decision;
  const { regionId } = row;
  const reasons = reading.validation
    .add({ node, regionId }, known, history, newPrints)
    .filter(({ code }) => !cleared.has(code));
  refuseGrowth(newPrints, row);
  reading.validation.expect(node, awaited?.get(node) ?? [], history, newPrints);
  const observations = observationsOf(index, node, known === undefined, newPrints);
  if (reasons.length > 0) {
    reading.heldPlaces.push({ nodeId: node, regionId, reasons, observations });
    return;
  }
  reading.firstPrints += newPrints.length;
  reading.revisions += revisions.length;
  reading.unchanged += unchanged;
  reading.rescaled += scaleE12 === null ? 0 : 1;
  reading.observations.push(...observations);
  writer.add(place, newPrints, packRow(history), before);
  latest.delete(place);
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

/** `isDeclared`: an operator said that the file is of another method. */
export const emptyReading = (
  index: IndexKind,
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
  validation: new ReleaseValidation(validatedKind(index, variable), isDeclared),
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
  const held = heldPlaces.length + waiting;
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
