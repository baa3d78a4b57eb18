// An exchange whose memory orders have filled: it refuses more of them long before it dies, takes
// cancels, and starts again as full as it was, from the journal alone and from a snapshot.
// Invariant: nothing that was taken is lost on the way, and orders are taken again once a day has
// let enough of them go.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { runningConnection } from "#journal/embedded.ts";
import { at, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { stateFile } from "./sample-files.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

/** Small, so that it is full within a minute; a start has no more of it than a service has. */
const HEAP_MEGABYTES = 96;
const BATCH = 100;
const OPEN = 500;
const DAY_MILLIS = 86_400_000;

async function stage(t: TestContext) {
  const exchange = await Exchange.start(t, {
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
  const placeMany = () => {
    const orders = Array.from({ length: BATCH }, () => order);
    return exchange.post("/api/trading/orders/batch", { orders }, { key });
  };
  const cancelAll = async (): Promise<void> => {
    const { status: code, text: told } = await exchange.post(
      "/api/trading/orders/cancel-all",
      {},
      { key },
    );
    assert.equal(code, 200, told);
  };
  const used = async (): Promise<number> =>
    numberAt((await exchange.get("/api/status")).body, "capacityUsed");
  const openIds = async (): Promise<readonly string[]> => {
    const { body } = await exchange.get("/api/trading/orders?status=OPEN&limit=200", { key });
    return listAt(body, "data").map((one) => textAt(one, "id"));
  };
  return { exchange, key, place, placeMany, cancelAll, used, openIds, setTo, nowMillis };
}

/** Of the newest snapshot that is kept: the entry it stands for, and what its parts weigh. */
async function snapshot({ dataDir }: Exchange): Promise<{ size: number; bytes: number }> {
  const connection = await runningConnection(dataDir);
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query(
    "SELECT size, sum(length(bytes)) AS bytes FROM snapshot_part GROUP BY size ORDER BY size DESC",
  );
  await client.end();
  return { size: Number(rows[0]?.size ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
}

test("an exchange that is full of orders starts again, and empties", async (t) => {
  const { exchange, key, place, placeMany, cancelAll, used, openIds, setTo, nowMillis } =
    await stage(t);
  let placed = 0;
  for (let open = 0; ; open += BATCH) {
    if (open === OPEN) {
      await cancelAll();
      open = 0;
    }
    const { status, body, text } = await placeMany();
    if (status !== 200) {
      assert.deepEqual([status, at(body, "code")], [503, "EXCHANGE_FULL"], text);
      break;
    }
    placed += BATCH;
  }
  assert.equal(await used(), 1);
  const before = await openIds();
  const cancel = async (id: string): Promise<void> => {
    const { status, text } = await exchange.request(
      "DELETE",
      `/api/trading/orders/${id}`,
      undefined,
      {
        key,
      },
    );
    assert.equal(status, 200, text);
  };
  const [first, second, third, ...rest] = before;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  await cancel(first);
  await exchange.kill();

  assert.deepEqual(await snapshot(exchange).catch(() => undefined), undefined);
  const fromJournal = await exchange.up();
  assert.equal((await snapshot(exchange)).size, 0, "there is the journal alone");
  assert.deepEqual(await openIds(), [second, third, ...rest]);
  await cancel(second);
  assert.equal(await exchange.stop(), 0, exchange.output);
  assert.doesNotMatch(exchange.output, /no snapshot|without a last checkpoint/);

  const fromSnapshot = await exchange.up();
  const kept = await snapshot(exchange);
  assert.ok(kept.size > 0);
  assert.doesNotMatch(exchange.output, /passed over/);
  assert.deepEqual(await openIds(), [third, ...rest]);
  await cancel(third);
  await exchange.kill();
  await exchange.up();
  assert.deepEqual(await openIds(), rest);
  await cancelAll();
  await setTo(nowMillis + DAY_MILLIS + 120_000);
  await until("orders are taken again", async () => (await place()).status === 200);
  assert.ok((await used()) < 1);
  t.diagnostic(
    `${placed} orders filled 70 % of ${HEAP_MEGABYTES} MB; started again in ` +
      `${Math.round(fromJournal)} ms from the journal, in ${Math.round(fromSnapshot)} ms from a ` +
      `snapshot of ${kept.bytes} bytes`,
  );
});
