// An account makes itself fifty keys and sends with all of them at once, or packs a hundred orders
// into each request.
// Invariant: an account's requests are counted together, whichever of its keys sends them; a batch
// costs its orders; cancels are counted apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { permissions } from "#core/records.ts";
import { order, World } from "../http/world.ts";

async function keysOf(world: World, secret: string, count: number): Promise<readonly string[]> {
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const label = `key ${at}`;
    const body = { label, permissions: [...permissions], rateLimit: 6_000 };
    const answer = await world.post("/api/trading/keys", secret, body);
    assert.equal(answer.statusCode, 200, answer.body);
    made.push(String(answer.json().data.secret));
  }
  world.nowMillis += 600_000;
  return made;
}

/** How many requests of a kind are let in at once, over all keys in turn. */
async function letIn(
  keys: readonly string[],
  send: (key: string) => Promise<{ statusCode: number }>,
) {
  let taken = 0;
  for (let refused = 0; refused < keys.length; ) {
    for (const key of keys) {
      const { statusCode } = await send(key);
      if (statusCode === 429) refused += 1;
      else taken += 1;
    }
  }
  return taken;
}

test("ten keys of an account send no more at once than one", async (t) => {
  const world = await World.open(t);
  const anna = await world.trader("a");
  const [fresh, ...keys] = await keysOf(world, anna.secret, 10);
  const all = [anna.secret, ...keys];
  const taken = await letIn(all, (key) => world.get("/api/kyc/status", key));
  t.diagnostic(`after: ${taken} requests at once by 10 keys of one account`);
  assert.equal(taken, 600, "what one key of the highest rate may send at once");
  const refused = await world.get("/api/kyc/status", anna.secret);
  assert.equal(refused.statusCode, 429);
  assert.ok(fresh !== undefined);
  assert.equal((await world.get("/api/kyc/status", fresh)).statusCode, 429, "nor a newer one");
  const cancels = await letIn(all, (key) => world.post("/api/trading/orders/cancel-all", key, {}));
  assert.equal(cancels, 600, "cancels go out however much was sent, and are counted together too");
  const other = await world.trader("b");
  assert.equal((await world.get("/api/kyc/status", other.secret)).statusCode, 200);
});

test("a batch costs its orders, and what it cost more is waited for", async (t) => {
  const world = await World.open(t);
  const anna = await world.trader("a");
  const marketId = await world.market();
  world.nowMillis += 600_000;
  const batch = (count: number) => ({ orders: new Array(count).fill(order(marketId)) });
  const send = () => world.post("/api/trading/orders/batch", anna.secret, batch(100));
  const codes: number[] = [];
  for (let sent = 0; sent < 8; sent += 1) codes.push((await send()).statusCode);
  t.diagnostic(`after: ${codes.filter((code) => code !== 429).length * 100} orders at once`);
  assert.deepEqual(codes.slice(0, 6), new Array(6).fill(200));
  const refused = await send();
  assert.equal(refused.statusCode, 429);
  world.nowMillis += Number(refused.headers["retry-after"]) * 1_000;
  assert.equal((await send()).statusCode, 200, "the wait it was told is enough");
  const nonsense = { orders: new Array(5_000).fill(1) };
  world.nowMillis += 600_000;
  assert.equal(
    (await world.post("/api/trading/orders/batch", anna.secret, nonsense)).statusCode,
    400,
  );
  assert.equal((await world.get("/api/kyc/status", anna.secret)).statusCode, 200);
});
