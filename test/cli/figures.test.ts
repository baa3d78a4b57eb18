// Amounts, months and chances as people write them, and as they are shown to people.
// Invariant tested: what is typed names one value or is refused; what is shown rounds as it says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageFault } from "#cli/faults.ts";
import {
  amountText,
  centsOf,
  chance,
  dollars,
  monthName,
  monthText,
  percent,
  wholeDollars,
} from "#cli/figures.ts";
import { moveText, paidOn, payoutText } from "#cli/settled.ts";

test("a month is written as on a calendar or as the exchange writes it", () => {
  for (const text of [
    "2027-10",
    "Oct 2027",
    "October 2027",
    "oct 2027",
    "OCT. 2027",
    " Oct  2027",
  ]) {
    assert.equal(monthText(text, "m"), "2027-10", text);
  }
  assert.equal(monthText("May 2027", "m"), "2027-05");
  assert.equal(monthText("Sep 2027", "m"), "2027-09");
  for (const text of ["2027-13", "Octo 2027", "10/2027", "Oct 27", "Oct", "2027", "", "O 2027"]) {
    assert.throws(() => monthText(text, "--expiry"), UsageFault, text);
  }
  assert.equal(monthName("2027-01"), "January 2027");
  assert.equal(monthName("2027-12"), "December 2027");
  assert.equal(monthName(null), "-");
});

test("separators and a dollar sign are taken where thousands are grouped", () => {
  for (const [typed, meant] of [
    ["50,000", "50000"],
    ["$50,000", "50000"],
    ["$1,234,567.89", "1234567.89"],
    ["$5", "5"],
    ["-$2,500.50", "-2500.50"],
    ["50000", "50000"],
    // Text that is no amount goes on as it was typed, for the exchange to refuse in its words.
    ["50,00", "50,00"],
    ["5,0000", "5,0000"],
    ["5e4", "5e4"],
    ["$", "$"],
    ["1,000,00", "1,000,00"],
  ] as const) {
    assert.equal(amountText(typed), meant);
  }
  assert.equal(centsOf("$480,000", "--home"), 48_000_000n);
  assert.equal(centsOf("0.01", "--home"), 1n);
  for (const text of ["0", "-5", "1.005", "5e4", "x", "48,00"]) {
    assert.throws(() => centsOf(text, "--home"), UsageFault, text);
  }
});

test("dollars have separators, and cents only where there are some", () => {
  assert.deepEqual([0, 5, 1234.5, 999999.99, -1000000, -0.001].map(dollars), [
    "$0",
    "$5",
    "$1,234.50",
    "$999,999.99",
    "-$1,000,000",
    "$0",
  ]);
  assert.deepEqual([null, undefined, "x"].map(dollars), ["-", "-", "-"]);
  assert.equal(wholeDollars(4799.6), "$4,800");
  assert.equal(percent(0.0278), "2.8 %");
});

test("a chance is told as one in so many", () => {
  const told = (value: unknown): string => chance(value).replace(/ \(.*/, "");
  for (const [value, words] of [
    [0, "less than 1 in 10,000"],
    [0.00012, "about 1 in 8,300"],
    [0.00195, "about 1 in 510"],
    [0.0368, "about 1 in 27"],
    [0.0476, "about 1 in 21"],
    [0.25, "about 1 in 4"],
    [0.4, "about 4 in 10"],
    [0.4956, "about 1 in 2"],
    [0.74, "about 7 in 10"],
    [0.96, "nearly certain"],
    [1, "nearly certain"],
  ] as const) {
    assert.equal(told(value), words);
  }
  assert.equal(chance(0.0368), "about 1 in 27 (3.7 %)");
  assert.deepEqual([null, 1.1, Number.NaN].map(chance), ["-", "-", "-"]);
});

test("a settlement is told by how far the index went, what it pays and when", () => {
  const resolution = {
    metric: "zhvi_decline",
    settledValue: 284820,
    comparisonValue: 303000,
    outcome: "YES",
    payoutFraction: 0.5,
    disputeWindowEndsAt: "2025-05-23T00:00:00.000Z",
    finalizedAt: null,
    disputed: false,
  };
  assert.equal(moveText(resolution), "fell 6.00 %");
  assert.equal(moveText({ ...resolution, settledValue: 306030 }), "rose 1.00 %");
  assert.equal(moveText({ ...resolution, metric: "zhvi_level" }), "-");
  assert.equal(payoutText(resolution), "50.0 % of coverage");
  assert.equal(payoutText({ outcome: "NO" }), "0.0 % of coverage");
  assert.equal(payoutText({ outcome: null }), "-");
  assert.equal(paidOn(resolution), "2025-05-23 00:00:00, unless it is disputed before");
  assert.equal(paidOn({ ...resolution, disputed: true }), "when the dispute is decided");
  const finalizedAt = "2025-05-24T00:00:00.000Z";
  assert.equal(paidOn({ ...resolution, finalizedAt }), "2025-05-24 00:00:00");
  assert.equal(paidOn({}), "-");
});
