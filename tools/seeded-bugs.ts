// Proves that tests can fail: puts bugs of test/seeded-bugs.md into a copy of the checkout and runs
// the test named beside each, which must then fail.
//   node tools/seeded-bugs.ts [name…] [--tier test|all] [--shard 3/12] [--out file]
//   node tools/seeded-bugs.ts --sum file…
// `--tier` gives tests the environment of that tier; `--shard` takes a share of the test files, the
// same on every day; `--out` adds a line a bug to a file; `--sum` adds such files up.
// Invariant: a bug that could not be tried is a bug that was missed, and exits 1.
import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkout, copyCheckout } from "./checkout-copy.ts";
import { placesOf, readCode, readSeededBugs, type SeededBug } from "./seeded-bugs/rows.ts";
import { strengthOf } from "./seeded-bugs/strength.ts";
import { leftBehind, type Trial, tryBugs } from "./seeded-bugs/trial.ts";
import { startTestServer } from "./test-server.ts";
import { isTierName, tiers } from "./tiers.ts";

const AT_ONCE = 2;

const table = readFileSync(join(checkout, "test/seeded-bugs.md"), "utf8");

/** Runs the tests of these bugs, each on every one of its bugs. */
async function tryAll(
  chosen: readonly SeededBug[],
  env: Readonly<Record<string, string>>,
  tell: (trial: Trial) => void,
): Promise<void> {
  const places = placesOf(chosen, readCode(checkout));
  const byTest = [...Map.groupBy(chosen, ({ test }) => test)];
  const waiting = byTest.toSorted(([, one], [, other]) => other.length - one.length);
  const work = async (): Promise<void> => {
    const folder = copyCheckout("seeded-bugs");
    mkdirSync(leftBehind(folder));
    // Also if this program is ended before its time; the test that runs in it is killed before.
    process.once("exit", () => {
      for (const path of [folder, leftBehind(folder)])
        rmSync(path, { recursive: true, force: true });
    });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [test, bugs] = next;
      const placed = bugs.map((bug) => ({ bug, places: places.get(bug) ?? [] }));
      await tryBugs(folder, env, test, placed, tell);
    }
  };
  const workers = Math.min(AT_ONCE, waiting.length);
  await Promise.all(Array.from({ length: workers }, work));
}

/** By the name of the test, so that a table that grew in between moves no row to another shard. */
function isOfShard(shard: string, test: string): boolean {
  const [, one, of] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(shard) ?? [];
  if (Number(one) > Number(of) || of === undefined) throw new Error(`no shard: ${shard}`);
  return Number.parseInt(hash("sha256", test).slice(0, 8), 16) % Number(of) === Number(one) - 1;
}

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tier: { type: "string", default: "test" },
      shard: { type: "string", default: "1/1" },
      out: { type: "string" },
      sum: { type: "boolean", default: false },
    },
  });
  const { tier, shard, out, sum } = values;
  const all = readSeededBugs(table);
  if (sum) {
    const lines = positionals.flatMap((path) => readFileSync(path, "utf8").trim().split("\n"));
    return report(
      strengthOf(
        all.map(({ name }) => name),
        lines.map(readTrial),
      ),
    );
  }
  if (!isTierName(tier)) throw new Error(`no tier: ${tier}`);
  for (const name of positionals)
    if (!all.some((bug) => bug.name === name)) throw new Error(`no seeded bug is called ${name}`);
  const chosen = all.filter(
    ({ name, test }) =>
      (positionals.length === 0 || positionals.includes(name)) && isOfShard(shard, test),
  );

  const trials: Trial[] = [];
  const began = performance.now();
  const server = await startTestServer();
  const env = { ...tiers[tier].env, ...server.env };
  const trying = tryAll(chosen, env, (trial) => {
    trials.push(trial);
    const { outcome, name, because } = trial;
    console.log(
      `${outcome === "missed" ? "MISSED" : outcome}  ${name}  ${because ?? ""}`.trimEnd(),
    );
    if (out !== undefined) appendFileSync(out, `${JSON.stringify({ ...trial, tier })}\n`);
  });
  await trying.finally(() => server.stop());
  const minutes = (performance.now() - began) / 60_000;
  console.log(`${(chosen.length / minutes).toFixed(0)} bugs a minute`);
  return report(
    strengthOf(
      chosen.map(({ name }) => name),
      trials,
    ),
  );
}

function report({ lines, isFull }: ReturnType<typeof strengthOf>): boolean {
  console.log(lines.join("\n"));
  return isFull;
}

const readTrial = (line: string): Trial => JSON.parse(line);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.exitCode = (await main()) ? 0 : 1;
