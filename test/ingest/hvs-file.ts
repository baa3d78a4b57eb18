// Made-up rental vacancy tables in the layouts of the Census Bureau's workbooks, states and metros.
// Invariant: the same seed gives the same table; no value comes from the provider.

import { builtInStates } from "#geo/states.ts";
import { readCensusHvs } from "#ingest/sources/census-hvs.ts";
import type { HvsLevel } from "#ingest/sources/census-hvs-layout.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { pieces, randomFrom } from "./wide-file.ts";
import { type Grid, type GridCell, workbookOf } from "./workbook-file.ts";

export const lastYear = 2016;
export const firstYear = 2013;
/** The years the workbook covers. */
interface Years {
  readonly first: number;
  readonly last: number;
}

const usualYears: Years = { first: firstYear, last: lastYear };
/** Quarters of the newest year that are published, unless it is said. */
const PUBLISHED = 2;

/** As the sheet has them: padded, with footnote numbers, two of them once with a stop too many. */
const metroNames = [
  "Alderton-Birch Falls, TX ..........",
  "Cedar Hollow, OH-KY3.........",
  "Dogwood/Elm County, KY-IN15......",
  "Ft. Fir, LA.18.......",
  "Gum Springs, CA………….",
  "St. Hazel-Ivy, MO-IL",
];

export const namesOf = (level: HvsLevel): readonly string[] =>
  level === "state" ? builtInStates.map(({ name }) => `${name}..........`) : metroNames;

/** Where the table's columns start: metros have a column of notes before the names. */
export const nameAt = (level: HvsLevel): number => (level === "state" ? 0 : 1);

/** By quarter from the oldest on, by region in the order of `namesOf`. */
export function ratesOf(
  level: HvsLevel,
  seed = 1,
  published = PUBLISHED,
  { first, last } = usualYears,
): number[][] {
  const random = randomFrom(seed);
  const quarters = 4 * (last - first) + published;
  return Array.from({ length: quarters }, () =>
    namesOf(level).map(() => Math.round(random() * 200) / 10),
  );
}

const titleOf = (level: HvsLevel, { first, last }: Years): string =>
  level === "state"
    ? `Table 1. Rental Vacancy Rates by State: ${first} to ${last}`
    : "Table 4. Rental Vacancy Rates for the 75 Largest Metropolitan Statistical Areas: " +
      `${first} to ${last}`;

const BLANK: readonly GridCell[] = [];
const quarterNames = ["First", "Second", "Third", "Fourth"];

export function hvsGrid(
  level: HvsLevel,
  seed = 1,
  published = PUBLISHED,
  years = usualYears,
): Grid {
  const grid: Grid = [["Table with row headings in Column B and column headings are in rows 4-7."]];
  const rates = ratesOf(level, seed, published, years);
  const table = titleOf(level, years);
  for (let year = years.last; year >= years.first; year -= 1) {
    const title = year === years.last ? table : `${table} - Continued`;
    grid.push([title], [...BLANK], ...headingOf(level, year, years), [...BLANK]);
    const from = 4 * (year - years.first);
    for (const [at, name] of namesOf(level).entries()) {
      const cells = [0, 1, 2, 3].flatMap((quarter) => {
        const rate = rates[from + quarter]?.[at];
        return rate === undefined ? [null, null] : [rate, 1.3];
      });
      grid.push([...(level === "metro" ? ["**"] : []), name, ...cells]);
    }
    grid.push([...BLANK], [...BLANK]);
  }
  grid.push(["Footnotes:"], ["Source: made up."], ["(z) Less than 0.05."]);
  return grid;
}

/** In one row from 2015 on; before that in four, the year as a number or, once, as a text. */
function headingOf(level: HvsLevel, year: number, { first }: Years): Grid {
  const margin = (at: number): string => `Margin of Error${at === 0 ? 2 : 1}`;
  const start = level === "metro" ? [null] : [];
  const heading = level === "metro" ? "Metropolitan Statistical Area" : "State";
  if (year >= 2015) {
    const cells = quarterNames.flatMap((name, at) => [
      `${name}      Quarter\n  ${year}`,
      margin(at),
    ]);
    return [[...start, heading, ...cells], [], [], []];
  }
  const spread = (text: (name: string) => GridCell): GridCell[] => [
    ...start,
    null,
    ...quarterNames.flatMap((name) => [text(name), null]),
  ];
  return [
    [...start, heading, ...quarterNames.flatMap((_, at) => [null, margin(at)])],
    spread((name) => name),
    spread(() => "Quarter"),
    spread(() => (year === first ? String(year) : year)),
  ];
}

export const calm = (rate: number): number => Math.round(50 + 2 * rate) / 10;

/** A workbook up to so many quarters of the newest year; every rate from 5 to 9. */
export function calmVacancy(level: HvsLevel, quarters: number, years = usualYears): Buffer {
  const grid = hvsGrid(level, 1, quarters, years).map((row) =>
    row.map((cell, at) => {
      const isRate = typeof cell === "number" && row[at + 1] === 1.3;
      return isRate ? calm(cell) : cell;
    }),
  );
  return workbookOf(grid);
}

export async function readHvs(bytes: Uint8Array, level: HvsLevel): Promise<ProviderRow[]> {
  const file = await readCensusHvs(pieces(bytes), level);
  return await Array.fromAsync(file.rows);
}

/** The refusal, or undefined where the workbook was read. Any other error is thrown. */
export async function hvsRefusal(
  bytes: Uint8Array,
  level: HvsLevel,
): Promise<ReleaseRefusal | undefined> {
  try {
    await readHvs(bytes, level);
    return undefined;
  } catch (error) {
    if (error instanceof ReleaseRefusal) return error;
    throw error;
  }
}
