// Buying back at default, step by step: up to which price, and how much of what is offered.
// Invariant: no short is bought back for more than its part of the account's cash, with the fee.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Micros, parseMicros } from "#base/money.ts";
import type { Event } from "#core/event.ts";
import { putBalance, putMarket } from "#core/fold.ts";
import { buyBackAll } from "#core/margin/liquidate.ts";
import { beginStep, cashOf } from "#core/step.ts";
import { order, root, system, tick, World } from "./world.ts";

const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

/** Ten contracts short at 0.05; the maker offers so many at a price. Half a percent is the fee. */
function stage(offers: readonly (readonly [amount: string, price: string])[]) {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, maker] = [world.trader("seller", "100"), world.trader("maker", "1000")];
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
  world.order(order(listing, "SELL", "10", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.05"), maker);
  for (const [amount, price] of offers) world.order(order(listing, "SELL", amount, price), maker);
  const { state, nowMillis: timeMillis } = world;
  const id = seller.id;
  /** The order that buys back at this mark with this cash, and its fills. */
  const boughtWith = (cash: string, mark = "0.2") => {
    const at = { markTick: tick(mark), stressedTick: tick(mark) };
    putMarket(state, { ...state.market(listing.marketId), ...at });
    putBalance(state, cashOf(id), usd(cash));
    const envelope = { timeMillis, actor: system, requestId: null, idempotency: null };
    const step = beginStep(state, { ...envelope, command: { type: "EndMarginCalls" } }, 1);
    buyBackAll(step, id);
    return toldIn(step.events, id);
  };
  return { world, listing, boughtWith };
}

/** The order of the account as it was last, its limit and amount; then what it was filled with. */
function toldIn(events: readonly Event[], account: string) {
  const last = events.findLast(
    (event) => event.type === "OrderChanged" && event.order.accountId === account,
  );
  if (last?.type !== "OrderChanged") return undefined;
  const { priceTick, amountLots } = last.order;
  const fills = events.flatMap((event) =>
    event.type === "Filled" ? [[event.fill.amountLots, event.fill.yesTick]] : [],
  );
  return [priceTick, amountLots, fills];
}

test("with cash for all that the fund asks, up to the mark and its charge", () => {
  // A twentieth of 0.8 and a cent beside 0.2: 0.25 a contract.
  const { boughtWith } = stage([["4", "0.25"]]);
  assert.deepEqual(boughtWith("100"), [2_500, 1_000n, [[400n, 2_500]]]);
  const dear = stage([["4", "0.2501"]]);
  assert.equal(dear.boughtWith("100"), undefined, "what costs more is not asked for");
});

test("with less, up to the mark and its part of the charge; below it a part of these", () => {
  const limitWith = (cash: string) => stage([["1", "0.0001"]]).boughtWith(cash)?.[0];
  assert.equal(limitWith("2.5"), 2_500, "exactly all");
  assert.equal(limitWith("2.25"), 2_250, "half of the charge");
  assert.equal(limitWith("2.2455"), 2_245, "whole ticks, rounded down");
  assert.equal(limitWith("2"), 2_000);
  assert.equal(limitWith("1.5"), 1_500, "three quarters of the mark");
  assert.equal(limitWith("0.001"), 1);
});

test("with next to nothing, nothing is bought", () => {
  const { boughtWith } = stage([["1", "0.0001"]]);
  assert.equal(boughtWith("0.000999"), undefined);
  assert.equal(boughtWith("0"), undefined);
});

test("no price is above the highest there is", () => {
  const { boughtWith } = stage([["1", "0.9999"]]);
  assert.deepEqual(boughtWith("100", "0.9999"), [9_999, 1_000n, [[100n, 9_999]]]);
  assert.equal(stage([["1", "0.99"]]).boughtWith("100", "0.98")?.[0], 9_910);
});

test("no more is bought than the cash pays for at the limit, with its fee", () => {
  // 2 USD at 0.2 and half a percent of it: 9.95 contracts.
  assert.deepEqual(stage([["10", "0.05"]]).boughtWith("2"), [2_000, 995n, [[995n, 500]]]);
  assert.deepEqual(stage([["20", "0.05"]]).boughtWith("100")?.[1], 1_000n, "nor than is short");
});

test("where trading is paused, or nothing is offered, nothing is bought", () => {
  assert.equal(stage([]).boughtWith("100"), undefined);
  const { world, listing, boughtWith } = stage([["1", "0.1"]]);
  world.do(root, { type: "PauseMarket", marketId: listing.marketId, reason: "drill" });
  assert.equal(boughtWith("100"), undefined);
});
