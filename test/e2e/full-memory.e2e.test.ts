// An exchange whose memory orders have filled: it refuses more of them long before it dies, takes
// cancels, and starts again as full as it was, from the journal alone and from a snapshot.
// Invariant: nothing that was taken is lost on the way, and orders are taken again once a day has
// let enough of them go.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { at, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { stateFile } from "./sample-files.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

/**
 * Small: 54 MB are in use before the first order, and orders are refused at 62. A start has no more
 * of it than a service has.
 */
const HEAP_MEGABYTES = 88;
const BATCH = 100;
const OPEN = 500;
const DAY_MILLIS = 86_400_000;
/** Offers that filling the exchange leaves open, whenever it is full. */
const STAYING = 3;

const nameOf = (count: number): string => String(count).padStart(64, "n");

async function stage(t: TestContext) {
  const exchange = await Exchange.startEmbedded(t, {
    FIRSTPRINT_CLOCK: "sandbox",
    FIRSTPRINT_MAX_KEY_RATE: "1000000",
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}`,
  });
  const { text, publishedAt, lastMonth, monthAYearOn } = stateFile();
  const nowMillis = Date.parse(publishedAt) + DAY_MILLIS;
  const setTo = (millis: number) =>
    exchange.admin("clock", { setTo: new Date(millis).toISOString() });
  await setTo(nowMillis);
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const { status, text: said } = await upload(exchange, text, query);
  assert.equal(status, 200, said);
  const { key } = await exchange.trader("full", "1000000");
  const marketId = `srs.zhvi.state-tx.b${lastMonth}.e${monthAYearOn}.L0200-1000`;
  const order = { marketId, outcomeIndex: 0, side: "BUY", amount: "0.01", price: 0.0001 };
  const place = () => exchange.post("/api/trading/orders", order, { key });
  let named = 0;
  /** Each with the longest name it may have, so that fewer of them fill the memory. */
  const placeMany = async () => {
    const orders = Array.from({ length: BATCH }, (_, at) => {
      return { ...order, clientOrderId: nameOf(named + 1 + at) };
    });
    const answer = await exchange.post("/api/trading/orders/batch", { orders }, { key });
    if (answer.status === 200) named += BATCH;
    return answer;
  };
  const cancelAll = async (which: object = {}) => {
    const path = "/api/trading/orders/cancel-all";
    const { status: code, text: told } = await exchange.post(path, which, { key });
    assert.equal(code, 200, told);
  };
  const used = async (): Promise<number> =>
    numberAt((await exchange.get("/api/status")).body, "capacityUsed");
  /** The newest of them. */
  const openIds = async (limit: number): Promise<readonly string[]> => {
    const path = `/api/trading/orders?status=OPEN&limit=${limit}`;
    const { body } = await exchange.get(path, { key });
    return listAt(body, "data").map((one) => textAt(one, "id"));
  };
  const cancel = async (id: string): Promise<void> => {
    const path = `/api/trading/orders/${id}`;
    const { status: code, text: told } = await exchange.request("DELETE", path, undefined, { key });
    assert.equal(code, 200, told);
  };
  const stayers = Array.from({ length: STAYING }, () => ({
    ...order,
    side: "SELL",
    price: 0.9999,
  }));
  const stayed = await exchange.post("/api/trading/orders/batch", { orders: stayers }, { key });
  assert.equal(stayed.status, 200, stayed.text);
  return { exchange, key, place, placeMany, cancel, cancelAll, used, openIds, setTo, nowMillis };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/**
 * Places and takes back until there is no room; returns how many were placed. Near the end none are
 * taken back, so that some are open when the last is refused.
 */
async function fill({ placeMany, cancelAll, used, openIds }: Stage): Promise<number> {
  for (let placed = 0; ; ) {
    if (placed > 0 && placed % OPEN === 0 && (await used()) < 0.97)
      await cancelAll({ side: "BUY" });
    const { status, body, text } = await placeMany();
    // So near the end that all an account may have open were placed, and there still was room.
    const isCapped = at(body, "code") === "OPEN_ORDER_CAP";
    if (isCapped) await cancelAll({ orderIds: await openIds(200) });
    else if (status === 200) placed += BATCH;
    else {
      assert.deepEqual([status, at(body, "code")], [503, "EXCHANGE_FULL"], text);
      return placed;
    }
  }
}

async function ask<Row extends pg.QueryResultRow>(exchange: Exchange, query: string) {
  const client = new pg.Client(await exchange.connection());
  await client.connect();
  const { rows } = await client.query<Row>(query);
  await client.end();
  return rows;
}

/** Of the newest snapshot that is kept: the entry it stands for, and what its pages weigh. */
async function snapshot(exchange: Exchange): Promise<{ size: number; bytes: number }> {
  const [newest] = await ask<{ size: string; bytes: string }>(
    exchange,
    `SELECT size, sum(length(bytes)) AS bytes FROM snapshot_place JOIN snapshot_page USING (digest)
     GROUP BY size ORDER BY size DESC`,
  );
  return { size: Number(newest?.size ?? 0), bytes: Number(newest?.bytes ?? 0) };
}

/** Orders that left the state are found as before. */
async function assertFound({ exchange, key }: Stage, placed: number): Promise<void> {
  const read = async (path: string) =>
    (await exchange.get(`/api/trading/orders${path}`, { key })).body;
  assert.equal(textAt(await read("/ord-1"), "data", "status"), "CANCELLED");
  const named = listAt(await read(`?clientOrderId=${nameOf(placed)}`), "data");
  assert.deepEqual(
    named.map((one) => textAt(one, "id")),
    [`ord-${placed + STAYING}`],
  );
  const [open, last] = listAt(await read("?limit=2"), "data");
  assert.deepEqual(
    [textAt(open, "status"), textAt(last, "id")],
    ["OPEN", `ord-${placed + STAYING}`],
  );
}

test("an exchange that is full of orders starts again, and empties", async (t) => {
  const staged = await stage(t);
  const { exchange, place, cancel, cancelAll, used, openIds, setTo, nowMillis } = staged;
  const restart = async (): Promise<number> => {
    assert.equal(await exchange.stop(), 0, exchange.output);
    return exchange.up();
  };
  let placed = await fill(staged);
  // A full collection soon after the refusal may find room again.
  while ((await used()) < 1) placed += await fill(staged);
  const [first, second, third, ...rest] = await openIds(50);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  await cancel(first);
  await ask(exchange, "DELETE FROM snapshot_place");
  await exchange.kill();
  const fromJournal = await exchange.up();
  assert.deepEqual(await openIds(49), [second, third, ...rest]);
  await cancel(second);

  const fromSnapshot = await restart();
  const full = await snapshot(exchange);
  assert.doesNotMatch(exchange.output, /no snapshot|without a last checkpoint|passed over/);
  assert.deepEqual(await openIds(48), [third, ...rest]);
  await cancelAll();

  await setTo(nowMillis + DAY_MILLIS + 120_000);
  await until("orders are taken again", async () => (await place()).status === 200);
  assert.ok((await used()) < 1);
  const emptied = await restart();
  const left = await snapshot(exchange);
  assert.ok(left.size > full.size);
  assert.ok(left.bytes < full.bytes / 8, `${left.bytes} bytes after ${full.bytes}`);
  await assertFound(staged, placed);
  t.diagnostic(
    `${placed} orders filled 70 % of ${HEAP_MEGABYTES} MB; started again in ` +
      `${Math.round(fromJournal)} ms from the journal, in ${Math.round(fromSnapshot)} ms from a ` +
      `snapshot of ${full.bytes} bytes; a day later in ${Math.round(emptied)} ms from one of ` +
      `${left.bytes}`,
  );
});
