// firstprint book, trades and stream as processes: what they ask, print, and how they come back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { run, startRecorder } from "./recorder.ts";

const trade = (amount: string) => ({
  type: "trade",
  marketId: "srs.x",
  id: "fil-1",
  price: 0.11,
  amount,
  side: "BUY",
});

const entry = (sequence: number, ...events: readonly object[]): string =>
  `id: ${sequence}\nevent: entry\ndata: ${JSON.stringify({
    sequence,
    time: "2024-11-20T00:00:00.000Z",
    events,
  })}\n\n`;

const beat = (sequence: number): string =>
  `id: ${sequence}\nevent: heartbeat\ndata: {"sequence":${sequence},"head":${sequence}}\n\n`;

const sse = (text: string) => ({ text, headers: { "content-type": "text/event-stream" } });

test("a book reads from the worst ask down to the worst bid", async (t) => {
  const data = {
    sequence: 7,
    spread: 0.15,
    bids: [{ price: 0.4, amount: "3.5", orders: 1 }],
    asks: [
      { price: 0.55, amount: "7", orders: 2 },
      { price: 0.6, amount: "1", orders: 1 },
    ],
  };
  const { url, requests } = await startRecorder(t, { json: { success: true, data } });
  const ran = await run(["book", "mkt-001", "--depth", "5", "--url", url]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.deepEqual(
    ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trim().split(/ +/).join(" ")),
    ["side price amount orders", "ask 0.6 1 1", "ask 0.55 7 2", "bid 0.4 3.5 1"],
  );
  assert.equal(ran.stderr, "Spread 0.15, as of entry 7.\n");
  assert.equal(requests[0]?.url, "/api/markets/mkt-001/book?depth=5");
});

test("the tape says where its next page begins", async (t) => {
  const { type: _type, marketId: _marketId, ...line } = trade("2");
  const timestamp = "2024-11-20T00:00:00.000Z";
  const json = { success: true, data: [{ ...line, timestamp, sequence: 9 }], nextCursor: "9.0" };
  const { url, requests } = await startRecorder(t, { json });
  const ran = await run(["trades", "mkt-001", "--limit", "1", "--url", url]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /^2024-11-20 00:00:00 +BUY +0\.11 +2 +fil-1 +9$/m);
  assert.equal(ran.stderr, "There are older ones: --cursor 9.0.\n");
  assert.equal(requests[0]?.url, "/api/markets/mkt-001/trades?limit=1");
});

test("a stream that breaks off is taken up after the last entry, on and on", async (t) => {
  const cut = `event: error\ndata: {"code":"STOPPING","message":"The exchange is stopping"}\n\n`;
  const { url, requests } = await startRecorder(
    t,
    sse(`retry: 1000\n\n${beat(4)}${entry(5, trade("1"), { type: "halt", halted: true })}`),
    { status: 503, json: { error: { code: "STOPPING", message: "stopping", retryable: true } } },
    sse(`${beat(9)}${cut}`),
    sse(entry(10, trade("2"))),
  );
  const ran = await run(["stream", "--types", "trade,halt", "--entries", "2", "--url", url]);
  assert.equal(ran.status, 0, ran.stderr);
  const lines = ran.stdout.trimEnd().split("\n");
  assert.equal(lines.length, 3, ran.stdout);
  assert.match(lines[0] ?? "", /^5 {2}2024-11-20 00:00:00 {2}trade .*side BUY .*amount 1/);
  assert.match(lines[1] ?? "", /halt .*halted yes/);
  assert.match(lines[2] ?? "", /^10 .*amount 2/);
  assert.deepEqual(
    requests.map((request) => request.url),
    ["", "&lastEventId=5", "&lastEventId=5", "&lastEventId=9"].map(
      (after) => `/api/stream?types=trade%2Chalt${after}`,
    ),
  );
  assert.match(ran.stderr, /The exchange is stopping; coming back after entry 9/);
});

test("--json prints each entry as it came; a no at the start is the end", async (t) => {
  const whole = entry(5, trade("1"));
  const { url } = await startRecorder(t, sse(beat(4) + whole));
  const ran = await run(["stream", "--json", "--entries", "1", "--url", url]);
  assert.deepEqual([ran.status, ran.stdout], [0, `${whole.split("data: ")[1]?.trimEnd()}\n`]);

  const error = { code: "MARKET_NOT_FOUND", message: "No such market", retryable: false };
  const no = await startRecorder(t, { status: 404, json: { error } });
  const refused = await run(["stream", "--markets", "x", "--url", no.url]);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /No such market/);
});
