// SIGKILLs while webhooks are delivered: every entry arrives, in its order, and what comes twice
// comes under one id. `FIRSTPRINT_KILLS=200` is the long run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#test/e2e/until.ts";
import { openStream } from "#test/http/event-reader.ts";
import { randomFrom } from "#test/ingest/wide-file.ts";
import { Exchange, numberAt, type Trader, textAt } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { checkOrder, Receiver } from "./receiver.ts";

/** So that some deliveries are under way at each moment, and no more. */
const PAUSE_MILLIS = 5;
const KILLS = sizeOfRun("FIRSTPRINT_KILLS", 5);

/** The sequences of all that the private stream tells an account after an entry. */
async function ownSequences(exchange: Exchange, { key }: Trader, after: number) {
  const authorization = `Bearer ${key}`;
  const query = { lastEventId: `${after}` };
  const path = "/api/trading/stream";
  const stream = await openStream(exchange.url, query, { authorization }, undefined, path);
  const found: number[] = [];
  for await (const { event, data } of stream) {
    if (event === "entry") found.push(numberAt(data, "sequence"));
    else if (event === "heartbeat" && numberAt(data, "sequence") >= numberAt(data, "head")) break;
  }
  return found;
}

/** Funds until the exchange is gone; returns how many were accepted. */
async function fundUntilGone(exchange: Exchange, traders: readonly Trader[]): Promise<number> {
  for (let funded = 0; ; funded += 1) {
    const { id = "" } = traders[funded % traders.length] ?? {};
    const path = `/api/admin/accounts/${id}/funding`;
    const answered = await exchange.post(path, { amount: "1" }, { admin: true }).catch(() => null);
    if (answered === null || answered.status !== 200) return funded;
    await sleep(PAUSE_MILLIS);
  }
}

test(`${KILLS} SIGKILLs while delivering: nothing is lost, the order is kept`, async (t) => {
  const exchange = await Exchange.start(t, { FIRSTPRINT_WEBHOOK_NETWORKS: "127.0.0.0/8" });
  const traders = [await exchange.trader("anna", "10"), await exchange.trader("bela", "10")];
  const random = randomFrom(200);
  const hooks: { readonly trader: Trader; readonly receiver: Receiver; readonly from: number }[] =
    [];
  for (const trader of traders) {
    const receiver = await Receiver.open(t);
    const reply = await exchange.post("/api/trading/webhooks", { url: receiver.url }, trader);
    receiver.secrets.add(textAt(reply.body, "data", "secret"));
    receiver.answer = (_, response) => {
      const isSlow = random() < 0.3;
      const answer = () => void response.writeHead(204).end();
      if (isSlow) setTimeout(answer, 30 * random());
      else answer();
    };
    hooks.push({ trader, receiver, from: numberAt(reply.body, "data", "fromSequence") });
  }

  let funded = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const funding = fundUntilGone(exchange, traders);
    await sleep(100 + 400 * random());
    await exchange.kill();
    funded += await funding;
    await exchange.up();
  }

  let repeated = 0;
  let delivered = 0;
  for (const { trader, receiver, from } of hooks) {
    const expected = await ownSequences(exchange, trader, from - 1);
    assert.ok(expected.length > KILLS, `${expected.length} entries are the account's`);
    await until("all came", () => receiver.sequences.length >= expected.length);
    assert.deepEqual(receiver.sequences, expected, "each of them, and no other");
    checkOrder(receiver.got);
    assert.ok(receiver.got.every(({ signatures }) => signatures[0] === 1));
    delivered += expected.length;
    repeated += receiver.got.length - expected.length;
  }
  t.diagnostic(`${KILLS} kills, ${funded} deposits, ${delivered} messages, ${repeated} repeated`);
});
