// Programs beside a node make no database: in a folder whose node keeps it elsewhere there is none.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { openBeside } from "#storage/beside.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

test("a folder without a database is refused, and stays as it is", async (t) => {
  const folder = await temporaryFolder(t, "firstprint-beside-");
  await assert.rejects(
    openBeside(folder, undefined, "firstprint-backup"),
    (error) =>
      error instanceof StorageRefusal &&
      error.message.startsWith(`There is no database in ${folder}. `),
  );
  assert.deepEqual(await readdir(folder), []);
});
