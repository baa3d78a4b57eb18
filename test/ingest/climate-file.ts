// Made-up nClimDiv statewide files: every place NOAA lists, sixteen years, fixed columns.
// Invariant: the same seed gives the same file; no value comes from the provider.

import { monthOf, parseMonth } from "#base/month.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { NclimdivFile } from "#ingest/sources/nclimdiv.ts";
import { readNclimdiv } from "#ingest/sources/nclimdiv.ts";
import { requiredCodes } from "#ingest/sources/nclimdiv-codes.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { between, pieces, randomFrom } from "./wide-file.ts";

export const firstYear = 1990;
export const lastYear = 2005;
/** Months of the last year that have a value. */
const published = 8;

/** With Alaska, a region of rivers and a belt of crops besides what every file has. */
const codes = [...requiredCodes, "050", "111", "365"].sort();

interface Element {
  readonly code: string;
  readonly missing: string;
  /** A month's value in hundredths, or in whole units for degree days. */
  readonly draw: (random: () => number, place: string, month: number) => number;
}

const coldness = (place: string, month: number): number =>
  (place === "050" ? 20 : 45) - 30 * Math.cos((Math.PI * month) / 6);

const elements: Readonly<Record<WeatherVariable, Element>> = {
  precipitation: { code: "01", missing: "-9.99", draw: (random) => between(random, 0, 1500) },
  temperature: {
    code: "02",
    missing: "-99.90",
    draw: (random, place, month) =>
      10 * Math.round(10 * (coldness(place, month) + 6 * (random() - 0.5))),
  },
  heatingDegreeDays: { code: "25", missing: "-9999.", draw: (random) => between(random, 0, 2500) },
  coolingDegreeDays: { code: "26", missing: "-9999.", draw: (random) => between(random, 0, 900) },
};

/** By place, year and month, as drawn: hundredths, or whole degree days. */
export type Drawn = ReadonlyMap<string, readonly (readonly (number | null)[])[]>;

export function draw(variable: WeatherVariable, seed = 1, until = lastYear): Drawn {
  const random = randomFrom(seed);
  const { draw: one } = elements[variable];
  return new Map(
    codes.map((place) => [
      place,
      Array.from({ length: until - firstYear + 1 }, (_, at) =>
        Array.from({ length: 12 }, (__, month) =>
          firstYear + at === until && month >= published ? null : one(random, place, month),
        ),
      ),
    ]),
  );
}

export function textOf(variable: WeatherVariable, drawn: Drawn): string {
  const { code, missing } = elements[variable];
  const isWhole = missing.endsWith(".");
  const lines = [...drawn].flatMap(([place, years]) =>
    years.map((months, at) => {
      const cells = months.map((value) =>
        (value === null ? missing : isWhole ? `${value}.` : (value / 100).toFixed(2)).padStart(7),
      );
      return `${place}0${code}${firstYear + at}${cells.join("")}   `;
    }),
  );
  return `${lines.join("\n")}\n`;
}

export const climateFile = (variable: WeatherVariable, seed = 1): string =>
  textOf(variable, draw(variable, seed));

/** So that the middle state is where validation has seen real ones. */
const likely: Readonly<Record<WeatherVariable, (drawn: number) => number>> = {
  temperature: (drawn) => drawn + 700,
  precipitation: (drawn) => Math.round(drawn / 2),
  heatingDegreeDays: (drawn) => Math.round(drawn * 0.75),
  coolingDegreeDays: (drawn) => Math.round(drawn * 0.6),
};

/**
 * The file as it stands when `last` is its newest month; `scale`: of the newest year. Files drawn
 * until the same year agree on the months that they share.
 */
export function vintageOf(
  variable: WeatherVariable,
  last: string,
  scale = 1,
  until = lastYear,
): string {
  const end = parseMonth(last) ?? Number.NaN;
  const years = Math.floor(end / 12) - firstYear + 1;
  const drawn = new Map(
    [...draw(variable, 1, until)].map(([place, all]) => [
      place,
      all.slice(0, years).map((months, year) =>
        months.map((value, at) => {
          if (value === null || monthOf(firstYear + year, at + 1) > end) return null;
          const own = likely[variable](value);
          return year === years - 1 ? Math.round(own * scale) : own;
        }),
      ),
    ]),
  );
  return textOf(variable, drawn);
}

/** Where a place's year stands, as a person counts. */
export const lineOf = (place: string, year: number): number =>
  codes.indexOf(place) * (lastYear - firstYear + 1) + (year - firstYear) + 1;

export async function readClimate(
  bytes: Uint8Array | string,
): Promise<{ readonly file: NclimdivFile; readonly rows: readonly ProviderRow[] }> {
  const file = await readNclimdiv(pieces(Buffer.from(bytes), 9973));
  return { file, rows: await Array.fromAsync(file.rows) };
}

/** The refusal, or undefined where the file was read. Any other error is thrown. */
export async function climateRefusal(
  bytes: Uint8Array | string,
): Promise<ReleaseRefusal | undefined> {
  try {
    await readClimate(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ReleaseRefusal) return error;
    throw error;
  }
}
