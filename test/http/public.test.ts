// The public surface over real server and engine: what is shown, refused, and always attributed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { listingFor, marksDue, marksOf } from "#quoting/listing.ts";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET } from "./world.ts";

const attribution = "Data from Zillow";

async function refused(world: PublicWorld, url: string, status: number, code: string) {
  const { status: got, body } = await world.get(url);
  assert.equal(got, status, `${url}: ${JSON.stringify(body)}`);
  assert.equal(textAt(body, "error", "code"), code, url);
  return body;
}

async function shown(world: PublicWorld, url: string): Promise<unknown> {
  const { status, body } = await world.get(url);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  assert.equal(at(body, "success"), true);
  return body;
}

test("index: one place, many places, unknown ones beside, and the limits", async (t) => {
  const world = await PublicWorld.open(t);
  await refused(world, "/api/index/state:tx", 422, "NO_INDEX_DATA");
  await world.printStates("zhvi");

  const one = at(await shown(world, "/api/index/STATE:TX"), "data");
  assert.equal(textAt(one, "nodeId"), "state:tx");
  assert.equal(textAt(one, "asOfMonth"), LAST_MONTH);
  assert.equal(textAt(one, "source"), "zhvi_first_print");
  assert.equal(textAt(one, "attribution"), attribution);
  const series = listAt(one, "series");
  assert.equal(series.length, 24);
  assert.equal(numberAt(series.at(-1), "value"), numberAt(one, "value"));
  const growth = numberAt(series.at(-1), "value") / numberAt(series.at(-13), "value") - 1;
  assert.ok(Math.abs(numberAt(one, "yoy") - 100 * growth) < 0.005);

  const many = await shown(world, "/api/index?ids=state:tx,zip:00000,State:TX,state:wy,state:ny");
  assert.deepEqual(
    listAt(many, "data").map((value) => textAt(value, "nodeId")),
    ["state:tx", "state:ny"],
  );
  assert.deepEqual(at(many, "unknownIds"), ["zip:00000"]);
  assert.deepEqual(at(many, "noDataIds"), ["state:wy"], "a place that has no print of the index");
  for (const value of listAt(many, "data")) {
    assert.equal(textAt(value, "attribution"), attribution);
  }

  await refused(world, "/api/index/state:zz", 404, "NOT_FOUND");
  await refused(world, "/api/index/us", 422, "NO_INDEX_DATA");
  await refused(world, "/api/geo/us", 404, "NOT_FOUND");
  await refused(world, "/api/index/state:tx?index=zori", 422, "NO_INDEX_DATA");
  await refused(world, "/api/index/state:tx?index=rent", 400, "INVALID_REQUEST");
  await refused(world, "/api/index", 400, "INVALID_REQUEST");
  await refused(world, "/api/index?ids=", 400, "INVALID_REQUEST");
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `zip:${10_000 + i}`);
  const fifty = await shown(world, `/api/index?ids=${ids(50).join(",")}`);
  assert.equal(listAt(fifty, "unknownIds").length, 50);
  await refused(world, `/api/index?ids=${ids(51).join(",")}`, 400, "INVALID_REQUEST");
});

test("geo: a place with its ancestors; the frame of the hierarchy file", async (t) => {
  const world = await PublicWorld.open(t);
  const file = [
    "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
    "county:48201,county,Harris County,TX,48201,,state:tx,1762698,zillow:2981",
    "city:houston-tx,city,Houston,TX,,H-Town,county:48201,,",
  ].join("\n");
  const loaded = await world.admin("POST", "geo", file, "text/csv");
  assert.deepEqual(at(loaded.body, "data"), { nodes: 2, added: 2, changed: 0, rereading: 0 });

  const city = at(await shown(world, "/api/geo/city:houston-tx"), "data");
  assert.deepEqual(at(city, "ancestors"), [
    { id: "state:tx", level: "state", name: "Texas" },
    { id: "county:48201", level: "county", name: "Harris County" },
  ]);
  assert.equal(numberAt(city, "childCount"), 0);
  const texas = at(await shown(world, "/api/geo/state:TX"), "data");
  assert.equal(numberAt(texas, "childCount"), 1);
  assert.equal(textAt(texas, "fips"), "48");
  assert.deepEqual(at(texas, "ancestors"), []);
  await refused(world, "/api/geo/zip:00000", 404, "NOT_FOUND");

  const bad = await world.admin("POST", "geo", `${file}\nzip:1,zip,1,TX,,,,,`, "text/csv");
  assert.equal(bad.status, 422);
  assert.equal(textAt(bad.body, "error", "code"), "FILE_REFUSED");
  assert.match(textAt(bad.body, "error", "message"), /Row 4, column id/);
  assert.equal(numberAt(bad.body, "error", "details", "line"), 4);
});

function quoteUrl(query: Readonly<Record<string, string | number>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return `/api/quotes?${search}`;
}

const layered = {
  node: "state:tx",
  expiry: monthAfter(LAST_MONTH, 12),
  notional: 50_000,
  kind: "layered",
  attachBps: 1000,
  exhaustBps: 2000,
};

test("quotes: the worked layer, sums to the cent, the series of a standard layer", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const bespoke = at(await shown(world, quoteUrl(layered)), "data");
  assert.equal(at(bespoke, "seriesMarketId"), null);
  assert.match(textAt(bespoke, "note"), /Indicative: .*Ask makers with POST \/api\/trading\/rfqs/);
  assert.equal(at(bespoke, "rfq"), true);
  assert.equal(numberAt(bespoke, "deductibleUsd"), 50_000);
  assert.equal(numberAt(bespoke, "impliedExposureUsd"), 500_000);
  assert.equal(numberAt(bespoke, "attachPct"), 10);
  assert.equal(numberAt(bespoke, "exhaustPct"), 20);
  assert.equal(numberAt(bespoke, "contracts"), 50_000);
  assert.equal(numberAt(bespoke, "maxPayoutUsd"), 50_000);
  assert.equal(textAt(bespoke, "payoutKind"), "layered");
  assert.equal(textAt(bespoke, "priceBasis"), "reference-model");
  assert.equal(textAt(bespoke, "attribution"), attribution);
  const premium = numberAt(bespoke, "premiumUsd");
  assert.equal(premium, Math.round(5_000_000 * numberAt(bespoke, "price")) / 100);
  assert.equal(
    numberAt(bespoke, "sellerCollateralUsd"),
    (5_000_000 - Math.round(100 * premium)) / 100,
  );

  const standard = at(
    await shown(world, quoteUrl({ ...layered, attachBps: 200, exhaustBps: 1000 })),
    "data",
  );
  assert.equal(
    textAt(standard, "seriesMarketId"),
    "srs.zhvi.state-tx.b2024-10.e2025-10.L0200-1000",
  );
  assert.equal(at(standard, "rfq"), true, "its baseline is no quarter's end");
  assert.equal(numberAt(standard, "horizonMonths"), 12);
  const [fair, any, full] = ["fairValue", "anyClaimProb", "fullLimitProb"].map((name) =>
    numberAt(standard, name),
  );
  assert.ok(full !== undefined && fair !== undefined && any !== undefined);
  assert.ok(full <= fair && fair <= any && fair < numberAt(standard, "price"));
  const limitTicks = Math.round(numberAt(standard, "limitPrice") * 10_000);
  assert.equal(limitTicks, Math.ceil(numberAt(standard, "price") * 10_000 - 1e-9));
});

test("quotes: kind omitted is the strike; every refusal has its own status and code", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  await world.printStates("zori");
  const { kind: _kind, attachBps: _attach, exhaustBps: _exhaust, ...plain } = layered;
  const strike = at(await shown(world, quoteUrl({ ...plain, strikeBps: 500 })), "data");
  assert.equal(textAt(strike, "payoutKind"), "binary");
  assert.equal(textAt(strike, "seriesMarketId"), "srs.zhvi.state-tx.b2024-10.e2025-10.K0500");
  assert.equal(at(strike, "deductibleUsd"), null);
  assert.equal(numberAt(strike, "anyClaimProb"), numberAt(strike, "fairValue"));
  const named = await shown(world, quoteUrl({ ...plain, kind: "binary", strikeBps: 500 }));
  assert.deepEqual(at(named, "data"), strike);
  const half = at(await shown(world, quoteUrl({ ...plain, strikeBps: 550 })), "data");
  assert.equal(at(half, "seriesMarketId"), null);

  const cases: readonly (readonly [Record<string, string | number>, number, string])[] = [
    [{ exhaustBps: 1000 }, 422, "INVALID_LAYER"],
    [{ attachBps: 2000, exhaustBps: 1000 }, 422, "INVALID_LAYER"],
    [{ attachBps: 20_000, exhaustBps: 10_000 }, 422, "INVALID_LAYER"],
    [{ attachBps: -1 }, 400, "INVALID_REQUEST"],
    [{ exhaustBps: 10_001 }, 400, "INVALID_REQUEST"],
    [{ attachBps: 2.5 }, 400, "INVALID_REQUEST"],
    [{ index: "vacancy" }, 422, "LAYER_NOT_SUPPORTED"],
    [{ index: "weather", exhaustBps: 1 }, 422, "LAYER_NOT_SUPPORTED"],
    [{ index: "rent" }, 400, "INVALID_REQUEST"],
    [{ node: "state:zz" }, 404, "NOT_FOUND"],
    [{ node: "state:wy" }, 422, "NO_INDEX_DATA"],
    [{ expiry: LAST_MONTH }, 400, "INVALID_REQUEST"],
    [{ expiry: monthAfter(LAST_MONTH, 61) }, 400, "INVALID_REQUEST"],
    [{ expiry: "2025-13" }, 400, "INVALID_REQUEST"],
    [{ expiry: "10/2025" }, 400, "INVALID_REQUEST"],
    [{ index: "zori", expiry: monthAfter(LAST_MONTH, 37) }, 400, "INVALID_REQUEST"],
    [{ notional: 0 }, 400, "INVALID_REQUEST"],
    [{ notional: 1_000_000_001 }, 400, "INVALID_REQUEST"],
    [{ notional: 1.005 }, 400, "INVALID_REQUEST"],
    [{ notional: "1e5" }, 400, "INVALID_REQUEST"],
    [{ kind: "digital" }, 400, "INVALID_REQUEST"],
    [{ colour: "red" }, 400, "INVALID_REQUEST"],
  ];
  for (const [change, status, code] of cases) {
    await refused(world, quoteUrl({ ...layered, ...change }), status, code);
  }
  await refused(world, quoteUrl(plain), 400, "INVALID_REQUEST");
  await refused(world, quoteUrl({ ...plain, strikeBps: 0 }), 400, "INVALID_REQUEST");
  await refused(world, quoteUrl({ ...plain, strikeBps: 10_000 }), 400, "INVALID_REQUEST");
  const vacancy = { ...plain, strikeBps: 500, index: "vacancy" };
  await refused(world, quoteUrl(vacancy), 422, "NO_INDEX_DATA");
  const rents = at(await shown(world, quoteUrl({ ...layered, index: "zori" })), "data");
  assert.ok(numberAt(rents, "price") > 0);
});

test("quotes: the last month within reach is quoted, and an old print costs more", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const far = { ...layered, expiry: monthAfter(LAST_MONTH, 60) };
  assert.equal(numberAt(at(await shown(world, quoteUrl(far)), "data"), "horizonMonths"), 60);

  const fresh = at(await shown(world, quoteUrl(layered)), "data");
  await world.admin("POST", "clock", { setTo: "2025-03-02T00:00:00Z" });
  const stale = at(await shown(world, quoteUrl(layered)), "data");
  assert.equal(numberAt(stale, "fairValue"), numberAt(fresh, "fairValue"));
  const dearer = numberAt(stale, "price") - numberAt(fresh, "price");
  assert.ok(Math.abs(dearer - 0.015) < 1e-9, "five months old: three beyond two, 50 bps each");

  const past = { ...layered, attachBps: 200, exhaustBps: 1000, expiry: "2024-12" };
  const over = at(await shown(world, quoteUrl(past)), "data");
  assert.equal(at(over, "seriesMarketId"), null, "a month that is over can no longer be listed");
  assert.match(textAt(over, "note"), /measurement month is over/);
});

test("a price is the sum of its parts; the first model has its own carry", async (t) => {
  for (const model of ["hmr-t4r", "hmr-t4"] as const) {
    const world = await PublicWorld.open(t, { model });
    await world.printStates("zhvi");
    const quote = at(await shown(world, quoteUrl(layered)), "data");
    const parts = at(quote, "priceParts");
    const names = ["fairValue", "riskLoad", "carry", "bustLoad", "flatLoad", "dataQuality"];
    const values = names.map((name) => numberAt(parts, name));
    assert.ok(
      values.every((value) => value >= 0),
      JSON.stringify(parts),
    );
    const sum = values.reduce((total, value) => total + value, 0);
    assert.ok(Math.abs(sum - numberAt(quote, "price")) < 1e-12, `${sum}`);
    assert.equal(at(quote, "indicative"), false);
    if (model === "hmr-t4r") continue;
    const moved = numberAt(parts, "fairValue") + numberAt(parts, "riskLoad");
    assert.ok(Math.abs(numberAt(parts, "carry") - 0.01 * (1 - moved)) < 1e-12);
    assert.equal(numberAt(parts, "bustLoad"), 0);
  }
});

test("the carry of a price is a rule of the exchange, and follows it at once", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const partsNow = async () => at(await shown(world, quoteUrl(layered)), "data", "priceParts");
  const operator = { "x-admin-secret": ADMIN_SECRET };
  const rules = (carry: number) =>
    world.world.post("/api/admin/rules", undefined, { price: { carry } }, operator);
  const odd = await rules(0.040_05);
  assert.deepEqual([odd.statusCode, odd.json().error.field], [400, "price.carry"]);
  const before = await partsNow();
  const set = await rules(0.02);
  assert.deepEqual([set.statusCode, set.json().data.price], [200, { carry: 0.02 }]);
  const after = await partsNow();
  assert.ok(Math.abs(numberAt(after, "carry") - numberAt(before, "carry") / 2) < 1e-12);
  for (const name of ["fairValue", "riskLoad", "bustLoad", "flatLoad"]) {
    assert.equal(numberAt(after, name), numberAt(before, name), name);
  }
  assert.deepEqual((await world.world.get("/api/limits")).json().data.price, { carry: 0.02 });
});

test("beyond 36 months a quote is indicative, and nothing is listed", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const standard = { ...layered, attachBps: 200, exhaustBps: 1000 };
  const near = at(
    await shown(world, quoteUrl({ ...standard, expiry: monthAfter(LAST_MONTH, 36) })),
    "data",
  );
  assert.equal(at(near, "indicative"), false);
  const id = textAt(near, "seriesMarketId");
  assert.ok(listingFor(world.referenceData, id) !== undefined);

  const far = at(
    await shown(world, quoteUrl({ ...standard, expiry: monthAfter(LAST_MONTH, 37) })),
    "data",
  );
  assert.equal(at(far, "indicative"), true);
  assert.equal(at(far, "seriesMarketId"), null);
  assert.match(textAt(far, "note"), /no record scores more than 36 months ahead/);
  const beyond = id.replace("e2027-10", "e2027-11");
  assert.notEqual(beyond, id);
  assert.equal(listingFor(world.referenceData, beyond), undefined);
});

test("a quoted series is listed by its first order, with the quote's own mark", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const standard = { ...layered, attachBps: 200, exhaustBps: 1000 };
  const quote = at(await shown(world, quoteUrl(standard)), "data");
  const id = textAt(quote, "seriesMarketId");
  await refused(world, `/api/markets/${id}`, 404, "MARKET_NOT_FOUND");

  const listing = listingFor(world.referenceData, id.toUpperCase());
  assert.ok(listing !== undefined);
  assert.equal(listing.marketId, id);
  assert.equal(listing.markTick, Math.round(10_000 * numberAt(quote, "fairValue")));
  assert.ok(listing.stressedTick >= listing.markTick);
  assert.equal(listing.terms.expectedAtMillis, Date.UTC(2025, 10, 20));
  for (const none of [
    id.replace("L0200-1000", "L0300-1000"),
    id.replace("state-tx", "state-wy"),
    id.replace("e2025-10", "e2024-10"),
    id.replace("b2024-10", "b2018-12"),
    "mkt-001",
  ]) {
    assert.equal(listingFor(world.referenceData, none), undefined, none);
  }
  const older = listingFor(world.referenceData, id.replace("b2024-10", "b2024-09"));
  assert.equal(older?.terms.baseline?.month, (listing.terms.baseline?.month ?? 0) - 1);
});

test("markets: listed by the operator, filtered, paged, shown by either id", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const level = {
    index: "zhvi",
    measurementMonth: "2025-04",
    comparator: "gte",
    threshold: "250000.5",
  };
  for (const [number, geoNodeId] of ["state:tx", "state:NY", "state:ca"].entries()) {
    const frontendId = `mkt-10${number}`;
    const made = await world.admin("POST", "markets", { ...level, frontendId, geoNodeId });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    assert.equal(textAt(made.body, "data", "frontendId"), frontendId);
  }
  const { body } = await world.get("/api/markets");
  assert.deepEqual(at(body, "pagination"), { page: 1, limit: 20, total: 3, hasMore: false });
  const hasMore = async (query: string) =>
    at((await world.get(`/api/markets?${query}`)).body, "pagination", "hasMore");
  assert.equal(await hasMore("limit=2"), true);
  assert.equal(await hasMore("limit=3"), false, "the last page is full and the last");
  const ids = async (query: string): Promise<unknown[]> =>
    listAt(await shown(world, `/api/markets?${query}`), "data").map((m) => at(m, "frontendId"));
  assert.deepEqual(await ids("limit=2"), ["mkt-100", "mkt-101"]);
  assert.deepEqual(await ids("limit=2&page=2"), ["mkt-102"]);
  assert.deepEqual(await ids("page=9"), []);
  assert.deepEqual(await ids("state=ny"), ["mkt-101"]);
  assert.deepEqual(await ids("level=state&status=ACTIVE"), ["mkt-100", "mkt-101", "mkt-102"]);
  assert.deepEqual(await ids("level=zip"), []);
  assert.deepEqual(await ids("zip=10001"), []);
  for (const bad of ["limit=101", "page=0", "status=OPEN", "level=metro", "zip=1", "state=Texas"]) {
    await refused(world, `/api/markets?${bad}`, 400, "INVALID_REQUEST");
  }

  await world.admin("POST", "markets/MKT-101/pause", { reason: "a look at the book" });
  assert.deepEqual(await ids("status=PAUSED"), ["mkt-101"]);
  const paused = at(await shown(world, "/api/markets/mkt-101"), "data");
  assert.equal(textAt(paused, "id"), "lvl.zhvi.state-ny.e2025-04.gte-250000.5");
  assert.equal(textAt(paused, "attribution"), attribution);
  const resolution = at(
    await shown(world, `/api/markets/${textAt(paused, "id")}/resolution`),
    "data",
  );
  assert.equal(numberAt(resolution, "threshold"), 250_000.5);
  assert.equal(at(resolution, "outcome"), null);
  await refused(world, "/api/markets/mkt-999", 404, "MARKET_NOT_FOUND");
  await refused(world, "/api/markets/mkt-999/resolution", 404, "MARKET_NOT_FOUND");
});

test("the mark of a level market is its chance, and both comparators share it out", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const newest = at(await shown(world, "/api/index/state:tx"), "data");
  const price = async (comparator: string, times: number): Promise<number> => {
    const made = await world.admin("POST", "markets", {
      index: "zhvi",
      geoNodeId: "state:tx",
      measurementMonth: "2025-04",
      comparator,
      threshold: String(Math.round(numberAt(newest, "value") * times)),
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return numberAt(made.body, "data", "outcomes", 0, "price");
  };
  const [least, usual, most] = [
    await price("gte", 1.3),
    await price("gte", 1),
    await price("gte", 0.7),
  ];
  assert.ok(least < 0.05 && least < usual && usual < most && most > 0.95);
  assert.ok(Math.abs(usual + (await price("lte", 1)) - 1) < 0.0002);
  for (const market of world.world.view.markets.values()) {
    const marks = marksOf(world.referenceData, market);
    assert.equal(marks?.markTick, market.markTick, "the same prints give the same mark");
    assert.ok(market.stressedTick >= market.markTick);
  }
  assert.equal(world.referenceData.exchange.geo.get("state:tx")?.id, nodeId("state:tx"));
});

test("a market that no longer trades is marked until its print comes", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const newest = numberAt(at(await shown(world, "/api/index/state:tx"), "data"), "value");
  const made = await world.admin("POST", "markets", {
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2024-12",
    comparator: "lte",
    threshold: String(Math.round(newest * 0.97)),
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const id = textAt(made.body, "data", "id");
  await world.admin("POST", "clock", { setTo: "2025-01-10T00:00:00Z" });
  const marked = () =>
    marksDue(world.referenceData).find(({ marketId }) => marketId === id)?.markTick;
  const before = world.world.view.marketByAnyId(id);
  assert.equal(before?.tradingClosed, true);
  assert.equal(marked(), undefined, "nothing is new");
  await world.printNext("zhvi", "state:tx", String(Math.round(newest * 0.96)));
  assert.ok((marked() ?? 0) > (before?.markTick ?? 1), "a fall that its sellers must cover");
});

test("releases and the checkpoint are for everybody", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  await world.printStates("zori");
  const all = await shown(world, "/api/releases");
  assert.deepEqual(
    listAt(all, "data").map((release) => textAt(release, "id")),
    ["rel-2", "rel-1"],
  );
  const rents = listAt(await shown(world, "/api/releases?index=zori"), "data");
  assert.equal(rents.length, 1);
  assert.equal(textAt(rents[0], "status"), "accepted");
  assert.equal(textAt(rents[0], "publishedAt"), "2024-11-16T00:00:00.000Z");
  assert.equal(textAt(rents[0], "lastMonth"), LAST_MONTH);
});

test("a key of another's account is shown to the second person who asks, and to nobody else", async (t) => {
  const { world } = await PublicWorld.open(t);
  const [one, two] = [
    await world.account("one", "operator"),
    await world.account("two", "operator"),
  ];
  const anna = await world.account("anna");
  const ask = (secret: string) =>
    world.post(`/api/admin/accounts/${anna.id}/keys`, secret, { label: "lost" });
  const first = await ask(one.secret);
  assert.equal(first.statusCode, 202, first.body);
  const { data } = first.json();
  assert.deepEqual(Object.keys(data), ["proposal"], "nothing of a key");
  assert.equal((await ask(one.secret)).json().code, "PROPOSAL_SAME_OPERATOR");
  const given = await ask(two.secret);
  assert.equal(given.statusCode, 200, given.body);
  const { secret } = given.json().data;
  assert.equal((await world.get("/api/trading/account", secret)).statusCode, 200);
  const fund = await world.post(
    ...([`/api/admin/accounts/${anna.id}/funding`, two.secret, { amount: "1" }] as const),
  );
  assert.equal(fund.json().code, "CONFLICT_OF_INTEREST", "she could speak as anna");
  for (const path of ["/api/admin/proposals", "/api/audit/entries", "/api/admin/queue"]) {
    for (const reader of [one.secret, two.secret, anna.secret]) {
      const shown = await world.get(path, reader);
      assert.ok(!shown.body.includes(secret), path);
    }
  }
});

test("a dispute stops the clock, and two different operators end it", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  // Root opens operators' accounts alone until two of them have authority; a third is given it by
  // the word of one of them and of root.
  const idle = await world.world.account("three", "operator", []);
  const [one, two] = [
    await world.world.account("one", "operator"),
    await world.world.account("two", "operator"),
  ];
  const given = { label: "third", permissions: ["admin:settle"] };
  const keysOfThree = `/api/admin/accounts/${idle.id}/keys`;
  const asked = await world.world.post(keysOfThree, one.secret, given);
  assert.equal(asked.statusCode, 202, asked.body);
  const proposal = textAt(asked.json(), "data", "proposal", "id");
  const agreed = await world.admin("POST", `proposals/${proposal}/confirm`, {});
  assert.equal(agreed.status, 200);
  const three = { ...idle, secret: textAt(agreed.body, "data", "key", "secret") };
  const bystander = await world.world.trader("bystander");
  await world.admin("POST", "markets", {
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2024-11",
    comparator: "gte",
    threshold: "250000",
  });
  const disputes = "/api/markets/mkt-001/disputes";
  const claim = { reason: "the provider printed another value" };
  const early = await world.world.post(disputes, one.secret, claim);
  assert.equal(early.statusCode, 409, early.body);

  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "240000");
  const resolution = async () =>
    at((await world.get("/api/markets/mkt-001/resolution")).body, "data");
  assert.equal(textAt(await resolution(), "outcome"), "NO");
  assert.equal((await world.world.post(disputes, bystander.secret, claim)).statusCode, 403);
  assert.equal((await world.world.post(disputes, one.secret, {})).statusCode, 400);
  const unpaid = await world.world.post(disputes, three.secret, claim);
  assert.match(unpaid.json().error.message, /a bond of 100 USD, and 0 is available; deposit/);
  await world.world.funded(three, "100");
  const opened = await world.world.post(disputes, three.secret, claim);
  assert.equal(opened.statusCode, 200, opened.body);
  assert.equal(opened.json().data.disputed, true);

  await world.admin("POST", "clock", { advanceSeconds: 9 * 86_400 });
  assert.equal(textAt(await resolution(), "status"), "RESOLVED", "the window stands still");
  const decide = (secret: string, value: string) =>
    world.world.post("/api/admin/markets/mkt-001/dispute-decision", secret, {
      decision: "amend",
      value,
    });
  const own = await decide(three.secret, "260000");
  assert.equal(own.json().code, "CONFLICT_OF_INTEREST", "whoever opened it does not decide it");
  assert.equal((await decide(one.secret, "260000")).statusCode, 200);
  assert.equal(textAt(await resolution(), "outcome"), "NO", "one operator decides nothing");
  assert.equal((await decide(one.secret, "260000")).json().code, "DISPUTE_SAME_OPERATOR");
  assert.equal((await decide(two.secret, "270000")).statusCode, 200);
  assert.equal(textAt(await resolution(), "outcome"), "NO", "two who differ decide nothing");
  assert.equal((await decide(two.secret, "260000")).statusCode, 200);
  assert.equal(textAt(await resolution(), "outcome"), "YES");
  assert.equal(numberAt(await resolution(), "settledValue"), 260_000);
  assert.equal(at(await resolution(), "disputed"), false);
  await world.admin("POST", "clock", { advanceSeconds: 72 * 3600 });
  assert.equal(textAt(await resolution(), "status"), "FINALIZED");
});
