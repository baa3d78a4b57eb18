// Limits an order meets, the names it may have, and which orders a command is said to have placed.
// Invariant: a limit holds for what would be open then; what does not raise a figure may pass.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { micros, noMoney } from "#base/money.ts";
import { MAX_OPEN_ORDERS } from "#core/account/caps.ts";
import type { CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { ordersIn } from "#core/order/orders-in-events.ts";
import { putOrder } from "#core/order/put-order.ts";
import type { AlertType } from "#core/records.ts";
import type { TierRules } from "#core/rules.ts";
import { setRules } from "./set-rules.ts";
import { amendment, order, root, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (dollars: number) => micros(BigInt(dollars) * 1_000_000n);

/** Anna, with one order that buys one contract at 0.05. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2025-04", layer);
  const first = world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  return { world, anna, listing, first };
}

/** The tier's rules from now on, but for these. */
function limit(world: World, changed: Partial<TierRules>): void {
  const { rules } = world.state;
  const institutional = { ...rules.tiers.institutional, ...changed };
  const tiers = { ...rules.tiers, institutional };
  setRules(world, { tiers });
}

test("where every limit is nothing, nothing more is taken, and it says of what and where", () => {
  const { world, anna, listing } = stage();
  const none = {
    maxPositionMicros: noMoney,
    maxDailyMicros: noMoney,
    maxTotalMicros: noMoney,
    maxPositionSizeMicros: noMoney,
    maxDailyVolumeMicros: noMoney,
  };
  limit(world, { ...none, maxOpenPositions: 0 });
  const input = order(listing, "BUY", "1", "0.05");
  const refusal = world.refused(anna.actor, { type: "PlaceOrder", order: input, listing: null });
  assert.deepEqual([refusal.code, refusal.field], ["POSITION_LIMIT", "amount"]);
  const other = stage();
  limit(other.world, { maxOpenPositions: 1 });
  const second = other.world.listing("2025-05", layer);
  const elsewhere = order(second, "BUY", "1", "0.05");
  const command = { type: "PlaceOrder", order: elsewhere, listing: second } as const;
  assert.deepEqual(other.world.refused(other.anna.actor, command), {
    code: "POSITION_LIMIT",
    field: "marketId",
    details: { limit: "maxOpenPositions" },
  });
});

test("a thousand orders may be open, and not one more", () => {
  const { world, anna, listing, first } = stage();
  world.judgesRefusals = false;
  for (let number = 2; number < MAX_OPEN_ORDERS; number += 1) {
    putOrder(world.state, { ...first, id: orderId(`ord-${number}`), rank: number });
  }
  const input = order(listing, "BUY", "0.01", "0.05");
  world.order(input, anna);
  const one = { type: "PlaceOrder", order: input, listing: null } as const;
  assert.equal(world.refused(anna.actor, one).code, "OPEN_ORDER_CAP");
});

test("orders of one batch may have names of their own, and no name twice", () => {
  const { world, anna, listing } = stage();
  const named = (clientOrderId: string) => order(listing, "BUY", "1", "0.05", { clientOrderId });
  const batch = (...names: readonly string[]): CommandOf<"PlaceBatch"> => ({
    type: "PlaceBatch",
    orders: names.map(named),
    listings: [],
  });
  world.do(anna.actor, batch("a", "b"));
  for (const names of [
    ["c", "c"],
    ["d", "a"],
  ] as const) {
    const refusal = world.refused(anna.actor, batch(...names));
    assert.equal(refusal.code, "CLIENT_ORDER_ID_USED", names.join());
  }
});

test("an order with an expiry is good till then, one without until it is cancelled", () => {
  const { world, anna, first } = stage();
  const expirySeconds = world.nowMillis / 1000 + 60;
  const force = () => world.state.order(first.id).timeInForce;
  world.do(anna.actor, amendment({ orderId: first.id, expirySeconds }));
  assert.equal(force(), "GTD");
  world.do(anna.actor, amendment({ orderId: first.id, expirySeconds: 0 }));
  assert.equal(force(), "GTC");
});

test("cancelling after a while is armed for each account and market by itself", () => {
  const { world, anna, listing, first } = stage();
  const bela = world.trader("bela", "100");
  const theirs = world.order(order(listing, "BUY", "1", "0.04"), bela);
  const second = world.listing("2025-05", layer);
  const other = world.order(order(second, "BUY", "1", "0.05"), anna, second);
  const arm = (seconds: number, marketId: typeof listing.marketId | null) =>
    ({ type: "SetCancelAfter", seconds, marketId }) as const;
  world.do(anna.actor, arm(60, listing.marketId));
  world.do(bela.actor, arm(120, listing.marketId));
  world.do(anna.actor, arm(180, null));
  assert.equal(world.state.cancelAfters.size, 3);
  const begun = world.nowMillis;
  const open = () =>
    [first, theirs, other].filter(({ id }) => world.state.order(id).status === "OPEN").length;
  const left = [59, 60, 120, 180].map((seconds) => {
    world.runTo(begun + seconds * 1000);
    return open();
  });
  assert.deepEqual(left, [3, 2, 1, 0]);
});

test("a command placed what it changed before anybody was liquidated, by rank", () => {
  const { world, first } = stage();
  const at = (rank: number): Event => ({
    type: "OrderChanged",
    order: { ...first, id: orderId(`ord-${rank}`), rank },
  });
  const alert = (type: AlertType): Event => ({
    type: "AlertRaised",
    alert: {
      id: "alr-1",
      accountId: first.accountId,
      type,
      message: "drill",
      atSeconds: world.nowMillis,
    },
  });
  const ranks = (...events: readonly Event[]) => ordersIn(events).map(({ rank }) => rank);
  assert.deepEqual(ranks(at(3), at(1), at(2)), [1, 2, 3]);
  assert.deepEqual(ranks(at(2), alert("margin_warning"), at(1)), [1, 2]);
  assert.deepEqual(ranks(at(2), alert("liquidation"), at(1), at(2)), [2]);
  assert.deepEqual(ranks(alert("liquidation"), at(1)), []);
});

test("each limit of the tier is named by the refusal, with what it allows", () => {
  for (const [changed, named] of [
    [{ maxPositionMicros: usd(3) }, "maxPosition"],
    [{ maxDailyMicros: usd(3) }, "maxDaily"],
    [{ maxPositionSizeMicros: usd(3) }, "maxPositionSize"],
    [{ maxDailyVolumeMicros: usd(3) }, "maxDailyVolume"],
    [{ maxTotalMicros: usd(3) }, "maxTotal"],
  ] as const) {
    const { world, anna, listing } = stage();
    limit(world, changed);
    const input = order(listing, "BUY", "4", "0.01");
    const refusal = world.refused(anna.actor, { type: "PlaceOrder", order: input, listing: null });
    const { limit: told, allowedMicros } = refusal.details ?? {};
    assert.deepEqual([refusal.code, told, allowedMicros], ["POSITION_LIMIT", named, usd(3)]);
  }
});

test("above a cap on open orders that was lowered none is added, and an amendment passes", () => {
  const { world, anna, listing, first } = stage();
  world.order(order(listing, "BUY", "1", "0.02"), anna);
  world.do(root, { type: "SetCaps", accountId: anna.id, maxOpenOrders: 1 });
  const input = order(listing, "BUY", "1", "0.01");
  assert.deepEqual(world.refused(anna.actor, { type: "PlaceOrder", order: input, listing: null }), {
    code: "OPEN_ORDER_CAP",
    details: { allowed: 1 },
  });
  world.do(anna.actor, amendment({ orderId: first.id, price: { tick: tick("0.04") } }));
});

test("the orders of a batch are beside each other: in one market, in all, and in number", () => {
  const refusalOf = (changed: Partial<TierRules>, maxOpenOrders = 10) => {
    const { world, anna, listing } = stage();
    limit(world, changed);
    world.do(root, { type: "SetCaps", accountId: anna.id, maxOpenOrders });
    const orders = ["4", "4", "4"].map((amount) => order(listing, "BUY", amount, "0.01"));
    const { code, details = {} } = world.refused(anna.actor, {
      type: "PlaceBatch",
      orders,
      listings: [],
    });
    return [code, details.limit, details.index];
  };
  const ten = usd(10);
  assert.deepEqual(refusalOf({ maxPositionMicros: ten }), ["POSITION_LIMIT", "maxPosition", 2]);
  assert.deepEqual(refusalOf({ maxTotalMicros: ten }), ["POSITION_LIMIT", "maxTotal", 2]);
  assert.deepEqual(refusalOf({}, 3), ["OPEN_ORDER_CAP", undefined, 2]);
});
