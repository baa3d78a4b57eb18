// The book that the SDK keeps, against a book kept by hand: random changes, cuts, gaps, and more
// levels than a snapshot shows.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type BookOptions, type BookView, connect, followBook } from "#sdk/index.ts";
import { beat, encoder, withoutWaiting } from "./transcript.ts";

interface Level {
  readonly price: number;
  readonly amount: string;
  readonly orders: number;
}
type Change = Level & { readonly side: "bid" | "ask" };

const level = (side: "bid" | "ask", ticks: number, orders: number): Change => ({
  side,
  price: ticks / 10_000,
  amount: String(orders * 10),
  orders,
});

function refusal(status: number, code: string): Response {
  const error = { code, message: "no", retryable: false, outcome: "not_applied" };
  return Response.json({ error }, { status });
}

/** An exchange with one market: entry n is `changes[n - 1]`. */
class Market {
  readonly changes: readonly (readonly Change[])[];
  /** How far it has come. */
  head: number;
  snapshots = 0;
  /** Each stream ends after so many entries; undefined = never. */
  cutAfter: number | undefined;
  /** The stream's node is so many entries behind the snapshot's, for the first such stream. */
  behind = 0;
  #asked = 0;

  constructor(changes: readonly (readonly Change[])[], head: number) {
    this.changes = changes;
    this.head = head;
  }

  book(sequence: number, depth: number) {
    const sides = { bid: new Map<number, Level>(), ask: new Map<number, Level>() };
    for (const { side, ...one } of this.changes.slice(0, sequence).flat()) {
      if (one.orders === 0) sides[side].delete(one.price);
      else sides[side].set(one.price, one);
    }
    const bids = [...sides.bid.values()].sort((a, b) => b.price - a.price).slice(0, depth);
    const asks = [...sides.ask.values()].sort((a, b) => a.price - b.price).slice(0, depth);
    return { sequence, bids, asks };
  }

  answer(url: URL): Response {
    this.#asked += 1;
    if (this.#asked > 100) return refusal(400, "INVALID_REQUEST");
    if (url.pathname === "/api/stream") return this.#stream(url);
    assert.equal(url.pathname, "/api/markets/mkt-001/book");
    this.snapshots += 1;
    const data = this.book(this.head, Number(url.searchParams.get("depth")));
    return Response.json({ success: true, data });
  }

  #stream({ searchParams }: URL): Response {
    assert.deepEqual(
      [searchParams.get("markets"), searchParams.get("types")],
      ["mkt-001", "level"],
    );
    const after = Number(searchParams.get("lastEventId"));
    if (this.behind > 0) {
      this.behind = 0;
      return refusal(409, "SEQUENCE_AHEAD");
    }
    const last = Math.min(this.changes.length, after + (this.cutAfter ?? this.changes.length));
    const told = this.changes.slice(after, last).map((changes, index) => {
      const sequence = after + index + 1;
      const events = changes.map((one) => ({ type: "level", marketId: "srs.x", ...one }));
      const time = "2024-11-20T00:00:00.000Z";
      return `event: entry\ndata: ${JSON.stringify({ sequence, time, events })}\n\n`;
    });
    this.head = last;
    return new Response(encoder.encode([beat(after), ...told, beat(last)].join("")));
  }
}

/** Every view until that of the last entry. */
async function viewsOf(t: TestContext, market: Market, options: BookOptions = {}) {
  const pass = withoutWaiting(t);
  const exchange = connect({
    url: "http://exchange.test",
    fetch: async ({ url }) => market.answer(new URL(url)),
  });
  const views: BookView[] = [];
  for await (const view of followBook(exchange, "mkt-001", { ...options, onInterrupted: pass })) {
    views.push(view);
    if (view.sequence === market.changes.length) break;
  }
  return views;
}

/** Numbers below `below`, the same in each run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomChanges(seed: number, count: number, ticks: number): readonly (readonly Change[])[] {
  const draw = draws(seed);
  const one = (): Change =>
    draw(2) === 0
      ? level("bid", 1 + draw(ticks), draw(3))
      : level("ask", ticks + 1 + draw(ticks), draw(3));
  return Array.from({ length: count }, () => Array.from({ length: 1 + draw(3) }, one));
}

const check = (market: Market, views: readonly BookView[], depth: number): void => {
  for (const view of views) assert.deepEqual(view, market.book(view.sequence, depth));
};

test("after every entry it is the book kept by hand, across cuts", async (t) => {
  const market = new Market(randomChanges(1, 60, 12), 5);
  market.cutAfter = 7;
  const views = await viewsOf(t, market, { depth: 20 });
  check(market, views, 20);
  assert.deepEqual([views[0]?.sequence, views.at(-1)?.sequence], [5, 60]);
  assert.deepEqual([views.length, market.snapshots], [56, 1]);
});

test("a side that loses the levels it knew is read anew, before one is missing", async (t) => {
  const full = Array.from({ length: 150 }, (_, index) => [level("bid", 1000 - index, 1)]);
  const gone = Array.from({ length: 140 }, (_, index) => [level("bid", 1000 - index, 0)]);
  const market = new Market([...full, ...gone], 150);
  const views = await viewsOf(t, market, { depth: 10 });
  check(market, views, 10);
  assert.ok(market.snapshots > 1, "it was read anew");
});

test("an exchange that has gone back is read anew", async (t) => {
  const market = new Market(randomChanges(2, 20, 12), 5);
  market.behind = 1;
  const views = await viewsOf(t, market);
  check(market, views, 20);
  assert.equal(market.snapshots, 2);
});

test("a depth that cannot be kept is refused", async (t) => {
  const market = new Market([], 0);
  for (const depth of [0, 51, 1.5]) await assert.rejects(viewsOf(t, market, { depth }), RangeError);
});
