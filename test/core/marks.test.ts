// Cash settlement: who gives a mark, what is sealed, what counts, and what the median pays.
// Invariant: an owner counts once, for a third at most; marks of less than half the weight move
// the value no further than the rest say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, marketId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { printValue } from "#base/print-value.ts";
import { lots } from "#base/quantity.ts";
import { auditFacts, SEALED } from "#core/audit.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { CashSettled, FallbackTaken } from "#core/settlement/fallback-step.ts";
import { heldShort, noteShort } from "#core/settlement/short-lots.ts";
import { weighMarks } from "#core/settlement/weigh-marks.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import { GUARANTEE } from "#core/step.ts";
import { endDefaults } from "./end-calls.ts";
import { settling } from "./fallback-stage.ts";
import { DAY, DUE, layer, Stage } from "./marks-stage.ts";
import { decision, month, order, root, type Trader } from "./world.ts";

type Counted = Pick<CashSettled, "marks">;
const ticksOf = ({ marks }: Counted) => marks.map(({ valueTicks }) => valueTicks);
const weightsOf = ({ marks }: Counted) => marks.map(({ weightLots }) => weightLots);

test("three owners' marks and the model: the median is paid, to the micro-dollar", () => {
  const stage = new Stage();
  stage.call();
  const { markRound } = stage.market;
  assert.ok(markRound !== undefined);
  assert.ok(markRound.closesAtMillis >= DUE + 3 * DAY, "three business days");
  for (const { id } of [stage.anna, stage.bela]) {
    assert.equal(stage.state.alerts.get(id)?.at(-1)?.type, "fallback");
  }
  stage.give(0, 2_000);
  stage.give(1, 10_000);
  stage.give(2, 9_999);
  stage.give(2, 3_100);
  stage.modelSays("0.3");
  const restored = decodeState(encodeState(stage.state));
  assert.equal(stateHash(restored), stateHash(stage.state));
  stage.state = restored;
  const cash = stage.cash(stage.bela);
  stage.close();
  const { status, resolution } = stage.market;
  assert.equal(status, "RESOLVED");
  assert.equal(resolution?.payoutMillionths, 300_000, "2 of 10 million lots, then 4 of the model");
  assert.deepEqual(resolution?.fallback, {
    ...{ step: "cash", modelTicks: 3_000, modelLots: lots(4_000_000n), valueTicks: 3_000 },
    marks: [2_000, 3_100, 10_000].map((valueTicks) => ({ valueTicks, weightLots: 2_000_000n })),
    print: { month: month("2025-03"), valueE15: 285_000n * 10n ** 15n },
  });
  assert.deepEqual(decodeState(encodeState(stage.state)).market(stage.marketId), stage.market);
  assert.equal(stage.market.markRound, undefined);
  assert.equal(stage.state.marks.size, 0);
  stage.runTo(stage.nowMillis + 4 * DAY);
  assert.equal(stage.market.status, "FINALIZED");
  assert.equal(stage.cash(stage.bela) - cash, 3_000_000n, "ten at .3");
});

test("a market that takes marks stays though nobody trades it, and leaves with them", () => {
  const stage = new Stage(false);
  const { marketId } = stage;
  stage.do(root, { type: "ResumeMarket", marketId, reason: "over" });
  stage.call();
  stage.give(0, 2_000);
  const { closesAtMillis } = stage.market.markRound ?? assert.fail();
  stage.runTo(closesAtMillis - 1);
  assert.ok(stage.state.markets.has(marketId), "an idle one leaves after a day, but not this");
  assert.equal(stage.state.marks.size, 1);
  stage.runTo(closesAtMillis + DAY + 60_000);
  assert.ok(!stage.state.markets.has(marketId), "one mark settles nothing, and nobody is there");
  assert.equal(stage.state.marks.size, 0);
});

test("two accounts of one owner count once, the newest; fewer than three owners are none", () => {
  const stage = new Stage();
  stage.call();
  const [c, d, e, f] = stage.sellers;
  assert.ok(c !== undefined && d !== undefined && e !== undefined && f !== undefined);
  stage.give(0, 0);
  stage.give(1, 100);
  stage.give(2, 5_000);
  stage.join(d, c);
  stage.close();
  assert.equal(stage.market.status, "ACTIVE", "two owners are not three");
  assert.equal(stage.market.markRound, undefined);

  stage.join(f, e);
  stage.call();
  stage.give(0, 0);
  stage.give(1, 100);
  stage.give(2, 4_000);
  stage.give(3, 5_000);
  stage.give(4, 6_000);
  stage.give(0, 200);
  stage.modelSays("0.55");
  stage.close();
  const { fallback } = stage.market.resolution ?? assert.fail();
  assert.ok(fallback?.step === "cash");
  assert.deepEqual(ticksOf(fallback), [200, 5_000, 6_000]);
  const third = lots(3_333_333n);
  assert.deepEqual(
    weightsOf(fallback),
    [third, third, 2_000_000n],
    "both accounts, a third at most",
  );
  assert.equal(fallback.valueTicks, 5_000);
});

test("nobody with a stake, an operator, or an account that sold nothing gives a mark", () => {
  const stage = new Stage();
  const refused = (trader: Trader | undefined) => stage.refusedMark(trader);
  assert.equal(refused(stage.sellers[0]), "MARKS_NOT_OPEN");
  stage.call();
  assert.equal(refused(stage.anna), "CONFLICT_OF_INTEREST");
  assert.equal(refused(stage.bela), "CONFLICT_OF_INTEREST");
  assert.equal(refused(stage.olga), "ROLE_NOT_TRADER");
  assert.equal(refused(stage.trader("buyer", "100")), "MARK_NOT_SELLER");
  const [c, d] = stage.sellers;
  assert.ok(c !== undefined && d !== undefined);
  stage.join(c, stage.anna);
  assert.equal(refused(c), "CONFLICT_OF_INTEREST", "an account of the seller's owner");
  for (const at of [1, 2, 3]) stage.give(at, 0);
  stage.join(d, stage.anna);
  stage.close();
  assert.equal(stage.market.status, "ACTIVE", "who may mark is asked again at the close");
});

test("who is halted gives no mark, and what it gave before counts no more", () => {
  const stage = new Stage();
  stage.call();
  for (const at of [0, 1, 2, 3]) stage.give(at, 1_000 * at);
  const [c] = stage.sellers;
  assert.ok(c !== undefined);
  stage.do(root, { type: "HaltAccount", accountId: c.id, reason: "drill" });
  assert.equal(stage.refusedMark(c), "ACCOUNT_HALTED");
  stage.modelSays("0.25");
  const { releaseId } = stage.state.chainPoints.get("zhvi|state:tx") ?? assert.fail();
  const settled = () => stage.state.releases.get(releaseId)?.resolvedMarkets;
  assert.deepEqual(settled(), [stage.earlyId]);
  stage.close();
  const { resolution } = stage.market;
  assert.ok(resolution?.fallback?.step === "cash");
  assert.deepEqual(ticksOf(resolution.fallback), [1_000, 2_000, 3_000]);
  assert.equal(resolution.comparisonValueE15, 300_000n * 10n ** 15n, "of the baseline");
  assert.equal(resolution.releaseId, releaseId);
  assert.deepEqual(settled(), [stage.earlyId, stage.marketId]);
});

test("all holders are told of the round, and nobody else", () => {
  const stage = new Stage();
  const { anna, bela, marketId } = stage;
  const amountMicros = micros(-stage.available(anna));
  stage.do(root, { type: "FundAccount", accountId: anna.id, amountMicros, memo: null });
  stage.modelSays("0.8");
  endDefaults(stage);
  assert.equal(stage.state.position(GUARANTEE, marketId)?.heldLots, -1_000n, "taken over");
  const all = [anna.id, bela.id, GUARANTEE, ...stage.sellers.map(({ id }) => id)];
  const countOf = () => all.map((id) => stage.state.alerts.get(id)?.length ?? 0);
  const before = countOf();
  stage.call();
  const more = countOf().map((count, at) => count - (before[at] ?? 0));
  assert.deepEqual(more, [0, 1, 0, 0, 0, 0, 0, 0]);
  const { closesAtMillis } = stage.market.markRound ?? assert.fail();
  const until = `${new Date(closesAtMillis).toISOString().slice(0, 19)}Z`;
  assert.equal(
    stage.state.alerts.get(bela.id)?.at(-1)?.message,
    `Market ${stage.market.frontendId} is settled in cash: sellers without a position in it mark ` +
      `it until ${until}, unless its print comes first`,
  );
});

test("no mark is given for a market that does not exist, or while the exchange is halted", () => {
  const stage = new Stage();
  stage.call();
  const { by, command } = stage.mark(stage.sellers[0], 5_000);
  const elsewhere = { ...command, marketId: marketId("no-market") };
  assert.equal(stage.refused(by, elsewhere).code, "MARKS_NOT_OPEN");
  stage.do(root, { type: "HaltExchange", reason: "drill" });
  assert.equal(stage.refusedMark(stage.sellers[0]), "EXCHANGE_HALTED");
});

test("a seller without an approval in force gives no mark, and what it gave counts no more", () => {
  const stage = new Stage();
  stage.call();
  for (const at of [0, 1, 2]) stage.give(at, 0);
  const [c] = stage.sellers;
  assert.ok(c !== undefined);
  stage.do(root, decision(c.id, "reject", null, false));
  assert.equal(stage.refusedMark(c), "KYC_REQUIRED");
  stage.close();
  assert.equal(stage.market.status, "ACTIVE", "two are left");
});

test("a seller is an account short in a market that is still open", () => {
  const stage = new Stage();
  stage.place = nodeId("state:nv");
  stage.print("2025-10", "300000");
  stage.endWindow();
  const dora = stage.trader("dora", "100");
  const held = ({ marketId: id }: Listing) => stage.state.position(dora.id, id)?.heldLots;
  const trade = (listing: Listing, side: "BUY" | "SELL", other: "BUY" | "SELL") => {
    stage.order(order(listing, side, "1", "0.05"), dora, listing);
    stage.order(order(listing, other, "1", "0.05"), stage.bela);
  };
  const ending = stage.listing("2025-12", layer);
  trade(ending, "SELL", "BUY");
  assert.equal(held(ending), -100n);
  stage.runTo(Date.UTC(2026, 0, 20));
  stage.print("2025-12", "300000");
  stage.endWindow();
  assert.equal(stage.state.market(ending.marketId).status, "RESOLVED");
  stage.call();
  assert.equal(stage.refusedMark(dora), "MARK_NOT_SELLER", "its short is in a market that is over");
  const later = stage.listing("2026-12", layer);
  trade(later, "BUY", "SELL");
  assert.equal(held(later), 100n);
  assert.equal(stage.refusedMark(dora), "MARK_NOT_SELLER", "it is long");
  trade(later, "SELL", "BUY");
  assert.equal(held(later), 0n);
  assert.equal(stage.refusedMark(dora), "MARK_NOT_SELLER", "it is flat");
  trade(later, "SELL", "BUY");
  const { by, command } = stage.mark(dora, 5_000);
  stage.do(by, command);
  assert.equal(stage.state.marks.size, 1);
});

test("a market is settled on its own marks alone, and another's stay with it", () => {
  const stage = new Stage();
  const { secondId } = stage;
  stage.call();
  stage.runTo(stage.nowMillis + DAY);
  stage.call(secondId);
  for (const at of [0, 1, 2]) {
    stage.give(at, 1_000);
    stage.give(at, 9_000, secondId);
  }
  stage.modelSays("0.1");
  stage.close();
  const { resolution } = stage.market;
  assert.ok(resolution?.fallback?.step === "cash");
  assert.deepEqual(ticksOf(resolution.fallback), [1_000, 1_000, 1_000]);
  assert.deepEqual(
    [...stage.state.marks.values()].map((mark) => mark.marketId),
    [secondId, secondId, secondId],
  );
});

test("a level is compared with itself: no other value stands beside it", () => {
  const level = { kind: "level", comparator: "lte", thresholdE15: printValue(1n) } as const;
  const stage = new Stage(true, level);
  stage.call();
  for (const at of [0, 1, 2]) stage.give(at, 2_500);
  stage.modelSays("0.25");
  stage.close();
  const { resolution } = stage.market;
  assert.equal(resolution?.payoutMillionths, 250_000);
  const value = 285_000n * 10n ** 15n;
  assert.deepEqual([resolution.settledValueE15, resolution.comparisonValueE15], [value, value]);
});

test("a mark is sealed; a print that comes meanwhile settles the market, and the marks go", () => {
  const stage = new Stage();
  stage.call();
  stage.give(0, 1);
  const facts = auditFacts(stage.journal.at(-1) ?? assert.fail());
  assert.deepEqual([facts.action, facts.actor, facts.details], ["mark.given", SEALED, {}]);
  stage.print("2025-08", "240000");
  assert.ok(!("fallback" in (stage.market.resolution ?? assert.fail())));
  assert.equal(stage.market.markRound, undefined);
  assert.equal(stage.state.marks.size, 0);
});

test("a dispute may undo the value, and the market waits for a step again", () => {
  const stage = new Stage();
  stage.call();
  for (const at of [0, 1, 2]) stage.give(at, 0);
  stage.modelSays("0.1");
  stage.close();
  const { marketId } = stage;
  stage.do(stage.bela.actor, { type: "OpenDispute", marketId, reason: "0", evidence: null });
  const undo = { type: "DecideDispute", marketId, decision: "amend", valueE15: null } as const;
  for (const { actor } of [stage.olga, stage.otto]) stage.do(actor, { ...undo, evidence: null });
  assert.equal(stage.market.status, "ACTIVE");
  stage.call();
});

const weighed = (model: number, ...marks: readonly (readonly [number, bigint])[]) =>
  weighMarks(
    model,
    marks.map(([valueTicks, shortLots]) => ({ valueTicks, shortLots: lots(shortLots) })),
  );

test("the model weighs what sellers lack to 100,000 USD of coverage, and an owner a third at most", () => {
  const cases = [
    [[1n, 1n, 1n], 9_999_997n],
    [[3_333_333n, 3_333_333n, 3_333_333n], 1n],
    [[3_333_334n, 3_333_333n, 3_333_333n], 1n],
    [[9_000_000n, 500_000n, 500_000n], 5_666_667n],
    [[5_000_000n, 5_000_000n, 5_000_000n], 0n],
    [[80_000_000n, 5_000_000n, 5_000_000n], 50_000_000n],
  ] as const;
  for (const [held, modelLots] of cases) {
    const found = weighed(3_000, ...held.map((one) => [0, one] as const));
    assert.equal(found.modelLots, modelLots, `${held}`);
    const sum = held.reduce((all: bigint, one) => all + one, 0n);
    const total = sum > 10_000_000n ? sum : 10_000_000n;
    const most = total / 3n;
    assert.deepEqual(
      weightsOf(found),
      held.map((one) => (one < most ? one : most)),
    );
  }
});

test("the value is the least with half of all weight at it or below", () => {
  const found = (...all: Parameters<typeof weighed>) => weighed(...all).valueTicks;
  const third = 5_000_000n;
  assert.equal(found(9_999, [1_000, third], [2_000, third], [3_000, third]), 2_000, "no model");
  assert.equal(found(3_000, [0, 1n], [0, 1n], [0, 1n]), 3_000, "next to nothing");
  assert.equal(found(3_000, [0, 2_500_000n], [0, 2_500_000n], [9_000, 1n]), 0, "half, below");
  assert.equal(
    found(3_000, [0, 2_500_000n], [0, 2_499_999n], [9_000, 1n]),
    3_000,
    "less than half",
  );
  assert.equal(
    found(3_000, [9_000, 2_500_000n], [9_000, 2_500_000n], [9_000, 0n]),
    3_000,
    "half, above",
  );
  assert.equal(
    found(3_000, [9_000, 2_500_000n], [9_000, 2_500_001n], [0, 0n]),
    9_000,
    "more than half",
  );
});

test("marks of less than half the weight stay between the others and the model", () => {
  const lies = 4_999_999n;
  for (const model of [2_000, 3_000, 5_000]) {
    for (const honest of [2_800, 3_900]) {
      for (const lie of [0, 10_000]) {
        const weights = [[lie, lies / 2n] as const, [lie, lies / 2n] as const] as const;
        const value = weighed(model, ...weights, [honest, 1_000_000n]).valueTicks;
        const bounds = [Math.min(model, honest), Math.max(model, honest)] as const;
        assert.ok(value >= bounds[0] && value <= bounds[1], `${model} ${honest} ${lie}`);
      }
    }
  }
});

test("an owner weighs what it was short for 30 days in all its accounts, and a newer one nothing", () => {
  const stage = new Stage();
  const [c, d] = stage.sellers;
  assert.ok(c !== undefined && d !== undefined);
  const other = stage.otherId;
  const trade = (trader: Trader, side: "BUY" | "SELL", amount: string) => {
    const to = side === "BUY" ? "SELL" : "BUY";
    const listing = { marketId: other };
    stage.order(order(listing, side, amount, "0.05"), trader);
    stage.order(order(listing, to, amount, "0.05"), stage.bela);
  };
  stage.place = nodeId("state:nv");
  stage.print("2025-10", "300000");
  stage.endWindow();
  const late = stage.trader("late", "25000");
  trade(c, "SELL", "1000");
  trade(c, "BUY", "6000");
  trade(c, "SELL", "6000");
  trade(late, "SELL", "500");
  stage.call();
  for (const at of [0, 1, 2]) stage.give(at, 3_000);
  const { by, command } = stage.mark(late, 0);
  stage.do(by, command);
  stage.modelSays("0.3");
  stage.close();
  const { fallback } = stage.market.resolution ?? assert.fail();
  assert.ok(fallback?.step === "cash");
  assert.deepEqual(ticksOf(fallback), [3_000, 3_000, 3_000], "sold this week weighs nothing");
  assert.deepEqual(weightsOf(fallback), [1_500_000n, 2_000_000n, 2_000_000n]);
});

test("what was fewer weighs for 30 whole days, and no longer", () => {
  const shorts: State["shorts"] = new Map();
  const id = accountId("acc-1");
  let held = 0n;
  const hold = (day: number, now: bigint) => {
    noteShort(shorts, { accountId: id, heldLots: lots(now) }, lots(held), day * DAY + 5_000);
    held = now;
  };
  const weight = (day: number) => heldShort(shorts, id, day * DAY + 4_000);
  hold(100, -500n);
  assert.deepEqual([weight(100), weight(130), weight(131)], [0n, 0n, 500n]);
  hold(140, -300n);
  hold(141, -400n);
  assert.deepEqual([weight(141), weight(171), weight(172)], [300n, 300n, 400n]);
  hold(142, 7n);
  assert.equal(weight(142), 0n, "long");
  assert.equal(shorts.size, 0);
  for (let day = 200; day < 300; day += 1) {
    hold(day, -BigInt(day));
    hold(day, -BigInt(day) - 1n);
  }
  assert.equal(shorts.get(id)?.before.length, 31, "an entry a day, and no more than weigh");
  assert.equal(weight(299), 269n, "what it was until the 269th day");
});

/** Three that weigh all mark `value`; the model is at 0.3, and its stress four times `halfWidth` on. */
function farStage(value: number, stressed: string): Stage {
  const stage = new Stage(true, layer, Array(3).fill("40000"));
  stage.call();
  for (const at of [0, 1, 2]) stage.give(at, value);
  stage.modelSays("0.3", stressed);
  stage.close();
  return stage;
}

test("a median within three half-widths of the model settles, and one beyond takes two people", () => {
  for (const [stressed, off] of [
    ["0.5", 1_500],
    ["0.3", 300],
  ] as const) {
    for (const side of [-1, 1]) {
      const within = farStage(3_000 + side * off, stressed).market;
      assert.equal(within.status, "RESOLVED");
      const { market } = farStage(3_000 + side * (off + 1), stressed);
      assert.equal(market.status, "ACTIVE");
      assert.equal(market.farMedian?.valueTicks, 3_000 + side * (off + 1));
    }
  }
});

test("two people settle on a far median; a lone word, another value or another step does not", () => {
  const stage = farStage(9_000, "0.5");
  const { marketId, olga, otto } = stage;
  assert.equal(stage.market.markRound, undefined);
  assert.match(stage.state.alerts.get(stage.bela.id)?.at(-1)?.message ?? "", /came to 0.9, far/);
  stage.state = decodeState(encodeState(stage.state));
  assert.equal(stage.refusedMark(stage.sellers[0]), "MARKS_NOT_OPEN");
  const { last } = stage;
  const refused = (taken: FallbackTaken) =>
    stage.refused(olga.actor, settling(stage.state, marketId, taken)).code;
  assert.equal(refused({ step: "median", last, valueTicks: 9_001 }), "FALLBACK_STEP");
  assert.equal(refused({ step: "median", last: null, valueTicks: 9_000 }), "FALLBACK_STEP");
  assert.equal(refused({ step: "cash", last }), "FALLBACK_STEP", "none is passed over at once");
  const word = settling(stage.state, marketId, { step: "median", last, valueTicks: 9_000 });
  stage.do(olga.actor, word);
  assert.equal(stage.market.status, "ACTIVE", "one word settles nothing");
  stage.do(otto.actor, word);
  const { resolution, farMedian } = stage.market;
  assert.equal(resolution?.payoutMillionths, 900_000);
  assert.equal(farMedian, undefined);
  assert.ok(resolution.fallback?.step === "cash");
  assert.deepEqual(ticksOf(resolution.fallback), [9_000, 9_000, 9_000]);
});

test("after ten days two people call for marks again, and the far median is gone", () => {
  const stage = farStage(9_000, "0.5");
  const { againAtMillis = 0 } = stage.market.farMedian ?? {};
  assert.equal(againAtMillis, stage.nowMillis + 10 * DAY);
  stage.runTo(againAtMillis - 1);
  const again = settling(stage.state, stage.marketId, { step: "cash", last: stage.last });
  assert.equal(stage.refused(stage.olga.actor, again).code, "FALLBACK_STEP");
  stage.runTo(againAtMillis);
  stage.call();
  assert.equal(stage.market.farMedian, undefined);
  const { last } = stage;
  const late = settling(stage.state, stage.marketId, { step: "median", last, valueTicks: 9_000 });
  assert.equal(stage.refused(stage.olga.actor, late).code, "FALLBACK_STEP");
});

test("a print that comes while a far median waits settles the market", () => {
  const stage = farStage(9_000, "0.5");
  stage.print("2025-08", "240000");
  const { resolution, farMedian } = stage.market;
  assert.ok(resolution !== null && !("fallback" in resolution));
  assert.equal(farMedian, undefined);
});
