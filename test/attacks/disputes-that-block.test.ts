// Somebody who loses by a print wants it never to pay, by disputes that nobody decides.
// Invariant: a dispute costs cash that is free, ten days end it, and it stops no other market.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { Command } from "#core/command.ts";
import { order, root, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

/** Anna has sold Bela ten contracts to December 2024; January's print has resolved the market. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "20000"), world.trader("bela", "1000")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  const open: Command = { type: "OpenDispute", marketId, reason: "why", evidence: null };
  const decision = { decision: "uphold", valueE15: null, evidence: null } as const;
  const uphold: Command = { type: "DecideDispute", marketId, ...decision };
  const market = () => world.state.market(marketId);
  return { world, anna, bela, olga, otto, open, uphold, market };
}

test("cash that a short needs is no bond", () => {
  const { world, anna, open } = stage();
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
  const { world, bela, olga, otto, open, uphold, market } = stage();
  world.do(bela.actor, open);
  for (const { actor } of [olga, otto]) world.do(actor, uphold);
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
