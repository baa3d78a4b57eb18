// The trading surface through the real server: orders, keys, KYC, idempotency, audit.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { permissions } from "#core/records.ts";
import { type Holder, World } from "./world.ts";

const order = (marketId: string, more: object = {}) => ({
  marketId,
  outcomeIndex: 0,
  side: "BUY",
  amount: "10",
  price: 0.4,
  ...more,
});

test("an order comes back as the interface shows it, and fills show in the taker's answer", async (t) => {
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

test("a price off the grid is refused in its turn, with the tick and the prices around it", async (t) => {
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
    ["side", '"buy"', "side"],
    ["marketId", '""', "marketId"],
    ["marketId", "1", "marketId"],
    ["expiry", "-1", "expiry"],
    ["expiry", "1.5", "expiry"],
    ["expiry", "1732060800000", "expiry"],
    ["expiry", "null", "expiry"],
    ["postOnly", '"true"', "postOnly"],
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

test("a batch answers in the order sent; a refusal names the index and places nothing", async (t) => {
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

test("cancelling: once, by its owner; afterwards 409 with its state; others see nothing", async (t) => {
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

test("an idempotent repeat is the same bytes, done once; another body or a bad key is refused", async (t) => {
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

test("a key's secret is shown once: not when listed, not when replayed", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const body = { label: "bot", permissions: ["read:markets"], expiresInDays: 30, rateLimit: 100 };
  const make = () =>
    world.post("/api/trading/keys", holder.secret, body, { "idempotency-key": "k" });
  const first = (await make()).json().data;
  assert.match(first.secret, /^fp_test_[0-9A-Za-z]{36}$/);
  assert.equal(first.prefix, first.secret.slice(0, 12));
  const { secret, ...shown } = first;
  assert.deepEqual(shown, {
    id: "key-2",
    label: "bot",
    prefix: secret.slice(0, 12),
    permissions: ["read:markets"],
    rateLimit: 100,
    createdAt: Date.UTC(2024, 10, 20) / 1000,
    lastUsed: null,
    expiresAt: Date.UTC(2024, 11, 20) / 1000,
  });
  const replayed = await make();
  assert.deepEqual(replayed.json().data, shown);

  const listed = await world.get("/api/trading/keys", holder.secret);
  assert.ok(!listed.body.includes("secret"));
  assert.deepEqual(
    listed
      .json()
      .data.map((key: { id: string; lastUsed: number | null }) => [key.id, key.lastUsed]),
    [
      ["key-1", Date.UTC(2024, 10, 20) / 1000],
      ["key-2", null],
    ],
  );
});

test("a revoked key is nobody's from the next request on, and is listed no more", async (t) => {
  const world = await World.open(t);
  const [holder, other] = [await world.account("a"), await world.account("b")];
  const secret = await world.narrowKey(holder, ["read:portfolio"]);
  assert.equal((await world.get("/api/trading/keys", secret)).statusCode, 200);
  assert.equal((await world.remove("/api/trading/keys/key-3", other.secret)).statusCode, 404);
  assert.equal((await world.remove("/api/trading/keys/key-3", holder.secret)).statusCode, 200);
  assert.equal((await world.get("/api/trading/keys", secret)).statusCode, 401);
  assert.equal((await world.get("/api/trading/keys", holder.secret)).json().data.length, 1);
});

test("a key expires by the exchange's clock", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const made = await world.post("/api/trading/keys", holder.secret, {
    label: "short",
    permissions: ["read:portfolio"],
    expiresInDays: 1,
  });
  const { secret } = made.json().data;
  assert.equal((await world.get("/api/kyc/status", secret)).statusCode, 200);
  await world.root({ type: "SetClock", toMillis: Date.UTC(2024, 10, 21) });
  assert.equal((await world.get("/api/kyc/status", secret)).statusCode, 401);
});

test("keys with too much are refused by the rule they break", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const narrow = await world.narrowKey(holder, ["manage:custody"]);
  const send = (secret: string, more: object) =>
    world.post("/api/trading/keys", secret, {
      label: "x",
      permissions: ["manage:custody"],
      ...more,
    });
  for (const [more, field] of [
    [{ rateLimit: 6_001 }, "rateLimit"],
    [{ rateLimit: 0 }, "rateLimit"],
    [{ expiresInDays: 366 }, "expiresInDays"],
    [{ expiresInDays: 0 }, "expiresInDays"],
    [{ label: "" }, "label"],
    [{ label: "x".repeat(101) }, "label"],
    [{ permissions: [] }, "permissions"],
    [{ permissions: ["manage:custody", "manage:custody"] }, "permissions"],
  ] as const) {
    const refused = await send(holder.secret, more);
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, field], refused.body);
  }
  const unknown = await send(holder.secret, { permissions: ["do:anything"] });
  assert.equal(unknown.json().code, "INVALID_REQUEST");
  const wider = await send(narrow, { permissions: ["create:orders"] });
  assert.deepEqual(
    [wider.statusCode, wider.json().code, wider.json().error.field],
    [403, "KEY_ESCALATION", "permissions"],
  );
});

test("KYC: none, pending, approved, with limits only while approved", async (t) => {
  const world = await World.open(t);
  const { id, secret } = await world.account("a");
  const none = (await world.get("/api/kyc/status", secret)).json().data;
  assert.deepEqual([none.status, none.tier, none.limits], ["none", "none", null]);
  assert.deepEqual((await world.get("/api/kyc/limits", secret)).json().data, {
    maxPosition: 0,
    maxDaily: 0,
    maxTotal: 0,
  });

  const pending = await world.post("/api/kyc/inquiry", secret, { tier: "enhanced" });
  assert.deepEqual(pending.json().data, {
    status: "pending",
    tier: "enhanced",
    sanctionsCleared: false,
    pepScreened: false,
    adverseMediaCleared: false,
    countryCode: null,
    expiresAt: null,
    limits: null,
  });
  const twice = await world.post("/api/kyc/inquiry", secret, { tier: "basic" });
  assert.deepEqual([twice.statusCode, twice.json().code], [409, "KYC_PENDING"]);
  const odd = await world.post("/api/kyc/inquiry", secret, { tier: "none" });
  assert.deepEqual([odd.statusCode, odd.json().error.field], [400, "tier"]);

  await world.root({
    type: "DecideKyc",
    accountId: accountId(id),
    decision: "approve",
    tier: null,
    countryCode: "US",
    sanctionsCleared: true,
    pepScreened: true,
    adverseMediaCleared: true,
    listVersion: "1",
    provider: "manual",
  });
  const limits = { maxPosition: 250_000, maxDaily: 100_000, maxTotal: 1_000_000 };
  const approved = (await world.get("/api/kyc/status", secret)).json().data;
  assert.deepEqual([approved.status, approved.limits], ["approved", limits]);
  assert.deepEqual((await world.get("/api/kyc/limits", secret)).json().data, limits);
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

test("the audit shows a trader its own entries whatever it asks for, and an auditor everybody's", async (t) => {
  const world = await World.open(t);
  const [a, b] = [await world.trader("a"), await world.trader("b")];
  const auditor = await world.account("c", "auditor");
  const marketId = await world.market();
  await world.post("/api/trading/orders", a.secret, order(marketId));
  await world.post("/api/trading/orders", b.secret, order(marketId, { price: 0.1 }));
  const logs = async (who: Holder, query = "") =>
    (await world.get(`/api/audit/logs${query}`, who.secret)).json().data;

  const own = await logs(a);
  assert.equal(own[0].action, "order.placed");
  assert.equal(own[0].userId, a.address);
  assert.ok(own.every((entry: { userId: string }) => entry.userId !== b.address));
  assert.ok(
    own.some((entry: { userId: string }) => entry.userId === "root"),
    "acts on it show",
  );
  assert.deepEqual(await logs(a, `?userId=${b.address}`), []);
  assert.equal((await logs(a, `?userId=${a.address}&action=order.placed`)).length, 1);
  assert.equal((await logs(auditor, "?action=order.placed")).length, 2);
  assert.equal((await logs(auditor, `?userId=${b.address.toUpperCase()}`)).length, 1);
  assert.equal((await logs(auditor, "?limit=2&offset=1")).length, 2);
  for (const query of [
    "?limit=1001",
    "?limit=0",
    "?limit=1e2",
    "?limit=",
    "?offset=-1",
    "?severity=bad",
  ]) {
    assert.equal((await world.get(`/api/audit/logs${query}`, a.secret)).statusCode, 400, query);
  }

  const stats = (await world.get("/api/audit/stats", auditor.secret)).json().data;
  const sum = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  assert.equal(stats.totalEvents, world.engine.status().durableSequence);
  assert.equal(sum(stats.byAction), stats.totalEvents);
  assert.equal(sum(stats.bySeverity), stats.totalEvents);
  assert.equal(stats.byAction["order.placed"], 2);
  const small = (await world.get("/api/audit/stats", a.secret)).json().data;
  assert.equal(small.byAction["order.placed"], 1);
  const empty = await world.get("/api/audit/stats?startTime=1&endTime=2", a.secret);
  assert.deepEqual(empty.json().data.timeRange, { start: 1, end: 2 });
  const backwards = await world.get("/api/audit/stats?startTime=2&endTime=1", a.secret);
  assert.equal(backwards.statusCode, 400);
});

test("the exported bytes hash to the chain that the entries link, and verify agrees", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const auditor = await world.account("b", "auditor");
  const exported = await world.get("/api/audit/export", auditor.secret);
  assert.equal(exported.statusCode, 200);
  const entries: { sequence: number; previousHash: string; hash: string; bytes: string }[] =
    exported.json().data;
  const size = world.engine.status().durableSequence;
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    Array.from({ length: size }, (_, at) => at + 1),
  );
  let previous = "0".repeat(64);
  for (const entry of entries) {
    assert.equal(entry.previousHash, previous);
    previous = hashOf(previous, entry.sequence, Buffer.from(entry.bytes, "base64"));
    assert.equal(entry.hash, previous, `entry ${entry.sequence}`);
  }
  const verified = (await world.get("/api/audit/verify", trader.secret)).json().data;
  assert.deepEqual(
    [verified.valid, verified.totalEntries, verified.size, verified.head],
    [true, size, size, previous],
  );
  assert.equal(verified.checkedAt, Date.UTC(2024, 10, 20) / 1000);
});

/** The documented hash, worked out apart from the exchange's own code. */
function hashOf(previous: string, sequence: number, bytes: Buffer): string {
  const numbers = Buffer.alloc(12);
  numbers.writeBigUInt64BE(BigInt(sequence));
  numbers.writeUInt32BE(bytes.length, 8);
  return createHash("sha256")
    .update("firstprint/entry/v1\0")
    .update(Buffer.from(previous, "hex"))
    .update(numbers)
    .update(bytes)
    .digest("hex");
}

test("a permission that is missing is refused, and the refusal is in the audit", async (t) => {
  const world = await World.open(t);
  const holder = await world.trader("a");
  const reader = await world.narrowKey(holder, ["read:portfolio"]);
  const marketId = await world.market();
  const refused = await world.post("/api/trading/orders", reader, order(marketId));
  assert.deepEqual([refused.statusCode, refused.json().code], [403, "PERMISSION_DENIED"]);
  const malformed = await world.post("/api/trading/orders", reader, "{");
  assert.equal(malformed.statusCode, 403, "permission is looked at before the body");
  const [, entry] = (await world.get("/api/audit/logs", reader)).json().data;
  assert.deepEqual(
    [entry.action, entry.success, entry.userId, entry.resource],
    ["access.refused", false, holder.address, "POST /api/trading/orders"],
  );
});

test("permissions are exactly those of the interface", () => {
  assert.deepEqual([...permissions].toSorted(), [
    "cancel:orders",
    "create:orders",
    "manage:custody",
    "read:markets",
    "read:oracle",
    "read:portfolio",
  ]);
});
