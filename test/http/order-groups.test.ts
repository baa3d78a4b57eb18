// /api/trading/groups, and what names a group: orders, quotes, cancels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.ts";

const url = "/api/trading/groups";
const ORDERS = "/api/trading/orders";

const order = (marketId: string, price: number, group?: string) => ({
  marketId,
  outcomeIndex: 0,
  side: "SELL",
  amount: "10",
  price,
  ...(group === undefined ? {} : { group }),
});

test("a group is set, trips alone, is listed page by page and reset", async (t) => {
  const world = await World.open(t);
  const [maker, taker] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();
  const set = await world.post(`${url}/texas`, maker.secret, { withinMillis: 250, maxFills: 1 });
  const off = { filledContracts: "0", fills: 0, tripped: false, trippedAt: null, openOrders: 0 };
  const limits = { group: "texas", withinMillis: 250, maxContracts: null, maxFills: 1 };
  assert.deepEqual(set.json().data, { ...limits, ...off });
  for (const [price, group] of [
    [0.3, "texas"],
    [0.31, "texas"],
    [0.32, "texas"],
    [0.4, "ohio"],
  ] as const) {
    const placed = await world.post(ORDERS, maker.secret, order(marketId, price, group));
    assert.equal(placed.json().data.group, group);
  }
  const buy = { ...order(marketId, 0.35), side: "BUY", amount: "15" };
  await world.post(ORDERS, taker.secret, buy);
  const listed = await world.get(url, maker.secret);
  const [ohio, texas] = listed.json().data;
  assert.deepEqual([ohio.group, ohio.openOrders, ohio.withinMillis], ["ohio", 1, 0]);
  assert.deepEqual(
    [texas.group, texas.openOrders, texas.tripped, texas.fills],
    ["texas", 0, true, 2],
  );
  const refused = await world.post(ORDERS, maker.secret, order(marketId, 0.5, "texas"));
  assert.deepEqual([refused.statusCode, refused.json().code], [409, "GROUP_TRIPPED"]);
  const first = await world.get(`${url}?limit=1`, maker.secret);
  assert.equal(first.json().data[0].group, "ohio");
  const cursor = encodeURIComponent(first.json().nextCursor);
  const second = await world.get(`${url}?limit=1&cursor=${cursor}`, maker.secret);
  assert.deepEqual([second.json().data[0].group, second.json().nextCursor], ["texas", null]);
  assert.deepEqual((await world.get(url, taker.secret)).json().data, [], "nobody else's");
  const reset = await world.post(`${url}/texas/reset`, maker.secret, {});
  assert.equal(reset.json().data.tripped, false);
  const cancelled = await world.post(`${ORDERS}/cancel-all`, maker.secret, { group: "ohio" });
  assert.equal(cancelled.json().data.cancelledCount, 1);
});

test("a group that says nothing is refused, and so is one that is not there", async (t) => {
  const world = await World.open(t);
  const maker = await world.trader("a");
  for (const body of [
    { withinMillis: 250 },
    { withinMillis: 0, maxFills: 1 },
    { withinMillis: -1, maxFills: 1 },
    { withinMillis: 86_400_001, maxFills: 1 },
    { withinMillis: 250, maxContracts: "1e3" },
  ]) {
    const refused = await world.post(`${url}/texas`, maker.secret, body);
    assert.deepEqual([refused.statusCode, refused.json().code], [400, "INVALID_REQUEST"]);
  }
  for (const name of ["-x", "a b", "x".repeat(33), "ä"]) {
    const path = `${url}/${encodeURIComponent(name)}`;
    const refused = await world.post(path, maker.secret, { withinMillis: 1, maxFills: 1 });
    assert.equal(refused.statusCode, 400, refused.body);
  }
  const unknown = await world.post(`${url}/texas/reset`, maker.secret, {});
  assert.deepEqual([unknown.statusCode, unknown.json().code], [404, "GROUP_NOT_FOUND"]);
});
