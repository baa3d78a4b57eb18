// A tour of every operation on a running exchange, each request and its answer as they went by.
// Invariant: every request is answered with 200, and two tours record the same.
import { type Exchange, listAt, type Trader, textAt } from "#test/support/exchange.ts";
import type { Example } from "../../tools/openapi-document.ts";
import { type Recorded, Recorder } from "./recorder.ts";
import { clear, openAccounts, openTrader, readAccounts } from "./tour-accounts.ts";
import { auction, type Operators } from "./tour-auction.ts";
import { negotiate, stand } from "./tour-liquidity.ts";
import { readTrading } from "./tour-trading.ts";

/** `onAnswer` sees every answer as it came, before anything is put in its usual form. */
export async function tour(
  exchange: Exchange,
  onAnswer: Recorded,
): Promise<ReadonlyMap<string, Example>> {
  const recorder = new Recorder(exchange, onAnswer);
  await openDoors(recorder);
  await bringPrints(recorder);
  await readPublic(recorder);
  const [buyer, seller] = await openAccounts(recorder);
  await readAccounts(recorder, buyer);
  await recorder.do("POST", "/api/admin/clock", { body: { advanceSeconds: 60 } });
  await trade(recorder, buyer, seller);
  await stand(recorder, seller);
  await negotiate(recorder, buyer, seller);
  await subscribe(recorder, seller);
  await bust(recorder);
  const operators = await operate(recorder, buyer);
  await rule(recorder);
  await readOwn(recorder, buyer);
  await readMargin(recorder, seller);
  await settle(recorder, seller);
  await auction(recorder, buyer, operators);
  await holdBack(recorder);
  await readTrail(recorder, buyer);
  await fallBack(recorder, buyer, operators);
  return recorder.examples;
}

const FIRST_MONTHS = 25;

/**
 * ZHVI of three states in the provider's layout, made up, up to October or November 2024.
 * `jump`: what the last state's newest month is multiplied by.
 */
function stateFile(months: number, times = 1, jump = 1): string {
  const ends = Array.from({ length: months }, (_, step) =>
    new Date(Date.UTC(2022, 10 + step, 0)).toISOString().slice(0, 10),
  );
  const states = ["9,0,California,state,", "54,1,Texas,state,", "43,2,New York,state,"];
  const rows = states.map((state, at) => {
    const values = ends.map((_, step) => {
      const factor = at === 2 && step === months - 1 ? times * jump : times;
      return String((factor * (1_960_003 + 630_000 * at + 3_151 * step)) / 7);
    });
    return [state, ...values].join(",");
  });
  const header = ["RegionID,SizeRank,RegionName,RegionType,StateName", ...ends].join(",");
  return `${[header, ...rows].join("\n")}\n`;
}

const published = (publishedAt: string) => ({
  provider: "zillow",
  index: "zhvi",
  level: "state",
  publishedAt,
});

async function openDoors(recorder: Recorder): Promise<void> {
  await recorder.do("POST", "/api/admin/clock", { body: { setTo: "2024-11-20T00:00:00Z" } });
  await recorder.do("GET", "/api/status");
  await recorder.do("GET", "/api/health/live");
  await recorder.do("GET", "/api/health/ready");
  const issued = await recorder.do("POST", "/api/dev/api-keys", {
    body: { label: "charts", scopes: ["index:read"], rateLimit: 6_000, expiresInDays: 90 },
  });
  recorder.publicKey = textAt(issued, "key");
  const mistaken = await recorder.do("POST", "/api/dev/api-keys", { body: { label: "charst" } });
  const params = { id: textAt(mistaken, "id") };
  await recorder.do("DELETE", "/api/dev/api-keys/:id", { params });
  await recorder.do("GET", "/api/dev/api-keys");
  await recorder.do("GET", "/api/time");
  await recorder.do("GET", "/api/risk");
  await recorder.do("GET", "/api/model");
  await recorder.do("GET", "/api/risk/scenarios");
  await recorder.do("GET", "/api/limits");
}

async function bringPrints(recorder: Recorder): Promise<void> {
  const places = [
    "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
    "county:48453,county,Travis County,TX,48453,,state:tx,590000,",
    "city:austin-tx,city,Austin,TX,,ATX,county:48453,480000,",
    "zip:78701,zip,78701,TX,,Downtown Austin,city:austin-tx,9000,",
  ];
  await recorder.do("POST", "/api/admin/geo", { file: `${places.join("\n")}\n` });
  await recorder.do("POST", "/api/admin/releases", {
    query: published("2024-11-16T00:00:00Z"),
    file: stateFile(FIRST_MONTHS),
  });
}

async function readPublic(recorder: Recorder): Promise<void> {
  const texas = { nodeId: "state:tx" };
  await recorder.do("GET", "/api/index/:nodeId", { params: texas, query: { index: "zhvi" } });
  await recorder.do("GET", "/api/index/:nodeId", { params: texas, query: { asOf: "2024-11-20" } });
  await recorder.do("GET", "/api/index", { query: { ids: "state:tx,state:ca,zip:00000" } });
  await recorder.do("GET", "/api/index/:nodeId/prints", { params: texas, query: { limit: "2" } });
  await recorder.do("GET", "/api/index/:nodeId/burn", { params: texas, query: { months: "12" } });
  const month = { month: "2024-10" };
  await recorder.do("GET", "/api/index/:nodeId/vintages", { params: texas, query: month });
  await recorder.do("GET", "/api/overview", {
    query: { level: "state", state: "TX", months: "12" },
  });
  const releases = await recorder.do("GET", "/api/releases", { query: { index: "zhvi" } });
  const id = textAt(listAt(releases)[0], "id");
  await recorder.do("GET", "/api/releases/:id", { params: { id } });
  await recorder.do("GET", "/api/admin/releases", { query: { limit: "1" } });
  await recorder.do("GET", "/api/admin/releases/:id", { params: { id } });
  await recorder.do("GET", "/api/geo/search", { query: { q: "austin", state: "TX" } });
  await recorder.do("GET", "/api/geo/:id", { params: { id: "zip:78701" } });
  await recorder.do("GET", "/api/geo", { query: { ids: "zip:78701,zip:00000" } });
  await recorder.do("GET", "/api/quotes", { query: layer });
  const asked = {
    ...layer,
    attachBps: 200,
    exhaustBps: 1_000,
    notional: 50_000,
    node: "zip:00000",
  };
  const quotes = [{ ...asked, node: "state:tx" }, asked];
  await recorder.do("POST", "/api/quotes/bulk", { body: { quotes } });
}

const layer = {
  node: "state:tx",
  expiry: "2025-10",
  notional: "50000",
  kind: "layered",
  attachBps: "200",
  exhaustBps: "1000",
};

const SERIES = "srs.zhvi.state-tx.b2024-10.e2025-10.L0200-1000";

const LEVEL = { index: "zhvi", geoNodeId: "state:tx", comparator: "gte", threshold: "380000" };

async function acceptQuote(recorder: Recorder, buyer: Trader, seller: Trader): Promise<void> {
  const offer = { marketId: SERIES, outcomeIndex: 0, side: "SELL", amount: "200", price: 0.01 };
  await recorder.do("POST", "/api/trading/orders", { key: seller.key, body: offer });
  await recorder.do("POST", "/api/admin/financing", { body: { amount: "5000", memo: "seed" } });
  await recorder.do("GET", "/api/admin/financing");
  const line = { params: { id: buyer.id }, body: { line: "1000" } };
  await recorder.do("POST", "/api/admin/accounts/:id/credit", line);
  const acceptances = "/api/trading/acceptances";
  const body = {
    marketId: SERIES,
    amount: "200",
    limitPrice: 0.01,
    structure: "installments",
    downPaymentBps: 2_500,
    months: 3,
    aprBps: 900,
  };
  await recorder.do("POST", `${acceptances}/preview`, { key: buyer.key, body });
  const accepted = await recorder.do("POST", acceptances, { key: buyer.key, body });
  const params = { acceptanceId: textAt(accepted, "id") };
  await recorder.do("GET", acceptances, { key: buyer.key });
  await recorder.do("GET", `${acceptances}/:acceptanceId`, { key: buyer.key, params });
  const payment = { key: buyer.key, params, body: { through: 1 } };
  await recorder.do("POST", `${acceptances}/:acceptanceId/payments`, payment);
}

async function trade(recorder: Recorder, buyer: Trader, seller: Trader): Promise<void> {
  const order = (side: string, amount: string, price: number, marketId = SERIES) => ({
    marketId,
    outcomeIndex: 0,
    side,
    amount,
    price,
  });
  const orders = "/api/trading/orders";
  await recorder.do("POST", orders, { key: buyer.key, body: order("BUY", "1000", 0.11) });
  const batch = { orders: [order("SELL", "400", 0.11), order("SELL", "250", 0.18)] };
  const placed = await recorder.do("POST", `${orders}/batch`, { key: seller.key, body: batch });
  const params = { orderId: textAt(listAt(placed)[1], "id") };
  await recorder.do("DELETE", `${orders}/:orderId`, { key: seller.key, params });
  await amend(recorder, buyer);
  const body = { marketId: SERIES };
  await recorder.do("POST", `${orders}/cancel-all`, { key: buyer.key, body });
  await acceptQuote(recorder, buyer, seller);

  const market = { ...LEVEL, frontendId: "mkt-101", measurementMonth: "2024-11" };
  await recorder.do("POST", "/api/admin/markets", { body: market });
  const level = order("BUY", "100", 0.4, "mkt-101");
  await recorder.do("POST", orders, { key: buyer.key, body: level });
  const other = order("SELL", "100", 0.4, "mkt-101");
  await recorder.do("POST", orders, { key: seller.key, body: other });
  await recorder.do("GET", "/api/markets", { query: { state: "TX", level: "state", limit: "1" } });
  await recorder.do("GET", "/api/markets/:id", { params: { id: "mkt-101" } });
  await readTrading(recorder, buyer, order);
}

/** A webhook from its setting to its end. */
async function subscribe(recorder: Recorder, { key }: Trader): Promise<void> {
  const webhooks = "/api/trading/webhooks";
  const body = { url: "https://desk.example/firstprint", types: ["fill", "cash"] };
  const params = { webhookId: textAt(await recorder.do("POST", webhooks, { key, body }), "id") };
  const one = `${webhooks}/:webhookId`;
  await recorder.do("GET", webhooks, { key });
  await recorder.do("GET", one, { key, params });
  // Before there is anything to deliver: an attempt is written down a moment after it was made.
  await recorder.do("GET", `${one}/deliveries`, { key, params });
  await recorder.do("POST", `${one}/rotate-secret`, { key, params });
  await recorder.do("POST", `${one}/replay`, { key, params, body: { fromSequence: 1 } });
  await recorder.do("DELETE", one, { key, params });
}

async function readOwn(recorder: Recorder, { key }: Trader): Promise<void> {
  const limit = "1";
  await recorder.do("GET", "/api/trading/account", { key });
  await recorder.do("GET", "/api/trading/positions", { key, query: { held: "true", limit } });
  const orders = await recorder.do("GET", "/api/trading/orders", {
    key,
    query: { marketId: SERIES, limit },
  });
  const params = { orderId: textAt(listAt(orders)[0], "id") };
  await recorder.do("GET", "/api/trading/orders/:orderId", { key, params });
  await recorder.do("GET", "/api/trading/fills", { key, query: { marketId: SERIES } });
  const told = { types: "order,fill,position", lastEventId: "0" };
  await recorder.follow("/api/trading/stream", told, key);
  await recorder.do("GET", "/api/trading/ledger", { key, query: { reason: "premium", limit } });
  await recorder.do("GET", "/api/trading/statement", { key, query: { month: "2024-11" } });
}

/** Carries out the other acts on orders, with those that rest in the series. */
async function amend(recorder: Recorder, { key }: Trader): Promise<void> {
  const params = { orderId: "ord-1" };
  const changes = { price: 0.12, amount: "900" };
  await recorder.do("PATCH", "/api/trading/orders/:orderId", { key, params, body: changes });
  const sale = { marketId: SERIES, outcomeIndex: 0, side: "SELL", amount: "500", price: 0.2 };
  const body = { ...sale, reduceOnly: true, postOnly: true };
  await recorder.do("POST", "/api/trading/orders/preview", { key, body });
  const whatIf = { positions: [sale], orders: [sale] };
  await recorder.do("POST", "/api/trading/margin/preview", { key, body: whatIf });
  await recorder.do("POST", "/api/trading/cancel-after", { key, body: { seconds: 60 } });
  await recorder.do("POST", "/api/trading/cancel-after", { key, body: { seconds: 0 } });
  const limits = { withinSeconds: 10, maxContracts: "2500", maxFills: 20 };
  await recorder.do("POST", "/api/trading/protection", { key, body: limits });
  await recorder.do("GET", "/api/trading/protection", { key });
  await recorder.do("POST", "/api/trading/protection/reset", { key });
  await tourGroups(recorder, key);
}

async function tourGroups(recorder: Recorder, key: string): Promise<void> {
  const params = { group: "texas" };
  const limits = { withinMillis: 250, maxContracts: "2500", maxFills: 20 };
  await recorder.do("POST", "/api/trading/groups/:group", { key, params, body: limits });
  await recorder.do("GET", "/api/trading/groups", { key });
  await recorder.do("POST", "/api/trading/groups/:group/reset", { key, params });
}

/** A margin that two people raise, and one of them proposes not to raise after all. */
async function announce(recorder: Recorder, key: string, other: string): Promise<void> {
  const body = { tiers: { enhanced: { marginRequirement: 0.12 } } };
  const asked = await recorder.do("POST", "/api/admin/rules", { key, body });
  const params = { id: textAt(asked, "proposal", "id") };
  await recorder.do("POST", "/api/admin/proposals/:id/confirm", { key: other, params });
  const rules = await recorder.do("GET", "/api/admin/rules");
  const announced = { id: textAt(rules, "announced", "0", "id") };
  const place = "/api/admin/rules/announced/:id/withdraw";
  await recorder.do("POST", place, { key, params: announced });
}

/** Two operators are opened, one proposes, root or the other agrees. */
async function operateInTwo(recorder: Recorder, id: string): Promise<Operators> {
  const others = ["admin:funding", "admin:settle", "admin:exchange"];
  const permissions = ["admin:read", "admin:accounts", ...others];
  const keys: string[] = [];
  for (const name of ["First Operator", "Second Operator"]) {
    const body = { name, role: "operator", permissions };
    const opened = await recorder.do("POST", "/api/admin/accounts", { body });
    keys.push(textAt(opened, "key", "secret"));
  }
  const [key = "", other = ""] = keys;
  const amount = { amount: "2500000", memo: "two people agree" };
  const funding = "/api/admin/accounts/:id/funding";
  const asked = await recorder.do("POST", funding, { key, params: { id }, body: amount });
  const params = { id: textAt(asked, "proposal", "id") };
  await recorder.do("GET", "/api/admin/proposals", { key });
  await recorder.do("POST", "/api/admin/proposals/:id/confirm", { key: other, params });
  await announce(recorder, key, other);
  for (const verb of ["off", "on"] as const) {
    const proposed = await recorder.do("POST", `/api/admin/root/${verb}`, { key });
    const waiting = { id: textAt(proposed, "proposal", "id") };
    await recorder.do("POST", "/api/admin/proposals/:id/withdraw", { key, params: waiting });
  }
  await recorder.do("POST", "/api/admin/funding-limit", { key, body: { limit: 500_000 } });
  return [key, other];
}

async function operate(recorder: Recorder, { id }: Trader): Promise<Operators> {
  const reason = { reason: "a look at the prints" };
  const owner = { owner: id };
  await recorder.do("POST", "/api/admin/accounts/:id/owner", { params: { id }, body: owner });
  await recorder.do("POST", "/api/admin/accounts/:id/halt", { params: { id }, body: reason });
  await recorder.do("POST", "/api/admin/accounts/:id/resume", { params: { id }, body: {} });
  await recorder.do("POST", "/api/admin/accounts/:id/caps", {
    params: { id },
    body: { maxDaily: "9000000", maxOpenOrders: 900 },
  });
  // Root founds as yet, so that it gives a key by itself.
  const former = { name: "Former Trader", role: "trader" };
  const opened = await recorder.do("POST", "/api/admin/accounts", { body: former });
  const lost = { id: textAt(opened, "account", "id") };
  const body = { label: "after a lost one" };
  await recorder.do("POST", "/api/admin/accounts/:id/keys", { params: lost, body });
  await recorder.do("DELETE", "/api/admin/accounts/:id/keys", { params: lost });
  const operators = await operateInTwo(recorder, id);
  await recorder.do("POST", "/api/admin/windows", { body: { index: "weather", ...reason } });
  await recorder.do("POST", "/api/admin/halt", { body: reason });
  await recorder.do("POST", "/api/admin/resume", { body: { reason: "the prints are sound" } });
  const market = { ...LEVEL, frontendId: "mkt-102", measurementMonth: "2025-03" };
  await recorder.do("POST", "/api/admin/markets", { body: market });
  const params = { id: "mkt-102" };
  await recorder.do("POST", "/api/admin/markets/:id/pause", { params, body: reason });
  await recorder.do("POST", "/api/admin/markets/:id/resume", { params, body: reason });
  const mistake = { reason: "listed by mistake" };
  await recorder.do("POST", "/api/admin/markets/:id/cancel", { params, body: mistake });
  await recorder.do("GET", "/api/admin/markets/:id", { params });
  const right = { reason: "it was the right month" };
  const withdrawal = "/api/admin/markets/:id/cancel-withdrawal";
  await recorder.do("POST", withdrawal, { params, body: right });
  return operators;
}

async function readMargin(recorder: Recorder, { key }: Trader): Promise<void> {
  await recorder.do("GET", "/api/liquidity/tiers", { key });
  await recorder.do("GET", "/api/liquidity/tiers/:tier", { key, params: { tier: "standard" } });
  const params = { metricType: "zhvi" };
  await recorder.do("GET", "/api/liquidity/requirements/:metricType", { key, params });
  const body = { positionSize: 2_500, marketId: SERIES };
  await recorder.do("POST", "/api/liquidity/validate-position", { key, body });
  await recorder.do("GET", "/api/liquidity/margin-health", { key });
  const query = { amount: "1000", tier: "institutional" };
  await recorder.do("GET", "/api/liquidity/fee-estimate", { key, query });
  await recorder.do("GET", "/api/liquidity/alerts", { key, query: { limit: "5" } });
}

async function rule(recorder: Recorder): Promise<void> {
  await recorder.do("GET", "/api/admin/rules");
  await recorder.do("GET", "/api/admin/guarantee");
  await recorder.do("POST", "/api/admin/guarantee", { body: { amount: "5000", memo: "seed" } });
  const tiers = { enhanced: { tradingFee: 0.01, maxOpenPositions: 120 } };
  const body = { tiers, liquidity: { zhvi: { minLiquidity: 20_000 } } };
  await recorder.do("POST", "/api/admin/rules", { body });
}

/** Five times what it was a month before: validation holds it back until people have looked. */
async function holdBack(recorder: Recorder): Promise<void> {
  await recorder.do("POST", "/api/admin/clock", { body: { setTo: "2025-01-20T00:00:00Z" } });
  const held = await recorder.do("POST", "/api/admin/releases", {
    query: published("2025-01-16T00:00:00Z"),
    // As nobody has published it yet.
    file: stateFile(FIRST_MONTHS + 2).replace("SizeRank", "Size Rank"),
    shownAs: "held",
  });
  const params = { id: textAt(held, "id") };
  await recorder.do("POST", "/api/admin/releases/:id/approve", { params });
  const body = { reason: "the provider withdrew the file" };
  await recorder.do("POST", "/api/admin/releases/:id/reject", { params, body });

  // One state alone: it is held, and the others' prints count.
  const release = await recorder.do("POST", "/api/admin/releases", {
    query: published("2025-01-17T00:00:00Z"),
    file: stateFile(FIRST_MONTHS + 2, 1, 1.2),
    shownAs: "heldPlace",
  });
  await recorder.do("GET", "/api/admin/held-places", {});
  await recorder.do("GET", "/api/admin/queue", { query: { kind: "place" } });
  const place = { id: textAt(release, "id"), nodeId: "state:ny" };
  const decide = "/api/admin/releases/:id/places/:nodeId";
  await recorder.do("POST", `${decide}/approve`, { params: place });
  await recorder.do("POST", `${decide}/reject`, { params: place, body });

  // The provider goes on with New York under another id.
  await recorder.do("POST", "/api/admin/releases", {
    query: published("2025-01-18T00:00:00Z"),
    file: stateFile(FIRST_MONTHS + 2).replace("43,2,New York", "1043,2,New York"),
  });
  const renamed = { params: { nodeId: "state:ny" }, body: { index: "zhvi", regionId: "1043" } };
  await recorder.do("POST", "/api/admin/places/:nodeId/rename", renamed);
}

/** The newest trade of a market is far off its mark: two people may undo it. */
async function bust(recorder: Recorder): Promise<void> {
  const trades = await recorder.do("GET", "/api/markets/:id/trades", { params: { id: "mkt-101" } });
  const params = { id: textAt(listAt(trades)[0], "id") };
  const body = { reason: "a digit too many" };
  await recorder.do("POST", "/api/admin/fills/:id/bust", { params, body });
}

async function settle(recorder: Recorder, seller: Trader): Promise<void> {
  await recorder.do("POST", "/api/admin/clock", { body: { setTo: "2024-12-18T00:00:00Z" } });
  const release = await recorder.do("POST", "/api/admin/releases", {
    query: published("2024-12-16T00:00:00Z"),
    file: stateFile(FIRST_MONTHS + 1),
  });
  const later = textAt(release, "id");
  const releases = await recorder.do("GET", "/api/releases", {});
  const earlier = textAt(listAt(releases)[1], "id");
  const query = { against: earlier, fallBps: "200" };
  await recorder.do("GET", "/api/admin/releases/:id/diff", { params: { id: later }, query });

  const params = { id: "mkt-101" };
  await recorder.do("GET", "/api/markets/:id/resolution", { params });
  const certified = { key: seller.key, params: { marketId: "mkt-101" } };
  await recorder.do("GET", "/api/trading/certificates/:marketId", certified);
  const dispute = { reason: "the print reads otherwise", evidence: "https://example.com/print" };
  await recorder.do("POST", "/api/markets/:id/disputes", {
    key: seller.key,
    params,
    body: dispute,
  });
  const decide = "/api/admin/markets/:id/dispute-decision";
  const decision = { decision: "uphold", evidence: "the raw file has it so" };
  await recorder.do("POST", decide, { params, body: decision });
}

async function readTrail(recorder: Recorder, { key }: Trader): Promise<void> {
  const query = { action: "order.placed", limit: "1" };
  await recorder.do("GET", "/api/audit/logs", { key, query });
  await recorder.do("GET", "/api/audit/search", { key, query });
  await recorder.do("GET", "/api/audit/stats", { key });
  await recorder.do("GET", "/api/audit/verify", { key });
  const from = String(Date.UTC(2024, 11, 1) / 1000);
  await recorder.do("GET", "/api/audit/export", { key, query: { startTime: "0", endTime: from } });
  await recorder.do("GET", "/api/checkpoint");
  await recorder.do("GET", "/api/log");
  await recorder.do("GET", "/api/log/inclusion/:sequence", { params: { sequence: "1" } });
  await recorder.do("GET", "/api/log/consistency", { query: { from: "1", to: "1" } });
  await recorder.do("GET", "/api/admin/refusals");
  await recorder.do("GET", "/api/admin/upkeep");
  await recorder.do("GET", "/api/admin/downloads");
}

/** A market whose print never comes: 60 days later its terms say what to do. */
async function fallBack(recorder: Recorder, buyer: Trader, operators: Operators): Promise<void> {
  const market = { ...LEVEL, frontendId: "mkt-103", measurementMonth: "2025-04" };
  await recorder.do("POST", "/api/admin/markets", { body: market });
  await recorder.do("POST", "/api/admin/clock", { body: { setTo: "2025-08-01T00:00:00Z" } });
  await recorder.do("GET", "/api/trading/settlements", { key: buyer.key, query: { limit: "2" } });
  const body = { reason: "the provider stopped the series" };
  await recorder.do("POST", "/api/admin/markets/:id/fallback", { params: { id: "mkt-103" }, body });
  await markInCash(recorder, buyer, operators, body);
}

/** A level that was printed, and whose own print does not come: sellers of others mark it. */
async function markInCash(
  recorder: Recorder,
  buyer: Trader,
  [key, other]: Operators,
  body: { readonly reason: string },
): Promise<void> {
  const seller = await openTrader(recorder, "Delta Re");
  await clear(recorder, seller, "800");
  const listed = { ...LEVEL, frontendId: "mkt-105", measurementMonth: "2026-06" };
  await recorder.do("POST", "/api/admin/markets", { body: listed });
  const order = { marketId: "mkt-105", outcomeIndex: 0, amount: "10", price: 0.5 };
  for (const [side, trader] of [
    ["SELL", seller],
    ["BUY", buyer],
  ] as const) {
    await recorder.do("POST", "/api/trading/orders", { key: trader.key, body: { ...order, side } });
  }
  await recorder.do("POST", "/api/admin/clock", { body: { setTo: "2025-10-01T00:00:00Z" } });
  const market = { id: "mkt-104" };
  const url = "/api/admin/markets/:id/fallback";
  const waiting = await recorder.do("POST", url, { key, params: market, body });
  const params = { id: textAt(waiting, "proposal", "id") };
  await recorder.do("POST", "/api/admin/proposals/:id/confirm", { key: other, params });
  const own = { key: seller.key, params: { marketId: "mkt-104" }, body: { price: "0.25" } };
  await recorder.do("POST", "/api/trading/marks/:marketId", own);
  await recorder.do("GET", "/api/trading/marks", { key: seller.key });
}
