// Vacancy and weather on the providers' files, over HTTP, in a sandbox clock: what it shows is
// held against figures this test draws from the same files by itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import { readHvs } from "#test/ingest/hvs-file.ts";
import { at, listAt, numberAt, type Reply, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile } from "#test/support/shared-data.ts";
import { until } from "./until.ts";
import { loadPlaces } from "./upload.ts";

const nclimdiv = "weather/nclimdiv";
const paths = {
  fredOld: "vacancy/fred-RRVRUSQ156N/2022-12/RRVRUSQ156N.csv.gz",
  fredNew: "vacancy/fred-RRVRUSQ156N/2024-06/RRVRUSQ156N.csv.gz",
  states: "vacancy/hvs-2022q2/tab1_state05_2022_rvr.xlsx.gz",
  metros: "vacancy/hvs-2022q2/tab4_msa_15_22_rvr.xlsx.gz",
  warmOld: `${nclimdiv}/20230106/climdiv-tmpcst-v1.0.0-20230106.txt.gz`,
  warmNew: `${nclimdiv}/20250905/climdiv-tmpcst-v1.0.0-20250905.gz`,
  rain: `${nclimdiv}/20230106/climdiv-pcpnst-v1.0.0-20230106.txt.gz`,
  drought: `${nclimdiv}/20230106/climdiv-pdsist-v1.0.0-20230106.txt.gz`,
} as const;

const sent = (index: string, level: string, provider: string, publishedAt: string) => ({
  provider,
  index,
  level,
  publishedAt,
});
const weather = (day: string) => sent("weather", "state", "noaa", `${day}T12:00:00Z`);
const nation = (day: string) => sent("vacancy", "nation", "fred", `${day}T12:00:00Z`);
const survey = (level: string) => sent("vacancy", level, "census", "2022-08-02T14:00:00Z");

const lines = (file: URL): readonly string[] =>
  gunzipSync(readFileSync(file)).toString().split("\n");

/** A year's twelve values of Texas (041) as the file writes them. */
function texas(file: URL, element: string, year: number): readonly string[] {
  const line = lines(file).find((one) => one.startsWith(`0410${element}${year}`)) ?? "";
  return line.slice(10).trim().split(/ +/);
}

/** Years of a state (001 to 050) or the nation (110) whose June, July and August have a value. */
const summers = (file: URL): number =>
  lines(file).filter(
    (line) => /^(0[0-4]\d|050|110)/.test(line) && !line.slice(45, 66).includes("-9.99"),
  ).length;

const sumOf = (cells: readonly string[]): number =>
  Math.round(cells.reduce((sum, cell) => sum + 100 * Number(cell), 0)) / 100;

const ok = (reply: Reply): unknown => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

test("every file is taken or refused, and what it says is shown with its unit", async (t) => {
  const file = (name: keyof typeof paths): URL => scenarioFile(paths[name]);
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
  await exchange.admin("clock", { setTo: "2023-01-09T00:00:00Z" });
  const take = async (name: keyof typeof paths, query: Record<string, string>) => {
    const release = ok(await exchange.ingest(file(name), query));
    assert.equal(textAt(release, "status"), "accepted", JSON.stringify(release));
    return release;
  };
  const index = async (place: string, query: string) =>
    ok(await exchange.get(`/api/index/${place}?${query}`));

  const states = await take("states", survey("state"));
  assert.deepEqual(
    [at(states, "rows"), at(states, "unmatched"), at(states, "firstPrints")],
    [51, 0, 51 * 70],
  );
  const metros = await take("metros", survey("metro"));
  const listed = await readHvs(gunzipSync(readFileSync(file("metros"))), "metro");
  const all = [listed.length, 0];
  assert.deepEqual([at(metros, "unmatched"), at(metros, "firstPrints")], all, "none is mapped");
  const fredOld = await take("fredOld", nation("2022-11-02"));
  const rain = await take("rain", weather("2023-01-06"));
  assert.equal(textAt(rain, "variable"), "precipitation");
  assert.equal(numberAt(rain, "firstPrints"), summers(file("rain")), "of states and the nation");
  await take("warmOld", weather("2023-01-06"));
  const drought = await exchange.ingest(file("drought"), weather("2023-01-06"));
  assert.equal(drought.status, 422, drought.text);
  assert.match(drought.text, /WRONG_SERIES/);

  // The newest print of 2022 is December's: the mean of twelve months to 15 decimals.
  const warm = await index("state:tx", "index=weather");
  const months = texas(file("warmOld"), "02", 2022);
  assert.ok(Math.abs(numberAt(warm, "value") - sumOf(months) / 12) < 1e-9);
  assert.equal(textAt(warm, "asOfMonth"), "2022-12");
  assert.equal(textAt(warm, "measure", "series"), "temperature-jan-dec");
  assert.equal(textAt(warm, "measure", "unit"), "degrees Fahrenheit");
  const noaa = "Data from NOAA National Centers for Environmental Information";
  assert.equal(textAt(warm, "attribution"), noaa);
  const years = listAt(warm, "series").map((point) => textAt(point, "month"));
  assert.deepEqual([years.length, years[0], years.at(-1)], [24, "1999-12", "2022-12"]);
  const growth = 100 * (sumOf(months) / sumOf(texas(file("warmOld"), "02", 2021)) - 1);
  assert.ok(Math.abs(numberAt(warm, "yoy") - growth) < 0.005_001);

  const prints = await exchange.get("/api/index/state:tx/prints?index=weather&limit=2");
  const [december, august] = listAt(prints.body, "data");
  assert.equal(textAt(december, "month"), "2022-12");
  assert.equal(textAt(august, "month"), "2022-08");
  assert.equal(Number(textAt(august, "value")), sumOf(texas(file("rain"), "01", 2022).slice(5, 8)));
  assert.deepEqual([at(august, "level"), at(august, "backfill")], [null, true]);

  const us = await index("US", "index=vacancy");
  const rates = lines(file("fredOld")).filter((line) => line !== "");
  assert.equal(numberAt(us, "value"), Number(rates.at(-1)?.split(",")[1]));
  assert.deepEqual([at(us, "nodeId"), at(us, "measure", "unit")], ["us", "percent"]);
  assert.equal(listAt(us, "series").length, 8, "two years of quarters");
  const both = await exchange.get("/api/index?ids=state:tx,us,county:48201&index=vacancy");
  assert.deepEqual(
    listAt(both.body, "data").map((value) => textAt(value, "attribution")),
    ["Data from U.S. Census Bureau", textAt(us, "attribution")],
  );
  assert.deepEqual(at(both.body, "unknownIds"), ["county:48201"], "no county was loaded");

  await exchange.admin("clock", { setTo: "2025-09-10T00:00:00Z" });
  const later = await take("warmNew", weather("2025-09-05"));
  assert.equal(numberAt(later, "unmatched"), 0);
  const fredNew = await take("fredNew", nation("2024-06-20"));
  assert.deepEqual([at(fredNew, "revisions"), at(fredNew, "firstPrints")], [0, 6]);
  const now = await index("state:tx", "index=weather");
  assert.equal(textAt(now, "asOfMonth"), "2024-12");
  assert.ok(
    Math.abs(numberAt(now, "value") - sumOf(texas(file("warmNew"), "02", 2024)) / 12) < 1e-9,
  );
  const fresh = await exchange.get("/api/index/state:tx/prints?index=weather&limit=3");
  assert.deepEqual(
    listAt(fresh.body, "data").map((print) => [at(print, "month"), at(print, "backfill")]),
    [
      ["2024-12", false],
      ["2023-12", false],
      ["2022-12", true],
    ],
  );
  assert.deepEqual(await index("state:tx", "index=weather&asOf=2023-01-09"), warm);
  assert.equal(textAt(await index("state:hi", "index=weather"), "asOfMonth"), "2024-12");
  const again = ok(await exchange.ingest(file("fredOld"), nation("2022-11-03")));
  assert.deepEqual(again, fredOld, "the same bytes are the same release");

  await exchange.stop();
  await exchange.up();
  assert.deepEqual(await index("state:tx", "index=weather"), now, "a start shows the same");
  assert.deepEqual(await index("state:tx", "index=weather&asOf=2023-01-09"), warm);
});

/** Texas' (041) mean temperature of 1993 to 2022, from its 360 months, in degrees. */
function normalOf(file: URL): number {
  const years = lines(file).filter((line) => /^041002(199[3-9]|20[01][0-9]|202[0-2])/.test(line));
  assert.equal(years.length, 30);
  const months = years.flatMap((line) => line.slice(10).trim().split(/ +/).map(Number));
  return months.reduce((sum, month) => sum + month, 0) / 360;
}

test("levels are quoted from prints, listed by an order and marked", async (t) => {
  const [survey, climate] = [scenarioFile(paths.states), scenarioFile(paths.warmOld)];
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
  await exchange.admin("clock", { setTo: "2023-01-09T00:00:00Z" });
  for (const [file, query] of [
    [survey, { provider: "census", index: "vacancy", publishedAt: "2022-08-02T14:00:00Z" }],
    [climate, { provider: "noaa", index: "weather", publishedAt: "2023-01-06T12:00:00Z" }],
  ] as const) {
    const taken = await exchange.ingest(file, { ...query, level: "state" });
    assert.equal(textAt(taken.body, "data", "status"), "accepted", taken.text);
  }
  const quote = async (query: string) => {
    const reply = await exchange.get(`/api/quotes?node=state:tx&notional=10000&${query}`);
    assert.equal(reply.status, 200, reply.text);
    return at(reply.body, "data");
  };

  const warm = await quote("index=weather&expiry=2023-12&strikeBps=200");
  const threshold = Math.round(10.2 * normalOf(climate)) / 10;
  assert.equal(textAt(warm, "threshold"), String(threshold));
  assert.equal(textAt(warm, "asOfMonth"), "2022-12");
  assert.equal(at(warm, "usedDefaultVol"), false);
  assert.equal(textAt(warm, "seriesMarketId"), `lvl.weather.state-tx.e2023-12.gte-${threshold}`);

  // The higher the rate, the rarer.
  const [eight, nine, twenty] = await Promise.all(
    [800, 900, 2000].map((bps) => quote(`index=vacancy&expiry=2023-06&strikeBps=${bps}`)),
  );
  const fair = [eight, nine, twenty].map((one) => numberAt(one, "fairValue"));
  assert.ok((fair[0] ?? 0) > (fair[1] ?? 1) && (fair[1] ?? 0) > (fair[2] ?? 1), String(fair));
  assert.ok((fair[2] ?? 1) < 0.01, "one in five empty is nowhere in its record");

  const { key } = await exchange.trader("levels", "20000");
  for (const answer of [eight, warm]) {
    const marketId = textAt(answer, "seriesMarketId");
    const price = numberAt(answer, "limitPrice");
    const order = { marketId, outcomeIndex: 0, side: "BUY", amount: "100", price };
    const placed = await exchange.post("/api/trading/orders", order, { key });
    assert.equal(placed.status, 200, placed.text);
    const market = await exchange.get(`/api/markets/${marketId}`);
    const mark = numberAt(market.body, "data", "outcomes", 0, "price");
    assert.equal(mark, Math.round(10_000 * numberAt(answer, "fairValue")) / 10_000);
    assert.equal(textAt(market.body, "data", "threshold"), textAt(answer, "threshold"));
  }
});

/** Newest first, as the prints of a place are listed. */
const ratesOf = ({ history: { firstMonth, values } }: ProviderRow): readonly string[] =>
  values
    .flatMap((value, at) => (value === null ? [] : [[addMonths(firstMonth, at), value] as const]))
    .map(([month, value]) => `${formatMonth(month)} ${formatPrintValue(value)}`)
    .toReversed();

test("metros of the survey, mapped after their workbook came, a start between", async (t) => {
  const file = scenarioFile(paths.metros);
  const rows = await readHvs(gunzipSync(readFileSync(file)), "metro");
  const newest = ({ history }: ProviderRow): bigint => history.values.at(-1) ?? 0n;
  const byRate = rows.toSorted((one, other) => (newest(one) < newest(other) ? -1 : 1));
  const [lowest, highest] = [byRate[0], byRate.at(-1)];
  assert.ok(lowest !== undefined && highest !== undefined);
  const exchange = await InProcessExchange.start(t);
  const taken = await exchange.ingest(file, survey("metro"));
  assert.equal(numberAt(taken.body, "data", "unmatched"), rows.length, taken.text);

  const releases = async () =>
    listAt((await exchange.get("/api/admin/releases", { admin: true })).body, "data");
  const columns = "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds";
  for (const [fips, metro, left] of [
    ["48201", lowest, rows.length - 1],
    ["48113", highest, rows.length - 2],
  ] as const) {
    const place = `county:${fips},county,Mapped ${fips},TX,,,state:tx,0,census:${metro.regionId}`;
    const loaded = await loadPlaces(exchange, `${columns}\n${place}\n`);
    assert.equal(numberAt(loaded, "rereading"), 1);
    await exchange.stop();
    await exchange.up();
    await until(`${metro.regionName} has been read`, async () => {
      const [release] = await releases();
      return at(release, "rereadDue") === false;
    });
    const url = `/api/index/county:${fips}/prints?index=vacancy&limit=100`;
    const prints = listAt((await exchange.get(url)).body, "data");
    assert.deepEqual(
      prints.map((print) => `${textAt(print, "month")} ${textAt(print, "value")}`),
      ratesOf(metro),
    );
    assert.ok(prints.every((print) => at(print, "backfill") === true));
    const [release] = await releases();
    assert.deepEqual([at(release, "unmatched"), at(release, "rereadDue")], [left, false]);
  }
});
