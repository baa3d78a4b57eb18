// A stage for claims that the guarantee fund cannot pay in full: markets that one release ends.
// Invariant: each market has one buyer, and all cash that comes to a buyer here is of its claim.
import assert from "node:assert/strict";
import { type AccountId, type MarketId, nodeId } from "#base/ids.ts";
import { micros, parseMicros } from "#base/money.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { putMarket } from "#core/fold.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { endDefaults } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
export const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
export const places = ["state:al", "state:nv", "state:or", "state:wy"] as const;

interface Part {
  readonly place: (typeof places)[number];
  /** Contracts that the failing seller sold, and that a seller with all the money for it sold. */
  readonly weak: number;
  readonly sound: number;
  /** The print of the end, of 300,000. */
  readonly print: number;
  readonly disputed?: boolean;
  /** Nobody trades it; it is paused, so that it stays until its print. */
  readonly untraded?: boolean;
}

interface Ended {
  readonly world: World;
  readonly listings: readonly Listing[];
  readonly buyers: readonly Trader[];
  /** The one that pays for all it sold. */
  readonly sound: Trader;
  readonly operator: Trader;
  /** The cash of each buyer before anything was paid. */
  readonly before: readonly bigint[];
}

/**
 * Every part is a market with a buyer of its own; the fund has taken the weak seller's shorts, also
 * those in a market beside that ends later. The fund has at least so much.
 */
export function resolved(
  parts: readonly Part[],
  fund: string,
  beside?: { readonly place: Part["place"]; readonly weak: number },
): Ended {
  const world = new World();
  world.judgesRefusals = false;
  const at = (place: string) => {
    world.place = nodeId(place);
  };
  for (const place of places) {
    at(place);
    world.print("2024-10", "300000");
  }
  const weak = world.trader("weak", "500", "institutional");
  const sound = world.trader("sound", "20000", "institutional");
  const operator = world.open("operator", "operator");
  const buyers = parts.map((_, index) => world.trader(`b${index}`, "5000"));
  const sell = (listing: Listing, seller: Trader, buyer: Trader, amount: number) => {
    if (amount === 0) return;
    world.order(order(listing, "SELL", String(amount), "0.05"), seller, listing);
    world.order(order(listing, "BUY", String(amount), "0.05"), buyer);
  };
  const listings = parts.map(({ place, ...part }, index) => {
    at(place);
    const listing = world.listing("2025-04", layer);
    const buyer = buyers[index] ?? assert.fail();
    sell(listing, weak, buyer, part.weak);
    sell(listing, sound, buyer, part.sound);
    if (part.untraded === true) {
      const { marketId } = listing;
      world.order(order(listing, "SELL", "1", "0.9"), sound, listing);
      world.do(root, { type: "PauseMarket", marketId, reason: "a drill" });
    }
    return listing;
  });
  const later: Listing[] = [];
  if (beside !== undefined) {
    at(beside.place);
    const listing = world.listing("2025-12", layer);
    sell(listing, weak, sound, beside.weak);
    later.push(listing);
  }
  const marks = [...listings, ...later].map(({ marketId }) => ({
    marketId,
    markTick: tick("0.3"),
    stressedTick: tick("0.6"),
  }));
  world.do(system, publishMarks(marks));
  endDefaults(world);
  assert.equal(world.state.account(weak.id).halted, true, "the weak seller failed");
  const had = world.state.balance("guarantee");
  const extra = usd(fund) - had;
  if (extra > 0n)
    world.do(root, { type: "FundGuarantee", amountMicros: micros(extra), memo: null });
  world.runTo(Date.UTC(2025, 4, 20));
  const seen = parts.map(({ place, print }) => {
    at(place);
    return world.observe("2025-04", String(print));
  });
  world.do(root, world.release(...seen));
  const { id: inspector } = world.open("inspector", "operator");
  for (const [index, { disputed }] of parts.entries()) {
    const { marketId } = listings[index] ?? assert.fail();
    if (disputed !== true) continue;
    dispute(world, inspector, marketId);
  }
  const before = buyers.map((buyer) => world.cash(buyer));
  return { world, listings, buyers, sound, operator, before };
}

/** Put there without its bond, so that all cash here is of claims. */
function dispute({ state, nowMillis }: World, openedBy: AccountId, id: MarketId): void {
  const market = state.market(id);
  const { resolution } = market;
  assert.ok(resolution !== null && market.status === "RESOLVED");
  const remainingMillis = resolution.disputeWindowEndsAtMillis - nowMillis;
  const record = { openedBy, reason: "why", evidence: null, openedAtMillis: nowMillis };
  putMarket(state, {
    ...market,
    dispute: { ...record, remainingMillis, bondMicros: micros(0n) },
    resolution: { ...resolution, disputedBy: [openedBy] },
  });
}

/** Two operators let every disputed resolution stand; then all of it is paid. */
export function uphold(ended: Ended): void {
  const { world, listings } = ended;
  for (const [at, { marketId }] of listings.entries()) {
    if (world.state.market(marketId).dispute !== null) decide(ended, at);
  }
  world.runTo(world.nowMillis + 4 * DAY);
}

/** Two operators let the disputed resolution of a part stand, or amend it to a value. */
export function decide({ world, listings, operator }: Ended, part: number, value?: string): void {
  const { marketId } = listings[part] ?? assert.fail();
  const valueE15 = value === undefined ? null : (parsePrintValue(value) ?? assert.fail(value));
  const decision = valueE15 === null ? "uphold" : "amend";
  for (const by of [root, operator.actor]) {
    world.do(by, { type: "DecideDispute", marketId, decision, valueE15, evidence: null });
  }
}

export const paidTo = ({ world, buyers, before }: Ended): readonly bigint[] =>
  buyers.map((buyer, index) => world.cash(buyer) - (before[index] ?? 0n));

export const DAY = 86_400_000;
export const endOfWindow = Date.UTC(2025, 4, 23);
