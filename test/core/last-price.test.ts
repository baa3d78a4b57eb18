// A market's last price: told with the fill that changed it, and by nothing else.
// Invariant: it is the price of the newest fill, in YES terms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setRules } from "./set-rules.ts";
import { order, tick, World } from "./world.ts";

test("the last price is that of the newest fill; one at the same price moves nothing", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const listing = world.listing("2025-04", { kind: "binary", strikeBps: 500 });
  const last = () => world.state.market(listing.marketId).lastTick;
  for (const price of ["0.05", "0.05", "0.06"]) {
    world.order(order(listing, "SELL", "1", price), anna, listing);
  }
  assert.equal(last(), null);
  const told = (amount: string, outcomeIndex: 0 | 1, price: string): number => {
    const command = {
      type: "PlaceOrder",
      order: order(listing, outcomeIndex === 0 ? "BUY" : "SELL", amount, price, { outcomeIndex }),
      listing: null,
    } as const;
    world.nowMillis += 1;
    const events = world.do(bela.actor, command);
    assert.ok(!events.some(({ type }) => type === "MarketChanged"), "its record is not told anew");
    return events.filter(({ type }) => type === "MarketTraded").length;
  };
  // Once an order, with its fees: over however many fills.
  assert.equal(told("1", 0, "0.05"), 1);
  assert.equal(last(), tick("0.05"));
  assert.equal(world.state.market(listing.marketId).tradedSinceMark, true);
  assert.equal(world.state.market(listing.marketId).updatedAtMillis, world.nowMillis);
  assert.equal(told("1", 0, "0.05"), 1);
  assert.equal(told("1", 1, "0.94"), 1);
  assert.equal(last(), tick("0.06"));
});

test("a trade tells each position once, and the one who pays a fee once more", () => {
  for (const [feeBps, payer] of [
    [0, []],
    [50, ["bela"]],
  ] as const) {
    const world = new World();
    world.print("2024-10", "300000");
    const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
    setRules(world, { tiers: { institutional: { feeBps } } });
    const listing = world.listing("2025-04", { kind: "binary", strikeBps: 500 });
    world.order(order(listing, "SELL", "1", "0.05"), anna, listing);
    const input = order(listing, "BUY", "1", "0.05");
    const told = world
      .do(bela.actor, { type: "PlaceOrder", order: input, listing: null })
      .flatMap((event) => (event.type === "PositionChanged" ? [event.position.accountId] : []))
      .map((id) => world.state.account(id).name);
    assert.deepEqual(told, ["bela", "anna", ...payer]);
  }
});
