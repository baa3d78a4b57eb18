// A flaw in the serving process lets somebody send statements of their own over its connection to
// the database: they take out an entry, switch the checks off, read the data folder and run a
// program as the database's user.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { Client } from "pg";
import { LeadershipTaken } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { prepareDatabase } from "#journal/prepare-database.ts";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import { excessOf, RIGHTS } from "#storage/serving-role.ts";

const ROLE = "firstprint_serving";

/** A server of their own, for a role is the whole server's; whoever takes it prepares it anew. */
const dataDir = await mkdtemp(join(tmpdir(), "firstprint-"));
const database = await startEmbedded({ dataDir });
after(async () => {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function open() {
  await prepareDatabase(database.connection, ROLE);
  return database;
}

async function connect(t: TestContext, connection: Connection): Promise<Client> {
  const client = new Client(connection);
  client.on("error", () => undefined);
  await client.connect();
  t.after(() => client.end());
  return client;
}

const entry = `INSERT INTO journal VALUES (1, '', sha256(''), 0, '', '', '', NULL, '')`;

/** Statements that would change the past or leave the database. */
const statements = [
  "UPDATE journal SET bytes = ''",
  "UPDATE journal SET resource = 'other'",
  "DELETE FROM journal",
  "TRUNCATE journal",
  "TRUNCATE journal CASCADE",
  "DROP TABLE journal",
  "ALTER TABLE journal DROP COLUMN hash",
  "ALTER TABLE journal RENAME TO other",
  "ALTER TABLE journal DISABLE TRIGGER ALL",
  "ALTER TABLE journal OWNER TO firstprint_serving",
  "INSERT INTO journal SELECT * FROM journal ON CONFLICT (sequence) DO UPDATE SET bytes = ''",
  "MERGE INTO journal USING leader ON true WHEN MATCHED THEN DELETE",
  "DELETE FROM journal_touch",
  "UPDATE journal_touch SET subject = 'other'",
  "INSERT INTO journal_2 VALUES (2, '', sha256(''), 0, '', '', '', NULL, '')",
  "DELETE FROM journal_1",
  "DROP TABLE journal_2",
  "ALTER TABLE journal DETACH PARTITION journal_2",
  "ALTER TABLE journal DETACH PARTITION journal_2 CONCURRENTLY",
  "UPDATE journal_part SET manifest = ''",
  "INSERT INTO journal_part VALUES (9000000, 9000001)",
  "UPDATE journal_layout SET entries = 2",
  "ALTER FUNCTION journal_extend() SECURITY INVOKER",
  "CREATE OR REPLACE FUNCTION journal_extend() RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
  "UPDATE leader SET singleton = true",
  "DELETE FROM leader",
  "UPDATE schema_step SET sha256 = ''",
  "UPDATE drawn SET rules = 0",
  "TRUNCATE checkpoint, log_checkpoint, log_tile",
  "DELETE FROM log_tile",
  "UPDATE print_block SET bytes = ''",
  "CREATE TABLE public.other (a int)",
  "CREATE TEMPORARY TABLE journal (a int)",
  "CREATE SCHEMA firstprint_serving",
  "CREATE VIEW other AS SELECT FROM journal",
  "CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  "CREATE RULE other AS ON INSERT TO journal DO INSTEAD NOTHING",
  `CREATE TRIGGER other BEFORE INSERT ON journal
     EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
  "DROP EXTENSION plpgsql",
  "CREATE ROLE other",
  "CREATE DATABASE other",
  "ALTER ROLE firstprint_serving SUPERUSER",
  "SET ROLE firstprint",
  "SET SESSION AUTHORIZATION firstprint",
  "GRANT firstprint TO firstprint_serving",
  "GRANT ALL ON journal TO firstprint_serving",
  "SET session_replication_role = replica",
  "ALTER SYSTEM SET fsync = off",
  "SET fsync = off",
  "COPY (SELECT 1) TO PROGRAM 'true'",
  "COPY journal FROM PROGRAM 'true'",
  "COPY (SELECT 1) TO '/other'",
  "COPY journal FROM '/etc/passwd'",
  "SELECT pg_read_file('postmaster.pid')",
  "SELECT pg_ls_dir('.')",
  "SELECT lo_import('/etc/passwd')",
  "SELECT rolpassword FROM pg_authid",
  "SELECT pg_reload_conf()",
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'firstprint'",
  "SELECT pg_switch_wal()",
  "CHECKPOINT",
  "DO $$ BEGIN LOCK TABLE journal IN ACCESS EXCLUSIVE MODE; END $$",
] as const;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : error;

/** No right to it, and a setting of the server's that no session changes. */
const refusals = ["42501", "55P02"];

test("a role that only serves waits for its owner to prepare, and never alone leads", async (t) => {
  const { connection, serving } = await open();
  const owner = await connect(t, connection);
  const lead = async (): Promise<string> => {
    const journal = new PostgresJournal(serving);
    try {
      const taken = await journal.lead(() => undefined);
      // Only labels that are to be drawn anew wait until nobody leads.
      await prepareDatabase(connection, ROLE);
      await owner.query("UPDATE drawn SET rules = rules - 1");
      await assert.rejects(prepareDatabase(connection, ROLE), LeadershipTaken);
      await owner.query("UPDATE drawn SET rules = rules + 1");
      await taken.release();
      return "leads";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await journal.close();
    }
  };
  const notPrepared = /not prepared for this version.*npm run schema -- firstprint_serving/;
  assert.equal(await lead(), "leads");
  const { rows } = await owner.query("DELETE FROM schema_step WHERE number = 1 RETURNING *");
  assert.match(await lead(), notPrepared);
  const { number, sha256, applied_at } = rows[0];
  await owner.query("INSERT INTO schema_step VALUES ($1, $2, $3)", [number, sha256, applied_at]);
  await owner.query("UPDATE drawn SET rules = 0");
  assert.match(await lead(), notPrepared);
  await prepareDatabase(connection, ROLE);
  assert.equal(await lead(), "leads");
  await owner.query(`REVOKE ALL ON schema_step FROM ${ROLE}`);
  assert.match(await lead(), notPrepared);
});

test("only the owner lays partitions out, and the role that serves is told so", async (t) => {
  const { connection, serving } = await open();
  const owner = await connect(t, connection);
  const entries = 64;
  const journal = new PostgresJournal(serving, 0, "checked", undefined, entries);
  t.after(() => journal.close());
  const refusal = /^JournalRefusal: FIRSTPRINT_PARTITION_ENTRIES is 64.*npm run schema/;
  await assert.rejects(
    journal.lead(() => undefined),
    refusal,
  );
  await prepareDatabase(connection, ROLE, undefined, entries);
  await (await journal.lead(() => undefined)).release();
  const { rows } = await owner.query("SELECT entries FROM journal_layout");
  assert.deepEqual(rows, [{ entries: "64" }]);
});

test("over the serving connection nobody changes the past or leaves the database", async (t) => {
  const { connection, serving } = await open();
  const owner = await connect(t, connection);
  const server = await connect(t, serving);
  await server.query(entry);
  const done: string[] = [];
  const warned: string[] = [];
  server.on("notice", ({ message }) => void warned.push(message ?? ""));
  for (const statement of statements) {
    try {
      await server.query(statement);
      // To grant what one has not is a warning only.
      if (warned.splice(0).length === 0) done.push(statement);
    } catch (error) {
      assert.ok(refusals.includes(String(codeOf(error))), `${statement}: ${error}`);
    }
  }
  assert.deepEqual(done, []);
  const { rows } = await owner.query("SELECT count(*)::int AS entries FROM journal");
  assert.deepEqual(rows, [{ entries: 1 }]);
  assert.deepEqual(await excessOf(serving), []);
  t.diagnostic(`after: ${statements.length - done.length} of ${statements.length} refused`);
});

test("every table has its rights, and no other role has any", async (t) => {
  const { connection } = await open();
  const owner = await connect(t, connection);
  const { rows } = await owner.query<{ tables: string[] }>(
    `SELECT array_agg(tablename::text ORDER BY tablename) AS tables
     FROM pg_tables JOIN pg_class ON pg_class.oid = tablename::regclass
     WHERE schemaname = 'public' AND NOT relispartition`,
  );
  assert.deepEqual(rows[0]?.tables, Object.keys(RIGHTS).toSorted());
  const others = await owner.query(
    `SELECT relname, grantee FROM pg_class, aclexplode(relacl)
     WHERE relnamespace = 'public'::regnamespace
       AND grantee NOT IN ('firstprint'::regrole, '${ROLE}'::regrole)`,
  );
  assert.deepEqual(others.rows, []);
});

test("powers that somebody gave it are named, and taken back by the next start", async (t) => {
  const { connection, serving, stop } = await open();
  const owner = await connect(t, connection);
  const said = async (grant: string, back: string): Promise<string> => {
    await owner.query(grant);
    const excess = await excessOf(serving);
    await owner.query(back);
    assert.deepEqual(await excessOf(serving), [], back);
    return excess.join("; ");
  };
  const on = `ON journal TO ${ROLE}`;
  const off = `ON journal FROM ${ROLE}`;
  assert.match(await said(`GRANT UPDATE (bytes) ${on}`, `REVOKE UPDATE ${off}`), /^changes or rem/);
  assert.match(await said(`GRANT DELETE ${on}`, `REVOKE DELETE ${off}`), /^changes or removes/);
  assert.match(await said(`GRANT TRUNCATE ${on}`, `REVOKE TRUNCATE ${off}`), /^changes or removes/);
  assert.match(
    await said(`ALTER ROLE ${ROLE} CREATEROLE`, `ALTER ROLE ${ROLE} NOCREATEROLE`),
    /^m/,
  );
  const reader = `pg_read_server_files`;
  assert.match(await said(`GRANT ${reader} TO ${ROLE}`, `REVOKE ${reader} FROM ${ROLE}`), /^reads/);
  assert.match(
    await said(`GRANT firstprint TO ${ROLE}`, `REVOKE firstprint FROM ${ROLE}`),
    /^owns/,
  );
  assert.match(
    await said(
      "GRANT TEMP ON DATABASE firstprint TO PUBLIC",
      `REVOKE TEMP ON DATABASE firstprint FROM PUBLIC`,
    ),
    /^makes tables/,
  );

  await owner.query(`ALTER ROLE ${ROLE} SUPERUSER; GRANT ALL ON journal TO ${ROLE}`);
  await owner.query("GRANT ALL ON SCHEMA public TO PUBLIC");
  assert.deepEqual(await excessOf(serving), ["is a superuser"]);
  await stop();
  const again = await startEmbedded({ dataDir });
  try {
    await prepareDatabase(again.connection, ROLE);
    assert.deepEqual(await excessOf(again.serving), []);
    const password = await stat(join(dataDir, "postgresql", "serving-password"));
    assert.equal(password.mode & 0o777, 0o600);
  } finally {
    await again.stop();
  }
});
