// The sample's files as the importer reads them, for the tests of what they hold.
// Invariant: nothing is read but through the importer's own parser.
import { Readable } from "node:stream";
import { readZillowWide, type ZillowRow } from "#ingest/sources/zillow.ts";
import { type SampleRelease, sampleReleases } from "#sample/calendar.ts";
import { type SampleFile, SampleProvider } from "#sample/provider-files.ts";

export const todayMillis = Date.UTC(2026, 10, 21, 13, 45);

export interface ReadRelease extends SampleRelease {
  /** By `index|level`. */
  readonly rows: ReadonlyMap<string, readonly ZillowRow[]>;
}

const rowsOf = async ({ index, level, text }: SampleFile): Promise<ZillowRow[]> => {
  const file = await readZillowWide(Readable.from([Buffer.from(text)]), { index, level });
  return Array.fromAsync(file.rows);
};

const readBefore = new Map<number, Promise<readonly ReadRelease[]>>();

/** All files of a seed, read once a process. */
export function readReleases(seed: number): Promise<readonly ReadRelease[]> {
  const known = readBefore.get(seed) ?? readOf(seed, () => true);
  readBefore.set(seed, known);
  return known;
}

/** Only the lines of some regions, as if their files held no others. */
export const readRegions = (
  seed: number,
  regionIds: readonly string[],
): Promise<readonly ReadRelease[]> =>
  readOf(seed, (line) => regionIds.some((id) => line.startsWith(`${id},`)));

async function readOf(
  seed: number,
  isWanted: (line: string) => boolean,
): Promise<readonly ReadRelease[]> {
  const provider = new SampleProvider(seed);
  const read: ReadRelease[] = [];
  for (const release of sampleReleases(seed, todayMillis)) {
    const rows = new Map<string, readonly ZillowRow[]>();
    for (const file of provider.files(release)) {
      const [header = "", ...lines] = file.text.split(/(?<=\n)/);
      const wanted = lines.filter(isWanted);
      if (wanted.length === 0) continue;
      const text = [header, ...wanted].join("");
      rows.set(`${file.index}|${file.level}`, await rowsOf({ ...file, text }));
    }
    read.push({ ...release, rows });
  }
  return read;
}

/** Every line of every file of a release, by index and region. */
export function linesOf({ rows }: ReadRelease): Map<string, ZillowRow> {
  const lines = new Map<string, ZillowRow>();
  for (const [name, list] of rows) {
    const [index = ""] = name.split("|");
    for (const row of list) lines.set(`${index}|${row.regionId}`, row);
  }
  return lines;
}
