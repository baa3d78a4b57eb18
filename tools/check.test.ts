// The steps of the check: nothing that fails is lost, and nothing that is said is mixed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runAll } from "./check.ts";

type Step = readonly [string, ...string[]];

const says = (text: string, code = 0): Step => [
  process.execPath,
  "-e",
  `console.log("${text}"); console.error("${text} too"); process.exitCode = ${code}`,
];

async function run(...steps: readonly Step[]) {
  const said: string[] = [];
  const passed = await runAll(steps, (text) => said.push(text));
  return { passed, said: said.map((text) => text.match(/^(one|two|three).*$/gm)?.sort()).sort() };
}

const all = [
  ["one", "one too"],
  ["three", "three too"],
  ["two", "two too"],
];

test("a step that fails fails the check; the others run all the same", async () => {
  for (const failing of ["one", "two", "three"]) {
    const steps = ["one", "two", "three"].map((text) => says(text, text === failing ? 1 : 0));
    assert.deepEqual(await run(...steps), { passed: false, said: all }, failing);
  }
});

test("every step runs, and is told by itself", async () => {
  const steps = [says("one"), says("two"), says("three")];
  assert.deepEqual(await run(...steps), { passed: true, said: all });
});

test("a command that is not there fails the check", async () => {
  await assert.rejects(run(["no-such-command-anywhere"]), { code: "ENOENT" });
});
