// A stranger, and the other side of a trade, look for what a market paid an account at its end.
// Invariant: a settlement is told to the account that was settled, and no page, cursor, certificate
// or history holds another's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "../http/public-world.ts";
import { order } from "../http/world.ts";

const SERIES = "srs.zhvi.state-tx.b2024-10.e2024-11.L0200-1000";

test("nobody learns what a market paid another account", async (t) => {
  const world = await PublicWorld.open(t);
  const exchange = world.world;
  await world.printStates("zhvi");
  const names = ["victim", "other", "thief"] as const;
  const [victim, other, thief] = [
    await exchange.trader(names[0], "54321.09"),
    await exchange.trader(names[1]),
    await exchange.trader(names[2]),
  ];
  // The thief trades in the same market, so that it may ask about it.
  for (const [{ secret }, side, amount] of [
    [other, "SELL", "777.77"],
    [victim, "BUY", "776.66"],
    [thief, "BUY", "1.11"],
  ] as const) {
    const body = order(SERIES, { side, amount, price: 0.5 });
    const placed = await exchange.post("/api/trading/orders", secret, body);
    assert.equal(placed.statusCode, 200, placed.body);
  }
  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "215000");
  await world.admin("POST", "clock", { setTo: "2024-12-24T00:00:00Z" });

  const own = (await exchange.get("/api/trading/settlements", victim.secret)).json();
  const [paid] = listAt(own, "data");
  assert.equal(textAt(paid, "amount"), "776.66");
  const secrets = [victim.id, victim.address, "776.66", `"${textAt(paid, "payout")}"`];
  const cursor = Buffer.from(`${"0".repeat(16)}${String(own.data[0].sequence)}.0`).toString(
    "base64url",
  );
  let told = 0;
  for (const url of [
    "/api/trading/settlements",
    `/api/trading/settlements?marketId=${SERIES}`,
    `/api/trading/settlements?cursor=${cursor}`,
    `/api/trading/settlements?account=${victim.id}`,
    "/api/audit/logs?action=market.finalized",
    `/api/trading/certificates/${SERIES}`,
    `/api/markets/${SERIES}/history`,
    "/api/calendar?kind=payout",
  ]) {
    for (const { secret } of [thief, other]) {
      const { body } = await exchange.get(url, secret);
      told += secrets.filter((one) => body.includes(one)).length;
      for (const one of secrets) assert.ok(!body.includes(one), `${one} in ${url}: ${body}`);
    }
  }
  const [mine] = listAt(
    (await exchange.get("/api/trading/settlements", thief.secret)).json(),
    "data",
  );
  assert.equal(textAt(mine, "amount"), "1.11", "the thief sees its own");
  const due = Math.floor(1_110_000 * numberAt(mine, "payoutFraction")) / 1_000_000;
  assert.equal(Number(textAt(mine, "payout")), due);
  t.diagnostic(`after: ${told} of ${secrets.length} things told`);
});
