// A stage for default auctions: a seller who fails at a mark of 0.23, and two who bid.
// Invariant: the fund asks 278.50 for its 1,000 contracts; the seller has 50 more than `cash`.
import assert from "node:assert/strict";
import { auctionId } from "#base/ids.ts";
import { type Micros, parseMicros } from "#base/money.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { endCalls } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;
export const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
/** A Wednesday. */
export const WEDNESDAY = Date.UTC(2024, 11, 4, 15);
export const FIRST = auctionId("auc-1");

/** 1,000 short at 0.05 with 50 more than `cash`; at 0.23 it owes 230 and the fund asks 278.50. */
export function stage(cash = "230", listings = 1) {
  const world = new World();
  world.nowMillis = WEDNESDAY;
  world.print("2024-10", "300000");
  const seller = world.trader("seller", cash, "enhanced");
  const maker = world.trader("maker", "100000");
  const [one, two] = [world.trader("one", "5000"), world.trader("two", "5000")];
  const [listing, other] = [world.listing("2025-04", layer), world.listing("2025-06", binary)];
  const sell = (where: Listing, amount: string) => {
    world.order(order(where, "SELL", amount, "0.05"), seller, where);
    world.order(order(where, "BUY", amount, "0.05"), maker);
  };
  sell(listing, "1000");
  if (listings === 2) sell(other, "10");
  const mark = (price: string, where: Listing = listing) => {
    const marks = { markTick: tick(price), stressedTick: tick(price) };
    return world.do(system, publishMarks([{ marketId: where.marketId, ...marks }]));
  };
  const bid = (who: Trader, amount: string) =>
    world.try(who.actor, { type: "PlaceBid", auctionId: FIRST, amountMicros: usd(amount) });
  const refusedAs = (who: Trader, amount: string) => {
    const outcome = bid(who, amount);
    return "rejection" in outcome ? outcome.rejection.code : undefined;
  };
  const fail = () => {
    mark("0.23");
    endCalls(world);
  };
  const held = (who: Pick<Trader, "id">, where: Listing = listing) =>
    world.state.position(who.id, where.marketId)?.heldLots ?? 0n;
  return { world, seller, maker, one, two, listing, other, mark, bid, refusedAs, fail, held };
}
