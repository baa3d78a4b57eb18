// Writes a partition of the journal into the archive, and reads it back.
// Invariant: the manifest is written last; what was read back is what the database has, row by row.
import { isDeepStrictEqual } from "node:util";
import type { ClientBase } from "pg";
import { messageOf } from "#base/message-of.ts";
import type { ObjectStore } from "#storage/object-folder.ts";
import { type ArchivedPart, JournalArchive } from "./archive.ts";
import { encodeEntries, encodeTerms, type TermRun } from "./archive-block.ts";
import {
  blockName,
  digestOf,
  type Manifest,
  manifestBytes,
  manifestName,
  manifestOf,
  type ObjectDigest,
  type TermObject,
} from "./archive-manifest.ts";
import { ChainBreak, follow } from "./chain.ts";
import { type FiledRow, LabelCounts } from "./entry-filter.ts";
import type { Head, JournalReader } from "./journal.ts";
import { LabelTerms, rowsOf, touchTerms } from "./partition-rows.ts";

const BLOCK_ENTRIES = 4_096;
const BLOCK_BYTES = 4_194_304;
const BLOCK_TERMS = 32_768;

export interface PartitionSource {
  readonly first: number;
  readonly last: number;
  /** Of the entry before the first. */
  readonly previousHash: string;
  readonly journal: Pick<JournalReader, "read" | "touches">;
  readonly client: ClientBase;
}

/** The digest of the manifest. @throws ChainBreak where the entries are not as they were sealed */
export async function writePart(
  store: ObjectStore,
  source: PartitionSource,
  notes: Pick<Manifest, "checkpoint" | "logCheckpoint">,
): Promise<string> {
  const { first, last, previousHash } = source;
  const labels = new LabelTerms();
  const counts = new LabelCounts();
  const entries: Manifest["entries"][number][] = [];
  let head: Head = { size: first - 1, hash: previousHash };
  let rows: FiledRow[] = [];
  let bytes = 0;
  const cut = async (before: string): Promise<void> => {
    const [from, to] = [rows[0]?.sequence ?? 0, rows.at(-1)?.sequence ?? 0];
    const packed = await encodeEntries({ previousHash: before, rows });
    const object = await putObject(store, blockName(source, "entries", entries.length), packed);
    entries.push({ ...object, first: from, last: to });
    [rows, bytes] = [[], 0];
  };
  let before = previousHash;
  for await (const row of rowsOf(source.journal, source)) {
    head = follow(head, row);
    labels.add(row);
    counts.addEntry(row);
    rows.push(row);
    bytes += row.bytes.length;
    if (rows.length < BLOCK_ENTRIES && bytes < BLOCK_BYTES) continue;
    await cut(before);
    before = head.hash;
  }
  if (head.size !== last) throw new ChainBreak(head.size + 1, "it is missing");
  if (rows.length > 0) await cut(before);
  const terms = await writeTerms(store, source, labels);
  const manifest = manifestBytes(
    manifestOf({
      ...{ first, last, previousHash, hash: head.hash, ...notes },
      ...{ counts: counts.all(), entries, terms },
    }),
  );
  // If we stop before this, nothing speaks of what was written: the next pass writes it again.
  const { sha256 } = await putObject(store, manifestName(source), manifest);
  return sha256;
}

async function writeTerms(
  store: ObjectStore,
  source: PartitionSource,
  labels: LabelTerms,
): Promise<readonly TermObject[]> {
  const objects: TermObject[] = [];
  let runs: { readonly term: string; readonly sequences: number[] }[] = [];
  let size = 0;
  const cut = async (): Promise<void> => {
    const place = { term: runs[0]?.term ?? "", sequence: runs[0]?.sequences[0] ?? 0 };
    const packed = await encodeTerms(runs satisfies readonly TermRun[]);
    const name = blockName(source, "terms", objects.length);
    objects.push({ ...(await putObject(store, name, packed)), ...place });
    [runs, size] = [[], 0];
  };
  for await (const [term, sequence] of termRows(source, labels)) {
    const run = runs.at(-1);
    if (run?.term === term) run.sequences.push(sequence);
    else runs.push({ term, sequences: [sequence] });
    size += 1;
    if (size === BLOCK_TERMS) await cut();
  }
  if (size > 0) await cut();
  return objects;
}

async function* termRows(
  { client, first, last }: PartitionSource,
  labels: LabelTerms,
): AsyncGenerator<readonly [string, number]> {
  yield* labels.rows();
  yield* touchTerms(client, { first, last });
}

/** @throws ArchiveFault or an Error where the archive is not what the database has */
export async function readBack(
  store: ObjectStore,
  part: ArchivedPart,
  source: PartitionSource,
): Promise<void> {
  const archive = new JournalArchive(store);
  const { hash } = await archive.manifest(part);
  const labels = new LabelTerms();
  let head: Head = { size: part.first - 1, hash: source.previousHash };
  for await (const row of rowsOf(source.journal, part)) {
    const { rows } = await archive.block(part, row.sequence);
    const kept = rows[row.sequence - (rows[0]?.sequence ?? 0)];
    if (kept === undefined || !isSame(kept, row)) throw notSame(part, `entry ${row.sequence}`);
    head = follow(head, kept);
    labels.add(row);
  }
  if (head.size !== part.last || head.hash !== hash) throw notSame(part, "its last entry");
  const kept = archive.terms(part);
  for await (const [term, sequence] of termRows(source, labels)) {
    const { value } = await kept.next();
    if (!isDeepStrictEqual(value, [term, sequence])) throw notSame(part, `the term ${term}`);
  }
  if ((await kept.next()).done !== true) throw notSame(part, "a term more");
}

const isSame = ({ bytes, ...kept }: FiledRow, { bytes: stored, ...row }: FiledRow): boolean =>
  Buffer.compare(bytes, stored) === 0 && isDeepStrictEqual(kept, row);

const notSame = ({ first, last }: ArchivedPart, what: string): Error =>
  new Error(
    `The archive of entries ${first} to ${last} differs from the database in ${what}: ` +
      "the partition stays where it is.",
  );

export async function putObject(
  store: ObjectStore,
  name: string,
  bytes: Uint8Array,
): Promise<ObjectDigest> {
  try {
    await store.put(name, bytes);
  } catch (cause) {
    throw new Error(
      `${name} cannot be written into the archive ${store.place}: ${messageOf(cause)}. ` +
        "The partition stays in the database; a later run goes on.",
      { cause },
    );
  }
  return { name, sha256: digestOf(bytes), bytes: bytes.length };
}
