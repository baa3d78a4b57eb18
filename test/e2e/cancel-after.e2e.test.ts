// The dead man's switch of a real exchange: armed, the process dies, and it fires all the same.
// Invariant: nobody asks for anything between the kill and the cancel; the clock alone brings it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { at, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { stateFile } from "./sample-files.ts";
import { upload } from "./upload.ts";

const SECONDS = 5;

test("a switch that was armed before a crash fires after it, at its second", async (t) => {
  const exchange = await Exchange.start(t);
  const { text, publishedAt, lastMonth, monthAYearOn } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const sent = await upload(exchange, text, query);
  assert.equal(sent.status, 200, sent.text);
  const marketId = `srs.zhvi.state-tx.b${lastMonth}.e${monthAYearOn}.L0200-1000`;
  const { key } = await exchange.trader("Anna", "1000");
  const order = { marketId, outcomeIndex: 0, side: "BUY", amount: "10" };
  const placed = await exchange.post("/api/trading/orders", { ...order, price: 0.4 }, { key });
  const id = textAt(placed.body, "data", "id");
  const armed = await exchange.post("/api/trading/cancel-after", { seconds: SECONDS }, { key });
  const cancelAt = numberAt(armed.body, "data", "cancelAt");

  await exchange.kill();
  await exchange.up();
  const fired = async () => {
    const logs = await exchange.get("/api/audit/logs?action=cancel_after.fired", { key });
    return listAt(logs.body, "data").at(0);
  };
  for (let tries = 0; (await fired()) === undefined && tries < 600; tries += 1) await sleep(50);

  assert.equal(numberAt(await fired(), "timestamp"), cancelAt);
  const again = await exchange.request("DELETE", `/api/trading/orders/${id}`, undefined, { key });
  assert.deepEqual(
    [again.status, at(again.body, "error", "details")],
    [409, { status: "CANCELLED" }],
  );
});
