// The whole journal judged again: chain, checkpoints, snapshots, and every decision in it.
// Invariant: reads only stored bytes and notes; trusts no hash, column or state it did not compute.
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { DECIDER_VERSION } from "#core/decider.ts";
import type { Entry } from "#core/outcome.ts";
import type { AcceptedRelease, QuarantinedRelease } from "#core/records.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { ArchiveFault } from "./archive.ts";
import { ChainBreak, noEntries } from "./chain.ts";
import { CheckpointWalk, openCheckpoint, originOf } from "./checkpoint.ts";
import {
  type Head,
  type JournalReader,
  type Note,
  SLICE_ENTRIES,
  type StoredEntry,
} from "./journal.ts";
import { LogWalk } from "./log-walk.ts";
import type { SigningKey } from "./note.ts";
import { notesOf, texts } from "./note-pages.ts";
import { checkLabels, replay } from "./seal.ts";
import { openPromise, pagesHash } from "./snapshot.ts";
import type { EntrySubject } from "./touches.ts";

export interface JournalVerification {
  readonly valid: boolean;
  readonly totalEntries: number;
  /** The first sequence that is not as it was sealed. */
  readonly brokenAt?: number;
  readonly reason?: string;
  /** Head and size of the part that holds. */
  readonly head: string;
  readonly size: number;
  readonly stateHash: string;
  /** The releases in the part that holds, in the order of acceptance. */
  readonly releases: readonly AcceptedRelease[];
  /** Those held back or rejected. */
  readonly heldReleases: readonly QuarantinedRelease[];
  readonly checkpoints: number;
  /** Heads of the transparency log whose root is that of the entries. */
  readonly logHeads: number;
  /** Those whose head agrees and, but for those of older rules, whose state does. */
  readonly snapshots: number;
  /**
   * Entries that older rules decided: chain, labels and postings were checked, and their events
   * taken as stored. They are the first ones; after them every entry was decided again.
   */
  readonly folded: number;
}

type JournalSource = Pick<
  JournalReader,
  "read" | "touches" | "checkpointsAfter" | "snapshotsAfter" | "logHeadsAfter" | "tile"
>;

interface ArchivedNotes {
  archivedNotes(kind: "checkpoint" | "logCheckpoint"): AsyncIterable<string>;
}

interface VerifyOptions {
  /** Signs nothing here: its public half judges the notes. */
  readonly key: SigningKey;
  /** The checkpoints kept outside the database. */
  readonly file?: AsyncIterable<string>;
  /** The heads of the transparency log kept outside the database. */
  readonly logFile?: AsyncIterable<string>;
  /** The signed notes that lie with archived entries. */
  readonly archived?: ArchivedNotes;
  /** Entries that must be there; those after them are not looked at. Absent = all there are. */
  readonly upTo?: number;
  /** Each entry that holds, in its order. */
  readonly onEntry?: (entry: Entry) => void;
  /** The loop gets its turn after this long. */
  readonly sliceMillis?: number;
}

const SLICE_MILLIS = 8;

/** Walks the journal from its first entry; a break is an answer, an unreachable store an error. */
export async function verifyJournal(
  source: JournalSource,
  options: VerifyOptions,
): Promise<JournalVerification> {
  const walk = new Walk(source, options);
  return judged(walk, () => walk.run());
}

async function judged(walk: Walk, work: () => Promise<void>): Promise<JournalVerification> {
  try {
    await work();
    return { valid: true, ...walk.report() };
  } catch (error) {
    if (!(error instanceof ChainBreak || error instanceof ArchiveFault)) throw error;
    return { valid: false, ...walk.report(), brokenAt: error.sequence, reason: error.message };
  }
}

/**
 * A walk that stays at the entry it came to, and goes on from there over those that came since: the
 * chain, every decision, tiles of the log, and checkpoints in the database. Once it has found
 * something it is of no more use.
 */
export class KeptVerification {
  readonly #walk: Walk;
  #hasBegun = false;

  constructor(source: JournalSource, options: Omit<VerifyOptions, "upTo">) {
    this.#walk = new Walk(source, options);
  }

  /** One at a time. `sequence`: of an entry that must be there; those before it are proven, too. */
  upTo(sequence: number): Promise<JournalVerification> {
    const work = this.#hasBegun
      ? () => this.#walk.extend(sequence)
      : () => this.#walk.run(sequence);
    this.#hasBegun = true;
    return judged(this.#walk, work);
  }
}

/** Hashes of the last entries, for checkpoints that are signed a moment after their entry. */
const RECENT_ENTRIES = 10_000;

class Walk {
  readonly #source: JournalSource;
  readonly #options: VerifyOptions;
  readonly #checkpoints: readonly CheckpointWalk[];
  readonly #snapshots: AsyncIterator<Note>;
  #snapshot: Note | undefined;
  #state = new State();
  #head: Head = noEntries;
  #origin = "";
  #seen = 0;
  #passed = { checkpoints: 0, logHeads: 0, snapshots: 0, folded: 0 };
  readonly #log: LogWalk;
  readonly #recent = new Map<number, string>();
  /** The newest checkpoint in the database that was compared after the walk had passed it. */
  #compared = 0;
  /** The next size at which somebody has signed something. */
  #stopAt = 0;
  #sliceEnd = 0;

  constructor(source: JournalSource, options: VerifyOptions) {
    this.#source = source;
    this.#options = options;
    const { key, file, archived } = options;
    const inDatabase = notesOf((after) => source.checkpointsAfter(after, SLICE_ENTRIES));
    this.#checkpoints = [
      new CheckpointWalk("the database", texts(inDatabase), key, true),
      ...(file === undefined ? [] : [new CheckpointWalk("the checkpoint file", file, key)]),
      ...(archived === undefined
        ? []
        : [new CheckpointWalk("the archive", archived.archivedNotes("checkpoint"), key)]),
    ];
    this.#log = new LogWalk(source, key, [
      { place: "the log's file", notes: options.logFile },
      { place: "the archive", notes: archived?.archivedNotes("logCheckpoint") },
    ]);
    this.#snapshots = notesOf((after) => source.snapshotsAfter(after, SLICE_ENTRIES));
  }

  async run(upTo = this.#options.upTo ?? Number.POSITIVE_INFINITY): Promise<void> {
    this.#snapshot = await this.#nextSnapshot();
    if (await this.#reaches(upTo)) return;
    for (const walk of this.#checkpoints) await walk.end(this.#head, this.#origin);
    await this.#log.end(this.#origin);
  }

  /** Goes on from the last entry that was passed, which must still be what it was. */
  async extend(upTo: number): Promise<void> {
    const { size, hash } = this.#head;
    const [last] = await this.#source.read(size, 1);
    if (last?.sequence !== size || last.hash !== hash) {
      throw new ChainBreak(size, `it hashed to ${hash} when it was verified, and does no more`);
    }
    await this.#reaches(upTo);
    await this.#compareLate();
  }

  /** The checkpoints that the database has got since, also of entries that were passed before. */
  async #compareLate(): Promise<void> {
    this.#compared = Math.max(this.#compared, this.#checkpoints[0]?.agreed ?? 0);
    for (;;) {
      const notes = await this.#source.checkpointsAfter(this.#compared, SLICE_ENTRIES);
      for (const { size, note } of notes) {
        if (size > this.#head.size) return;
        const signed = openCheckpoint(this.#options.key, this.#origin, note);
        const hash = this.#recent.get(size);
        if (signed?.size !== size || (hash !== undefined && signed.hash !== hash)) {
          throw new ChainBreak(
            this.#compared + 1,
            `the checkpoint in the database at entry ${size} is not one that this node's key ` +
              `signed over ${hash}`,
          );
        }
        this.#compared = size;
        this.#passed.checkpoints += 1;
      }
      if (notes.length < SLICE_ENTRIES) return;
    }
  }

  /** Passes the entries to `upTo`; false where that is no entry and the journal has ended. */
  async #reaches(upTo: number): Promise<boolean> {
    for (;;) {
      const limit = Math.min(SLICE_ENTRIES, upTo - this.#head.size);
      if (limit <= 0) return true;
      const entries = await this.#source.read(this.#head.size + 1, limit);
      const touches = await this.#touchesOf(entries);
      for (const entry of entries) await this.#pass(entry, touches.get(entry.sequence) ?? []);
      if (entries.length < limit && !(await this.#hasGrown())) break;
    }
    if (upTo !== Number.POSITIVE_INFINITY) {
      throw new ChainBreak(this.#head.size + 1, `it is missing, and ${upTo} entries were stored`);
    }
    return false;
  }

  /** The subjects the entries are filed under. */
  async #touchesOf(entries: readonly StoredEntry[]): Promise<Map<number, EntrySubject[]>> {
    const filed = new Map<number, EntrySubject[]>();
    const [first, last] = [entries.at(0), entries.at(-1)];
    if (first === undefined || last === undefined) return filed;
    for (const { sequence, subject } of await this.#source.touches(first.sequence, last.sequence)) {
      const subjects = filed.get(sequence);
      if (subjects === undefined) filed.set(sequence, [subject]);
      else subjects.push(subject);
    }
    return filed;
  }

  /** Under a writing leader a checkpoint may be newer than our last read: then there is more. */
  async #hasGrown(): Promise<boolean> {
    if (this.#head.size === 0) return false;
    let signed = 0;
    for (const walk of this.#checkpoints) {
      const size = await walk.nextSize(this.#origin);
      if (size !== Number.POSITIVE_INFINITY) signed = Math.max(signed, size);
    }
    signed = Math.max(signed, await this.#log.newest(this.#origin));
    if (signed <= this.#head.size) return false;
    return (await this.#source.read(this.#head.size + 1, 1)).length > 0;
  }

  report(): Omit<JournalVerification, "valid"> {
    return {
      totalEntries: this.#seen,
      head: this.#head.hash,
      size: this.#head.size,
      stateHash: stateHash(this.#state),
      releases: [...this.#state.releases.values()],
      heldReleases: [...this.#state.quarantine.values()],
      ...this.#passed,
    };
  }

  async #pass(stored: StoredEntry, touches: readonly EntrySubject[]): Promise<void> {
    this.#seen += 1;
    const [head, entry] = replay(this.#state, this.#head, stored);
    checkLabels(entry, stored, touches, this.#state);
    this.#head = head;
    this.#recent.set(head.size, head.hash);
    this.#recent.delete(head.size - RECENT_ENTRIES);
    this.#options.onEntry?.(entry);
    await this.#log.append(head);
    if (this.#isFolding()) this.#passed.folded += 1;
    if (head.size === 1) this.#origin = originOf(this.#state.exchange?.chainId ?? "");
    if (head.size >= this.#stopAt) await this.#compareSigned();
    if (Date.now() < this.#sliceEnd) return;
    await yieldToLoop();
    this.#sliceEnd = Date.now() + (this.#options.sliceMillis ?? SLICE_MILLIS);
  }

  /** Compares what has been signed at this size, and finds the next size that matters. */
  async #compareSigned(): Promise<void> {
    let next = await this.#log.compare(this.#origin);
    this.#passed.logHeads = this.#log.passed;
    for (const walk of this.#checkpoints) {
      const before = walk.agreed;
      await walk.pass(this.#head, this.#origin);
      if (walk.agreed > before) this.#passed.checkpoints += 1;
      next = Math.min(next, await walk.nextSize(this.#origin));
    }
    while (this.#snapshot !== undefined && this.#snapshot.size <= this.#head.size) {
      this.#compareSnapshot(this.#snapshot);
      this.#snapshot = await this.#nextSnapshot();
    }
    this.#stopAt = Math.min(next, this.#snapshot?.size ?? Number.POSITIVE_INFINITY);
  }

  #compareSnapshot({ size, note }: Note): void {
    const promise = openPromise(this.#options.key, this.#origin, note);
    if (size !== this.#head.size || promise === undefined || promise.head.size !== size) {
      throw new ChainBreak(size, "the snapshot there is not signed by this node's key");
    }
    const promised = promise.pagesHash;
    const expected = this.#isFolding() ? promised : pagesHash(this.#state);
    if (promise.head.hash !== this.#head.hash || promised !== expected) {
      throw new ChainBreak(
        size,
        `the snapshot there promises state ${promised}, the entries lead to ${expected}`,
      );
    }
    this.#passed.snapshots += 1;
  }

  /** The entry just passed was decided by older rules, whose records may have had another text. */
  #isFolding(): boolean {
    return this.#state.deciderVersion < DECIDER_VERSION;
  }

  async #nextSnapshot(): Promise<Note | undefined> {
    const { value, done } = await this.#snapshots.next();
    return done === true ? undefined : value;
  }
}
