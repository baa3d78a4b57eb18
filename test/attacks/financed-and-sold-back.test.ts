// Two owners empty a credit line: one buys protection from the other with a premium that is lent at
// the reference limit price, sells it back at the mark, which is lower, and repays what that
// brings. The rest of the loan stays with nothing behind it, and the capital is free again.
// Invariant: two owners take out no more than they brought, however often they go round.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import { scenarios } from "#contract/scenarios.ts";
import { owedIn } from "#core/acceptance/financed.ts";
import type { CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { stage as auctionStage } from "../core/auction-stage.ts";
import { atFunding, DAY_MILLIS, usd } from "../core/premiums.ts";
import { publishMarks } from "../core/publish-marks.ts";
import { contracts, FIRST, HOUR, RFQ } from "../core/rfq-stage.ts";
import { month, order, type Trader, tick, World } from "../core/world.ts";
import { takeOut, text } from "./take-out.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
/** The model's value of the protection, and the price that it asks. */
const MARK = "0.05";
const LIMIT = "0.08";
const CONTRACTS = "200000";
const ROUNDS = 15;

function stage() {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  world.lend("1000000");
  const [buyer, seller] = [world.trader("buyer", "40000"), world.trader("seller", "40000")];
  const listing = world.listing("2025-06", layer, MARK);
  const accept = (lots = CONTRACTS, price = LIMIT) =>
    world.try(buyer.actor, {
      type: "AcceptQuote",
      order: order(listing, "BUY", lots, price, { timeInForce: "IOC" }),
      listing,
      structure: { ...atFunding, fundsAtMillis: world.nowMillis + 30 * DAY_MILLIS },
      referenceTick: tick(LIMIT),
    });
  const place = (
    who: Trader,
    side: "BUY" | "SELL",
    price: string,
    more: Partial<CommandOf<"PlaceOrder">["order"]> = {},
    lots = CONTRACTS,
  ) =>
    world.try(who.actor, {
      type: "PlaceOrder",
      order: order(listing, side, lots, price, more),
      listing,
    });
  const owed = (): Micros => owedIn(world, buyer.id, listing.marketId);
  return { world, buyer, seller, listing, accept, place, owed };
}

const refusalOf = (outcome: ReturnType<World["try"]>) =>
  isRejected(outcome) ? outcome.rejection.code : undefined;

test("round after round, nothing is left of the loan that no protection stands behind", (t) => {
  const { world, buyer, seller, accept, place } = stage();
  let rounds = 0;
  for (; rounds < ROUNDS; rounds += 1) {
    place(seller, "SELL", LIMIT);
    if (refusalOf(accept()) !== undefined) break;
    place(seller, "BUY", MARK);
    place(buyer, "SELL", MARK, { timeInForce: "IOC" });
    for (const { actor } of [buyer, seller]) world.do(actor, { type: "CancelAll", marketId: null });
  }
  world.runTo(monthEndMillis(month("2025-06")) + 20 * DAY_MILLIS);
  world.print("2025-06", "300000");
  world.runTo(world.nowMillis + 60 * DAY_MILLIS);
  const lost = usd("1000000") - world.state.balance("financing") - world.state.balance("lent");
  const taken = [seller, buyer, seller].reduce((sum, one) => sum + takeOut(world, one), 0n);
  const figures = `${text(taken)} for 80,000; the pool lost ${text(lost)} in ${rounds} rounds`;
  assert.ok(taken <= usd("80000") && lost === 0n, figures);
  t.diagnostic(`after: ${figures}`);
});

test("no more is lent than the protection is worth; the buyer pays the rest", () => {
  const { world, buyer, seller, accept, place } = stage();
  place(seller, "SELL", LIMIT);
  const before = world.cash(buyer);
  assert.equal(refusalOf(accept("1000")), undefined);
  assert.equal(world.state.debts.principal(buyer.id), usd("50"));
  assert.equal(before - world.cash(buyer), usd("30") + usd("0.4"), "its part, and the fee");
});

test("a sale repays its share: from what it brings, from free cash at once, or it is refused", () => {
  const { world, buyer, seller, listing, accept, place, owed } = stage();
  place(seller, "SELL", LIMIT);
  accept("1000");
  const lower = tick("0.04");
  const marks = [{ marketId: listing.marketId, markTick: lower, stressedTick: lower }];
  world.do({ type: "system" }, publishMarks(marks));
  place(seller, "BUY", "0.04");
  const sells = (more: Parameters<typeof place>[3] = {}, price = "0.04") =>
    refusalOf(place(buyer, "SELL", price, more, "500"));
  assert.equal(sells(), "FINANCED_POSITION", "it would rest, and the cash could go");
  const two = [1, 2].map(() => order(listing, "SELL", "500", "0.04", { timeInForce: "IOC" }));
  const batch = { type: "PlaceBatch", orders: two, listings: [], mode: "all" } as const;
  assert.equal(refusalOf(world.try(buyer.actor, batch)), "FINANCED_POSITION");
  // 500 of 1,000 contracts carry 25.123288 USD with the carry, bring 20, and cost a fee of 0.10.
  const other = world.listing("2025-12", layer);
  const bound = ((world.available(buyer) - 1_000_000n) / 5_025n).toString();
  world.order(order(other, "BUY", `${bound.slice(0, -2)}.${bound.slice(-2)}`, "0.5"), buyer, other);
  const fund = (amount: bigint) => world.fund(buyer, micros(amount));
  fund(usd("5.223287") - world.available(buyer));
  assert.equal(sells({ timeInForce: "IOC" }), "FINANCED_POSITION", "a micro-dollar less");
  fund(1n);
  assert.equal(sells({ timeInForce: "IOC" }), undefined);
  assert.equal(owed(), usd("25.123288"));
  assert.equal(world.available(buyer), 0n);
  place(seller, "BUY", "0.07", {}, "100");
  place(buyer, "SELL", "0.07", {}, "100");
  // It brings 7, less a fee of .035.
  assert.equal(owed(), usd("18.158288"), "a dear sale pays more than its share: all it brings");
  assert.equal(sells({}, "0.0506"), undefined, "a price that brings its share may rest");
});

test("no premium is lent on lots that close a short, or are offered already", () => {
  const { world, buyer, seller, listing, accept, place } = stage();
  place(buyer, "SELL", LIMIT, {}, "100");
  place(seller, "BUY", LIMIT, {}, "100");
  place(seller, "SELL", LIMIT);
  assert.equal(refusalOf(accept("1000")), "FINANCED_POSITION", "it is short");
  world.order(order(listing, "BUY", "100", LIMIT), buyer);
  const resting = world.order(order(listing, "SELL", "10", "0.9"), buyer);
  assert.equal(refusalOf(accept("1000")), "FINANCED_POSITION", "it offers to sell");
  world.do(buyer.actor, { type: "CancelOrder", orderId: resting.id });
  assert.equal(refusalOf(accept("1000")), undefined);
});

/** The buyer owes 50.25 for 1,000 contracts, which the model now prices at .04. */
function fallen() {
  const played = stage();
  const { world, listing, accept, place, seller } = played;
  place(seller, "SELL", LIMIT);
  accept("1000");
  world.do(seller.actor, { type: "CancelAll", marketId: null });
  const mark = (where: Listing, price: string, stressed = price) => {
    const marks = { markTick: tick(price), stressedTick: tick(stressed) };
    world.do({ type: "system" }, publishMarks([{ marketId: where.marketId, ...marks }]));
  };
  mark(listing, "0.04");
  return { ...played, mark };
}

test("nor do amendments, quotes for requests, mandates or bids take lots without their share", () => {
  const { world, buyer, seller, listing, place, owed } = fallen();
  const { id: orderId } = world.order(order(listing, "SELL", "500", "0.0506"), buyer);
  const price = { tick: tick("0.04") };
  const amend = { type: "AmendOrder", orderId, price, amountLots: null } as const;
  const lowered = world.refused(buyer.actor, { ...amend, expirySeconds: null });
  assert.equal(lowered.code, "FINANCED_POSITION");
  world.do(buyer.actor, { type: "CancelAll", marketId: null });

  const amountLots = contracts("500");
  world.do(buyer.actor, {
    type: "OpenRfq",
    legs: [{ listing, amountLots }],
    side: "SELL",
    audience: null,
    closesAtMillis: world.nowMillis + HOUR,
  });
  const validUntilMillis = world.nowMillis + 2 * HOUR;
  world.do(seller.actor, { type: "QuoteRfq", rfqId: RFQ, ticks: [tick("0.04")], validUntilMillis });
  const taken = world.refused(buyer.actor, { type: "AcceptRfq", rfqId: RFQ, quoteId: FIRST });
  assert.equal(taken.code, "FINANCED_POSITION");

  const mandate = (who: Trader): void => {
    const scope = {
      index: "zhvi" as const,
      places: [nodeId("state:tx")],
      levels: null,
      payoffs: null,
    };
    const most = { mostInMarketLots: amountLots, mostInStateLots: amountLots };
    world.do(who.actor, {
      type: "SetMandate",
      mandateId: null,
      terms: {
        ...{ ...most, mostInAllLots: amountLots, expirySeconds: 0, collateral: "margin" },
        ...{ side: "SELL", spreadTicks: 1, spreadTicksPerYear: 0 },
        scope: { ...scope, minMonths: 1, maxMonths: 36 },
      },
    });
  };
  mandate(buyer);
  const friend = world.trader("friend", "1000");
  place(friend, "BUY", "0.045", {}, "500");
  const heldBy = (who: Trader) => world.state.position(who.id, listing.marketId)?.heldLots ?? 0n;
  assert.equal(heldBy(buyer), contracts("1000"), "its mandate gave nothing");
  mandate(seller);
  place(friend, "BUY", "0.045", {}, "500");
  assert.equal(heldBy(friend), contracts("500"), "another's gives all it may");
  assert.ok(owed() > usd("50"));
});

test("a bidder that owes for the defaulter's market is refused", () => {
  const { world, listing, maker, one, bid, refusedAs, fail } = auctionStage();
  world.lend("1000");
  world.order(order(listing, "SELL", "100", "0.05"), maker);
  world.do(one.actor, {
    type: "AcceptQuote",
    order: order(listing, "BUY", "100", "0.05", { timeInForce: "IOC" }),
    listing: null,
    structure: { ...atFunding, fundsAtMillis: world.nowMillis + 30 * DAY_MILLIS },
    referenceTick: tick("0.05"),
  });
  fail();
  assert.equal(refusedAs(one, "200"), "FINANCED_POSITION");
  const [{ id: acceptanceId } = assert.fail()] = world.state.acceptances.values();
  world.do(one.actor, { type: "PayAcceptance", acceptanceId, through: 1 });
  assert.equal(refusalOf(bid(one, "200")), undefined);
});

test("the share is paid from the proceeds, whatever cash another position lacks by then", () => {
  const { world, buyer, seller, listing, place, owed, mark } = fallen();
  const other = {
    ...world.listing("2025-12", layer),
    riskTicks: scenarios.map(() => tick("0.05")),
  };
  world.order(order(listing, "SELL", "500", "0.0506"), buyer);
  const contractsSold = "280000";
  world.order(order(other, "SELL", contractsSold, "0.05"), buyer, other);
  world.order(order(other, "BUY", contractsSold, "0.05"), seller);
  mark(other, "0.11");
  assert.ok(world.available(buyer) < 0n, "its short needs more than there is");
  const before = owed();
  const cash = world.cash(buyer);
  place(seller, "BUY", "0.0506", {}, "500");
  assert.ok(before - owed() >= before / 2n, `${before - owed()} of ${before}`);
  assert.ok(world.cash(buyer) >= cash, "nothing was taken from the margin");
});
