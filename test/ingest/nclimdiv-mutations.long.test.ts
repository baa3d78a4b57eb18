// A hundred damaged versions of each kind of nClimDiv file, refused with reason, line and month.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { monthColumns } from "#ingest/sources/nclimdiv-line.ts";
import type { RefusalCode } from "#prints/refusal.ts";
import { climateFile, climateRefusal, readClimate } from "./climate-file.ts";
import { sharedFile } from "./shared-data.ts";
import { between, randomFrom } from "./wide-file.ts";

type Random = () => number;

interface Damaged {
  readonly bytes: Buffer | string;
  readonly code: RefusalCode;
  /** Null where the file as a whole is refused. */
  readonly line: number | null;
  readonly column?: string;
}

type Mutation = (lines: string[], random: Random) => Damaged;

const KEY_WIDTH = 10;
const COLUMN_WIDTH = 7;

const fileOf = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
const keyOf = (line: string | undefined): string => (line ?? "").slice(0, KEY_WIDTH);
const placeOf = (line: string | undefined): string => (line ?? "").slice(0, 3);

/** A line that is neither the first nor the last of its place. */
function someLine(lines: readonly string[], random: Random): number {
  for (;;) {
    const at = between(random, 1, lines.length - 1);
    const place = placeOf(lines[at]);
    if (placeOf(lines[at - 1]) === place && placeOf(lines[at + 1]) === place) return at;
  }
}

interface Value {
  readonly at: number;
  readonly month: number;
  /** With the blanks before it. */
  readonly text: string;
}

/** A value of at least `digits` digits before the point, so that damage to it is damage. */
function someValue(lines: readonly string[], random: Random, digits = 2): Value {
  for (;;) {
    const at = someLine(lines, random);
    const month = between(random, 0, 12);
    const from = KEY_WIDTH + COLUMN_WIDTH * month;
    const text = (lines[at] ?? "").slice(from, from + COLUMN_WIDTH);
    if (new RegExp(`^ {2}[0-9 ]*[1-9][0-9]{${digits - 1}}\\.`).test(text))
      return { at, month, text };
  }
}

const valueBecomes =
  (code: RefusalCode, change: (text: string, random: Random) => string, digits = 2): Mutation =>
  (lines, random) => {
    const { at, month, text } = someValue(lines, random, digits);
    const line = lines[at] ?? "";
    const from = KEY_WIDTH + COLUMN_WIDTH * month;
    const changed = change(text, random);
    assert.notEqual(changed, text);
    const bytes = fileOf(
      lines.with(at, line.slice(0, from) + changed + line.slice(from + COLUMN_WIDTH)),
    );
    return { bytes, code, line: at + 1, column: monthColumns[month] ?? "" };
  };

const lineBecomes =
  (code: RefusalCode, change: (line: string) => string, column?: string): Mutation =>
  (lines, random) => {
    const at = someLine(lines, random);
    const changed = change(lines[at] ?? "");
    assert.notEqual(changed, lines[at]);
    const place = column === undefined ? {} : { column };
    return { bytes: fileOf(lines.with(at, changed)), code, line: at + 1, ...place };
  };

const valueDamage: Readonly<Record<string, Mutation>> = {
  "digit left out": valueBecomes("LINE_WIDTH", (text) => text.replace(/[0-9]\./, ".")),
  "blank left out": valueBecomes("LINE_WIDTH", (text) => text.slice(1)),
  "blank put in": valueBecomes("LINE_WIDTH", (text) => ` ${text}`),
  "point left out": valueBecomes("BAD_NUMBER", (text) => ` ${text.replace(".", "")}`),
  "letter for a digit": valueBecomes("BAD_NUMBER", (text) => text.replace(/[0-9]/, "O")),
  "sign behind": valueBecomes("BAD_NUMBER", (text) => `${text.slice(1)}-`),
  "needless zero": valueBecomes("BAD_NUMBER", (text) => text.replace(/ (?=[0-9])/, "0")),
  "missing in the middle of history": (lines, random) => {
    const { at, month, text } = someValue(lines, random);
    const missing = { "01": "-9.99", "02": "-99.90", "25": "-9999.", "26": "-9999." };
    const element = keyOf(lines[at]).slice(4, 6);
    const marker = Object.entries(missing).find(([code]) => code === element)?.[1] ?? "";
    const from = KEY_WIDTH + COLUMN_WIDTH * month;
    const line = lines[at] ?? "";
    const changed =
      line.slice(0, from) + marker.padStart(text.length) + line.slice(from + text.length);
    return {
      bytes: fileOf(lines.with(at, changed)),
      code: "BAD_CELL",
      line: at + 1,
      column: monthColumns[month] ?? "",
    };
  },
};

const lineDamage: Readonly<Record<string, Mutation>> = {
  "month left out": lineBecomes("CELL_COUNT", (line) => line.slice(0, 10) + line.slice(17)),
  "month twice": lineBecomes("CELL_COUNT", (line) => line.slice(0, 17) + line.slice(10)),
  "blanks at the end lost": lineBecomes("LINE_WIDTH", (line) => line.trimEnd()),
  "one blank more at the end": lineBecomes("LINE_WIDTH", (line) => `${line} `),
  "blank before the place": lineBecomes("BAD_CELL", (line) => ` ${line}`),
  "place without its zero": lineBecomes("BAD_CELL", (line) => line.slice(1)),
  "another element": lineBecomes(
    "WRONG_SERIES",
    (line) => `${line.slice(0, 4)}27${line.slice(6)}`,
    "element",
  ),
  "a division": lineBecomes("WRONG_LEVEL", (line) => `${line.slice(0, 3)}4${line.slice(4)}`),
  comma: lineBecomes("BAD_CELL", (line) => line.replace(".", ",")),
  tab: lineBecomes("BAD_CELL", (line) => line.replace(/ +/, "\t")),
  "carriage return": lineBecomes("MIXED_LINE_ENDINGS", (line) => `${line}\r`),
  "NUL byte": lineBecomes("NUL_BYTE", (line) => line.replace(" ", "\0")),
  "year a century off": lineBecomes(
    "MONTHS_OUT_OF_ORDER",
    (line) => `${line.slice(0, 6)}18${line.slice(8)}`,
    "year",
  ),
  "line left out": (lines, random) => {
    const at = someLine(lines, random);
    return {
      bytes: fileOf(lines.toSpliced(at, 1)),
      code: "MONTH_GAP",
      line: at + 1,
      column: "year",
    };
  },
  "line twice": (lines, random) => {
    const at = someLine(lines, random);
    const bytes = fileOf(lines.toSpliced(at, 0, lines[at] ?? ""));
    return { bytes, code: "DUPLICATE_MONTH", line: at + 2, column: "year" };
  },
  "empty line": (lines, random) => {
    const at = someLine(lines, random);
    return { bytes: fileOf(lines.toSpliced(at, 0, "")), code: "BAD_CELL", line: at + 1 };
  },
};

const linesOf = (
  lines: readonly string[],
  place: string,
): readonly [from: number, count: number] => [
  lines.findIndex((line) => placeOf(line) === place),
  lines.filter((line) => placeOf(line) === place).length,
];

const fileDamage: Readonly<Record<string, Mutation>> = {
  "cut inside a line": (lines, random) => {
    const at = someLine(lines, random);
    const bytes = fileOf(lines.slice(0, at + 1)).slice(0, -between(random, 2, 90));
    return { bytes, code: "TRUNCATED", line: at + 1 };
  },
  "cut behind a line": (lines, random) => {
    const at = someLine(lines, random);
    return { bytes: fileOf(lines.slice(0, at + 1)), code: "TRUNCATED", line: at + 1 };
  },
  "cut behind a place": (lines) => {
    const [from] = linesOf(lines, "109");
    return { bytes: fileOf(lines.slice(0, from)), code: "TRUNCATED", line: null };
  },
  "a state left out": (lines) => {
    const [from, count] = linesOf(lines, "017");
    return { bytes: fileOf(lines.toSpliced(from, count)), code: "MISSING_REGION", line: null };
  },
  "a state twice": (lines) => {
    const [from, count] = linesOf(lines, "017");
    const [to] = linesOf(lines, "030");
    const again = lines.slice(from, from + count);
    const bytes = fileOf(lines.toSpliced(to, 0, ...again));
    return { bytes, code: "DUPLICATE_REGION", line: to + 1, column: "place" };
  },
  "a state's first year left out": (lines) => {
    const [from] = linesOf(lines, "031");
    const bytes = fileOf(lines.toSpliced(from, 1));
    return { bytes, code: "MONTH_GAP", line: from + 1, column: "year" };
  },
  "a state's last year left out": (lines) => {
    const [from, count] = linesOf(lines, "031");
    const bytes = fileOf(lines.toSpliced(from + count - 1, 1));
    return { bytes, code: "MONTH_GAP", line: from + count - 1 };
  },
  "place of one line changed": (lines) => {
    const [from] = linesOf(lines, "031");
    const at = from + 5;
    const bytes = fileOf(lines.with(at, `011${(lines[at] ?? "").slice(3)}`));
    return { bytes, code: "DUPLICATE_REGION", line: at + 1, column: "place" };
  },
  "places in another order": (lines) => {
    const [from, count] = linesOf(lines, "020");
    const moved = lines.slice(from, from + count);
    const [to] = linesOf(lines, "025");
    const bytes = fileOf(lines.toSpliced(to, 0, ...moved).toSpliced(from, count));
    return { bytes, code: "BAD_REGION_ID", line: to - count + 1, column: "place" };
  },
  "a heading": (lines) => ({
    bytes: fileOf(["STATE ELEMENT YEAR JAN", ...lines]),
    code: "OTHER_PROVIDER",
    line: 1,
  }),
  "nothing at all": () => ({ bytes: "", code: "EMPTY_FILE", line: null }),
};

const mutations = Object.entries({ ...valueDamage, ...lineDamage, ...fileDamage });

async function refusesEveryVersion(
  context: TestContext,
  text: string,
  versions: number,
): Promise<void> {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => line.padEnd(97));
  assert.equal(fileOf(lines), text);
  for (let seed = 0; seed < versions; seed += 1) {
    const [name, mutate] = mutations[seed % mutations.length] ?? assert.fail("no mutations");
    const expected = mutate([...lines], randomFrom(seed));
    const refusal = await climateRefusal(expected.bytes);
    assert.deepEqual(
      [refusal?.code, refusal?.line, refusal?.column],
      [expected.code, expected.line, expected.column ?? null],
      `seed ${seed}, ${name}: ${refusal?.message}`,
    );
  }
  context.diagnostic(`${versions} versions, ${mutations.length} kinds of damage`);
}

for (const variable of ["temperature", "precipitation", "heatingDegreeDays"] as const) {
  test(`110 damaged versions of a ${variable} file are refused`, async (context) => {
    const text = climateFile(variable);
    assert.ok((await readClimate(text)).rows.length > 48);
    await refusesEveryVersion(context, text, 110);
  });
}

test("every kind of damage to a published file is refused", async (context) => {
  const path = "weather/nclimdiv/20250905/climdiv-tmpcst-v1.0.0-20250905.gz";
  await refusesEveryVersion(context, sharedFile(path).toString("utf8"), mutations.length);
});
