// Zillow's wide files (ZHVI, ZORI), old and new layouts, as a stream of regions with their history.
// Invariant: whole or nothing: a file whose rows all came out is one the provider wrote.
import { monthOf } from "#base/month.ts";
import { type PrintValue, parsePrintValue } from "#base/print-value.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import { noneWide, WordRow } from "#prints/packed-row.ts";
import { decimalsOf } from "#prints/print-word.ts";
import { type RefusalCode, ReleaseRefusal } from "#prints/refusal.ts";
import type { PrintLevel } from "#prints/release.ts";
import { FULL_CELL_LENGTH } from "./plain-line.ts";
import { everyMonth, type ProviderFile, type ProviderRow } from "./provider-file.ts";
import { type CsvLine, readCsvLines } from "./wide-csv.ts";
import {
  type ColumnName,
  type FileLevel,
  type Header,
  readHeader,
  shown,
} from "./zillow-layout.ts";

export interface ZillowFileKind {
  readonly index: "zhvi" | "zori";
  readonly level: FileLevel;
}

/** One region's line. Empty cells of the columns before the months are null. */
export interface ZillowRow extends ProviderRow {
  readonly metro: string | null;
}

interface ZillowFile extends ProviderFile {
  readonly header: Header;
  readonly rows: AsyncGenerator<ZillowRow>;
}

/**
 * Reads a file's header at once and its rows as they are asked for.
 * @param source decompressed bytes
 * @throws ReleaseRefusal, here or while reading rows, naming line and column where there is one
 */
export async function readZillowWide(
  source: AsyncIterable<Uint8Array>,
  kind: ZillowFileKind,
): Promise<ZillowFile> {
  const lines = readCsvLines(source);
  const first = await lines.next();
  if (first.done === true) {
    throw new ReleaseRefusal("EMPTY_FILE", {}, "The file is empty; download it again.");
  }
  try {
    const header = readHeader(first.value.cells, kind.level);
    if (!first.value.ended) throw truncated(first.value, header);
    refuseOldRents(header, kind);
    const { firstMonth, lastMonth } = header;
    const changes = [...header.changes];
    const rows = rowsOf(lines, header, kind, changes);
    const months = { firstMonth, lastMonth, calendarMonths: everyMonth };
    return { header, ...months, variable: null, changes, rows };
  } catch (error) {
    await lines.return(undefined);
    throw error;
  }
}

/** The index of rents has come in the new layout only since it is of one cut. */
function refuseOldRents({ age }: Header, { index }: ZillowFileKind): void {
  if (age !== "plain" || index !== "zori") return;
  throw new ReleaseRefusal(
    "OTHER_CUT",
    { line: 1 },
    "rents in this layout are the Zillow Rent Index of before 2020, or ZORI adjusted for seasons " +
      "as it was until 2022; this series is neither: send files of the layout with RegionType",
  );
}

/** `changes` gets one more where the values of all rows are of a form that nobody has published. */
async function* rowsOf(
  lines: AsyncGenerator<CsvLine>,
  header: Header,
  kind: ZillowFileKind,
  changes: string[],
): AsyncGenerator<ZillowRow> {
  const lineOfRegion = new Map<string, number>();
  const precision: Precision = { cells: 0, fullCells: 0, decimals: 0, round: undefined };
  for await (const line of lines) {
    const { read, months } = readMonths(line, header);
    if (isBlankLine(read, months, header)) continue;
    const row = readRow(read, header, kind, months);
    const earlierLine = lineOfRegion.get(row.regionId);
    if (earlierLine !== undefined) {
      throw new ReleaseRefusal(
        "DUPLICATE_REGION",
        { line: line.line, column: "RegionID" },
        `${row.regionId} stands in line ${earlierLine} already; a region has one line`,
      );
    }
    lineOfRegion.set(row.regionId, line.line);
    notePrecision(precision, months, line, header);
    yield row;
  }
  if (lineOfRegion.size === 0) {
    throw new ReleaseRefusal("NO_ROWS", { line: 1 }, "no region follows the column names");
  }
  const form = roundForm(precision);
  if (form === undefined) refuseRounded(precision, kind);
  else changes.push(form);
}

/** The cells before the months. */
type HeadOfLine = Pick<CsvLine, "line" | "cells">;

function truncated({ line, cells }: CsvLine, header: Header): ReleaseRefusal {
  const column = header.names[cells.length - 1];
  return new ReleaseRefusal(
    "TRUNCATED",
    column === undefined ? { line } : { line, column: shown(column) },
    "the file stops here without the line ending the provider writes; it was cut off or saved " +
      "by another program: download it again",
  );
}

function refuseBrokenLine(line: CsvLine, header: Header): void {
  if (!line.ended) throw truncated(line, header);
  const found = line.cells.length;
  const due = header.names.length;
  if (found === due) return;
  if (found === 1 && line.cells[0] === "") {
    throw new ReleaseRefusal("CELL_COUNT", { line: line.line }, "the line is empty");
  }
  const column = header.names[found];
  throw new ReleaseRefusal(
    "CELL_COUNT",
    column === undefined ? { line: line.line } : { line: line.line, column },
    column === undefined
      ? `holds ${found} cells, ${found - due} more than there are columns; download it again`
      : `the line has no cell for it: it holds ${found} cells and there are ${due} columns`,
  );
}

/** The months of a line, and how many of its cells are as long as a double. */
interface Months {
  readonly history: () => MonthRow;
  readonly cells: number;
  readonly fullCells: number;
  /** The most decimals of any. */
  readonly decimals: () => number;
}

/**
 * The months by their bytes where each is a plain number, else by their text, which says what is
 * wrong. `read`: the line, as far as the cells before the months.
 * @throws ReleaseRefusal where the line has not a cell for every column
 */
function readMonths(
  line: CsvLine,
  header: Header,
): { readonly read: HeadOfLine; readonly months: Months } {
  const { firstMonth, monthsAt, names } = header;
  const row = line.plain?.row(monthsAt, names.length - monthsAt);
  if (row !== undefined) {
    const { head, scanned } = row;
    const { words, cells, fullCells } = scanned;
    const history = () => new WordRow({ firstMonth, words, wide: noneWide });
    const decimals = () => Math.max(0, ...Array.from(words, decimalsOf));
    const months = { history, cells, fullCells, decimals };
    return { read: { line: line.line, cells: head }, months };
  }
  refuseBrokenLine(line, header);
  const texts = line.cells.slice(monthsAt).filter((text) => text !== "");
  const months = {
    history: () => ({ firstMonth, values: valuesOf(line, header) }),
    cells: texts.length,
    fullCells: texts.filter(({ length }) => length >= FULL_CELL_LENGTH).length,
    decimals: () => Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0)),
  };
  return { read: line, months };
}

/** Neighborhood files from before 2020 carry lines of nothing but commas. */
const isBlankLine = (
  { cells }: Pick<CsvLine, "cells">,
  months: Pick<Months, "cells">,
  header: Header,
): boolean => header.age === "plain" && months.cells === 0 && cells.every((cell) => cell === "");

function readRow(
  line: HeadOfLine,
  header: Header,
  kind: ZillowFileKind,
  { history }: Months,
): ZillowRow {
  const cell = (name: ColumnName): string | null => textCell(line, header, name);
  const regionId = cell("RegionID") ?? "";
  refuseUnless(/^[1-9][0-9]{0,9}$/.test(regionId), "BAD_REGION_ID", line, "RegionID", regionId);
  const rank = cell("SizeRank") ?? "";
  const isRanked = !header.places.has("SizeRank") || /^[0-9]{1,9}$/.test(rank);
  refuseUnless(isRanked, "BAD_CELL", line, "SizeRank", rank);
  const level = levelOf(line, header, kind, { regionId, regionType: cell("RegionType") });
  return {
    line: line.line,
    regionId,
    regionName: regionNameOf(line, level, cell("RegionName") ?? ""),
    level,
    stateCode: stateCodeOf(line, level, cell("State"), cell("StateName")),
    countyFips: countyFipsOf(line, level, cell),
    city: cell("City"),
    metro: cell("Metro"),
    county: cell("CountyName"),
    history: history(),
  };
}

/** Null where the layout has no such column or the cell is empty. */
function textCell(line: HeadOfLine, header: Header, name: ColumnName): string | null {
  const place = header.places.get(name);
  const text = place === undefined ? "" : (line.cells[place] ?? "");
  if (text === "") return null;
  refuseUnless(!/\p{Cc}/u.test(text), "BAD_CELL", line, name, text);
  return text;
}

function refuseUnless(
  isGood: boolean,
  code: RefusalCode,
  { line }: HeadOfLine,
  column: ColumnName,
  text: string,
): void {
  if (isGood) return;
  const reason = text === "" ? "must not be empty" : `"${shown(text)}" cannot stand here`;
  throw new ReleaseRefusal(
    code,
    { line, column },
    code === "LEADING_ZEROS_LOST"
      ? `"${shown(text)}" has lost its leading zeros, as in a spreadsheet, which also rounds ` +
          "values: send the file as downloaded"
      : `${reason}; the file was changed or damaged: download it again`,
  );
}

/** Before 2020 there was no RegionType; its case changed in mid-2022. */
const regionTypes: Readonly<Record<FileLevel, Readonly<Record<string, PrintLevel>>>> = {
  state: { state: "state" },
  metro: { msa: "metro", country: "nation" },
  county: { county: "county" },
  city: { city: "city" },
  neighborhood: { neighborhood: "neighborhood" },
  zip: { zip: "zip" },
};

/** Its RegionID in files that have no RegionType. */
const COUNTRY = "102001";

function levelOf(
  { line }: HeadOfLine,
  header: Header,
  kind: ZillowFileKind,
  { regionId, regionType }: { readonly regionId: string; readonly regionType: string | null },
): PrintLevel {
  if (header.age === "plain") {
    return kind.level === "metro" && regionId === COUNTRY ? "nation" : kind.level;
  }
  const level = regionTypes[kind.level][(regionType ?? "").toLowerCase()];
  if (level !== undefined) return level;
  throw new ReleaseRefusal(
    "WRONG_LEVEL",
    { line, column: "RegionType" },
    `"${shown(regionType ?? "")}" has no place in a ${kind.index} ${kind.level} file; send it ` +
      "under its own level",
  );
}

function regionNameOf(line: HeadOfLine, level: PrintLevel, name: string): string {
  refuseUnless(name !== "", "BAD_CELL", line, "RegionName", name);
  if (level === "zip") {
    refuseUnless(!/^[0-9]{3,4}$/.test(name), "LEADING_ZEROS_LOST", line, "RegionName", name);
    refuseUnless(/^[0-9]{5}$/.test(name), "BAD_CELL", line, "RegionName", name);
  } else {
    // The files of before 2020 tell zips from neighborhoods, and states from metros, by name only.
    const isOther = level === "state" ? /, [A-Z]{2}$/ : /^[0-9]+$/;
    refuseUnless(!isOther.test(name), "WRONG_LEVEL", line, "RegionName", name);
  }
  return name;
}

/** State files may leave StateName empty (they do from August 2022); the country has no state. */
function stateCodeOf(
  line: HeadOfLine,
  level: PrintLevel,
  state: string | null,
  stateName: string | null,
): string | null {
  const column = state === null && stateName !== null ? "StateName" : "State";
  const code = state ?? stateName;
  if (code === null && (level === "state" || level === "nation" || level === "metro")) return null;
  refuseUnless(/^[A-Z]{2}$/.test(code ?? ""), "BAD_CELL", line, column, code ?? "");
  const agree = state === null || stateName === null || state === stateName;
  refuseUnless(agree, "BAD_CELL", line, "StateName", stateName ?? "");
  return code;
}

function countyFipsOf(
  line: HeadOfLine,
  level: PrintLevel,
  cell: (name: ColumnName) => string | null,
): string | null {
  if (level !== "county") return null;
  const state = cell("StateCodeFIPS") ?? "";
  const municipal = cell("MunicipalCodeFIPS") ?? "";
  refuseUnless(!/^[0-9]$/.test(state), "LEADING_ZEROS_LOST", line, "StateCodeFIPS", state);
  refuseUnless(/^[0-9]{2}$/.test(state), "BAD_CELL", line, "StateCodeFIPS", state);
  const column = "MunicipalCodeFIPS";
  refuseUnless(!/^[0-9]{1,2}$/.test(municipal), "LEADING_ZEROS_LOST", line, column, municipal);
  refuseUnless(/^[0-9]{3}$/.test(municipal), "BAD_CELL", line, column, municipal);
  return state + municipal;
}

function valuesOf(line: CsvLine, header: Header): (PrintValue | null)[] {
  const values: (PrintValue | null)[] = [];
  for (let place = header.monthsAt; place < line.cells.length; place += 1) {
    const text = line.cells[place] ?? "";
    const value = text === "" ? null : parsePrintValue(text);
    if (value === undefined || (value !== null && value <= 0n)) {
      throw badValue(text, value, line.line, header.names[place] ?? "");
    }
    values.push(value);
  }
  return values;
}

function badValue(
  text: string,
  value: PrintValue | undefined,
  line: number,
  column: string,
): ReleaseRefusal {
  return value === undefined
    ? new ReleaseRefusal(
        "BAD_NUMBER",
        { line, column },
        `"${shown(text)}" is not a plain number: digits, a point, at most 15 decimals; no sign, ` +
          "exponent or separator. Correct nothing by hand: download the file again",
      )
    : new ReleaseRefusal(
        "NOT_POSITIVE",
        { line, column },
        `"${shown(text)}" is not above zero, and this index always is`,
      );
}

/**
 * From the January 2023 method on values are written as doubles are, with 16 or 17 digits in 95 %
 * of cells and in no real row of 24 values in fewer than 75 %. A spreadsheet keeps 10 or so.
 */
const FULL_PRECISION_FROM = monthOf(2023, 1);
const ENOUGH_CELLS = 24;
/** A provider may come to round to dollars or cents; a spreadsheet keeps more digits than that. */
const MOST_ROUND_DECIMALS = 2;

interface Precision {
  cells: number;
  fullCells: number;
  /** The most of any value in rows without a full cell. */
  decimals: number;
  /** Why the first long row of so few decimals is refused, if others are full. */
  round: ReleaseRefusal | undefined;
}

/** @throws ReleaseRefusal where a long row has been rounded from end to end, as a spreadsheet does */
function notePrecision(
  precision: Precision,
  { cells, fullCells, decimals }: Months,
  line: CsvLine,
  header: Header,
): void {
  if (header.lastMonth < FULL_PRECISION_FROM) return;
  if (fullCells === 0) {
    const most = decimals();
    const isLong = cells >= ENOUGH_CELLS;
    if (isLong && most > MOST_ROUND_DECIMALS) throw roundedRow(line, header);
    if (isLong) precision.round ??= roundedRow(line, header);
    precision.decimals = Math.max(precision.decimals, most);
  }
  precision.cells += cells;
  precision.fullCells += fullCells;
}

function roundedRow(line: CsvLine, header: Header): ReleaseRefusal {
  const place = line.cells.findIndex((cell, at) => at >= header.monthsAt && cell !== "");
  return new ReleaseRefusal(
    "ROUNDED_CELLS",
    { line: line.line, column: header.names[place] ?? "" },
    `"${shown(line.cells[place] ?? "")}" and every later value of the line are rounded, as a ` +
      "spreadsheet does; the provider writes every digit: send the file as downloaded",
  );
}

/**
 * How all values of the file are rounded, if the provider may have done it.
 * @throws ReleaseRefusal where some rows are rounded and others are not
 */
function roundForm({ cells, fullCells, decimals, round }: Precision): string | undefined {
  const isRound = fullCells === 0 && decimals <= MOST_ROUND_DECIMALS;
  if (isRound && cells >= ENOUGH_CELLS) {
    return decimals === 0
      ? "Values are written in whole dollars."
      : `Values are written with at most ${MOST_ROUND_DECIMALS} decimals.`;
  }
  if (round !== undefined) throw round;
  return undefined;
}

function refuseRounded({ cells, fullCells }: Precision, kind: ZillowFileKind): void {
  if (cells < ENOUGH_CELLS || fullCells * 2 >= cells) return;
  throw new ReleaseRefusal(
    "ROUNDED_CELLS",
    {},
    `Only ${fullCells} of ${cells} values have the digits the provider writes in a ` +
      `${kind.index} file; the others were rounded: send the file as downloaded.`,
  );
}
