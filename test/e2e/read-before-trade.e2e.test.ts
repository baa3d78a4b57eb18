// An account that was read on every node before its first trade, in a market that was listed before
// these nodes started.
// Invariant tested: a fill ends no node, and each shows the position as the leader does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { log } from "#node/faults.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { at, Exchange, listAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { atLeast, sequenceOf } from "./followed.ts";
import { furnish } from "./traded-world.ts";
import { copySecrets } from "./two-nodes.ts";
import { until } from "./until.ts";

test("a leader, a standby and a follower live through it", async (t) => {
  const database = await createDatabase(t);
  const leader = await InProcessExchange.start(t, {}, database);
  const { traders, market } = await furnish(leader, ["seller", "buyer"], "1000");
  const [seller, buyer] = traders;
  assert.ok(seller !== undefined && buyer !== undefined);
  const order = { marketId: market, outcomeIndex: 0, amount: "10", price: 0.5 };
  const offer = { ...order, side: "SELL" };
  const offered = await leader.post("/api/trading/orders", offer, { key: seller.key });
  assert.equal(offered.status, 200, offered.text);
  await leader.stop();
  await leader.up();
  const errors = t.mock.method(log, "error");
  const beside = (role: Readonly<Record<string, string>>): Promise<Exchange> =>
    Exchange.start(t, { DATABASE_URL: urlOf(database), ...role }, (dataDir) =>
      copySecrets(leader.dataDir, dataDir),
    );
  const others = [
    await beside({}),
    await beside({ FIRSTPRINT_ROLE: "follower", FIRSTPRINT_LEADER_URL: leader.url }),
  ];

  const nodes = [leader, ...others];
  for (const node of nodes) {
    const account = () => node.get("/api/trading/account", { key: buyer.key });
    await until("it is shown there", async () => (await account()).status === 200);
  }
  const bid = { ...order, side: "BUY" };
  const filled = await leader.post("/api/trading/orders", bid, { key: buyer.key });
  assert.deepEqual([filled.status, at(filled.body, "data", "status")], [200, "FILLED"]);
  const minimum = atLeast(sequenceOf(filled));
  const shown = await Promise.all(
    nodes.map(async (node) => {
      const { body, text } = await node.get("/api/trading/positions", {
        key: buyer.key,
        ...minimum,
      });
      assert.equal(listAt(body, "data").length, 1, text);
      return at(body, "data");
    }),
  );
  for (const node of others) assert.doesNotMatch(node.output, /InvariantBreach|view_redrawn/);
  assert.equal(errors.mock.callCount(), 0, "nor does the leader log a fault");
  assert.deepEqual(shown, [shown[0], shown[0], shown[0]]);
});
