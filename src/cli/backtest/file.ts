// The files a backtest runs on: Zillow's wide CSV (old and new layouts) and FHFA's lists of metros,
// states, divisions and of all of them, plain or gzip-compressed, read into one panel.
// Invariant: a cell that is neither blank nor a positive number stops the reading and is named.
import { basename } from "node:path";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { type Panel, panelOf, type RawNode } from "#pricing/backtest/panel.ts";
import type { PricedIndex, PricingLevel } from "#pricing/constants.ts";
import { type CsvRow, readWideHeader, rowsOf } from "../wide-file.ts";

/** Reads a file whole; `level` overrides what the file says. Throws on what it cannot read. */
export async function readPanel(
  path: string,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<Panel> {
  const rows = rowsOf(path);
  const first = await rows.next();
  if (first.done === true) throw new Error(`${basename(path)}: the file is empty`);
  const read = fhfaForm(first.value, level);
  return read === undefined
    ? readWide(basename(path), first.value, rows, index, level)
    : readFhfa(basename(path), read, first.value, rows, index, level);
}

/** A value of FHFA's: of a place in a quarter. */
interface FhfaCell {
  readonly name: string;
  readonly year: string;
  readonly quarter: string;
  /** The index, or a mark where there is none. */
  readonly cell: string;
  /** Undefined where the file leaves it to whoever knows it. */
  readonly level: PricingLevel | undefined;
}

/** Undefined: the row is of no place that is read. */
type FhfaForm = (row: CsvRow) => FhfaCell | undefined;

/** Of metros and of states. */
const missing = ["-", "."];

const isQuarter = (year = "", quarter = ""): boolean =>
  /^\d{4}$/.test(year) && /^[1-4]$/.test(quarter);

/** By the first row: FHFA's lists have no header, but for the one of everything (2015). */
function fhfaForm(first: CsvRow, level: PricingLevel | undefined): FhfaForm | undefined {
  // Metros since 1995: name, code, year, quarter, index, error.
  if (first.length >= 5 && isQuarter(first[2], first[3])) {
    return ([name = "", , year = "", quarter = "", cell = ""]) => ({
      ...{ name, year, quarter, cell },
      level: "metro",
    });
  }
  // States since 1995, and the nation with its divisions: letters, year, quarter, index.
  if (first.length === 4 && isQuarter(first[1], first[2])) {
    return ([name = "", year = "", quarter = "", cell = ""]) => ({
      ...{ name, year, quarter, cell },
      level: /^[A-Z]{2}$/.test(name) ? "state" : undefined,
    });
  }
  return first[0] === "hpi_type" ? masterForm(first, level) : undefined;
}

const masterLevels: Readonly<Record<string, PricingLevel>> = { MSA: "metro", State: "state" };

/** The list of everything; of it the index that the others are of, of one level. */
function masterForm(header: CsvRow, level: PricingLevel = "metro"): FhfaForm {
  return (row) => {
    const of = (column: string): string => row[header.indexOf(column)] ?? "";
    const isIndex =
      of("hpi_type") === "traditional" &&
      of("hpi_flavor") === "all-transactions" &&
      of("frequency") === "quarterly";
    if (!isIndex || masterLevels[of("level")] !== level) return undefined;
    const name = level === "state" ? of("place_id") : of("place_name");
    return { name, year: of("yr"), quarter: of("period"), cell: of("index_nsa"), level };
  };
}

async function readWide(
  file: string,
  header: CsvRow,
  rows: AsyncGenerator<CsvRow>,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<Panel> {
  const { first, count, columns, read } = readWideHeader(file, header);
  const nodes: RawNode[] = [];
  let told: PricingLevel | undefined;
  for await (const row of rows) {
    const { name, level: ofRow, state, isNation, cells } = read(row);
    told ??= ofRow;
    const logs = new Float64Array(count);
    for (let at = 0; at < count; at += 1) {
      logs[at] = logOf(file, name, columns[at] ?? "", cells[at] ?? "");
    }
    nodes.push({ name, state, isNation, logs });
  }
  const known = level ?? told;
  if (known === undefined) throw new Error(`${file}: does not say its level: give it by --level`);
  return panelOf(file, index, known, 1, first, nodes);
}

function logOf(file: string, name: string, column: string, cell: string): number {
  if (cell === "") return Number.NaN;
  const value = Number(cell);
  if (!(value > 0 && Number.isFinite(value))) {
    throw new Error(`${file}: "${cell}" in column ${column} of ${name} is no positive number`);
  }
  return Math.log(value);
}

/** "Augusta, GA-SC" counts to GA. */
async function readFhfa(
  file: string,
  read: FhfaForm,
  firstRow: CsvRow,
  rows: AsyncGenerator<CsvRow>,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<Panel> {
  const byName = new Map<string, Map<Month, number>>();
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let told: PricingLevel | undefined;
  const take = (row: CsvRow): void => {
    const found = read(row);
    if (found === undefined) return;
    const { name, year, quarter, cell } = found;
    told ??= found.level;
    const month = monthOf(Number(year), 3 * Number(quarter));
    const known = byName.get(name) ?? new Map<Month, number>();
    byName.set(name, known);
    known.set(month, logOf(file, name, `${year}Q${quarter}`, missing.includes(cell) ? "" : cell));
    [first, last] = [Math.min(first, month), Math.max(last, month)];
  };
  take(firstRow);
  for await (const row of rows) take(row);

  if (byName.size === 0) throw new Error(`${file}: no quarter of the level is in it`);
  const start = monthOf(Math.floor(first / 12), (first % 12) + 1);
  const nodes = [...byName].map(([name, values]): RawNode => {
    const state = /^[A-Z]{2}$/.exec(name)?.[0] ?? /, ([A-Z]{2})/.exec(name)?.[1];
    return {
      name,
      state,
      isNation: name === "USA",
      logs: quarterlyGrid(values, start, last - first + 1),
    };
  });
  const known = level ?? told;
  if (known === undefined) throw new Error(`${file}: does not say its level: give it by --level`);
  return panelOf(file, index, known, 3, start, nodes);
}

/**
 * A straight line between neighbouring quarters. Momentum, five-year growth and the ratio of
 * volatilities, all taken at quarter ends, come out exactly as from the quarters themselves.
 */
function quarterlyGrid(
  values: ReadonlyMap<Month, number>,
  start: Month,
  months: number,
): Float64Array {
  const logs = new Float64Array(months).fill(Number.NaN);
  for (let at = 0; at < months; at += 3) {
    const value = values.get(addMonths(start, at)) ?? Number.NaN;
    logs[at] = value;
    const before = logs[at - 3] ?? Number.NaN;
    if (at === 0 || Number.isNaN(value) || Number.isNaN(before)) continue;
    logs[at - 2] = before + (value - before) / 3;
    logs[at - 1] = before + (2 * (value - before)) / 3;
  }
  return logs;
}
