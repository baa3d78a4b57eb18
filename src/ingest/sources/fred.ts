// FRED's CSV of the national rental vacancy rate (RRVRUSQ156N), old and new column names.
// Invariant: quarters follow each other without a gap; a quarter's print stands in its last month.
import { addMonths, type Month, parseMonth } from "#base/month.ts";
import { type PrintValue, parsePrintValue } from "#base/print-value.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { type ProviderFile, quarterEnds, rowsOf } from "./provider-file.ts";
import { type CsvLine, readCsvLines } from "./wide-csv.ts";
import { shown } from "./zillow-layout.ts";

const SERIES = "RRVRUSQ156N";
const dateNames = ["DATE", "observation_date"];
/** Old downloads name the value's column after nothing. */
const valueNames = [SERIES, "VALUE"];
const MONTHS_A_QUARTER = 3;
/** Newer files leave the cell empty. */
const missing = [".", ""];
const HUNDRED_PERCENT = 100_000_000_000_000_000n;

interface Quarter {
  /** The quarter's last. */
  readonly month: Month;
  readonly value: PrintValue | null;
}

/**
 * Reads the whole file; it is a few hundred lines long.
 * @param source decompressed bytes
 * @throws ReleaseRefusal naming line and column where there is one
 */
export async function readFred(source: AsyncIterable<Uint8Array>): Promise<ProviderFile> {
  const quarters: Quarter[] = [];
  let names: readonly string[] | undefined;
  let changes: readonly string[] = [];
  for await (const line of readCsvLines(source)) {
    if (names === undefined) {
      changes = changedNames(line.cells);
      names = line.cells;
    }
    refuseUnended(line);
    if (line.line > 1) quarters.push(quarterOf(line, names, quarters.at(-1)?.month));
  }
  if (names === undefined) {
    throw new ReleaseRefusal("EMPTY_FILE", {}, "The file is empty; download it again.");
  }
  return { ...fileOf(quarters), changes };
}

function fileOf(quarters: readonly Quarter[]): ProviderFile {
  const filled = quarters.filter(({ value }) => value !== null);
  const [first] = filled;
  const last = filled.at(-1);
  if (first === undefined || last === undefined) {
    throw new ReleaseRefusal("NO_ROWS", { line: 1 }, "no quarter with a value follows");
  }
  const values: (PrintValue | null)[] = new Array(last.month - first.month + 1).fill(null);
  for (const { month, value } of filled) values[month - first.month] = value;
  const nation = {
    line: 1,
    regionId: SERIES,
    regionName: "United States",
    level: "nation",
    stateCode: null,
    countyFips: null,
    city: null,
    county: null,
    history: { firstMonth: first.month, values },
  } as const;
  return {
    firstMonth: first.month,
    lastMonth: last.month,
    calendarMonths: quarterEnds,
    variable: null,
    rows: rowsOf([nation]),
  };
}

/** The column of the series tells the file; its dates are then judged one by one. */
function changedNames(names: readonly string[]): readonly string[] {
  const [date = "", value] = names;
  if (value === SERIES && names.length === 2 && /date|period|quarter|time/i.test(date)) {
    return dateNames.includes(date) ? [] : [`The dates' column is "${shown(date)}".`];
  }
  refuseOtherNames(names);
  return [];
}

function refuseOtherNames(names: readonly string[]): void {
  const [date = "", value = "", third] = names;
  if (parseMonth(date.slice(0, 7)) !== undefined) {
    throw new ReleaseRefusal(
      "HEADER_MISSING",
      { line: 1 },
      `holds data ("${shown(date)}" comes first), not column names; the header was removed`,
    );
  }
  if (!dateNames.includes(date) || names.length < 2) {
    throw new ReleaseRefusal(
      "OTHER_PROVIDER",
      { line: 1 },
      `the first column is "${shown(date)}" where FRED has ${dateNames.join(" or ")}; the file ` +
        "is of another provider or was damaged: check the provider it is sent under",
    );
  }
  if (!valueNames.includes(value)) {
    throw new ReleaseRefusal(
      "WRONG_SERIES",
      { line: 1, column: shown(value) },
      `is not ${SERIES}, the rental vacancy rate of the United States; download that series`,
    );
  }
  if (third !== undefined) {
    throw new ReleaseRefusal(
      "ADDED_COLUMN",
      { line: 1, column: shown(third) },
      `stands beside the one series that is taken; download ${SERIES} by itself`,
    );
  }
}

function refuseUnended({ line, ended }: CsvLine): void {
  if (ended) return;
  throw new ReleaseRefusal(
    "TRUNCATED",
    { line },
    "the file stops here without the line ending the provider writes; it was cut off or saved " +
      "by another program: download it again",
  );
}

function quarterOf(
  { line, cells }: CsvLine,
  [dateName = "", valueName = ""]: readonly string[],
  before: Month | undefined,
): Quarter {
  const [date = "", text = ""] = cells;
  if (cells.length !== 2) {
    const due = `holds ${cells.length} cells where a date and a value are due; download it again`;
    throw new ReleaseRefusal("CELL_COUNT", { line }, cells.join("") === "" ? "is empty" : due);
  }
  const month = monthOfDate(date, { line, column: dateName });
  refuseBrokenOrder(month, before, date, { line, column: dateName });
  return { month, value: printOf(text, { line, column: valueName }) };
}

interface CellPlace {
  readonly line: number;
  readonly column: string;
}

function monthOfDate(date: string, place: CellPlace): Month {
  const first = date.slice(7) === "-01" ? parseMonth(date.slice(0, 7)) : undefined;
  if (first !== undefined && first % MONTHS_A_QUARTER === 0) {
    return addMonths(first, MONTHS_A_QUARTER - 1);
  }
  if (/^[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{2,4}$/.test(date)) {
    throw new ReleaseRefusal(
      "SPREADSHEET_DATES",
      place,
      `"${date}" is a date as a spreadsheet writes it; send the file as downloaded`,
    );
  }
  throw new ReleaseRefusal(
    "BAD_MONTH",
    place,
    `"${shown(date)}" is not the first day of a quarter as YYYY-MM-DD, as FRED dates quarters; ` +
      "was another frequency downloaded?",
  );
}

function refuseBrokenOrder(
  month: Month,
  before: Month | undefined,
  date: string,
  place: CellPlace,
): void {
  if (before === undefined || month === before + MONTHS_A_QUARTER) return;
  if (month === before) {
    throw new ReleaseRefusal("DUPLICATE_MONTH", place, `the quarter ${date} has two lines`);
  }
  throw month < before
    ? new ReleaseRefusal("MONTHS_OUT_OF_ORDER", place, `${date} stands below a later quarter`)
    : new ReleaseRefusal(
        "MONTH_GAP",
        place,
        `${date} leaves out the quarters before it, which FRED lists even without a value`,
      );
}

/** A percentage with one decimal. */
function printOf(text: string, place: CellPlace): PrintValue | null {
  if (missing.includes(text)) return null;
  const value = /^[0-9]+(\.[0-9])?$/.test(text) ? parsePrintValue(text) : undefined;
  if (value === undefined) {
    throw new ReleaseRefusal(
      "BAD_NUMBER",
      place,
      `"${shown(text)}" is not a percentage as FRED writes it: digits, and at most one decimal. ` +
        "Correct nothing by hand: download the file again",
    );
  }
  if (value <= HUNDRED_PERCENT) return value;
  throw new ReleaseRefusal("OUT_OF_RANGE", place, `${text} % of rental units cannot be vacant`);
}
