// The replay's record as a program: a provider's state file through 2005–2013, and the sample's.
// The former takes 40 s: the tier for every day believes what is kept of it, while the code of the
// replay and of prices is as it was; rules of the core are tried where they stand.
// Invariant: the bounds are those of the page on clearing; better rules may only pass them better.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { replayHorizons } from "#quoting/replay-record.ts";
import {
  codeDigest,
  digestOf,
  type Fields,
  isFields,
  KeptRecord,
} from "#test/pricing/kept-record.ts";
import { checkout } from "#test/support/exchange.ts";
import { madeFile } from "#test/support/made-files.ts";
import { zhviState } from "#test/support/shared-data.ts";

const program = join(checkout, "src/cli/main.ts");
const shared = new URL("../../../shared/data/", import.meta.url);

/** The code that sells, marks, ends and adds up contracts, and reads the file and the constants. */
const sources = [
  "src/replay",
  "src/cli/replay",
  "src/cli/fitted-constants.ts",
  "src/cli/wide-file.ts",
  "src/pricing",
  "src/quoting/reference.ts",
  "src/contract/payoff.ts",
];
const kept = new KeptRecord("test/replay/kept-record.json", codeDigest(sources));
after(() => kept.close());

/** The horizons of the document, in the order they were asked for. */
function replayed(path: string, ...more: readonly string[]): readonly Fields[] {
  const text = execFileSync(process.execPath, [program, "replay", path, "--json", ...more], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const document: unknown = JSON.parse(text);
  assert.ok(isFields(document) && Array.isArray(document.horizons));
  return document.horizons.filter(isFields);
}

const number = (fields: Fields | undefined, name: string): number => {
  const value = fields?.[name];
  assert.ok(typeof value === "number", `${name} is a number`);
  return value;
};

/** The results of a horizon by its months, as far as they are looked at here. */
function outcomesOf(horizons: readonly Fields[]): Map<string, Fields> {
  return new Map(
    horizons.map((horizon): [string, Fields] => {
      const { months, cohorts, due, paid, paidFromOwnMargin, worst, byCohort } = horizon;
      assert.ok(isFields(worst) && Array.isArray(byCohort));
      const cohort: readonly unknown[] = byCohort;
      const dueBps = cohort
        .filter(isFields)
        .map((one) => Math.round((10_000 * Number(one.due)) / Number(one.coverage)));
      const told = { cohorts, due, paid, paidFromOwnMargin, worstPaid: worst.paid, dueBps };
      return [`${months}`, told];
    }),
  );
}

/** Of the provider's file; undefined when it is absent and nothing is kept. */
function recordOf(name: string, range: readonly string[]): Map<string, Fields> | undefined {
  const file = fileURLToPath(new URL(name, shared));
  const inputs = existsSync(file) ? digestOf([file]) : undefined;
  const run = [name, ...range].join(" ");
  const known = kept.scoresOf(run, inputs);
  if (known !== undefined || inputs === undefined) return known;
  return kept.found(run, inputs, outcomesOf(replayed(file, ...range)));
}

test("cover sold in states from 2005 to 2010 is paid as the page says", (t) => {
  const range = ["--from", "2005-01", "--to", "2010-07", "--fund", "0"];
  const record = recordOf(zhviState("2021-09"), range);
  if (record === undefined) {
    return t.skip("needs the provider's state file under ../shared/data");
  }
  const [year, two, three] = ["12", "24", "36"].map((months) => record.get(months));
  for (const horizon of [year, two, three]) assert.equal(number(horizon, "cohorts"), 67);
  assert.equal(number(year, "paid"), 1);
  // With the first model 24 months were paid whole, and 36 months to .976, .86 and .789.
  assert.ok(number(two, "paid") >= 0.9998, `paid ${number(two, "paid")}`);
  assert.ok(number(three, "paid") >= 0.998, `paid ${number(three, "paid")}`);
  assert.ok(number(three, "paidFromOwnMargin") >= 0.914);
  assert.ok(number(three, "worstPaid") >= 0.946);
  // The file alone decides how much is due.
  assert.ok(Math.abs(number(three, "due") - 0.35) < 0.002, `due ${number(three, "due")}`);
  assert.equal(record.size, replayHorizons.length);
  for (const { months, dueBps } of replayHorizons) {
    const told: unknown = record.get(`${months}`)?.dueBps;
    assert.deepEqual(told, dueBps, `the served record of ${months} months`);
  }
});

test("it runs on the sample's county file, blanks and all", (t) => {
  const bytes = madeFile("zhvi/county/2025-09/made.csv.gz");
  assert.ok(bytes !== undefined);
  const folder = mkdtempSync(join(tmpdir(), "replay-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "made.csv.gz");
  writeFileSync(path, bytes);
  const [horizon] = replayed(path, "--from", "2021-01", "--to", "2021-03", "--months", "12");
  assert.equal(number(horizon, "cohorts"), 3);
  assert.ok(number(horizon, "contracts") > 0);
});
