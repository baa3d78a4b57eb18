// The book and the stream through the real server: shapes, refusals, resuming, limits, the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { marketId as marketIdOf } from "#base/ids.ts";
import { addMonths, formatMonth } from "#base/month.ts";
import { StreamCut, StreamEntry, StreamHeartbeat } from "#http/public/stream.ts";
import { MOST_STREAMS } from "#http/stream/feed.ts";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { checkOf } from "./contract.ts";
import { entriesUpTo, openStream, type ServerSent, typesIn } from "./event-reader.ts";
import { PublicWorld } from "./public-world.ts";
import { type Closing, order, type World } from "./world.ts";

const shapes: Readonly<Record<string, TSchema>> = {
  entry: StreamEntry,
  heartbeat: StreamHeartbeat,
  error: StreamCut,
};

function assertShaped({ event, data, id }: ServerSent): void {
  const shape = shapes[event];
  assert.ok(shape !== undefined, `${event} is documented`);
  assert.deepEqual(checkOf(shape)(data), [], JSON.stringify(data));
  if (event !== "error") assert.equal(Number(id), at(data, "sequence"));
}

interface Trading {
  readonly world: World;
  readonly marketId: string;
  readonly head: () => number;
}

/** A market, a bid that half fills, an ask beside it, a second market, a pause and a halt. */
async function traded(t: Closing): Promise<Trading> {
  const { world } = await PublicWorld.open(t);
  const [maker, taker] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();
  const place = async (secret: string, more: object): Promise<void> => {
    const placed = await world.post("/api/trading/orders", secret, order(marketId, more));
    assert.equal(placed.statusCode, 200, placed.body);
  };
  await place(maker.secret, { amount: "10" });
  await place(maker.secret, { amount: "5.5", outcomeIndex: 1, side: "SELL", price: 0.6 });
  await place(maker.secret, { amount: "3", price: 0.35 });
  await place(taker.secret, { amount: "12", side: "SELL", price: 0.4 });
  await place(taker.secret, { amount: "7", side: "SELL", price: 0.55 });
  const reason = "a look at the prints";
  await world.root({ type: "HaltExchange", reason });
  await world.root({ type: "ResumeExchange", reason });
  await world.listen();
  return { world, marketId, head: () => world.engine.status().durableSequence };
}

const dataOf = async (world: World, url: string): Promise<unknown> => {
  const reply = await world.get(url);
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data;
};

test("a book shows its levels in prices of YES, best first, as of a sequence", async (t) => {
  const { world, marketId, head } = await traded(t);
  const book = await dataOf(world, "/api/markets/MKT-001/book");
  assert.deepEqual(book, {
    marketId,
    frontendId: "mkt-001",
    sequence: head(),
    bids: [
      { price: 0.4, amount: "3.5", orders: 1 },
      { price: 0.35, amount: "3", orders: 1 },
    ],
    asks: [{ price: 0.55, amount: "7", orders: 1 }],
    model: { bids: [], asks: [] },
    bestBid: 0.4,
    bestAsk: 0.55,
    spread: 0.15,
  });
  const top = await dataOf(world, `/api/markets/${marketId}/book?depth=1`);
  assert.deepEqual(at(top, "bids"), [{ price: 0.4, amount: "3.5", orders: 1 }]);
  for (const depth of ["0", "101", "1.5", "x"]) {
    const refused = await world.get(`/api/markets/mkt-001/book?depth=${depth}`);
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, "depth"], depth);
  }
  assert.equal((await world.get("/api/markets/mkt-999/book")).json().code, "MARKET_NOT_FOUND");
});

test("an empty book has no best and no spread", async (t) => {
  const { world } = await PublicWorld.open(t);
  await world.market();
  const book = await dataOf(world, "/api/markets/mkt-001/book");
  const { bids, asks, bestBid, bestAsk, spread } = Object(book);
  assert.deepEqual([bids, asks, bestBid, bestAsk, spread], [[], [], null, null, null]);
});

test("the whole journal is told in documented shapes, and its levels are the book", async (t) => {
  const { world, head } = await traded(t);
  const stream = await openStream(world.url, { lastEventId: "0" });
  const levels = new Map<string, unknown>();
  const types = new Set<unknown>();
  for (const one of await entriesUpTo(stream, head())) {
    assertShaped(one);
    for (const type of typesIn(one)) types.add(type);
    for (const event of listAt(one.data, "events")) {
      if (at(event, "type") !== "level") continue;
      const { side, price, amount, orders } = Object(event);
      levels.set(`${side} ${price}`, { price, amount, orders });
    }
  }
  assert.deepEqual([...types].sort(), ["halt", "level", "market", "prints", "release", "trade"]);
  const open = (side: string) =>
    [...levels].flatMap(([name, level]) =>
      name.startsWith(side) && numberAt(level, "orders") > 0 ? [level] : [],
    );
  const book = await dataOf(world, "/api/markets/mkt-001/book");
  const byPrice = (a: unknown, b: unknown): number => numberAt(b, "price") - numberAt(a, "price");
  assert.deepEqual(open("bid").sort(byPrice), at(book, "bids"));
  assert.deepEqual(open("ask"), at(book, "asks"));
});

test("a reader begins at the present, and sees what is placed afterwards", async (t) => {
  const { world, marketId, head } = await traded(t);
  const stream = await openStream(world.url, { markets: "mkt-001", types: "level,trade" });
  const first = await stream.next();
  const id = textAt(first.value?.data, "stream");
  assert.match(id, /^str-[0-9a-f]{32}$/);
  assert.deepEqual(first.value?.data, { sequence: head(), head: head(), stream: id });
  const trader = await world.trader("c");
  await world.post("/api/trading/orders", trader.secret, order(marketId, { price: 0.41 }));
  const [entry] = await entriesUpTo(stream, head());
  assert.deepEqual(listAt(entry?.data, "events"), [
    { type: "level", marketId, side: "bid", price: 0.41, amount: "10", orders: 1 },
  ]);
});

test("a stream of places, indices and months has the markets that have all of it", async (t) => {
  const { world, marketId, head } = await traded(t);
  const market = world.view.markets.get(marketIdOf(marketId));
  assert.ok(market !== undefined);
  const { nodeId, index, measurementMonth } = market.terms;
  const month = formatMonth(measurementMonth);
  const told = async (query: Readonly<Record<string, string>>) => {
    const stream = await openStream(world.url, { ...query, types: "trade,halt", lastEventId: "0" });
    const events = (await entriesUpTo(stream, head())).flatMap(({ data }) =>
      listAt(data, "events"),
    );
    return events.map((event) => textAt(event, "type"));
  };
  const [all, none] = [
    ["trade", "trade", "halt", "halt"],
    ["halt", "halt"],
  ];
  const next = formatMonth(addMonths(measurementMonth, 1));
  assert.deepEqual(await told({ places: `state:ny,${nodeId.toUpperCase()}`, indexes: index }), all);
  assert.deepEqual(await told({ expiries: `${next},${month}` }), all);
  assert.deepEqual(await told({ places: "state:ny" }), none);
  assert.deepEqual(await told({ places: nodeId, expiries: next }), none);
  assert.deepEqual(await told({ indexes: "zori,vacancy" }), none);
  assert.deepEqual(await told({ markets: "mkt-001", indexes: "zori" }), none);
});

test("the header Last-Event-ID goes before the query, and resumes exactly", async (t) => {
  const { world, head } = await traded(t);
  const whole = await entriesUpTo(await openStream(world.url, { lastEventId: "0" }), head());
  const cut = Number(whole[3]?.id);
  const headers = { "last-event-id": String(cut) };
  const rest = await entriesUpTo(
    await openStream(world.url, { lastEventId: "0" }, headers),
    head(),
  );
  assert.deepEqual(rest, whole.slice(4));
});

test("what cannot be asked for is refused with its field", async (t) => {
  const { world, head } = await traded(t);
  const many = Array.from({ length: 201 }, () => "mkt-001").join(",");
  const cases = [
    ["types=level,order", {}, 400, "INVALID_REQUEST", "types"],
    ["types=", {}, 400, "INVALID_REQUEST", "types"],
    ["indexes=zhvi,rent", {}, 400, "INVALID_REQUEST", "indexes"],
    ["expiries=2024-10,soon", {}, 400, "INVALID_REQUEST", "expiries"],
    ["markets=mkt-001,mkt-999", {}, 404, "MARKET_NOT_FOUND", "markets"],
    ["markets=", {}, 404, "MARKET_NOT_FOUND", "markets"],
    [`markets=${many}`, {}, 400, "INVALID_REQUEST", "markets"],
    ["lastEventId=-1", {}, 400, "INVALID_REQUEST", "lastEventId"],
    ["lastEventId=1e3", {}, 400, "INVALID_REQUEST", "lastEventId"],
    ["since=1", {}, 400, "INVALID_REQUEST", "since"],
    ["", { "last-event-id": "x" }, 400, "INVALID_REQUEST", "Last-Event-ID"],
    ["", { "last-event-id": "" }, 400, "INVALID_REQUEST", "Last-Event-ID"],
    ["", { "last-event-id": "007" }, 400, "INVALID_REQUEST", "Last-Event-ID"],
    [`lastEventId=${head() + 1}`, {}, 409, "SEQUENCE_AHEAD", undefined],
    ["", { "last-event-id": String(head() + 1) }, 409, "SEQUENCE_AHEAD", undefined],
  ] as const;
  for (const [query, headers, status, code, field] of cases) {
    const refused = await world.get(`/api/stream?${query}`, undefined, headers);
    const { error } = refused.json();
    assert.deepEqual([refused.statusCode, error.code, error.field], [status, code, field], query);
  }
});

test("HEAD opens no stream", async (t) => {
  const { world } = await traded(t);
  for (let count = 0; count <= MOST_STREAMS.address; count += 1) {
    const head = await fetch(`${world.url}/api/stream`, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get("content-type"), "text/event-stream; charset=utf-8");
  }
});

test("an address has so many streams, a key of its own more; leaving frees one", async (t) => {
  const { world } = await traded(t);
  const leaving = Array.from({ length: MOST_STREAMS.address }, () => new AbortController());
  for (const { signal } of leaving) {
    await (await openStream(world.url, {}, {}, signal)).next();
  }
  const refused = await fetch(`${world.url}/api/stream`);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "5");
  assert.equal(at(await refused.json(), "code"), "STREAM_LIMIT");
  const { secret } = await world.account("k");
  const own = await openStream(world.url, {}, { authorization: `Bearer ${secret}` });
  assert.equal((await own.next()).value?.event, "heartbeat");

  leaving[0]?.abort();
  let status = 429;
  for (let tries = 0; status === 429 && tries < 100; tries += 1) {
    await new Promise((done) => setTimeout(done, 10));
    const again = await fetch(`${world.url}/api/stream`, { signal: AbortSignal.timeout(5_000) });
    status = again.status;
    await again.body?.cancel();
  }
  assert.equal(status, 200, "the place of who left is free");
});

test("the server ends at once though streams are open, and says so to them", async (t) => {
  const { world } = await traded(t);
  const streams = await Promise.all([1, 2, 3].map(() => openStream(world.url)));
  for (const stream of streams) await stream.next();
  const closing = world.server.close();
  for (const stream of streams) {
    const last = await stream.next();
    assertShaped(last.value);
    assert.deepEqual([last.value?.event, at(last.value?.data, "code")], ["error", "STOPPING"]);
    assert.equal((await stream.next()).done, true);
  }
  await closing;
});

test("the tape shows each trade once, newest first, page by page", async (t) => {
  const { world } = await PublicWorld.open(t);
  const [maker, taker] = [await world.trader("a"), await world.trader("b")];
  const marketId = await world.market();
  const place = (secret: string, amount: string, side: string, price: number, outcomeIndex = 0) =>
    world.post("/api/trading/orders", secret, {
      ...order(marketId),
      amount,
      side,
      price,
      outcomeIndex,
    });
  for (const price of [0.4, 0.41, 0.42]) await place(maker.secret, "1", "BUY", price);
  // One order meets three: an entry of three trades, best price first.
  await place(taker.secret, "2.5", "SELL", 0.4);
  await place(taker.secret, "2", "BUY", 0.45, 1);
  await world.root({ type: "HaltExchange", reason: "a pause" });
  await world.root({ type: "ResumeExchange", reason: "it is over" });
  await place(taker.secret, "5", "SELL", 0.6);
  await place(maker.secret, "4", "SELL", 0.4, 1);

  const whole = await world.get("/api/markets/mkt-001/trades");
  assert.equal(whole.json().nextCursor, null);
  const tape = listAt(whole.json(), "data");
  assert.deepEqual(
    tape.map((trade) => [
      at(trade, "id"),
      at(trade, "price"),
      at(trade, "amount"),
      at(trade, "side"),
    ]),
    [
      ["fil-5", 0.6, "2", "BUY"],
      ["fil-4", 0.55, "2", "BUY"],
      ["fil-3", 0.4, "0.5", "SELL"],
      ["fil-2", 0.41, "1", "SELL"],
      ["fil-1", 0.42, "1", "SELL"],
    ],
  );
  assert.equal(at(tape[0], "timestamp"), "2024-11-20T00:00:00.000Z");
  for (const limit of [1, 2, 3]) {
    const paged: unknown[] = [];
    for (let cursor = ""; ; ) {
      const query = `limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = (await world.get(`/api/markets/${marketId}/trades?${query}`)).json();
      const trades = listAt(page, "data");
      assert.ok(trades.length <= limit);
      paged.push(...trades);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    assert.deepEqual(paged, tape, `pages of ${limit}`);
  }
});

test("a page of the tape is asked for as own lists are", async (t) => {
  const { world } = await PublicWorld.open(t);
  await world.market();
  const empty = await world.get("/api/markets/mkt-001/trades");
  assert.deepEqual(empty.json(), { success: true, data: [], nextCursor: null });
  const refused = async (query: string) => {
    const { error } = (await world.get(`/api/markets/mkt-001/trades?${query}`)).json();
    return [error.code, error.field];
  };
  for (const [query, field] of [
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["cursor=", "cursor"],
    ["cursor=7", "cursor"],
    ["cursor=7.01", "cursor"],
    ["cursor=0.0", "cursor"],
    ["page=2", "page"],
  ] as const) {
    assert.deepEqual(await refused(query), ["INVALID_REQUEST", field], query);
  }
  const unknown = await world.get("/api/markets/mkt-999/trades");
  assert.equal(unknown.json().code, "MARKET_NOT_FOUND");
});
