// GET /api/risk over the real server: open protection by state and scenario, payouts beyond what a
// scenario foretold, and the record of the replay against the page on clearing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { marketId, nodeId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { isTick, type Tick } from "#base/price.ts";
import { chainLevel, firstLevel, parsePrintValue } from "#base/print-value.ts";
import { scenarios } from "#contract/scenarios.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { at, checkout, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { order, type World } from "./world.ts";

const given = <T>(value: T | undefined): T => value ?? assert.fail("it is written rightly");

/** Marks of 0.4, after each scenario so many ticks as `after` says; 0.6 where it says nothing. */
async function mark(world: World, id: string, after: Readonly<Record<string, number>>) {
  const tick = (ticks: number): Tick => (isTick(ticks) ? ticks : assert.fail(`${ticks}`));
  const riskTicks = scenarios.map((one) => tick(after[one.id] ?? 6_000));
  const marks = [
    { marketId: marketId(id), markTick: tick(4_000), stressedTick: tick(6_000), riskTicks },
  ];
  await world.engine.submit({
    actor: { type: "system" },
    command: publishMarks(marks),
    requestId: "marks",
    idempotency: null,
  });
}

async function sold(world: World, id: string, amount: string): Promise<void> {
  const [seller, buyer] = [await world.trader(`s-${id}`), await world.trader(`b-${id}`)];
  const sale = order(id, { side: "SELL", amount, price: 0.4 });
  await world.post("/api/trading/orders", seller.secret, sale);
  await world.post("/api/trading/orders", buyer.secret, { ...sale, side: "BUY" });
}

async function printTexas(world: World, value: string): Promise<void> {
  const publishedAtMillis = Date.UTC(2025, 4, 20);
  await world.root({ type: "SetClock", toMillis: publishedAtMillis });
  const valueE15 = given(parsePrintValue(value));
  const before = given(parsePrintValue("301234.5"));
  const month = given(parseMonth("2025-04"));
  const link = { month: given(parseMonth("2024-10")), valueE15: before, levelE12: firstLevel };
  const levelE12 = chainLevel(firstLevel, valueE15, before);
  const observation = { nodeId: nodeId("state:tx"), month, valueE15, levelE12, link };
  await world.root({
    type: "AcceptRelease",
    release: {
      ...{ id: releaseId("rel-april"), provider: "zillow", index: "zhvi", level: "state" },
      ...{ publishedAtMillis, sha256: "b".repeat(64), rows: 1 },
      ...{ firstMonth: month, lastMonth: month, firstPrints: 1, revisions: 0, unchanged: 0 },
      ...{ rescaled: 0, unmatched: 0, methodologyVersion: "1", printsDigest: "", latestDigest: "" },
    },
    observations: [{ ...observation, backfill: false, gaps: [] }],
  });
}

const riskOf = async (world: World): Promise<unknown> => (await world.get("/api/risk")).json().data;

test("open protection is summed by state and by scenario, until its payout is known", async (t) => {
  const { world } = await PublicWorld.open(t);
  const [below, above] = [await world.market("300000"), await world.market("320000")];
  await sold(world, below, "1000");
  await sold(world, above, "500");
  await mark(world, below, { "all-1": 5_000, "up-1": 1_000, "up-12": 1 });
  await mark(world, above, { "all-1": 4_500, "up-1": 1_000, "up-12": 1 });
  const before = await riskOf(world);
  const texas = { stateCode: "TX", markets: 2, coverage: "1500", worth: "600" };
  assert.deepEqual(at(before, "open", "byState"), [texas]);
  assert.deepEqual(
    ["coverage", "worth", "settled", "exceededAll"].map((name) => at(before, "open", name)),
    ["1500", "600", 0, 0],
  );
  const worth = listAt(before, "open", "scenarios").map((one) => textAt(one, "worth"));
  assert.deepEqual([worth[0], worth[1], worth.at(-2)], ["725", "900", "150"]);

  // The print is above the lower threshold, whose market pays in full, and below the other.
  await printTexas(world, "310000");
  const after = await riskOf(world);
  assert.deepEqual(at(after, "open", "byState"), []);
  assert.deepEqual([at(after, "open", "settled"), at(after, "open", "exceededAll")], [2, 1]);
  const exceeded = listAt(after, "open", "scenarios").map((one) => numberAt(one, "exceeded"));
  assert.deepEqual(exceeded, [...scenarios.slice(0, -2).map(() => 1), 1, 0]);
});

test("the replay's record is served, month by month, and says what the page says", async (t) => {
  const { world } = await PublicWorld.open(t);
  const replay = at(await riskOf(world), "replay");
  assert.equal(textAt(replay, "attribution"), "Data from Zillow");
  const page = readFileSync(`${checkout}/docs/concepts/clearing.md`, "utf8");
  assert.ok(page.includes(`\n${textAt(replay, "date")}, on the rules`), "the record's date");
  const states = page.slice(page.indexOf("| states (51) |")).split("\n").slice(0, 3);
  const told = states.map((row) => row.split("|").map((cell) => Number.parseFloat(cell)));
  for (const [place, horizon] of listAt(replay, "horizons").entries()) {
    const [months, due, paid, own, worst, cash, , called] = told[place]?.slice(2) ?? [];
    const cohorts = listAt(horizon, "cohorts");
    assert.equal(cohorts.length, 67);
    assert.equal(textAt(cohorts.at(-1), "month"), "2010-07");
    const names = ["due", "paid", "paidFromOwnMargin", "worstPaid", "sellerCash", "called"];
    const served = names.map((name) => Math.round(numberAt(horizon, name) * 1_000) / 10);
    // The early months lack two places: their mean is not quite the whole.
    const mean = (name: string): number =>
      cohorts.reduce<number>((sum, one) => sum + numberAt(one, name), 0) / cohorts.length;
    for (const name of ["due", "sellerCash"]) {
      assert.ok(Math.abs(mean(name) - numberAt(horizon, name)) < 0.001, name);
    }
    assert.equal(numberAt(horizon, "months"), months);
    assert.deepEqual(served, [due, paid, own, worst, cash, called]);
  }
});
