// The /api/liquidity endpoints, the rules and the guarantee fund, through the real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, marketId } from "#base/ids.ts";
import { parseTick } from "#base/price.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, type Closing, type Holder, order, World } from "./world.ts";

const operator = { "x-admin-secret": ADMIN_SECRET };

async function admin(world: World, url: string, body: unknown) {
  return world.post(`/api/admin/${url}`, undefined, body, operator);
}

async function mark(world: World, market: string, price: string): Promise<void> {
  const tick = parseTick(price) ?? assert.fail(price);
  const marks = [{ marketId: marketId(market), markTick: tick, stressedTick: tick }];
  const result = await world.engine.submit({
    actor: { type: "system" },
    command: publishMarks(marks),
    requestId: "marks",
    idempotency: null,
  });
  assert.ok("outcome" in result);
}

interface Stage {
  readonly world: World;
  readonly market: string;
  readonly seller: Holder;
  readonly buyer: Holder;
}

/** 1,000 contracts short at 0.4 by an institutional account that then holds 700 in cash. */
async function short(t: Closing): Promise<Stage> {
  const { world } = await PublicWorld.open(t);
  const [seller, buyer] = [await world.trader("a", "300"), await world.trader("b")];
  const market = await world.market();
  await mark(world, market, "0.4");
  const sell = order(market, { side: "SELL", amount: "1000" });
  await world.post("/api/trading/orders", seller.secret, sell);
  await world.post("/api/trading/orders", buyer.secret, order(market, { amount: "1000" }));
  return { world, market, seller, buyer };
}

const read = async (world: World, path: string, { secret }: Holder) => {
  const answer = await world.get(`/api/liquidity/${path}`, secret);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json().data;
};

test("tiers are the interface's; an unknown one and an unknown metric are not there", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const tiers = await read(world, "tiers", holder);
  assert.deepEqual(tiers, [
    {
      tier: "basic",
      maxPositionSize: 10_000,
      maxDailyVolume: 5_000,
      maxOpenPositions: 10,
      marginRequirement: 1,
      tradingFee: 0.015,
    },
    {
      tier: "standard",
      maxPositionSize: 250_000,
      maxDailyVolume: 100_000,
      maxOpenPositions: 100,
      marginRequirement: 0.1,
      tradingFee: 0.01,
    },
    {
      tier: "institutional",
      maxPositionSize: 25_000_000,
      maxDailyVolume: 10_000_000,
      maxOpenPositions: 2_000,
      marginRequirement: 0.05,
      tradingFee: 0.005,
    },
  ]);
  assert.deepEqual(await read(world, "tiers/standard", holder), tiers[1]);
  for (const path of [
    "tiers/enhanced",
    "tiers/Standard",
    "requirements/zhvi_fall",
    "requirements/vacancy_decline",
  ]) {
    const absent = await world.get(`/api/liquidity/${path}`, holder.secret);
    assert.equal(absent.statusCode, 404, path);
    assert.equal(absent.json().code, "NOT_FOUND");
  }
  for (const metric of ["zhvi", "zori", "vacancy", "weather"]) {
    const needs = await read(world, `requirements/${metric}`, holder);
    assert.deepEqual(Object.keys(needs), ["minLiquidity", "minProviders", "spreadMax"]);
    assert.ok(needs.minLiquidity > 0 && needs.spreadMax > 0, metric);
    assert.deepEqual(await read(world, `requirements/${metric}_level`, holder), needs, metric);
  }
  const declines = await read(world, "requirements/zori_decline", holder);
  assert.deepEqual(declines, await read(world, "requirements/zori", holder));
});

test("a fee estimate is exact, and consistent with itself", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const estimate = (amount: string, tier: string) =>
    read(world, `fee-estimate?amount=${amount}&tier=${tier}`, holder);
  assert.deepEqual(await estimate("1000", "institutional"), {
    fee: 5,
    netAmount: 995,
    amount: 1000,
    tier: "institutional",
    feePercent: "0.50%",
  });
  const odd = await estimate("0.3", "basic");
  assert.deepEqual([odd.fee, odd.netAmount, odd.feePercent], [0.0045, 0.2955, "1.50%"]);
  const small = await estimate("0.000001", "standard");
  assert.deepEqual([small.fee, small.netAmount], [1e-8, 9.9e-7]);
  for (const [amount, tier, field] of [
    ["-1", "basic", "amount"],
    ["1e3", "basic", "amount"],
    ["0.0000001", "basic", "amount"],
    ["10000000000000", "basic", "amount"],
    ["1", "gold", "tier"],
  ]) {
    const url = `/api/liquidity/fee-estimate?amount=${amount}&tier=${tier}`;
    const refused = await world.get(url, holder.secret);
    assert.equal(refused.statusCode, 400, url);
    assert.equal(refused.json().error.field, field);
  }
  const missing = await world.get("/api/liquidity/fee-estimate?amount=1", holder.secret);
  assert.equal(missing.json().error.field, "tier");
});

test("with a price the estimate is the fee that trading takes", async (t) => {
  const { world, market, buyer, seller } = await short(t);
  const estimate = (query: string) =>
    read(world, `fee-estimate?tier=institutional&${query}`, buyer);
  assert.deepEqual(await estimate("amount=1000&price=0.05"), {
    fee: 0.25,
    netAmount: 999.75,
    amount: 1000,
    tier: "institutional",
    feePercent: "0.03%",
  });
  const dear = await estimate("amount=1000&price=0.95");
  assert.equal(dear.fee, 0.25, "YES at 0.95 is NO at 0.05");
  const held = await world.post("/api/trading/orders", seller.secret, {
    ...order(market, { side: "SELL", amount: "33.33", price: 0.3333 }),
  });
  assert.equal(held.statusCode, 200, held.body);
  const take = order(market, { amount: "33.33", price: 0.3333 });
  await world.post("/api/trading/orders", buyer.secret, take);
  const [fill] = (await world.get("/api/trading/fills?limit=1", buyer.secret)).json().data;
  const estimated = await estimate("amount=33.33&price=0.3333");
  assert.equal(String(estimated.fee), fill.fee, "to the micro-dollar");
  for (const [query, field] of [
    ["amount=1&price=1", "price"],
    ["amount=1&price=0.00005", "price"],
    ["amount=1.001&price=0.5", "amount"],
    ["amount=0&price=0.5", "amount"],
  ]) {
    const url = `/api/liquidity/fee-estimate?tier=basic&${query}`;
    assert.equal((await world.get(url, buyer.secret)).json().error.field, field, query);
  }
});

test("a position is asked what an order is asked, in the same order", async (t) => {
  const { world, market } = await short(t);
  const ask = async (secret: string, positionSize = 5_000) =>
    (
      await world.post("/api/liquidity/validate-position", secret, {
        positionSize,
        marketId: market,
      })
    ).json().data;
  const poor = await world.trader("c", "100");
  const readOnly = await world.narrowKey(poor, ["read:markets"]);
  const verdict = await ask(readOnly);
  assert.deepEqual(
    [verdict.valid, verdict.reason, verdict.required, verdict.available],
    [false, "Insufficient balance", "2010", "100"],
    "5,000 at the mark of 0.4, and the fee",
  );
  const rich = await world.trader("d");
  assert.equal((await ask(rich.secret)).valid, true);
  await admin(world, "halt", { reason: "drill" });
  assert.match((await ask(rich.secret)).reason, /^Trading is halted/);
  await admin(world, "resume", { reason: "over" });
  await admin(world, `accounts/${rich.id}/halt`, { reason: "drill" });
  assert.match((await ask(rich.secret, 1e10)).reason, /^The account is halted/, "before its size");
  const placed = await world.post(
    "/api/trading/orders",
    rich.secret,
    order(market, { amount: "10000000000", price: 0.4 }),
  );
  assert.equal(placed.json().message, (await ask(rich.secret, 1e10)).reason, "as an order is");
});

test("health falls with the mark, alerts say so, who is liquidated is frozen", async (t) => {
  const { world, market, seller } = await short(t);
  assert.deepEqual(await read(world, "margin-health", seller), {
    collateralBalance: "700",
    totalExposure: "1000",
    marginHealth: 7.5,
    frozen: false,
    healthStatus: "healthy",
    liabilities: "400",
    maintenanceMargin: "40",
    initialMargin: "50",
    available: "250",
    bindingScenario: "tier",
    marginCall: null,
    inDefault: null,
    contribution: { amount: "0", assessment: "0" },
  });
  assert.deepEqual(await read(world, "alerts", seller), []);
  const seen: unknown[] = [];
  for (const price of ["0.655", "0.665", "0.672", "0.7"]) {
    await mark(world, market, price);
    const { marginHealth, healthStatus, frozen } = await read(world, "margin-health", seller);
    seen.push([marginHealth, healthStatus, frozen]);
  }
  assert.deepEqual(seen, [
    [1.6513, "healthy", false],
    [1.3084, "warning", false],
    [1.0606, "critical", false],
    [0, "liquidation", false],
  ]);
  const called = await read(world, "margin-health", seller);
  const dueAt = Date.UTC(2024, 10, 21) / 1000;
  assert.deepEqual(called.marginCall, { amount: "25", calledAt: dueAt - 86_400, dueAt });
  const risk = await world.get("/api/risk");
  const fundBefore = { balance: "1", setAside: "0", spare: "1" };
  const layers = [
    { layer: "exchange", balance: "0", target: "0" },
    { layer: "fund", balance: "1", target: null },
    { layer: "contributions", balance: "0", target: null },
  ];
  const uncovered = { target: "0", layers, cover1: "25", cover2: "25", isCovered: false };
  const weak = { fund: fundBefore, ...uncovered };
  const { open: _open, replay: _replay, ...standing } = risk.json().data;
  assert.deepEqual([risk.statusCode, standing], [200, weak], "anybody may ask");
  const refused = await world.post("/api/trading/orders", seller.secret, order(market));
  assert.deepEqual([refused.statusCode, refused.json().code], [422, "MARGIN_CALL"]);
  const taken = await admin(world, `accounts/${seller.id}/funding`, { amount: "-1" });
  assert.equal(taken.json().code, "MARGIN_CALL");
  await admin(world, "clock", { advanceSeconds: 86_400 });
  const after = await read(world, "margin-health", seller);
  assert.deepEqual(
    [after.healthStatus, after.frozen, after.marginCall],
    ["liquidation", true, null],
  );
  assert.deepEqual(after.inDefault, { since: dueAt, auctionId: "auc-1", owesFund: "0" });
  const auctions = await world.get("/api/trading/auctions", seller.secret);
  assert.deepEqual(auctions.json().data, [
    {
      id: "auc-1",
      openedAt: dueAt,
      closesAt: dueAt + 86_400,
      positions: [{ marketId: market, contracts: "1000" }],
      highestBid: "700",
      bid: null,
    },
  ]);
  const alerts: readonly { type: string; timestamp: number }[] = await read(
    world,
    "alerts",
    seller,
  );
  assert.deepEqual(
    alerts.map(({ type }) => type),
    ["liquidation", "margin_call", "margin_critical", "margin_warning"],
  );
  assert.equal(alerts[0]?.timestamp, dueAt);
  await admin(world, "clock", { advanceSeconds: 86_400 });
  const over = await read(world, "margin-health", seller);
  assert.deepEqual([over.marginHealth, over.healthStatus], [1, "healthy"]);
  assert.deepEqual(over.inDefault, { since: dueAt, auctionId: null, owesFund: "25" });
  const resumed = await admin(world, `accounts/${seller.id}/resume`, {});
  assert.deepEqual([resumed.statusCode, resumed.json().code], [409, "IN_DEFAULT"]);
  assert.equal((await read(world, "alerts?limit=1", seller)).length, 1);
  for (const limit of [0, 101]) {
    const refused = await world.get(`/api/liquidity/alerts?limit=${limit}`, seller.secret);
    assert.equal(refused.statusCode, 400);
  }
  const frozen = await world.post("/api/trading/orders", seller.secret, order(market));
  assert.equal(frozen.json().code, "ACCOUNT_HALTED");
  const fund = await world.get("/api/admin/guarantee", undefined, operator);
  assert.deepEqual(fund.json().data, {
    balance: "701",
    positions: [{ marketId: market, contracts: "1000", atMark: "700", atMost: "1000" }],
    owedAtMark: "700",
    owedAtMost: "1000",
  });
  await admin(world, `accounts/${seller.id}/funding`, { amount: "25" });
  assert.equal((await read(world, "margin-health", seller)).inDefault, null);
  await admin(world, `accounts/${seller.id}/resume`, {});
  assert.equal((await read(world, "margin-health", seller)).frozen, false);
});

test("a position is judged by limits and state, in the interface's words", async (t) => {
  const { world, market, buyer } = await short(t);
  await admin(world, `accounts/${buyer.id}/funding`, { amount: "20000000" });
  const ask = async (positionSize: unknown, where = market, secret = buyer.secret) =>
    (
      await world.post("/api/liquidity/validate-position", secret, {
        positionSize,
        marketId: where,
      })
    ).json();
  const { data } = await ask(5_000);
  assert.deepEqual(data, {
    valid: true,
    reason: null,
    liquidity: { resting: 0, providers: 0, spread: null, sufficient: false },
  });
  const tooLarge = (await ask(24_999_000.01)).data;
  assert.deepEqual(
    [tooLarge.valid, tooLarge.reason, tooLarge.limit],
    [false, "Position exceeds limit", "maxPosition"],
  );
  assert.equal((await ask(9_999_000)).data.valid, true, "1,000 were filled today");
  assert.equal((await ask(9_999_000.01)).data.limit, "maxDaily");
  const nobody = await world.account("c");
  assert.match(
    (await ask(1, market, nobody.secret)).data.reason,
    /^Trading and funding need an approved KYC/,
  );
  assert.equal((await ask(1, "mkt-999")).code, "MARKET_NOT_FOUND");
  for (const odd of [0, -1, 0.001, 1e11]) assert.equal((await ask(odd)).code, "INVALID_REQUEST");
  await admin(world, `markets/${market}/pause`, { reason: "drill" });
  const closed = (await ask(24_999_000.01)).data;
  assert.deepEqual([closed.valid, closed.reason], [false, "Market is closed"]);
});

test("a tightening waits five days for two people, in public; a loosening does not", async (t) => {
  const { world, seller } = await short(t);
  const other = await world.account("second", "operator");
  const change = { tiers: { institutional: { tradingFee: 0.0025, marginRequirement: 0.45 } } };
  const set = await admin(world, "rules", { ...change, liquidity: { zhvi: { minProviders: 0 } } });
  assert.equal(set.statusCode, 202, set.body);
  assert.equal(set.json().data.tiers.institutional.marginRequirement, 0.05, "nothing was done");
  const proposal = set.json().data.proposal.id;
  const agreed = await world.post(`/api/admin/proposals/${proposal}/confirm`, other.secret, {});
  assert.equal(agreed.statusCode, 200, agreed.body);
  const [announced] = (await world.get("/api/limits")).json().data.announced;
  assert.deepEqual(announced.changes, {
    "tiers.institutional.tradingFee": 0.0025,
    "tiers.institutional.marginRequirement": 0.45,
    "liquidity.zhvi.minProviders": 0,
  });
  assert.equal(Date.parse(announced.effectiveAt) - Date.parse(announced.announcedAt), 432_000_000);
  const [alert] = await read(world, "alerts", seller);
  assert.equal(alert.type, "rules");
  assert.equal((await read(world, "margin-health", seller)).healthStatus, "healthy");

  await admin(world, "clock", { setTo: announced.effectiveAt });
  const health = await read(world, "margin-health", seller);
  assert.deepEqual([health.maintenanceMargin, health.healthStatus], ["280", "critical"]);
  const shown = await world.get("/api/admin/rules", undefined, operator);
  const { tiers, liquidity, announced: left } = shown.json().data;
  assert.equal(tiers.institutional.maxPosition, 25_000_000, "what is not named stays");
  assert.deepEqual(liquidity.zhvi, { minLiquidity: 10_000, minProviders: 0, spreadMax: 0.1 });
  assert.deepEqual(left, []);
  assert.equal((await read(world, "tiers/institutional", seller)).tradingFee, 0.0025);
  const limits = (await world.get("/api/limits")).json().data;
  assert.equal(limits.kyc[2].marginRequirement, 0.45);
  const gone = await admin(world, `rules/announced/${announced.id}/withdraw`, {});
  assert.equal(gone.json().error.code, "RULES_NOT_ANNOUNCED");

  const loosened = { tiers: { institutional: { marginRequirement: 0.05 } } };
  const now = await admin(world, "rules", loosened);
  assert.equal(now.statusCode, 200, now.body);
  assert.equal((await read(world, "margin-health", seller)).healthStatus, "healthy");
});

test("a change of rules is refused with the field that is no value", async (t) => {
  const { world, market, seller } = await short(t);
  const entry = (await world.get("/api/audit/logs?action=rules.changed", seller.secret)).json();
  assert.deepEqual(entry.data, [], "an operator's act that names no account is not its own");
  for (const [body, field] of [
    [{ tiers: { basic: { tradingFee: 0.00005 } } }, "tiers.basic.tradingFee"],
    [{ tiers: { basic: { marginRequirement: 0 } } }, "tiers.basic.marginRequirement"],
    [{ tiers: { gold: {} } }, "tiers.gold"],
    [{ liquidity: { zhvi: { minProviders: 1.5 } } }, "liquidity.zhvi.minProviders"],
  ] as const) {
    const refused = await admin(world, "rules", body);
    assert.equal(refused.statusCode, 400, refused.body);
    assert.equal(refused.json().error.field, field);
  }
  assert.equal((await world.post("/api/admin/rules", seller.secret, {})).statusCode, 403);
  const publicMarket = (await world.get(`/api/markets/${market}`)).json().data;
  assert.equal(publicMarket.haircut, "0");
});

test("a market's liquidity is its book against what its index kind requires", async (t) => {
  const { world, market, seller, buyer } = await short(t);
  const liquidity = async () => (await world.get(`/api/markets/${market}`)).json().data.liquidity;
  await world.post("/api/trading/orders", buyer.secret, order(market, { amount: "9000" }));
  const funding = { amount: "100000" };
  await admin(world, `accounts/${accountId(seller.id)}/funding`, funding);
  const ask = order(market, { side: "SELL", amount: "999.99", price: 0.5 });
  await world.post("/api/trading/orders", seller.secret, ask);
  const thin = { resting: 9_999.99, providers: 2, spread: 0.1, sufficient: false };
  assert.deepEqual(await liquidity(), thin);
  const more = order(market, { side: "SELL", amount: "0.01", price: 0.6 });
  await world.post("/api/trading/orders", seller.secret, more);
  assert.deepEqual(await liquidity(), { ...thin, resting: 10_000, sufficient: true });
});

test("the guarantee fund takes deposits, and nothing else", async (t) => {
  const { world } = await PublicWorld.open(t);
  const done = await admin(world, "guarantee", { amount: "2500.5", memo: "seed" });
  assert.deepEqual(done.json().data, { balance: "2500.5" });
  for (const amount of ["-1", "0", "1e3", "0.0000001", "1000000000000.1"]) {
    const refused = await admin(world, "guarantee", { amount });
    assert.equal(refused.json().error.field, "amount", amount);
  }
});

test("the layers of the fund: a target, the exchange's own deposit, contributions", async (t) => {
  const { world, market, seller } = await short(t);
  const rules = (body: object) => admin(world, "rules", body);
  const odd = await rules({ fund: { target: 0.5 } });
  assert.deepEqual([odd.statusCode, odd.json().error.field], [400, "fund.target"]);
  const first = await rules({ fund: { target: 1000 } });
  assert.equal(first.statusCode, 202, "it asks sellers for more: two people, five days ahead");
  const dear = await rules({ price: { carry: 0.05 } });
  assert.equal(dear.statusCode, 202, "so does a dearer carry, of all who hold something");
  assert.equal((await rules({ price: { carry: 0.03 } })).statusCode, 200, "a cheaper one: at once");
  const wrong = await admin(world, "guarantee", { amount: "250", layer: "members" });
  assert.deepEqual([wrong.statusCode, wrong.json().error.field], [400, "layer"]);
  const funded = await admin(world, "guarantee", { amount: "250", layer: "exchange" });
  assert.deepEqual([funded.statusCode, funded.json().data.balance], [200, "250"]);
  const { layers, fund } = (await world.get("/api/risk")).json().data;
  assert.deepEqual(layers[0], { layer: "exchange", balance: "250", target: "0" });
  assert.equal(fund.balance, layers[1].balance, "the fund itself has no more than before");
  await mark(world, market, "0.45");
  const { contribution } = await read(world, "margin-health", seller);
  assert.deepEqual(contribution, { amount: "0", assessment: "0" }, "not before the day");
});

test("the margin of what is not there yet: by scenario, and nothing is done", async (t) => {
  const { world, market, seller } = await short(t);
  const preview = (body: object) => world.post("/api/trading/margin/preview", seller.secret, body);
  const listed = await world.get("/api/risk/scenarios");
  const { version, scenarios } = listed.json().data;
  assert.equal(version, 1);
  const before = await read(world, "margin-health", seller);
  assert.equal(before.bindingScenario, "tier");
  const now = (await preview({})).json().data;
  assert.deepEqual(
    now.scenarios.map(({ id }: { readonly id: string }) => id),
    ["tier", ...scenarios.map(({ id }: { readonly id: string }) => id)],
  );
  assert.deepEqual(
    [now.maintenanceMargin, now.initialMargin, now.available],
    [before.maintenanceMargin, before.initialMargin, before.available],
  );
  const line = { marketId: market, outcomeIndex: 0, side: "SELL", amount: "100", price: "0.5" };
  const filled = (await preview({ positions: [line] })).json().data;
  const resting = (await preview({ orders: [line] })).json().data;
  // A tenth more of the same short, sold at 0.5: the premium comes in, less a quarter of fee.
  assert.equal(Number(filled.cash), Number(now.cash) + 49.75);
  assert.equal(Number(filled.maintenanceMargin), 1.1 * Number(now.maintenanceMargin));
  assert.equal(resting.maintenanceMargin, now.maintenanceMargin);
  assert.deepEqual(await read(world, "margin-health", seller), before, "nothing is done");
  for (const [body, field] of [
    [{ positions: [{ ...line, price: "1" }] }, "positions[0].price"],
    [{ orders: [line, { ...line, amount: "0" }] }, "orders[1].amount"],
    [{ orders: [{ ...line, marketId: "nothing" }] }, "orders[0].marketId"],
    [{ positions: [{ ...line, postOnly: true }] }, "positions[0].postOnly"],
  ] as const) {
    const refused = await preview(body);
    assert.ok(refused.statusCode >= 400 && refused.statusCode < 500, refused.body);
    const { error } = refused.json();
    assert.equal(error.errors?.[0]?.field ?? error.field, field, refused.body);
  }
});

test("a seller beyond the floor needs more, by the rules that limits show", async (t) => {
  const { world, market, seller } = await short(t);
  const rules = (body: object) => admin(world, "rules", body);
  for (const field of ["share", "rate"]) {
    const odd = await rules({ concentration: { [field]: 0.00005 } });
    const path = `concentration.${field}`;
    assert.deepEqual([odd.statusCode, odd.json().error.field], [400, path]);
  }
  assert.equal((await rules({ concentration: { rate: 0.2 } })).statusCode, 202, "two people");
  const asked = { share: 0.2, floor: 100_000, rate: 0.1 };
  assert.deepEqual((await world.get("/api/limits")).json().data.concentration, asked);
  const before = await read(world, "margin-health", seller);
  const line = { marketId: market, outcomeIndex: 0, side: "SELL", amount: "149000", price: "0.5" };
  const body = { positions: [line] };
  const previewed = await world.post("/api/trading/margin/preview", seller.secret, body);
  const { maintenanceMargin, initialMargin } = previewed.json().data;
  assert.equal(Number(maintenanceMargin), 150 * Number(before.maintenanceMargin) + 5_000);
  assert.equal(Number(initialMargin), 150 * Number(before.initialMargin) + 5_000);
});
