// The clock of a node: looked at each second, its mark kept for the next start, a word on it taken.
// Invariant: a node that doubts its clock says so until the clock is back or an operator's word is
// in the data folder; a restart on the same machine forgets neither.
import { readFileSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import { messageOf } from "#base/message-of.ts";
import { acceptedClock, CLOCK_ACCEPTED } from "#storage/accepted-clock.ts";
import { noteMaintenance } from "#storage/maintenance.ts";
import { withClient } from "#storage/with-client.ts";
import type { Database } from "./database.ts";
import { log } from "./faults.ts";
import { type ClockMark, TrustedClock } from "./trusted-clock.ts";

const LOOK_MILLIS = 1_000;
const KEEP_EVERY = 60;

interface Counts {
  /** A jump that was followed. */
  clockJumped(): void;
}

/** The clock, and what is done about it. */
export class NodeClock {
  readonly #clock: TrustedClock;
  readonly #dataDir: string;
  readonly #looking: NodeJS.Timeout;
  #looks = 0;
  #wasDoubted = false;
  #fault = "";
  #keeping: Promise<void> = Promise.resolve();
  #onAccepted: () => Promise<void> = () => Promise.resolve();

  private constructor(dataDir: string, clock: TrustedClock) {
    this.#clock = clock;
    this.#dataDir = dataDir;
    this.#looking = setInterval(() => this.#look(), LOOK_MILLIS).unref();
  }

  static async open(dataDir: string, database: Database, counts: Counts): Promise<NodeClock> {
    const kept = await keptMark(dataDir);
    const sources = {
      wall: () => Date.now(),
      steady: () => performance.now(),
      uptime: () => uptime() * 1_000,
    };
    const events = {
      jumped: (millis: number) => {
        counts.clockJumped();
        log.warn({ alert: "clock_jumped", seconds: seconds(millis) }, jumped(millis));
      },
      doubted: (off: number) => {
        log.error({ alert: "clock_doubted", seconds: seconds(off) }, doubted(off));
      },
      trusted: () => log.warn("the machine's clock is followed again"),
    };
    const clock = new TrustedClock(sources, events, kept);
    // A server of our own has this very clock.
    if (kept === undefined && !database.isEmbedded) clock.compare(await timeOf(database));
    return new NodeClock(dataDir, clock);
  }

  now(): number {
    return this.#clock.now();
  }

  notBefore(entryMillis: number): void {
    this.#clock.notBefore(entryMillis);
  }

  get isDoubted(): boolean {
    return this.#clock.isDoubted;
  }

  get offMillis(): number {
    return this.#clock.offMillis;
  }

  /** Has this done once an operator's word is noted. */
  atWord(enter: () => Promise<void>): void {
    this.#onAccepted = enter;
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    this.#keep();
    await this.#keeping;
  }

  #look(): void {
    this.#clock.look();
    this.#looks += 1;
    const isNews = this.#clock.isDoubted !== this.#wasDoubted;
    this.#wasDoubted = this.#clock.isDoubted;
    this.#keeping = this.#keeping.then(() => this.#takeWord());
    if (isNews || this.#looks % KEEP_EVERY === 1) this.#keep();
  }

  #keep(): void {
    this.#keeping = this.#keeping
      .then(() => this.#write())
      .catch((error: unknown) => log.warn({ error }, "the mark of the clock is not kept"));
  }

  async #write(): Promise<void> {
    const boot = bootOf();
    if (boot === undefined) return;
    const path = join(this.#dataDir, MARK);
    await writeFile(`${path}.part`, JSON.stringify({ boot, ...this.#clock.mark }), { mode: 0o600 });
    await rename(`${path}.part`, path);
  }

  /** A word is for the clock as it is doubted now: one that finds no doubt is for no later one. */
  async #takeWord(): Promise<void> {
    try {
      const reason = await acceptedClock(this.#dataDir);
      if (reason === undefined) return;
      if (this.#clock.isDoubted) await this.#accept(reason);
      else log.info("a word on the machine's clock was not needed: it is followed");
      await rm(join(this.#dataDir, CLOCK_ACCEPTED), { force: true });
      this.#fault = "";
    } catch (error) {
      const fault = messageOf(error);
      if (fault !== this.#fault) log.warn({ error }, "a word on the machine's clock is not taken");
      this.#fault = fault;
    }
  }

  async #accept(reason: string): Promise<void> {
    const before = new Date(this.#clock.now()).toISOString();
    const after = new Date().toISOString();
    const work = { work: "clock_accepted", subject: "clock" } as const;
    await noteMaintenance(this.#dataDir, { ...work, before, after, reason });
    this.#clock.accept();
    await this.#write();
    await this.#onAccepted().catch((error: unknown) =>
      log.warn({ error }, "the word on the clock is entered at the beginning of the next term"),
    );
  }
}

const MARK = "clock";

const seconds = (millis: number): number => Math.round(millis / 1_000);

const way = (millis: number): string =>
  `${Math.abs(seconds(millis))} s ${millis < 0 ? "behind" : "ahead of"}`;

const jumped = (millis: number): string =>
  `the machine's clock was set: it is ${way(millis)} where it was, and is followed`;

const doubted = (off: number): string =>
  `the machine's clock is ${way(off)} the exchange's time and is not followed: nothing is decided ` +
  "by it, and time goes on from where it was. Set the clock right, or, where it is right, run " +
  "`firstprint accept-clock` (docs/operating/failover.md)";

/** Another start of the machine has another; undefined where the system tells none. */
function bootOf(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Undefined where there is none, or of before the machine was started. */
async function keptMark(dataDir: string): Promise<ClockMark | undefined> {
  const text = await readFile(join(dataDir, MARK), "utf8").catch(() => "{}");
  const kept: Partial<ClockMark> & { readonly boot?: string } = parsed(text);
  const { boot, trustedMillis, uptimeMillis, isAccepted = false } = kept;
  if (boot === undefined || boot !== bootOf()) return undefined;
  if (!Number.isFinite(trustedMillis) || !Number.isFinite(uptimeMillis)) return undefined;
  return { trustedMillis: Number(trustedMillis), uptimeMillis: Number(uptimeMillis), isAccepted };
}

/** A file that was cut off says nothing. */
function parsed(text: string): Partial<ClockMark> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

async function timeOf({ config }: Database): Promise<number> {
  const { rows } = await withClient(config, (client) =>
    client.query<{ now: Date }>("SELECT clock_timestamp() AS now"),
  );
  return rows[0]?.now.getTime() ?? Date.now();
}
