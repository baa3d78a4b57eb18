// The run of a tier, on files made up here: what it counts, what it fails for, what it leaves.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const program = new URL("test.ts", import.meta.url).pathname;

const files = {
  "passes.test.ts": `import { test } from "node:test"; test("a"); test("b", { skip: true });`,
  "fails.test.ts": `import { test } from "node:test"; test("c", () => { throw new Error("no"); });`,
  "tells-nothing.test.ts": "export {};",
  "breaks-off.test.ts": `import { test } from "node:test"; test("d", () => process.exit(0));`,
  "hangs.test.ts": `
    import { writeFileSync } from "node:fs";
    import { test } from "node:test";
    test("e", () => {
      writeFileSync(process.env.TOLD, process.env.FIRSTPRINT_TEST_SERVER);
      return new Promise(() => setInterval(() => undefined, 1_000));
    });`,
};

/** Starts a run of some of them; `said` grows with what it prints. Those of a kind share a process. */
async function start(t: TestContext, names: readonly (keyof typeof files)[], kind = "") {
  const folder = await temporaryFolder(t, "firstprint-run-");
  const paths = names.map((name) => join(folder, name.replace(".test.ts", `${kind}.test.ts`)));
  for (const [at, name] of names.entries()) await writeFile(paths[at] ?? "", files[name]);
  const told = join(folder, "told");
  const { FIRSTPRINT_TEST_SERVER: _ours, NODE_TEST_CONTEXT: _runs, ...env } = process.env;
  const child = spawn(process.execPath, [program, "test", ...paths], {
    env: { ...env, TOLD: told, TMPDIR: tmpdir() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const run = { child, told, said: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    run.said += chunk.toString();
  });
  return run;
}

test("files that share a process are told apart, and one that breaks off fails them all", async (t) => {
  const names = ["fails", "passes", "tells-nothing"] as const;
  const shared = await start(
    t,
    names.map((name) => `${name}.test.ts` as const),
    ".db",
  );
  await once(shared.child, "close");
  assert.match(shared.said, /^FAILED .*\/fails\.db\.test\.ts, 0 passed, 1 failed$/m);
  assert.match(shared.said, /^ok {4} .*\/passes\.db\.test\.ts, 1 passed, 1 skipped$/m);
  assert.match(shared.said, /^FAILED .*\/tells-nothing\.db\.test\.ts, 0 passed, 1 failed$/m);
  const broken = await start(t, ["breaks-off.test.ts", "passes.test.ts"], ".db");
  const [code] = await once(broken.child, "close");
  assert.equal(code, 1);
  assert.match(broken.said, /\n0 passed, 2 failed, 0 skipped\n$/, broken.said);
});

const leftBy = async (pid: number | undefined): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`firstprint-test-${pid}-`));

test("a file that fails, tells of no test or breaks off fails the run, and the rest is run", async (t) => {
  const run = await start(t, [
    "fails.test.ts",
    "tells-nothing.test.ts",
    "breaks-off.test.ts",
    "passes.test.ts",
  ]);
  const [code] = await once(run.child, "close");
  assert.equal(code, 1, run.said);
  assert.equal(run.said.match(/^FAILED /gm)?.length, 3, run.said);
  assert.match(run.said, /^ok {4} .*passes\.test\.ts, 1 passed, 1 skipped$/m);
  assert.match(run.said, /Error: no\n/, "what failed is printed");
  assert.match(run.said, /\n1 passed, 3 failed, 1 skipped\n$/);
  assert.deepEqual(await leftBy(run.child.pid), []);
});

test("a run that is interrupted ends what it runs, and its server", async (t) => {
  const run = await start(t, ["hangs.test.ts"]);
  while (!existsSync(run.told)) await sleep(20);
  const { host } = JSON.parse(await readFile(run.told, "utf8"));
  assert.ok(existsSync(host), "the server has its socket there");
  run.child.kill("SIGTERM");
  const [code] = await once(run.child, "close");
  assert.equal(code, 1);
  assert.deepEqual(await leftBy(run.child.pid), []);
});
