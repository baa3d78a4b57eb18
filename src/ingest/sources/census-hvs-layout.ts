// The rows of the Housing Vacancy Survey's rental workbooks: titles, headings, names, notes.
// Invariant: a text of a form that the provider has published says nothing; one of another form is
// read only where it can be nothing else, and then its form is told.
import { type Month, monthOf } from "#base/month.ts";
import { builtInStates } from "#geo/states.ts";
import { type RefusalCode, ReleaseRefusal } from "#prints/refusal.ts";
import { idOfName, metroNamed } from "./census-metros.ts";
import type { Cell, SheetRow } from "./workbook.ts";
import { shown } from "./zillow-layout.ts";

export type HvsLevel = "state" | "metro";

interface HvsLayout {
  readonly subject: RegExp;
  /** Heads the column of names. */
  readonly heading: string;
  /** How else the provider may come to write it. */
  readonly otherHeading: RegExp;
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
    otherHeading: /^states?\b/i,
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
    otherHeading: /^(metro(politan)?( statistical)? areas?|msas?)\b/i,
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

/** By so many columns the table stands right of where it was published, or left of it. */
export const layoutOf = (level: HvsLevel, shift = 0): HvsLayout => {
  const layout = layouts[level];
  if (shift === 0) return layout;
  const moved = (column: string): string => columnAt(column, shift);
  return {
    ...layout,
    nameColumn: moved(layout.nameColumn),
    noteColumn: layout.noteColumn === null ? null : columnAt(layout.noteColumn, shift),
    quarterColumns: layout.quarterColumns.map(([rate, margin]) => [moved(rate), moved(margin)]),
  };
};

/** Of the first 26; one before A is no column of any sheet. */
const columnAt = (column: string, shift: number): string =>
  String.fromCharCode(column.charCodeAt(0) + shift);

/** Takes a sentence about a form that no published table of the provider had. */
export type TellChange = (sentence: string) => void;

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
  /** Absent where the title is in other words than the published: the blocks say them. */
  readonly years?: { readonly first: number; readonly last: number };
  /** The one year that the table is of, where the title says one. */
  readonly only?: number | undefined;
  /** Without what says that it is continued. */
  readonly text: string;
  readonly isContinued: boolean;
  /** Its wording without the years, where no published table has it. */
  readonly unknown?: string;
}

/** A cell's text on one line, single blanks between words. */
export const plainText = (cell: Cell | undefined): string =>
  (cell?.text ?? "").replace(/\s+/g, " ").trim();

/** The mark of a footnote behind a text: a number, with or without a stroke, or stars. */
const marks = /\s*(?:\/?\(?[0-9]{1,2}(?:, ?[0-9]{1,2})*\)?\/?|\*{1,3})$/;

/** A title that says "to 2022", or since 2026 that year alone. */
const published = /^(Table [0-9]+[a-z]?\. (.+?): ([0-9]{4})(?: to ([0-9]{4}))?)( ?- ?Continued)?$/i;

/** @throws ReleaseRefusal where it is of another table; undefined where the row is no title */
export function titleIn(row: SheetRow, level: HvsLevel, at: SheetPlaces): HvsTitle | undefined {
  const whole = plainText(row.cells.get("A"));
  const [, text = "", subject = "", firstYear, lastYear = firstYear, continued] =
    published.exec(whole) ?? [];
  if (!layouts[level].subject.test(subject)) return otherTitle(row, whole, level, at);
  return {
    text,
    years: { first: Number(firstYear), last: Number(lastYear) },
    ...(firstYear === lastYear ? { only: Number(firstYear) } : {}),
    isContinued: continued !== undefined,
  };
}

/** A title in words that no published table has, taken where it says that it is of rental vacancy. */
function otherTitle(
  { row }: SheetRow,
  whole: string,
  level: HvsLevel,
  at: SheetPlaces,
): HvsTitle | undefined {
  const isRental = /\brent(al|er)s?\b/i.test(whole) && /\bvacanc/i.test(whole);
  if (!/^Table [0-9]+[a-z]?\b/i.test(whole) && !isRental) return undefined;
  if (!isRental || /\bhomeown/i.test(whole)) {
    throw at.refusal(
      "WRONG_SERIES",
      row,
      "A",
      `the table is "${shown(whole)}"; only rental vacancy rates are taken`,
    );
  }
  const told = levelsIn(whole);
  if (told.length === 1 && told[0] !== level) {
    throw at.refusal(
      "WRONG_LEVEL",
      row,
      "A",
      `the table is "${shown(whole)}", sent as ${level}: send it under its own level`,
    );
  }
  const text = whole.replace(/ ?[-(]? ?Continued\)?$/i, "");
  const years = [...text.matchAll(/\b(?:19|20)[0-9]{2}\b/g)].map(Number);
  return {
    text,
    ...(years.length === 1 && !/\bpresent\b/i.test(text) ? { only: years[0] } : {}),
    isContinued: text !== whole,
    unknown: text.replace(/\b(?:19|20)[0-9]{2}\b/g, "…"),
  };
}

const levelsIn = (title: string): readonly HvsLevel[] => [
  ...(/\bstates?\b/i.test(title) ? (["state"] as const) : []),
  ...(/\b(metropolitan|metros?|msas?)\b/i.test(title) ? (["metro"] as const) : []),
];

const quarterNames = ["First", "Second", "Third", "Fourth"];
const otherQuarters = [/\b(first|1st|q1|1q|1)\b/i, /\b(second|2nd|q2|2q|2)\b/i].concat([
  /\b(third|3rd|q3|3q|3)\b/i,
  /\b(fourth|4th|q4|4q|4)\b/i,
]);

/** How far from its published place the heading of the names stands; undefined: it is none. */
export function shiftOfHeading(row: SheetRow, level: HvsLevel): number | undefined {
  const { heading, otherHeading, nameColumn } = layouts[level];
  if (plainText(row.cells.get(nameColumn)) === heading) return 0;
  const isHeading = [...row.cells.values()].some((cell) => isOverNumbers(plainText(cell)));
  const cell = [...row.cells.values()].find((one) => otherHeading.test(plainText(one)));
  if (!isHeading || cell === undefined || cell.column.length > 1) return undefined;
  return cell.column.charCodeAt(0) - nameColumn.charCodeAt(0);
}

const isOverNumbers = (text: string): boolean => /\bquarter\b|\bq[1-4]\b|\bmargin\b/i.test(text);

/**
 * The year of a block whose heading these rows are; the quarters stand in their order.
 * `only`: the one year of the title, which then may stand there alone.
 */
export function yearOfHeading(
  rows: readonly SheetRow[],
  { quarterColumns, nameColumn, heading }: HvsLayout,
  only: number | undefined,
  at: SheetPlaces,
  tell: TellChange,
): number {
  const [top] = rows;
  const headings = columnTexts(rows);
  const name = headings.get(nameColumn) ?? "";
  if (name !== heading) tell(`The names' heading is "${shown(name)}".`);
  let year: number | undefined;
  for (const [quarter, [rate, margin]] of quarterColumns.entries()) {
    const text = headings.get(rate) ?? "";
    const found = quarterIn(text, quarter, only, tell);
    year ??= found;
    if (found === undefined || found !== year) {
      throw at.refusal(
        "COLUMN_NAMES",
        top?.row ?? 1,
        rate,
        `"${shown(text)}" stands where the ${quarterNames[quarter]?.toLowerCase()} quarter of ` +
          "the block's year is due",
      );
    }
    refuseOtherMargin(headings.get(margin) ?? "", top?.row ?? 1, margin, at, tell);
  }
  return year ?? 0;
}

/** The year that a quarter's heading says. */
function quarterIn(
  text: string,
  quarter: number,
  only: number | undefined,
  tell: TellChange,
): number | undefined {
  const [, name, known] = /^(\w+) Quarter ([0-9]{4})(?:[0-9]|\*{1,3})?$/.exec(text) ?? [];
  if (name === quarterNames[quarter]) return Number(known);
  const bare = text.replace(/\b(?:19|20)[0-9]{2}\b/, "");
  if (!/\bquarter\b|\bqtr\b|\bq[1-4]\b|\b[1-4]q\b/i.test(bare)) return undefined;
  const rest = bare.replace(otherQuarters[quarter] ?? "", "");
  // A number that is left is the rate of a region whose name is missing.
  if (rest === bare || /[0-9]/.test(rest)) return undefined;
  const year = /\b((?:19|20)[0-9]{2})\b/.exec(text)?.[1];
  tell(`A quarter's heading is "${shown(bare.trim())}".`);
  return year === undefined ? only : Number(year);
}

function refuseOtherMargin(
  text: string,
  row: number,
  column: string,
  at: SheetPlaces,
  tell: TellChange,
): void {
  if (text.replace(marks, "") === "Margin of Error") return;
  if (!/\bmargins?\b|\bmoe\b/i.test(text)) {
    throw at.refusal(
      "COLUMN_NAMES",
      row,
      column,
      `"${shown(text)}" stands where the margin of error is due`,
    );
  }
  tell(`A margin's heading is "${shown(text)}".`);
}

/** Headings run over several rows: quarter, the word Quarter, year. */
export function columnTexts(rows: readonly SheetRow[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { cells } of rows) {
    for (const [column, cell] of cells) {
      texts.set(column, `${texts.get(column) ?? ""} ${plainText(cell)}`.trim());
    }
  }
  return texts;
}

interface MarkedName {
  /** Without the dots that pad it and the mark of its footnote. */
  readonly name: string;
  readonly note: string | undefined;
}

export function markedName(text: string): MarkedName {
  const padded = text.replace(/[.…\s]+$/, "");
  const [mark = ""] = marks.exec(padded) ?? [];
  const name = padded.slice(0, padded.length - mark.length).replace(/[.…\s]+$/, "");
  return { name, note: /[0-9]+/.exec(mark)?.[0] };
}

/** A footnote that says what a region was called before. */
export interface RenameNote {
  readonly note: string;
  readonly former: string;
}

/** Since 2026 the number stands in a cell of its own. */
export function renameNoteIn({ cells }: SheetRow): RenameNote | undefined {
  const text = [...cells.values()].map(plainText).join(" ");
  const match =
    /^\(?([0-9]{1,2})\)?[/.:]? ?(?:Formerly|Previously)(?: titled| named| called| known as)? (.+?)\.?$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const [, note = "", former = ""] = match;
  return { note, former: markedName(former).name };
}

/** The number of a footnote with its text beside it. */
export const isNumberedNote = ({ cells }: SheetRow): boolean => {
  const [first, ...others] = cells.values();
  const isNumber = first?.kind === "number" && /^[1-9][0-9]?$/.test(first.text);
  return isNumber && others.length > 0 && others.every(({ kind }) => kind === "text");
};

export interface HvsRegion {
  readonly regionId: string;
  readonly regionName: string;
  readonly stateCode: string;
  /** By which a node's `providerIds` may call it, too. */
  readonly otherIds: readonly string[];
}

/**
 * A state by its name, FIPS as its id; a metro by its code, which the table of names has, or by its
 * name, made fit for an id.
 */
export function regionOf(name: string, level: HvsLevel): HvsRegion | undefined {
  if (level === "state") {
    const state = builtInStates.find((one) => one.name === name);
    if (state === undefined || state.fips === null) return undefined;
    const { fips, stateCode } = state;
    return { regionId: fips, regionName: name, stateCode, otherIds: [] };
  }
  const match = /^\p{Lu}[\p{L} ./'-]*,? ([A-Z]{2})(-[A-Z]{2})*$/u.exec(name);
  if (match === null) return undefined;
  const [, stateCode = ""] = match;
  const known = metroNamed(name);
  return known === undefined
    ? { regionId: idOfName(name), regionName: name, stateCode, otherIds: [] }
    : {
        regionId: known.code,
        regionName: name,
        stateCode,
        otherIds: known.names.map(idOfName),
      };
}

/** A quarter's print stands in its last month; quarter 0 is the first. */
export const monthOfQuarter = (year: number, quarter: number): Month =>
  monthOf(year, 3 * quarter + 3);
