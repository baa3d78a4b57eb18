// Every vintage is read to its end, or refused for the reason it is damaged.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ZillowRow } from "#ingest/sources/zillow.ts";
import type { FileLevel } from "#ingest/sources/zillow-layout.ts";
import type { RefusalCode } from "#prints/refusal.ts";
import { gridOf } from "./damaged-files.ts";
import { isGenuine, providerFile, sharedFile } from "./shared-data.ts";
import { readAll, refusalFor } from "./wide-file.ts";

interface Good {
  readonly index: "zhvi" | "zori";
  readonly level: FileLevel;
  readonly vintage: string;
  readonly rows: number;
  /** Cells that are not blank, counted by another program. */
  readonly values: number;
  readonly path?: string;
}

const good: readonly Good[] = [
  { index: "zhvi", level: "state", vintage: "2021-09", rows: 51, values: 13_088 },
  { index: "zhvi", level: "state", vintage: "2023-12", rows: 51, values: 14_460 },
  { index: "zhvi", level: "state", vintage: "2024-10", rows: 51, values: 14_970 },
  { index: "zhvi", level: "state", vintage: "2025-04", rows: 51, values: 15_276 },
  { index: "zhvi", level: "state", vintage: "2025-09", rows: 51, values: 15_531 },
  { index: "zhvi", level: "metro", vintage: "2024-10", rows: 895, values: 217_444 },
  { index: "zhvi", level: "metro", vintage: "2024-11", rows: 895, values: 218_339 },
  {
    index: "zhvi",
    level: "county",
    vintage: "2018-01",
    rows: 1692,
    values: 378_565,
    path: "zhvi/county/2018-01/County_Zhvi_AllHomes.csv.gz",
  },
  {
    index: "zhvi",
    level: "neighborhood",
    vintage: "2018-01",
    rows: 401,
    values: 14_837,
    path: "zhvi/neighborhood/2018-01-bayarea/Neighborhood_Zhvi_AllHomes.csv.gz",
  },
  {
    index: "zhvi",
    level: "zip",
    vintage: "2025-07",
    rows: 10,
    values: 3_070,
    path: "zhvi/zip/2025-07-sample10/Zillow_Home_Value_Index_sample.csv.gz",
  },
  { index: "zori", level: "metro", vintage: "2024-10", rows: 647, values: 39_881 },
  { index: "zori", level: "metro", vintage: "2024-11", rows: 627, values: 40_450 },
  { index: "zori", level: "county", vintage: "2023-10", rows: 1050, values: 59_574 },
  { index: "zori", level: "county", vintage: "2024-10", rows: 1144, values: 71_384 },
  { index: "zori", level: "county", vintage: "2025-04", rows: 1150, values: 76_219 },
  { index: "zori", level: "city", vintage: "2024-10", rows: 3526, values: 158_597 },
  { index: "zori", level: "city", vintage: "2025-02", rows: 3307, values: 164_423 },
];

const valuesIn = (rows: readonly ZillowRow[]): number =>
  rows.reduce((sum, row) => sum + row.history.values.filter((it) => it !== null).length, 0);

/** The same of a made-up file, by splitting its lines. */
function countedIn(bytes: Buffer): Pick<Good, "rows" | "values"> {
  const { header, rows } = gridOf(bytes);
  const from = header.findIndex((name) => /^\d{4}-\d\d/.test(name));
  const cells = rows.flatMap((row) => row.slice(from));
  return { rows: rows.length, values: cells.filter((cell) => cell !== "").length };
}

for (const { index, level, vintage, rows, values, path } of good) {
  test(`${index} ${level} ${vintage} is read whole`, async () => {
    const bytes =
      path === undefined ? providerFile(`${index}/${level}/${vintage}`) : sharedFile(path);
    const read = await readAll(bytes, { index, level });

    const known = isGenuine ? { rows, values } : countedIn(bytes);
    assert.deepEqual({ rows: read.length, values: valuesIn(read) }, known);
    assert.equal(read.filter((row) => row.level !== level && row.level !== "nation").length, 0);
    assert.equal(read.filter((row) => row.level === "nation").length, level === "metro" ? 1 : 0);
    if (level === "county") assert.ok(read.every((row) => /^[0-9]{5}$/.test(row.countyFips ?? "")));
  });
}

const damaged: readonly (readonly [
  string,
  "zhvi" | "zori",
  FileLevel,
  RefusalCode,
  RegExp | null,
])[] = [
  ["zhvi/metro/2025-03-excel", "zhvi", "metro", "SPREADSHEET_DATES", /^1?\d\/31\/\d\d$/],
  ["zhvi/metro/2024-03-transposed", "zhvi", "metro", "TRANSPOSED", null],
  ["zhvi/county/2022-01", "zhvi", "county", "SPREADSHEET_DATES", /^1?\d\/31\/\d{4}$/],
  ["zhvi/zip/2023-01-harris-tx", "zhvi", "zip", "SPREADSHEET_DATES", /^1?\d\/31\/\d\d$/],
  ["zori/zip/2023-10", "zori", "zip", "SPREADSHEET_DATES", /^1?\d\/31\/\d{4}$/],
];

for (const [path, index, level, code, column] of damaged) {
  test(`${path} is refused as ${code}`, async () => {
    const refusal = await refusalFor(providerFile(path), { index, level });

    assert.equal(refusal?.code, code);
    assert.equal(refusal?.line, 1);
    if (column === null) assert.equal(refusal?.column, null);
    else assert.match(refusal?.column ?? "", column);
  });
}

/** What stays wrong when somebody repairs only the dates of a spreadsheet's file. */
const repaired: readonly (readonly [string, "zhvi" | "zori", FileLevel, RefusalCode])[] = [
  ["zhvi/metro/2025-03-excel", "zhvi", "metro", "ADDED_COLUMN"],
  ["zhvi/county/2022-01", "zhvi", "county", "LEADING_ZEROS_LOST"],
  ["zhvi/zip/2023-01-harris-tx", "zhvi", "zip", "ROUNDED_CELLS"],
  ["zori/zip/2023-10", "zori", "zip", "ROUNDED_CELLS"],
];

for (const [path, index, level, code] of repaired) {
  test(`${path} with its dates put right is still ${code}`, async () => {
    const lines = `${providerFile(path).toString("utf8").trimEnd()}\n`
      .replaceAll("\r", "")
      .split("\n");
    const header = (lines[0] ?? "").replaceAll(
      /([0-9]{1,2})\/([0-9]{1,2})\/(?:20)?([0-9]{2})(?=,|$)/g,
      (_, month: string, day: string, year: string) =>
        `20${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`,
    );
    const refusal = await refusalFor([header, ...lines.slice(1)].join("\n"), { index, level });

    assert.equal(refusal?.code, code, refusal?.message);
  });
}

test("a published file sent under another level is refused", async () => {
  const state = providerFile("zhvi/state/2025-09");
  for (const level of ["metro", "county", "city", "zip", "neighborhood"] as const) {
    const refusal = await refusalFor(state, { index: "zhvi", level });
    assert.equal(refusal?.code, "WRONG_LEVEL", level);
  }
  const metro = await refusalFor(providerFile("zori/metro/2024-11"), {
    index: "zori",
    level: "state",
  });
  assert.deepEqual([metro?.code, metro?.line, metro?.column], ["WRONG_LEVEL", 2, "RegionType"]);
});
