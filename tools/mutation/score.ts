// The score of a run of mutants: how many of each file were noticed, and which were not.
// Invariant: a mutant counts as equivalent only by a row that names it, and a row that names none
// that survived is a failure itself.
import { readFileSync } from "node:fs";
import type { MutantResult } from "@stryker-mutator/api/core";
import { tableRows } from "../table-rows.ts";
import type { Room } from "./rooms.ts";

type Equivalent = {
  readonly file: string;
  /** The line the mutant starts on, its source text (`*`: any), and what takes its place. */
  readonly line: string;
  readonly source: string;
  readonly replacement: string;
};

type Unnoticed = Equivalent & { readonly at: number; readonly covered: boolean };

type FileScore = {
  readonly file: string;
  readonly killed: number;
  readonly timeouts: number;
  readonly equivalent: number;
  readonly unnoticed: readonly Unnoticed[];
};

export function readEquivalents(path: string): readonly Equivalent[] {
  return tableRows(readFileSync(path, "utf8")).map(
    ([file = "", line = "", source = "", replacement = ""]) => ({
      file,
      line,
      source,
      replacement,
    }),
  );
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function describe(mutant: MutantResult, text: string): Unnoticed {
  const { start, end } = mutant.location;
  const lines = text.split("\n");
  const touched = lines.slice(start.line - 1, end.line);
  const last = touched.length - 1;
  const source = touched
    .map((line, at) => (at === last ? line.slice(0, end.column - 1) : line))
    .map((line, at) => (at === 0 ? line.slice(start.column - 1) : line))
    .join("\n");
  return {
    file: mutant.fileName,
    at: start.line,
    line: oneLine(lines[start.line - 1] ?? ""),
    source: oneLine(source),
    replacement: oneLine(mutant.replacement),
    covered: mutant.status !== "NoCoverage",
  };
}

const excuses = (row: Equivalent, mutant: Unnoticed): boolean =>
  row.file === mutant.file &&
  row.line === mutant.line &&
  (row.source === "*" || (row.source === mutant.source && row.replacement === mutant.replacement));

/** `results` name their files by paths from the working folder. */
export function scoreOf(
  file: string,
  text: string,
  results: readonly MutantResult[],
  equivalents: readonly Equivalent[],
): FileScore {
  const own = results.filter((mutant) => mutant.fileName === file);
  const count = (status: MutantResult["status"]) =>
    own.filter((mutant) => mutant.status === status).length;
  const left = own
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map((mutant) => describe(mutant, text));
  const unnoticed = left.filter((mutant) => !equivalents.some((one) => excuses(one, mutant)));
  return {
    file,
    killed: count("Killed"),
    timeouts: count("Timeout"),
    equivalent: left.length - unnoticed.length,
    unnoticed,
  };
}

/** Rows about these files that excuse nothing. */
export function idleEquivalents(
  files: ReadonlyMap<string, string>,
  results: readonly MutantResult[],
  equivalents: readonly Equivalent[],
): readonly Equivalent[] {
  const left = results.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const described = left.map((mutant) => describe(mutant, files.get(mutant.fileName) ?? ""));
  return equivalents.filter(
    (one) => files.has(one.file) && !described.some((mutant) => excuses(one, mutant)),
  );
}

/** Noticed of all, in percent with one decimal, cut. */
export function percentOf(scores: readonly FileScore[]): number {
  const noticed = sum(scores, ({ killed, timeouts }) => killed + timeouts);
  const all = noticed + sum(scores, ({ unnoticed }) => unnoticed.length);
  return all === 0 ? 100 : Math.floor((noticed * 1000) / all) / 10;
}

const sum = (scores: readonly FileScore[], of: (score: FileScore) => number): number =>
  scores.reduce((total, score) => total + of(score), 0);

const line = (name: string, scores: readonly FileScore[]): string => {
  const killed = sum(scores, (score) => score.killed);
  const timeouts = sum(scores, (score) => score.timeouts);
  const survived = sum(scores, ({ unnoticed }) => unnoticed.filter((one) => one.covered).length);
  const unreached = sum(scores, ({ unnoticed }) => unnoticed.filter((one) => !one.covered).length);
  const equivalent = sum(scores, (score) => score.equivalent);
  const percent = percentOf(scores).toFixed(1);
  const cells = [name, percent, killed, timeouts, survived, unreached, equivalent];
  return `| ${cells.join(" | ")} |`;
};

/** A Markdown table: the rooms, then the files. */
export function table(rooms: readonly Room[], scores: readonly FileScore[]): string {
  const within = ({ files }: Room) => scores.filter(({ file }) => files.includes(file));
  return [
    "| | noticed % | killed | endless | survived | not reached | equivalent |",
    "|---|---|---|---|---|---|---|",
    ...rooms.filter((room) => within(room).length > 0).map((room) => line(room.name, within(room))),
    ...scores.map((score) => line(`\`${score.file}\``, [score])),
  ].join("\n");
}
