// An operator wants more than a salary: trades, pays itself, clears itself, releases the print it
// has bet on.
// Invariant: an account that operates or audits neither trades nor holds money, and no operator
// decides where it, or an account of its owner, has a stake.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { Actor, Command } from "#core/command.ts";
import { amendment, decision, order, root, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

/** Anna has sold Bela ten to December 2024; Olga and Otto operate, Ada audits, Eve is Olga's. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const eve = world.trader("eve", "1000");
  const idle = world.openIdle("third");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const ada = world.open("ada", "auditor");
  world.join(eve, olga);
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  return { world, anna, bela, eve, olga, otto, ada, idle, listing, marketId };
}

const codeOf = (world: World, actor: Actor, command: Command) => world.refused(actor, command).code;

test("who operates or audits places no order, accepts no quote and is paid nothing", (t) => {
  const { world, olga, ada, listing } = stage();
  const input = order(listing, "BUY", "1", "0.05");
  const structure = { kind: "in_full" } as const;
  const trades: readonly Command[] = [
    { type: "PlaceOrder", order: input, listing: null },
    { type: "PlaceBatch", orders: [input], listings: [] },
    amendment({}),
    {
      type: "AcceptQuote",
      order: { ...input, timeInForce: "IOC" },
      listing: null,
      structure,
      referenceTick: null,
    },
  ];
  for (const { id, actor } of [olga, ada]) {
    world.do(root, decision(id, "approve", "institutional", true));
    for (const command of trades) {
      assert.equal(codeOf(world, actor, command), "ROLE_NOT_TRADER", command.type);
    }
    const pay = {
      type: "FundAccount",
      accountId: id,
      amountMicros: micros(1n),
      memo: null,
    } as const;
    assert.equal(
      codeOf(world, actor, pay),
      id === olga.id ? "CONFLICT_OF_INTEREST" : "NOT_OPERATOR",
    );
    t.diagnostic(`after: ${codeOf(world, actor, pay)}`);
    world.do(actor, { type: "CancelAll", marketId: null });
  }
});

test("no operator clears, pays, halts, lifts or hands on its own account, or its owner's", () => {
  const { world, eve, olga, otto } = stage();
  const ownMatters = (accountId: Trader["id"]): readonly Command[] => [
    decision(accountId, "approve", "basic", true),
    { type: "FundAccount", accountId, amountMicros: micros(1_000_000n), memo: null },
    { type: "FundAccount", accountId, amountMicros: micros(-1n), memo: null },
    { type: "HaltAccount", accountId, reason: null },
    { type: "ResumeAccount", accountId, reason: null },
    { type: "SetOwner", accountId, owner: accountId },
    { type: "SetCredit", accountId, creditMicros: micros(400_000_000_000n) },
    { type: "EraseSubject", accountId },
    { type: "RevokeKeys", accountId },
  ];
  for (const { id } of [olga, eve]) {
    for (const command of ownMatters(id)) {
      assert.equal(codeOf(world, olga.actor, command), "CONFLICT_OF_INTEREST", command.type);
    }
  }
  for (const command of ownMatters(eve.id)) world.do(otto.actor, command);
});

test("who has a stake in a market voids it not, and releases not the print that settles it", () => {
  const { world, anna, eve, olga, otto, listing, marketId } = stage();
  const cancel = { type: "CancelMarket", marketId, reason: "drill" } as const;
  world.do(olga.actor, cancel);
  world.do(olga.actor, { ...cancel, type: "WithdrawVoid" });
  world.order(order(listing, "SELL", "1", "0.05"), anna);
  world.order(order(listing, "BUY", "1", "0.05"), eve);
  assert.equal(codeOf(world, olga.actor, cancel), "CONFLICT_OF_INTEREST");

  world.runTo(Date.UTC(2025, 0, 20));
  const { type: _type, ...brought } = world.release(world.observe("2024-12", "240000"));
  const { release } = brought;
  const reasons = [{ code: "MOVE_TOO_LARGE", message: "a fifth in two months" }];
  world.do(olga.actor, { type: "QuarantineRelease", release, reasons });
  const approve = { type: "ApproveRelease", releaseId: release.id } as const;
  const accept = { type: "AcceptRelease", ...brought, fromQuarantine: true } as const;
  assert.equal(codeOf(world, olga.actor, approve), "CONFLICT_OF_INTEREST");
  const rejects = { type: "RejectRelease", releaseId: release.id, reason: "drill" } as const;
  assert.equal(codeOf(world, olga.actor, rejects), "CONFLICT_OF_INTEREST", "nor is it put off");
  const pauses = { type: "PauseMarket", marketId, reason: "drill" } as const;
  assert.equal(codeOf(world, olga.actor, pauses), "CONFLICT_OF_INTEREST");
  world.do(otto.actor, approve);
  assert.equal(codeOf(world, olga.actor, accept), "CONFLICT_OF_INTEREST");
  world.do(root, accept);
  assert.equal(world.state.market(marketId).status, "RESOLVED");
});

test("who opened a dispute, or holds what it is about, has no say in it", () => {
  const { world, anna, bela, eve, olga, otto, idle, listing, marketId } = stage();
  world.order(order(listing, "SELL", "1", "0.05"), anna);
  world.order(order(listing, "BUY", "1", "0.05"), eve);
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  const open = { type: "OpenDispute", marketId, reason: "why", evidence: null } as const;
  const type = "DecideDispute";
  const uphold = { type, marketId, decision: "uphold", valueE15: null, evidence: null } as const;
  assert.equal(codeOf(world, otto.actor, open), "INSUFFICIENT_BALANCE", "his is not free");
  world.giveBond(otto);
  world.do(otto.actor, open);
  assert.equal(codeOf(world, otto.actor, uphold), "CONFLICT_OF_INTEREST", "it is his");
  assert.equal(codeOf(world, olga.actor, uphold), "CONFLICT_OF_INTEREST", "Eve holds one");
  const third = world.empower(idle, otto.actor);
  for (const actor of [root, third.actor]) world.do(actor, uphold);
  assert.equal(world.state.market(marketId).dispute, null);
  world.do(bela.actor, open);
  for (const actor of [otto.actor, root]) world.do(actor, uphold);
});
