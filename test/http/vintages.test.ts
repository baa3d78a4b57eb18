// First prints one by one, the series as it was known on a day, releases, limits and the time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "./public-world.ts";

async function refused(world: PublicWorld, url: string, status: number, code: string) {
  const { status: got, body } = await world.get(url);
  assert.deepEqual([got, textAt(body, "code")], [status, code], `${url}: ${JSON.stringify(body)}`);
}

async function data(world: PublicWorld, url: string): Promise<unknown> {
  const { status, body } = await world.get(url);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return at(body, "data");
}

/** Prints of every state on 2024-11-20, one more month of Texas on 2024-12-18. */
async function twoVintages(world: PublicWorld): Promise<string> {
  await world.printStates("zhvi");
  await world.admin("POST", "clock", { setTo: "2024-12-18T23:59:59Z" });
  const value = "262345.678901234567891";
  await world.printNext("zhvi", "state:tx", value);
  return value;
}

test("as of a day: what was ingested by its end, UTC, and nothing younger", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const before = await data(world, "/api/index/state:tx");
  await world.admin("POST", "clock", { setTo: "2024-12-18T23:59:59Z" });
  await world.printNext("zhvi", "state:tx", "262345.5");
  await world.admin("POST", "clock", { setTo: "2025-01-05T00:00:00Z" });
  const now = await data(world, "/api/index/state:tx");
  assert.equal(textAt(now, "asOfMonth"), monthAfter(LAST_MONTH, 1));

  for (const day of ["2024-11-20", "2024-11-21", "2024-12-17"]) {
    assert.deepEqual(await data(world, `/api/index/state:tx?asOf=${day}`), before, day);
  }
  for (const day of ["2024-12-18", "2024-12-19", "2025-01-05"]) {
    assert.deepEqual(await data(world, `/api/index/state:tx?asOf=${day}`), now, day);
  }
  await refused(world, "/api/index/state:tx?asOf=2024-11-19", 422, "NO_INDEX_DATA");

  const { body } = await world.get("/api/index?ids=state:tx,state:ny,state:wy&asOf=2024-12-01");
  assert.deepEqual(at(body, "data", 0), before);
  assert.deepEqual(at(body, "noDataIds"), ["state:wy"]);
  const none = await world.get("/api/index?ids=state:tx,state:ny&asOf=2024-11-19");
  assert.deepEqual(at(none.body, "noDataIds"), ["state:tx", "state:ny"]);
});

test("a month that a later release filled in was not known before", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi", monthAfter(LAST_MONTH, -12));
  const before = await data(world, "/api/index/state:tx");
  assert.equal(at(before, "yoy"), null);
  assert.equal(listAt(before, "series").length, 23);
  await world.admin("POST", "clock", { setTo: "2024-12-18T00:00:00Z" });
  await world.fillGap("zhvi", "state:tx", monthAfter(LAST_MONTH, -12), "250000.25");

  const now = await data(world, "/api/index/state:tx");
  assert.equal(listAt(now, "series").length, 24);
  assert.equal(typeof at(now, "yoy"), "number");
  assert.deepEqual(await data(world, "/api/index/state:tx?asOf=2024-12-17"), before);
  assert.deepEqual(await data(world, "/api/index/state:tx?asOf=2024-12-18"), now);
});

test("days that are none, or have not begun, are 400", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  for (const day of [
    "",
    "2024-11",
    "2024-11-31",
    "2025-02-29",
    "24-11-20",
    "20241120",
    "2024-11-20T00:00:00Z",
    "yesterday",
    "2024-11-21",
    "9999-12-31",
  ]) {
    await refused(world, `/api/index/state:tx?asOf=${day}`, 400, "INVALID_REQUEST");
    await refused(world, `/api/index?ids=state:tx&asOf=${day}`, 400, "INVALID_REQUEST");
  }
});

test("first prints: every digit, newest first, paged, each with its release", async (t) => {
  const world = await PublicWorld.open(t);
  await refused(world, "/api/index/state:tx/prints", 422, "NO_INDEX_DATA");
  const value = await twoVintages(world);
  const url = "/api/index/STATE:tx/prints";
  const { body } = await world.get(`${url}?limit=2`);
  assert.deepEqual(at(body, "pagination"), { page: 1, limit: 2, total: 71, hasMore: true });
  const [newest, second] = listAt(body, "data");
  assert.equal(textAt(newest, "month"), monthAfter(LAST_MONTH, 1));
  assert.equal(textAt(newest, "value"), value, "as the provider wrote it");
  assert.equal(at(newest, "backfill"), false);
  assert.equal(textAt(newest, "releaseId"), "rel-2");
  assert.equal(textAt(newest, "attribution"), "Data from Zillow");
  assert.deepEqual(
    [textAt(second, "month"), at(second, "backfill"), textAt(second, "releaseId")],
    [LAST_MONTH, true, "rel-1"],
  );
  const growth = Number(textAt(newest, "value")) / Number(textAt(second, "value"));
  const chained = Number(textAt(newest, "level")) / Number(textAt(second, "level"));
  assert.ok(Math.abs(growth - chained) < 1e-9, "the chain grows as the prints do");

  const last = await world.get(`${url}?limit=10&page=8`);
  assert.equal(at(last.body, "data", 0, "level"), "1", "the chain begins at 1");
  assert.equal(listAt(last.body, "data").length, 1);
  await refused(world, "/api/index/state:zz/prints", 404, "NOT_FOUND");
  await refused(world, `${url}?index=zori`, 422, "NO_INDEX_DATA");
  await refused(world, `${url}?limit=101`, 400, "INVALID_REQUEST");
});

test("one release is public, by its id without regard to case", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const [listed] = listAt(await data(world, "/api/releases"));
  assert.deepEqual(await data(world, "/api/releases/REL-1"), listed);
  await refused(world, "/api/releases/rel-9", 404, "NOT_FOUND");
});

test("the time is the engine's own, and a sandbox says so", async (t) => {
  const world = await PublicWorld.open(t);
  await world.admin("POST", "clock", { setTo: "2024-11-20T10:00:00.500Z" });
  assert.deepEqual(await data(world, "/api/time"), {
    unixSeconds: Date.UTC(2024, 10, 20, 10) / 1000,
    iso: "2024-11-20T10:00:00.500Z",
    clock: "sandbox",
  });
});

test("limits are the ones that refuse: costs, pages, orders, tiers", async (t) => {
  const world = await PublicWorld.open(t);
  const limits = await data(world, "/api/limits");
  const routeOf = (path: string, method = "GET"): unknown =>
    listAt(limits, "routes").find(
      (route) => textAt(route, "path") === path && textAt(route, "method") === method,
    );
  const common = { method: "GET", bucket: "general", defaultLimit: null, maxLimit: null };
  assert.deepEqual(routeOf("/api/index"), { ...common, path: "/api/index", cost: 5 });
  assert.deepEqual(routeOf("/api/quotes"), { ...common, path: "/api/quotes", cost: 2 });
  assert.deepEqual(routeOf("/api/status"), { ...common, path: "/api/status", cost: 0 });
  for (const [path, defaultLimit, maxLimit] of [
    ["/api/markets", 20, 100],
    ["/api/audit/logs", 50, 1_000],
  ]) {
    assert.deepEqual(routeOf(String(path)), { ...common, path, cost: 1, defaultLimit, maxLimit });
  }
  assert.ok(!listAt(limits, "routes").some((route) => textAt(route, "path").includes("docs")));
  assert.deepEqual(at(limits, "orders"), {
    tick: "0.0001",
    minPrice: "0.0001",
    maxPrice: "0.9999",
    minAmount: "0.01",
    maxAmount: "10000000000",
    maxBatchOrders: 100,
    maxOpenOrders: 1_000,
    maxUntradedListings: 200,
    maxOtherListings: 20,
  });
  assert.deepEqual(at(limits, "kyc", 1), {
    tier: "enhanced",
    liquidityTier: "standard",
    maxPosition: 250_000,
    maxDaily: 100_000,
    maxTotal: 1_000_000,
    maxPositionSize: 250_000,
    maxDailyVolume: 100_000,
    maxOpenPositions: 100,
    tradingFee: 0.01,
    marginRequirement: 0.1,
  });
  assert.deepEqual(at(limits, "liquidity", 0), {
    metricType: "zhvi",
    minLiquidity: 10_000,
    minProviders: 2,
    spreadMax: 0.1,
  });
  assert.deepEqual(at(limits, "rates", 6), {
    credential: "wrong x-admin-secret",
    per: "address",
    bucket: "general",
    perMinute: 30,
    burst: 10,
    maxPerMinute: null,
  });
});
