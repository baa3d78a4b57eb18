// One protection, born, traded, settled and paid, in the core alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { order, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (dollars: number): bigint => micros(BigInt(Math.round(dollars * 1e6)));

/** The commands that fell due up to a moment. */
function runTo(world: World, millis: number): string[] {
  const given: string[] = [];
  world.runTo(millis, (command) => given.push(command.type));
  return given;
}

test("a layer that is half used pays half, to the micro-dollar", () => {
  const world = new World();
  world.requireInFull();
  world.print("2024-10", "300000");
  const hedger = world.trader("hedger", "1000");
  const seller = world.trader("seller", "1000");
  const listing = world.listing("2025-04", layer);

  const sold = world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  assert.equal(sold.status, "OPEN");
  assert.equal(world.available(seller), usd(1000 - 95) - 25_000n * 1n);
  const bought = world.order(order(listing, "BUY", "100", "0.06"), hedger);
  assert.equal(bought.status, "FILLED");
  // 100 contracts at 0.05 and the taker's fee of 0.5 % of 0.05 × 100.
  assert.equal(world.cash(hedger), usd(1000 - 5 - 0.025));
  assert.equal(world.cash(seller), usd(1005));
  assert.equal(world.available(seller), usd(1005 - 100));

  const given = runTo(world, Date.UTC(2025, 4, 20));
  assert.deepEqual(given, ["Forget", "AwaitRelease", "EndWindow", "CloseTrading"]);
  // A rescale by 1 % on the way: the chain falls 6 %, the raw prints by 5.06 %.
  world.print("2025-04", "284820", "303000");
  const market = world.state.market(listing.marketId);
  assert.equal(market.status, "RESOLVED");
  assert.equal(market.resolution?.payoutMillionths, 500_000);
  assert.equal(market.resolution?.comparisonValueE15, 303_000n * 10n ** 15n);

  const later = runTo(world, Date.UTC(2025, 4, 23));
  assert.deepEqual(later, ["FinalizeMarket"]);
  assert.equal(world.cash(hedger), usd(1000 - 5 - 0.025 + 50));
  assert.equal(world.cash(seller), usd(1005 - 50));
  assert.equal(world.state.balance(`market:${listing.marketId}`), 0n);
  assert.equal(world.available(seller), usd(955));
});

test("a snapshot restores a state that goes on alike", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const hedger = world.trader("hedger", "1000");
  const seller = world.trader("seller", "1000");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  world.order(order(listing, "SELL", "10", "0.05"), seller);
  world.order(order(listing, "BUY", "30", "0.05"), hedger);
  const copy = decodeState(encodeState(world.state));
  assert.equal(stateHash(copy), stateHash(world.state));
  assert.equal(copy.exposures.locked(seller.id), world.state.exposures.locked(seller.id));
  assert.equal(copy.book(listing.marketId).bestAsk(), 500);
});
