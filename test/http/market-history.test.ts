// A market's days and months: what was traded on each, in which order, and which mark it ended on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "#base/ids.ts";
import { parseTick } from "#base/price.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { at, listAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, type Holder, order, type World } from "./world.ts";

const root = { "x-admin-secret": ADMIN_SECRET };

async function opened(t: Parameters<typeof PublicWorld.open>[0]) {
  const { world } = await PublicWorld.open(t);
  const [seller, buyer] = [await world.trader("a"), await world.trader("b")];
  const market = await world.market();
  const history = async (query = ""): Promise<unknown> => {
    const answer = await world.get(`/api/markets/${market}/history${query}`);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };
  return { world, seller, buyer, market, history };
}

async function trade(
  world: World,
  sides: readonly [Holder, Holder],
  market: string,
  price: number,
) {
  const [seller, buyer] = sides;
  const sell = order(market, { side: "SELL", amount: "10", price });
  for (const [{ secret }, body] of [
    [seller, sell],
    [buyer, order(market, { amount: "10", price })],
  ] as const) {
    const placed = await world.post("/api/trading/orders", secret, body);
    assert.equal(placed.statusCode, 200, placed.body);
  }
}

const day = (world: World, text: string) =>
  world.root({ type: "SetClock", toMillis: Date.parse(`${text}T12:00:00Z`) });

async function mark(world: World, market: string, price: string): Promise<void> {
  const [markTick, stressedTick] = [parseTick(price), parseTick("0.9")];
  assert.ok(markTick !== undefined && stressedTick !== undefined);
  const marks = [{ marketId: marketId(market), markTick, stressedTick }];
  const command = publishMarks(marks);
  const actor = { type: "system" } as const;
  await world.engine.submit({ actor, command, requestId: "marks", idempotency: null });
}

const rows = (answer: unknown): unknown[] =>
  listAt(answer, "data").map((candle) =>
    ["period", "open", "high", "low", "close", "volume", "trades", "mark"].map((name) =>
      at(candle, name),
    ),
  );

test("a day opens, rises, falls and closes; a quiet day has its mark alone", async (t) => {
  const { world, seller, buyer, market, history } = await opened(t);
  const sides = [seller, buyer] as const;
  await day(world, "2024-11-21");
  for (const price of [0.5, 0.55, 0.45, 0.52]) await trade(world, sides, market, price);
  await mark(world, market, "0.51");
  await day(world, "2024-12-02");
  await mark(world, market, "0.48");
  await mark(world, market, "0.47");
  await day(world, "2024-12-03");
  await trade(world, sides, market, 0.46);

  const days = await history();
  assert.deepEqual(rows(days), [
    ["2024-12-03", 0.46, 0.46, 0.46, 0.46, "10", 1, null],
    ["2024-12-02", null, null, null, null, "0", 0, 0.47],
    ["2024-11-21", 0.5, 0.55, 0.45, 0.52, "40", 4, 0.51],
    ["2024-11-20", null, null, null, null, "0", 0, 0.5],
  ]);
  assert.equal(at(days, "sequence"), world.engine.status().durableSequence);
  assert.equal(at(days, "nextCursor"), null);
  assert.deepEqual(rows(await history("?interval=month")), [
    ["2024-12", 0.46, 0.46, 0.46, 0.46, "10", 1, 0.47],
    ["2024-11", 0.5, 0.55, 0.45, 0.52, "40", 4, 0.51],
  ]);
});

test("pages followed by their cursors hold each period once", async (t) => {
  const { world, market, history } = await opened(t);
  for (const [text, price] of [
    ["2024-11-21", "0.4"],
    ["2024-12-31", "0.41"],
    ["2025-01-01", "0.42"],
  ] as const) {
    await day(world, text);
    await mark(world, market, price);
  }
  for (const interval of ["day", "month"]) {
    const whole = rows(await history(`?interval=${interval}`));
    const found: unknown[] = [];
    for (let cursor = ""; ; ) {
      const page = await history(`?interval=${interval}&limit=1${cursor}`);
      found.push(...rows(page));
      const next = at(page, "nextCursor");
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    assert.deepEqual(found, whole, interval);
  }
  for (const [query, field] of [
    ["interval=week", "interval"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["cursor=2024-11", "cursor"],
    ["cursor=2024-02-30", "cursor"],
    ["interval=month&cursor=2024-13", "cursor"],
    ["interval=month&cursor=2024-11-0", "cursor"],
    ["before=1", "before"],
  ]) {
    const refused = await world.get(`/api/markets/${market}/history?${query}`);
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, field], query);
  }
  const nowhere = await world.get("/api/markets/mkt-999/history");
  assert.equal(nowhere.json().code, "MARKET_NOT_FOUND");
});

test("a trade that was undone is in no candle", async (t) => {
  const { world, seller, buyer, market, history } = await opened(t);
  const other = await world.account("second", "operator");
  await world.post("/api/admin/clock", undefined, { advanceSeconds: 60 }, root);
  for (const price of [0.9, 0.5]) await trade(world, [seller, buyer], market, price);
  const before = rows(await history())[0];
  assert.deepEqual(before, ["2024-11-20", 0.9, 0.9, 0.5, 0.5, "20", 2, 0.5]);
  const trades = (await world.get(`/api/markets/${market}/trades`)).json().data;
  const place = `/api/admin/fills/${trades[1].id}/bust`;
  const asked = await world.post(place, undefined, { reason: "a slip" }, root);
  const { proposal } = asked.json().data;
  const agreed = await world.post(`/api/admin/proposals/${proposal.id}/confirm`, other.secret, {});
  assert.equal(agreed.statusCode, 200, agreed.body);
  const after = rows(await history())[0];
  assert.deepEqual(after, ["2024-11-20", 0.5, 0.5, 0.5, 0.5, "10", 1, 0.5]);
});
