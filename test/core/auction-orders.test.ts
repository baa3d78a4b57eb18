// The orders of an auction that may not all meet: those of accounts that came to one owner while
// they waited, and reduce-only ones that would take a position through flat.
// Invariant: an owner never trades with itself, and a reduce-only order never opens a position.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLots } from "#base/quantity.ts";
import type { OrderInput } from "#core/command.ts";
import type { Order } from "#core/records.ts";
import { order, root, type Trader, World } from "./world.ts";

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
  const join = () => world.do(root, { type: "SetOwner", accountId: second.id, owner: first.id });
  const end = () => world.runTo(world.nowMillis + 86_400_000 + 60_000);
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
  const { world, first, second, other, listing, place, join } = stage();
  join();
  const elsewhere = world.listing("2025-06", layer);
  world.order(order(elsewhere, "SELL", "5", "0.40"), first, elsewhere);
  place(other, "SELL", "5", "0.45");
  const buys = world.order(order(listing, "BUY", "5", "0.50"), second);
  assert.equal(buys.status, "FILLED");
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
