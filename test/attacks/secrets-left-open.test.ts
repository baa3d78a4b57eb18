// A data folder was restored from a backup that lost its modes: another user of the machine read
// the signing key and signed a history of its own, and the exchange started as if nothing were
// wrong.
import assert from "node:assert/strict";
import { chmodSync, chownSync, existsSync, renameSync, statSync, symlinkSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { keepFolder } from "#storage/secret-file.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

const refusedWith = (said: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StorageRefusal);
  assert.match(error.message, said);
  return true;
};

test("a signing key that others can reach is not used", async (t) => {
  const folder = await temporaryFolder(t, "firstprint-");
  await loadSigningKey(folder);
  const path = join(folder, "checkpoint.key");
  assert.equal(statSync(path).mode & 0o777, 0o600, "as it was made");
  const refused: string[] = [];
  for (const mode of [0o640, 0o604, 0o620, 0o666]) {
    chmodSync(path, mode);
    await assert.rejects(loadSigningKey(folder), (error: unknown) => {
      assert.ok(error instanceof StorageRefusal);
      assert.match(error.message, new RegExp(`mode ${mode.toString(8)}.*chmod 600`));
      return true;
    });
    refused.push(mode.toString(8));
  }
  chmodSync(path, 0o400);
  await loadSigningKey(folder);
  t.diagnostic(`after: refused with modes ${refused.join(", ")}`);
});

test("a key behind a link, or of another user, is not used", async (t) => {
  const folder = await temporaryFolder(t, "firstprint-");
  await loadSigningKey(folder);
  const path = join(folder, "checkpoint.key");
  renameSync(path, join(folder, "elsewhere"));
  symlinkSync("elsewhere", path);
  await assert.rejects(loadSigningKey(folder), refusedWith(/checkpoint\.key is a symbolic link/));
  await rm(path);
  symlinkSync("nowhere", path);
  await assert.rejects(loadSigningKey(folder), refusedWith(/is a symbolic link/));
  await rm(path);
  renameSync(join(folder, "elsewhere"), path);
  await loadSigningKey(folder);
  if (!isRoot) return;
  chownSync(path, NOBODY, NOBODY);
  await assert.rejects(loadSigningKey(folder), refusedWith(/belongs to uid 65534.*uid 0/));
});

test("a data folder is its owner's alone", async (t) => {
  const parent = await temporaryFolder(t, "firstprint-");
  const folder = join(parent, "a", "b");
  const mode = (): number => statSync(folder).mode & 0o777;
  assert.equal(await keepFolder(folder), false);
  assert.equal(mode(), 0o700);
  for (const open of [0o755, 0o710, 0o777]) {
    chmodSync(folder, open);
    assert.equal(await keepFolder(folder), true, open.toString(8));
    assert.equal(mode(), 0o700);
  }
  await writeFile(join(folder, "pepper"), "", { mode: 0o600 });
  chmodSync(folder, 0o755);
  assert.equal(await keepFolder(folder), true, "what others can see only is mended");
  for (const open of [0o770, 0o702, 0o777]) {
    chmodSync(folder, open);
    await assert.rejects(keepFolder(folder), refusedWith(/written to by other users.*chmod 700/));
    assert.equal(mode(), open);
  }
  chmodSync(folder, 0o700);
  const link = join(parent, "link");
  symlinkSync(folder, link);
  await assert.rejects(keepFolder(link), refusedWith(/is a symbolic link/));
  assert.ok(existsSync(join(folder, "pepper")));
  if (!isRoot) return;
  chownSync(folder, NOBODY, NOBODY);
  await assert.rejects(keepFolder(folder), refusedWith(/belongs to uid 65534.*folder inside it/));
});
