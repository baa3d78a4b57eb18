// NOAA's nClimDiv statewide files as yearly values of the weather series over calendar windows.
// Invariant: a value is made of the file's own decimals, all months of its window, or not at all.
import { addMonths, type Month, monthOf } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import {
  type WeatherSeries,
  type WeatherVariable,
  weatherSeriesOf,
  windowValue,
} from "#contract/weather-series.ts";
import { builtInStates } from "#geo/states.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { NATION_CODE, stateOfCode } from "./nclimdiv-codes.ts";
import { readClimateLine } from "./nclimdiv-line.ts";
import {
  appendLine,
  type ClimatePlace,
  newestMonth,
  refuseMissingInside,
  refuseUneven,
} from "./nclimdiv-place.ts";
import { refuseOddSpacing } from "./nclimdiv-spacing.ts";
import { type ProviderFile, type ProviderRow, rowsOf } from "./provider-file.ts";
import { type CsvLine, readCsvLines } from "./wide-csv.ts";

export interface NclimdivFile extends ProviderFile {
  readonly variable: WeatherVariable;
  /** The series whose prints the rows hold. */
  readonly series: readonly WeatherSeries[];
}

const MONTHS = 12;

/**
 * Reads the whole file (1.2 MB): only its end shows that it is whole.
 * @param source decompressed bytes
 * @throws ReleaseRefusal naming line and month where there is one
 */
export async function readNclimdiv(source: AsyncIterable<Uint8Array>): Promise<NclimdivFile> {
  const places: ClimatePlace[] = [];
  let variable: WeatherVariable | undefined;
  for await (const line of readCsvLines(source)) {
    const read = readClimateLine(line.line, textOf(line), variable);
    variable = read.variable;
    appendLine(places, read);
  }
  if (variable === undefined) {
    throw new ReleaseRefusal("EMPTY_FILE", {}, "The file is empty; download it again.");
  }
  refuseUneven(places);
  refuseMissingInside(places);
  refuseOddSpacing(places);
  return fileOf(places, variable);
}

function textOf({ line, cells, ended }: CsvLine): string {
  if (!ended) {
    throw new ReleaseRefusal(
      "TRUNCATED",
      { line },
      "the file stops here without the line ending the provider writes; it was cut off or saved " +
        "by another program: download it again",
    );
  }
  if (cells.length === 1) return cells[0] ?? "";
  throw new ReleaseRefusal(
    line === 1 ? "OTHER_PROVIDER" : "BAD_CELL",
    { line },
    "holds a comma, and NOAA's files have fixed columns; the file is of another provider or was " +
      "changed: check what was downloaded",
  );
}

function fileOf(places: readonly ClimatePlace[], variable: WeatherVariable): NclimdivFile {
  const series = weatherSeriesOf(variable);
  const rows = places.flatMap((place) => rowOf(place, series) ?? []);
  const firstYear = Math.min(...places.map((place) => place.firstYear));
  return {
    variable,
    series,
    firstMonth: monthOf(firstYear, 1),
    lastMonth: newestMonth(places),
    calendarMonths: series.map(({ lastMonth }) => lastMonth),
    rows: rowsOf(rows),
  };
}

/**
 * Undefined for climate regions, river basins and crop belts, which have no node, and
 * for a place without any value.
 */
function rowOf(place: ClimatePlace, series: readonly WeatherSeries[]): ProviderRow | undefined {
  const state = builtInStates.find(({ stateCode }) => stateCode === stateOfCode(place.code));
  const history = historyOf(place, series);
  const isNowhere = state === undefined && place.code !== NATION_CODE;
  if (isNowhere || history.values.length === 0) return undefined;
  return {
    line: place.line,
    regionId: place.code,
    regionName: state?.name ?? "Contiguous United States",
    level: state === undefined ? "nation" : "state",
    stateCode: state?.stateCode ?? null,
    countyFips: null,
    city: null,
    county: null,
    history,
  };
}

/** From January of the first year on; most months stay blank, for a series has one a year. */
function historyOf(place: ClimatePlace, series: readonly WeatherSeries[]): MonthRow {
  const values: (PrintValue | null)[] = new Array(place.months.length).fill(null);
  for (let start = 0; start < place.months.length; start += MONTHS) {
    const year = place.months.slice(start, start + MONTHS);
    for (const one of series) values[start + one.lastMonth - 1] = windowValue(one, year);
  }
  return trimmed(monthOf(place.firstYear, 1), values);
}

/** Without the blanks before the first value and after the last. */
function trimmed(firstMonth: Month, values: readonly (PrintValue | null)[]): MonthRow {
  const from = values.findIndex((value) => value !== null);
  const to = values.findLastIndex((value) => value !== null) + 1;
  return from < 0
    ? { firstMonth, values: [] }
    : { firstMonth: addMonths(firstMonth, from), values: values.slice(from, to) };
}
