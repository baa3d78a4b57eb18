// Gives every command its time and place, and answers when its entry is durable.
// Invariant: nothing undurable is answered or shown; after any doubt the state is read again.

import { setTimeout as sleep } from "node:timers/promises";
import { InvariantBreach, invariant } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import { answerName } from "#core/apply.ts";
import type { Envelope } from "#core/command.ts";
import { nextDue, nextDueMillis } from "#core/due.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { ANSWERS_KEPT_MILLIS, isCancel } from "#core/full.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { AnswerRecord, State } from "#core/state.ts";
import { ChainBreak } from "#journal/chain.ts";
import {
  JournalRefusal,
  LeadershipTaken,
  type Note,
  type SealedEntry,
  SLICE_ENTRIES,
  type StoredSnapshot,
} from "#journal/journal.ts";
import { verifierKey } from "#journal/note.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import { TransparencyLog } from "#journal/transparency-log.ts";
import { type Cadence, Checkpointer } from "./checkpointer.ts";
import { DueTimer } from "./due-timer.ts";
import type { Checkpoint, Engine, History, Mode, Refusal, Result, Status } from "./engine.ts";
import { JournalHistory } from "./history.ts";
import { type LeadershipOptions, takeTerm } from "./leadership.ts";
import { ORDERS_REFUSED_SHARE, roomInUse, takesRoom, warningOf } from "./room.ts";
import type { Applied, Term } from "./term.ts";

export interface SequencerOptions extends LeadershipOptions {
  readonly checkpoints: Cadence;
  readonly snapshotEntries: number;
  readonly waitingLimit: number;
  /** Of the heap, what is in use for good (`room.ts`). */
  readonly heapShare: () => number;
  /** Once, with the state at the durable sequence; it must be read before returning. */
  readonly onRecovered: (state: State) => void;
  /** Every entry after that, in order, once durable and before anybody is answered. */
  readonly onDurable: (entry: Entry) => void;
  /** A head of the transparency log has been signed and kept. */
  readonly onLogSigned: (head: Note) => void;
  /** The node must stop: our own mistake, or a journal that must not be served from. */
  readonly onFatal: (error: unknown) => void;
}

const RETRY_FIRST_MILLIS = 20;
const RETRY_LONGEST_MILLIS = 2_000;

export class Sequencer implements Engine {
  readonly history: History;
  readonly #options: SequencerOptions;
  readonly #dueTimer: DueTimer;
  #term: Term | undefined;
  /** Of the term that ended last: what it had applied, for the next one if all of it was stored. */
  #kept: Applied | undefined;
  #checkpointer: Checkpointer | undefined;
  #checkpoint: Checkpoint | undefined;
  /** From the first term on: it grows with what becomes durable, whoever wrote it. */
  #log: TransparencyLog | undefined;
  #stopping = false;
  #fatal = false;
  /** The write loop, the reload after a doubt, and the snapshot under way, for `stop` to await. */
  #writing: Promise<void> | undefined;
  #reloading: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  // As of the durable sequence: all that `status` may tell.
  #durableSequence = 0;
  #durableHash = "";
  #halted = false;
  #lastTimeMillis = 0;
  #clockMillis = 0;
  #usedShare = 0;

  constructor(options: SequencerOptions) {
    this.#options = options;
    this.#dueTimer = new DueTimer(options.now, () => this.#fallDue());
    this.history = new JournalHistory({
      journal: options.journal,
      key: options.key,
      file: options.file,
      durableSequence: () => this.#durableSequence,
      logFile: options.logFile,
      checkpoint: () => this.#checkpoint,
      log: () => this.#log,
    });
  }

  /** Takes leadership and recovers; throws what `Journal.lead` throws, and `ChainBreak`. */
  async start(): Promise<void> {
    await this.#begin((term) => {
      const { exchange, lastTimeMillis } = term.state;
      this.#durableSequence = term.durable.size;
      this.#durableHash = term.durable.hash;
      this.#halted = exchange?.halted ?? false;
      this.#clockMillis = exchange?.clockMillis ?? 0;
      this.#lastTimeMillis = lastTimeMillis;
      this.#watchRoom(term);
      this.#options.onRecovered(term.state);
    });
  }

  submit(envelope: Omit<Envelope, "timeMillis">): Promise<Result> {
    const term = this.#term;
    if (this.#stopping) return refuse("STOPPING");
    if (term === undefined) return refuse("NOT_LEADER");
    try {
      const known = this.#knownAnswer(term, envelope);
      if (known !== undefined) return this.#answerAgain(envelope, known);
      if (term.waiting >= this.#options.waitingLimit && !isCancel(envelope.command)) {
        return refuse("OVERLOADED");
      }
      const isFull = this.#options.heapShare() >= ORDERS_REFUSED_SHARE;
      if (isFull && takesRoom(envelope.command)) return refuse("EXCHANGE_FULL");
      return this.#order(term, envelope);
    } catch (error) {
      // The core broke off: this command has no entry, so for its sender nothing has happened.
      this.#fail(error);
      return refuse("STOPPING");
    }
  }

  status(): Status {
    return {
      mode: this.#mode(),
      sequence: this.#term?.applied.size ?? this.#durableSequence,
      durableSequence: this.#durableSequence,
      engineTimeMillis: Math.max(
        this.#lastTimeMillis,
        this.#options.clock === "real" ? this.#options.now() : this.#clockMillis,
      ),
      usedShare: this.#usedShare,
    };
  }

  /** Of the term this node leads in, as far as it knows; undefined while it does not lead. */
  epoch(): number | undefined {
    return this.#term?.lead.epoch;
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
    await this.#saving;
    const term = this.#term;
    this.#term = undefined;
    if (term === undefined) return;
    try {
      await this.#checkpointer?.finish(term.durable);
      if (term.snapshotSize < term.durable.size) await this.#keep(term, this.#sealed(term));
      await term.lead.release();
    } catch (error) {
      // All entries are durable: the next start signs and replays what is missing here.
      this.#options.log(`stopping without a last checkpoint: ${messageOf(error)}`);
      term.lead.abandon();
    }
  }

  #mode(): Mode {
    if (this.#term === undefined || this.#stopping) return "starting";
    return this.#halted ? "halted" : "open";
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

  #timeOf({ state }: Term): number {
    const { clock, now } = this.#options;
    const time = clock === "real" ? now() : (state.exchange?.clockMillis ?? 0);
    return Math.max(time, state.lastTimeMillis);
  }

  /** Everything that has fallen due by now, each as an entry of its own, at its own time. */
  #drainDue(term: Term): void {
    const nowMillis = this.#timeOf(term);
    for (;;) {
      const due = nextDue(term.state, nowMillis);
      if (due === undefined) return;
      const envelope: Envelope = {
        timeMillis: due.timeMillis,
        actor: { type: "system" },
        requestId: null,
        idempotency: null,
        command: due.command,
      };
      const { outcome } = term.put(envelope);
      invariant(!isRejected(outcome), `what falls due is accepted: ${due.command.type}`);
    }
  }

  /** Undefined under the sandbox clock: there time moves by command only. */
  #nextDueMillis(term: Term): number | undefined {
    return this.#options.clock === "real" ? nextDueMillis(term.state) : undefined;
  }

  #fallDue(): void {
    const term = this.#term;
    if (term === undefined || this.#stopping) return;
    try {
      this.#drainDue(term);
      this.#dueTimer.watch(this.#nextDueMillis(term));
      this.#wake(term);
    } catch (error) {
      this.#fail(error);
    }
  }

  // Answers given before.

  #knownAnswer(
    term: Term,
    { actor, idempotency }: Pick<Envelope, "actor" | "idempotency">,
  ): AnswerRecord | undefined {
    if (idempotency === null) return undefined;
    const known = term.state.answers.get(answerName(actor, idempotency.key));
    if (known === undefined) return undefined;
    return known.atMillis > this.#timeOf(term) - ANSWERS_KEPT_MILLIS ? known : undefined;
  }

  async #answerAgain(
    again: Pick<Envelope, "idempotency" | "requestId">,
    known: AnswerRecord,
  ): Promise<Result> {
    if (known.digest !== again.idempotency?.digest) return { refused: "IDEMPOTENCY_MISMATCH" };
    if (known.sequence > this.#durableSequence) return { refused: "IDEMPOTENCY_IN_FLIGHT" };
    try {
      const [stored] = await this.#options.journal.read(known.sequence, 1);
      invariant(stored !== undefined, `entry ${known.sequence} is durable`);
      const { sequence, envelope, outcome } = readEntry(stored.bytes);
      const { timeMillis } = envelope;
      const requestId = envelope.requestId ?? again.requestId;
      return { sequence, timeMillis, requestId, outcome, replayed: true };
    } catch (error) {
      this.#options.log(`entry ${known.sequence} cannot be read again: ${messageOf(error)}`);
      return { unknown: true };
    }
  }

  // Writing.

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
        const batch = term.take();
        await term.lead.append(batch);
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
    term.settle({ size: last.sequence, hash: last.hash });
    this.#checkpointer?.grown(term.durable);
    this.#watchRoom(term);
    this.#takeSnapshot(term);
  }

  #watchRoom({ state }: Term): void {
    const before = this.#usedShare;
    this.#usedShare = roomInUse(state, this.#options.heapShare());
    const warning = this.#usedShare > before ? warningOf(this.#usedShare) : undefined;
    if (warning !== undefined) this.#options.log(warning);
  }

  /** Lets the views fold a durable entry; false when they broke, which stops the node. */
  #show(entry: Entry, hash: string): boolean {
    this.#durableSequence = entry.sequence;
    this.#durableHash = hash;
    this.#log?.take(entry.sequence, hash);
    this.#lastTimeMillis = entry.envelope.timeMillis;
    const events = isRejected(entry.outcome) ? [] : entry.outcome.events;
    for (const event of events) {
      if (event.type === "HaltChanged") this.#halted = event.halted;
      if (event.type === "ClockSet") this.#clockMillis = event.toMillis;
    }
    try {
      this.#options.onDurable(entry);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** The state runs ahead of the journal, so a snapshot waits until its own entry is durable. */
  #takeSnapshot(term: Term): void {
    if (
      term.snapshot === undefined &&
      term.applied.size - term.snapshotSize >= this.#options.snapshotEntries
    ) {
      term.snapshot = this.#sealed(term);
      term.snapshotSize = term.applied.size;
    }
    const { snapshot } = term;
    if (snapshot === undefined || snapshot.size > term.durable.size) return;
    term.snapshot = undefined;
    // One after another: an older one that takes its time is neither overtaken nor left by a stop.
    this.#saving = (this.#saving ?? Promise.resolve()).then(() => this.#keep(term, snapshot));
  }

  /** An aid for the next start, never a reason to stop: one that cannot be made is told of. */
  #sealed(term: Term): StoredSnapshot | undefined {
    try {
      return sealSnapshot(this.#options.key, term.origin, term.applied, term.state);
    } catch (error) {
      this.#options.log(`no snapshot at entry ${term.applied.size}: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #keep(term: Term, snapshot: StoredSnapshot | undefined): Promise<void> {
    try {
      if (snapshot !== undefined) await term.lead.keepSnapshot(snapshot);
    } catch (error) {
      this.#options.log(`no snapshot at entry ${snapshot?.size}: ${messageOf(error)}`);
    }
  }

  // Leadership.

  async #begin(ready: (term: Term) => void | Promise<void>): Promise<void> {
    let lost: Error | undefined;
    let begun: Term | undefined;
    const term = await takeTerm(
      this.#options,
      (reason) => {
        lost = reason;
        if (begun !== undefined) this.#stepDown(begun, reason);
      },
      this.#kept,
    );
    this.#kept = undefined;
    const log = await this.#openLog(term);
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
      await checkpointer.sign(term.durable);
      await ready(term);
      if (lost !== undefined) throw lost;
    } catch (error) {
      term.lead.abandon();
      this.#kept = term.kept();
      throw error;
    }
    begun = term;
    this.#term = term;
    this.#checkpointer = checkpointer;
    this.#fallDue();
  }

  async #openLog(term: Term): Promise<TransparencyLog> {
    try {
      const { journal, key, logFile: file, log } = this.#options;
      const options = { journal, key, file, log, chainOrigin: term.origin };
      this.#log ??= await TransparencyLog.open(options, term.lead, term.durable);
      return this.#log;
    } catch (error) {
      term.lead.abandon();
      this.#kept = term.kept();
      throw error;
    }
  }

  /** Nobody knows what the journal holds: what it holds is found out before anything goes on. */
  #stepDown(term: Term, reason: unknown): void {
    if (this.#term !== term) return;
    this.#options.log(`stepping down at entry ${this.#durableSequence}: ${messageOf(reason)}`);
    this.#endTerm(term);
    if (this.#stopping || this.#fatal) return;
    this.#reloading = this.#reload().finally(() => {
      this.#reloading = undefined;
    });
  }

  #endTerm(term: Term): void {
    this.#term = undefined;
    this.#checkpointer?.end();
    this.#dueTimer.stop();
    term.lead.abandon();
    term.drop();
    this.#kept = term.kept();
  }

  async #reload(): Promise<void> {
    for (let wait = RETRY_FIRST_MILLIS; !this.#stopping && !this.#fatal; ) {
      try {
        await this.#begin(async (term) => {
          await this.#refuseLoss(term);
          await this.#showMissed(term);
        });
        this.#options.log(`leading again at entry ${this.#durableSequence}`);
        return;
      } catch (error) {
        if (isFinal(error)) return this.#fail(error);
        this.#options.log(`not leading yet: ${messageOf(error)}`);
      }
      await sleep(wait);
      wait = Math.min(wait * 2, RETRY_LONGEST_MILLIS);
    }
  }

  /**
   * A database that forgot what it had committed, or was exchanged for an older one: what was shown
   * and answered is no longer true, and only a person can say what is.
   */
  async #refuseLoss(term: Term): Promise<void> {
    const [last] = await this.#options.journal.read(this.#durableSequence, 1);
    if (last?.sequence === this.#durableSequence && last.hash === this.#durableHash) return;
    throw new JournalRefusal(
      `The journal has lost what was acknowledged: entry ${this.#durableSequence} was committed, ` +
        `and now the database ends at entry ${term.durable.size}, or holds another in its place. ` +
        "Find out what the database lost before the next start, which takes it as it is.",
    );
  }

  /** Entries whose outcome was unknown, or that another leader wrote, are shown now. */
  async #showMissed(term: Term): Promise<void> {
    while (this.#durableSequence < term.durable.size) {
      const limit = Math.min(SLICE_ENTRIES, term.durable.size - this.#durableSequence);
      const entries = await this.#options.journal.read(this.#durableSequence + 1, limit);
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

/** True where another try cannot help. A leader elsewhere can go away: until then we stand by. */
const isFinal = (error: unknown): boolean =>
  error instanceof ChainBreak ||
  error instanceof InvariantBreach ||
  (error instanceof JournalRefusal && !(error instanceof LeadershipTaken));
