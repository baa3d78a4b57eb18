// The files of a series read for one place that was held, from the release that held it on.
// Invariant: the place gets what it would have had if it had never been held, or, where its release
// was rejected for it, what it would have had without that release; and no other place is touched.
import type { HeldFrom, PlaceReading } from "#core/command.ts";
import type { AcceptedRelease, ReleaseReason } from "#core/records.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import { decideNode, type KnownNode, knownAfter } from "#prints/first-prints.ts";
import { mergeRows, type PackedRow, packRow } from "#prints/packed-row.ts";
import { chainingOf } from "#prints/release.ts";
import { clearedCodes, ReleaseValidation } from "#prints/release-validation.ts";
import { readLatest } from "../latest.ts";
import type { KnownPlaces, SeriesOfFiles } from "../places/known-places.ts";
import { rereadKey } from "../series.ts";
import type { ProviderRow } from "../sources/provider-file.ts";
import type { PrintStore } from "../store.ts";
import { observationsOf, validatedKind } from "./reading.ts";
import { ReleaseWriter, type StagedDigests } from "./release-writer.ts";

export interface PlaceLibrary {
  readonly store: Pick<PrintStore, "stage" | "latest" | "blocks">;
  /** Under which all of it is stored, or nothing. */
  readonly epoch: number;
  /** The region's line in the file of an accepted release; undefined where it has none. */
  line(release: AcceptedRelease, region: string): Promise<ProviderRow | undefined>;
}

interface ReadPlace {
  readonly readings: readonly PlaceReading[];
  /** Validation holds the place again: nothing of this release or a later one was read. */
  readonly heldAnew?: HeldFrom;
}

/** The releases of the place's series from the one that held it on, in the order of acceptance. */
export function releasesFrom(
  { index, level, variable, releaseId }: SeriesOfFiles & Pick<HeldPlace, "releaseId">,
  releases: Iterable<AcceptedRelease>,
): readonly AcceptedRelease[] {
  const series = [...releases].filter(
    (release) =>
      release.index === index && release.level === level && release.variable === variable,
  );
  return series.slice(series.findIndex(({ id }) => id === releaseId));
}

/**
 * Stages what each of these releases brings of the place. `releases`: as `releasesFrom` gives them;
 * without the first, that one is rejected for the place.
 * If we stop here, what is staged are strays, and the place is still held.
 */
export async function readHeldPlace(
  library: PlaceLibrary,
  places: KnownPlaces,
  held: HeldPlace,
  releases: readonly AcceptedRelease[],
): Promise<ReadPlace> {
  const place = await PlaceReader.open(library, places, held);
  const readings: PlaceReading[] = [];
  for (const release of releases) {
    const row = await library.line(release, held.regionId);
    if (row === undefined) continue;
    const answer = await place.take(release, row);
    if ("reasons" in answer) return { readings, heldAnew: answer };
    readings.push(answer);
  }
  return { readings };
}

class PlaceReader {
  readonly #store: PlaceLibrary["store"];
  readonly #epoch: number;
  readonly #held: HeldPlace;
  readonly #places: KnownPlaces;
  #number: number | undefined;
  #known: KnownNode | undefined;
  #latest: PackedRow | undefined;

  private constructor({ store, epoch }: PlaceLibrary, places: KnownPlaces, held: HeldPlace) {
    this.#store = store;
    this.#epoch = epoch;
    this.#places = places;
    this.#held = held;
  }

  static async open(
    library: PlaceLibrary,
    places: KnownPlaces,
    held: HeldPlace,
  ): Promise<PlaceReader> {
    const reader = new PlaceReader(library, places, held);
    const number = places.numberOf(held.renamed?.from ?? held.regionId);
    if (number === undefined) return reader;
    reader.#number = number;
    reader.#latest = (await readLatest(library.store, places.deliveries, number)).get(number);
    if (reader.#latest !== undefined) reader.#known = places.wholeOf(number, reader.#latest);
    return reader;
  }

  async take(release: AcceptedRelease, row: ProviderRow): Promise<PlaceReading | HeldFrom> {
    const { index, level, nodeId, regionId } = this.#held;
    const decision = decideNode(this.#known, row.history, chainingOf(index, level));
    const { newPrints, revisions, unchanged, scaleE12 } = decision;
    const observations = observationsOf(index, nodeId, this.#known === undefined, newPrints);
    const reasons = this.#reasons(release, row, newPrints);
    if (reasons.length > 0) {
      return { releaseId: release.id, nodeId, regionId, reasons, observations };
    }
    const digests = await this.#write(release, row, newPrints);
    this.#known = knownAfter(this.#known, decision);
    this.#latest = mergeRows(this.#latest, packRow(row.history));
    return {
      releaseId: release.id,
      firstPrints: newPrints.length,
      revisions: revisions.length,
      unchanged,
      rescaled: scaleE12 === null ? 0 : 1,
      ...digests,
      observations,
    };
  }

  /** Without what two operators have let this release, or the place in it, through for. */
  #reasons(
    release: AcceptedRelease,
    { history }: ProviderRow,
    newPrints: Parameters<ReleaseValidation["add"]>[3],
  ): readonly ReleaseReason[] {
    const { index, level, variable, nodeId: node, regionId, releaseId, reasons } = this.#held;
    const isApproved = release.id === releaseId;
    // Nothing is known to judge it by: what was said of the release before stands.
    if (this.#known === undefined && !isApproved) return reasons;
    const seen = [...(release.clearance?.reasons ?? []), ...(isApproved ? reasons : [])];
    const cleared = clearedCodes(seen);
    const isDeclared = release.methodologyChange !== undefined;
    return new ReleaseValidation(validatedKind(index, variable ?? null), level, isDeclared)
      .add({ node, regionId }, this.#known, history, newPrints)
      .filter(({ code }) => !cleared.has(code));
  }

  /** Under a key of its own, beside what the release brought before. */
  async #write(
    release: AcceptedRelease,
    { history }: ProviderRow,
    newPrints: Parameters<ReleaseWriter["add"]>[1],
  ): Promise<StagedDigests> {
    const { nodeId, regionId } = this.#held;
    const key = rereadKey(release.id, (release.rereads?.length ?? 0) + 1);
    const staging = await this.#store.stage(key, this.#epoch);
    try {
      const writer = new ReleaseWriter(staging, this.#places.count);
      this.#number ??= writer.newPlace(regionId, nodeId);
      writer.add(this.#number, newPrints, packRow(history), this.#latest);
      const digests = await writer.finish(new Map());
      await staging.commit();
      return digests;
    } catch (fault) {
      await staging.abort();
      throw fault;
    }
  }
}
