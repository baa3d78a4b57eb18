// An account puts much work into few requests: it improves a quote of 200 legs again and again,
// asks for the margin of 200 lines, or has requests wait that nobody has charged.
// Invariant: a request costs what it carries, before anything of it is done or waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PublicWorld } from "../http/public-world.ts";
import type { Holder } from "../http/world.ts";

const RFQS = "/api/trading/rfqs";
const LEGS = 200;
/** Requests; and as many as an address may send at once there. */
const [SENT, AT_ONCE] = [800, 600];

async function stage(t: Parameters<typeof PublicWorld.open>[0]) {
  const open = await PublicWorld.open(t);
  const { world } = open;
  await open.printStates("zhvi");
  const send = (method: "POST" | "PATCH", url: string, by: Holder, body: object) =>
    world.server.inject({
      ...{ method, url },
      headers: { authorization: `Bearer ${by.secret}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
  return { world, send };
}

/** How many requests are let in at once. */
async function letIn(send: () => Promise<{ statusCode: number; body: string }>): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const { statusCode, body } = await send();
    if (statusCode === 429) return taken;
    assert.equal(statusCode, 200, body);
  }
}

test("improving a quote of 200 legs costs fifty units, not one", async (t) => {
  const { world, send } = await stage(t);
  const [maker, buyer] = [await world.trader("maker", "20000"), await world.trader("buyer")];
  const now = () => Math.floor(world.engine.status().engineTimeMillis / 1000);
  const legs = Array.from({ length: LEGS }, (_, at) => ({
    ...{ index: "zhvi", place: "state:TX", measurementMonth: "2025-10" },
    ...{ attachBps: 100 + at, exhaustBps: 1_100 + at, amount: "1" },
  }));
  const asked = await send("POST", RFQS, buyer, { legs, side: "BUY", closesAt: now() + 3_600 });
  assert.equal(asked.statusCode, 200, asked.body);
  const quote = { prices: ["0.9"], validUntil: now() + 7_200 };
  assert.equal((await send("POST", `${RFQS}/rfq-1/quotes`, maker, quote)).statusCode, 200);
  world.nowMillis += 600_000;
  let price = 9_000;
  const taken = await letIn(() => {
    price -= 1;
    const prices = [(price / 10_000).toFixed(4)];
    return send("PATCH", `${RFQS}/quotes/rqt-1`, maker, { prices });
  });
  t.diagnostic(`after: ${taken} quotes of 200 legs improved at once`);
  assert.equal(taken, 12, "600 units at once, 50 each");
});

test("the margin of 200 lines costs 200 units", async (t) => {
  const { world, send } = await stage(t);
  const anna = await world.trader("anna");
  const marketId = await world.market();
  world.nowMillis += 600_000;
  const line = { marketId, outcomeIndex: 0, side: "BUY", amount: "0.01", price: 0.4 };
  const lines = new Array(100).fill(line);
  const body = { positions: lines, orders: lines };
  const taken = await letIn(() => send("POST", "/api/trading/margin/preview", anna, body));
  assert.equal(taken, 3);
});

test("a request that waits for a sequence is charged before it waits", async (t) => {
  const { world } = await stage(t);
  world.nowMillis += 600_000;
  let waiting = 0;
  const comes = Promise.withResolvers<boolean>();
  t.mock.method(world.engine, "reaches", () => {
    waiting += 1;
    return comes.promise;
  });
  const sent = Array.from({ length: SENT }, () =>
    world.server.inject({
      ...{ method: "GET", url: "/api/markets", remoteAddress: "198.51.100.7" },
      headers: { "firstprint-min-sequence": "1000000" },
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const before = waiting;
  comes.resolve(false);
  const codes = (await Promise.all(sent)).map(({ statusCode }) => statusCode);
  t.diagnostic(`after: ${before} of ${SENT} wait`);
  assert.equal(codes.filter((code) => code === 429).length, SENT - AT_ONCE);
  assert.equal(waiting, AT_ONCE, "no more wait than an address may send at once");
});
