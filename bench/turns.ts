// The same sections by this checkout and by an earlier one, in turns, so that both columns of a
// table are of one run; each figure is the median of the turns, with its least and its most.
// Invariant: each checkout measures itself, by its own programs, under the same Node.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { digits, median, times } from "./figure.ts";

const columns = ["what", "value", "against", "ratio"];

interface Row {
  readonly what: string;
  readonly value: string;
  readonly ratio: string;
}

/** Of one figure, a row of each turn. */
type Rows = Map<string, Row[]>;

const GOES_ON = /^(?:until its answer|the same)\b/;

/** A number that stands for itself: not the 50 of p50. */
const NUMBER = /(?<![a-z\d.])\d[\d,]*(?:\.\d+)?(?<!,)/gi;

/** A document's table; rows that one of the checkouts does not know have a dash there. */
export function inTurns(names: readonly string[], before: string, turns: number): string {
  const sides = [resolve(before), fileURLToPath(new URL("..", import.meta.url))];
  const told: readonly Rows[] = sides.map(() => new Map<string, Row[]>());
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [side, folder] of sides.entries()) {
      process.stderr.write(`turn ${turn + 1} of ${turns}, ${folder}\n`);
      const ofSide = told[side];
      for (const [name, row] of named(rowsOf(measured(folder, names)))) {
        ofSide?.set(name, [...(ofSide.get(name) ?? []), row]);
      }
    }
  }
  return tableOf(told);
}

/** By name: one that goes on about the row before it (`until its answer`) is named after that. */
function named(rows: readonly Row[]): ReadonlyMap<string, Row> {
  const byName = new Map<string, Row>();
  let before = "";
  for (const row of rows) {
    const name = row.what.replace(/\d[\d,]* entries/, "entries");
    const isOwn = !GOES_ON.test(name);
    if (isOwn) before = name;
    byName.set(isOwn ? name : `${before}, ${name}`, row);
  }
  return byName;
}

function measured(folder: string, names: readonly string[]): string {
  const { stdout, status } = spawnSync(process.execPath, ["bench/main.ts", ...names], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) process.stderr.write(`ended with ${status}\n`);
  return stdout;
}

/** Columns begin where those of the heading do; what the test runner adds is none of the table. */
function rowsOf(printed: string): readonly Row[] {
  const lines = printed.split("\n");
  const heading = lines.findIndex((line) => /^what +value +against +ratio/.test(line));
  const starts = columns.map((name) => lines[heading]?.indexOf(name) ?? 0);
  return lines
    .slice(heading + 1)
    .filter((line) => heading >= 0 && line.trim() !== "" && !line.startsWith("ℹ"))
    .map((line) => {
      const [what = "", value = "", , ratio = ""] = starts.map((start, at) =>
        line.slice(start, starts[at + 1]).trim(),
      );
      return { what, value, ratio };
    });
}

function tableOf([before = new Map(), now = new Map()]: readonly Rows[]): string {
  const lines = [...new Set([...before.keys(), ...now.keys()])].map((what) => {
    const [was, is] = [before.get(what) ?? [], now.get(what) ?? []];
    const cells = [was, is].flatMap((rows) => [spread(rows, "value"), spread(rows, "ratio")]);
    return `| ${[what, ...cells, changeOf(was, is)].join(" | ")} |`;
  });
  return [
    "| what | before | its ratio | now | its ratio | now / before |",
    "|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

const numbersIn = (text: string): readonly number[] =>
  (text.match(NUMBER) ?? []).map((number) => Number(number.replaceAll(",", "")));

/** The text of the last turn, each of its numbers with its median and its range. */
function spread(rows: readonly Row[], column: "value" | "ratio"): string {
  const texts = rows.map((row) => row[column]);
  let at = -1;
  return (texts.at(-1) ?? "–").replace(NUMBER, () => {
    at += 1;
    const values = texts.map((text) => numbersIn(text)[at] ?? Number.NaN);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const range = least === most ? "" : ` (${digits(least)} to ${digits(most)})`;
    return `${digits(median(values))}${range}`;
  });
}

/** Of the medians of the first number of the value: a turn may lack a section that failed. */
function changeOf(before: readonly Row[], now: readonly Row[]): string {
  if (before.length === 0 || now.length === 0) return "–";
  const [was = Number.NaN, is = Number.NaN] = [before, now].map((rows) =>
    median(rows.map(({ value }) => numbersIn(value)[0] ?? Number.NaN)),
  );
  return times(is / was);
}
