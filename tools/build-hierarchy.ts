// Builds the hierarchy file that `firstprint geo load` takes from files the operator has:
// `node tools/build-hierarchy.ts --zillow <file…> --counties <file> … > hierarchy.csv`. Reports on
// standard error; exits 1 naming a file that cannot be read, 2 if misused.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createGunzip, gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { csvLine } from "#base/csv.ts";
import { buildHierarchy, type HierarchyBuild } from "#geo/build.ts";
import { hierarchyTable } from "#geo/build-table.ts";
import { readHierarchy } from "#geo/hierarchy.ts";
import { type GeoNode, geoLevels } from "#geo/node.ts";
import { GeoTree } from "#geo/tree.ts";
import { readCounties, readHomes, readRegions, readZctas, readZips } from "#ingest/places/build.ts";

const options = {
  zillow: "wide files of states, counties, cities, neighborhoods and zips, of any month",
  counties: "the Census gazetteer of counties",
  zips: "zips with county and city (zipcode, state_abbr, county, city)",
  zctas: "the Census gazetteer of ZCTAs: of the zips above only those that stand here are taken",
  homes: "occupied homes by ZCTA (ACS table B25003)",
  known: "the hierarchy built before, whose ids are kept",
} as const;
type Option = keyof typeof options;

const isOption = (text: string): text is Option => Object.hasOwn(options, text);

const usage = `usage: node tools/build-hierarchy.ts --zillow <file…> [--counties <file>] …
${Object.entries(options)
  .map(([name, about]) => `  --${name.padEnd(10)}${about}`)
  .join("\n")}
Files ending in .gz are decompressed. The table goes to standard output.`;

/** Undefined where the words are not of the form. */
function filesOf(words: readonly string[]): ReadonlyMap<Option, readonly string[]> | undefined {
  const files = new Map<Option, string[]>();
  let list: string[] | undefined;
  for (const word of words) {
    if (word.startsWith("--")) {
      const name = word.slice(2);
      if (!isOption(name)) return undefined;
      list = files.get(name) ?? [];
      files.set(name, list);
    } else if (list === undefined) return undefined;
    else list.push(word);
  }
  const isFilled = [...files.values()].every(({ length }) => length > 0);
  return files.size > 0 && isFilled ? files : undefined;
}

const opened = (path: string): AsyncIterable<Uint8Array> =>
  path.endsWith(".gz") ? createReadStream(path).pipe(createGunzip()) : createReadStream(path);

async function wholeFile(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

function readKnown(bytes: Buffer): readonly GeoNode[] {
  const table: string[][] = parse(bytes, { bom: true, relax_column_count: true });
  const reading = readHierarchy(table, GeoTree.builtIn());
  if ("refusal" in reading) throw new Error(reading.refusal.message);
  return reading.nodes;
}

async function build(files: ReadonlyMap<Option, readonly string[]>): Promise<HierarchyBuild> {
  /** Each file of an option in turn; a refusal names its file. */
  const each = async <T>(
    option: Option,
    read: (path: string) => T | Promise<T>,
  ): Promise<Awaited<T>[]> => {
    const all: Awaited<T>[] = [];
    for (const path of files.get(option) ?? []) {
      try {
        all.push(await read(path));
      } catch (fault) {
        throw new Error(`${path}: ${fault instanceof Error ? fault.message : String(fault)}`);
      }
    }
    return all;
  };
  const zctas = await each("zctas", async (path) => [...readZctas(await wholeFile(path))]);
  const homes = await each("homes", async (path) => [...readHomes(await wholeFile(path))]);
  return buildHierarchy({
    provider: "zillow",
    regions: (await each("zillow", (path) => readRegions(() => opened(path)))).flat(),
    counties: (await each("counties", async (path) => readCounties(await wholeFile(path)))).flat(),
    zips: (await each("zips", async (path) => readZips(await wholeFile(path)))).flat(),
    zctas: zctas.length === 0 ? undefined : new Set(zctas.flat()),
    // Of several files the larger figure counts, whatever their order.
    homesByZip: new Map(homes.flat().sort(([, a], [, b]) => a - b)),
    known: (await each("known", async (path) => readKnown(await wholeFile(path)))).flat(),
  });
}

function tell({ nodes, withoutCounty, leftOut, otherCounties }: HierarchyBuild): void {
  const counts = geoLevels.map(
    (level) => `${level} ${nodes.filter((node) => node.level === level).length}`,
  );
  console.error(`${nodes.length} places: ${counts.join(", ")}`);
  console.error(`${withoutCounty.length} lie in no known county and hang under their state`);
  console.error(`${leftOut.length} regions are outside the 50 states and DC, or lack their code`);
  if (otherCounties.length === 0) return;
  console.error(
    `${otherCounties.length} counties of the list were left out, in states that the provider ` +
      `divides otherwise: ${otherCounties.join(", ")}`,
  );
}

async function main(words: readonly string[]): Promise<number> {
  const files = filesOf(words);
  if (files === undefined) {
    console.error(usage);
    return 2;
  }
  try {
    const built = await build(files);
    process.stdout.write(hierarchyTable(built.nodes).map(csvLine).join(""));
    tell(built);
    return 0;
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : String(fault));
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
