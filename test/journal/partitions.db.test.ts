// Partitions of the journal: the leader makes the next ones ahead, and an append meets none that is
// missing.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { PostgresJournal } from "#journal/postgres.ts";
import type { Connection } from "#storage/embedded.ts";
import { grantServing } from "#storage/serving-role.ts";
import { createDatabase } from "#test/support/database.ts";
import { sealedEntries } from "./sealed.ts";
import { smallPartitions } from "./small-partitions.ts";

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
