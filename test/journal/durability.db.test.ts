// Every setting that could lose an acknowledged order is refused by name.
import assert from "node:assert/strict";
import { chown, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { checkDurability } from "#journal/durability.ts";
import { type Connection, startEmbedded } from "#journal/embedded.ts";
import { installedNative, run, serverAccount, usableNative } from "#journal/embedded-binaries.ts";
import { clusterArgument } from "#journal/embedded-server.ts";
import { createDatabase } from "#test/support/database.ts";

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-durability-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

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
