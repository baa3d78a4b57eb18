// Orders that have left the state: shown, listed and found by their reference as before, to their
// owner alone; and orders refused where the memory for them ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { type Closing, order, World } from "./world.ts";

const DAY_MILLIS = 86_400_000;

async function stage(t: Closing) {
  const world = await World.open(t);
  const [anna, bela] = [await world.trader("anna"), await world.trader("bela")];
  const market = await world.market("300000");
  const place = async (more: object, secret = anna.secret): Promise<string> => {
    const placed = await world.post("/api/trading/orders", secret, order(market, more));
    assert.equal(placed.statusCode, 200, placed.body);
    return textAt(placed.json(), "data", "id");
  };
  const waitDays = async (days: number): Promise<void> => {
    const { engineTimeMillis } = world.engine.status();
    const command = { type: "SetClock", toMillis: engineTimeMillis + days * DAY_MILLIS } as const;
    await world.root(command);
  };
  const read = async (path: string, secret = anna.secret) =>
    (await world.get(`/api/trading${path}`, secret)).json();
  return { world, anna, bela, market, place, waitDays, read };
}

/** Every page of a list, three at a time. */
async function pages(read: (path: string) => Promise<unknown>, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await read(`${path}limit=3${cursor}`);
    ids.push(...listAt(page, "data").map((one) => `${textAt(one, "id")} ${textAt(one, "status")}`));
    const next = at(page, "nextCursor");
    if (next === null) return ids;
    cursor = `&cursor=${next}`;
  }
}

test("orders that have left are shown and listed as before, to their owner alone", async (t) => {
  const { world, anna, bela, market, place, waitDays, read } = await stage(t);
  const open = await place({ price: 0.4 });
  const cancelled = await place({ price: 0.4, clientOrderId: "mine" });
  await world.remove(`/api/trading/orders/${cancelled}`, anna.secret);
  const unfilled = await place({ price: 0.4, timeInForce: "IOC" });
  const filled = await place({ price: 0.5, amount: "1" });
  const met = { outcomeIndex: 0, side: "SELL", price: 0.5, amount: "1" };
  await place(met, bela.secret);
  const shown = await read(`/orders/${cancelled}`);
  const before = await pages(read, "/orders?");
  assert.equal(before.length, 4);
  await waitDays(2);
  assert.equal(world.view.orders.size, 1, "only the open one is at hand");

  assert.deepEqual(await pages(read, "/orders?"), before, "newest first, none lost, none twice");
  assert.deepEqual(before, [
    `${filled} FILLED`,
    `${unfilled} CANCELLED`,
    `${cancelled} CANCELLED`,
    `${open} OPEN`,
  ]);
  assert.deepEqual((await read(`/orders/${cancelled}`)).data, shown.data);
  assert.deepEqual(await pages(read, `/orders?status=FILLED&marketId=${market}&`), [before[0]]);
  assert.equal(listAt(await read(`/fills?orderId=${filled}`), "data").length, 1);
  for (const id of [cancelled, unfilled, filled, "ord-999", "ord-0", "x", "ord-1e3"]) {
    const answer = await world.get(`/api/trading/orders/${id}`, bela.secret);
    assert.equal(answer.statusCode, 404, id);
  }
  const again = await world.remove(`/api/trading/orders/${cancelled}`, anna.secret);
  assert.deepEqual([again.statusCode, at(again.json(), "code")], [409, "ORDER_DONE"]);
});

test("a clientOrderId finds each order that ever bore it, newest first", async (t) => {
  const { world, anna, bela, market, place, waitDays, read } = await stage(t);
  const ids: string[] = [];
  for (let times = 0; times < 3; times += 1) {
    const timeInForce = times === 1 ? "IOC" : "GTC";
    const id = await place({ price: 0.4, clientOrderId: "mine", timeInForce });
    if (times < 2) await world.remove(`/api/trading/orders/${id}`, anna.secret);
    ids.unshift(id);
    const repeated = order(market, { price: 0.4, clientOrderId: "mine" });
    const refused = await world.post("/api/trading/orders", anna.secret, repeated);
    assert.equal(at(refused.json(), "code"), "CLIENT_ORDER_ID_USED");
    if (times < 2) await waitDays(2);
  }
  const found = await pages(read, "/orders?clientOrderId=mine&");
  assert.deepEqual(
    found.map((line) => line.split(" ")[0]),
    ids,
  );
  for (const never of ["%00", "%C3%A9", "x".repeat(65)]) {
    const refused = await world.get(`/api/trading/orders?clientOrderId=${never}`, anna.secret);
    const { error } = refused.json();
    assert.deepEqual([refused.statusCode, at(error, "field")], [400, "clientOrderId"], never);
  }
  const others = await world.get("/api/trading/orders?clientOrderId=mine", bela.secret);
  assert.deepEqual(at(others.json(), "data"), []);
});

test("from its share of the memory on, orders are refused and cancels are taken", async (t) => {
  const { world, anna, market, place } = await stage(t);
  const id = await place({ price: 0.4 });
  world.memoryShare = 0.7;
  const refused = await world.post("/api/trading/orders", anna.secret, order(market));
  assert.deepEqual([refused.statusCode, at(refused.json(), "code")], [503, "EXCHANGE_FULL"]);
  const protection = { withinSeconds: 60, maxFills: 3 };
  const set = await world.post("/api/trading/protection", anna.secret, protection);
  assert.notEqual(set.statusCode, 503, "it leaves no record but the account's own");
  const removed = await world.remove(`/api/trading/orders/${id}`, anna.secret);
  assert.equal(removed.statusCode, 200, removed.body);
  assert.equal(world.engine.status().usedShare, 1);
  world.memoryShare = 0.69;
  await place({ price: 0.4 });
});
