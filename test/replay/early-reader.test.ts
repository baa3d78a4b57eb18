// A reader of the provider's file against orders that rest at the old marks: on a made-up history,
// and on a provider's file. With the release window it takes nothing by being early.
// Invariant: the first case, where orders match at once, shows that there is something to take.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { addMonths, type Month, monthOf } from "#base/month.ts";
import { readHistory } from "#cli/replay/file.ts";
import {
  type ReaderCase,
  type ReaderTotals,
  readerCases,
  readerTotals,
} from "#replay/early-reader.ts";
import { type ProviderHistory, pastOf } from "#replay/past.ts";
import { readEarly } from "#replay/replay.ts";
import { zhviState } from "#test/support/shared-data.ts";
import { madeHistory } from "./made-history.ts";

const plan = {
  months: 24,
  payoff: { kind: "layered", attachBps: 500, exhaustBps: 1500 },
  tier: "institutional",
} as const;

type Told = Readonly<Record<ReaderCase["name"], ReaderTotals>>;

function told(history: ProviderHistory, from: Month, count: number): Told {
  const months = Array.from({ length: count }, (_, at) => addMonths(from, at));
  const all = readEarly(pastOf(history), plan, months).map(readerTotals);
  const of = (name: ReaderCase["name"]): ReaderTotals =>
    all[readerCases.findIndex((one) => one.name === name)] ?? assert.fail(name);
  return {
    continuous: of("continuous"),
    auction: of("auction"),
    withdrawn: of("withdrawn"),
    asleep: of("asleep"),
    rival: of("rival"),
    alone: of("alone"),
  };
}

function checkWindow({ continuous, auction, withdrawn, asleep, rival, alone }: Told): void {
  for (const { meanCents, p95Cents, feeCents } of [auction, withdrawn]) {
    assert.deepEqual({ meanCents, p95Cents, feeCents }, { meanCents: 0, p95Cents: 0, feeCents: 0 });
  }
  assert.equal(asleep.meanCents, 0, "who bids the new mark trades at the new mark");
  assert.equal(asleep.p95Cents, 0);
  assert.ok(rival.meanCents <= 0.001, `a rival bids it away, not ${rival.meanCents}`);
  // Not by being early: an order after the marks would do the same.
  assert.ok(Math.abs(alone.meanCents - continuous.meanCents) < 0.05);
}

test("in a made-up fall a reader takes cents before the window, and nothing in it", () => {
  const all = told(madeHistory, monthOf(2006, 6), 2);
  assert.equal(all.continuous.markets, 40);
  assert.ok(all.continuous.meanCents > 0.2, `${all.continuous.meanCents}`);
  assert.ok(all.continuous.meanCents > all.continuous.feeCents);
  checkWindow(all);
});

test("so it does in a provider's states in the summer of 2007", async (t) => {
  const shared = new URL("../../../shared/data/", import.meta.url);
  const file = fileURLToPath(new URL(zhviState("2021-09"), shared));
  if (!existsSync(file)) return t.skip("needs the provider's state file under ../shared/data");
  const all = told(await readHistory(file, "zhvi", undefined), monthOf(2007, 6), 3);
  assert.ok(all.continuous.meanCents > 0.9, `${all.continuous.meanCents}`);
  assert.ok(all.continuous.p95Cents > 3.5, `${all.continuous.p95Cents}`);
  checkWindow(all);
});
