// A market whose print does not come, over HTTP: who stands in, what is proposed, what is shown.
// Invariant: the request names no step; the prints it rests on are those the exchange has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";

const ZIP = "zip:77002";
const SERIES = "srs.zhvi.zip-77002.b2024-10.e2024-12.L0200-1000";
const PLACE = `markets/${SERIES}/fallback`;
const table = [
  "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
  "county:48201,county,Harris County,TX,48201,,state:tx,1,",
  "zip:77002,zip,77002,TX,,,county:48201,1,",
].join("\n");

const order = (side: "BUY" | "SELL") => ({
  marketId: SERIES,
  outcomeIndex: 0,
  side,
  amount: "10",
  price: 0.05,
});

test("the nearest coarser place with prints stands in, as the certificate shows", async (t) => {
  const world = await PublicWorld.open(t);
  await world.admin("POST", "geo", `${table}\n`, "text/csv");
  await world.printStates("zhvi");
  await world.printPlace("zhvi", ZIP);
  const [seller, buyer] = [await world.world.trader("a"), await world.world.trader("b")];
  for (const [side, { secret }] of [
    ["SELL", seller],
    ["BUY", buyer],
  ] as const) {
    const placed = await world.world.post("/api/trading/orders", secret, order(side));
    assert.equal(placed.statusCode, 200, placed.body);
  }
  const early = await world.admin("POST", PLACE, { reason: "no print" });
  assert.equal(textAt(early.body, "error", "code"), "FALLBACK_NOT_DUE");
  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", ZIP, "100000");
  await world.printNext("zhvi", "state:tx", "300000");
  await world.admin("POST", "clock", { setTo: "2025-01-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "285000");
  await world.admin("POST", "clock", { setTo: "2025-03-21T00:00:00Z" });
  const market = await world.admin("GET", `markets/${SERIES}`);
  assert.equal(textAt(market.body, "data", "fallbackSince"), "2025-03-21T00:00:00.000Z");
  const voided = await world.admin("POST", `markets/${SERIES}/cancel`, { reason: "drill" });
  assert.equal(textAt(voided.body, "error", "code"), "VOID_AFTER_PRINT");

  const proposed = await world.admin("POST", PLACE, { reason: "no print" });
  assert.equal(proposed.status, 202, JSON.stringify(proposed.body));
  const details = at(proposed.body, "data", "proposal", "details");
  assert.equal(textAt(details, "step"), "successor");
  const id = textAt(proposed.body, "data", "proposal", "id");
  assert.equal((await world.admin("POST", `proposals/${id}/confirm`, {})).status, 409);
  const agreed = await world.second(`proposals/${id}/confirm`, {});
  assert.equal(agreed.status, 200, JSON.stringify(agreed.body));

  const { body } = await world.get(`/api/markets/${SERIES}/resolution`);
  assert.equal(textAt(body, "data", "status"), "RESOLVED");
  // 100,000 × 285,000 / 300,000, by levels of 12 decimals.
  const settled = Number(at(body, "data", "settledValue"));
  assert.ok(Math.abs(settled - 95_000) < 0.000_001, `${settled}`);
  assert.equal(textAt(body, "data", "fallback", "last", "month"), "2024-11");
  assert.equal(textAt(body, "data", "fallback", "to", "value"), "285000");
  const path = `/api/trading/certificates/${SERIES}`;
  const { data } = (await world.world.get(path, buyer.secret)).json();
  assert.equal(textAt(data, "terms", "successor"), "state:tx");
  assert.deepEqual(at(data, "fallback"), at(body, "data", "fallback"));

  const dispute = { reason: "the zip was printed" };
  await world.admin("POST", `clock`, { advanceSeconds: 60 });
  await world.world.post(`/api/markets/${SERIES}/disputes`, buyer.secret, dispute);
  const amend = { decision: "amend" };
  const valued = await world.admin("POST", `markets/${SERIES}/dispute-decision`, {
    ...amend,
    value: "90000",
  });
  assert.equal(textAt(valued.body, "error", "code"), "DISPUTE_AMEND_FALLBACK");
});
