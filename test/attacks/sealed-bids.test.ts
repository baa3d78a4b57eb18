// A rival, the defaulter and an auditor look everywhere for the price of a bid: trails, exports,
// streams, headers, public pages.
// Invariant: before the close and after it nobody but its bidder finds a bid that did not win.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { marketId } from "#base/ids.ts";
import { parseTick } from "#base/price.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { publicEvents } from "#views/public-events.ts";
import { PublicWorld } from "../http/public-world.ts";
import { ADMIN_SECRET, type Holder, order, type World } from "../http/world.ts";

const operator = { "x-admin-secret": ADMIN_SECRET };
/** A figure that stands nowhere else. */
const AMOUNT = "431.654321";
const MICROS = "431654321";

async function stage(t: TestContext) {
  const { world } = await PublicWorld.open(t);
  const [seller, buyer] = [await world.trader("seller", "300"), await world.trader("buyer")];
  const [bidder, rival] = [await world.trader("bidder"), await world.trader("rival")];
  const market = await world.market();
  const mark = async (price: string) => {
    const tick = parseTick(price) ?? assert.fail(price);
    const marks = [{ marketId: marketId(market), markTick: tick, stressedTick: tick }];
    const request = { requestId: "marks", idempotency: null, actor: { type: "system" } } as const;
    await world.engine.submit({ ...request, command: publishMarks(marks) });
  };
  await mark("0.4");
  const sell = order(market, { side: "SELL", amount: "1000" });
  await world.post("/api/trading/orders", seller.secret, sell);
  await world.post("/api/trading/orders", buyer.secret, order(market, { amount: "1000" }));
  await mark("0.69");
  await world.post("/api/admin/clock", undefined, { advanceSeconds: 86_400 }, operator);
  const auditor = await world.account("auditor", "auditor");
  return { world, seller, buyer, bidder, rival, auditor, market };
}

/** Everything that this reader can ask for, as one text. */
async function everything(world: World, { secret }: Holder): Promise<string> {
  const pages = [
    "/api/audit/logs?limit=1000",
    "/api/audit/export",
    "/api/audit/stats",
    "/api/trading/auctions",
    "/api/trading/account",
    "/api/trading/ledger",
    "/api/risk",
    "/api/status",
    "/api/markets",
  ];
  const texts = await Promise.all(
    pages.map(async (page) => {
      const answer = await world.get(page, secret);
      assert.equal(answer.statusCode, 200, `${page}: ${answer.body}`);
      return [JSON.stringify(answer.headers), answer.body, clear(answer.body)].join("\n");
    }),
  );
  return texts.join("\n");
}

/** The base64 of an export in clear. */
const clear = (body: string): string =>
  [...body.matchAll(/"bytes":"([A-Za-z0-9+/=]+)"/g)]
    .map(([, bytes = ""]) => Buffer.from(bytes, "base64").toString("utf8"))
    .join("\n");

test("a bid is told to its bidder alone, before the close and after it has lost", async (t) => {
  const { world, seller, bidder, rival, auditor } = await stage(t);
  const bids = "/api/trading/auctions/auc-1/bids";
  const placed = await world.post(bids, bidder.secret, { amount: AMOUNT });
  assert.equal(placed.statusCode, 200, placed.body);
  const lower = await world.post(bids, rival.secret, { amount: "300" });
  assert.equal(lower.statusCode, 200, lower.body);
  const strangers = [seller, rival, auditor];
  const find = async (): Promise<void> => {
    for (const reader of strangers) {
      const text = await everything(world, reader);
      for (const secret of [AMOUNT, MICROS]) assert.ok(!text.includes(secret), `${reader.id}`);
      if (reader !== auditor) assert.ok(!text.includes(`"${bidder.id}"`), reader.id);
    }
    const own = await everything(world, bidder);
    assert.ok(own.includes(AMOUNT) && own.includes(MICROS), "its own is told");
  };
  await find();
  const asAuditor = (query: string) => world.get(`/api/audit/logs?${query}`, auditor.secret);
  for (const query of [`account=${bidder.id}`, `userId=${bidder.address}`]) {
    const found = (await asAuditor(query)).json().data;
    const actions = found.map(({ action }: { action: string }) => action);
    assert.ok(!actions.includes("auction.bid"), `${query} finds no bid`);
  }
  const sealed = (await asAuditor("action=auction.bid")).json().data;
  assert.deepEqual(
    sealed.map(({ userId, details, resource }: Record<string, unknown>) => [
      userId,
      details,
      resource,
    ]),
    [
      ["sealed", {}, "auc-1"],
      ["sealed", {}, "auc-1"],
    ],
  );
  await world.post("/api/admin/clock", undefined, { advanceSeconds: 86_400 }, operator);
  await find();
  const won = await world.get("/api/trading/positions", rival.secret);
  assert.equal(won.json().data.length, 1, "the lower bid has won");
  t.diagnostic(`after: none of ${strangers.length} readers finds a bid, before the close or later`);
});

test("streams and the public pages say nothing of a bid", async (t) => {
  const { world, bidder } = await stage(t);
  const bids = "/api/trading/auctions/auc-1/bids";
  const headersBefore = (await world.get("/api/trading/auctions", bidder.secret)).headers;
  await world.post(bids, bidder.secret, { amount: AMOUNT });
  const after = await world.get("/api/trading/auctions", bidder.secret);
  assert.deepEqual(Object.keys(after.headers).sort(), Object.keys(headersBefore).sort());
  for await (const { entry } of world.engine.history.newest({}, 1, 0)) {
    assert.equal(entry.envelope.command.type, "PlaceBid");
    assert.deepEqual(
      publicEvents(entry, () => ""),
      [],
    );
  }
});
