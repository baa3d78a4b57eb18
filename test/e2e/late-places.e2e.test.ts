// Counties and cities loaded after the releases that carry them, on a provider's files, with
// the process killed while they are read again: in the end nothing tells which came first.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { addMonths, formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import { readHvs } from "#test/ingest/hvs-file.ts";
import {
  ADMIN_SECRET,
  at,
  checkout,
  Exchange,
  type Json,
  listAt,
  numberAt,
  textAt,
} from "#test/support/exchange.ts";
import { providerFile } from "#test/support/shared-data.ts";
import { runFile } from "./program.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const RENTS = "zori_uc_sfrcondomfr_sm_month.csv.gz";
const vintages = [
  ["county/2023-10", "2023-11-16"],
  ["city/2025-02", "2025-03-16"],
  ["county/2025-04", "2025-05-16"],
] as const;

const pathOf = (vintage: string): string =>
  `zori/${vintage}/${vintage.startsWith("city") ? "City" : "County"}_${RENTS}`;

async function publish(exchange: Exchange, files: readonly URL[]): Promise<void> {
  for (const [nth, [vintage, published]] of vintages.entries()) {
    const [level = ""] = vintage.split("/");
    const file = files[nth];
    assert.ok(file !== undefined);
    const publishedAt = `${published}T00:00:00Z`;
    const query = { provider: "zillow", index: "zori", level, publishedAt };
    const reply = await exchange.ingest(file, query);
    assert.ok(reply.status < 300, reply.text);
    assert.equal(at(reply.body, "data", "status"), "accepted");
  }
}

async function loadPlaces(exchange: Exchange, table: string): Promise<Json> {
  const response = await fetch(`${exchange.url}/api/admin/geo`, {
    method: "POST",
    headers: { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET },
    body: table,
  });
  const body: Json = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return at(body, "data");
}

const releasesOf = async (exchange: Exchange): Promise<readonly Json[]> => {
  const reply = await exchange.get("/api/admin/releases?limit=100", { admin: true });
  return listAt(reply.body, "data");
};

const isDone = async (exchange: Exchange): Promise<boolean> =>
  (await releasesOf(exchange)).every((release) => at(release, "rereadDue") === false);

/** The public view of every place: index values by fifties, and all prints of some. */
async function shown(exchange: Exchange, ids: readonly string[]): Promise<readonly Json[]> {
  const all: Json[] = [];
  for (let from = 0; from < ids.length; from += 50) {
    const some = ids.slice(from, from + 50);
    const values = await exchange.get(`/api/index?index=zori&ids=${some.join(",")}`);
    const prints = await exchange.get(`/api/index/${some[0]}/prints?index=zori&limit=100`);
    all.push(values.body, at(prints.body, "data"));
  }
  return all;
}

const countsOf = (releases: readonly Json[]): Json =>
  releases.map((release) =>
    ["id", "rows", "firstPrints", "revisions", "unchanged", "rescaled", "unmatched"].map((name) =>
      at(release, name),
    ),
  );

test("places that come late, and three kills, leave no trace in any print", async (t) => {
  const files: URL[] = [];
  for (const [vintage] of vintages) {
    const file = providerFile(t, pathOf(vintage));
    if (file === undefined) return;
    files.push(file);
  }
  const counties = providerFile(t, "geo/census-gazetteer-2010/Gaz_counties_national.txt.gz");
  if (counties === undefined) return;
  const words = [
    "--zillow",
    ...files.map((file) => fileURLToPath(file)),
    "--counties",
    fileURLToPath(counties),
  ];
  const { stdout: table } = await run(process.execPath, ["tools/build-hierarchy.ts", ...words], {
    cwd: checkout,
    maxBuffer: 64 * 1024 * 1024,
  });
  const ids = table
    .split("\n")
    .flatMap((line: string) => line.match(/^(county|city):[^,]+/)?.[0] ?? []);

  const [before, late] = [await Exchange.start(t), await Exchange.start(t)];
  await loadPlaces(before, table);
  await Promise.all([publish(before, files), publish(late, files)]);
  assert.equal((await late.get(`/api/index/${ids[0]}?index=zori`)).status, 404);
  const loaded = await loadPlaces(late, table);
  assert.equal(numberAt(loaded, "rereading"), vintages.length);
  await late.kill();
  for (let kills = 0; kills < 2; kills += 1) {
    await late.up();
    assert.equal(await isDone(late), false, "what was broken off is still due");
    await late.kill();
  }
  await late.up();
  await until("everything due has been read again", () => isDone(late));

  assert.deepEqual(await shown(late, ids), await shown(before, ids));
  assert.deepEqual(countsOf(await releasesOf(late)), countsOf(await releasesOf(before)));
  assert.equal(await late.stop(), 0);
  const verified = await runFile("src/verify.ts", late.place);
  assert.equal(verified.code, 0, verified.output);
});

/** Newest first, as the prints of a place are listed. */
const ratesOf = ({ history: { firstMonth, values } }: ProviderRow): readonly string[] =>
  values
    .flatMap((value, at) => (value === null ? [] : [[addMonths(firstMonth, at), value] as const]))
    .map(([month, value]) => `${formatMonth(month)} ${formatPrintValue(value)}`)
    .toReversed();

test("metros of the survey, mapped after their workbook came, a kill between", async (t) => {
  const file = providerFile(t, "vacancy/hvs-2022q2/tab4_msa_15_22_rvr.xlsx.gz");
  if (file === undefined) return;
  const rows = await readHvs(gunzipSync(readFileSync(file)), "metro");
  const newest = ({ history }: ProviderRow): bigint => history.values.at(-1) ?? 0n;
  const byRate = rows.toSorted((one, other) => (newest(one) < newest(other) ? -1 : 1));
  const [lowest, highest] = [byRate[0], byRate.at(-1)];
  assert.ok(lowest !== undefined && highest !== undefined);
  const exchange = await Exchange.start(t);
  const query = { provider: "census", index: "vacancy", level: "metro" };
  const taken = await exchange.ingest(file, { ...query, publishedAt: "2022-08-02T14:00:00Z" });
  assert.equal(numberAt(taken.body, "data", "unmatched"), rows.length, taken.text);

  const columns = "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds";
  for (const [fips, metro, left] of [
    ["48201", lowest, rows.length - 1],
    ["48113", highest, rows.length - 2],
  ] as const) {
    const place = `county:${fips},county,Mapped ${fips},TX,,,state:tx,0,census:${metro.regionId}`;
    const loaded = await loadPlaces(exchange, `${columns}\n${place}\n`);
    assert.equal(numberAt(loaded, "rereading"), 1);
    await exchange.kill();
    await exchange.up();
    await until(`${metro.regionName} has been read`, () => isDone(exchange));
    const url = `/api/index/county:${fips}/prints?index=vacancy&limit=100`;
    const prints = listAt((await exchange.get(url)).body, "data");
    assert.deepEqual(
      prints.map((print) => `${textAt(print, "month")} ${textAt(print, "value")}`),
      ratesOf(metro),
    );
    assert.ok(prints.every((print) => at(print, "backfill") === true));
    const [release] = await releasesOf(exchange);
    assert.deepEqual([at(release, "unmatched"), at(release, "rereadDue")], [left, false]);
  }
});
