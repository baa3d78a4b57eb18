// The audit trail through the real server: whose entries, how many, and that their hashes hold.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { marketId as marketIdOf } from "#base/ids.ts";
import { hashOf } from "#test/support/entry-hash.ts";
import { until } from "../e2e/until.ts";
import { PublicWorld } from "./public-world.ts";
import { type Holder, order, World } from "./world.ts";

test("a trader sees its own entries whatever it asks for, an auditor everybody's", async (t) => {
  const world = await World.open(t);
  const [a, b] = [await world.trader("a"), await world.trader("b")];
  const auditor = await world.account("c", "auditor");
  const marketId = await world.market();
  await world.post("/api/trading/orders", a.secret, order(marketId));
  await world.post("/api/trading/orders", b.secret, order(marketId, { price: 0.1 }));
  const logs = async (who: Holder, query = "") =>
    (await world.get(`/api/audit/logs${query}`, who.secret)).json().data;

  const own = await logs(a);
  assert.equal(own[0].action, "order.placed");
  assert.equal(own[0].userId, a.address);
  assert.ok(own.every((entry: { userId: string }) => entry.userId !== b.address));
  assert.ok(
    own.some((entry: { userId: string }) => entry.userId === "root"),
    "acts on it show",
  );
  assert.deepEqual(await logs(a, `?userId=${b.address}`), []);
  assert.equal((await logs(a, `?userId=${a.address}&action=order.placed`)).length, 1);
  assert.equal((await logs(auditor, "?action=order.placed")).length, 2);
  assert.equal((await logs(auditor, `?userId=${b.address.toUpperCase()}`)).length, 1);
  assert.equal((await logs(auditor, "?limit=2&offset=1")).length, 2);
  for (const query of [
    "?limit=1001",
    "?limit=0",
    "?limit=1e2",
    "?limit=",
    "?offset=-1",
    "?severity=bad",
    "?offset=1000000000001",
    "?action=%00",
    "?action=",
    "?userId=%C3%A9",
    "?stranger=1",
  ]) {
    assert.equal((await world.get(`/api/audit/logs${query}`, a.secret)).statusCode, 400, query);
  }

  const stats = (await world.get("/api/audit/stats", auditor.secret)).json().data;
  const sum = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  assert.equal(stats.totalEvents, world.engine.status().durableSequence);
  assert.equal(sum(stats.byAction), stats.totalEvents);
  assert.equal(sum(stats.bySeverity), stats.totalEvents);
  assert.equal(stats.byAction["order.placed"], 2);
  const small = (await world.get("/api/audit/stats", a.secret)).json().data;
  assert.equal(small.byAction["order.placed"], 1);
  const empty = await world.get("/api/audit/stats?startTime=1&endTime=2", a.secret);
  assert.deepEqual(empty.json().data.timeRange, { start: 1, end: 2 });
  const backwards = await world.get("/api/audit/stats?startTime=2&endTime=1", a.secret);
  assert.equal(backwards.statusCode, 400);
});

test("the exported bytes hash to the chain that the entries link, and verify agrees", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const auditor = await world.account("b", "auditor");
  const exported = await world.get("/api/audit/export", auditor.secret);
  assert.equal(exported.statusCode, 200);
  const entries: { sequence: number; previousHash: string; hash: string; bytes: string }[] =
    exported.json().data;
  const size = world.engine.status().durableSequence;
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    Array.from({ length: size }, (_, at) => at + 1),
  );
  let previous = "0".repeat(64);
  for (const entry of entries) {
    assert.equal(entry.previousHash, previous);
    previous = hashOf(previous, entry.sequence, entry.bytes);
    assert.equal(entry.hash, previous, `entry ${entry.sequence}`);
  }
  const verified = (await world.get("/api/audit/verify", trader.secret)).json().data;
  assert.deepEqual(
    [verified.valid, verified.totalEntries, verified.size, verified.head],
    [true, size, size, previous],
  );
  assert.equal(verified.checkedAt, Date.UTC(2024, 10, 20) / 1000);
});

test("verifying costs a unit for a hundred entries that nobody has proven, a hundred at most", async (t) => {
  const world = await World.open(t);
  const trader = await world.trader("a");
  const left = async (url: string) => {
    const { headers } = await world.get(url, trader.secret);
    return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
  };
  for (const [unproven, units] of [
    [0, 1],
    [39, 1],
    [100, 1],
    [101, 2],
    [3_950, 40],
    [5_000_000, 100],
  ] as const) {
    world.unproven = unproven;
    const before = await left("/api/audit/verify");
    const after = await left("/api/limits");
    // The request is charged one before it is read; what it costs beyond that is owed by the next.
    assert.equal(before - after, units, `${unproven}`);
    world.nowMillis += 60_000;
  }
});

test("a permission that is missing is refused, and the refusal is in the audit", async (t) => {
  const world = await World.open(t);
  const holder = await world.trader("a");
  const reader = await world.narrowKey(holder, ["read:portfolio"]);
  const marketId = await world.market();
  const refused = await world.post("/api/trading/orders", reader, order(marketId));
  assert.deepEqual([refused.statusCode, refused.json().code], [403, "PERMISSION_DENIED"]);
  const malformed = await world.post("/api/trading/orders", reader, "{");
  assert.equal(malformed.statusCode, 403, "permission is looked at before the body");
  const [, entry] = (await world.get("/api/audit/logs", reader)).json().data;
  assert.deepEqual(
    [entry.action, entry.success, entry.userId, entry.resource],
    ["access.refused", false, holder.address, "POST /api/trading/orders"],
  );
});

test("each refusal that matters is an entry with success false; the rest are none", async (t) => {
  const world = await World.open(t);
  const marketId = await world.market();
  const [rich, poor] = [await world.trader("a", "100000000"), await world.trader("b", "1")];
  const stranger = await world.account("c");
  const narrow = await world.narrowKey(rich, ["read:portfolio", "manage:custody"]);
  const place = (secret: string, more: object = {}) =>
    world.post("/api/trading/orders", secret, order(marketId, more));
  const wide = { label: "x", permissions: ["create:orders"] };
  const auditor = await world.account("d", "auditor");
  const cases: readonly (readonly [string, () => ReturnType<typeof place>])[] = [
    ["PERMISSION_DENIED", () => place(narrow)],
    ["KYC_REQUIRED", () => place(stranger.secret)],
    ["POSITION_LIMIT", () => place(rich.secret, { amount: "25000001" })],
    ["INSUFFICIENT_BALANCE", () => place(poor.secret)],
    ["KEY_ESCALATION", () => world.post("/api/trading/keys", narrow, wide)],
  ];
  for (const [code, send] of cases) {
    const size = world.engine.status().sequence;
    assert.equal((await send()).json().code, code);
    const [entry] = (await world.get("/api/audit/logs?limit=1", auditor.secret)).json().data;
    const shown = [entry.id, entry.success, entry.severity];
    assert.deepEqual(shown, [`aud-${size + 1}`, false, "warning"], code);
  }
  const before = world.engine.status().sequence;
  await place(rich.secret, { price: 2 });
  await place(rich.secret, { amount: "0" });
  await place(rich.secret, { marketId: "mkt-999" });
  await world.remove("/api/trading/orders/ord-999", rich.secret);
  await world.get("/api/trading/orders/x/y", rich.secret);
  assert.equal(world.engine.status().sequence, before, "a malformed request is no entry");
});

test("a range counts both its seconds, in stats and in the export", async (t) => {
  const world = await World.open(t);
  const auditor = await world.account("a", "auditor");
  const start = Date.UTC(2024, 10, 20);
  for (const hour of [1, 2, 3]) {
    await world.root({ type: "SetClock", toMillis: start + hour * 3_600_000 });
  }
  const at = (hour: number): number => start / 1000 + hour * 3_600;
  const ask = async (path: string, query: string) =>
    (await world.get(`/api/audit/${path}?${query}`, auditor.secret)).json();
  const range = `startTime=${at(1)}&endTime=${at(2)}`;
  const stats = (await ask("stats", range)).data;
  const exported = (await ask("export", range)).data;
  const times = exported.map(({ timestamp }: { timestamp: number }) => timestamp);
  assert.deepEqual([...new Set(times)], [at(1), at(2)]);
  assert.equal(stats.totalEvents, times.length);
  assert.deepEqual(stats.timeRange, { start: at(1), end: at(2) });
  assert.equal((await ask("stats", `startTime=${at(3) + 1}`)).data.totalEvents, 0);

  for (const path of ["stats", "export"]) {
    for (const query of [
      "startTime=-1",
      "startTime=1.5",
      "endTime=x",
      "startTime=1732060800000",
      "endTime=99999999999999999999",
      "startTime=2&endTime=1",
      "startTime=1&startTime=1",
      "userId=root",
    ]) {
      const refused = await ask(path, query);
      assert.equal(refused.code, "INVALID_REQUEST", `${path}?${query}`);
    }
  }
});

test("a reader that stops reading stops the walk: no export is gathered in memory", async (t) => {
  const world = await World.open(t);
  const auditor = await world.account("a", "auditor");
  const size = 20_000;
  const { history } = world.engine;
  const [sample] = await Array.fromAsync(history.newest({}, 1, 0));
  assert.ok(sample !== undefined);
  let given = 0;
  Object.defineProperty(history, "export", {
    value: async function* () {
      for (; given < size; given += 1) yield { ...sample, bytes: Buffer.alloc(5_000) };
    },
  });
  await world.listen();
  const response = await fetch(`${world.url}/api/audit/export`, {
    headers: { authorization: `Bearer ${auditor.secret}` },
  });
  const reader = response.body?.getReader();
  await reader?.read();
  let seen = -1;
  await until("the walk rests", async () => {
    const rests = given === seen;
    seen = given;
    await sleep(200);
    return rests;
  });
  assert.ok(given < size / 2, `${given} of ${size} entries were walked for one chunk`);
  await reader?.cancel();
});

interface ShownEntry {
  readonly action: string;
  readonly actions: readonly string[];
  readonly userId: string;
  readonly userName?: string;
  readonly resource: string;
  readonly timestamp: number;
  readonly details: { readonly orderIds?: readonly string[]; readonly orderCount?: number };
}

/** Two traders and an auditor: a's batch, b's order, a's cancel-all and last order; a pause. */
async function trail(t: Parameters<typeof World.open>[0]) {
  const { world } = await PublicWorld.open(t);
  const [a, b] = [await world.trader("a"), await world.trader("b")];
  const auditor = await world.account("c", "auditor");
  const marketId = await world.market();
  const low = order(marketId, { price: 0.1 });
  await world.post("/api/trading/orders/batch", a.secret, { orders: [low, low] });
  await world.post("/api/trading/orders", b.secret, order(marketId, { price: 0.2 }));
  await world.post("/api/trading/orders/cancel-all", a.secret, {});
  await world.post("/api/trading/orders", a.secret, low);
  await world.root({ type: "PauseMarket", marketId: marketIdOf(marketId), reason: "drill" });
  const logs = async (who: Holder, query: string): Promise<readonly ShownEntry[]> => {
    const answer = await world.get(`/api/audit/logs${query}`, who.secret);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().data;
  };
  return { world, a, b, auditor, marketId, logs };
}

test("orders placed and cancelled are found wherever it happened, with their ids", async (t) => {
  const { a, b, auditor, logs } = await trail(t);
  const placed = await logs(a, "?action=order.placed");
  assert.deepEqual(
    placed.map(({ action, details }) => [action, details.orderIds]),
    [
      ["order.placed", undefined],
      ["order.batch_placed", ["ord-1", "ord-2"]],
    ],
  );
  const cancelled = await logs(a, "?action=order.cancelled");
  const all = cancelled.at(-1);
  assert.deepEqual(
    [all?.action, all?.actions, all?.details.orderIds],
    ["order.all_cancelled", ["order.all_cancelled", "order.cancelled"], ["ord-1", "ord-2"]],
  );
  const seen = await logs(auditor, "?action=order.cancelled");
  const stats = await logs(b, "?action=order.cancelled");
  for (const { details } of stats) assert.deepEqual(details.orderIds, ["ord-3"], "its own alone");
  assert.ok(seen.length >= cancelled.length);
});

test("what the exchange does to everybody's orders is in each trail, its own part", async (t) => {
  const { world, a, b, auditor, logs } = await trail(t);
  const closing = world.view.markets.values().next().value;
  assert.ok(closing !== undefined);
  await world.root({ type: "ResumeMarket", marketId: closing.id, reason: "over" });
  await world.root({ type: "SetClock", toMillis: Date.UTC(2025, 4, 2) });
  const closed = async (who: Holder) =>
    (await logs(who, "?action=order.cancelled")).find(({ action }) => action === "market.closed");
  await until("the market closes", async () => (await closed(auditor)) !== undefined);
  assert.deepEqual((await closed(a))?.details.orderIds, ["ord-4"]);
  assert.deepEqual((await closed(b))?.details.orderIds, ["ord-3"]);
  assert.equal((await closed(auditor))?.details.orderCount, 2);
});

test("a search by time, resource or account; an account widens nothing", async (t) => {
  const { a, b, auditor, world, logs } = await trail(t);
  const [cancel] = await logs(auditor, "?resource=ord-3");
  assert.deepEqual([cancel?.resource, cancel?.userId], ["ord-3", b.address]);
  const ofB = await logs(auditor, `?account=${b.id}`);
  assert.ok(ofB.length > 0);
  assert.deepEqual(await logs(auditor, `?account=${b.address.toUpperCase()}`), ofB);
  assert.ok(ofB.every(({ userId }) => userId !== a.address));
  assert.deepEqual(await logs(a, `?account=${b.id}`), [], "another's");
  assert.deepEqual(await logs(auditor, "?account=acc-999"), []);
  assert.deepEqual(await logs(a, `?account=${a.id}`), await logs(a, ""));
  const now = Date.UTC(2024, 10, 20) / 1000;
  assert.deepEqual(await logs(a, `?startTime=${now + 1}`), []);
  assert.deepEqual(await logs(a, `?endTime=${now - 1}`), []);
  assert.deepEqual(await logs(a, `?startTime=${now}&endTime=${now}`), await logs(a, ""));
  const backwards = await world.get("/api/audit/logs?startTime=2&endTime=1", a.secret);
  assert.equal(backwards.statusCode, 400);
});

test("auditors read names beside addresses, traders do not", async (t) => {
  const { a, auditor, logs } = await trail(t);
  const [shown] = await logs(auditor, `?userId=${a.address}`);
  assert.equal(shown?.userName, "a");
  assert.ok((await logs(a, "")).every((entry) => !("userName" in entry)));
});

test("an export is a line an entry where that is asked for", async (t) => {
  const { auditor, world } = await trail(t);
  const whole = (await world.get("/api/audit/export", auditor.secret)).json().data;
  const accept = { accept: "application/x-ndjson" };
  const lines = await world.get("/api/audit/export", auditor.secret, accept);
  assert.equal(lines.headers["content-type"], "application/x-ndjson");
  assert.ok(lines.body.endsWith("}\n"));
  assert.deepEqual(
    lines.body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    whole,
  );
  const none = await world.get("/api/audit/export?startTime=1&endTime=1", auditor.secret, accept);
  assert.equal(none.body, "");
});
