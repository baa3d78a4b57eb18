// Cohorts spread over worker threads, each with the whole history and every n-th cohort.
// Invariant: the results are those of one thread, in the order of the months.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Month } from "#base/month.ts";
import type { Plan } from "./cohort.ts";
import type { ProviderHistory } from "./past.ts";
import type { CohortTotals } from "./totals.ts";

export interface CohortShare {
  readonly history: ProviderHistory;
  readonly plan: Plan;
  readonly months: readonly Month[];
}

/** @throws the first fault of any thread; the others are ended */
export async function replayOnThreads(share: CohortShare): Promise<readonly CohortTotals[]> {
  const { months } = share;
  const threads = Math.min(availableParallelism(), months.length);
  const shares = Array.from({ length: threads }, (_, thread) => ({
    ...share,
    months: months.filter((__, at) => at % threads === thread),
  }));
  const workers = shares.map((workerData) => new Worker(workerFile, { workerData }));
  try {
    const results = await Promise.all(workers.map(resultOf));
    return results.flat().sort((a, b) => a.month - b.month);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

const workerFile = new URL("./worker.ts", import.meta.url);

const resultOf = (worker: Worker): Promise<readonly CohortTotals[]> =>
  new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`a thread of the replay ended with ${code}`)));
  });
