// The stream under cuts: by the exchange's own word, by silence, and where it cannot
// be taken up. Time is mocked.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { connect, follow, Refused, StreamGap, type StreamOptions } from "#sdk/index.ts";
import { resumed } from "#sdk/stream.ts";
import {
  beat,
  encoder,
  entry,
  inPieces,
  readAll,
  transcript,
  whole,
  withoutWaiting,
} from "./transcript.ts";

test("in pieces of one byte to ten it is the same", async () => {
  for (let size = 1; size <= 10; size += 1)
    assert.deepEqual(await readAll(resumed(async () => inPieces(transcript(0), size))), whole);
});

type Reply = (request: Request) => Response | Promise<Response>;

const stream = (...parts: readonly string[]): Response =>
  new Response(ReadableStream.from(parts.map((part) => encoder.encode(part))), {
    headers: { "content-type": "text/event-stream" },
  });

const refusal = (status: number, code: string, retryable: boolean): Response => {
  const error = { code, message: "no", retryable, outcome: "not_applied", requestId: "r" };
  return Response.json({ success: false, error }, { status });
};

/** Follows an exchange that answers in turn; `asked` are the places it was asked from. */
function following(t: TestContext, replies: readonly Reply[], options: StreamOptions = {}) {
  const asked: (string | null)[] = [];
  const reasons: string[] = [];
  const pass = withoutWaiting(t);
  const exchange = connect({
    url: "http://exchange.test",
    mostWaitSeconds: 0,
    async fetch(request) {
      asked.push(new URL(request.url).searchParams.get("lastEventId"));
      const reply = replies[asked.length - 1];
      // A no that stays one: a stream that asks once too often ends, and its test fails.
      return reply === undefined ? refusal(400, "INVALID_REQUEST", false) : reply(request);
    },
  });
  const onInterrupted = (reason: string): void => {
    reasons.push(reason);
    pass();
  };
  return { asked, reasons, messages: follow(exchange, { ...options, onInterrupted }) };
}

test("coming back meets a restart, a proxy's page and a dead line, and goes on", async (t) => {
  const cut = `event: error\ndata: {"code":"STOPPING","message":"stopping","retryable":true}\n\n`;
  const { asked, reasons, messages } = following(t, [
    () => stream(beat(2), entry(3), cut, entry(4)),
    () => refusal(503, "STOPPING", true),
    () => {
      throw new TypeError("fetch failed");
    },
    () => stream(beat(3), entry(4), entry(9), beat(9)),
  ]);
  assert.deepEqual(await readAll(messages), whole);
  assert.deepEqual(asked, [null, "3", "3", "3"]);
  assert.match(reasons.join("\n"), /^stopping\n.*STOPPING.*\n.*fetch failed$/);
});

test("an entry that comes twice is handed on once", async (t) => {
  const { messages } = following(t, [
    () => stream(beat(2), entry(3), entry(4)),
    () => stream(beat(4), entry(3), entry(4), entry(9), beat(9)),
  ]);
  assert.deepEqual(await readAll(messages), whole);
});

test("an exchange that has gone back is a gap, never a silent leap", async (t) => {
  for (const [name, back] of [
    ["it says so", () => refusal(409, "SEQUENCE_AHEAD", false)],
    ["its heartbeat does", () => stream(beat(1))],
    ["its newest entry does", () => stream(beat(3, 2))],
  ] as const) {
    await t.test(name, async (t) => {
      const { messages } = following(t, [() => stream(beat(2), entry(3)), back]);
      const fault = await readAll(messages).catch((caught: unknown) => caught);
      assert.ok(fault instanceof StreamGap, String(fault));
      assert.equal(fault.after, 3);
    });
  }
});

test("a first answer that is a no is the end", async (t) => {
  const { asked, messages } = following(t, [() => refusal(404, "MARKET_NOT_FOUND", false)]);
  await assert.rejects(readAll(messages), { kind: "refused", code: "MARKET_NOT_FOUND" });
  assert.equal(asked.length, 1);
});

test("coming back to a no that stays one is the end, too", async (t) => {
  const { messages } = following(t, [
    () => stream(beat(2)),
    () => refusal(401, "UNAUTHENTICATED", false),
  ]);
  await assert.rejects(readAll(messages), Refused);
});

const soon = { timeout: 5_000 };

test("a line that is silent is given up, and taken up anew", soon, async (t) => {
  const silent = (): Response => {
    const sent = encoder.encode(beat(2) + entry(3));
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(sent) }));
  };
  const { reasons, messages } = following(t, [
    silent,
    () => stream(beat(3), entry(4), entry(9), beat(9)),
  ]);
  await messages.next();
  await messages.next();
  const rest = readAll(messages);
  setImmediate(() => {
    t.mock.timers.tick(44_999);
    setImmediate(() => {
      assert.deepEqual(reasons, [], "two heartbeats may be late");
      t.mock.timers.tick(1);
    });
  });
  assert.deepEqual(await rest, whole.slice(1));
  assert.deepEqual(reasons, ["nothing came for 45 s"]);
});

test("leaving the loop, and a signal, close the connection", async (t) => {
  let closed = 0;
  const endless = (): Response =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode(beat(2))),
        cancel() {
          closed += 1;
        },
      }),
    );
  const { messages } = following(t, [endless]);
  for await (const message of messages) {
    assert.equal(message.sequence, 2);
    break;
  }
  assert.equal(closed, 1);
});

test("a signal ends the iteration without an error", async (t) => {
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const { messages } = following(t, [() => stream(beat(2), entry(3))], options);
  const read: number[] = [];
  for await (const { sequence } of messages) {
    read.push(sequence);
    if (sequence === 3) controller.abort();
  }
  assert.deepEqual(read, [2, 3]);
});
