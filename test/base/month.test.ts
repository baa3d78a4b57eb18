// Months as one integer, and the chain level of prints.
// Invariant: text and month are inverse over the whole range that text can name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex, taggedHex } from "#base/digest.ts";
import { nodeId } from "#base/ids.ts";
import {
  addMonths,
  calendarMonth,
  formatMonth,
  monthAt,
  monthEndMillis,
  monthOf,
  parseMonth,
} from "#base/month.ts";
import {
  chainLevel,
  chainLevelOf,
  firstLevel,
  formatPrintValue,
  parsePrintValue,
  printNumber,
  printValue,
  rescaledBaseline,
} from "#base/print-value.ts";

test("every month from 1800 to 2999 survives being written and read", () => {
  for (let at = monthOf(1800, 1); at <= monthOf(2999, 12); at = addMonths(at, 1)) {
    assert.equal(parseMonth(formatMonth(at)), at);
    assert.equal(monthAt(monthEndMillis(at)), at + 1);
    assert.equal(monthAt(monthEndMillis(at) - 1), at);
  }
});

test("what is no month is refused", () => {
  for (const text of [
    "2024-00",
    "2024-13",
    "2024-1",
    "1799-12",
    "3000-01",
    "24-01",
    "2024-01-01",
  ]) {
    assert.equal(parseMonth(text), undefined, text);
  }
});

test("December turns the year, and a month ends at the first instant of the next", () => {
  assert.equal(formatMonth(addMonths(monthOf(2024, 12), 1)), "2025-01");
  assert.equal(formatMonth(addMonths(monthOf(2025, 1), -1)), "2024-12");
  assert.equal(calendarMonth(monthOf(2024, 12)), 12);
  assert.equal(monthEndMillis(monthOf(2024, 2)), Date.UTC(2024, 2, 1));
  assert.equal(monthEndMillis(monthOf(2024, 12)), Date.UTC(2025, 0, 1));
});

test("a chain level has twelve decimals, half-even", () => {
  const print = (text: string) => parsePrintValue(text) ?? assert.fail();
  assert.equal(firstLevel, 10n ** 12n);
  // 1 · 2/3 = 0.666666666666|6… → up; 1 · 1/3 → down.
  assert.equal(chainLevel(firstLevel, print("2"), print("3")), 666_666_666_667n);
  assert.equal(chainLevel(firstLevel, print("1"), print("3")), 333_333_333_333n);
  // Ties: 0.5 and 1.5 units of the last place go to 0 and 2.
  assert.equal(chainLevel(chainLevelOf(1n), print("1"), print("2")), 0n);
  assert.equal(chainLevel(chainLevelOf(3n), print("1"), print("2")), 2n);
});

test("a chain of links is not moved by a rescale of the provider's whole history", () => {
  const print = (text: string) => parsePrintValue(text) ?? assert.fail();
  const plain = chainLevel(firstLevel, print("97"), print("100"));
  const rescaled = chainLevel(firstLevel, print("194"), print("200"));
  assert.equal(plain, rescaled);
});

test("the baseline is restated on the scale of the settling release", () => {
  // The chain fell by 6 % to 284,820, so this release would say 303,000 for the baseline.
  const settled = printValue(284_820n * 10n ** 15n);
  const restated = rescaledBaseline(settled, firstLevel, chainLevelOf(940_000_000_000n));
  assert.equal(formatPrintValue(restated), "303000");
});

test("a print keeps every digit its provider wrote", () => {
  const text = "341234.123456789012345";
  assert.equal(formatPrintValue(parsePrintValue(text) ?? assert.fail()), text);
  assert.equal(parsePrintValue("1.0000000000000001"), undefined);
  assert.equal(printNumber(parsePrintValue("0.1") ?? assert.fail()), 0.1);
});

test("hashes of different domains differ, and the empty text's is the known one", () => {
  assert.equal(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.notEqual(taggedHex("a", "bc"), taggedHex("ab", "c"));
});

test("node ids do not tell case apart", () => {
  assert.equal(nodeId("State:NY"), nodeId("state:ny"));
});
