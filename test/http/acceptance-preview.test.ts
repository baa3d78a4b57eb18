// The preview of an acceptance says what accepting then does, and leaves no trace.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateHash } from "#core/snapshot.ts";
import { at, textAt } from "#test/support/exchange.ts";
import { order, World } from "./world.ts";

const PATH = "/api/trading/acceptances";
const installments = { structure: "installments", downPaymentBps: 2_000, months: 2, aprBps: 900 };
const fundingAt = Date.UTC(2025, 0, 1) / 1000;
const atFunding = { structure: "at_funding", aprBps: 600, fundingAt };

/** Sellers of 60 at 0.09 and of 100 at 0.10, and a buyer. */
async function scene(t: Parameters<typeof World.open>[0]) {
  const world = await World.open(t);
  const [seller, buyer] = [await world.trader("a"), await world.trader("b", "50")];
  const marketId = await world.market();
  await world.lend("1000");
  for (const [amount, price] of [
    ["60", "0.09"],
    ["100", "0.10"],
  ]) {
    const sale = order(marketId, { side: "SELL", amount, price });
    const placed = await world.post("/api/trading/orders", seller.secret, sale);
    assert.equal(placed.statusCode, 200, placed.body);
  }
  const body = { marketId, amount: "100", limitPrice: 0.1 };
  const send = (path: string, more: object) => world.post(path, buyer.secret, { ...body, ...more });
  const cash = async (): Promise<number> => {
    const account = (await world.get("/api/trading/account", buyer.secret)).json();
    return Number(textAt(account, "data", "cash"));
  };
  return { world, buyer, send, cash };
}

for (const structure of [{ structure: "in_full" }, installments, atFunding]) {
  test(`accepting ${structure.structure} does what its preview says`, async (t) => {
    const { world, buyer, send, cash } = await scene(t);
    const hash = () => stateHash(world.view.over());
    const [before, entries] = [hash(), world.engine.status().sequence];
    const had = await cash();
    const previews = [
      await send(`${PATH}/preview`, structure),
      await send(`${PATH}/preview`, structure),
    ];
    assert.equal(hash(), before, "it leaves no trace");
    assert.equal(world.engine.status().sequence, entries);
    const { data } = previews[1]?.json() ?? {};
    assert.equal(previews[0]?.statusCode, 200, previews[0]?.body);
    assert.deepEqual(previews[0]?.json().data, data);
    assert.deepEqual(at(data, "fills"), [
      { price: 0.09, amount: "60" },
      { price: 0.1, amount: "40" },
    ]);

    const accepted = await send(PATH, structure);
    assert.equal(accepted.statusCode, 200, accepted.body);
    const { id, orderId, ...done } = accepted.json().data;
    assert.deepEqual(at(data, "acceptance"), done);
    const spent = Number(textAt(data, "payableNow"));
    assert.ok(Math.abs(had - spent - (await cash())) < 1e-6, `${spent} is what it cost`);
    const account = (await world.get("/api/trading/account", buyer.secret)).json();
    assert.equal(textAt(data, "availableAfter"), textAt(account, "data", "available"));
    const outstanding = Number(textAt(done, "outstanding"));
    assert.ok(Math.abs(Number(textAt(data, "payableInAll")) - spent - outstanding) < 1e-6);
    const share = { in_full: 1, installments: 0.2, at_funding: 0 }[structure.structure] ?? 0;
    const required = Number(textAt(data, "required"));
    const fee = Number(textAt(data, "fee"));
    assert.ok(
      required >= 10 * share && required <= 10 * share + 2 * fee,
      `${required} is own cash`,
    );
    assert.match(id + orderId, /^acp-1ord-/);
  });
}

test("a preview is refused as accepting is, and neither is done", async (t) => {
  const { world, send } = await scene(t);
  const strip = (text: string) => text.replaceAll(/"requestId":"[^"]+"/g, "");
  for (const more of [
    { structure: "later" },
    { ...installments, aprBps: 100 },
    { ...installments, months: undefined },
    { ...installments, fundingAt },
    { ...installments, amount: "0" },
    { ...installments, limitPrice: 0.12345 },
    { ...installments, limitPrice: "1e-1" },
    { ...installments, marketId: "srs.none" },
    { ...installments, amount: "100000", limitPrice: 0.1 },
    { structure: "in_full", amount: "600", limitPrice: 0.1 },
    { structure: "in_full", surprise: 1 },
  ]) {
    const entries = world.engine.status().sequence;
    const looked = await send(`${PATH}/preview`, more);
    assert.equal(world.engine.status().sequence, entries, "a look is no attempt");
    const tried = await send(PATH, more);
    assert.ok(looked.statusCode >= 400 && looked.statusCode < 500, looked.body);
    assert.equal(strip(looked.body), strip(tried.body), JSON.stringify(more));
  }
});

test("a preview fills nothing and costs nothing where nothing is for sale", async (t) => {
  const { send } = await scene(t);
  const looked = await send(`${PATH}/preview`, { ...installments, limitPrice: 0.05 });
  const { data } = looked.json();
  assert.equal(looked.statusCode, 200, looked.body);
  assert.equal(textAt(data, "acceptance", "status"), "not_filled");
  assert.deepEqual(
    ["fee", "payableNow", "payableInAll"].map((name) => textAt(data, name)),
    ["0", "0", "0"],
  );
  assert.deepEqual(at(data, "fills"), []);
  assert.equal(textAt(data, "available"), textAt(data, "availableAfter"));
});
