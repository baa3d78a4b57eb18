// The days of markets in PostgreSQL: the same as in memory, counted once through stops and races.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { marketId } from "#base/ids.ts";
import type { History } from "#engine/engine.ts";
import { MarketHistory } from "#engine/market-history.ts";
import { DrawnMarketDays } from "#journal/drawn-market-days.ts";
import { type MarketDayStore, MemoryMarketDays } from "#journal/market-days.ts";
import { PostgresMarketDays } from "#journal/market-days-postgres.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { withClient } from "#storage/with-client.ts";
import { until } from "#test/e2e/until.ts";
import { CuttingWire } from "#test/faults/cutting-wire.ts";
import { createDatabase } from "#test/support/database.ts";
import { PublicWorld } from "../http/public-world.ts";
import { ADMIN_SECRET, order, World } from "../http/world.ts";

const LAST_DAY = 2 ** 31 - 1;

/** Three days of trades, two markets, and marks that came with their listing. */
async function traded(t: TestContext) {
  const world = await World.open(t);
  const [seller, buyer] = [await world.trader("a"), await world.trader("b")];
  const markets = [await world.market("300000"), await world.market("310000")];
  for (const text of ["2024-11-21", "2024-11-22", "2024-12-02"]) {
    await world.root({ type: "SetClock", toMillis: Date.parse(`${text}T12:00:00Z`) });
    for (const market of markets) {
      for (const price of [0.5, 0.45, 0.55, 0.52]) {
        const sell = order(market, { side: "SELL", amount: "3.25", price });
        await world.post("/api/trading/orders", seller.secret, sell);
        const buy = order(market, { amount: "3.25", price });
        await world.post("/api/trading/orders", buyer.secret, buy);
      }
    }
  }
  return { world, markets: markets.map(marketId) };
}

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

async function opened(t: TestContext) {
  const connection = await createDatabase(t, prepare);
  const store = new PostgresMarketDays(connection);
  t.after(() => store.close());
  return { connection, store };
}

const storeOf = async (t: TestContext) => (await opened(t)).store;

const bound = (store: MarketDayStore): MarketDayStore => ({
  reached: () => store.reached(),
  named: (keys) => store.named(keys),
  put: (...put) => store.put(...put),
  daysOf: (...asked) => store.daysOf(...asked),
  daysOfAll: (...asked) => store.daysOfAll(...asked),
  close: () => store.close(),
});

const counting = (
  { engine }: World,
  store: MarketDayStore,
  durableSequence = () => engine.status().durableSequence,
) =>
  new MarketHistory({
    store,
    history: engine.history,
    durableSequence,
    onFault: (error) => assert.fail(String(error)),
  });

test("what is stored in any slices, by two who race, is what memory counts in one", async (t) => {
  const { world, markets } = await traded(t);
  const store = await storeOf(t);
  let upTo = 1;
  const slices = () => upTo;
  const first = counting(world, store, slices);
  const slow: MarketDayStore = {
    ...bound(store),
    named: async (keys) => {
      await first.caughtUp();
      return store.named(keys);
    },
  };
  const second = counting(world, slow, slices);
  for (; upTo < world.engine.status().durableSequence; upTo += 7) await second.caughtUp();
  upTo = world.engine.status().durableSequence;
  // The loser of a race learns where to go on, and goes on there.
  for (const history of [first, second, first]) await history.caughtUp();

  const memory = counting(world, new MemoryMarketDays());
  await memory.caughtUp();
  for (const market of markets) {
    const expected = await memory.daysOf(market, LAST_DAY, 100);
    assert.equal(expected.days.length, 4);
    assert.deepEqual(await second.daysOf(market, LAST_DAY, 100), expected);
    const day = expected.days[1]?.day ?? 0;
    assert.deepEqual(
      await second.daysOf(market, day, 1),
      await memory.daysOf(market, day, 1),
      "a page is the newest before a day",
    );
  }
  const all = async (history: MarketHistory, page: number) =>
    Array.fromAsync(history.daysOfAll(markets, 0, LAST_DAY, page));
  const expected = await all(memory, 1_000);
  assert.equal(expected.length, 4 * markets.length);
  for (const page of [1, 3, 4, 5, 1_000]) assert.deepEqual(await all(second, page), expected);
  const [{ day = 0 } = {}] = expected.slice(1, 2);
  const one = await Array.fromAsync(second.daysOfAll(markets, day, day + 1, 2));
  assert.deepEqual(
    one,
    expected.filter((each) => each.day === day),
  );
  const none = await first.daysOf(marketId("none"), LAST_DAY, 10);
  assert.deepEqual(none, { days: [], sequence: upTo });
});

test("days drawn anew are those stored, a trade undone after midnight too, and no forged one is", async (t) => {
  const { world } = await PublicWorld.open(t);
  const [seller, buyer] = [await world.trader("a"), await world.trader("b")];
  const market = await world.market();
  const other = await world.account("second", "operator");
  const admin = (path: string, body: object, key?: string) =>
    world.post(
      `/api/admin/${path}`,
      key,
      body,
      key === undefined ? { "x-admin-secret": ADMIN_SECRET } : {},
    );
  const trade = async (price: number) => {
    const sell = order(market, { side: "SELL", amount: "10", price });
    await world.post("/api/trading/orders", seller.secret, sell);
    await world.post("/api/trading/orders", buyer.secret, order(market, { amount: "10", price }));
  };
  await world.root({ type: "SetClock", toMillis: Date.parse("2024-11-21T23:50:00Z") });
  for (const price of [0.6, 0.9]) await trade(price);
  await world.root({ type: "SetClock", toMillis: Date.parse("2024-11-22T00:10:00Z") });
  const tape = (await world.get(`/api/markets/${market}/trades`)).json().data;
  const asked = await admin(`fills/${tape[0].id}/bust`, { reason: "a slip" });
  const { proposal } = asked.json().data;
  const agreed = await admin(`proposals/${proposal.id}/confirm`, {}, other.secret);
  assert.equal(agreed.statusCode, 200, agreed.body);
  await trade(0.55);
  await world.root({ type: "SetClock", toMillis: Date.parse("2024-12-03T12:00:00Z") });
  await trade(0.5);

  const { store, connection } = await opened(t);
  await counting(world, store).caughtUp();
  const entries = await world.engine.history.after(0, 10_000);
  const differing = async (upTo?: number) => {
    const stored = await store.digests();
    const drawn = new DrawnMarketDays(upTo ?? stored.reached);
    for (const entry of entries) drawn.take(entry);
    return drawn.differing(stored);
  };
  assert.deepEqual(await differing(), []);
  const { days } = await store.daysOf(marketId(market), LAST_DAY, 10);
  const late = days.find(({ day }) => day === Date.parse("2024-11-21") / 86_400_000);
  assert.deepEqual([late?.traded?.high, late?.traded?.trades], [6_000, 1]);

  const forge = (sql: string) => withClient(connection, (client) => client.query(sql));
  const day = "WHERE day = (SELECT min(day) FROM market_day WHERE trades > 0)";
  const columns = ["open_tick", "high_tick", "low_tick", "close_tick", "lots", "trades"];
  for (const column of columns) {
    await forge(`UPDATE market_day SET ${column} = ${column} + 1 ${day}`);
    assert.deepEqual(await differing(), [market], column);
    await forge(`UPDATE market_day SET ${column} = ${column} - 1 ${day}`);
  }
  await forge("UPDATE market_day SET mark_tick = mark_tick + 1 WHERE mark_tick IS NOT NULL");
  assert.deepEqual(await differing(), [market], "a mark");
  await forge("UPDATE market_day SET mark_tick = mark_tick - 1 WHERE mark_tick IS NOT NULL");
  assert.deepEqual(await differing(), []);
  await forge(
    "INSERT INTO market_day (market, day, lots, trades, mark_tick) VALUES ('x', 1, 0, 0, 5)",
  );
  assert.deepEqual(await differing(), ["x"], "a market that there never was");
  await forge(
    "DELETE FROM market_day WHERE market = 'x' OR day = (SELECT max(day) FROM market_day)",
  );
  assert.deepEqual(await differing(), [market], "a day that is gone");
  assert.equal(await differing(entries.length - 1), undefined, "entries that are not there");
  await forge("DELETE FROM market_day; UPDATE market_day_reached SET sequence = 0");
  assert.deepEqual(await differing(), [], "emptied together they are sound, and drawn anew");
});

test("a write that failed is counted, and one that only seemed to fail is so once", async (t) => {
  const { world, markets } = await traded(t);
  const store = await storeOf(t);
  let puts = 0;
  const lost: MarketDayStore = {
    ...bound(store),
    put: async (...put) => {
      puts += 1;
      if (puts === 1) throw new Error("the connection broke before the write");
      const isPut = await store.put(...put);
      if (puts === 2) throw new Error("the connection broke after the write");
      return isPut;
    },
  };
  const history = counting(world, lost);
  await assert.rejects(history.caughtUp());
  await assert.rejects(history.caughtUp());
  await history.caughtUp();
  const memory = counting(world, new MemoryMarketDays());
  await memory.caughtUp();
  for (const market of markets) {
    const expected = await memory.daysOf(market, LAST_DAY, 100);
    assert.deepEqual(await history.daysOf(market, LAST_DAY, 100), expected);
  }
});

test("entries that come while it counts are counted once and in their order", async (t) => {
  const { world, markets } = await traded(t);
  const store = new MemoryMarketDays();
  const through = world.engine.status().durableSequence;
  const entries = await world.engine.history.after(0, 1_000);
  const late: Pick<History, "after" | "touching" | "sequenceBefore"> = {
    touching: (...asked) => world.engine.history.touching(...asked),
    sequenceBefore: (millis) => world.engine.history.sequenceBefore(millis),
    after: async (sequence, limit) => {
      const found = await world.engine.history.after(sequence, Math.min(limit, 5));
      for (const entry of entries) history.take(entry);
      return found;
    },
  };
  const onFault = (error: unknown) => assert.fail(String(error));
  const durableSequence = () => through;
  const history = new MarketHistory({ store, history: late, durableSequence, onFault });
  await history.caughtUp();
  const memory = counting(world, new MemoryMarketDays());
  await memory.caughtUp();
  for (const market of markets) {
    const expected = await memory.daysOf(market, LAST_DAY, 100);
    assert.deepEqual(await history.daysOf(market, LAST_DAY, 100), expected);
  }
});

test("a store that is out of reach is told of once, and once more when it is back", async (t) => {
  const { world } = await traded(t);
  const away = Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });
  let tries = 0;
  const store = Object.assign(new MemoryMarketDays(), {
    reached: async () => {
      tries += 1;
      if (tries < 3) throw away;
      return 0;
    },
  });
  const told: unknown[] = [];
  const { history: past } = world.engine;
  const durableSequence = () => world.engine.status().durableSequence;
  const onFault = (fault: unknown) => void told.push(fault);
  const history = new MarketHistory({ store, history: past, durableSequence, onFault });
  history.start();
  await until("it is reached again", () => told.at(-1) === undefined && told.length > 0);
  assert.deepEqual([tries, told], [3, [away, undefined]]);
  await history.stop();
});

test("a connection that breaks while days are written fails that write alone", async (t) => {
  const { connection, store } = await opened(t);
  const { host, port } = connection;
  const wire = await CuttingWire.open({ path: `${host}/.s.PGSQL.${port}` });
  t.after(() => wire.close());
  const cut = new PostgresMarketDays({ ...connection, host: "127.0.0.1", port: wire.port });
  t.after(() => cut.close());
  await cut.reached();
  await withClient(connection, async (holding) => {
    await holding.query("BEGIN");
    await holding.query("SELECT FROM market_day_reached FOR UPDATE");
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    const isWaiting = (client: Client) => client.query(waiting);
    const refused = assert.rejects(cut.put(0, 1, []));
    const waits = async () => (await withClient(connection, isWaiting)).rowCount === 1;
    await until("the write waits", waits);
    wire.cutAll();
    await refused;
    await holding.query("COMMIT");
  });
  assert.equal(await cut.reached(), 0, "nothing was counted");
  assert.equal(await store.put(0, 1, []), true);
});
