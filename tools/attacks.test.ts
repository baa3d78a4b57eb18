// The list of attacks and the tests that carry them out are one set.
// Invariant: no attack is in the list alone, and none is carried out unseen.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { attacksOf } from "./attacks.ts";

const checkout = fileURLToPath(new URL("../", import.meta.url));
const attacks = attacksOf(readFileSync(join(checkout, "test/attacks.md"), "utf8"));

test("each test of an attack has its row, and each row a test", () => {
  const tests = readdirSync(join(checkout, "test/attacks"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/attacks/${name}`);
  // An attack on one rule alone is carried out by that rule's own test, wherever it lies.
  const rows = attacks.map((attack) => attack.test);
  assert.deepEqual(rows.filter((file) => file.startsWith("test/attacks/")).sort(), tests.sort());
  assert.equal(new Set(rows).size, rows.length, "a file has one row");
  assert.deepEqual(
    rows.filter((file) => !existsSync(join(checkout, file))),
    [],
  );
});

test("each row says what the attack brought before, and its test what it brings now", () => {
  for (const { name, before, test: file } of attacks) {
    assert.ok(name !== "" && before !== "", file);
    const text = readFileSync(join(checkout, file), "utf8");
    const isTold = /diagnostic\(\s*[`"]after: /.test(text);
    assert.ok(isTold, `${file} tells what the attack brings now`);
  }
});
