// A seller of one contract on a provider's files, over HTTP, in a sandbox clock: margin asks for
// the worst scenario, which of a single position is all that it can pay, so its claim is paid
// whole.
// Invariant: every balance is known to the micro-dollar at the end.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { at, listAt, numberAt, type Reply, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile, zhviState } from "#test/support/shared-data.ts";
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

test("2023-12 → 2025-09: less than the worst scenario is refused, a claim is paid", async (t) => {
  const [first, second, third, last] = [
    scenarioFile(zhviState("2023-12")),
    scenarioFile(zhviState("2024-10")),
    scenarioFile(zhviState("2025-04")),
    scenarioFile(zhviState("2025-09")),
  ];
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
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
  const refused = await exchange.post("/api/trading/orders", sell, { key: seller.key });
  assert.equal(at(refused.body, "code"), "INSUFFICIENT_BALANCE", refused.text);
  const asked = usd(textAt(refused.body, "error", "details", "required"));
  assert.ok(asked > usd("1000") - premium, "all that the contract can pay, and the fee");
  await exchange.admin(`accounts/${seller.id}/funding`, { amount: "10" });
  ok(await exchange.post("/api/trading/orders", sell, { key: seller.key }));
  ok(await exchange.post("/api/trading/orders", buy, { key: buyer.key }));

  const health = async () => ok(await exchange.get("/api/liquidity/margin-health", seller));
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
    assert.ok(steps >= 10_000n, "what was asked at the sale still covers it");
    t.diagnostic(`${published}: health ${Number(steps) / 10_000}, ${textAt(now, "healthStatus")}`);
  }

  // The last print says that it pays in full, and the market is closed.
  await exchange.admin("clock", { setTo: "2025-10-20T00:00:00Z" });
  const settling = ok(await exchange.ingest(last, query("2025-10-16T00:00:00Z")));
  assert.deepEqual(at(settling, "resolvedMarkets"), [market]);
  const resolution = ok(await exchange.get(`/api/markets/${market}/resolution`));
  assert.ok(numberAt(resolution, "settledValue") >= 544_816);
  assert.equal(at(await health(), "frozen"), false);

  await exchange.stop();
  await exchange.up();
  await exchange.admin("clock", { advanceSeconds: 72 * 3600 });
  const final = ok(await exchange.get(`/api/markets/${market}`));
  assert.equal(textAt(final, "status"), "FINALIZED");
  assert.equal(await exchange.cash(seller.id), usd("8"));
  assert.equal(await exchange.cash(buyer.id), usd("2000") - premium - fee);
  const fund = ok(await exchange.get("/api/admin/guarantee", { admin: true }));
  assert.deepEqual(at(fund, "positions"), [], "the fund took nothing over");
  const told = listAt(ok(await exchange.get("/api/liquidity/alerts", buyer)));
  assert.deepEqual(
    told.map((alert) => textAt(alert, "type")),
    ["payout"],
  );
});
