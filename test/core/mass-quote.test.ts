// Quotes of many markets in one command: what goes, what comes, and what is refused alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { MarketQuote } from "#core/order/quoted.ts";
import { available } from "#core/step.ts";
import { order, root, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

const side = (price: string, contracts: bigint) => ({
  priceTick: tick(price),
  amountLots: lots(contracts * 100n),
});

function quote(
  { marketId }: Listing,
  bid: string | null,
  ask: string | null,
  contracts = 10n,
): MarketQuote {
  return {
    marketId,
    bid: bid === null ? null : side(bid, contracts),
    ask: ask === null ? null : side(ask, contracts),
    expirySeconds: 0,
  };
}

const mass = (
  quotes: readonly MarketQuote[],
  listings: readonly Listing[] = [],
): CommandOf<"MassQuote"> => ({
  type: "MassQuote",
  quotes,
  listings,
});

function stage(cash = "1000") {
  const world = new World();
  world.print("2024-10", "300000");
  const maker = world.trader("maker", cash);
  const other = world.trader("other", "1000");
  const listings = ["2025-04", "2025-05", "2025-06"].map((month) => world.listing(month, layer));
  const [one, two, three] = listings;
  assert.ok(one && two && three);
  for (const listing of listings) world.order(order(listing, "BUY", "1", "0.01"), other, listing);
  return { world, maker, other, one, two, three };
}

const open = (world: World, { id }: Trader, { marketId }: Listing): readonly string[] =>
  [...(world.state.openOrders.get(id) ?? [])]
    .map((orderId) => world.state.order(orderId))
    .filter((each) => each.marketId === marketId)
    .map((each) => `${each.side} ${each.amountLots} at ${each.priceTick}`);

const refusedIn = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === "QuoteRefused" ? [[event.index, event.side, event.rejection.code]] : [],
  );

test("a quote takes the place of all that rests in its market, and of nothing elsewhere", () => {
  const { world, maker, other, one, two, three } = stage();
  world.order(order(one, "BUY", "3", "0.02"), maker);
  world.order(order(one, "BUY", "4", "0.98", { outcomeIndex: 1 }), maker);
  world.order(order(three, "BUY", "5", "0.03"), maker);
  world.do(maker.actor, mass([quote(one, "0.04", "0.06"), quote(two, null, "0.07")]));
  assert.deepEqual(open(world, maker, one), ["BUY 1000 at 400", "SELL 1000 at 600"]);
  assert.deepEqual(open(world, maker, two), ["SELL 1000 at 700"]);
  assert.deepEqual(open(world, maker, three), ["BUY 500 at 300"]);
  assert.deepEqual(open(world, other, one), ["BUY 100 at 100"], "somebody else's stays");
  world.do(maker.actor, mass([quote(one, null, null)]));
  assert.deepEqual(open(world, maker, one), [], "a quote of no side takes back what rests");
});

test("a refused quote leaves the others as they are, and the old one is gone all the same", () => {
  const { world, maker, one, two, three } = stage();
  world.do(
    maker.actor,
    mass([quote(one, "0.04", "0.06"), quote(two, "0.04", "0.06"), quote(three, "0.04", "0.06")]),
  );
  world.do(root, { type: "PauseMarket", marketId: two.marketId, reason: "a test" });
  const offGrid = {
    ...quote(three, "0.05", "0.07"),
    ask: { ...side("0.07", 1n), priceTick: null },
  };
  const unknown = {
    ...quote(one, "0.05", null),
    marketId: world.listing("2026-01", layer).marketId,
  };
  const events = world.do(
    maker.actor,
    mass([quote(one, "0.05", "0.07"), quote(two, "0.05", "0.07"), offGrid, unknown]),
  );
  assert.deepEqual(refusedIn(events), [
    [1, "bid", "MARKET_CLOSED"],
    [2, "ask", "INVALID_PRICE"],
    [3, "bid", "MARKET_NOT_FOUND"],
  ]);
  assert.deepEqual(open(world, maker, one), ["BUY 1000 at 500", "SELL 1000 at 700"]);
  assert.deepEqual(open(world, maker, two), [], "no old price stays");
  assert.deepEqual(open(world, maker, three), [], "both sides or none");
});

test("a side that would trade at once is taken back, and nothing is bought by quoting", () => {
  const { world, maker, other, one } = stage();
  world.order(order(one, "SELL", "1", "0.05"), other);
  const events = world.do(maker.actor, mass([quote(one, "0.05", "0.06")]));
  assert.deepEqual(open(world, maker, one), ["SELL 1000 at 600"]);
  assert.equal(events.filter(({ type }) => type === "Filled").length, 0);
  const crossed = world.do(maker.actor, mass([quote(one, "0.04", "0.03")]));
  assert.deepEqual(open(world, maker, one), ["BUY 1000 at 400"], "an ask below its own bid");
  const reasons = crossed.flatMap((event) =>
    event.type === "OrderChanged" && event.order.cancelReason !== null
      ? event.order.cancelReason
      : [],
  );
  assert.deepEqual(reasons, ["REQUESTED", "POST_ONLY_WOULD_CROSS"]);
});

test("cash that an old quote held back is used once", () => {
  const { world, maker, one, two, three } = stage("10");
  world.do(maker.actor, mass([quote(one, "0.5", null, 16n)]));
  assert.ok(available(world.state, maker.id) >= 0n);
  // Each takes 8 of the 10 USD: what was freed pays for one of them, whichever comes first.
  const both = mass([quote(two, "0.5", null, 16n), quote(three, "0.5", null, 16n)]);
  const beside = world.do(maker.actor, both);
  assert.deepEqual(refusedIn(beside).length, 2, "the first market's quote stays");
  const all = mass([quote(one, null, null), ...both.quotes]);
  const events = world.do(maker.actor, all);
  assert.deepEqual(refusedIn(events), [[2, "bid", "INSUFFICIENT_BALANCE"]]);
  assert.ok(available(world.state, maker.id) >= 0n);
  const turned = world.do(maker.actor, mass([...both.quotes].reverse()));
  assert.deepEqual(refusedIn(turned), [[1, "bid", "INSUFFICIENT_BALANCE"]]);
  assert.deepEqual(open(world, maker, three), ["BUY 1600 at 5000"], "an old quote holds nothing");
});

test("a market that no quote has listed yet is listed by the first that may rest", () => {
  const { world, maker } = stage();
  const fresh = world.listing("2025-08", layer);
  world.do(maker.actor, mass([quote(fresh, "0.04", "0.06")], [fresh]));
  assert.deepEqual(open(world, maker, fresh), ["BUY 1000 at 400", "SELL 1000 at 600"]);
});

test("a halt refuses every quote, and the old ones are gone", () => {
  const { world, maker, one, two } = stage();
  world.do(maker.actor, mass([quote(one, "0.04", "0.06"), quote(two, "0.04", "0.06")]));
  world.do(root, { type: "HaltExchange", reason: "a test" });
  const events = world.do(maker.actor, mass([quote(one, "0.05", "0.07")]));
  assert.deepEqual(refusedIn(events), [[0, "bid", "EXCHANGE_HALTED"]]);
  assert.deepEqual(open(world, maker, one), []);
  assert.equal(open(world, maker, two).length, 2, "a market that it did not name");
});

test("a side rests as said: its expiry, its group, and whether a release takes it back", () => {
  const { world, maker, one, two, three } = stage();
  const expirySeconds = world.nowMillis / 1000 + 60;
  const quotes: readonly MarketQuote[] = [
    quote(one, "0.04", null),
    { ...quote(two, null, "0.06"), expirySeconds, group: "texas" },
    { ...quote(three, "0.04", null), cancelOnRelease: true },
  ];
  world.do(maker.actor, mass(quotes));
  const resting = [...(world.state.openOrders.get(maker.id) ?? [])].map((id) => {
    const { timeInForce, expirySeconds: ends, group, cancelOnRelease } = world.state.order(id);
    return [timeInForce, ends, group, cancelOnRelease];
  });
  assert.deepEqual(resting, [
    ["GTC", 0, undefined, undefined],
    ["GTD", expirySeconds, "texas", undefined],
    ["GTC", 0, undefined, true],
  ]);
  const [first] = [...(world.state.openOrders.get(maker.id) ?? [])];
  const { postOnly, selfTradePrevention, clientOrderId } = world.state.order(
    first ?? assert.fail(),
  );
  assert.deepEqual([postOnly, selfTradePrevention, clientOrderId], [true, "cancel_incoming", null]);
  assert.ok(!("group" in world.state.order(first ?? assert.fail())));
});

test("a quote of no side is refused where there is no such market, and only there", () => {
  const { world, maker, one } = stage();
  const unknown = world.listing("2026-01", layer);
  const events = world.do(
    maker.actor,
    mass([quote(one, null, null), quote(unknown, null, null), quote(one, "0.04", null)]),
  );
  assert.deepEqual(
    events.filter((event) => event.type === "QuoteRefused"),
    [
      {
        type: "QuoteRefused",
        index: 1,
        side: null,
        rejection: { code: "MARKET_NOT_FOUND", field: "marketId" },
      },
    ],
  );
  assert.deepEqual(open(world, maker, one), ["BUY 1000 at 400"]);
});

test("a refused ask is named as such, with what it would have needed", () => {
  const { world, maker, one, two } = stage("10");
  const events = world.do(
    maker.actor,
    mass([
      quote(two, "0.04", null),
      { ...quote(one, "0.04", null), ask: { priceTick: null, amountLots: lots(100n) } },
      { ...quote(one, "0.04", null), ask: side("0.06", 1_000n) },
    ]),
  );
  const [invalid, unpaid] = events.filter((event) => event.type === "QuoteRefused");
  assert.deepEqual(invalid, {
    ...{ type: "QuoteRefused", index: 1, side: "ask" },
    rejection: { code: "INVALID_PRICE", field: "price", details: {} },
  });
  // Ten bought at 0.04 with their fee are held back already.
  const { details, ...refused } = unpaid?.rejection ?? assert.fail();
  assert.deepEqual(
    [unpaid?.index, unpaid?.side, refused],
    [2, "ask", { code: "INSUFFICIENT_BALANCE" }],
  );
  assert.deepEqual(Object.keys(details ?? {}), ["requiredMicros", "availableMicros"]);
  assert.equal(details?.availableMicros, available(world.state, maker.id));
  assert.deepEqual(open(world, maker, one), []);
  assert.deepEqual(open(world, maker, two), ["BUY 1000 at 400"]);
});

test("an account that never ordered may quote, and names each market once or oftener", () => {
  const { world, maker, one } = stage();
  assert.equal(world.state.openOrders.get(maker.id), undefined);
  world.do(maker.actor, mass([quote(one, "0.04", null), quote(one, "0.03", null)]));
  assert.deepEqual(open(world, maker, one), ["BUY 1000 at 400", "BUY 1000 at 300"]);
});
