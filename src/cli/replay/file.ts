// The wide file a replay runs on, read into the history of its places, every digit kept.
// Invariant: a cell that is neither blank nor a positive number stops the reading and is named.
import { basename } from "node:path";
import { type PrintValue, parsePrintValue } from "#base/print-value.ts";
import type { PricedIndex, PricingLevel } from "#pricing/constants.ts";
import type { HistoryRow, ProviderHistory } from "#replay/past.ts";
import { readWideHeader, rowsOf } from "../wide-file.ts";

/** `level` overrides what the file says. */
export async function readHistory(
  path: string,
  index: PricedIndex,
  level: PricingLevel | undefined,
): Promise<ProviderHistory> {
  const file = basename(path);
  const lines = rowsOf(path);
  const header = await lines.next();
  if (header.done === true) throw new Error(`${file}: the file is empty`);
  const { first, count, columns, read } = readWideHeader(file, header.value);
  const rows: HistoryRow[] = [];
  let told: PricingLevel | undefined;
  for await (const line of lines) {
    const { cells, level: ofRow, ...row } = read(line);
    told ??= ofRow;
    const values = columns.map((column, at) => printIn(file, row.name, column, cells[at] ?? ""));
    rows.push({ ...row, values });
  }
  const known = level ?? told;
  if (known === undefined) throw new Error(`${file}: does not say its level: give it by --level`);
  if (count === 0 || rows.length === 0) throw new Error(`${file}: no rows`);
  return { index, level: known, firstMonth: first, rows };
}

function printIn(file: string, name: string, column: string, cell: string): PrintValue | null {
  if (cell === "") return null;
  const value = parsePrintValue(cell);
  if (value === undefined || value <= 0n) {
    throw new Error(`${file}: "${cell}" in column ${column} of ${name} is no positive number`);
  }
  return value;
}
