// Two accounts of one mind use a void as a free put: one sells protection dear to the other, takes
// the premium out of the exchange, and waits for the market to be voided. The buyer is refunded;
// the seller has nothing left to give back, so the guarantee fund would pay.
// Invariant: what an account has received from a market stays in the exchange until it is final.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicros, micros, parseMicros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import { month, order, root, World } from "../core/world.ts";
import { takeOut } from "./take-out.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
const DAY_MILLIS = 86_400_000;

/** Protection that the model prices at 0.0152; a fund that somebody else has filled. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const amountMicros = usd("500000");
  world.do(root, { type: "FundGuarantee", amountMicros, memo: null });
  const [seller, buyer] = [world.trader("seller", "65000"), world.trader("buyer", "360000")];
  const listing = world.listing("2025-12", layer, "0.0152");
  const voidIt = () =>
    world.doInTwo({ type: "CancelMarket", marketId: listing.marketId, reason: "drill" });
  return { world, seller, buyer, listing, voidIt };
}

const fundOf = ({ state }: World): bigint => state.balance("guarantee");

test("a premium does not leave the exchange before its market is final", (t) => {
  const { world, seller, buyer, listing, voidIt } = stage();
  world.order(order(listing, "SELL", "700000", "0.5"), seller, listing);
  world.order(order(listing, "BUY", "700000", "0.5"), buyer);
  const before = fundOf(world);
  assert.ok(world.cash(seller) === usd("415000"));
  const taken = takeOut(world, seller);
  assert.ok(taken <= usd("65000"), `took out ${taken}`);
  voidIt();
  const paid = before - fundOf(world);
  // The fund gives its half of the fee back, and nothing else.
  assert.equal(paid, usd("875"));
  assert.equal(world.cash(buyer), usd("360000"));
  assert.equal(world.state.market(listing.marketId).shortfallMicros, 0n);
  t.diagnostic(`after: ${formatMicros(micros(paid - usd("875")))} USD from the fund`);
});

test("a profit that is traded out of a market stays there too, whatever is held at the end", () => {
  const { world, seller, buyer, listing, voidIt } = stage();
  world.order(order(listing, "SELL", "100000", "0.5"), seller, listing);
  world.order(order(listing, "BUY", "100000", "0.5"), buyer);
  world.order(order(listing, "SELL", "100000", "0.01"), buyer);
  world.order(order(listing, "BUY", "100000", "0.01"), seller);
  assert.equal(world.state.position(seller.id, listing.marketId)?.heldLots, 0n);
  const before = fundOf(world);
  const fees = world.state.market(listing.marketId).fundFeesMicros;
  takeOut(world, seller);
  voidIt();
  assert.equal(before - fundOf(world), fees);
  assert.equal(world.cash(buyer), usd("360000"));
});

test("a second market does not lend the first one's premium, nor spends its own", () => {
  const { world, seller, buyer, listing, voidIt } = stage();
  world.order(order(listing, "SELL", "100000", "0.5"), seller, listing);
  world.order(order(listing, "BUY", "100000", "0.5"), buyer);
  const other = world.listing("2026-06", layer, "0.0152");
  const more = order(other, "BUY", "100000", "0.9");
  const refused = world.refused(seller.actor, {
    type: "PlaceOrder",
    order: more,
    listing: other,
  });
  assert.equal(refused.code, "INSUFFICIENT_BALANCE");
  world.order(order(other, "SELL", "1000", "0.2"), seller, other);
  world.order(order(other, "BUY", "1000", "0.2"), buyer);
  const before = fundOf(world);
  const fees = world.state.market(listing.marketId).fundFeesMicros;
  voidIt();
  assert.equal(before - fundOf(world), fees);
  // The cash from the other market is still locked there.
  const locked = world.state.exposures.locked(seller.id);
  assert.equal(locked, usd("200"));
});

test("a market that is final gives its premium free", () => {
  const { world, seller, buyer, listing } = stage();
  world.order(order(listing, "SELL", "100000", "0.5"), seller, listing);
  world.order(order(listing, "BUY", "100000", "0.5"), buyer);
  world.runTo(monthEndMillis(month("2025-12")) + 15 * DAY_MILLIS);
  world.approve(seller, "institutional");
  world.print("2025-12", "300000");
  assert.equal(world.available(seller), usd("65000"), "a dispute may still change it");
  world.runTo(world.nowMillis + 4 * DAY_MILLIS);
  assert.equal(world.state.market(listing.marketId).status, "FINALIZED");
  assert.equal(takeOut(world, seller), usd("115000"));
});
