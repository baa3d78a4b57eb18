// The levels that commands tell, put in their places, are the books: for who follows the stream.
// Invariant: each level is told once a command, with the depth it has after it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejected } from "#core/outcome.ts";
import { Levels } from "./levels.ts";
import { RandomTrading } from "./random-trading.ts";
import { order, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

test("a command tells each level that it touches once: side, price, lots and orders", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const listing = world.listing("2025-04", layer);
  const told = (...[input, trader]: Parameters<World["order"]>) => {
    const events = world.do(trader.actor, { type: "PlaceOrder", order: input, listing });
    return events.flatMap((event) => {
      if (event.type !== "LevelChanged") return [];
      const { marketId, side, tick, openLots, orders } = event.level;
      assert.equal(marketId, listing.marketId);
      return [[side, tick, openLots, orders]];
    });
  };
  assert.deepEqual(told(order(listing, "SELL", "2", "0.05"), anna), [["ask", 500, 200n, 1]]);
  assert.deepEqual(told(order(listing, "SELL", "1", "0.05"), anna), [["ask", 500, 300n, 2]]);
  assert.deepEqual(told(order(listing, "SELL", "1", "0.06"), anna), [["ask", 600, 100n, 1]]);
  const [all, some, rest] = [
    ["ask", 500, 0n, 0],
    ["ask", 600, 50n, 1],
    ["bid", 600, 100n, 1],
  ];
  assert.deepEqual(told(order(listing, "BUY", "3.5", "0.06"), bela), [all, some]);
  assert.deepEqual(told(order(listing, "BUY", "1.5", "0.06"), bela), [["ask", 600, 0n, 0], rest]);
});

test("levels told in a random run add up to the books after every command", () => {
  const trading = new RandomTrading(9);
  const { world } = trading;
  world.judgesRefusals = false;
  const levels = new Levels();
  let told = 0;
  for (let at = 0; at < 500; at += 1) {
    const seen = world.journal.length;
    trading.next();
    for (const entry of world.journal.slice(seen)) {
      levels.fold(entry);
      const { outcome } = entry;
      if (isRejected(outcome)) continue;
      told += outcome.events.filter(({ type }) => type === "LevelChanged").length;
    }
    levels.compare(world.state);
  }
  assert.ok(told > 40, `${told} levels were told`);
});
