// The two lanes of the check: nothing that fails is lost, and nothing that is said is mixed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runLanes } from "./check.ts";

type Step = readonly [string, ...string[]];

const says = (text: string, code = 0): Step => [
  process.execPath,
  "-e",
  `console.log("${text}"); console.error("${text} too"); process.exitCode = ${code}`,
];

async function run(...lanes: readonly (readonly Step[])[]) {
  const said: string[] = [];
  const passed = await runLanes(lanes, (text) => said.push(text));
  return { passed, said: said.map((text) => text.match(/^(one|two|three).*$/gm)?.sort()).sort() };
}

test("a lane that fails fails the check; the other runs to its end", async () => {
  const failing = [says("one", 1), says("two")];
  const passing = [says("three")];
  for (const lanes of [
    [failing, passing],
    [passing, failing],
  ]) {
    const { passed, said } = await run(...lanes);
    assert.equal(passed, false);
    assert.deepEqual(said, [
      ["one", "one too"],
      ["three", "three too"],
    ]);
  }
});

test("every step of a lane runs and is told together", async () => {
  const { passed, said } = await run([says("one"), says("two")], [says("three")]);
  assert.equal(passed, true);
  assert.deepEqual(said, [
    ["one", "one too", "two", "two too"],
    ["three", "three too"],
  ]);
});

test("a command that is not there fails the check", async () => {
  await assert.rejects(run([["no-such-command-anywhere"]]), { code: "ENOENT" });
});
