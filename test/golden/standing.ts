// Mandates set, met, changed, lowered, run out and cancelled, among others' orders; then requests
// for quotes, and webhooks.
// Invariant: a fill of each side, one that its budget cuts, and one by a fill-or-kill.
import assert from "node:assert/strict";
import {
  type MarketId,
  mandateId,
  nodeId,
  type RfqId,
  rfqId,
  rfqQuoteId,
  webhookId,
} from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Entry } from "#core/outcome.ts";
import { order, system, type Trader, tick, World } from "#test/core/world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;

const terms: MandateTerms = {
  scope: {
    ...{ index: "zhvi", places: [nodeId("state:tx")], levels: ["zip"], payoffs: [layer] },
    ...{ minMonths: 1, maxMonths: 36 },
  },
  ...{ side: "SELL", spreadTicks: 120, spreadTicksPerYear: 35, collateral: "margin" },
  ...{
    mostInMarketLots: lots(50_000n),
    mostInStateLots: lots(60_000n),
    mostInAllLots: lots(60_000n),
  },
  expirySeconds: 0,
};

export function standing(): readonly Entry[] {
  const world = new World();
  world.place = nodeId("zip:78701");
  world.print("2024-10", "300000");
  const [maker, other] = [world.trader("maker", "900"), world.trader("other", "5000")];
  const buyer = world.trader("buyer", "5000");
  const within = [nodeId("state:tx"), nodeId("county:48453")];
  const near = { ...world.listing("2025-10", layer), within };
  const far = { ...world.listing("2026-10", layer), within };
  const set = (who: Trader, more: Partial<MandateTerms>, id: string | null = null) => {
    const named = id === null ? null : mandateId(id);
    world.do(who.actor, { type: "SetMandate", mandateId: named, terms: { ...terms, ...more } });
  };
  set(maker, {});
  set(other, { spreadTicks: 120, collateral: "full" });
  set(other, { side: "BUY", spreadTicks: 40 });
  world.order(order(near, "SELL", "20", "0.0655"), other, near);
  world.order(order(near, "BUY", "640", "0.08"), buyer, near);
  world.order(order(far, "BUY", "33.33", "0.08", { timeInForce: "FOK" }), buyer, far);
  world.order(order(near, "SELL", "12.5", "0.01"), buyer);
  set(maker, { spreadTicks: 90 }, "mnd-1");
  const limits = {
    mostInMarketLots: lots(50_100n),
    mostInStateLots: lots(1n),
    mostInAllLots: lots(70_000n),
  };
  world.do(other.actor, { type: "LowerMandate", mandateId: mandateId("mnd-2"), ...limits });
  const buy = order(near, "BUY", "5", "0.09");
  world.do(buyer.actor, { type: "PlaceBatch", orders: [buy, buy], listings: [] });
  requote(world, other, near.marketId, far.marketId);
  set(other, { expirySeconds: Math.floor(world.nowMillis / 1000) + 60 });
  world.runTo(world.nowMillis + 60_000);
  world.do(maker.actor, { type: "CancelMandates", mandateId: mandateId("mnd-1") });
  world.do(other.actor, { type: "CancelMandates", mandateId: null });
  assert.equal(world.state.mandates.size, 0);
  assert.ok(world.state.fillCount >= 5);
  askAround(world, near, [buyer, maker, other]);
  sendEvents(world, maker);
  return world.journal;
}

/** Three requests for quotes: one filled, one that runs out with its quote, and one cancelled. */
function askAround(world: World, listing: Listing, traders: readonly [Trader, Trader, Trader]) {
  const [buyer, maker, other] = traders;
  const payoff = { kind: "layered", attachBps: 300, exhaustBps: 1100 } as const;
  const bespoke = { ...world.listing("2025-10", payoff), within: listing.within ?? [] };
  const legs = [listing, bespoke].map((one) => ({ listing: one, amountLots: lots(1_000n) }));
  const closesAtMillis = world.nowMillis + 60_000;
  const validUntilMillis = closesAtMillis + 60_000;
  const open = { type: "OpenRfq", legs, side: "BUY", audience: null, closesAtMillis } as const;
  for (let times = 0; times < 3; times += 1) world.do(buyer.actor, open);
  const [first, second, third] = ["rfq-1", "rfq-2", "rfq-3"].map(rfqId);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const quote = (who: Trader, id: RfqId, price: string) =>
    world.do(who.actor, { type: "QuoteRfq", rfqId: id, ticks: [tick(price)], validUntilMillis });
  quote(maker, first, "0.09");
  quote(other, first, "0.08");
  quote(other, second, "0.07");
  const quoteId = rfqQuoteId("rqt-1");
  const ticks = [tick("0.07"), tick("0.09")];
  world.do(maker.actor, { type: "ImproveQuote", quoteId, ticks, validUntilMillis: null });
  world.do(buyer.actor, { type: "AcceptRfq", rfqId: first, quoteId });
  world.do(buyer.actor, { type: "CancelRfq", rfqId: third });
  world.runTo(validUntilMillis);
}

/** Twice: the second takes all of the first back, and is refused in one of its markets. */
function requote(world: World, { actor }: Trader, near: MarketId, far: MarketId): void {
  const side = (price: string) => ({ priceTick: tick(price), amountLots: lots(250n) });
  const expirySeconds = 0;
  const first = { marketId: near, bid: side("0.02"), ask: side("0.5"), expirySeconds };
  const second = { marketId: far, bid: null, ask: side("0.4"), expirySeconds };
  const offGrid = { ...second, bid: { ...side("0.03"), priceTick: null } };
  world.do(actor, { type: "MassQuote", quotes: [first, second], listings: [] });
  world.do(actor, { type: "MassQuote", quotes: [{ ...first, bid: null }, offGrid], listings: [] });
  const limits = { withinMillis: 250, maxLots: lots(100n), maxFills: null };
  world.do(actor, { type: "SetGroup", group: "texas", ...limits });
  const grouped = { ...second, ask: side("0.6"), group: "texas", cancelOnRelease: true } as const;
  world.do(actor, { type: "MassQuote", quotes: [grouped], listings: [] });
  world.do(actor, { type: "CancelAll", marketId: null, only: { group: "texas" } });
  world.do(actor, { type: "ResetGroup", group: "texas" });
}

/** A webhook from its setting to its end, given up and replayed in between. */
function sendEvents(world: World, { id: accountId, actor }: Trader): void {
  const id = { webhookId: webhookId("whk-0123456789abcdef") };
  const url = "https://desk.example/hook";
  world.do(actor, { type: "SetWebhook", ...id, url, types: ["fill"], salt: "one" });
  const run = world.sequence;
  world.do(actor, { type: "RotateWebhook", ...id, salt: "two" });
  const given = { accountId, run, cause: "failing", fault: "HTTP 503" } as const;
  world.do(system, { type: "SuspendWebhook", ...id, ...given });
  world.do(actor, { type: "ReplayWebhook", ...id, afterSequence: 3 });
  const other = { webhookId: webhookId("whk-fedcba9876543210") };
  world.do(actor, { type: "SetWebhook", ...other, url, types: null, salt: "three" });
  world.do(actor, { type: "RemoveWebhook", ...other });
}
