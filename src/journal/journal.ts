// The journal as the engine uses it, kept in PostgreSQL, or in memory for simulation.
// Invariant: a batch is stored whole or not at all, and only by the leader of the newest epoch.

import type { Entry } from "#core/outcome.ts";
import type { StorageKind } from "#core/storage-kind.ts";
import type { Tile, TilePlace } from "./log-tree.ts";
import type { EntrySubject, Touch } from "./touches.ts";

/**
 * The labels an entry is found by: drawn from its bytes, kept beside them, compared by `verify`.
 */
export interface EntryLabels {
  readonly timeMillis: number;
  readonly action: string;
  readonly severity: string;
  /** The acting account's address, or `root`, or `system`. */
  readonly actor: string;
  /** The account whose business it is. */
  readonly concerns: string | null;
  /** The id of its subject. */
  readonly resource: string;
}

/** An entry as it lies in the journal. */
export interface StoredEntry extends EntryLabels {
  readonly sequence: number;
  readonly bytes: Uint8Array;
  /** 64 hex characters, as all hashes here. */
  readonly hash: string;
}

/** An entry on its way into the journal, with its bytes and the subjects it will be found by. */
export interface SealedEntry extends StoredEntry {
  readonly entry: Entry;
  readonly touches: readonly EntrySubject[];
}

export interface LinkedEntry extends StoredEntry {
  readonly previousHash: string;
}

/** How far a chain reaches: its number of entries, and the hash of the last. */
export interface Head {
  readonly size: number;
  readonly hash: string;
}

export interface EntryFilter {
  readonly concerns?: string;
  /** An account: entries that concern it, and those that touch it. */
  readonly party?: string;
  /** No entries whose account nobody else is told. */
  readonly withoutSealed?: true;
  readonly actor?: string;
  /** The entry's own, or a further one in it. */
  readonly action?: string;
  readonly resource?: string;
  readonly severity?: string;
  readonly fromMillis?: number;
  /** Of `newest`: only entries that follow this one. */
  readonly after?: number;
  /** Exclusive. */
  readonly beforeMillis?: number;
}

export interface LabelCount {
  readonly action: string;
  readonly severity: string;
  readonly count: number;
  readonly firstMillis: number;
  readonly lastMillis: number;
}

/** A range of the entries that touch every one of `subjects`. */
export interface TouchRange {
  readonly subjects: readonly [EntrySubject, ...EntrySubject[]];
  /** Both exclusive. */
  readonly after: number;
  readonly before: number;
  readonly order: "oldest" | "newest";
}

/** A range of subjects, in a range of entries. */
export interface FiledRange {
  readonly from: EntrySubject;
  /** Exclusive. */
  readonly below: EntrySubject;
  /** No entry after this one. */
  readonly upTo: number;
}

/** An entry by one of its subjects; entries with several in a range stand there several times. */
export interface FiledEntry {
  readonly subject: EntrySubject;
  readonly entry: StoredEntry;
}

/** A signed note and how many entries it speaks for. */
export interface Note {
  readonly size: number;
  readonly note: string;
}

/** Pages of one digest are one page, whichever snapshots they are of. */
export interface SnapshotPage {
  /** SHA-256 of its text, 64 hex characters. */
  readonly digest: string;
  /** Compressed; small enough to travel as one value. */
  readonly bytes: Uint8Array;
}

export interface StoredSnapshot extends Note {
  /** In their order. */
  readonly pages: readonly SnapshotPage[];
}

/** A page of a snapshot to be kept; without bytes it is one that an earlier snapshot has kept. */
export interface SealedPage {
  readonly digest: string;
  readonly bytes: Uint8Array | undefined;
}

export interface SealedSnapshot extends Note {
  readonly pages: readonly SealedPage[];
}

/** A snapshot that still has its pages; they are read when asked for, which may fail. */
export interface KeptSnapshot extends Note {
  pages(): Promise<readonly SnapshotPage[]>;
}

/** Reads, on connections of their own; nothing here waits for the appending one. */
export interface JournalReader {
  /** Ascending from `from`, at most `limit`; stops short only at the end of the journal. */
  read(from: number, limit: number): Promise<readonly StoredEntry[]>;
  /** Newest first, none after `upTo`. */
  newest(
    filter: EntryFilter,
    upTo: number,
    limit: number,
    offset: number,
  ): Promise<readonly LinkedEntry[]>;
  /**
   * Ascending, those after `after` and none after `upTo`; at most `limit`, fewer where they are
   * large, none only where there are none.
   */
  oldest(
    filter: EntryFilter,
    after: number,
    upTo: number,
    limit: number,
  ): Promise<readonly LinkedEntry[]>;
  counts(filter: EntryFilter, upTo: number): Promise<readonly LabelCount[]>;
  /** At most `limit`, in the order asked for. */
  touching(range: TouchRange, limit: number): Promise<readonly StoredEntry[]>;
  /** At most `limit`, the last subject first, in the order of code units. */
  filed(range: FiledRange, limit: number): Promise<readonly FiledEntry[]>;
  /** The labels of the entries from `first` to `last`; by sequence, then subject. */
  touches(first: number, last: number): Promise<readonly Touch[]>;
  newestCheckpoint(): Promise<string | undefined>;
  /** Ascending by size. */
  checkpointsAfter(size: number, limit: number): Promise<readonly Note[]>;
  /** The newest snapshot of fewer than `below` entries that still has its pages. */
  newestSnapshot(below: number): Promise<KeptSnapshot | undefined>;
  /** The notes of all snapshots, those without pages too; ascending by size. */
  snapshotsAfter(size: number, limit: number): Promise<readonly Note[]>;
  /** Hashes of entries in their order, from `from` on; short of `limit` only at the end. */
  entryHashes(from: number, limit: number): Promise<readonly string[]>;
  /** How many full tiles of the lowest level are stored. */
  leafTiles(): Promise<number>;
  tile(place: TilePlace): Promise<Uint8Array | undefined>;
  newestLogHead(): Promise<Note | undefined>;
  /** Of exactly this size. */
  logHead(size: number): Promise<Note | undefined>;
  /** The newest with more than the log's own signature. */
  newestCosignedHead(): Promise<Note | undefined>;
  /** Ascending by size. */
  logHeadsAfter(size: number, limit: number): Promise<readonly Note[]>;
}

/** A look at the journal of another node, all of it at one moment. */
export interface Glimpse {
  /** Of the entry that was asked about; undefined where the journal ends before it. */
  readonly hash: string | undefined;
  /** The sequence of the newest entry. */
  readonly newest: number;
  /** Since the leader's newest heartbeat, by the clock of the database that was asked. */
  readonly silentMillis: number | undefined;
}

/** One term of leadership. */
export interface Lead {
  /** Where the journal ended when the term began. */
  readonly head: Head;
  /**
   * When the store last heard of this term, on `performance`'s clock: for `SILENT_LEADER_MILLIS`
   * from then on nobody takes it away, unless its session ends.
   */
  heardOfAt(): number;
  /** Each term has a higher one than those before it. */
  readonly epoch: number;
  /** Whether the store was seen to be durable, or hides it. */
  readonly storage: StorageKind;
  /** An error means that nobody knows whether the batch was stored: the term is over. */
  append(entries: readonly SealedEntry[]): Promise<void>;
  keepCheckpoint(checkpoint: Note): Promise<void>;
  /** Full ones of the transparency log; the same tile again takes the place of what is there. */
  keepTiles(tiles: readonly Tile[]): Promise<void>;
  /** Of one size the note stays, or grows by cosignatures at its end. */
  keepLogHead(head: Note): Promise<void>;
  /** Whole, or not at all where it throws; the term goes on either way. */
  keepSnapshot(snapshot: SealedSnapshot): Promise<void>;
  /** Gives leadership back; nothing may be under way. */
  release(): Promise<void>;
  /** Drops the connection without waiting for anything. */
  abandon(): void;
}

export interface Journal extends JournalReader {
  /**
   * Takes leadership. Throws `LeadershipTaken` when another process has it, `JournalRefusal` when
   * the store must not be served from, anything else when it is out of reach. `onLost` is called
   * at most once, when the term ends without `release` or `abandon`. With `whileTaken` it waits as
   * long as another process leads, and calls it again and again meanwhile; where that throws, it
   * throws the same.
   */
  lead(onLost: (reason: Error) => void, whileTaken?: () => Promise<void>): Promise<Lead>;
}

/** The store must not be served from until a person has acted; the message says how. */
export class JournalRefusal extends Error {
  override readonly name: string = "JournalRefusal";
}

export class LeadershipTaken extends JournalRefusal {
  override readonly name = "LeadershipTaken";
}

/** A leader that the database has not heard of for so long hangs: a node that stands by leads. */
export const SILENT_LEADER_MILLIS = 5_000;

/** Entries are read in slices of this many. */
export const SLICE_ENTRIES = 500;

/** A slice for a reader ends after the entry that takes it beyond so many bytes. */
export const SLICE_BYTES = 8_000_000;
