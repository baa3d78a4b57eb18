// The orders of a command, told from its events, where a liquidation gave orders too.
// Invariant: an order that the exchange gave for an account is nobody's answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import type { Event } from "#core/event.ts";
import { ordersIn } from "#core/order/orders-in-events.ts";
import { order, World } from "./world.ts";

test("orders that a liquidation gave are none of the command's own", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2025-04", { kind: "binary", strikeBps: 500 });
  const own = world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  const bought = { ...own, id: orderId("ord-2"), rank: own.rank + 1 };
  const done = { ...own, status: "CANCELLED" as const };
  const alert = { id: "alr-1", accountId: anna.id, message: "", atSeconds: 0 };
  const events: readonly Event[] = [
    { type: "OrderChanged", order: own },
    { type: "AlertRaised", alert: { ...alert, type: "liquidation" } },
    { type: "OrderChanged", order: bought },
    { type: "OrderChanged", order: done },
  ];
  assert.deepEqual(ordersIn(events), [done], "its own is told as it ended");
});
