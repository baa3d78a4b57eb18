// A secret that an editor saved: with a byte order mark, or in another encoding.
// Invariant: the mark is no part of a secret, and no letter of one is lost.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSecretFile } from "#storage/secret-file.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

test("a byte order mark is no part of a secret, and another encoding is refused", async (t) => {
  const path = join(await temporaryFolder(t, "secret-"), "pepper");
  writeFileSync(path, "\uFEFFa-pepper\n", { mode: 0o600 });
  assert.equal(await readSecretFile(path), "a-pepper\n");
  writeFileSync(path, Buffer.from("a-p\u00e9pper", "latin1"));
  await assert.rejects(readSecretFile(path), /is not text in UTF-8; save it as UTF-8/);
});
