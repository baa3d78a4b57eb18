// `npm run sim -- <seed>…` runs seeds; `npm run sim -- --seeds 1000 [--from 1]` the corpus and a
// range; `--commands` is how many commands a run gives, 2,000 unless told.
// Invariant: a seed that fails stops no other; it is told with its commit and added to the corpus,
// and the run exits 1.
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { commit, corpus, corpusFile, failureText, type Result, runSeeds, Tally } from "./seeds.ts";

const PROGRESS_MILLIS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "0" },
    from: { type: "string", default: "1" },
    commands: { type: "string", default: "2000" },
  },
});
const isWhole = (text: string): boolean => /^\d{1,9}$/.test(text);
if (![...Object.values(values), ...positionals].every(isWhole)) {
  throw new Error("npm run sim -- <seed>… | --seeds <how many> [--from <seed>] [--commands <n>]");
}
const [count, from, commands] = [values.seeds, values.from, values.commands].map(Number);
if (count === undefined || from === undefined || commands === undefined) throw new Error("unset");

const perSeed: number = commands;
const range = Array.from({ length: count }, (_, at) => from + at);
const known = corpus();
const seeds = new Set([...positionals.map(Number), ...(count > 0 ? known : []), ...range]);
const startedMillis = performance.now();
const tally = new Tally();
let toldMillis = startedMillis;

function tell(result: Result): boolean {
  tally.add(result);
  if ("failure" in result) keep(result.seed, result.failure);
  else if (count === 0) {
    const { seed, entries, head, words } = result;
    process.stdout.write(`seed ${seed}: ${entries} entries, head ${head}\n${words.join(", ")}\n`);
  }
  if (performance.now() - toldMillis >= PROGRESS_MILLIS) {
    toldMillis = performance.now();
    process.stdout.write(`${said()}\n`);
  }
  return true;
}

function keep(seed: number, failure: string): void {
  process.stdout.write(`${failureText(seed, perSeed, failure)}\n`);
  if (known.includes(seed)) return;
  const [first = ""] = failure.split("\n");
  appendFileSync(corpusFile, `${seed} of ${commands} commands at ${commit()}: ${first}\n`);
}

function said(): string {
  const seconds = ((performance.now() - startedMillis) / 1000).toFixed(1);
  const { runs, entries, failures } = tally;
  const done = `${runs} of ${seeds.size} seeds, ${entries} entries`;
  return `${done}, ${seconds} s, ${failures.length} failed`;
}

await runSeeds([...seeds], commands, tell);
if (count > 0) {
  for (const [word, runs] of tally.counts) {
    process.stdout.write(`${String(runs).padStart(6)} ${word}\n`);
  }
}
const { failures } = tally;
if (failures.length > 0) {
  process.stdout.write(`failed: ${failures.map(({ seed }) => seed).join(" ")}\n`);
}
process.stdout.write(`${said()}, ${commands} commands each (${commit()})\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
