// The header of a wide file: which layout it is, and the months its columns stand for.
// Invariant: a header is one of the provider's layouts to the letter, or has all that is read of one
// by name, and then what differs is told; its months are without a gap.
import { formatMonth, type Month, monthEndMillis, parseMonth } from "#base/month.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import type { PrintLevel } from "#prints/release.ts";

/** The levels the provider publishes files for; the nation is a row of the metro file. */
export type FileLevel = Exclude<PrintLevel, "nation">;

export type ColumnName =
  | "RegionID"
  | "SizeRank"
  | "RegionName"
  | "RegionType"
  | "StateName"
  | "State"
  | "City"
  | "Metro"
  | "CountyName"
  | "StateCodeFIPS"
  | "MunicipalCodeFIPS";

/** `dated`: from 2020, months as month-end dates. `plain`: before, as YYYY-MM, no RegionType. */
type LayoutAge = "dated" | "plain";

interface Layout {
  readonly age: LayoutAge;
  readonly levels: readonly FileLevel[];
  readonly columns: readonly ColumnName[];
}

export interface Header {
  readonly age: LayoutAge;
  /** Place of each column that is read before the months. */
  readonly places: ReadonlyMap<ColumnName, number>;
  readonly names: readonly string[];
  /** Place of the first month's column. */
  readonly monthsAt: number;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  /** Differences from every published header, a sentence each. */
  readonly changes: readonly string[];
}

const dated: readonly ColumnName[] = [
  "RegionID",
  "SizeRank",
  "RegionName",
  "RegionType",
  "StateName",
];

const layouts: readonly Layout[] = [
  { age: "dated", levels: ["state", "metro"], columns: dated },
  {
    age: "dated",
    levels: ["county"],
    columns: [...dated, "State", "Metro", "StateCodeFIPS", "MunicipalCodeFIPS"],
  },
  { age: "dated", levels: ["city"], columns: [...dated, "State", "Metro", "CountyName"] },
  {
    age: "dated",
    levels: ["zip", "neighborhood"],
    columns: [...dated, "State", "City", "Metro", "CountyName"],
  },
  { age: "plain", levels: ["state", "metro"], columns: ["RegionID", "RegionName", "SizeRank"] },
  {
    age: "plain",
    levels: ["county"],
    columns: [
      "RegionID",
      "RegionName",
      "State",
      "Metro",
      "StateCodeFIPS",
      "MunicipalCodeFIPS",
      "SizeRank",
    ],
  },
  {
    age: "plain",
    levels: ["city"],
    columns: ["RegionID", "RegionName", "State", "Metro", "CountyName", "SizeRank"],
  },
  {
    age: "plain",
    levels: ["zip", "neighborhood"],
    columns: ["RegionID", "RegionName", "City", "State", "Metro", "CountyName", "SizeRank"],
  },
];

const knownNames: ReadonlySet<string> = new Set(layouts.flatMap((layout) => layout.columns));

/** @throws ReleaseRefusal, always naming line 1. */
export function readHeader(names: readonly string[], level: FileLevel): Header {
  refuseOtherShapes(names);
  refuseSpreadsheetDates(names);
  const monthsAt = names.findIndex((name) => monthOfColumn(name) !== undefined);
  if (monthsAt < 0) throw refusal("NO_MONTHS", "no column is a month; this is not a history file");

  const { age, places, changes } = layoutOf(names.slice(0, monthsAt), level);
  const form = newFormOf(names.slice(monthsAt), age);
  const told = form === undefined ? [] : [`Months are written ${monthForms[form]}.`];
  const months = monthsOf(names.slice(monthsAt), monthsAt, form ?? age);
  return { age, places, names, monthsAt, changes: [...changes, ...told], ...months };
}

function refusal(
  code: ConstructorParameters<typeof ReleaseRefusal>[0],
  reason: string,
  column?: string,
): ReleaseRefusal {
  return new ReleaseRefusal(code, column === undefined ? { line: 1 } : { line: 1, column }, reason);
}

function refuseOtherShapes(names: readonly string[]): void {
  const [first = "", ...others] = names;
  const othersKnown = others.some(
    (name) => knownNames.has(name) || monthOfColumn(name) !== undefined || isSpreadsheetDate(name),
  );
  if (knownNames.has(first) && !othersKnown) {
    throw refusal(
      "TRANSPOSED",
      `column names run down instead of across ("${first}" starts the line, data follow); the ` +
        "file was transposed: send it as downloaded",
    );
  }
  if (!othersKnown && /^[0-9]+$/.test(first)) {
    throw refusal(
      "HEADER_MISSING",
      `holds data ("${first}" comes first), not column names; the header was removed`,
    );
  }
  const known = new Set([...knownNames].map(lettersOf));
  if (!names.some((name) => known.has(lettersOf(name)))) {
    throw refusal(
      "OTHER_PROVIDER",
      `the first column is "${shown(first)}" where this provider has "RegionID"; the file is of ` +
        "another provider or was damaged: check the provider it is sent under",
    );
  }
}

/** How spreadsheets write 2000-01-31 back: 1/31/00, 1/31/2000, 31.01.2000, Jan-00, 36556. */
const isSpreadsheetDate = (name: string): boolean =>
  /^([0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}|[0-9]{4}\/[0-9]{1,2}\/[0-9]{1,2})$/.test(name) ||
  /^([0-9]{1,2}-)?[A-Z][a-z]{2}-[0-9]{2,4}$/.test(name) ||
  /^[34][0-9]{4}$/.test(name);

function refuseSpreadsheetDates(names: readonly string[]): void {
  const column = names.find(isSpreadsheetDate);
  if (column === undefined) return;
  throw refusal(
    "SPREADSHEET_DATES",
    "a month is written as a spreadsheet writes it, not as the provider does (YYYY-MM-DD); the " +
      "file was opened and saved again, which also rounds its values: send it as downloaded",
    column,
  );
}

type ReadColumns = Pick<Header, "age" | "places" | "changes">;

function layoutOf(columns: readonly string[], level: FileLevel): ReadColumns {
  const exact = layouts.filter((layout) => sameNames(layout.columns, columns));
  const own = exact.find((layout) => layout.levels.includes(level));
  if (own !== undefined) return { age: own.age, places: placesIn(own, columns), changes: [] };
  const other = exact[0];
  if (other !== undefined) {
    throw refusal(
      "WRONG_LEVEL",
      `these are the columns of a ${other.levels.join(" or ")} file, sent as ${level}: send it ` +
        "again under its own level",
    );
  }
  const changed = changedLayout(columns, level);
  if (changed !== undefined) return changed;
  throw unknownColumns(columns, level);
}

const placesIn = ({ columns }: Layout, names: readonly string[]): Header["places"] =>
  new Map(
    columns.filter((name) => names.includes(name)).map((name) => [name, names.indexOf(name)]),
  );

/** A name however it is spelt: Region_ID, region id. */
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Nothing is read of these. */
const mayBeMissing: ReadonlySet<string> = new Set(["SizeRank", "Metro"]);

/**
 * A layout that the provider has not published and that can be read by the names of its columns:
 * one more, another order, one less of those that are not read. The layouts of before 2020 are
 * closed.
 */
function changedLayout(names: readonly string[], level: FileLevel): ReadColumns | undefined {
  const own = layouts.find(({ age, levels }) => age === "dated" && levels.includes(level));
  if (own === undefined) return undefined;
  const columns = names.map(
    (name) => own.columns.find((one) => lettersOf(one) === lettersOf(name)) ?? name,
  );
  if (new Set(columns).size < columns.length) return undefined;
  const missing = own.columns.filter((name) => !columns.includes(name));
  const added = columns.filter((name) => !own.columns.some((one) => one === name));
  // A damaged month would pass for a column, and its values would be lost.
  const isOther = added.some((name) => !/^[A-Za-z][A-Za-z_ ]*$/.test(name) || knownNames.has(name));
  if (isOther || missing.some((name) => !mayBeMissing.has(name))) return undefined;
  const kept = columns.filter((name) => !added.includes(name));
  const due = own.columns.filter((name) => !missing.includes(name));
  return {
    age: own.age,
    places: placesIn(own, columns),
    changes: [
      ...names
        .filter((name, at) => name !== columns[at])
        .map((name) => `A column is written "${shown(name)}".`),
      ...added.map((name) => `Column "${shown(name)}" is new.`),
      ...missing.map((name) => `Column "${name}" is missing.`),
      ...(sameNames(kept, due) ? [] : ["The columns stand in another order."]),
    ],
  };
}

const sameNames = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name, place) => name === right[place]);

/** Compares with the layout of the same age, which shows by whether there is a RegionType. */
function unknownColumns(columns: readonly string[], level: FileLevel): ReleaseRefusal {
  const age: LayoutAge =
    columns.includes("RegionType") || columns.includes("StateName") ? "dated" : "plain";
  const expected = layouts.find((it) => it.age === age && it.levels.includes(level))?.columns ?? [];
  const place = columns.findIndex((name, index) => name !== expected[index]);
  const found = place < 0 ? undefined : columns[place];
  if (found === undefined) {
    const missing = expected[columns.length] ?? "";
    return refusal("COLUMN_NAMES", `the ${level} file's column is missing`, missing);
  }
  const wanted = expected[place];
  const added = wanted === undefined || columns.includes(wanted);
  return refusal(
    added && !knownNames.has(found) ? "ADDED_COLUMN" : "COLUMN_NAMES",
    wanted === undefined
      ? `is not a column of the provider's ${level} file; send the file as downloaded`
      : `stands where the provider's ${level} file has "${wanted}"; send the file as downloaded`,
    label(found, place),
  );
}

interface HeaderMonths {
  readonly firstMonth: Month;
  readonly lastMonth: Month;
}

/** How a header writes its months: as one of the layouts does, or each as its first day. */
type MonthForm = LayoutAge | "first day";

const monthForms: Readonly<Record<MonthForm, string>> = {
  dated: "YYYY-MM-DD, each its last day",
  plain: "YYYY-MM",
  "first day": "YYYY-MM-DD, each its first day",
};

/** Of months that are all written in one form which is not the layout's. */
function newFormOf(names: readonly string[], age: LayoutAge): MonthForm | undefined {
  const [form] = names.map((name) => monthOfColumn(name)?.age);
  const isNew = age === "dated" && form !== undefined && form !== age;
  return isNew && names.every((name) => monthOfColumn(name)?.age === form) ? form : undefined;
}

function monthsOf(names: readonly string[], monthsAt: number, age: MonthForm): HeaderMonths {
  const months = names.map((name, offset) => monthIn(name, monthsAt + offset, age));
  const [firstMonth] = months;
  if (firstMonth === undefined) throw refusal("NO_MONTHS", "no column is a month");
  const seen = new Set<Month>([firstMonth]);
  let lastMonth = firstMonth;
  for (const [offset, month] of months.entries()) {
    if (offset === 0) continue;
    const name = names[offset] ?? "";
    if (seen.has(month)) throw refusal("DUPLICATE_MONTH", "the month has two columns", name);
    if (month !== lastMonth + 1) throw brokenOrder(month, lastMonth, months, name);
    seen.add(month);
    lastMonth = month;
  }
  return { firstMonth, lastMonth };
}

function brokenOrder(
  month: Month,
  before: Month,
  months: readonly Month[],
  name: string,
): ReleaseRefusal {
  const nextIsElsewhere = months.some((other) => other === before + 1);
  return month < before || nextIsElsewhere
    ? refusal("MONTHS_OUT_OF_ORDER", `stands after ${formatMonth(before)}, out of order`, name)
    : refusal(
        "MONTH_GAP",
        `follows ${formatMonth(before)}: the months between have no column, and the provider ` +
          "leaves none out",
        name,
      );
}

function monthIn(name: string, place: number, age: MonthForm): Month {
  const read = monthOfColumn(name);
  if (read !== undefined && read.age === age) return read.month;
  if (read === undefined && !/^[0-9]{4}-[0-9]/.test(name)) {
    throw refusal(
      "ADDED_COLUMN",
      "stands among the months and is none; the provider adds no such column: send the file as " +
        "downloaded",
      label(name, place),
    );
  }
  throw refusal(
    "BAD_MONTH",
    age === "dated"
      ? "is not the last day of a month as YYYY-MM-DD, as this layout writes its months"
      : "is not a month as YYYY-MM, as this layout writes its months",
    label(name, place),
  );
}

function monthOfColumn(
  name: string,
): { readonly month: Month; readonly age: MonthForm } | undefined {
  const month = parseMonth(name.slice(0, 7));
  if (month === undefined) return undefined;
  if (name.length === 7) return { month, age: "plain" };
  if (name.slice(7) === "-01") return { month, age: "first day" };
  const lastDay = new Date(monthEndMillis(month) - 1).getUTCDate();
  return name.slice(7) === `-${lastDay}` ? { month, age: "dated" } : undefined;
}

/** A column's name, or its number where it has none. */
const label = (name: string, place: number): string =>
  name === "" ? `number ${place + 1} (no name)` : shown(name);

/** A cell as it may stand in a message: short, on one line. */
export function shown(text: string): string {
  const line = text.replace(/\p{Cc}/gu, " ");
  return line.length <= 40 ? line : `${line.slice(0, 40)}…`;
}
