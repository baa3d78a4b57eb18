// POST /api/trading/quotes/mass: each quote answered in its place, the same when repeated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.ts";

const url = "/api/trading/quotes/mass";
const side = (price: unknown, amount: unknown = "10") => ({ price, amount });

test("each quote is answered in its place, and again under the same idempotency key", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const old = { marketId, bid: side(0.3), ask: side("0.5") };
  const first = await world.post(url, trader.secret, { quotes: [old] });
  assert.equal(first.statusCode, 200, first.body);
  assert.deepEqual(first.json().data, {
    quotes: [
      {
        marketId,
        bid: { orderId: "ord-1", status: "OPEN" },
        ask: { orderId: "ord-2", status: "OPEN" },
        error: null,
      },
    ],
    cancelledCount: 0,
  });
  const quotes = [
    { marketId: "none", bid: side(0.3) },
    { marketId, bid: side(0.45), ask: side(0.4), expiry: 0, cancelOnRelease: true },
  ];
  const headers = { "idempotency-key": "requote-1" };
  const second = await world.post(url, trader.secret, { quotes }, headers);
  assert.deepEqual(second.json().data, {
    quotes: [
      {
        marketId: "none",
        bid: null,
        ask: null,
        error: { code: "MARKET_NOT_FOUND", message: "No such market", field: "marketId" },
      },
      {
        marketId,
        bid: { orderId: "ord-3", status: "OPEN" },
        ask: { orderId: "ord-4", status: "CANCELLED", cancelReason: "POST_ONLY_WOULD_CROSS" },
        error: null,
      },
    ],
    cancelledCount: 2,
  });
  const again = await world.post(url, trader.secret, { quotes }, headers);
  assert.equal(again.body, second.body);
  const shown = await world.get("/api/trading/orders/ord-3", trader.secret);
  assert.equal(shown.json().data.cancelOnRelease, true);
  const pulled = await world.post(url, trader.secret, { quotes: [{ marketId }] });
  assert.equal(pulled.json().data.cancelledCount, 1);
});

test("a side at fault is named; one that cannot be read refuses all", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const send = (quotes: readonly object[]) => world.post(url, trader.secret, { quotes });
  await send([{ marketId, bid: side(0.3) }]);
  for (const [bad, field] of [
    [{ marketId, bid: side(0.3, "1.001") }, "quotes[1].bid.amount"],
    [{ marketId, ask: side(null) }, "quotes[1].ask.price"],
    [{ marketId, bid: { price: 0.3 } }, "quotes[1].bid.amount"],
    [{ marketId, expiry: 1_900_000_000_000 }, "quotes[1].expiry"],
    [{ marketId: "none" }, "quotes[1].marketId"],
    [{ marketId, postOnly: false }, "quotes[1].postOnly"],
  ] as const) {
    const refused = await send([{ marketId: "none" }, bad]);
    assert.equal(refused.statusCode, 400, refused.body);
    const { code, errors } = refused.json().error;
    assert.deepEqual([code, errors[0].field], ["INVALID_REQUEST", field], refused.body);
  }
  assert.equal(world.view.orders.size, 1);
  assert.equal((await send([])).statusCode, 400);
  const most = Array.from({ length: 201 }, (_, at) => ({ marketId: `m-${at}` }));
  assert.equal((await send(most)).statusCode, 400);
  assert.equal((await send(most.slice(1))).statusCode, 200);
  const judged = await send([{ marketId, bid: side(0.30001) }]);
  const [{ error }] = judged.json().data.quotes;
  assert.deepEqual([error.code, error.field], ["INVALID_PRICE", "bid.price"]);
  assert.equal(judged.json().data.cancelledCount, 1, "the old price is gone all the same");
});

test("a mass quote costs its orders", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  world.nowMillis += 600_000;
  const quotes = Array.from({ length: 200 }, (_, at) => ({
    ...{ marketId: `m-${at}`, bid: side(0.3), ask: side(0.4) },
  }));
  const remaining = async (): Promise<number> => {
    const { headers } = await world.get("/api/trading/protection", trader.secret);
    return Number(/;r=(\d+);/.exec(String(headers.ratelimit))?.[1]);
  };
  const before = await remaining();
  await world.post(url, trader.secret, { quotes });
  const spent = before - (await remaining());
  assert.ok(spent >= 400, `${spent} units for 400 orders and a read`);
});
