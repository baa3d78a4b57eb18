// Many seeds at once, on as many workers as there are processors.
// Invariant: a seed is run once and alone, whatever becomes of others; results keep their order.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

export const corpusFile = new URL("./corpus.txt", import.meta.url);

export type Result =
  | {
      readonly seed: number;
      readonly entries: number;
      readonly head: string;
      readonly words: readonly string[];
    }
  | { readonly seed: number; readonly failure: string };

export async function runSeeds(
  seeds: readonly number[],
  commands: number,
  /** False: no seed after those under way. */
  goesOn: (result: Result) => boolean,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const waiting = seeds.values();
  const lanes = Math.min(availableParallelism(), seeds.length);
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url));
      for (const seed of waiting) {
        const result = await told(worker, { seed, commands });
        results.set(seed, result);
        if (!goesOn(result)) break;
      }
      await worker.terminate();
    }),
  );
  return seeds.flatMap((seed) => results.get(seed) ?? []);
}

function told(worker: Worker, task: { seed: number; commands: number }): Promise<Result> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (result: Result) => {
      worker.off("error", reject);
      resolve(result);
    });
    worker.postMessage(task);
  });
}

/** Seeds that failed once: the first word of a line; what follows says why. */
export const corpus = (): readonly number[] =>
  readFileSync(corpusFile, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => Number(line.split(" ")[0]));

/** Which state of the code a failure is of. */
export function commit(): string {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: new URL("../..", import.meta.url) })
      .toString()
      .trim();
  return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
}

/** Empty where it did not fail. */
export function failureOf(result: Result): string {
  if (!("failure" in result)) return "";
  const { seed, failure } = result;
  return `seed ${seed} fails at commit ${commit()}: npm run sim -- ${seed}\n${failure}`;
}

/** Of how many runs each word is. */
export function coverage(results: readonly Result[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const result of results) {
    if ("failure" in result) continue;
    for (const word of result.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
