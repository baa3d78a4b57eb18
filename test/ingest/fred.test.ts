// FRED's national rental vacancy: what the intake is told, and damage of every kind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { readFred } from "#ingest/sources/fred.ts";
import type { ProviderFile } from "#ingest/sources/provider-file.ts";
import { type RefusalCode, ReleaseRefusal } from "#prints/refusal.ts";
import { genuineOnly, sharedFile } from "./shared-data.ts";
import { between, pieces, randomFrom } from "./wide-file.ts";

const names = ["DATE,RRVRUSQ156N", "DATE,VALUE", "observation_date,RRVRUSQ156N"];

/** Made-up quarters from 1990 on, one without a value. */
function lines(count = 60): string[] {
  const random = randomFrom(5);
  return Array.from({ length: count }, (_, at) => {
    const date = `${1990 + Math.floor(at / 4)}-${["01", "04", "07", "10"][at % 4]}-01`;
    return `${date},${at === 7 ? "." : (5 + 3 * random()).toFixed(1)}`;
  });
}

const fileOf = (...all: readonly string[]): string => `${all.join("\n")}\n`;

interface Read {
  readonly file: ProviderFile;
  /** `1990-03` → value, only months with one. */
  readonly prints: ReadonlyMap<string, string>;
}

async function read(text: string | Uint8Array): Promise<Read> {
  const file = await readFred(pieces(Buffer.from(text)));
  const rows = await Array.fromAsync(file.rows);
  assert.equal(rows.length, 1);
  const { firstMonth, values } = rows[0]?.history ?? assert.fail("no rows");
  const prints = values.flatMap((value, at): [string, string][] =>
    value === null ? [] : [[formatMonth(addMonths(firstMonth, at)), formatPrintValue(value)]],
  );
  assert.deepEqual(
    [rows[0]?.regionId, rows[0]?.level, rows[0]?.stateCode],
    ["RRVRUSQ156N", "nation", null],
  );
  return { file, prints: new Map(prints) };
}

async function refusalOf(bytes: string | Uint8Array): Promise<ReleaseRefusal | undefined> {
  try {
    await read(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ReleaseRefusal) return error;
    throw error;
  }
}

test("months, and what the intake is told of the file", async () => {
  const text = fileOf("DATE,VALUE", "2021-10-01,7.1", "2022-01-01,7.3", "2022-04-01,6");
  const { firstMonth, lastMonth, calendarMonths } = (await read(text)).file;
  assert.deepEqual(
    [formatMonth(firstMonth), formatMonth(lastMonth), calendarMonths],
    ["2021-12", "2022-06", [3, 6, 9, 12]],
  );
});

test("other files are refused for what they are", async () => {
  const [name = ""] = names;
  const cases: readonly (readonly [string, RefusalCode, number | null, string | null])[] = [
    ["", "EMPTY_FILE", null, null],
    [fileOf(name), "NO_ROWS", 1, null],
    [fileOf(name, "2022-01-01,."), "NO_ROWS", 1, null],
    [fileOf("DATE,RHVRUSQ156N", ...lines()), "WRONG_SERIES", 1, "RHVRUSQ156N"],
    [fileOf("DATE,RRVRUSQ156N,UNRATE", ...lines()), "ADDED_COLUMN", 1, "UNRATE"],
    [fileOf("RegionID,SizeRank,2022-01-31", "9,0,1.0"), "OTHER_PROVIDER", 1, null],
    [fileOf("DATE", "2022-01-01"), "OTHER_PROVIDER", 1, null],
    [fileOf(...lines()), "HEADER_MISSING", 1, null],
    [fileOf(name, "2022-01-01,7.3", "2022-02-01,7.3"), "BAD_MONTH", 3, "DATE"],
    [fileOf(name, "2022-01-31,7.3"), "BAD_MONTH", 2, "DATE"],
    [fileOf(name, "1/1/2022,7.3"), "SPREADSHEET_DATES", 2, "DATE"],
    [fileOf(name, "2022-01-01,7.3", "", "2022-04-01,7.1"), "CELL_COUNT", 3, null],
    [fileOf("observation_date,VALUE", "2022-01-01,-5"), "BAD_NUMBER", 2, "VALUE"],
  ];
  for (const [text, code, line, column] of cases) {
    const refusal = await refusalOf(text);
    assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], [code, line, column], text);
  }
});

type Mutation = (rows: string[], at: number) => readonly [Buffer | string, RefusalCode, boolean];

const whole = (rows: readonly string[]): string => fileOf(...rows);
const change = (from: RegExp, to: string, code: RefusalCode): Mutation =>
  function changed(rows, at) {
    return [whole(rows.with(at, (rows[at] ?? "").replace(from, to))), code, true];
  };

/** The last of each says whether the refusal must name the very line that was hit. */
const mutations: Readonly<Record<string, Mutation>> = {
  "value with two decimals": change(/$/, "5", "BAD_NUMBER"),
  "value with an exponent": change(/,.*$/, ",5e0", "BAD_NUMBER"),
  "value in words": change(/,.*$/, ",NA", "BAD_NUMBER"),
  "value with a sign": change(/,/, ",+", "BAD_NUMBER"),
  "value above a hundred": change(/,/, ",10", "OUT_OF_RANGE"),
  "blank before the value": change(/,/, ", ", "BAD_NUMBER"),
  "day moved": change(/-01,/, "-02,", "BAD_MONTH"),
  "month moved": change(/-[01][0-9]-/, "-05-", "BAD_MONTH"),
  "cell added": change(/$/, ",1", "CELL_COUNT"),
  "comma lost": change(/,/, ";", "CELL_COUNT"),
  "date as a spreadsheet's": change(/^.*,/, "1/4/2001,", "SPREADSHEET_DATES"),
  "carriage return": change(/$/, "\r", "MIXED_LINE_ENDINGS"),
  "quotation mark": change(/,/, ',"', "BROKEN_QUOTES"),
  "NUL byte": change(/,/, ",\0", "NUL_BYTE"),
  "line left out": (rows, at) => [whole(rows.toSpliced(at, 1)), "MONTH_GAP", true],
  "line twice": (rows, at) => [
    whole(rows.toSpliced(at, 0, rows[at - 1] ?? "")),
    "DUPLICATE_MONTH",
    true,
  ],
  "lines swapped": (rows, at) => [
    whole(rows.with(at, rows[at + 1] ?? "").with(at + 1, rows[at] ?? "")),
    "MONTH_GAP",
    true,
  ],
  "an old line again": (rows, at) => [
    whole(rows.toSpliced(at, 0, rows[1] ?? "")),
    "MONTHS_OUT_OF_ORDER",
    true,
  ],
  "cut inside a line": (rows, at) => [whole(rows.slice(0, at + 1)).slice(0, -2), "TRUNCATED", true],
  "byte that is not UTF-8": (rows, at) => [
    Buffer.concat([
      Buffer.from(whole(rows.slice(0, at))),
      Buffer.from([0xff]),
      Buffer.from(whole(rows.slice(at))),
    ]),
    "NOT_UTF8",
    true,
  ],
  "UTF-16": (rows) => [Buffer.from(`\u{feff}${whole(rows)}`, "utf16le"), "NOT_UTF8", false],
};

test("a hundred damaged versions are refused at the line that was hit", async (context) => {
  const kinds = Object.entries(mutations);
  const versions = 105;
  for (let seed = 0; seed < versions; seed += 1) {
    const [kind, mutate] = kinds[seed % kinds.length] ?? assert.fail("no mutations");
    const rows = [names[seed % names.length] ?? "", ...lines()];
    // Neither the header nor the first quarters nor the one without a value nor the last.
    const at = between(randomFrom(seed), 12, rows.length - 2);
    const [bytes, code, isThere] = mutate(rows, at);
    const refusal = await refusalOf(bytes);
    assert.deepEqual(
      [refusal?.code, refusal?.line],
      [code, isThere ? at + 1 : 1],
      `${kind}, seed ${seed}: ${refusal?.message}`,
    );
  }
  context.diagnostic(`${versions} versions, ${kinds.length} kinds of damage`);
});

for (const [vintage, quarters, lastMonth] of [
  ["2022-12", 267, "2022-09"],
  ["2024-06", 273, "2024-03"],
] as const) {
  test(`the vintage ${vintage} is read whole`, async () => {
    const bytes = sharedFile(`vacancy/fred-RRVRUSQ156N/${vintage}/RRVRUSQ156N.csv.gz`);
    const { file, prints } = await read(bytes);
    assert.equal(prints.size, quarters);
    assert.deepEqual(
      [formatMonth(file.firstMonth), formatMonth(file.lastMonth)],
      ["1956-03", lastMonth],
    );
    for (const line of bytes.toString("utf8").trimEnd().split("\n").slice(1)) {
      const [date = "", value = ""] = line.split(",");
      const end = `${date.slice(0, 5)}${String(Number(date.slice(5, 7)) + 2).padStart(2, "0")}`;
      assert.equal(Number(prints.get(end)), Number(value), date);
    }
  });
}

test("history is never revised between the two vintages", { skip: genuineOnly }, async () => {
  const [old, recent] = await Promise.all(
    ["2022-12", "2024-06"].map(async (vintage) =>
      read(sharedFile(`vacancy/fred-RRVRUSQ156N/${vintage}/RRVRUSQ156N.csv.gz`)),
    ),
  );
  for (const [month, value] of old?.prints ?? assert.fail()) {
    assert.equal(recent?.prints.get(month), value, month);
  }
});
