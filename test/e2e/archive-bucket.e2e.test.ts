// A node whose old entries move into a bucket: it answers of them from there, says which object it
// lacks while the bucket fails, and the whole is judged from outside.
// Invariant tested: nothing leaves the database that the bucket did not take, and no key is told.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Connection } from "#storage/embedded.ts";
import { inBucket } from "#test/journal/archive-places.ts";
import { smallPartitions } from "#test/journal/small-partitions.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, Exchange, listAt, textAt } from "#test/support/exchange.ts";
import { runFile, runProgram } from "./program.ts";
import { until } from "./until.ts";

const TRADERS = 12;

const inPartitions = (connection: Connection): Promise<void> => smallPartitions(connection, 16);

test("old entries move into a bucket, are answered from there, and judged", async (t) => {
  const { environment, way, names, pathOf } = await inBucket(t);
  const databaseUrl = urlOf(await createDatabase(t, inPartitions));
  const exchange = await Exchange.start(t, { DATABASE_URL: databaseUrl });
  const first = await exchange.trader("first", "100");
  for (let at = 1; at < TRADERS; at += 1) await exchange.trader(`t${at}`, "10");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const ask = (path: string) => exchange.get(path, { key: auditor.key });
  const page = `/api/audit/logs?account=${first.id}`;
  const before = listAt((await ask(page)).body, "data");
  assert.ok(before.length >= 3);

  const said = async (beginsIn: number, what: RegExp): Promise<void> =>
    until(String(what), () => what.test(exchange.output.slice(beginsIn)));
  const archiving = { ...environment, FIRSTPRINT_ARCHIVE_DAYS: "0" };
  way.fault = (method) => (method === "PUT" ? 403 : undefined);
  await exchange.stop();
  await exchange.up(archiving);
  await said(0, /archive: journal\S* cannot be written into the archive http:.*403 Refused/);
  assert.deepEqual(await names(), []);
  assert.deepEqual(listAt((await ask(page)).body, "data"), before);

  way.fault = () => undefined;
  const moved = await runFile("src/archive.ts", { ...archiving, ...exchange.place });
  assert.match(moved.output, /entries 2 to 16 are in the archive/);
  assert.ok((await names()).length >= 3);
  // The node has read none of them yet.
  way.fault = () => 500;
  const failing = exchange.output.length;
  const lacking = await ask(page);
  assert.equal(lacking.status, 503, lacking.text);
  assert.equal(textAt(lacking.body, "code"), "STORAGE_UNAVAILABLE");
  await said(failing, /journal\/\d+-\d+\/\S+ in the archive http:.* cannot be read/);
  assert.equal((await ask("/api/audit/verify")).status, 503, "it cannot look");
  const verify = (variables: Readonly<Record<string, string>>) =>
    runProgram(process.execPath, ["src/verify.ts", "--archive", way.address.url], {
      ...exchange.place,
      ...variables,
    });
  const { FIRSTPRINT_ARCHIVE: _, ...key } = environment;
  const unseen = await verify(key);
  assert.equal(unseen.code, 2, unseen.output);
  assert.match(unseen.output, /manifest\.json in the archive .* 500 Refused/);
  way.fault = () => undefined;
  assert.deepEqual(listAt((await ask(page)).body, "data"), before);
  const judged = await ask("/api/audit/verify");
  assert.equal(at(judged.body, "data", "valid"), true, judged.text);
  const keyless = await verify({});
  assert.equal(keyless.code, 2, keyless.output);
  assert.match(keyless.output, /^FIRSTPRINT_ARCHIVE must come with AWS_ACCESS_KEY_ID and/);
  const sound = await verify(key);
  assert.equal(sound.code, 0, sound.output);
  assert.match(sound.output, /^archived +entries 2 to \d+$/m);
  const name = (await names()).find((one) => one.includes("entries-")) ?? assert.fail("an object");
  const bytes = await readFile(pathOf(name));
  await writeFile(pathOf(name), bytes.subarray(0, -1));
  const broken = await verify(key);
  assert.equal(broken.code, 1, broken.output);
  assert.match(broken.output, new RegExp(`^journal +BROKEN\\n.*\\n.*${name}.* was altered`, "m"));
  const another = await runFile("src/main.ts", {
    ...{ ...environment, DATABASE_URL: urlOf(await createDatabase(t)), PORT: "0" },
    FIRSTPRINT_DATA_DIR: `${exchange.dataDir}/another`,
  });
  assert.equal(another.code, 1, another.output);
  assert.match(another.output, /^The archive http:\S+ is another exchange's/m);
  const told = [exchange.output, unseen.output, sound.output, broken.output].join("\n");
  assert.ok(!told.includes(way.address.secretAccessKey), "no key is told");
});
