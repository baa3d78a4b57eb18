// Draws anew what stands beside the entries of a store that an older version wrote.
// Invariant: if we stop here, the next leader begins again: the rules are raised at the end, and
// drawing twice gives the same. Nothing of the record itself, bytes and hashes, is written.
import type { ClientBase } from "pg";
import { auditHeading } from "#core/audit.ts";
import { readEntry } from "#core/entry-bytes.ts";
import type { Entry } from "#core/outcome.ts";
import { touchesOf } from "./touches.ts";

/** Raised with what `touchesOf` or the labels of an entry say. */
export const RULES = 1;
const SLICE = 500;

interface StoredRow {
  readonly sequence: string;
  readonly bytes: Buffer;
}

/** On the connection of the new leader, before anything is appended. */
export async function redraw(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ rules: number }>("SELECT rules FROM drawn");
  if ((rows[0]?.rules ?? 0) >= RULES) return;
  let after = "0";
  for (;;) {
    const slice = await client.query<StoredRow>(
      "SELECT sequence, bytes FROM journal WHERE sequence > $1 ORDER BY sequence LIMIT $2",
      [after, SLICE],
    );
    const last = slice.rows.at(-1);
    if (last === undefined) break;
    // Entries of another version are not ours to read: recovery refuses the store, and says why.
    if (!(await drawSlice(client, slice.rows))) return;
    after = last.sequence;
  }
  await client.query("UPDATE drawn SET rules = $1", [RULES]);
}

async function drawSlice(client: ClientBase, rows: readonly StoredRow[]): Promise<boolean> {
  const sequences: string[] = [];
  const resources: string[] = [];
  const touched: string[] = [];
  const subjects: string[] = [];
  for (const { sequence, bytes } of rows) {
    const entry = entryIn(bytes);
    if (entry === undefined) return false;
    sequences.push(sequence);
    resources.push(auditHeading(entry).resource);
    for (const subject of touchesOf(entry)) {
      touched.push(sequence);
      subjects.push(subject);
    }
  }
  await client.query(
    `UPDATE journal SET resource = drawn.resource
     FROM unnest($1::bigint[], $2::text[]) AS drawn (sequence, resource)
     WHERE journal.sequence = drawn.sequence AND journal.resource IS DISTINCT FROM drawn.resource`,
    [sequences, resources],
  );
  await client.query("DELETE FROM journal_touch WHERE sequence BETWEEN $1 AND $2", [
    sequences[0],
    sequences.at(-1),
  ]);
  await client.query(
    "INSERT INTO journal_touch (sequence, subject) SELECT * FROM unnest($1::bigint[], $2::text[])",
    [touched, subjects],
  );
  return true;
}

function entryIn(bytes: Uint8Array): Entry | undefined {
  try {
    return readEntry(bytes);
  } catch {
    return undefined;
  }
}
