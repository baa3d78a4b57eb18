// The auditor over auctions that are told it from a journal: who takes each is what it foretells,
// and where the core decides otherwise it says so.
// Invariant: nothing is drawn; a story is one auction, and ends with the case it is there for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { auctionId } from "#base/ids.ts";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { GUARANTEE } from "#core/step.ts";
import { endAuctions, endCalls } from "#test/core/end-calls.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "#test/core/world.ts";
import { Auditor } from "./auditor.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;
const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
const FIRST = auctionId("auc-1");
const HOUR_MILLIS = 3_600_000;

/** An auction of a thousand short at 0.23, and 7 of another, that any of three may bid for. */
class Story {
  readonly world = new World();
  readonly listing: Listing;
  readonly other: Listing;
  readonly seller: Trader;
  readonly maker: Trader;
  readonly bidders: readonly [Trader, Trader, Trader];

  constructor() {
    const { world } = this;
    // A Wednesday.
    world.nowMillis = Date.UTC(2024, 11, 4, 15);
    world.print("2024-10", "300000");
    this.seller = world.trader("seller", "260", "enhanced");
    this.maker = world.trader("maker", "100000");
    const bidder = (name: string): Trader => world.trader(name, "5000", "enhanced");
    this.bidders = [bidder("one"), bidder("two"), bidder("three")];
    this.listing = world.listing("2025-04", layer);
    this.other = world.listing("2025-06", binary);
    world.lend("1000");
    this.sell(this.seller, this.listing, "1000", "0.05");
    this.sell(this.seller, this.other, "7.77", "0.0333");
  }

  sell(to: Trader, listing: Listing, amount: string, price: string): void {
    this.world.order(order(listing, "SELL", amount, price), to, listing);
    this.world.order(order(listing, "BUY", amount, price), this.maker);
  }

  fail(): void {
    const marked = { markTick: tick("0.23"), stressedTick: tick("0.23") };
    const marks = [{ marketId: this.listing.marketId, ...marked }];
    this.world.do(system, publishMarks(marks));
    endCalls(this.world);
  }

  bid({ actor }: Trader, amount: string): void {
    this.world.do(actor, { type: "PlaceBid", auctionId: FIRST, amountMicros: usd(amount) });
  }

  /** All but a dollar: fees are paid of it. */
  empty(from: Trader): void {
    this.world.fund(from, micros(usd("1") - this.world.available(from)));
  }

  /** Everything is as the auditor has it, and the taker holds the positions. */
  end(taker: Pick<Trader, "id">, ...cases: readonly string[]): void {
    endAuctions(this.world);
    const auditor = new Auditor();
    for (const entry of this.world.journal) auditor.follow(entry);
    auditor.compareAll(this.world.state);
    for (const entry of this.world.journal.slice(-1)) auditor.compare(this.world.state, entry);
    const { heldLots } = this.world.state.position(taker.id, this.other.marketId) ?? assert.fail();
    assert.equal(heldLots, -777n, "the taker has all of it");
    const met = [...auditor.met].filter((one) => one !== "bid passed over");
    assert.deepEqual(met.sort(), [...cases].sort());
  }
}

const fund = { id: GUARANTEE };

test("the least of the bids, of equal ones the earlier", () => {
  const story = new Story();
  const [one, two, three] = story.bidders;
  story.fail();
  story.bid(one, "251");
  story.bid(three, "240.000001");
  story.bid(two, "240");
  story.bid(three, "240");
  story.end(two, "the least of bids won", "the earlier of equal bids won");
});

test("a bidder without the margin any more, the next behind a halted one", () => {
  const story = new Story();
  const [one, two, three] = story.bidders;
  story.fail();
  story.bid(one, "10");
  story.bid(two, "20");
  story.bid(three, "250");
  story.empty(one);
  story.world.do(root, { type: "HaltAccount", accountId: two.id, reason: null });
  const passed = ["bid passed over: margin", "bid passed over: standing"];
  story.end(three, "the only bid won", ...passed);
});

test("a bidder beyond a limit that was lowered", () => {
  const story = new Story();
  const [one, two] = story.bidders;
  story.world.approve(one, "institutional");
  story.fail();
  story.bid(one, "10");
  story.bid(two, "20");
  const { tiers } = story.world.state.rules;
  const institutional = { ...tiers.institutional, maxOpenPositions: 1 };
  story.world.do(root, { type: "SetRules", rules: { tiers: { ...tiers, institutional } } });
  story.end(two, "the only bid won", "bid passed over: limit");
});

test("a bidder behind with a premium that it was lent, and nobody else: the fund", () => {
  const story = new Story();
  const { world, listing, maker } = story;
  const [one] = story.bidders;
  // The positions close those it holds, and need no margin.
  world.order(order(listing, "SELL", "1000", "0.05"), maker);
  world.order(order(listing, "BUY", "1000", "0.05"), one);
  story.fail();
  story.bid(one, "10");
  // Elsewhere: nobody takes shorts of what a loan of its own still stands on.
  const lent = world.listing("2025-07", layer);
  world.order(order(lent, "SELL", "100", "0.2"), maker, lent);
  const marked = { markTick: tick("0.23"), stressedTick: tick("0.23") };
  world.do(system, publishMarks([{ marketId: lent.marketId, ...marked }]));
  story.empty(one);
  const structure = {
    ...({ kind: "at_funding", aprBps: 600 } as const),
    fundsAtMillis: world.nowMillis + HOUR_MILLIS,
  } as const;
  const bought = order(lent, "BUY", "100", "0.2", { timeInForce: "IOC" });
  const referenceTick = tick("0.3");
  world.do(one.actor, {
    type: "AcceptQuote",
    order: bought,
    listing: lent,
    structure,
    referenceTick,
  });
  story.end(fund, "no bid held", "bid passed over: credit");
});

test("a bidder whose orders the positions cut, so that its margin is enough to the cent", () => {
  const story = new Story();
  const { world, listing, maker } = story;
  const [one] = story.bidders;
  story.sell(maker, listing, "1", "0.05");
  world.order(order(listing, "SELL", "50", "0.06"), maker);
  world.order(order(listing, "BUY", "50", "0.06"), one);
  world.order(order(listing, "SELL", "50", "0.9", { reduceOnly: true }), one);
  story.fail();
  story.bid(one, "250");
  story.end(one, "the only bid won");
});
