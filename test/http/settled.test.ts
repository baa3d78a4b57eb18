// A trader's view once a print is there: its positions at the payout, the price, the trail.
// Invariant: a payout that is known is valued by no model; nobody sees another's part.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, nodeId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { chainLevel, firstLevel, parsePrintValue } from "#base/print-value.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { type Closing, type Holder, order, World } from "./world.ts";

const given = <T>(value: T | undefined): T => value ?? assert.fail("it is written rightly");

interface Stage {
  readonly world: World;
  readonly id: string;
  readonly seller: Holder;
  readonly buyer: Holder;
}

/** 5,000 contracts bought at 0.1 and marked at 0.0102; then Texas prints beyond the threshold. */
async function stage(t: Closing, sellersCash = "100000"): Promise<Stage> {
  const world = await World.open(t);
  const [seller, buyer] = [await world.trader("seller", sellersCash), await world.trader("buyer")];
  const id = await world.market();
  const sale = order(id, { side: "SELL", amount: "5000", price: 0.1 });
  await world.post("/api/trading/orders", seller.secret, sale);
  await world.post("/api/trading/orders", buyer.secret, { ...sale, side: "BUY" });
  await mark(world, id, "0.0102");
  return { world, id, seller, buyer };
}

async function mark(world: World, id: string, price: string): Promise<void> {
  const at = given(parseTick(price));
  const marks = [{ marketId: marketId(id), markTick: at, stressedTick: at }];
  await world.engine.submit({
    actor: { type: "system" },
    command: publishMarks(marks),
    requestId: "marks",
    idempotency: null,
  });
}

const printed = Date.UTC(2025, 4, 20);

async function print(world: World): Promise<void> {
  await world.root({ type: "SetClock", toMillis: printed });
  const month = given(parseMonth("2025-04"));
  const before = given(parsePrintValue("301234.5"));
  const valueE15 = given(parsePrintValue("310000"));
  const link = { month: given(parseMonth("2024-10")), valueE15: before, levelE12: firstLevel };
  const levelE12 = chainLevel(firstLevel, valueE15, before);
  const counts = { revisions: 0, unchanged: 0, rescaled: 0, unmatched: 0 };
  await world.root({
    type: "AcceptRelease",
    release: {
      id: releaseId("rel-2"),
      provider: "zillow",
      index: "zhvi",
      level: "state",
      publishedAtMillis: printed,
      sha256: "2",
      rows: 1,
      firstMonth: month,
      lastMonth: month,
      firstPrints: 1,
      ...counts,
      methodologyVersion: "1",
      printsDigest: "",
      latestDigest: "",
    },
    observations: [
      { nodeId: nodeId("state:tx"), month, valueE15, levelE12, link, backfill: false, gaps: [] },
    ],
  });
}

async function shown(world: World, url: string, { secret }: Holder): Promise<unknown> {
  const answer = await world.get(url, secret);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

const positionOf = async ({ world }: Stage, holder: Holder) =>
  listAt(await shown(world, "/api/trading/positions", holder), "data").at(0);

const DAY = 86_400;

test("from the resolution on a position is worth its payout, and says when it comes", async (t) => {
  const at = await stage(t);
  const { world, buyer, seller } = at;
  const before = await positionOf(at, buyer);
  assert.deepEqual(pick(before), ["mark", 0.0102, "-449", null, null]);
  await print(world);
  const payable = printed / 1000 + 3 * DAY;
  assert.deepEqual(pick(await positionOf(at, buyer)), ["payout", 1, "4500", "5000", payable]);
  assert.deepEqual(pick(await positionOf(at, seller)), ["payout", 1, "-4500", "-5000", payable]);
  const account = await shown(world, "/api/trading/account", buyer);
  const cash = Number(textAt(account, "data", "cash"));
  assert.equal(Number(textAt(account, "data", "equity")), cash + 5_000);
  const statement = await shown(world, "/api/trading/statement?month=2025-05", buyer);
  const held = listAt(statement, "data", "positions").at(0);
  assert.deepEqual(
    [textAt(held, "expectedPayout"), numberAt(held, "payableAt")],
    ["5000", payable],
  );
  const csv = await world.get("/api/trading/statement?month=2025-05&format=csv", buyer.secret);
  assert.match(csv.body, new RegExp(`^position,.*,5000,${payable}$`, "m"));
  const earlier = await shown(world, "/api/trading/statement?month=2024-11", buyer);
  assert.equal(listAt(earlier, "data", "positions").length, 1);
  assert.match(JSON.stringify(earlier), /"expectedPayout":null,"payableAt":null/);
});

const pick = (position: unknown) =>
  ["priceBasis", "mark", "unrealised", "expectedPayout", "payableAt"].map((name) => {
    const value: unknown = Object(position)[name];
    return value;
  });

test("a dispute stops the clock: what is expected is told, and no day", async (t) => {
  const at = await stage(t);
  await print(at.world);
  const { id, seller } = at;
  await at.world.by(seller.id, {
    type: "OpenDispute",
    marketId: marketId(id),
    reason: "why",
    evidence: null,
  });
  const position = await positionOf(at, at.buyer);
  assert.deepEqual(pick(position).slice(3), ["5000", null]);
});

test("a payout stands in the trail of each party, with its own part alone", async (t) => {
  const at = await stage(t);
  const { world, id, buyer, seller } = at;
  await print(world);
  await world.root({ type: "SetClock", toMillis: printed + 4 * DAY * 1000 });
  for (const [holder, amount, alerts] of [
    [buyer, "5000", ["payout"]],
    [seller, "-5000", []],
  ] as const) {
    const url = "/api/audit/logs?action=market.finalized";
    const [entry, ...others] = listAt(await shown(world, url, holder), "data");
    assert.equal(others.length, 0);
    assert.deepEqual([textAt(entry, "userId"), textAt(entry, "resource")], ["system", id]);
    const postings = listAt(entry, "details", "postings").map((one) => textAt(one, "amount"));
    assert.deepEqual(postings, [amount]);
    assert.equal(listAt(entry, "details", "positions").length, 1);
    const told = JSON.stringify(entry);
    assert.deepEqual(/"type":"payout"/.test(told) ? ["payout"] : [], alerts);
    const other = holder === buyer ? seller : buyer;
    assert.ok(!told.includes(other.id) && !told.includes(other.address), told);
  }
  const stranger = await world.trader("stranger");
  const none = await shown(world, "/api/audit/logs?action=market.finalized", stranger);
  assert.deepEqual(listAt(none, "data"), []);
});

test("a liquidation stands in the trail of who was liquidated", async (t) => {
  const at = await stage(t, "3000");
  const { world, seller, buyer, id } = at;
  await mark(world, id, "0.69");
  const call = "/api/audit/logs?action=margin.called";
  const [called] = listAt(await shown(world, call, seller), "data");
  assert.equal(textAt(called, "severity"), "critical");
  await world.root({ type: "SetClock", toMillis: Date.UTC(2024, 10, 25) });
  const logs = "/api/audit/logs?action=margin.calls_ended&limit=1";
  const [entry] = listAt(await shown(world, logs, seller), "data");
  assert.equal(textAt(entry, "severity"), "critical");
  assert.match(JSON.stringify(entry), /"type":"liquidation"/);
  const closings = "/api/audit/logs?action=auction.closed&limit=1";
  const [closed] = listAt(await shown(world, closings, seller), "data");
  const reasons = listAt(closed, "details", "postings").map((one) => textAt(one, "reason"));
  assert.deepEqual(reasons, ["takeover", "liquidation"]);
  assert.deepEqual(listAt(await shown(world, logs, buyer), "data"), [], "it was not touched");
});

test("whose resting order is met sees its own fill, not who met it", async (t) => {
  const at = await stage(t);
  const { world, seller, buyer } = at;
  const [entry] = listAt(await shown(world, "/api/audit/logs?limit=1", seller), "data");
  assert.deepEqual([textAt(entry, "userId"), textAt(entry, "resource")], ["counterparty", at.id]);
  const [fill, ...others] = listAt(entry, "details", "fills");
  assert.equal(others.length, 0);
  assert.equal(textAt(fill, "liquidity"), "maker");
  const told = JSON.stringify(entry);
  assert.ok(!told.includes(buyer.address) && !told.includes(buyer.id), told);
  const asked = await shown(world, `/api/audit/logs?userId=${buyer.address}`, seller);
  assert.deepEqual(listAt(asked, "data"), [], "nobody is asked for by name");
  const acts = await shown(world, "/api/audit/logs?userId=root", seller);
  assert.ok(listAt(acts, "data").length >= 3);
});
