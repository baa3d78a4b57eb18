// Decisions of two people, and those that lapse when the second word never comes: owners, keys,
// credit, voids, disputes, places that are held.
// Invariant: together with the other goldens every command there is has been accepted once.
import assert from "node:assert/strict";
import { nodeId, type ProposalId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Entry } from "#core/outcome.ts";
import { permissions } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import { endAccreditation } from "#test/core/end-calls.ts";
import { order, root, type Trader, World } from "#test/core/world.ts";

const DAY_MILLIS = 86_400_000;
const texas = nodeId("state:tx");
const ohio = nodeId("state:oh");

function people(world: World): void {
  const anna = world.trader("anna", "5000");
  const bela = world.trader("bela", "5000");
  world.join(bela, anna);
  world.do(root, { type: "FundFinancing", amountMicros: micros(9_000_000_000n), memo: "pool" });
  world.do(root, { type: "SetCredit", accountId: anna.id, creditMicros: micros(1_000_000n) });
  world.do(root, { type: "SetCredit", accountId: anna.id, creditMicros: null });
  world.do(root, { type: "SetCaps", accountId: anna.id, maxDailyMicros: micros(1_000_000n) });
  world.do(root, { type: "SetCaps", accountId: anna.id, maxDailyMicros: null, maxOpenOrders: 9 });
  const key = { label: "new", prefix: "fp_test_dddd", digest: "issued to bela", permissions };
  const lasting = { ...key, ratePerMinute: null, expiresAtSeconds: null };
  world.do(root, { type: "IssueKey", accountId: bela.id, key: lasting });
  world.do(root, { type: "RevokeKeys", accountId: bela.id });
  endAccreditation(world, anna);
}

/** A void withdrawn, one that lapses, and a dispute that nobody decides. */
function markets(world: World): void {
  const seller = world.trader("seller", "10000");
  const buyer = world.trader("buyer", "10000");
  world.place = texas;
  world.print("2024-10", "300000");
  const listing = world.listing("2024-11", { kind: "binary", strikeBps: 500 });
  const { marketId } = listing;
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), buyer);
  world.do(root, { type: "CancelMarket", marketId, reason: "a slip" });
  world.do(root, { type: "WithdrawVoid", marketId, reason: "none after all" });
  world.do(root, { type: "CancelMarket", marketId, reason: "once more" });
  world.runTo(world.nowMillis + 11 * DAY_MILLIS);
  world.runTo(Date.UTC(2024, 11, 20));
  world.print("2024-11", "240000");
  const said = { reason: "another figure", evidence: null };
  world.do(buyer.actor, { type: "OpenDispute", marketId, ...said });
  world.runTo(Date.UTC(2025, 2, 1));
}

/** One place held and released by two, then held and rejected. */
function places(world: World, operator: Trader): void {
  for (const [at, isTaken] of [
    ["2024-12", true],
    ["2025-01", false],
  ] as const) {
    const seen = world.observe(at, "200000");
    world.place = ohio;
    const reasons = [{ code: "MOVE_TOO_LARGE", message: "It moves by 17 % in a month." }];
    const accept = world.release(world.observe(at, "201000"));
    world.place = texas;
    const { id: releaseId } = accept.release;
    const heldPlaces = [{ nodeId: texas, regionId: "54", reasons, observations: [seen] }];
    world.do(root, { ...accept, release: { ...accept.release, rows: 1, held: 1 }, heldPlaces });
    const place = { releaseId, nodeId: texas } as const;
    if (!isTaken) {
      world.do(root, { type: "RejectPlace", ...place, reason: "a wrong row", readings: [] });
      continue;
    }
    world.do(root, { type: "ApprovePlace", ...place });
    const counted = { firstPrints: 1, revisions: 0, unchanged: 2, rescaled: 1 };
    const reading = {
      releaseId,
      ...counted,
      printsDigest: "one",
      latestDigest: "one",
      observations: [seen],
    };
    world.do(operator.actor, { type: "ReleasePlace", ...place, readings: [reading] });
  }
}

/** A funding agreed, one taken back, one nobody answers; root switched off, and its limit. */
function proposals(world: World, olga: Trader, otto: Trader): void {
  const anna = world.trader("payee", "0");
  const amountMicros = micros(1_000_001_000_000n);
  const fund = { type: "FundAccount", accountId: anna.id, amountMicros, memo: null } as const;
  const propose = (by: Trader, command: Parameters<World["do"]>[1]) =>
    wordIn("open", world.do(by.actor, command)) ?? assert.fail("it takes two people");
  const confirm = (by: Trader, proposalId: ProposalId): void => {
    const key = { prefix: "fp_test_none", digest: "not used" };
    world.do(by.actor, { type: "ConfirmProposal", proposalId, key });
  };
  confirm(otto, propose(olga, fund).id);
  world.do(olga.actor, { type: "WithdrawProposal", proposalId: propose(olga, fund).id });
  propose(olga, fund);
  world.runTo(world.nowMillis + 11 * DAY_MILLIS);
  world.do(olga.actor, { type: "SetFundingLimit", limitMicros: micros(5_000_000n) });
  confirm(otto, propose(olga, { type: "SetRoot", on: false }).id);
}

/** Both give up their keys: root opens an operator's account alone, a day later. */
function founding(world: World, ...operators: readonly Trader[]): void {
  for (const { actor } of operators) {
    assert.ok(actor.type === "key");
    world.do(actor, { type: "RevokeKey", keyId: actor.keyId });
  }
  const key = { label: "first", prefix: "fp_test_eeee", digest: "of a third", permissions };
  const lasting = { ...key, ratePerMinute: null, expiresAtSeconds: null };
  const opened = {
    type: "OpenAccount",
    name: "cleo",
    role: "operator",
    address: "0xcleo",
  } as const;
  world.do(root, { ...opened, key: lasting });
  world.runTo(world.nowMillis + DAY_MILLIS);
}

export function governance(): readonly Entry[] {
  const world = new World();
  const operator = world.open("olga", "operator");
  const other = world.open("otto", "operator");
  people(world);
  markets(world);
  places(world, operator);
  proposals(world, operator, other);
  founding(world, operator, other);
  return world.journal;
}
