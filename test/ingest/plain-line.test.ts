// Lines cut by their bytes, beside csv-parse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { PlainLine } from "#ingest/sources/plain-line.ts";
import { readCsvLines } from "#ingest/sources/wide-csv.ts";
import { readZillowWide } from "#ingest/sources/zillow.ts";
import { monthEnds } from "./wide-file.ts";

const aCell = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."ab1. é"), maxLength: 4 }),
  fc.string({ unit: fc.constantFrom(..."ab,;é"), maxLength: 4 }).map((text) => `"${text}"`),
);
const someLines = fc.array(fc.array(aCell, { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 8,
});
/** Quotes that no cell is in, escaped ones, and lines that end inside of them. */
const damages = ["", "", '"', '""', 'a"', '"a"b', '"""a"""'];

async function cellsOf(text: string): Promise<string[][] | string> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const read: string[][] = [];
  try {
    for await (const { cells } of readCsvLines(source())) read.push([...cells]);
    return read;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

test("lines are cut into the cells that csv-parse finds, or refused where it refuses", async () => {
  let refused = 0;
  const property = fc.asyncProperty(
    someLines,
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom(...damages),
    fc.nat(),
    async (rows, ending, damage, place) => {
      const text = rows.map((cells) => `${cells.join(",")}${ending}`).join("");
      const at = place % text.length;
      // Between the two bytes of a line ending it would be another damage.
      const whole = text[at] === "\n" ? text : `${text.slice(0, at)}${damage}${text.slice(at)}`;
      let expected: string[][] | string;
      try {
        const options = { record_delimiter: ending, relax_column_count: true };
        expected = parse(whole, options);
        // A cell may hold no line ending here.
        if (expected.length !== rows.length) expected = "BROKEN_QUOTES";
      } catch {
        expected = "BROKEN_QUOTES";
      }
      if (expected === "BROKEN_QUOTES") refused += 1;
      assert.deepEqual(await cellsOf(whole), expected, whole);
    },
  );
  await fc.assert(property, { numRuns: 2_000 });
  assert.ok(refused > 50, `only ${refused} were refused`);
});

test("a line that only its text can say is cut into cells once, however many months it has", async (t) => {
  const cutting = t.mock.method(PlainLine.prototype, "cells");
  const rows = 5;
  for (const count of [12, 120]) {
    const months = monthEnds(count);
    // Nineteen digits are a value, and too many for the bytes to be read as a word.
    const values = months.map(() => "1892361234567890123.5").join(",");
    const names = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName"];
    const lines = Array.from(
      { length: rows },
      (_, row) => `${row + 1},${row},State ${row},state,,${values}`,
    );
    const text = `${[[...names, ...months].join(","), ...lines].join("\n")}\n`;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text);
    }
    cutting.mock.resetCalls();
    const file = await readZillowWide(source(), { index: "zhvi", level: "state" });
    let read = 0;
    for await (const { history } of file.rows) read += "values" in history ? 1 : 0;
    assert.equal(read, rows, "each by its text");
    assert.ok(cutting.mock.callCount() <= rows + 1, `${count}: ${cutting.mock.callCount()}`);
  }
});
