// Every command there is, at the most it can carry or meet, in counted steps: beside the units that
// its row declares, and beside a hundred times as much of others.
// Invariant: no command takes more than four times its units of a plain order that rests, and as
// much for each record that it ends; a command of the table that is not tried here fails the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptanceId,
  keyId,
  mandateId,
  nodeId,
  orderId,
  rfqId,
  rfqQuoteId,
  webhookId,
} from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Command } from "#core/command.ts";
import { commands, unitsOf } from "#core/command-table.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import { isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { countSteps } from "../support/counted-steps.ts";
import { stage as auctionStage, FIRST, usd } from "./auction-stage.ts";
import { newKey } from "./audit-rows.ts";
import { CountedStage } from "./counted-stage.ts";
import {
  lifeOfAccounts,
  lifeOfDebts,
  lifeOfDefaults,
  lifeOfFallbacks,
  lifeOfMarkets,
  lifeOfPlaces,
} from "./lives-at-their-cap.ts";
import { contracts, HOUR } from "./rfq-stage.ts";
import { amendment, order, type Trader, tick } from "./world.ts";

const LEGS = 200;
const ORDERS = 100;
const QUOTES = 200;
const SWEPT = 300;
const PLACES = 60;
const PAYOFFS = 20;
const MANDATES = 50;

const mandateTerms = (places: number): MandateTerms => ({
  scope: {
    index: "zhvi",
    places: Array.from({ length: places }, (_, at) => nodeId(`zip:${10_000 + at}`)),
    levels: null,
    payoffs: Array.from({ length: PAYOFFS }, (_, at) => ({
      ...({ kind: "layered", attachBps: 100 + at, exhaustBps: 1_000 } as const),
    })),
    minMonths: 1,
    maxMonths: 36,
  },
  ...({ side: "SELL", spreadTicks: 150, spreadTicksPerYear: 0 } as const),
  ...{ mostInMarketLots: contracts("1"), mostInStateLots: contracts("1") },
  ...({ mostInAllLots: contracts("1"), expirySeconds: 0, collateral: "margin" } as const),
});

/** Those that stay for a day at least, of the kinds that an account has more than one of. */
const recordsIn = (state: State): number =>
  [
    ...[
      state.orders,
      state.positions,
      state.markets,
      state.acceptances,
      state.keys,
      state.mandates,
    ],
    ...[state.mandateUses, state.rfqs, state.rfqQuotes, state.webhooks, state.orderGroups],
    ...[state.bids, state.marks, state.publicKeys, state.accounts],
  ].reduce((sum, { size }) => sum + size, 0);

interface Measured {
  readonly steps: number;
  readonly units: number;
}

/** An account does all it may at its caps, beside so many others that trade, quote and stand by. */
function measured(others: number) {
  const stage = new CountedStage();
  const { world } = stage;
  const [maker, me] = [world.trader("maker", "1000000000"), world.trader("me", "1000000000")];
  const main = stage.market(maker);
  const listings = stage.listed(maker, me, LEGS);
  const first = listings[0] ?? assert.fail();
  stage.act(maker.actor, {
    type: "PlaceOrder",
    order: order(first, "SELL", "100000", "0.5"),
    listing: null,
  });
  for (let at = 0; at < others; at += 1) stage.another(`other-${at}`, main, first);

  const found = new Map<string, Measured>();
  const unit = stage.unit(me, main);
  const give = (command: Command, who: Trader = me, name: string = command.type): void => {
    const units = unitsOf(world.state, who.actor, command);
    const cancels = commands[command.type].cancels === true;
    const before = recordsIn(world.state);
    const { steps, ended } = stage.counted(who.actor, command);
    const { grows } = commands[command.type];
    if (!cancels && recordsIn(world.state) > before) assert.ok(grows, `${name} leaves a record`);
    // All that ends was paid for when it was made.
    found.set(name, { steps, units: cancels ? units : units + ended });
  };

  const plain = order(main, "BUY", "1", "0.02", { clientOrderId: "mine", group: "g" });
  give({ type: "PlaceOrder", order: plain, listing: null });
  give(
    amendment({ orderId: orderId(`ord-${world.state.orderCount}`), price: { tick: tick("0.03") } }),
  );
  give({ type: "CancelOrder", orderId: orderId(`ord-${world.state.orderCount}`) });
  for (let at = 0; at < SWEPT; at += 1) {
    const asked = order(main, "SELL", "1", "0.4");
    stage.act(maker.actor, { type: "PlaceOrder", order: asked, listing: null });
  }
  const sweep = order(main, "BUY", String(SWEPT), "0.4");
  give({ type: "PlaceOrder", order: sweep, listing: null }, me, "PlaceOrder through a book");
  const batch = listings.slice(0, ORDERS).map((listing) => order(listing, "BUY", "1", "0.01"));
  const named = batch.map((one, at) => ({
    ...one,
    clientOrderId: `c-${at}`,
    group: `g-${at % 40}`,
  }));
  give({ type: "PlaceBatch", orders: named, listings: [] });
  give({ type: "PlaceBatch", orders: batch, listings: [], each: true }, me, "PlaceBatch each");
  const side = (price: string) => ({ priceTick: tick(price), amountLots: contracts("1") });
  const quotes = listings.slice(0, QUOTES).map(({ marketId: id }) => ({
    ...{ marketId: id, bid: side("0.02"), ask: side("0.9"), expirySeconds: 0 },
  }));
  give({ type: "MassQuote", quotes, listings: [] });
  give({ type: "MassQuote", quotes, listings: [] }, me, "MassQuote again");
  for (let at = 0; at < 4; at += 1)
    stage.act(me.actor, { type: "PlaceBatch", orders: batch, listings: [] });
  give({ type: "CancelAll", marketId: null });
  give({ type: "SetCancelAfter", seconds: 60, marketId: null });
  give({ type: "SetProtection", withinSeconds: 60, maxLots: contracts("1"), maxFills: null });
  give({ type: "ResetProtection" });
  const limits = { withinMillis: 1_000, maxLots: contracts("1"), maxFills: null };
  give({ type: "SetGroup", group: "g", ...limits });
  give({ type: "ResetGroup", group: "g" });

  for (let at = 1; at < MANDATES; at += 1) {
    stage.act(me.actor, { type: "SetMandate", mandateId: null, terms: mandateTerms(PLACES) });
  }
  give({ type: "SetMandate", mandateId: null, terms: mandateTerms(PLACES) });
  const newest = mandateId(`mnd-${world.state.mandateCount}`);
  const { mostInMarketLots, mostInStateLots, mostInAllLots } = mandateTerms(1);
  give({
    type: "LowerMandate",
    mandateId: newest,
    mostInMarketLots,
    mostInStateLots,
    mostInAllLots,
  });
  give({ type: "CancelMandates", mandateId: null });

  const legs = listings.map((listing) => ({ listing, amountLots: contracts("1") }));
  const times = { closesAtMillis: world.nowMillis + HOUR };
  const open = { type: "OpenRfq", legs, side: "BUY", audience: null, ...times } as const;
  const quote = () => ({
    ...({ type: "QuoteRfq", rfqId: rfqId(`rfq-${world.state.rfqCount}`) } as const),
    ...{ ticks: [tick("0.06")], validUntilMillis: world.nowMillis + 2 * HOUR },
  });
  const elsewhere = stage.listings(8 * LEGS).slice(LEGS);
  for (let at = 1; at < 10; at += 1) {
    const from = (at % 7) * LEGS;
    const others = elsewhere.slice(from, from + LEGS);
    const fresh = others.map((listing) => ({ listing, amountLots: contracts("1") }));
    stage.act(maker.actor, { ...open, legs: fresh });
    stage.act(me.actor, quote());
  }
  give(open, maker);
  give(quote());
  const quoteId = rfqQuoteId(`rqt-${world.state.rfqQuoteCount}`);
  give({ type: "ImproveQuote", quoteId, ticks: [tick("0.05")], validUntilMillis: null });
  give({ type: "AcceptRfq", rfqId: rfqId(`rfq-${world.state.rfqCount}`), quoteId }, maker);
  give({ type: "CancelRfq", rfqId: rfqId(`rfq-${world.state.rfqCount - 1}`) }, maker);

  give({ type: "CreateKey", key: { ...newKey, digest: "another" } });
  give({ type: "RevokeKey", keyId: keyId(`key-${world.state.keys.size}`) });
  give({ type: "KeepSubject", subjectId: "sub-1" });
  const webhook = webhookId("whk-0123456789abcdef");
  const address = { url: "https://desk.example/hook", types: ["fill"] as const };
  give({ type: "SetWebhook", webhookId: webhook, salt: "5a", ...address });
  give({ type: "RotateWebhook", webhookId: webhook, salt: "5b" });
  give({ type: "ReplayWebhook", webhookId: webhook, afterSequence: 1 });
  give({ type: "RemoveWebhook", webhookId: webhook });

  world.lend("1000000");
  give({
    type: "AcceptQuote",
    order: order(first, "BUY", "1", "0.5", { timeInForce: "IOC" }),
    listing: null,
    structure: { kind: "installments", downPaymentBps: 1_000, months: 36, aprBps: 900 },
    referenceTick: tick("0.5"),
  });
  const acceptance = acceptanceId(`acp-${world.state.acceptanceCount}`);
  give({ type: "PayAcceptance", acceptanceId: acceptance, through: 36 });
  return { found, unit };
}

const FEW = 3;
const MANY = 100 * FEW;
/** Trees and chunks of others grow a little with their number. */
const MOST_GROWTH = 1.5;

test("at its cap a command takes four times its units of a plain order's steps at most", () => {
  const { found, unit } = measured(FEW);
  for (const [name, { steps, units }] of found) {
    assert.ok(steps <= 4 * units * unit, `${name} takes ${steps} steps for ${units} units`);
  }
});

const lives = {
  lifeOfAccounts,
  lifeOfMarkets,
  lifeOfFallbacks,
  lifeOfDefaults,
  lifeOfPlaces,
  lifeOfDebts,
};

/** Nothing is there beside it, and it comes once. */
const unmeasured: readonly string[] = ["Genesis"];

test("every command of the table is measured, whoever gives it", () => {
  const measuredLives = Object.values(lives).map((life) => life(FEW).found);
  const found = new Set([measured(FEW).found, ...measuredLives].flatMap((one) => [...one.keys()]));
  const types = Object.keys(commands).filter((type) => !found.has(type));
  assert.deepEqual(types, unmeasured, "one without a case, or one that has a case by now");
});

for (const [name, life] of Object.entries(lives)) {
  test(`${name}: beside many no command takes more than its units and what it ends`, () => {
    const [few, many] = [life(FEW), life(MANY)];
    for (const [type, { steps, units }] of many.found) {
      const told = `${type} takes ${steps} steps for ${units} units`;
      assert.ok(steps <= 4 * units * many.unit, told);
      const before = few.found.get(type);
      // More units say that more came with it, or ended; else others alone are more.
      if (before === undefined || before.units !== units) continue;
      const most = MOST_GROWTH * before.steps + few.unit;
      assert.ok(steps <= most, `${told}, beside few ${before.steps}`);
    }
  });
}

test("beside a hundred times as much of others no command takes more", () => {
  const [few, many] = [measured(FEW), measured(MANY)];
  for (const [name, { steps }] of many.found) {
    const before = few.found.get(name)?.steps ?? assert.fail(name);
    const most = MOST_GROWTH * before + few.unit;
    assert.ok(steps <= most, `${name} takes ${steps} steps beside many, ${before} beside few`);
  }
});

test("a bid for all shorts of a default auction is a unit for each of them", () => {
  const { world, one, fail, seller } = auctionStage("230", 2);
  fail();
  const bid = { type: "PlaceBid", auctionId: FIRST, amountMicros: usd("200") } as const;
  const units = unitsOf(world.state, one.actor, bid);
  assert.equal(units, world.state.marketsHeldBy.get(seller.id)?.size);
  const unit = 300;
  const steps = countSteps(() => {
    const envelope = { timeMillis: world.nowMillis, actor: one.actor, command: bid };
    const outcome = apply(world.state, { ...envelope, requestId: null, idempotency: null }, 1_000);
    assert.ok(!isRejected(outcome));
  });
  assert.ok(steps <= 4 * units * unit, `${steps} steps for ${units} units`);
});

test("a request that may not be seen costs one unit, whatever it asks for", () => {
  const stage = new CountedStage();
  const { world } = stage;
  const [maker, buyer] = [world.trader("maker", "1000"), world.trader("buyer", "1000")];
  const legs = stage.listings(LEGS).map((listing) => ({ listing, amountLots: contracts("1") }));
  const closesAtMillis = world.nowMillis + HOUR;
  stage.act(buyer.actor, { type: "OpenRfq", legs, side: "BUY", audience: [], closesAtMillis });
  const quote = { type: "QuoteRfq", ticks: [tick("0.06")], validUntilMillis: 0 } as const;
  const named = { ...quote, rfqId: rfqId("rfq-1") };
  assert.equal(unitsOf(world.state, maker.actor, named), 1);
  assert.equal(unitsOf(world.state, buyer.actor, named), LEGS / 2);
  assert.equal(unitsOf(world.state, maker.actor, { ...quote, rfqId: rfqId("rfq-9") }), 1);
});
