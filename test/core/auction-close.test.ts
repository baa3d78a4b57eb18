// The close of default auctions beside each other, bids that were replaced, and cash that runs out
// while one runs.
// Invariant: a bid counts in its own auction alone, from the moment it was given as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptanceId, auctionId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { Acceptance } from "#core/acceptance/records.ts";
import { apply } from "#core/apply.ts";
import { fold } from "#core/fold.ts";
import { GUARANTEE } from "#core/step.ts";
import { FIRST, stage, usd } from "./auction-stage.ts";
import { endAuctions, endCalls } from "./end-calls.ts";
import { order } from "./world.ts";

const fund = { id: GUARANTEE };

test("a bid in one auction is none in another that runs beside it", () => {
  const { world, maker, one, two, listing, mark, held } = stage();
  const other = world.trader("other", "220", "enhanced");
  world.order(order(listing, "SELL", "1000", "0.05"), other);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  mark("0.23");
  endCalls(world);
  const [worse, better] = [...world.state.auctions.values()];
  assert.ok(worse?.accountId === other.id && better !== undefined);
  const bid = (who: typeof one, id: typeof worse.id, amount: string) =>
    world.do(who.actor, { type: "PlaceBid", auctionId: id, amountMicros: usd(amount) });
  bid(one, worse.id, "250");
  bid(two, better.id, "100");
  endAuctions(world);
  assert.deepEqual([held(one), held(two)], [-100_000n, -100_000n]);
  assert.equal(world.cash(one), usd("5250"), "of its own auction, though 100 was bid beside");
  assert.equal(world.cash(two), usd("5100"));
});

test("a bid that is replaced is as young as the one in its place", () => {
  const { world, one, two, bid, fail, held } = stage();
  fail();
  bid(one, "250");
  bid(two, "240");
  bid(one, "240");
  endAuctions(world);
  assert.deepEqual([held(one), held(two)], [0n, -100_000n]);
});

test("a defaulter the fund would have borne something for owes nothing where a bid won", () => {
  const { world, seller, one, bid, fail, held } = stage("200");
  fail();
  bid(one, "240");
  const before = world.state.balance("guarantee");
  endAuctions(world);
  assert.equal(held(one), -100_000n);
  assert.equal(world.state.balance("guarantee"), before);
  assert.equal(world.state.account(seller.id).inDefault, undefined);
  assert.equal(world.cash(seller), usd("10"));
});

test("an account that is behind with a premium is refused, and passed over at the close", () => {
  const { world, one, two, bid, fail, held, listing } = stage();
  fail();
  bid(one, "230");
  bid(two, "240");
  const acceptance: Acceptance = {
    ...{ id: acceptanceId("acp-1"), accountId: one.id, marketId: listing.marketId },
    ...{
      orderId: orderId("ord-1"),
      structure: { kind: "in_full" } as const,
      filledLots: lots(100n),
    },
    ...{ premiumMicros: micros(0n), principalMicros: micros(0n), payments: [], createdAtMillis: 0 },
    status: "overdue",
  };
  const { state, nowMillis: timeMillis } = world;
  fold(state, { type: "AcceptanceChanged", acceptance }, timeMillis);
  const envelope = { timeMillis, actor: one.actor, requestId: null, idempotency: null };
  const command = { type: "PlaceBid", auctionId: FIRST, amountMicros: usd("230") } as const;
  const outcome = apply(state, { ...envelope, command }, world.sequence + 1);
  assert.deepEqual("rejection" in outcome && outcome.rejection, { code: "PAYMENT_OVERDUE" });
  const placed = order(listing, "BUY", "1", "0.05");
  const placing = { type: "PlaceOrder", order: placed, listing: null } as const;
  const refused = apply(state, { ...envelope, command: placing }, world.sequence + 1);
  assert.deepEqual("rejection" in refused && refused.rejection.code, "PAYMENT_OVERDUE");
  const close = { type: "CloseAuction", auctionId: FIRST } as const;
  apply(state, { ...envelope, actor: { type: "system" }, command: close }, world.sequence + 1);
  assert.deepEqual([held(one), held(two)], [0n, -100_000n]);
});

test("a payout above the cash, while the rest is auctioned, goes to the fund", () => {
  const { world, seller, other, mark, held } = stage("380", 2);
  world.runTo(Date.UTC(2025, 5, 2));
  mark("0.42");
  endCalls(world);
  const { auctionId: running } = world.state.account(seller.id).inDefault ?? assert.fail();
  assert.equal(running, auctionId("auc-1"));
  const cash = world.cash(seller);
  // The layer pays in full: 1,000.
  world.print("2025-04", "270000");
  assert.deepEqual([held(seller), held(fund)], [0n, -100_000n]);
  assert.equal(world.cash(seller), 0n);
  const { inDefault } = world.state.account(seller.id);
  assert.deepEqual([inDefault?.owesMicros, inDefault?.auctionId], [usd("1000") - cash, running]);
  assert.equal(held(seller, other), -1_000n, "the other leg is auctioned still");
});
