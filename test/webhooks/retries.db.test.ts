// Deliveries that fail: tried again in order, given up after three days, taken up where they stood.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { until } from "#test/e2e/until.ts";
import { checkOrder, Receiver } from "./receiver.ts";
import { Stage } from "./stage.ts";

const quick = { firstMillis: 20, longestMillis: 100 };

test("a receiver that fails gets every message in order once it is well", async (t) => {
  const stage = await Stage.open(t, { pace: quick });
  const receiver = await Receiver.open(t);
  receiver.nowMillis = () => Date.now() + stage.aheadMillis;
  const anna = await stage.world.trader("anna");
  const { id, secret } = await stage.set(anna, receiver.url);
  receiver.secrets.add(secret);
  const answers = [500, 503, 301, 404, 204, 429, 204];
  receiver.answer = (_, response) => {
    const location = { location: "http://127.0.0.1:1/elsewhere" };
    response.writeHead(answers.shift() ?? 200, location).end("x".repeat(100_000));
  };
  for (let step = 1; step <= 50; step += 1) await stage.fund(anna, `${step}`);
  await until("all came", () => receiver.sequences.length === 50);
  checkOrder(receiver.got);
  assert.equal(receiver.got.length, 55);
  assert.ok(receiver.got.every(({ signatures }) => signatures[0] === 1));
  await until("they are logged", async () => (await stage.deliveries(anna, id)).length === 55);
  const log = (await stage.deliveries(anna, id)).toReversed();
  const firstTwo = log.slice(0, 7).map((one: Record<string, unknown>) => [one.attempt, one.status]);
  assert.deepEqual(firstTwo, [
    ...[
      [1, 500],
      [2, 503],
      [3, 301],
      [4, 404],
      [5, 204],
    ],
    ...[
      [1, 429],
      [2, 204],
    ],
  ]);
  assert.equal(log[0].messageId, log[4].messageId);
  const url = `/api/trading/webhooks/${id}/deliveries?before=99999999999999999999`;
  const beyond = await stage.world.get(url, anna.secret);
  assert.equal(beyond.statusCode, 400, "no entry has a number that the database cannot hold");
});

test("what failed for three days is given up, and goes on where its owner says", async (t) => {
  const stage = await Stage.open(t, { pace: quick });
  const receiver = await Receiver.open(t);
  receiver.nowMillis = () => Date.now() + stage.aheadMillis;
  const anna = await stage.world.trader("anna");
  const { id, secret } = await stage.set(anna, receiver.url);
  receiver.secrets.add(secret);
  receiver.answer = (_, response) => void response.writeHead(503).end();
  await stage.fund(anna, "1");
  await until("it fails", async () => (await stage.show(anna, id)).progress.attempts > 2);
  const failing = await stage.show(anna, id);
  assert.equal(failing.suspended, null);
  assert.ok(failing.progress.failingSince >= Date.now() / 1000 - 60);
  stage.aheadMillis = 3 * 86_400_000 - 60_000;
  const before = receiver.got.length;
  await until("it goes on", () => receiver.got.length > before + 1);
  assert.equal((await stage.show(anna, id)).suspended, null, "not before");
  stage.aheadMillis = 3 * 86_400_000;
  await until("it is suspended", async () => (await stage.show(anna, id)).suspended !== null);
  const { suspended } = await stage.show(anna, id);
  assert.deepEqual([suspended.cause, suspended.fault], ["failing", "HTTP 503"]);
  const alerts = await stage.world.get("/api/liquidity/alerts", anna.secret);
  const [alert] = alerts.json().data;
  assert.equal(alert.type, "webhook");
  assert.match(alert.message, /failed for 3 days/);
  const sent = receiver.got.length;
  await stage.fund(anna, "2");
  receiver.answer = (_, response) => void response.writeHead(204).end();
  const [first = 0] = receiver.sequences;
  await stage.replay(anna, id, first);
  await until("all came", () => receiver.sequences.length === 3);
  assert.equal(receiver.got[sent]?.sequence, first, "nothing was sent while it was suspended");
  checkOrder(receiver.got);
});

test("a receiver that is gone, or whose key is over, is sent nothing more", async (t) => {
  const stage = await Stage.open(t, { pace: quick });
  const receiver = await Receiver.open(t);
  receiver.nowMillis = () => Date.now() + stage.aheadMillis;
  const anna = await stage.world.trader("anna");
  const gone = await stage.set(anna, receiver.url);
  receiver.secrets.add(gone.secret);
  receiver.answer = (_, response) => void response.writeHead(410).end();
  await stage.fund(anna, "1");
  await until("gone", async () => (await stage.show(anna, gone.id)).suspended?.cause === "gone");
  assert.equal(receiver.got.length, 1);

  receiver.answer = (_, response) => void response.writeHead(204).end();
  const narrow = await stage.world.narrowKey(anna, ["manage:custody", "read:portfolio"]);
  const kept = await stage.set({ ...anna, secret: narrow }, receiver.url);
  receiver.secrets.add(kept.secret);
  await stage.fund(anna, "2");
  await until("it came", () => receiver.got.length >= 2);
  const keys = (await stage.world.get("/api/trading/keys", anna.secret)).json().data;
  const [{ id: keyId }] = keys.filter(({ label }: { label: string }) => label === "narrow");
  const url = `/api/trading/keys/${keyId}`;
  const headers = { authorization: `Bearer ${anna.secret}` };
  await stage.world.server.inject({ method: "DELETE", url, headers });
  const before = receiver.got.length;
  await stage.fund(anna, "3");
  const ended = async () => (await stage.show(anna, kept.id)).suspended?.cause === "key_ended";
  await until("the key is over", ended);
  assert.equal(receiver.got.length, before);
});

test("the next start goes on where this one stood; who does not lead sends nothing", async (t) => {
  const stage = await Stage.open(t, {
    pace: { ...quick, firstMillis: 60_000, longestMillis: 60_000 },
  });
  const receiver = await Receiver.open(t);
  receiver.nowMillis = () => Date.now() + stage.aheadMillis;
  const anna = await stage.world.trader("anna");
  const { id, secret } = await stage.set(anna, receiver.url);
  receiver.secrets.add(secret);
  for (const amount of ["1", "2", "3"]) await stage.fund(anna, amount);
  await until("three came", () => receiver.got.length === 3);
  receiver.answer = (_, response) => void response.writeHead(500).end();
  await stage.fund(anna, "4");
  await until("one failed", async () => (await stage.show(anna, id)).progress.attempts === 1);
  const { progress } = await stage.show(anna, id);
  await stage.stop();
  receiver.answer = (_, response) => void response.writeHead(204).end();
  await stage.fund(anna, "5");
  await stage.start();
  assert.deepEqual((await stage.show(anna, id)).progress, progress, "the pause goes on");
  await stage.stop();
  stage.aheadMillis = 61_000;
  stage.isLeading = false;
  await stage.start();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(receiver.got.length, 4);
  await stage.stop();
  stage.isLeading = true;
  await stage.start();
  await until("the rest came", () => receiver.sequences.length === 5);
  assert.deepEqual(
    receiver.got.map(({ sequence }) => sequence).slice(0, 3),
    receiver.sequences.slice(0, 3),
  );
  checkOrder(receiver.got);
});

/** A webhook that has failed once, at a clock of fractions, which the columns do not take. */
async function refusedCursor(t: TestContext, refusedMillis: number) {
  const pace = { firstMillis: 3_600_000, refusedMillis };
  const stage = await Stage.open(t, { pace });
  const [anna, bela] = [await stage.world.trader("anna"), await stage.world.trader("bela")];
  const [failing, well] = [await Receiver.open(t), await Receiver.open(t)];
  failing.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await stage.set(anna, failing.url);
  stage.aheadMillis = 0.5;
  await stage.fund(anna, "1");
  const refusals = () => stage.refused.filter(({ table }) => table === "webhook_cursor");
  await until("it is refused", () => refusals().length > 0);
  stage.aheadMillis = 0;
  const other = await stage.set(bela, well.url);
  const deliveredOf = async (webhook: string) =>
    (await stage.cursors()).find((one) => one.id === webhook)?.delivered ?? 0;
  const fundOther = async () => {
    const count = well.sequences.length;
    await stage.fund(bela, "1");
    await until("the other one came", () => well.sequences.length > count);
    const sequence = well.sequences.at(-1) ?? 0;
    await until("and is written", async () => (await deliveredOf(other.id)) >= sequence);
  };
  return { stage, anna, failing, id, refusals, deliveredOf, fundOther };
}

test("a cursor that is refused holds up nobody else's, and is not tried at once", async (t) => {
  const { stage, id, refusals, deliveredOf, fundOther } = await refusedCursor(t, 3_600_000);
  for (let step = 1; step <= 5; step += 1) await fundOther();
  assert.equal(await deliveredOf(id), 0);
  assert.deepEqual(
    refusals().map(({ row }) => row.id),
    [id],
  );
  const [{ error } = {}] = refusals();
  assert.match(`${error?.message}`, /^failingSinceMillis is \d+\.5, which is no whole number$/);
  stage.refused.length = 0;
  await stage.stop().catch(() => undefined);
  assert.equal(refusals().length, 1, "the last write tries it once more");
  stage.refused.length = 0;
});

test("a cursor that was refused is written again later", async (t) => {
  const { stage, anna, failing, id, refusals, deliveredOf } = await refusedCursor(t, 50);
  await until("it is tried again", () => refusals().length > 2);
  assert.equal(await deliveredOf(id), 0);
  failing.answer = (_, response) => void response.writeHead(204).end();
  const [first = 0] = failing.sequences;
  await stage.replay(anna, id, first);
  await until("it is written", async () => (await deliveredOf(id)) >= first);
  stage.refused.length = 0;
});

test("a delivery that a stop broke off is made again", async (t) => {
  const stage = await Stage.open(t, { pace: quick });
  const receiver = await Receiver.open(t);
  const anna = await stage.world.trader("anna");
  receiver.secrets.add((await stage.set(anna, receiver.url)).secret);
  const held: (() => void)[] = [];
  receiver.answer = (_, response) => void held.push(() => response.writeHead(204).end());
  await stage.fund(anna, "1");
  await until("it came", () => held.length === 1);
  await stage.stop();
  receiver.answer = (_, response) => void response.writeHead(204).end();
  await stage.start();
  await until("it came again", () => receiver.got.length === 2);
  const [first, second] = receiver.got;
  assert.deepEqual([second?.id, second?.text], [first?.id, first?.text]);
});
