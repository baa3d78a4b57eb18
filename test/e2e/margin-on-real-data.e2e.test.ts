// A seller whom a provider's prints drive from healthy through warning and critical to liquidation,
// and what the guarantee fund can pay for it: over HTTP, in a sandbox clock.
// Invariant: every balance is known to the micro-dollar at the end, and together they are zero.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { at, Exchange, listAt, numberAt, type Reply, textAt } from "#test/support/exchange.ts";
import { providerFile, zhviState } from "#test/support/shared-data.ts";
import { until } from "./until.ts";

const query = (published: string): Record<string, string> => ({
  provider: "zillow",
  index: "zhvi",
  level: "state",
  publishedAt: published,
});

const ok = (reply: Reply): unknown => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

const usd = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
};

const text = (micros: bigint): string => (Number(micros) / 1_000_000).toFixed(6);

/** That New Jersey's index stands a tenth higher in September 2025 than the file ends on. */
function termsFor(file: URL) {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const newest = lines
    .find((line) => line.includes(",New Jersey,"))
    ?.split(",")
    .at(-1);
  return {
    frontendId: "mkt-001",
    index: "zhvi",
    geoNodeId: "state:nj",
    measurementMonth: "2025-09",
    comparator: "gte",
    threshold: String(Math.ceil(1.1 * Number(newest))),
  };
}

test("2023-12 → 2025-09: warned twice by prints, liquidated by the last one", async (t) => {
  const files = ["2023-12", "2024-10", "2025-04", "2025-09"].map((month) =>
    providerFile(t, zhviState(month)),
  );
  const [first, second, third, last] = files;
  if (!first || !second || !third || !last) return;

  const exchange = await Exchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
  await exchange.admin("clock", { setTo: "2024-01-20T00:00:00Z" });
  ok(await exchange.ingest(first, query("2024-01-16T00:00:00Z")));
  const terms = termsFor(first);
  const market = textAt(at(await exchange.admin("markets", terms)), "id");
  const shown = ok(await exchange.get(`/api/markets/${market}`));
  const price = numberAt(shown, "outcomes", 0, "price");
  const premium = usd((1000 * price).toFixed(6));
  const fee = premium / 200n;
  const seller = await exchange.trader("seller", text(usd("998") - premium));
  const buyer = await exchange.trader("buyer", "1000");
  const order = { marketId: market, outcomeIndex: 0, amount: "1000", price };
  const sell = { ...order, side: "SELL" };
  const buy = { ...order, side: "BUY" };
  ok(await exchange.post("/api/trading/orders", sell, { key: seller.key }));
  ok(await exchange.post("/api/trading/orders", buy, { key: buyer.key }));

  const health = async () => ok(await exchange.get("/api/liquidity/margin-health", seller));
  const statuses = [textAt(await health(), "healthStatus")];
  for (const [published, file] of [
    ["2024-11", second],
    ["2025-05", third],
  ] as const) {
    const before = textAt(await health(), "liabilities");
    await exchange.admin("clock", { setTo: `${published}-20T00:00:00Z` });
    ok(await exchange.ingest(file, query(`${published}-16T00:00:00Z`)));
    await until("new marks", async () => textAt(await health(), "liabilities") !== before);
    const now = await health();
    const equity = usd(textAt(now, "collateralBalance")) - usd(textAt(now, "liabilities"));
    const steps = (equity * 10_000n) / usd(textAt(now, "maintenanceMargin"));
    assert.equal(numberAt(now, "marginHealth"), Number(steps) / 10_000, "the ratio of its figures");
    statuses.push(textAt(now, "healthStatus"));
  }
  assert.deepEqual(statuses, ["healthy", "warning", "critical"]);

  // The last print says that it pays in full: 998 are not 1,000, and the market is closed.
  await exchange.admin("clock", { setTo: "2025-10-20T00:00:00Z" });
  const settling = ok(await exchange.ingest(last, query("2025-10-16T00:00:00Z")));
  assert.deepEqual(at(settling, "resolvedMarkets"), [market]);
  const resolution = ok(await exchange.get(`/api/markets/${market}/resolution`));
  assert.ok(numberAt(resolution, "settledValue") >= 544_816);
  const fallen = await health();
  assert.equal(at(fallen, "frozen"), true);
  assert.equal(textAt(fallen, "collateralBalance"), "0");
  const fund = ok(await exchange.get("/api/admin/guarantee", { admin: true }));
  const left = usd("998") + fee / 2n;
  assert.equal(usd(textAt(fund, "balance")), left, "998, and half of the buyer's fee");
  assert.equal(textAt(fund, "owedAtMark"), "1000");
  assert.deepEqual(at(fund, "positions", 0, "contracts"), "1000");

  await exchange.stop();
  await exchange.up();
  const alerts = listAt(ok(await exchange.get("/api/liquidity/alerts", seller)));
  assert.deepEqual(
    alerts.map((alert) => textAt(alert, "type")),
    ["liquidation", "margin_critical", "margin_warning"],
  );

  // The fund lacks something of what it took over: the buyer is told, the market says so.
  await exchange.admin("clock", { advanceSeconds: 72 * 3600 });
  const final = ok(await exchange.get(`/api/markets/${market}`));
  assert.equal(textAt(final, "status"), "FINALIZED");
  assert.equal(usd(textAt(final, "haircut")), usd("1000") - left);
  const told = listAt(ok(await exchange.get("/api/liquidity/alerts", buyer)));
  assert.deepEqual(
    told.map((alert) => textAt(alert, "type")),
    ["haircut", "payout"],
  );
  assert.equal(await exchange.cash(seller.id), 0n);
  assert.equal(await exchange.cash(buyer.id), usd("1000") - premium - fee + left);
  const empty = ok(await exchange.get("/api/admin/guarantee", { admin: true }));
  assert.deepEqual(empty, { balance: "0", positions: [], owedAtMark: "0", owedAtMost: "0" });
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const critical = await exchange.get("/api/audit/logs?severity=critical", auditor);
  const actions = listAt(ok(critical)).map((entry) => textAt(entry, "action"));
  assert.deepEqual(actions.toSorted(), [
    "market.finalized",
    "market.marks_published",
    "release.accepted",
  ]);
});
