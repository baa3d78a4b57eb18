// The calendar: what is to come, in its order, and what is late; markets counted where they wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { order } from "./world.ts";

async function opened(t: Parameters<typeof PublicWorld.open>[0]) {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const [seller, buyer] = [await world.world.trader("a"), await world.world.trader("b")];
  for (const state of ["tx", "ny"]) {
    const series = `srs.zhvi.state-${state}.b2024-10.e2024-11.L0200-1000`;
    for (const [{ secret }, side] of [
      [seller, "SELL"],
      [buyer, "BUY"],
    ] as const) {
      const body = order(series, { side, amount: "30", price: 0.5 });
      const placed = await world.world.post("/api/trading/orders", secret, body);
      assert.equal(placed.statusCode, 200, placed.body);
    }
  }
  const rows = async (query = ""): Promise<unknown[]> => {
    const { status, body } = await world.get(`/api/calendar${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return listAt(body, "data").map((item) =>
      ["kind", "at", "overdue", "index", "level", "month", "markets"].map((name) => at(item, name)),
    );
  };
  return { world, rows };
}

const midnight = "T00:00:00.000Z";

test("what is to come stands in its order, markets that wait for it counted", async (t) => {
  const { world, rows } = await opened(t);
  const publication = `2024-12-20${midnight}`;
  assert.deepEqual(await rows(), [
    ["trading_closes", `2024-12-01${midnight}`, false, "zhvi", null, "2024-11", 2],
    ["print", publication, false, "zhvi", null, "2024-11", 2],
    ["publication", publication, false, "zhvi", "state", "2024-11", 2],
  ]);
  assert.equal((await rows("?kind=print&index=zhvi")).length, 1);
  assert.deepEqual(await rows("?index=zori"), []);
  const { body } = await world.get("/api/calendar?limit=1&page=3");
  assert.equal(at(body, "data", 0, "kind"), "publication");
  assert.equal(at(body, "pagination", "total"), 3);
  for (const bad of ["kind=party", "index=cpi", "limit=101", "from=2024-11-01"]) {
    assert.equal((await world.get(`/api/calendar?${bad}`)).status, 400, bad);
  }
});

test("a print that did not come is late until it comes; then its markets pay", async (t) => {
  const { world, rows } = await opened(t);
  await world.world.root({ type: "SetClock", toMillis: Date.UTC(2024, 11, 22) });
  const fallback = `2025-02-18${midnight}`;
  assert.deepEqual(await rows(), [
    ["print", `2024-12-20${midnight}`, true, "zhvi", null, "2024-11", 2],
    ["publication", `2024-12-20${midnight}`, true, "zhvi", "state", "2024-11", 2],
    ["release_window", `2024-12-30${midnight}`, false, "zhvi", null, null, 2],
    ["fallback", fallback, false, "zhvi", null, "2024-11", 2],
  ]);

  await world.printNext("zhvi", "state:tx", "200000");
  const later = await rows();
  const payouts = later.filter((row) => at(row, 0) === "payout");
  assert.deepEqual(payouts, [
    ["payout", `2024-12-25${midnight}`, false, "zhvi", null, "2024-11", 1],
  ]);
  const waiting = later.filter((row) => at(row, 0) === "print");
  assert.deepEqual(waiting, [["print", `2024-12-20${midnight}`, true, "zhvi", null, "2024-11", 1]]);

  await world.world.root({ type: "SetClock", toMillis: Date.UTC(2024, 11, 26) });
  assert.deepEqual(await rows("?kind=payout"), [], "it is paid");
  assert.deepEqual(await rows("?kind=print"), waiting);
});
