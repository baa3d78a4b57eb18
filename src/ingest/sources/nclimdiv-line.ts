// One line of an nClimDiv file: a place, an element, a year and twelve values in fixed columns.
// Invariant: a value that is read stands in the line as NOAA writes numbers; nothing is guessed.
import { type PrintValue, parsePrintValue, printValue } from "#base/print-value.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { shown } from "./zillow-layout.ts";

export interface ClimateLine {
  readonly line: number;
  /** Three digits. */
  readonly code: string;
  readonly year: number;
  /** January to December. */
  readonly values: readonly (PrintValue | null)[];
  /** Values that do not end in their column. */
  readonly displaced: readonly Displaced[];
}

/** NOAA's temperatures of 2023 set off some values by two blanks, whatever their length. */
export interface Displaced {
  readonly line: number;
  /** 0 is January. */
  readonly month: number;
  /** `short`: 5.20 where a blank is wanting; `long`: -10.50 with one too many. */
  readonly form: "short" | "long";
  /** The line as a whole has the right width: what is wanting here stands there too much. */
  readonly isBalanced: boolean;
}

interface Element {
  readonly variable: WeatherVariable;
  readonly number: RegExp;
  readonly missing: string;
  /** Whole units, both ends possible. */
  readonly least: bigint;
  readonly most: bigint;
}

const twoDecimals = /^-?[0-9]+\.[0-9]{2}$/;
const wholeWithPoint = /^-?[0-9]+\.$/;

const elements: ReadonlyMap<string, Element> = new Map([
  [
    "01",
    { variable: "precipitation", number: twoDecimals, missing: "-9.99", least: 0n, most: 99n },
  ],
  [
    "02",
    { variable: "temperature", number: twoDecimals, missing: "-99.90", least: -50n, most: 140n },
  ],
  [
    "25",
    {
      variable: "heatingDegreeDays",
      number: wholeWithPoint,
      missing: "-9999.",
      least: 0n,
      most: 9998n,
    },
  ],
  [
    "26",
    {
      variable: "coolingDegreeDays",
      number: wholeWithPoint,
      missing: "-9999.",
      least: 0n,
      most: 9998n,
    },
  ],
]);

const LINE_WIDTH = 97;
const KEY_WIDTH = 10;
const COLUMN_WIDTH = 7;
const MONTHS = 12;
const ONE = 1_000_000_000_000_000n;

export const monthColumns = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** @throws ReleaseRefusal naming the line, and the month where it is one value's fault */
export function readClimateLine(
  line: number,
  text: string,
  due?: WeatherVariable,
): ClimateLine & { readonly variable: WeatherVariable } {
  const { code, element, year } = keyOf(line, text);
  if (due !== undefined && element.variable !== due) {
    throw new ReleaseRefusal(
      "WRONG_SERIES",
      { line, column: "element" },
      `is of another element (${text.slice(4, 6)}) than the lines above; two files were joined`,
    );
  }
  const cells = cellsOf(line, text, element);
  return {
    line,
    code,
    year,
    variable: element.variable,
    values: cells.map(({ number }, month) => printOf(number, element, line, month)),
    displaced: cells.flatMap(({ form }, month) =>
      form === "aligned" ? [] : [{ line, month, form, isBalanced: text.length === LINE_WIDTH }],
    ),
  };
}

interface LineKey {
  readonly code: string;
  readonly element: Element;
  readonly year: number;
}

function keyOf(line: number, text: string): LineKey {
  const match = /^([0-9]{3})([0-9])([0-9]{2})([0-9]{4})([0-9]?) /.exec(text);
  if (match === null) {
    throw new ReleaseRefusal(
      line === 1 ? "OTHER_PROVIDER" : "BAD_CELL",
      { line },
      `"${shown(text)}" does not start with ten digits for place, element and year, as NOAA's ` +
        "statewide files do: check what was downloaded",
    );
  }
  const [, code = "", division, number = "", year, eleventh] = match;
  if (division !== "0" || eleventh !== "") {
    throw new ReleaseRefusal(
      "WRONG_LEVEL",
      { line },
      "is of a climate division or a county; the statewide files (climdiv-…st) are taken",
    );
  }
  const element = elements.get(number);
  if (element === undefined) {
    throw new ReleaseRefusal(
      "WRONG_SERIES",
      { line, column: "element" },
      `${number} is none of 01 precipitation, 02 average temperature, 25 heating degree days, ` +
        "26 cooling degree days; no index is made of it",
    );
  }
  return { code, element, year: Number(year) };
}

interface NumberCell {
  readonly number: string;
  readonly form: "aligned" | "short" | "long";
}

/** Twelve numbers, each ending in its column, then three blanks. */
function cellsOf(line: number, text: string, element: Element): NumberCell[] {
  const body = text.slice(KEY_WIDTH);
  const tokens = [...body.matchAll(/ +[^ ]+/g)].map(([token]) => token);
  const end = tokens.reduce((sum, token) => sum + token.length, 0);
  if (body.slice(0, end) !== tokens.join("") || tokens.length !== MONTHS) {
    throw new ReleaseRefusal(
      "CELL_COUNT",
      { line },
      `holds ${tokens.length} values where a year has ${MONTHS} months; download the file again`,
    );
  }
  const cells = tokens.map((token, month) => cellOf(token, element, line, month));
  if (body.length - end !== LINE_WIDTH - KEY_WIDTH - MONTHS * COLUMN_WIDTH) {
    throw new ReleaseRefusal(
      "LINE_WIDTH",
      { line },
      `has not the three blanks at its end that make ${LINE_WIDTH} characters; the file was ` +
        "changed: download it again",
    );
  }
  return cells;
}

function cellOf(token: string, element: Element, line: number, month: number): NumberCell {
  const number = token.trimStart();
  const place = { line, column: monthColumns[month] ?? "" };
  if (!element.number.test(number)) {
    throw new ReleaseRefusal(
      "BAD_NUMBER",
      place,
      `"${shown(number)}" is not a number as NOAA writes it in this file (${element.missing} is ` +
        "what it writes for a missing one): download the file again",
    );
  }
  if (token.length === COLUMN_WIDTH) return { number, form: "aligned" };
  const isSetOff = element.variable === "temperature" && token.length - number.length === 2;
  if (isSetOff && token.length === COLUMN_WIDTH - 1) return { number, form: "short" };
  if (isSetOff && token.length === COLUMN_WIDTH + 1) return { number, form: "long" };
  throw new ReleaseRefusal(
    "LINE_WIDTH",
    place,
    `"${shown(number)}" does not end in its column, ${COLUMN_WIDTH} characters after the one ` +
      "before; something was put in or taken out: download the file again",
  );
}

function printOf(number: string, element: Element, line: number, month: number): PrintValue | null {
  if (number === element.missing) return null;
  const place = { line, column: monthColumns[month] ?? "" };
  const plain = number.replace(/\.$/, "").replace(/^-(?=0(\.0+)?$)/, "");
  const value = parsePrintValue(plain);
  if (value === undefined) {
    throw new ReleaseRefusal("BAD_NUMBER", place, `"${shown(number)}" starts with a needless zero`);
  }
  if (value >= element.least * ONE && value < (element.most + 1n) * ONE) return printValue(value);
  throw new ReleaseRefusal(
    "OUT_OF_RANGE",
    place,
    `${shown(number)} lies outside what can be measured (${element.least} to ${element.most}), ` +
      `and missing values are written ${element.missing}: download the file again`,
  );
}
