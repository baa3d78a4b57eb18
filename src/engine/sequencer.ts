// Gives every command its time and place, and answers when its entry is durable.
// Invariant: nothing undurable is answered or shown; after any doubt the state is read again.
import { setTimeout as sleep, setImmediate as yieldToLoop } from "node:timers/promises";
import { invariant } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import { answerScope } from "#core/apply.ts";
import type { Actor, Command, Envelope } from "#core/command.ts";
import { chargeOf } from "#core/command-table.ts";
import { nextDueMillis } from "#core/due.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { isCancel } from "#core/full.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { signCheckpoint } from "#journal/checkpoint.ts";
import {
  type Head,
  LeadershipTaken,
  type Note,
  type SealedEntry,
  SILENT_LEADER_MILLIS,
  SLICE_ENTRIES,
} from "#journal/journal.ts";
import { verifierKey } from "#journal/note.ts";
import { TransparencyLog } from "#journal/transparency-log.ts";
import { type Cadence, Checkpointer } from "./checkpointer.ts";
import { DueTimer } from "./due-timer.ts";
import { Durable } from "./durable.ts";
import {
  type Checkpoint,
  type Engine,
  type History,
  type Mode,
  type NotLeaderReason,
  type Privacy,
  type Refusal,
  type Result,
  type Showing,
  type Shown,
  type Status,
  showingOf,
} from "./engine.ts";
import { isFinal, isFresh, LateSigns, wholeMillis } from "./freshness.ts";
import { JournalHistory } from "./history.ts";
import { answerAgain, knownAnswer } from "./known-answers.ts";
import { type LeadershipOptions, takeTerm } from "./leadership.ts";
import { PageMaker, type PageMakerOptions, type SnapshotMaker } from "./page-maker.ts";
import { ORDERS_REFUSED_SHARE, roomInUse, takesRoom, warningOf } from "./room.ts";
import { Snapshots } from "./snapshots.ts";
import { Standby } from "./standby.ts";
import type { Applied, OnAppended, Term } from "./term.ts";

export interface SequencerOptions extends LeadershipOptions {
  readonly checkpoints: Cadence;
  readonly snapshotEntries: number;
  /** Absent = this thread makes the pages of snapshots. */
  readonly makePages?: (options: PageMakerOptions) => SnapshotMaker;
  readonly waitingLimit: number;
  /** Others may lead: a start waits while one does; otherwise it throws `LeadershipTaken`. */
  readonly standsBy: boolean;
  /** Of the heap, what is in use for good (`room.ts`). */
  readonly memoryShare: () => number;
  /** Once, with the state at the durable sequence; it must be read before returning. */
  readonly onRecovered: (state: State) => void;
  readonly onAppended?: OnAppended;
  /** Every entry after that, in order, once durable and before anybody is answered. */
  readonly onDurable: (entry: Entry) => void;
  /** Absent = what fails to take an entry in stops the node. */
  readonly shown?: Shown;
  /** Requests were refused because this node does not lead, as far as it knows. */
  readonly onNotLeader?: (reason: NotLeaderReason, requests: number) => void;
  /** A term has begun. */
  readonly onLeading: () => void;
  /** A head of the transparency log has been signed and kept. */
  readonly onLogSigned: (head: Note) => void;
  /** The node must stop: our own mistake, or a journal that must not be served from. */
  readonly onFatal: (error: unknown) => void;
}

const RETRY_FIRST_MILLIS = 20;
const RETRY_LONGEST_MILLIS = 2_000;
/** A node that stands by tries for the lock far more often. */
const HANDED_OVER_MILLIS = 1_000;

export class Sequencer implements Engine {
  readonly history: History;
  readonly #options: SequencerOptions;
  readonly #dueTimer: DueTimer;
  readonly #snapshots: Snapshots;
  readonly #lateSigns = new LateSigns(this, () => this.#heardAt());
  #term: Term | undefined;
  /** Of the term that ended last: what it had applied, for the next one if all of it was stored. */
  #kept: Applied | undefined;
  /** While another node leads, and this one follows it. */
  #standby: Standby | undefined;
  #followedAt = Number.NEGATIVE_INFINITY;
  #headsAt = Number.NEGATIVE_INFINITY;
  /** The term is being handed over: what was taken in is answered, nothing more is. */
  #yielding = false;
  #checkpointer: Checkpointer | undefined;
  #checkpoint: Checkpoint | undefined;
  /** From the first term on: it grows with what becomes durable, whoever wrote it. */
  #log: TransparencyLog | undefined;
  #stopping = false;
  #fatal = false;
  /** The write loop, and the reload after a doubt, for `stop` to await. */
  #writing: Promise<void> | undefined;
  #reloading: Promise<void> | undefined;
  readonly #durable = new Durable();
  #usedShare = 0;
  /** Commands that came while what is shown was behind. */
  #held: (() => void)[] = [];

  constructor(options: SequencerOptions) {
    this.#options = options;
    const { makePages = (given) => new PageMaker(given) } = options;
    this.#snapshots = new Snapshots(options, makePages(options));
    this.#dueTimer = new DueTimer(options.now, () => this.#fallDue());
    this.history = new JournalHistory({
      journal: options.journal,
      key: options.key,
      file: options.file,
      durableSequence: () => this.#durable.sequence,
      logFile: options.logFile,
      checkpoint: () => this.#checkpoint,
      log: () => this.#log,
    });
  }

  /**
   * Takes leadership and recovers, or follows who leads; throws what `Journal.lead` throws, and
   * `ChainBreak`.
   */
  async start(): Promise<void> {
    for (;;) {
      try {
        return await this.#begin(({ state, durable }) => this.#recovered(state, durable));
      } catch (error) {
        if (!this.#options.standsBy || !(error instanceof LeadershipTaken)) throw error;
      }
      try {
        await this.#follow();
        return this.#leadLater();
      } catch (error) {
        // The leader is about to found the exchange: there is nothing to follow yet.
        if (!(error instanceof LeadershipTaken)) throw error;
      }
    }
  }

  #recovered(state: State, durable: Head): void {
    this.#durable.recover(state, durable);
    this.#watchRoom(state);
    this.#options.onRecovered(state);
  }

  submit(envelope: Omit<Envelope, "timeMillis">): Promise<Result> {
    const term = this.#term;
    if (this.#stopping) return refuse("STOPPING");
    if (term === undefined || this.#yielding) return this.#refuseNotLeading();
    if (this.#isBehind) {
      return new Promise<void>((resolve) => this.#held.push(resolve)).then(() =>
        this.submit(envelope),
      );
    }
    try {
      const known = knownAnswer(term.state, envelope, this.#timeOf(term));
      if (known !== undefined) {
        const { journal, log } = this.#options;
        return answerAgain(journal, envelope, known, this.#durable.sequence, log);
      }
      if (term.waiting >= this.#options.waitingLimit && !isCancel(envelope.command)) {
        return refuse("OVERLOADED");
      }
      const isFull = this.#options.memoryShare() >= ORDERS_REFUSED_SHARE;
      if (isFull && takesRoom(term.state, envelope.command)) return refuse("EXCHANGE_FULL");
      return this.#order(term, envelope);
    } catch (error) {
      // The core broke off: this command has no entry, so for its sender nothing has happened.
      this.#fail(error);
      return refuse("STOPPING");
    }
  }

  status(): Status {
    const { clock, now } = this.#options;
    const durableSequence = this.#durable.sequence;
    return {
      mode: this.#mode(),
      role: this.#term === undefined ? "standby" : "leader",
      lagMillis: this.#term === undefined ? wholeMillis(this.#ageMillis()) : null,
      sequence: this.#term?.applied.size ?? durableSequence,
      durableSequence,
      engineTimeMillis: this.#durable.timeMillis(clock, now),
      usedShare: this.#usedShare,
    };
  }

  chargeOf(actor: Actor, command: Command): number {
    const state = this.#term?.state;
    return state === undefined ? 1 : chargeOf(state, actor, command);
  }

  answersKeptSeconds(actor: Actor): number | undefined {
    const state = this.#term?.state;
    return state?.answers.keptSeconds(answerScope(actor), state.lastTimeMillis);
  }

  epoch(): number | undefined {
    return this.#term?.lead.epoch;
  }

  isCurrent(privacy: Privacy): boolean {
    return isFresh(this.#term === undefined ? "standby" : "leader", privacy, this.#ageMillis());
  }

  async becomesCurrent(privacy: Privacy): Promise<boolean> {
    const comes = await this.#lateSigns.come(privacy);
    if (!comes) this.#options.onNotLeader?.("unheard", 1);
    return comes;
  }

  shows(): Showing {
    return showingOf(this.#options.shown);
  }

  #refuseNotLeading(): Promise<Result> {
    const elsewhere = this.#standby === undefined ? "starting" : "elsewhere";
    this.#options.onNotLeader?.(this.#yielding ? "handing_over" : elsewhere, 1);
    return refuse("NOT_LEADER");
  }

  get #isBehind(): boolean {
    return this.shows() === "nothing";
  }

  /** 0 while nobody else can lead. */
  #ageMillis(): number {
    if (!this.#options.standsBy) return 0;
    const now = performance.now();
    const silentMillis = now - this.#heardAt();
    if (this.#term === undefined) return silentMillis;
    return silentMillis < SILENT_LEADER_MILLIS ? 0 : silentMillis;
  }

  /** The newest sign that what this node shows is not over, on this process's own clock. */
  #heardAt(): number {
    return this.#term?.lead.heardOfAt() ?? this.#followedAt;
  }

  reaches(sequence: number): boolean | Promise<boolean> {
    return this.#durable.reaches(sequence);
  }

  /** Answers what was taken in, signs, and leaves the lead to a node that stands by. */
  async handOver(): Promise<void> {
    const term = this.#term;
    if (term === undefined || this.#stopping || this.#yielding) return;
    this.#yielding = true;
    this.#dueTimer.stop();
    await this.#writing;
    if (this.#term === term) await this.#giveBack(term);
    if (this.#term === term) {
      this.#options.log(`handed over at entry ${this.#durable.sequence}`);
      this.#endTerm(term);
      this.#leadLater(sleep(HANDED_OVER_MILLIS));
    }
    this.#yielding = false;
  }

  /** Keeps valid cosignatures of witnesses; where another node leads now, it asks for its own. */
  async cosigned(head: Note, lines: string): Promise<void> {
    if (this.#term !== undefined) await this.#log?.addCosignatures(this.#term.lead, head, lines);
  }

  /** Answers everything taken in, signs, snapshots, and gives leadership back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#dueTimer.stop();
    await this.#writing;
    await this.#reloading;
    const term = this.#term;
    this.#term = undefined;
    if (term !== undefined) await this.#giveBack(term, this.#snapshots);
    else if (this.#standby !== undefined) await this.#keepShown(this.#standby.origin);
    await this.#snapshots.close();
  }

  async #giveBack(term: Term, snapshots?: Snapshots): Promise<void> {
    try {
      await this.#checkpointer?.finish(term.durable);
      await snapshots?.finish(term);
      await term.lead.release();
    } catch (error) {
      // All entries are durable: the next term signs and replays what is missing here.
      this.#options.log(`the term ends without a last checkpoint: ${messageOf(error)}`);
      term.lead.abandon();
    }
  }

  #mode(): Mode {
    if (this.#term === undefined && this.#standby !== undefined) return "standby";
    if (this.#term === undefined || this.#stopping) return "starting";
    return this.#durable.halted ? "halted" : "open";
  }

  #order(term: Term, untimed: Omit<Envelope, "timeMillis">): Promise<Result> {
    this.#drainDue(term);
    const timeMillis = this.#timeOf(term);
    const { actor, requestId, idempotency, command } = untimed;
    const envelope: Envelope = { timeMillis, actor, requestId, idempotency, command };
    const { outcome, sequence } = term.put(envelope);
    // No timer runs beside a sandbox clock: what this command made due at once comes at once.
    if (this.#options.clock === "sandbox" && !isRejected(outcome)) this.#drainDue(term);
    this.#dueTimer.watch(this.#nextDueMillis(term));
    this.#wake(term);
    return term.wait(sequence, { sequence, timeMillis, requestId, outcome, replayed: false });
  }

  #timeOf({ state: { exchange, lastTimeMillis } }: Term): number {
    const { clock, now } = this.#options;
    return Math.max(clock === "real" ? now() : (exchange?.clockMillis ?? 0), lastTimeMillis);
  }

  #drainDue(term: Term): void {
    term.putDue(this.#timeOf(term));
  }

  /** Undefined under the sandbox clock: there time moves by command only. */
  #nextDueMillis(term: Term): number | undefined {
    return this.#options.clock === "real" ? nextDueMillis(term.state) : undefined;
  }

  #fallDue(): void {
    const term = this.#term;
    if (term === undefined || this.#stopping || this.#isBehind) return;
    try {
      this.#drainDue(term);
      this.#dueTimer.watch(this.#nextDueMillis(term));
      this.#wake(term);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** One loop at a time; a turn of the event loop lets what has arrived together go together. */
  #wake(term: Term): void {
    if (this.#writing !== undefined || !term.hasPending) return;
    this.#writing = new Promise((done) => setImmediate(done)).then(() => this.#write(term));
  }

  async #write(term: Term): Promise<void> {
    try {
      while (this.#term === term && term.hasPending) {
        await this.#checkpointer?.keepUp();
        if (this.#term !== term) break;
        const batch = await term.append(this.#options.onAppended);
        // If the term ended meanwhile, the reload finds these entries and shows them.
        if (this.#term === term) this.#becomeDurable(term, batch);
      }
    } catch (error) {
      this.#stepDown(term, error);
    }
    this.#writing = undefined;
    if (this.#term !== undefined) this.#wake(this.#term);
  }

  #becomeDurable(term: Term, batch: readonly SealedEntry[]): void {
    const last = batch.at(-1);
    if (last === undefined) return;
    for (const { entry, hash } of batch) if (!this.#show(entry, hash)) return;
    // Nothing more is decided meanwhile, so the last entry that waits ends this.
    if (this.#isBehind && term.hasPending) return;
    this.#redraw(term.state);
    term.settle({ size: last.sequence, hash: last.hash });
    this.#checkpointer?.grown(term.durable);
    this.#watchRoom(term.state);
    this.#snapshots.grown(term);
  }

  /** Where what is shown fell behind; everything that led to the state is durable. */
  #redraw(state: State): void {
    if (!this.#isBehind) return;
    this.#options.shown?.redraw(state);
    this.#goOn();
    this.#fallDue();
  }

  #goOn(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  #watchRoom(state: State): void {
    const before = this.#usedShare;
    this.#usedShare = roomInUse(state, this.#options.memoryShare());
    const warning = this.#usedShare > before ? warningOf(this.#usedShare) : undefined;
    if (warning !== undefined) this.#options.log(warning);
  }

  /** Lets the views fold a durable entry; false when they broke, which stops the node. */
  #show(entry: Entry, hash: string): boolean {
    this.#durable.grow(entry, hash);
    this.#log?.take(entry.sequence, hash);
    try {
      this.#options.onDurable(entry);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  async #begin(
    ready: (term: Term) => void | Promise<void>,
    whileTaken?: () => Promise<void>,
  ): Promise<void> {
    let lost: Error | undefined;
    let begun: Term | undefined;
    const term = await takeTerm(
      this.#options,
      (reason) => {
        lost = reason;
        if (begun !== undefined) this.#stepDown(begun, reason);
      },
      { whileTaken, takeKept: () => this.#takeKept() },
    );
    const log = this.#logOf(term.origin);
    const checkpointer = new Checkpointer({
      lead: term.lead,
      key: this.#options.key,
      origin: term.origin,
      file: this.#options.file,
      log,
      cadence: this.#options.checkpoints,
      onFault: (error) => this.#stepDown(term, error),
      onSigned: (note) => {
        this.#checkpoint = { note, verifierKey: verifierKey(this.#options.key, term.origin) };
        if (log.newest !== undefined) this.#options.onLogSigned(log.newest);
      },
    });
    try {
      // Before anything is signed: a head of fewer entries would hide the one that was shown.
      await this.#refuseLoss(term.origin, term.durable);
      await log.lead(term.lead, term.durable);
      await checkpointer.sign(term.durable);
      await ready(term);
      this.#redraw(term.state);
      if (lost !== undefined) throw lost;
    } catch (error) {
      term.lead.abandon();
      this.#kept = term.kept();
      throw error;
    }
    begun = term;
    this.#term = term;
    this.#checkpointer = checkpointer;
    this.#options.onLeading();
    this.#fallDue();
  }

  /** A state is led on in one place only. */
  #takeKept(): Applied | undefined {
    const kept = this.#standby?.applied ?? this.#kept;
    this.#standby = undefined;
    this.#kept = undefined;
    return kept;
  }

  /** While another node leads: what it has made durable is decided again here, and shown. */
  async #follow(): Promise<void> {
    if (this.#stopping) throw new LeadershipTaken("This node stops.");
    this.#standby ??= await this.#standBy();
    for (let slice = SLICE_ENTRIES; slice === SLICE_ENTRIES; await yieldToLoop()) {
      const askedAt = performance.now();
      const followed = await this.#standby.next();
      for (const { entry, hash } of followed) if (!this.#show(entry, hash)) return;
      slice = followed.length;
      this.#redraw(this.#standby.applied.state);
      if (slice < SLICE_ENTRIES) this.#followedAt = askedAt;
    }
    const now = performance.now();
    if (now < this.#headsAt + this.#options.checkpoints.millis) return;
    this.#headsAt = now;
    const { origin, applied } = this.#standby;
    await this.#keepShown(origin);
    // The tree grows with what is followed: a term that begins would wait for it to be made.
    await this.#logOf(origin).takeHeads(applied.head);
  }

  #logOf(chainOrigin: string): TransparencyLog {
    const { journal, key, logFile: file, log } = this.#options;
    this.#log ??= new TransparencyLog({ journal, key, file, log, chainOrigin });
    return this.#log;
  }

  async #standBy(): Promise<Standby> {
    const standby = await Standby.open(this.#options, () => this.#takeKept());
    const { state, head } = standby.applied;
    if (this.#durable.head === undefined) this.#recovered(state, head);
    await this.#refuseLoss(standby.origin, head);
    await this.#showMissed(head);
    this.#options.log(`standing by at entry ${head.size}: another node leads`);
    return standby;
  }

  /** Nobody knows what the journal holds: what it holds is found out before anything goes on. */
  #stepDown(term: Term, reason: unknown): void {
    if (this.#term !== term) return;
    this.#options.log(`stepping down at entry ${this.#durable.sequence}: ${messageOf(reason)}`);
    this.#endTerm(term);
    if (!this.#stopping && !this.#fatal) this.#leadLater();
  }

  #leadLater(after: Promise<void> = Promise.resolve()): void {
    this.#reloading = after
      .then(() => this.#reload())
      .finally(() => {
        this.#reloading = undefined;
      });
  }

  #endTerm(term: Term): void {
    this.#term = undefined;
    this.#followedAt = term.lead.heardOfAt();
    this.#checkpointer?.end();
    this.#dueTimer.stop();
    term.lead.abandon();
    const refused = term.drop();
    if (refused > 0) this.#options.onNotLeader?.("ended", refused);
    this.#kept = term.kept();
    this.#goOn();
    void this.#snapshots.close();
  }

  async #reload(): Promise<void> {
    for (let wait = RETRY_FIRST_MILLIS, told = ""; !this.#stopping && !this.#fatal; ) {
      try {
        await this.#begin(
          ({ durable }) => this.#showMissed(durable),
          () => this.#follow(),
        );
        this.#options.log(`leading again at entry ${this.#durable.sequence}`);
        return;
      } catch (error) {
        if (this.#stopping) return;
        if (isFinal(error)) return this.#fail(error);
        const reason = messageOf(error);
        if (reason !== told) this.#options.log(`not leading yet: ${reason}`);
        told = reason;
      }
      await sleep(wait);
      wait = Math.min(wait * 2, RETRY_LONGEST_MILLIS);
    }
  }

  /** @throws JournalRefusal where what was shown is lost; each later start of this node refuses too */
  async #refuseLoss(origin: string, found: Head): Promise<void> {
    try {
      await this.#durable.refuseLoss(this.#options.journal, found);
    } catch (error) {
      await this.#keepShown(origin);
      throw error;
    }
  }

  /** Signs what was shown into this node's own file, which its next start compares. */
  async #keepShown(origin: string): Promise<void> {
    const { head } = this.#durable;
    const { file, key } = this.#options;
    if (head === undefined || file === undefined) return;
    const { note } = signCheckpoint(key, origin, head);
    // A signature of Ed25519 is the same each time: where nothing has come, so is the note.
    if (note !== file.newest()) await file.append(note);
  }

  /** Entries whose outcome was unknown, or that another leader wrote, are shown now. */
  async #showMissed(head: Head): Promise<void> {
    while (this.#durable.sequence < head.size) {
      const limit = Math.min(SLICE_ENTRIES, head.size - this.#durable.sequence);
      const entries = await this.#options.journal.read(this.#durable.sequence + 1, limit);
      invariant(entries.length === limit, "durable entries can be read");
      for (const { bytes, hash } of entries) if (!this.#show(readEntry(bytes), hash)) return;
    }
  }

  #fail(error: unknown): void {
    if (this.#fatal) return;
    this.#fatal = true;
    this.#stopping = true;
    if (this.#term !== undefined) this.#endTerm(this.#term);
    this.#options.onFatal(error);
  }
}

const refuse = (refused: Refusal): Promise<Result> => Promise.resolve({ refused });
