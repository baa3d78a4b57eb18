// Many seeds at once, on as many workers as there are processors.
// Invariant: a seed is run once and alone, whatever becomes of others; each is told of.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

export const corpusFile = new URL("./corpus.txt", import.meta.url);

/** Of a processor, some sixty times what a seed takes: one that has not ended by then never will. */
const PATIENCE_SECONDS = 120;
/** Nor will one that waits: a worker that is only kept waiting by others works now and then. */
const LOOKED_MILLIS = 5_000;
const MOST_IDLE_LOOKS = 12;
const IDLE_MICROS = 5_000;
/** Where no commit is known, as in a copy of the checkout. */
const FIRST_OF_NO_COMMIT = 20_000_001;

export type Result =
  | {
      readonly seed: number;
      readonly entries: number;
      readonly head: string;
      readonly words: readonly string[];
      readonly unanswered: readonly string[];
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
      clearInterval(looking);
      worker.off("error", broke);
      worker.off("message", end);
      resolve(result);
    };
    const broke = (error: unknown): void =>
      end({ seed, failure: `its worker broke: ${String(error)}` });
    const isLate = patience(worker);
    const looking = setInterval(async () => {
      if (await isLate()) end({ seed, failure: "it never ends" });
    }, LOOKED_MILLIS);
    worker.once("error", broke);
    worker.once("message", end);
    worker.postMessage({ seed, commands });
  });
}

/** Judged by the worker's own time: beside busy neighbours a seed takes longer, but no more. */
function patience(worker: Worker): () => Promise<boolean> {
  let began: number | undefined;
  let before = 0;
  let idleLooks = 0;
  return async () => {
    const { user, system } = await worker.cpuUsage();
    const used = user + system;
    began ??= used;
    idleLooks = used - before < IDLE_MICROS ? idleLooks + 1 : 0;
    before = used;
    return used - began > PATIENCE_SECONDS * 1e6 || idleLooks >= MOST_IDLE_LOOKS;
  };
}

/** The results of many runs: counts only, so that fifty thousand fit. */
export class Tally {
  readonly failures: { readonly seed: number; readonly failure: string }[] = [];
  runs = 0;
  entries = 0;
  readonly #counts = new Map<string, number>();
  #unanswered: ReadonlySet<string> | undefined;

  add(result: Result): void {
    this.runs += 1;
    if ("failure" in result) {
      this.failures.push(result);
      return;
    }
    this.entries += result.entries;
    const unanswered = new Set(result.unanswered);
    this.#unanswered = this.#unanswered?.intersection(unanswered) ?? unanswered;
    for (const word of result.words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  /** Routes that only read, and answered in none of the runs. */
  get unanswered(): readonly string[] {
    return [...(this.#unanswered ?? [])];
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

/** Seeds of a commit's own: every commit is tried with some that no other was. */
export function firstOfCommit(): number {
  try {
    return Number.parseInt(git("rev-parse", "HEAD").slice(0, 7), 16);
  } catch {
    return FIRST_OF_NO_COMMIT;
  }
}

/** The state of the code in which a failure was seen. */
export function commit(): string {
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  } catch {
    return "unknown";
  }
}

const git = (...words: string[]): string =>
  execFileSync("git", words, {
    cwd: new URL("../..", import.meta.url),
    stdio: ["ignore", "pipe", "ignore"],
  })
    .toString()
    .trim();

/** How a failure is told: what runs it again, and on what. */
export const failureText = (seed: number, commands: number, failure: string): string =>
  `seed ${seed} fails at commit ${commit()}: ` +
  `npm run sim -- --commands ${commands} ${seed}\n${failure}`;
