// Made-up provider files at full size: as many regions and months as the real ones, by the stream.
// Invariant: the same options give the same bytes; no value comes from a provider.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";
import { nodeId } from "#base/ids.ts";
import type { GeoNode } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";

type FullSizeLevel = "state" | "county" | "city" | "neighborhood" | "zip";

/** As many regions as the provider's files have (2025). */
export const fullSizes: Readonly<Record<FullSizeLevel, number>> = {
  state: 51,
  county: 3_100,
  city: 21_000,
  neighborhood: 21_000,
  zip: 26_000,
};

interface FullSizeFile {
  readonly level: FullSizeLevel;
  readonly rows: number;
  /** From January 2000 on. */
  readonly months: number;
  /** Each region's whole history is rescaled by a constant of its own for every vintage. */
  readonly vintage: number;
}

const states = ["TX", "CA", "FL", "OH", "NY", "WA", "CO", "GA", "MN", "AZ"];
const ROWS_A_PIECE = 64;

/** The lines of a file as text, some rows a piece. */
function* fullSizeText({ level, rows, months, vintage }: FullSizeFile): Generator<string> {
  yield `${[...columnsOf(level), ...monthEnds(months)].join(",")}\n`;
  let piece = "";
  for (let row = 0; row < rows; row += 1) {
    piece += `${placeOf(level, row).join(",")}${valuesOf(row, months, vintage)}\n`;
    if (row % ROWS_A_PIECE !== ROWS_A_PIECE - 1) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** Gzip-compressed where the path says so; resolves once it is closed. */
export async function writeFullSize(path: string, file: FullSizeFile): Promise<void> {
  const target = createWriteStream(path);
  const sink = path.endsWith(".gz") ? createGzip({ level: 1 }) : target;
  if (sink !== target) sink.pipe(target);
  for (const piece of fullSizeText(file)) {
    if (!sink.write(piece)) await once(sink, "drain");
  }
  sink.end();
  await once(target, "close");
}

function columnsOf(level: FullSizeLevel): readonly string[] {
  const columns = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName"];
  if (level === "county") columns.push("State", "Metro", "StateCodeFIPS", "MunicipalCodeFIPS");
  if (level === "city") columns.push("State", "Metro", "CountyName");
  if (level === "zip" || level === "neighborhood") {
    columns.push("State", "City", "Metro", "CountyName");
  }
  return columns;
}

const firstRegions = {
  state: 1_000,
  county: 100_000,
  city: 200_000,
  neighborhood: 300_000,
  zip: 400_000,
};

const regionIdOf = (level: FullSizeLevel, row: number): string => String(firstRegions[level] + row);

/** Where the importer is to find the regions; states are there already. */
export function fullSizePlaces(level: Exclude<FullSizeLevel, "state">, rows: number): GeoNode[] {
  return Array.from({ length: rows }, (_, row): GeoNode => {
    const stateCode = states[row % states.length] ?? "TX";
    const fips = fipsOf(row).join("");
    const name = level === "zip" ? String(10_000 + row) : `Place ${row}`;
    const plain = { zip: name, county: fips, city: `place-${row}`, neighborhood: `place-${row}` };
    return {
      id: nodeId(`${level === "neighborhood" ? "nbhd" : level}:${plain[level]}`),
      level,
      name,
      stateCode,
      fips: level === "county" ? fips : null,
      aliases: [],
      parentIds: [nodeId(`state:${stateCode.toLowerCase()}`)],
      housingUnits: 1_000,
      active: true,
      providerIds: [`zillow:${regionIdOf(level, row)}`],
    };
  });
}

const fipsOf = (row: number): readonly [string, string] => [
  String(10 + (row % 40)),
  String(100 + Math.floor(row / 40)),
];

function placeOf(level: FullSizeLevel, row: number): readonly string[] {
  const state = states[row % states.length] ?? "TX";
  const start = [regionIdOf(level, row), String(row)];
  const metro = `"Metro ${row % 400}, ${state}"`;
  const county = `County ${row % 3_000}`;
  if (level === "zip") {
    const zip = String(10_000 + row);
    return [...start, zip, "zip", state, state, `City ${row % 900}`, metro, county];
  }
  const name = `Place ${row}`;
  if (level === "neighborhood") {
    return [...start, name, level, state, state, `City ${row % 900}`, metro, county];
  }
  if (level === "city") return [...start, name, level, state, state, metro, county];
  if (level === "county") {
    return [...start, name, level, state, state, metro, ...fipsOf(row)];
  }
  return [...start, builtInStates[row]?.name ?? name, "state", ""];
}

const monthEnds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) =>
    new Date(Date.UTC(2000, at + 1, 0)).toISOString().slice(0, 10),
  );

/** Two regions in five start late, so a fifth is blank; some have a blank inside. */
function valuesOf(row: number, months: number, vintage: number): string {
  const random = mulberry(row + 1);
  const scale = 1 + (vintage === 0 ? 0 : 0.02 * mulberry(row * 61 + vintage)());
  const first = row % 5 > 2 ? Math.floor(random() * months) : 0;
  let path = 60_000 + 400_000 * random();
  let text = "";
  for (let at = 0; at < months; at += 1) {
    path *= 1.003 + 0.008 * (random() - 0.5);
    const isBlank = at < first || (row % 100 === 50 && at === 100);
    text += isBlank ? "," : `,${path * scale}`;
  }
  return text;
}

/** A number in [0, 1) at each call. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const fullSizeLevels: readonly FullSizeLevel[] = [
  "state",
  "county",
  "city",
  "neighborhood",
  "zip",
];

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      level: { type: "string", default: "zip" },
      months: { type: "string", default: "320" },
      vintage: { type: "string", default: "0" },
    },
  });
  const [path] = positionals;
  const level = fullSizeLevels.find((name) => name === values.level);
  if (path === undefined || level === undefined) throw new Error("name a file and a level");
  const months = Number(values.months);
  await writeFullSize(path, {
    level,
    rows: fullSizes[level],
    months,
    vintage: Number(values.vintage),
  });
}
