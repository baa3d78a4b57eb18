// An amended order that trades at once pays a fee of its own, rounded up like any other.
// Invariant: what is asked of the balance covers it to the micro-dollar.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { amendment, order, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

test("the rest of a partly filled order is asked for its fee rounded up", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const seller = world.trader("seller", "1000");
  const anna = world.trader("anna", "0.007021");
  // Two lots; one fills where it rests, for 3,000 micro-dollars and no fee: 4,021 are left.
  const { id } = world.order(order(listing, "BUY", "0.02", "0.3"), anna, listing);
  world.order(order(listing, "SELL", "0.01", "0.3"), seller);
  world.order(order(listing, "SELL", "0.01", "0.4001"), seller);
  assert.equal(world.cash(anna), 4_021n);

  // The other costs 4,001 and half a percent of it: 20.005, which is 21.
  const dearer = amendment({ orderId: orderId(id), price: { tick: tick("0.4001") } });
  const refused = world.refused(anna.actor, dearer);
  assert.equal(refused.code, "INSUFFICIENT_BALANCE");
  assert.equal(refused.details?.requiredMicros, 4_022n - 3_015n);
  world.fund(anna, micros(1n));
  world.do(anna.actor, dearer);
  assert.equal(world.cash(anna), 0n);
});
