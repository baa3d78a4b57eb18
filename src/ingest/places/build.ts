// Reads what a hierarchy is built from: a provider's wide files and the Census Bureau's lists.
// Invariant: a file is read whole or refused with what is wrong with it; columns are found by name.
import { isUtf8 } from "node:buffer";
import { type Options, parse } from "csv-parse/sync";
import type { CountyRow, ZipRow } from "#geo/build.ts";
import type { RegionRow } from "#geo/build-regions.ts";
import { isGeoLevel } from "#geo/node.ts";
import { readCsvLines } from "../sources/wide-csv.ts";
import { readZillowWide } from "../sources/zillow.ts";
import type { FileLevel } from "../sources/zillow-layout.ts";

/** The regions of a wide file of any level; none where the level has no places (metros). */
export async function readRegions(
  /** Decompressed bytes, from the start each time. */
  open: () => AsyncIterable<Uint8Array>,
): Promise<RegionRow[]> {
  const level = await levelOf(open());
  // The index only words a refusal: the columns before the months are the same in both.
  const { header, rows } = await readZillowWide(open(), { index: "zhvi", level });
  const regions: RegionRow[] = [];
  for await (const row of rows) {
    if (!isGeoLevel(row.level)) continue;
    regions.push({
      level: row.level,
      regionId: row.regionId,
      name: row.regionName.replace(/\s+/g, " ").trim(),
      stateCode: row.stateCode,
      countyFips: row.countyFips,
      city: row.city,
      county: row.county,
      lastMonth: header.lastMonth,
    });
  }
  return regions;
}

/** The level of a file, told from its columns and first region; its name does not always say. */
async function levelOf(source: AsyncIterable<Uint8Array>): Promise<FileLevel> {
  const lines: (readonly string[])[] = [];
  for await (const { cells } of readCsvLines(source)) {
    if (lines.length > 0 && cells.every((cell) => cell === "")) continue;
    lines.push(cells);
    if (lines.length === 2) break;
  }
  const [names = [], first = []] = lines;
  const cell = (name: string): string => first[names.indexOf(name)] ?? "";
  if (names.includes("MunicipalCodeFIPS")) return "county";
  if (names.includes("City")) return /^[0-9]+$/.test(cell("RegionName")) ? "zip" : "neighborhood";
  if (names.includes("CountyName")) return "city";
  if (names.includes("RegionType")) return /^state$/i.test(cell("RegionType")) ? "state" : "metro";
  return /, [A-Z]{2}$|^United States$/.test(cell("RegionName")) ? "metro" : "state";
}

/** A list that is not what it was taken for. */
class ListRefusal extends Error {}

type ListLine = ReadonlyMap<string, string>;

/** Lines below the header, by column; in UTF-8 or, as the older lists are, in Latin-1. */
function linesOf(bytes: Buffer, options: Options, columns: readonly string[]): ListLine[] {
  const text = bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
  const records: string[][] = parse(text, { ...options, bom: true, relax_column_count: true });
  const [header = [], ...rows] = records.map((cells) => cells.map((cell) => cell.trim()));
  const missing = columns.find((name) => !header.includes(name));
  if (missing !== undefined) throw new ListRefusal(`there is no column ${missing}`);
  return rows
    .filter((cells) => cells.some((cell) => cell !== ""))
    .map((cells) => new Map(header.map((name, at) => [name, cells[at] ?? ""])));
}

/** Tabs, or pipes since the edition of 2025. */
const gazetteer: Options = { delimiter: ["\t", "|"], quote: null };

const cellOf = (line: ListLine, name: string): string => line.get(name) ?? "";

function checked(text: string, form: RegExp, column: string): string {
  if (!form.test(text)) throw new ListRefusal(`"${text}" cannot stand in column ${column}`);
  return text;
}

const unitsIn = (line: ListLine, column: string): number =>
  Number(checked(cellOf(line, column), /^[0-9]{1,9}$/, column));

/** The gazetteer of counties, whose 2010 edition counts housing units. */
export const readCounties = (bytes: Buffer): CountyRow[] =>
  linesOf(bytes, gazetteer, ["GEOID", "NAME"]).map((line) => ({
    fips: checked(cellOf(line, "GEOID"), /^[0-9]{5}$/, "GEOID"),
    name: checked(cellOf(line, "NAME"), /./, "NAME"),
    housingUnits: line.has("HU10") ? unitsIn(line, "HU10") : 0,
  }));

/** The gazetteer of ZIP code tabulation areas. */
export const readZctas = (bytes: Buffer): Set<string> =>
  new Set(
    linesOf(bytes, gazetteer, ["GEOID"]).map((line) =>
      checked(cellOf(line, "GEOID"), /^[0-9]{5}$/, "GEOID"),
    ),
  );

/** A list of zips with their county and city. */
export const readZips = (bytes: Buffer): ZipRow[] =>
  linesOf(bytes, {}, ["zipcode", "state_abbr", "county", "city"]).map((line) => ({
    zip: cellOf(line, "zipcode"),
    stateCode: checked(cellOf(line, "state_abbr"), /^[A-Z]{2}$/, "state_abbr"),
    county: cellOf(line, "county"),
    city: cellOf(line, "city"),
  }));

/** Occupied homes by zip: table B25003 of the American Community Survey, by ZCTA. */
export function readHomes(bytes: Buffer): Map<string, number> {
  const homes = new Map<string, number>();
  for (const line of linesOf(bytes, {}, ["GEO_ID", "B25003_001E"])) {
    const [, zip] = /^860Z[0-9]00US([0-9]{5})$/.exec(cellOf(line, "GEO_ID")) ?? [];
    if (zip !== undefined) homes.set(zip, unitsIn(line, "B25003_001E"));
  }
  if (homes.size === 0) throw new ListRefusal("no line is of a ZCTA");
  return homes;
}
