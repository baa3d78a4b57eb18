// A node of this version beside a leader of an older one: it makes the tables that it is to read.
// Invariant tested: the older leader's statements go on, and none waits long for the change.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { Client, type ClientConfig } from "pg";
import { LeadershipTaken } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { prepareDatabase } from "#journal/prepare-database.ts";
import { migrate } from "#storage/migrate.ts";
import { withClient } from "#storage/with-client.ts";
import { createDatabase } from "#test/support/database.ts";

/** The schema of the version before raw files, partitions and pages of snapshots. */
const OLDER_STEP = 11;
const APPEND = "INSERT INTO journal VALUES ($1, '', sha256(''), 0, '', '', '', NULL, '')";

async function stepOf(config: ClientConfig): Promise<number> {
  const sql = "SELECT max(number) AS step FROM schema_step";
  return withClient(config, async (client) => (await client.query(sql)).rows[0]?.step);
}

async function newestStep(): Promise<number> {
  const files = await readdir(new URL("../../src/storage/sql/", import.meta.url));
  return Math.max(...files.map((name) => Number(name.slice(0, 6))));
}

test("tables of a newer version are made while an older one leads", async (t) => {
  const config = await createDatabase(t);
  const older = new Client(config);
  await older.connect();
  t.after(() => older.end());
  await migrate(older, undefined, OLDER_STEP);
  await older.query("SELECT pg_advisory_lock(hashtextextended('firstprint/leader', 0))");
  await older.query({ name: "append", text: APPEND, values: [1] });
  const journal = new PostgresJournal(config);
  t.after(() => journal.close());

  const reader = new Client(config);
  await reader.connect();
  await reader.query("BEGIN; SELECT FROM journal");
  await assert.rejects(
    journal.lead(() => undefined),
    LeadershipTaken,
  );
  assert.equal(await stepOf(config), OLDER_STEP, "a reader is not waited for");
  await older.query({ name: "append", text: APPEND, values: [2] });
  await reader.end();

  await assert.rejects(
    journal.lead(() => undefined),
    LeadershipTaken,
  );
  assert.equal(await stepOf(config), await newestStep());
  await older.query({ name: "append", text: APPEND, values: [3] });
  assert.equal((await journal.read(1, 10)).length, 3);
});

test("the owner prepares a newer schema while an older version leads", async (t) => {
  const config = await createDatabase(t);
  const older = new Client(config);
  await older.connect();
  t.after(() => older.end());
  await migrate(older, undefined, OLDER_STEP);
  await older.query("CREATE ROLE beneath_a_leader LOGIN");
  t.after(async () => {
    await withClient(config, (client) => client.query("DROP OWNED BY beneath_a_leader"));
    await withClient(config, (client) => client.query("DROP ROLE beneath_a_leader"));
  });
  await older.query("SELECT pg_advisory_lock(hashtextextended('firstprint/leader', 0))");
  await older.query("UPDATE drawn SET rules = 3");
  await prepareDatabase(config, "beneath_a_leader");
  assert.equal(await stepOf(config), await newestStep());
  const { rows } = await older.query(
    "SELECT has_table_privilege('beneath_a_leader', 'snapshot_page', 'INSERT') AS may",
  );
  assert.equal(rows[0]?.may, true);
});
