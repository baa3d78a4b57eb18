// Where a provider's file becomes a release: kept, read, compared, staged, and put to the exchange.
// Invariant: whole or nothing; nothing of a file shows before its acceptance is in the journal.
import { sha256Hex } from "#base/digest.ts";
import { type NodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { monthOf } from "#base/month.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { Command, Observation } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type {
  AcceptedRelease,
  OperatorName,
  QuarantinedRelease,
  ReleaseFacts,
} from "#core/records.ts";
import type { Submitted } from "#engine/engine.ts";
import type { GeoTree } from "#geo/tree.ts";
import { refuseOtherCut } from "#prints/cut.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import type { GateReason } from "#prints/gate.ts";
import { countFalls, type FallCounts, type GrowthPair, growthBetween } from "#prints/growth.ts";
import { isDeclaredChange, methodologyOf } from "#prints/methodology.ts";
import { hasValueAt, lastMonthOf, type PackedRow, packRow, unpackRow } from "#prints/packed-row.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { isPrintLevel, isProviderId, type PrintLevel, type ProviderId } from "#prints/release.ts";
import { KnownPlaces, type SeriesSink } from "./known-places.ts";
import type { RawArchive } from "./raw-archive.ts";
import { type Before, emptyReading, matched, type Reading, readRow, summaryOf } from "./reading.ts";
import { ReleaseWriter, readLatest } from "./release-writer.ts";
import { dueOf, rereadSeries } from "./reread.ts";
import { deliveriesOf, showDelivery } from "./series.ts";
import { isWide, openProviderFile } from "./sources/open-provider-file.ts";
import type { ProviderFile, ProviderRow } from "./sources/provider-file.ts";
import { type PrintStore, type Staging, TermOver } from "./store.ts";
import { damagedPrints } from "./verify.ts";
import { linesOfRegion } from "./vintage.ts";

export interface ReleaseMeta {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
  readonly publishedAtMillis: number;
  /** Declared by the operator; undefined = as before, unless another is detected. */
  readonly methodology?: string | undefined;
  /** What the file is called, where it has a name. */
  readonly fileName?: string | undefined;
}

export type Submit = (command: Command) => Promise<Submitted>;

export type Ingested =
  /** Durable: accepted and shown, or held back; `repeated` when these bytes were there before. */
  | { readonly release: AcceptedRelease | QuarantinedRelease; readonly repeated: boolean }
  | { readonly refusal: Pick<ReleaseRefusal, "code" | "message" | "line" | "column"> }
  /** The file was good; this is what became of its command. */
  | { readonly failed: Submitted };

/** What the desk must know of the exchange: only what is durable. */
interface Durable {
  readonly releases: ReadonlyMap<ReleaseId, AcceptedRelease>;
  readonly quarantine: ReadonlyMap<ReleaseId, QuarantinedRelease>;
  readonly geo: GeoTree;
}

/** A file read and staged, and what the gate says of it: to be committed, or given up. */
interface Judged {
  readonly release: ReleaseFacts;
  readonly reasons: readonly GateReason[];
  readonly observations: readonly Observation[];
  /** Keys of what the series has so far, whose newest values this release's replace. */
  readonly superseded: readonly string[];
  readonly staging: Staging;
}

export class IngestDesk {
  readonly #archive: RawArchive;
  readonly #store: PrintStore;
  readonly #durable: Durable;
  readonly #sink: SeriesSink;
  readonly #places = new Map<string, KnownPlaces>();
  readonly #shown = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  #judging: Promise<readonly ReleaseId[]> | undefined;

  constructor(archive: RawArchive, store: PrintStore, durable: Durable, sink: SeriesSink) {
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
        if ("held" in answer) {
          const reasons = answer.held.reasons.map(({ message }) => message).join(" ");
          tell(`New places of ${name} stay without prints (${answer.held.release.id}): ${reasons}`);
          continue;
        }
        const submitted = await submit(answer.command);
        await this.#showAccepted();
        if (!("answer" in submitted)) throw new TermOver();
        const isDone = !isRejected(submitted.answer.outcome);
        if (!isDone) throw new Error(`what was read again of ${name} was not taken`);
        tell(
          `Releases of ${name} were read again: ${answer.command.newest.length} places are new.`,
        );
      }
    });
  }

  /** Releases whose stored prints are not those the journal accepted; who asks meanwhile shares. */
  damaged(): Promise<readonly ReleaseId[]> {
    this.#judging ??= damagedPrints(this.#store, this.#durable.releases.values())
      .then((damages) => [...new Set(damages.map(({ releaseId }) => releaseId))])
      .finally(() => {
        this.#judging = undefined;
      });
    return this.#judging;
  }

  /** One file at a time, in the order they came. */
  ingest(upload: AsyncIterable<Uint8Array>, meta: ReleaseMeta, submit: Submit): Promise<Ingested> {
    return this.#inTurn(() => refusable(this.#take(upload, meta, submit)));
  }

  /**
   * An operator's word for a release that is held back. The second one's releases it: its file is
   * read again, since what is known may have changed, and held anew where the gate now has a
   * reason that nobody has seen.
   */
  approve(id: ReleaseId, operator: OperatorName, submit: Submit): Promise<Ingested> {
    return this.#inTurn(async () => {
      const held = this.#held(id);
      if (held === undefined || held.approvedBy === null || held.approvedBy === operator) {
        return this.#after(id, await submit({ type: "ApproveRelease", releaseId: id }));
      }
      return refusable(this.#release(held, submit));
    });
  }

  /**
   * How many places fell by `fallBps` or more between two releases: raw, and in the chain. Both
   * raw files are read: about ten seconds for two of every zip.
   */
  async diff(earlier: ReleaseId, later: ReleaseId, fallBps: number): Promise<FallCounts> {
    const before = new Map<string, PackedRow>();
    for await (const { regionId, history } of this.#rowsOf(earlier)) {
      before.set(regionId, packRow(history));
    }
    const pairs: GrowthPair[] = [];
    for await (const { regionId, history } of this.#rowsOf(later)) {
      const old = before.get(regionId);
      const pair = old === undefined ? undefined : growthBetween(unpackRow(old), history);
      if (pair !== undefined) pairs.push(pair);
    }
    return countFalls(pairs, fallBps);
  }

  /**
   * A place's line in a release, revisions included, to the last digit; undefined where the
   * release does not carry it. Read from the raw file: about a second for one of every zip.
   */
  async vintage(release: ReleaseId, node: NodeId): Promise<MonthRow | undefined> {
    const accepted = this.#durable.releases.get(release);
    const region = accepted && this.#placesOf(accepted).regionOf(node);
    if (region === undefined) return undefined;
    try {
      return (await this.#lineIn(release, region, region))?.history;
    } catch (fault) {
      // What makes a file a provider's is judged over all its lines; one alone may look rounded.
      if (!(fault instanceof ReleaseRefusal)) throw fault;
      return (await this.#lineIn(release, region))?.history;
    }
  }

  /** To the file's end, which proves its bytes; `only`: the one region whose cells are read. */
  async #lineIn(
    release: ReleaseId,
    region: string,
    only?: string,
  ): Promise<ProviderRow | undefined> {
    let found: ProviderRow | undefined;
    for await (const row of this.#rowsOf(release, only)) {
      if (row.regionId === region) found = row;
    }
    return found;
  }

  #library(epoch: number) {
    return {
      store: this.#store,
      epoch,
      sink: this.#sink,
      open: (release: AcceptedRelease) => this.#open(release),
      newNode: (release: AcceptedRelease, row: ProviderRow) => this.#newNode(release, row),
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
    return places;
  }

  async #take(
    upload: AsyncIterable<Uint8Array>,
    meta: ReleaseMeta,
    submit: Submit,
  ): Promise<Ingested> {
    const epoch = this.#store.epoch();
    const whileLeading = this.#store.whileLeading(upload, epoch);
    const { sha256, wasKept } = await this.#archive.keep(whileLeading);
    const id = idOf(meta, sha256);
    const before = this.#durable.releases.get(id) ?? this.#held(id);
    if (before !== undefined) return { release: before, repeated: true };

    try {
      refuseOtherCut(meta);
      const judged = await this.#judge(id, sha256, meta, epoch);
      const isHeld = judged.reasons.length > 0;
      return await (isHeld ? this.#quarantine(judged, submit) : this.#accept(judged, submit));
    } catch (fault) {
      const isRefused = fault instanceof ReleaseRefusal && this.#store.epoch() === epoch;
      if (isRefused && !wasKept) await this.#archive.forget(sha256);
      throw fault;
    }
  }

  async #release(held: QuarantinedRelease, submit: Submit): Promise<Ingested> {
    const epoch = this.#store.epoch();
    const judged = await this.#judge(held.id, held.sha256, metaOf(held), epoch);
    const seen = new Set(held.reasons.map(({ code }) => code));
    const isSeen = judged.reasons.every(({ code }) => seen.has(code));
    if (!isSeen) return this.#quarantine(judged, submit);
    return this.#accept(judged, submit, { fromQuarantine: true });
  }

  /** Reads a kept file against what is known and asks the gate. */
  async #judge(id: ReleaseId, sha256: string, meta: ReleaseMeta, epoch: number): Promise<Judged> {
    refuseProvider(this.#durable, meta);
    // A release that came by another way must be known before this one is compared with it.
    await this.#showAccepted();
    const staging = await this.#store.stage(id, epoch);
    const bytes = this.#archive.open(sha256);
    try {
      const file = await openProviderFile(bytes, meta);
      const series = { ...meta, variable: file.variable ?? undefined };
      const places = this.#placesOf(series);
      const superseded = [...places.deliveries];
      const latest = await readLatest(this.#store, superseded);
      const before = newestOf(series, this.#durable);
      const regions = newestRegions(places, latest);
      const writer = new ReleaseWriter(staging, places.count);
      const { index, methodology: declared } = meta;
      const version = before?.methodologyVersion;
      const reading = emptyReading(index, isDeclaredChange(index, version, declared), file);
      await this.#read(file, meta, { places, latest, writer }, reading);
      const printsDigest = await writer.finish(latest);
      const { gate, observations } = reading;
      const methodology = methodologyOf(index, version, declared, gate.isMethodChanged);
      const release = summaryOf(id, sha256, meta, reading, methodology, printsDigest);
      const reasons = gate.reasons(release, before, regions);
      return { release, reasons, observations, superseded, staging };
    } catch (fault) {
      bytes.destroy();
      await staging.abort();
      throw fault;
    }
  }

  async #accept(
    { release, observations, superseded, staging }: Judged,
    submit: Submit,
    held: { readonly fromQuarantine?: true } = {},
  ): Promise<Ingested> {
    const { id } = release;
    await staging.commit();
    const submitted = await submit({ type: "AcceptRelease", release, observations, ...held });
    await this.#showAccepted();
    const accepted = this.#durable.releases.get(id);
    if (accepted === undefined) return this.#after(id, submitted);
    // If we stop here, they are forgotten with the next release of the series.
    await this.#store.forgetLatest(superseded, staging.epoch);
    return { release: accepted, repeated: false };
  }

  /** Nothing stays staged: the raw file is kept, and read again when two operators release it. */
  async #quarantine({ release, reasons, staging }: Judged, submit: Submit): Promise<Ingested> {
    await staging.abort();
    const submitted = await submit({ type: "QuarantineRelease", release, reasons });
    return this.#after(release.id, submitted);
  }

  #held(id: ReleaseId): QuarantinedRelease | undefined {
    const release = this.#durable.quarantine.get(id);
    return release?.status === "quarantined" ? release : undefined;
  }

  /**
   * The release as it is now, where the command was done: an answer given once more under its
   * idempotency key is about a release that may have gone on since.
   */
  #after(id: ReleaseId, submitted: Submitted): Ingested {
    const { releases, quarantine } = this.#durable;
    const isDone = "answer" in submitted && !isRejected(submitted.answer.outcome);
    const release = isDone ? (releases.get(id) ?? quarantine.get(id)) : undefined;
    return release === undefined ? { failed: submitted } : { release, repeated: false };
  }

  async #read(
    file: ProviderFile,
    meta: ReleaseMeta,
    before: Before,
    reading: Reading,
  ): Promise<void> {
    const { places, writer } = before;
    const claimed = new Map<NodeId, string>();
    for await (const row of file.rows) {
      reading.rows += 1;
      const known = places.numberOf(row.regionId);
      const node = known === undefined ? this.#newNode(meta, row) : places.nodeOf(known);
      const claimant = node && (places.regionOf(node) ?? claimed.get(node));
      if (node === undefined || (claimant ?? row.regionId) !== row.regionId) {
        reading.unmatched += 1;
        continue;
      }
      claimed.set(node, row.regionId);
      const place = known ?? writer.newPlace(row.regionId, node);
      readRow(reading, before, { index: meta.index, place, node, row });
      await writer.drain();
    }
  }

  /** A place that has prints of the index from files of another level keeps to those. */
  #newNode(sent: SentAs, row: ProviderRow): NodeId | undefined {
    const node = matched(this.#durable.geo, sent, row);
    if (node === undefined) return undefined;
    for (const places of this.#places.values()) {
      const isOther = places.index === sent.index && places.level !== sent.level;
      if (isOther && places.regionOf(node) !== undefined) return undefined;
    }
    return node;
  }

  /** The file of an accepted release; all of it, or of what is wide one region's line. */
  #open(release: AcceptedRelease, region?: string): Promise<ProviderFile> {
    const { index, level, sha256 } = release;
    const bytes = this.#archive.open(sha256);
    const source = region !== undefined && isWide(index) ? linesOfRegion(bytes, region) : bytes;
    invariant(isPrintLevel(level), `${level} is a level`);
    return openProviderFile(source, { ...release, level });
  }

  /** The rows of an accepted release that were taken; all of them, or one region's. */
  async *#rowsOf(release: ReleaseId, region?: string): AsyncGenerator<ProviderRow> {
    const accepted = this.#durable.releases.get(release);
    if (accepted === undefined) return;
    const places = this.#placesOf(accepted);
    const { rows } = await this.#open(accepted, region);
    for await (const row of rows) {
      if (places.numberOf(row.regionId) !== undefined) yield row;
    }
  }
}

/** What a file was sent as. */
type SentAs = Pick<ReleaseFacts, "provider" | "index" | "level">;

/** Files that follow each other: each brings what the one before it did, and more. */
interface SeriesOfFiles {
  readonly index: IndexKind;
  readonly level: string;
  readonly variable?: WeatherVariable | undefined;
}

const nameOf = ({ index, level, variable }: SeriesOfFiles): string =>
  `${index} by ${level}${variable === undefined ? "" : ` (${variable})`}`;

const idOf = ({ provider, index, level }: ReleaseMeta, sha256: string): ReleaseId =>
  releaseId(`rel-${sha256Hex(`${provider}|${index}|${level}|${sha256}`).slice(0, 16)}`);

/**
 * An index has one provider at a level, for prints of two would not be of one series; and what is
 * made up never stands beside what is not.
 */
function refuseProvider(shown: Durable, { index, level, provider }: ReleaseMeta): void {
  for (const release of shown.releases.values()) {
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

/** A file that must not be read, or not by this node, is an answer, not a fault. */
const refusable = (work: Promise<Ingested>): Promise<Ingested> =>
  work.catch((fault: unknown) => {
    if (fault instanceof TermOver) return { failed: { refused: "NOT_LEADER" } };
    if (!(fault instanceof ReleaseRefusal)) throw fault;
    return { refusal: fault };
  });

/** The one that ends last; of those that end together the one published last. */
function newestOf(
  { index, level, variable }: SeriesOfFiles,
  { releases }: Durable,
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

/** The regions that had a value for the newest month of all. */
function newestRegions(
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

/** As it was sent; only a declared methodology is declared again. */
function metaOf(held: QuarantinedRelease): ReleaseMeta {
  const { provider, index, level, publishedAtMillis, methodologyVersion } = held;
  invariant(isProviderId(provider), `${provider} is a provider`);
  invariant(isPrintLevel(level), `${level} is a level`);
  const methodology = held.methodologyChange === "declared" ? methodologyVersion : undefined;
  return { provider, index, level, publishedAtMillis, methodology };
}
