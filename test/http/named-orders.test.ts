// Orders by their account's own references, cancels by what orders share, batches of which each
// order is judged alone, and requests that come too late.
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.ts";

const orders = "/api/trading/orders";
const byReference = (reference: string) =>
  `${orders}/by-client-id/${encodeURIComponent(reference)}`;

async function stage(t: Parameters<typeof World.open>[0]) {
  const world = await World.open(t);
  const { secret } = await world.trader("a");
  const marketId = await world.market();
  const order = (clientOrderId: string, price: unknown = "0.3", more: object = {}) => ({
    ...{ marketId, outcomeIndex: 0, side: "BUY", amount: "10", price, clientOrderId },
    ...more,
  });
  const send = (method: "GET" | "PATCH" | "DELETE", url: string, body?: object, key = secret) =>
    world.server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    });
  return { world, secret, marketId, order, send };
}

test("an order is shown, changed and cancelled by its reference", async (t) => {
  const { world, secret, order, send } = await stage(t);
  const other = await world.trader("b");
  const reference = "spring / 7 %";
  const placed = await world.post(orders, secret, order(reference));
  const { id } = placed.json().data;
  const url = byReference(reference);
  assert.deepEqual((await send("GET", url)).json(), placed.json());
  const amended = await send("PATCH", url, { amount: "4" });
  assert.deepEqual([amended.json().data.id, amended.json().data.amount], [id, "4"]);
  for (const [method, body] of [["GET"], ["PATCH", { amount: "3" }], ["DELETE"]] as const) {
    const theirs = await send(method, url, body, other.secret);
    assert.deepEqual([theirs.statusCode, theirs.json().code], [404, "ORDER_NOT_FOUND"], method);
  }
  assert.equal((await send("DELETE", url)).statusCode, 200);
  const again = await send("DELETE", url);
  assert.deepEqual([again.statusCode, again.json().code], [409, "ORDER_DONE"]);
  assert.equal((await send("GET", url)).json().data.status, "CANCELLED");
});

test("cancel-all takes what it names, and tells which names of its lists missed", async (t) => {
  const { world, secret, order } = await stage(t);
  const ids: string[] = [];
  for (const reference of ["a", "b", "c", "d"]) {
    ids.push((await world.post(orders, secret, order(reference))).json().data.id);
  }
  const cancel = async (body: object) =>
    (await world.post(`${orders}/cancel-all`, secret, body)).json();
  const [first = ""] = ids;
  assert.deepEqual(
    await cancel({ orderIds: [first.toUpperCase(), "ord-99"], clientOrderIds: ["b"] }),
    {
      data: { cancelledCount: 2, missed: ["ord-99"] },
    },
  );
  assert.deepEqual(await cancel({ side: "SELL" }), { data: { cancelledCount: 0 } });
  assert.deepEqual(await cancel({ index: "zori" }), { data: { cancelledCount: 0 } });
  assert.deepEqual(await cancel({ clientOrderIds: ["c"], place: "state:tx" }), {
    data: { cancelledCount: 1, missed: [] },
  });
  assert.deepEqual(await cancel({}), { data: { cancelledCount: 1 } });
  for (const [body, field] of [
    [{ orderIds: [] }, "orderIds"],
    [{ clientOrderIds: ["é"] }, "clientOrderIds[0]"],
    [{ index: "rent" }, "index"],
    [{ sides: "BUY" }, "sides"],
  ] as const) {
    const { error } = await cancel(body);
    assert.deepEqual([error.code, error.field], ["INVALID_REQUEST", field]);
  }
});

test("mode each places what it can and tells the others by their place", async (t) => {
  const { world, secret, order } = await stage(t);
  const batch = [
    order("a"),
    order("b", "0.30005"),
    order("c", "0.2", { marketId: "none" }),
    order("d"),
  ];
  const whole = await world.post(`${orders}/batch`, secret, { orders: batch });
  assert.deepEqual([whole.statusCode, whole.json().error.details.index], [400, 1], whole.body);
  const headers = { "idempotency-key": "each-1" };
  const body = { orders: batch, mode: "each" };
  const each = await world.post(`${orders}/batch`, secret, body, headers);
  assert.equal(each.statusCode, 200, each.body);
  const { data, refused } = each.json();
  assert.deepEqual(
    data.map((one: { clientOrderId: string }) => one.clientOrderId),
    ["a", "d"],
  );
  assert.deepEqual(
    refused.map((one: { index: number; code: string; field: string }) => [
      one.index,
      one.code,
      one.field,
    ]),
    [
      [1, "INVALID_PRICE", "price"],
      [2, "MARKET_NOT_FOUND", "marketId"],
    ],
  );
  assert.equal((await world.post(`${orders}/batch`, secret, body, headers)).body, each.body);
  const none = await world.post(`${orders}/batch`, secret, { orders: [order("a")], mode: "each" });
  assert.deepEqual([none.statusCode, none.json().data], [200, []], none.body);
  assert.equal(none.json().refused[0].code, "CLIENT_ORDER_ID_USED");
});

test("a request after its Expires-After is refused, and refused again under its key", async (t) => {
  const { world, secret, order } = await stage(t);
  const late = { "expires-after": "1000000000000", "idempotency-key": "late-1" };
  const refused = await world.post(orders, secret, order("a"), late);
  assert.deepEqual([refused.statusCode, refused.json().code], [409, "REQUEST_EXPIRED"]);
  const again = await world.post(orders, secret, order("a"), {
    "idempotency-key": "late-1",
    "expires-after": "99999999999999",
  });
  assert.deepEqual([again.statusCode, again.json().code], [409, "REQUEST_EXPIRED"]);
  assert.equal(world.view.orders.size, 0);
  const inTime = { "expires-after": "99999999999999" };
  assert.equal((await world.post(orders, secret, order("a"), inTime)).statusCode, 200);
  for (const text of ["1795000000", "soon", "-1", ""]) {
    const bad = await world.post(orders, secret, order("b"), { "expires-after": text });
    assert.deepEqual([bad.statusCode, bad.json().error.field], [400, "Expires-After"], text);
  }
});
