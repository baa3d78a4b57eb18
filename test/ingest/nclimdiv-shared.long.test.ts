// NOAA's own files, against a second reading that splits lines at blanks and adds up in floats.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { stateOfCode } from "#ingest/sources/nclimdiv-codes.ts";
import { climateRefusal, readClimate } from "./climate-file.ts";
import { genuineOnly, isGenuine, sharedFile } from "./shared-data.ts";

interface Vintage {
  readonly path: string;
  readonly rows: number;
  readonly lastMonth: string;
  readonly variable: string;
  /** From the window's first month to the one after its last, January being 0. */
  readonly window: readonly [number, number];
  readonly isMean: boolean;
}

const folder = "weather/nclimdiv";

const vintages: readonly Vintage[] = [
  {
    path: `${folder}/20230106/climdiv-tmpcst-v1.0.0-20230106.txt.gz`,
    rows: 50,
    lastMonth: "2022-12",
    variable: "temperature",
    window: [0, 12],
    isMean: true,
  },
  {
    path: `${folder}/20250905/climdiv-tmpcst-v1.0.0-20250905.gz`,
    rows: 51,
    lastMonth: "2025-08",
    variable: "temperature",
    window: [0, 12],
    isMean: true,
  },
  {
    path: `${folder}/20230106/climdiv-pcpnst-v1.0.0-20230106.txt.gz`,
    rows: 50,
    lastMonth: "2022-12",
    variable: "precipitation",
    window: [5, 8],
    isMean: false,
  },
];

/** `place|month` → value. */
function valuesByHand(text: string, { window: [from, to], isMean }: Vintage): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    const [key = "", ...months] = line.trim().split(/ +/);
    const place = key.slice(0, 3);
    if (stateOfCode(place) === undefined && place !== "110") continue;
    const window = months.slice(from, to).map(Number);
    if (window.includes(isMean ? -99.9 : -9.99)) continue;
    const sum = window.reduce((total, value) => total + value, 0);
    const month = `${key.slice(6, 10)}-${String(to).padStart(2, "0")}`;
    values.set(`${place}|${month}`, isMean ? sum / window.length : sum);
  }
  return values;
}

for (const vintage of vintages) {
  const name = vintage.path.split("/").at(-1);
  test(`${name} is read whole`, async () => {
    const bytes = sharedFile(vintage.path);
    const { file, rows } = await readClimate(bytes);
    const byHand = valuesByHand(bytes.toString("latin1"), vintage);
    const [places, months] = [0, 1].map((at) => [...byHand.keys()].map((it) => it.split("|")[at]));
    const firstYear = months?.sort()[0]?.slice(0, 4);
    const known = isGenuine ? [vintage.rows, "1895"] : [new Set(places).size, firstYear];
    assert.deepEqual(
      [file.variable, formatMonth(file.lastMonth), rows.length, formatMonth(file.firstMonth)],
      [vintage.variable, vintage.lastMonth, known[0], `${known[1]}-01`],
    );
    let compared = 0;
    for (const { regionId, history } of rows) {
      for (const [offset, value] of history.values.entries()) {
        if (value === null) continue;
        const place = `${regionId}|${formatMonth(addMonths(history.firstMonth, offset))}`;
        const expected = byHand.get(place) ?? assert.fail(`${place} is none`);
        assert.ok(Math.abs(Number(formatPrintValue(value)) - expected) < 1e-9, place);
        compared += 1;
      }
    }
    assert.equal(compared, byHand.size);
  });
}

test("values are displaced in the file of 2023 and in no other", { skip: genuineOnly }, () => {
  const odd = vintages.map(({ path }) =>
    sharedFile(path)
      .toString("latin1")
      .split("\n")
      .filter((line) => line !== "")
      .filter((line) => !/^[0-9]{10}([ 0-9-]{4}\.[0-9]{2}){12} {3}$/.test(line)),
  );
  assert.deepEqual(
    odd.map((lines) => lines.length),
    [26, 0, 0],
  );
});

test("the drought index is no index here", async () => {
  const bytes = sharedFile(`${folder}/20230106/climdiv-pdsist-v1.0.0-20230106.txt.gz`);
  const refusal = await climateRefusal(bytes);
  assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], ["WRONG_SERIES", 1, "element"]);
});

test("a published file cut in the middle, or of two joined, is refused", async () => {
  const [old, recent, rain] = vintages.map(({ path }) => sharedFile(path));
  if (old === undefined || recent === undefined || rain === undefined) assert.fail();
  const half = recent.subarray(0, recent.lastIndexOf("\n", recent.length / 2) + 1);
  assert.equal((await climateRefusal(half))?.code, "TRUNCATED");
  assert.equal((await climateRefusal(Buffer.concat([old, rain])))?.code, "WRONG_SERIES");
  assert.equal((await climateRefusal(Buffer.concat([old, recent])))?.code, "DUPLICATE_REGION");
});
