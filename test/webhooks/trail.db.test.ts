// Webhooks of operators and auditors: the whole audit trail, entry by entry.
// Invariant: every entry comes, in order, as the trail shows it to that account; no trader has it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/e2e/until.ts";
import { order } from "#test/http/world.ts";
import { at, type Json, listAt, numberAt } from "#test/support/exchange.ts";
import { checkOrder, Receiver } from "./receiver.ts";
import { Stage } from "./stage.ts";

const ORDERS = 60;
const WEBHOOKS = "/api/trading/webhooks";

/** As `GET /api/audit/logs` shows an entry; its hashes are no part of a message. */
function messageOf(entry: Json): Json {
  const { hash, previousHash, ...told } = Object(entry);
  assert.ok(hash !== undefined && previousHash !== undefined);
  return { sequence: Number(String(told.id).slice("aud-".length)), ...told };
}

for (const role of ["auditor", "operator"] as const) {
  test(`an ${role} has every entry sent, also those that came while nobody answered`, async (t) => {
    const stage = await Stage.open(t);
    const { world } = stage;
    const reader = await world.account("reader", role);
    const traders = [await world.trader("ann"), await world.trader("bob")] as const;
    const marketId = await world.market();
    const receiver = await Receiver.open(t);
    let isUp = true;
    receiver.answer = (_, response) => void response.writeHead(isUp ? 204 : 503).end();
    const { id, secret } = await stage.set(reader, receiver.url, { scope: "trail" });
    receiver.secrets.add(secret);
    const first = world.engine.status().durableSequence + 1;
    for (let count = 0; count < ORDERS; count += 1) {
      if (count === ORDERS / 3) isUp = false;
      const { secret: key } = traders[count % 2 === 0 ? 0 : 1];
      const side = count % 2 === 0 ? "BUY" : "SELL";
      const asked = order(marketId, { side, amount: "2", price: 0.5 });
      await world.post("/api/trading/orders", key, asked);
    }
    isUp = true;
    await stage.replay(reader, id, first);
    const head = world.engine.status().durableSequence;
    const isThere = () => receiver.got.some(({ sequence }) => sequence >= head);
    await until("all came", isThere);

    const logs = await world.get("/api/audit/logs?limit=1000", reader.secret);
    const shown = listAt(logs.json(), "data").toReversed().map(messageOf);
    const wanted = shown.filter((one) => numberAt(one, "sequence") >= first);
    assert.ok(wanted.length > ORDERS, `${wanted.length} entries`);
    const replayed = receiver.got.slice(-wanted.length);
    checkOrder(replayed);
    assert.deepEqual(
      replayed.map(({ body }) => at(body, "data")),
      wanted,
    );
    assert.ok(receiver.got.every(({ body }) => at(body, "type") === "trail.entry"));
    await stage.stop();
  });
}

test("a trader has no trail sent, and nobody a part of it by type", async (t) => {
  const stage = await Stage.open(t);
  const { world } = stage;
  const [trader, auditor] = [await world.trader("ann"), await world.account("eve", "auditor")];
  const asked = { url: "http://127.0.0.1:9/hook", scope: "trail" };
  const refused = await world.post(WEBHOOKS, trader.secret, asked);
  assert.deepEqual([refused.statusCode, at(refused.json(), "code")], [403, "TRAIL_DENIED"]);
  const typed = await world.post(WEBHOOKS, auditor.secret, { ...asked, types: ["fill"] });
  assert.deepEqual([typed.statusCode, at(typed.json(), "error", "field")], [400, "types"]);
  await stage.stop();
});
