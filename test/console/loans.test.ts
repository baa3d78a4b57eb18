// The lender's own arithmetic: lines of a file that count and lines that do not, and the loss of a
// loan by the fall of its home.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exposuresOf, lossOf } from "../../console/src/screens/lender/exposure.ts";
import { MOST_LINES, readLoans } from "../../console/src/screens/lender/loans.ts";

test("lines count whole, in any order of columns, with or without quotes and signs", () => {
  const text =
    '\uFEFFLTV,note,Zip,balance\r\n80,x,78704,310000\r\n"92.5%","a,b",10001,"$1,250,000.50"\n\n';
  assert.deepEqual(readLoans(text), {
    loans: [
      { zip: "78704", balance: 310_000, ltv: 80 },
      { zip: "10001", balance: 1_250_000.5, ltv: 92.5 },
    ],
    bad: [],
  });
});

test("a line that does not count is told by its number and field", () => {
  const lines = [
    "zip,balance,ltv",
    "2139,310000,80",
    "7870x,310000,80",
    "78704,0,80",
    "78704,many,80",
    "78704,310000,0.8",
    "78704,310000,201",
    "78704,310000",
    "78704,1e5,80",
    "78704,310000,80",
  ];
  const { loans, bad } = readLoans(lines.join("\n"));
  assert.equal(loans.length, 1);
  assert.deepEqual(
    bad.map(({ line, field }) => `${line} ${field}`),
    ["2 zip", "3 zip", "4 balance", "5 balance", "6 ltv", "7 ltv", "8 ltv", "9 balance"],
  );
  assert.match(bad[0]?.words ?? "", /leading zero/);
  assert.match(bad[4]?.words ?? "", /in percent, such as 80/);
});

test("a file without its columns, or too long a one, is told as a whole", () => {
  assert.deepEqual(readLoans("zip,balance\n78704,1").bad, [
    { line: 1, field: "ltv", words: "the first line names no ltv: it has to be zip,balance,ltv" },
  ]);
  const long = `zip,balance,ltv${"\n78704,1,80".repeat(MOST_LINES + 1)}`;
  assert.equal(readLoans(long).loans.length, 0);
  assert.equal(readLoans("").bad.length, 1);
});

test("a loan loses what is owed above its home's worth, layer by layer", () => {
  const loan = { zip: "78704", balance: 95_000, ltv: 95 };
  assert.deepEqual(
    [0, 5, 10, 100].map((fall) => Math.round(lossOf(loan, fall))),
    [0, 0, 5_000, 95_000],
  );
  const safe = { zip: "78704", balance: 60_000, ltv: 60 };
  const other = { zip: "10001", balance: 190_000, ltv: 95 };
  assert.deepEqual(exposuresOf([loan, safe, other], { attach: 5, exhaust: 15 }), [
    { zip: "10001", loans: 1, balance: 190_000, worth: 200_000, coverage: 20_000 },
    { zip: "78704", loans: 2, balance: 155_000, worth: 200_000, coverage: 10_000 },
  ]);
  for (let fall = 0; fall < 60; fall += 1)
    assert.ok(lossOf(loan, fall) <= lossOf(loan, fall + 1) && lossOf(loan, fall) <= loan.balance);
});

test("a file saved in another encoding is refused by line and column, with what to do", () => {
  const { loans, bad } = readLoans(
    "zip,balance,ltv,name\n78704,412000,92,Ana\n10001,1,95,Do\uFFFDa\n",
  );
  assert.deepEqual(loans, []);
  const words = "column name holds a letter that is not UTF-8: save the file as CSV UTF-8";
  assert.deepEqual(bad, [{ line: 3, field: undefined, words }]);
});
