// `npm run sim -- <seed>…` runs seeds; `npm run sim -- --seeds 1000 [--from 1]` the corpus and a
// range; `--commands` is how many commands a run gives, 2,000 unless told.
// Invariant: it exits 1 when a seed fails, says seed and commit, and adds the seed to the corpus.
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { commit, corpus, corpusFile, coverage, failureOf, type Result, runSeeds } from "./seeds.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "0" },
    from: { type: "string", default: "1" },
    commands: { type: "string", default: "2000" },
  },
});
const [count, from, commands] = [values.seeds, values.from, values.commands].map(Number);
const isWhole = (number: number | undefined): number is number => Number.isSafeInteger(number);
if (!isWhole(count) || !isWhole(from) || !isWhole(commands) || !positionals.every(isSeed)) {
  throw new Error("npm run sim -- <seed>… | --seeds <how many> [--from <seed>] [--commands <n>]");
}

function isSeed(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

const range = Array.from({ length: count }, (_, at) => from + at);
const known = corpus();
const seeds = new Set([...positionals.map(Number), ...(count > 0 ? known : []), ...range]);
const startedMillis = performance.now();
let failed = 0;

function tell(result: Result): boolean {
  if ("failure" in result) {
    failed += 1;
    process.stdout.write(`${failureOf(result)}\n`);
    if (!known.includes(result.seed)) appendFileSync(corpusFile, `${result.seed}\n`);
  } else if (count === 0) {
    const { seed, entries, head, words } = result;
    process.stdout.write(`seed ${seed}: ${entries} entries, head ${head}\n${words.join(", ")}\n`);
  }
  return true;
}

const results = await runSeeds([...seeds], commands, tell);
const seconds = ((performance.now() - startedMillis) / 1000).toFixed(1);
if (count > 0) {
  for (const [word, runs] of [...coverage(results)].sort(([, a], [, b]) => a - b)) {
    process.stdout.write(`${String(runs).padStart(6)} ${word}\n`);
  }
}
process.stdout.write(
  `${seeds.size} seeds of ${commands} commands in ${seconds} s, ${failed} failed (${commit()})\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
