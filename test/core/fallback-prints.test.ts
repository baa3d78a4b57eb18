// The prints that a step of the fallbacks may name, and what a first word keeps of them.
// Invariant: two people settle a market on nothing but its newest chained print of the term, or on
// the growth of the successor its terms name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type NodeId, releaseId } from "#base/ids.ts";
import { addMonths } from "#base/month.ts";
import { chainLevelOf, printValue } from "#base/print-value.ts";
import type { Baseline } from "#contract/terms.ts";
import { hasRun } from "#core/settlement/fallback.ts";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { wordIn } from "#core/words/told.ts";
import { county, DUE, layer, Stage, settling, zip } from "./fallback-stage.ts";
import { month, order, root, World } from "./world.ts";

const lastLevel = (last: Baseline) => ({ step: "last-level", last }) as const;
const cash = (last: Baseline | null) => ({ step: "cash", last }) as const;

/** A month that others have followed already: it is known from then on, and settles nothing. */
function backfill(stage: Stage, place: NodeId, monthText: string, value: string): void {
  stage.place = place;
  const seen = { ...stage.observe(monthText, value), backfill: true };
  stage.do(root, stage.release(seen));
  stage.keep(place, monthText);
}

test("a last level is the newest print of the term: its value, level and release", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "285000");
  stage.at(zip, "2025-07", "270000");
  stage.runTo(DUE);
  const last = stage.of(zip, "2025-07");
  const june = stage.of(zip, "2025-06");
  for (const [why, wrong] of [
    ["an older month", june],
    [
      "a month to come, with the newest print's figures",
      { ...last, month: addMonths(last.month, 1) },
    ],
    ["another value", { ...last, valueE15: june.valueE15 }],
    ["another level", { ...last, levelE12: june.levelE12 }],
    ["another release", { ...last, releaseId: june.releaseId }],
  ] as const) {
    assert.equal(stage.refusedStep(lastLevel(wrong)), "FALLBACK_STEP", why);
  }
  stage.takeInTwo(lastLevel(last));
  assert.equal(stage.market.resolution?.settledValueE15, last.valueE15);
});

test("the newest print past the term, a step names a month of the term, and no gap", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.index = "zori";
  stage.print("2024-10", "1500");
  const [rents] = [...stage.state.releases.values()].slice(-1);
  stage.index = "zhvi";
  stage.runTo(DUE);
  stage.at(zip, "2025-09", "255000");
  const june = stage.of(zip, "2025-06");
  const before = { ...stage.of(zip, "2024-10"), month: month("2024-09") };
  for (const [why, wrong] of [
    ["a month after the term", lastLevel(stage.of(zip, "2025-09"))],
    ["a month before the baseline", cash(before)],
    ["a gap", lastLevel({ ...june, month: month("2025-07") })],
    ["no level", lastLevel({ ...june, levelE12: chainLevelOf(0n) })],
    ["a release that nobody sent", lastLevel({ ...june, releaseId: releaseId("rel-none") })],
    ["a release of rents", lastLevel({ ...june, releaseId: rents?.id ?? assert.fail() })],
  ] as const) {
    assert.equal(stage.refusedStep(wrong), "FALLBACK_STEP", why);
  }
  stage.takeInTwo(lastLevel(june));
});

test("a measurement month that became known too late to settle is the last level itself", () => {
  const stage = new Stage();
  stage.printTo("2025-06", "285000");
  stage.at(county, "2025-06", "480000");
  stage.runTo(DUE);
  backfill(stage, zip, "2025-08", "270000");
  assert.equal(stage.market.status, "ACTIVE", "it settles nothing by itself");
  const june = lastLevel(stage.of(zip, "2025-06"));
  assert.equal(stage.refusedStep(june), "FALLBACK_STEP", "an older month");
  stage.at(county, "2025-08", "470000");
  const [last, end] = [stage.of(zip, "2025-08"), stage.of(county, "2025-08")];
  for (const [why, wrong] of [
    ["no growth of the successor", { step: "successor", last, from: end, to: end } as const],
    ["no marks", cash(last)],
  ] as const) {
    assert.equal(stage.refusedStep(wrong), "FALLBACK_STEP", why);
  }
  stage.takeInTwo(lastLevel(last));
  assert.equal(stage.market.resolution?.payoutMillionths, 500_000);
});

test("a place that printed nothing chained since is settled in cash on its baseline", () => {
  const stage = new Stage(null);
  stage.runTo(DUE);
  const last = stage.of(zip, "2024-10");
  assert.equal(stage.refusedStep(cash(last)), "FALLBACK_STEP", "nothing printed: it is void");
  stage.at(zip, "2025-03", "285000", null);
  assert.equal(stage.refusedStep(cash(null)), "FALLBACK_STEP", "a decline has a last print");
  stage.takeInTwo(cash(last));
  assert.ok(stage.market.markRound !== undefined);
});

test("a level that was printed since it was listed has no last print: sellers mark it", () => {
  const world = new World();
  world.successor = null;
  world.print("2024-10", "300000");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.nowMillis += 1;
  const payoff = { kind: "level", comparator: "lte", thresholdE15: printValue(1n) } as const;
  const listing = world.listing("2025-08", payoff);
  world.do(root, { type: "ListMarket", listing, frontendId: null });
  world.runTo(Date.UTC(2025, 3, 20));
  world.print("2025-03", "285000");
  world.runTo(DUE);
  const { marketId, terms } = listing;
  const newest = world.state.chainPoints.get("zhvi|state:tx") ?? assert.fail();
  const last = { ...newest, levelE12: newest.levelE12 ?? assert.fail() };
  assert.equal(hasRun(terms, last), false, "a level has no term that runs");
  const settle = (taken: FallbackTaken) => settling(world.state, marketId, taken);
  for (const taken of [cash(last), lastLevel(last), { step: "void" } as const]) {
    const { code } = world.refused(olga.actor, settle(taken));
    assert.equal(code, "FALLBACK_STEP", taken.step);
  }
  const waiting = wordIn("open", world.do(olga.actor, settle(cash(null))));
  world.agree(otto.actor, waiting ?? assert.fail());
  assert.ok(world.state.market(marketId).markRound !== undefined);
});

test("a successor without both months in its chain does not stand in: the last level does", () => {
  for (const [why, print] of [
    ["nothing of the measurement month", (stage: Stage) => stage.at(county, "2025-07", "470000")],
    [
      "a measurement month out of its chain",
      (stage: Stage) => {
        stage.at(county, "2025-06", "480000");
        stage.at(county, "2025-08", "470000", null);
      },
    ],
    [
      "a gap in the last month of the place",
      (stage: Stage) => {
        stage.at(county, "2025-05", "480000");
        stage.at(county, "2025-08", "470000");
      },
    ],
  ] as const) {
    const stage = new Stage();
    stage.printTo("2025-06", "270000");
    print(stage);
    stage.runTo(DUE);
    assert.ok(stage.proposed(lastLevel(stage.of(zip, "2025-06"))), why);
  }
});

test("terms without a successor take nobody's growth", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.at(county, "2025-06", "480000");
  stage.at(county, "2025-08", "470000");
  stage.runTo(DUE);
  const [from, to] = [stage.of(county, "2025-06"), stage.of(county, "2025-08")];
  const last = stage.of(zip, "2025-06");
  assert.equal(stage.refusedStep({ step: "successor", last, from, to }), "FALLBACK_STEP");
});

test("a first word keeps the newest months and gaps; a print of the successor ends it too", () => {
  const alone = new Stage(null);
  alone.printTo("2025-06", "270000");
  alone.runTo(DUE);
  const { command } = alone.proposed(lastLevel(alone.of(zip, "2025-06")));
  assert.ok(command.type === "SettleByFallback");
  assert.deepEqual(command.ground, [month("2025-06"), 7]);

  const stage = new Stage();
  stage.printTo("2025-06", "270000");
  stage.at(county, "2025-06", "480000");
  stage.runTo(DUE);
  const taken = lastLevel(stage.of(zip, "2025-06"));
  const { id: proposalId } = stage.proposed(taken);
  const key = { prefix: "fp_test_aaaa", digest: "x" };
  const confirm = { type: "ConfirmProposal", proposalId, key } as const;
  stage.at(county, "2025-07", "470000");
  assert.equal(stage.refused(stage.otto.actor, confirm).code, "FALLBACK_STEP");
  stage.takeInTwo(taken);
});

test("a first word from before prints were kept with it is none: it is said anew", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.runTo(DUE);
  const taken = lastLevel(stage.of(zip, "2025-06"));
  const { id: proposalId } = stage.proposed(taken);
  const now = encodeState(stage.state);
  const kept = now.map((part) => part.replace(/"ground":\[[^\]]*\],/, ""));
  assert.notDeepEqual(kept, now);
  stage.state = decodeState(kept);
  const key = { prefix: "fp_test_aaaa", digest: "x" };
  const confirm = { type: "ConfirmProposal", proposalId, key } as const;
  assert.equal(stage.refused(stage.otto.actor, confirm).code, "FALLBACK_STEP");
  stage.takeInTwo(taken);
});

test("a step is refused of no market, of a settled one, and before 60 days, saying when", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  const command = stage.step(lastLevel(stage.of(zip, "2025-06")));
  const refused = (more: Partial<typeof command> = {}) =>
    stage.refused(stage.olga.actor, { ...command, ...more });
  const { marketId: unknown } = stage.listing("2026-06", layer);
  assert.equal(refused({ marketId: unknown }).code, "MARKET_NOT_FOUND");
  const status = "2025-11-19T00:00:00.000Z";
  assert.deepEqual(refused(), { code: "FALLBACK_NOT_DUE", details: { status } });
  stage.at(zip, "2025-08", "255000");
  assert.deepEqual(refused(), { code: "MARKET_STATE", details: { status: "RESOLVED" } });
});

test("the release of a level that stands lists its markets, with those it settled before", () => {
  const stage = new Stage(null);
  const other = stage.listing("2025-06", layer);
  stage.order(order(other, "SELL", "10", "0.05"), stage.anna, other);
  stage.order(order(other, "BUY", "10", "0.05"), stage.bela);
  stage.printTo("2025-06", "270000");
  stage.runTo(DUE);
  const last = stage.of(zip, "2025-06");
  const settled = () => stage.state.release(last.releaseId).resolvedMarkets;
  stage.takeInTwo(lastLevel(last));
  assert.deepEqual(settled(), [other.marketId, stage.marketId]);
  stage.dispute();
  stage.undo();
  assert.deepEqual(settled(), [other.marketId]);
});
