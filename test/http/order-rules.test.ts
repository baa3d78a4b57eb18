// The rules of orders as a stranger meets them: order of checks, statuses, seconds, batches.
// Invariant: what is refused here is refused for the first thing that is wrong with it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { order, World } from "./world.ts";

const ORDERS = "/api/trading/orders";

test("authentication, permission, shape, KYC, the frozen account, in that order", async (t) => {
  const world = await World.open(t);
  const [trader, unknown] = [await world.trader("a"), await world.account("b")];
  const marketId = await world.market();
  const malformed = { ...order(marketId), price: null };
  const code = async (secret: string | undefined, body: object) => {
    const answer = await world.post(ORDERS, secret, body);
    return [answer.statusCode, answer.json().code];
  };
  assert.deepEqual(await code(undefined, malformed), [401, "UNAUTHENTICATED"]);
  assert.deepEqual(await code("fp_test_nobody", malformed), [401, "UNAUTHENTICATED"]);
  const narrow = await world.narrowKey(unknown, ["read:markets"]);
  assert.deepEqual(await code(narrow, malformed), [403, "PERMISSION_DENIED"]);
  assert.deepEqual(await code(unknown.secret, malformed), [400, "INVALID_REQUEST"]);
  const offGrid = order("no-market", { price: 0.12345 });
  const halt = (id: string) =>
    world.root({ type: "HaltAccount", accountId: accountId(id), reason: "drill" });
  await halt(unknown.id);
  assert.deepEqual(await code(unknown.secret, offGrid), [403, "KYC_REQUIRED"]);
  await halt(trader.id);
  assert.deepEqual(await code(trader.secret, offGrid), [403, "ACCOUNT_HALTED"]);
});

test("a rate that is spent answers before the permission and the shape", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const made = await world.post("/api/trading/keys", trader.secret, {
    label: "slow",
    permissions: ["read:markets"],
    rateLimit: 60,
  });
  const { secret } = made.json().data;
  let last = await world.post(ORDERS, secret, {});
  for (let sent = 1; last.statusCode === 403 && sent < 100; sent += 1) {
    last = await world.post(ORDERS, secret, {});
  }
  assert.deepEqual([last.statusCode, last.json().code], [429, "RATE_LIMITED"]);
});

test("a time in milliseconds is told so; the last second that is one is taken", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("a");
  const marketId = await world.market();
  const send = (expiry: number) => world.post(ORDERS, secret, order(marketId, { expiry }));
  const millis = await send(1e11);
  assert.equal(millis.statusCode, 400);
  const { message, field } = millis.json().error;
  assert.deepEqual(
    [field, message],
    ["expiry", "expiry looks like milliseconds; send Unix seconds"],
  );
  assert.equal((await send(1e11 - 1)).json().data.expiry, 1e11 - 1);
  const now = Date.UTC(2024, 10, 20) / 1000;
  assert.equal((await send(now)).json().code, "EXPIRY_PAST");
  assert.equal((await send(now + 1)).json().data.status, "OPEN");
  assert.equal((await send(0)).json().data.timeInForce, "GTC");
});

test("a batch is one entry, and refused it is none of its orders", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("a", "10");
  const marketId = await world.market();
  const before = world.engine.status().durableSequence;
  const orders = Array.from({ length: 100 }, () => order(marketId, { amount: "0.01" }));
  const placed = await world.post(`${ORDERS}/batch`, secret, { orders });
  assert.equal(placed.json().data.length, 100, placed.body);
  assert.equal(world.engine.status().durableSequence, before + 1);

  const small = order(marketId, { amount: "10" });
  const refused = await world.post(`${ORDERS}/batch`, secret, { orders: [small, small, small] });
  const { code, details } = refused.json().error;
  assert.deepEqual([refused.statusCode, code, details.index], [422, "INSUFFICIENT_BALANCE", 2]);
  assert.equal(world.view.orders.size, 100);
});

test("a name used twice is 409, the cap on open orders 422", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("a");
  const marketId = await world.market();
  const named = order(marketId, { clientOrderId: "mine", amount: "0.01" });
  const first = await world.post(ORDERS, secret, named);
  assert.equal(first.json().data.clientOrderId, "mine");
  await world.remove(`${ORDERS}/ord-1`, secret);
  const second = await world.post(ORDERS, secret, named);
  assert.deepEqual([second.statusCode, second.json().code], [409, "CLIENT_ORDER_ID_USED"]);

  const orders = new Array(100).fill(order(marketId, { amount: "0.01" }));
  for (let sent = 0; sent < 10; sent += 1) {
    // Each of its orders costs what one alone does.
    world.nowMillis += 60_000;
    assert.equal((await world.post(`${ORDERS}/batch`, secret, { orders })).statusCode, 200);
  }
  world.nowMillis += 60_000;
  const over = await world.post(ORDERS, secret, order(marketId));
  assert.deepEqual([over.statusCode, over.json().code], [422, "OPEN_ORDER_CAP"]);
});

test("a position held through YES and NO is cash again, and a complement is met", async (t) => {
  const world = await World.open(t);
  const [anna, bela] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();
  const place = async (secret: string, more: object) => {
    const placed = await world.post(ORDERS, secret, order(marketId, more));
    const { status, price, outcomeIndex } = placed.json().data;
    return [status, price, outcomeIndex];
  };
  assert.deepEqual(await place(anna.secret, { price: 0.4 }), ["OPEN", 0.4, 0]);
  const complement = { outcomeIndex: 1, price: 0.6 };
  assert.deepEqual(await place(bela.secret, complement), ["FILLED", 0.6, 1]);
  const [held] = world.view.positionsOf(accountId(bela.id));
  assert.equal(held?.heldLots, -1_000n);
  await place(anna.secret, { side: "SELL", price: 0.4 });
  await place(bela.secret, { outcomeIndex: 1, side: "SELL", price: 0.6 });
  assert.equal(world.view.positionsOf(accountId(bela.id))[0]?.heldLots, 0n);
  // Both fees are of the incoming side, half a percent of 0.4 × 10 each.
  assert.equal(world.view.available(accountId(bela.id)), 100_000_000_000n - 40_000n);
});
