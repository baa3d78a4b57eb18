// Followers of a leader, on streaming replicas of its database and on the database itself.
// Invariant tested: a follower answers what the leader would, says how new that is, refuses what
// is too old for who asks, and takes no command.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { at, type Exchange, numberAt, textAt } from "#test/support/exchange.ts";
import { atLeast, sequenceOf, startFollowed } from "./followed.ts";
import { until } from "./until.ts";

const { leader, followers, replicas } = await startFollowed({ after }, 1, 1);
const follower = followers[0] ?? assert.fail("the one on the replica");

const statusOf = async (node: Exchange) => (await node.get("/api/status")).body;

test("followers answer as the leader, and show a client what it wrote", async (t) => {
  const { id, key } = await leader.trader("seller", "250");
  const tookMillis: number[] = [];
  for (let round = 1; round <= 50; round += 1) {
    const path = `/api/admin/accounts/${id}/funding`;
    const funded = await leader.post(path, { amount: "1" }, { admin: true });
    const minimum = sequenceOf(funded);
    for (const one of followers) {
      const asked = performance.now();
      const read = await one.get("/api/trading/account", { key, ...atLeast(minimum) });
      tookMillis.push(performance.now() - asked);
      assert.equal(read.status, 200, read.text);
      assert.equal(at(read.body, "data", "cash"), `${250 + round}`, read.text);
      assert.ok(sequenceOf(read) >= minimum);
    }
  }
  const sorted = tookMillis.toSorted((a, b) => a - b);
  t.diagnostic(
    `own write read elsewhere: p50 ${sorted[50]?.toFixed(1)} ms, p99 ${sorted[98]?.toFixed(1)} ms`,
  );

  for (const one of followers) {
    const status = await statusOf(one);
    assert.deepEqual([at(status, "mode"), at(status, "role")], ["follower", "follower"]);
    assert.ok(numberAt(status, "lagMillis") < 1_000, JSON.stringify(status));
    for (const path of [
      "/api/markets",
      "/api/risk",
      "/api/log/checkpoint",
      "/api/checkpoint",
      "/",
    ]) {
      const [theirs, ours] = [await leader.get(path), await one.get(path)];
      assert.deepEqual([ours.status, sequenceOf(ours) > 0], [theirs.status, true], path);
    }
  }
  assert.equal(at(await statusOf(leader), "role"), "leader");
  assert.equal(at(await statusOf(leader), "lagMillis"), null);
});

test("a follower takes no command, serves no operator, and names the leader", async () => {
  const { id, key } = await leader.trader("seller", "250");
  const { key: auditor } = await leader.trader("auditor", "0", "auditor");
  const minimum = atLeast(sequenceOf(await leader.get("/api/status")));
  const order = { marketId: "none", outcomeIndex: 0, side: "BUY", amount: "1", price: 0.5 };
  for (const [method, path, body] of [
    ["POST", "/api/trading/orders", order],
    ["POST", "/api/trading/orders/cancel-all", {}],
    ["POST", `/api/admin/accounts/${id}/funding`, { amount: "1" }],
    ["GET", "/api/admin/accounts", undefined],
    ["GET", "/api/trading/keys", undefined],
  ] as const) {
    const reply = await follower.request(method, path, body, { key, admin: true });
    assert.deepEqual([reply.status, textAt(reply.body, "code")], [421, "LEADER_ONLY"], path);
    assert.equal(at(reply.body, "error", "details", "leader"), leader.url);
  }
  const position = { positionSize: 10, marketId: "none" };
  const asked = await follower.post("/api/liquidity/validate-position", position, {
    key,
    ...minimum,
  });
  assert.notEqual(asked.status, 421, asked.text);
  const logs = await follower.get("/api/audit/logs?limit=5", { key: auditor, ...minimum });
  assert.equal(logs.status, 200, logs.text);
  const verified = await follower.get("/api/audit/verify", { key: auditor });
  assert.equal(at(verified.body, "data", "valid"), true, verified.text);
});

test("a sequence that does not come is 503, and one that is none is 400", async () => {
  for (const node of [leader, ...followers]) {
    const asked = performance.now();
    const ahead = await node.get("/api/markets", atLeast(1_000_000));
    assert.deepEqual([ahead.status, textAt(ahead.body, "code")], [503, "NODE_BEHIND"]);
    assert.equal(ahead.headers.get("retry-after"), "1");
    assert.ok(performance.now() - asked >= 990);
    const wrong = await node.get("/api/markets", {
      headers: { "firstprint-min-sequence": "-1" },
    });
    assert.deepEqual(
      [wrong.status, at(wrong.body, "error", "field")],
      [400, "Firstprint-Min-Sequence"],
    );
  }
});

test("a replica lags: private reads end within a second, public ones within ten", async () => {
  const { key } = await leader.trader("seller", "250");
  const account = () => follower.get("/api/trading/account", { key });
  await until("it is known there", async () => (await account()).status === 200);
  await replicas[0]?.delayBy(4_000);
  await until("it is too old", async () => (await account()).status === 503);
  assert.equal(textAt((await account()).body, "code"), "NODE_BEHIND");
  assert.equal((await follower.get("/api/markets")).status, 200);
  assert.equal((await follower.get("/api/health/ready")).status, 200);
  await replicas[0]?.delayBy(60_000);
  await until(
    "it takes itself out",
    async () => (await follower.get("/api/health/ready")).status === 503,
  );
  assert.ok(numberAt(await statusOf(follower), "lagMillis") >= 10_000);
  assert.equal((await follower.get("/api/markets")).status, 503);
  await replicas[0]?.delayBy(0);
  await until("it is back", async () => (await account()).status === 200);
});

test("a follower's own stream tells what the leader did, and ends where it lags", async () => {
  const { id, key } = await leader.trader("seller", "250");
  const minimum = atLeast(sequenceOf(await leader.get("/api/status")));
  const stream = await fetch(`${follower.url}/api/trading/stream`, {
    headers: { authorization: `Bearer ${key}`, ...minimum.headers },
  });
  assert.equal(stream.status, 200);
  let told = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) told += decoder.decode(chunk);
  })();
  await leader.admin(`accounts/${id}/funding`, { amount: "5" });
  await until("the cash is told", () => told.includes("event: entry"));
  await replicas[0]?.delayBy(3_000);
  await sleep(1_500);
  await leader.admin(`accounts/${id}/funding`, { amount: "7" });
  await until("it ends", () => told.includes("event: error"));
  assert.match(told, /INTERRUPTED/);
  await reading.catch(() => undefined);
});
