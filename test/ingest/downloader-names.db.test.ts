// The downloader between a provider whose names change and a real intake on a real PostgreSQL.
// Invariant tested: the newest name is fetched once, and two files of one series become one chain.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import type { GeoRecord } from "#core/records.ts";
import type { DownloadSource } from "#ingest/downloads/plan.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { until } from "#test/e2e/until.ts";
import { vintageOf } from "./climate-file.ts";
import { ProviderServer, whole } from "./download-server.ts";
import { DownloadsToIntake } from "./downloader-intake.ts";
import { hvsGrid } from "./hvs-file.ts";
import { workbookOf } from "./workbook-file.ts";

/** Answers by path, and 404 for anything else. */
const shelf =
  (files: ReadonlyMap<string, string | Uint8Array>, type = "application/octet-stream") =>
  (...[response, { path }]: Parameters<ReturnType<typeof whole>>): void => {
    const body = files.get(path);
    if (body === undefined) nowhere(response);
    else
      whole(body, { "content-type": path.endsWith(".html") ? "text/html" : type })(response, {
        path,
        headers: {},
      });
  };

const nowhere = (response: ServerResponse): void => {
  response.writeHead(404, { "content-type": "text/html" }).end("<html>not found</html>");
};

const asked = (server: ProviderServer, path: string): number =>
  server.asked.filter((one) => one.path === path).length;

test("a name with a date is that of the day which the provider says", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const files = new Map([
    ["/cirs/procdate.txt", "20250206\n"],
    ["/cirs/climdiv-tmpcst-v1.0.0-20250206", vintageOf("temperature", "2024-12", 1, 2024)],
  ]);
  const answer = shelf(files);
  const server = await ProviderServer.start(t, (response, one) => {
    response.setHeader("etag", '"each file has it"');
    answer(response, one);
  });
  const url = new URL(`${server.origin}/cirs/climdiv-tmpcst-v1.0.0-{date}`);
  const source: DownloadSource = {
    ...{ provider: "noaa", index: "weather", level: "state", everyHours: 1, url },
  };
  const downloader = await intake.download(source);
  await until("the first release", () => intake.releases.length === 1);
  files.set("/cirs/climdiv-tmpcst-v1.0.0-20260206", vintageOf("temperature", "2025-12", 1, 2025));
  files.delete("/cirs/climdiv-tmpcst-v1.0.0-20250206");
  files.set("/cirs/procdate.txt", "20260206\n");
  await until("the next release", () => intake.releases.length === 2);
  const first = server.asked.find(({ path }) => path.endsWith("-20260206"));
  assert.equal(first?.headers["if-none-match"], undefined, "no other name's tag is sent");
  files.set("/cirs/procdate.txt", "<html>");
  await until("it says so", () => intake.says(/NO_NAME: \/cirs\/procdate\.txt has no date/) > 0);
  await downloader.stop();
});

test("a name with a year is tried by year, and one that a page links to is read off it", async (t) => {
  const year = new Date().getUTCFullYear();
  for (const isPaged of [false, true]) {
    const intake = await DownloadsToIntake.open(t);
    const files = new Map<string, string>([[`/rates/state_${year - 1}.csv`, stateFile(1).text]]);
    const link = (of: number): string => `<a href="rates/state_${of}.csv">${of}</a>`;
    files.set("/rates.html", link(year - 1));
    const server = await ProviderServer.start(t, shelf(files));
    const page = isPaged ? { page: new URL(`${server.origin}/rates.html`) } : {};
    const source: DownloadSource = {
      ...{ provider: "zillow", index: "zhvi", level: "state", everyHours: 1, ...page },
      url: new URL(`${server.origin}/rates/state_{year}.csv`),
    };
    const downloader = await intake.download(source);
    await until("last year's", () => intake.releases.length === 1);
    files.set(`/rates/state_${year}.csv`, stateFile(0).text);
    files.set("/rates.html", link(year - 1) + link(year));
    await until("this year's", () => intake.releases.length === 2);
    assert.equal(intake.says(/could not be downloaded/), 0, "a year without a file is no fault");
    files.clear();
    await until("there is none", () => intake.says(/BAD_STATUS: .* answers 404/) > 0);
    await downloader.stop();
  }
});

/** From 6.0 to 6.5, so that validation has nothing to say of a value. */
const flatRates = (quarters: number, years: { first: number; last: number }): Buffer =>
  workbookOf(
    hvsGrid("metro", 1, quarters, years).map((row) =>
      row.map((cell, at) =>
        typeof cell === "number" && row[at + 1] === 1.3 ? Math.round(60 + cell / 4) / 10 : cell,
      ),
    ),
  );

test("the metros' history and their year are two files of one chain", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const metro = nodeId("city:alderton-tx");
  const place: GeoRecord = {
    ...{ id: metro, level: "city", name: "Alderton", stateCode: "TX", fips: null, aliases: [] },
    ...{ parentIds: [], housingUnits: 0, active: true },
    providerIds: ["census:alderton-birch-falls-tx"],
  };
  const more: GeoRecord = {
    ...{ ...place, id: nodeId("city:gum-springs-ca"), stateCode: "CA" },
    providerIds: ["census:gum-springs-ca"],
  };
  await intake.command({ type: "LoadGeo", nodes: [place, more], sha256: "" });
  const files = new Map([
    ["/tab4b_msa_15_25_rvr.xlsx", flatRates(4, { first: 2024, last: 2025 })],
    ["/tab4_msa_26_rvr.xlsx", flatRates(2, { first: 2026, last: 2026 })],
  ]);
  const server = await ProviderServer.start(t, shelf(files));
  const source = (name: string): DownloadSource => ({
    ...{ provider: "census", index: "vacancy", level: "metro", everyHours: 1 },
    url: new URL(`${server.origin}/${name}`),
  });
  const both = [source("tab4b_msa_15_25_rvr.xlsx"), source("tab4_msa_26_rvr.xlsx")];
  const downloader = await intake.download(...both);
  await until("both", () => intake.releases.length === 2);
  await downloader.stop();
  assert.deepEqual(
    intake.releases.map(({ rows, firstPrints }) => [rows, firstPrints]),
    [
      [6, 16],
      [6, 4],
    ],
  );
  const names = both.map(({ url }) => url.pathname);
  const before = names.map((name) => asked(server, name));
  const said = intake.says(/which was here, 6 rows/);
  const again = await intake.download(...both);
  // Neither stands for the other: each is asked for, and known.
  await until("each is asked for anew", () =>
    names.every((name, at) => asked(server, name) > (before[at] ?? 0)),
  );
  await until("both are known", () => intake.says(/which was here, 6 rows/) >= said + 2);
  await again.stop();
  assert.equal(intake.releases.length, 2);
});
