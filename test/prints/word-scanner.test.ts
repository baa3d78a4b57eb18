// Values read by their bytes, beside the values their text says.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePrintValue } from "#base/print-value.ts";
import { BLANK_WORD, WIDE_WORD, wordOf } from "#prints/print-word.ts";
import { WordScanner } from "#prints/word-scanner.ts";

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: least, maxLength: most });
const aText = fc.oneof(
  fc.tuple(digits(0, 20), fc.constantFrom(".", ""), digits(0, 17)).map((parts) => parts.join("")),
  fc.double({ min: 1e-6, max: 1e20, noNaN: true }).map(String),
  fc.double({ min: 1e-3, max: 1e7, noNaN: true }).map(String),
  fc.constantFrom("", "-1", "1e5", "..", "1.2.3", "1 ", " 1", "0", "0.0", "00.1", "٣"),
  // Around the largest word: 2^59.
  fc.bigInt({ min: 2n ** 59n - 20n, max: 2n ** 59n + 20n }).map(String),
);

/** The word, or undefined where the scanner leaves the text to others. */
function scanned(text: string, after: string): bigint | undefined {
  const bytes = Buffer.from(`${text}${after}`);
  const scanner = new WordScanner(bytes, 3);
  const end = scanner.read(1, 0);
  assert.equal(scanner.words[0], BLANK_WORD);
  assert.equal(scanner.words[2], BLANK_WORD);
  if (end !== Buffer.byteLength(text)) return undefined;
  return scanner.words[1];
}

test("a value that is read by its bytes has the word of its text", () => {
  let read = 0;
  fc.assert(
    fc.property(aText, fc.constantFrom(",", "\n", "\r\n", ""), (text, after) => {
      const word = scanned(text, after);
      const value = parsePrintValue(text);
      if (word !== undefined) {
        read += 1;
        assert.ok(value !== undefined && value > 0n, `"${text}" is no value`);
        assert.equal(word, wordOf(value), text);
      } else if (value !== undefined && value > 0n && text.length <= 18) {
        assert.equal(wordOf(value), WIDE_WORD, `"${text}" is plain`);
      }
    }),
    { numRuns: 5_000 },
  );
  assert.ok(read > 1_000, `only ${read} were read`);
});
