// Markets end, and each account sees its own part: amended or not, void, page by page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { type Holder, order } from "./world.ts";

const SHOWN = ["kind", "amount", "outcome", "payoutFraction", "payout", "missing", "amended"];
const URL = "/api/trading/settlements";

/** Three level markets of Texas, each with a seller of 10 and a buyer. */
async function stage(t: Parameters<typeof PublicWorld.open>[0]) {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const [seller, buyer] = [await world.world.trader("a"), await world.world.trader("b")];
  for (const [frontendId, threshold] of [
    ["mkt-001", "300000"],
    ["mkt-002", "200000"],
    ["mkt-003", "310000"],
  ] as const) {
    const terms = { index: "zhvi", geoNodeId: "state:tx", measurementMonth: "2024-11" };
    const body = { frontendId, ...terms, comparator: "gte", threshold };
    assert.equal((await world.admin("POST", "markets", body)).status, 200);
    const sell = order(frontendId, { side: "SELL", amount: "10", price: 0.4 });
    await world.world.post("/api/trading/orders", seller.secret, sell);
    const buy = order(frontendId, { amount: "10", price: 0.4 });
    const placed = await world.world.post("/api/trading/orders", buyer.secret, buy);
    assert.equal(placed.statusCode, 200, placed.body);
  }
  const list = async ({ secret }: Holder, query = ""): Promise<unknown> => {
    const answer = await world.world.get(`${URL}${query}`, secret);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };
  return { world, seller, buyer, list };
}

const rows = (answer: unknown): unknown[] =>
  listAt(answer, "data").map((item) => SHOWN.map((name) => at(item, name)));

async function amend(world: PublicWorld, market: string, value: string): Promise<void> {
  const other = await world.world.account("operator", "operator");
  await world.world.funded(other, "100");
  const url = `/api/markets/${market}/disputes`;
  const dispute = await world.world.post(url, other.secret, { reason: "it reads otherwise" });
  assert.equal(dispute.statusCode, 200, dispute.body);
  const decision = { decision: "amend", value };
  await world.admin("POST", `markets/${market}/dispute-decision`, decision);
  const agreed = await world.second(`markets/${market}/dispute-decision`, decision);
  assert.equal(agreed.status, 200, JSON.stringify(agreed.body));
}

test("each side sees what it held and was paid, and whether a dispute changed it", async (t) => {
  const { world, seller, buyer, list } = await stage(t);
  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "240000");
  assert.deepEqual(rows(await list(buyer)), [], "nothing is paid yet");
  await amend(world, "mkt-003", "310000");
  await world.admin("POST", "clock", { setTo: "2024-12-24T00:00:00Z" });

  const paid = await list(buyer);
  assert.deepEqual(rows(paid), [
    ["payout", "10", "YES", 1, "10", "0", true],
    ["payout", "10", "NO", 0, "0", "0", false],
    ["payout", "10", "YES", 1, "10", "0", false],
  ]);
  assert.deepEqual(rows(await list(seller)), [
    ["payout", "-10", "YES", 1, "-10", "0", true],
    ["payout", "-10", "NO", 0, "0", "0", false],
    ["payout", "-10", "YES", 1, "-10", "0", false],
  ]);
  const one = await list(buyer, "?marketId=mkt-002");
  assert.deepEqual(rows(one), [["payout", "10", "YES", 1, "10", "0", false]]);
  const printed = Date.parse("2024-12-20T00:00:00Z") / 1000;
  const days = [0, 3, 3].map((count) => printed + count * 86_400);
  assert.deepEqual(
    ["resolvedAt", "disputeWindowEndsAt", "settledAt"].map((name) => at(one, "data", 0, name)),
    days,
  );
  const market = world.world.view.marketByAnyId("mkt-002");
  assert.equal(at(one, "data", 0, "marketId"), market?.id);

  const found: unknown[] = [];
  for (let cursor = ""; ; ) {
    const page = await list(buyer, `?limit=1${cursor}`);
    found.push(...listAt(page, "data"));
    const next = at(page, "nextCursor");
    if (next === null) break;
    cursor = `&cursor=${textAt(page, "nextCursor")}`;
    const stolen = await world.world.get(`${URL}?limit=1${cursor}`, seller.secret);
    assert.deepEqual([stolen.statusCode, stolen.json().error.field], [400, "cursor"]);
  }
  assert.deepEqual(found, listAt(paid, "data"));
  for (const [query, field] of [
    ["limit=51", "limit"],
    ["cursor=x", "cursor"],
    ["market=mkt-001", "market"],
  ]) {
    const refused = await world.world.get(`${URL}?${query}`, buyer.secret);
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, field], query);
  }
  const nowhere = await world.world.get(`${URL}?marketId=mkt-999`, buyer.secret);
  assert.equal(nowhere.json().code, "MARKET_NOT_FOUND");
});

test("a void gives back what was paid; an account that held nothing is not in it", async (t) => {
  const { world, seller, buyer, list } = await stage(t);
  const reason = { reason: "a wrong month" };
  await world.admin("POST", "markets/mkt-001/cancel", reason);
  assert.equal((await world.second("markets/mkt-001/cancel", reason)).status, 200);
  const [bought] = listAt(await list(buyer), "data");
  assert.deepEqual(
    [...SHOWN, "resolvedAt", "disputeWindowEndsAt"].map((name) => at(bought, name)),
    ["void", "10", null, null, textAt(bought, "payout"), "0", false, null, null],
  );
  const [sold] = listAt(await list(seller), "data");
  assert.deepEqual(textAt(sold, "payout"), "-4");
  assert.ok(Number(textAt(bought, "payout")) > 4, "with its fee");
  const stranger = await world.world.trader("c");
  assert.deepEqual(listAt(await list(stranger), "data"), []);
});
