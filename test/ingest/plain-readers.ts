// Provider files read a second time, by hand and without any check: what a damaged file says.
// Invariant: nothing here is shared with the readers that are tested, nor refuses anything.
import { gunzipSync } from "node:zlib";
import { builtInStates } from "#geo/states.ts";
import { lastYear } from "./hvs-file.ts";
import type { Grid, Parts } from "./workbook-file.ts";

const NOTHING = -(10n ** 40n);

/** `region month` → the value in units of 1e-15. */
export type Prints = ReadonlyMap<string, bigint>;

/** Text that is no number becomes a value that no reader gives. */
const scaled = (text: string): bigint => {
  if (!/^\s*-?[0-9]+(?:\.[0-9]*)?\s*$/.test(text)) return NOTHING;
  const [whole = "", fraction = ""] = text.trim().replace("-", "").split(".");
  const size = BigInt(whole + fraction.padEnd(15, "0").slice(0, 15));
  return text.includes("-") ? -size : size;
};

const linesOf = (bytes: Buffer): readonly string[] =>
  bytes
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => line !== "");

/** Separated by commas; what stands in quotes is one cell. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
  );

/** Twice the same region and month is no reading: the value is then one that nothing equals. */
class Collected {
  readonly prints = new Map<string, bigint>();

  put(region: string, month: string, value: bigint): void {
    const name = `${region} ${month}`;
    this.prints.set(name, this.prints.has(name) ? NOTHING : value);
  }
}

export function plainWide(bytes: Buffer): Prints {
  const [header = "", ...rows] = linesOf(bytes);
  const names = cellsOf(header);
  const all = new Collected();
  for (const row of rows) {
    const cells = cellsOf(row);
    for (const [at, name] of names.entries()) {
      const text = cells[at] ?? "";
      if (/^\d{4}-\d\d/.test(name) && text !== "") {
        all.put(cells[0] ?? "", name.slice(0, 7), scaled(text));
      }
    }
  }
  return all.prints;
}

export function plainFred(bytes: Buffer): Prints {
  const all = new Collected();
  for (const line of linesOf(bytes).slice(1)) {
    const [date = "", value = ""] = cellsOf(line);
    const end = String(Number(date.slice(5, 7)) + 2).padStart(2, "0");
    if (/\d/.test(value)) all.put("RRVRUSQ156N", `${date.slice(0, 4)}-${end}`, scaled(value));
  }
  return all.prints;
}

const placesWithNodes = [...Array.from({ length: 50 }, (_, at) => at + 1), 110];

/** Precipitation of June to August, in the places that are states or the nation. */
export function plainRain(bytes: Buffer): Prints {
  const all = new Collected();
  for (const line of linesOf(bytes)) {
    const [key = "", ...months] = line.trim().split(/ +/);
    const summer = months.slice(5, 8);
    const place = key.slice(0, 3);
    if (!placesWithNodes.includes(Number(place)) || summer.includes("-9.99")) continue;
    const sum = summer.reduce((total, text) => total + scaled(text), 0n);
    all.put(place, `${key.slice(6, 10)}-08`, sum);
  }
  return all.prints;
}

/** `B10` → its text, of the only sheet. */
function plainCells(parts: Parts): ReadonlyMap<string, string> {
  const part = (name: string): string => String(parts.get(name) ?? "");
  const strings = [
    ...part("xl/sharedStrings.xml").matchAll(/<si>.*?<t[^>]*>(.*?)<\/t>.*?<\/si>/gs),
  ].map(([, text = ""]) => text);
  const cells = new Map<string, string>();
  const sheet = part("xl/worksheets/sheet1.xml");
  for (const [, place = "", more = "", inner = ""] of sheet.matchAll(
    /<c r="([A-Z]+[0-9]+)"([^>/]*)(?:\/>|>(.*?)<\/c>)/gs,
  )) {
    const value = /<v>(.*?)<\/v>/s.exec(inner)?.[1] ?? "";
    cells.set(place, more.includes('t="s"') ? (strings[Number(value)] ?? "") : value);
  }
  return cells;
}

const quarterColumns = ["B", "D", "F", "H"];
const ROWS_BEFORE_NAMES = 7;

/** By the cells in which an undamaged table of states has its rates: it was not moved. */
export function plainVacancy(parts: Parts, undamaged: Grid): Prints {
  const cells = plainCells(parts);
  const all = new Collected();
  let year = lastYear;
  for (const [title, [text]] of undamaged.entries()) {
    if (typeof text !== "string" || !/^Table [0-9]/.test(text)) continue;
    for (const [at, { fips }] of builtInStates.entries()) {
      const row = title + ROWS_BEFORE_NAMES + at;
      for (const [quarter, column] of quarterColumns.entries()) {
        const rate = cells.get(`${column}${row + 1}`) ?? "";
        if (rate === "") continue;
        const month = String(3 * quarter + 3).padStart(2, "0");
        all.put(
          fips ?? "",
          `${year}-${month}`,
          /\(z\)/i.test(rate) ? 0n : scaled(`${Number(rate)}`),
        );
      }
    }
    year -= 1;
  }
  return all.prints;
}

/** Bytes that are not gzip, or no longer, stay as they are. */
export function plainBytes(sent: Buffer): Buffer {
  return sent.subarray(0, 2).toString("hex") === "1f8b" ? gunzipSync(sent) : sent;
}
