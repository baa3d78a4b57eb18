// A seller that fails, and the auction of its positions; a fill that two people undo; margin that
// is tightened five days after it was announced, and once taken back before.
// Invariant: together with the other goldens every command there is has been accepted once.
import assert from "node:assert/strict";
import { auctionId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Command } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Entry } from "#core/outcome.ts";
import type { RulesChange } from "#core/rules-change.ts";
import { wordIn } from "#core/words/told.ts";
import { endAuctions, endCalls } from "#test/core/end-calls.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "#test/core/world.ts";

const MINUTE_MILLIS = 60_000;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;

function inTwo(world: World, operator: Trader, command: Command): readonly Event[] {
  const waiting = wordIn("open", world.do(operator.actor, command));
  return world.agree(root, waiting ?? assert.fail(`${command.type} was done by one`));
}

/** At 0.23 the seller's margin is gone: its offers go, and its short to the least bid. */
function auction(world: World, maker: Trader): void {
  const seller = world.trader("failing", "230.25", "enhanced");
  const [one, two] = [world.trader("one", "5000"), world.trader("two", "5000")];
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  const other = world.listing("2025-04", binary);
  world.order(order(other, "SELL", "1.5", "0.05"), maker, other);
  world.order(order(other, "BUY", "1.5", "0.05"), seller);
  world.order(order(other, "SELL", "1.5", "0.07"), seller);
  const marks = { markTick: tick("0.23"), stressedTick: tick("0.23") };
  const { marketId } = listing;
  world.do(system, publishMarks([{ marketId, ...marks }]));
  endCalls(world);
  const bid = (bidder: Trader, amountMicros: bigint) =>
    world.do(bidder.actor, {
      ...{ type: "PlaceBid", auctionId: auctionId("auc-1") },
      amountMicros: micros(amountMicros),
    });
  bid(one, 251_000_001n);
  bid(two, 240_500_000n);
  bid(two, 239_000_007n);
  world.do(two.actor, { type: "WithdrawBid", auctionId: auctionId("auc-1") });
  endAuctions(world);
  assert.equal(world.state.auctions.size, 0);
}

/** Somebody pays 0.95 where the mark is 0.05, and both are put back where they were. */
function bust(world: World, operator: Trader): void {
  const listing = world.listing("2025-09", layer);
  const [buyer, seller] = [world.trader("hasty", "1000"), world.trader("lucky", "1000", "basic")];
  world.nowMillis += MINUTE_MILLIS;
  world.order(order(listing, "SELL", "12.5", "0.95"), seller, listing);
  world.order(order(listing, "BUY", "12.5", "0.95"), buyer);
  const [stray] = world.state.strays.values();
  const fillId = stray?.fill.id ?? assert.fail("no fill is off the reference");
  inTwo(world, operator, { type: "BustFill", fillId, reason: "a digit too many" });
}

/** The seller of the tier enhanced that the tighter margin concerns is `maker`'s other side. */
function announced(world: World, operator: Trader, maker: Trader): void {
  const listing = world.listing("2025-10", layer);
  const seller = world.trader("concerned", "900", "enhanced");
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "100", "0.05"), maker);
  const announce = (requirementBps: number) => {
    const rules: RulesChange = { tiers: { enhanced: { requirementBps } } };
    const told = inTwo(world, operator, { type: "SetRules", rules });
    const made = told.find((event) => event.type === "RulesAnnounced");
    return made?.announcement ?? assert.fail("not announced");
  };
  const first = announce(1_500);
  inTwo(world, operator, { type: "WithdrawRules", announcementId: first.id });
  const second = announce(1_200);
  world.runTo(second.effectiveAtMillis);
  assert.equal(world.state.rules.tiers.enhanced.requirementBps, 1_200);
}

export function defaults(): readonly Entry[] {
  const world = new World();
  world.print("2024-10", "300000");
  const operator = world.open("olga", "operator");
  const maker = world.trader("maker", "100000");
  bust(world, operator);
  auction(world, maker);
  announced(world, operator, maker);
  return world.journal;
}
