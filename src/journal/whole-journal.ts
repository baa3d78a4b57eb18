// The journal as one: its archived beginning, and what the database still has.
// Invariant: an entry that moves into the archive while somebody reads is read once, from one of
// the two: a read that the move overtook is made again.
import type { ObjectStore } from "#storage/object-folder.ts";
import { JournalArchive } from "./archive.ts";
import { ArchivedEntries } from "./archived-entries.ts";
import { noEntries } from "./chain.ts";
import { LabelCounts, withoutTouches } from "./entry-filter.ts";
import {
  type EntryFilter,
  type FiledEntry,
  type FiledRange,
  type Glimpse,
  type Journal,
  type KeptSnapshot,
  type LabelCount,
  type Lead,
  type LinkedEntry,
  type Note,
  SLICE_BYTES,
  type StoredEntry,
  type TouchRange,
} from "./journal.ts";
import type { TilePlace } from "./log-tree.ts";
import type { PostgresJournal } from "./postgres.ts";
import type { Touch } from "./touches.ts";

/** `store`: of the archive; undefined where this node has none. */
export const wholeJournal = (
  database: PostgresJournal,
  store: ObjectStore | undefined,
): WholeJournal => new WholeJournal(database, new JournalArchive(store));

export class WholeJournal implements Journal {
  readonly #database: PostgresJournal;
  readonly #archive: JournalArchive;
  #archived: ArchivedEntries;

  /** Without an archive each read of an archived entry fails, and says which object it needs. */
  constructor(database: PostgresJournal, archive: JournalArchive) {
    this.#database = database;
    this.#archive = archive;
    this.#archived = new ArchivedEntries(archive, []);
  }

  lead(onLost: (reason: Error) => void, whileTaken?: () => Promise<void>): Promise<Lead> {
    return this.#database.lead(onLost, whileTaken);
  }

  async read(from: number, limit: number): Promise<readonly StoredEntry[]> {
    const found: StoredEntry[] = [];
    while (found.length < limit) {
      const next = from + found.length;
      if (next > 1 && next <= this.#archived.last) {
        const rows = await this.#archived.read(next, limit - found.length);
        found.push(...rows.map(withoutTouches));
        continue;
      }
      const rows = await this.#database.read(next, limit - found.length);
      const gap = rows.findIndex(({ sequence }, at) => sequence !== next + at);
      if (gap === -1) {
        found.push(...rows);
        // Short of what was asked it is the end, unless all of it has moved into the archive.
        if (found.length === limit || rows.length > 0 || !(await this.#hasMoved(next))) break;
        continue;
      }
      found.push(...rows.slice(0, gap));
      if (await this.#hasMoved(next + gap)) continue;
      // Nobody archived what is not there: a reader of the chain says where it breaks.
      found.push(...rows.slice(gap));
      break;
    }
    return found;
  }

  async glimpse(sequence: number): Promise<Glimpse> {
    const seen = await this.#database.glimpse(sequence);
    if (seen.hash !== undefined || sequence < 2 || sequence > seen.newest) return seen;
    const [entry] = await this.read(sequence, 1);
    return { ...seen, hash: entry?.sequence === sequence ? entry.hash : undefined };
  }

  newest(
    filter: EntryFilter,
    upTo: number,
    limit: number,
    offset: number,
  ): Promise<readonly LinkedEntry[]> {
    return this.#settled(async ({ last }) => {
      if (last === 0) return this.#database.newest(filter, upTo, limit, offset);
      const { after = 0 } = filter;
      const wanted = offset + limit;
      const recent = { ...filter, after: Math.max(after, last) };
      const found = [...(await this.#database.newest(recent, upTo, wanted, 0))];
      const stretch = { after, before: Math.min(upTo, last) + 1, order: "newest" } as const;
      if (found.length < wanted && after < last) {
        for await (const entry of this.#archived.matching(filter, stretch)) {
          found.push(entry);
          if (found.length === wanted) break;
        }
      }
      if (found.length < wanted && after === 0) {
        found.push(...(await this.#database.newest(filter, Math.min(upTo, 1), 1, 0)));
      }
      return this.#linked(found.slice(offset));
    });
  }

  oldest(
    filter: EntryFilter,
    after: number,
    upTo: number,
    limit: number,
  ): Promise<readonly LinkedEntry[]> {
    return this.#settled(async ({ last }) => {
      if (after >= last)
        return this.#linked(await this.#database.oldest(filter, after, upTo, limit));
      const first = Math.min(upTo, 1);
      const found = after > 0 ? [] : [...(await this.#database.oldest(filter, 0, first, 1))];
      const stretch = { after, before: Math.min(upTo, last) + 1, order: "oldest" } as const;
      let bytes = 0;
      for await (const entry of this.#archived.matching(filter, stretch)) {
        found.push(entry);
        bytes += entry.bytes.length;
        if (found.length === limit || bytes > SLICE_BYTES) return found;
      }
      if (upTo <= last || found.length === limit) return found;
      const left = limit - found.length;
      return this.#linked([...found, ...(await this.#database.oldest(filter, last, upTo, left))]);
    });
  }

  counts(filter: EntryFilter, upTo: number): Promise<readonly LabelCount[]> {
    return this.#settled(async ({ last }) => {
      if (last === 0) return this.#database.counts(filter, upTo);
      const counts = new LabelCounts();
      const { after = 0, ...labels } = filter;
      const parts = [
        after === 0 ? await this.#database.counts(labels, Math.min(upTo, 1)) : [],
        await this.#archived.counts(filter, upTo),
        upTo <= last ? [] : await this.#database.counts(labels, upTo, last),
      ];
      for (const count of parts.flat()) counts.add(count);
      return counts.all();
    });
  }

  touching(range: TouchRange, limit: number): Promise<readonly StoredEntry[]> {
    return this.#settled(async ({ last }) => {
      const { after, before, order } = range;
      if (after >= last) return this.#database.touching(range, limit);
      const found: StoredEntry[] = [];
      const inDatabase = async (least: number, most: number) => {
        const [from, to] = [Math.max(after, least), Math.min(before, most)];
        if (found.length === limit || to - from < 2) return;
        const own = { ...range, after: from, before: to };
        found.push(...(await this.#database.touching(own, limit - found.length)));
      };
      const ends = [
        () => inDatabase(0, 2),
        async () => {
          const own = { ...range, after: Math.max(after, 1), before: Math.min(before, last + 1) };
          if (found.length === limit) return;
          for await (const row of this.#archived.touching(own)) {
            found.push(withoutTouches(row));
            if (found.length === limit) break;
          }
        },
        () => inDatabase(last, before),
      ];
      for (const end of order === "oldest" ? ends : ends.toReversed()) await end();
      return found;
    });
  }

  filed(range: FiledRange, limit: number): Promise<readonly FiledEntry[]> {
    return this.#settled(async ({ last }) => {
      const recent = await this.#database.filed(range, limit);
      if (last === 0) return recent;
      const older = await this.#archived.filed(range, limit);
      const own = recent.filter(({ entry: { sequence } }) => sequence === 1 || sequence > last);
      return [...own, ...older].sort(lastFirst).slice(0, limit);
    });
  }

  touches(first: number, last: number): Promise<readonly Touch[]> {
    return this.#settled(async (archived) => {
      if (first > archived.last) return this.#database.touches(first, last);
      const genesis = first > 1 ? [] : await this.#database.touches(1, Math.min(last, 1));
      const from = Math.max(first, 2);
      const rows = await archived.read(from, Math.min(last, archived.last) - from + 1);
      const older = rows.flatMap(({ sequence, touches }) =>
        touches.map((subject) => ({ sequence, subject })),
      );
      const newer =
        last <= archived.last ? [] : await this.#database.touches(archived.last + 1, last);
      return [...genesis, ...older, ...newer];
    });
  }

  entryHashes(from: number, limit: number): Promise<readonly string[]> {
    return this.#settled(async ({ last }) => {
      if (from > last) return this.#database.entryHashes(from, limit);
      return (await this.read(from, limit)).map(({ hash }) => hash);
    });
  }

  newestCheckpoint = (): Promise<string | undefined> => this.#database.newestCheckpoint();
  checkpointsAfter = (size: number, limit: number): Promise<readonly Note[]> =>
    this.#database.checkpointsAfter(size, limit);
  newestSnapshot = (below: number): Promise<KeptSnapshot | undefined> =>
    this.#database.newestSnapshot(below);
  snapshotsAfter = (size: number, limit: number): Promise<readonly Note[]> =>
    this.#database.snapshotsAfter(size, limit);
  leafTiles = (): Promise<number> => this.#database.leafTiles();
  tile = (place: TilePlace): Promise<Uint8Array | undefined> => this.#database.tile(place);
  newestLogHead = (): Promise<Note | undefined> => this.#database.newestLogHead();
  logHead = (size: number): Promise<Note | undefined> => this.#database.logHead(size);
  newestCosignedHead = (): Promise<Note | undefined> => this.#database.newestCosignedHead();
  logHeadsAfter = (size: number, limit: number): Promise<readonly Note[]> =>
    this.#database.logHeadsAfter(size, limit);
  archivedUpTo = (): Promise<number> => this.#database.archivedUpTo();
  exists = (): Promise<boolean> => this.#database.exists();
  close = (): Promise<void> => this.#database.close();

  /** The signed notes that lie with the archives, by the partition's last entry. */
  async *archivedNotes(kind: "checkpoint" | "logCheckpoint"): AsyncGenerator<string> {
    for (const part of await this.#database.archivedParts()) {
      yield (await this.#archive.manifest(part))[kind];
    }
  }

  /** The answer of an `ask` during which nothing moved into the archive. */
  async #settled<T>(ask: (archived: ArchivedEntries) => Promise<T>): Promise<T> {
    for (;;) {
      const before = await this.#look();
      const answer = await ask(before);
      if ((await this.#look()) === before) return answer;
    }
  }

  /** The archived beginning as the database has noted it by now: another one where it has grown. */
  async #look(): Promise<ArchivedEntries> {
    if ((await this.#database.archivedUpTo()) !== this.#archived.last) {
      this.#archived = new ArchivedEntries(this.#archive, await this.#database.archivedParts());
    }
    return this.#archived;
  }

  async #hasMoved(sequence: number): Promise<boolean> {
    return sequence > 1 && sequence <= (await this.#look()).last;
  }

  /** The entry before one may have left the database. */
  async #linked(entries: readonly LinkedEntry[]): Promise<readonly LinkedEntry[]> {
    const linked: LinkedEntry[] = [];
    for (const entry of entries) {
      const isLost = entry.sequence > 1 && entry.previousHash === noEntries.hash;
      const [before] = isLost ? await this.read(entry.sequence - 1, 1) : [];
      linked.push(before === undefined ? entry : { ...entry, previousHash: before.hash });
    }
    return linked;
  }
}

const lastFirst = (a: FiledEntry, b: FiledEntry): number =>
  a.subject === b.subject ? b.entry.sequence - a.entry.sequence : a.subject < b.subject ? 1 : -1;
