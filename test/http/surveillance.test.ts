// The surveillance report over the real server: each planted pattern is found, an innocent history
// brings nothing, and pages cover every entry.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { accountId, marketId, nodeId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { chainLevel, firstLevel, parsePrintValue } from "#base/print-value.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, type Holder, order, type World } from "./world.ts";

const root = { "x-admin-secret": ADMIN_SECRET };
const WATCH = "/api/admin/surveillance";

const given = <T>(value: T | undefined): T => value ?? assert.fail("it is written rightly");

interface Told {
  readonly kind: string;
  readonly seller: string;
  readonly buyer: string;
  readonly reference?: number;
  readonly earlierFillId?: string;
  readonly gain?: string;
}

interface Sale {
  readonly seller: Holder;
  readonly buyer: Holder;
  readonly price?: number;
  readonly amount?: string;
}

async function trade(world: World, market: string, sale: Sale): Promise<void> {
  const { seller, buyer, price = 0.5, amount = "100" } = sale;
  const asked = order(market, { side: "SELL", amount, price });
  const rested = await world.post("/api/trading/orders", seller.secret, asked);
  assert.equal(rested.statusCode, 200, rested.body);
  const taken = await world.post("/api/trading/orders", buyer.secret, { ...asked, side: "BUY" });
  assert.equal(taken.statusCode, 200, taken.body);
}

const pass = (world: World, toMillis: number) => world.root({ type: "SetClock", toMillis });

/** A print of Texas that settles nothing, and the marks that follow it. */
async function release(world: World, market: string, atMillis: number, price: string) {
  await pass(world, atMillis);
  const valueE15 = given(parsePrintValue("302000"));
  const before = given(parsePrintValue("301234.5"));
  const [month, earlier] = [given(parseMonth("2024-11")), given(parseMonth("2024-10"))];
  const observation = {
    ...{ nodeId: nodeId("state:tx"), month, valueE15, backfill: false, gaps: [] },
    levelE12: chainLevel(firstLevel, valueE15, before),
    link: { month: earlier, valueE15: before, levelE12: firstLevel },
  };
  await world.root({
    type: "AcceptRelease",
    release: {
      ...{ id: releaseId("rel-november"), provider: "zillow", index: "zhvi", level: "state" },
      ...{ publishedAtMillis: atMillis, sha256: "c".repeat(64), rows: 1 },
      ...{ firstMonth: month, lastMonth: month, firstPrints: 1, revisions: 0, unchanged: 0 },
      ...{ rescaled: 0, unmatched: 0, methodologyVersion: "1", printsDigest: "", latestDigest: "" },
    },
    observations: [observation],
  });
  const markTick = given(parseTick(price));
  await world.engine.submit({
    actor: { type: "system" },
    command: publishMarks([{ marketId: marketId(market), markTick, stressedTick: markTick }]),
    requestId: "marks",
    idempotency: null,
  });
}

const watched = async (world: World, query = "") => {
  const answer = await world.get(`${WATCH}${query}`, undefined, root);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
};

async function exchange(t: TestContext) {
  const { world } = await PublicWorld.open(t);
  const market = await world.market();
  const people: Holder[] = [];
  for (const name of ["a", "b", "c", "d", "e", "f", "a2", "b2"])
    people.push(await world.trader(name));
  const [a, b, c, d, e, f, g, h] = people;
  const all = { a, b, c, d, e, f, g, h };
  return { world, market, of: (name: keyof typeof all) => given(all[name]) };
}

const DAY = 86_400_000;
const START = Date.UTC(2024, 11, 10);

test("an innocent history brings nothing", async (t) => {
  const { world, market, of } = await exchange(t);
  await pass(world, START);
  // Four buy and four sell; a day and longer later two of them trade back; marks hardly move.
  for (const [seller, buyer] of [
    ["a", "b"],
    ["c", "d"],
    ["e", "f"],
    ["g", "h"],
  ] as const) {
    await trade(world, market, { seller: of(seller), buyer: of(buyer) });
  }
  await pass(world, START + DAY);
  await trade(world, market, { seller: of("b"), buyer: of("a"), amount: "1", price: 0.6 });
  await release(world, market, START + DAY + 3_600_000, "0.55");
  assert.deepEqual((await watched(world)).data, []);
});

test("each planted pattern is found, with what it rests on", async (t) => {
  const { world, market, of } = await exchange(t);
  await pass(world, START);
  await trade(world, market, { seller: of("a"), buyer: of("b") });
  await pass(world, START + DAY - 1);
  await trade(world, market, { seller: of("b"), buyer: of("a"), price: 0.52 });
  await trade(world, market, { seller: of("c"), buyer: of("d"), price: 0.61 });
  await trade(world, market, { seller: of("e"), buyer: of("f"), amount: "200", price: 0.55 });
  await world.root({
    type: "SetOwner",
    accountId: accountId(of("f").id),
    owner: accountId(of("e").id),
  });
  await release(world, market, START + 2 * DAY, "0.7");

  const { data } = await watched(world);
  const told = data.map(({ kind, seller, buyer, reference, earlierFillId, gain }: Told) => [
    ...[kind, seller, buyer],
    reference ?? earlierFillId ?? gain,
  ]);
  const [a, b, c, d, e, f] = (["a", "b", "c", "d", "e", "f"] as const).map((name) => of(name).id);
  assert.deepEqual(told, [
    ["one_owner", e, f, undefined],
    ["off_reference", c, d, 0.5],
    ["round_trip", b, a, "fil-1"],
    ["before_release", e, f, "30"],
    ["before_release", a, b, "20"],
    ["before_release", b, a, "18"],
  ]);
  const [, , , first] = data;
  assert.deepEqual(
    [first.gainer, first.markAfter, first.releaseId, first.buyerOwner, first.coverage],
    [f, 0.7, "rel-november", e, "200"],
  );
  // Long in one account and short in another: an owner has both sides.
  const holders = (await world.get(`${WATCH}/holders?limit=1`, undefined, root)).json();
  assert.equal(holders.pagination.total, 4);
  const [{ owner, sharePercent }] = holders.data;
  assert.deepEqual([owner, sharePercent], [e, 66.66]);
});

test("accounts of one owner are summed", async (t) => {
  const { world, market, of } = await exchange(t);
  for (const [seller, buyer] of [
    ["a", "b"],
    ["c", "d"],
    ["e", "f"],
    ["g", "h"],
  ] as const) {
    await trade(world, market, { seller: of(seller), buyer: of(buyer) });
  }
  const holders = async () => (await world.get(`${WATCH}/holders`, undefined, root)).json().data;
  assert.deepEqual(await holders(), []);
  const [one, other] = [of("a").id, of("c").id];
  await world.root({ type: "SetOwner", accountId: accountId(other), owner: accountId(one) });
  const large = { owner: one, accounts: [one, other], marketId: market, side: "NO" };
  assert.deepEqual(await holders(), [{ ...large, coverage: "200", sharePercent: 50 }]);
});

test("pages and ranges of time cover every entry once; what is no page is refused", async (t) => {
  const { world, market, of } = await exchange(t);
  await pass(world, START);
  await trade(world, market, { seller: of("a"), buyer: of("b"), price: 0.7 });
  await pass(world, START + DAY);
  await trade(world, market, { seller: of("c"), buyer: of("d"), price: 0.8 });
  const prices = async (query: string) =>
    (await watched(world, query)).data.map(({ price }: { readonly price: number }) => price);
  assert.deepEqual(await prices(""), [0.8, 0.7]);
  assert.deepEqual(await prices(`?startTime=${(START + DAY) / 1000}`), [0.8]);
  assert.deepEqual(await prices(`?endTime=${START / 1000}`), [0.7]);
  const [newest] = (await watched(world)).data;
  assert.deepEqual(await prices(`?cursor=${newest.sequence}`), [0.7]);
  const { nextCursor, searchedTo } = await watched(world, "?cursor=2");
  assert.deepEqual([nextCursor, searchedTo], [null, 1]);
  const refused = async (query: string) => {
    const answer = await world.get(`${WATCH}${query}`, undefined, root);
    return [answer.statusCode, answer.json().error.field];
  };
  assert.deepEqual(await refused("?cursor=x"), [400, "cursor"]);
  assert.deepEqual(await refused("?startTime=2&endTime=1"), [400, "startTime"]);
  const trader = await world.get(WATCH, of("a").secret);
  assert.equal(trader.statusCode, 403);
});
