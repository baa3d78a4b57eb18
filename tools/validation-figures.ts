// Draws the figures by which validation's limits are set, from a folder of the provider's files as
// `<index>/<level>/<newest month>/<file>.csv.gz`: `node tools/validation-figures.ts <folder>`.
// Invariant: validation itself is asked, of each month that a file has; no limit is known here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { nodeId } from "#base/ids.ts";
import { addMonths, formatMonth, type Month, monthEndMillis, parseMonth } from "#base/month.ts";
import { type PrintValue, parsePrintValue, printValue } from "#base/print-value.ts";
import { decideNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";
import { chainingOf } from "#prints/release.ts";
import { ReleaseValidation } from "#prints/release-validation.ts";
import type { ValidationReason } from "#prints/validation-reason.ts";
import { type Grid, gridOf } from "#test/ingest/damaged-files.ts";
import { monthBefore, printDamages, printedOf, wholeRows } from "#test/ingest/print-damages.ts";
import { zillow } from "#test/ingest/validation-series.ts";

type WideIndex = "zhvi" | "zori";
const levels = ["state", "metro", "county", "city", "neighborhood", "zip"] as const;
type Level = (typeof levels)[number];

interface Vintage {
  readonly index: WideIndex;
  readonly level: Level;
  readonly name: string;
  readonly grid: Grid;
  /** By region. */
  readonly rows: ReadonlyMap<string, MonthRow>;
  readonly lastMonth: Month;
}

interface Figures {
  prints: number;
  months: number;
  held: number;
  readonly heldFiles: string[];
}

/** Months of a place's past that validation looks back over, and a year. */
const PAST_MONTHS = 132;

export function vintagesIn(folder: string): readonly Vintage[] {
  const found: Vintage[] = [];
  for (const index of ["zhvi", "zori"] as const) {
    for (const level of levels) {
      for (const name of namesIn(join(folder, index, level))) {
        const path = join(folder, index, level, name);
        const [file] = namesIn(path);
        const vintage = file && vintageOf(index, level, name, readFileSync(join(path, file)));
        if (vintage) found.push(vintage);
      }
    }
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Undefined where the file has been turned about, or its rows hold no numbers. */
function vintageOf(
  index: WideIndex,
  level: Level,
  name: string,
  packed: Buffer,
): Vintage | undefined {
  const all = gridOf(gunzipSync(packed));
  const { firstValue } = all;
  const last = all.header.findLastIndex((column) => monthIn(column) !== undefined);
  const firstMonth = monthIn(all.header[firstValue] ?? "");
  if (firstMonth === undefined || last < firstValue) return undefined;
  const header = all.header.slice(0, last + 1);
  const ownRows = all.rows.filter(([id = ""]) => /^\d+$/.test(id));
  const grid = { header, firstValue, rows: ownRows.map((cells) => cells.slice(0, last + 1)) };
  const rows = new Map<string, MonthRow>();
  for (const cells of grid.rows) {
    rows.set(cells[0] ?? "", { firstMonth, values: cells.slice(firstValue).map(valueIn) });
  }
  return { index, level, name, grid, rows, lastMonth: addMonths(firstMonth, last - firstValue) };
}

const valueIn = (cell: string): PrintValue | null =>
  cell === "" ? null : (parsePrintValue(cell) ?? null);

/** As the provider writes a month, or as a spreadsheet does. */
function monthIn(column: string): Month | undefined {
  const [, month = "", year = ""] = /^(\d{1,2})\/\d{1,2}\/(\d{2}|\d{4})$/.exec(column) ?? [];
  if (year === "") return parseMonth(column.slice(0, 7));
  return parseMonth(`${year.length === 2 ? `20${year}` : year}-${month.padStart(2, "0")}`);
}

const nothing = (): Figures => ({ prints: 0, months: 0, held: 0, heldFiles: [] });

/** Each month of a file as a release, the months before it as what is known. */
export function replayed({ index, level, rows, lastMonth }: Vintage): Figures {
  const figures = nothing();
  const firstMonth = Math.min(...[...rows.values()].map((row) => row.firstMonth));
  for (let month = firstMonth + 1; month <= lastMonth; month += 1) {
    const validation = new ReleaseValidation(index, level);
    for (const [regionId, { firstMonth: first, values }] of rows) {
      const at = month - first;
      const from = Math.max(0, at - PAST_MONTHS);
      const known = values.slice(from, at);
      const value = values[at] ?? null;
      const row = { firstMonth: addMonths(first, from), values: values.slice(from, at + 1) };
      if (row.values.every((one) => one === null)) continue;
      const valued = known.filter((one) => one !== null).length;
      const isKnown = valued > 0;
      const prints = value === null ? [] : [{ month, valueE15: value, backfill: !isKnown }];
      const whole = { unchanged: 0, revised: valued, isRescaled: true, lastShared: at - from - 1 };
      const reasons = validation.add(
        { node: nodeId(`${level}:${regionId}`), regionId },
        isKnown ? { firstMonth: row.firstMonth, latest: known } : undefined,
        row,
        prints.map((print) => ({ ...print, month: addMonths(first, at) })),
        isKnown ? whole : undefined,
      );
      if (value !== null && isKnown) figures.prints += 1;
      if (reasons.length > 0) figures.held += 1;
    }
    const newest = addMonths(lastMonth, month - lastMonth);
    note(figures, newest, reasonsOf(validation, newest, addMonths(newest, -1)));
  }
  return figures;
}

function reasonsOf(
  validation: ReleaseValidation,
  lastMonth: Month,
  before: Month,
): readonly ValidationReason[] {
  const published = (month: Month): number => monthEndMillis(month) + 15 * 86_400_000;
  const release = { lastMonth, publishedAtMillis: published(lastMonth) };
  const known = { id: "before", lastMonth: before, publishedAtMillis: published(before) };
  return validation.reasons(release, known, []);
}

function note(figures: Figures, month: Month, reasons: readonly ValidationReason[]): void {
  figures.months += 1;
  if (reasons.length === 0) return;
  figures.heldFiles.push(`${formatMonth(month)} ${reasons.map(({ code }) => code).join(" ")}`);
}

/** Of the newest month of each place: the largest points that its print may be wrong by, unseen. */
export function blindSpots({ index, level, rows, lastMonth }: Vintage): readonly number[] {
  const spots: number[] = [];
  for (const [regionId, { firstMonth, values }] of rows) {
    const at = lastMonth - firstMonth;
    const [value = null, before = null] = [values[at], values[at - 1]];
    if (value === null || before === null) continue;
    const passes = (points: number): boolean => {
      const wrong = printValue((value * BigInt(Math.round(1e6 + 1e4 * points))) / 1_000_000n);
      const row = { firstMonth, values: values.with(at, wrong) };
      const known = { firstMonth, latest: values.slice(0, at) };
      const prints = [{ month: lastMonth, valueE15: wrong, backfill: false }];
      const place = { node: nodeId(`${level}:${regionId}`), regionId };
      return new ReleaseValidation(index, level).add(place, known, row, prints).length === 0;
    };
    spots.push(
      Math.max(
        largest(passes),
        largest((points) => passes(-points)),
      ),
    );
  }
  return spots.sort((one, other) => one - other);
}

/** To a hundredth; beyond 40 nothing passes. */
function largest(passes: (points: number) => boolean): number {
  let [least, most] = [0, 40];
  while (most - least > 0.01) {
    const middle = (least + most) / 2;
    if (passes(middle)) least = middle;
    else most = middle;
  }
  return least;
}

function tellBlindSpots(vintages: readonly Vintage[]): void {
  print("file", "places", "the middle place", "one in ten", "the worst");
  for (const vintage of vintages) {
    const spots = blindSpots(vintage);
    const [middle, tenth] = [0.5, 0.9].map((part) => spots[Math.floor(part * spots.length)] ?? 0);
    const points = [middle, tenth, spots.at(-1)].map((one) => (one ?? 0).toFixed(1));
    print(`${vintage.index} ${vintage.level} ${vintage.name}`, spots.length, ...points);
  }
}

/** A later vintage as a release, on what the earlier one left known: as they were published. */
export function walked(earlier: Vintage, later: Vintage, isDeclared: boolean): Figures {
  const { index, level, lastMonth } = later;
  const chaining = chainingOf(index, level);
  const figures = nothing();
  const validation = new ReleaseValidation(index, level, isDeclared);
  for (const [regionId, row] of later.rows) {
    const before = earlier.rows.get(regionId);
    const known = before && knownAfter(undefined, decideNode(undefined, before, chaining));
    const { newPrints } = decideNode(known, row, chaining);
    const place = { node: nodeId(`${level}:${regionId}`), regionId };
    const reasons = validation.add(place, known, row, newPrints);
    figures.prints += newPrints.filter(({ backfill }) => !backfill).length;
    if (reasons.length > 0) figures.held += 1;
  }
  note(figures, lastMonth, reasonsOf(validation, lastMonth, earlier.lastMonth));
  return figures;
}

const print = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};

function tellFigures(name: string, figures: Figures): void {
  const { prints, held, months, heldFiles } = figures;
  print(name, prints, held, months, heldFiles.length === 0 ? "none" : heldFiles.join("; "));
}

/** The methods of home values that began in these months restated all history. */
const methods = ["2019-11", "2023-01"];

const isAcrossMethods = ({ index, name }: Vintage, later: Vintage): boolean =>
  index === "zhvi" && methods.some((month) => name < month && later.name >= month);

function tellHolds(vintages: readonly Vintage[]): void {
  print("file", "prints", "places held", "months", "files held");
  for (const vintage of vintages) {
    tellFigures(`${vintage.index} ${vintage.level} ${vintage.name}`, replayed(vintage));
  }
  for (const [at, later] of vintages.entries()) {
    const earlier = vintages[at - 1];
    if (earlier?.index !== later.index || earlier.level !== later.level) continue;
    const name = `${later.index} ${later.level} ${earlier.name} → ${later.name}`;
    tellFigures(name, walked(earlier, later, isAcrossMethods(earlier, later)));
  }
}

async function tellDamages(vintages: readonly Vintage[], months: number): Promise<void> {
  const all = vintages.map(({ index, level, name, grid }) => ({
    sentAs: zillow(index, level),
    name: `${index} ${level} ${name}`,
    grid: wholeRows(grid, months),
  }));
  print("damage", ...all.map(({ name }) => name));
  const beyond = all.map(() => 0);
  for (const [name, spoil] of printDamages) {
    const cells: string[] = [];
    for (const [at, { sentAs, grid }] of all.entries()) {
      const { file, worstPoints } = await printedOf(sentAs, monthBefore(grid), grid, spoil);
      if (worstPoints > 1) beyond[at] = (beyond[at] ?? 0) + 1;
      cells.push(`${worstPoints.toFixed(2)} (${file})`);
    }
    print(name, ...cells);
  }
  print(`of ${printDamages.length}, wrong by more than a point`, ...beyond);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { damages: { type: "string", multiple: true }, blind: { type: "boolean" } },
    allowPositionals: true,
  });
  const [folder = "."] = positionals;
  const vintages = vintagesIn(folder);
  if (values.blind === true) return tellBlindSpots(vintages);
  if (values.damages === undefined) return tellHolds(vintages);
  const asked = new Set(values.damages);
  const damaged = vintages.filter(({ index, level, name }) =>
    asked.has(`${index}/${level}/${name}`),
  );
  await tellDamages(damaged, 36);
}

if (import.meta.main) await main();
