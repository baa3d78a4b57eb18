// `npm run check`: types, lint, the house's own checks and the quick tests, in two lanes at once.
// Invariant: a lane ends at its first step that fails, and the check fails if any lane did; what a
// lane said is printed whole, once it has ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The words of a command. */
type Step = readonly [command: string, ...words: string[]];
type Lane = readonly Step[];

const checkout = fileURLToPath(new URL("../", import.meta.url));

const QUICK = "!(*.long|*.db|*.e2e).test.ts";
/** About as much work as all other tests and the checks before them (2026-11-22). */
const HALF = "golden|http|ingest|pricing|scenarios";

/** One process for all files of a lane: a process a file takes half as long again. */
const tests = (...patterns: readonly string[]): Step => [
  process.execPath,
  ...["--test", "--test-isolation=none", ...patterns],
];

const lanes: readonly Lane[] = [
  [
    // Its cache of the last run saves 8 of 10 s where little has changed.
    ["tsc", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"],
    [
      "tsc",
      "--incremental",
      ...["--tsBuildInfoFile", "node_modules/.cache/console.tsbuildinfo"],
      "-p",
      "console",
    ],
    ["biome", "check", "--error-on-warnings", "."],
    [process.execPath, "tools/tidy.ts"],
    tests(`tools/**/${QUICK}`, `test/${QUICK}`, `test/!(${HALF})/**/${QUICK}`),
  ],
  [tests(`test/@(${HALF})/**/${QUICK}`)],
];

/** Runs the lanes side by side; true where no step of any failed. */
export async function runLanes(
  all: readonly Lane[],
  write: (text: string) => void,
): Promise<boolean> {
  const passed = await Promise.all(all.map((lane) => runLane(lane, write)));
  return passed.every((lane) => lane);
}

async function runLane(lane: Lane, write: (text: string) => void): Promise<boolean> {
  let said = "";
  let passed = true;
  for (const step of lane) {
    said += `== ${step.join(" ")}\n`;
    const ended = await runStep(step);
    said += ended.said;
    passed = ended.passed;
    if (!passed) break;
  }
  write(said);
  return passed;
}

async function runStep([command, ...words]: Step) {
  const child = spawn(command, words, { cwd: checkout, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  }
  const [code] = await once(child, "close");
  return { passed: code === 0, said: Buffer.concat(chunks).toString() };
}

if (import.meta.main) {
  process.exitCode = (await runLanes(lanes, (text) => process.stdout.write(text))) ? 0 : 1;
}
