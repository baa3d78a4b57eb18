// A data folder was restored from a backup that lost its modes: another user of the machine read
// the signing key and signed a history of its own, and the exchange started as if nothing were
// wrong.
import assert from "node:assert/strict";
import { chmodSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { JournalRefusal } from "#journal/journal.ts";

test("a signing key that others can reach is not used", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-"));
  t.after(() => rm(folder, { recursive: true }));
  await loadSigningKey(folder);
  const path = join(folder, "checkpoint.key");
  assert.equal(statSync(path).mode & 0o777, 0o600, "as it was made");
  const refused: string[] = [];
  for (const mode of [0o640, 0o604, 0o620, 0o666]) {
    chmodSync(path, mode);
    await assert.rejects(loadSigningKey(folder), (error: unknown) => {
      assert.ok(error instanceof JournalRefusal);
      assert.match(error.message, new RegExp(`mode ${mode.toString(8)}.*chmod 600`));
      return true;
    });
    refused.push(mode.toString(8));
  }
  chmodSync(path, 0o400);
  await loadSigningKey(folder);
  t.diagnostic(`after: refused with modes ${refused.join(", ")}`);
});
