// The work of a command in counted steps, beside that of a plain order: it grows with what the
// command carries, and with nothing else.
// Invariant: two hundred legs are never dearer than two hundred plain orders, and their trade no
// dearer than four units a leg.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptanceId,
  accountId,
  mandateId,
  nodeId,
  orderId,
  rfqId,
  rfqQuoteId,
} from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { foldAcceptance } from "#core/acceptance/put-acceptance.ts";
import { apply } from "#core/apply.ts";
import { nextDue } from "#core/due.ts";
import { putPosition } from "#core/fold.ts";
import { putMandateUse } from "#core/mandate/put-mandate.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isOwnMatter, settlesStakeOf } from "#core/own-matter.ts";
import { positionOf } from "#core/step.ts";
import { countSteps } from "../support/counted-steps.ts";
import { CountedStage, ownTerms } from "./counted-stage.ts";
import { contracts, HOUR, rejectionIn } from "./rfq-stage.ts";
import { windowStage } from "./window-stage.ts";
import { order, system, tick } from "./world.ts";

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

/** A loan that is owed. */
const owing = {
  ...{ orderId: orderId("ord-1"), structure: { kind: "in_full" } as const },
  ...{ filledLots: contracts("1"), premiumMicros: micros(1n), principalMicros: micros(1n) },
  ...{ payments: [], status: "current" as const, createdAtMillis: 0 },
};

/** Other accounts, each with a position in the market, a loan for it, and a mandate that was used. */
function crowd(stage: CountedStage, main: Listing, count: number): void {
  const { state } = stage.world;
  for (let at = 0; at < count; at += 1) {
    const id = accountId(`acc-${1_000 + at}`);
    const position = { ...positionOf(state, id, main.marketId), heldLots: contracts("1") };
    putPosition(state, position);
    const use = { mandateId: mandateId(`mnd-${1_000 + at}`), state: nodeId("state:tx") };
    putMandateUse(state, { ...use, marketId: main.marketId, usedLots: contracts("1") });
    const loan = { ...owing, id: acceptanceId(`acp-${1_000 + at}`), accountId: id };
    foldAcceptance(state, { ...loan, marketId: main.marketId });
  }
  // Nobody judges an account that has no cash and no record.
  state.marginQueue.clear();
}

/** The steps of what asks about one account, mandate or fill, beside so many others. */
function askedBeside(count: number) {
  const stage = new CountedStage();
  const { world } = stage;
  const [maker, me] = [world.trader("maker", "100000"), world.trader("me", "100000")];
  const olga = world.open("olga", "operator");
  world.nowMillis += 60_000;
  const main = stage.market(maker);
  crowd(stage, main, count);
  stage.act(me.actor, { type: "PlaceOrder", order: order(main, "BUY", "1", "0.9"), listing: null });
  stage.act(me.actor, { type: "SetMandate", mandateId: null, terms: ownTerms });
  const pause = { type: "PauseMarket", marketId: main.marketId, reason: "drill" } as const;
  return {
    sale: stage.steps(me.actor, {
      type: "PlaceOrder",
      order: order(main, "SELL", "1", "0.95"),
      listing: null,
    }),
    "mandate cancelled": stage.steps(me.actor, { type: "CancelMandates", mandateId: null }),
    "own matter": countSteps(() => isOwnMatter(world.state, olga.id, pause)),
    "own prints": countSteps(() =>
      settlesStakeOf(world.state, olga.id, "zhvi", [
        { ...world.observe("2025-10", "290000"), backfill: false },
      ]),
    ),
    bust: stage.steps(olga.actor, {
      type: "BustFill",
      fillId: [...world.state.strays.keys()].at(-1) ?? assert.fail(),
      reason: "drill",
    }),
  };
}

test("what asks about one account, mandate or fill goes past none of a thousand others", () => {
  const [few, many] = [askedBeside(10), askedBeside(1_000)];
  for (const [what, steps] of Object.entries(many)) {
    const before = Object.entries(few).find(([name]) => name === what)?.[1] ?? assert.fail();
    assert.ok(steps <= 1.5 * before, `${what} takes ${steps} steps beside 1,000, ${before} by 10`);
  }
});

/** The steps of an auction that reaches as many orders which only reduce, behind one that sells. */
function auctioned(count: number): number {
  const { world, listing, maker, taker, sell, buy, call, come } = windowStage();
  world.judgesRefusals = false;
  world.order(order(listing, "SELL", String(count), "0.05"), taker, listing);
  buy("0.01", "0.04");
  world.order(order(listing, "BUY", String(count), "0.05"), maker);
  world.runTo(Date.UTC(2024, 11, 16));
  call();
  sell(String(count), "0.05");
  const reducing = Array.from({ length: count }, () => sell("1", "0.06", { reduceOnly: true }));
  buy(String(2 * count), "0.06");
  come();
  let steps = 0;
  const until = world.nowMillis + 24 * HOUR;
  for (let due = nextDue(world.state, until); due; due = nextDue(world.state, until)) {
    const { command, timeMillis } = due;
    const envelope = { timeMillis, actor: system, requestId: null, idempotency: null, command };
    world.sequence += 1;
    steps += countSteps(() => void apply(world.state, envelope, world.sequence));
    if (world.state.fillCount > 1) break;
  }
  assert.ok(world.state.fillCount > 1, "they have met");
  const ends = reducing.map(({ id }) => world.state.order(id));
  assert.ok(ends.every(({ cancelReason }) => cancelReason === "REDUCE_ONLY"));
  return steps;
}

test("an auction looks once at each order that only reduces a position", () => {
  const [few, many] = [auctioned(20), auctioned(80)];
  assert.ok(many <= 5 * few, `four times the orders take ${many} steps where ${few} were taken`);
});
