// `npm run bench [-- section … --write]`: figures as ratios measured in one run on this machine.
// `--before <checkout> --turns 5`: beside an earlier checkout, in turns; a table for a document.
// Invariant: nothing here passes or fails; a figure is for comparing designs, not for promises.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { archive } from "./archive.ts";
import { core } from "./core.ts";
import { entries } from "./entries.ts";
import { exporting } from "./export.ts";
import { documentTable, type Figure, plainTable, type Section } from "./figure.ts";
import { followers } from "./followers.ts";
import { growth } from "./growth.ts";
import { hot } from "./hot.ts";
import { index } from "./index.ts";
import { ingest } from "./ingest.ts";
import { mandates } from "./mandates.ts";
import { margin } from "./margin.ts";
import { marks } from "./marks.ts";
import { national } from "./national.ts";
import { orders } from "./orders.ts";
import { overload } from "./overload.ts";
import { quote } from "./quote.ts";
import { replay } from "./replay.ts";
import { requote } from "./requote.ts";
import { snapshots } from "./snapshots.ts";
import { start } from "./start.ts";
import { stream } from "./stream.ts";
import { surface } from "./surface.ts";
import { inTurns } from "./turns.ts";
import { verification } from "./verification.ts";

const sections: ReadonlyMap<string, Section> = new Map(
  Object.entries({
    index,
    hot,
    orders,
    overload,
    stream,
    followers,
    core,
    entries,
    archive,
    growth,
    surface,
    national,
    quote,
    margin,
    mandates,
    marks,
    replay,
    requote,
    export: exporting,
    ingest,
    snapshots,
    start,
    verification,
  }),
);
const documentFile = new URL("../docs/internals/performance.md", import.meta.url);
const BEGIN = "<!-- figures: written by npm run bench -- --write -->";
const END = "<!-- end of figures -->";

async function measure(name: string, section: Section): Promise<readonly Figure[]> {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} measuring ${name} …\n`);
  const endings: (() => Promise<void>)[] = [];
  try {
    return await section({ after: (end) => void endings.push(end) });
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

/** The others are measured all the same: a run of all of them takes too long to be lost. */
function failed(error: unknown): readonly Figure[] {
  process.stderr.write(`failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
  return [];
}

function machineLine(): string {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: new URL("..", import.meta.url) })
      .toString()
      .trim();
  const changed = git("status", "--porcelain", "src") === "" ? "" : " with changes";
  const [processor] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return (
    `${cpus().length} × ${processor?.model ?? "processor"}, load ${loadavg()[0]?.toFixed(1)}, ` +
    `Node ${process.version}, commit ${git("rev-parse", "--short", "HEAD")}${changed}, ${date}`
  );
}

function write(figures: readonly Figure[], machine: string): void {
  const text = readFileSync(documentFile, "utf8");
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${documentFile.pathname} has no block of figures`);
  const block = `${BEGIN}\n\n${machine}\n\n${documentTable(figures)}\n\n${END}`;
  writeFileSync(documentFile, `${before}${block}${after}`);
}

async function main(): Promise<void> {
  const { values, positionals: named } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: "boolean", default: false },
      before: { type: "string" },
      turns: { type: "string", default: "5" },
    },
  });
  const unknown = named.find((name) => !sections.has(name));
  if (unknown !== undefined) {
    process.stderr.write(`no section ${unknown}: ${[...sections.keys()].join(", ")}\n`);
    process.exitCode = 2;
    return;
  }
  const machine = machineLine();
  console.log(machine);
  if (values.before !== undefined) {
    const turns = Number(values.turns);
    if (!(turns >= 1)) throw new Error(`--turns ${values.turns}: one at least`);
    console.log(inTurns(named, values.before, turns));
    return;
  }
  const figures: Figure[] = [];
  for (const [name, section] of sections) {
    if (named.length === 0 || named.includes(name)) {
      figures.push(...(await measure(name, section).catch(failed)));
    }
  }
  console.log(plainTable(figures));
  if (values.write) write(figures, machine);
}

await main();
