// Requests for quotes through the real server: a bespoke portfolio from question to block trade,
// what each side reads of it, and what everybody does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import type { Closing, Holder } from "./world.ts";

const RFQS = "/api/trading/rfqs";
const bespoke = {
  ...{ index: "zhvi", place: "state:TX", measurementMonth: "2025-10" },
  ...{ attachBps: 300, exhaustBps: 1100 },
};
const strike = { index: "zhvi", place: "state:tx", measurementMonth: "2025-10", strikeBps: 750 };

async function scene(t: Closing) {
  const open = await PublicWorld.open(t);
  const { world } = open;
  await open.printStates("zhvi");
  const [maker, rival] = [await world.trader("maker", "20000"), await world.trader("rival")];
  const buyer = await world.trader("buyer");
  const now = () => Math.floor(world.engine.status().engineTimeMillis / 1000);
  const send = (method: "POST" | "PATCH" | "DELETE", url: string, by: Holder, body: object = {}) =>
    world.server.inject({
      ...{ method, url },
      headers: { authorization: `Bearer ${by.secret}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
  const legs = [
    { ...bespoke, amount: "1000" },
    { ...strike, amount: "500" },
  ];
  const ask = (more: object = {}) =>
    send("POST", RFQS, buyer, { legs, side: "BUY", closesAt: now() + 3_600, ...more });
  const quote = (by: Holder, prices: readonly string[], more: object = {}) =>
    send("POST", `${RFQS}/rfq-1/quotes`, by, { prices, validUntil: now() + 7_200, ...more });
  return { open, world, maker, rival, buyer, now, send, ask, quote };
}

test("a bespoke portfolio is asked for, quoted, bettered and taken as one block", async (t) => {
  const { open, world, maker, rival, buyer, send, ask, quote } = await scene(t);
  const asked = await ask();
  assert.equal(asked.statusCode, 200, asked.body);
  const rfq = at(asked.json(), "data");
  assert.deepEqual([textAt(rfq, "id"), textAt(rfq, "coverage")], ["rfq-1", "1500"]);
  const [first] = listAt(rfq, "legs");
  assert.equal(textAt(first, "marketId"), "srs.zhvi.state-tx.b2024-10.e2025-10.L0300-1100");
  assert.equal((await quote(maker, ["0.09", "0.12"])).statusCode, 200);
  assert.equal((await quote(rival, ["0.0876"])).statusCode, 200);
  const bettered = await send("PATCH", `${RFQS}/quotes/rqt-1`, maker, { prices: ["0.08", "0.12"] });
  assert.equal(bettered.statusCode, 200, bettered.body);
  assert.equal(textAt(bettered.json(), "data", "reserved"), "1360");
  const seen = at((await world.get(`${RFQS}/rfq-1`, buyer.secret)).json(), "data");
  assert.equal(listAt(seen, "quotes").length, 2);
  const accept = await send("POST", `${RFQS}/rfq-1/accept`, buyer, { quoteId: "rqt-1" });
  assert.equal(accept.statusCode, 200, accept.body);
  assert.equal(listAt(accept.json(), "data", "fills").length, 2);
  const positions = listAt(
    (await world.get("/api/trading/positions", buyer.secret)).json(),
    "data",
  );
  assert.equal(positions.length, 2);
  const { body } = await open.get(
    "/api/markets/srs.zhvi.state-tx.b2024-10.e2025-10.L0300-1100/trades",
  );
  assert.equal(textAt(listAt(body, "data")[0], "block"), "rfq-1");
  const lost = at((await world.get(`${RFQS}/rfq-1`, rival.secret)).json(), "data");
  assert.deepEqual([textAt(lost, "status"), listAt(lost, "quotes").length], ["filled", 1]);
});

test("a maker reads the legs and its own quote; a requester no name; others nothing", async (t) => {
  const { world, maker, rival, buyer, send, ask, quote } = await scene(t);
  const asked = await ask({ audience: [maker.address] });
  assert.equal(asked.statusCode, 200, asked.body);
  assert.equal((await quote(maker, ["0.0873"])).statusCode, 200);
  const page = async (by: Holder) => {
    const one = await world.get(`${RFQS}/rfq-1`, by.secret);
    return { status: one.statusCode, text: one.body + (await world.get(RFQS, by.secret)).body };
  };
  const [mine, own, others] = [await page(buyer), await page(maker), await page(rival)];
  assert.deepEqual([mine.status, own.status, others.status], [200, 200, 404]);
  assert.ok(mine.text.includes("0.0873") && !mine.text.includes(maker.id));
  assert.ok(own.text.includes("0.0873") && !own.text.includes(buyer.id));
  assert.ok(!own.text.includes(buyer.address) && !others.text.includes("rfq-1"));
  assert.equal((await quote(rival, ["0.05"])).statusCode, 404);
  const taken = await send("POST", `${RFQS}/rfq-1/accept`, rival, { quoteId: "rqt-1" });
  assert.equal(taken.statusCode, 404);
});

test("both sides of a trade learn each other's address, if both wish so, alone", async (t) => {
  for (const [asker, quoter] of [
    [true, true],
    [true, undefined],
    [undefined, true],
    [false, false],
  ]) {
    const { world, maker, rival, buyer, send, ask, quote } = await scene(t);
    assert.equal((await ask({ showName: asker })).statusCode, 200);
    assert.equal((await quote(maker, ["0.0873"], { showName: quoter })).statusCode, 200);
    assert.equal((await quote(rival, ["0.09"], { showName: true })).statusCode, 200);
    const shown = async (by: Holder) =>
      at((await world.get(`${RFQS}/rfq-1`, by.secret)).json(), "data", "counterparty");
    const all = async () => [await shown(buyer), await shown(maker), await shown(rival)];
    assert.deepEqual(await all(), [null, null, null], "nobody before the trade");
    const taken = await send("POST", `${RFQS}/rfq-1/accept`, buyer, { quoteId: "rqt-1" });
    assert.equal(taken.statusCode, 200, taken.body);
    const isKnown = asker === true && quoter === true;
    const names = isKnown ? [maker.address, buyer.address, null] : [null, null, null];
    assert.deepEqual(await all(), names, `${asker} and ${quoter}`);
  }
});

test("bad input is named by its field, and a cancelled request takes nothing more", async (t) => {
  const { maker, buyer, send, ask, quote, now } = await scene(t);
  const wrong: readonly (readonly [object, string])[] = [
    [{ legs: [{ ...bespoke, amount: "0.001" }] }, "legs[0].amount"],
    [{ legs: [{ ...bespoke, place: "state:zz", amount: "1" }] }, "legs[0].place"],
    [{ legs: [{ ...bespoke, strikeBps: 5, amount: "1" }] }, "legs[0].attachBps"],
    [
      { legs: [{ ...bespoke, measurementMonth: "2025-13", amount: "1" }] },
      "legs[0].measurementMonth",
    ],
    [{ legs: [{ marketId: "nothing", amount: "1" }] }, "legs[0].marketId"],
    [{ closesAt: now() + 5 }, "closesAt"],
  ];
  for (const [more, field] of wrong) {
    const { statusCode, body } = await ask(more);
    assert.ok(statusCode >= 400 && statusCode < 500, body);
    assert.ok(body.includes(field), `${field}: ${body}`);
  }
  await ask();
  const off = await quote(maker, ["0.00001"]);
  assert.equal(off.statusCode, 400);
  assert.ok(off.body.includes("prices[0]"));
  assert.equal((await send("DELETE", `${RFQS}/rfq-1`, maker)).statusCode, 404);
  assert.equal((await send("DELETE", `${RFQS}/rfq-1`, buyer)).statusCode, 200);
  assert.equal((await quote(maker, ["0.09"])).statusCode, 409);
});

test("a list goes on below an id, whether or not it is still there", async (t) => {
  const { world, maker, ask } = await scene(t);
  for (let at = 0; at < 4; at += 1) assert.equal((await ask()).statusCode, 200);
  const listed = async (query: string) => {
    const { statusCode, body } = await world.get(`${RFQS}${query}`, maker.secret);
    if (statusCode !== 200) return textAt(JSON.parse(body), "error", "code");
    return listAt(JSON.parse(body), "data").map((rfq) => textAt(rfq, "id"));
  };
  assert.deepEqual(await listed(""), ["rfq-4", "rfq-3", "rfq-2", "rfq-1"]);
  assert.deepEqual(await listed("?before=rfq-3"), ["rfq-2", "rfq-1"]);
  assert.deepEqual(await listed("?before=rfq-1"), []);
  assert.deepEqual((await listed("?before=rfq-999")).length, 4);
  for (const before of ["rqt-3", "rfq-", "rfq-0", "rfq-1e3", ""]) {
    assert.equal(await listed(`?before=${before}`), "INVALID_REQUEST", before);
  }
});
