// Zillow's wide CSV (old and new layouts, spreadsheet dates too), plain or gzip-compressed, row by
// row.
// Invariant: month columns follow each other to the end of the row; a row is told as it stands.
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";
import { addMonths, type Month, monthOf, parseMonth } from "#base/month.ts";
import type { PricingLevel } from "#pricing/constants.ts";

export type CsvRow = readonly string[];

export async function* rowsOf(path: string): AsyncGenerator<CsvRow> {
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

/** A region's line; `cells` has one a month. */
interface WideRow {
  readonly name: string;
  readonly level: PricingLevel | undefined;
  readonly isNation: boolean;
  /** The state as the file writes it; undefined where it does not. */
  readonly state: string | undefined;
  /** Five digits, where the file has the columns of counties. */
  readonly fips: string | undefined;
  readonly cells: CsvRow;
}

interface WideHeader {
  readonly first: Month;
  readonly count: number;
  readonly columns: CsvRow;
  readonly read: (row: CsvRow) => WideRow;
}

/** @throws Error where the header has no months, or a month out of its place */
export function readWideHeader(file: string, header: CsvRow): WideHeader {
  const start = header.findIndex((cell) => monthIn(cell) !== undefined);
  const first = monthIn(header[start] ?? "");
  if (start < 0 || first === undefined) {
    throw new Error(`${file}: no month columns written YYYY-MM-DD or YYYY-MM in the header`);
  }
  for (let at = start; at < header.length; at += 1) {
    const cell = header[at] ?? "";
    if (monthIn(cell) !== addMonths(first, at - start)) {
      throw new Error(`${file}: column ${at + 1} "${cell}" is not the month after the one before`);
    }
  }
  return {
    first,
    count: header.length - start,
    columns: header.slice(start),
    read: reader(header, start),
  };
}

/** As the provider writes it, or as a spreadsheet writes that back (1/31/2000). */
function monthIn(cell: string): Month | undefined {
  const spread = /^(\d{1,2})\/\d{1,2}\/(\d{4})$/.exec(cell);
  const number = Number(spread?.[1]);
  if (spread !== null && number >= 1 && number <= 12) return monthOf(Number(spread[2]), number);
  return /^(\d{4}-\d{2})(-\d{2})?$/.test(cell) ? parseMonth(cell.slice(0, 7)) : undefined;
}

const levels: Readonly<Record<string, PricingLevel>> = {
  msa: "metro",
  state: "state",
  county: "county",
  city: "city",
  neighborhood: "neighborhood",
  zip: "zip",
};

/** A name however it is spelt: Region_ID, region id. */
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

function reader(header: CsvRow, start: number): (row: CsvRow) => WideRow {
  const letters = header.map(lettersOf);
  const column = (name: string): number => letters.indexOf(lettersOf(name));
  const [nameAt, typeAt] = [column("RegionName"), column("RegionType")];
  const stateAt = column("State") >= 0 ? column("State") : column("StateName");
  const [stateFipsAt, countyFipsAt] = [column("StateCodeFIPS"), column("MunicipalCodeFIPS")];
  return (row) => {
    const type = row[typeAt]?.toLowerCase() ?? "";
    const name = row[nameAt] ?? "";
    const told = levels[type];
    const state = told === "state" ? name : row[stateAt];
    const [stateFips, countyFips] = [row[stateFipsAt], row[countyFipsAt]];
    return {
      name,
      level: told ?? (stateFipsAt >= 0 ? "county" : undefined),
      isNation: type === "country" || name === "United States",
      state: state === "" ? undefined : state,
      fips:
        stateFips === undefined || countyFips === undefined
          ? undefined
          : stateFips.padStart(2, "0") + countyFips.padStart(3, "0"),
      cells: row.slice(start),
    };
  };
}
