// The thread of a share of the cohorts: it answers once, with their totals.
// Invariant: nothing is asked or told beside the share and its result.
import { parentPort, workerData } from "node:worker_threads";
import { pastOf } from "./past.ts";
import type { CohortShare } from "./pool.ts";
import { replayCohorts } from "./replay.ts";
import { totalsOf } from "./totals.ts";

const { history, plan, months }: CohortShare = workerData;
parentPort?.postMessage(replayCohorts(pastOf(history), plan, months).map(totalsOf));
