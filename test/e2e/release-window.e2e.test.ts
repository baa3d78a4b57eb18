// A release's window as traders and auditors see it, over HTTP, on a provider's files: the day it
// is expected, a file that is none, the file itself, its marks, and a print that is overdue.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import {
  at,
  type ExchangeClient,
  type Json,
  listAt,
  type Reply,
  textAt,
} from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile, zhviState } from "#test/support/shared-data.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

const SERIES = "srs.zhvi.state-tx.b2024-10.e2025-12.L0200-1000";
const query = (published: string) =>
  ({
    provider: "zillow",
    index: "zhvi",
    level: "state",
    publishedAt: `${published}T00:00:00Z`,
  }) as const;

const ok = (reply: Reply): Json => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

/** April's file without its last five months: November's, as revised since. */
async function novemberOf(exchange: ExchangeClient, april: URL): Promise<URL> {
  const lines = gunzipSync(readFileSync(april)).toString().trimEnd().split("\n");
  const cut = lines.map((line) => line.split(",").slice(0, -5).join(","));
  const path = join(exchange.dataDir, "november.csv");
  await writeFile(path, `${cut.join("\n")}\n`);
  return pathToFileURL(path);
}

test("orders rest from the expected day until the marks, and for ten days at most", async (t) => {
  const october = scenarioFile(zhviState("2024-10"));
  const april = scenarioFile(zhviState("2025-04"));
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
  const setClock = (setTo: string, time = "00:00:00") =>
    exchange.admin("clock", { setTo: `${setTo}T${time}Z` });
  await setClock("2024-11-20");
  ok(await exchange.ingest(october, query("2024-11-16")));
  const buyer = await exchange.trader("buyer", "5000");
  const seller = await exchange.trader("seller", "20000");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const place = async (side: string, amount: string, key: string): Promise<Json> => {
    const order = { marketId: SERIES, outcomeIndex: 0, side, amount, price: 0.05 };
    return ok(await exchange.post("/api/trading/orders", order, { key }));
  };
  const shown = async (): Promise<Json> => {
    const market = ok(await exchange.get(`/api/markets/${SERIES}`));
    return [at(market, "matching"), at(market, "printOverdue")];
  };
  const filled = async (order: Json): Promise<string> =>
    textAt(
      ok(await exchange.get(`/api/trading/orders/${textAt(order, "id")}`, { key: buyer.key })),
      "status",
    );
  await place("SELL", "100", seller.key);
  assert.deepEqual(await shown(), ["open", false]);

  await setClock("2024-12-20");
  assert.deepEqual(await shown(), ["awaiting_release", false]);
  const first = await place("BUY", "10", buyer.key);
  assert.equal(textAt(first, "status"), "OPEN");

  const none = await upload(exchange, "RegionID,2024-11-30\n1,2\n", query("2024-12-20"));
  assert.ok(none.status >= 400 && none.status < 500, none.text);
  assert.deepEqual(await shown(), ["awaiting_release", false], "the day is still the day");

  await setClock("2024-12-22");
  const november = await novemberOf(exchange, april);
  const release = ok(await exchange.ingest(november, query("2024-12-22")));
  assert.equal(textAt(release, "status"), "accepted");
  const id = textAt(release, "id");
  const market = async () => ok(await exchange.get(`/api/markets/${SERIES}`));
  assert.equal(at(await market(), "phase"), "AUCTION");
  const indicative = { price: 0.05, volume: "10", surplus: "-90" };
  assert.deepEqual(at(await market(), "indicative"), indicative);
  await until("half an hour is over since its marks", async () => {
    await exchange.admin("clock", { advanceSeconds: 1_800 });
    return (await filled(first)) === "FILLED";
  });
  assert.equal(at(await market(), "phase"), "CONTINUOUS");
  assert.deepEqual(await shown(), ["open", false]);

  await setClock("2025-01-20");
  const second = await place("BUY", "10", buyer.key);
  assert.equal(textAt(second, "status"), "OPEN");
  await setClock("2025-01-29");
  assert.equal(await filled(second), "OPEN");
  await setClock("2025-01-30", "15:59:59");
  assert.equal(await filled(second), "OPEN");
  await setClock("2025-01-30", "16:00:00");
  assert.equal(await filled(second), "FILLED");
  assert.deepEqual(await shown(), ["awaiting_release", true], "overdue, and met for today");
  const late = await upload(exchange, "RegionID,2024-12-31\n1,2\n", query("2025-01-30"));
  assert.ok(late.status >= 400 && late.status < 500, late.text);
  const third = await place("BUY", "5", buyer.key);
  await setClock("2025-01-31", "16:00:00");
  assert.equal(await filled(third), "FILLED", "a file that is none holds nothing");

  await setClock("2025-05-16");
  assert.equal(textAt(ok(await exchange.ingest(april, query("2025-05-16"))), "status"), "accepted");
  await until("half an hour is over since its marks", async () => {
    await exchange.admin("clock", { advanceSeconds: 1_800 });
    return String(await shown()) === "open,false";
  });

  const logs = await exchange.get("/api/audit/logs?limit=200", { key: auditor.key });
  const trail = listAt(logs.body, "data")
    .map((entry) => [at(entry, "action"), at(entry, "resource"), at(entry, "severity")])
    .filter(([action]) => /^release\.|^market\.matched/.test(String(action)))
    .reverse();
  const refused = (row: number): Json => at(trail[row], "1");
  const aprilId = trail.at(-1)?.[1];
  assert.deepEqual(trail.slice(1), [
    ["release.awaited", "zhvi", "info"],
    ["release.awaited", refused(2), "info"],
    ["release.forgotten", refused(2), "info"],
    ["release.awaited", id, "info"],
    ["release.accepted", id, "info"],
    ["market.matched", SERIES, "info"],
    ["release.awaited", "zhvi", "info"],
    ["release.overdue", "zhvi", "warning"],
    ["market.matched", SERIES, "info"],
    ["release.awaited", refused(10), "info"],
    ["release.forgotten", refused(10), "info"],
    ["market.matched", SERIES, "info"],
    ["release.awaited", aprilId, "info"],
    ["release.accepted", aprilId, "info"],
  ]);
});
