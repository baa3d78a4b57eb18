// Lines cut by their bytes, beside csv-parse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { readCsvLines } from "#ingest/sources/wide-csv.ts";

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
