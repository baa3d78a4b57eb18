// Orders through the real server: shapes, prices, batches, cancelling, idempotency.
import assert from "node:assert/strict";
import { test } from "node:test";
import { order, World } from "./world.ts";

test("an order comes back as the interface shows it, with its fills", async (t) => {
  const world = await World.open(t);
  const [maker, taker] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();

  const rested = await world.post("/api/trading/orders", maker.secret, order("mkt-001"));
  assert.equal(rested.statusCode, 200, rested.body);
  assert.deepEqual(rested.json().data, {
    id: "ord-1",
    maker: maker.address,
    marketId,
    outcomeIndex: 0,
    side: "BUY",
    amount: "10",
    price: 0.4,
    status: "OPEN",
    filledAmount: "0",
    expiry: 0,
    createdAt: Date.UTC(2024, 10, 20) / 1000,
    timeInForce: "GTC",
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: "cancel_incoming",
  });

  const met = await world.post(
    "/api/trading/orders",
    taker.secret,
    order(marketId, { side: "SELL", amount: "25.5", price: "0.4" }),
  );
  const { id, maker: address, status, filledAmount } = met.json().data;
  assert.deepEqual(
    [id, address, status, filledAmount],
    ["ord-2", taker.address, "PARTIALLY_FILLED", "10"],
  );
});

test("a price off the grid is refused in its turn, with the prices around it", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const send = (price: string, market = marketId, secret = trader.secret) =>
    world.post(
      "/api/trading/orders",
      secret,
      `{"marketId":"${market}","outcomeIndex":0,"side":"BUY","amount":"1","price":${price}}`,
    );

  for (const price of [
    "0.30000000000000004",
    '"0.30000000000000004"',
    "0.00005",
    "1",
    "0",
    "-0.5",
  ]) {
    const refused = await send(price);
    assert.equal(refused.statusCode, 400, price);
    const { code, message, field, details } = refused.json().error;
    assert.deepEqual([code, message, field], ["INVALID_PRICE", "Invalid price range", "price"]);
    assert.equal(details.tick, "0.0001");
    assert.equal(details.nearest.length, 2);
  }
  assert.deepEqual((await send("0.30000000000000004")).json().error.details.nearest, [
    "0.3",
    "0.3001",
  ]);
  assert.equal(
    (await send("1", "no-market")).json().code,
    "MARKET_NOT_FOUND",
    "market before price",
  );
  const unknown = await world.account("b");
  assert.equal((await send("1", marketId, unknown.secret)).json().code, "KYC_REQUIRED");
});

test("malformed orders are a 400 that names the field, and nothing is placed", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("a");
  const marketId = await world.market();
  const base: Record<string, string> = {
    marketId: JSON.stringify(marketId),
    outcomeIndex: "0",
    side: '"BUY"',
    amount: '"1"',
    price: "0.5",
  };
  const cases: readonly [string, string, string][] = [
    ...["null", "true", '"1e3"', "1e3", "1e-1", "-0", "1e400", '" 0.5"', '""', "[0.5]", "{}"].map(
      (price): [string, string, string] => ["price", price, "price"],
    ),
    ...["null", '"1e3"', "-1", '"-1"', "0", '"0"', "1.001", '"1.000"', '" 1"', '"+1"', "1e2"].map(
      (amount): [string, string, string] => ["amount", amount, "amount"],
    ),
    ["amount", '"10000000000.01"', "amount"],
    ["outcomeIndex", "2", "outcomeIndex"],
    ["outcomeIndex", '"0"', "outcomeIndex"],
    ["outcomeIndex", "true", "outcomeIndex"],
    ["outcomeIndex", "-0", "outcomeIndex"],
    ["outcomeIndex", "0e0", "outcomeIndex"],
    ["expiry", "2e9", "expiry"],
    ["side", '"buy"', "side"],
    ["marketId", '""', "marketId"],
    ["marketId", "1", "marketId"],
    ["expiry", "-1", "expiry"],
    ["expiry", "1.5", "expiry"],
    ["expiry", "1732060800000", "expiry"],
    ["expiry", "null", "expiry"],
    ["postOnly", '"true"', "postOnly"],
    ["reduceOnly", "1", "reduceOnly"],
    ["clientOrderId", '""', "clientOrderId"],
    ["clientOrderId", `"${"x".repeat(65)}"`, "clientOrderId"],
    ["timeInForce", '"DAY"', "timeInForce"],
    ["timeInForce", '"GTD"', "timeInForce"],
    ["stranger", "1", "stranger"],
  ];
  for (const [name, value, field] of cases) {
    const members = Object.entries({ ...base, [name]: value });
    const text = `{${members.map(([key, source]) => `"${key}":${source}`).join(",")}}`;
    const refused = await world.post("/api/trading/orders", secret, text);
    assert.equal(refused.statusCode, 400, `${name}: ${value} → ${refused.body}`);
    const { error, code } = refused.json();
    assert.deepEqual([code, error.field], ["INVALID_REQUEST", field], `${name}: ${value}`);
    assert.ok(error.errors.some((one: { field: string }) => one.field === field));
    assert.equal(error.outcome, "not_applied");
  }
  for (const missing of Object.keys(base)) {
    const members = Object.entries(base).filter(([key]) => key !== missing);
    const text = `{${members.map(([key, source]) => `"${key}":${source}`).join(",")}}`;
    const { error } = (await world.post("/api/trading/orders", secret, text)).json();
    assert.deepEqual([error.code, error.field], ["INVALID_REQUEST", missing]);
  }
  assert.equal(world.view.orders.size, 0);
});

test("options that contradict each other are a 400 that names the pair", async (t) => {
  const world = await World.open(t);
  const { secret } = await world.trader("a");
  const marketId = await world.market();
  const later = Date.UTC(2025, 0, 1) / 1000;
  for (const [options, fields] of [
    [{ postOnly: true, timeInForce: "IOC" }, ["timeInForce", "postOnly"]],
    [{ postOnly: true, timeInForce: "FOK" }, ["timeInForce", "postOnly"]],
    [{ timeInForce: "GTD", expiry: 0 }, ["timeInForce", "expiry"]],
    [{ timeInForce: "GTC", expiry: later }, ["timeInForce", "expiry"]],
    [{ timeInForce: "IOC", expiry: later }, ["timeInForce", "expiry"]],
  ] as const) {
    const refused = await world.post("/api/trading/orders", secret, order(marketId, options));
    assert.equal(refused.statusCode, 400, refused.body);
    assert.deepEqual(refused.json().error.details, { fields: [...fields] });
  }
  const good = await world.post("/api/trading/orders", secret, order(marketId, { expiry: later }));
  assert.equal(good.json().data.timeInForce, "GTD");
  const past = await world.post("/api/trading/orders", secret, order(marketId, { expiry: 1 }));
  assert.deepEqual([past.statusCode, past.json().code], [400, "EXPIRY_PAST"]);
});

test("a batch answers in the order sent; a refusal names the index", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const send = (orders: readonly object[]) =>
    world.post("/api/trading/orders/batch", trader.secret, { orders });

  const placed = await send([0.3, 0.1, 0.2].map((price) => order(marketId, { price })));
  assert.equal(placed.statusCode, 200, placed.body);
  assert.deepEqual(
    placed.json().data.map((one: { id: string; price: number }) => [one.id, one.price]),
    [
      ["ord-1", 0.3],
      ["ord-2", 0.1],
      ["ord-3", 0.2],
    ],
  );

  const good = order(marketId);
  for (const [bad, status, code, field] of [
    [{ ...good, price: null }, 400, "INVALID_REQUEST", "price"],
    [{ ...good, amount: "1.001" }, 400, "INVALID_REQUEST", "amount"],
    [{ ...good, price: 0.12345 }, 400, "INVALID_PRICE", "price"],
    [{ ...good, marketId: "none" }, 404, "MARKET_NOT_FOUND", "marketId"],
  ] as const) {
    const refused = await send([good, bad]);
    const { error } = refused.json();
    assert.equal(refused.statusCode, status, refused.body);
    assert.deepEqual([error.code, error.field, error.details.index], [code, field, 1]);
  }
  assert.deepEqual((await send([good, { ...good, price: 0.12345 }])).json().error.details, {
    index: 1,
    tick: "0.0001",
    nearest: ["0.1234", "0.1235"],
  });
  assert.equal((await send([])).statusCode, 400);
  assert.equal((await send(new Array(101).fill(good))).statusCode, 400);
  assert.equal(world.view.orders.size, 3);
});

test("an order that a later one of its batch cancels is shown as it ended", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const crossing = { side: "SELL", selfTradePrevention: "cancel_resting" };
  const placed = await world.post("/api/trading/orders/batch", trader.secret, {
    orders: [order(marketId), order(marketId, crossing)],
  });
  assert.deepEqual(
    placed.json().data.map((one: { id: string; status: string }) => [one.id, one.status]),
    [
      ["ord-1", "CANCELLED"],
      ["ord-2", "OPEN"],
    ],
  );
  assert.equal(placed.json().data[0].cancelReason, "SELF_TRADE");
});

test("cancelling: once, by its owner; then 409 with its state", async (t) => {
  const world = await World.open(t);
  const [owner, other] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();
  await world.post("/api/trading/orders", owner.secret, order(marketId));

  const foreign = await world.remove("/api/trading/orders/ord-1", other.secret);
  const absent = await world.remove("/api/trading/orders/ord-999", other.secret);
  assert.equal(foreign.statusCode, 404);
  const strip = (body: string, id: unknown): string => body.replaceAll(String(id), "");
  assert.equal(
    strip(foreign.body, foreign.headers["x-request-id"]),
    strip(absent.body, absent.headers["x-request-id"]),
  );
  assert.ok(!foreign.body.includes("ord-1"), "the id is not echoed");

  const done = await world.remove("/api/trading/orders/ORD-1", owner.secret);
  assert.deepEqual([done.statusCode, done.body], [200, '{"data":{"success":true}}']);
  const again = await world.remove("/api/trading/orders/ord-1", owner.secret);
  assert.deepEqual([again.statusCode, again.json().code], [409, "ORDER_DONE"]);
  assert.deepEqual(again.json().error.details, { status: "CANCELLED" });

  for (const price of [0.1, 0.2]) {
    await world.post("/api/trading/orders", owner.secret, order(marketId, { price }));
  }
  await world.root({ type: "HaltExchange", reason: "drill" });
  const halted = await world.post("/api/trading/orders", owner.secret, order(marketId));
  assert.deepEqual([halted.statusCode, halted.json().code], [503, "EXCHANGE_HALTED"]);
  assert.ok(Number(halted.headers["retry-after"]) > 0);
  const all = await world.post("/api/trading/orders/cancel-all", owner.secret, { marketId });
  assert.deepEqual(all.json(), { data: { cancelledCount: 2 } });
  const none = await world.server.inject({
    method: "POST",
    url: "/api/trading/orders/cancel-all",
    headers: { authorization: `Bearer ${owner.secret}` },
  });
  assert.deepEqual(none.json(), { data: { cancelledCount: 0 } });
});

test("an idempotent repeat is the same bytes, done once", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const send = (body: object, key: string) =>
    world.post("/api/trading/orders", trader.secret, body, { "idempotency-key": key });

  const first = await send(order(marketId), "one");
  const second = await send(order(marketId), "one");
  assert.equal(second.body, first.body);
  assert.equal(first.headers["idempotency-replayed"], undefined);
  assert.equal(second.headers["idempotency-replayed"], "true");
  assert.equal(world.view.orders.size, 1);

  const other = await send(order(marketId, { price: 0.2 }), "one");
  assert.deepEqual([other.statusCode, other.json().code], [422, "IDEMPOTENCY_MISMATCH"]);

  const refused = await send(order(marketId, { price: 0.12345 }), "two");
  const replayed = await send(order(marketId, { price: 0.12345 }), "two");
  assert.equal(refused.statusCode, 400);
  assert.equal(replayed.body, refused.body, "the refusal too, with the first requestId");
  assert.notEqual(replayed.headers["x-request-id"], refused.headers["x-request-id"]);

  await world.remove("/api/trading/orders/ord-1", trader.secret, { "idempotency-key": "three" });
  const cancelled = await world.remove("/api/trading/orders/ord-1", trader.secret, {
    "idempotency-key": "three",
  });
  assert.deepEqual(
    [cancelled.statusCode, cancelled.headers["idempotency-replayed"]],
    [200, "true"],
  );
  for (const key of ["", "x".repeat(256), "caf\u00e9"]) {
    const bad = await send(order(marketId), key);
    assert.deepEqual([bad.statusCode, bad.json().error.field], [400, "Idempotency-Key"], key);
  }
});

test("an Idempotency-Key with and without the quotes of a structured field is one key", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const send = (key: string, body: object = order(marketId)) =>
    world.post("/api/trading/orders", trader.secret, body, { "idempotency-key": key });

  const spellings: readonly (readonly [string, string])[] = [
    ["k", '"k"'],
    ['"quoted first"', "quoted first"],
    ['a "b" \\c', '"a \\"b\\" \\\\c"'],
    ["x".repeat(255), `"${"x".repeat(255)}"`],
  ];
  for (const [at, [one, other]] of spellings.entries()) {
    const first = await send(one);
    const second = await send(other);
    assert.equal(first.statusCode, 200, first.body);
    assert.equal(second.body, first.body, other);
    assert.equal(second.headers["idempotency-replayed"], "true", other);
    assert.equal(world.view.orders.size, at + 1, other);
    const mismatch = await send(other, order(marketId, { price: 0.2 }));
    assert.equal(mismatch.json().code, "IDEMPOTENCY_MISMATCH", other);
  }
  for (const key of ['""', '"', '"open', '"a"b"', '"a\\b"', '"k";p=1', `"${"x".repeat(256)}"`]) {
    const bad = await send(key);
    assert.deepEqual([bad.statusCode, bad.json().error.field], [400, "Idempotency-Key"], key);
  }
  const pasted = await send(`"${trader.secret}"`);
  assert.equal(pasted.statusCode, 400, "an API key in quotes is one too");
});

test("an answer under a key says for how long it is kept, where that is less than a day", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const marketId = await world.market();
  const send = (headers: Record<string, string>) =>
    world.post("/api/trading/orders", trader.secret, order(marketId), headers);
  const day = await send({ "idempotency-key": "one" });
  assert.equal(day.headers["idempotency-kept-seconds"], undefined);
  const asked = t.mock.method(world.engine, "answersKeptSeconds", () => 1_200);
  for (const headers of [{ "idempotency-key": "one" }, { "idempotency-key": "two" }]) {
    const less = await send(headers);
    assert.equal(less.headers["idempotency-kept-seconds"], "1200");
  }
  const [call] = asked.mock.calls;
  const [actor] = call?.arguments ?? [];
  assert.ok(actor?.type === "key" && actor.accountId === trader.id, "of the account that asked");
  assert.equal((await send({})).headers["idempotency-kept-seconds"], undefined, "nothing is kept");
});

test("money the account lacks and limits it exceeds are named with their amounts", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a", "5");
  const marketId = await world.market();
  const poor = await world.post(
    "/api/trading/orders",
    trader.secret,
    order(marketId, { amount: "100" }),
  );
  const { code, message, details } = poor.json().error;
  assert.deepEqual(
    [poor.statusCode, code, message],
    [422, "INSUFFICIENT_BALANCE", "Insufficient balance"],
  );
  assert.equal(details.available, "5");
  assert.match(details.required, /^40\.\d+$/);
  const large = order(marketId, { amount: "25000001" });
  const over = await world.post("/api/trading/orders", trader.secret, large);
  assert.deepEqual(
    [over.statusCode, over.json().code, over.json().message],
    [422, "POSITION_LIMIT", "Position exceeds limit"],
  );
});
