// The orders of an auction that may not all meet: those of accounts that came to one owner while
// they waited, and reduce-only ones that would take a position through flat. And of those that do:
// their fees, their limits, and what is noted of prices off the reference.
// Invariant: an owner never trades with itself, and a reduce-only order never opens a position.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLots } from "#base/quantity.ts";
import type { OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Order } from "#core/records.ts";
import { amendment, order, root, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const contracts = (text: string) => parseLots(text) ?? assert.fail(text);

/** Matching is held in a market that has an order; `end` lets all that waits meet. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const [first, second, other] = [
    world.trader("first", "1000"),
    world.trader("second", "1000"),
    world.trader("other", "1000"),
  ];
  const place = (
    who: Trader,
    side: "BUY" | "SELL",
    amount: string,
    price: string,
    more: Partial<OrderInput> = {},
  ) => world.order(order(listing, side, amount, price, more), who, listing);
  const hold = () => {
    place(other, "BUY", "0.01", "0.01");
    world.do(root, { type: "OpenWindow", index: "zhvi", reason: "the page is out" });
  };
  const join = () => world.join(second, first);
  const end = () => {
    const told: Event[] = [];
    world.runTo(world.nowMillis + 86_400_000 + 60_000, (_, events) => told.push(...events));
    return told;
  };
  const shown = ({ id }: Order) => {
    const { status, filledLots, cancelReason } = world.state.order(id);
    return [status, filledLots, cancelReason];
  };
  const heldBy = ({ id }: Trader) => world.state.position(id, listing.marketId)?.heldLots ?? 0n;
  return { world, listing, first, second, other, place, hold, join, end, shown, heldBy };
}

const own = [0n, "SELF_TRADE"] as const;

test("accounts of one owner do not meet: the later order's rule says which one goes", () => {
  for (const [rule, seller, buyer, traded] of [
    ["cancel_incoming", ["PARTIALLY_FILLED", contracts("5"), null], ["CANCELLED", ...own], "5"],
    ["cancel_resting", ["CANCELLED", ...own], ["OPEN", 0n, null], "0"],
    ["cancel_both", ["CANCELLED", ...own], ["CANCELLED", ...own], "0"],
  ] as const) {
    const { first, second, other, place, hold, join, end, shown, heldBy } = stage();
    hold();
    const sells = place(first, "SELL", "10", "0.40");
    const apart = place(first, "SELL", "10", "0.60");
    const buys = place(second, "BUY", "10", "0.50", { selfTradePrevention: rule });
    const low = place(second, "BUY", "1", "0.02");
    const fair = place(other, "BUY", "5", "0.45");
    join();
    end();
    assert.deepEqual(shown(sells), seller, rule);
    assert.deepEqual(shown(buys), buyer, rule);
    for (const one of [apart, low]) assert.deepEqual(shown(one), ["OPEN", 0n, null], rule);
    const rest = traded === "5" ? ["FILLED", contracts("5"), null] : ["OPEN", 0n, null];
    assert.deepEqual(shown(fair), rest, rule);
    const sum = traded === "5" ? contracts("5") : 0n;
    assert.deepEqual([heldBy(first), heldBy(second), heldBy(other)], [-sum, 0n, sum], rule);
  }
});

test("an owner's best bid is the one that would meet its offer, whatever it bids below", () => {
  const { first, second, other, place, hold, join, end, shown, heldBy } = stage();
  hold();
  place(other, "SELL", "1", "0.40");
  const offer = place(first, "SELL", "10", "0.45");
  const best = place(second, "BUY", "10", "0.50");
  const lower = place(second, "BUY", "1", "0.42");
  join();
  end();
  assert.deepEqual(shown(best), ["CANCELLED", ...own]);
  assert.deepEqual(shown(offer), ["OPEN", 0n, null]);
  assert.deepEqual(shown(lower), ["FILLED", contracts("1"), null]);
  assert.deepEqual([heldBy(first), heldBy(second)], [0n, contracts("1")]);
});

test("orders of strangers all meet, and so do an owner's that would not meet each other", () => {
  const { world, first, second, other, place, hold, join, end, shown } = stage();
  hold();
  const offer = place(first, "SELL", "3", "0.45");
  const bid = place(second, "BUY", "3", "0.42");
  const bought = place(other, "BUY", "3", "0.50");
  const sold = place(world.trader("fourth", "1000"), "SELL", "3", "0.41");
  join();
  end();
  for (const one of [bought, sold]) assert.deepEqual(shown(one), ["FILLED", contracts("3"), null]);
  for (const one of [bid, offer]) assert.deepEqual(shown(one), ["OPEN", 0n, null]);
});

test("an order stands in the way of its owner's in the same market alone", () => {
  const { world, first, second, other, place, hold, join, end, shown } = stage();
  hold();
  join();
  const elsewhere = world.listing("2025-06", layer);
  world.order(order(elsewhere, "SELL", "5", "0.40"), first, elsewhere);
  place(other, "SELL", "5", "0.45");
  const buys = place(second, "BUY", "5", "0.50");
  assert.equal(buys.status, "OPEN");
  end();
  assert.deepEqual(shown(buys), ["FILLED", contracts("5"), null]);
});

test("a stranger's better bid does not hide that an owner's bid would meet its own offer", () => {
  const { first, second, other, place, hold, join, end, shown } = stage();
  hold();
  const offer = place(first, "SELL", "10", "0.40");
  place(other, "BUY", "5", "0.60");
  const bid = place(second, "BUY", "5", "0.50");
  join();
  end();
  assert.deepEqual(shown(bid), ["CANCELLED", ...own]);
  assert.deepEqual(shown(offer), ["PARTIALLY_FILLED", contracts("5"), null]);
});

test("an owner's orders are looked at as they came: one that has left stops no later one", () => {
  const { first, second, place, hold, join, end, shown } = stage();
  hold();
  const bid = place(first, "BUY", "5", "0.50");
  const offer = place(second, "SELL", "5", "0.45");
  const later = place(first, "BUY", "5", "0.46");
  join();
  end();
  assert.deepEqual(shown(offer), ["CANCELLED", ...own]);
  for (const one of [bid, later]) assert.deepEqual(shown(one), ["OPEN", 0n, null]);
});

test("where an owner's orders were all that would meet, nothing trades", () => {
  for (const [rule, far] of [
    ["cancel_both", "none"],
    ["cancel_incoming", "none"],
    ["cancel_both", "bid"],
    ["cancel_both", "offer"],
  ] as const) {
    const { world, first, second, other, place, join, end, shown } = stage();
    world.do(root, { type: "OpenWindow", index: "zhvi", reason: "the page is out" });
    const bid = far === "bid" ? place(other, "BUY", "1", "0.01") : undefined;
    const offer = far === "offer" ? place(other, "SELL", "1", "0.99") : undefined;
    const sells = place(first, "SELL", "5", "0.40");
    const buys = place(second, "BUY", "5", "0.50", { selfTradePrevention: rule });
    join();
    end();
    assert.equal(world.state.fillCount, 0);
    assert.deepEqual(shown(buys), ["CANCELLED", ...own]);
    const [status] = shown(sells);
    assert.equal(status, rule === "cancel_both" ? "CANCELLED" : "OPEN", `${rule}, ${far}`);
    for (const one of [bid, offer]) if (one) assert.deepEqual(shown(one), ["OPEN", 0n, null]);
  }
});

test("while matching is held an order that rests meets its owner's as it comes, told once", () => {
  for (const timeInForce of ["GTC", "GTD"] as const) {
    const { world, listing, first, second, place, hold, join, shown } = stage();
    hold();
    join();
    const offer = place(first, "SELL", "5", "0.40");
    const expirySeconds = timeInForce === "GTD" ? world.nowMillis / 1000 + 3_600 : 0;
    const input = order(listing, "BUY", "5", "0.50", { timeInForce, expirySeconds });
    const told = world
      .do(second.actor, { type: "PlaceOrder", order: input, listing: null })
      .flatMap((event) => (event.type === "OrderChanged" ? [event.order] : []));
    const shownAs = told.map(({ status, cancelReason }) => [status, cancelReason]);
    assert.deepEqual(shownAs, [["CANCELLED", "SELF_TRADE"]], timeInForce);
    assert.deepEqual(shown(offer), ["OPEN", 0n, null]);
  }
});

test("while matching is held an order that may not rest takes out none of its owner's", () => {
  const { first, second, place, hold, join, shown } = stage();
  hold();
  join();
  const offer = place(first, "SELL", "5", "0.40");
  const buys = place(second, "BUY", "5", "0.50", {
    timeInForce: "IOC",
    selfTradePrevention: "cancel_both",
  });
  assert.deepEqual([buys.status, buys.cancelReason], ["CANCELLED", "UNFILLED_IMMEDIATE"]);
  assert.deepEqual(shown(offer), ["OPEN", 0n, null]);
});

test("of several orders of its owner's an order takes out the oldest first", () => {
  const { world, listing, first, second, place, hold, join } = stage();
  hold();
  join();
  const older = place(second, "SELL", "5", "0.40");
  const newer = place(first, "SELL", "5", "0.41");
  const input = order(listing, "BUY", "5", "0.50", { selfTradePrevention: "cancel_resting" });
  const told = world
    .do(first.actor, { type: "PlaceOrder", order: input, listing: null })
    .flatMap((event) => (event.type === "OrderChanged" ? [event.order] : []))
    .flatMap(({ id, cancelReason }) => (cancelReason === "SELF_TRADE" ? [id] : []));
  assert.deepEqual(told, [older.id, newer.id]);
});

test("a reduce-only order gives what is held when its turn comes, and the rest of it goes", () => {
  const { first, second, other, place, hold, end, shown, heldBy } = stage();
  place(other, "SELL", "10", "0.05");
  place(first, "BUY", "10", "0.05");
  hold();
  const reduces = place(first, "SELL", "10", "0.05", { reduceOnly: true });
  const plain = place(first, "SELL", "6", "0.04");
  const buys = place(second, "BUY", "30", "0.06");
  const late = place(other, "SELL", "2", "0.06");
  end();
  assert.deepEqual(shown(plain), ["FILLED", contracts("6"), null]);
  const [status, filled] = shown(reduces);
  assert.deepEqual([status === "OPEN", filled], [false, contracts("4")]);
  assert.deepEqual(shown(late), ["FILLED", contracts("2"), null]);
  assert.deepEqual(shown(buys), ["PARTIALLY_FILLED", contracts("12"), null]);
  assert.deepEqual([heldBy(first), heldBy(second)], [0n, contracts("12")]);
});

test("a reduce-only order buys a short back as far as it goes, at the auction's price", () => {
  const { world, first, second, other, place, hold, end, shown, heldBy } = stage();
  place(first, "SELL", "4", "0.05");
  place(other, "BUY", "4", "0.05");
  hold();
  const before = world.cash(first);
  const reduces = place(first, "BUY", "4", "0.08", { reduceOnly: true });
  const more = place(first, "BUY", "1", "0.09");
  place(second, "SELL", "20", "0.06");
  end();
  assert.equal(heldBy(first), 0n);
  assert.deepEqual(shown(more), ["FILLED", contracts("1"), null]);
  assert.equal(shown(reduces)[1], contracts("3"));
  assert.equal(heldBy(second), -contracts("4"));
  assert.ok(world.cash(first) < before, "it paid for what it bought");
});

test("a reduce-only order that meets two others gives to both", () => {
  const { first, second, other, place, hold, end, shown, heldBy } = stage();
  place(other, "SELL", "10", "0.05");
  place(first, "BUY", "10", "0.05");
  hold();
  const reduces = place(first, "SELL", "10", "0.05", { reduceOnly: true });
  for (const [who, amount] of [
    [second, "4"],
    [other, "6"],
  ] as const) {
    place(who, "BUY", amount, "0.06");
  }
  end();
  assert.deepEqual(shown(reduces), ["FILLED", contracts("10"), null]);
  assert.deepEqual([heldBy(first), heldBy(second)], [0n, contracts("4")]);
});

test("a reduce-only order that meets nobody is cut to what the auction has left to reduce", () => {
  const { world, first, second, other, place, hold, end } = stage();
  place(other, "SELL", "10", "0.05");
  place(first, "BUY", "10", "0.05");
  hold();
  const sells = place(first, "SELL", "10", "0.90", { reduceOnly: true });
  const buys = place(other, "BUY", "10", "0.01", { reduceOnly: true });
  place(first, "SELL", "6", "0.05");
  place(other, "BUY", "3", "0.07");
  place(second, "BUY", "3", "0.06");
  end();
  const { amountLots } = world.state.order(sells.id);
  assert.equal(amountLots, contracts("4"), "of the one who sold first");
  assert.equal(world.state.order(buys.id).amountLots, contracts("7"), "and of the one who bought");
});

test("fills of an auction count in the group of the order that was there first", () => {
  const { world, first, second, other, place, hold, end, shown } = stage();
  hold();
  const limits = { withinMillis: 1_000, maxLots: null, maxFills: 1 };
  world.do(first.actor, { type: "SetGroup", group: "texas", ...limits });
  place(first, "SELL", "5", "0.40", { group: "texas" });
  const far = place(first, "SELL", "5", "0.90", { group: "texas" });
  const apart = place(first, "SELL", "5", "0.90");
  place(second, "BUY", "2", "0.50");
  place(other, "BUY", "2", "0.50");
  end();
  assert.deepEqual(shown(far), ["CANCELLED", 0n, "PROTECTION"]);
  assert.deepEqual(shown(apart), ["OPEN", 0n, null]);
});

test("the fee of the later order is rounded up, and down where it was filled before", () => {
  const { world, first, second, other, place, hold, end } = stage();
  const rest = place(second, "BUY", "0.02", "0.3");
  place(other, "SELL", "0.01", "0.3");
  hold();
  for (const who of [first, other]) place(who, "SELL", "0.01", "0.31");
  // An amended price loses its place: it comes later than the offers.
  world.do(second.actor, amendment({ orderId: rest.id, price: { tick: tick("0.4") } }));
  const whole = place(second, "BUY", "0.01", "0.4");
  // Half a percent of 3,100 micro-dollars is 15.5.
  const fees = feesIn(end());
  assert.deepEqual([fees.get(rest.id), fees.get(whole.id)], [15n, 16n]);
});

test("a price off the reference is noted with the one before it, in an auction its own", () => {
  const { first, second, other, place, hold, end } = stage();
  place(first, "SELL", "1", "0.05");
  place(other, "BUY", "1", "0.05");
  hold();
  for (const who of [first, second]) place(who, "SELL", "1", "0.50");
  for (const _ of [1, 2]) place(other, "BUY", "1", "0.50");
  const lastTicks = end().flatMap((event) =>
    event.type === "FillStrayed" ? [event.stray.lastTick] : [],
  );
  assert.deepEqual(lastTicks, [tick("0.05"), tick("0.50")]);
});

/** Of each order, over both shares. */
function feesIn(events: readonly Event[]): ReadonlyMap<string, bigint> {
  const fees = new Map<string, bigint>();
  for (const event of events) {
    if (event.type !== "Posted") continue;
    const { reason, reference, amountMicros } = event.posting;
    if (reason !== "fee" && reason !== "fee-share") continue;
    fees.set(reference, (fees.get(reference) ?? 0n) + amountMicros);
  }
  return fees;
}
