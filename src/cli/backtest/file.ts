// The files a backtest runs on: Zillow's wide CSV (old and new layouts) and FHFA's metro list,
// plain or gzip-compressed, read into one panel.
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
  return isFhfa(first.value)
    ? readFhfa(basename(path), first.value, rows, index, level)
    : readWide(basename(path), first.value, rows, index, level);
}

const isFhfa = (row: CsvRow): boolean =>
  row.length >= 5 && /^\d{4}$/.test(row[2] ?? "") && /^[1-4]$/.test(row[3] ?? "");

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
