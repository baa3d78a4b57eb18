// Where a provider's file becomes a release: kept, read, compared, staged, and put to the exchange.
// Invariant: whole or nothing; nothing of a file shows before its acceptance is in the journal.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { heldPlaceName, renamingName } from "#core/names.ts";
import type {
  AcceptedRelease,
  Observation,
  OperatorName,
  QuarantinedRelease,
  ReleaseFacts,
} from "#core/records.ts";
import type { HeldPlace, HeldPlaceFacts } from "#core/settlement/held-place.ts";
import { wouldSettle } from "#core/settlement/would-settle.ts";
import { isAccepted, type Result, type Submit } from "#engine/engine.ts";
import { refuseOtherCut } from "#prints/cut.ts";
import { decideNode, type MonthRow } from "#prints/first-prints.ts";
import type { FallCounts } from "#prints/growth.ts";
import { isDeclaredChange, methodologyOf } from "#prints/methodology.ts";
import { lastMonthOf } from "#prints/packed-row.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { chainingOf } from "#prints/release.ts";
import { clearedCodes } from "#prints/release-validation.ts";
import type { ValidationReason } from "#prints/validation-reason.ts";
import { readLatest } from "../latest.ts";
import { KnownPlaces, type SeriesOfFiles, type SeriesSink } from "../places/known-places.ts";
import type { RawFiles } from "../raw-file.ts";
import { deliveriesOf, showDelivery } from "../series.ts";
import { openProviderFile } from "../sources/open-provider-file.ts";
import type { ProviderFile, ProviderRow } from "../sources/provider-file.ts";
import { type PrintStore, type Staging, TermOver } from "../store.ts";
import { lineOf, openAccepted } from "./accepted-file.ts";
import { AwaitedFiles } from "./awaited.ts";
import { fallsBetween } from "./diff.ts";
import { readHeldPlace, releasesFrom } from "./held-place.ts";
import {
  type Before,
  emptyReading,
  layoutChanged,
  matched,
  observationsOf,
  type ReleaseReading,
  readRow,
  summaryOf,
} from "./reading.ts";
import {
  awaitedIn,
  type DurableReleases,
  historyFrom,
  newestOf,
  newestRegions,
  refuseProvider,
} from "./release-before.ts";
import { ReleaseWriter } from "./release-writer.ts";
import { regionIn, renamesIn, renamingOf } from "./rename.ts";
import { dueOf, rereadSeries } from "./reread.ts";
import { idOf, metaOf, type ReleaseMeta, type SentAs } from "./sent-as.ts";

export type Ingested =
  /** Durable: accepted and shown, or held back; `repeated` when these bytes were there before. */
  | { readonly release: AcceptedRelease | QuarantinedRelease; readonly repeated: boolean }
  | { readonly refusal: Pick<ReleaseRefusal, "code" | "message" | "line" | "column"> }
  /** The file was good; this is what became of its command. */
  | { readonly failed: Result };

/** The outcome of the command about a held place, or why its file could not be read. */
export type PlaceResult = { readonly decided: Result } | Extract<Ingested, { refusal: unknown }>;

type PlaceCommand =
  | { readonly type: "ReleasePlace" }
  | { readonly type: "RejectPlace"; readonly reason: string };

/** A file read and staged, and what validation says of it: to be committed, or given up. */
interface ValidatedRelease {
  readonly release: ReleaseFacts;
  readonly reasons: readonly ValidationReason[];
  readonly observations: readonly Observation[];
  readonly heldPlaces: readonly HeldPlaceFacts[];
  /** Keys of what the series has so far, whose newest values this release's replace. */
  readonly superseded: readonly string[];
  readonly staging: Staging;
}

export class ReleaseIntake {
  readonly #archive: RawFiles;
  readonly #store: PrintStore;
  readonly #durable: DurableReleases;
  readonly #sink: SeriesSink;
  readonly #awaited: AwaitedFiles;
  readonly #places = new Map<string, KnownPlaces>();
  readonly #shown = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /** `own`: gives commands in the exchange's own name. */
  constructor(
    archive: RawFiles,
    store: PrintStore,
    durable: DurableReleases,
    sink: SeriesSink,
    own: Submit,
  ) {
    this.#awaited = new AwaitedFiles(durable, own);
    this.#archive = archive;
    this.#store = store;
    this.#durable = durable;
    this.#sink = sink;
  }

  /** At a start: what a crash left behind goes, and what the journal has accepted is shown. */
  async start(): Promise<void> {
    const accepted = deliveriesOf(this.#durable.releases.values());
    await this.#store.removeStrays(accepted.map(({ key }) => key));
    await this.catchUp();
  }

  /** Shows every release the journal has accepted, when one came by another way. */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#showAccepted());
  }

  /** In the turn of files: while this is done, none is read. */
  whileIdle<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  /**
   * Reads the files of releases that are due once more; none where none is due. `tell` is told of
   * each series of files, whose new places show by then. Broken off by the signal, it stays due.
   * @throws TermOver where this node does not lead, or no longer: it stays due
   */
  reread(submit: Submit, signal: AbortSignal, tell: (sentence: string) => void): Promise<void> {
    return this.#inTurn(async () => {
      const epoch = this.#store.epoch();
      await this.#showAccepted();
      for (const due of dueOf(this.#durable.releases.values())) {
        const [first] = due;
        const name = nameOf(first);
        const library = this.#library(epoch);
        const answer = await rereadSeries(library, this.#placesOf(first), due, signal);
        const result = await submit(answer);
        await this.#showAccepted();
        if (!("outcome" in result)) throw new TermOver();
        if (!isAccepted(result)) throw new Error(`what was read again of ${name} was not taken`);
        const { newest, heldPlaces = [] } = answer;
        const held = heldPlaces.length === 0 ? "" : `, ${heldPlaces.length} are held`;
        tell(`Releases of ${name} were read again: ${newest.length} places are new${held}.`);
      }
    });
  }

  /** One file at a time, in the order they came. */
  ingest(upload: AsyncIterable<Uint8Array>, meta: ReleaseMeta, submit: Submit): Promise<Ingested> {
    return this.#inTurn(() => refusable(this.#take(upload, meta, submit)));
  }

  /**
   * An operator's word for a release that is held back. The second one's releases it: its file is
   * read again, since what is known may have changed, and held anew where validation now has a
   * reason that nobody has seen.
   */
  approve(id: ReleaseId, operator: OperatorName, submit: Submit): Promise<Ingested> {
    return this.#inTurn(async () => {
      const held = this.#held(id);
      const word = { type: "ApproveRelease", releaseId: id } as const;
      if (held === undefined || !this.#durable.isSecond(word, operator)) {
        return this.#after(id, await submit(word));
      }
      return refusable(this.#release(held, submit));
    });
  }

  /**
   * An operator's word for a place that is held from this release on. The second one's releases it:
   * the files are read again from that release on, for this place alone, and its prints show.
   */
  approvePlace(
    releaseId: ReleaseId,
    nodeId: NodeId,
    operator: OperatorName,
    submit: Submit,
  ): Promise<PlaceResult> {
    return this.#inTurn(async () => {
      const held = this.#heldPlace(releaseId, nodeId);
      const word = { type: "ApprovePlace", releaseId, nodeId } as const;
      if (held === undefined || !this.#durable.isSecond(word, operator)) {
        return { decided: await submit(word) };
      }
      return this.#decidePlace(held, submit, { type: "ReleasePlace" });
    });
  }

  /** The release does not count for the place: those after it are read for it. */
  rejectPlace(
    releaseId: ReleaseId,
    nodeId: NodeId,
    reason: string,
    submit: Submit,
  ): Promise<PlaceResult> {
    return this.#inTurn(async () => {
      const held = this.#heldPlace(releaseId, nodeId);
      const word = { type: "RejectPlace", reason } as const;
      if (held !== undefined) return this.#decidePlace(held, submit, word);
      return { decided: await submit({ ...word, releaseId, nodeId, readings: [] }) };
    });
  }

  /**
   * An operator's word that the provider goes on with a place under another id. The release from
   * which on it does, and the two years of both, are drawn from the files: nobody chooses them.
   */
  renamePlace(index: IndexKind, nodeId: NodeId, to: string, submit: Submit): Promise<PlaceResult> {
    return this.#inTurn(async () => {
      const library = this.#library(this.#store.epoch());
      await this.#showAccepted();
      const placesOf = (series: SeriesOfFiles) => this.#placesOf(series);
      const asked = { index, nodeId, to };
      return { decided: await submit(await renamingOf(library, this.#durable, placesOf, asked)) };
    });
  }

  /**
   * How many places fell by `fallBps` or more between two releases: raw, and in the chain. Both
   * raw files are read: about ten seconds for two of every zip.
   */
  async diff(earlier: ReleaseId, later: ReleaseId, fallBps: number): Promise<FallCounts> {
    return fallsBetween(this.#rowsOf(earlier), this.#rowsOf(later), fallBps);
  }

  /**
   * A place's line in a release, revisions included, to the last digit; undefined where the
   * release does not carry it, or holds it. Read from the raw file: about a second for one of every
   * zip.
   */
  async vintage(release: ReleaseId, node: NodeId): Promise<MonthRow | undefined> {
    const accepted = this.#durable.releases.get(release);
    if (accepted === undefined) return undefined;
    const now = this.#placesOf(accepted).regionOf(node);
    const region = regionIn(this.#durable, accepted, node, now);
    const held = this.#durable.heldPlaces.get(heldPlaceName(accepted, node));
    if (region === undefined || (held && this.#isFrom(held, release))) return undefined;
    return (await lineOf(this.#archive, accepted, region))?.history;
  }

  #isFrom(held: HeldPlace, id: ReleaseId): boolean {
    return releasesFrom(held, this.#durable.releases.values()).some((each) => each.id === id);
  }

  #library(epoch: number) {
    return {
      store: this.#store,
      epoch,
      sink: this.#sink,
      open: (release: AcceptedRelease) => openAccepted(this.#archive, release),
      newNode: (release: AcceptedRelease, row: ProviderRow) => this.#newNode(release, row),
      isHeld: (release: AcceptedRelease, node: NodeId) =>
        this.#durable.heldPlaces.has(heldPlaceName(release, node)),
      line: (release: AcceptedRelease, region: string) => lineOf(this.#archive, release, region),
    };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #showAccepted(): Promise<void> {
    for (const { release, ...delivery } of deliveriesOf(this.#durable.releases.values())) {
      if (this.#shown.has(delivery.key)) continue;
      await showDelivery(this.#store, delivery, this.#placesOf(release), this.#sink);
      this.#shown.add(delivery.key);
    }
  }

  #placesOf(series: SeriesOfFiles): KnownPlaces {
    const { index, level, variable = "" } = series;
    const name = `${index}|${level}|${variable}`;
    const places = this.#places.get(name) ?? new KnownPlaces(series, this.#sink);
    this.#places.set(name, places);
    for (const rename of renamesIn(this.#durable.renames.values(), series)) places.rename(rename);
    return places;
  }

  #heldPlace(id: ReleaseId, node: NodeId): HeldPlace | undefined {
    const release = this.#durable.releases.get(id);
    if (release === undefined) return undefined;
    const { heldPlaces } = this.#durable;
    return [heldPlaceName(release, node), renamingName(release, node)]
      .map((name) => heldPlaces.get(name))
      .find((held) => held?.releaseId === id);
  }

  async #decidePlace(held: HeldPlace, submit: Submit, word: PlaceCommand): Promise<PlaceResult> {
    const epoch = this.#store.epoch();
    await this.#showAccepted();
    const { releaseId, nodeId } = held;
    const from = releasesFrom(held, this.#durable.releases.values());
    const rest = held.renamed === undefined ? from.slice(1) : [];
    const releases = word.type === "RejectPlace" ? rest : from;
    try {
      const read = await readHeldPlace(this.#library(epoch), this.#placesOf(held), held, releases);
      const decided = await submit({ ...word, releaseId, nodeId, ...read });
      await this.#showAccepted();
      return { decided };
    } catch (fault) {
      if (fault instanceof TermOver) return { decided: { refused: "NOT_LEADER" } };
      if (!(fault instanceof ReleaseRefusal)) throw fault;
      return { refusal: fault };
    }
  }

  async #take(
    upload: AsyncIterable<Uint8Array>,
    meta: ReleaseMeta,
    submit: Submit,
  ): Promise<Ingested> {
    const epoch = this.#store.epoch();
    const whileLeading = this.#store.whileLeading(upload, epoch);
    const { sha256, wasKept } = await this.#archive.keep(whileLeading, epoch);
    const id = idOf(meta, sha256);
    const before = this.#durable.releases.get(id) ?? this.#held(id);
    if (before !== undefined) return { release: before, repeated: true };

    await this.#awaited.see(meta.index, id);
    try {
      refuseOtherCut(meta);
      const judged = await this.#judge(id, sha256, meta, epoch);
      const isHeld = judged.reasons.length > 0;
      const taken = isHeld ? this.#quarantine(judged, submit) : this.#accept(judged, submit);
      const answer = await taken;
      await this.#awaited.judged(meta.index, id, "release" in answer);
      return answer;
    } catch (fault) {
      const isRefused = fault instanceof ReleaseRefusal && this.#store.epoch() === epoch;
      if (isRefused && !wasKept) await this.#archive.forget(sha256, epoch);
      await this.#awaited.judged(meta.index, id, !isRefused);
      throw fault;
    }
  }

  async #release(held: QuarantinedRelease, submit: Submit): Promise<Ingested> {
    const epoch = this.#store.epoch();
    const seen = new Set(held.reasons.map(({ code }) => code));
    const judged = await this.#judge(held.id, held.sha256, metaOf(held), epoch, held.reasons);
    const isSeen = judged.reasons.every(({ code }) => seen.has(code));
    if (!isSeen) return this.#quarantine(judged, submit);
    return this.#accept(judged, submit, { fromQuarantine: true });
  }

  /** Reads a kept file against what is known and asks validation. `seen`: for what it was held. */
  async #judge(
    id: ReleaseId,
    sha256: string,
    meta: ReleaseMeta,
    epoch: number,
    seen: QuarantinedRelease["reasons"] = [],
  ): Promise<ValidatedRelease> {
    refuseProvider(this.#durable.releases, meta);
    // A release that came by another way must be known before this one is compared with it.
    await this.#showAccepted();
    const staging = await this.#store.stage(id, epoch);
    const bytes = this.#archive.open(sha256);
    try {
      const file = await openProviderFile(bytes, meta);
      const series = { ...meta, variable: file.variable ?? undefined };
      const places = this.#placesOf(series);
      const superseded = places.deliveries.map(({ key }) => key);
      const latest = await readLatest(this.#store, places.deliveries);
      const before = newestOf(series, this.#durable.releases);
      const regions = newestRegions(places, latest);
      const writer = new ReleaseWriter(staging, places.count);
      const { index, methodology: declared } = meta;
      const version = before?.methodologyVersion;
      const reading = emptyReading(meta, isDeclaredChange(index, version, declared), file);
      const cleared = clearedCodes(seen);
      const awaited = awaitedIn(this.#durable, index);
      await this.#read(file, meta, { places, latest, writer, cleared, awaited }, reading);
      const digests = await writer.finish(latest);
      const { validation, observations, heldPlaces } = reading;
      const methodology = methodologyOf(index, version, declared, validation.isMethodChanged);
      const release = summaryOf(id, sha256, meta, reading, methodology, digests);
      const changed = layoutChanged(file, series, this.#durable.releases.values());
      const known = before && { ...before, ...historyFrom(series, this.#durable.releases) };
      const reasons = [...changed, ...validation.reasons(release, known, regions)];
      return { release, reasons, observations, heldPlaces, superseded, staging };
    } catch (fault) {
      bytes.destroy();
      await staging.abort();
      throw fault;
    }
  }

  async #accept(
    { release, observations, heldPlaces, superseded, staging }: ValidatedRelease,
    submit: Submit,
    word: { readonly fromQuarantine?: true } = {},
  ): Promise<Ingested> {
    const { id } = release;
    await staging.commit();
    const held = heldPlaces.length === 0 ? {} : { heldPlaces };
    const result = await submit({
      type: "AcceptRelease",
      release,
      observations,
      ...held,
      ...word,
    });
    await this.#showAccepted();
    const accepted = this.#durable.releases.get(id);
    if (accepted === undefined) return this.#after(id, result);
    // If we stop here, they are forgotten with the next release of the series.
    await this.#store.forgetLatest(superseded, staging.epoch);
    return { release: accepted, repeated: false };
  }

  /** Nothing stays staged: the raw file is kept, and read again when two operators release it. */
  async #quarantine(judged: ValidatedRelease, submit: Submit): Promise<Ingested> {
    const { release, reasons, heldPlaces, staging } = judged;
    const prints = [...judged.observations, ...heldPlaces.flatMap((held) => held.observations)];
    await staging.abort();
    const settling = wouldSettle(this.#durable.markets, release.index, prints);
    const awaited = [...new Set(settling.map(({ print }) => print))];
    const command = { type: "QuarantineRelease", release, reasons } as const;
    const result = await submit(awaited.length === 0 ? command : { ...command, awaited });
    return this.#after(release.id, result);
  }

  #held(id: ReleaseId): QuarantinedRelease | undefined {
    const release = this.#durable.quarantine.get(id);
    return release?.status === "quarantined" ? release : undefined;
  }

  /**
   * The release as it is now, where the command was done: an answer given once more under its
   * idempotency key is about a release that may have gone on since.
   */
  #after(id: ReleaseId, result: Result): Ingested {
    const { releases, quarantine } = this.#durable;
    const release = isAccepted(result) ? (releases.get(id) ?? quarantine.get(id)) : undefined;
    return release === undefined ? { failed: result } : { release, repeated: false };
  }

  async #read(
    file: ProviderFile,
    meta: ReleaseMeta,
    before: Before,
    reading: ReleaseReading,
  ): Promise<void> {
    const { places, writer } = before;
    const claimed = new Map<NodeId, string>();
    const renamed: ProviderRow[] = [];
    const { heldPlaces } = this.#durable;
    for await (const read of file.rows) {
      const row = places.named(read);
      reading.rows += 1;
      const known = places.numberOf(row.regionId);
      const node = known === undefined ? this.#newNode(meta, row) : places.nodeOf(known);
      const held = node && heldPlaces.get(heldPlaceName(places, node));
      const claimant = node && (places.regionOf(node) ?? held?.regionId ?? claimed.get(node));
      if (node === undefined || (claimant ?? row.regionId) !== row.regionId) {
        reading.unmatched += 1;
        if (row.formerId !== undefined) renamed.push(row);
        continue;
      }
      if (held !== undefined) {
        reading.waiting += 1;
        reading.validation.pass(row.regionId);
        continue;
      }
      claimed.set(node, row.regionId);
      const place = known ?? writer.newPlace(row.regionId, node);
      readRow(reading, before, { index: meta.index, place, node, row });
      await writer.drain();
    }
    // Two that were one before are a division, which no note decides.
    for (const [row, other] of Map.groupBy(renamed, ({ formerId }) => formerId).values()) {
      if (row === undefined || other !== undefined) continue;
      this.#noteRename(row, meta.index, before, reading, claimed);
    }
  }

  /**
   * A region that the file's own note says was renamed: its place, if the file has no line of it
   * under the name before, waits for two people to go on under the new one.
   */
  #noteRename(
    row: ProviderRow,
    index: IndexKind,
    { places, latest }: Before,
    reading: ReleaseReading,
    claimed: ReadonlyMap<NodeId, string>,
  ): void {
    const { formerId = "", regionId, history } = row;
    const number = places.numberOf(formerId);
    const node = number === undefined ? undefined : places.nodeOf(number);
    const known = number === undefined ? undefined : latest.get(number);
    if (number === undefined || node === undefined || known === undefined) return;
    if (claimed.has(node) || places.regionOf(node) !== formerId) return;
    reading.validation.pass(formerId);
    const { heldPlaces } = this.#durable;
    if (heldPlaces.has(heldPlaceName(places, node))) return;
    if (heldPlaces.has(renamingName(places, node))) return;
    const whole = places.wholeOf(number, known);
    const { newPrints } = decideNode(whole, history, chainingOf(index, places.level));
    const observations = observationsOf(index, node, false, newPrints);
    if (!observations.some(({ month }) => month > lastMonthOf(known))) return;
    const reasons = reading.validation.add({ node, regionId }, whole, history, newPrints);
    const message = `The file's note says that ${row.regionName} was region ${formerId} before.`;
    reading.heldPlaces.push({
      nodeId: node,
      regionId,
      reasons: [{ code: "RENAMED", message }, ...reasons],
      renamedFrom: formerId,
      observations,
    });
  }

  /** A place that has prints of the index from files of another level, or may, keeps to those. */
  #newNode(sent: SentAs, row: ProviderRow): NodeId | undefined {
    const node = matched(this.#durable.geo, sent, row);
    if (node === undefined) return undefined;
    for (const places of this.#places.values()) {
      const isOther = places.index === sent.index && places.level !== sent.level;
      const isHeld = this.#durable.heldPlaces.has(heldPlaceName(places, node));
      if (isOther && (isHeld || places.regionOf(node) !== undefined)) return undefined;
    }
    return node;
  }

  /** The rows of an accepted release whose places are known. */
  async *#rowsOf(release: ReleaseId): AsyncGenerator<ProviderRow> {
    const accepted = this.#durable.releases.get(release);
    if (accepted === undefined) return;
    const places = this.#placesOf(accepted);
    const { rows } = await openAccepted(this.#archive, accepted);
    for await (const read of rows) {
      const row = places.named(read);
      if (places.numberOf(row.regionId) !== undefined) yield row;
    }
  }
}

const nameOf = ({ index, level, variable }: SeriesOfFiles): string =>
  `${index} by ${level}${variable === undefined ? "" : ` (${variable})`}`;

/** A file that must not be read, or not by this node, is an answer, not a fault. */
const refusable = (work: Promise<Ingested>): Promise<Ingested> =>
  work.catch((fault: unknown) => {
    if (fault instanceof TermOver) return { failed: { refused: "NOT_LEADER" } };
    if (!(fault instanceof ReleaseRefusal)) throw fault;
    return { refusal: fault };
  });
