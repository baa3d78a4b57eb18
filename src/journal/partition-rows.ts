// A partition as the database has it, in the two orders in which an archive keeps it: its entries
// by sequence, and the terms that find them.
// Invariant: both are read by pages; of the terms only actors and accounts are held whole.
import type { ClientBase } from "pg";
import { actorTerm, concernsTerm, touchTerm } from "./archive-terms.ts";
import type { FiledRow } from "./entry-filter.ts";
import type { JournalReader } from "./journal.ts";

const PAGE_ENTRIES = 1_000;
const PAGE_TERMS = 20_000;

interface PartitionRange {
  readonly first: number;
  readonly last: number;
}

/** Ascending; short of `last` where entries are missing. */
export async function* rowsOf(
  journal: Pick<JournalReader, "read" | "touches">,
  { first, last }: PartitionRange,
): AsyncGenerator<FiledRow> {
  for (let next = first; next <= last; ) {
    const entries = await journal.read(next, Math.min(PAGE_ENTRIES, last - next + 1));
    const end = entries.at(-1)?.sequence;
    if (end === undefined) return;
    const touched = await journal.touches(next, end);
    let at = 0;
    for (const entry of entries) {
      const touches: string[] = [];
      for (; touched[at]?.sequence === entry.sequence; at += 1) {
        touches.push(touched[at]?.subject ?? "");
      }
      yield { ...entry, touches };
    }
    next = end + 1;
  }
}

/** Actors, and accounts that entries concern, gathered while their rows go by. */
export class LabelTerms {
  readonly #actors = new Map<string, number[]>();
  readonly #concerned = new Map<string, number[]>();

  add({ sequence, actor, concerns }: FiledRow): void {
    put(this.#actors, actorTerm(actor), sequence);
    if (concerns !== null) put(this.#concerned, concernsTerm(concerns), sequence);
  }

  /** Rising by term, then sequence. */
  *rows(): Generator<readonly [string, number]> {
    for (const found of [this.#actors, this.#concerned]) {
      for (const [term, sequences] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
        for (const sequence of sequences) yield [term, sequence];
      }
    }
  }
}

/** Rising by subject, then sequence. */
export async function* touchTerms(
  client: ClientBase,
  { first, last }: PartitionRange,
): AsyncGenerator<readonly [string, number]> {
  let after: readonly [string, string] = ["", "0"];
  for (;;) {
    const { rows } = await client.query<{ subject: string; sequence: string }>(
      `SELECT subject, sequence FROM journal_touch
       WHERE sequence BETWEEN $1 AND $2 AND (subject, sequence) > ($3, $4::bigint)
       ORDER BY subject, sequence LIMIT ${PAGE_TERMS}`,
      [first, last, ...after],
    );
    for (const { subject, sequence } of rows) yield [touchTerm(subject), Number(sequence)];
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE_TERMS) return;
    after = [end.subject, end.sequence];
  }
}

function put(found: Map<string, number[]>, term: string, sequence: number): void {
  const sequences = found.get(term);
  if (sequences === undefined) found.set(term, [sequence]);
  else sequences.push(sequence);
}
