// The sample's rental vacancy of the nation and yearly temperatures of the states, in the layouts
// of the importer: a CSV of quarters and a table of fixed columns.
// Invariant: a value of a month is the same in every release; only + − × ÷ on the way.
import { addMonths, calendarMonth, formatMonth, type Month, monthOf } from "#base/month.ts";
import { requiredCodes } from "#ingest/sources/nclimdiv-codes.ts";
import { RELEASES, type SampleRelease } from "./calendar.ts";
import { bell, randomOf } from "./random.ts";

export type SurveyFile = { readonly text: string } & (
  | { readonly index: "vacancy"; readonly level: "nation" }
  | { readonly index: "weather"; readonly level: "state" }
);

const QUARTERS = 60;
const YEARS = 35;
const MONTHS = 12;

/** With the first release, and with each that a quarter or a year has ended in since. */
export function* surveyFiles(seed: number, release: SampleRelease): Generator<SurveyFile> {
  const { number, lastMonth } = release;
  const isFirst = number === 0;
  if (isFirst || calendarMonth(lastMonth) % 3 === 0) {
    yield { index: "vacancy", level: "nation", text: vacancyText(seed, release) };
  }
  if (isFirst || calendarMonth(lastMonth) === MONTHS) {
    yield { index: "weather", level: "state", text: temperatureText(seed, lastMonth) };
  }
}

/** Dated by the first day of each quarter; values wander slowly about 7 %. */
function vacancyText(seed: number, { number, lastMonth }: SampleRelease): string {
  const random = randomOf(seed, "vacancy");
  const first = quarterStart(addMonths(lastMonth, RELEASES - 1 - number)) - 3 * QUARTERS;
  const lines = ["DATE,VALUE"];
  let rate = 7;
  for (let at = 0; at < QUARTERS + 2; at += 1) {
    rate += 0.1 * (7 - rate) + 0.2 * bell(random);
    const start = addMonths(monthOf(0, 1), first + 3 * at);
    if (start + 2 > lastMonth) break;
    lines.push(`${formatMonth(start)}-01,${rate.toFixed(1)}`);
  }
  return `${lines.join("\n")}\n`;
}

const quarterStart = (month: Month): Month => addMonths(month, -(month % 3));

/** Degrees Fahrenheit above the year's mean, January to December. */
const seasons = [-21, -18, -9, 0, 9, 18, 22, 20, 13, 2, -10, -19];

function temperatureText(seed: number, lastMonth: Month): string {
  const lastYear = Math.floor(lastMonth / MONTHS);
  const lines: string[] = [];
  for (const [at, place] of requiredCodes.entries()) {
    for (let year = lastYear - YEARS + 1; year <= lastYear; year += 1) {
      const random = randomOf(seed, `temperature ${place} ${year}`);
      // Places from 46 to 58 degrees, none as in life; a year is warmer or colder as a whole.
      const mean = 46 + ((at * 7) % 13) + 0.03 * (year - 2000) + bell(random);
      const cells = seasons.map((season, month) => {
        const value = mean + season + 2 * bell(random);
        return (monthOf(year, month + 1) > lastMonth ? "-99.90" : value.toFixed(2)).padStart(7);
      });
      lines.push(`${place}002${year}${cells.join("")}   \n`);
    }
  }
  return lines.join("");
}
