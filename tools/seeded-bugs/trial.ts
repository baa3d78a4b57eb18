// Puts seeded bugs into a copy of the checkout, one after the other, and runs their test on each.
// Invariant: the checkout itself is never changed, and the copy is sound again after each bug.
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkout } from "../checkout-copy.ts";
import { isCode, onlyPlace, type Place, putInto, type SeededBug } from "./rows.ts";

type Outcome = "caught" | "hung" | "missed";

export interface Trial {
  readonly name: string;
  readonly test: string;
  readonly outcome: Outcome;
  /** The reason of a bug that was missed because it could not be tried. */
  readonly because?: string;
}

type Environment = Readonly<Record<string, string>>;

/** One test file with all bugs that it has to catch; each is told as soon as it is known. */
export async function tryBugs(
  folder: string,
  env: Environment,
  test: string,
  bugs: readonly { readonly bug: SeededBug; readonly places: readonly Place[] }[],
  tell: (trial: Trial) => void,
): Promise<void> {
  const began = performance.now();
  const sound = existsSync(join(folder, test))
    ? await runTest(folder, env, test, SOUND_PATIENCE_MILLIS)
    : "there is no such test";
  const took = performance.now() - began;
  for (const { bug, places } of bugs) {
    const trial = { name: bug.name, test };
    const place = onlyPlace(places);
    if (sound !== "passed") {
      // A test that fails anyway would catch everything.
      tell({ ...trial, outcome: "missed", because: `without any bug put in: ${sound}` });
    } else if (typeof place === "string") tell({ ...trial, outcome: "missed", because: place });
    else tell({ ...trial, ...(await tryBug(folder, env, bug, place, 4 * took + 30_000)) });
  }
}

const SOUND_PATIENCE_MILLIS = 1_500_000;

async function tryBug(
  folder: string,
  env: Environment,
  bug: SeededBug,
  { path, text, at }: Place,
  patienceMillis: number,
): Promise<Pick<Trial, "outcome" | "because">> {
  const broken = putInto(text, at, bug);
  if (path.endsWith(".ts") && !isCode(broken))
    return { outcome: "missed", because: "the replacement is no code" };
  writeFileSync(join(folder, path), broken);
  const end = await runTest(folder, env, bug.test, patienceMillis);
  writeFileSync(join(folder, path), text);
  if (end === "failed") return { outcome: "caught" };
  // A bug may loop for ever: a test that never ends has noticed.
  if (end === "never ended") return { outcome: "hung" };
  return { outcome: "missed", ...(end === "passed" ? {} : { because: end }) };
}

type End = "passed" | "failed" | "never ended";

/** A browser is served what was built: here from the copy's own source, with its bug in it. */
async function runTest(
  folder: string,
  env: Environment,
  test: string,
  patienceMillis: number,
): Promise<End | "the console cannot be built"> {
  const isInBrowser = /^test\/console\/.*\.e2e\.test\.ts$/.test(test);
  if (isInBrowser) {
    const vite = join(checkout, "node_modules/vite/bin/vite.js");
    const built = await run(folder, env, [vite, "build", "console"], 180_000);
    if (built !== "passed") return "the console cannot be built";
  }
  const flags = /\.(long|db|e2e)\.test\.ts$/.test(test)
    ? ["--test-force-exit"]
    : // A quick test shares its process with others in `npm run check`; here it saves starting one.
      ["--test-isolation=none"];
  return run(folder, env, ["--test", "--test-reporter=tap", ...flags, test], patienceMillis);
}

/** Beside the copy: what lies in it would be of its package. */
export const leftBehind = (folder: string): string => `${folder}.left`;

/**
 * A program that never ends is killed, and so is a test once a part of it has failed, unless it is
 * one that has a database or an exchange of its own to stop.
 */
function run(
  folder: string,
  env: Environment,
  command: readonly string[],
  patienceMillis: number,
): Promise<End> {
  const stopsOthers = /\.(db|e2e)\.test\.ts$/.test(command.at(-1) ?? "");
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, {
      cwd: folder,
      env: {
        ...process.env,
        ...env,
        // Node keeps the compiled form of what a bug did not change, for the copy's next run.
        NODE_COMPILE_CACHE: join(folder, ".compiled"),
        // A test that is killed leaves its folders behind; they go with the copy.
        ...(stopsOthers ? {} : { TMPDIR: leftBehind(folder) }),
      },
      // A group of its own: the runner's children must not outlive it.
      detached: true,
      stdio: ["ignore", stopsOthers ? "ignore" : "pipe", "ignore"],
    });
    let end: End | undefined;
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    // A group of its own is not reached by the signal that ends this program.
    process.prependOnceListener("exit", kill);
    const stop = (as: End): void => {
      end ??= as;
      kill();
    };
    const patience = setTimeout(() => stop("never ended"), patienceMillis);
    if (child.stdout !== null)
      createInterface(child.stdout).on("line", (line) => {
        if (end === undefined && /^ *not ok (?!.* # (TODO|SKIP))/.test(line)) stop("failed");
      });
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(patience);
      process.off("exit", kill);
      end ??= code === 0 ? "passed" : "failed";
      resolve(end);
    });
  });
}
