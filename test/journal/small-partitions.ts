// A journal in partitions of a few entries, on a database of its own, and a place for its archive.
// Invariant: what it holds was decided by the real core and is signed as a leader signs.
import { Client } from "pg";
import { apply } from "#core/apply.ts";
import { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import { originOf, signCheckpoint } from "#journal/checkpoint.ts";
import type { Head, Lead, SealedEntry } from "#journal/journal.ts";
import { archiveOld } from "#journal/move-partitions.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { seal } from "#journal/seal.ts";
import { TransparencyLog } from "#journal/transparency-log.ts";
import { type WholeJournal, wholeJournal } from "#journal/whole-journal.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { createDatabase } from "#test/support/database.ts";
import { type ArchivePlace, inFolder } from "./archive-places.ts";

const PARTITION_ENTRIES = 64;
const COMMANDS = 500;
const BATCH = 32;

export const key = generateSigningKey();

/** A test, or a whole file of them. */
interface Scope {
  after(end: () => Promise<void>): void;
}

/** A drawn run of trading as the journal takes it. */
export function sealedTrading(
  seed: number,
  commands = COMMANDS,
): {
  readonly entries: readonly SealedEntry[];
  readonly origin: string;
} {
  const trading = new RandomTrading(seed);
  for (let at = 0; at < commands; at += 1) trading.next();
  const state = new State();
  let head: Head = noEntries;
  const entries = trading.world.journal.map(({ sequence, envelope }) => {
    const outcome = apply(state, envelope, sequence);
    const stored = seal(head, { sequence, envelope, outcome }, state);
    head = { size: sequence, hash: stored.hash };
    return stored;
  });
  return { entries, origin: originOf(state.exchange?.chainId ?? "") };
}

/** A schema whose partitions have so many entries. */
export async function smallPartitions(
  connection: Connection,
  entries = PARTITION_ENTRIES,
): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.query("UPDATE journal_layout SET entries = $1", [entries]);
  await client.end();
}

const prepare = (connection: Connection): Promise<void> => smallPartitions(connection);

/** An append fills at most one. */
export const TINY_ENTRIES = 8;

/** So many that a run through all of them takes a while. */
export const inTiny = (connection: Connection): Promise<void> =>
  smallPartitions(connection, TINY_ENTRIES);

export interface StoredTrading {
  readonly connection: Connection;
  readonly place: ArchivePlace;
  readonly database: PostgresJournal;
  readonly journal: WholeJournal;
  readonly client: Client;
}

/** The entries in a database, signed at their end and twice before; nothing is archived yet. */
export async function storedTrading(
  t: Scope,
  { entries, origin }: ReturnType<typeof sealedTrading>,
  open: (t: Scope) => Promise<ArchivePlace> = inFolder,
  prepared = prepare,
  batch = BATCH,
): Promise<StoredTrading> {
  const connection = await createDatabase(t, prepared);
  const place = await open(t);
  const database = new PostgresJournal({ ...connection });
  const journal = wholeJournal(database, place.store);
  const lead = await database.lead(() => undefined);
  for (let at = 0; at < entries.length; at += batch) {
    await lead.append(entries.slice(at, at + batch));
  }
  for (const part of [1 / 4, 1 / 2, 1]) {
    await signAt(database, lead, origin, entries[Math.floor(entries.length * part) - 1]);
  }
  await lead.release();
  const client = new Client(connection);
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.close();
  });
  return { connection, place, database, journal, client };
}

async function signAt(
  journal: PostgresJournal,
  lead: Lead,
  origin: string,
  entry: SealedEntry | undefined,
): Promise<void> {
  const head = entry === undefined ? noEntries : { size: entry.sequence, hash: entry.hash };
  await lead.keepCheckpoint(signCheckpoint(key, origin, head));
  const parts = { journal, key, file: undefined, chainOrigin: origin, log: () => undefined };
  const log = new TransparencyLog(parts);
  await log.lead(lead, head);
  await log.sign(lead, head.size);
}

/** Every partition that is full moves. */
export const archiveAll = ({ connection, place: { store } }: StoredTrading) =>
  archiveOld({ ...connection }, { store, olderThanMillis: 0, log: () => undefined });
