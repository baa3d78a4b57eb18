// The replay's record as a program: a provider's state file through 2005–2013, and the sample's.
// Invariant: the bounds are those of the page on clearing; better rules may only pass them better.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { replayHorizons } from "#quoting/replay-record.ts";
import { checkout } from "#test/support/exchange.ts";
import { madeFile } from "#test/support/made-files.ts";
import { zhviState } from "#test/support/shared-data.ts";

const program = join(checkout, "src/cli/main.ts");
const shared = new URL("../../../shared/data/", import.meta.url);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

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

test("cover sold in states from 2005 to 2010 is paid as the page says", (t) => {
  const file = fileURLToPath(new URL(zhviState("2021-09"), shared));
  if (!existsSync(file)) return t.skip("needs the provider's state file under ../shared/data");
  const range = ["--from", "2005-01", "--to", "2010-07", "--fund", "0"];
  const [year, two, three] = replayed(file, ...range);
  for (const horizon of [year, two, three]) assert.equal(number(horizon, "cohorts"), 67);
  assert.equal(number(year, "paid"), 1);
  // With the first model 24 months were paid whole, and 36 months to .976, .86 and .789.
  assert.ok(number(two, "paid") >= 0.9998, `paid ${number(two, "paid")}`);
  assert.ok(number(three, "paid") >= 0.998, `paid ${number(three, "paid")}`);
  assert.ok(number(three, "paidFromOwnMargin") >= 0.914);
  assert.ok(isFields(three?.worst) && number(three.worst, "paid") >= 0.946);
  // The file alone decides how much is due.
  assert.ok(Math.abs(number(three, "due") - 0.35) < 0.002, `due ${number(three, "due")}`);
  for (const [place, { months, dueBps }] of replayHorizons.entries()) {
    const horizon: Fields | undefined = [year, two, three][place];
    assert.equal(number(horizon, "months"), months);
    assert.ok(Array.isArray(horizon?.byCohort));
    const cohorts: readonly unknown[] = horizon.byCohort;
    const due = cohorts
      .filter(isFields)
      .map((one) => Math.round((10_000 * Number(one.due)) / Number(one.coverage)));
    assert.deepEqual(due, dueBps, `the served record of ${months} months`);
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
