// The client's requests under faults: what is sent again, under which key, after how long, and what
// the caller is told. Time is mocked: every wait is measured, none is slept.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  answered,
  connect,
  type Exchange,
  type ExchangeOptions,
  ForeignAnswer,
  NoAnswer,
  Refused,
} from "#sdk/index.ts";

type Reply = (request: Request) => Response | Promise<Response>;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });

const done = (): Response => json(200, { data: { cancelledCount: 3 } });
const refused =
  (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  (): Response => {
    const error = { code, message: "no", retryable: false, outcome: "not_applied", ...more };
    return json(status, { success: false, error: { ...error, requestId: "r" } }, headers);
  };
const busy = (seconds: string) =>
  refused(429, "RATE_LIMITED", { retryable: true }, { "retry-after": seconds });
const cut = (): Response => {
  throw new TypeError("fetch failed");
};
/** Half of an answer, then the connection is gone. */
const half = (): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"data":'));
        controller.error(new TypeError("terminated"));
      },
    }),
    { headers: { "content-type": "application/json" } },
  );
const unknown = refused(503, "OUTCOME_UNKNOWN", { retryable: true, outcome: "unknown" });

/** A client whose exchange gives the replies in turn, the last again and again. */
function scripted(t: TestContext, replies: readonly Reply[], more: Partial<ExchangeOptions> = {}) {
  const keys: (string | null)[] = [];
  const bodies: string[] = [];
  const waits: number[] = [];
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const exchange = connect({
    url: "http://exchange.test/",
    key: "fp_live_x",
    async fetch(request) {
      const reply = replies[Math.min(keys.length, replies.length - 1)] ?? done;
      keys.push(request.headers.get("idempotency-key"));
      bodies.push(await request.text());
      return reply(request);
    },
    onWait(_attempt, millis) {
      waits.push(millis);
      setImmediate(() => t.mock.timers.tick(millis));
    },
    ...more,
  });
  const cancel = (headers?: { "Idempotency-Key": string }) =>
    answered(
      exchange.POST("/api/trading/orders/cancel-all", {
        params: headers === undefined ? {} : { header: headers },
        body: { marketId: "mkt-001" },
      }),
    );
  const read = () => answered(exchange.GET("/api/status"));
  return { exchange, cancel, read, keys, bodies, waits };
}

test("a write that is cut is sent again, the same body under the same key", async (t) => {
  for (const fault of [cut, half, unknown, () => new Response("bad gateway", { status: 502 })]) {
    await t.test(fault.name, async (t) => {
      const { cancel, keys, bodies } = scripted(t, [fault, fault, done]);
      assert.deepEqual(await cancel(), { data: { cancelledCount: 3 } });
      assert.equal(keys.length, 3);
      assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
      assert.deepEqual(new Set(keys).size, 1, "one key");
      assert.deepEqual(new Set(bodies), new Set(['{"marketId":"mkt-001"}']));
    });
  }
});

test("a long answer that is not JSON is handed on as it comes, not held", async (t) => {
  let asked = 0;
  const lines = (): Response => {
    const body = new ReadableStream({
      pull(controller) {
        asked += 1;
        controller.enqueue(new TextEncoder().encode("{}\n"));
      },
    });
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  };
  const { exchange } = scripted(t, [lines]);
  const headers = { accept: "application/x-ndjson" };
  const { data } = await exchange.GET("/api/audit/export", { headers, parseAs: "stream" });
  assert.ok(asked < 3, "an endless answer would else never come");
  await data?.cancel();
});

test("each write has a key of its own, and the caller's own goes before it", async (t) => {
  const { cancel, keys } = scripted(t, [done]);
  await cancel();
  await cancel();
  await cancel({ "Idempotency-Key": "mine" });
  assert.notEqual(keys[0], keys[1]);
  assert.equal(keys[2], "mine");
});

test("a read carries no key", async (t) => {
  const { read, keys } = scripted(t, [cut, () => json(200, { mode: "open" })]);
  await read();
  assert.deepEqual(keys, [null, null]);
});

test("a write that takes no key is sent once, whatever becomes of it", async (t) => {
  const load = (exchange: Exchange) =>
    answered(
      exchange.POST("/api/admin/geo", { body: "a", bodySerializer: String, headers: { a: "b" } }),
    );
  for (const [reply, kind] of [
    [cut, NoAnswer],
    [busy("1"), Refused],
    [unknown, Refused],
  ] as const) {
    await t.test(kind.name, async (t) => {
      const { exchange, keys } = scripted(t, [reply, done]);
      await assert.rejects(load(exchange), kind);
      assert.deepEqual(keys, [null]);
    });
  }
});

test("Retry-After is waited for, to the second", async (t) => {
  const stopping = refused(503, "STOPPING", { retryable: true }, { "retry-after": "7" });
  const { cancel, waits, keys } = scripted(t, [busy("3"), stopping, done]);
  await cancel();
  assert.deepEqual(waits, [3000, 7000]);
  assert.equal(new Set(keys).size, 1);
});

test("a longer Retry-After than the patience is a refusal that says how long", async (t) => {
  const { cancel, keys } = scripted(t, [busy("61")]);
  const fault = await cancel().catch((caught: unknown) => caught);
  assert.ok(fault instanceof Refused);
  assert.deepEqual([fault.code, fault.retryAfterSeconds, keys.length], ["RATE_LIMITED", 61, 1]);
});

test("a refusal that stays one is not sent again, and says its code", async (t) => {
  const details = { tick: "0.0001" };
  const { cancel, keys } = scripted(t, [
    refused(400, "INVALID_PRICE", { field: "price", details }),
  ]);
  const fault = await cancel().catch((caught: unknown) => caught);
  assert.ok(fault instanceof Refused);
  const { kind, code, outcome, status, error } = fault;
  assert.deepEqual([kind, code, outcome, status], ["refused", "INVALID_PRICE", "not_applied", 400]);
  assert.deepEqual([error.field, error.details, keys.length], ["price", details, 1]);
});

test("pauses grow, are drawn apart, and end", async (t) => {
  const { read, waits } = scripted(t, [cut]);
  await assert.rejects(read(), NoAnswer);
  assert.equal(waits.length, 7);
  for (const [index, wait] of waits.entries()) {
    const longest = Math.min(500 * 2 ** index, 15_000);
    assert.ok(wait >= longest / 2 && wait <= longest, `${index}: ${wait}`);
  }
});

test("a write in doubt never ends in a plain no: an attempt may have been done", async (t) => {
  for (const last of [
    refused(503, "OVERLOADED", { retryable: true }, { "retry-after": "900" }),
    busy("900"),
    refused(401, "UNAUTHENTICATED"),
    refused(409, "IDEMPOTENCY_IN_FLIGHT", { retryable: true }, { "retry-after": "900" }),
  ]) {
    await t.test(last.name, async (t) => {
      const { cancel, keys } = scripted(t, [cut, last]);
      const fault = await cancel().catch((caught: unknown) => caught);
      assert.ok(fault instanceof NoAnswer, String(fault));
      assert.deepEqual([fault.outcome, fault.idempotencyKey], ["unknown", keys[0]]);
    });
  }
  await t.test("but a no that holds for the first attempt, too, is one", async (t) => {
    const { cancel } = scripted(t, [cut, refused(422, "INSUFFICIENT_BALANCE")]);
    await assert.rejects(cancel(), { kind: "refused", code: "INSUFFICIENT_BALANCE" });
  });
});

test("something else at the address is told apart from the exchange", async (t) => {
  const page = (status: number) => (): Response => new Response("<html>", { status });
  const { read } = scripted(t, [page(404)]);
  await assert.rejects(read(), ForeignAnswer);
  const cheerful = scripted(t, [page(200)]);
  await assert.rejects(cheerful.read(), ForeignAnswer);
});

test("a code that is newer than the SDK is OTHER, and still there to read", async (t) => {
  const { read } = scripted(t, [refused(409, "NEW_RULE")]);
  const fault = await read().catch((caught: unknown) => caught);
  assert.ok(fault instanceof Refused);
  assert.deepEqual([fault.code, String(fault.error.code)], ["OTHER", "NEW_RULE"]);
});

test("a caller who gives up is not kept waiting", async (t) => {
  const controller = new AbortController();
  const { exchange } = scripted(t, [busy("30")], { onWait: () => controller.abort() });
  const asked = exchange.GET("/api/status", { signal: controller.signal });
  await assert.rejects(asked, { name: "AbortError" });
});
