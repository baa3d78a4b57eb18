// The SDK's stream against a real exchange: subscriptions change, and connections break anywhere.
// Invariant: each entry is handed on once, judged by the subscriptions that held when it was told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, follow, type StreamChoice } from "#sdk/index.ts";
import { PublicWorld } from "#test/http/public-world.ts";
import { type Closing, order } from "#test/http/world.ts";

async function opened(t: Closing) {
  const { world } = await PublicWorld.open(t);
  const trader = await world.trader("a");
  const markets = [await world.market(), await world.market("250000")];
  await world.listen();
  let tick = 1;
  /** One order rests in each market, each an entry of one level. */
  const rest = async (): Promise<void> => {
    tick += 1;
    for (const marketId of markets) {
      const placed = order(marketId, { price: tick / 10_000, amount: "1" });
      const { statusCode, body } = await world.post("/api/trading/orders", trader.secret, placed);
      assert.equal(statusCode, 200, body);
    }
  };
  return { world, markets, rest };
}

/** Breaks each stream off after so many bytes, which may be within a message. */
function breaking(url: string, lengths: readonly number[], opens: string[]) {
  return connect({
    url,
    async fetch(request) {
      const response = await fetch(request);
      if (request.method !== "GET" || response.body === null) return response;
      opens.push(new URL(request.url).search);
      const most = lengths[opens.length - 1] ?? Number.POSITIVE_INFINITY;
      let sent = 0;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          const left = most - sent;
          sent += chunk.length;
          if (chunk.length <= left) controller.enqueue(chunk);
          else {
            controller.enqueue(chunk.subarray(0, left));
            controller.error(new TypeError("broken off"));
          }
        },
      });
      return new Response(response.body.pipeThrough(cut), response);
    },
  });
}

test("broken off anywhere, a changing stream hands on each entry by what held", async (t) => {
  const { world, markets, rest } = await opened(t);
  const [first = "", second = ""] = markets;
  t.mock.method(Math, "random", () => 0);
  for (const length of [90, 200, 400, 430, 460, 490, 520, 700, 900, 1_200]) {
    const opens: string[] = [];
    const exchange = breaking(world.url, [length, 700, length], opens);
    const choices: readonly StreamChoice[] = [
      { markets: [first], types: ["level"] },
      { markets: [second], types: ["level"] },
      { types: ["level"] },
      { markets: Array.from({ length: 300 }, () => first), types: ["level"] },
    ];
    const chosen: { after: number; choice: StreamChoice }[] = [];
    const after = world.engine.status().durableSequence;
    const stream = follow(exchange, { ...choices[0], after });
    chosen.push({ after, choice: choices[0] ?? {} });
    const got: [number, unknown][] = [];
    let end = Number.POSITIVE_INFINITY;
    const reading = (async () => {
      for await (const message of stream) {
        if (message.kind === "entry") {
          for (const event of message.entry.events) {
            if ("marketId" in event) got.push([message.sequence, event.marketId]);
          }
        }
        if (message.sequence >= end) break;
      }
    })();
    for (const choice of choices.slice(1)) {
      await rest();
      chosen.push({ after: await stream.change(choice), choice });
      await rest();
    }
    end = world.engine.status().durableSequence;
    await rest();
    await reading;

    const expected: [number, string][] = [];
    for (let sequence = after + 1; sequence <= end; sequence += 1) {
      const market = markets[(sequence - after - 1) % 2] ?? "";
      const held = chosen.findLast((one) => one.after < sequence)?.choice.markets;
      if (held === undefined || held.includes(market)) expected.push([sequence, market]);
    }
    const upToEnd = got.filter(([sequence]) => sequence <= end);
    assert.deepEqual(upToEnd, expected, `broken off after ${length} bytes: ${opens}`);
    assert.ok(opens.length > 1 || length > 900, "it was broken off");
  }
});

test("a refused change throws, and the stream goes on as before; after its end, too", async (t) => {
  const { world, markets, rest } = await opened(t);
  const [first = ""] = markets;
  const exchange = connect({ url: world.url });
  const after = world.engine.status().durableSequence;
  const stream = follow(exchange, { markets: [first], types: ["level"], after });
  await stream.next();
  const refused = { kind: "refused", code: "MARKET_NOT_FOUND" };
  await assert.rejects(stream.change({ markets: ["mkt-999"] }), refused);
  await rest();
  const { value } = await stream.next();
  assert.ok(value?.kind === "entry");
  assert.equal(value.sequence, after + 1);
  await stream.return();
  await assert.rejects(stream.change({}), /no longer followed/);
});
