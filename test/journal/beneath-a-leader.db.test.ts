// A node of a newer version beside a leader of this one: it makes the tables that it is to read.
// Invariant tested: the older leader's statements go on, and none waits long for the change.
import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Client, type ClientConfig } from "pg";
import { LeadershipTaken } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { prepareDatabase } from "#journal/prepare-database.ts";
import { RULES } from "#journal/redraw.ts";
import { migrate } from "#storage/migrate.ts";
import { withClient } from "#storage/with-client.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const APPEND = "INSERT INTO journal VALUES ($1, '', sha256(''), 0, '', '', '', NULL, '')";

/** This version's schema with a made-up step behind it, which locks the journal. */
async function newerSchema(t: TestContext): Promise<URL> {
  const folder = await temporaryFolder(t, "firstprint-schema-");
  const schema = new URL("../../src/storage/sql/schema.sql", import.meta.url);
  await copyFile(schema, join(folder, "schema.sql"));
  await writeFile(join(folder, "000002.sql"), "ALTER TABLE journal ADD COLUMN made_up text;");
  return pathToFileURL(`${folder}/`);
}

async function stepOf(config: ClientConfig): Promise<number> {
  const sql = "SELECT max(number) AS step FROM schema_step";
  return withClient(config, async (client) => (await client.query(sql)).rows[0]?.step);
}

async function lead(t: TestContext, config: ClientConfig): Promise<Client> {
  const older = new Client(config);
  await older.connect();
  t.after(() => older.end());
  await migrate(older);
  await older.query("SELECT journal_extend()");
  await older.query("SELECT pg_advisory_lock(hashtextextended('firstprint/leader', 0))");
  return older;
}

test("tables of a newer version are made while an older one leads", async (t) => {
  const config = await createDatabase(t);
  const older = await lead(t, config);
  await older.query({ name: "append", text: APPEND, values: [1] });
  const journal = new PostgresJournal(config, 0, "checked", await newerSchema(t));
  t.after(() => journal.close());

  const reader = new Client(config);
  await reader.connect();
  await reader.query("BEGIN; SELECT FROM journal");
  await assert.rejects(
    journal.lead(() => undefined),
    LeadershipTaken,
  );
  assert.equal(await stepOf(config), 1, "a reader is not waited for");
  await older.query({ name: "append", text: APPEND, values: [2] });
  await reader.end();

  await assert.rejects(
    journal.lead(() => undefined),
    LeadershipTaken,
  );
  assert.equal(await stepOf(config), 2);
  await older.query({ name: "append", text: APPEND, values: [3] });
  assert.equal((await journal.read(1, 10)).length, 3);
});

test("the owner prepares a newer schema while an older version leads", async (t) => {
  const config = await createDatabase(t);
  const older = await lead(t, config);
  await older.query("CREATE ROLE beneath_a_leader LOGIN");
  t.after(async () => {
    await withClient(config, (client) => client.query("DROP OWNED BY beneath_a_leader"));
    await withClient(config, (client) => client.query("DROP ROLE beneath_a_leader"));
  });
  await older.query("UPDATE drawn SET rules = $1", [RULES]);
  await prepareDatabase(config, "beneath_a_leader", await newerSchema(t));
  assert.equal(await stepOf(config), 2);
  const { rows } = await older.query(
    "SELECT has_table_privilege('beneath_a_leader', 'snapshot_page', 'INSERT') AS may",
  );
  assert.equal(rows[0]?.may, true);
});
