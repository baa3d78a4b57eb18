// Where a provider's file becomes a release: kept, read, compared, staged, and put to the exchange.
// Invariant: whole or nothing; nothing of a file shows before its acceptance is in the journal.
import { sha256Hex } from "#base/digest.ts";
import { type NodeId, nodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import type { Month } from "#base/month.ts";
import type { Command, Observation } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type {
  AcceptedRelease,
  OperatorName,
  QuarantinedRelease,
  ReleaseFacts,
} from "#core/records.ts";
import type { Submitted } from "#engine/engine.ts";
import { matchRegion } from "#geo/match.ts";
import type { GeoTree } from "#geo/tree.ts";
import {
  decideNode,
  gapsOf,
  type KnownNode,
  knownAfter,
  type NodeDecision,
} from "#prints/first-prints.ts";
import { GateReading, type GateReason } from "#prints/gate.ts";
import { countFalls, type FallCounts, growthBetween } from "#prints/growth.ts";
import { type Methodology, methodologyOf } from "#prints/methodology.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import {
  isChained,
  isPrintLevel,
  isProviderId,
  type PrintLevel,
  type ProviderId,
} from "#prints/release.ts";
import { type Known, KnownPlaces } from "./known-places.ts";
import type { RawArchive } from "./raw-archive.ts";
import { type SeriesSink, showRelease } from "./series.ts";
import { readZillowWide, type ZillowRow } from "./sources/zillow.ts";
import type { Header } from "./sources/zillow-layout.ts";
import { LinesDigest, type PrintLine, type PrintStore } from "./store.ts";

export interface ReleaseMeta {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
  readonly publishedAtMillis: number;
  /** Declared by the operator; undefined = as before, unless another is detected. */
  readonly methodology?: string | undefined;
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

/** Sizes of what a file brought, and what the exchange must be told of it. */
interface Reading {
  rows: number;
  firstPrints: number;
  revisions: number;
  unchanged: number;
  rescaled: number;
  unmatched: number;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  readonly lines: PrintLine[];
  readonly observations: Observation[];
  readonly digest: LinesDigest;
  /** What will be known of the places in the file once it is accepted. */
  readonly nodes: Map<NodeId, KnownNode>;
  readonly regions: Map<string, NodeId>;
  readonly gate: GateReading;
}

/** A file read against what is known, and what the gate says of it. */
interface Judged {
  readonly release: ReleaseFacts;
  readonly reasons: readonly GateReason[];
  readonly reading: Reading;
  readonly earlier: readonly ReleaseId[];
  readonly known: Known;
}

export class IngestDesk {
  readonly #archive: RawArchive;
  readonly #store: PrintStore;
  readonly #durable: Durable;
  readonly #sink: SeriesSink;
  readonly #places: KnownPlaces;
  readonly #shown = new Set<ReleaseId>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(archive: RawArchive, store: PrintStore, durable: Durable, sink: SeriesSink) {
    this.#archive = archive;
    this.#store = store;
    this.#durable = durable;
    this.#sink = sink;
    this.#places = new KnownPlaces(store);
  }

  /** Shows every release the journal has accepted; at a start, and when one came by another way. */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#showAccepted());
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

  /** How many places fell by `fallBps` or more between two releases: raw, and in the chain. */
  async diff(earlier: ReleaseId, later: ReleaseId, fallBps: number): Promise<FallCounts> {
    const before = new Map<NodeId, PrintLine>();
    for (const line of await this.#store.lines(earlier)) before.set(line.nodeId, line);
    const pairs = (await this.#store.lines(later)).flatMap((line) => {
      const old = before.get(line.nodeId);
      return (old === undefined ? undefined : growthBetween(old.history, line.history)) ?? [];
    });
    return countFalls(pairs, fallBps);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #showAccepted(): Promise<void> {
    for (const release of this.#durable.releases.values()) {
      if (this.#shown.has(release.id)) continue;
      await showRelease(this.#store, release, this.#sink);
      this.#shown.add(release.id);
    }
  }

  async #take(
    upload: AsyncIterable<Uint8Array>,
    meta: ReleaseMeta,
    submit: Submit,
  ): Promise<Ingested> {
    const { sha256 } = await this.#archive.keep(upload);
    const id = idOf(meta, sha256);
    const before = this.#durable.releases.get(id) ?? this.#held(id);
    if (before !== undefined) return { release: before, repeated: true };

    const judged = await this.#judge(id, sha256, meta);
    const isHeld = judged.reasons.length > 0;
    return isHeld ? this.#quarantine(judged, submit) : this.#accept(judged, submit);
  }

  async #release(held: QuarantinedRelease, submit: Submit): Promise<Ingested> {
    const judged = await this.#judge(held.id, held.sha256, metaOf(held));
    const seen = new Set(held.reasons.map(({ code }) => code));
    const isSeen = judged.reasons.every(({ code }) => seen.has(code));
    if (!isSeen) return this.#quarantine(judged, submit);
    return this.#accept(judged, submit, { fromQuarantine: true });
  }

  /** Reads a kept file against what is known and asks the gate. */
  async #judge(id: ReleaseId, sha256: string, meta: ReleaseMeta): Promise<Judged> {
    refuseProvider(this.#durable, meta);
    const earlier = this.#earlier(meta);
    const known = await this.#places.of(earlier);
    const reading = await this.#read(id, sha256, meta, known);
    const before = newestOf(earlier, this.#durable);
    const { index, methodology: declared } = meta;
    const { gate } = reading;
    const version = before?.methodologyVersion;
    const methodology = methodologyOf(index, version, declared, gate.isMethodChanged);
    const release = summaryOf(id, sha256, meta, reading, methodology);
    const regions = before === undefined ? [] : (await this.#store.regions([before.id])).keys();
    const reasons = gate.reasons(release, before, regions);
    return { release, reasons, reading, earlier, known };
  }

  async #accept(
    { release, reading, earlier, known }: Judged,
    submit: Submit,
    held: { readonly fromQuarantine?: true } = {},
  ): Promise<Ingested> {
    const { id } = release;
    await this.#store.stage(id, reading.lines);
    const submitted = await submit({
      type: "AcceptRelease",
      release,
      observations: reading.observations,
      ...held,
    });
    await this.#showAccepted();
    const accepted = this.#durable.releases.get(id);
    if (accepted === undefined) return this.#after(id, submitted);
    this.#places.grow(earlier, id, known, reading);
    return { release: accepted, repeated: false };
  }

  /** Nothing is staged: the raw file is kept, and read again when two operators release it. */
  async #quarantine({ release, reasons }: Judged, submit: Submit): Promise<Ingested> {
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

  /** Accepted releases of the same index at the same level, oldest first. */
  #earlier({ index, level }: ReleaseMeta): readonly ReleaseId[] {
    const ids: ReleaseId[] = [];
    for (const release of this.#durable.releases.values()) {
      if (release.index === index && release.level === level) ids.push(release.id);
    }
    return ids;
  }

  async #read(id: ReleaseId, sha256: string, meta: ReleaseMeta, known: Known): Promise<Reading> {
    const { index, level } = meta;
    if ((index !== "zhvi" && index !== "zori") || level === "nation") {
      throw new ReleaseRefusal("WRONG_LEVEL", {}, `There is no file of ${index} by ${level}.`);
    }
    const { nodes, regions } = known;
    const taken = new Map<NodeId, string>([...regions].map(([region, node]) => [node, region]));
    const file = await readZillowWide(this.#archive.open(sha256), { index, level });
    const reading = emptyReading(index, file.header);
    for await (const row of file.rows) {
      reading.rows += 1;
      const node = regions.get(row.regionId) ?? matched(this.#durable.geo, meta, row);
      const claimant = node === undefined ? undefined : taken.get(node);
      if (node === undefined || (claimant ?? row.regionId) !== row.regionId) {
        reading.unmatched += 1;
        continue;
      }
      taken.set(node, row.regionId);
      addLine(reading, { id, index, node, row }, nodes.get(node));
    }
    return reading;
  }
}

const idOf = ({ provider, index, level }: ReleaseMeta, sha256: string): ReleaseId =>
  releaseId(`rel-${sha256Hex(`${provider}|${index}|${level}|${sha256}`).slice(0, 16)}`);

/** One index has one provider: prints of two would not be of one series. */
function refuseProvider(shown: Durable, { index, provider }: ReleaseMeta): void {
  for (const release of shown.releases.values()) {
    if (release.index === index && release.provider !== provider) {
      throw new ReleaseRefusal(
        "OTHER_PROVIDER",
        {},
        `${index} is published here by ${release.provider}; ` +
          `use a store without the sample (FIRSTPRINT_SAMPLE=0) for files of ${provider}.`,
      );
    }
  }
}

/** A file that must not be read is an answer, not a fault. */
const refusable = (work: Promise<Ingested>): Promise<Ingested> =>
  work.catch((fault: unknown) => {
    if (!(fault instanceof ReleaseRefusal)) throw fault;
    return { refusal: fault };
  });

/** The one that ends last; of those that end together the one published last. */
function newestOf(
  releases: readonly ReleaseId[],
  { releases: accepted }: Durable,
): AcceptedRelease | undefined {
  let newest: AcceptedRelease | undefined;
  for (const id of releases) {
    const release = accepted.get(id);
    if (release === undefined) continue;
    const ahead =
      newest === undefined
        ? 1
        : release.lastMonth - newest.lastMonth ||
          release.publishedAtMillis - newest.publishedAtMillis;
    if (ahead >= 0) newest = release;
  }
  return newest;
}

/** As it was sent; only a declared methodology is declared again. */
function metaOf(held: QuarantinedRelease): ReleaseMeta {
  const { provider, index, level, publishedAtMillis, methodologyVersion } = held;
  invariant(isProviderId(provider), `${provider} is a provider`);
  invariant(isPrintLevel(level), `${level} is a level`);
  const methodology = held.methodologyChange === "declared" ? methodologyVersion : undefined;
  return { provider, index, level, publishedAtMillis, methodology };
}

function matched(geo: GeoTree, { provider }: ReleaseMeta, row: ZillowRow): NodeId | undefined {
  if (row.level === "metro") return nodeId(`metro:${row.regionId}`);
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

interface Placed {
  readonly id: ReleaseId;
  readonly index: IndexKind;
  readonly node: NodeId;
  readonly row: ZillowRow;
}

function addLine(reading: Reading, placed: Placed, known: KnownNode | undefined): void {
  const { id, index, node, row } = placed;
  const decision = decideNode(known, row.history, isChained(index));
  const { newPrints, revisions, unchanged, scaleE12 } = decision;
  const line: PrintLine = {
    releaseId: id,
    place: reading.lines.length,
    index,
    regionId: row.regionId,
    nodeId: node,
    history: row.history,
    newPrints,
  };
  reading.lines.push(line);
  reading.gate.add({ node, regionId: row.regionId }, known, row.history, newPrints);
  reading.digest.add(line);
  reading.firstPrints += newPrints.length;
  reading.revisions += revisions.length;
  reading.unchanged += unchanged;
  reading.rescaled += scaleE12 === null ? 0 : 1;
  const after = knownAfter(known, decision);
  reading.regions.set(row.regionId, node);
  if (after === undefined) return;
  reading.nodes.set(node, after);
  reading.observations.push(...observationsOf(node, known === undefined, after, decision));
}

/** First prints proper, each; of a place seen for the first time, its newest month. */
function observationsOf(
  node: NodeId,
  isNew: boolean,
  after: KnownNode,
  { newPrints }: NodeDecision,
): readonly Observation[] {
  const newest = newPrints.at(-1);
  if (isNew && newest !== undefined) return [{ ...newest, nodeId: node, gaps: gapsOf(after) }];
  const first = newPrints.filter(({ backfill }) => !backfill);
  return first.map((print) => ({ ...print, nodeId: node, gaps: [] }));
}

const emptyReading = (index: IndexKind, { firstMonth, lastMonth }: Header): Reading => ({
  rows: 0,
  firstPrints: 0,
  revisions: 0,
  unchanged: 0,
  rescaled: 0,
  unmatched: 0,
  firstMonth,
  lastMonth,
  lines: [],
  observations: [],
  digest: new LinesDigest(),
  nodes: new Map(),
  regions: new Map(),
  gate: new GateReading(index),
});

function summaryOf(
  id: ReleaseId,
  sha256: string,
  { provider, index, level, publishedAtMillis }: ReleaseMeta,
  {
    lines: _lines,
    observations: _observations,
    digest,
    nodes: _n,
    regions: _r,
    gate: _g,
    ...counts
  }: Reading,
  { version, change }: Methodology,
): ReleaseFacts {
  return {
    id,
    provider,
    index,
    level,
    publishedAtMillis,
    sha256,
    ...counts,
    methodologyVersion: version,
    ...(change === null ? {} : { methodologyChange: change }),
    printsDigest: digest.hex(),
  };
}
