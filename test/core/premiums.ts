// A market with something for sale, and a buyer who pays for it over time.
// Invariant: whoever buys here owes by the exchange's own terms.
import assert from "node:assert/strict";
import { parseMicros } from "#base/money.ts";
import type { Acceptance, PremiumStructure } from "#core/acceptance/records.ts";
import { order, type Trader, tick, World } from "./world.ts";

export const DAY_MILLIS = 86_400_000;
export const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
export const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

interface Scene {
  readonly world: World;
  readonly buyer: Trader;
  readonly seller: Trader;
  readonly marketId: ReturnType<World["listing"]>["marketId"];
}

/** A seller of 100 contracts at 0.10, a buyer with `cash`. */
export function scene(cash: string): Scene {
  const world = new World();
  world.print("2024-10", "300000");
  world.lend("100000");
  const seller = world.trader("seller", "1000");
  const buyer = world.trader("buyer", cash);
  const listing = world.listing("2025-12", layer, "0.10");
  world.order(order(listing, "SELL", "100", "0.10"), seller, listing);
  return { world, buyer, seller, marketId: listing.marketId };
}

export function accept(
  { world, buyer, marketId }: Scene,
  structure: PremiumStructure,
  price = "0.10",
): Acceptance {
  const immediate = { timeInForce: "IOC" } as const;
  const events = world.do(buyer.actor, {
    type: "AcceptQuote",
    order: order({ marketId }, "BUY", "100", price, immediate),
    listing: null,
    structure,
    referenceTick: tick("0.9999"),
  });
  const changed = events.findLast((event) => event.type === "AcceptanceChanged");
  return changed?.acceptance ?? assert.fail("an acceptance");
}

export const installments = {
  kind: "installments",
  downPaymentBps: 2_000,
  months: 2,
  aprBps: 900,
} as const;
export const NOW = Date.UTC(2024, 10, 20);
export const atFunding = {
  kind: "at_funding",
  fundsAtMillis: NOW + 30 * DAY_MILLIS,
  aprBps: 600,
} as const;
