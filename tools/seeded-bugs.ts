// Proves that tests can fail: puts each bug of test/seeded-bugs.md into a copy and runs the test
// named beside it, which must then fail. `node tools/seeded-bugs.ts [name…]`
// Invariant: the checkout itself is never changed; a bug that cannot be put in is a failure too.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { checkout, copyCheckout } from "./checkout-copy.ts";
import { tableRows } from "./table-rows.ts";

interface SeededBug {
  readonly name: string;
  readonly file: string;
  readonly source: string;
  readonly replacement: string;
  readonly test: string;
}

const AT_ONCE = 2;
/** A seeded bug may loop for ever: a test that never ends has noticed. */
const PATIENCE_MILLIS = 180_000;

/** Fewer seeds for tests that draw thousands: a seeded bug is met soon. */
const fewer = {
  FIRSTPRINT_CUTS: "90",
  FIRSTPRINT_DUPLICATES: "200",
  FIRSTPRINT_HOSTILE: "60",
  FIRSTPRINT_MUTATIONS: "4000",
  FIRSTPRINT_SEEDS: "80",
  FIRSTPRINT_SERVER_KILLS: "2",
  FIRSTPRINT_TAKEOVERS: "60",
};

/** Rows `| name | file | source | replacement | test |` in backquotes; `\|` is `|`, `\n` a line. */
function readSeededBugs(): readonly SeededBug[] {
  const rows = tableRows(readFileSync(join(checkout, "test/seeded-bugs.md"), "utf8"));
  return rows.map(([name = "", file, source, replacement, test]) => {
    if (file === undefined || source === undefined || replacement === undefined || !test) {
      throw new Error(`a row of test/seeded-bugs.md lacks a cell: ${name}`);
    }
    return { name, file, source, replacement, test };
  });
}

/** Whether the program ends well; one that never ends is killed. */
function endsWell(folder: string, command: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, {
      cwd: folder,
      env: { ...process.env, ...fewer },
      // A group of its own: the runner's children must not outlive it.
      detached: true,
      stdio: "ignore",
    });
    const patience = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, PATIENCE_MILLIS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(patience);
      resolve(code === 0);
    });
  });
}

const vite = join(checkout, "node_modules/vite/bin/vite.js");
const isInBrowser = (test: string): boolean => /^test\/console\/.*\.e2e\.test\.ts$/.test(test);

/** A browser is served what was built: here from the copy's own source, with its bug in it. */
const isBuilt = async (folder: string, test: string): Promise<boolean> =>
  !isInBrowser(test) || (await endsWell(folder, [vite, "build", "console"]));

const passes = (folder: string, test: string): Promise<boolean> =>
  endsWell(folder, ["--test", test]);

function isCode(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}

/** The fault of a row, or nothing when the test caught the bug. */
async function putIn(folder: string, bug: SeededBug): Promise<string | undefined> {
  const path = join(folder, bug.file);
  if (!existsSync(path)) return "no such file";
  if (!existsSync(join(folder, bug.test))) return "no such test";
  const sound = readFileSync(path, "utf8");
  const times = sound.split(bug.source).length - 1;
  if (times !== 1) return `the source text stands there ${times} times`;
  // A function as replacement: a string's `$` would be read as a pattern.
  const broken = sound.replace(bug.source, () => bug.replacement);
  if (path.endsWith(".ts") && !isCode(broken)) return "the replacement is no code";
  writeFileSync(path, broken);
  const problem = !(await isBuilt(folder, bug.test))
    ? "the console cannot be built with it"
    : (await passes(folder, bug.test))
      ? "SURVIVED"
      : undefined;
  writeFileSync(path, sound);
  return problem;
}

/** Works through the list in a copy of its own; copies share the list. */
async function work<T>(items: T[], act: (folder: string, item: T) => Promise<void>): Promise<void> {
  const folder = copyCheckout("seeded-bugs");
  try {
    for (let item = items.shift(); item !== undefined; item = items.shift()) {
      await act(folder, item);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const inParallel = async <T>(
  items: readonly T[],
  act: (folder: string, item: T) => Promise<void>,
): Promise<void> => {
  const left = [...items];
  const workers = Math.min(AT_ONCE, left.length);
  await Promise.all(Array.from({ length: workers }, () => work(left, act)));
};

async function main(names: readonly string[]): Promise<number> {
  const all = readSeededBugs();
  const unknown = names.filter((name) => !all.some((bug) => bug.name === name));
  for (const name of unknown) console.log(`no seeded bug is called ${name}`);
  const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  let failures = unknown.length;
  const tell = (name: string, problem: string | undefined): void => {
    if (problem !== undefined) failures += 1;
    console.log(
      `${problem === undefined ? "caught" : "FAILED"}  ${name}  ${problem ?? ""}`.trimEnd(),
    );
  };

  // A test that fails anyway would catch everything.
  await inParallel([...new Set(chosen.map(({ test }) => test))], async (folder, test) => {
    const isSound = (await isBuilt(folder, test)) && (await passes(folder, test));
    if (!isSound) tell(test, "fails without any bug put in");
  });
  await inParallel(chosen, async (folder, bug) => tell(bug.name, await putIn(folder, bug)));
  console.log(`${chosen.length} put in, ${failures} failures`);
  return failures === 0 && chosen.length > 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
