// Rates and refusals through the real server: what each request costs, and what is counted of it.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, type Holder, order, World } from "./world.ts";

async function slowKey(world: World, holder: Holder): Promise<string> {
  const made = await world.post("/api/trading/keys", holder.secret, {
    label: "slow",
    permissions: ["create:orders", "cancel:orders", "read:portfolio"],
    rateLimit: 60,
  });
  return textAt(made.json(), "data", "secret");
}

test("a key that spent its rate on orders can still cancel them, and only that", async (t) => {
  const world = await World.open(t);
  const marketId = await world.market();
  const holder = await world.trader("a");
  const slow = await slowKey(world, holder);
  const placed: string[] = [];
  for (let sent = 0; sent < 10; sent += 1) {
    const answer = await world.post("/api/trading/orders", slow, order(marketId));
    assert.equal(answer.statusCode, 200, answer.body);
    placed.push(textAt(answer.json(), "data", "id"));
  }
  const refused = await world.post("/api/trading/orders", slow, order(marketId));
  assert.deepEqual([refused.statusCode, refused.json().code], [429, "RATE_LIMITED"]);
  assert.equal((await world.get("/api/kyc/status", slow)).statusCode, 429);

  for (const [at, id] of placed.entries()) {
    const cancelled = await world.remove(`/api/trading/orders/${id}`, slow);
    assert.equal(cancelled.statusCode, 200, cancelled.body);
    assert.equal(cancelled.headers["ratelimit-policy"], '"cancel";q=60;w=60');
    assert.equal(cancelled.headers.ratelimit, `"cancel";r=${9 - at};t=${at + 1}`);
  }
  const spent = await world.post("/api/trading/orders/cancel-all", slow, {});
  assert.equal(spent.statusCode, 429, "a cancel costs too");
  world.nowMillis += 60_000;
  assert.equal((await world.post("/api/trading/orders", slow, order(marketId))).statusCode, 200);
});

test("refused requests cost what accepted ones do, whatever they are refused for", async (t) => {
  const world = await World.open(t);
  const slow = await slowKey(world, await world.account("a"));
  const left = (answer: { headers: Record<string, unknown> }): number =>
    Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1]);
  for (const [spent, answer] of [
    await world.get("/api/nowhere", slow),
    await world.get("/api/kyc/inquiry", slow),
    await world.post("/api/trading/orders", slow, "{"),
    await world.post("/api/trading/orders", slow, {}),
    await world.post("/api/trading/keys", slow, {}),
    await world.post("/api/trading/orders", slow, order("mkt-1")),
    await world.get("/api/audit/logs?limit=0", slow),
  ].entries()) {
    assert.ok(answer.statusCode >= 400 && answer.statusCode < 500);
    assert.equal(left(answer), 9 - spent, answer.body);
  }
});

test("every published cost and bucket is the one that is charged", async (t) => {
  const { world } = await PublicWorld.open(t);
  const { secret } = await world.account("a");
  const published = listAt((await world.get("/api/limits")).json(), "data", "routes");
  for (const limits of published) {
    const [method, path] = [textAt(limits, "method"), textAt(limits, "path")];
    // The limiter's clock stands still, so what is left afterwards tells the cost.
    world.nowMillis += 60_000;
    const answer = await world.server.inject({
      method: method === "GET" || method === "DELETE" || method === "PATCH" ? method : "POST",
      url: path.replaceAll(/:[A-Za-z]+/g, "x-1"),
      // A stream that is asked for what is not there yet ends at once.
      headers: { authorization: `Bearer ${secret}`, "last-event-id": "999999999" },
    });
    const rate = String(answer.headers.ratelimit);
    const [, name, remaining] = /^"([a-z]+)";r=(\d+);/.exec(rate) ?? [];
    assert.equal(600 - Number(remaining), numberAt(limits, "cost"), `${method} ${path}`);
    const isCancel = textAt(limits, "bucket") === "cancel";
    assert.equal(name === "cancel", isCancel, `${method} ${path}`);
    const route = world.routes.find((one) => one.method === method && one.url === path);
    assert.equal(isCancel, route?.access === "cancel:orders", "cancels, all of them and no other");
  }
  assert.ok(published.length > 30);
});

test("malformed requests make no entry; they are counted by code, for operators", async (t) => {
  const { world } = await PublicWorld.open(t);
  const { secret } = await world.account("a");
  const size = world.engine.status().sequence;
  await world.post("/api/trading/orders", secret, "{");
  await world.post("/api/trading/orders", secret, { marketId: 1 });
  await world.get("/api/nowhere");
  await world.get("/api/kyc/status");
  await world.get("/api/geo/search?q=");
  await world.listen();
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
  socket.end("NONSENSE\r\n\r\n");
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(
    answer,
    /\r\nratelimit-policy: "loopback";q=6000;w=60\r\nratelimit: "loopback";r=\d+;t=\d+\r\n/,
  );
  assert.equal(world.engine.status().sequence, size, "none of them is an entry");

  const admin = { "x-admin-secret": ADMIN_SECRET };
  const counted = (await world.get("/api/admin/refusals", undefined, admin)).json().data;
  const byCode = { INVALID_REQUEST: 4, NOT_FOUND: 1, UNAUTHENTICATED: 1 };
  assert.deepEqual(counted, { total: 6, byCode });
  assert.equal((await world.get("/api/admin/refusals", secret)).statusCode, 403);
});

test("the fifty-first live key is refused and audited; a revoked one makes room", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  for (let made = 2; made <= 50; made += 1) await world.narrowKey(holder, ["read:markets"]);
  const body = { label: "x", permissions: ["read:markets"] };
  const refused = await world.post("/api/trading/keys", holder.secret, body);
  assert.deepEqual([refused.statusCode, refused.json().code], [422, "KEY_LIMIT"]);
  const [entry] = (await world.get("/api/audit/logs?action=key.created", holder.secret)).json()
    .data;
  assert.deepEqual([entry.success, entry.details.refusedAs], [false, "KEY_LIMIT"]);
  assert.equal((await world.remove("/api/trading/keys/key-2", holder.secret)).statusCode, 200);
  assert.equal((await world.post("/api/trading/keys", holder.secret, body)).statusCode, 200);
});

test("a revocation acts on the next command, though the edge had let it in", async (t) => {
  const world = await World.open(t);
  const marketId = await world.market();
  const holder = await world.trader("a");
  const trading = await world.narrowKey(holder, ["create:orders"]);
  // Sent together: the order passes admission before the revocation is durable.
  const [revoked, placed] = await Promise.all([
    world.remove("/api/trading/keys/key-2", holder.secret),
    world.post("/api/trading/orders", trading, order(marketId)),
  ]);
  assert.equal(revoked.statusCode, 200);
  assert.deepEqual([placed.statusCode, placed.json().code], [401, "UNAUTHENTICATED"]);
  assert.equal(world.view.orders.size, 0);
});
