// The orders a command is said to have placed, whatever else it touched; and how the trail tells
// mass quotes and batches that were judged order by order.
// Invariant: an order is placed by one command, the one that gave it its number.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lots, parseLots } from "#base/quantity.ts";
import { auditFacts } from "#core/audit.ts";
import type { Command, CommandOf } from "#core/command.ts";
import {
  cancelledIn,
  namedIn,
  newestIn,
  placedIn,
  refusalsIn,
} from "#core/order/orders-in-events.ts";
import type { MarketQuote } from "#core/order/quoted.ts";
import { publishMarks } from "./publish-marks.ts";
import { rfqStage } from "./rfq-stage.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const contracts = (text: string) => parseLots(text) ?? assert.fail(text);

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "BUY", "1", "0.01"), taker, listing);
  const place = (who: Trader, side: "BUY" | "SELL", amount: string, price: string, more = {}) =>
    world.order(order(listing, side, amount, price, more), who);
  const placed = ({ actor }: Pick<Trader, "actor">, command: Command) =>
    placedIn(command, world.do(actor, command)).map(({ id }) => id);
  return { world, maker, taker, listing, place, placed };
}

const quote = (
  { marketId }: Pick<MarketQuote, "marketId">,
  bid: string | null,
  ask: string | null,
): MarketQuote => ({
  marketId,
  bid: bid === null ? null : { priceTick: tick(bid), amountLots: contracts("1") },
  ask: ask === null ? null : { priceTick: tick(ask), amountLots: contracts("1") },
  expirySeconds: 0,
});

test("an order that meets others is the one that was placed; a batch places all it gave", () => {
  const { maker, taker, listing, place, placed } = stage();
  for (const price of ["0.05", "0.06"]) place(maker, "SELL", "1", price);
  const input = order(listing, "BUY", "2", "0.1");
  assert.deepEqual(placed(taker, { type: "PlaceOrder", order: input, listing: null }), ["ord-4"]);
  place(maker, "SELL", "1", "0.05");
  const orders = [order(listing, "BUY", "1", "0.02"), order(listing, "BUY", "1", "0.05")];
  const batch = { type: "PlaceBatch", orders, listings: [] } as const;
  assert.deepEqual(placed(taker, batch), ["ord-6", "ord-7"]);
  place(maker, "SELL", "1", "0.05");
  const each = { ...batch, each: true, orders: [{ ...input, priceTick: null }, input] } as const;
  assert.deepEqual(placed(taker, each), ["ord-9"]);
  const rests = order(listing, "BUY", "1", "0.01");
  assert.deepEqual(placed(taker, { type: "PlaceOrder", order: rests, listing: null }), ["ord-10"]);
  assert.deepEqual(placed(taker, { type: "CancelAll", marketId: null }), []);
});

test("a mass quote places a side for each that was quoted, and none of a quote refused", () => {
  const { world, maker, listing, placed } = stage();
  const unknown = world.listing("2026-01", layer);
  const quotes = [quote(unknown, "0.02", "0.06"), quote(listing, "0.03", "0.07")];
  assert.deepEqual(placed(maker, { type: "MassQuote", quotes, listings: [] }), ["ord-2", "ord-3"]);
  const one = { type: "MassQuote", quotes: [quote(listing, null, "0.08")], listings: [] } as const;
  assert.deepEqual(placed(maker, one), ["ord-4"]);
  const none = { ...one, quotes: [quote(listing, null, null)] };
  assert.deepEqual(placed(maker, none), [], "it takes back what rests");
  const events = world.do(maker.actor, { ...one, quotes: [...quotes].reverse() });
  assert.deepEqual([...refusalsIn(events).keys()], [1]);
  assert.deepEqual(newestIn(events, 0), []);
});

test("an amended order that trades was placed before, however it is named", () => {
  for (const isByReference of [true, false]) {
    const { world, maker, taker, place } = stage();
    for (const _ of [1, 2]) place(maker, "SELL", "0.5", "0.05");
    const { id } = place(taker, "BUY", "1", "0.02", { clientOrderId: "mine" });
    const name = isByReference ? { clientOrderId: "mine" } : { orderId: id };
    const changes = { price: { tick: tick("0.05") }, amountLots: null, expirySeconds: null };
    const command: Command = { type: "AmendOrder", ...changes, ...name };
    const events = world.do(taker.actor, command);
    assert.equal(world.state.order(id).status, "FILLED");
    assert.equal(namedIn(name, events), id);
    assert.deepEqual(placedIn(command, events), []);
  }
});

test("orders that waited for an auction were placed before it", () => {
  const { world, maker, taker, place } = stage();
  world.do(root, { type: "OpenWindow", index: "zhvi", reason: "the page is out" });
  place(maker, "SELL", "1", "0.05");
  place(taker, "BUY", "1", "0.05");
  let fills = 0;
  world.runTo(world.nowMillis + 86_400_000 + 60_000, (command, events) => {
    fills += events.filter(({ type }) => type === "Filled").length;
    assert.deepEqual(placedIn(command, events), []);
  });
  assert.equal(fills, 1);
});

test("an order that a default gave is placed by the end of the call", () => {
  const { world, maker, taker, listing, place } = stage();
  const seller = world.trader("seller", "200");
  place(seller, "SELL", "1000", "0.05");
  place(taker, "BUY", "1000", "0.05");
  place(maker, "SELL", "10", "0.2");
  const mark = { marketId: listing.marketId, markTick: tick("0.3"), stressedTick: tick("0.4") };
  world.do(system, publishMarks([mark]));
  const due = Math.max(...world.state.callsDue.keys());
  const placed: string[] = [];
  world.runTo(due, (command, events) => {
    for (const { accountId, timeInForce } of placedIn(command, events)) {
      placed.push(`${command.type}: ${timeInForce} of ${accountId}`);
    }
  });
  assert.deepEqual(placed, [`EndMarginCalls: IOC of ${seller.id}`]);
});

test("the trail tells each quote of a mass quote, and which were refused", () => {
  const { world, maker, listing } = stage();
  const details = (command: CommandOf<"MassQuote" | "PlaceBatch">) => {
    world.do(maker.actor, command);
    return auditFacts(world.journal.at(-1) ?? assert.fail()).details;
  };
  const { marketId } = listing;
  const bid = { priceTick: null, amountLots: lots(150n) };
  const refused = { ...quote(listing, null, null), bid };
  const taken: MarketQuote = {
    ...quote(listing, "0.02", null),
    cancelOnRelease: true,
    group: "texas",
  };
  assert.deepEqual(details({ type: "MassQuote", quotes: [refused, taken], listings: [] }), {
    quotes: [
      { marketId, bid: { amount: "1.5", price: null }, ask: null },
      {
        marketId,
        bid: { amount: "1", price: 0.02 },
        ask: null,
        cancelOnRelease: true,
        group: "texas",
      },
    ],
    refused: [{ index: 0, code: "INVALID_PRICE" }],
    orderIds: ["ord-2"],
    orderCount: 1,
  });
  const told = details({ type: "MassQuote", quotes: [taken], listings: [] });
  assert.ok(!("refused" in told));
  const orders = [{ ...order(listing, "BUY", "1", "0.02"), priceTick: null }];
  const batch = { type: "PlaceBatch", orders, listings: [] } as const;
  const each = details({ ...batch, each: true });
  assert.deepEqual([each.mode, each.refused], ["each", [{ index: 0, code: "INVALID_PRICE" }]]);
  const whole = details({ ...batch, orders: [order(listing, "BUY", "1", "0.02")] });
  assert.ok(!("mode" in whole) && !("refused" in whole));
});

test("an order that accepts a quote is placed by that, and of a cancel all are cancelled", () => {
  const { world, maker, taker, listing, place, placed } = stage();
  place(maker, "SELL", "1", "0.05");
  const quoted = {
    type: "AcceptQuote",
    order: order(listing, "BUY", "1", "0.05", { timeInForce: "IOC" }),
    listing: null,
    structure: { kind: "in_full" },
    referenceTick: tick("0.9999"),
  } as const;
  assert.deepEqual(placed(taker, quoted), ["ord-3"]);
  assert.deepEqual(placed(taker, quoted), ["ord-4"], "also one that meets nobody");
  const [one, two] = [place(maker, "SELL", "1", "0.5"), place(maker, "SELL", "1", "0.6")];
  const events = world.do(maker.actor, { type: "CancelAll", marketId: null });
  assert.deepEqual(
    cancelledIn(events).map(({ id }) => id),
    [one.id, two.id],
  );
  const more = { type: "PlaceOrder", order: order(listing, "BUY", "1", "0.02"), listing: null };
  assert.deepEqual(cancelledIn(world.do(taker.actor, { ...more, type: "PlaceOrder" })), []);
});

test("the legs of a request are placed by its accept, of the one who takes them", () => {
  const { buyer, newest, open, quote, accept, world } = rfqStage();
  open();
  quote(["0.05", "0.04"]);
  accept();
  const { envelope } = world.journal.at(-1) ?? assert.fail();
  const legs = placedIn(envelope.command, newest());
  assert.equal(envelope.command.type, "AcceptRfq");
  assert.deepEqual(
    legs.map(({ accountId }) => accountId),
    [buyer.id, buyer.id],
  );
});

test("where matching resumes, an order that never rests was given by a default in it", () => {
  const { world, maker, taker, listing, place } = stage();
  place(maker, "SELL", "1", "0.05");
  const command = { type: "PlaceOrder", order: order(listing, "BUY", "1", "0.05"), listing: null };
  const events = world.do(taker.actor, { ...command, type: "PlaceOrder" });
  const resumed = { type: "ResumeMatching", marketId: listing.marketId } as const;
  const asIoc = events.map((event) =>
    event.type === "OrderChanged" && event.order.accountId === taker.id
      ? { ...event, order: { ...event.order, timeInForce: "IOC" } as const }
      : event,
  );
  assert.deepEqual(placedIn(resumed, events), []);
  assert.deepEqual(
    placedIn(resumed, asIoc).map(({ accountId }) => accountId),
    [taker.id],
  );
});
