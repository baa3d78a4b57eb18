// Accepting a quote through the real server: shapes, contradictions, schedules, paying, replays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { order, World } from "./world.ts";

/** A seller of 100 at 0.10, and a buyer. */
async function scene(t: Parameters<typeof World.open>[0]) {
  const world = await World.open(t);
  const [seller, buyer] = [await world.trader("a"), await world.trader("b", "50")];
  const marketId = await world.market();
  await world.lend("1000");
  await world.post(
    "/api/trading/orders",
    seller.secret,
    order(marketId, { side: "SELL", amount: "100", price: "0.10" }),
  );
  const body = {
    marketId,
    amount: "100",
    limitPrice: 0.1,
    structure: "installments",
    downPaymentBps: 2_000,
    months: 2,
    aprBps: 900,
  };
  const send = (more: object = {}, headers: Record<string, string> = {}) =>
    world.post("/api/trading/acceptances", buyer.secret, { ...body, ...more }, headers);
  return { world, seller, buyer, marketId, body, send };
}

test("an acceptance shows what was bought and what is owed when", async (t) => {
  const { world, buyer, seller, marketId, send } = await scene(t);
  const accepted = await send({}, { "idempotency-key": "once" });
  assert.equal(accepted.statusCode, 200, accepted.body);
  const shown = accepted.json().data;
  assert.deepEqual(shown, {
    id: "acp-1",
    marketId,
    orderId: "ord-2",
    structure: "installments",
    downPaymentBps: 2_000,
    months: 2,
    aprBps: 900,
    coverage: "100",
    premium: "10",
    paidAtClose: "2",
    financed: "8",
    outstanding: "8.090113",
    status: "current",
    createdAt: Date.UTC(2024, 10, 20) / 1000,
    payments: [
      {
        number: 1,
        dueAt: Date.UTC(2024, 11, 20) / 1000,
        amount: "4.045057",
        principal: "3.985057",
        interest: "0.06",
        paid: "0",
      },
      {
        number: 2,
        dueAt: Date.UTC(2025, 0, 20) / 1000,
        amount: "4.045056",
        principal: "4.014943",
        interest: "0.030113",
        paid: "0",
      },
    ],
  });
  const again = await send({}, { "idempotency-key": "once" });
  assert.equal(again.body, accepted.body, "a replay is the same answer");
  assert.equal(again.headers["idempotency-replayed"], "true");

  const path = "/api/trading/acceptances";
  assert.deepEqual((await world.get(path, buyer.secret)).json().data, [shown]);
  assert.deepEqual((await world.get(`${path}/ACP-1`, buyer.secret)).json().data, shown);
  assert.deepEqual((await world.get(path, seller.secret)).json().data, []);
  const foreign = await world.get(`${path}/acp-1`, seller.secret);
  const absent = await world.get(`${path}/acp-9`, seller.secret);
  assert.equal(foreign.statusCode, 404);
  const withoutId = (text: string) => text.replaceAll(/"requestId":"[^"]+"/g, "");
  assert.equal(withoutId(foreign.body), withoutId(absent.body), "somebody else's is like none");

  const paid = await world.post(`${path}/acp-1/payments`, buyer.secret, { through: 1 });
  assert.equal(paid.json().data.payments[0].paid, "4.045057");
  assert.equal(paid.json().data.outstanding, "4.045056");
  const twice = await world.post(`${path}/acp-1/payments`, buyer.secret, { through: 1 });
  assert.equal(twice.json().code, "PAYMENT_NOT_OPEN");
});

test("each structure takes its own fields and names the one at fault", async (t) => {
  const { send } = await scene(t);
  const none = { downPaymentBps: undefined, months: undefined, aprBps: undefined };
  const fundingAt = Date.UTC(2025, 0, 1) / 1000;
  const wrong: readonly (readonly [object, number, string, string])[] = [
    [{ structure: "in_full" }, 400, "INVALID_REQUEST", "downPaymentBps"],
    [{ structure: "later" }, 400, "INVALID_REQUEST", "structure"],
    [{ months: undefined }, 400, "INVALID_REQUEST", "months"],
    [{ aprBps: undefined }, 400, "INVALID_REQUEST", "aprBps"],
    [{ fundingAt }, 400, "INVALID_REQUEST", "fundingAt"],
    [{ ...none, structure: "at_funding", aprBps: 600 }, 400, "INVALID_REQUEST", "fundingAt"],
    [
      { ...none, structure: "at_funding", aprBps: 600, fundingAt: fundingAt * 1000 },
      400,
      "INVALID_REQUEST",
      "fundingAt",
    ],
    [{ aprBps: 100 }, 422, "FINANCING_TERMS", "aprBps"],
    [{ downPaymentBps: 10 }, 422, "FINANCING_TERMS", "downPaymentBps"],
    [{ months: 61 }, 400, "INVALID_REQUEST", "months"],
    [{ months: 37 }, 422, "FINANCING_TERMS", "months"],
    [{ amount: "0" }, 400, "INVALID_REQUEST", "amount"],
    [{ limitPrice: "1e-1" }, 400, "INVALID_REQUEST", "limitPrice"],
    [{ limitPrice: 0.12345 }, 400, "INVALID_PRICE", "limitPrice"],
    [{ marketId: "srs.none" }, 404, "MARKET_NOT_FOUND", "marketId"],
  ];
  for (const [more, status, code, field] of wrong) {
    const refused = await send(more);
    const { error } = refused.json();
    assert.deepEqual([refused.statusCode, error.code, error.field], [status, code, field]);
  }
  const later = await send({ ...none, structure: "at_funding", aprBps: 600, fundingAt });
  assert.equal(later.statusCode, 200, later.body);
  assert.equal(later.json().data.payments[0].dueAt, fundingAt);
});
