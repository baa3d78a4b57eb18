// Runs the long tests, those on PostgreSQL and those of whole processes, as a tier asks:
// `node tools/test.ts test|all [file…]`. The quick ones are `npm run check`.
// Invariant: a file that fails, ends early or reports no test fails the run; the one PostgreSQL
// server of the run ends with it, also when it is interrupted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tableRows } from "./table-rows.ts";
import { startTestServer } from "./test-server.ts";
import { isTierName, tiers } from "./tiers.ts";

const checkout = fileURLToPath(new URL("../", import.meta.url));

const PATTERNS = [
  "{test,tools}/**/*.long.test.ts",
  "test/**/*.db.test.ts",
  "test/**/*.e2e.test.ts",
];
/** One more than two processors: a file often waits for a process of its own. */
const AT_ONCE = 3;
/** A test that never ends; nothing takes so long beside two busy loops. */
const PATIENCE_MILLIS = 1_500_000;
const DEAREST = 10;
/** Of processor time: a dearer file has its reason in `test/dear-files.md`. */
const DEAR_SECONDS = 20;

interface Ended {
  readonly file: string;
  /** Of processor time, with all processes that the file started and waited for. */
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly output: string;
}

/** The groups of processes that run a file now. */
const running = new Set<number>();

function end(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Runs a file in processes of its own; the shell tells their processor time on descriptor 3. */
async function run(file: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const command = [process.execPath, "--test-reporter=spec", "--test-force-exit", file];
  const script = '"$@" 3>&-; code=$?; times >&3; exit $code';
  const child = spawn("sh", ["-c", script, "sh", ...command], {
    cwd: checkout,
    env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // A group of its own, so that nothing it started outlives it.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} cannot be run: no process could be started`);
  running.add(pid);
  const patience = setTimeout(() => end(pid), PATIENCE_MILLIS);
  const texts = ["", "", ""];
  for (const [at, stream] of child.stdio.slice(1).entries()) {
    stream?.on("data", (chunk: Buffer) => {
      texts[at] += chunk.toString();
    });
  }
  const [code] = await once(child, "close");
  clearTimeout(patience);
  running.delete(pid);
  end(pid);
  const [said = "", errors = "", times = ""] = texts;
  const passed = countIn(said, "pass");
  const told = ["fail", "cancelled"].reduce((sum, what) => sum + countIn(said, what), 0);
  const skipped = countIn(said, "skipped");
  // A file that broke off, or told of no test at all, has failed whatever it counted.
  const isBroken = code !== 0 || passed + skipped === 0;
  const failed = Math.max(told, isBroken ? 1 : 0);
  return { file, seconds: secondsIn(times), passed, failed, skipped, output: said + errors };
}

const countIn = (said: string, what: string): number =>
  Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(said)?.[1] ?? 0);

/** The second line of `times`: of the processes that the shell has waited for. */
function secondsIn(times: string): number {
  const [, children = ""] = times.split("\n");
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/** Files that may be dear, by name; each row has its reason. */
function dearFiles(): ReadonlyMap<string, string> {
  const text = readFileSync(join(checkout, "test/dear-files.md"), "utf8");
  return new Map(tableRows(text).map(([file = "", reason = ""]) => [file, reason]));
}

/** The dear ones first, so that no long one is left at the end. */
function filesOf(wanted: readonly string[], dear: ReadonlyMap<string, string>): string[] {
  const all = globSync(PATTERNS, { cwd: checkout }).sort();
  const files = wanted.length === 0 ? all : wanted;
  return files.toSorted((a, b) => Number(dear.has(b)) - Number(dear.has(a)));
}

async function runAll(files: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended[]> {
  const waiting = [...files];
  const ended: Ended[] = [];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const one = await run(file, env);
      ended.push(one);
      console.log(lineOf(one));
      if (one.failed > 0) console.log(one.output);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ended;
}

const lineOf = ({ file, seconds, passed, failed, skipped }: Ended): string =>
  [
    `${failed === 0 ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(7)} s  ${file}`,
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");

function summary(ended: readonly Ended[], dear: ReadonlyMap<string, string>): string {
  const sum = (of: (one: Ended) => number): number => ended.reduce((all, one) => all + of(one), 0);
  const dearest = ended.toSorted((a, b) => b.seconds - a.seconds).slice(0, DEAREST);
  const unexplained = ended.filter(
    ({ file, seconds }) => seconds > DEAR_SECONDS && !dear.has(file),
  );
  return [
    "",
    "The dearest files, in seconds of processor time:",
    ...dearest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${file}`),
    ...unexplained.map(({ file }) => `${file} is dear: say why in test/dear-files.md, or mend it`),
    `${sum(({ seconds }) => seconds).toFixed(0)} s of processor time in ${ended.length} files`,
    `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed, ` +
      `${sum(({ skipped }) => skipped)} skipped`,
  ].join("\n");
}

async function main(tier = "", ...wanted: readonly string[]): Promise<number> {
  if (!isTierName(tier)) {
    console.error(`name a tier, ${Object.keys(tiers).join(" or ")}, and then files to run alone`);
    return 2;
  }
  const server = await startTestServer();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      for (const group of running) end(group);
      await server.stop();
      process.exit(1);
    });
  }
  try {
    const dear = dearFiles();
    const env = {
      ...process.env,
      ...tiers[tier].env,
      NODE_COMPILE_CACHE: join(checkout, "node_modules/.cache/compiled"),
      ...server.env,
    };
    const ended = await runAll(filesOf(wanted, dear), env);
    console.log(summary(ended, dear));
    return ended.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main(...process.argv.slice(2));
