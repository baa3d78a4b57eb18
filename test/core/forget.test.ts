// The records that leave the state, when, and what stays: an order leaves a day after it is done,
// one that never filled in its own command, a market nobody trades a day after its last order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Command, OrderInput } from "#core/command.ts";
import { nextDueMillis } from "#core/due.ts";
import { MOST_FORGOTTEN, MOST_OTHER_LISTINGS, MOST_UNFILLED_LISTINGS } from "#core/leaving.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { assertSameState } from "./same-state.ts";
import { amendment, order, type Trader, tick, World } from "./world.ts";

const DAY = 86_400_000;
const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

/** A market with a trade in it: it is nobody's listing any more. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "1000");
  const bela = world.trader("bela", "1000");
  const listing = world.listing("2025-06", layer);
  world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  world.order(order(listing, "SELL", "1", "0.05"), bela);
  return { world, anna, bela, listing };
}

type Stage = ReturnType<typeof stage>;

const place = ({ world, listing }: Stage, trader: Trader, options: Partial<OrderInput> = {}) =>
  world.order(order(listing, "BUY", "1", "0.05", options), trader);

const tryPlace = ({ world, listing }: Stage, trader: Trader, options: Partial<OrderInput>) => {
  const placed: Command = {
    type: "PlaceOrder",
    order: order(listing, "BUY", "1", "0.05", options),
    listing: null,
  };
  const outcome = world.try(trader.actor, placed);
  return isRejected(outcome) ? outcome.rejection.code : "placed";
};

const cancel = ({ world }: Stage, trader: Trader, id: string) =>
  world.do(trader.actor, { type: "CancelOrder", orderId: orderId(id) });

test("a done order stays a day, to the minute, and is then no order any more", () => {
  const scene = stage();
  const { world, anna } = scene;
  world.runTo(world.nowMillis + 2 * DAY);
  assert.equal(world.state.orders.size, 0, "the two that filled have left");
  world.nowMillis += 30_000;
  const { id } = place(scene, anna);
  cancel(scene, anna, id);
  const doneMillis = world.nowMillis;
  world.runTo(doneMillis + DAY - 1);
  assert.ok(world.state.orders.has(id), "for a day");
  world.runTo(doneMillis + DAY + 60_000);
  assert.ok(!world.state.orders.has(id));
  assert.equal(world.state.orderCount, 3, "its number is taken");
  for (const command of [
    { type: "CancelOrder", orderId: id },
    { type: "AmendOrder", orderId: id, price: null, amountLots: null, expirySeconds: 0 },
    { type: "CancelOrder", orderId: orderId("ord-1") },
  ] as const) {
    assert.equal(world.refused(anna.actor, command).code, "ORDER_DONE");
  }
  for (const other of ["ord-4", "ord-0", "ord-03", "ord--1", "ord-1e0", "ord-"]) {
    const code = world.refused(anna.actor, { type: "CancelOrder", orderId: orderId(other) }).code;
    assert.equal(code, "ORDER_NOT_FOUND", other);
  }
  const next = place(scene, anna);
  assert.deepEqual([next.id, next.rank], ["ord-4", 4], "neither number nor rank is given twice");
});

test("an order that never filled nor rested leaves in its own command", () => {
  const scene = stage();
  const { world, anna, bela, listing } = scene;
  const before = stateHash(world.state);
  const ioc = { timeInForce: "IOC" } as const;
  const cases: readonly Partial<OrderInput>[] = [ioc, { timeInForce: "FOK" }];
  for (const options of cases) {
    const { id } = place(scene, anna, options);
    assert.ok(!world.state.orders.has(id) && !world.state.done.has(id));
  }
  world.order(order(listing, "SELL", "1", "0.06"), bela);
  const crossing = order(listing, "BUY", "1", "0.06", { postOnly: true });
  assert.ok(!world.state.orders.has(world.order(crossing, anna).id), "post-only that would cross");
  const part = world.order(order(listing, "BUY", "2", "0.06", ioc), anna);
  assert.ok(world.state.orders.has(part.id), "one that filled in part stays its day");
  assert.notEqual(stateHash(world.state), before);
  assert.equal(world.state.orderCount, 7);
});

test("an order that ends unfilled in an amendment stays its day, as one that has rested", () => {
  const scene = stage();
  const { world, anna, bela, listing } = scene;
  world.order(order(listing, "SELL", "1", "0.07"), bela);
  world.order(order(listing, "SELL", "1", "0.06"), anna);
  const { id } = place(scene, anna);
  world.do(anna.actor, amendment({ orderId: id, price: { tick: tick("0.06") } }));
  const { status, cancelReason } = world.state.order(id);
  assert.deepEqual([status, cancelReason], ["CANCELLED", "SELF_TRADE"]);
  assert.ok(world.state.done.has(id));
});

test("a clientOrderId is taken while its order is open and for a day after", () => {
  const scene = stage();
  const { world, anna, bela } = scene;
  const named = { clientOrderId: "a" } as const;
  const unfilled = { clientOrderId: "b", timeInForce: "IOC" } as const;
  const { id } = place(scene, anna, named);
  world.runTo(world.nowMillis + 3 * DAY);
  assert.equal(tryPlace(scene, anna, named), "CLIENT_ORDER_ID_USED", "open for three days");
  cancel(scene, anna, id);
  assert.equal(tryPlace(scene, anna, unfilled), "placed");
  assert.equal(tryPlace(scene, bela, unfilled), "placed", "another account's own");
  const copy = decodeState(encodeState(world.state));
  assertSameState(copy, world.state);
  assert.equal(copy.spentIds.size, 2);
  world.runTo(world.nowMillis + DAY - 1);
  for (const options of [named, unfilled]) {
    assert.equal(tryPlace(scene, anna, options), "CLIENT_ORDER_ID_USED");
  }
  const gone = world.refused(anna.actor, { type: "CancelOrder", clientOrderId: "b" });
  assert.equal(gone.code, "ORDER_DONE");
  world.runTo(world.nowMillis + 60_000);
  for (const options of [named, unfilled]) assert.equal(tryPlace(scene, anna, options), "placed");
  assert.equal(world.state.spentIds.size, 1, "only the one that is spent anew");
});

test("many that are done at once leave in several entries, and none twice", () => {
  const scene = stage();
  const { world, anna } = scene;
  world.judgesRefusals = false;
  world.runTo(world.nowMillis + 2 * DAY);
  const count = MOST_FORGOTTEN + 10;
  const template = place(scene, anna, { timeInForce: "GTC" });
  cancel(scene, anna, template.id);
  const record = world.state.order(template.id);
  // The state after orders of that many commands, without waiting for them.
  for (let number = 1_000; number < 1_000 + count - 1; number += 1) {
    const id = orderId(`ord-${number}`);
    world.state.orders.set({ ...record, id });
    world.state.done.set(id, world.nowMillis);
  }
  const forgotten: string[] = [];
  const sizes: number[] = [];
  world.runTo(world.nowMillis + 2 * DAY, (_, events) => {
    for (const event of events) {
      if (event.type !== "OrdersForgotten") continue;
      forgotten.push(...event.orderIds);
      sizes.push(event.orderIds.length);
    }
  });
  assert.deepEqual(sizes, [MOST_FORGOTTEN, 10]);
  assert.equal(new Set(forgotten).size, count);
  assert.equal(world.state.orders.size, 0);
});

test("a market listed by an order leaves a day after its last order, unless it was traded", () => {
  const { world, anna, bela, listing: traded } = stage();
  const listing = world.listing("2025-07", layer);
  const { id } = world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  world.runTo(world.nowMillis + 3 * DAY);
  const { frontendId } = world.state.market(listing.marketId);
  world.do(anna.actor, { type: "CancelOrder", orderId: id });
  world.runTo(world.nowMillis + DAY - 1);
  const again = world.order(order(listing, "BUY", "1", "0.05"), anna);
  world.runTo(world.nowMillis + 2 * DAY);
  assert.ok(world.state.markets.has(listing.marketId), "an order keeps it");
  world.do(anna.actor, { type: "CancelOrder", orderId: again.id });
  world.runTo(world.nowMillis + DAY + 60_000);
  assert.ok(!world.state.markets.has(listing.marketId));
  assert.ok(world.state.markets.has(traded.marketId), "one with positions stays");
  assert.equal(world.state.listings.size + world.state.idle.size, 0);
  const relisted = world.listing("2025-07", layer);
  world.order(order(relisted, "BUY", "1", "0.05"), anna, relisted);
  const market = world.state.market(listing.marketId);
  assert.notEqual(market.frontendId, frontendId, "a name is never another market's");
  world.order(order(relisted, "SELL", "1", "0.05"), bela);
  assert.equal(world.state.listings.size, 0, "traded, it is nobody's listing");
  world.runTo(Date.UTC(2025, 7, 2));
  assert.equal(world.state.market(listing.marketId).tradingClosed, true, "and closes once");
});

test("a market listed anew on other terms waits for these, not for the ones before", () => {
  for (const laterDays of [0, 1]) {
    const { world, anna, bela } = stage();
    const listing = world.listing("2025-07", layer);
    const { id } = world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
    world.do(anna.actor, { type: "CancelOrder", orderId: id });
    world.runTo(world.nowMillis + 2 * DAY);
    assert.ok(!world.state.markets.has(listing.marketId), "nobody traded it");
    const drawn = world.listing("2025-07", layer);
    const expectedAtMillis = drawn.terms.expectedAtMillis + laterDays * DAY;
    const relisted = { ...drawn, terms: { ...drawn.terms, expectedAtMillis } };
    assert.equal(relisted.marketId, listing.marketId);
    world.order(order(relisted, "BUY", "1", "0.05"), anna, relisted);
    world.order(order(relisted, "SELL", "1", "0.05"), bela);
    const taken: string[] = [];
    const dueMillis = expectedAtMillis + 60 * DAY;
    const run = (toMillis: number) =>
      world.runTo(toMillis, (command) => {
        if ("marketId" in command && command.marketId === relisted.marketId) {
          taken.push(command.type);
        }
      });
    run(dueMillis - 1);
    assert.deepEqual(taken, ["CloseTrading"]);
    run(dueMillis);
    assert.deepEqual(taken, ["CloseTrading", "BeginFallback"]);
  }
});

test("an account lists so many markets that nobody trades, and others list theirs", () => {
  const { world, anna, bela } = stage();
  world.judgesRefusals = false;
  world.runTo(Date.UTC(2025, 0, 19));
  world.print("2024-12", "300000");
  const others = (at: number) =>
    world.listing("2025-07", { kind: "binary", strikeBps: 100 + at * 100 });
  const standard = (at: number) =>
    world.listing(`${2025 + at}-12`, { kind: "layered", attachBps: 500, exhaustBps: 1500 });
  const ioc = { timeInForce: "IOC" } as const;
  const codeOf = (trader: Trader, listing: Listing) => {
    const command = {
      type: "PlaceOrder" as const,
      order: order(listing, "BUY", "0.01", "0.0001", ioc),
      listing,
    };
    const outcome = world.try(trader.actor, command);
    return isRejected(outcome) ? outcome.rejection.code : "placed";
  };
  for (let at = 0; at < MOST_OTHER_LISTINGS; at += 1) {
    assert.equal(codeOf(anna, others(at)), "placed");
  }
  assert.equal(codeOf(anna, others(50)), "SERIES_NOT_STANDARD");
  assert.equal(codeOf(anna, standard(0)), "placed", "a standard one is none of those");
  assert.equal(codeOf(bela, others(50)), "placed");
  assert.equal(codeOf(anna, others(50)), "placed", "in a market that another account listed");
  // A place has nine standard series at a time: the rest is as good as listed.
  for (let at = MOST_OTHER_LISTINGS + 1; at < MOST_UNFILLED_LISTINGS; at += 1) {
    world.state.listingsOf.get(anna.id)?.add(marketId(`as-good-as-${at}`));
  }
  assert.equal(codeOf(anna, standard(1)), "LISTING_CAP");
  assert.equal(codeOf(bela, standard(1)), "placed");
});

test("from a print that has no standard series an account lists as many of any other", () => {
  const { world, anna } = stage();
  // October: the newest print ends no quarter.
  for (let at = 0; at <= MOST_OTHER_LISTINGS; at += 1) {
    const listing = world.listing("2025-07", { kind: "binary", strikeBps: 100 + at * 100 });
    world.order(order(listing, "BUY", "0.01", "0.0001"), anna, listing);
  }
});

test("a batch counts the series it would list, and one that is traded counts no more", () => {
  const world = new World();
  world.runTo(Date.UTC(2025, 0, 19));
  world.print("2024-12", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const listings = Array.from({ length: MOST_OTHER_LISTINGS + 1 }, (_, at) =>
    world.listing("2025-07", { kind: "binary", strikeBps: 100 + at * 100 }),
  );
  const batch = (count: number) => {
    const orders = listings.slice(0, count).map((one) => order(one, "BUY", "0.01", "0.05"));
    return { type: "PlaceBatch" as const, orders, listings };
  };
  const { code, details } = world.refused(anna.actor, batch(listings.length));
  assert.deepEqual(
    { code, details },
    {
      code: "SERIES_NOT_STANDARD",
      details: { allowed: MOST_OTHER_LISTINGS, index: MOST_OTHER_LISTINGS },
    },
  );
  world.do(anna.actor, batch(MOST_OTHER_LISTINGS));
  const [first, last] = [listings.at(0), listings.at(-1)];
  assert.ok(first !== undefined && last !== undefined);
  assert.equal(refused(world, anna, last), "SERIES_NOT_STANDARD");
  world.order(order(first, "SELL", "0.01", "0.05"), bela);
  assert.equal(refused(world, anna, last), undefined, "one has found its other side");
});

function refused(world: World, trader: Trader, listing: Listing): string | undefined {
  const sent = order(listing, "BUY", "0.01", "0.05");
  const outcome = world.try(trader.actor, { type: "PlaceOrder", order: sent, listing });
  return isRejected(outcome) ? outcome.rejection.code : undefined;
}

test("a snapshot forgets nothing of what is to leave: each later entry is decided alike", () => {
  const scene = stage();
  const { world, anna } = scene;
  const { id } = place(scene, anna, { clientOrderId: "x" });
  cancel(scene, anna, id);
  place(scene, anna, { clientOrderId: "y", timeInForce: "IOC" });
  const idle = world.listing("2025-08", layer);
  world.order(order(idle, "BUY", "1", "0.05", { timeInForce: "IOC" }), anna, idle);
  const copy = decodeState(encodeState(world.state));
  assertSameState(copy, world.state);
  const from = world.journal.length;
  world.runTo(world.nowMillis + 2 * DAY);
  place(scene, anna, { clientOrderId: "x" });
  for (const { envelope, outcome, sequence } of world.journal.slice(from)) {
    assert.deepEqual(apply(copy, envelope, sequence), outcome);
  }
  assertSameState(copy, world.state);
  assert.equal(stateHash(copy), stateHash(world.state));
});

test("orders that expire in a hundred years and are cancelled leave nothing that waits", () => {
  const scene = stage();
  const { world, anna } = scene;
  world.judgesRefusals = false;
  const { due } = world.state;
  const lasting = { timeInForce: "GTD", expirySeconds: world.nowMillis / 1000 + 3e9 } as const;
  for (let count = 0; count < 1_500; count += 1) {
    const { id } = place(scene, anna, lasting);
    cancel(scene, anna, id);
    nextDueMillis(world.state);
  }
  assert.ok(due.size < 1_200, `${due.size} items`);
});
