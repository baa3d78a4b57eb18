// An operator watches an exchange: /metrics on the operator's socket, its rules and board,
// and the log; all against a real process with real trades.
// Invariant tested: a number follows what happened, no name in rules or board is missing, and no
// secret, body or account stands where it does not belong.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noteBackup } from "#storage/last-backup.ts";
import { ADMIN_SECRET, checkout, Exchange } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { scraped, seriesValue } from "./scrape.ts";
import { furnish } from "./traded-world.ts";

const read = (name: string): string => readFileSync(join(checkout, "deploy", name), "utf8");

const order = (market: string, side: "BUY" | "SELL", outcomeIndex: number, price: number) => ({
  ...{ marketId: market, outcomeIndex, side, amount: "3", price },
});

const BACKED_UP = "2026-01-02T03:04:05.000Z";

test("an exchange is watched by its metrics and its log", async (t) => {
  const folder = await temporaryFolder(t, "fp-");
  const socketPath = join(folder, "operator.sock");
  const exchange = await Exchange.start(t, {
    FIRSTPRINT_OPERATOR_LISTEN: socketPath,
    FIRSTPRINT_LOG_LEVEL: "debug",
  });
  const { traders, market } = await furnish(exchange, ["buyer", "seller"], "1000000");
  const [buyer, seller] = traders;
  assert.ok(buyer !== undefined && seller !== undefined);
  const before = await scraped(socketPath);
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const headers = { traceparent };
  const bought = order(market, "BUY", 0, 0.5);
  await exchange.post("/api/trading/orders", bought, { ...buyer, headers });
  await exchange.post("/api/trading/orders", order(market, "BUY", 1, 0.5), seller);
  await exchange.post("/api/trading/orders", order(market, "BUY", 0, 0.01), seller);
  await exchange.post("/api/trading/orders", { ...bought, price: 7 }, buyer);
  await exchange.get("/api/geo/search?q=told-to-nobody");
  await noteBackup(exchange.dataDir, BACKED_UP);
  const after = await scraped(socketPath);

  await t.test("numbers follow what happened", () => {
    const grown = (series: string): number =>
      (seriesValue(after, series) ?? 0) - (seriesValue(before, series) ?? 0);
    assert.equal(grown("firstprint_fills_total"), 1);
    assert.equal(
      grown('firstprint_entries_total{action="order.placed",outcome="accepted"}'),
      3,
      "three orders",
    );
    assert.equal(grown("firstprint_open_orders"), 1);
    const route = 'route="/api/trading/orders",method="POST"';
    assert.equal(grown(`firstprint_request_seconds_count{${route},status="200"}`), 3);
    assert.equal(grown(`firstprint_request_seconds_count{${route},status="400"}`), 1);
    assert.equal(grown('firstprint_refusals_total{code="INVALID_PRICE"}'), 1);
    assert.ok(grown("firstprint_append_entries_sum") >= 3);
    assert.equal(seriesValue(after, "firstprint_leads"), 1);
    assert.equal(seriesValue(after, "firstprint_lag_seconds"), 0);
    assert.equal(seriesValue(before, "firstprint_last_backup_timestamp_seconds"), 0);
    const backedUp = Date.parse(BACKED_UP) / 1_000;
    assert.equal(seriesValue(after, "firstprint_last_backup_timestamp_seconds"), backedUp);
    assert.equal(seriesValue(after, 'firstprint_mode{mode="open"}'), 1);
    assert.equal(seriesValue(after, "firstprint_faults_total"), 0);
    const durable = seriesValue(after, "firstprint_durable_sequence") ?? 0;
    const signed = seriesValue(after, "firstprint_checkpoint_sequence") ?? 0;
    assert.ok(signed > 0 && signed <= durable, `${signed} of ${durable} are signed`);
  });

  await t.test("the operator is told of the backup, and what the exchange lacks", async () => {
    const upkeep = await exchange.get("/api/admin/upkeep", { admin: true });
    const { lastBackupAt, archive, copies } = JSON.parse(upkeep.text).data;
    assert.deepEqual({ lastBackupAt, archive }, { lastBackupAt: BACKED_UP, archive: null });
    assert.deepEqual(copies, [], "the embedded server has none");
  });

  await t.test("no number names an account, and the public surface has none", async () => {
    assert.doesNotMatch(after, /acc-\d|buyer|seller/);
    assert.equal((await exchange.get("/metrics")).status, 404);
  });

  await t.test("each name in the alert rules and on the board is served", () => {
    const served = new Set([...after.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name));
    const suffix = /_(?:bucket|sum|count)$/;
    const used = [read("prometheus/firstprint.rules.yml"), read("grafana/firstprint.json")]
      .flatMap((page) => [...page.matchAll(/\b(?:firstprint|nodejs|process)_\w+/g)])
      .map(([name]) => name.replace(suffix, ""));
    assert.ok(used.length > 30, `${used.length} names are used`);
    for (const name of used) assert.ok(served.has(name), `${name} is served`);
  });

  await t.test("a request is a line with its trace, and no secret is in the log", () => {
    const lines = exchange.output
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line): Record<string, unknown> => JSON.parse(line));
    const traced = lines.find(({ traceId }) => traceId === traceparent.split("-")[1]);
    const { method, route, status, account } = traced ?? {};
    const told = { method: "POST", route: "/api/trading/orders", status: 200, account: buyer.id };
    assert.deepEqual({ method, route, status, account }, told);
    const funded = lines.find(({ action }) => action === "account.funded");
    assert.equal(funded?.actor, "root");
    assert.equal(typeof funded?.sequence, "number");
    for (const kept of [ADMIN_SECRET, buyer.key, seller.key, "told-to-nobody"])
      assert.ok(!exchange.output.includes(kept), "no secret and no query is logged");
  });
});

const promtool = "/usr/bin/promtool";
const noPromtool = existsSync(promtool) ? false : "no promtool: apt-get install prometheus";

test("promtool takes the alert rules, and each fires where it should", { skip: noPromtool }, () => {
  const cwd = join(checkout, "deploy/prometheus");
  execFileSync(promtool, ["check", "rules", "firstprint.rules.yml"], { cwd });
  const tests = ["firstprint.tests.yml", "firstprint-hours.tests.yml"];
  execFileSync(promtool, ["test", "rules", ...tests], { cwd });
});
