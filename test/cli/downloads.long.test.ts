// The example plan of downloads, and one with a mistake, as `firstprint downloads check` reads them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const example = join(checkout, "deploy/downloads.json");

function check(path: string) {
  const words = ["src/cli/main.ts", "downloads", "check", path];
  const environment = { ...process.env, FIRSTPRINT_ADMIN_SECRET: "", FIRSTPRINT_KEY: "" };
  const done = spawnSync(process.execPath, words, {
    ...{ cwd: checkout, env: environment, encoding: "utf8" },
  });
  return { code: done.status, said: `${done.stdout}${done.stderr}` };
}

test("the example plan is good, without an exchange and without a credential", () => {
  const { code, said } = check(example);
  assert.equal(code, 0, said);
  assert.match(said, /^The plan is good: 10 sources\.$/m);
  assert.match(said, /climdiv-tmpcst-v1\.0\.0-\{date\}, its date from .*\/procdate\.txt$/m);
  const page = readFileSync(join(checkout, "docs/operating/downloads.md"), "utf8");
  for (const { url } of JSON.parse(readFileSync(example, "utf8")).sources) {
    assert.ok(page.includes(url), `docs/operating/downloads.md has ${url}`);
  }
});

test("a plan with a mistake is named by its field", async (t) => {
  const path = join(await temporaryFolder(t, "firstprint-plan-"), "downloads.json");
  const text = readFileSync(example, "utf8");
  writeFileSync(path, text.replace('"everyHours": 24', '"everyHours": 0'));
  const { code, said } = check(path);
  assert.equal(code, 1, said);
  assert.match(said, /downloads\.json\): sources\[0\]\.everyHours must be/);
});
