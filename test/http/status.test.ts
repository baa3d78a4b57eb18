// A node's health for people and balancers: its status in every mode, and whether to send to it.
// Invariant tested: 503 is for balancers alone, and for a node that takes no cancels either.
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.ts";

test("the status tells how far the journal is, and answers 200 in every mode", async (t) => {
  const exchange = await World.open(t);
  const open = await exchange.get("/api/status");
  const { durableSequence } = exchange.engine.status();
  assert.equal(open.statusCode, 200);
  assert.deepEqual(open.json(), {
    mode: "open",
    role: "leader",
    lagMillis: null,
    sequence: durableSequence,
    durableSequence,
    engineTime: "2024-11-20T00:00:00.000Z",
    version: "0.0.0",
    clock: "sandbox",
    capacityUsed: 0,
    cover2: true,
    storage: "checked",
  });
  const modes = async () => {
    const { statusCode, headers, body } = await exchange.get("/api/status");
    assert.equal(headers["retry-after"], undefined);
    return [statusCode, JSON.parse(body).mode];
  };
  await exchange.root({ type: "HaltExchange", reason: "drill" });
  assert.deepEqual(await modes(), [200, "halted"]);
  await exchange.engine.stop();
  assert.deepEqual(await modes(), [200, "starting"]);
});

test("a balancer hears whether the process lives, and whether it takes orders", async (t) => {
  const exchange = await World.open(t);
  const asked = async (path: string) => {
    const { statusCode, body, headers } = await exchange.get(`/api/health/${path}`);
    return { statusCode, ...JSON.parse(body), wait: headers["retry-after"] };
  };
  const live = { statusCode: 200, live: true, wait: undefined };
  const ready = { statusCode: 200, ready: true, wait: undefined };
  assert.deepEqual(await asked("live"), live);
  assert.deepEqual(await asked("ready"), { ...ready, mode: "open", reason: null });

  await exchange.root({ type: "HaltExchange", reason: "drill" });
  assert.deepEqual(await asked("live"), live);
  assert.deepEqual(await asked("ready"), {
    ...ready,
    mode: "halted",
    reason: "Trading is halted: only cancels are taken",
  });

  await exchange.engine.stop();
  assert.deepEqual(await asked("live"), live);
  assert.deepEqual(await asked("ready"), {
    statusCode: 503,
    ready: false,
    mode: "starting",
    reason: "This node does not lead: it is starting, stopping or has lost its database",
    wait: "1",
  });
});

test("what a balancer asks costs no rate, and answers an address that has none left", async (t) => {
  const exchange = await World.open(t);
  for (let sent = 0; sent < 700; sent += 1) await exchange.get("/nowhere");
  assert.equal((await exchange.get("/nowhere")).statusCode, 429);
  for (const path of ["/api/status", "/api/health/live", "/api/health/ready"]) {
    assert.equal((await exchange.get(path)).statusCode, 200, path);
  }
});
