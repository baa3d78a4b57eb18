// One protection's whole life on a provider's real files, over HTTP, in a sandbox clock. The
// exchange's figures are held against figures this test draws from the same files by itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { at, listAt, numberAt, type Reply, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile, zhviState } from "#test/support/shared-data.ts";

const query = (published: string): Record<string, string> => ({
  provider: "zillow",
  index: "zhvi",
  level: "state",
  publishedAt: published,
});

/** State → month → the text of the cell. */
function cellsOf(file: URL): Map<string, Map<string, string>> {
  const [header = "", ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const months = header.split(",").map((name) => name.slice(0, 7));
  return new Map(
    lines.map((line) => {
      const cells = line.split(",");
      return [cells[2] ?? "", new Map(months.map((month, place) => [month, cells[place] ?? ""]))];
    }),
  );
}

const texas = (file: URL): Map<string, string> => cellsOf(file).get("Texas") ?? new Map();

/** A decimal's text as an integer of 1e-15. */
function scaled(text: string | undefined): bigint {
  const [whole = "0", fraction = ""] = (text ?? "").split(".");
  return BigInt(whole + fraction.padEnd(15, "0"));
}

/** Fifteen decimals, half-even, and the twelve of a level: by long division, not by the product. */
function divided(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

const ok = (reply: Reply): unknown => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

test("2024-10 → 2025-04 → 2025-09: quoted, traded, resolved, paid, and never moved", async (t) => {
  const first = scenarioFile(zhviState("2024-10"));
  const settling = scenarioFile(zhviState("2025-04"));
  const later = scenarioFile(zhviState("2025-09"));
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
  await exchange.admin("clock", { setTo: "2024-11-20T00:00:00Z" });
  const release = ok(await exchange.ingest(first, query("2024-11-16T00:00:00Z")));
  assert.equal(textAt(release, "status"), "accepted");
  assert.equal(numberAt(release, "rows"), 51);

  const before = ok(await exchange.get("/api/index/state:tx"));
  const october = texas(first);
  assert.equal(numberAt(before, "value"), Number(october.get("2024-10")));
  assert.equal(textAt(before, "asOfMonth"), "2024-10");
  assert.equal(textAt(before, "attribution"), "Data from Zillow");
  assert.equal(textAt(before, "source"), "zhvi_first_print");

  const quote = ok(
    await exchange.get(
      "/api/quotes?node=state:tx&expiry=2025-04&notional=10000" +
        "&kind=layered&attachBps=200&exhaustBps=1000",
    ),
  );
  const market = textAt(quote, "seriesMarketId");
  assert.equal(market, "srs.zhvi.state-tx.b2024-10.e2025-04.L0200-1000");

  const hedger = await exchange.trader("hedger", "5000");
  const seller = await exchange.trader("seller", "20000.5");
  const sell = { marketId: market, outcomeIndex: 0, side: "SELL", amount: "10000", price: 0.0421 };
  const offered = ok(await exchange.post("/api/trading/orders", sell, { key: seller.key }));
  assert.equal(textAt(offered, "status"), "OPEN");
  const buy = { ...sell, side: "BUY", amount: "7500.25", price: "0.05" };
  const bought = ok(await exchange.post("/api/trading/orders", buy, { key: hedger.key }));
  assert.equal(textAt(bought, "status"), "FILLED");
  assert.equal(textAt(bought, "maker"), hedger.address);

  // 7,500.25 contracts at 0.0421, and the taker's 0.5 % of min(p, 1−p) × quantity, rounded up.
  const premium = 750_025n * 421n;
  const fee = (premium * 50n + 9_999n) / 10_000n;
  assert.equal(await exchange.cash(hedger.id), 5_000_000_000n - premium - fee);
  assert.equal(await exchange.cash(seller.id), 20_000_500_000n + premium);

  const waiting = ok(await exchange.get(`/api/markets/${market}/resolution`));
  for (const name of ["outcome", "settledValue", "comparisonValue", "resolvedAt", "observation"]) {
    assert.equal(at(waiting, name), null, `${name} is null before its stage`);
  }
  assert.equal(textAt(waiting, "status"), "ACTIVE");

  await exchange.admin("clock", { setTo: "2025-05-20T00:00:00Z" });
  const closed = ok(await exchange.get(`/api/markets/${market}`));
  assert.equal(at(closed, "tradingClosed"), true);
  const late = await exchange.post("/api/trading/orders", sell, { key: seller.key });
  assert.equal(late.status, 409);
  assert.equal(textAt(late.body, "error", "message"), "Market is closed");

  const settled = ok(await exchange.ingest(settling, query("2025-05-16T00:00:00Z")));
  assert.deepEqual(at(settled, "resolvedMarkets"), [market]);

  const april = texas(settling);
  const one = 10n ** 12n;
  const levels = levelsOf(october, april);
  const from = levels.get("2024-10") ?? one;
  const to = levels.get("2025-04") ?? one;
  const beyond = (from - to) * 10_000n - 200n * from;
  const used = beyond <= 0n ? 0n : (beyond * 1_000_000n) / (800n * from);
  const fraction = used > 1_000_000n ? 1_000_000n : used;
  const comparison = divided(scaled(april.get("2025-04")) * from, to);

  const resolved = ok(await exchange.get(`/api/markets/${market}/resolution`));
  assert.equal(textAt(resolved, "status"), "RESOLVED");
  assert.equal(numberAt(resolved, "settledValue"), Number(april.get("2025-04")));
  assert.equal(numberAt(resolved, "comparisonValue"), Number(comparison) / 1e15);
  assert.equal(numberAt(resolved, "payoutFraction"), Number(fraction) / 1e6);
  assert.equal(textAt(resolved, "outcome"), fraction > 0n ? "YES" : "NO");
  assert.equal(textAt(resolved, "observation", "dataMonth"), "2025-04");
  assert.equal(at(resolved, "finalizedAt"), null);

  await exchange.admin("clock", { advanceSeconds: 72 * 3600 });
  const final = ok(await exchange.get(`/api/markets/${market}/resolution`));
  assert.equal(textAt(final, "status"), "FINALIZED");
  const paid = (750_025n * 10_000n * fraction) / 1_000_000n;
  assert.equal(await exchange.cash(hedger.id), 5_000_000_000n - premium - fee + paid);
  assert.equal(await exchange.cash(seller.id), 20_000_500_000n + premium - paid);

  const printBefore = ok(await exchange.get(`/api/markets/${market}/resolution`));
  await exchange.admin("clock", { setTo: "2025-10-20T00:00:00Z" });
  const revised = ok(await exchange.ingest(later, query("2025-10-16T00:00:00Z")));
  assert.equal(numberAt(revised, "firstPrints"), 51 * 5);
  assert.equal(numberAt(revised, "rescaled"), 51);
  assert.deepEqual(ok(await exchange.get(`/api/markets/${market}/resolution`)), printBefore);
  assert.equal(await exchange.cash(hedger.id), 5_000_000_000n - premium - fee + paid);

  const ids = listAt(ok(await exchange.get("/api/admin/releases", { admin: true })));
  assert.equal(ids.length, 3);
  const [, second, third] = ["2024-10", "2025-04", "2025-09"].map((month) =>
    textAt(
      ids.find((candidate) => at(candidate, "lastMonth") === month),
      "id",
    ),
  );
  const diff = ok(
    await exchange.get(`/api/admin/releases/${second}/diff?against=${third}`, { admin: true }),
  );
  const falls = fallsBetween(settling, later);
  assert.ok(falls.raw > falls.chained, "a rescale looks like falls");
  assert.equal(numberAt(diff, "rawFalls"), falls.raw);
  assert.equal(numberAt(diff, "chainedFalls"), falls.chained);

  const verified = ok(await exchange.get("/api/audit/verify", { key: hedger.key }));
  assert.equal(at(verified, "valid"), true);
  assert.ok(numberAt(verified, "totalEntries") > 10);
});

/** States that fell by 2 % or more from April to September: file against file, and in one file. */
function fallsBetween(settling: URL, later: URL): { raw: number; chained: number } {
  const [april, september] = [cellsOf(settling), cellsOf(later)];
  const counts = { raw: 0, chained: 0 };
  for (const [state, cells] of september) {
    const to = Number(cells.get("2025-09"));
    if (to <= 0.98 * Number(april.get(state)?.get("2025-04"))) counts.raw += 1;
    if (to <= 0.98 * Number(cells.get("2025-04"))) counts.chained += 1;
  }
  return counts;
}

/** The chain by hand: October's file month by month, then April's own links from October on. */
function levelsOf(
  october: ReadonlyMap<string, string>,
  april: ReadonlyMap<string, string>,
): Map<string, bigint> {
  const levels = new Map<string, bigint>();
  const walk = (file: ReadonlyMap<string, string>): void => {
    let link: { readonly level: bigint; readonly value: bigint } | undefined;
    for (const [month, text] of file) {
      if (!/^\d{4}-\d{2}$/.test(month) || text === "") continue;
      const value = scaled(text);
      const known = levels.get(month);
      const level =
        known ?? (link === undefined ? 10n ** 12n : divided(link.level * value, link.value));
      levels.set(month, level);
      link = { level, value };
    }
  };
  walk(october);
  walk(april);
  return levels;
}
