// The subjects of the audit trail's rows: two accounts, a market, a release, an order, amounts.
// Invariant: the market can be listed, and the release accepted, as the commands name them.
import assert from "node:assert/strict";
import { accountId, auctionId, mandateId, nodeId, releaseId, webhookId } from "#base/ids.ts";
import { micros, parseMicros } from "#base/money.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { lots } from "#base/quantity.ts";
import type { MandateScope, MandateTerms } from "#core/mandate/record.ts";
import { rfqRows } from "./audit-rfq-rows.ts";
import { order, World } from "./world.ts";

export const anna = accountId("acc-7");
export const bela = accountId("acc-8");

const auction = auctionId("auc-1");

/** The rows of an auction: nobody but the bidder is told of a bid. */
const bidding = [
  [{ type: "PlaceBid", auctionId: auction, amountMicros: micros(1n) }, "auction.bid", auction, {}],
  [{ type: "WithdrawBid", auctionId: auction }, "auction.bid_withdrawn", auction, {}],
  [{ type: "CloseAuction", auctionId: auction }, "auction.closed", auction, {}],
] as const;

const mandate = mandateId("mnd-7");
const limits = {
  mostInMarketLots: lots(100n),
  mostInStateLots: lots(250n),
  mostInAllLots: lots(300n),
};
const shownLimits = { maxPerMarket: "1", maxPerState: "2.5", maxTotal: "3" };
const scope: MandateScope = {
  ...{ index: "zhvi", places: [nodeId("state:tx")], levels: null, payoffs: null },
  ...{ minMonths: 1, maxMonths: 12 },
};
const terms: MandateTerms = {
  ...{ scope, side: "SELL", spreadTicks: 150, spreadTicksPerYear: 0, ...limits },
  ...{ expirySeconds: 0, collateral: "margin" },
};
const shownTerms = {
  ...{ ...scope, side: "SELL", spreadBps: 150, spreadBpsPerYear: 0, ...shownLimits },
  ...{ expiry: 0, collateral: "margin" },
};

/** The rows of a mandate, from its setting to its end. */
const mandates = [
  [{ type: "SetMandate", mandateId: mandate, terms }, "mandate.set", mandate, shownTerms],
  [
    { type: "LowerMandate", mandateId: mandate, ...limits },
    "mandate.lowered",
    mandate,
    shownLimits,
  ],
  [{ type: "CancelMandates", mandateId: null }, "mandate.cancelled", "mandates", {}],
  [{ type: "ExpireMandate", mandateId: mandate }, "mandate.expired", mandate, {}],
] as const;

const renamed = { releaseId: releaseId("rel-1"), nodeId: nodeId("state:tx"), from: "5", to: "105" };
const named = { releaseId: renamed.releaseId, from: "5", to: "105", equalGrowth: " to " };
const files = { shared: [], observations: [] };

/** The first word for a place that goes on under another id. */
const renaming = [
  [{ type: "RenamePlace", ...renamed, ...files }, "place.renaming", renamed.nodeId, named],
] as const;

const webhook = webhookId("whk-0123456789abcdef");
const address = { url: "https://desk.example:8443/hook?token=secret", types: ["fill"] };
const given = { run: 7, cause: "failing", fault: "HTTP 503" } as const;

/** The rows of a webhook: the path of its address is its account's secret. */
const webhooks = [
  [
    { type: "SetWebhook", webhookId: webhook, salt: "5a", ...address },
    "webhook.set",
    webhook,
    { origin: "https://desk.example:8443", types: ["fill"] },
  ],
  [{ type: "RotateWebhook", webhookId: webhook, salt: "5b" }, "webhook.rotated", webhook, {}],
  [
    { type: "ReplayWebhook", webhookId: webhook, afterSequence: 41 },
    "webhook.replayed",
    webhook,
    { fromSequence: 42 },
  ],
  [{ type: "RemoveWebhook", webhookId: webhook }, "webhook.removed", webhook, {}],
  [
    { type: "SuspendWebhook", webhookId: webhook, accountId: bela, ...given },
    "webhook.suspended",
    webhook,
    { cause: "failing", fault: "HTTP 503" },
  ],
] as const;

export const ownRows = [...bidding, ...mandates, ...renaming, ...webhooks, ...rfqRows];

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** The subjects of the commands: a market that could be listed, a release, an order, amounts. */
export function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const { marketId } = listing;
  const accept = world.release(world.observe("2024-11", "301000"));
  return {
    world,
    listing,
    marketId,
    accept,
    release: accept.release,
    input: order(listing, "SELL", "2.5", "0.0450", { outcomeIndex: 1 }),
    shown: { marketId, outcomeIndex: 1, side: "SELL", amount: "2.5", price: 0.045 },
    amountMicros: parseMicros("12.345678") ?? assert.fail(),
    valueE15: parsePrintValue("301000.5") ?? assert.fail(),
  };
}
export type Stage = ReturnType<typeof stage>;
