// The journal in memory: the same promises without a disk, for simulation and quick tests.
// Invariant: behaves as PostgreSQL does towards its caller; nothing but the process keeps it.
import { setTimeout as sleep } from "node:timers/promises";
import { noEntries } from "./chain.ts";
import { LabelCounts, matches, withoutTouches } from "./entry-filter.ts";
import {
  type EntryFilter,
  type FiledEntry,
  type FiledRange,
  type Head,
  type Journal,
  type KeptSnapshot,
  type LabelCount,
  type Lead,
  LeadershipTaken,
  type LinkedEntry,
  type Note,
  type SealedEntry,
  type SealedPage,
  type SnapshotPage,
  type StoredEntry,
  type StoredSnapshot,
  type TouchRange,
} from "./journal.ts";
import type { Tile, TilePlace } from "./log-tree.ts";
import { isCosigned } from "./note-pages.ts";
import type { Touch } from "./touches.ts";

type Row = Omit<SealedEntry, "entry">;

export class MemoryJournal implements Journal {
  readonly #entries: Row[] = [];
  readonly #checkpoints = new Map<number, Note>();
  readonly #snapshots = new Map<number, StoredSnapshot>();
  readonly #tiles = new Map<string, Tile>();
  readonly #logHeads = new Map<number, Note>();
  #leader: number | undefined;
  #epoch = 0;

  async lead(onLost: (reason: Error) => void, whileTaken?: () => Promise<void>): Promise<Lead> {
    while (this.#leader !== undefined) {
      if (whileTaken === undefined) throw new LeadershipTaken("Another engine leads this journal.");
      await whileTaken();
      await sleep(1);
    }
    this.#epoch += 1;
    const term = this.#epoch;
    this.#leader = term;
    this.#lost = onLost;
    const giveBack = (): void => {
      if (this.#leader === term) this.#leader = undefined;
    };
    const leading = (): void => {
      if (this.#leader !== term) throw new Error("this term of leadership is over");
    };
    return {
      head: this.#head(),
      epoch: term,
      storage: "checked",
      heardOfAt: () => performance.now(),
      append: async (entries) => {
        leading();
        if ((entries[0]?.sequence ?? 0) !== this.#entries.length + 1) {
          throw new Error("the batch does not follow the last entry");
        }
        for (const { entry: _decided, ...row } of entries) this.#entries.push(row);
      },
      keepCheckpoint: async (checkpoint) => {
        leading();
        this.#checkpoints.set(checkpoint.size, checkpoint);
      },
      keepTiles: async (tiles) => {
        leading();
        for (const tile of tiles) this.#tiles.set(`${tile.level}/${tile.index}`, tile);
      },
      keepLogHead: async (head) => {
        leading();
        const before = this.#logHeads.get(head.size);
        if (before?.note.startsWith(head.note) === true) return;
        this.#logHeads.set(head.size, head);
      },
      keepSnapshot: async (snapshot) => {
        leading();
        const { size, note } = snapshot;
        const pages = snapshot.pages.map((page) => this.#page(page));
        this.#snapshots.set(size, { size, note, pages });
      },
      release: async () => giveBack(),
      abandon: giveBack,
    };
  }

  #lost: (reason: Error) => void = () => undefined;

  /** Ends the term from outside, as a broken connection does. */
  depose(): void {
    this.#leader = undefined;
    this.#lost(new Error("the connection to the journal has ended"));
  }

  async read(from: number, limit: number): Promise<readonly StoredEntry[]> {
    return this.#entries.slice(from - 1, from - 1 + limit).map(withoutTouches);
  }

  async newest(
    filter: EntryFilter,
    upTo: number,
    limit: number,
    offset: number,
  ): Promise<readonly LinkedEntry[]> {
    const found = this.#matching(filter, filter.after ?? 0, upTo).reverse();
    return found.slice(offset, offset + limit).map((entry) => this.#link(entry));
  }

  async oldest(
    filter: EntryFilter,
    after: number,
    upTo: number,
    limit: number,
  ): Promise<readonly LinkedEntry[]> {
    const found = this.#matching(filter, after, upTo).slice(0, limit);
    return found.map((entry) => this.#link(entry));
  }

  async counts(filter: EntryFilter, upTo: number): Promise<readonly LabelCount[]> {
    const counts = new LabelCounts();
    for (const entry of this.#matching(filter, 0, upTo)) counts.addEntry(entry);
    return counts.all();
  }

  async touching(range: TouchRange, limit: number): Promise<readonly StoredEntry[]> {
    const { subjects, after, before, order } = range;
    const found = this.#entries
      .slice(after, before - 1)
      .filter(({ touches }) => subjects.every((subject) => touches.includes(subject)));
    if (order === "newest") found.reverse();
    return found.slice(0, limit).map(withoutTouches);
  }

  async filed({ from, below, upTo }: FiledRange, limit: number): Promise<readonly FiledEntry[]> {
    const found = this.#entries
      .slice(0, upTo)
      .flatMap((entry) =>
        entry.touches
          .filter((subject) => subject >= from && subject < below)
          .map((subject) => ({ subject, entry: withoutTouches(entry) })),
      );
    found.sort((a, b) =>
      a.subject === b.subject
        ? b.entry.sequence - a.entry.sequence
        : a.subject < b.subject
          ? 1
          : -1,
    );
    return found.slice(0, limit);
  }

  async touches(first: number, last: number): Promise<readonly Touch[]> {
    const entries = this.#entries.slice(first - 1, last);
    return entries.flatMap(({ sequence, touches }) =>
      touches.map((subject) => ({ sequence, subject })),
    );
  }

  async newestCheckpoint(): Promise<string | undefined> {
    return [...this.#checkpoints.values()].at(-1)?.note;
  }

  async checkpointsAfter(size: number, limit: number): Promise<readonly Note[]> {
    return [...this.#checkpoints.values()].filter((one) => one.size > size).slice(0, limit);
  }

  async newestSnapshot(below: number): Promise<KeptSnapshot | undefined> {
    const found = [...this.#snapshots.values()].filter(({ size }) => size < below).at(-1);
    return found === undefined ? undefined : { ...found, pages: async () => found.pages };
  }

  async snapshotsAfter(size: number, limit: number): Promise<readonly Note[]> {
    return [...this.#snapshots.values()].filter((one) => one.size > size).slice(0, limit);
  }

  async entryHashes(from: number, limit: number): Promise<readonly string[]> {
    return this.#entries.slice(from - 1, from - 1 + limit).map(({ hash }) => hash);
  }

  async leafTiles(): Promise<number> {
    return [...this.#tiles.values()].filter(({ level }) => level === 0).length;
  }

  async tile({ level, index }: TilePlace): Promise<Uint8Array | undefined> {
    return this.#tiles.get(`${level}/${index}`)?.hashes;
  }

  async newestLogHead(): Promise<Note | undefined> {
    return [...this.#logHeads.values()].at(-1);
  }

  async newestCosignedHead(): Promise<Note | undefined> {
    return [...this.#logHeads.values()].findLast(({ note }) => isCosigned(note));
  }

  async logHead(size: number): Promise<Note | undefined> {
    return this.#logHeads.get(size);
  }

  async logHeadsAfter(size: number, limit: number): Promise<readonly Note[]> {
    return [...this.#logHeads.values()].filter((one) => one.size > size).slice(0, limit);
  }

  #page({ digest, bytes }: SealedPage): SnapshotPage {
    if (bytes !== undefined) return { digest, bytes };
    const kept = [...this.#snapshots.values()].flatMap(({ pages }) => pages);
    const found = kept.findLast((page) => page.digest === digest);
    if (found === undefined) throw new Error(`its page ${digest} is no longer stored`);
    return found;
  }

  #head(): Head {
    const last = this.#entries.at(-1);
    return last === undefined ? noEntries : { size: last.sequence, hash: last.hash };
  }

  #link(entry: Row): LinkedEntry {
    const previousHash = this.#entries[entry.sequence - 2]?.hash ?? noEntries.hash;
    return { ...withoutTouches(entry), previousHash };
  }

  #matching(filter: EntryFilter, after: number, upTo: number): Row[] {
    return this.#entries.slice(after, upTo).filter((entry) => matches(entry, filter));
  }
}
