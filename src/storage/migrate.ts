// Makes a database's schema, and brings that of an older version up to date: one file that makes
// all of it, and a numbered step for each change since, all that are missing in one transaction.
// Invariant: a file that has run is never run again and never differs from what ran.
import { readdir, readFile } from "node:fs/promises";
import type { ClientBase } from "pg";
import { sha256Hex } from "#base/digest.ts";
import { StorageRefusal } from "./refusal.ts";

const LOCK = "hashtextextended('firstprint/schema', 0)";

/** A step may move much of what is stored; cut off early, it would be begun anew for ever. */
const STEP_PATIENCE_MILLIS = 3_600_000;

/** `schema.sql`, which is number 1, and the steps behind it: `000002.sql` and so on. */
const SCHEMA = new URL("./sql/", import.meta.url);

interface SchemaFile {
  readonly number: number;
  readonly sql: string;
  readonly sha256: string;
}

/**
 * Runs the files of `folder` that this database has not seen; safe under a race. `upTo`:
 * the number of the last one that is run, for rows that were stored under that schema.
 */
export async function migrate(
  client: ClientBase,
  folder: URL = SCHEMA,
  upTo = Number.POSITIVE_INFINITY,
): Promise<void> {
  const files = (await readFiles(folder)).filter(({ number }) => number <= upTo);
  await client.query("BEGIN");
  try {
    // If we stop here or anywhere before COMMIT, the database is as it was.
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    for (const { number, sql, sha256 } of remaining(files, await doneIn(client))) {
      const patient = { text: sql, query_timeout: STEP_PATIENCE_MILLIS };
      await client.query(patient);
      await client.query("INSERT INTO schema_step VALUES ($1, $2, now())", [number, sha256]);
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
  folder: URL = SCHEMA,
): Promise<void> {
  const { rows } = await client.query<{ role: string }>("SELECT current_user AS role");
  const [{ role = "" } = {}] = rows;
  if (remaining(await readFiles(folder), await doneIn(client)).length > 0) throw notPrepared(role);
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

/** None where there is no schema, or one that this role may not look at. */
async function doneIn(client: ClientBase): Promise<readonly Done[]> {
  const found = await client.query<{ readable: boolean | null }>(
    "SELECT has_table_privilege(to_regclass('schema_step'), 'SELECT') AS readable",
  );
  if (found.rows[0]?.readable !== true) return [];
  const { rows } = await client.query<Done>(
    "SELECT number, sha256 FROM schema_step ORDER BY number",
  );
  return rows;
}

async function readFiles(folder: URL): Promise<readonly SchemaFile[]> {
  const names = (await readdir(folder)).filter((name) => /^(schema|[0-9]{6})\.sql$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      const number = name === "schema.sql" ? 1 : Number.parseInt(name, 10);
      return { number, sql, sha256: sha256Hex(sql) };
    }),
  );
  return files.sort((one, other) => one.number - other.number);
}

function remaining(files: readonly SchemaFile[], done: readonly Done[]): readonly SchemaFile[] {
  for (const { number, sha256 } of done) {
    const file = files.find((one) => one.number === number);
    if (file === undefined) {
      throw new StorageRefusal(
        `The database's schema is at step ${number}, which this version does not know: ` +
          "it was made by a newer version. Start that version.",
      );
    }
    if (file.sha256 !== sha256) {
      throw new StorageRefusal(
        `Schema step ${number} ran as SHA-256 ${sha256}, but this version's file is ` +
          `${file.sha256}. Start the version that made this database.`,
      );
    }
  }
  const seen = new Set(done.map(({ number }) => number));
  return files.filter(({ number }) => !seen.has(number));
}
