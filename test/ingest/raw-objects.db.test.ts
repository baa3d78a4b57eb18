// Raw files in an S3-compatible store: written once by digest, judged at each read, named where
// they are damaged or gone, moved there and back by the leader alone.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { Client, type Pool } from "pg";
import { isStorageFault } from "#base/storage-fault.ts";
import { RAW_LIMIT_BYTES, RawFileDamaged, RawFileMissing } from "#ingest/raw-file.ts";
import { movePlaces } from "#ingest/raw-move.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { TermOver } from "#ingest/store.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { S3Store } from "#storage/s3-store.ts";
import { openPool } from "#test/support/database.ts";
import { ObjectServer } from "#test/support/object-server.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { pieces } from "./wide-file.ts";

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

async function open(t: TestContext) {
  const pool = await openPool(t, prepare);
  const server = await ObjectServer.start(t);
  const folder = await temporaryFolder(t, "firstprint-uploads-");
  const objects = new S3Store(server.address);
  const storeOf = (takesNew: boolean): RawStore =>
    new RawStore(pool, RAW_LIMIT_BYTES, { objects, takesNew, folder });
  return { pool, server, folder, objects, storeOf, store: storeOf(true) };
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const bytesOf = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(source));
const raiseEpoch = (pool: Pool) => pool.query("UPDATE leader SET epoch = epoch + 1");

async function chunks(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM raw_chunk",
  );
  return rows[0]?.count ?? assert.fail("a count");
}

/** The files in which the server keeps the bytes of objects. */
async function storedFiles({ folder }: ObjectServer): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true });
  return found.filter((name) => name.endsWith("_object")).map((name) => join(folder, name));
}

test("a file is one object under its digest, kept once, and reads back as sent", async (t) => {
  const { pool, folder, objects, store, storeOf } = await open(t);
  const content = randomBytes(3_000_000);
  const first = await store.keep(pieces(content, 65_537), 0);
  assert.deepEqual(first, { sha256: sha256(content), bytes: content.length, wasKept: false });
  const sent = Array.from({ length: 4 }, () => store.keep(pieces(gzipSync(content)), 0));
  assert.ok((await Promise.all(sent)).every(({ wasKept }) => wasKept));
  const names = await Array.fromAsync(objects.names());
  assert.equal(names.length, 1);
  assert.ok(names[0]?.startsWith(`${first.sha256}/0-`), names[0]);
  assert.equal(await chunks(pool), 0);
  assert.deepEqual(await readdir(folder), [], "nothing waits");
  for (const reader of [store, storeOf(false)]) {
    assert.deepEqual(await bytesOf(reader.open(first.sha256)), content);
  }
  await store.forget(first.sha256, 0);
  await assert.rejects(bytesOf(store.open(first.sha256)), RawFileMissing);
  await raiseEpoch(pool);
  await store.removeStrays(1);
  assert.deepEqual(await Array.fromAsync(objects.names()), []);
});

test("more objects than one list has are all looked at", async (t) => {
  const { pool, server, objects, folder, store } = await open(t);
  const { sha256: kept } = await store.keep(pieces(Buffer.from("kept\n")), 0);
  const path = join(folder, "stray");
  await writeFile(path, "stray");
  // Objects that are not ours fill the first list, and are put there without asking the server.
  const others = Array.from({ length: 1_000 }, (_, at) => `0-${String(at).padStart(4, "0")}`);
  for (const name of others) {
    await writeFile(join(server.objects, `${name}._S3rver_object`), "");
    await writeFile(join(server.objects, `${name}._S3rver_object.md5`), sha256(Buffer.from("")));
    await writeFile(join(server.objects, `${name}._S3rver_metadata.json`), "{}");
  }
  for (const digit of ["1", "f"]) {
    const name = `${digit.repeat(64)}/0-00000000-0000-4000-8000-000000000000.zst`;
    await objects.putOnce(name, path, sha256(Buffer.from("stray")));
  }
  assert.equal((await Array.fromAsync(objects.names())).length, 1_003);
  await raiseEpoch(pool);
  await store.removeStrays(1);
  const left = await Array.fromAsync(objects.names());
  assert.deepEqual(left.slice(0, -1), others, "what is not ours stays");
  assert.ok(left.at(-1)?.startsWith(kept), "and what a row names");
});

test("an object that is gone, changed or cut off is told of by its file's name", async (t) => {
  const { pool, server, store } = await open(t);
  const content = randomBytes(300_000);
  const { sha256: name } = await store.keep(pieces(content), 0);
  const [path = ""] = await storedFiles(server);
  const packed = await readFile(path);
  const other = zstdCompressSync(randomBytes(300_000));
  for (const bytes of [other, packed.subarray(0, 100_000), Buffer.from("not zstd")]) {
    await writeFile(path, bytes);
    await assert.rejects(bytesOf(store.open(name)), (error) => {
      assert.ok(error instanceof RawFileDamaged, String(error));
      return error.message.startsWith(`the raw file ${name} is damaged: `);
    });
  }
  await rm(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await assert.rejects(bytesOf(store.open(name)), (error) => {
    assert.ok(error instanceof RawFileMissing, String(error));
    return error.message.startsWith(`the raw file ${name} is missing: no object ${name}/0-`);
  });
  const withoutStore = new RawStore(pool);
  await assert.rejects(bytesOf(withoutStore.open(name)), /set FIRSTPRINT_S3_URL/);
});

test("a store that is out of reach or refuses is a fault; nothing is kept", async (t) => {
  const { pool, server, folder, store } = await open(t);
  const content = randomBytes(300_000);
  const outside = { takesNew: true, folder };
  const unknownKey = new S3Store({ ...server.address, accessKeyId: "nobody" });
  const noBucket = new S3Store({
    ...server.address,
    url: new URL("/none", server.address.url).href,
  });
  const refusing = [
    [unknownKey, /403 InvalidAccessKeyId/],
    [noBucket, /404 NoSuchBucket/],
  ] as const;
  for (const [objects, said] of refusing) {
    const refused = new RawStore(pool, RAW_LIMIT_BYTES, { ...outside, objects });
    await assert.rejects(refused.keep(pieces(content), 0), (error) => {
      assert.ok(error instanceof Error && isStorageFault(error), String(error));
      return said.test(error.message);
    });
  }
  const { sha256: before } = await store.keep(pieces(Buffer.from("before\n")), 0);
  await server.kill();
  for (const asked of [() => store.keep(pieces(content), 0), () => bytesOf(store.open(before))]) {
    await assert.rejects(asked, (error) => {
      assert.ok(error instanceof Error && isStorageFault(error), String(error));
      return /out of reach: .*ECONNREFUSED/.test(error.message);
    });
  }
  assert.deepEqual(await readdir(folder), [], "nothing waits");
  await server.up();
  const { wasKept } = await store.keep(pieces(content), 0);
  assert.equal(wasKept, false, "it is taken later");
});

test("files move into the store and back; one that is damaged stays and is told of", async (t) => {
  const { pool, server, objects, store, storeOf } = await open(t);
  const inDatabase = storeOf(false);
  const contents = [randomBytes(600_000), randomBytes(10), randomBytes(700_000)];
  for (const content of contents) await inDatabase.keep(pieces(content), 0);
  const told: string[] = [];
  const tell = (sentence: string): void => void told.push(sentence);
  const readable = async (): Promise<void> => {
    for (const content of contents) {
      assert.deepEqual(await bytesOf(store.open(sha256(content))), content);
    }
  };
  await server.kill();
  await assert.rejects(movePlaces(store, 0, tell), isStorageFault);
  await server.up();
  await raiseEpoch(pool);
  await assert.rejects(movePlaces(store, 0, tell), TermOver, "a deposed node moves nothing");
  await movePlaces(store, 1, tell);
  assert.deepEqual(told, ["3 raw files were moved to where new ones are kept"]);
  await readable();
  await raiseEpoch(pool);
  await store.keepOnly(contents.map(sha256), 2);
  await store.removeStrays(2);
  assert.equal(await chunks(pool), 0);
  assert.equal((await Array.fromAsync(objects.names())).length, 3);
  await readable();

  const [damaged = ""] = await storedFiles(server);
  const whole = await readFile(damaged);
  await writeFile(damaged, "not zstd");
  await movePlaces(inDatabase, 2, tell);
  assert.match(
    told[1] ?? "",
    /^A raw file stays where it is: the raw file [0-9a-f]{64} is damaged/,
  );
  assert.equal(told[2], "2 raw files were moved to where new ones are kept");
  await writeFile(damaged, whole);
  await movePlaces(inDatabase, 2, tell);
  await raiseEpoch(pool);
  await inDatabase.keepOnly(contents.map(sha256), 3);
  await inDatabase.removeStrays(3);
  assert.deepEqual(await Array.fromAsync(objects.names()), []);
  await readable();
});
