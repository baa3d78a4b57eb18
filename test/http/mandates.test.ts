// Mandates through the real server: a quote that can be accepted at the price it shows, and whose
// mandates they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import type { Closing, Holder } from "./world.ts";

const MANDATES = "/api/trading/mandates";
const texas = {
  index: "zhvi",
  places: ["state:TX"],
  side: "SELL",
  spreadBps: 150,
  maxPerMarketUsd: "5000",
  maxPerStateUsd: "8000.50",
  maxTotalUsd: "10000",
};
const asked = "node=state:tx&expiry=2025-10&kind=layered&attachBps=500&exhaustBps=1500";

async function scene(t: Closing) {
  const open = await PublicWorld.open(t);
  const { world } = open;
  await open.printStates("zhvi");
  const [maker, buyer] = [await world.trader("maker", "20000"), await world.trader("buyer")];
  const quote = async (notional: number) => {
    const { status, body } = await open.get(`/api/quotes?${asked}&notional=${notional}`);
    assert.equal(status, 200, JSON.stringify(body));
    return at(body, "data");
  };
  const send = (method: "POST" | "PATCH" | "DELETE", url: string, by: Holder, body: object = {}) =>
    world.server.inject({
      ...{ method, url },
      headers: { authorization: `Bearer ${by.secret}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
  const set = async (more: object = {}) => {
    const answer = await send("POST", MANDATES, maker, { ...texas, ...more });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().data;
  };
  return { open, world, maker, buyer, quote, send, set };
}

test("a quote of a market that nobody has traded is accepted at the price it shows", async (t) => {
  const { open, world, maker, buyer, quote, send, set } = await scene(t);
  assert.equal(at(await quote(1_000), "firm"), null);
  const mandate = await set();
  assert.deepEqual([mandate.id, mandate.places, mandate.spreadBps], ["mnd-1", ["state:tx"], 150]);
  assert.deepEqual([mandate.levels, mandate.maxMonths, mandate.collateral], [null, 36, "margin"]);
  const quoted = await quote(1_000);
  assert.equal(textAt(quoted, "firm", "amount"), "1000");
  const marketId = textAt(quoted, "seriesMarketId");
  const price = numberAt(quoted, "firm", "price");
  const bought = await send("POST", "/api/trading/acceptances", buyer, {
    ...{ marketId, amount: "1000", limitPrice: price, structure: "in_full" },
  });
  assert.equal(bought.statusCode, 200, bought.body);
  assert.equal(textAt(bought.json(), "data", "coverage"), "1000");
  assert.equal(Number(textAt(bought.json(), "data", "premium")), 1_000 * price);

  const rest = await quote(5_000);
  assert.equal(textAt(rest, "firm", "amount"), "4000", "5,000 a market, of which 1,000 are sold");
  const book = at((await open.get(`/api/markets/${marketId}/book`)).body, "data");
  assert.deepEqual(listAt(book, "asks"), []);
  assert.deepEqual(listAt(book, "model", "asks"), [{ price, amount: "4000" }]);
  const usage = await world.get(`${MANDATES}/mnd-1/usage`, maker.secret);
  assert.deepEqual(usage.json().data, {
    usedUsd: "1000",
    states: [{ place: "state:tx", usedUsd: "1000" }],
    markets: [{ marketId, usedUsd: "1000" }],
  });
  const orders = await world.get("/api/trading/orders?status=FILLED", maker.secret);
  assert.equal(orders.json().data.length, 1, "its fills are orders of its account");
});

test("a public reader is shown the contracts that were asked for, and no more", async (t) => {
  const { open, world, set, quote } = await scene(t);
  const wide = { maxPerMarketUsd: "900000", maxPerStateUsd: "900000", maxTotalUsd: "900000" };
  await set(wide);
  const firm = at(await quote(100), "firm");
  assert.equal(textAt(firm, "amount"), "100");
  const market = await world.market();
  const book = await open.get(`/api/markets/${market}/book`);
  assert.deepEqual(listAt(book.body, "data", "model", "asks"), [], "it has no scope on levels");
});

test("terms change field by field; limits go down in place; all go with one request", async (t) => {
  const { world, maker, buyer, send, set } = await scene(t);
  await set({ payoffs: [{ attachBps: 500, exhaustBps: 1_500 }, { strikeBps: 1_000 }] });
  const changed = await send("PATCH", `${MANDATES}/MND-1`, maker, { spreadBps: 200 });
  assert.equal(changed.statusCode, 200, changed.body);
  const { data } = changed.json();
  assert.deepEqual([data.spreadBps, data.maxPerStateUsd], [200, "8000.5"]);
  assert.deepEqual(data.payoffs, [{ attachBps: 500, exhaustBps: 1_500 }, { strikeBps: 1_000 }]);
  const limits = { maxPerMarketUsd: "100", maxPerStateUsd: "90000", maxTotalUsd: "90000" };
  const lowered = (await send("POST", `${MANDATES}/mnd-1/lower`, maker, limits)).json().data;
  assert.deepEqual(
    [lowered.maxPerMarketUsd, lowered.maxPerStateUsd, lowered.sequence],
    ["100", "8000.5", data.sequence],
  );
  for (const url of [`${MANDATES}/mnd-1`, `${MANDATES}/mnd-1/usage`]) {
    const foreign = await world.get(url, buyer.secret);
    assert.equal(foreign.json().error.code, "MANDATE_NOT_FOUND", url);
  }
  const cancelled = await send("DELETE", `${MANDATES}/mnd-1`, buyer);
  assert.equal(cancelled.json().error.code, "MANDATE_NOT_FOUND");
  await set();
  const all = await send("DELETE", MANDATES, maker);
  assert.deepEqual(all.json().data, { cancelledCount: 2 });
  assert.deepEqual((await world.get(MANDATES, maker.secret)).json().data, []);
});

test("each fault of a body is named by its field", async (t) => {
  const { maker, send } = await scene(t);
  const faults = async (more: object): Promise<string[]> => {
    const answer = await send("POST", MANDATES, maker, { ...texas, ...more });
    assert.equal(answer.statusCode, 400, answer.body);
    return answer.json().error.errors.map(({ field }: { field: string }) => field);
  };
  assert.deepEqual(await faults({ places: ["state:tx", "state:zz"] }), ["places[1]"]);
  assert.deepEqual(await faults({ payoffs: [{ attachBps: 5, exhaustBps: 5 }] }), ["payoffs[0]"]);
  assert.deepEqual(await faults({ payoffs: [{ strikeBps: 5, attachBps: 5 }] }), ["payoffs[0]"]);
  assert.deepEqual(await faults({ minMonths: 12, maxMonths: 6 }), ["maxMonths"]);
  assert.deepEqual(await faults({ maxTotalUsd: "0" }), ["maxTotalUsd"]);
  assert.deepEqual(await faults({ maxPerMarketUsd: "1e3", maxPerStateUsd: "-1" }), [
    "maxPerMarketUsd",
    "maxPerStateUsd",
  ]);
  assert.deepEqual(await faults({ index: "weather" }), ["index"]);
});
