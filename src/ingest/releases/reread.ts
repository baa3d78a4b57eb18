// The files of accepted releases read once more, for places the exchange has come to know since.
// Invariant: a place gets what it would have had, had it been known from the first release on; of a
// place that has prints, nothing is read, and nothing is shown before its entry is in the journal.
import type { NodeId } from "#base/ids.ts";
import { periodMonths } from "#base/index-kind.ts";
import { addMonths, type Month } from "#base/month.ts";
import type { CommandOf, HeldFrom, NewestPrint, RereadRelease } from "#core/command.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { HeldPlaceFacts } from "#core/settlement/held-place.ts";
import { decideNode, gapsOf, type KnownNode, type MonthRow } from "#prints/first-prints.ts";
import { hasValueAt, mergeRows, type PackedRow, packRow, unpackRow } from "#prints/packed-row.ts";
import { clearedCodes } from "#prints/release-validation.ts";
import { readLatest } from "../latest.ts";
import { KnownPlaces, type SeriesSink } from "../places/known-places.ts";
import { rereadKey, showDelivery } from "../series.ts";
import type { ProviderFile, ProviderRow } from "../sources/provider-file.ts";
import type { PrintStore } from "../store.ts";
import { emptyReading, type ReleaseReading, readRow } from "./reading.ts";
import { ReleaseWriter, type StagedDigests } from "./release-writer.ts";

/** Where files and prints are, and which places there are now. */
interface RereadLibrary {
  readonly store: PrintStore;
  /** Of the term this is read in. */
  readonly epoch: number;
  readonly sink: SeriesSink;
  open(release: AcceptedRelease): Promise<ProviderFile>;
  /** Where a region without a number belongs; undefined where it stays out. */
  newNode(release: AcceptedRelease, row: ProviderRow): NodeId | undefined;
  /** Whether a place of the release's series is held already. */
  isHeld(release: AcceptedRelease, node: NodeId): boolean;
}

/** Releases that are due, those of one series together, in the order of acceptance. */
export function dueOf(
  releases: Iterable<AcceptedRelease>,
): readonly (readonly [AcceptedRelease, ...AcceptedRelease[]])[] {
  const series = new Map<string, [AcceptedRelease, ...AcceptedRelease[]]>();
  for (const release of releases) {
    if (release.rereadDue !== true) continue;
    const name = `${release.index}|${release.level}|${release.variable ?? ""}`;
    const others = series.get(name);
    if (others === undefined) series.set(name, [release]);
    else others.push(release);
  }
  return [...series.values()];
}

/**
 * Stages what the files of one series hold of new places. `places`: those known so far.
 * If we stop here, what is staged are strays, and the releases are still due.
 */
export async function rereadSeries(
  library: RereadLibrary,
  places: KnownPlaces,
  due: readonly [AcceptedRelease, ...AcceptedRelease[]],
  signal: AbortSignal,
): Promise<CommandOf<"RereadReleases">> {
  const [{ index, level, variable }] = due;
  const series = new SeriesRereading(library, places);
  const releases: RereadRelease[] = [];
  for (const release of due) releases.push(await series.read(release, signal));
  const newest = await series.newest();
  const kind = variable === undefined ? {} : { variable };
  const { heldPlaces } = series;
  const held = heldPlaces.length === 0 ? {} : { heldPlaces };
  return { type: "RereadReleases", index, level, ...kind, releases, newest, ...held };
}

/** All that one rereading brings becomes one entry, whose number nobody knows yet. */
const THIS_ENTRY = -1;

class SeriesRereading {
  readonly #library: RereadLibrary;
  readonly #known: KnownPlaces;
  /** The new places, with what was read of them so far: nobody is shown these. */
  readonly #fresh: KnownPlaces;
  readonly #sink: SeriesSink;
  readonly #newest = new Map<NodeId, NewestPrint>();
  /** New places that validation holds, each from the first file that it has a reason in. */
  readonly #held = new Map<NodeId, HeldFrom>();
  /** Newest values of all other regions, by their provider's key, as of the last file. */
  readonly #others = new Map<string, PackedRow>();

  constructor(library: RereadLibrary, known: KnownPlaces) {
    this.#library = library;
    this.#known = known;
    this.#sink = library.sink.apart();
    this.#fresh = new KnownPlaces(known, this.#sink, known.count);
  }

  get heldPlaces(): readonly HeldFrom[] {
    return [...this.#held.values()];
  }

  async read(release: AcceptedRelease, signal: AbortSignal): Promise<RereadRelease> {
    const { store, epoch } = this.#library;
    const key = rereadKey(release.id, (release.rereads?.length ?? 0) + 1);
    const latest = await readLatest(store, this.#fresh.deliveries);
    const staging = await store.stage(key, epoch);
    let answer: RereadRelease;
    try {
      const writer = new ReleaseWriter(staging, this.#fresh.count);
      const { reading, claimed } = await this.#lines(release, latest, writer, signal);
      const held = heldIn(reading, claimed, release);
      for (const place of held) this.#held.set(place.nodeId, { ...place, releaseId: release.id });
      const digests = await writer.finish(latest);
      answer = partOf(release, claimed.size - held.length, held.length, reading, digests);
      if (answer.matched > 0) this.#note(release, reading);
    } catch (fault) {
      await staging.abort();
      throw fault;
    }
    if (answer.matched === 0) {
      await staging.abort();
      return answer;
    }
    await staging.commit();
    const before = this.#fresh.deliveries.map((delivery) => delivery.key);
    await store.forgetLatest(before, epoch);
    const delivery = { ...answer, key, rereadBy: THIS_ENTRY };
    await showDelivery(store, delivery, this.#fresh, this.#sink);
    return answer;
  }

  /** The regions that no place had, and that have a node now. */
  async #lines(
    release: AcceptedRelease,
    latest: Map<number, PackedRow>,
    writer: ReleaseWriter,
    signal: AbortSignal,
  ): Promise<{ readonly reading: ReleaseReading; readonly claimed: ReadonlyMap<NodeId, string> }> {
    const { index } = this.#known;
    const file = await this.#library.open(release);
    const reading = emptyReading(release, release.methodologyChange !== undefined, file);
    const claimed = new Map<NodeId, string>();
    const cleared = clearedIn(release);
    for await (const read of file.rows) {
      signal.throwIfAborted();
      const row = this.#fresh.named(this.#known.named(read));
      const known = this.#fresh.numberOf(row.regionId);
      const node = known === undefined ? this.#newNode(release, row) : this.#fresh.nodeOf(known);
      const claimant = node && (this.#regionOf(node) ?? claimed.get(node));
      const isWaiting = node !== undefined && this.#held.get(node)?.regionId === row.regionId;
      if (isWaiting) reading.waiting += 1;
      if (node === undefined || isWaiting || (claimant ?? row.regionId) !== row.regionId) {
        this.#tellUsual(reading, row);
        continue;
      }
      claimed.set(node, row.regionId);
      const place = known ?? writer.newPlace(row.regionId, node);
      const before = { places: this.#fresh, latest, writer, cleared };
      readRow(reading, before, { index, place, node, row });
      await writer.drain();
    }
    return { reading, claimed };
  }

  #newNode(release: AcceptedRelease, row: ProviderRow): NodeId | undefined {
    if (this.#known.numberOf(row.regionId) !== undefined) return undefined;
    const node = this.#library.newNode(release, row);
    return node !== undefined && this.#library.isHeld(release, node) ? undefined : node;
  }

  /** Validation's shares and middles are of a whole file: a few new places alone prove nothing. */
  #tellUsual({ validation }: ReleaseReading, { regionId, history }: ProviderRow): void {
    const before = this.#others.get(regionId);
    const known = before === undefined ? undefined : unlinked(unpackRow(before));
    const { newPrints } = decideNode(known, history, false);
    validation.add({ node: null, regionId }, known, history, newPrints);
    const newest = mergeRows(before, packRow(history));
    if (newest !== undefined) this.#others.set(regionId, newest);
  }

  #regionOf(node: NodeId): string | undefined {
    const region = this.#known.regionOf(node) ?? this.#fresh.regionOf(node);
    return region ?? this.#held.get(node)?.regionId;
  }

  #note({ id: releaseId }: AcceptedRelease, { observations }: ReleaseReading): void {
    for (const print of observations) {
      const before = this.#newest.get(print.nodeId);
      if (before !== undefined && before.month > print.month) continue;
      this.#newest.set(print.nodeId, { ...print, releaseId });
    }
  }

  /** The newest first print of every new place, with the months that no release has carried. */
  async newest(): Promise<readonly NewestPrint[]> {
    const latest = await readLatest(this.#library.store, this.#fresh.deliveries);
    const newest: NewestPrint[] = [];
    for (const [place, row] of latest) {
      const node = this.#fresh.nodeOf(place);
      const print = node && this.#newest.get(node);
      const gaps = gapsOf(monthsOf(row), periodMonths[this.#known.index]);
      if (print !== undefined) newest.push({ ...print, gaps });
    }
    return newest;
  }
}

const partOf = (
  { id: releaseId }: AcceptedRelease,
  matched: number,
  newlyHeld: number,
  { firstPrints, revisions, unchanged, rescaled, waiting }: ReleaseReading,
  digests: StagedDigests,
): RereadRelease => ({
  releaseId,
  matched,
  ...(newlyHeld + waiting === 0 ? {} : { held: newlyHeld + waiting }),
  firstPrints,
  revisions,
  unchanged,
  rescaled,
  ...digests,
});

const clearedIn = ({ clearance }: AcceptedRelease): ReadonlySet<string> =>
  clearedCodes(clearance?.reasons ?? []);

/** Validation's reasons about values; the file as a whole was judged when it came. */
const ofValues: ReadonlySet<string> = new Set(["UNIT_SLIP", "MOVE_TOO_LARGE", "RESTATED"]);

/**
 * The new places that validation holds. It looks at values here, without what two operators let the
 * release through for; a reason against the whole file is one against each new place in it.
 */
function heldIn(
  { validation, heldPlaces, observations }: ReleaseReading,
  claimed: ReadonlyMap<NodeId, string>,
  release: AcceptedRelease,
): readonly HeldPlaceFacts[] {
  const cleared = clearedIn(release);
  const reasons = validation
    .reasons(release, undefined, [])
    .filter(({ code }) => ofValues.has(code) && !cleared.has(code));
  if (reasons.length === 0) return heldPlaces;
  const own = new Map(heldPlaces.map((place) => [place.nodeId, place]));
  const brought = Map.groupBy(observations, ({ nodeId }) => nodeId);
  return [...claimed].map(([nodeId, regionId]) => ({
    nodeId,
    regionId,
    reasons: [...reasons, ...(own.get(nodeId)?.reasons ?? [])],
    observations: own.get(nodeId)?.observations ?? brought.get(nodeId) ?? [],
  }));
}

const unlinked = ({ firstMonth, values }: MonthRow): KnownNode => ({
  firstMonth,
  values,
  levels: values.map(() => null),
  latest: values,
});

/** Those that some release has carried. */
function monthsOf(row: PackedRow): readonly Month[] {
  const months = Array.from(row.words, (_, at) => addMonths(row.firstMonth, at));
  return months.filter((month) => hasValueAt(row, month));
}
