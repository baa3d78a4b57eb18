// Orders through the real server, beyond placing and cancelling: reduce-only, amending, previews,
// the dead man's switch, protection, and cancelling while anything is halted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, marketId as marketOf } from "#base/ids.ts";
import { type Holder, order, World } from "./world.ts";

const ORDERS = "/api/trading/orders";

async function stage(t: Parameters<typeof World.open>[0]) {
  const world = await World.open(t);
  const [maker, taker] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();
  const place = async (holder: Holder, more: object) => {
    const placed = await world.post(ORDERS, holder.secret, order(marketId, more));
    assert.equal(placed.statusCode, 200, placed.body);
    return placed.json().data;
  };
  const amend = (holder: Holder, id: string, changes: object | string, headers = {}) =>
    world.server.inject({
      method: "PATCH",
      url: `${ORDERS}/${id}`,
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${holder.secret}`,
        ...headers,
      },
      payload: typeof changes === "string" ? changes : JSON.stringify(changes),
    });
  return { world, maker, taker, marketId, place, amend };
}

test("a reduce-only order shows what it was cut to, and why it was cancelled", async (t) => {
  const { maker, taker, place } = await stage(t);
  const flat = await place(maker, { reduceOnly: true });
  assert.deepEqual(
    [flat.reduceOnly, flat.status, flat.cancelReason, flat.amount],
    [true, "CANCELLED", "REDUCE_ONLY", "10"],
  );
  await place(maker, { amount: "4" });
  await place(taker, { side: "SELL", amount: "4" });
  const closing = await place(maker, {
    side: "SELL",
    amount: "1000000",
    price: 0.6,
    reduceOnly: true,
  });
  assert.deepEqual([closing.status, closing.amount], ["OPEN", "4"]);
});

test("an amendment answers with the order under its id, after it has met the book", async (t) => {
  const { world, maker, taker, place, amend } = await stage(t);
  await place(maker, {});
  await place(taker, { side: "SELL", amount: "3", price: 0.5 });
  const moved = await amend(maker, "ORD-1", { price: "0.5", amount: "8", expiry: 1_800_000_000 });
  assert.equal(moved.statusCode, 200, moved.body);
  const { id, price, amount, status, filledAmount, expiry, timeInForce } = moved.json().data;
  assert.deepEqual(
    [id, price, amount, status, filledAmount, expiry, timeInForce],
    ["ord-1", 0.5, "8", "PARTIALLY_FILLED", "3", 1_800_000_000, "GTD"],
  );

  const below = await amend(maker, "ord-1", { amount: "2.99" });
  assert.deepEqual([below.statusCode, below.json().code], [409, "AMOUNT_BELOW_FILLED"]);
  assert.deepEqual(below.json().error.details, { filled: "3" });
  const foreign = await amend(taker, "ord-1", { amount: "9" });
  assert.deepEqual([foreign.statusCode, foreign.json().code], [404, "ORDER_NOT_FOUND"]);
  assert.ok(!foreign.body.includes("ord-1"), "the id is not echoed");

  const key = { "idempotency-key": "once" };
  const first = await amend(maker, "ord-1", { amount: "7" }, key);
  const again = await amend(maker, "ord-1", { amount: "7" }, key);
  assert.equal(again.body, first.body);
  assert.equal(again.headers["idempotency-replayed"], "true");
  const other = await amend(maker, "ord-1", { amount: "6" }, key);
  assert.deepEqual([other.statusCode, other.json().code], [422, "IDEMPOTENCY_MISMATCH"]);

  await world.remove(`${ORDERS}/ord-1`, maker.secret);
  const done = await amend(maker, "ord-1", { amount: "9" });
  assert.deepEqual([done.statusCode, done.json().error.details], [409, { status: "CANCELLED" }]);

  const logs = await world.get("/api/audit/logs?action=order.amended", maker.secret);
  const { resource, success, details } = logs.json().data.at(-1);
  assert.deepEqual([resource, success], ["ord-1", true]);
  const { price: tried, amount: total, expiry: until, fills } = details;
  assert.deepEqual([tried, total, until], [0.5, "8", 1_800_000_000]);
  assert.deepEqual([fills.length, fills[0].amount], [1, "3"], "and what it did to its own account");
});

test("a malformed amendment is a 400 that names the field", async (t) => {
  const { maker, place, amend } = await stage(t);
  await place(maker, {});
  for (const [body, code, field] of [
    ["{}", "INVALID_REQUEST", undefined],
    ['{"side":"SELL"}', "INVALID_REQUEST", "side"],
    ['{"price":null}', "INVALID_REQUEST", "price"],
    ['{"price":5e-1}', "INVALID_REQUEST", "price"],
    ['{"amount":"1.001"}', "INVALID_REQUEST", "amount"],
    ['{"amount":"0"}', "INVALID_REQUEST", "amount"],
    ['{"expiry":1732060800000}', "INVALID_REQUEST", "expiry"],
    ['{"expiry":1}', "EXPIRY_PAST", "expiry"],
    ['{"price":0.30000000000000004}', "INVALID_PRICE", "price"],
  ] as const) {
    const refused = await amend(maker, "ord-1", body);
    assert.equal(refused.statusCode, 400, body);
    assert.deepEqual([refused.json().code, refused.json().error.field], [code, field], body);
  }
  const off = await amend(maker, "ord-1", '{"price":0.30000000000000004}');
  assert.deepEqual(off.json().error.details, { tick: "0.0001", nearest: ["0.3", "0.3001"] });
});

test("a preview tells what placing then does, and does nothing", async (t) => {
  const { world, maker, taker, marketId, place } = await stage(t);
  await place(maker, { side: "SELL", amount: "3", price: 0.3 });
  await place(maker, { side: "SELL", amount: "5", price: 0.35 });
  const before = world.engine.status().sequence;
  const preview = (body: unknown, headers = {}) =>
    world.post(`${ORDERS}/preview`, taker.secret, body, headers);

  const asked = await preview(order(marketId));
  assert.equal(asked.statusCode, 200, asked.body);
  const { orders, ...totals } = asked.json().data;
  assert.deepEqual(totals, {
    cost: "2.65",
    fee: "0.01325",
    required: "4.02",
    available: "100000",
    availableAfter: "99996.53275",
  });
  assert.equal(orders.length, 1);
  assert.equal(orders[0].order.status, "PARTIALLY_FILLED");
  assert.equal(orders[0].order.filledAmount, "8");
  assert.equal("id" in orders[0].order, false);
  assert.deepEqual(orders[0].fills, [
    { price: 0.3, amount: "3" },
    { price: 0.35, amount: "5" },
  ]);
  const sold = await preview(order(marketId, { outcomeIndex: 1, side: "SELL", price: 0.6 }));
  assert.deepEqual(sold.json().data.orders[0].fills[0], { price: 0.7, amount: "3" });

  const both = await preview({ orders: [order(marketId), order(marketId, { price: 0.2 })] });
  assert.equal(both.json().data.orders.length, 2, both.body);
  const mixed = await preview({ ...order(marketId), orders: [order(marketId)] });
  assert.deepEqual([mixed.statusCode, mixed.json().error.field], [400, "orders"]);
  assert.equal((await preview({ side: "BUY" })).statusCode, 400);
  assert.equal(world.engine.status().sequence, before, "nothing is journalled");
  assert.equal(world.view.orders.size, 2);

  const done = await place(taker, {});
  const { id: _id, ...shown } = done;
  assert.deepEqual(shown, orders[0].order, "placing does what the preview said");
  assert.equal(done.id, "ord-3");
});

test("a preview refuses as placing would, word for word", async (t) => {
  const { world, maker, marketId } = await stage(t);
  const plain = (text: string) => JSON.stringify({ ...JSON.parse(text), error: undefined });
  const errorOf = (text: string) => ({ ...JSON.parse(text).error, requestId: "" });
  for (const more of [
    { amount: "999999" },
    { amount: "30000000" },
    { price: 0.12345 },
    { price: 1e-7 },
    { marketId: "none" },
    { expiry: 1 },
    { amount: "1.001" },
  ]) {
    const body = order(marketId, more);
    const previewed = await world.post(`${ORDERS}/preview`, maker.secret, body);
    const placed = await world.post(ORDERS, maker.secret, body);
    assert.equal(previewed.statusCode, placed.statusCode, placed.body);
    assert.ok(placed.statusCode >= 400);
    assert.equal(plain(previewed.body), plain(placed.body));
    assert.deepEqual(errorOf(previewed.body), errorOf(placed.body));
    const orders = { orders: [order(marketId), body] };
    const first = await world.post(`${ORDERS}/preview`, maker.secret, orders);
    const second = await world.post(`${ORDERS}/batch`, maker.secret, orders);
    assert.deepEqual(errorOf(first.body), errorOf(second.body));
  }
  const narrow = await world.narrowKey(maker, ["cancel:orders"]);
  const refused = await world.post(`${ORDERS}/preview`, narrow, order(marketId));
  assert.deepEqual([refused.statusCode, refused.json().code], [403, "PERMISSION_DENIED"]);
});

test("the dead man's switch says when it fires, and what it cancelled says why", async (t) => {
  const { world, maker, marketId, place } = await stage(t);
  const send = (body: unknown) => world.post("/api/trading/cancel-after", maker.secret, body);
  const start = Date.UTC(2024, 10, 20);
  await place(maker, {});
  const armed = await send({ seconds: 60 });
  assert.deepEqual(armed.json(), { data: { cancelAt: start / 1000 + 60, marketId: null } });
  const inMarket = await send({ seconds: 86_400, marketId: "MKT-001" });
  assert.deepEqual(inMarket.json().data, { cancelAt: start / 1000 + 86_400, marketId });
  assert.deepEqual((await send({ seconds: 0, marketId })).json().data, {
    cancelAt: null,
    marketId,
  });

  for (const seconds of [4, 1, -1, 86_401, 5.5, "60", null]) {
    const refused = await send({ seconds });
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, "seconds"]);
  }
  assert.equal((await send({})).statusCode, 400);
  assert.equal((await send({ seconds: 5, marketId: "none" })).json().code, "MARKET_NOT_FOUND");

  await world.root({ type: "SetClock", toMillis: start + 60_000 });
  const [fired] = [...world.view.orders.values()].filter(
    (order) => order.accountId === accountId(maker.id),
  );
  assert.deepEqual([fired?.status, fired?.cancelReason], ["CANCELLED", "CANCEL_AFTER"]);
  const logs = await world.get("/api/audit/logs?action=cancel_after.fired", maker.secret);
  assert.equal(logs.json().data[0].severity, "warning", "the trader sees it");
});

test("protection trips in the taker's command; the account hears of it, resets it", async (t) => {
  const { world, maker, taker, marketId, place } = await stage(t);
  const url = "/api/trading/protection";
  const off = { withinSeconds: 0, maxContracts: null, maxFills: null };
  const idle = { filledContracts: "0", fills: 0, tripped: false, trippedAt: null };
  assert.deepEqual((await world.get(url, maker.secret)).json().data, { ...off, ...idle });
  for (const [body, field] of [
    [{}, "withinSeconds"],
    [{ withinSeconds: 10 }, "withinSeconds"],
    [{ withinSeconds: 0, maxFills: 3 }, "withinSeconds"],
    [{ withinSeconds: 86_401, maxFills: 3 }, "withinSeconds"],
    [{ withinSeconds: 10, maxFills: 0 }, "maxFills"],
    [{ withinSeconds: 10, maxContracts: "0.001" }, "maxContracts"],
  ] as const) {
    const refused = await world.post(url, maker.secret, body);
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, field]);
  }
  const set = await world.post(url, maker.secret, { withinSeconds: 10, maxContracts: 5 });
  const limits = { withinSeconds: 10, maxContracts: "5", maxFills: null };
  assert.deepEqual(set.json().data, { ...limits, ...idle });

  for (const price of [0.4, 0.41]) await place(maker, { price });
  const taken = await place(taker, { side: "SELL", amount: "20" });
  assert.equal(taken.filledAmount, "10");
  const start = Date.UTC(2024, 10, 20) / 1000;
  assert.deepEqual((await world.get(url, maker.secret)).json().data, {
    ...limits,
    filledContracts: "10",
    fills: 1,
    tripped: true,
    trippedAt: start,
  });
  const refused = await world.post(ORDERS, maker.secret, order(marketId));
  assert.deepEqual([refused.statusCode, refused.json().code], [409, "PROTECTION_TRIPPED"]);
  const logs = await world.get("/api/audit/logs?action=protection.tripped", maker.secret);
  const { severity, resource, details } = logs.json().data[0];
  assert.deepEqual([severity, resource], ["warning", "protection"]);
  assert.deepEqual([details.filledContracts, details.maxContracts], ["10", "5"]);
  const others = await world.get("/api/audit/logs?action=protection.tripped", taker.secret);
  assert.deepEqual(others.json().data, [], "nobody else's business");

  const reset = await world.post(`${url}/reset`, maker.secret, {});
  assert.deepEqual(reset.json().data, { ...limits, ...idle });
  await place(maker, {});
});

test("cancels go through whatever is halted: account, market, exchange, protection", async (t) => {
  const { world, maker, taker, marketId, place } = await stage(t);
  const id = accountId(maker.id);
  const market = marketOf(marketId);
  const reason = "drill";
  const trip = async (): Promise<void> => {
    const limits = { withinSeconds: 60, maxFills: 1 };
    await world.post("/api/trading/protection", maker.secret, limits);
    for (const price of [0.45, 0.44]) await place(maker, { price, amount: "1" });
    await place(taker, { side: "SELL", amount: "2", timeInForce: "IOC" });
  };
  for (const [halt, code, lift] of [
    [
      () => world.root({ type: "HaltAccount", accountId: id, reason }),
      "ACCOUNT_HALTED",
      () => world.root({ type: "ResumeAccount", accountId: id, reason }),
    ],
    [
      () => world.root({ type: "PauseMarket", marketId: market, reason }),
      "MARKET_CLOSED",
      () => world.root({ type: "ResumeMarket", marketId: market, reason }),
    ],
    [
      () => world.root({ type: "HaltExchange", reason }),
      "EXCHANGE_HALTED",
      () => world.root({ type: "ResumeExchange", reason }),
    ],
    [trip, "PROTECTION_TRIPPED", () => Promise.resolve()],
  ] as const) {
    const resting = [];
    for (const price of [0.1, 0.2, 0.3]) resting.push(await place(maker, { price }));
    await halt();
    const placed = await world.post(ORDERS, maker.secret, order(marketId));
    assert.equal(placed.json().code, code);
    const gone = await world.remove(`${ORDERS}/${resting[0].id}`, maker.secret);
    // A trip and a halt of the account have taken back all it had resting.
    const tookThemBack = code === "PROTECTION_TRIPPED" || code === "ACCOUNT_HALTED";
    const expected = tookThemBack ? [409, "ORDER_DONE"] : [200, undefined];
    assert.deepEqual([gone.statusCode, gone.json().code], expected, code);
    const armed = await world.post("/api/trading/cancel-after", maker.secret, { seconds: 5 });
    assert.equal(armed.statusCode, 200);
    const all = await world.post(`${ORDERS}/cancel-all`, maker.secret, {});
    assert.equal(all.json().data.cancelledCount, tookThemBack ? 0 : 2, code);
    await lift();
  }
});
