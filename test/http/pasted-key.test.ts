// An API key in a place where texts are kept or given back: refused, so that the journal has none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { order, World } from "./world.ts";

const orders = "/api/trading/orders";

test("a body with a key in one of its texts is refused, and says in which", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const { secret } = trader;
  const before = world.engine.status().sequence;
  const pasted: readonly (readonly [string, string, object])[] = [
    [orders, "clientOrderId", order(marketId, { clientOrderId: secret })],
    [orders, "clientOrderId", order(marketId, { clientOrderId: `my key: ${secret}` })],
    ["/api/trading/keys", "label", { label: secret, permissions: ["read:markets"] }],
    [`${orders}/cancel-all`, "marketId", { marketId: secret }],
  ];
  for (const [url, field, body] of pasted) {
    const refused = await world.post(url, secret, body);
    assert.equal(refused.statusCode, 400, refused.body);
    assert.equal(at(refused.json(), "error", "field"), field);
    assert.match(String(at(refused.json(), "error", "message")), /must not hold an API key/);
    assert.ok(!refused.body.includes(secret), "nor is it given back");
  }
  const batch = { orders: [order(marketId), order(marketId, { clientOrderId: secret })] };
  const refused = await world.post(`${orders}/batch`, secret, batch);
  assert.equal(at(refused.json(), "error", "details", "index"), 1, refused.body);
  assert.equal(world.engine.status().sequence, before, "nothing was entered");
});

test("written with escapes it is the same key; with a letter wrong it is none", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const body = JSON.stringify(order(marketId, { clientOrderId: "HERE" }));
  const hidden = [...trader.secret]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
  const refused = await world.post(
    orders,
    trader.secret,
    body.replace("HERE", () => hidden),
  );
  assert.equal(refused.statusCode, 400, refused.body);
  const other = trader.secret.endsWith("0") ? "1" : "0";
  const none = trader.secret.slice(0, -1) + other;
  const taken = await world.post(orders, trader.secret, body.replace("HERE", none));
  assert.equal(taken.statusCode, 200, taken.body);
});

test("an Idempotency-Key is kept as it is sent: it is no API key", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const headers = { "idempotency-key": `once-${trader.secret}` };
  const refused = await world.post(`${orders}/cancel-all`, trader.secret, {}, headers);
  assert.equal(refused.statusCode, 400, refused.body);
  assert.equal(at(refused.json(), "error", "field"), "Idempotency-Key");
  assert.ok(!refused.body.includes(trader.secret));
});

test("a key in the path is refused under its name, and never given back", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  for (const [url, field] of [
    [`${orders}/by-client-id/${trader.secret}`, "clientOrderId"],
    [`${orders}/${trader.secret}`, "orderId"],
  ] as const) {
    const headers = { authorization: `Bearer ${trader.secret}`, "idempotency-key": "once" };
    const refused = await world.server.inject({ method: "DELETE", url, headers });
    assert.equal(refused.statusCode, 400, refused.body);
    assert.equal(at(refused.json(), "error", "field"), field);
    assert.ok(!refused.body.includes(trader.secret));
  }
});

test("a key in the query is refused under its name, and never given back", async (t) => {
  const { world } = await PublicWorld.open(t);
  const trader = await world.trader("a");
  const asked = await world.get(`/api/index?ids=state:tx,${trader.secret}`);
  assert.equal(asked.statusCode, 400, asked.body);
  assert.equal(at(asked.json(), "error", "field"), "ids");
  const named = await world.get(`/api/index?ids=state:tx&${trader.secret}=1`);
  assert.equal(named.statusCode, 400, named.body);
  assert.equal(at(named.json(), "error", "field"), "fp_test…");
});

test("of a member's name that is longer than any of ours little is said", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const name = "a-secret-that-somebody-took-for-a-name";
  for (const value of ["1", "1e5", '{"__proto__":1}', '[{"x":1e5}]']) {
    const body = `{${JSON.stringify(name)}:${value}}`;
    const refused = await world.post(`${orders}/cancel-all`, trader.secret, body);
    assert.equal(refused.statusCode, 400, refused.body);
    assert.match(String(at(refused.json(), "error", "field")), /^a-secre…/);
    assert.ok(!refused.body.includes("a-secret"), refused.body);
  }
});
