// `npm run check`: the files made of the routes, then types, lint, dead code, the house's own checks
// and the quick tests, three steps at a time.
// Invariant: every step runs, and the check fails if any did; what a step said is printed whole,
// once it has ended. It takes 95 s of processor time the first time (2026-11-29).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The words of a command. */
type Step = readonly [command: string, ...words: string[]];

const checkout = fileURLToPath(new URL("../", import.meta.url));

/** One more than two processors: none uses one all the time. */
const AT_ONCE = 3;
const QUICK = "!(*.long|*.db|*.e2e).test.ts";

/**
 * Its cache of the last run saves most of its time where little has changed. A second checker would
 * look at every type of the libraries again: 25 s of processor time instead of 12 (2026-11-23).
 */
const types = (project: string, cache: string): Step => [
  "tsc",
  ...["--incremental", "--checkers", "1", "-p", project],
  ...["--tsBuildInfoFile", `node_modules/.cache/${cache}.tsbuildinfo`],
];

/** One process for many files: a process a file takes half as long again. */
const tests = (...patterns: readonly string[]): Step => [
  process.execPath,
  ...["--test", "--test-isolation=none", ...patterns],
];

/** The others read what this makes: the reference and the SDK's types. */
const made: Step = [process.execPath, "tools/openapi.ts"];

/** The longest first, so that all end together. */
const steps: readonly Step[] = [
  tests(`tools/**/${QUICK}`, `test/${QUICK}`, `test/!(core|golden|http)/**/${QUICK}`),
  tests(`test/core/**/${QUICK}`, `test/golden/**/${QUICK}`),
  tests(`test/http/**/${QUICK}`),
  types(".", "types"),
  ["biome", "check", "--error-on-warnings", "."],
  ["knip", "--no-progress", "--treat-config-hints-as-errors"],
  [process.execPath, "tools/tidy.ts"],
  ["knip", "--no-progress", "--production", "--include", "files"],
  types("console", "console"),
];

/** Runs the steps, as many at once as there are workers; true where none failed. */
export async function runAll(
  all: readonly Step[],
  write: (text: string) => void,
): Promise<boolean> {
  const waiting = [...all];
  let passed = true;
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const ended = await run(step);
      passed &&= ended.passed;
      write(`== ${step.join(" ")}\n${ended.said}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return passed;
}

/** Node keeps the stripped and compiled form of unchanged files for the next check. */
async function run([command, ...words]: Step) {
  const child = spawn(command, words, {
    cwd: checkout,
    env: { ...process.env, NODE_COMPILE_CACHE: `${checkout}node_modules/.cache/compiled` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  }
  const [code] = await once(child, "close");
  return { passed: code === 0, said: Buffer.concat(chunks).toString() };
}

if (import.meta.main) {
  const write = (text: string): boolean => process.stdout.write(text);
  process.exitCode = (await runAll([made], write)) && (await runAll(steps, write)) ? 0 : 1;
}
