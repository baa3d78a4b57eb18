// Listing: what an operator may list, what an order may, and the short name a market gets.
// Invariant: a market is listed once, on terms that its id says, of a month that is not over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, nodeId } from "#base/ids.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { Baseline, Payoff } from "#contract/terms.ts";
import type { Command } from "#core/command.ts";
import { putMarket } from "#core/fold.ts";
import { MOST_OTHER_LISTINGS, MOST_UNFILLED_LISTINGS } from "#core/leaving.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;
const above = (text: string): Payoff => ({
  kind: "level",
  comparator: "gte",
  thresholdE15: parsePrintValue(text) ?? assert.fail(text),
});

const list = (listing: Listing, frontendId: string | null = null): Command => ({
  type: "ListMarket",
  listing,
  frontendId,
});

/** A place with one print, 300,000 in October 2024. */
function stage(): World {
  const world = new World();
  world.print("2024-10", "300000");
  return world;
}

const nameOf = (world: World, { marketId: id }: Listing) => world.state.market(id).frontendId;

test("a market without a name is numbered, past every number that is taken", () => {
  const world = stage();
  const [first, second, third, fourth] = ["310000", "320000", "330000", "340000"].map((threshold) =>
    world.listing("2025-04", above(threshold)),
  );
  assert.ok(first && second && third && fourth);
  world.do(root, list(first, "mkt-002"));
  world.do(root, list(second));
  assert.equal(nameOf(world, second), "mkt-003", "the second, but 2 is taken");
  world.do(root, list(third, "texas"));
  world.do(root, list(fourth));
  assert.equal(nameOf(world, fourth), "mkt-004");
  assert.equal(nameOf(world, third), "texas");
});

test("a market is listed once, and so is a name", () => {
  const world = stage();
  const listing = world.listing("2025-04", above("310000"));
  const other = world.listing("2025-04", above("320000"));
  world.do(root, list(listing, "texas"));
  assert.deepEqual(world.refused(root, list(listing, "ohio")), { code: "MARKET_EXISTS" });
  assert.deepEqual(world.refused(root, list(other, "texas")), {
    code: "MARKET_EXISTS",
    field: "frontendId",
  });
  world.do(root, list(other, "ohio"));
});

test("an operator lists levels, under the id their terms give, and declines are an order's", () => {
  const world = stage();
  const level = world.listing("2025-04", above("310000"));
  const decline = world.listing("2025-04", layer);
  const unknown = { code: "MARKET_NOT_FOUND" };
  assert.deepEqual(world.refused(root, list(decline)), unknown);
  assert.deepEqual(world.refused(root, list({ ...level, marketId: marketId("lvl") })), unknown);
  const { baseline } = decline.terms;
  const based = { ...level, terms: { ...level.terms, baseline } };
  const named = { ...based, marketId: marketIdOf(based.terms) };
  assert.deepEqual(world.refused(root, list(named)), unknown, "a level starts from nothing");
  const succeeded = { ...level, terms: { ...level.terms, successor: nodeId("state:ca") } };
  assert.deepEqual(world.refused(root, list(succeeded)), unknown, "nor has it a successor");
  world.do(root, list(level));
});

test("an operator lists where something is printed, and until the month is over", () => {
  const elsewhere = stage();
  const listing = elsewhere.listing("2025-04", above("310000"));
  const terms = { ...listing.terms, nodeId: nodeId("state:oh") };
  const moved = { ...listing, terms, marketId: marketIdOf(terms) };
  assert.deepEqual(elsewhere.refused(root, list(moved)), {
    code: "LISTING_STALE",
    field: "geoNodeId",
  });
  const late = stage();
  late.nowMillis = Date.UTC(2025, 4, 1);
  assert.deepEqual(late.refused(root, list(late.listing("2025-04", above("310000")))), {
    code: "LISTING_STALE",
    field: "measurementMonth",
  });
  const early = stage();
  early.nowMillis = Date.UTC(2025, 4, 1) - 1;
  early.do(root, list(early.listing("2025-04", above("310000"))));
});

test("an order lists a decline only from the newest first print, whole", () => {
  const world = stage();
  const anna = world.trader("anna", "100");
  const listing = world.listing("2025-04", binary);
  const { baseline } = listing.terms;
  assert.ok(baseline !== null);
  const older = world.observe("2024-09", "1").month;
  const other = parsePrintValue("300001") ?? assert.fail();
  world.nowMillis = Date.UTC(2024, 11, 20);
  world.print("2024-11", "301000");
  const newest = world.listing("2025-04", binary);
  const right = newest.terms.baseline ?? assert.fail();
  const wrongs: readonly Partial<Baseline>[] = [
    { month: older },
    { valueE15: other },
    { levelE12: baseline.levelE12 },
    { releaseId: baseline.releaseId },
  ];
  for (const wrong of wrongs) {
    const terms = { ...newest.terms, baseline: { ...right, ...wrong } };
    const stale = { ...newest, terms, marketId: marketIdOf(terms) };
    const input = order(stale, "BUY", "1", "0.05");
    const refusal = world.refused(anna.actor, { type: "PlaceOrder", order: input, listing: stale });
    assert.equal(refusal.code, "LISTING_STALE", Object.keys(wrong).join());
  }
  const terms = { ...newest.terms, baseline: null };
  const bare = { ...newest, terms };
  const input = order(bare, "BUY", "1", "0.05");
  const refusal = world.refused(anna.actor, { type: "PlaceOrder", order: input, listing: bare });
  assert.equal(refusal.code, "MARKET_NOT_FOUND", "a decline starts from a print");
  const misnamed = { ...newest, marketId: marketId("another") };
  const named = order(misnamed, "BUY", "1", "0.05");
  const wrong = world.refused(anna.actor, { type: "PlaceOrder", order: named, listing: misnamed });
  assert.equal(wrong.code, "MARKET_NOT_FOUND", "its terms say its id");
  world.order(order(newest, "BUY", "1", "0.05"), anna, newest);
});

/** An account with a standard series that nobody trades, at a print that ends a quarter. */
function lister() {
  const world = new World();
  world.runTo(Date.UTC(2025, 0, 19));
  world.print("2024-12", "300000");
  const anna = world.trader("anna", "100");
  const standard = (at: number) =>
    world.listing(`${2025 + at}-12`, { kind: "layered", attachBps: 500, exhaustBps: 1500 });
  world.order(order(standard(0), "BUY", "0.01", "0.05"), anna, standard(0));
  const mine = world.state.listingsOf.get(anna.id) ?? assert.fail();
  return { world, anna, standard, mine };
}

test("the markets of a batch count with those that wait for a trade already", () => {
  const { world, anna, standard, mine } = lister();
  for (let at = mine.size; at < MOST_UNFILLED_LISTINGS - 1; at += 1) mine.add(marketId(`as-${at}`));
  const listings = [standard(1), standard(2)];
  const orders = listings.map((one) => order(one, "BUY", "0.01", "0.05"));
  const batch = { type: "PlaceBatch", orders, listings } as const;
  assert.deepEqual(world.refused(anna.actor, batch), {
    code: "LISTING_CAP",
    field: "marketId",
    details: { allowed: MOST_UNFILLED_LISTINGS, index: 1 },
  });
  world.order(order(standard(0), "BUY", "0.01", "0.04"), anna, standard(0));
  world.do(anna.actor, { ...batch, orders: orders.slice(0, 1) });
});

test("standard series do not count among the few others that an account may list", () => {
  const { world, anna, standard, mine } = lister();
  const { marketId: id } = standard(0);
  for (let at = 1; at <= MOST_OTHER_LISTINGS; at += 1) {
    const like = { id: marketId(`like-${at}`), frontendId: `like-${at}` };
    putMarket(world.state, { ...world.state.market(id), ...like });
    mine.add(like.id);
  }
  const other = (at: number) =>
    world.listing("2025-07", { kind: "binary", strikeBps: 100 * (at + 1) });
  const listings = Array.from({ length: MOST_OTHER_LISTINGS + 1 }, (_, at) => other(at));
  const orders = listings.map((one) => order(one, "BUY", "0.01", "0.05"));
  assert.deepEqual(world.refused(anna.actor, { type: "PlaceBatch", orders, listings }), {
    code: "SERIES_NOT_STANDARD",
    field: "marketId",
    details: { allowed: MOST_OTHER_LISTINGS, index: MOST_OTHER_LISTINGS },
  });
});
