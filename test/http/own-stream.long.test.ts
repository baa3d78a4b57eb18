// The private stream through the real server and a socket: one's own and nobody else's, resumed
// exactly, and over with its key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StreamCut, StreamHeartbeat } from "#http/public/stream.ts";
import { OwnStreamEntry } from "#http/trading/own-message.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { checkOf } from "./contract.ts";
import { entriesUpTo, lineOf, openStream, type ServerSent, typesIn } from "./event-reader.ts";
import { PublicWorld } from "./public-world.ts";
import { type Closing, type Holder, order, type World } from "./world.ts";

const shapes = { entry: OwnStreamEntry, heartbeat: StreamHeartbeat, error: StreamCut };

const open = (world: World, secret: string, query: Record<string, string> = {}) =>
  openStream(world.url, query, { authorization: `Bearer ${secret}` }, undefined, STREAM);

const STREAM = "/api/trading/stream";

/** All of an account's entries, from the first. */
async function told(world: World, { secret }: Holder, after = "0") {
  const stream = await open(world, secret, { lastEventId: after });
  const entries = await entriesUpTo(stream, world.engine.status().durableSequence);
  await stream.return(undefined);
  return entries;
}

const eventsIn = (entries: readonly ServerSent[], type: string) =>
  entries.flatMap(({ data }) => listAt(data, "events")).filter((one) => at(one, "type") === type);

/** The same for the same seed, everywhere. */
function drawn(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

/** Four traders in one market at random prices; each names its orders after itself. */
async function history(t: Closing, seed: number, steps: number) {
  const { world } = await PublicWorld.open(t);
  const names = ["ann", "bob", "cyd", "dee"];
  const traders = await Promise.all(names.map((name) => world.trader(name, "20000")));
  const marketId = await world.market();
  const draw = drawn(seed);
  const clientIds = traders.map(() => new Set<string>());
  for (let step = 0; step < steps; step += 1) {
    const who = draw(traders.length);
    const { secret } = traders[who] ?? assert.fail("there are four");
    if (draw(5) === 0) {
      await world.post("/api/trading/orders/cancel-all", secret, {});
      continue;
    }
    const clientOrderId = `${names[who]}-${step}`;
    clientIds[who]?.add(clientOrderId);
    const sent = order(marketId, {
      ...{ side: draw(2) === 0 ? "BUY" : "SELL", outcomeIndex: draw(2), clientOrderId },
      ...{ amount: String(1 + draw(40)), price: (30 + draw(40)) / 100 },
    });
    await world.post("/api/trading/orders", secret, sent);
    if (draw(12) === 0) await world.root({ type: "SetClock", toMillis: world.view.timeMillis + 1 });
  }
  await world.listen();
  return { world, traders, marketId, clientIds };
}

test("over random histories nobody is told of another, and everybody of all its own", async (t) => {
  for (const seed of [1, 20261123]) {
    const { world, traders, marketId, clientIds } = await history(t, seed, 120);
    for (const [at_, holder] of traders.entries()) {
      const entries = await told(world, holder);
      for (const one of entries) {
        const shape = shapes[one.event === "entry" ? "entry" : "heartbeat"];
        assert.deepEqual(checkOf(shape)(one.data), [], JSON.stringify(one.data));
      }
      const text = JSON.stringify(entries.map(({ data }) => data));
      for (const [other, { address, id }] of traders.entries()) {
        if (other === at_) continue;
        assert.ok(!text.includes(address) && !text.includes(`"${id}"`), `${holder.id} and ${id}`);
        for (const name of clientIds[other] ?? []) assert.ok(!text.includes(`"${name}"`), name);
      }
      const orders = new Map(
        eventsIn(entries, "order").map((one) => [textAt(one, "order", "id"), at(one, "order")]),
      );
      const mine = await own(world, holder, "/api/trading/orders?limit=200");
      assert.deepEqual(new Set(mine.map((one) => JSON.stringify(one))), jsonOf(orders.values()));
      const fills = eventsIn(entries, "fill").map((one) => at(one, "fill"));
      assert.ok(fills.length > 5, "they trade");
      assert.deepEqual(
        jsonOf(fills),
        jsonOf(await own(world, holder, "/api/trading/fills?limit=200")),
      );
      const postings = eventsIn(entries, "cash").map((one) => at(one, "posting"));
      const ledger = await own(world, holder, "/api/trading/ledger?limit=200");
      assert.deepEqual(jsonOf(postings.slice(-50)), jsonOf(ledger.slice(0, 50)));
      const [position] = await own(world, holder, "/api/trading/positions");
      const last = eventsIn(entries, "position").at(-1);
      assert.equal(textAt(last, "position", "marketId"), marketId);
      assert.equal(textAt(last, "position", "amount"), textAt(position, "amount"));
    }
  }
});

const jsonOf = (records: Iterable<unknown>): ReadonlySet<string> =>
  new Set([...records].map((one) => JSON.stringify(one)));

async function own(world: World, { secret }: Holder, url: string): Promise<readonly unknown[]> {
  const answer = await world.get(url, secret);
  assert.equal(answer.statusCode, 200, answer.body);
  return listAt(answer.json(), "data");
}

test("from any id on the rest is the same, live or read later", async (t) => {
  const { world, traders, marketId } = await history(t, 7, 60);
  const [holder, other] = traders;
  assert.ok(holder !== undefined && other !== undefined);
  const live = await open(world, holder.secret);
  const from = world.engine.status().durableSequence;
  await world.post("/api/trading/orders", holder.secret, order(marketId, { price: 0.02 }));
  await world.post("/api/trading/orders", other.secret, order(marketId, { price: 0.01 }));
  await world.post("/api/trading/orders/cancel-all", holder.secret, {});
  const came: ServerSent[] = [];
  for await (const one of live) {
    if (one.event === "entry") came.push(one);
    if (came.length === 2) break;
  }
  const all = await told(world, holder);
  const later = all.filter(({ id }) => Number(id) > from);
  assert.deepEqual(
    came.map(lineOf),
    later.map(lineOf),
    "the other's order is none of its business",
  );
  for (const cut of [0, 3, 10, all.length - 1]) {
    const rest = await told(world, holder, all[cut]?.id);
    assert.deepEqual(rest.map(lineOf), all.slice(cut + 1).map(lineOf), `after ${cut}`);
  }
  const chosen = await open(world, holder.secret, { lastEventId: "0", types: "fill,cash" });
  const some = await entriesUpTo(chosen, world.engine.status().durableSequence);
  assert.deepEqual([...new Set(some.flatMap(typesIn))].sort(), ["cash", "fill"]);
});

test("a stream ends with its key, before anything more is told", async (t) => {
  const { world } = await PublicWorld.open(t);
  const holder = await world.trader("ann");
  const marketId = await world.market();
  await world.listen();
  const secret = await world.narrowKey(holder, ["read:portfolio"]);
  const stream = await open(world, secret);
  const beat = (await stream.next()).value;
  assert.equal(beat?.event, "heartbeat");
  const keys = await own(world, holder, "/api/trading/keys");
  const narrow = keys.find((key) => at(key, "label") === "narrow");
  const revoked = world.server.inject({
    ...{ method: "DELETE", url: `/api/trading/keys/${textAt(narrow, "id")}` },
    headers: { authorization: `Bearer ${holder.secret}` },
  });
  const placed = world.post("/api/trading/orders", holder.secret, order(marketId));
  assert.equal((await revoked).statusCode, 200);
  await placed;
  const rest: ServerSent[] = [];
  for await (const one of stream) rest.push(one);
  assert.deepEqual(
    rest.map(({ event, data }) => [event, at(data, "code"), at(data, "retryable")]),
    [["error", "KEY_ENDED", false]],
  );
  const expiresAt = Date.UTC(2024, 10, 21) / 1000;
  const short = await world.post("/api/trading/keys", holder.secret, {
    ...{ label: "short", permissions: ["read:portfolio"], expiresInDays: 1 },
  });
  const expiring = await open(world, textAt(short.json(), "data", "secret"));
  await expiring.next();
  await world.root({ type: "SetClock", toMillis: 1_000 * expiresAt });
  const end = (await expiring.next()).value;
  assert.equal(at(end?.data, "code"), "KEY_ENDED");
  const again = await fetch(`${world.url}${STREAM}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(again.status, 401);
});

test("the stream is for a key that may read the portfolio, and takes nothing odd", async (t) => {
  const { world } = await PublicWorld.open(t);
  const holder = await world.trader("ann");
  const blind = await world.narrowKey(holder, ["read:markets"]);
  assert.equal((await world.get(STREAM)).statusCode, 401);
  assert.equal((await world.get(STREAM, blind)).statusCode, 403);
  for (const query of ["types=trade", "types=", "lastEventId=-1", "account=acc-2", "markets=x"]) {
    assert.equal((await world.get(`${STREAM}?${query}`, holder.secret)).statusCode, 400, query);
  }
  const ahead = await world.get(`${STREAM}?lastEventId=999999`, holder.secret);
  assert.equal(ahead.json().code, "SEQUENCE_AHEAD");
});
