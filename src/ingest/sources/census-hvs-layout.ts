// The rows of the Housing Vacancy Survey's rental workbooks: titles, headings, names.
// Invariant: a text is what it is taken for to the letter, footnote digits and padding aside.
import { type Month, monthOf } from "#base/month.ts";
import { builtInStates } from "#geo/states.ts";
import { type RefusalCode, ReleaseRefusal } from "#prints/refusal.ts";
import type { Cell, SheetRow } from "./workbook.ts";
import { shown } from "./zillow-layout.ts";

export type HvsLevel = "state" | "metro";

interface HvsLayout {
  readonly subject: RegExp;
  /** Heads the column of names. */
  readonly heading: string;
  readonly nameColumn: string;
  /** Boundary notes, which say nothing of a value. */
  readonly noteColumn: string | null;
  /** Rate and margin of error, of the four quarters in turn. */
  readonly quarterColumns: readonly (readonly [rate: string, margin: string])[];
}

const layouts: Readonly<Record<HvsLevel, HvsLayout>> = {
  state: {
    subject: /^Rental Vacancy Rates by State$/i,
    heading: "State",
    nameColumn: "A",
    noteColumn: null,
    quarterColumns: [
      ["B", "C"],
      ["D", "E"],
      ["F", "G"],
      ["H", "I"],
    ],
  },
  metro: {
    subject: /^Rental Vacancy Rates for the [0-9]+ Largest Metropolitan Statistical Areas$/i,
    heading: "Metropolitan Statistical Area",
    nameColumn: "B",
    noteColumn: "A",
    quarterColumns: [
      ["C", "D"],
      ["E", "F"],
      ["G", "H"],
      ["I", "J"],
    ],
  },
};

export const layoutOf = (level: HvsLevel): HvsLayout => layouts[level];

/** Names the sheet, row and column that a refusal is about. */
export class SheetPlaces {
  readonly #sheet: string;

  constructor(sheet: string) {
    this.#sheet = shown(sheet);
  }

  refusal(code: RefusalCode, row: number, column: string, reason: string): ReleaseRefusal {
    return new ReleaseRefusal(code, { line: row, column: `${this.#sheet}!${column}` }, reason);
  }
}

export interface HvsTitle {
  readonly firstYear: number;
  readonly lastYear: number;
  /** Without what says that it is continued. */
  readonly text: string;
  readonly isContinued: boolean;
}

/** A cell's text on one line, single blanks between words. */
export const plainText = (cell: Cell | undefined): string =>
  (cell?.text ?? "").replace(/\s+/g, " ").trim();

/** Undefined where the row is no title. @throws ReleaseRefusal where it is of another table */
export function titleIn(row: SheetRow, level: HvsLevel, at: SheetPlaces): HvsTitle | undefined {
  const whole = plainText(row.cells.get("A"));
  const match = /^(Table [0-9]+[a-z]?\. (.+?): ([0-9]{4}) to ([0-9]{4}))( ?- ?Continued)?$/i.exec(
    whole,
  );
  if (match === null) {
    if (!/^Table [0-9]+[a-z]?\./i.test(whole)) return undefined;
    throw at.refusal(
      "WRONG_SERIES",
      row.row,
      "A",
      `"${shown(whole)}" is not a title of this table`,
    );
  }
  const [, text = "", subject = "", firstYear, lastYear, continued] = match;
  refuseOtherSubject(row, subject, level, at);
  return {
    text,
    firstYear: Number(firstYear),
    lastYear: Number(lastYear),
    isContinued: continued !== undefined,
  };
}

function refuseOtherSubject(
  { row }: SheetRow,
  subject: string,
  level: HvsLevel,
  at: SheetPlaces,
): void {
  if (layouts[level].subject.test(subject)) return;
  const isOtherLevel = Object.values(layouts).some((layout) => layout.subject.test(subject));
  throw at.refusal(
    isOtherLevel ? "WRONG_LEVEL" : "WRONG_SERIES",
    row,
    "A",
    isOtherLevel
      ? `the table is "${shown(subject)}", sent as ${level}: send it under its own level`
      : `the table is "${shown(subject)}"; only rental vacancy rates are taken`,
  );
}

const quarterNames = ["First", "Second", "Third", "Fourth"];

/** The year of a block whose heading these rows are; the quarters stand in their order. */
export function yearOfHeading(rows: readonly SheetRow[], level: HvsLevel, at: SheetPlaces): number {
  const [top] = rows;
  const headings = columnTexts(rows);
  let year: number | undefined;
  for (const [quarter, [rate, margin]] of layouts[level].quarterColumns.entries()) {
    const text = headings.get(rate) ?? "";
    const match = /^(First|Second|Third|Fourth) Quarter ([0-9]{4})$/.exec(text);
    year ??= Number(match?.[2]);
    if (match?.[1] !== quarterNames[quarter] || Number(match?.[2]) !== year) {
      throw at.refusal(
        "COLUMN_NAMES",
        top?.row ?? 1,
        rate,
        `"${shown(text)}" stands where the ${quarterNames[quarter]?.toLowerCase()} quarter of ` +
          "the block's year is due",
      );
    }
    const other = headings.get(margin) ?? "";
    if (!/^Margin of Error ?[0-9]?$/.test(other)) {
      throw at.refusal(
        "COLUMN_NAMES",
        top?.row ?? 1,
        margin,
        `"${shown(other)}" stands where the margin of error is due`,
      );
    }
  }
  return year ?? 0;
}

/** Headings run over several rows: quarter, the word Quarter, year. */
function columnTexts(rows: readonly SheetRow[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { cells } of rows) {
    for (const [column, cell] of cells) {
      texts.set(column, `${texts.get(column) ?? ""} ${plainText(cell)}`.trim());
    }
  }
  return texts;
}

/** Without the dots that pad it and the number of its footnote. */
export const bareName = (text: string): string =>
  text
    .replace(/[.…\s]+$/, "")
    .replace(/[0-9]+$/, "")
    .replace(/[.…\s]+$/, "");

export interface HvsRegion {
  readonly regionId: string;
  readonly regionName: string;
  readonly stateCode: string;
}

/** A state by its name, FIPS as its id; a metro by its name, made fit for an id. */
export function regionOf(name: string, level: HvsLevel): HvsRegion | undefined {
  if (level === "state") {
    const state = builtInStates.find((one) => one.name === name);
    if (state === undefined || state.fips === null) return undefined;
    return { regionId: state.fips, regionName: name, stateCode: state.stateCode };
  }
  const match = /^[A-Z][A-Za-z ./-]*, ([A-Z]{2})(-[A-Z]{2})*$/.exec(name);
  if (match === null) return undefined;
  const regionId = name.toLowerCase().replace(/[^a-z]+/g, "-");
  return { regionId, regionName: name, stateCode: match[1] ?? "" };
}

/** A quarter's print stands in its last month; quarter 0 is the first. */
export const monthOfQuarter = (year: number, quarter: number): Month =>
  monthOf(year, 3 * quarter + 3);
