// Somebody who loses by a print wants it never to pay: by disputing again and again, by disputes
// that nobody decides, by a value the provider never published first.
// Invariant: a dispute costs a bond, an account has one a resolution, and ten days end it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { Actor, Command } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { ledgerTotal } from "#core/state.ts";
import { order, root, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

/** Anna has sold Bela `contracts` to December 2024; January's print has resolved the market. */
function stage(contracts = "10", cash = "1000") {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "20000"), world.trader("bela", cash)];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", contracts, "0.05"), anna, listing);
  world.order(order(listing, "BUY", contracts, "0.05"), bela);
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  const open: Command = { type: "OpenDispute", marketId, reason: "why", evidence: null };
  const uphold = { type: "DecideDispute", marketId, decision: "uphold" } as const;
  const amend = (text: string) =>
    ({ ...uphold, decision: "amend", valueE15: value(text), evidence: null }) as const;
  const market = () => world.state.market(marketId);
  const decide = (command: Command): readonly Event[] => {
    world.do(olga.actor, command);
    return world.do(otto.actor, command);
  };
  const words = { uphold: { ...uphold, valueE15: null, evidence: null }, amend };
  return { world, anna, bela, olga, otto, marketId, open, ...words, market, decide };
}

const value = (text: string) => parsePrintValue(text) ?? assert.fail(text);

test("a dispute takes a hundredth of the coverage, at least 100 USD, of cash that is free", () => {
  const small = stage();
  const before = small.world.cash(small.anna);
  const events = small.world.do(small.anna.actor, small.open);
  const postings = events.flatMap((event) => (event.type === "Posted" ? [event.posting] : []));
  assert.deepEqual(postings, [
    {
      from: `cash:${small.anna.id}`,
      to: "bonds",
      amountMicros: 100_000_000n,
      reason: "bond",
      reference: small.marketId,
    },
  ]);
  assert.equal(before - small.world.cash(small.anna), 100_000_000n);

  const large = stage("12345.67");
  large.world.do(large.anna.actor, large.open);
  assert.equal(large.world.state.balance("bonds"), 123_456_700n, "of a short's coverage too");

  const poor = stage("10", "60");
  const refused = poor.world.refused(poor.bela.actor, poor.open);
  assert.equal(refused.code, "INSUFFICIENT_BALANCE");
  assert.equal(refused.details?.limit, "disputeBond");
  assert.equal(refused.details?.requiredMicros, 100_000_000n);
  assert.equal(refused.details?.availableMicros, poor.world.available(poor.bela));
  assert.equal(poor.market().dispute, null);
});

test("cash that a short needs is no bond", () => {
  const { world, anna, open } = stage("10");
  const free = world.available(anna);
  const { id: accountId } = anna;
  const amountMicros = -(free - 99_999_999n);
  world.do(root, {
    type: "FundAccount",
    accountId,
    amountMicros: micros(amountMicros),
    memo: null,
  });
  assert.ok(world.cash(anna) > 100_000_000n - 1n, "there is cash enough");
  assert.equal(world.refused(anna.actor, open).code, "INSUFFICIENT_BALANCE");
});

test("an amendment gives the bond back; what is upheld costs it, for the guarantee fund", () => {
  const amended = stage();
  const cash = amended.world.cash(amended.bela);
  amended.world.do(amended.bela.actor, amended.open);
  amended.decide(amended.amend("240000"));
  assert.equal(amended.world.cash(amended.bela), cash);
  assert.equal(amended.world.state.balance("bonds"), 0n);

  const upheld = stage();
  const fund = upheld.world.state.balance("guarantee");
  upheld.world.do(upheld.bela.actor, upheld.open);
  upheld.decide(upheld.uphold);
  assert.equal(upheld.world.cash(upheld.bela), cash - 100_000_000n);
  assert.equal(upheld.world.state.balance("guarantee"), fund + 100_000_000n);
  assert.equal(upheld.world.state.balance("bonds"), 0n);
  assert.equal(ledgerTotal(upheld.world.state), 0n);
});

test("an operator and root dispute without a position, and without a bond", () => {
  const openers = [(): Actor => root, ({ olga }: ReturnType<typeof stage>): Actor => olga.actor];
  for (const openerOf of openers) {
    const here = stage();
    here.world.do(openerOf(here), here.open);
    assert.equal(here.world.state.balance("bonds"), 0n);
    here.world.runTo(here.world.nowMillis + 10 * DAY_MILLIS);
    assert.equal(here.market().dispute, null);
  }
});

test("again and again: one dispute an account and resolution, and an amended one is new", () => {
  const { world, anna, bela, open, uphold, amend, market, decide } = stage();
  world.do(anna.actor, open);
  decide(uphold);
  assert.equal(world.refused(anna.actor, open).code, "DISPUTE_REPEATED");
  world.do(bela.actor, open);
  decide(amend("240000"));
  assert.equal(market().resolution?.disputedBy, undefined);
  world.do(anna.actor, open);
  decide(uphold);
  assert.equal(world.refused(anna.actor, open).code, "DISPUTE_REPEATED");
  world.do(root, open);
  world.runTo(world.nowMillis + 20 * DAY_MILLIS);
  assert.equal(market().status, "FINALIZED");
});

test("another account of the owner is no other opponent", () => {
  const { world, anna, bela, open, uphold, decide } = stage();
  world.do(anna.actor, open);
  decide(uphold);
  world.do(root, { type: "SetOwner", accountId: bela.id, owner: anna.id });
  assert.equal(world.refused(bela.actor, open).code, "DISPUTE_REPEATED");
});

test("undecided for ever: after ten days it is upheld, and the rest of the window runs", (t) => {
  const { world, bela, olga, open, uphold, market } = stage();
  world.runTo(world.nowMillis + 24 * HOUR_MILLIS);
  const { nowMillis } = world;
  world.do(bela.actor, open);
  world.do(olga.actor, uphold);
  const seen: string[] = [];
  const see = ({ type }: Command) => seen.push(type);
  world.runTo(nowMillis + 10 * DAY_MILLIS - 1, see);
  // The next print is days late by then, which is nothing to a dispute.
  assert.deepEqual(seen.splice(0), ["EndWindow"]);
  world.runTo(nowMillis + 10 * DAY_MILLIS, see);
  assert.deepEqual(seen, ["UpholdDispute"]);
  assert.equal(market().dispute, null);
  assert.equal(world.state.balance("guarantee") >= 100_000_000n, true);
  world.runTo(nowMillis + 10 * DAY_MILLIS + 48 * HOUR_MILLIS - 1, see);
  assert.equal(market().status, "RESOLVED");
  world.runTo(nowMillis + 10 * DAY_MILLIS + 48 * HOUR_MILLIS, see);
  assert.deepEqual(seen, ["UpholdDispute", "FinalizeMarket"]);
  const days = (world.nowMillis - nowMillis) / DAY_MILLIS;
  t.diagnostic(`after: a bond of 100 USD is forfeited, and it pays after ${days} days`);
});

test("a decision in time leaves nothing to fall due", () => {
  const { world, bela, open, uphold, market, decide } = stage();
  world.do(bela.actor, open);
  decide(uphold);
  const seen: string[] = [];
  world.runTo(world.nowMillis + 30 * DAY_MILLIS, ({ type }) => {
    seen.push(type);
  });
  assert.deepEqual(seen, ["FinalizeMarket", "EndWindow"]);
  assert.equal(market().status, "FINALIZED");
});

test("other markets of the print are paid on their day, whatever is disputed beside", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "20000"), world.trader("bela", "1000")];
  const here = world.listing("2024-12", layer);
  const there = world.listing("2024-12", { kind: "binary", strikeBps: 500 });
  for (const listing of [here, there]) {
    world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
    world.order(order(listing, "BUY", "10", "0.05"), bela);
  }
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  const { marketId } = here;
  world.do(anna.actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
  world.runTo(world.nowMillis + 72 * HOUR_MILLIS);
  assert.equal(world.state.market(there.marketId).status, "FINALIZED");
  assert.equal(world.state.market(here.marketId).status, "RESOLVED");
});

test("no two people amend a resolution to a revision of the provider's", () => {
  const { world, bela, olga, open, amend, market } = stage();
  world.do(bela.actor, open);
  const revision = { ...amend("269000"), revisedIn: releaseId("rel-9") };
  assert.deepEqual(world.refused(olga.actor, revision), {
    code: "DISPUTE_AMEND_REVISION",
    field: "value",
    details: { release: "rel-9" },
  });
  assert.equal(market().dispute?.proposal, null);
});
