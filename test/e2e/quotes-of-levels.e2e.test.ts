// Quotes of vacancy and weather on the providers' files: thresholds by hand, series traded.
// Invariant: every figure held against is drawn from the file by this test, or is a plain bound.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { at, Exchange, numberAt, textAt } from "#test/support/exchange.ts";
import { providerFile } from "#test/support/shared-data.ts";

const states = "vacancy/hvs-2022q2/tab1_state05_2022_rvr.xlsx.gz";
const warmth = "weather/nclimdiv/20230106/climdiv-tmpcst-v1.0.0-20230106.txt.gz";

/** Texas' (041) mean temperature of 1993 to 2022, from its 360 months, in degrees. */
function normalOf(file: URL): number {
  const lines = gunzipSync(readFileSync(file)).toString().split("\n");
  const years = lines.filter((line) => /^041002(199[3-9]|20[01][0-9]|202[0-2])/.test(line));
  assert.equal(years.length, 30);
  const months = years.flatMap((line) => line.slice(10).trim().split(/ +/).map(Number));
  return months.reduce((sum, month) => sum + month, 0) / 360;
}

test("levels are quoted from prints, listed by an order and marked", async (t) => {
  const [survey, climate] = [providerFile(t, states), providerFile(t, warmth)];
  if (survey === undefined || climate === undefined) return;
  const exchange = await Exchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
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
