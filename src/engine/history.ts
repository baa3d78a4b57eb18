// Durable history, read from the journal: entries, pages, counts, export, and the proof of it all.
// Invariant: nothing after the durable sequence is ever returned, stored though it may be.

import { invariant } from "#base/invariant.ts";
import { readEntry } from "#core/entry-bytes.ts";
import type { Entry } from "#core/outcome.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import { discloseAll } from "#journal/commitment.ts";
import {
  type EntryFilter,
  type JournalReader,
  type LinkedEntry,
  SLICE_ENTRIES,
  type TouchRange,
} from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { verifyJournal } from "#journal/verify.ts";
import {
  type AuditCount,
  type AuditFilter,
  type ChainedEntry,
  type Checkpoint,
  type Filed,
  type History,
  HistoryBusy,
  type PublicLog,
  type Searched,
  type SearchRange,
  type SubjectRange,
  type Verification,
} from "./engine.ts";

/** Entries asked of the store at a time: with more, the last would wait for many seconds. */
const MOST_ASKED = 32_000;
/** Entries that a search by labels without an index looks at, before it answers how far it got. */
const MOST_SEARCHED = 100_000;
/** A count looks at every entry there is, in the store; nothing of them is carried here. */
const COUNT_ENTRIES = 1_000;

interface HistorySource {
  readonly journal: JournalReader;
  readonly key: SigningKey;
  readonly file: CheckpointLog | undefined;
  readonly logFile: CheckpointLog | undefined;
  durableSequence(): number;
  checkpoint(): Checkpoint | undefined;
  log(): PublicLog | undefined;
}

export class JournalHistory implements History {
  readonly #source: HistorySource;
  #verifying: Promise<Verification> | undefined;
  /** Entries that reads under way may bring. */
  #asked = 0;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  async entry(sequence: number): Promise<ChainedEntry | undefined> {
    if (sequence > this.#source.durableSequence()) return undefined;
    const [stored] = await this.#read(1, (journal) =>
      journal.oldest({}, sequence - 1, sequence, 1),
    );
    return stored === undefined ? undefined : toChained(stored);
  }

  /** Refused at the beginning or not at all, as `export`; no more than a slice is held. */
  async *newest(filter: AuditFilter, limit: number, offset: number): AsyncGenerator<ChainedEntry> {
    const labels = toLabels(filter);
    let left = limit;
    let upTo = this.#source.durableSequence();
    const size = (): number => Math.min(left, SLICE_ENTRIES);
    let found = await this.#read(size(), (journal) => journal.newest(labels, upTo, size(), offset));
    while (found.length > 0) {
      for (const stored of found) yield toChained(stored);
      left -= found.length;
      upTo = (found.at(-1)?.sequence ?? 1) - 1;
      if (left === 0 || upTo === 0) return;
      found = await this.#source.journal.newest(labels, upTo, size(), 0);
    }
  }

  async search(
    { fromSeconds, toSeconds, ...filter }: AuditFilter,
    { before = Number.MAX_SAFE_INTEGER, limit }: SearchRange,
  ): Promise<Searched> {
    const isScan = [filter.action, filter.resource, filter.severity].some(
      (one) => one !== undefined,
    );
    // An entry's timestamp is its whole second, so the last second counts to its end.
    const atMost = toSeconds === undefined ? before : await this.#endOf(toSeconds + 1);
    const upTo = Math.min(before - 1, atMost, this.#source.durableSequence());
    const floor = fromSeconds === undefined ? 0 : await this.#endOf(fromSeconds);
    const after = Math.max(floor, isScan ? upTo - MOST_SEARCHED : 0);
    const labels = { ...toLabels(filter), after };
    const found =
      upTo <= after
        ? []
        : await this.#read(limit, (journal) => journal.newest(labels, upTo, limit, 0));
    const entries = found.map(toChained);
    const last = found.at(-1)?.sequence;
    if (found.length === limit && last !== undefined) return { entries, from: last, next: last };
    return { entries, from: after + 1, next: after > floor ? after + 1 : undefined };
  }

  #endOf(seconds: number): Promise<number> {
    return this.sequenceBefore(1000 * seconds);
  }

  async counts(filter: AuditFilter): Promise<readonly AuditCount[]> {
    const upTo = this.#source.durableSequence();
    const found = await this.#read(COUNT_ENTRIES, (journal) =>
      journal.counts(toLabels(filter), upTo),
    );
    return found.map(({ action, severity, count, firstMillis, lastMillis }) => ({
      action,
      severity,
      count,
      firstSeconds: Math.floor(firstMillis / 1000),
      lastSeconds: Math.floor(lastMillis / 1000),
    }));
  }

  async touching(range: TouchRange, limit: number): Promise<readonly Entry[]> {
    const before = Math.min(range.before, this.#source.durableSequence() + 1);
    const found = await this.#read(limit, (journal) =>
      journal.touching({ ...range, before }, limit),
    );
    return found.map(({ bytes }) => readEntry(bytes));
  }

  async filed({ from, below }: SubjectRange, limit: number): Promise<readonly Filed[]> {
    const range = { from, below, upTo: this.#source.durableSequence() };
    const found = await this.#read(limit, (journal) => journal.filed(range, limit));
    const read = new Map<number, Entry>();
    return found.map(({ subject, entry: { sequence, bytes } }) => {
      const entry = read.get(sequence) ?? readEntry(bytes);
      read.set(sequence, entry);
      return { subject, entry };
    });
  }

  /** Time never falls as the sequence rises, so halving finds the place. */
  async sequenceBefore(timeMillis: number): Promise<number> {
    let [low, high] = [0, this.#source.durableSequence()];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [stored] = await this.#read(1, (journal) => journal.read(middle, 1));
      invariant(stored !== undefined, `the durable entry ${middle} is there`);
      if (stored.timeMillis < timeMillis) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * The journal only grows, so the durable sequence of this moment is the snapshot. Refused at the
   * beginning or not at all: a slice is read when the one before it was taken.
   */
  async *export(filter: AuditFilter): AsyncGenerator<ChainedEntry> {
    const labels = toLabels(filter);
    const upTo = this.#source.durableSequence();
    const slice = (journal: JournalReader, after: number) =>
      journal.oldest(labels, after, upTo, SLICE_ENTRIES);
    let found = await this.#read(SLICE_ENTRIES, (journal) => slice(journal, 0));
    for (;;) {
      for (const stored of found) yield toChained(stored);
      const last = found.at(-1);
      if (last === undefined || last.sequence === upTo) return;
      found = await slice(this.#source.journal, last.sequence);
    }
  }

  async after(sequence: number, limit: number): Promise<readonly Entry[]> {
    const following = this.#source.durableSequence() - sequence;
    if (following <= 0) return [];
    const found = await this.#source.journal.read(sequence + 1, Math.min(limit, following));
    return found.map(({ bytes }) => readEntry(bytes));
  }

  /** One walk at a time: whoever asks meanwhile gets its result. */
  verify(): Promise<Verification> {
    const { journal, key, file, logFile } = this.#source;
    this.#verifying ??= verifyJournal(journal, {
      key,
      upTo: this.#source.durableSequence(),
      ...(file === undefined ? {} : { file: file.notes() }),
      ...(logFile === undefined ? {} : { logFile: logFile.notes() }),
    }).finally(() => {
      this.#verifying = undefined;
    });
    return this.#verifying;
  }

  checkpoint(): Checkpoint | undefined {
    return this.#source.checkpoint();
  }

  log(): PublicLog | undefined {
    return this.#source.log();
  }

  async #read<T>(limit: number, ask: (journal: JournalReader) => Promise<T>): Promise<T> {
    if (this.#asked + limit > MOST_ASKED) throw new HistoryBusy();
    this.#asked += limit;
    try {
      return await ask(this.#source.journal);
    } finally {
      this.#asked -= limit;
    }
  }
}

const toChained = (stored: LinkedEntry): ChainedEntry => ({
  entry: readEntry(stored.bytes),
  hash: stored.hash,
  previousHash: stored.previousHash,
  disclose: () => discloseAll(stored.bytes),
});

function toLabels(filter: AuditFilter): EntryFilter {
  const { concerns, party, userId, action, severity, resource, fromSeconds, toSeconds } = filter;
  return {
    ...(concerns === undefined ? {} : { concerns }),
    ...(party === undefined ? {} : { party }),
    ...(filter.withoutSealed === undefined ? {} : { withoutSealed: filter.withoutSealed }),
    ...(resource === undefined ? {} : { resource }),
    ...(userId === undefined ? {} : { actor: userId }),
    ...(action === undefined ? {} : { action }),
    ...(severity === undefined ? {} : { severity }),
    ...(fromSeconds === undefined ? {} : { fromMillis: fromSeconds * 1000 }),
    // An entry's timestamp is its whole second, so the last second counts to its end.
    ...(toSeconds === undefined ? {} : { beforeMillis: (toSeconds + 1) * 1000 }),
  };
}
