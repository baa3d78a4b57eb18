// The fallbacks in a market's terms: which step applies when, by whose word, and what it pays.
// Invariant: once a print came since the baseline, nobody voids the market; a fall that was printed
// is paid.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { printValue } from "#base/print-value.ts";
import { termsHash } from "#contract/terms.ts";
import { auditFacts } from "#core/audit.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { GUARANTEE } from "#core/step.ts";
import { wordIn } from "#core/words/told.ts";
import { endDefaults } from "./end-calls.ts";
import { county, DUE, layer, Stage, settling, zip } from "./fallback-stage.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, tick, World } from "./world.ts";

const DAY = 86_400_000;

test("the hash of the terms covers the successor", () => {
  const { terms } = new Stage().market;
  assert.notEqual(termsHash(terms), termsHash({ ...terms, successor: null }));
});

test("a market waits 60 days, marked; then holders are told, and a print still settles it", () => {
  const stage = new Stage();
  stage.printTo("2025-06", "270000");
  const seen: string[] = [];
  stage.runTo(DUE - 1, ({ type }) => seen.push(type));
  const last = stage.of(zip, "2025-06");
  assert.equal(stage.refusedStep({ step: "last-level", last }), "FALLBACK_NOT_DUE");
  const [markTick, stressedTick] = [tick("0.3"), tick("0.5")];
  const mark = { marketId: stage.marketId, markTick, stressedTick };
  stage.do(system, publishMarks([mark]));
  assert.equal(stage.market.markTick, 3_000, "a closed market is marked until it ends");
  stage.runTo(DUE, ({ type }) => seen.push(type));
  assert.equal(seen.at(-1), "BeginFallback");
  assert.equal(stage.market.status, "ACTIVE");
  assert.equal(stage.market.fallbackSinceMillis, DUE);
  for (const { id } of [stage.anna, stage.bela]) {
    assert.equal(stage.state.alerts.get(id)?.at(-1)?.type, "fallback");
  }
  const entry = stage.journal.at(-1) ?? assert.fail();
  assert.equal(auditFacts(entry).severity, "warning");

  const restored = decodeState(encodeState(stage.state));
  assert.equal(stateHash(restored), stateHash(stage.state));
  stage.state = restored;
  stage.runTo(DUE + 100 * DAY);
  assert.equal(stage.market.status, "ACTIVE", "nothing ends it by itself");
  stage.at(zip, "2025-08", "240000");
  assert.equal(stage.market.status, "RESOLVED");
  assert.equal(stage.market.resolution?.fallback, undefined);
});

test("a late print is told to holders alone: not to one who has closed, not to the fund", () => {
  const stage = new Stage(null);
  const { marketId } = stage;
  const [weak, cleo] = [stage.trader("weak", "2"), stage.trader("cleo", "100")];
  for (const seller of [weak, stage.anna]) {
    stage.order(order({ marketId }, "SELL", "10", "0.05"), seller);
    stage.order(order({ marketId }, "BUY", "10", "0.05"), cleo);
  }
  stage.order(order({ marketId }, "SELL", "20", "0.05"), cleo);
  stage.order(order({ marketId }, "BUY", "20", "0.05"), stage.bela);
  const marks = { markTick: tick("0.6"), stressedTick: tick("0.6") };
  stage.do(system, publishMarks([{ marketId, ...marks }]));
  endDefaults(stage);
  assert.equal(stage.state.position(GUARANTEE, marketId)?.heldLots, -1_000n, "it has failed");
  const told = new Set<string>();
  stage.runTo(DUE, (_, events) => {
    for (const event of events) {
      if (event.type !== "AlertRaised" || event.alert.type !== "fallback") continue;
      told.add(event.alert.accountId);
      const { message } = event.alert;
      assert.match(
        message,
        /^The print of market mkt-001 is 60 days late: a fallback of its terms /,
      );
      assert.match(message, / settles it, unless the print comes first$/);
    }
  });
  assert.deepEqual(told, new Set([stage.anna.id, stage.bela.id]));
});

test("the successor's growth is applied from the last chained month, to the last decimal", () => {
  const stage = new Stage();
  stage.runTo(Date.UTC(2025, 3, 25));
  stage.at(zip, "2025-03", "285001");
  stage.at(county, "2025-03", "480000");
  stage.runTo(Date.UTC(2025, 8, 25));
  stage.at(county, "2025-08", "456789");
  stage.runTo(DUE);
  const [last, from, to] = [
    stage.of(zip, "2025-03"),
    stage.of(county, "2025-03"),
    stage.of(county, "2025-08"),
  ];
  for (const wrong of [
    { step: "last-level", last } as const,
    { step: "void" } as const,
    { step: "successor", last, from: stage.of(county, "2024-10"), to } as const,
    { step: "successor", last, from, to: from } as const,
    { step: "successor", last: stage.of(zip, "2024-10"), from, to } as const,
    { step: "successor", last, from, to: { ...to, levelE12: last.levelE12 } } as const,
    { step: "successor", last: { ...last, levelE12: from.levelE12 }, from, to } as const,
  ]) {
    assert.equal(stage.refusedStep(wrong), "FALLBACK_STEP", JSON.stringify(wrong.step));
  }
  stage.takeInTwo({ step: "successor", last, from, to });
  const { resolution, status } = stage.market;
  assert.equal(status, "RESOLVED");
  // 285001/300000 rounded to 12 places, times 456789/500000 over 480000/500000, half-even again.
  const level =
    (950_003_333_333n * 913_578_000_000n * 2n + 960_000_000_000n) / (2n * 960_000_000_000n);
  const fraction =
    (((10n ** 12n - level) * 10_000n - 500n * 10n ** 12n) * 1_000_000n) / (1_000n * 10n ** 12n);
  assert.equal(resolution?.payoutMillionths, Number(fraction));
  assert.ok(fraction > 0n && fraction < 1_000_000n);
  assert.equal(resolution?.releaseId, to.releaseId);
  assert.deepEqual(resolution?.fallback, { step: "successor", last, from, to });
  assert.deepEqual(stage.state.releases.get(to.releaseId)?.resolvedMarkets, [stage.marketId]);
  const before = stage.cash(stage.bela);
  stage.runTo(DUE + 4 * DAY);
  assert.equal(stage.market.status, "FINALIZED");
  assert.equal(stage.cash(stage.bela) - before, 10n * fraction);
});

test("the last level stands once 80 % of the term has run, and not before", () => {
  // October to August are ten months: June is the eighth.
  for (const [last, isEnough] of [
    ["2025-05", false],
    ["2025-06", true],
  ] as const) {
    const stage = new Stage(null);
    stage.printTo(last, "270000");
    stage.runTo(DUE);
    const taken = { step: "last-level", last: stage.of(zip, last) } as const;
    if (!isEnough) {
      assert.equal(stage.refusedStep(taken), "FALLBACK_STEP");
      continue;
    }
    assert.equal(stage.refusedStep({ step: "cash", last: taken.last }), "FALLBACK_STEP");
    stage.takeInTwo(taken);
    assert.equal(stage.market.resolution?.payoutMillionths, 500_000);
    assert.equal(stage.market.resolution?.fallback?.step, "last-level");
    const entry = stage.journal.at(-1) ?? assert.fail();
    assert.deepEqual(auditFacts(entry).actions, ["proposal.confirmed", "market.fallback_taken"]);
    stage.runTo(DUE + 4 * DAY);
    assert.equal(stage.cash(stage.bela), 100_000_000n - 500_000n - 2_500n + 5_000_000n);
  }
});

test("a market is void only if no print came since its baseline, and by nobody else's void", () => {
  const stage = new Stage();
  const cancel = { type: "CancelMarket", marketId: stage.marketId, reason: "drill" } as const;
  stage.printTo("2025-03", "240000");
  for (const by of [root, stage.olga.actor, stage.otto.actor]) {
    assert.equal(stage.refused(by, cancel).code, "VOID_AFTER_PRINT");
  }
  stage.runTo(DUE);
  assert.equal(stage.refusedStep({ step: "void" }), "FALLBACK_STEP");

  const bare = new Stage();
  bare.runTo(DUE);
  const last = bare.of(zip, "2024-10");
  assert.equal(bare.refusedStep({ step: "last-level", last }), "FALLBACK_STEP");
  bare.takeInTwo({ step: "void" });
  assert.equal(bare.market.status, "CANCELLED");
  for (const holder of [bare.anna, bare.bela]) assert.equal(bare.cash(holder), 100_000_000n);
});

test("a void gives current holders what they entered at, and undoes what was realised", () => {
  const stage = new Stage();
  const cleo = stage.trader("cleo", "100");
  const { marketId } = stage;
  stage.order(order({ marketId }, "SELL", "4", "0.10"), stage.bela);
  stage.order(order({ marketId }, "BUY", "4", "0.10"), cleo);
  const position = stage.state.position(cleo.id, marketId) ?? assert.fail();
  const before = stage.cash(cleo);
  stage.runTo(DUE);
  stage.takeInTwo({ step: "void" });
  const fee = -position.flowMicros - position.costMicros;
  assert.equal(stage.cash(cleo) - before, position.costMicros + fee);
  assert.equal(position.costMicros, 400_000n);
  assert.equal(stage.cash(stage.bela), 100_000_000n, "its gain of the trade is undone with it");
});

test("a step takes two people without a stake", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.runTo(DUE);
  const taken = { step: "last-level", last: stage.of(zip, "2025-06") } as const;
  assert.equal(stage.refusedStep(taken, stage.anna.actor), "NOT_OPERATOR");
  const waiting = wordIn("open", stage.do(stage.olga.actor, stage.step(taken)));
  assert.ok(waiting !== undefined);
  const confirm = {
    type: "ConfirmProposal",
    proposalId: waiting.id,
    key: { prefix: "fp_test_aaaa", digest: "x" },
  } as const;
  assert.equal(stage.refused(stage.olga.actor, confirm).code, "PROPOSAL_SAME_OPERATOR");
  const [owned] = stage.do(root, {
    type: "SetOwner",
    accountId: stage.bela.id,
    owner: stage.otto.id,
  });
  if (owned?.type === "WordChanged") stage.agree(stage.olga.actor, owned.word);
  assert.equal(stage.refused(stage.otto.actor, confirm).code, "CONFLICT_OF_INTEREST");
  stage.do(root, confirm);
  assert.equal(stage.market.status, "RESOLVED");
});

test("a print between the two words ends the proposal's ground", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.runTo(DUE);
  const taken = { step: "last-level", last: stage.of(zip, "2025-06") } as const;
  const waiting = wordIn("open", stage.do(stage.olga.actor, stage.step(taken)));
  stage.at(zip, "2025-07", "250000");
  const key = { prefix: "fp_test_aaaa", digest: "x" };
  const proposalId = waiting?.id ?? assert.fail();
  const confirm = { type: "ConfirmProposal", proposalId, key } as const;
  assert.equal(stage.refused(stage.otto.actor, confirm).code, "FALLBACK_STEP");
  stage.takeInTwo({ step: "last-level", last: stage.of(zip, "2025-07") });
});

test("prints between the two words end its ground, though the newest is past the term", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.runTo(DUE);
  const taken = { step: "last-level", last: stage.of(zip, "2025-06") } as const;
  const waiting = wordIn("open", stage.do(stage.olga.actor, stage.step(taken)));
  stage.at(zip, "2025-07", "250000");
  stage.at(zip, "2025-09", "240000");
  const key = { prefix: "fp_test_aaaa", digest: "x" };
  const proposalId = waiting?.id ?? assert.fail();
  const confirm = { type: "ConfirmProposal", proposalId, key } as const;
  assert.equal(stage.refused(stage.otto.actor, confirm).code, "FALLBACK_STEP");
  stage.takeInTwo({ step: "last-level", last: stage.of(zip, "2025-07") });
});

test("a dispute may undo a step, never put a value in its place", () => {
  const stage = new Stage(null);
  stage.printTo("2025-06", "270000");
  stage.runTo(DUE);
  stage.takeInTwo({ step: "last-level", last: stage.of(zip, "2025-06") });
  const { marketId } = stage;
  stage.dispute();
  const amend = { type: "DecideDispute", marketId, decision: "amend", evidence: null } as const;
  const valueE15 = stage.of(zip, "2025-06").valueE15;
  const refused = stage.refused(stage.olga.actor, { ...amend, valueE15 });
  assert.deepEqual(refused, { code: "DISPUTE_AMEND_FALLBACK", field: "value" });
  stage.undo();
  const { status, resolution, dispute } = stage.market;
  assert.deepEqual([status, resolution, dispute], ["ACTIVE", null, null]);
  assert.equal(stage.state.balance("bonds"), 0n);
  const { releaseId } = stage.of(zip, "2025-06");
  assert.deepEqual(stage.state.releases.get(releaseId)?.resolvedMarkets, []);
  stage.runTo(DUE + 20 * DAY);
  assert.equal(stage.market.status, "ACTIVE", "the old window ends nothing");
  stage.at(zip, "2025-08", "240000");
  assert.equal(stage.market.status, "RESOLVED", "its own print settles it after all");
});

test("markets of one print settle in the order of their listing, one open again too", () => {
  for (const isRestored of [false, true]) {
    const stage = new Stage(null);
    const other = stage.listing("2025-08", { ...layer, attachBps: 800, exhaustBps: 2000 });
    stage.order(order(other, "SELL", "10", "0.05"), stage.anna, other);
    stage.order(order(other, "BUY", "10", "0.05"), stage.bela);
    stage.printTo("2025-06", "270000");
    stage.runTo(DUE);
    stage.takeInTwo({ step: "last-level", last: stage.of(zip, "2025-06") });
    const { marketId } = stage;
    stage.dispute();
    stage.undo();
    if (isRestored) stage.state = decodeState(encodeState(stage.state));
    stage.at(zip, "2025-08", "240000");
    const { releaseId } = stage.of(zip, "2025-08");
    const settled = stage.state.releases.get(releaseId)?.resolvedMarkets;
    assert.deepEqual(settled, [marketId, other.marketId], `restored: ${isRestored}`);
  }
});

test("a level has no term that runs: it is void where no print came since it was listed", () => {
  const world = new World();
  world.successor = null;
  world.print("2024-10", "300000");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.nowMillis += 1;
  const payoff = { kind: "level", comparator: "lte", thresholdE15: printValue(1n) } as const;
  const listing = world.listing("2025-08", payoff);
  world.do(root, { type: "ListMarket", listing, frontendId: null });
  world.runTo(DUE);
  const { marketId } = listing;
  const settle = settling(world.state, marketId, { step: "void" });
  const waiting = wordIn("open", world.do(olga.actor, settle));
  world.agree(otto.actor, waiting ?? assert.fail());
  assert.equal(world.state.market(marketId).status, "CANCELLED");
});

test("a successor is another place with prints, and only a decline has one", () => {
  const stage = new Stage();
  for (const successor of [zip, nodeId("county:00000")]) {
    stage.successor = successor;
    const listing = stage.listing("2026-06", layer);
    const placing = {
      type: "PlaceOrder",
      order: order(listing, "BUY", "1", "0.05"),
      listing,
    } as const;
    assert.equal(stage.refused(stage.bela.actor, placing).code, "MARKET_NOT_FOUND");
  }
});

test("a neighborhood that left its chain has no successor: its last level stands", () => {
  const block = nodeId("nbhd:heights-houston-tx");
  for (const [place, step] of [
    [block, "last-level"],
    [zip, "successor"],
  ] as const) {
    const stage = new Stage();
    if (place === block) stage.at(block, "2024-10", "300000");
    stage.place = place;
    const listing = stage.listing("2025-08", layer);
    stage.order(order(listing, "SELL", "1", "0.05"), stage.anna, listing);
    stage.order(order(listing, "BUY", "1", "0.05"), stage.bela);
    stage.runTo(Date.UTC(2025, 7, 25));
    stage.at(place, "2025-06", "270000");
    stage.at(county, "2025-06", "480000");
    stage.runTo(Date.UTC(2025, 8, 25));
    stage.at(place, "2025-08", "400000", null);
    stage.at(county, "2025-08", "470000");
    stage.runTo(DUE);
    const last = stage.of(place, "2025-06");
    const [from, to] = [stage.of(county, "2025-06"), stage.of(county, "2025-08")];
    const { marketId } = listing;
    const steps = {
      "last-level": { step: "last-level", last },
      successor: { step: "successor", last, from, to },
    } as const;
    const other = step === "successor" ? steps["last-level"] : steps.successor;
    const by = stage.olga.actor;
    const refused = stage.refused(by, settling(stage.state, marketId, other));
    assert.equal(refused.code, "FALLBACK_STEP");
    stage.do(by, settling(stage.state, marketId, steps[step]));
  }
});
