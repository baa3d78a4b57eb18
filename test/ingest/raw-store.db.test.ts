// Raw files in PostgreSQL: whole or not there, by chunks that are judged one by one, written by the
// leader of the newest epoch alone.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Client, type Pool } from "pg";
import { CHUNK_BYTES, RAW_LIMIT_BYTES, RawFileMissing } from "#ingest/raw-file.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { TermOver } from "#ingest/store.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { openPool } from "#test/support/database.ts";
import { pieces } from "./wide-file.ts";

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

async function open(t: TestContext, limit = RAW_LIMIT_BYTES) {
  const pool = await openPool(t, prepare);
  return { pool, store: new RawStore(pool, limit) };
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const bytesOf = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(source));

async function counts(pool: Pool): Promise<readonly number[]> {
  const { rows } = await pool.query<{ files: number; chunks: number }>(
    `SELECT (SELECT count(*)::int FROM raw_file) AS files,
       (SELECT count(*)::int FROM raw_chunk) AS chunks`,
  );
  return rows.flatMap(({ files, chunks }) => [files, chunks]);
}

test("the same bytes, plain or gzip, are one file of chunks that reads back as sent", async (t) => {
  const { pool, store } = await open(t);
  const content = randomBytes(3 * CHUNK_BYTES);
  const first = await store.keep(pieces(content, 65_537), 0);
  assert.deepEqual(first, { sha256: sha256(content), bytes: content.length, wasKept: false });
  assert.deepEqual(await counts(pool), [1, 4]);
  const again = await store.keep(pieces(gzipSync(content), 31_000), 0);
  assert.deepEqual(again, { ...first, wasKept: true });
  assert.deepEqual(await counts(pool), [1, 4], "kept once");
  assert.deepEqual(await bytesOf(store.open(first.sha256)), content);
  const small = await store.keep(pieces(Buffer.from("small\n")), 0);
  assert.equal((await bytesOf(store.open(small.sha256))).toString(), "small\n");
  await store.forget(small.sha256, 0);
  assert.deepEqual(await counts(pool), [1, 4]);
  await assert.rejects(bytesOf(store.open(small.sha256)), RawFileMissing);
  assert.throws(() => store.open("../../etc/passwd"), { name: "InvariantBreach" });
});

test("sent twenty times at once it is one file", async (t) => {
  const { pool, store } = await open(t);
  const content = randomBytes(CHUNK_BYTES);
  const sent = Array.from({ length: 20 }, () => store.keep(pieces(content), 0));
  assert.equal((await Promise.all(sent)).filter(({ wasKept }) => !wasKept).length, 1);
  assert.deepEqual(await counts(pool), [1, 2]);
  assert.deepEqual(await bytesOf(store.open(sha256(content))), content);
});

test("what is refused or cut off leaves nothing behind", async (t) => {
  const { pool, store } = await open(t, 1_000_000);
  const packed = gzipSync(randomBytes(600_000));
  async function* cut(): AsyncGenerator<Uint8Array> {
    yield randomBytes(700_000);
    throw new Error("connection lost");
  }
  const cases: readonly (readonly [AsyncIterable<Uint8Array>, object])[] = [
    [pieces(Buffer.alloc(0)), { code: "EMPTY_FILE" }],
    [pieces(gzipSync(randomBytes(1_000_001))), { code: "TOO_LARGE" }],
    [pieces(packed.subarray(0, 500_000)), { code: "TRUNCATED" }],
    [
      pieces(Buffer.concat([packed.subarray(0, 500_000), Buffer.alloc(9_000)])),
      { code: "BAD_GZIP" },
    ],
    [cut(), { message: "connection lost" }],
  ];
  for (const [upload, refusal] of cases) {
    await assert.rejects(store.keep(upload, 0), refusal);
    assert.deepEqual(await counts(pool), [0, 0], JSON.stringify(refusal));
  }
});

test("a chunk that changed or is gone is named, and none of it is served", async (t) => {
  const { pool, store } = await open(t);
  const content = randomBytes(3 * CHUNK_BYTES);
  const { sha256: name } = await store.keep(pieces(content, 65_537), 0);
  const readUntilFault = async (): Promise<{ readonly read: number; readonly fault: string }> => {
    let read = 0;
    try {
      for await (const chunk of store.open(name)) read += chunk.length;
    } catch (error) {
      return { read, fault: String(error) };
    }
    return assert.fail("it read to its end");
  };
  const flip = "UPDATE raw_chunk SET bytes = set_byte(bytes, 99, 255 - get_byte(bytes, 99))";
  await pool.query(`${flip} WHERE part = 1`);
  const changed = await readUntilFault();
  assert.match(
    changed.fault,
    new RegExp(`${name} is damaged: chunk 2 of 4 is not what its digest`),
  );
  assert.ok(changed.read <= CHUNK_BYTES, `${changed.read} bytes, all of the chunk before`);
  await pool.query(`${flip} WHERE part = 1`);
  assert.deepEqual(await bytesOf(store.open(name)), content);
  // Two that were changed for each other are what their own digests say.
  await pool.query(
    "UPDATE raw_chunk SET part = CASE part WHEN 1 THEN -2 ELSE -1 END WHERE part IN (1, 2)",
  );
  await pool.query("UPDATE raw_chunk SET part = -part WHERE part < 0");
  assert.match((await readUntilFault()).fault, /is damaged|incorrect|invalid/);
  await pool.query("DELETE FROM raw_chunk WHERE part = 3");
  await pool.query(
    "UPDATE raw_chunk SET part = CASE part WHEN 1 THEN -2 ELSE -1 END WHERE part IN (1, 2)",
  );
  await pool.query("UPDATE raw_chunk SET part = -part WHERE part < 0");
  assert.match((await readUntilFault()).fault, /chunk 4 of 4 is missing/);
});

test("only the leader of the newest epoch writes, and what an earlier one left goes", async (t) => {
  const { pool, store } = await open(t);
  const [named, unnamed, late] = [randomBytes(900), randomBytes(900), randomBytes(900)];
  await store.keep(pieces(named), 0);
  await store.keep(pieces(unnamed), 0);
  let atRaise: readonly number[] = [];
  async function* interrupted(): AsyncGenerator<Uint8Array> {
    // Some of it waits in the coder still.
    for (let at = 0; at < 16; at += 1) yield randomBytes(CHUNK_BYTES);
    await pool.query("UPDATE leader SET epoch = 1");
    atRaise = await counts(pool);
    yield randomBytes(2 * CHUNK_BYTES);
  }
  await assert.rejects(store.keep(interrupted(), 0), TermOver);
  await assert.rejects(store.keep(pieces(late), 0), TermOver);
  await store.forget(sha256(named), 0);
  await store.keepOnly([], 0);
  const [files, chunks = 0] = await counts(pool);
  assert.deepEqual([files, chunks], atRaise, "a deposed node adds no chunk");
  assert.ok(files === 2 && chunks > 2, "a deposed node removes nothing, and stray chunks are left");

  const mine = randomBytes(900);
  await store.keep(pieces(mine), 1);
  await store.keepOnly([sha256(named)], 1);
  assert.deepEqual(await counts(pool), [2, 2], "what this term is being given stays");
  assert.deepEqual(await bytesOf(store.open(sha256(named))), named);
  assert.deepEqual(await bytesOf(store.open(sha256(mine))), mine);
});

test("a large file goes in and out in little memory", async (t) => {
  const { store } = await open(t);
  // V8 lets some 64 MB of freed buffers pile up before it collects them.
  const megabytes = 160;
  const piece = randomBytes(1_048_576);
  async function* large(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < megabytes; at += 1) {
      piece.writeUInt32LE(at, 0);
      yield Buffer.from(piece);
    }
  }
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const { sha256: name } = await store.keep(large(), 0);
  let bytes = 0;
  for await (const chunk of store.open(name)) bytes += chunk.length;
  clearInterval(watch);
  assert.equal(bytes, megabytes * 1_048_576);
  t.diagnostic(`${Math.round((most - before) / 1e6)} MB more for a file of ${megabytes} MB`);
  assert.ok(most - before < 0.8 * bytes, "less than the file");
});
