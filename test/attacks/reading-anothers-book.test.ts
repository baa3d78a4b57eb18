// A stranger takes a hundredth of a contract from a maker, and exports what the trade left behind.
// Invariant: an export shows its reader nothing of the other side but the trade, and still proves
// itself: its own part and the hashes of the others lead to the hash that everybody has.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { type Holder, order, World } from "../http/world.ts";

const decoded = (value: unknown): string =>
  Buffer.from(textAt(value, "bytes"), "base64").toString("utf8");

/** All that an exported entry says, in clear. */
function told(item: unknown): string {
  const parts = at(item, "parts") === undefined ? [] : listAt(item, "parts");
  const bytes = at(item, "bytes") === undefined ? [] : [item];
  return [JSON.stringify(item), ...[...bytes, ...parts].map(decoded)].join("\n");
}

interface Stage {
  readonly maker: Holder;
  readonly thief: Holder;
  exportOf(holder: Holder): Promise<readonly unknown[]>;
}

async function stage(t: TestContext): Promise<Stage> {
  const world = await World.open(t);
  const marketId = await world.market();
  const [maker, thief] = [await world.trader("maker", "76543.21"), await world.trader("thief")];
  const asked = order(marketId, { side: "SELL", amount: "333", clientOrderId: "makers-own-name" });
  const taking = order(marketId, { amount: "0.01" });
  for (const [who, body] of [
    [maker, asked],
    [thief, taking],
  ] as const) {
    const placed = await world.post("/api/trading/orders", who.secret, body);
    assert.equal(placed.statusCode, 200, placed.body);
  }
  const exportOf = async ({ secret }: Holder) =>
    listAt((await world.get("/api/audit/export", secret)).json(), "data");
  return { maker, thief, exportOf };
}

/** The secrets the thief is after: who it is, what it has, what it holds, and all of its order. */
const secretsOf = ({ id, address }: Holder): Readonly<Record<string, string>> => ({
  account: id,
  address,
  cash: "76543214",
  position: '"heldLots":"-1"',
  order: '"ord-1"',
  resting: '"33300"',
  label: "makers-own-name",
});

test("a fill of 0.01 shows nothing of the maker's cash, account or order", async (t) => {
  const { maker, thief, exportOf } = await stage(t);
  const entries = await exportOf(thief);
  const text = entries.map(told).join("\n");
  assert.match(text, /"takerBuysYes":true/, "the trade is there");
  const found = Object.entries(secretsOf(maker)).filter(([, secret]) => text.includes(secret));
  assert.deepEqual(found, []);
  t.diagnostic(`after: ${found.length} of ${Object.keys(secretsOf(maker)).length} things told`);
});

test("the maker sees the fill too, with what it did to it; and nothing of the taker", async (t) => {
  const { maker, thief, exportOf } = await stage(t);
  const text = (await exportOf(maker)).map(told).join("\n");
  for (const own of Object.values(secretsOf(maker))) assert.ok(text.includes(own), own);
  assert.match(text, /"takerBuysYes":true/);
  for (const other of [`"${thief.id}"`, thief.address, "ord-2", "99999996"]) {
    assert.ok(!text.includes(other), other);
  }
});
