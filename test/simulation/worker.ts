// A worker of a run of many seeds: one seed at a time, as it is told.
// Invariant: every seed it is given is answered, with a report or with what went wrong.
import { inspect } from "node:util";
import { parentPort } from "node:worker_threads";
import { Simulation } from "./simulation.ts";

parentPort?.on("message", async ({ seed, commands }: { seed: number; commands: number }) => {
  try {
    const { entries, head, words, unanswered } = await new Simulation(seed).run(commands);
    parentPort?.postMessage({ seed, entries, head, words: [...words], unanswered });
  } catch (error) {
    parentPort?.postMessage({ seed, failure: inspect(error, { depth: 5 }) });
  }
});
