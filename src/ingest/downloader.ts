// Fetches the operator's configured files on a schedule and puts what changed to the ingest desk.
// Invariant: a file is on disk whole before the desk hears of it, so a slow server delays nobody.
import { addAbortSignal } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReleaseId } from "#base/ids.ts";
import { InvariantBreach } from "#base/invariant.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import type { Resolve } from "./address-guard.ts";
import type { IngestDesk, Submit } from "./desk.ts";
import {
  type DownloadLimits,
  downloadLimits,
  fetchFile,
  resolveName,
  type Validators,
} from "./download.ts";
import { DownloadFault } from "./download-fault.ts";
import {
  type DownloadPace,
  downloadPace,
  publicationMillis,
  regularMillis,
  retryMillis,
} from "./download-pace.ts";
import type { DownloadPlan, DownloadSource } from "./download-plan.ts";
import type { RawArchive } from "./raw-archive.ts";

export interface DownloadPorts {
  readonly archive: Pick<RawArchive, "keep" | "open">;
  readonly desk: Pick<IngestDesk, "ingest">;
  readonly submit: Submit;
  /** Those the journal holds; they are looked at anew at every visit. */
  readonly releases: ReadonlyMap<ReleaseId, AcceptedRelease>;
  log(severity: "info" | "warn", message: string): void;
  /** Our own mistake: the node must not go on. */
  onFatal(error: unknown): void;
}

interface DownloadOptions {
  readonly limits?: DownloadLimits;
  readonly pace?: DownloadPace;
  readonly resolve?: Resolve;
}

/** The newest file of a source: what its server called it, and where it lies in the archive. */
interface Seen {
  readonly validators: Validators;
  readonly sha256: string;
  readonly publishedAtMillis: number;
}

interface Job {
  readonly source: DownloadSource;
  /** As `performance.now()` counts: a clock that is set does not move it. */
  dueMillis: number;
  failures: number;
  seen: Seen | undefined;
  /** The exchange has `seen`; what it would not have is offered again at the next visit. */
  isTaken: boolean;
  /** SHA-256 of what the desk refused, so that each is told once. */
  readonly refused: Set<string>;
}

/** No wait is longer: a timer of Node's ends at once beyond 24 days. */
const LONGEST_SLEEP_MILLIS = 3_600_000;

export class Downloader {
  readonly #plan: DownloadPlan;
  readonly #ports: DownloadPorts;
  readonly #limits: DownloadLimits;
  readonly #pace: DownloadPace;
  readonly #resolve: Resolve;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(plan: DownloadPlan, ports: DownloadPorts, options: DownloadOptions = {}) {
    this.#plan = plan;
    this.#ports = ports;
    this.#limits = options.limits ?? downloadLimits;
    this.#pace = options.pace ?? downloadPace;
    this.#resolve = options.resolve ?? resolveName;
  }

  /** Visits every source once, one after another, and then each when it is due. */
  start(): void {
    this.#running = this.#run().catch((error) => this.#ports.onFatal(error));
  }

  /** Breaks a download off; a file that the desk is reading already is finished first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const nowMillis = performance.now();
    const jobs = this.#plan.sources.map((source) => jobOf(source, nowMillis));
    while (!signal.aborted) {
      const job = jobs.reduce((first, one) => (one.dueMillis < first.dueMillis ? one : first));
      const waitMillis = job.dueMillis - performance.now();
      if (waitMillis <= 0) await this.#attempt(job);
      else await pause(Math.min(waitMillis, LONGEST_SLEEP_MILLIS), signal);
    }
  }

  async #attempt(job: Job): Promise<void> {
    try {
      await this.#visit(job);
      job.failures = 0;
      job.dueMillis = performance.now() + regularMillis(job.source.everyHours, this.#pace);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof InvariantBreach) throw error;
      this.#putOff(job, error);
    }
  }

  #putOff(job: Job, error: unknown): void {
    const { everyHours } = job.source;
    job.failures += 1;
    // What is too large will be too large in a minute, and costs its whole size each time.
    const waitMillis =
      codeOf(error) === "TOO_LARGE"
        ? regularMillis(everyHours, this.#pace)
        : retryMillis(everyHours, job.failures, this.#pace);
    job.dueMillis = performance.now() + waitMillis;
    const minutes = Math.ceil(waitMillis / 60_000);
    const said = `${codeOf(error)}: ${error instanceof Error ? error.message : String(error)}`;
    this.#tell("warn", job, `could not be downloaded, next attempt in ${minutes} min: ${said}`);
  }

  async #visit(job: Job): Promise<void> {
    const fetched = await this.#fetch(job);
    if (fetched !== undefined) {
      job.seen = fetched;
      job.isTaken = false;
    }
    if (job.seen === undefined || job.isTaken) return;
    try {
      await this.#offer(job, job.seen);
    } catch (error) {
      // Where the kept file itself may be the trouble, the next visit fetches it anew.
      if (!(error instanceof DownloadFault)) job.seen = undefined;
      throw error;
    }
  }

  /** Undefined when there is nothing new. */
  async #fetch(job: Job): Promise<Seen | undefined> {
    const { wholeMillis } = this.#limits;
    const visit = new AbortController();
    const stop = (): void => visit.abort(this.#stopping.signal.reason);
    const tooSlow = new DownloadFault("TOO_SLOW", `It took longer than ${wholeMillis} ms.`);
    const whole = setTimeout(() => visit.abort(tooSlow), wholeMillis);
    this.#stopping.signal.addEventListener("abort", stop, { once: true });
    try {
      const answer = await fetchFile(job.source.url, this.#known(job), {
        allow: this.#plan.allow,
        limits: this.#limits,
        resolve: this.#resolve,
        signal: visit.signal,
      });
      if (answer.type === "unchanged") return undefined;
      const { validators, body } = answer;
      const { sha256 } = await this.#ports.archive.keep(body);
      const publishedAtMillis = publicationMillis(validators.lastModified, Date.now());
      return { validators, sha256, publishedAtMillis };
    } finally {
      clearTimeout(whole);
      this.#stopping.signal.removeEventListener("abort", stop);
      // Nothing that was opened for this visit outlives it.
      visit.abort();
    }
  }

  /**
   * After a start, the newest release stands for the file: one modified before it was published
   * would be refused as stale anyway.
   */
  #known({ seen, source }: Job): Validators {
    if (seen !== undefined) return seen.validators;
    let newestMillis = Number.NEGATIVE_INFINITY;
    for (const { index, level, publishedAtMillis } of this.#ports.releases.values()) {
      if (index !== source.index || level !== source.level) continue;
      newestMillis = Math.max(newestMillis, publishedAtMillis);
    }
    const isNone = newestMillis === Number.NEGATIVE_INFINITY;
    return { etag: null, lastModified: isNone ? null : new Date(newestMillis).toUTCString() };
  }

  async #offer(job: Job, { sha256, publishedAtMillis }: Seen): Promise<void> {
    const { provider, index, level } = job.source;
    const meta = { provider, index, level, publishedAtMillis };
    const file = addAbortSignal(this.#stopping.signal, this.#ports.archive.open(sha256));
    const answer = await this.#ports.desk.ingest(file, meta, this.#ports.submit);
    if ("failed" in answer) {
      throw new DownloadFault("NOT_APPLIED", `the exchange answered ${sentenceOf(answer.failed)}`);
    }
    if ("refusal" in answer) {
      const { code, message } = answer.refusal;
      const text = `was refused and stays out: ${code}: ${message} (SHA-256 ${sha256})`;
      if (!job.refused.has(sha256)) this.#tell("warn", job, text);
      job.refused.add(sha256);
      return;
    }
    job.isTaken = true;
    const { id, rows } = answer.release;
    const text = answer.repeated ? `is release ${id}, which was here` : `is now release ${id}`;
    this.#tell("info", job, `${text}, ${rows} rows`);
  }

  #tell(severity: "info" | "warn", { source }: Job, text: string): void {
    const { provider, index, level } = source;
    this.#ports.log(severity, `The file of ${provider} with ${index} by ${level} ${text}`);
  }
}

const jobOf = (source: DownloadSource, dueMillis: number): Job => ({
  source,
  dueMillis,
  failures: 0,
  seen: undefined,
  isTaken: false,
  refused: new Set(),
});

/** Until then, or until the end, whichever is first. */
const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  sleep(millis, undefined, { signal }).catch(() => undefined);

const codeOf = (error: unknown): string =>
  error instanceof DownloadFault || error instanceof ReleaseRefusal ? error.code : "FAULT";

function sentenceOf(submitted: Awaited<ReturnType<Submit>>): string {
  if ("unknown" in submitted) return "nothing: the outcome is unknown";
  if ("refused" in submitted) return submitted.refused;
  const { outcome } = submitted.answer;
  return "rejection" in outcome ? outcome.rejection.code : "without the release";
}
