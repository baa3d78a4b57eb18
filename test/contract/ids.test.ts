// docs/reference/ids.md: its worked example, by its own rules and by the code that derives ids.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { nodeId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { chainLevelOf, printValue } from "#base/print-value.ts";
import { derivedIds, type Terms, termsHash } from "#contract/terms.ts";

const page = readFileSync(new URL("../../docs/reference/ids.md", import.meta.url), "utf8");
const text = /```text\n(.*?)\n```/s.exec(page)?.[1] ?? "";

/** The cells of a row, without backquotes; the last table that has the row. */
function cellsOf(what: string): readonly string[] {
  const row = page.split("\n").filter((line) => line.startsWith(`| ${what} |`));
  const cells = row.map((line) => line.split("|").slice(2, -1));
  return cells.flat().map((cell) => cell.trim().replaceAll("`", ""));
}

const hashOf = (tag: string, hashed: string): string =>
  createHash("sha256").update(`${tag}\0${hashed}`).digest("hex");

const names = [
  "`conditionId`",
  "`questionId`",
  "`onChainMarketId`",
  "`positionId` of YES",
  "`positionId` of NO",
];

test("the page's example follows from the page's rules", () => {
  const [tag = "", , value] = cellsOf("`termsHash`");
  const hash = hashOf(tag, text);
  assert.equal(hash, value);
  for (const name of names) {
    const [idTag = "", , id] = cellsOf(name);
    assert.equal(`0x${hashOf(idTag, hash)}`, id, name);
  }
});

test("the code derives what the page says", () => {
  const lines = text.split("\n");
  const [month, value = "", level = "", release = ""] = (lines[4] ?? "").split("|");
  const months = [lines[2], month].map((name) => parseMonth(name ?? ""));
  assert.ok(months[0] !== undefined && months[1] !== undefined);
  const terms: Terms = {
    index: "zhvi",
    nodeId: nodeId(lines[1] ?? ""),
    measurementMonth: months[0],
    payoff: { kind: "layered", attachBps: 200, exhaustBps: 1_000 },
    baseline: {
      month: months[1],
      valueE15: printValue(BigInt(value)),
      levelE12: chainLevelOf(BigInt(level)),
      releaseId: releaseId(release),
    },
    rounding: "payout-millionths-down",
    fallback: "fallbacks-1",
    successor: null,
    methodologyVersion: lines[7] ?? "",
    expectedAtMillis: Number(lines[8]),
  };
  const hash = termsHash(terms);
  assert.equal(hash, cellsOf("`termsHash`")[2]);
  const { conditionId, questionId, onChainMarketId, positionIds } = derivedIds(hash);
  assert.deepEqual(
    [conditionId, questionId, onChainMarketId, ...positionIds],
    names.map((name) => cellsOf(name)[2]),
  );
});
