// A seller that is a large part of a market, or of a state, needs more margin for each lot beyond.
// Invariant: the share is of what was open at the last marks: no fill moves it, marks do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { micros, parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { ConcentrationRules } from "#core/rules.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { wordIn } from "#core/words/told.ts";
import { publishMarks } from "./publish-marks.ts";
import { setRules } from "./set-rules.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const PARTS = 20_000n;

/** Two institutional sellers and a buyer of all, in a market at 0.05 without stress. */
function stage(cash = "10000000") {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const [large, small] = [world.trader("large", cash), world.trader("small", cash)];
  const buyer = world.trader("buyer", cash);
  const sell = (by: Trader, amount: string): void => {
    const isListed = world.state.markets.has(listing.marketId);
    world.order(order(listing, "SELL", amount, "0.05"), by, isListed ? null : listing);
    world.order(order(listing, "BUY", amount, "0.05"), buyer);
  };
  return { world, listing, large, small, buyer, sell };
}

function mark(world: World, { marketId }: Listing, price = "0.05") {
  const marks = [{ marketId, markTick: tick(price), stressedTick: tick(price) }];
  return world.do(system, publishMarks(marks));
}

/** Beyond liabilities, whole USD parts exact. */
const maintenance = (world: World, { id }: Trader): bigint =>
  world.state.exposures.shortTotals(id).maintenanceParts / PARTS;
const initial = (world: World, { id }: Trader): bigint =>
  world.state.exposures.shortTotals(id).initialParts / PARTS;

test("the first seller of a market needs nothing more up to the floor, and then a tenth", () => {
  const { world, large, sell } = stage();
  sell(large, "100000");
  // A twentieth of 0.95 by the tier, and a cent of spread.
  assert.equal(maintenance(world, large), usd("5750"));
  sell(large, "50000");
  assert.equal(maintenance(world, large), usd("13625"), "8,625, and a tenth of 50,000");
  assert.equal(initial(world, large), usd("15781.25"), "five quarters of 8,625, and 5,000");
  assert.equal(world.state.exposures.locked(large.id), usd("23281.25"));
});

test("an order reserves what a fill of it would need, and no more than full collateral", () => {
  const { world, listing, large } = stage();
  world.order(order(listing, "SELL", "150000", "0.05"), large, listing);
  const { exposures } = world.state;
  // The premium, 7,500, comes in; the fee, a hundredth of 0.05 by half, goes out.
  assert.equal(exposures.locked(large.id), usd("15781.25") + usd("37.5"));
  setRules(world, { concentration: { rateBps: 10_000 } });
  const full = 50_000n * usd("0.95") + 100_000n * usd("0.071875");
  assert.equal(exposures.locked(large.id), full + usd("37.5"));
});

test("a share grows with what is open only at marks; fills of others take nothing away", () => {
  const { world, listing, large, small, sell } = stage();
  sell(large, "150000");
  sell(small, "850000");
  assert.equal(maintenance(world, large), usd("13625"), "as of the listing, nothing was open");
  const counted = mark(world, listing);
  assert.deepEqual(
    counted.filter(({ type }) => type === "OpenCounted" || type === "MarketMarked"),
    [
      {
        type: "OpenCounted",
        markets: [{ marketId: listing.marketId, openLots: 100_000_000n }],
        states: [{ stateId: "state:tx", openLots: 100_000_000n }],
      },
    ],
    "marks that stay are no event, what is open is one",
  );
  assert.equal(maintenance(world, large), usd("8625"), "a fifth of 1,000,000 is 200,000");
  assert.equal(maintenance(world, small), 850_000n * usd("0.0575") + 650_000n * usd("0.1"));
  assert.deepEqual(
    mark(world, listing).filter(({ type }) => type === "OpenCounted"),
    [],
    "said once",
  );
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state));
  assert.deepEqual(
    restored.exposures.shortTotals(small.id),
    world.state.exposures.shortTotals(small.id),
  );
});

/** Sells to the buyer in markets of places, and tells what the next marks count. */
function countStage() {
  const { world, listing, large, buyer } = stage();
  const at = (place: string, end: string): Listing => {
    world.place = nodeId(place);
    if (!world.state.chainPoints.has(`zhvi|${place}`)) world.print("2024-10", "300000");
    return world.listing(end, layer);
  };
  const sell = (where: Listing, amount: string, bought = amount): void => {
    world.order(order(where, "SELL", amount, "0.05"), large, where);
    if (bought !== "0") world.order(order(where, "BUY", bought, "0.05"), buyer);
  };
  const counted = () =>
    mark(world, listing).flatMap((event) =>
      event.type === "OpenCounted" ? [{ markets: event.markets, states: event.states }] : [],
    );
  return { world, listing, large, buyer, at, sell, counted };
}

test("rules that ask nothing of large sellers count nothing", () => {
  const { world, listing, sell, counted } = countStage();
  setRules(world, { concentration: { rateBps: 0 } });
  sell(listing, "10");
  assert.deepEqual(counted(), []);
});

test("what nobody holds any more is counted down, and leaves no record", () => {
  const { world, listing, large, buyer, sell, counted } = countStage();
  const { marketId } = listing;
  sell(listing, "10");
  const openLots = lots(1_000n);
  const of = (count: typeof openLots) => [
    {
      markets: [{ marketId, openLots: count }],
      states: [{ stateId: "state:tx", openLots: count }],
    },
  ];
  assert.deepEqual(counted(), of(openLots));
  assert.equal(world.state.market(marketId).markedOpenLots, openLots);
  world.order(order(listing, "SELL", "10", "0.05"), buyer);
  world.order(order(listing, "BUY", "10", "0.05"), large);
  assert.deepEqual(counted(), of(lots(0n)));
  assert.equal("markedOpenLots" in world.state.market(marketId), false);
  assert.deepEqual([...world.state.openByState], []);
  assert.deepEqual(counted(), []);
});

test("a market whose payout is known counts no more, in itself or in its state", () => {
  const { world, listing, at, sell, counted } = countStage();
  const later = at("state:tx", "2025-06");
  sell(listing, "10");
  sell(later, "4");
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "300000");
  assert.equal(world.state.market(listing.marketId).status, "RESOLVED");
  const openLots = lots(400n);
  assert.deepEqual(counted(), [
    {
      markets: [{ marketId: later.marketId, openLots }],
      states: [{ stateId: "state:tx", openLots }],
    },
  ]);
});

test("a place in no state counts in none; states are told as their first open markets are", () => {
  const { listing, at, sell, counted } = countStage();
  const [zip, california, texas] = [
    at("zip:77002", "2025-04"),
    at("state:ca", "2025-04"),
    at("state:tx", "2025-06"),
  ];
  sell(listing, "1", "0");
  sell(zip, "2");
  sell(california, "3");
  sell(texas, "4");
  const [{ states, markets } = assert.fail()] = counted();
  assert.deepEqual(
    markets.map(({ openLots }) => openLots),
    [200n, 300n, 400n],
  );
  assert.deepEqual(states, [
    { stateId: "state:ca", openLots: 300n },
    { stateId: "state:tx", openLots: 400n },
  ]);
});

test("others who leave make a seller large at the next marks: a call, and no default", () => {
  const { world, listing, large, small, sell, buyer } = stage();
  sell(large, "200000");
  sell(small, "800000");
  mark(world, listing);
  const kept = usd("10000") + usd("15000");
  world.fund(large, micros(kept - world.cash(large)));
  world.order(order(listing, "BUY", "800000", "0.05"), small);
  world.order(order(listing, "SELL", "800000", "0.05"), buyer);
  assert.equal(world.state.account(large.id).marginCall, undefined);
  mark(world, listing);
  const { marginCall, inDefault } = world.state.account(large.id);
  assert.ok(marginCall !== undefined && inDefault === undefined);
});

const changed: readonly (readonly [Partial<ConcentrationRules>, boolean])[] = [
  [{ rateBps: 1_001 }, true],
  [{ shareBps: 1_999 }, true],
  [{ floorMicros: usd("99999") }, true],
  [{ rateBps: 999, shareBps: 2_001, floorMicros: usd("100001") }, false],
  [{ rateBps: 0, floorMicros: usd("0") }, false],
];

test("two people announce what asks large sellers for more; less is in force at once", () => {
  for (const [concentration, isAnnounced] of changed) {
    const { world, large, sell } = stage();
    sell(large, "10");
    const waiting = wordIn("open", world.do(root, { type: "SetRules", rules: { concentration } }));
    assert.equal(waiting !== undefined, isAnnounced, JSON.stringify(Object.keys(concentration)));
  }
});

test("rules from before ask nobody; switched on, shares are of what is open at that moment", () => {
  const { world, large, small, sell } = stage();
  setRules(world, { concentration: { rateBps: 0 } });
  sell(large, "150000");
  sell(small, "850000");
  const plain = maintenance(world, large);
  assert.equal(plain, usd("8625"));
  setRules(world, { concentration: { rateBps: 1_000 } });
  assert.equal(maintenance(world, large), plain, "a fifth of what was open then");
  assert.equal(maintenance(world, small), 850_000n * usd("0.0575") + 650_000n * usd("0.1"));
});

/** The large seller is short of so much in each of as many markets of one state. */
function spread(amounts: readonly string[], others = "0") {
  const { world, listing, large, small, buyer } = stage();
  const listings = amounts.map((_, at) =>
    world.listing("2025-04", { kind: "binary", strikeBps: 500 + 100 * at }),
  );
  for (const [at, one] of listings.entries()) {
    world.order(order(one, "SELL", amounts[at] ?? "0", "0.05"), large, one);
    world.order(order(one, "BUY", amounts[at] ?? "0", "0.05"), buyer);
  }
  if (others !== "0") {
    world.order(order(listing, "SELL", others, "0.05"), small, listing);
    world.order(order(listing, "BUY", others, "0.05"), buyer);
  }
  return { world, large, small, listing, listings, buyer };
}

test("a seller of many markets of one state is large there, and in none of them", () => {
  const { world, large, listings, buyer } = spread(["80000", "80000", "80000"]);
  assert.equal(maintenance(world, large), 240_000n * usd("0.0575") + 140_000n * usd("0.1"));
  assert.equal(initial(world, large), 240_000n * usd("0.071875") + 140_000n * usd("0.1"));
  const cover = world.state.exposures.cover(large.id);
  assert.equal(cover, usd("12000") + initial(world, large));
  const [one] = listings;
  assert.ok(one !== undefined);
  world.order(order(one, "BUY", "80000", "0.05"), large);
  world.order(order(one, "SELL", "80000", "0.05"), buyer);
  assert.equal(maintenance(world, large), 160_000n * usd("0.0575") + 60_000n * usd("0.1"));
});

test("of a market that is large by itself no lot is asked for twice", () => {
  const { world, large } = spread(["150000", "50000"]);
  assert.equal(maintenance(world, large), 200_000n * usd("0.0575") + 100_000n * usd("0.1"));
});

test("a share of a state is of what was open there at the last marks, and is kept", () => {
  const { world, large, listing } = spread(["80000", "80000", "80000"], "960000");
  const [before] = [maintenance(world, large)];
  mark(world, listing);
  assert.equal(maintenance(world, large), 240_000n * usd("0.0575"), "a fifth of 1,200,000");
  assert.ok(before > maintenance(world, large));
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state));
  assert.deepEqual(restored.exposures.byColumn(large.id), world.state.exposures.byColumn(large.id));
  assert.deepEqual(restored.openByState, world.state.openByState);
});

test("orders reserve what a state needs, and what they free is known before they go", () => {
  const { world, large, listings } = spread(["60000", "40000"]);
  const [one] = listings;
  assert.ok(one !== undefined);
  const held = world.state.exposures.locked(large.id);
  const resting = world.order(order(one, "SELL", "50000", "0.2"), large);
  const { exposures } = world.state;
  // By the market alone its price covers it; of the state all of it is beyond: 0.221875 a lot.
  const more = 50_000n * (usd("0.221875") - usd("0.2")) + usd("50");
  assert.equal(exposures.locked(large.id) - held, more);
  assert.ok(exposures.holdsBack(world.state.order(resting.id), micros(held)));
  assert.equal(exposures.cover(large.id) - held, more);
});

test("others who leave the state call a seller whose own markets did not change", () => {
  const { world, large, small, listing, buyer } = spread(["80000", "80000", "80000"], "960000");
  mark(world, listing);
  const kept = usd("12000") + 240_000n * usd("0.0575") + usd("10000");
  world.fund(large, micros(kept - world.cash(large)));
  world.order(order(listing, "BUY", "960000", "0.05"), small);
  world.order(order(listing, "SELL", "960000", "0.05"), buyer);
  assert.equal(world.state.account(large.id).marginCall, undefined);
  mark(world, listing);
  assert.ok(
    world.state.account(large.id).marginCall !== undefined,
    "a tenth of 140,000 is lacking",
  );
});
