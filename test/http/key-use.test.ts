// When keys were last used, over a restart: what the file keeps and what a damaged one is told.
import assert from "node:assert/strict";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { keyId } from "#base/ids.ts";
import { KeyUse } from "#http/server/key-use.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

async function fileFor(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t, "firstprint-use-");
  return join(folder, "key-use");
}

const unheard = (error: unknown): never => assert.fail(`no fault is told: ${error}`);

test("what was noted is there after a restart, the newest of each key", async (t) => {
  const path = await fileFor(t);
  const use = await KeyUse.read(path);
  assert.equal(use.lastSeconds(keyId("key-1")), null);
  const keeping = use.keep(path, unheard);
  use.note(keyId("key-1"), 100);
  use.note(keyId("key-1"), 160);
  use.note(keyId("key-2"), 120);
  await keeping.end();
  const again = await KeyUse.read(path);
  assert.equal(again.lastSeconds(keyId("key-1")), 160);
  assert.equal(again.lastSeconds(keyId("key-2")), 120);
  assert.equal(again.lastSeconds(keyId("key-3")), null);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("it is written once a minute, and only when something changed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const path = await fileFor(t);
  const use = await KeyUse.read(path);
  const keeping = use.keep(path, unheard);
  t.mock.timers.tick(60_000);
  use.note(keyId("key-1"), 100);
  t.mock.timers.tick(59_999);
  await assert.rejects(stat(path), "nothing is written between");
  t.mock.timers.tick(1);
  await keeping.end();
  assert.equal(await readFile(path, "utf8"), '{"key-1":100}');
  await rm(path);
  const idle = (await KeyUse.read(path)).keep(path, unheard);
  await idle.end();
  await assert.rejects(stat(path), "nothing changed, nothing is written");
});

test("a file that cannot be written is told, and tried again", async (t) => {
  const path = await fileFor(t);
  const use = new KeyUse();
  const faults: unknown[] = [];
  const keeping = use.keep(join(path, "absent", "key-use"), (error) => faults.push(error));
  use.note(keyId("key-1"), 100);
  await keeping.end();
  assert.equal(faults.length, 1);
  await use.keep(path, unheard).end();
  assert.equal((await KeyUse.read(path)).lastSeconds(keyId("key-1")), 100);
});

test("a damaged file is refused with what to do, never read as empty", async (t) => {
  const path = await fileFor(t);
  for (const text of ["", "{", "[]", "null", '{"key-1":"x"}', '{"key-1":1.5}']) {
    await writeFile(path, text);
    await assert.rejects(KeyUse.read(path), /key-use is damaged: remove it/, text);
  }
});
