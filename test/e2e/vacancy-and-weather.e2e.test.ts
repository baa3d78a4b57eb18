// Vacancy and weather on the providers' files, over HTTP, in a sandbox clock: what it shows is
// held against figures this test draws from the same files by itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { readHvs } from "#test/ingest/hvs-file.ts";
import { at, listAt, numberAt, type Reply, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile } from "#test/support/shared-data.ts";

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
