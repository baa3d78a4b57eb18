// Shows that the mutation run can fail: of a small program it tells what tests notice from what
// they do not, loops without end, what no test reaches, and what acts while a module loads.
// Invariant: the program is one of its own, in a folder of its own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { idleEquivalents, percentOf, scoreOf, table } from "../../tools/mutation/score.ts";

const source = `
import { invariant, unreachable } from "./invariant.ts";
export function half(amount: bigint): bigint {
  invariant(amount >= 0n, "words");
  if (amount > 10n) return amount / 2n;
  return 0n;
}
export function count(upTo: number): number {
  let counted = 0;
  while (counted < upTo) counted += 1;
  return counted;
}
export const names = { first: "one" };
export const forgotten = (): string => "nobody asks";
export function word(of: "a"): string {
  switch (of) {
    case "a":
      return "A";
    default:
      return unreachable(of);
  }
}
`;

const tests = `
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, half, names, word } from "../src/program.ts";
test("halves above ten", (t) => {
  t.diagnostic("as every test may");
  assert.equal(half(12n), 6n);
  assert.equal(half(2n), 0n);
  assert.throws(() => half(-1n));
});
test("counts", { skip: false }, async (t) => {
  await t.test("to three", () => assert.equal(count(3), 3));
});
test("names and words", () => assert.deepEqual([names.first, word("a")], ["one", "A"]));
`;

const files: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }',
  "src/invariant.ts": `export function invariant(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}
export const unreachable = (of: never): never => of;`,
  "src/program.ts": source,
  "test/program.test.ts": tests,
};

const runner = new URL("../../tools/mutation/run.ts", import.meta.url).href;
const program = `
import { tryMutants } from ${JSON.stringify(runner)};
const results = await tryMutants(["src/program.ts"], ["test/program.test.ts"]);
console.log("\\nRESULTS " + JSON.stringify(results));
`;

test("a mutation run tells what tests notice from what they do not", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mutation-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
    timeout: 300_000,
  });
  const said = /^RESULTS (.*)$/m.exec(run.stdout)?.[1];
  assert.ok(said !== undefined, `${run.stdout}\n${run.stderr}`);
  const results = JSON.parse(said);
  const fates = new Map<string, string>();
  for (const { replacement, status } of results) fates.set(replacement, status);
  const fateOf = (replacement: string) => fates.get(replacement);
  t.diagnostic(`${results.length} mutants`);

  assert.equal(fateOf("amount * 2n"), "Killed");
  assert.equal(fateOf("amount > 0n"), "Survived", "no test asks at the bound of the invariant");
  assert.equal(fateOf("amount >= 10n"), "Survived", "no test asks at ten");
  assert.equal(fateOf("counted -= 1"), "Timeout");
  assert.equal(fateOf("{}"), "Killed", "it acts while the module loads");
  const ignored = results.filter(({ status }: { status: string }) => status === "Ignored");
  const passedOver = ignored.map(({ replacement }: { replacement: string }) => replacement);
  assert.deepEqual(passedOver, ['""', "default:"], "words, and what cannot be reached");

  const score = scoreOf("src/program.ts", source, results, []);
  const left = score.unnoticed.map(({ replacement, covered }) => [replacement, covered]);
  assert.deepEqual(left.sort(), [
    ['""', false],
    ["() => undefined", true],
    ["amount > 0n", true],
    ["amount >= 10n", true],
  ]);
  const excused = {
    file: "src/program.ts",
    line: "if (amount > 10n) return amount / 2n;",
    source: "amount > 10n",
    replacement: "amount >= 10n",
  };
  const pardoned = scoreOf("src/program.ts", source, results, [excused]);
  assert.equal(pardoned.equivalent, 1);
  assert.equal(pardoned.unnoticed.length, 3);
  assert.ok(percentOf([score]) < percentOf([pardoned]) && percentOf([pardoned]) < 100);
  const idle = { ...excused, replacement: "amount < 10n" };
  const texts = new Map([["src/program.ts", source]]);
  assert.deepEqual(idleEquivalents(texts, results, [excused, idle]), [idle]);
  const room = { name: "all", percent: 95, files: ["src/program.ts"] };
  assert.match(table([room], [pardoned]), /^\| all \| .* \| 1 \| 2 \| 1 \| 1 \|$/m);
});
