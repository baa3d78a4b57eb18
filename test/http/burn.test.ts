// The payouts of a layer in the past: each start as a settlement would have paid it, none left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "./public-world.ts";
import { order } from "./world.ts";

const burn = async (world: PublicWorld, query = ""): Promise<unknown> => {
  const { status, body } = await world.get(`/api/index/state:tx/burn${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return at(body, "data");
};

test("a start pays what the market that it would have been is paid", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const [seller, buyer] = [await world.world.trader("a"), await world.world.trader("b")];
  const series = "srs.zhvi.state-tx.b2024-10.e2024-11.L0200-1000";
  for (const [{ secret }, side] of [
    [seller, "SELL"],
    [buyer, "BUY"],
  ] as const) {
    const body = order(series, { side, amount: "10", price: 0.5 });
    assert.equal((await world.world.post("/api/trading/orders", secret, body)).statusCode, 200);
  }
  const before = await burn(world, "?months=1");
  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "234000");
  const market = (await world.world.get(`/api/markets/${series}/resolution`)).json().data;
  const after = await burn(world, "?months=1&attachBps=200&exhaustBps=1000");
  const starts = listAt(after, "starts");
  assert.equal(starts.length, listAt(before, "starts").length + 1);
  const newest = starts.at(-1);
  const fraction = numberAt(market, "payoutFraction");
  assert.ok(fraction > 0 && fraction < 1, `${fraction} is a part`);
  assert.deepEqual(
    [at(newest, "from"), at(newest, "to"), at(newest, "payoutFraction"), at(newest, "backfill")],
    [LAST_MONTH, monthAfter(LAST_MONTH, 1), fraction, false],
  );
  assert.ok(numberAt(newest, "change") < -2);
  assert.equal(at(listAt(before, "starts").at(-1), "backfill"), true);
  const sum = starts.reduce<number>((total, one) => total + numberAt(one, "payoutFraction"), 0);
  assert.equal(
    numberAt(after, "paid"),
    starts.filter((s) => numberAt(s, "payoutFraction") > 0).length,
  );
  assert.ok(Math.abs(numberAt(after, "meanPayoutFraction") - sum / starts.length) < 1e-6);
  assert.match(textAt(after, "attribution"), /^Data from /);
});

test("a gap in the history is no start and no end; a horizon beyond it leaves none", async (t) => {
  const world = await PublicWorld.open(t);
  const gap = monthAfter(LAST_MONTH, -6);
  await world.printStates("zhvi", gap);
  const whole = await burn(world, "?months=12");
  const months = listAt(whole, "starts").flatMap((one) => [textAt(one, "from"), textAt(one, "to")]);
  assert.ok(months.length > 0 && !months.includes(gap));
  for (const one of listAt(whole, "starts")) {
    assert.equal(textAt(one, "to"), monthAfter(textAt(one, "from"), 12));
  }
  const tag = (await world.world.get("/api/index/state:tx/burn")).headers.etag;
  const kept = await world.world.get("/api/index/state:tx/burn", undefined, {
    "if-none-match": String(tag),
  });
  assert.equal(kept.statusCode, 304);
  for (const [query, status, code, field] of [
    ["months=0", 400, "INVALID_REQUEST", "months"],
    ["months=61", 400, "INVALID_REQUEST", "months"],
    ["attachBps=-1", 400, "INVALID_REQUEST", "attachBps"],
    ["exhaustBps=10001", 400, "INVALID_REQUEST", "exhaustBps"],
    ["attachBps=1000", 422, "INVALID_LAYER", "exhaustBps"],
    ["index=vacancy", 422, "LAYER_NOT_SUPPORTED", "index"],
    ["index=zori", 422, "NO_INDEX_DATA", undefined],
    ["layer=200-1000", 400, "INVALID_REQUEST", "layer"],
  ] as const) {
    const refused = await world.get(`/api/index/state:tx/burn?${query}`);
    const { body } = refused;
    assert.deepEqual(
      [refused.status, at(body, "code"), at(body, "error", "field")],
      [status, code, field],
      query,
    );
  }
  assert.equal((await world.get("/api/index/state:zz/burn")).status, 404);
});
