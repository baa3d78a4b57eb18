// Cash settlement: who gives a mark, what is sealed, what counts, and what the median pays.
// Invariant: an owner counts once, and half of the marks, rounded up, move the value no
// further than the others and the model say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { printValue } from "#base/print-value.ts";
import type { Payoff } from "#contract/terms.ts";
import { auditFacts, SEALED } from "#core/audit.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { medianOf } from "#core/settlement/marks.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { GUARANTEE } from "#core/step.ts";
import { wordIn } from "#core/words/told.ts";
import { endDefaults } from "./end-calls.ts";
import { settling } from "./fallback-stage.ts";
import { publishMarks } from "./publish-marks.ts";
import { decision, month, order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const DAY = 86_400_000;
const DUE = Date.UTC(2025, 8, 20) + 60 * DAY;

/** A market whose prints stopped half way, 60 days late; five sellers of another one. */
class Stage extends World {
  readonly anna: Trader;
  readonly bela: Trader;
  readonly olga: Trader;
  readonly otto: Trader;
  readonly sellers: readonly Trader[];
  readonly marketId;
  /** Of one that the newest print has settled. */
  readonly earlyId;
  /** Of another one on the same missing print. */
  readonly secondId;

  /** `isTraded` is false of a market that has an order, is paused, and nobody holds. */
  constructor(isTraded = true, payoff: Payoff = layer) {
    super();
    this.judgesRefusals = false;
    this.successor = null;
    this.print("2024-10", "300000");
    [this.anna, this.bela] = [this.trader("anna", "100"), this.trader("bela", "1000")];
    [this.olga, this.otto] = [this.open("olga", "operator"), this.open("otto", "operator")];
    this.sellers = ["c", "d", "e", "f", "g"].map((name) => this.trader(name, "100"));
    const listing = this.listing("2025-08", payoff);
    this.marketId = listing.marketId;
    // An operator lists a level, an order anything else.
    const isLevel = payoff.kind === "level";
    if (isLevel) this.do(root, { type: "ListMarket", listing, frontendId: null });
    this.order(order(listing, "SELL", "10", "0.05"), this.anna, isLevel ? null : listing);
    if (isTraded) this.order(order(listing, "BUY", "10", "0.05"), this.bela);
    else this.do(root, { type: "PauseMarket", marketId: this.marketId, reason: "drill" });
    const other = this.listing("2026-12", layer);
    for (const [at, seller] of this.sellers.entries()) {
      this.order(order(other, "SELL", "1", "0.05"), seller, at === 0 ? other : undefined);
    }
    this.order(order(other, "BUY", "5", "0.05"), this.bela);
    const second = this.listing("2025-08", { kind: "binary", strikeBps: 500 });
    this.secondId = second.marketId;
    this.order(order(second, "SELL", "1", "0.05"), this.anna, second);
    this.order(order(second, "BUY", "1", "0.05"), this.bela);
    const early = this.listing("2025-03", layer);
    this.earlyId = early.marketId;
    this.order(order(early, "SELL", "1", "0.05"), this.anna, early);
    this.order(order(early, "BUY", "1", "0.05"), this.bela);
    this.runTo(Date.UTC(2025, 3, 20));
    this.print("2025-03", "285000");
    this.runTo(DUE);
    // Approvals of a year ago have expired.
    for (const trader of [this.bela, ...this.sellers]) this.approve(trader, "institutional");
    this.judgesRefusals = true;
  }

  get market() {
    return this.state.market(this.marketId);
  }

  call(marketId = this.marketId): void {
    const newest = this.state.chainPoints.get("zhvi|state:tx") ?? assert.fail();
    const { month: printed, valueE15, levelE12, releaseId } = newest;
    const last = { month: printed, valueE15, levelE12: levelE12 ?? assert.fail(), releaseId };
    const market = this.state.market(marketId);
    const taken = { step: "cash", last: market.terms.baseline === null ? null : last } as const;
    const step = settling(this.state, marketId, taken);
    const waiting = wordIn("open", this.do(this.olga.actor, step));
    assert.equal(market.markRound, undefined, "one person calls for nothing");
    this.agree(this.otto.actor, waiting ?? assert.fail());
    assert.equal(this.refused(this.olga.actor, step).code, "FALLBACK_STEP", "one round at a time");
  }

  mark(seller: Trader | undefined, valueTicks: number) {
    const command = { type: "GiveMark", marketId: this.marketId, valueTicks } as const;
    return { by: seller?.actor ?? assert.fail(), command };
  }

  give(at: number, valueTicks: number, marketId = this.marketId): void {
    const { by, command } = this.mark(this.sellers[at], valueTicks);
    this.do(by, { ...command, marketId });
  }

  /** The code that this trader's mark is refused with. */
  refusedMark(trader: Trader | undefined): string {
    const { by, command } = this.mark(trader, 5_000);
    return this.refused(by, command).code;
  }

  modelSays(price: string): void {
    const mark = { marketId: this.marketId, markTick: tick(price), stressedTick: tick("0.9") };
    this.do(system, publishMarks([mark]));
  }

  /** Of the newest print, in which nothing matches. */
  endWindow(): void {
    this.do(system, publishMarks([]));
    this.runTo(this.nowMillis + DAY);
  }

  close(): void {
    this.runTo((this.market.markRound ?? assert.fail()).closesAtMillis);
  }
}

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
  assert.equal(resolution?.payoutMillionths, 300_000, "2000, 3000, 3000, 3100, 10000");
  assert.deepEqual(resolution?.fallback, {
    ...{ step: "cash", modelTicks: 3_000, markTicks: [2_000, 3_100, 10_000], valueTicks: 3_000 },
    print: { month: month("2025-03"), valueE15: 285_000n * 10n ** 15n },
  });
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
  stage.do(root, { type: "SetOwner", accountId: d.id, owner: c.id });
  stage.close();
  assert.equal(stage.market.status, "ACTIVE", "two owners are not three");
  assert.equal(stage.market.markRound, undefined);

  stage.do(root, { type: "SetOwner", accountId: f.id, owner: e.id });
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
  assert.deepEqual(fallback.markTicks, [200, 5_000, 6_000]);
  assert.equal(fallback.valueTicks, 5_500);
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
  stage.do(root, { type: "SetOwner", accountId: c.id, owner: stage.anna.id });
  assert.equal(refused(c), "CONFLICT_OF_INTEREST", "an account of the seller's owner");
  for (const at of [1, 2, 3]) stage.give(at, 0);
  stage.do(root, { type: "SetOwner", accountId: d.id, owner: stage.anna.id });
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
  assert.deepEqual(resolution.fallback.markTicks, [1_000, 2_000, 3_000]);
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
  assert.deepEqual(resolution.fallback.markTicks, [1_000, 1_000, 1_000]);
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
  stage.close();
  const { marketId } = stage;
  stage.do(stage.bela.actor, { type: "OpenDispute", marketId, reason: "0", evidence: null });
  const undo = { type: "DecideDispute", marketId, decision: "amend", valueE15: null } as const;
  for (const { actor } of [stage.olga, stage.otto]) stage.do(actor, { ...undo, evidence: null });
  assert.equal(stage.market.status, "ACTIVE");
  stage.call();
});

test("false marks, up to half rounded up, stay between the others and the model", () => {
  const honest = [2_800, 3_000, 3_300, 3_900];
  for (const model of [2_000, 3_000, 5_000]) {
    for (let count = 2; count <= honest.length; count += 1) {
      const told = honest.slice(0, count);
      const all = [model, ...told].sort((a, b) => a - b);
      for (const lie of [0, 2_900, 10_000]) {
        const value = medianOf(
          model,
          [...told, lie].sort((a, b) => a - b),
        );
        assert.ok(value >= (all[0] ?? 0) && value <= (all.at(-1) ?? 0), `${model} ${told} ${lie}`);
      }
    }
    for (const lie of [0, 10_000]) {
      const value = medianOf(
        model,
        [lie, lie, 3_000].sort((a, b) => a - b),
      );
      const bounds = [Math.min(model, 3_000), Math.max(model, 3_000)];
      assert.ok(value >= (bounds[0] ?? 0) && value <= (bounds[1] ?? 0), "two of three");
    }
  }
});
