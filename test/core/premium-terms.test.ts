// The checks when a quote is accepted: the terms, the credit, the buyer's own part, each to its
// bound, and where the money goes.
// Invariant: at a bound it is accepted, one step beyond it refused by name and figures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "#base/ids.ts";
import { monthsLaterMillis } from "#base/month.ts";
import type { PremiumStructure } from "#core/acceptance/records.ts";
import type { CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { accept, atFunding, installments, layer, NOW, scene, usd } from "./premiums.ts";
import { amendment, decision, order, root, type Trader, tick, World } from "./world.ts";

const inFull = { kind: "in_full" } as const;
const latest = monthsLaterMillis(NOW, 36);

const postingsIn = (events: readonly Event[]) =>
  events.flatMap((event) => {
    if (event.type !== "Posted") return [];
    const { from, to, amountMicros, reason, reference } = event.posting;
    return [[from, to, amountMicros, reason, reference]];
  });

/** Buys at a limit, at once, paid for as said. */
const quote = (
  market: Parameters<typeof order>[0],
  amount: string,
  price: string,
  structure: PremiumStructure,
): CommandOf<"AcceptQuote"> => ({
  type: "AcceptQuote",
  order: order(market, "BUY", amount, price, { timeInForce: "IOC" }),
  listing: null,
  structure,
  referenceTick: tick("0.9999"),
});

test("terms hold to their bounds: least down payment, most months, latest funding", () => {
  const bounds: readonly PremiumStructure[] = [
    { ...installments, downPaymentBps: 1_000 },
    { ...installments, months: 36 },
    { ...atFunding, fundsAtMillis: NOW + 1 },
    { ...atFunding, fundsAtMillis: latest },
  ];
  for (const structure of bounds) assert.equal(accept(scene("100"), structure).status, "current");
});

test("terms that are off are told with what is allowed", () => {
  const { world, buyer, marketId: market } = scene("100");
  const rows: readonly (readonly [PremiumStructure, string, number])[] = [
    [{ ...installments, aprBps: 901 }, "aprBps", 900],
    [{ ...installments, downPaymentBps: 999 }, "downPaymentBps", 1_000],
    [{ ...installments, months: 37 }, "months", 36],
    [{ ...atFunding, aprBps: 599 }, "aprBps", 600],
    [{ ...atFunding, fundsAtMillis: latest + 1 }, "fundingAt", latest / 1000],
    [{ ...atFunding, fundsAtMillis: NOW }, "fundingAt", latest / 1000],
  ];
  for (const [structure, field, allowed] of rows) {
    const command = quote({ marketId: market }, "1", "0.1", structure);
    assert.deepEqual(world.refused(buyer.actor, command), {
      code: "FINANCING_TERMS",
      field,
      details: { allowed, limit: field },
    });
  }
});

test("what an order calls its price, a quote calls its limit; other fields stay", () => {
  const { world, buyer, marketId: market } = scene("100");
  const offGrid = quote({ marketId: market }, "1", "0.00001", inFull);
  const refused = world.refused(buyer.actor, offGrid);
  assert.deepEqual([refused.code, refused.field], ["INVALID_PRICE", "limitPrice"]);
  const unknown = quote({ marketId: marketId("nowhere") }, "1", "0.1", inFull);
  const nowhere = world.refused(buyer.actor, unknown);
  assert.deepEqual([nowhere.code, nowhere.field], ["MARKET_NOT_FOUND", "marketId"]);
});

test("a quote of a market that is not listed yet lists it", () => {
  const world = new World();
  world.lend("100000");
  world.print("2024-10", "300000");
  const buyer = world.trader("buyer", "100");
  const listing = world.listing("2025-12", layer);
  const events = world.do(buyer.actor, { ...quote(listing, "1", "0.1", inFull), listing });
  assert.equal(world.state.market(listing.marketId).status, "ACTIVE");
  const accepted = events.find((event) => event.type === "AcceptanceChanged");
  assert.equal(accepted?.acceptance.status, "not_filled");
});

test("acceptances are numbered from one; what is paid in full is paid, and nothing is lent", () => {
  const stage = scene("100");
  const { world, buyer, marketId: market } = stage;
  const first = accept(stage, inFull, "0.10");
  assert.deepEqual(
    [first.id, first.status, first.payments, first.principalMicros],
    ["acp-1", "paid", [], 0n],
  );
  const second = world.do(buyer.actor, quote({ marketId: market }, "1", "0.1", inFull));
  const changed = second.find((event) => event.type === "AcceptanceChanged");
  assert.equal(changed?.acceptance.id, "acp-2");
  assert.deepEqual(world.state.debts.openIn(market), []);
});

test("what the limit may cost is advanced, up to the worth, and what the price did not need goes back, both by name", () => {
  const { world, buyer, seller, marketId: market } = scene("100");
  const command = quote({ marketId: market }, "100", "0.50", installments);
  const postings = postingsIn(world.do(buyer.actor, command));
  const [cash, sellers] = [`cash:${buyer.id}`, `cash:${seller.id}`];
  assert.deepEqual(postings.at(0), ["lent", cash, usd("10"), "advance", "acp-1"]);
  assert.deepEqual(postings.at(-1), [cash, "lent", usd("2"), "advance-unused", "acp-1"]);
  const premium = postings.filter(([, , , reason]) => reason === "premium");
  assert.deepEqual(
    premium.map(([from, to, amount]) => [from, to, amount]),
    [[cash, sellers, usd("10")]],
    "the seller has it all at the fill",
  );
});

/** Plenty for sale at 0.40, and a buyer of the basic tier, which may owe 1,000. */
function basicBuyer() {
  const world = new World();
  world.lend("100000");
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "10000");
  const listing = world.listing("2025-12", layer, "0.40");
  world.order(order(listing, "SELL", "6000", "0.40"), seller, listing);
  const buyer = world.trader("buyer", "5000", "basic");
  world.do(root, { type: "SetCredit", accountId: buyer.id, creditMicros: usd("1000") });
  return { world, listing, buyer };
}

test("credit may be used to the last micro-dollar, and the refusal says how much is left", () => {
  const { world, listing, buyer } = basicBuyer();
  world.do(buyer.actor, quote(listing, "1000", "0.40", atFunding));
  const refused = world.refused(buyer.actor, quote(listing, "1500.01", "0.40", atFunding));
  assert.deepEqual(refused, {
    code: "FINANCING_LIMIT",
    details: { allowedMicros: usd("600"), requiredMicros: usd("600.004") },
  });
  world.do(buyer.actor, quote(listing, "1500", "0.40", atFunding));
  assert.equal(world.state.debts.principal(buyer.id), usd("1000"));
});

test("who owes more than a lower tier lends may still buy in full, and borrow nothing", () => {
  const world = new World();
  world.lend("100000");
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "10000");
  const listing = world.listing("2025-12", layer, "0.40");
  world.order(order(listing, "SELL", "6000", "0.40"), seller, listing);
  const buyer = world.trader("buyer", "5000", "enhanced");
  world.do(buyer.actor, quote(listing, "3000", "0.40", atFunding));
  world.do(root, decision(buyer.id, "approve", "basic", true));
  const more = world.refused(buyer.actor, quote(listing, "1", "0.40", atFunding));
  assert.equal(more.code, "FINANCING_LIMIT");
  world.do(buyer.actor, quote(listing, "1", "0.40", inFull));
});

test("the highest fee of any price is there before anything is lent, to the micro-dollar", () => {
  const stage = (cash: string) => {
    const world = new World();
    world.lend("100000");
    world.print("2024-10", "300000");
    const seller = world.trader("seller", "1000");
    const listing = world.listing("2025-12", layer, "0.99");
    world.order(order(listing, "SELL", "100", "0.50"), seller, listing);
    return { world, listing, buyer: world.trader("buyer", cash) };
  };
  const enough = stage("0.25");
  enough.world.do(enough.buyer.actor, quote(enough.listing, "100", "0.99", atFunding));
  assert.equal(enough.world.cash(enough.buyer), 0n);
  const short = stage("0.249999");
  const command = quote(short.listing, "100", "0.99", atFunding);
  assert.deepEqual(short.world.refused(short.buyer.actor, command), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd("0.25"), availableMicros: usd("0.249999") },
  });
  // Paid in full, a better price leaves more than its higher fee costs: the order's hold is enough.
  const own = stage("99.01");
  own.world.do(own.buyer.actor, quote(own.listing, "100", "0.99", inFull));
});

test("a position that premiums are owed for is sold at its mark or above", () => {
  const here = scene("100");
  const { world, buyer, seller, marketId } = here;
  const tries = (who: Trader, side: "BUY" | "SELL", price: string, outcomeIndex: 0 | 1 = 0) => {
    const input = order({ marketId }, side, "1", price, { outcomeIndex });
    return world.try(who.actor, { type: "PlaceOrder", order: input, listing: null });
  };
  const codeOf = (...asked: Parameters<typeof tries>) => {
    const outcome = tries(...asked);
    return "rejection" in outcome ? outcome.rejection.code : undefined;
  };
  accept(here, installments);
  const refused = tries(buyer, "SELL", "0.0999");
  assert.deepEqual("rejection" in refused && refused.rejection, {
    code: "FINANCING_PRICE",
    details: { allowedTick: tick("0.10") },
    field: "price",
  });
  assert.equal(codeOf(buyer, "BUY", "0.9001", 1), "FINANCING_PRICE", "it sells YES as well");
  assert.equal(codeOf(buyer, "BUY", "0.90", 1), undefined);
  const { id: orderId } = world.order(order({ marketId }, "SELL", "1", "0.10"), buyer);
  const lower = amendment({ orderId, price: { tick: tick("0.09") } });
  assert.equal(world.refused(buyer.actor, lower).code, "FINANCING_PRICE");
  assert.equal(codeOf(buyer, "BUY", "0.01"), undefined, "what buys strips nothing");
  assert.equal(codeOf(seller, "SELL", "0.06"), undefined);
  assert.equal(codeOf(seller, "SELL", "0.04"), undefined, "another one owes nothing");
  const elsewhere = world.listing("2025-11", layer);
  world.order(order(elsewhere, "SELL", "1", "0.01"), buyer, elsewhere);
  const whole = scene("100");
  accept(whole, { kind: "in_full" });
  whole.world.order(order(whole, "SELL", "1", "0.01"), whole.buyer);
});
