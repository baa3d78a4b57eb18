// Markets show their terms and their trading, and are found by them; many books and quotes at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "#base/ids.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { ExchangeView } from "#views/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { order } from "./world.ts";

const series = (state: string, rest = "L0200-1000") =>
  `srs.zhvi.state-${state}.b2024-10.e2025-10.${rest}`;

async function traded(t: Parameters<typeof PublicWorld.open>[0]) {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const exchange = world.world;
  const [seller, buyer] = [await exchange.trader("seller"), await exchange.trader("buyer")];
  const id = series("tx");
  const place = async (secret: string, more: object) => {
    const placed = await exchange.post("/api/trading/orders", secret, order(id, more));
    assert.equal(placed.statusCode, 200, placed.body);
  };
  const field = async (): Promise<unknown> =>
    at((await world.get(`/api/markets/${id}`)).body, "data");
  return { world, exchange, seller, buyer, id, place, field };
}

test("terms in data, best prices, and what is traded and held, not twice", async (t) => {
  const { exchange, id, seller, buyer, place, field } = await traded(t);
  await place(seller.secret, { side: "SELL", amount: "30", price: 0.3 });
  const listed = await field();
  assert.deepEqual(at(listed, "payoff"), { kind: "layered", attachBps: 200, exhaustBps: 1_000 });
  assert.equal(at(listed, "baseline", "month"), "2024-10");
  assert.equal(at(listed, "baseline", "releaseId"), "rel-1");
  assert.equal(at(listed, "tradingClosesAt"), "2025-11-01T00:00:00.000Z");
  assert.equal(at(listed, "bestBid"), null);
  assert.equal(at(listed, "bestAsk"), 0.3);
  assert.equal(at(listed, "volume"), "0");
  assert.equal(at(listed, "openInterest"), "0");

  await place(buyer.secret, { amount: "20", price: 0.3 });
  await place(buyer.secret, { amount: "5", price: 0.2 });
  const bought = await field();
  assert.equal(at(bought, "volume"), "20");
  assert.equal(at(bought, "openInterest"), "20", "both sides of a contract are one");
  assert.equal(at(bought, "bestBid"), 0.2);

  // The seller closes a part of its position with the buyer, who closes as much.
  await place(seller.secret, { amount: "8", price: 0.25 });
  await place(buyer.secret, { side: "SELL", amount: "8", price: 0.25 });
  const closed = await field();
  assert.equal(at(closed, "volume"), "28");
  assert.equal(at(closed, "openInterest"), "12");
  const restarted = ExchangeView.from(exchange.view.over());
  const known = exchange.view.traded(marketId(id));
  assert.deepEqual(restarted.traded(marketId(id)), known, "its records say the same");
});

test("a market whose trading has closed says so, in its phase, a filter and refusals", async (t) => {
  const { world, exchange, seller, buyer, id, place, field } = await traded(t);
  await place(seller.secret, { side: "SELL", amount: "30", price: 0.3 });
  await place(buyer.secret, { amount: "30", price: 0.3 });
  await exchange.market();
  const ids = async (query: string) =>
    listAt((await world.get(`/api/markets?${query}`)).body, "data").map((one) => at(one, "id"));
  assert.equal(at(await field(), "phase"), "CONTINUOUS");
  assert.ok((await ids("tradable=true")).includes(id));
  await exchange.root({ type: "SetClock", toMillis: Date.UTC(2025, 10, 1, 1) });
  assert.equal(at(await field(), "phase"), "CLOSED");
  assert.ok(!(await ids("tradable=true")).includes(id));
  assert.ok((await ids("tradable=false")).includes(id));
  const refused = await exchange.post("/api/trading/orders", seller.secret, order(id));
  assert.equal(textAt(refused.json(), "code"), "MARKET_CLOSED");
  assert.equal(
    textAt(refused.json(), "error", "details", "tradingClosedAt"),
    "2025-11-01T00:00:00.000Z",
  );
});

test("pages by a cursor hold each market once, though the filter lets fewer through", async (t) => {
  const { world, exchange, seller } = await traded(t);
  for (const state of ["tx", "ca", "ny", "fl", "wa"]) {
    const sale = { side: "SELL", amount: "1", price: 0.3 };
    const placed = await exchange.post(
      "/api/trading/orders",
      seller.secret,
      order(series(state), sale),
    );
    assert.equal(placed.statusCode, 200, placed.body);
  }
  const seen: unknown[] = [];
  let cursor = "";
  for (let page = 0; page < 10; page += 1) {
    const { body } = await world.get(`/api/markets?status=ACTIVE&limit=2${cursor}`);
    const ids = listAt(body, "data").map((one) => at(one, "id"));
    seen.push(...ids);
    const next = at(body, "nextCursor");
    if (typeof next !== "string") break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
    // Pages by number would pass over one for each that leaves.
    const [gone] = ids;
    await exchange.root({ type: "PauseMarket", marketId: marketId(String(gone)), reason: "drill" });
  }
  const { body } = await world.get("/api/markets?limit=100");
  assert.deepEqual(
    seen,
    listAt(body, "data").map((one) => at(one, "id")),
  );
  assert.equal((await world.get("/api/markets?cursor=nonsense")).status, 400);
});

test("while a print is awaited a market shows its auction; where it is overdue, that too", async (t) => {
  const { exchange, seller, buyer, place, field } = await traded(t);
  await place(seller.secret, { side: "SELL", amount: "100", price: 0.05 });
  const shown = async (): Promise<readonly unknown[]> => {
    const market = await field();
    return ["phase", "matching", "printOverdue", "indicative"].map((name) => at(market, name));
  };
  assert.deepEqual(await shown(), ["CONTINUOUS", "open", false, null]);
  await exchange.root({ type: "SetClock", toMillis: Date.UTC(2024, 11, 20) });
  await place(buyer.secret, { amount: "10", price: 0.05 });
  const indicative = { price: 0.05, volume: "10", surplus: "-90" };
  assert.deepEqual(await shown(), ["AUCTION", "awaiting_release", false, indicative]);
  await exchange.root({ type: "SetClock", toMillis: Date.UTC(2025, 0, 1) });
  const [, , overdue] = await shown();
  assert.equal(overdue, true);
});

test("markets are found by index, month, layer and words; pages count them", async (t) => {
  const { world, exchange, seller } = await traded(t);
  for (const id of [
    series("tx"),
    series("ny"),
    series("ny", "L0500-1500"),
    series("ca", "K0500"),
  ]) {
    const placed = await exchange.post("/api/trading/orders", seller.secret, order(id));
    assert.equal(placed.statusCode, 200, placed.body);
  }
  const found = async (query: string) => {
    const { body } = await world.get(`/api/markets?${query}`);
    return listAt(body, "data").map((market) => textAt(market, "id"));
  };
  assert.deepEqual(await found("layer=200-1000"), [series("tx"), series("ny")]);
  assert.deepEqual(await found("layer=200-1000&state=NY"), [series("ny")]);
  assert.deepEqual(await found("text=new%20YORK"), [series("ny"), series("ny", "L0500-1500")]);
  assert.deepEqual(await found("text=STATE:ca"), [series("ca", "K0500")]);
  assert.deepEqual(await found("text=mkt-002"), [series("ny")]);
  assert.deepEqual(await found("index=zori"), []);
  assert.deepEqual(await found("expiry=2025-11"), []);
  assert.equal((await found("index=zhvi&expiry=2025-10")).length, 4);
  const { body } = await world.get("/api/markets?layer=200-1000&limit=1");
  assert.equal(at(body, "pagination", "total"), 2);
  for (const bad of [
    "index=cpi",
    "expiry=2025-13",
    "layer=200",
    "text=x",
    "layer=200-1000&layer=1-2",
  ]) {
    assert.equal((await world.get(`/api/markets?${bad}`)).status, 400, bad);
  }
});

test("many books at once are those that each market shows alone", async (t) => {
  const { world, buyer, place, id } = await traded(t);
  for (const price of [0.1, 0.11, 0.12]) await place(buyer.secret, { amount: "3", price });
  const { body } = await world.get(`/api/books?ids=mkt-001,${id.toUpperCase()},mkt-009&depth=2`);
  const alone = await world.get(`/api/markets/${id}/book?depth=2`);
  assert.deepEqual(at(body, "data"), [at(alone.body, "data")], "a market is answered once");
  assert.deepEqual(at(body, "unknownIds"), ["mkt-009"]);
  const many = Array.from({ length: 51 }, (_, n) => `mkt-${n}`).join(",");
  for (const query of ["", "ids=", "ids=mkt-001,", `ids=${many}`, "ids=mkt-001&depth=21"]) {
    assert.equal((await world.get(`/api/books?${query}`)).status, 400, query);
  }
});

test("quotes in bulk are those that each question gets alone, refusals too", async (t) => {
  const { world, exchange } = await traded(t);
  const layer = { kind: "layered", attachBps: 200, exhaustBps: 1_000, notional: 50_000 };
  const questions = [
    { node: "state:tx", expiry: "2025-10", ...layer },
    { node: "zip:00000", expiry: "2025-10", ...layer },
    { node: "state:ny", expiry: "2024-10", ...layer },
    { node: "state:ny", expiry: "2025-10", ...layer, exhaustBps: 200 },
    { node: "state:wy", expiry: "2025-10", ...layer },
  ];
  const post = (quotes: readonly object[]) =>
    exchange.post("/api/quotes/bulk", undefined, { quotes });
  const answer = await post(questions);
  assert.equal(answer.statusCode, 200, answer.body);
  const rows = listAt(answer.json(), "data");
  assert.equal(rows.length, questions.length);
  for (const [place, question] of questions.entries()) {
    const query = new URLSearchParams(texts(question));
    const { status, body } = await world.get(`/api/quotes?${query}`);
    const row = rows[place];
    if (status === 200) {
      assert.deepEqual(row, { quote: at(body, "data"), error: null });
    } else {
      assert.equal(at(row, "quote"), null);
      assert.equal(at(row, "error", "code"), at(body, "error", "code"));
      assert.equal(at(row, "error", "field"), at(body, "error", "field") ?? null);
    }
  }
  assert.deepEqual(
    rows.map((row) => at(row, "error") === null),
    [true, false, false, false, false],
  );
  const [first = {}] = questions;
  for (const bad of [[], Array.from({ length: 201 }, () => first), [{ node: "state:tx" }]]) {
    assert.equal((await post(bad)).statusCode, 400, `${bad.length} questions`);
  }
  const before = Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1]);
  const after = await post(Array.from({ length: 40 }, () => first));
  assert.equal(after.statusCode, 200);
  const next = await exchange.get("/api/time");
  const left = Number(/r=(\d+)/.exec(String(next.headers.ratelimit))?.[1]);
  assert.ok(before - left >= 40, `a unit a quote: ${before} to ${left}`);
});

const texts = (question: object): Record<string, string> =>
  Object.fromEntries(Object.entries(question).map(([name, value]) => [name, String(value)]));
