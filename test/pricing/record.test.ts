// The record that the API shows against the tables of the page on pricing, row by row.
// Invariant: neither has a figure of its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { panels, record } from "#quoting/model-record.ts";

const page = readFileSync(new URL("../../docs/concepts/pricing.md", import.meta.url), "utf8");
const start = page.indexOf("## Both models, rerun");
const section = page.slice(start, page.indexOf("\n## ", start + 1));

const short = (value: number, places: number): string => value.toFixed(places).replace(/^0\./, ".");
const byLayer = (ratios: readonly number[]): string =>
  ratios.map((ratio) => short(ratio, 2)).join(" · ");

test("every row of the record stands on the page with the same figures", () => {
  for (const { brier, log, fairOverPayout, priceOverPayout, ...row } of record) {
    const figures = [short(brier, 4), short(log, 4), byLayer(fairOverPayout)];
    const line = [...figures, byLayer(priceOverPayout)].join(" | ");
    const found = section.split("\n").find((one) => one.includes(line));
    assert.ok(found !== undefined, `${row.panel} ${row.model} ${row.horizonMonths}: ${line}`);
    if (row.horizonMonths !== null) assert.match(found, new RegExp(`\\| ${row.horizonMonths} \\|`));
    else assert.match(found, row.model === "hmr-t4r" ? /HMR-t4r/ : /HMR-t4 /);
  }
});

test("the page has as many rows as the record, and the same numbers of pairs", () => {
  const rows = section.split("\n").filter((line) => /^\|.*·/.test(line) && !/payout/.test(line));
  assert.equal(rows.length, record.length);
  for (const { pairs } of Object.values(panels)) {
    assert.ok(section.includes(pairs.toLocaleString("en-US")), String(pairs));
  }
});
