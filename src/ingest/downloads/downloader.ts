// Fetches the configured files on a schedule and gives what changed to the release intake.
// Invariant: a file is on disk whole before the intake sees it, so a slow server delays nobody;
// what lies in the folder of downloads is on its way, and nobody misses it.

import { rm } from "node:fs/promises";
import type { BlockList } from "node:net";
import { basename } from "node:path";
import { addAbortSignal } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReleaseId } from "#base/ids.ts";
import { InvariantBreach } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import type { AcceptedRelease, QuarantinedRelease } from "#core/records.ts";
import type { Submit } from "#engine/engine.ts";
import type { Resolve } from "#outbound/addresses.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { RawFolder } from "../raw-folder.ts";
import type { ReleaseIntake } from "../releases/intake.ts";
import { noNetworks } from "./address-guard.ts";
import {
  type DownloadLimits,
  downloadLimits,
  fetchFile,
  fetchText,
  resolveName,
  type Validators,
  withoutQuery,
} from "./download.ts";
import { DownloadFault } from "./fault.ts";
import { addressesOf } from "./file-name.ts";
import {
  type DownloadPace,
  downloadPace,
  publicationMillis,
  regularMillis,
  retryMillis,
} from "./pace.ts";
import { type DownloadPlan, type DownloadSource, mayHaveSeveral } from "./plan.ts";
import {
  type Asked,
  type DownloadState,
  faultAsked,
  noVisits,
  stateOf,
  type Visits,
} from "./state.ts";

export interface DownloadPorts {
  readonly intake: Pick<ReleaseIntake, "ingest">;
  readonly submit: Submit;
  /** The journal's durable state; it is read again at every visit. */
  readonly durable: {
    readonly releases: ReadonlyMap<ReleaseId, AcceptedRelease>;
    readonly quarantine: ReadonlyMap<ReleaseId, QuarantinedRelease>;
  };
  /** Whether this node leads the exchange: only then is anything fetched. */
  leads(): boolean;
  log(severity: "info" | "warn", message: string): void;
  /** Our own mistake: the node must not go on. */
  onFatal(error: unknown): void;
}

interface DownloadOptions {
  readonly limits?: DownloadLimits;
  readonly pace?: DownloadPace;
  readonly resolve?: Resolve;
  /** Of the operator's own, which may be reached besides public addresses. */
  readonly networks?: BlockList;
}

/** The newest file of a source: what its server called it, and under which name it lies here. */
interface NewestDownload {
  /** Where it was fetched from: its name may be another the next time. */
  readonly url: URL;
  readonly validators: Validators;
  readonly sha256: string;
  readonly publishedAtMillis: number;
}

interface Job {
  readonly source: DownloadSource;
  /** As `performance.now()` counts: a clock that is set does not move it. */
  dueMillis: number;
  readonly visits: Visits;
  seen: NewestDownload | undefined;
  /** Nothing is left to do about `seen`; what failed or was refused is offered at each visit. */
  isDone: boolean;
  /** SHA-256 of what was refused, so that each is told once. */
  readonly refused: Set<string>;
}

/** No wait is longer: a timer of Node's ends at once beyond 24 days. */
const LONGEST_SLEEP_MILLIS = 3_600_000;
/** How soon a node that does not lead looks whether it does. */
const STANDING_BY_MILLIS = 1_000;

export class Downloader {
  readonly #plan: DownloadPlan;
  readonly #folder: string;
  readonly #files: RawFolder;
  readonly #ports: DownloadPorts;
  readonly #limits: DownloadLimits;
  readonly #pace: DownloadPace;
  readonly #resolve: Resolve;
  readonly #networks: BlockList;
  readonly #stopping = new AbortController();
  readonly #jobs: readonly Job[];
  #running: Promise<void> = Promise.resolve();

  private constructor(
    plan: DownloadPlan,
    { folder, files }: { readonly folder: string; readonly files: RawFolder },
    ports: DownloadPorts,
    {
      limits = downloadLimits,
      pace = downloadPace,
      resolve = resolveName,
      networks = noNetworks,
    }: DownloadOptions,
  ) {
    this.#plan = plan;
    const nowMillis = performance.now();
    this.#jobs = plan.sources.map((source) => jobOf(source, nowMillis));
    this.#folder = folder;
    this.#files = files;
    this.#ports = ports;
    this.#limits = limits;
    this.#pace = pace;
    this.#resolve = resolve;
    this.#networks = networks;
  }

  /**
   * Empties the folder, which is the downloader's alone, and begins: every source is visited once,
   * one after another, and then each when it is due.
   */
  static async open(
    plan: DownloadPlan,
    folder: string,
    ports: DownloadPorts,
    options: DownloadOptions = {},
  ): Promise<Downloader> {
    await rm(folder, { recursive: true, force: true });
    const { unpackedBytes } = options.limits ?? downloadLimits;
    const files = await RawFolder.start(folder, unpackedBytes);
    const downloader = new Downloader(plan, { folder, files }, ports, options);
    downloader.#running = downloader.#run().catch((error) => ports.onFatal(error));
    return downloader;
  }

  /** Breaks a download off; a file that the intake is reading already is finished first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    // A file whose opening was under way when its download was broken off may come this late.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  /** Each source as it is now, in the order of the plan. */
  states(): readonly DownloadState[] {
    const { releases } = this.#ports.durable;
    const nowMillis = Date.now();
    const startMillis = nowMillis - performance.now();
    return this.#jobs.map(({ source, visits, dueMillis }) =>
      stateOf(source, visits, releases, startMillis + dueMillis, nowMillis),
    );
  }

  /** Asks for each source as a visit does; nothing of a file is read or taken. */
  check(): Promise<readonly Asked[]> {
    return Promise.all(this.#jobs.map((job) => this.#checkOne(job)));
  }

  async #checkOne(job: Job): Promise<Asked> {
    const question = new AbortController();
    const signal = AbortSignal.any([question.signal, this.#stopping.signal]);
    try {
      const { address, answer } = await this.#ask(job, signal);
      if (answer.type === "unchanged") return { outcome: "unchanged", address };
      const { bytes, validators } = answer;
      return { outcome: "new", address, bytes, lastModified: validators.lastModified };
    } catch (error) {
      if (!(error instanceof DownloadFault)) throw error;
      return faultAsked(error);
    } finally {
      question.abort();
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const job = this.#jobs.reduce((first, one) =>
        one.dueMillis < first.dueMillis ? one : first,
      );
      const waitMillis = job.dueMillis - performance.now();
      if (!this.#ports.leads()) await pause(STANDING_BY_MILLIS, signal);
      else if (waitMillis <= 0) await this.#attempt(job);
      else await pause(Math.min(waitMillis, LONGEST_SLEEP_MILLIS), signal);
    }
  }

  async #attempt(job: Job): Promise<void> {
    try {
      job.visits.askedAtMillis = Date.now();
      await this.#visit(job);
      Object.assign(job.visits, { failures: 0, failingSinceMillis: null, fault: null });
      job.dueMillis = performance.now() + regularMillis(job.source.everyHours, this.#pace);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof InvariantBreach) throw error;
      this.#putOff(job, error);
    }
  }

  #putOff(job: Job, error: unknown): void {
    const { everyHours } = job.source;
    const { visits } = job;
    visits.failures += 1;
    visits.failingSinceMillis ??= Date.now();
    visits.fault = { code: codeOf(error), message: messageOf(error) };
    // A file that is too large will be too large in a minute, and costs its whole size each time.
    const waitMillis =
      codeOf(error) === "TOO_LARGE"
        ? regularMillis(everyHours, this.#pace)
        : retryMillis(everyHours, visits.failures, this.#pace);
    job.dueMillis = performance.now() + waitMillis;
    const minutes = Math.ceil(waitMillis / 60_000);
    const said = `${codeOf(error)}: ${messageOf(error)}`;
    this.#tell("warn", job, `could not be downloaded, next attempt in ${minutes} min: ${said}`);
  }

  async #visit(job: Job): Promise<void> {
    const fetched = await this.#fetch(job);
    if (fetched !== undefined) {
      const { seen } = job;
      if (seen !== undefined && seen.sha256 !== fetched.sha256)
        await this.#files.forget(seen.sha256);
      job.seen = fetched;
      job.isDone = false;
      job.visits.cameAtMillis = Date.now();
    }
    if (job.seen === undefined || job.isDone) return;
    try {
      job.isDone = await this.#offer(job, job.seen);
    } catch (error) {
      // Where the kept file itself may be the trouble, the next visit fetches it anew.
      if (!(error instanceof DownloadFault)) job.seen = undefined;
      throw error;
    }
    if (job.isDone) await this.#files.forget(job.seen.sha256);
  }

  /** Undefined when there is nothing new. */
  async #fetch(job: Job): Promise<NewestDownload | undefined> {
    const { wholeMillis } = this.#limits;
    const visit = new AbortController();
    const stop = (): void => visit.abort(this.#stopping.signal.reason);
    const tooSlow = new DownloadFault("TOO_SLOW", `It took longer than ${wholeMillis} ms.`);
    const whole = setTimeout(() => visit.abort(tooSlow), wholeMillis);
    this.#stopping.signal.addEventListener("abort", stop, { once: true });
    try {
      const { url, address, answer } = await this.#ask(job, visit.signal);
      job.visits.address = address;
      if (answer.type === "unchanged") return undefined;
      const { validators, body } = answer;
      const { sha256 } = await this.#files.keep(this.#whileLeading(body));
      const publishedAtMillis = publicationMillis(validators.lastModified, Date.now());
      return { url, validators, sha256, publishedAtMillis };
    } finally {
      clearTimeout(whole);
      this.#stopping.signal.removeEventListener("abort", stop);
      // Nothing that was opened for this visit outlives it.
      visit.abort();
    }
  }

  /** Of several addresses the first that there is. */
  async #ask(job: Job, signal: AbortSignal) {
    const line = {
      allow: this.#plan.allow,
      networks: this.#networks,
      limits: this.#limits,
      resolve: this.#resolve,
      signal,
    };
    const readText = (url: URL): Promise<string> => fetchText(url, line);
    const addresses = await addressesOf(job.source, readText, Date.now());
    for (const [at, url] of addresses.entries()) {
      try {
        const answer = await fetchFile(url, this.#known(job, url), line);
        return { url, address: withoutQuery(url), answer };
      } catch (error) {
        const isNext = error instanceof DownloadFault && error.isNowhere;
        if (!isNext || at === addresses.length - 1) throw error;
      }
    }
    throw new DownloadFault("NO_NAME", "The file has no address.");
  }

  async *#whileLeading(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      if (!this.#ports.leads()) {
        throw new DownloadFault("NOT_APPLIED", "this node lost the lead meanwhile");
      }
      yield chunk;
    }
  }

  /**
   * After a start, the newest release stands for the file: one modified before it was published
   * would be refused as stale anyway. Not so where a series has several files: it may be of another.
   */
  #known({ seen, source }: Job, url: URL): Validators {
    if (seen !== undefined && seen.url.href === url.href) return seen.validators;
    let newestMillis = Number.NEGATIVE_INFINITY;
    for (const { index, level, publishedAtMillis } of this.#ports.durable.releases.values()) {
      if (index !== source.index || level !== source.level || mayHaveSeveral(source)) continue;
      newestMillis = Math.max(newestMillis, publishedAtMillis);
    }
    const isNone = newestMillis === Number.NEGATIVE_INFINITY;
    return { etag: null, lastModified: isNone ? null : new Date(newestMillis).toUTCString() };
  }

  /** True when nothing is left to do about the file. */
  async #offer(job: Job, { url, sha256, publishedAtMillis }: NewestDownload): Promise<boolean> {
    const { provider, index, level } = job.source;
    const rejection = this.#rejectionOf(job, sha256);
    if (rejection !== null) {
      this.#refused(job, sha256, `was rejected by an operator and stays out: ${rejection.reason}`);
      return true;
    }
    const fileName = basename(url.pathname);
    const meta = { provider, index, level, publishedAtMillis, fileName };
    const file = addAbortSignal(this.#stopping.signal, this.#files.open(sha256));
    const answer = await this.#ports.intake.ingest(file, meta, this.#ports.submit);
    if ("failed" in answer) {
      throw new DownloadFault("NOT_APPLIED", `the exchange answered ${sentenceOf(answer.failed)}`);
    }
    if ("refusal" in answer) {
      const { code, message } = answer.refusal;
      job.visits.refusal ??= { code, message, atMillis: Date.now() };
      this.#refused(job, sha256, `was refused and stays out: ${code}: ${message}`);
      return false;
    }
    const { release, repeated } = answer;
    Object.assign(job.visits, { refusal: null, releaseId: release.id });
    const known = repeated ? ", which was here" : "";
    if ("status" in release) {
      const reasons = release.reasons.map(({ code }) => code).join(", ");
      this.#tell("warn", job, `is held back as release ${release.id}${known}: ${reasons}`);
    } else {
      this.#tell("info", job, `is release ${release.id}${known}, ${release.rows} rows`);
    }
    return true;
  }

  /** An operator's no stands: the intake would only hold the same bytes back once more. */
  #rejectionOf({ source }: Job, sha256: string): QuarantinedRelease["rejection"] {
    for (const release of this.#ports.durable.quarantine.values()) {
      const isSame =
        release.sha256 === sha256 &&
        release.provider === source.provider &&
        release.index === source.index &&
        release.level === source.level;
      if (isSame && release.rejection !== null) return release.rejection;
    }
    return null;
  }

  #refused(job: Job, sha256: string, text: string): void {
    if (!job.refused.has(sha256)) this.#tell("warn", job, `${text} (SHA-256 ${sha256})`);
    job.refused.add(sha256);
  }

  #tell(severity: "info" | "warn", { source }: Job, text: string): void {
    const { provider, index, level } = source;
    this.#ports.log(severity, `The file of ${provider} with ${index} by ${level} ${text}`);
  }
}

const jobOf = (source: DownloadSource, dueMillis: number): Job => ({
  source,
  dueMillis,
  visits: noVisits(),
  seen: undefined,
  isDone: false,
  refused: new Set(),
});

/** Until then, or until the end, whichever is first. */
const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  sleep(millis, undefined, { signal }).catch(() => undefined);

const codeOf = (error: unknown): string =>
  error instanceof DownloadFault || error instanceof ReleaseRefusal ? error.code : "FAULT";

function sentenceOf(result: Awaited<ReturnType<Submit>>): string {
  if ("unknown" in result) return "nothing: the outcome is unknown";
  if ("refused" in result) return result.refused;
  const { outcome } = result;
  return "rejection" in outcome ? outcome.rejection.code : "without the release";
}
