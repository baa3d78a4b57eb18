// A market and an order to draw others from.
// Invariant: the exchange itself has made them.
import type { Market, Order } from "#core/records.ts";
import { order, World } from "./world.ts";

/** The records of a layered market and of an order in it, made by the exchange itself. */
export function exampleRecords(): { readonly market: Market; readonly order: Order } {
  const world = new World();
  world.print("2024-10", "300000");
  const someone = world.trader("someone", "100");
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
  const placed = world.order(order(listing, "BUY", "1", "0.05"), someone, listing);
  return { market: world.state.market(listing.marketId), order: placed };
}
