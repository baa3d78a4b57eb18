// An exchange opened from a snapshot beside one that never stopped: its orders are loaded all at
// once, where the other was told of them one by one.
// Invariant: both write the same bytes and answer the same about margin, whenever it was opened.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, marketId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { apply } from "#core/apply.ts";
import { encode } from "#core/codec.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { noConcentration } from "#core/rules.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import type { ExposureSums, State } from "#core/state.ts";
import { holding, market, me, quote } from "./exposure-records.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

const answersOf = (exposures: ExposureSums, id: AccountId) => ({
  totals: exposures.totals(id),
  shortTotals: exposures.shortTotals(id),
  shorts: exposures.shorts(id),
  byColumn: exposures.byColumn(id),
  cover: exposures.cover(id),
  locked: exposures.locked(id),
});

const answersIn = ({ accounts, exposures }: State) =>
  [...accounts.keys()].map((id) => ({ id, ...answersOf(exposures, id) }));

/** Trades, cancels, marks, an expiry and a settlement among traders whose orders rest in both. */
function life() {
  const world = new World();
  world.print("2024-10", "300000");
  const [near, far] = [world.listing("2024-11", layer), world.listing("2025-06", layer, "0.05")];
  const [maker, taker, asleep, large] = ["maker", "taker", "asleep", "large"].map((name) =>
    world.trader(name, "1000000"),
  );
  assert.ok(maker && taker && asleep && large);
  const sell = (by: Trader, listing: typeof near, amount: string, price: string) => {
    const isListed = world.state.markets.has(listing.marketId);
    return world.order(order(listing, "SELL", amount, price), by, isListed ? null : listing);
  };
  const mark = (price: string): void => {
    const marks = [near, far].map((listing) => ({
      marketId: listing.marketId,
      markTick: tick(price),
      stressedTick: tick(price),
    }));
    world.do(system, publishMarks(marks));
  };
  for (const listing of [near, far]) {
    for (const price of ["0.05", "0.06", "0.07"]) sell(maker, listing, "20", price);
    sell(asleep, listing, "30", "0.60");
    world.order(order(listing, "BUY", "10", "0.01"), asleep);
    world.order(order(listing, "BUY", "5", "0.05"), taker);
  }
  sell(large, far, "150000", "0.50");
  const lasting = {
    timeInForce: "GTD",
    expirySeconds: world.nowMillis / 1000 + 3_600,
  } as const;
  world.order(order(far, "BUY", "7", "0.02", lasting), asleep);
  const kept = sell(maker, far, "3", "0.90");
  const steps = [
    () => world.order(order(far, "BUY", "25", "0.06"), taker),
    () => mark("0.20"),
    () => world.do(maker.actor, { type: "CancelOrder", orderId: kept.id }),
    () => world.runTo(lasting.expirySeconds * 1_000 + 1),
    () => world.do(root, { type: "HaltAccount", accountId: maker.id, reason: "drill" }),
    () => world.runTo(Date.UTC(2024, 11, 20)),
    () => world.print("2024-11", "270000"),
    () => world.runTo(world.nowMillis + 40 * 86_400_000),
    () => mark("0.30"),
    () => world.order(order(far, "SELL", "4", "0.01"), taker),
  ];
  return { world, steps };
}

test("opened before any of these steps, it writes the bytes of one that never stopped", () => {
  const { world, steps } = life();
  const opened: { readonly lines: readonly string[]; readonly entries: number }[] = [];
  for (const step of steps) {
    opened.push({ lines: encodeState(world.state), entries: world.journal.length });
    step();
  }
  const types = new Set(world.journal.map(({ envelope }) => envelope.command.type));
  for (const type of ["AcceptRelease", "ExpireOrder", "FinalizeMarket", "PublishMarks"] as const) {
    assert.ok(types.has(type), type);
  }
  for (const { lines, entries } of opened) {
    const state = decodeState(lines);
    for (const { envelope, outcome, sequence } of world.journal.slice(entries)) {
      assert.equal(encode(apply(state, envelope, sequence)), encode(outcome), `at ${sequence}`);
    }
    assert.deepEqual(answersIn(state), answersIn(world.state), `opened at ${entries}`);
    assert.equal(stateHash(state), stateHash(world.state));
  }
});

const rates = {
  feeBps: 10,
  requirementBps: 500,
  concentration: { ...noConcentration, rateBps: 1_000, floorMicros: micros(1_000_000n) },
};

const orders = [
  quote("L", "SELL", "0.05", 5n),
  quote("L", "BUY", "0.05", 3n),
  quote("M", "SELL", "0.05", 7n),
];

/** The same orders, loaded on one side and each told on the other. */
function twoOf() {
  const make = () => {
    const told: AccountId[] = [];
    const exposures = new Exposures((account) => told.push(account));
    exposures.ratesChanged(me, rates);
    for (const name of ["L", "M", "N"]) exposures.marketChanged(market(name, "0.05"));
    return { exposures, told };
  };
  const [loaded, told] = [make(), make()];
  loaded.exposures.ordersLoaded(orders);
  for (const one of orders) told.exposures.orderChanged(undefined, one);
  loaded.told.length = 0;
  told.told.length = 0;
  return { loaded, told };
}

const changes: Readonly<Record<string, (exposures: Exposures) => void>> = {
  "nothing at all": () => undefined,
  "a mark": (exposures) => exposures.marketChanged(market("L", "0.4")),
  "a mark of a market it holds a part of": (exposures) => {
    exposures.positionChanged(holding("L", -4n, -4_000n));
    exposures.marketChanged(market("L", "0.4"));
  },
  "a position that comes and goes, and a mark": (exposures) => {
    exposures.positionChanged(holding("L", 4n, 4_000n));
    exposures.positionChanged(holding("L", 0n, 0n));
    exposures.marketChanged(market("L", "0.4"));
  },
  "a count of its state": (exposures) => exposures.statesCounted([nodeId("state:tx")]),
  "other rates": (exposures) => exposures.ratesChanged(me, { ...rates, feeBps: 90 }),
  "a quote for a request": (exposures) =>
    exposures.reserve(me, { reservedMicros: micros(5n), sells: new Map([[marketId("M"), true]]) }),
  "an order that goes": (exposures) => {
    const [sold] = orders;
    assert.ok(sold !== undefined);
    exposures.orderChanged(sold, { ...sold, status: "CANCELLED", cancelReason: "REQUESTED" });
  },
};

for (const [words, change] of Object.entries(changes)) {
  test(`orders that were loaded: ${words} leaves them as if each was told`, () => {
    const { loaded, told } = twoOf();
    for (const { exposures } of [loaded, told]) change(exposures);
    assert.deepEqual(loaded.told, told.told, "judged alike");
    assert.deepEqual(answersOf(loaded.exposures, me), answersOf(told.exposures, me));
    for (const side of [loaded, told]) side.told.length = 0;
    for (const { exposures } of [loaded, told]) {
      for (const name of ["L", "M", "N"]) exposures.marketChanged(market(name, "0.5"));
    }
    assert.deepEqual(loaded.told, told.told, "marks reach it afterwards");
    assert.deepEqual(answersOf(loaded.exposures, me), answersOf(told.exposures, me));
  });
}
