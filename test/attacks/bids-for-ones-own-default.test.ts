// A seller defaults: its owner, an accomplice and a straw man try to take its cash in the auction.
// Invariant: the positions go for no more than the fund asks, to somebody who can carry them, and
// never to the defaulter's own side.
import assert from "node:assert/strict";
import { test } from "node:test";
import { auctionId } from "#base/ids.ts";
import { formatMicros, type Micros, micros, parseMicros } from "#base/money.ts";
import { isRejected } from "#core/outcome.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { endAuctions, endCalls } from "../core/end-calls.ts";
import { order, root, system, type Trader, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
const FIRST = auctionId("auc-1");

/** 1,000 short at a mark of 0.23, with 280 of cash: the fund asks 278.50. */
function stage() {
  const world = new World();
  world.nowMillis = Date.UTC(2024, 11, 4, 15);
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "230", "enhanced");
  const maker = world.trader("maker", "100000");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  const mark = (price: string) => {
    const marks = { markTick: tick(price), stressedTick: tick(price) };
    const { marketId } = listing;
    world.do(system, publishMarks([{ marketId, ...marks }]));
  };
  mark("0.23");
  endCalls(world);
  const bid = ({ actor }: Trader, amount: string): string => {
    const amountMicros = usd(amount);
    const outcome = world.try(actor, { type: "PlaceBid", auctionId: FIRST, amountMicros });
    return isRejected(outcome) ? outcome.rejection.code : "placed";
  };
  const held = ({ id }: Trader) => world.state.position(id, listing.marketId)?.heldLots ?? 0n;
  return { world, seller, maker, listing, mark, bid, held };
}

test("two accounts of one owner: neither bids for the other's positions", () => {
  const { world, seller, bid, held } = stage();
  const sister = world.trader("sister", "5000");
  world.do(root, { type: "SetOwner", accountId: sister.id, owner: seller.id });
  assert.deepEqual([bid(sister, "1"), bid(seller, "1")], ["AUCTION_OWN", "AUCTION_OWN"]);
  endAuctions(world);
  assert.deepEqual([held(sister), held(seller)], [0n, 0n]);
});

test("a bid of all there is, by somebody who is bankrupt at the close, is passed over", () => {
  const { world, seller, listing, maker, mark, bid, held } = stage();
  const straw = world.trader("straw", "120", "enhanced");
  const honest = world.trader("honest", "5000");
  assert.equal(bid(straw, "278.5"), "placed");
  assert.equal(bid(honest, "278.5"), "placed");
  // It sells beside until a mark fells it too.
  world.order(order(listing, "SELL", "100", "0.23"), straw);
  world.order(order(listing, "BUY", "100", "0.23"), maker);
  mark("0.99");
  mark("0.23");
  world.fund(straw, micros(-world.available(straw)));
  endAuctions(world);
  assert.equal(held(straw), -10_000n, "it got nothing");
  assert.equal(held(honest), -100_000n);
  assert.equal(world.cash(seller), usd("1.5"));
});

test("an accomplice that asks for everything gets no more than the fund would", (t) => {
  const { world, seller, bid } = stage();
  const accomplice = world.trader("accomplice", "5000");
  assert.equal(bid(accomplice, "280"), "BID_TOO_HIGH");
  assert.equal(bid(accomplice, "278.500001"), "BID_TOO_HIGH");
  assert.equal(bid(accomplice, "278.5"), "placed");
  endAuctions(world);
  assert.equal(world.cash(seller), usd("1.5"));
  const taken = micros(usd("280") - world.cash(seller));
  t.diagnostic(`after: an accomplice has ${formatMicros(taken)} of 280 USD, as the fund would`);
});

test("a high bid takes nothing beyond the fund's new price when marks have fallen", () => {
  const { world, seller, mark, bid, held } = stage();
  const accomplice = world.trader("accomplice", "5000");
  bid(accomplice, "278.5");
  mark("0.01");
  endAuctions(world);
  assert.equal(held(accomplice), 0n);
  // 10 at the mark, a twentieth of 990, and a cent each.
  assert.equal(world.cash(seller), usd("210.5"));
});

test("a bid withdrawn in the last minute leaves the next one to win", () => {
  const { world, bid, held } = stage();
  const [bluffer, next] = [world.trader("bluffer", "5000"), world.trader("next", "5000")];
  bid(bluffer, "200");
  bid(next, "240");
  const [auction] = world.state.auctions.values();
  world.runTo((auction?.closesAtMillis ?? assert.fail()) - 60_000);
  world.do(bluffer.actor, { type: "WithdrawBid", auctionId: FIRST });
  endAuctions(world);
  assert.deepEqual([held(bluffer), held(next)], [0n, -100_000n]);
});

test("a deposit during the auction ends nothing, pays what is owed, and the rest is kept", () => {
  const { world, seller, bid } = stage();
  const taker = world.trader("taker", "5000");
  bid(taker, "250");
  world.fund(seller, usd("500"));
  const out = { type: "FundAccount", accountId: seller.id, memo: null } as const;
  const refused = world.refused(root, { ...out, amountMicros: usd("-500") });
  assert.equal(refused.code, "IN_DEFAULT", "nothing is carried off before the close");
  endAuctions(world);
  assert.equal(world.cash(seller), usd("530"));
  world.do(root, { ...out, amountMicros: usd("-530") });
});

test("a defaulter's loss is not left to the fund by an account that holds the other side", () => {
  const { world, seller, mark } = stage();
  mark("0.9");
  endAuctions(world);
  const owes = world.state.account(seller.id).inDefault?.owesMicros ?? assert.fail();
  // 900, a twentieth of 100 and a cent each, of 280.
  assert.equal(owes, usd("635"));
  const resumed = { type: "ResumeAccount", accountId: seller.id, reason: null } as const;
  assert.equal(world.refused(root, resumed).code, "IN_DEFAULT");
  const before = world.state.balance("guarantee");
  world.fund(seller, usd("400"));
  assert.equal(world.state.balance("guarantee") - before, usd("400"));
});
