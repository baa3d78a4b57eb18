// A node whose old entries lie in a bucket: it answers of them from there, with 503 while the bucket
// fails, and the whole is judged from outside.
// Invariant tested: node and programs read the bucket that the settings name. The faults of a bucket
// are told in test/journal/archive-bucket.db.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "#storage/embedded.ts";
import { inBucket } from "#test/journal/archive-places.ts";
import { smallPartitions } from "#test/journal/small-partitions.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { runFile, runProgram } from "./program.ts";

const TRADERS = 12;

const inPartitions = (connection: Connection): Promise<void> => smallPartitions(connection, 16);

test("old entries move into a bucket, are answered from there, and judged", async (t) => {
  const { environment, way, names } = await inBucket(t);
  const connection = await createDatabase(t, inPartitions);
  const exchange = await InProcessExchange.start(t, {}, connection);
  const first = await exchange.trader("first", "100");
  for (let at = 1; at < TRADERS; at += 1) await exchange.trader(`t${at}`, "10");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const ask = (path: string) => exchange.get(path, { key: auditor.key });
  const page = `/api/audit/logs?account=${first.id}`;
  const before = listAt((await ask(page)).body, "data");
  assert.ok(before.length >= 3);

  // The days that the node itself waits for are not over: a program moves them.
  await exchange.stop();
  await exchange.up(environment);
  const place = { DATABASE_URL: urlOf(connection), FIRSTPRINT_DATA_DIR: exchange.dataDir };
  const archiving = { ...environment, ...place, FIRSTPRINT_ARCHIVE_DAYS: "0" };
  const moved = await runFile("src/archive.ts", archiving);
  assert.match(moved.output, /entries 2 to 16 are in the archive/);
  assert.ok((await names()).length >= 3);
  // The node has read none of them yet.
  way.fault = () => 500;
  const lacking = await ask(page);
  assert.equal(lacking.status, 503, lacking.text);
  assert.equal(textAt(lacking.body, "code"), "STORAGE_UNAVAILABLE");
  way.fault = () => undefined;
  assert.deepEqual(listAt((await ask(page)).body, "data"), before);
  const judged = await ask("/api/audit/verify");
  assert.equal(at(judged.body, "data", "valid"), true, judged.text);
  await assert.rejects(
    InProcessExchange.start(t, environment),
    /^StorageRefusal: The archive http:\S+ is another exchange's/,
  );
  const { FIRSTPRINT_ARCHIVE: _, ...key } = environment;
  const verify = ["src/verify.ts", "--archive", way.address.url];
  const sound = await runProgram(process.execPath, verify, { ...place, ...key });
  assert.equal(sound.code, 0, sound.output);
  assert.match(sound.output, /^archived +entries 2 to \d+$/m);
  assert.ok(!sound.output.includes(way.address.secretAccessKey), "no key is told");
});
