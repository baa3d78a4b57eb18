// A leader and a node that stands by, on one PostgreSQL: the leader is killed, hangs, or hands
// over, again and again, under load.
//   FIRSTPRINT_FAILOVERS=300 node --test test/e2e/failover.e2e.test.ts
// Invariant tested: nothing acknowledged is lost or doubled, whoever leads; a node that has lost
// the lead shows nothing that is over.
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DepositLoad } from "#test/faults/deposit-load.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, numberAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { modeOf, spread, ways } from "./passing.ts";
import { TwoNodes } from "./two-nodes.ts";
import { until } from "./until.ts";

const ROUNDS = sizeOfRun("FIRSTPRINT_FAILOVERS", 9);
const CLIENTS = 8;
/** The journal is compared by an export, which costs its reader by its length. */
const PAUSE_MILLIS = 150;

// One pair for all tests: each leaves one node that leads and one that stands by.
const connection = await createDatabase({ after });
const pair = await TwoNodes.start({ after }, urlOf(connection));

test("a node that stands by shows what the leader did, and does nothing itself", async () => {
  const [leader, standby] = pair.nodes;
  const ready = await standby.get("/api/health/ready");
  assert.equal(ready.status, 503);
  assert.equal(at(ready.body, "mode"), "standby");
  const { id, key } = await leader.trader("seller", "250");
  await until(
    "it is shown",
    async () => (await standby.get("/api/kyc/status", { key })).status === 200,
  );
  const balance = await standby.get("/api/trading/account", { key });
  assert.equal(balance.status, 200, balance.text);
  const funding = await standby.post(
    `/api/admin/accounts/${id}/funding`,
    { amount: "1" },
    { admin: true },
  );
  assert.deepEqual([funding.status, textAt(funding.body, "code")], [503, "NOT_LEADER"]);
});

test("a node with another secret does not stand by, and names it", async (t) => {
  const [leader] = pair.nodes;
  const alone = await InProcessExchange.unstarted(t, {}, connection);
  await copyFile(join(leader.dataDir, "checkpoint.key"), join(alone.dataDir, "checkpoint.key"));
  await assert.rejects(
    alone.up(),
    /The secret (pepper|webhook-key) in this node's data folder is not/,
  );
});

test("the lead passes under load: nothing is lost or doubled", async (t) => {
  const [first] = pair.nodes;
  const { id } = await first.trader("payee", "0");
  const { key: auditor } = await first.trader("auditor", "0", "auditor");
  const load = new DepositLoad(pair, id, auditor, "failover");
  const tookMillis = new Map<string, number[]>();
  load.start(CLIENTS, PAUSE_MILLIS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const leader = await pair.leader();
    const successor = pair.other(leader);
    await until("the other stands by", async () => (await modeOf(successor)) === "standby");
    await sleep(100 + 50 * (round % 7));
    const [how, pass] = Object.entries(ways)[round % 3] ?? assert.fail("there are three ways");
    const since = performance.now();
    const passed = pair.answeredSince(successor, since);
    await pass(leader, passed);
    const took = (await passed) - since;
    tookMillis.set(how, [...(tookMillis.get(how) ?? []), took]);
    await until("the one before stands by", async () => (await modeOf(leader)) === "standby");
  }
  await load.end();
  const { stored, absent } = await load.settle();
  t.diagnostic(`${load.answers} answered, ${stored + absent} unknown, ${stored} of these stored`);
  for (const [how, millis] of tookMillis) t.diagnostic(`${how}: ${spread(millis)}`);
  const status = numberAt((await pair.get("/api/status")).body, "durableSequence");
  assert.ok(status > load.answers);
});

test("a leader that hung serves no revoked key and nothing old when it goes on", async () => {
  const leader = await pair.leader();
  const standby = pair.other(leader);
  const { id, key } = await leader.trader("seller", "250");
  leader.signal("SIGSTOP");
  await until("the other leads", async () => (await modeOf(standby)) === "open");
  const path = `/api/admin/accounts/${id}/keys`;
  const revoked = await standby.request("DELETE", path, undefined, { admin: true });
  assert.equal(revoked.status, 200, revoked.text);
  // They wait in its socket, and are the first it reads.
  const asked = Array.from({ length: 20 }, () => leader.get("/api/trading/account", { key }));
  const toldBefore = leader.output.length;
  leader.signal("SIGCONT");
  for (const { status, text } of await Promise.all(asked)) {
    assert.ok(status === 401 || status === 503, text);
  }
  await until("it stands by again", async () => (await modeOf(leader)) === "standby");
  const told = leader.output.slice(toldBefore);
  assert.match(told, /standing by at entry \d+: another node leads/);
  assert.doesNotMatch(told, /not leading yet/, "at its first try: no pause came before it");
});
