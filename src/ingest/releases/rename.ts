// A place that its provider goes on with under another id: what the files show of it.
// Invariant: the release and the months compared are drawn from the files; nobody chooses them.
import type { NodeId } from "#base/ids.ts";
import { releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { monthOf } from "#base/month.ts";
import { comparedMonths, type SharedMonth } from "#contract/same-series.ts";
import type { CommandOf } from "#core/command.ts";
import { chainPointName } from "#core/names.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { Rename } from "#core/settlement/held-place.ts";
import { decideNode } from "#prints/first-prints.ts";
import { unpackRow } from "#prints/packed-row.ts";
import { chainingOf } from "#prints/release.ts";
import { readLatest } from "../latest.ts";
import type { KnownPlaces, SeriesOfFiles } from "../places/known-places.ts";
import type { ProviderRow } from "../sources/provider-file.ts";
import { type PlaceLibrary, releasesFrom } from "./held-place.ts";
import { observationsOf } from "./reading.ts";
import type { KnownToJournal } from "./release-before.ts";

/** All months of an index are of one series, except of weather. */
const anyMonth = monthOf(2000, 1);

/** Of one series of files, in the order they were accepted. */
export const renamesIn = (
  renames: Iterable<Rename>,
  { index, level }: SeriesOfFiles,
): readonly Rename[] =>
  [...renames].filter((rename) => rename.index === index && rename.level === level);

/** The region that a release has the place under; `now`: the one it is under today. */
export function regionIn(
  { releases, renames }: Pick<RenamedPlaces, "releases" | "renames">,
  release: AcceptedRelease,
  node: NodeId,
  now: string | undefined,
): string | undefined {
  const order = [...releases.keys()];
  const at = order.indexOf(release.id);
  const later = renamesIn(renames.values(), release).filter(({ nodeId }) => nodeId === node);
  return later.find((rename) => at < order.indexOf(rename.releaseId))?.from ?? now;
}

interface RenamedPlaces extends Pick<KnownToJournal, "chainPoints"> {
  readonly releases: ReadonlyMap<AcceptedRelease["id"], AcceptedRelease>;
  readonly renames: ReadonlyMap<string, Rename>;
}

interface Renaming {
  readonly index: IndexKind;
  readonly nodeId: NodeId;
  readonly to: string;
}

type Evidence = Omit<CommandOf<"RenamePlace">, "type" | "nodeId" | "to">;

/**
 * The first release after the place's newest print that carries the new id, the months up to that
 * print in both, and what the release adds. Without any of it the core refuses the command.
 */
export async function renamingOf(
  library: Pick<PlaceLibrary, "store" | "line">,
  durable: RenamedPlaces,
  placesOf: (series: SeriesOfFiles) => KnownPlaces,
  { index, nodeId, to }: Renaming,
): Promise<CommandOf<"RenamePlace">> {
  const { releases } = durable;
  const command = { type: "RenamePlace", nodeId, to } as const;
  const newest = durable.chainPoints.get(chainPointName(index, nodeId, anyMonth));
  const last = newest && releases.get(newest.releaseId);
  if (newest === undefined || last === undefined || index === "weather") {
    return { ...command, ...ungrounded };
  }
  const places = placesOf(last);
  const number = numberOf(places, nodeId);
  const from = places.regionOf(nodeId) ?? "";
  const carrying =
    places.numberOf(to) === undefined ? await firstWith(library, last, releases, to) : undefined;
  const latest = (await readLatest(library.store, places.deliveries, number)).get(number);
  if (carrying === undefined || latest === undefined) return { ...command, ...ungrounded, from };

  const { release, row } = carrying;
  const known = unpackRow(latest);
  const shared = comparedMonths(index, newest.month).flatMap((month): SharedMonth[] => {
    const knownE15 = known.values[month - known.firstMonth] ?? null;
    const givenE15 = row.history.values[month - row.history.firstMonth] ?? null;
    return knownE15 === null || givenE15 === null ? [] : [{ month, knownE15, givenE15 }];
  });
  const decision = decideNode(
    places.wholeOf(number, latest),
    row.history,
    chainingOf(index, last.level),
  );
  const observations = observationsOf(index, nodeId, false, decision.newPrints);
  const noted = row.formerId === from ? { isNoted: true as const } : {};
  return { ...command, releaseId: release.id, from, shared, ...noted, observations };
}

const ungrounded: Evidence = {
  releaseId: releaseId("none"),
  from: "",
  shared: [],
  observations: [],
};

/** Below 0 where the series has no such place. */
function numberOf(places: KnownPlaces, node: NodeId): number {
  const region = places.regionOf(node);
  return (region === undefined ? undefined : places.numberOf(region)) ?? -1;
}

async function firstWith(
  { line }: Pick<PlaceLibrary, "line">,
  last: AcceptedRelease,
  releases: RenamedPlaces["releases"],
  region: string,
): Promise<{ readonly release: AcceptedRelease; readonly row: ProviderRow } | undefined> {
  const since = releasesFrom({ ...last, releaseId: last.id }, releases.values()).slice(1);
  for (const release of since) {
    const row = await line(release, region);
    if (row !== undefined) return { release, row };
  }
  return undefined;
}
