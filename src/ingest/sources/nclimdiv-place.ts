// One place of an nClimDiv file with its years, and what must hold among all places of a file.
// Invariant: a file that passes was not cut, joined or thinned out; gaps are at its end only.
import { type Month, monthOf } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { requiredCodes } from "./nclimdiv-codes.ts";
import { type ClimateLine, type Displaced, monthColumns } from "./nclimdiv-line.ts";

const MONTHS = 12;

export interface ClimatePlace {
  readonly code: string;
  /** Its first line; a year has one. */
  readonly line: number;
  readonly firstYear: number;
  /** From January of the first year on. */
  readonly months: (PrintValue | null)[];
  readonly displaced: Displaced[];
}

/** Takes the next line of the file: a place's next year, or the next place. */
export function appendLine(places: ClimatePlace[], read: ClimateLine): void {
  const last = places.at(-1);
  if (last?.code === read.code) {
    refuseBrokenYears(last, read);
    last.months.push(...read.values);
    last.displaced.push(...read.displaced);
    return;
  }
  if (last !== undefined && read.code < last.code) {
    const isKnown = places.some(({ code }) => code === read.code);
    throw new ReleaseRefusal(
      isKnown ? "DUPLICATE_REGION" : "BAD_REGION_ID",
      { line: read.line, column: "place" },
      `${read.code} stands below ${last.code}; NOAA lists places in the order of their numbers, ` +
        "each once: download the file again",
    );
  }
  places.push({
    code: read.code,
    line: read.line,
    firstYear: read.year,
    months: [...read.values],
    displaced: [...read.displaced],
  });
}

function refuseBrokenYears(place: ClimatePlace, { line, year }: ClimateLine): void {
  const before = lastYearOf(place);
  if (year === before + 1) return;
  const at = { line, column: "year" };
  if (year === before) {
    throw new ReleaseRefusal("DUPLICATE_MONTH", at, `${year} has two lines for ${place.code}`);
  }
  throw year < before
    ? new ReleaseRefusal("MONTHS_OUT_OF_ORDER", at, `${year} stands below ${before}`)
    : new ReleaseRefusal("MONTH_GAP", at, `follows ${before}: lines between are missing`);
}

/** @throws ReleaseRefusal where places or years are missing that every file has */
export function refuseUneven(places: readonly ClimatePlace[]): void {
  const required = places.filter(({ code }) => requiredCodes.includes(code));
  const firstYear = Math.min(...required.map((place) => place.firstYear));
  const lastYear = Math.max(...places.map(lastYearOf));
  for (const place of places) {
    const line = place.line + place.months.length / MONTHS - 1;
    if (lastYearOf(place) < lastYear) {
      throw new ReleaseRefusal(
        place === places.at(-1) ? "TRUNCATED" : "MONTH_GAP",
        { line },
        `${place.code} ends in ${lastYearOf(place)} and other places in ${lastYear}; the file ` +
          "was cut off or lines are missing: download it again",
      );
    }
    if (place.firstYear > firstYear && requiredCodes.includes(place.code)) {
      throw new ReleaseRefusal(
        "MONTH_GAP",
        { line: place.line, column: "year" },
        `${place.code} starts in ${place.firstYear} and other places in ${firstYear}; lines are ` +
          "missing: download the file again",
      );
    }
  }
  const absent = requiredCodes.find((code) => places.every((place) => place.code !== code));
  if (absent === undefined) return;
  throw new ReleaseRefusal(
    places.every(({ code }) => code < absent) ? "TRUNCATED" : "MISSING_REGION",
    {},
    `Place ${absent} is missing, which every statewide file holds; the file was cut off or lines ` +
      "are missing: download it again.",
  );
}

/** @throws ReleaseRefusal where a value is missing that is not at the end */
export function refuseMissingInside(places: readonly ClimatePlace[]): void {
  const newest = newestMonth(places);
  for (const place of places) {
    const isRequired = requiredCodes.includes(place.code);
    const due = isRequired ? newest : newestOf(place);
    const index = place.months.indexOf(null);
    if (index < 0 || index + monthOf(place.firstYear, 1) > due) continue;
    throw new ReleaseRefusal(
      "BAD_CELL",
      {
        line: place.line + Math.floor(index / MONTHS),
        column: monthColumns[index % MONTHS] ?? "",
      },
      "is missing, though later months or other places are not; NOAA leaves out only the months " +
        "to come: download the file again",
    );
  }
}

/** The newest month any place has a value for; a file of nothing else is refused. */
export function newestMonth(places: readonly ClimatePlace[]): Month {
  const newest = places.reduce<Month>(
    (latest, place) => {
      const own = newestOf(place);
      return own > latest ? own : latest;
    },
    monthOf(0, 1),
  );
  if (newest > monthOf(0, 1)) return newest;
  throw new ReleaseRefusal("NO_ROWS", {}, "The file holds no value at all.");
}

const newestOf = (place: ClimatePlace): Month =>
  monthOf(place.firstYear, 1 + place.months.findLastIndex((value) => value !== null));

const lastYearOf = ({ firstYear, months }: ClimatePlace): number =>
  firstYear + months.length / MONTHS - 1;
