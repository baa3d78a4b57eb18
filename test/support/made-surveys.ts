// Made-up vacancy surveys, climate files and a list of counties where the providers' are not at
// hand, for the paths that the scenarios ask for.
// Invariant: the same path gives the same bytes; no value comes from a provider.
import { gzipSync } from "node:zlib";
import type { WeatherVariable } from "#contract/weather-series.ts";
import { counties } from "#sample/places.ts";
import { vintageOf } from "#test/ingest/climate-file.ts";
import { calmVacancy } from "#test/ingest/hvs-file.ts";

/** Climate files end in this year at the latest, in August. */
const LAST_CLIMATE_YEAR = 2025;
/** Housing units of a made-up county are its place in the list times this. */
const HOUSING_UNITS = 10_000;

const climate = (variable: WeatherVariable, last: string): string =>
  vintageOf(variable, last, 1, LAST_CLIMATE_YEAR);

/** By the end of the provider's path. */
const surveys: readonly (readonly [string, () => Buffer | string])[] = [
  ["census-gazetteer-2010/Gaz_counties_national.txt.gz", gazetteer],
  ["zip-county-city/geo-data.csv.gz", () => "zipcode,state_abbr,county,city\n"],
  ["2022-12/RRVRUSQ156N.csv.gz", () => nationalVacancy(2022, 3)],
  ["2024-06/RRVRUSQ156N.csv.gz", () => nationalVacancy(2024, 1)],
  ["tab1_state05_2022_rvr.xlsx.gz", () => calmVacancy("state", 2, { first: 2005, last: 2022 })],
  ["tab4_msa_15_22_rvr.xlsx.gz", () => calmVacancy("metro", 2, { first: 2015, last: 2022 })],
  ["climdiv-tmpcst-v1.0.0-20230106.txt.gz", () => climate("temperature", "2022-12")],
  ["climdiv-tmpcst-v1.0.0-20250905.gz", () => withHawaii(climate("temperature", "2025-08"))],
  ["climdiv-pcpnst-v1.0.0-20230106.txt.gz", () => climate("precipitation", "2022-12")],
  ["climdiv-pdsist-v1.0.0-20230106.txt.gz", () => asDrought(climate("precipitation", "2022-12"))],
];

/** The bytes of a made-up file in the place of the provider's, or undefined: none is made. */
export function madeSurvey(path: string): Buffer | undefined {
  const make = surveys.find(([end]) => path.endsWith(end))?.[1];
  return make === undefined ? undefined : gzipSync(make());
}

/** The Census Bureau's list of counties, with the columns that are read. */
function gazetteer(): string {
  const rows = counties.map(([fips, name], at) =>
    [fips, `${name} County`, HOUSING_UNITS * (at + 1)].join("\t"),
  );
  return `${["GEOID\tNAME\tHU10", ...rows].join("\n")}\n`;
}

/** FRED's quarters from 1956 on, each within 4 and 8 percent and near the one before. */
function nationalVacancy(lastYear: number, lastQuarter: number): string {
  const quarters = 4 * (lastYear - 1956) + lastQuarter;
  const lines = Array.from({ length: quarters }, (_, at) => {
    const month = String(1 + 3 * (at % 4)).padStart(2, "0");
    const rate = 6 + ((at % 29) - 14) / 20 + (at % 3) / 10;
    return `${1956 + Math.floor(at / 4)}-${month}-01,${rate.toFixed(1)}`;
  });
  return `${["DATE,RRVRUSQ156N", ...lines].join("\n")}\n`;
}

/** The newer files have Hawaii, the lines before Alaska's; it is warmer here by 40 degrees. */
function withHawaii(text: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("050"));
  const hawaii = lines
    .filter((line) => line.startsWith("050"))
    .map((line) => `049${line.slice(3)}`.replaceAll(/ +-?\d+\.\d\d/g, warmer));
  return lines.toSpliced(at, 0, ...hawaii).join("\n");
}

const warmer = (cell: string): string =>
  Number(cell) === -99.9 ? cell : (Number(cell) + 40).toFixed(2).padStart(cell.length);

/** The element's number is that of the Palmer Drought Severity Index, which nobody takes. */
const asDrought = (text: string): string => text.replaceAll(/^(?<place>\d{4})01/gm, "$<place>05");
