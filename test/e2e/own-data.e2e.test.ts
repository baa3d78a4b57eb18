// An account's own over a kill and a start: data read from the journal are what they were, and a
// dead man's switch that was armed fires.
// Invariant: the answers are compared as they came over the wire; nobody asks for anything between
// the kill and the cancel, the clock alone brings it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { stateFile } from "./sample-files.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

const SWITCH_SECONDS = 5;

test("after a kill own data is the same, a cursor goes on, and a switch fires", async (t) => {
  const exchange = await Exchange.start(t);
  const { text, publishedAt, lastMonth, monthAYearOn } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const brought = await upload(exchange, text, query);
  assert.equal(brought.status, 200, brought.text);
  const marketId = `srs.zhvi.state-tx.b${lastMonth}.e${monthAYearOn}.L0200-1000`;
  const [buyer, seller] = [
    await exchange.trader("buyer", "1000"),
    await exchange.trader("seller", "5000"),
  ];
  const away = await exchange.trader("away", "1000");
  const place = async (key: string, side: string, amount: string, price: number) => {
    const order = { marketId, outcomeIndex: 0, side, amount, price };
    const placed = await exchange.post("/api/trading/orders", order, { key });
    assert.equal(placed.status, 200, placed.text);
    return textAt(placed.body, "data", "id");
  };
  for (const amount of ["10", "20.5", "3"]) {
    await place(seller.key, "SELL", amount, 0.07);
    await place(buyer.key, "BUY", "12", 0.08);
  }

  const month = new Date().toISOString().slice(0, 7);
  const places = [
    "orders?limit=2",
    "orders/ord-1",
    "fills",
    `fills?marketId=${marketId}`,
    "fills?orderId=ord-2",
    "positions",
    "ledger",
    "ledger?reason=premium",
    "account",
    `statement?month=${month}&format=csv`,
  ];
  const read = async (key: string): Promise<readonly string[]> => {
    const answers: string[] = [];
    for (const where of places) {
      const { status, text: body } = await exchange.get(`/api/trading/${where}`, { key });
      answers.push(`${where} ${status}\n${body.replaceAll(/"requestId":"[^"]*"/g, "")}`);
    }
    return answers;
  };
  const before = [await read(buyer.key), await read(seller.key)];
  assert.match(before[0]?.[2] ?? "", /"liquidity":"taker"/);
  assert.match(before[1]?.[2] ?? "", /"liquidity":"maker"/);
  const first = await exchange.get("/api/trading/ledger?limit=2", { key: buyer.key });
  const cursor = textAt(first.body, "nextCursor");
  const second = await exchange.get(`/api/trading/ledger?limit=2&cursor=${cursor}`, {
    key: buyer.key,
  });

  const left = await place(away.key, "BUY", "10", 0.01);
  const after = { seconds: SWITCH_SECONDS };
  const armed = await exchange.post("/api/trading/cancel-after", after, { key: away.key });
  const cancelAt = numberAt(armed.body, "data", "cancelAt");

  await exchange.kill();
  await exchange.up();
  assert.deepEqual([await read(buyer.key), await read(seller.key)], before);
  await place(buyer.key, "BUY", "1", 0.01);
  await place(seller.key, "SELL", "1", 0.01);
  const again = await exchange.get(`/api/trading/ledger?limit=2&cursor=${cursor}`, {
    key: buyer.key,
  });
  assert.equal(again.text, second.text);
  assert.equal(listAt(again.body, "data").length, 2);
  const verified = await exchange.get("/api/audit/verify", { key: buyer.key });
  assert.equal(at(verified.body, "data", "valid"), true, verified.text);

  const fired = async () => {
    const logs = await exchange.get("/api/audit/logs?action=cancel_after.fired", { key: away.key });
    return listAt(logs.body, "data").at(0);
  };
  await until("the switch fires", async () => (await fired()) !== undefined);
  assert.equal(numberAt(await fired(), "timestamp"), cancelAt);
  const path = `/api/trading/orders/${left}`;
  const cancel = await exchange.request("DELETE", path, undefined, { key: away.key });
  assert.deepEqual(
    [cancel.status, at(cancel.body, "error", "details")],
    [409, { status: "CANCELLED" }],
  );
});
