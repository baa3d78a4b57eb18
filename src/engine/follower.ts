// A node that only reads: it decides again what another node has made durable, and never leads.
// Invariant: it writes nothing; its age is that of the leader's newest sign in the very database
// it reads, and every entry before that sign is shown.
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "#base/message-of.ts";
import type { Entry } from "#core/outcome.ts";
import { ChainBreak } from "#journal/chain.ts";
import { checkWitnesses, openCheckpoint } from "#journal/checkpoint.ts";
import { type Glimpse, type Head, type Journal, LeadershipTaken } from "#journal/journal.ts";
import { verifierKey } from "#journal/note.ts";
import { TransparencyLog } from "#journal/transparency-log.ts";
import { Durable } from "./durable.ts";
import {
  type Checkpoint,
  type Engine,
  type History,
  type Privacy,
  type Result,
  type Showing,
  type Shown,
  type Status,
  showingOf,
} from "./engine.ts";
import { isFinal, isFresh, LateSigns, wholeMillis } from "./freshness.ts";
import { JournalHistory } from "./history.ts";
import { readOrigin } from "./recover.ts";
import { roomInUse } from "./room.ts";
import type { SequencerOptions } from "./sequencer.ts";
import { Standby } from "./standby.ts";

/** A replica sends no notices, so it is asked; so is a primary, whose appends stay as they are. */
const LOOK_MILLIS = 10;
const RETRY_MILLIS = 200;
/** Notes that the leader has signed meanwhile are compared with the entries this often. */
const NOTES_MILLIS = 1_000;

export interface FollowedJournal extends Journal {
  /** The database's newest entry and sign of the leader, in one snapshot, beside one entry. */
  glimpse(sequence: number): Promise<Glimpse>;
}

type FollowedOptions = Pick<
  SequencerOptions,
  "key" | "clock" | "now" | "log" | "memoryShare" | "onRecovered" | "onFatal"
> & {
  readonly journal: FollowedJournal;
  /** Shows the entry; where that takes time, nothing later is shown before it is over. */
  readonly onDurable: (entry: Entry) => Promise<void> | undefined;
  /** Absent = what fails to take an entry in stops the node. */
  readonly shown?: Shown;
};

export class Follower implements Engine {
  readonly history: History;
  readonly #options: FollowedOptions;
  readonly #durable = new Durable();
  #standby: Standby | undefined;
  /** When the leader gave the newest sign that is seen here, on this process's own clock. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #notesAt = Number.NEGATIVE_INFINITY;
  #origin = "";
  #checkpoint: Checkpoint | undefined;
  #log: TransparencyLog | undefined;
  readonly #lateSigns = new LateSigns(this, () => this.#heardAt);
  #usedShare = 0;
  #fault: string | undefined;
  readonly #end = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.history = new JournalHistory({
      journal: options.journal,
      key: options.key,
      file: undefined,
      logFile: undefined,
      durableSequence: () => this.#durable.sequence,
      checkpoint: () => this.#checkpoint,
      log: () => this.#log,
    });
  }

  /** Waits until an exchange is founded there; throws what the store throws, and `ChainBreak`. */
  async start(): Promise<void> {
    const { journal, log } = this.#options;
    for (let isTold = false; this.#standby === undefined; isTold = true) {
      try {
        this.#standby = await Standby.open({ ...this.#options, file: undefined }, () => undefined);
      } catch (error) {
        if (!(error instanceof LeadershipTaken)) throw error;
        if (!isTold) log("no exchange is founded in this database yet: waiting for its leader");
        await sleep(RETRY_MILLIS);
      }
    }
    const { state, head } = this.#standby.applied;
    this.#origin = (await readOrigin(journal)) ?? "";
    this.#durable.recover(state, head);
    this.#usedShare = roomInUse(state, this.#options.memoryShare());
    this.#options.onRecovered(state);
    log(`following at entry ${head.size}`);
    this.#loop = this.#run(this.#standby);
  }

  async submit(): Promise<Result> {
    return { refused: "NOT_LEADER" };
  }

  status(): Status {
    const { clock, now } = this.#options;
    const { sequence } = this.#durable;
    return {
      mode: "follower",
      role: "follower",
      lagMillis: wholeMillis(this.#ageMillis()),
      sequence,
      durableSequence: sequence,
      engineTimeMillis: this.#durable.timeMillis(clock, now),
      usedShare: this.#usedShare,
    };
  }

  isCurrent(privacy: Privacy): boolean {
    return isFresh("follower", privacy, this.#ageMillis());
  }

  becomesCurrent(privacy: Privacy): Promise<boolean> {
    return this.#lateSigns.come(privacy);
  }

  shows(): Showing {
    return showingOf(this.#options.shown);
  }

  reaches(sequence: number): boolean | Promise<boolean> {
    return this.#durable.reaches(sequence);
  }

  /** It answers no command. */
  /** It takes none. */
  chargeOf(): number {
    return 1;
  }

  answersKeptSeconds(): undefined {
    return undefined;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#loop;
  }

  #ageMillis(): number {
    return performance.now() - this.#heardAt;
  }

  async #run(standby: Standby): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await this.#look(standby);
        this.#told(undefined);
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(error)) return this.#fail(error);
        this.#told(messageOf(error));
      }
      const wait = this.#fault === undefined ? LOOK_MILLIS : RETRY_MILLIS;
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A fault is told once, until it is over. */
  #told(fault: string | undefined): void {
    if (fault !== undefined && fault !== this.#fault) this.#options.log(`not following: ${fault}`);
    this.#fault = fault;
  }

  async #look(standby: Standby): Promise<void> {
    const { journal } = this.#options;
    const { head } = standby.applied;
    const askedAt = performance.now();
    const { hash, newest, silentMillis } = await journal.glimpse(head.size);
    if (hash === undefined) {
      throw new Error(`the database ends at entry ${newest}, and entry ${head.size} was shown`);
    }
    if (hash !== head.hash) {
      throw new ChainBreak(head.size, "the database holds another entry than was shown");
    }
    while (standby.applied.head.size < newest) if (!(await this.#showNext(standby))) return;
    // A leader that takes its term notes a moment ahead, and so does a clock ahead of this one:
    // only a sign that has been given by now says how new the entries before it are.
    if (silentMillis !== undefined && silentMillis >= 0) {
      this.#heardAt = Math.max(this.#heardAt, askedAt - silentMillis);
    }
    if (askedAt < this.#notesAt + NOTES_MILLIS) return;
    this.#notesAt = askedAt;
    await this.#takeNotes(standby.applied.head);
  }

  /** False where nothing came, or what came could not be shown. */
  async #showNext(standby: Standby): Promise<boolean> {
    const followed = await standby.next();
    for (const { entry, hash } of followed) {
      // Shown first, and then told: an answer shows what its sequence says, or what came since.
      const shown = this.#show(entry);
      // In one turn where it can be: a request in between would be told less than it is shown.
      if (shown !== true && !(await shown)) return false;
      this.#durable.grow(entry, hash);
      this.#log?.take(entry.sequence, hash);
    }
    const { state } = standby.applied;
    if (this.#options.shown?.isBehind === true) await this.#options.shown.redraw(state);
    this.#usedShare = roomInUse(state, this.#options.memoryShare());
    return followed.length > 0;
  }

  #show(entry: Entry): boolean | Promise<boolean> {
    const failed = (error: unknown): false => {
      this.#fail(error);
      return false;
    };
    try {
      return this.#options.onDurable(entry)?.then(() => true, failed) ?? true;
    } catch (error) {
      return failed(error);
    }
  }

  #fail(error: unknown): void {
    this.#end.abort();
    this.#options.onFatal(error);
  }

  /** The notes that the leader signed, once they agree with the entries. */
  async #takeNotes(head: Head): Promise<void> {
    const { journal, key, log } = this.#options;
    const note = await journal.newestCheckpoint();
    const isNew = note !== undefined && note !== this.#checkpoint?.note;
    // One over entries that are not shown yet is looked at the next time.
    if (isNew && (openCheckpoint(key, this.#origin, note)?.size ?? 0) <= head.size) {
      await checkWitnesses(journal, head, key, this.#origin, [{ place: "the database", note }]);
      this.#checkpoint = { note, verifierKey: verifierKey(key, this.#origin) };
    }
    this.#log ??= new TransparencyLog({
      journal,
      key,
      file: undefined,
      chainOrigin: this.#origin,
      log,
    });
    await this.#log.takeHeads(head);
  }
}
