// Brings a database's schema up to date: numbered SQL files, each run once, all in one transaction.
// Invariant: a file that has run is never run again and never differs from what ran.
import { readdir, readFile } from "node:fs/promises";
import type { ClientBase } from "pg";
import { sha256Hex } from "#base/digest.ts";
import { StorageRefusal } from "./refusal.ts";

const LOCK = "hashtextextended('firstprint/schema', 0)";

/** A step may move much of what is stored; cut off early, it would be begun anew for ever. */
const STEP_PATIENCE_MILLIS = 3_600_000;

interface Step {
  readonly number: number;
  readonly sql: string;
  readonly sha256: string;
}

/** Runs the files of `src/storage/sql` that this database has not seen; safe under a race. */
export async function migrate(
  client: ClientBase,
  folder: URL = new URL("./sql/", import.meta.url),
): Promise<void> {
  const steps = await readSteps(folder);
  await client.query("BEGIN");
  try {
    // If we stop here or anywhere before COMMIT, the database is as it was.
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_step (
         number integer PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL)`,
    );
    const done = await client.query<{ number: number; sha256: string }>(
      "SELECT number, sha256 FROM schema_step ORDER BY number",
    );
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

async function readSteps(folder: URL): Promise<readonly Step[]> {
  const names = (await readdir(folder)).filter((name) => /^[0-9]{6}\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { number: Number(name.slice(0, 6)), sql, sha256: sha256Hex(sql) };
    }),
  );
}

function remaining(
  steps: readonly Step[],
  done: readonly { readonly number: number; readonly sha256: string }[],
): readonly Step[] {
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
