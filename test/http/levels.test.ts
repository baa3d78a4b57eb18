// Vacancy and weather on the public surface: quotes to the printed digits, refusals, series, marks.
// Invariant: the figures come from the record of the models, never from this code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scenarios } from "#contract/scenarios.ts";
import { marksOf } from "#quoting/listing.ts";
import { at, numberAt, textAt } from "#test/support/exchange.ts";
import { monthAfter, PublicWorld } from "./public-world.ts";
import { order } from "./world.ts";

type Query = Readonly<Record<string, string | number>>;

async function ask(world: PublicWorld, query: Query) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return await world.get(`/api/quotes?${search}`);
}

async function quoted(world: PublicWorld, query: Query): Promise<unknown> {
  const { status, body } = await ask(world, query);
  assert.equal(status, 200, JSON.stringify(body));
  return at(body, "data");
}

type Refusal = readonly [query: Query, status: number, code: string, field: string, words?: RegExp];

async function refusedAll(world: PublicWorld, base: Query, refusals: readonly Refusal[]) {
  for (const [change, status, code, field, words] of refusals) {
    const { status: got, body } = await ask(world, { ...base, ...change });
    const told = `${JSON.stringify(change)}: ${JSON.stringify(body)}`;
    assert.deepEqual([got, textAt(body, "error", "code")], [status, code], told);
    assert.equal(textAt(body, "error", "field"), field, told);
    if (words !== undefined) assert.match(textAt(body, "error", "message"), words);
  }
}

function assertNear(actual: number, expected: number, tolerance: number) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

const logit = (percent: number): number => Math.log(percent / (100 - percent));

/** As the record writes it. */
function studentT6(z: number): number {
  const c = z / Math.sqrt(6 + z * z);
  return 0.5 + (c / 2) * (1 + (1 - c * c) * (0.5 + 0.375 * (1 - c * c)));
}

/** The record's four quarters after one that makes the mean of all logits that of 7.2 %. */
const recent = [6.1, 6.8, 7, 7.6];
const before = 5 * logit(7.2) - recent.reduce((sum, rate) => sum + logit(rate), 0);
const rates = [(100 / (1 + Math.exp(-before))).toFixed(14), ...recent.map(String)];

/** Quarters that end in 2024-09. */
const quarters = (values: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    values.map((value, at) => [monthAfter("2024-09", 3 * (at + 1 - values.length)), value]),
  );

const harris = [
  "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
  "county:48201,county,Harris County,TX,48201,,state:tx,1762698,",
].join("\n");

const vacancy = {
  index: "vacancy",
  node: "state:tx",
  expiry: "2025-09",
  notional: 10_000,
  strikeBps: 800,
};

test("vacancy: the worked examples, from the prints to the answer", async (t) => {
  const world = await PublicWorld.open(t);
  await world.admin("POST", "geo", harris, "text/csv");
  await world.printLevels("vacancy", {
    "state:tx": quarters(rates),
    "county:48201": quarters(rates),
  });

  const state = await quoted(world, vacancy);
  assertNear(numberAt(state, "fairValue"), 0.28547679, 5e-9);
  assert.equal(numberAt(state, "anyClaimProb"), numberAt(state, "fairValue"));
  assert.equal(numberAt(state, "fullLimitProb"), numberAt(state, "fairValue"));
  // Loaded, then 50 bps for a state's sampling error and 50 for five quarters of record.
  const loaded = studentT6((-2.57371642 - logit(8)) / 0.21924 + 0.25);
  assertNear(numberAt(state, "price"), loaded + 0.01 * (1 - loaded) + 0.0015 + 0.01, 5e-8);
  assert.deepEqual(
    ["payoutKind", "comparator", "threshold", "unit", "strikeBps", "strikePct"].map((name) =>
      at(state, name),
    ),
    ["binary", "gte", "8", "percent", 800, 8],
  );
  for (const name of ["deductibleUsd", "impliedExposureUsd", "attachBps", "exhaustPct"]) {
    assert.equal(at(state, name), null, name);
  }
  assert.match(textAt(state, "definition"), /^Rental vacancy rate of a quarter/);
  assert.equal(textAt(state, "asOfMonth"), "2024-09");
  assert.equal(numberAt(state, "horizonMonths"), 12);
  assert.equal(at(state, "usedDefaultVol"), true);
  assert.equal(textAt(state, "seriesMarketId"), "lvl.vacancy.state-tx.e2025-09.gte-8");
  assert.equal(textAt(state, "attribution"), "Data from U.S. Census Bureau");

  const county = await quoted(world, { ...vacancy, node: "county:48201", strikeBps: 900 });
  assertNear(numberAt(county, "fairValue"), 0.30420254, 5e-9);
  assert.equal(at(county, "usedDefaultVol"), true);
});

test("vacancy: the strike is the rate; its other side; what is only indicative", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("vacancy", { "state:tx": quarters(rates) });
  const { strikeBps: _strike, ...plain } = vacancy;
  const up = await quoted(world, vacancy);
  assert.deepEqual(await quoted(world, { ...plain, threshold: "8" }), up);
  assert.deepEqual(await quoted(world, { ...vacancy, comparator: "gte", kind: "binary" }), up);
  const down = await quoted(world, { ...vacancy, comparator: "lte" });
  assertNear(numberAt(up, "fairValue") + numberAt(down, "fairValue"), 1, 1e-12);
  assert.equal(textAt(down, "seriesMarketId"), "lvl.vacancy.state-tx.e2025-09.lte-8");

  const half = await quoted(world, { ...plain, threshold: "8.25" });
  assert.equal(numberAt(half, "strikeBps"), 825);
  assert.equal(at(half, "seriesMarketId"), null);
  assert.match(textAt(half, "note"), /Indicative: series exist for whole-percent rates/);

  await world.admin("POST", "clock", { setTo: "2025-03-02T00:00:00Z" });
  const stale = await quoted(world, vacancy);
  assertNear(numberAt(stale, "price") - numberAt(up, "price"), 0.01, 1e-12);
  const over = await quoted(world, { ...vacancy, expiry: "2024-12" });
  assert.equal(at(over, "seriesMarketId"), null);
  assert.match(textAt(over, "note"), /measurement month is over/);
});

test("vacancy: every refusal, and the field to change", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("vacancy", { "state:tx": quarters(rates) });
  const { strikeBps: _strike, ...plain } = vacancy;
  await refusedAll(world, vacancy, [
    [{ kind: "layered" }, 422, "LAYER_NOT_SUPPORTED", "kind"],
    [{ strikeBps: 0 }, 400, "INVALID_REQUEST", "strikeBps"],
    [{ strikeBps: 10_000 }, 400, "INVALID_REQUEST", "strikeBps"],
    [{ strikeBps: 2.5 }, 400, "INVALID_REQUEST", "strikeBps"],
    [{ threshold: "8" }, 400, "INVALID_REQUEST", "threshold", /give one of them/],
    [{ comparator: "eq" }, 400, "INVALID_REQUEST", "comparator"],
    [{ expiry: "2025-08" }, 400, "INVALID_REQUEST", "expiry", /2025-06 or 2025-09/],
    [{ expiry: "2024-10" }, 400, "INVALID_REQUEST", "expiry", /quarter: 2024-12$/],
    [{ expiry: "2024-09" }, 400, "INVALID_REQUEST", "expiry", /after 2024-09/],
    [{ expiry: "2027-12" }, 400, "INVALID_REQUEST", "expiry", /1 to 36 months/],
    [{ expiry: "soon" }, 400, "INVALID_REQUEST", "expiry"],
    [{ notional: 0.5 }, 400, "INVALID_REQUEST", "notional"],
    [{ notional: 1.005 }, 400, "INVALID_REQUEST", "notional"],
    [{ node: "state:zz" }, 404, "NOT_FOUND", "node"],
    [{ node: "us" }, 404, "NOT_FOUND", "node"],
    [{ node: "state:ny" }, 422, "NO_INDEX_DATA", "node"],
    [{ index: "weather", expiry: "2025-07" }, 422, "NO_INDEX_DATA", "node"],
    [{ index: "zhvi", threshold: "8" }, 400, "INVALID_REQUEST", "threshold", /weather only/],
    [{ index: "zori", comparator: "gte" }, 400, "INVALID_REQUEST", "comparator"],
  ]);
  await refusedAll(world, plain, [
    [{}, 400, "INVALID_REQUEST", "strikeBps"],
    [{ threshold: "0" }, 400, "INVALID_REQUEST", "threshold"],
    [{ threshold: "-8" }, 400, "INVALID_REQUEST", "threshold"],
    [{ threshold: "8.0e0" }, 400, "INVALID_REQUEST", "threshold"],
    [{ threshold: "8.255" }, 400, "INVALID_REQUEST", "threshold", /2 decimals/],
    [{ threshold: "100" }, 400, "INVALID_REQUEST", "threshold"],
  ]);
  assert.equal(
    numberAt(await quoted(world, { ...vacancy, expiry: "2027-09" }), "horizonMonths"),
    36,
  );
});

/** One value a year, the newest in the month given. */
const yearly = (newest: string, values: readonly number[]): Record<string, string> =>
  Object.fromEntries(
    values.map((value, at) => [monthAfter(newest, 12 * (at + 1 - values.length)), decimal(value)]),
  );

const decimal = (value: number): string => String(Number(value.toFixed(12)));

const years = (count: number, yearAt: (at: number) => number): number[] =>
  Array.from({ length: count }, (_, at) => yearAt(at));

const wave = years(30, (i) => 70 + 0.04 * i + 1.5 * Math.sin(1.7 * i));

const weather = {
  index: "weather",
  node: "state:tx",
  expiry: "2024-12",
  notional: 10_000,
  threshold: "73",
};

test("weather: the worked example, with the region's slope from its states", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("weather", {
    "state:tx": yearly("2023-12", wave),
    // With Texas' own slope below .03, the median of the three is Louisiana's.
    "state:la": yearly(
      "2023-12",
      years(30, (i) => 60 + 0.03 * i),
    ),
    "state:ok": yearly(
      "2023-12",
      years(30, (i) => 60 + i),
    ),
    // Of another climate, and of an older year: neither counts.
    "state:ny": yearly(
      "2023-12",
      years(30, (i) => 40 + 2 * i),
    ),
    "state:ks": yearly(
      "2022-12",
      years(30, (i) => 40 + 2 * i),
    ),
  });
  const quote = await quoted(world, weather);
  assertNear(numberAt(quote, "fairValue"), 0.0314073, 5e-8);
  // Wang's shift of the chance, a month of carry, the flat load.
  const loaded = 0.05364423;
  assertNear(numberAt(quote, "price"), loaded + (0.01 / 12) * (1 - loaded) + 0.0015, 5e-7);
  assert.deepEqual(
    ["payoutKind", "comparator", "threshold", "unit", "strikeBps", "asOfMonth"].map((name) =>
      at(quote, name),
    ),
    ["binary", "gte", "73", "degrees Fahrenheit", null, "2023-12"],
  );
  assert.match(textAt(quote, "definition"), /^Average temperature, January to December: the mean/);
  assert.equal(numberAt(quote, "horizonMonths"), 12);
  assert.equal(at(quote, "usedDefaultVol"), false);
  assert.equal(at(quote, "deductibleUsd"), null);
  assert.equal(textAt(quote, "seriesMarketId"), "lvl.weather.state-tx.e2024-12.gte-73");
  assert.equal(
    textAt(quote, "attribution"),
    "Data from NOAA National Centers for Environmental Information",
  );
});

test("weather: the month names the series, a strike is measured from its normal", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("weather", {
    "state:tx": {
      ...yearly("2024-07", [...years(20, () => 999), ...years(30, (i) => 400 + (i % 2))]),
      ...yearly("2024-08", [...years(29, () => 8), 9.5]),
      ...yearly(
        "2024-03",
        years(30, () => 0),
      ),
    },
  });
  const { threshold: _threshold, ...plain } = weather;
  const july = { ...plain, expiry: "2025-07", strikeBps: 1000 };
  const hot = await quoted(world, july);
  assert.equal(textAt(hot, "threshold"), "441", "10 % above 400.5, whole degree days, half up");
  assert.equal(numberAt(hot, "strikePct"), 10);
  assert.equal(textAt(hot, "unit"), "Fahrenheit degree days");
  assert.match(
    textAt(hot, "note"),
    /^The threshold is 10 % above 400.5, the mean of the newest 30/,
  );
  assert.equal(textAt(hot, "seriesMarketId"), "lvl.weather.state-tx.e2025-07.gte-441");
  const { strikeBps: _strike, ...unstruck } = july;
  const named = await quoted(world, { ...unstruck, threshold: "441" });
  assert.equal(numberAt(named, "price"), numberAt(hot, "price"), "the series can be priced again");
  const cool = await quoted(world, { ...july, comparator: "lte" });
  assert.equal(textAt(cool, "threshold"), "360", "10 % below");
  assert.match(textAt(cool, "note"), /10 % below 400.5/);

  const rain = await quoted(world, { ...july, expiry: "2025-08", strikeBps: 125 });
  assert.equal(textAt(rain, "threshold"), "8.15", "1.25 % above 8.05, hundredths of an inch");
  assert.match(textAt(rain, "definition"), /^Precipitation, June to August/);
  const fine = await quoted(world, { ...unstruck, threshold: "441.5" });
  assert.equal(at(fine, "seriesMarketId"), null);
  assert.match(textAt(fine, "note"), /Indicative: series exist for thresholds/);

  await refusedAll(world, july, [
    [{ kind: "layered" }, 422, "LAYER_NOT_SUPPORTED", "kind"],
    [{ expiry: "2025-05" }, 400, "INVALID_REQUEST", "expiry", /2025-03 \(hdd-jan-mar\), 2025-07/],
    [{ expiry: "2024-07" }, 400, "INVALID_REQUEST", "expiry", /after 2024-07/],
    [{ expiry: "2030-07" }, 400, "INVALID_REQUEST", "expiry", /12 to 60 months/],
    [{ expiry: "2024-12" }, 422, "NO_INDEX_DATA", "node"],
    [{ expiry: "2025-03" }, 400, "INVALID_REQUEST", "strikeBps", /the normal is 0; give threshold/],
    [{ strikeBps: 0 }, 400, "INVALID_REQUEST", "strikeBps"],
    [{ threshold: "441" }, 400, "INVALID_REQUEST", "threshold"],
    [{ node: "state:ny" }, 422, "NO_INDEX_DATA", "node"],
  ]);
  await refusedAll(world, unstruck, [
    [{}, 400, "INVALID_REQUEST", "strikeBps"],
    [{ threshold: "0" }, 400, "INVALID_REQUEST", "threshold"],
    [{ threshold: "hot" }, 400, "INVALID_REQUEST", "threshold"],
  ]);
  // A window that was always zero is certain, and priced without a digit lost.
  const never = await quoted(world, { ...unstruck, expiry: "2025-03", threshold: "1" });
  assert.equal(numberAt(never, "fairValue"), 0);
  const always = await quoted(world, {
    ...unstruck,
    expiry: "2025-03",
    threshold: "1",
    comparator: "lte",
  });
  assert.equal(numberAt(always, "fairValue"), 1);
  assert.equal(numberAt(always, "price"), 1);
  assert.equal(numberAt(always, "limitPrice"), 0.9999);
});

test("weather: a short record is its region's, moved to the place, and says so", async (t) => {
  const world = await PublicWorld.open(t);
  const louisiana = years(40, (i) => 60 + Math.sin(i));
  await world.printLevels("weather", {
    "state:la": yearly("2023-12", louisiana),
    "state:tx": yearly(
      "2023-12",
      louisiana.slice(-4).map((value) => value + 5),
    ),
    "state:ny": yearly("2023-12", [50, 51]),
  });
  const borrowed = await quoted(world, { ...weather, threshold: "66" });
  assert.equal(at(borrowed, "usedDefaultVol"), true);
  const own = await quoted(world, { ...weather, node: "state:la", threshold: "61" });
  assert.equal(at(own, "usedDefaultVol"), false);
  assert.ok(Math.abs(numberAt(borrowed, "fairValue") - numberAt(own, "fairValue")) < 0.05);
  await refusedAll(world, { ...weather, node: "state:ny" }, [[{}, 422, "NO_INDEX_DATA", "node"]]);
});

test("a quoted level is listed by its first order, marked, and settled by its print", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("vacancy", { "state:tx": quarters(rates), "state:la": quarters(rates) });
  const [seller, buyer] = [await world.world.trader("a"), await world.world.trader("b")];
  const quote = await quoted(world, { ...vacancy, expiry: "2024-12" });
  const id = textAt(quote, "seriesMarketId");
  assert.equal((await world.get(`/api/markets/${id}`)).status, 404);

  const send = (secret: string, marketId: string, more: object) =>
    world.world.post("/api/trading/orders", secret, order(marketId, more));
  const sold = await send(seller.secret, id.toUpperCase(), { side: "SELL", price: "0.4" });
  assert.equal(sold.statusCode, 200, sold.body);
  const bought = await send(buyer.secret, id, { price: "0.4" });
  assert.equal(bought.json().data.status, "FILLED");
  const market = world.world.view.marketByAnyId(id);
  assert.ok(market !== undefined);
  assert.equal(market.markTick, Math.round(10_000 * numberAt(quote, "fairValue")));
  // The next print is the one that settles: one quarter in a hundred would be above 8 %.
  assert.equal(market.stressedTick, 9_999);
  const shown = at((await world.get(`/api/markets/${id}`)).body, "data");
  assert.equal(textAt(shown, "metricType"), "vacancy_level");
  assert.match(textAt(shown, "description"), /is at least 8 percent; otherwise NO does/);

  for (const none of ["gte-8.5", "gte-100", "gte-0"]) {
    const refused = await send(seller.secret, id.replace("gte-8", none), {});
    assert.equal(refused.statusCode, 404, none);
  }
  const { markTick, stressedTick } = market;
  for (const [index, { id: column }] of scenarios.entries()) {
    const elsewhere = ["northeast", "midwest", "west", "missing-print"].includes(column);
    const found: number = market.riskTicks?.[index] ?? assert.fail(column);
    if (!elsewhere) assert.equal(found, stressedTick, column);
    else assert.ok(found === markTick || found === markTick + 1, `${column} leaves it alone`);
  }
  await world.admin("POST", "clock", { setTo: "2025-01-28T00:00:00Z" });
  await world.printLevel("vacancy", "state:tx", "2024-12", "8");
  const resolution = at((await world.get(`/api/markets/${id}/resolution`)).body, "data");
  assert.equal(textAt(resolution, "outcome"), "YES");
  assert.equal(numberAt(resolution, "settledValue"), 8);
});

test("levels listed by the operator are marked; a print moves the mark", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("vacancy", { "state:tx": quarters(rates) });
  await world.printLevels("weather", { "state:tx": yearly("2023-12", wave) });
  const list = async (body: object) => {
    const base = { geoNodeId: "state:tx", comparator: "gte", threshold: "8.125" };
    return await world.admin("POST", "markets", { ...base, ...body });
  };
  const made = await list({ index: "vacancy", measurementMonth: "2025-06" });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const id = textAt(made.body, "data", "id");
  assert.equal(id, "lvl.vacancy.state-tx.e2025-06.gte-8.125");
  const market = world.world.view.marketByAnyId(id);
  assert.ok(market !== undefined && market.stressedTick > market.markTick);
  assert.ok(market.stressedTick < 9_999, "two quarters remain after the next print");
  assert.deepEqual(marksOf(world.referenceData, market), {
    marketId: id,
    markTick: market.markTick,
    stressedTick: market.stressedTick,
    riskTicks: market.riskTicks,
  });
  await world.admin("POST", "clock", { setTo: "2025-01-28T00:00:00Z" });
  await world.printLevel("vacancy", "state:tx", "2024-12", "9");
  const after = marksOf(world.referenceData, market);
  assert.ok(after !== undefined && after.markTick > market.markTick);

  const yearEnd = { index: "weather", measurementMonth: "2025-12", threshold: "72.5" };
  const listed = await list(yearEnd);
  assert.equal(listed.status, 200, JSON.stringify(listed.body));
  const warm = world.world.view.marketByAnyId(textAt(listed.body, "data", "id"));
  assert.ok(warm !== undefined && warm.stressedTick > warm.markTick && warm.stressedTick < 9_999);

  for (const [body, status, field, words] of [
    [
      { index: "vacancy", measurementMonth: "2025-05" },
      400,
      "measurementMonth",
      /2025-03 or 2025-06/,
    ],
    [{ index: "vacancy", measurementMonth: "2028-03" }, 400, "measurementMonth", /further off/],
    [{ index: "weather", measurementMonth: "2025-05" }, 400, "measurementMonth", /cdd-jul/],
    [{ index: "weather", measurementMonth: "2025-07" }, 422, "geoNodeId", /./],
    [{ ...yearEnd, measurementMonth: "2023-12" }, 400, "measurementMonth", /after 2023-12/],
  ] as const) {
    const refused = await list(body);
    assert.equal(refused.status, status, JSON.stringify(refused.body));
    assert.equal(textAt(refused.body, "error", "field"), field);
    assert.match(textAt(refused.body, "error", "message"), words);
  }
});
