// Every setting that could lose an acknowledged order is refused by name.
import assert from "node:assert/strict";
import { chown, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openEngine } from "#engine/open.ts";
import { JournalRefusal } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { checkDurability } from "#storage/durability.ts";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import { installedNative, run, serverAccount, usableNative } from "#storage/embedded-binaries.ts";
import { clusterArgument } from "#storage/embedded-server.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { createDatabase } from "#test/support/database.ts";
import { startOwnServer } from "#test/support/own-server.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const emptyFolder = (t: TestContext): Promise<string> =>
  temporaryFolder(t, "firstprint-durability-");

async function verdict(connection: Connection, before = "SELECT 1"): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  try {
    await client.query(before);
    await checkDurability(client);
  } finally {
    await client.end();
  }
}

test("a session without synchronous commit is refused", async (t) => {
  const connection = await createDatabase(t);
  await verdict(connection);
  await verdict(connection, "SET synchronous_commit = local");
  await assert.rejects(
    verdict(connection, "SET synchronous_commit = off"),
    /^Error: The database is refused: synchronous_commit is off: .* SET synchronous_commit = on/,
  );
});

test("synchronous commit that a role or a database lifts is refused too", async (t) => {
  const connection = await createDatabase(t);
  const lift = `ALTER DATABASE ${connection.database} SET synchronous_commit = off`;
  await verdict(connection, lift);
  await assert.rejects(verdict(connection), /synchronous_commit is off: .* ALTER DATABASE/);
});

test("ALTER SYSTEM cannot lift a setting of the embedded server", async (t) => {
  const connection = await createDatabase(t);
  await verdict(connection, "ALTER SYSTEM SET fsync = off");
  await verdict(connection, "SELECT pg_reload_conf()");
  await sleep(100);
  await verdict(connection);
});

test("a server with fsync and full_page_writes off is refused, both named", async (t) => {
  const settings = { fsync: "off", full_page_writes: "off" };
  const database = await startEmbedded({ dataDir: await emptyFolder(t), settings });
  try {
    const both = /refused: fsync is off: .* SET fsync = on.* full_page_writes is off: .* = on/;
    await assert.rejects(verdict(database.connection), both);
  } finally {
    await database.stop();
  }
});

test("a cluster without data checksums is refused", async (t) => {
  const dataDir = await emptyFolder(t);
  await (await startEmbedded({ dataDir })).stop();
  const cluster = join(dataDir, "postgresql", "cluster");
  const account = serverAccount(cluster);
  const { native } = await usableNative(installedNative(), account, join(dataDir, "copies"));
  await rename(cluster, join(dataDir, "first"));
  await mkdir(cluster, { mode: 0o700 });
  if (account !== undefined) await chown(cluster, account.uid, account.gid);
  const { code, output } = await run(
    join(native, "bin", "initdb"),
    [`--pgdata=${clusterArgument(cluster, account)}`, "--no-data-checksums", "-U", "firstprint"],
    { cwd: cluster, account },
  );
  assert.equal(code, 0, output);
  const database = await startEmbedded({ dataDir });
  try {
    const refusal = /data_checksums is off: .* pg_checksums --enable/;
    await assert.rejects(verdict(database.connection), refusal);
  } finally {
    await database.stop();
  }
});

test("settings lifted while the exchange leads: one does not reach it, one stops it", async (t) => {
  const connection = await startOwnServer(t);
  const operator = new Client(connection);
  operator.on("error", () => undefined);
  await operator.connect();
  const dataDir = await emptyFolder(t);
  const fatal: unknown[] = [];
  const journal = new PostgresJournal({ ...connection });
  const engine = await openEngine({
    journal,
    dataDir,
    clock: "real",
    // A checkpoint would be a commit of another session, and flush the log for all.
    checkpoints: { entries: 1_000_000, millis: 600_000 },
    onFatal: (error) => fatal.push(error),
  });
  answered(await engine.submit(request(openAccount(1))));
  const lift = async (setting: string): Promise<void> => {
    await operator.query(`ALTER SYSTEM SET ${setting} = off`);
    await operator.query("SELECT pg_reload_conf()");
    // Sessions look for new settings when they are asked something: this one has, when it says so.
    for (let tries = 0; tries < 500; tries += 1) {
      const { rows } = await operator.query<Record<string, string>>(`SHOW ${setting}`);
      if (rows[0]?.[setting] === "off") return;
      await sleep(10);
    }
    assert.fail(`${setting} is off`);
  };

  await operator.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
  await lift("synchronous_commit");
  for (let usd = 1; usd <= 20; usd += 1) {
    answered(await engine.submit(request(fund(usd))));
    const { rows } = await operator.query<{ flushed: boolean }>(
      "SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() AS flushed",
    );
    assert.equal(rows[0]?.flushed, true, `deposit ${usd} was on disk when it was answered`);
  }
  assert.equal(fatal.length, 0);

  const { durableSequence } = engine.status();
  await lift("full_page_writes");
  let result = await engine.submit(request(fund(99), "after"));
  for (let tries = 0; "outcome" in result && tries < 200; tries += 1) {
    // The session of the appends is told a moment later than the operator's.
    result = await engine.submit(request(fund(99), `after ${tries}`));
  }
  assert.deepEqual(result, { unknown: true });
  for (let tries = 0; fatal.length === 0 && tries < 1_000; tries += 1) await sleep(10);
  assert.ok(fatal[0] instanceof JournalRefusal);
  assert.match(fatal[0].message, /full_page_writes is off: .* SET full_page_writes = on/);
  const { rows } = await operator.query<{ last: string }>(
    "SELECT max(sequence) AS last FROM journal",
  );
  assert.equal(Number(rows[0]?.last), engine.status().durableSequence);
  assert.ok(engine.status().durableSequence >= durableSequence);
  await engine.stop();
  await journal.close();
  await operator.end();
});
