// A bust over HTTP: what is proposed, what the tape, the stream and the limits show of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, order } from "./world.ts";

const root = { "x-admin-secret": ADMIN_SECRET };

test("a busted trade stays on the tape and says so; the others stand", async (t) => {
  const { world } = await PublicWorld.open(t);
  const [seller, buyer] = [await world.trader("a"), await world.trader("b")];
  const market = await world.market();
  const other = await world.account("second", "operator");
  await world.post("/api/admin/clock", undefined, { advanceSeconds: 60 }, root);
  for (const price of [0.9, 0.91]) {
    const sell = order(market, { side: "SELL", amount: "10", price });
    await world.post("/api/trading/orders", seller.secret, sell);
    await world.post("/api/trading/orders", buyer.secret, order(market, { amount: "10", price }));
  }
  const tape = async () => (await world.get(`/api/markets/${market}/trades`)).json().data;
  const [newest] = await tape();
  const place = `/api/admin/fills/${newest.id}/bust`;
  const bare = await world.post(place, undefined, {}, root);
  assert.deepEqual([bare.statusCode, bare.json().error.field], [400, "reason"]);
  const asked = await world.post(place, undefined, { reason: "a slip" }, root);
  assert.equal(asked.statusCode, 202, asked.body);
  assert.equal((await tape())[0].busted, undefined, "one word undoes nothing");
  const { proposal } = asked.json().data;
  assert.deepEqual([proposal.action, proposal.details.fillId], ["fill.busted", newest.id]);
  const agreed = await world.post(`/api/admin/proposals/${proposal.id}/confirm`, other.secret, {});
  assert.equal(agreed.statusCode, 200, agreed.body);

  const after = await tape();
  assert.deepEqual(
    after.map(({ busted }: { readonly busted?: true }) => busted),
    [true, undefined],
  );
  const alerts = (await world.get("/api/liquidity/alerts", buyer.secret)).json().data;
  assert.equal(alerts[0].type, "bust");
  const trail = (await world.get("/api/audit/logs?action=fill.busted", seller.secret)).json().data;
  assert.equal(trail.length, 1, "the party finds it by its name");
  const { bust } = (await world.get("/api/limits")).json().data;
  assert.deepEqual(bust, { band: 0.1, windowMinutes: 30 });
  const again = await world.post(place, undefined, { reason: "a slip" }, root);
  assert.equal(again.json().error.code, "BUST_NOT_OPEN");
  const narrow = await world.post("/api/admin/rules", undefined, { bust: { band: 0.05 } }, root);
  assert.equal(narrow.statusCode, 202, "a narrower band is announced");
  const odd = await world.post(
    "/api/admin/rules",
    undefined,
    { bust: { windowMinutes: 1441 } },
    root,
  );
  assert.equal(odd.json().error.field, "bust.windowMinutes");
});
