// Webhooks of the whole product: signed, in order, the same as the private stream, replayable.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { until } from "#test/e2e/until.ts";
import { openStream } from "#test/http/event-reader.ts";
import { at, listAt, numberAt, type Trader, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { checkOrder, Receiver } from "./receiver.ts";

const WEBHOOKS = "/api/trading/webhooks";

async function scene(t: TestContext) {
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_WEBHOOK_NETWORKS: "127.0.0.0/8" });
  const anna = await exchange.trader("anna", "1000");
  const receiver = await Receiver.open(t);
  const set = async (more: object = {}, by: Trader = anna) => {
    const reply = await exchange.post(WEBHOOKS, { url: receiver.url, ...more }, by);
    assert.equal(reply.status, 200, reply.text);
    receiver.secrets.add(textAt(reply.body, "data", "secret"));
    return { id: textAt(reply.body, "data", "id"), record: at(reply.body, "data") };
  };
  const fund = (trader: Trader, amount: string) =>
    exchange.admin(`accounts/${trader.id}/funding`, { amount });
  return { exchange, anna, receiver, set, fund };
}

test("events come signed, once each, in order, as the private stream has them", async (t) => {
  const { exchange, anna, receiver, set, fund } = await scene(t);
  const bela = await exchange.trader("bela", "500");
  const { id, record } = await set();
  assert.match(id, /^whk-[0-9a-f]{16}$/);
  for (let step = 1; step <= 20; step += 1) {
    await fund(anna, `${step}`);
    await fund(bela, `${step}.5`);
  }
  await until("all came", () => receiver.got.length >= 20);
  const first = numberAt(record, "fromSequence");
  const stream = await openStream(
    exchange.url,
    { lastEventId: `${first - 1}` },
    { authorization: `Bearer ${anna.key}` },
    undefined,
    "/api/trading/stream",
  );
  for (const { signatures, body, id: message, text } of receiver.got) {
    assert.deepEqual(signatures, [1, 1]);
    let sent = await stream.next();
    while (sent.value?.event !== "entry") sent = await stream.next();
    assert.deepEqual(at(body, "data"), sent.value.data);
    assert.equal(at(body, "type"), "account.entry");
    assert.equal(at(body, "timestamp"), at(body, "data", "time"));
    assert.match(message, /^msg_[0-9a-f]{16}_\d+$/);
    for (const secret of [bela.id, bela.address]) assert.ok(!text.includes(secret));
  }
  await stream.return(undefined);
  checkOrder(receiver.got);
  const log = await exchange.get(`${WEBHOOKS}/${id}/deliveries?limit=5`, anna);
  assert.deepEqual(
    listAt(log.body, "data").map((one) => [at(one, "number"), at(one, "status"), at(one, "fault")]),
    [20, 19, 18, 17, 16].map((number) => [number, 204, null]),
  );
  const shown = await exchange.get(`${WEBHOOKS}/${id}`, anna);
  assert.equal(at(shown.body, "data", "secret"), undefined, "it was shown once");
  const newest = receiver.sequences.at(-1) ?? 0;
  assert.ok(numberAt(shown.body, "data", "progress", "deliveredSequence") >= newest);
});

test("a replay sends the same under the same ids; two secrets sign for a day", async (t) => {
  const { exchange, anna, receiver, set, fund } = await scene(t);
  const { id } = await set({ types: ["cash"] });
  for (const amount of ["1", "2", "3"]) await fund(anna, amount);
  await until("they came", () => receiver.got.length === 3);
  const before = receiver.got.map((one) => [one.id, one.text]);
  const rotated = await exchange.post(`${WEBHOOKS}/${id}/rotate-secret`, {}, anna);
  assert.equal(rotated.status, 200, rotated.text);
  receiver.secrets.add(textAt(rotated.body, "data", "secret"));
  assert.ok(numberAt(rotated.body, "data", "previousSecretUntil") > Date.now() / 1000 + 86_000);
  const fromSequence = receiver.sequences[1];
  const replayed = await exchange.post(`${WEBHOOKS}/${id}/replay`, { fromSequence }, anna);
  assert.equal(replayed.status, 200, replayed.text);
  await until("two came again", () => receiver.got.length === 5);
  assert.deepEqual(
    receiver.got.slice(3).map((one) => [one.id, one.text]),
    before.slice(1),
  );
  assert.deepEqual(receiver.got.at(-1)?.signatures, [2, 2]);
  const ahead = await exchange.post(`${WEBHOOKS}/${id}/replay`, { fromSequence: 9_999 }, anna);
  assert.equal(at(ahead.body, "error", "code"), "SEQUENCE_AHEAD", ahead.text);

  const removed = await exchange.request("DELETE", `${WEBHOOKS}/${id}`, undefined, anna);
  assert.equal(removed.status, 200, removed.text);
  await fund(anna, "4");
  await set();
  await fund(anna, "5");
  await until("the other one gets it", () => receiver.got.length === 6);
  assert.ok(!receiver.got.at(-1)?.id.includes(id.slice(4)), "nothing is sent by one removed");
  const gone = await exchange.get(`${WEBHOOKS}/${id}`, anna);
  assert.equal(at(gone.body, "error", "code"), "WEBHOOK_NOT_FOUND");
});
