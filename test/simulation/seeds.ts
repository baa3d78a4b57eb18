// Many seeds at once, on as many workers as there are processors.
// Invariant: a seed is run once and alone, whatever becomes of others; each is told of.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

export const corpusFile = new URL("./corpus.txt", import.meta.url);

/** Some hundred times what a seed takes: one that has not ended by then never will. */
const PATIENCE_MILLIS = 300_000;

export type Result =
  | {
      readonly seed: number;
      readonly entries: number;
      readonly head: string;
      readonly words: readonly string[];
    }
  | { readonly seed: number; readonly failure: string };

/** `tell` hears of each as it ends; false: no seed after those under way. */
export async function runSeeds(
  seeds: readonly number[],
  commands: number,
  tell: (result: Result) => boolean,
): Promise<void> {
  const waiting = seeds.values();
  const lanes = Math.min(availableParallelism(), seeds.length);
  await Promise.all(Array.from({ length: lanes }, () => runLane(waiting, commands, tell)));
}

async function runLane(
  waiting: Iterable<number>,
  commands: number,
  tell: (result: Result) => boolean,
): Promise<void> {
  let worker = newWorker();
  for (const seed of waiting) {
    const result = await resultOf(worker, seed, commands);
    if (!tell(result)) break;
    if (!("failure" in result)) continue;
    // The remains of a broken run must not meet the next seed.
    await worker.terminate();
    worker = newWorker();
  }
  await worker.terminate();
}

const newWorker = (): Worker => new Worker(new URL("./worker.ts", import.meta.url));

function resultOf(worker: Worker, seed: number, commands: number): Promise<Result> {
  return new Promise((resolve) => {
    const end = (result: Result): void => {
      clearTimeout(late);
      worker.off("error", broke);
      worker.off("message", end);
      resolve(result);
    };
    const broke = (error: unknown): void =>
      end({ seed, failure: `its worker broke: ${String(error)}` });
    const late = setTimeout(() => end({ seed, failure: "it never ends" }), PATIENCE_MILLIS);
    worker.once("error", broke);
    worker.once("message", end);
    worker.postMessage({ seed, commands });
  });
}

/** The results of many runs: counts only, so that fifty thousand fit. */
export class Tally {
  readonly failures: { readonly seed: number; readonly failure: string }[] = [];
  runs = 0;
  entries = 0;
  readonly #counts = new Map<string, number>();

  add(result: Result): void {
    this.runs += 1;
    if ("failure" in result) {
      this.failures.push(result);
      return;
    }
    this.entries += result.entries;
    for (const word of result.words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  /** Of how many runs each word is, the rarest first. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#counts].sort(([, a], [, b]) => a - b);
  }

  /** Those of the words that came up in less than a hundredth of the runs. */
  rare(wanted: readonly string[]): readonly string[] {
    return wanted.filter((word) => (this.#counts.get(word) ?? 0) * 100 < this.runs);
  }
}

/** Seeds that failed once: the first word of a line; what follows says why. */
export const corpus = (): readonly number[] =>
  readFileSync(corpusFile, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => Number(line.split(" ")[0]));

/** The state of the code in which a failure was seen. */
export function commit(): string {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: new URL("../..", import.meta.url) })
      .toString()
      .trim();
  return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
}

/** How a failure is told: what runs it again, and on what. */
export const failureText = (seed: number, failure: string): string =>
  `seed ${seed} fails at commit ${commit()}: npm run sim -- ${seed}\n${failure}`;
