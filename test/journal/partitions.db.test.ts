// Partitions of the journal: a store of before becomes the first as it lies, the leader makes the
// next ones ahead, and an append meets none that is missing.
import assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "pg";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { grantServing } from "#storage/serving-role.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { headOf, sealedEntries } from "./sealed.ts";
import { smallPartitions } from "./small-partitions.ts";

const STEP_BEFORE = 14;
const sql = new URL("../../src/storage/sql/", import.meta.url);
const ignore = (): void => undefined;

async function connect(t: TestContext, connection: Connection): Promise<Client> {
  const client = new Client(connection);
  client.on("error", ignore);
  await client.connect();
  t.after(() => client.end());
  return client;
}

async function open(t: TestContext, connection: Connection): Promise<PostgresJournal> {
  const journal = new PostgresJournal({ ...connection });
  t.after(() => journal.close());
  return journal;
}

/** The schema as it was before there were partitions. */
async function migrateToBefore(t: TestContext, client: Client): Promise<void> {
  const folder = await temporaryFolder(t, "firstprint-steps-");
  for (const name of await readdir(sql)) {
    if (Number(name.slice(0, 6)) > STEP_BEFORE) continue;
    await copyFile(new URL(name, sql), join(folder, name));
  }
  await migrate(client, pathToFileURL(`${folder}/`));
}

test("a store of before becomes the first partition, not copied, with its rights", async (t) => {
  const connection = await createDatabase(t);
  const client = await connect(t, connection);
  await migrateToBefore(t, client);
  const entries = sealedEntries(300);
  for (const entry of entries) {
    const { sequence, bytes, hash, timeMillis, action, severity, actor, concerns } = entry;
    await client.query("INSERT INTO journal VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)", [
      ...[sequence, Buffer.from(bytes), Buffer.from(hash, "hex"), timeMillis, action, severity],
      ...[actor, concerns, entry.resource],
    ]);
    for (const subject of entry.touches) {
      await client.query("INSERT INTO journal_touch VALUES ($1, $2)", [subject, sequence]);
    }
  }
  const role = "partitions_reader";
  await client.query(`DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role}`);
  await client.query(`GRANT SELECT, INSERT ON journal, journal_touch TO ${role}`);
  const fileOf = async (table: string) =>
    (await client.query("SELECT pg_relation_filenode($1::regclass) AS file", [table])).rows;
  const files = [await fileOf("journal"), await fileOf("journal_touch")];
  await migrate(client);
  assert.deepEqual([await fileOf("journal_2"), await fileOf("journal_touch_2")], files);
  const { rows } = await client.query<{ name: string; may: boolean }>(
    `SELECT name, has_table_privilege('${role}', name, 'SELECT, INSERT') AS may
     FROM unnest(ARRAY['journal', 'journal_touch', 'journal_2', 'journal_touch_2', 'journal_1'])
       AS name`,
  );
  const held = rows.filter(({ may }) => may).map(({ name }) => name);
  assert.deepEqual(held, ["journal", "journal_touch"]);
  const journal = await open(t, connection);
  const found = await verifyJournal(journal, { key: generateSigningKey() });
  assert.deepEqual([found.valid, found.size, found.reason], [true, 300, undefined]);
  const lead = await journal.lead(ignore);
  assert.deepEqual(lead.head, headOf(entries));
  await lead.append(sealedEntries(310).slice(300));
  await lead.release();
  await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test("partitions are made a whole one ahead of the head, and appends cross them", async (t) => {
  const connection = await createDatabase(t);
  await smallPartitions(connection, 8);
  const journal = await open(t, connection);
  const client = await connect(t, connection);
  const lead = await journal.lead(ignore);
  const entries = sealedEntries(120);
  const ends = async (): Promise<readonly number[]> => {
    const { rows } = await client.query("SELECT last FROM journal_part ORDER BY last");
    return rows.map(({ last }) => Number(last));
  };
  assert.deepEqual(await ends(), [1, 8]);
  for (let at = 0; at < entries.length; at += 3) {
    await lead.append(entries.slice(at, at + 3));
    assert.ok(
      (await ends()).every((end) => end <= at + 3 + 16),
      "no more than it takes",
    );
  }
  assert.deepEqual(
    (await journal.read(1, 500)).map(({ hash }) => hash),
    entries.map(({ hash }) => hash),
  );
  for (let tries = 0; tries < 100 && (await ends()).at(-1) === 120; tries += 1) await sleep(20);
  assert.deepEqual((await ends()).slice(-2), [120, 128], "before an append needs it");
  await lead.release();
});

test("an append without a place waits for one, and fails by name without", async (t) => {
  const connection = await createDatabase(t);
  await smallPartitions(connection, 8);
  const journal = await open(t, connection);
  const client = await connect(t, connection);
  const entries = sealedEntries(60);
  const lead = await journal.lead(ignore);
  await client.query("ALTER FUNCTION journal_extend() RENAME TO away");
  await lead.append(entries.slice(0, 8));
  await assert.rejects(lead.append(entries.slice(8, 9)), /journal_extend/);
  await client.query("ALTER FUNCTION away() RENAME TO journal_extend");
  await lead.append(entries.slice(8, 9));
  await assert.rejects(lead.append(entries.slice(9, 60)), /no partition for entry 60/);
  await lead.release();
  assert.equal((await journal.read(1, 100)).length, 9);
});

test("a role that only serves makes no partition but the next", async (t) => {
  const connection = await createDatabase(t);
  await smallPartitions(connection, 8);
  const client = await connect(t, connection);
  const role = "partitions_server";
  await client.query(`DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role}`);
  await grantServing(connection, role);
  await client.query(`SET ROLE ${role}`);
  for (let again = 0; again < 3; again += 1) await client.query("SELECT journal_extend()");
  const { rows } = await client.query("SELECT count(*)::int AS parts FROM journal_part");
  assert.deepEqual(rows, [{ parts: 2 }]);
  await assert.rejects(client.query("CREATE TABLE other (a int)"), /permission denied/);
  await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
});
