// The schema of a database: made once under a race, and brought up to date from a made-up older
// form by a made-up step; what a newer version made, or a file that changed, is refused.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Client } from "pg";
import { migrate } from "#storage/migrate.ts";
import { createDatabase } from "#test/support/database.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const schemaStep = `CREATE TABLE schema_step (
  number integer PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL);`;
/** Made up: an older version kept what was paid as text. */
const older = `${schemaStep} CREATE TABLE paid (id integer PRIMARY KEY, amount text NOT NULL);`;
const step = `ALTER TABLE paid ADD COLUMN cents bigint;
  UPDATE paid SET cents = amount::numeric * 100;
  ALTER TABLE paid DROP COLUMN amount;`;

async function folderOf(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly path: string; readonly url: URL }> {
  const path = await temporaryFolder(t, "firstprint-schema-");
  for (const [name, sql] of Object.entries(files)) await writeFile(join(path, name), sql);
  return { path, url: pathToFileURL(`${path}/`) };
}

async function clientsOf(t: TestContext, count: number): Promise<readonly Client[]> {
  const connection = await createDatabase(t);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client(connection);
      client.on("error", () => undefined);
      await client.connect();
      t.after(() => client.end());
      return client;
    }),
  );
}

async function client(t: TestContext): Promise<Client> {
  const [only] = await clientsOf(t, 1);
  assert.ok(only);
  return only;
}

const stepsIn = async (database: Client): Promise<readonly number[]> => {
  const sql = "SELECT number FROM schema_step ORDER BY number";
  return (await database.query<{ number: number }>(sql)).rows.map(({ number }) => number);
};

test("the schema is made once under a race", async (t) => {
  const clients = await clientsOf(t, 3);
  await Promise.all(clients.map((one) => migrate(one)));
  const [database] = clients;
  assert.ok(database);
  await migrate(database);
  const { rows } = await database.query("SELECT epoch FROM leader");
  assert.deepEqual(rows, [{ epoch: "0" }]);
  assert.deepEqual(await stepsIn(database), [1]);
});

test("an older form is brought up to date once under a race, with its rows", async (t) => {
  const { path, url } = await folderOf(t, { "schema.sql": older });
  const clients = await clientsOf(t, 3);
  const [database] = clients;
  assert.ok(database);
  await migrate(database, url);
  await database.query("INSERT INTO paid VALUES (1, '12.50'), (2, '0.07')");

  await writeFile(join(path, "000002.sql"), step);
  await Promise.all(clients.map((one) => migrate(one, url)));
  const { rows } = await database.query("SELECT * FROM paid ORDER BY id");
  assert.deepEqual(rows, [
    { id: 1, cents: "1250" },
    { id: 2, cents: "7" },
  ]);
  assert.deepEqual(await stepsIn(database), [1, 2]);
});

test("an empty database gets the schema and its steps, up to the one asked for", async (t) => {
  const { url } = await folderOf(t, { "000002.sql": step, "schema.sql": older });
  const database = await client(t);
  await migrate(database, url, 1);
  assert.deepEqual(await stepsIn(database), [1]);
  await database.query("INSERT INTO paid VALUES (1, '3')");
  await migrate(database, url);
  const { rows } = await database.query("SELECT * FROM paid");
  assert.deepEqual(rows, [{ id: 1, cents: "300" }]);
});

test("a schema of a newer version, or of another file, is refused and stays", async (t) => {
  const { path, url } = await folderOf(t, { "schema.sql": older, "000002.sql": step });
  const database = await client(t);
  await migrate(database, url);
  const before = await folderOf(t, { "schema.sql": older });
  const newer = /at step 2, which this version does not know.*made by a newer version/;
  await assert.rejects(() => migrate(database, before.url), newer);
  await writeFile(join(path, "schema.sql"), `${older} -- otherwise`);
  await assert.rejects(() => migrate(database, url), /Schema step 1 ran as SHA-256/);
  assert.deepEqual(await stepsIn(database), [1, 2]);
});

test("a step that fails leaves the database as it was", async (t) => {
  const { path, url } = await folderOf(t, { "schema.sql": older });
  const database = await client(t);
  await migrate(database, url);
  await writeFile(join(path, "000002.sql"), "CREATE TABLE more (a int);");
  await writeFile(join(path, "000003.sql"), `${step} SELECT 1 / 0;`);
  await assert.rejects(() => migrate(database, url), /division by zero/);
  const { rows } = await database.query("SELECT to_regclass('more') AS more");
  assert.deepEqual(rows, [{ more: null }]);
  assert.deepEqual(await stepsIn(database), [1]);
  await database.query("INSERT INTO paid VALUES (1, '3')");
});
