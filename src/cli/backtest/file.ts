// The files a backtest runs on: Zillow's wide CSV (old and new layouts) and FHFA's metro list,
// plain or gzip-compressed, read into one panel.
// Invariant: a cell that is neither blank nor a positive number stops the reading and is named.
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";
import { addMonths, type Month, monthOf, parseMonth } from "#base/month.ts";
import { type Panel, panelOf, type RawNode } from "#pricing/backtest/panel.ts";
import type { PricedIndex, PricingLevel } from "#pricing/constants.ts";

type CsvRow = readonly string[];

/** Reads a file whole; `level` overrides what the file says. Throws on what it cannot read. */
export async function readPanel(
  path: string,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<Panel> {
  const rows = rowsOf(path);
  const first = await rows.next();
  if (first.done === true) throw new Error(`${basename(path)}: the file is empty`);
  return isFhfa(first.value)
    ? readFhfa(basename(path), first.value, rows, index, level)
    : readWide(basename(path), first.value, rows, index, level);
}

async function* rowsOf(path: string): AsyncGenerator<CsvRow> {
  const bytes = createReadStream(path);
  const text = path.endsWith(".gz") ? bytes.pipe(createGunzip()) : bytes;
  const parser = text.pipe(parse({ bom: true }));
  const fail = (error: Error): void => {
    parser.destroy(error);
  };
  bytes.on("error", fail);
  text.on("error", fail);
  for await (const row of parser) if (isRow(row)) yield row;
}

const isRow = (row: unknown): row is CsvRow =>
  Array.isArray(row) && row.every((cell) => typeof cell === "string");

const isFhfa = (row: CsvRow): boolean =>
  row.length >= 5 && /^\d{4}$/.test(row[2] ?? "") && /^[1-4]$/.test(row[3] ?? "");

const monthPattern = /^(\d{4}-\d{2})(-\d{2})?$/;

/** The month columns of a wide header, which must follow each other to the end of the row. */
function monthColumns(
  file: string,
  header: CsvRow,
): { start: number; first: Month; count: number } {
  const start = header.findIndex((cell) => monthPattern.test(cell));
  const first = parseMonth(header[start]?.slice(0, 7) ?? "");
  if (start < 0 || first === undefined) {
    throw new Error(`${file}: no month columns written YYYY-MM-DD or YYYY-MM in the header`);
  }
  for (let at = start; at < header.length; at += 1) {
    const cell = header[at] ?? "";
    const month = monthPattern.test(cell) ? parseMonth(cell.slice(0, 7)) : undefined;
    if (month !== addMonths(first, at - start)) {
      throw new Error(`${file}: column ${at + 1} "${cell}" is not the month after the one before`);
    }
  }
  return { start, first, count: header.length - start };
}

const levels: Readonly<Record<string, PricingLevel>> = {
  msa: "metro",
  state: "state",
  county: "county",
  city: "city",
  neighborhood: "neighborhood",
  zip: "zip",
};

async function readWide(
  file: string,
  header: CsvRow,
  rows: AsyncGenerator<CsvRow>,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<Panel> {
  const { start, first, count } = monthColumns(file, header);
  const column = (name: string): number => header.indexOf(name);
  const [nameAt, typeAt] = [column("RegionName"), column("RegionType")];
  const stateAt = column("State") >= 0 ? column("State") : column("StateName");
  const nodes: RawNode[] = [];
  let told: PricingLevel | undefined;
  for await (const row of rows) {
    const type = row[typeAt]?.toLowerCase() ?? "";
    const name = row[nameAt] ?? "";
    told ??= levels[type];
    const logs = new Float64Array(count);
    for (let at = 0; at < count; at += 1) {
      logs[at] = logOf(file, name, header[start + at] ?? "", row[start + at] ?? "");
    }
    const state = told === "state" ? name : row[stateAt];
    const isNation = type === "country" || name === "United States";
    nodes.push({ name, state: state === "" ? undefined : state, isNation, logs });
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

/** Rows of name, code, year, quarter, index or "-", error; "Augusta, GA-SC" counts to GA. */
async function readFhfa(
  file: string,
  firstRow: CsvRow,
  rows: AsyncGenerator<CsvRow>,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<Panel> {
  const byName = new Map<string, Map<Month, number>>();
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const take = (row: CsvRow): void => {
    const [name = "", , year = "", quarter = "", cell = ""] = row;
    const month = monthOf(Number(year), 3 * Number(quarter));
    const known = byName.get(name) ?? new Map<Month, number>();
    byName.set(name, known);
    known.set(month, logOf(file, name, `${year}Q${quarter}`, cell === "-" ? "" : cell));
    [first, last] = [Math.min(first, month), Math.max(last, month)];
  };
  take(firstRow);
  for await (const row of rows) take(row);

  const start = monthOf(Math.floor(first / 12), (first % 12) + 1);
  const nodes = [...byName].map(([name, values]): RawNode => {
    const state = /, ([A-Z]{2})/.exec(name)?.[1];
    return { name, state, isNation: false, logs: quarterlyGrid(values, start, last - first + 1) };
  });
  return panelOf(file, index, level ?? "metro", 3, start, nodes);
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
