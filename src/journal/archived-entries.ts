// Reads of the archived beginning of the journal, partition by partition.
// Invariant: an entry is read where the database has noted its archive, and nowhere else.
import { invariant } from "#base/invariant.ts";
import type { ArchivedPart, JournalArchive, SequenceRange } from "./archive.ts";
import { termsOf, touchTerm } from "./archive-terms.ts";
import { type FiledRow, LabelCounts, matches, withoutTouches } from "./entry-filter.ts";
import type {
  EntryFilter,
  FiledEntry,
  FiledRange,
  LabelCount,
  LinkedEntry,
  TouchRange,
} from "./journal.ts";
import { intersection, union } from "./sorted-streams.ts";

export class ArchivedEntries {
  readonly #archive: JournalArchive;
  /** Rising, without a gap between them. */
  readonly #parts: readonly ArchivedPart[];

  constructor(archive: JournalArchive, parts: readonly ArchivedPart[]) {
    this.#archive = archive;
    this.#parts = parts;
  }

  /** The last archived entry; 0 where none is. */
  get last(): number {
    return this.#parts.at(-1)?.last ?? 0;
  }

  /** Ascending; at most `limit`, and none after the last archived. */
  async read(from: number, limit: number): Promise<readonly FiledRow[]> {
    const found: FiledRow[] = [];
    for (const part of this.#parts) {
      for (let next = from + found.length; next <= part.last && found.length < limit; ) {
        if (next < part.first) return found;
        const { rows } = await this.#archive.block(part, next);
        const at = next - (rows[0]?.sequence ?? next);
        found.push(...rows.slice(at, at + limit - found.length));
        next = from + found.length;
      }
    }
    return found;
  }

  /** Entries that the filter lets through, in the order of `range`. */
  async *matching(filter: EntryFilter, range: SequenceRange): AsyncGenerator<LinkedEntry> {
    const terms = termsOf(filter);
    for (const part of this.#touched(range)) {
      const rows =
        terms === undefined
          ? this.#scanned(part, range)
          : this.#rows(part, union(this.#streams(part, terms, range), range.order));
      for await (const row of rows) {
        if (matches(row, filter)) yield this.#linked(part, row);
      }
    }
  }

  async counts(filter: EntryFilter, upTo: number): Promise<readonly LabelCount[]> {
    const counts = new LabelCounts();
    const isWhole = Object.keys(filter).length === 0;
    for (const part of this.#parts) {
      if (part.first > upTo) break;
      if (isWhole && part.last <= upTo) {
        for (const count of (await this.#archive.manifest(part)).counts) counts.add(count);
        continue;
      }
      const range = { after: part.first - 1, before: upTo + 1, order: "oldest" } as const;
      const only = new ArchivedEntries(this.#archive, [part]);
      for await (const entry of only.matching(filter, range)) counts.addEntry(entry);
    }
    return counts.all();
  }

  /** Entries that touch each of the subjects. */
  async *touching({ subjects, ...range }: TouchRange): AsyncGenerator<FiledRow> {
    for (const part of this.#touched(range)) {
      const streams = this.#streams(part, subjects.map(touchTerm), range);
      yield* this.#rows(part, intersection(streams, range.order));
    }
  }

  /** As the journal's `filed` has it, of the archived entries. */
  async filed({ from, below, upTo }: FiledRange, limit: number): Promise<readonly FiledEntry[]> {
    let found: { readonly subject: string; readonly sequence: number }[] = [];
    for (const part of this.#parts.toReversed()) {
      let taken = 0;
      for await (const [term, sequence] of this.#archive.termsDown(
        part,
        touchTerm(from),
        touchTerm(below),
      )) {
        if (sequence > upTo) continue;
        found.push({ subject: term.slice(touchTerm("").length), sequence });
        taken += 1;
        if (taken === limit) break;
      }
      found = found.sort(lastFirst).slice(0, limit);
    }
    const entries: FiledEntry[] = [];
    for (const { subject, sequence } of found) {
      const [row] = await this.read(sequence, 1);
      invariant(row !== undefined, `the archive has the entry ${sequence} that it names`);
      entries.push({ subject, entry: withoutTouches(row) });
    }
    return entries;
  }

  #touched({ after, before, order }: SequenceRange): readonly ArchivedPart[] {
    const parts = this.#parts.filter(({ first, last }) => last > after && first < before);
    return order === "oldest" ? parts : parts.toReversed();
  }

  #streams(part: ArchivedPart, terms: readonly string[], range: SequenceRange) {
    return terms.map((term) => this.#archive.found(part, term, range));
  }

  async *#rows(part: ArchivedPart, sequences: AsyncIterable<number>): AsyncGenerator<FiledRow> {
    for await (const sequence of sequences) {
      const { rows } = await this.#archive.block(part, sequence);
      const row = rows[sequence - (rows[0]?.sequence ?? sequence)];
      if (row !== undefined) yield row;
    }
  }

  /** Every entry of the range, block by block. */
  async *#scanned(part: ArchivedPart, range: SequenceRange): AsyncGenerator<FiledRow> {
    const { after, before, order } = range;
    const { entries } = await this.#archive.manifest(part);
    const objects = entries.filter(({ first, last }) => last > after && first < before);
    for (const { first } of order === "oldest" ? objects : objects.toReversed()) {
      const { rows } = await this.#archive.block(part, first);
      const inside = rows.filter(({ sequence }) => sequence > after && sequence < before);
      yield* order === "oldest" ? inside : inside.toReversed();
    }
  }

  /** The block is among those used last. */
  async #linked(part: ArchivedPart, row: FiledRow): Promise<LinkedEntry> {
    const { previousHash, rows } = await this.#archive.block(part, row.sequence);
    const before = rows[row.sequence - (rows[0]?.sequence ?? row.sequence) - 1];
    return { ...withoutTouches(row), previousHash: before?.hash ?? previousHash };
  }
}

interface FiledSequence {
  readonly subject: string;
  readonly sequence: number;
}

const lastFirst = (a: FiledSequence, b: FiledSequence): number =>
  a.subject === b.subject ? b.sequence - a.sequence : a.subject < b.subject ? 1 : -1;
