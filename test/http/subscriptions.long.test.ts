// Subscriptions of a running stream, set anew over real HTTP: from which entry on, by whom.
// Invariant: each entry is judged by the subscriptions that held when it was told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { openStream, type ServerSent } from "./event-reader.ts";
import { PublicWorld } from "./public-world.ts";
import { type Closing, order } from "./world.ts";

async function opened(t: Closing) {
  const { world } = await PublicWorld.open(t);
  const trader = await world.trader("a");
  const first = await world.market();
  const second = await world.market("250000");
  await world.listen();
  /** A level of that price becomes durable in the market. */
  const rest = async (marketId: string, price: number): Promise<number> => {
    const placed = await world.post(
      "/api/trading/orders",
      trader.secret,
      order(marketId, { price, amount: "1" }),
    );
    assert.equal(placed.statusCode, 200, placed.body);
    return world.engine.status().durableSequence;
  };
  const set = (id: string, body: object) =>
    world.post(`/api/stream/${id}/subscriptions`, undefined, body);
  return { world, first, second, rest, set };
}

const idOf = async (stream: AsyncGenerator<ServerSent>): Promise<string> => {
  const { value } = await stream.next();
  const id = textAt(value?.data, "stream");
  assert.match(id, /^str-[0-9a-f]{32}$/);
  return id;
};

/** Entries up to one, or a heartbeat that has reached it; the stream stays open. */
async function entriesTo(stream: AsyncGenerator<ServerSent>, upTo: number) {
  const entries: ServerSent[] = [];
  for (;;) {
    const { value } = await stream.next();
    assert.ok(value !== undefined && value.event !== "error", JSON.stringify(value));
    if (value.event === "entry") entries.push(value);
    if (numberAt(value.data, "sequence") >= upTo) return entries;
  }
}

const pricesIn = (entries: readonly ServerSent[]): readonly unknown[] =>
  entries.flatMap(({ data }) => listAt(data, "events").map((event) => at(event, "price")));

const sequenceOf = (answer: {
  readonly statusCode: number;
  readonly body: string;
  json(): unknown;
}) => {
  assert.equal(answer.statusCode, 200, answer.body);
  return numberAt(answer.json(), "data", "sequence");
};

test("a running stream tells of other markets from the answered entry on", async (t) => {
  const { world, first, second, rest, set } = await opened(t);
  const stream = await openStream(world.url, { markets: first, types: "level" });
  const id = await idOf(stream);
  await rest(first, 0.31);
  const before = await rest(second, 0.32);
  assert.deepEqual(pricesIn(await entriesTo(stream, before - 1)), [0.31]);

  const markets = [second.toUpperCase()];
  const sequence = sequenceOf(await set(id, { markets, types: ["level"] }));
  assert.equal(sequence, world.engine.status().durableSequence, "it had been sent all there is");
  await rest(first, 0.33);
  const after = await rest(second, 0.34);
  assert.deepEqual(pricesIn(await entriesTo(stream, after)), [0.34]);

  // By a body that names nothing it tells everything; by empty lists nothing of markets.
  sequenceOf(await set(id, {}));
  await rest(first, 0.35);
  const all = await rest(second, 0.36);
  assert.deepEqual(pricesIn(await entriesTo(stream, all)), [0.35, 0.36]);
  sequenceOf(await set(id, { markets: [] }));
  await rest(first, 0.37);
  const places = ["STATE:TX", "nowhere"];
  sequenceOf(await set(id, { indexes: ["zhvi"], places }));
  const last = await rest(second, 0.38);
  assert.deepEqual(pricesIn(await entriesTo(stream, last)), [0.38]);
});

test("a stream on hold tells nothing before its subscriptions, then all since", async (t) => {
  const { world, first, second, rest, set } = await opened(t);
  const from = await rest(first, 0.31);
  await rest(second, 0.32);
  const stream = await openStream(world.url, { hold: "true", lastEventId: String(from) });
  const beat = await stream.next();
  assert.equal(at(beat.value?.data, "sequence"), from);
  const id = textAt(beat.value?.data, "stream");
  await rest(first, 0.33);
  const many = Array.from({ length: 1_999 }, () => second);
  assert.equal(sequenceOf(await set(id, { markets: [...many, first] })), from);
  const last = await rest(second, 0.34);
  assert.deepEqual(pricesIn(await entriesTo(stream, last)), [0.32, 0.33, 0.34]);
});

test("an id that nobody was told, or whose stream has ended, is 404", async (t) => {
  const { world, rest, first, set } = await opened(t);
  const leaving = new AbortController();
  const stream = await openStream(world.url, {}, {}, leaving.signal);
  const id = await idOf(stream);
  const other = await idOf(await openStream(world.url));
  assert.notEqual(other, id);
  sequenceOf(await set(id, { types: ["halt"] }));
  for (const unknown of [id.toUpperCase(), `str-${"0".repeat(32)}`, "x", "%00"]) {
    const refused = await set(unknown, {});
    assert.deepEqual([refused.statusCode, at(refused.json(), "code")], [404, "STREAM_NOT_FOUND"]);
  }
  leaving.abort();
  await rest(first, 0.31);
  let code: unknown;
  for (let tries = 0; code !== "STREAM_NOT_FOUND" && tries < 200; tries += 1) {
    await new Promise((done) => setTimeout(done, 10));
    code = at((await set(id, {})).json(), "code");
  }
  assert.equal(code, "STREAM_NOT_FOUND");
  sequenceOf(await set(other, {}));
});

test("subscriptions that cannot be are refused with their field, and change nothing", async (t) => {
  const { world, first, second, rest, set } = await opened(t);
  const stream = await openStream(world.url, { markets: first });
  const id = await idOf(stream);
  const many = Array.from({ length: 2_001 }, () => first);
  for (const [body, status, code, field] of [
    [{ markets: [first, "mkt-999"] }, 404, "MARKET_NOT_FOUND", "markets"],
    [{ markets: many }, 400, "INVALID_REQUEST", "markets"],
    [{ places: many }, 400, "INVALID_REQUEST", "places"],
    [{ markets: first }, 400, "INVALID_REQUEST", "markets"],
    [{ places: ["x".repeat(129)] }, 400, "INVALID_REQUEST", "places[0]"],
    [{ indexes: ["rent"] }, 400, "INVALID_REQUEST", "indexes[0]"],
    [{ expiries: ["soon"] }, 400, "INVALID_REQUEST", "expiries[0]"],
    [{ expiries: ["2024-13"] }, 400, "INVALID_REQUEST", "expiries"],
    [{ types: ["order"] }, 400, "INVALID_REQUEST", "types[0]"],
    [{ stream: id }, 400, "INVALID_REQUEST", "stream"],
  ] as const) {
    const refused = await set(id, body);
    const { error } = Object(refused.json());
    assert.deepEqual([refused.statusCode, error.code, error.field], [status, code, field]);
  }
  await rest(second, 0.32);
  const last = await rest(first, 0.31);
  assert.deepEqual(pricesIn(await entriesTo(stream, last)).filter(Boolean), [0.31]);
});
