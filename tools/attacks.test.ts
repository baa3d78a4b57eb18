// The list of attacks and the tests that carry them out are one set.
// Invariant: no attack is in the list alone, and none is carried out unseen.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { attacksOf } from "./attacks.ts";

const checkout = fileURLToPath(new URL("../", import.meta.url));
const attacks = attacksOf(readFileSync(join(checkout, "test/attacks.md"), "utf8"));

test("each attack of the list has its test, and each test of an attack its row", () => {
  const tests = readdirSync(join(checkout, "test/attacks"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/attacks/${name}`);
  assert.deepEqual(attacks.map((attack) => attack.test).sort(), tests.sort());
});

test("each row says what the attack brought before, and its test what it brings now", () => {
  for (const { name, before, test: file } of attacks) {
    assert.ok(name !== "" && before !== "", file);
    const text = readFileSync(join(checkout, file), "utf8");
    const isTold = /diagnostic\(\s*[`"]after: /.test(text);
    assert.ok(isTold, `${file} tells what the attack brings now`);
  }
});
