// The journal in partitions: an append beside one to a single table, and what archiving a partition
// takes in bytes and time, and costs those who append meanwhile.
// Invariant: both tables take the same entries in turns; entries have the ids of real requests.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { apply } from "#core/apply.ts";
import { isRejected } from "#core/outcome.ts";
import { State } from "#core/state.ts";
import { manifestName, readManifest } from "#journal/archive-manifest.ts";
import { noEntries } from "#journal/chain.ts";
import type { Head, Lead, SealedEntry } from "#journal/journal.ts";
import { archiveOld } from "#journal/move-partitions.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { seal } from "#journal/seal.ts";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { ObjectFolder } from "#storage/object-folder.ts";
import { World } from "#test/core/world.ts";
import { drawn } from "./core.ts";
import { digits, type Figure, quantile, type Scope, times } from "./figure.ts";

const ORDERS = 60_000;
const BATCH = 64;
/** Of entries, so that most of them are moved. */
const PARTITION = 16_384;
const A_YEAR_AT_50 = 50 * 86_400 * 365;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const ignore = (): void => undefined;

export async function archive(scope: Scope): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-bench-"));
  const server = await startEmbedded({ dataDir: folder });
  scope.after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const entries = sealed();
  const parts = await database(server.connection, "parts", false);
  const single = await database(server.connection, "single", true);
  const [leadParts, leadSingle] = [await lead(scope, parts), await lead(scope, single)];
  const took: { readonly ours: number; readonly plain: number }[] = [];
  const half = Math.floor(entries.length / 2 / BATCH) * BATCH;
  for (let at = 0; at < half; at += BATCH) {
    const batch = entries.slice(at, at + BATCH);
    const plain = await timed(() => leadSingle.append(batch));
    took.push({ ours: await timed(() => leadParts.append(batch)), plain });
  }
  const [ours, plain] = [took.map((one) => one.ours), took.map((one) => one.plain)];
  const compared = [0.5, 0.99].map((share): Figure => {
    const [a, b] = [quantile(ours, share), quantile(plain, share)];
    return {
      what: `append of ${BATCH}, p${share * 100}`,
      value: `${digits(a)} ms`,
      against: `one table: ${digits(b)} ms`,
      ratio: times(a / b),
    };
  });
  return [...compared, ...(await moved(parts, folder, leadParts, entries.slice(half), ours))];
}

const timed = async (work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

/** The partitions that are full, while appends go on. */
async function moved(
  connection: Connection,
  folder: string,
  leading: Lead,
  later: readonly SealedEntry[],
  before: readonly number[],
): Promise<readonly Figure[]> {
  const client = new Client(connection);
  await client.connect();
  await client.query(
    `INSERT INTO checkpoint VALUES (1000000, '');
     INSERT INTO log_checkpoint VALUES (1000000, '')`,
  );
  const { rows } = await client.query<{ bytes: string; stored: string; entries: string }>(
    `SELECT sum(length(bytes)) AS bytes, count(*) AS entries,
       pg_total_relation_size('journal_2') + pg_total_relation_size('journal_touch_2') AS stored
     FROM journal_2`,
  );
  const count = Number(rows[0]?.entries);
  const store = new ObjectFolder(join(folder, "archive"));
  const during: number[] = [];
  let isMoving = true;
  const started = performance.now();
  const moving = archiveOld({ ...connection }, { store, olderThanMillis: 0, log: ignore }).finally(
    () => {
      isMoving = false;
    },
  );
  for (let at = 0; isMoving && at < later.length; at += BATCH) {
    during.push(await timed(() => leading.append(later.slice(at, at + BATCH))));
  }
  const parts = await moving;
  const millis = performance.now() - started;
  const [part] = parts;
  const bytes = part === undefined ? undefined : await store.get(manifestName(part));
  if (bytes === undefined) throw new Error("nothing was moved");
  const { entries, terms } = readManifest(bytes);
  await client.end();
  const stored = Number(rows[0]?.stored) / count;
  const objects = { entries: total(entries) / count, terms: total(terms) / count };
  const sizes = { ...objects, stored, bytes: Number(rows[0]?.bytes) / count };
  return [
    ...sizeFigures(sizes),
    {
      what: `moving ${parts.length} partitions of ${digits(PARTITION)}`,
      value: `${digits((parts.length * PARTITION) / (millis / 1_000))} entries a second`,
      against: `so 4,194,304 take ${digits((69.905 * millis) / (parts.length * PARTITION))} min`,
      ratio: "",
    },
    ...[0.5, 0.99, 1].map(
      (share): Figure => ({
        what: `append of ${BATCH} meanwhile, p${share * 100}`,
        value: `${digits(quantile(during, share))} ms`,
        against: `before: ${digits(quantile(before, share))} ms`,
        ratio: times(quantile(during, share) / quantile(before, share)),
      }),
    ),
  ];
}

const total = (objects: readonly { readonly bytes: number }[]): number =>
  objects.reduce((sum, one) => sum + one.bytes, 0);

/** Bytes of an entry. */
interface Sizes {
  readonly entries: number;
  readonly terms: number;
  /** In the database, with its indexes. */
  readonly stored: number;
  readonly bytes: number;
}

function sizeFigures({ entries, terms, stored, bytes }: Sizes): readonly Figure[] {
  const each = entries + terms;
  const inYear = (of: number): string => `${digits((of * A_YEAR_AT_50) / 1e12)} TB`;
  return [
    {
      what: "bytes of an entry in the archive",
      value: `${digits(entries)} and ${digits(terms)} of terms`,
      against: `its bytes: ${digits(bytes)}; in the database: ${digits(stored)}`,
      ratio: times(stored / each),
    },
    {
      what: "a year of 50 orders a second",
      value: inYear(each),
      against: `in the database: ${inYear(stored)}`,
      ratio: times(each / stored),
    },
  ];
}

async function lead(scope: Scope, connection: Connection): Promise<Lead> {
  const journal = new PostgresJournal({ ...connection });
  const taken = await journal.lead(ignore);
  scope.after(async () => {
    await taken.release();
    await journal.close();
  });
  return taken;
}

/** `single`: its tables are as they were before there were partitions. */
async function database(owner: Connection, name: string, single: boolean): Promise<Connection> {
  const admin = new Client(owner);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const client = new Client({ ...owner, database: name });
  await client.connect();
  await migrate(client);
  await client.query("UPDATE journal_layout SET entries = $1", [single ? 10_000_000 : PARTITION]);
  if (single) {
    await client.query(
      `SELECT journal_extend();
       CREATE TABLE plain (LIKE journal INCLUDING ALL);
       CREATE TABLE plain_touch (LIKE journal_touch INCLUDING ALL);
       DROP TABLE journal, journal_touch;
       ALTER TABLE plain RENAME TO journal;
       ALTER TABLE plain_touch RENAME TO journal_touch`,
    );
  }
  await client.end();
  return { ...owner, database: name };
}

function sealed(): readonly SealedEntry[] {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const traders = Array.from({ length: 8 }, (_, at) => world.trader(`t${at}`, "1000000"));
  const listings = Array.from({ length: 4 }, (_, at) => world.listing(`2025-0${at + 1}`, layer));
  const state = new State();
  let head: Head = noEntries;
  const taken: SealedEntry[] = [];
  const take = (envelope: (typeof world.journal)[number]["envelope"]): void => {
    const outcome = apply(state, envelope, head.size + 1);
    if (isRejected(outcome)) return;
    const entry = seal(head, { sequence: head.size + 1, envelope, outcome }, state);
    head = { size: entry.sequence, hash: entry.hash };
    taken.push(entry);
  };
  for (const { envelope } of world.journal) take(envelope);
  for (const bare of drawn(world, traders, listings, ORDERS)) {
    const { command } = bare;
    const isKnown = command.type === "PlaceOrder" && state.markets.has(command.order.marketId);
    take({
      ...bare,
      requestId: randomUUID(),
      idempotency: { key: randomUUID(), digest: randomBytes(32).toString("hex") },
      command: isKnown ? { ...command, listing: null } : command,
    });
  }
  return taken;
}
