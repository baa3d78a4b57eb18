// The overview of a level: each place as its own value and its own quote show it, kept and tagged.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "./public-world.ts";

test("every state: its value and the price that a quote of it has", async (t) => {
  const world = await PublicWorld.open(t);
  const empty = await world.get("/api/overview?level=state");
  assert.deepEqual(listAt(empty.body, "data"), []);
  assert.equal(at(empty.body, "newestRelease"), null);
  assert.equal(at(empty.body, "nextExpectedAt"), null);

  await world.printStates("zhvi");
  const { status, body } = await world.get("/api/overview?level=state&months=24&layer=500-1500");
  assert.equal(status, 200);
  const rows = listAt(body, "data");
  assert.equal(rows.length, 50, "the states and DC but one, which has no print");
  assert.equal(textAt(body, "newestRelease", "id"), "rel-1");
  assert.equal(textAt(body, "nextExpectedAt"), "2024-12-20T00:00:00.000Z");
  const expiry = monthAfter(LAST_MONTH, 24);
  const layer = "kind=layered&attachBps=500&exhaustBps=1500&notional=100000";
  for (const row of rows.slice(0, 5)) {
    const id = textAt(row, "nodeId");
    const value = at((await world.get(`/api/index/${id}`)).body, "data");
    for (const field of ["value", "yoy", "asOfMonth", "attribution"]) {
      assert.equal(at(row, field), at(value, field), `${id} ${field}`);
    }
    const quote = await world.get(`/api/quotes?node=${id}&expiry=${expiry}&${layer}`);
    assert.equal(numberAt(row, "price"), numberAt(quote.body, "data", "price"), id);
    assert.equal(textAt(row, "expiry"), expiry);
    assert.equal(at(row, "priceReason"), null);
    assert.match(textAt(row, "stateCode"), /^[A-Z]{2}$/);
  }

  const texas = await world.get("/api/overview?level=state&state=tx");
  assert.deepEqual(
    listAt(texas.body, "data").map((row) => textAt(row, "nodeId")),
    ["state:tx"],
  );
  const counties = await world.get("/api/overview?level=county");
  assert.deepEqual(listAt(counties.body, "data"), []);
});

test("the answer is kept while nothing is new, and is another once a print came", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const url = "/api/overview?level=state";
  const [first, second] = await Promise.all([world.world.get(url), world.world.get(url)]);
  const tag = String(first.headers.etag);
  assert.equal(second.headers.etag, tag);
  const held = await world.world.get(url, undefined, { "if-none-match": tag });
  assert.equal(held.statusCode, 304);

  await world.world.root({ type: "SetClock", toMillis: Date.UTC(2024, 11, 21) });
  await world.printNext("zhvi", "state:tx", "300000");
  const later = await world.world.get(url, undefined, { "if-none-match": tag });
  assert.equal(later.statusCode, 200);
  const texas = listAt(later.json(), "data").find((row) => textAt(row, "nodeId") === "state:tx");
  assert.equal(numberAt(texas, "value"), 300_000);
  assert.equal(textAt(texas, "asOfMonth"), monthAfter(LAST_MONTH, 1));
  assert.equal(textAt(later.json(), "newestRelease", "id"), "rel-2");
});

test("a price that no quote has is null with its reason; a wrong query is refused", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printLevels("vacancy", { "state:tx": { "2024-06": "8.1", "2024-09": "8.4" } });
  const { body } = await world.get("/api/overview?level=state&index=vacancy");
  const [texas] = listAt(body, "data");
  assert.equal(numberAt(texas, "value"), 8.4);
  assert.equal(at(texas, "price"), null);
  assert.equal(at(texas, "priceReason"), "LAYER_NOT_SUPPORTED");
  assert.equal(textAt(body, "nextExpectedAt"), "2025-01-28T00:00:00.000Z", "of the next quarter");

  for (const [query, field] of [
    ["", "level"],
    ["level=nation", "level"],
    ["level=zip", "state"],
    ["level=city", "state"],
    ["level=state&months=0", "months"],
    ["level=state&months=61", "months"],
    ["level=state&months=37&index=zori", "months"],
    ["level=state&layer=100-900", "layer"],
    ["level=state&state=Texas", "state"],
    ["level=state&page=2", "page"],
  ]) {
    const refused = await world.get(`/api/overview?${query}`);
    assert.equal(refused.status, 400, query);
    assert.equal(at(refused.body, "error", "field"), field, query);
  }
  const zips = await world.get("/api/overview?level=zip&state=TX");
  assert.deepEqual(listAt(zips.body, "data"), []);
});
