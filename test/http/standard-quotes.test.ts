// Quotes point to makers where their contract is no standard series and no market yet.
// Invariant: a quote names a series wherever an order may list one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "#test/support/exchange.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "./public-world.ts";

test("quotes: from a quarter's end a standard layer is not asked for, a strike is", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi", LAST_MONTH);
  const expiry = monthAfter(LAST_MONTH, 11);
  const told = async (query: Record<string, string | number>) => {
    const words = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    const { status, body } = await world.get(`/api/quotes?${words.join("&")}`);
    assert.equal(status, 200);
    const quote = at(body, "data");
    return [at(quote, "seriesMarketId"), at(quote, "rfq")];
  };
  const plain = { node: "state:tx", notional: 50_000 };
  const standard = { ...plain, kind: "layered", attachBps: 200, exhaustBps: 1000, expiry };
  const series = "srs.zhvi.state-tx.b2024-09.e2025";
  assert.deepEqual(await told(standard), [`${series}-09.L0200-1000`, false]);
  const later = monthAfter(LAST_MONTH, 12);
  assert.deepEqual(await told({ ...standard, expiry: later }), [`${series}-10.L0200-1000`, true]);
  assert.deepEqual(await told({ ...plain, expiry, strikeBps: 500 }), [`${series}-09.K0500`, true]);
  const far = monthAfter(LAST_MONTH, 36);
  assert.deepEqual(await told({ ...standard, expiry: far }), [null, false], "no one lists it");
});
