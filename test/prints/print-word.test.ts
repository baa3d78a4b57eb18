// A provider's value in a word: by rows a reader can check, and on the edge of what fits.
// Invariant: a word is its digits times 16, plus how many of them are decimals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PrintValue, parsePrintValue, printValue } from "#base/print-value.ts";
import { valueIn, WIDE_WORD, wordOf } from "#prints/print-word.ts";

const value = (text: string): PrintValue => parsePrintValue(text) ?? assert.fail(text);

test("a word says the digits without their last zeros, and the decimals among them", () => {
  const rows: readonly [string, bigint, bigint][] = [
    ["7", 7n, 0n],
    ["70", 70n, 0n], // a whole number's zeros are digits
    ["0", 0n, 0n],
    ["0.5", 5n, 1n],
    ["-12.25", -1225n, 2n],
    ["300000.123456", 300_000_123_456n, 6n],
    ["1.0000001", 10_000_001n, 7n], // nine decimals down: the zeros of two parts meet here
    ["1.000001", 1_000_001n, 6n],
    ["0.000000000000001", 1n, 15n],
  ];
  for (const [text, digits, decimals] of rows) {
    assert.equal(wordOf(value(text)), digits * 16n + decimals, text);
    assert.equal(valueIn(wordOf(value(text))), value(text), text);
  }
});

test("digits from 2^59 on, above or below zero, stand elsewhere", () => {
  const limit = 2n ** 59n;
  for (const sign of [1n, -1n]) {
    assert.equal(wordOf(printValue(sign * limit)), WIDE_WORD);
    const last = printValue(sign * (limit - 1n));
    assert.equal(valueIn(wordOf(last)), last);
  }
});
