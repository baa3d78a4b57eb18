// Runs the long tests, those on PostgreSQL and those of whole processes, as a tier asks:
// `node tools/test.ts test|all [file…]`. The quick ones are `npm run check`.
// Invariant: a file that fails, ends early or reports no test fails the run; the one PostgreSQL
// server of the run ends with it, also when it is interrupted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { tableRows } from "./table-rows.ts";
import { startTestServer } from "./test-server.ts";
import { isTierName, tiers } from "./tiers.ts";

const checkout = fileURLToPath(new URL("../", import.meta.url));
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const PATTERNS = [
  "{test,tools}/**/*.long.test.ts",
  "test/**/*.db.test.ts",
  "test/**/*.e2e.test.ts",
];
const KIND = /\.(long|db|e2e)\.test\.ts$/;
const ALONE_KIND = ".e2e.test.ts";
/** Stands in the header of a file with the reason. */
const ALONE = /^\/\/ Runs alone: /m;
/** Three more than two processors: a process often waits for another of its own. */
const AT_ONCE = 5;
/** A test that never ends; nothing takes so long beside two busy loops. */
const PATIENCE_MILLIS = 1_500_000;
/** Where Linux keeps files in memory: what tests make synced on a disk costs a sixth of the run. */
const MEMORY = "/dev/shm";
/** Three times as much as the tests ever make at the same time. */
const MEMORY_BYTES = 6 * 1024 ** 3;
const DEAREST = 10;
/** Of processor time: a dearer file has its reason in `test/dear-files.md`. */
const DEAR_SECONDS = 20;

/** The tests that a file told of. */
export interface Told {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** `seconds` of processor time, with all that the file started and waited for. */
type Report = Told & { readonly seconds: number };

/** A process of tests that is over: each of its files has a report, one that told of nothing too. */
interface Ended {
  readonly files: readonly Report[];
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

/**
 * Runs files in one process, with whatever it starts in a group of its own; the shell tells their
 * processor time on descriptor 3.
 */
async function run(files: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const command = [
    process.execPath,
    `--test-reporter=${beside("test-reporter.ts")}`,
    "--test-force-exit",
  ];
  const shared =
    files.length > 1 ? ["--test", "--test-isolation=none", beside("test-seconds.ts")] : [];
  const script = '"$@" 3>&-; code=$?; times >&3; exit $code';
  const child = spawn("sh", ["-c", script, "sh", ...command, ...shared, ...files], {
    cwd: checkout,
    env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // A group of its own, so that nothing it started outlives it.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${files.join(" ")}: no process could be started`);
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
  const told = new Map(
    [...said.matchAll(/^# told (.*)$/gm)].map(([, text = ""]) => {
      const one: Told = JSON.parse(text);
      return [one.file, one];
    }),
  );
  const own: Record<string, number> = JSON.parse(/^# seconds (.*)$/m.exec(said)?.[1] ?? "{}");
  const reports = files.map((file) => {
    const path = resolve(checkout, file);
    return { ...(told.get(path) ?? nothing), file, seconds: own[path] ?? 0 };
  });
  const isTold = code === 0 || reports.some(({ failed }) => failed > 0);
  // Loading and ending are theirs all, and nobody knows how much of it is whose.
  const rest = secondsIn(times) - reports.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    files: reports.map((one) => ({
      ...one,
      seconds: one.seconds + rest / files.length,
      // A process that fails though no test did: by which file cannot be known.
      failed: isTold ? one.failed : 1,
    })),
    output: said + errors,
  };
}

/** A file that told of no test has failed, whatever else it did. */
const nothing = { passed: 0, failed: 1, skipped: 0 };

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

/**
 * The files of each process, the dear ones first, so that no long one is left at the end. Those of
 * one folder and kind share one, which saves each the loading of the exchange; a file that says in
 * its header that it runs alone has one of its own, and so has one that starts whole processes.
 */
function processesOf(wanted: readonly string[], dear: ReadonlyMap<string, string>): string[][] {
  const files = wanted.length === 0 ? globSync(PATTERNS, { cwd: checkout }).sort() : wanted;
  const processes = new Map<string, string[]>();
  for (const file of files) {
    const kind = KIND.exec(file)?.[0] ?? file;
    const isAlone =
      kind === ALONE_KIND || ALONE.test(readFileSync(resolve(checkout, file), "utf8"));
    const shared = isAlone || dear.has(file) ? file : join(dirname(file), kind);
    processes.set(shared, [...(processes.get(shared) ?? []), file]);
  }
  const isDear = ([file = ""]: string[]): number => Number(dear.has(file));
  return [...processes.values()].toSorted((a, b) => isDear(b) - isDear(a) || b.length - a.length);
}

async function runAll(processes: readonly string[][], env: NodeJS.ProcessEnv): Promise<Report[]> {
  const waiting = [...processes];
  const ended: Report[] = [];
  const work = async (): Promise<void> => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
      const one = await run(files, env);
      ended.push(...one.files);
      console.log(one.files.map(lineOf).join("\n"));
      if (one.files.some(({ failed }) => failed > 0)) console.log(one.output);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ended;
}

const lineOf = ({ file, seconds, passed, failed, skipped }: Report): string =>
  [
    `${failed === 0 ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(7)} s  ${file}`,
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");

function summary(ended: readonly Report[], dear: ReadonlyMap<string, string>): string {
  const sum = (of: (one: Report) => number): number => ended.reduce((all, one) => all + of(one), 0);
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

/** Where temporary files go: those that the user's setting names, memory if it is large enough. */
function temporaryFolder(): string {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) < MEMORY_BYTES ? tmpdir() : MEMORY;
}

async function main(tier = "", ...wanted: readonly string[]): Promise<number> {
  if (!isTierName(tier)) {
    console.error(`name a tier, ${Object.keys(tiers).join(" or ")}, and then files to run alone`);
    return 2;
  }
  process.env.TMPDIR = temporaryFolder();
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
    const ended = await runAll(processesOf(wanted, dear), env);
    console.log(summary(ended, dear));
    return ended.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main(...process.argv.slice(2));
