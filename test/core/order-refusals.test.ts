// Refusals of orders and amendments as their sender reads them: the code, the field, and figures.
// Invariant: what is exactly enough, or exactly in time, is taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Micros, parseMicros } from "#base/money.ts";
import { parseLots } from "#base/quantity.ts";
import type { CommandOf, OrderInput } from "#core/command.ts";
import { endAccreditation } from "./end-calls.ts";
import { amendment, order, root, type Trader, tick, World } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
const contracts = (text: string) => parseLots(text) ?? assert.fail(text);
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** Anna has ten dollars; Bela sells. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "10"), world.trader("bela", "1000")];
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "1", "0.9"), bela, listing);
  const placing = (input: OrderInput): CommandOf<"PlaceOrder"> => ({
    ...{ type: "PlaceOrder", order: input, listing: null },
  });
  const refused = (input: OrderInput, who: Trader = anna) =>
    world.refused(who.actor, placing(input));
  const batch = (...orders: readonly OrderInput[]): CommandOf<"PlaceBatch"> => ({
    ...{ type: "PlaceBatch", orders, listings: [] },
  });
  const buy = (amount: string, price: string, more: Partial<OrderInput> = {}) =>
    order(listing, "BUY", amount, price, more);
  return { world, anna, bela, listing, refused, batch, buy };
}

test("an order without a price, of no market or of one that is shut says so by its field", () => {
  const { world, anna, listing, refused, buy } = stage();
  world.order(buy("1", "0.9"), anna);
  assert.deepEqual(refused(buy("1", "0.05", { priceTick: null })), {
    ...{ code: "INVALID_PRICE", field: "price", details: {} },
  });
  const unknown = world.listing("2025-05", layer);
  assert.deepEqual(refused(order(unknown, "BUY", "1", "0.05")), {
    ...{ code: "MARKET_NOT_FOUND", field: "marketId", details: {} },
  });
  world.do(root, { type: "PauseMarket", marketId: listing.marketId, reason: "drill" });
  assert.deepEqual(refused(buy("1", "0.05")), {
    ...{ code: "MARKET_CLOSED", details: { status: "PAUSED" } },
  });
  world.do(root, { type: "ResumeMarket", marketId: listing.marketId, reason: "drill" });
  world.runTo(Date.UTC(2025, 4, 10));
  assert.deepEqual(refused(buy("1", "0.05")), {
    ...{
      code: "MARKET_CLOSED",
      details: { status: "ACTIVE", closedAtMillis: Date.UTC(2025, 4, 1) },
    },
  });
});

test("an order expires later than now: this second is past, the next is not", () => {
  const { world, anna, refused, buy } = stage();
  const now = Math.floor(world.nowMillis / 1000);
  const until = (expirySeconds: number) => buy("1", "0.05", { timeInForce: "GTD", expirySeconds });
  const past = { code: "EXPIRY_PAST", field: "expiry", details: {} };
  assert.deepEqual(refused(until(now)), past);
  assert.deepEqual(refused(until(1)), past);
  const { id: orderId } = world.order(until(now + 1), anna);
  const { details: _, ...told } = past;
  assert.deepEqual(world.refused(anna.actor, amendment({ orderId, expirySeconds: now })), told);
  world.do(anna.actor, amendment({ orderId, expirySeconds: now + 1 }));
});

test("a reference is an account's for one order, and another account may use the same", () => {
  const { world, anna, bela, listing, refused, buy } = stage();
  world.order(buy("1", "0.05", { clientOrderId: "mine" }), anna);
  assert.deepEqual(refused(buy("1", "0.04", { clientOrderId: "mine" })), {
    ...{ code: "CLIENT_ORDER_ID_USED", field: "clientOrderId", details: {} },
  });
  world.order(order(listing, "BUY", "1", "0.01", { clientOrderId: "mine" }), bela);
  world.order(buy("1", "0.04"), anna);
  world.order(buy("1", "0.04"), anna);
});

test("an order that costs a micro-dollar too much is refused with both figures", () => {
  const { world, anna, refused, buy } = stage();
  // 10 USD: 19.90 contracts at 0.5 with half a percent are 9.99975; 19.9 and a lot are too much.
  assert.deepEqual(refused(buy("19.91", "0.5")), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd("10.004775"), availableMicros: usd("10") },
  });
  world.order(buy("19.9", "0.5"), anna);
  assert.equal(world.available(anna), usd("0.00025"));
  assert.deepEqual(refused(buy("0.01", "0.03")), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd("0.000302"), availableMicros: usd("0.00025") },
  });
  world.order(buy("0.01", "0.0248"), anna);
  assert.equal(world.available(anna), 0n);
});

test("a batch that costs too much names the first order that cannot be paid", () => {
  const { world, anna, batch, buy } = stage();
  const nine = buy("9", "0.5");
  const refusal = world.refused(anna.actor, batch(nine, nine, nine, nine));
  assert.equal(refusal.code, "INSUFFICIENT_BALANCE");
  assert.deepEqual(refusal.details, {
    requiredMicros: usd("18.09"),
    availableMicros: usd("10"),
    index: 2,
  });
  assert.deepEqual(world.refused(anna.actor, batch(nine, buy("1", "0.05", { priceTick: null }))), {
    ...{ code: "INVALID_PRICE", field: "price", details: { index: 1 } },
  });
  const none = world.state.openOrders.get(anna.id)?.size ?? 0;
  assert.equal(none, 0, "none of them was placed");
  world.do(anna.actor, batch(nine, nine));
});

test("an amendment is refused with what the order has filled or become", () => {
  const { world, anna, listing, bela, buy } = stage();
  const { id: orderId } = world.order(buy("2", "0.05"), anna);
  world.order(order(listing, "SELL", "1", "0.05"), bela);
  const amend = (changes: Partial<CommandOf<"AmendOrder">>) =>
    world.refused(anna.actor, amendment({ orderId, ...changes }));
  assert.deepEqual(amend({ amountLots: contracts("0.99") }), {
    code: "AMOUNT_BELOW_FILLED",
    field: "amount",
    details: { filledLots: 100n },
  });
  assert.deepEqual(amend({ price: { tick: null } }), { code: "INVALID_PRICE", field: "price" });
  const { code, details } = amend({ amountLots: contracts("1000") });
  assert.equal(code, "INSUFFICIENT_BALANCE");
  assert.equal(details?.availableMicros, world.available(anna));
  world.do(root, { type: "PauseMarket", marketId: listing.marketId, reason: "drill" });
  assert.deepEqual(amend({ price: { tick: tick("0.04") } }), {
    ...{ code: "MARKET_CLOSED", details: { status: "PAUSED" } },
  });
  world.do(root, { type: "ResumeMarket", marketId: listing.marketId, reason: "drill" });
  world.do(anna.actor, amendment({ orderId, amountLots: contracts("1") }));
  assert.deepEqual(amend({ amountLots: contracts("2") }), {
    ...{ code: "ORDER_DONE", details: { status: "FILLED" } },
  });
});

test("an amended order keeps its place for less or the same, not for more or a price", () => {
  const { world, anna, buy } = stage();
  const { id: orderId } = world.order(buy("2", "0.05"), anna);
  world.order(buy("1", "0.05"), anna);
  const rank = () => world.state.order(orderId).rank;
  const first = rank();
  const amend = (changes: Partial<CommandOf<"AmendOrder">>) => {
    world.do(anna.actor, amendment({ orderId, ...changes }));
    return rank() - first;
  };
  assert.equal(amend({ amountLots: contracts("2") }), 0);
  assert.equal(amend({ amountLots: contracts("1.5") }), 0);
  assert.equal(amend({ price: { tick: tick("0.05") } }), 0);
  assert.equal(amend({ amountLots: contracts("1.51") }), 2);
  assert.equal(amend({ price: { tick: tick("0.04") } }), 3);
});

test("a halted account, and a halted exchange, take no order, not even one that reduces", () => {
  const { world, anna, bela, listing, refused, buy } = stage();
  world.order(order(listing, "BUY", "1", "0.9"), anna);
  const reducing = order(listing, "SELL", "1", "0.5", { reduceOnly: true });
  world.do(root, { type: "HaltAccount", accountId: anna.id, reason: null });
  for (const input of [reducing, buy("1", "0.05")]) {
    assert.deepEqual(refused(input), { code: "ACCOUNT_HALTED", details: {} });
  }
  world.do(root, { type: "HaltExchange", reason: "drill" });
  assert.deepEqual(refused(buy("1", "0.05"), bela), { code: "EXCHANGE_HALTED", details: {} });
});

test("an account whose accreditation is over may bring a position nearer to flat only", () => {
  const { world, anna, listing, refused, buy } = stage();
  world.order(order(listing, "BUY", "1", "0.9"), anna);
  endAccreditation(world, anna);
  assert.equal(refused(buy("1", "0.05")).code, "ACCREDITATION_REQUIRED");
  const input = order(listing, "SELL", "1", "0.95", { reduceOnly: true });
  assert.equal(world.order(input, anna).status, "OPEN");
});
