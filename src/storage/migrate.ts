// Brings a database's schema up to date: numbered SQL files, each run once, all in one transaction.
// Invariant: a file that has run is never run again and never differs from what ran.
import { readdir, readFile } from "node:fs/promises";
import type { ClientBase } from "pg";
import { sha256Hex } from "#base/digest.ts";
import { StorageRefusal } from "./refusal.ts";

const LOCK = "hashtextextended('firstprint/schema', 0)";

/** A step may move much of what is stored; cut off early, it would be begun anew for ever. */
const STEP_PATIENCE_MILLIS = 3_600_000;

interface Migration {
  readonly number: number;
  readonly sql: string;
  readonly sha256: string;
}

/**
 * Runs the files of `src/storage/sql` that this database has not seen; safe under a race. `upTo`:
 * the number of the last one that is run, for rows that were stored under that schema.
 */
export async function migrate(
  client: ClientBase,
  folder: URL = new URL("./sql/", import.meta.url),
  upTo = Number.POSITIVE_INFINITY,
): Promise<void> {
  const steps = (await readSteps(folder)).filter(({ number }) => number <= upTo);
  await client.query("BEGIN");
  try {
    // If we stop here or anywhere before COMMIT, the database is as it was.
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_step (
         number integer PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL)`,
    );
    const done = await client.query<Done>("SELECT number, sha256 FROM schema_step ORDER BY number");
    for (const step of remaining(steps, done.rows)) {
      const patient = { text: step.sql, query_timeout: STEP_PATIENCE_MILLIS };
      await client.query(patient);
      await client.query("INSERT INTO schema_step VALUES ($1, $2, now())", [
        step.number,
        step.sha256,
      ]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Whether the schema is this role's to change: it owns what is there, or may make what is not. */
export async function mayMigrate(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean | null }>(
    `SELECT coalesce(
       (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('schema_step')),
       has_schema_privilege(current_schema(), 'CREATE')) AS may`,
  );
  return rows[0]?.may === true;
}

/**
 * For a role that only serves: refuses a database that its owner has not brought up to date, or
 * whose labels of entries were drawn by rules before `drawnRules`.
 */
export async function requireSchema(
  client: ClientBase,
  drawnRules: number,
  folder: URL = new URL("./sql/", import.meta.url),
): Promise<void> {
  const { rows } = await client.query<{ role: string; readable: boolean | null }>(
    `SELECT current_user AS role,
       has_table_privilege(to_regclass('schema_step'), 'SELECT') AS readable`,
  );
  const [{ role = "", readable = null } = {}] = rows;
  const done =
    readable === true
      ? await client.query<Done>("SELECT number, sha256 FROM schema_step ORDER BY number")
      : { rows: [] };
  if (remaining(await readSteps(folder), done.rows).length > 0) throw notPrepared(role);
  const drawn = await client.query<{ rules: number }>("SELECT rules FROM drawn");
  if ((drawn.rows[0]?.rules ?? 0) < drawnRules) throw notPrepared(role);
}

const notPrepared = (role: string): StorageRefusal =>
  new StorageRefusal(
    `The database is not prepared for this version, and the role ${role} may not change it. ` +
      `Run DATABASE_URL=<that of the owner> npm run schema -- ${role}, then start again; ` +
      "docs/operating/database.md says more.",
  );

interface Done {
  readonly number: number;
  readonly sha256: string;
}

async function readSteps(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^[0-9]{6}\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { number: Number(name.slice(0, 6)), sql, sha256: sha256Hex(sql) };
    }),
  );
}

function remaining(steps: readonly Migration[], done: readonly Done[]): readonly Migration[] {
  for (const { number, sha256 } of done) {
    const step = steps.find((one) => one.number === number);
    if (step === undefined) {
      throw new StorageRefusal(
        `The database's schema is at step ${number}, which this version does not know: ` +
          "it was made by a newer version. Start that version.",
      );
    }
    if (step.sha256 !== sha256) {
      throw new StorageRefusal(
        `Schema step ${number} ran as SHA-256 ${sha256}, but this version's file is ` +
          `${step.sha256}. Start the version that made this database.`,
      );
    }
  }
  const seen = new Set(done.map(({ number }) => number));
  return steps.filter(({ number }) => !seen.has(number));
}
