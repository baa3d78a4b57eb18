// Every table of the exchange's database as text, a line each row, and back.
// Invariant: all rows read are of one moment, and a database has all that were loaded or none.
import type { Client, ClientConfig } from "pg";
import { migrate } from "#storage/migrate.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { withClient } from "#storage/with-client.ts";

/** Rows go through memory in batches of about so much text. */
const BATCH_CHARACTERS = 4 * 2 ** 20;
const MOST_ROWS = 5_000;

/** Filled by the schema's files themselves. */
const STEPS = "schema_step";

/** Entries that are noted as archived may still be stored for a moment: the archive has them. */
const NOT_ARCHIVED = `sequence = 1 OR sequence >
  (SELECT coalesce(max(last), 0) FROM journal_part WHERE manifest IS NOT NULL)`;

interface LastEntry {
  readonly sequence: number;
  readonly hash: string;
  readonly timeMillis: number;
}

/** The database of one moment, however long it takes to read. */
interface DatabaseMoment {
  /** The number of the schema's newest step. */
  readonly step: number;
  readonly last: LastEntry | undefined;
  readonly tables: readonly string[];
  rowsOf(table: string): AsyncIterable<string>;
}

export const atOneMoment = <T>(
  config: ClientConfig,
  work: (moment: DatabaseMoment) => Promise<T>,
): Promise<T> =>
  withClient(config, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // Before the first row is read: a partition dropped after that would be missing from the rows.
    await client.query("LOCK TABLE journal, journal_touch IN ACCESS SHARE MODE");
    const step = await newestStep(client);
    const last = await lastEntry(client);
    const tables = await tableNames(client);
    return work({ step, last, tables, rowsOf: (table) => rowsOf(client, table) });
  });

async function newestStep(client: Client): Promise<number> {
  const { rows } = await client.query<{ step: number }>(`SELECT max(number) AS step FROM ${STEPS}`);
  return rows[0]?.step ?? 0;
}

async function lastEntry(client: Client): Promise<LastEntry | undefined> {
  const { rows } = await client.query<{ sequence: string; hash: string; time: string }>(
    `SELECT sequence, encode(hash, 'hex') AS hash, time_millis AS time
     FROM journal ORDER BY sequence DESC LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { sequence: Number(row.sequence), hash: row.hash, timeMillis: Number(row.time) };
}

/**
 * In an order in which one that refers to another comes after it; those in partitions are last, for
 * a plain one says which partitions there are. A partition is its table's, and one
 * that was detached has gone into the archive.
 */
async function tableNames(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname <> '${STEPS}'
       AND relname !~ '^journal(_touch)?_[0-9]+$'
     ORDER BY relkind DESC, relname COLLATE "C"`,
  );
  return rows.map(({ name }) => name);
}

async function* rowsOf(client: Client, table: string): AsyncGenerator<string> {
  const from = client.escapeIdentifier(table);
  const stored = /^journal(_touch)?$/.test(table) ? `WHERE ${NOT_ARCHIVED}` : "";
  await client.query(
    `DECLARE dumped NO SCROLL CURSOR FOR SELECT t::text AS row FROM ${from} AS t ${stored}`,
  );
  for (let most = 1; ; ) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${most} FROM dumped`);
    if (rows.length === 0) break;
    const characters = rows.reduce((sum, { row }) => sum + row.length, 0);
    for (const { row } of rows) yield row;
    const fitting = Math.floor((rows.length * BATCH_CHARACTERS) / characters);
    most = Math.max(1, Math.min(fitting, 4 * most, MOST_ROWS));
  }
  await client.query("CLOSE dumped");
}

/** Each that was stored where the backup was made; the schema made the first. */
const makePartitions = `
  SELECT journal_attach(first, last) FROM journal_part WHERE first > 1 AND manifest IS NULL`;

interface Dumped {
  readonly table: string;
  readonly rows: AsyncIterable<string>;
}

/**
 * Fills a database that no exchange was founded in, as its owner, at the schema's step `step`.
 * @returns how many rows each table has
 */
export const loadTables = (
  owner: ClientConfig,
  step: number,
  dumped: readonly Dumped[],
): Promise<ReadonlyMap<string, number>> =>
  withClient(owner, async (client) => {
    await migrate(client, undefined, step);
    const known = await newestStep(client);
    if (known < step) {
      throw new StorageRefusal(
        `The backup has the database's schema at step ${step}, and this version knows ${known}: ` +
          "restore with the version that made it, or a newer one.",
      );
    }
    await client.query("BEGIN");
    await client.query("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE");
    const { rowCount } = await client.query("SELECT FROM journal LIMIT 1");
    if (rowCount !== 0) {
      throw new StorageRefusal(
        "The database has a journal already: nothing was restored into it. Name an empty " +
          "database in DATABASE_URL, or none, to restore into a server of the new folder's own.",
      );
    }
    const names = dumped.map(({ table }) => client.escapeIdentifier(table));
    await client.query(`TRUNCATE ${names.join(", ")}`);
    const counts = new Map<string, number>();
    for (const { table, rows } of dumped) {
      counts.set(table, await load(client, table, rows));
      if (table === "journal_part") await client.query(makePartitions);
    }
    await client.query("COMMIT");
    await client.query("ANALYZE");
    return counts;
  });

async function load(client: Client, table: string, rows: AsyncIterable<string>): Promise<number> {
  const into = client.escapeIdentifier(table);
  const sql = `INSERT INTO ${into} SELECT * FROM unnest($1::${into}[])`;
  let [count, characters] = [0, 0];
  let batch: string[] = [];
  const insert = async (): Promise<void> => {
    if (batch.length > 0) await client.query(sql, [batch]);
    [batch, characters] = [[], 0];
  };
  for await (const row of rows) {
    batch.push(row);
    count += 1;
    characters += row.length;
    if (characters >= BATCH_CHARACTERS) await insert();
  }
  await insert();
  return count;
}
