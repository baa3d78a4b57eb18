// The work of a command in counted steps, beside that of a plain order: it grows with what the
// command carries, and with nothing else.
// Invariant: two hundred legs are never dearer than two hundred plain orders, and their trade no
// dearer than four units a leg.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rfqId, rfqQuoteId } from "#base/ids.ts";
import { countSteps } from "../support/counted-steps.ts";
import { CountedStage } from "./counted-stage.ts";
import { contracts, HOUR, rejectionIn } from "./rfq-stage.ts";
import { order, tick } from "./world.ts";

const LEGS = 200;
const ORDERS = 100;

test("a request of 200 legs, its quotes and its end are 200 plain orders each at most", () => {
  const stage = new CountedStage();
  const { world } = stage;
  const [maker, buyer] = [world.trader("maker", "100000000"), world.trader("buyer", "100000000")];
  const unit = stage.unit(buyer, stage.market(maker));
  const legs = stage.listings(LEGS).map((listing) => ({ listing, amountLots: contracts("1") }));
  const times = { closesAtMillis: world.nowMillis + HOUR };
  const validUntilMillis = world.nowMillis + 2 * HOUR;
  const open = { type: "OpenRfq", legs, side: "BUY", audience: null, ...times } as const;
  const quote = (at: number) =>
    ({
      type: "QuoteRfq",
      rfqId: rfqId(`rfq-${at}`),
      ticks: [tick("0.06")],
      validUntilMillis,
    }) as const;
  // The same account promises much already.
  for (let at = 1; at < 10; at += 1) {
    stage.act(buyer.actor, open);
    stage.act(maker.actor, quote(at));
  }
  const [tenth, quoteId] = [rfqId("rfq-10"), rfqQuoteId("rqt-10")];
  const improvement = { ticks: [tick("0.055")], validUntilMillis: null };
  const steps = {
    open: stage.steps(buyer.actor, open),
    quote: stage.steps(maker.actor, quote(10)),
    improve: stage.steps(maker.actor, { type: "ImproveQuote", quoteId, ...improvement }),
    accept: stage.steps(buyer.actor, { type: "AcceptRfq", rfqId: tenth, quoteId }),
    cancel: stage.steps(buyer.actor, { type: "CancelRfq", rfqId: rfqId("rfq-9") }),
  };
  for (const [what, taken] of Object.entries(steps)) {
    // A trade has two sides, and fills what an order that rests does not.
    const most = (what === "accept" ? 4 : 1) * LEGS * unit;
    assert.ok(taken <= most, `${what} takes ${taken} steps, a plain order ${unit}`);
  }
});

test("a batch of 100 orders is 100 plain orders, placed, refused for the last, and quoted anew", () => {
  const stage = new CountedStage();
  const { world } = stage;
  const [maker, buyer] = [world.trader("maker", "100000000"), world.trader("buyer", "10000")];
  const unit = stage.unit(buyer, stage.market(maker));
  const listings = stage.listed(maker, buyer, ORDERS);
  const bids = listings.map((listing) => order(listing, "BUY", "1", "0.02"));
  const dear = [...bids.slice(1), order(listings[0] ?? assert.fail(), "BUY", "1000000", "0.5")];
  const batch = { type: "PlaceBatch", listings: [] } as const;
  const side = (price: string) => ({ priceTick: tick(price), amountLots: contracts("1") });
  const quotes = listings.map(({ marketId }) => ({
    marketId,
    ...{ bid: side("0.02"), ask: side("0.2"), expirySeconds: 0 },
  }));
  const steps = {
    placed: stage.steps(buyer.actor, { ...batch, orders: bids }),
    each: stage.steps(buyer.actor, { ...batch, orders: bids, each: true }),
    refused: countSteps(() => {
      const outcome = stage.try(buyer.actor, { ...batch, orders: dear });
      assert.equal(rejectionIn(outcome)?.details?.index, ORDERS - 1);
    }),
    "quoted anew": stage.steps(buyer.actor, { type: "MassQuote", quotes, listings: [] }) / 2,
  };
  for (const [what, taken] of Object.entries(steps)) {
    assert.ok(taken <= 2 * ORDERS * unit, `${what}: ${taken} steps, a plain order ${unit}`);
  }
});
