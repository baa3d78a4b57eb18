// Premiums paid over time: the schedules to the micro-dollar, and what becomes of one that is
// missed, paid early, or whose market is void.
// Invariant: coverage and the seller's money are the same in every structure.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMicros, micros } from "#base/money.ts";
import { monthsLaterMillis } from "#base/month.ts";
import type { PremiumStructure } from "#core/acceptance/records.ts";
import { carriedPayment, levelPayments } from "#core/acceptance/schedule.ts";
import { accept, atFunding, DAY_MILLIS, installments, layer, NOW, scene, usd } from "./premiums.ts";
import { order, root, tick, World } from "./world.ts";

test("twelve payments at 9 % are the annuity every table gives", () => {
  const due = Array.from({ length: 12 }, (_, at) => at);
  const payments = levelPayments(usd("1000"), 900, due);
  const amounts = payments.map((one) => one.principalMicros + one.interestMicros);
  // 1000 × .0075 / (1 − 1.0075^−12) = 87.451477…, each month's interest rounded up.
  assert.deepEqual(
    [...new Set(amounts.slice(0, -1))].map((one) => formatMicros(micros(one))),
    ["87.451478"],
  );
  assert.ok((amounts.at(-1) ?? 0n) <= (amounts[0] ?? 0n), "the last is no more than the others");
  assert.equal(formatMicros(payments[0]?.interestMicros ?? micros(0n)), "7.5");
});

test("every schedule pays back the principal exactly, in level payments", () => {
  const cases = fc.record({
    principal: fc.bigInt({ min: 1n, max: 10n ** 13n }),
    aprBps: fc.integer({ min: 0, max: 10_000 }),
    months: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(cases, ({ principal, aprBps, months }) => {
      const due = Array.from({ length: months }, (_, at) => at);
      const payments = levelPayments(micros(principal), aprBps, due);
      assert.equal(payments.length, months);
      let balance = principal;
      const amounts: bigint[] = [];
      for (const { principalMicros, interestMicros } of payments) {
        const interest = (balance * BigInt(aprBps) + 119_999n) / 120_000n;
        assert.equal(interestMicros, interest, "interest of the month's opening balance");
        assert.ok(principalMicros >= 0n);
        balance -= principalMicros;
        amounts.push(principalMicros + interestMicros);
      }
      assert.equal(balance, 0n, "nothing is left, nothing is paid twice");
      for (const [at, amount] of amounts.entries()) {
        assert.ok(amount <= (amounts[at - 1] ?? amount), "none is higher than the one before");
      }
    }),
  );
});

test("without interest the payments are the principal in equal parts, numbered from one", () => {
  const payments = levelPayments(micros(1_200n), 0, [5, 6, 7]);
  assert.deepEqual(
    payments,
    [1, 2, 3].map((number) => ({
      number,
      dueMillis: number + 4,
      principalMicros: 400n,
      interestMicros: 0n,
      paidMicros: 0n,
    })),
  );
});

test("the carry runs from the day it is lent: a day later both, it is the same", () => {
  const days = (from: number, to: number) =>
    carriedPayment(usd("1000"), 600, from * DAY_MILLIS, to * DAY_MILLIS).interestMicros;
  assert.equal(days(20_000, 20_090), days(0, 90));
  assert.equal(formatMicros(days(20_000, 20_365)), "60", "six percent of a year");
});

test("a premium owed at funding carries simple interest for each day begun", () => {
  const payment = carriedPayment(usd("1000"), 600, 0, 90 * DAY_MILLIS + 1);
  // 1000 × .06 × 91 / 365, rounded up.
  assert.equal(formatMicros(payment.interestMicros), "14.958905");
  assert.equal(formatMicros(payment.principalMicros), "1000");
});

test("a month later is the same day, or the last one a shorter month has", () => {
  const day = (millis: number) => new Date(millis).toISOString();
  const start = Date.UTC(2024, 0, 31, 10, 30);
  assert.equal(day(monthsLaterMillis(start, 1)), "2024-02-29T10:30:00.000Z");
  assert.equal(day(monthsLaterMillis(start, 2)), "2024-03-31T10:30:00.000Z");
  assert.equal(day(monthsLaterMillis(start, 13)), "2025-02-28T10:30:00.000Z");
});

test("position, seller's cash and fee are the same in every structure", () => {
  const seen = [{ kind: "in_full" } as const, installments, atFunding].map((structure) => {
    const stage = scene("100");
    const acceptance = accept(stage, structure);
    const { world, buyer, seller, marketId } = stage;
    const held = world.state.position(buyer.id, marketId)?.heldLots;
    const flow = world.state.position(buyer.id, marketId)?.flowMicros;
    assert.equal(acceptance.filledLots, 10_000n);
    assert.equal(acceptance.premiumMicros, usd("10"));
    return { held, flow, seller: world.cash(seller), spent: usd("100") - world.cash(buyer) };
  });
  const [full, monthly, later] = seen;
  assert.ok(full !== undefined && monthly !== undefined && later !== undefined);
  for (const other of [monthly, later]) {
    assert.deepEqual({ ...other, spent: 0 }, { ...full, spent: 0 });
  }
  assert.equal(full.spent - monthly.spent, usd("8"), "four fifths are lent");
  assert.equal(full.spent - later.spent, usd("10"), "all of it is lent");
});

test("a better price than the limit lends less; what was not needed goes back", () => {
  const stage = scene("100");
  const acceptance = accept(stage, installments, "0.50");
  assert.equal(acceptance.premiumMicros, usd("10"));
  assert.equal(acceptance.principalMicros, usd("8"));
  assert.equal(stage.world.state.balance("lent"), -usd("8"));
});

test("nothing for sale: nothing is bought, lent or owed", () => {
  const stage = scene("100");
  const acceptance = accept(stage, installments, "0.05");
  assert.equal(acceptance.status, "not_filled");
  assert.deepEqual(acceptance.payments, []);
  assert.equal(stage.world.cash(stage.buyer), usd("100"));
  assert.equal(stage.world.state.balance("lent"), 0n);
});

test("payments are collected when due; the interest is the exchange's", () => {
  const stage = scene("100");
  const { world, buyer } = stage;
  const { id } = accept(stage, installments);
  const after = world.cash(buyer);
  world.runTo(monthsLaterMillis(NOW, 1) - 1);
  assert.equal(world.cash(buyer), after, "not a millisecond early");
  world.runTo(monthsLaterMillis(NOW, 1));
  const { payments, status } = world.state.acceptance(id);
  assert.equal(status, "current");
  assert.equal(payments[0]?.paidMicros, after - world.cash(buyer));
  world.runTo(monthsLaterMillis(NOW, 2));
  assert.equal(world.state.acceptance(id).status, "paid");
  assert.equal(world.state.balance("lent"), 0n);
  // 8 at .75 % and the rest of it a month later.
  assert.equal(world.state.balance("interest"), after - world.cash(buyer) - usd("8"));
});

test("open orders give way to a payment that is due", () => {
  const stage = scene("30");
  const { world, buyer, marketId } = stage;
  const { id } = accept(stage, installments);
  const free = world.available(buyer);
  const lotsToBuy = String(Number(free / 1_000_000n) * 100);
  const resting = world.order(order({ marketId }, "BUY", lotsToBuy, "0.01"), buyer);
  world.runTo(monthsLaterMillis(NOW, 1));
  assert.equal(world.state.order(resting.id).cancelReason, "PAYMENT_DUE");
  assert.equal(world.state.acceptance(id).status, "current");
});

test("a missed payment: no new orders, cash that comes in is taken, protection stands", () => {
  const stage = scene("2.60");
  const { world, buyer, marketId } = stage;
  const { id } = accept(stage, installments);
  const held = world.state.position(buyer.id, marketId)?.heldLots;
  world.runTo(monthsLaterMillis(NOW, 1));
  assert.equal(world.state.acceptance(id).status, "overdue");
  assert.equal(world.available(buyer), 0n, "what was there is taken");
  const buy = { type: "PlaceOrder", order: order({ marketId }, "BUY", "1", "0.01") } as const;
  assert.equal(world.refused(buyer.actor, { ...buy, listing: null }).code, "PAYMENT_OVERDUE");
  world.fund(buyer, usd("5"));
  assert.equal(world.state.acceptance(id).status, "current", "the deposit paid what was due");
  assert.equal(world.state.acceptance(id).payments[1]?.paidMicros, 0n, "and no more than that");
  world.order(order({ marketId }, "BUY", "1", "0.01"), buyer);
  assert.equal(world.state.position(buyer.id, marketId)?.heldLots, held);
});

test("missed beyond the grace: all of it is due, with the interest of the month that runs", () => {
  const stage = scene("2.60");
  const { world, buyer, marketId } = stage;
  const { id } = accept(stage, installments);
  world.runTo(monthsLaterMillis(NOW, 1) + 10 * DAY_MILLIS);
  const { status, payments } = world.state.acceptance(id);
  assert.equal(status, "defaulted");
  assert.equal(payments[1]?.interestMicros, 30_113n, "the second month began ten days ago");
  world.fund(buyer, usd("3"));
  assert.equal(world.available(buyer), 0n);
  assert.equal(world.state.acceptance(id).status, "defaulted", "not all of it yet");
  world.fund(buyer, usd("10"));
  assert.equal(world.state.acceptance(id).status, "paid");
  assert.equal(world.state.balance("lent"), 0n);
  assert.equal(world.state.position(buyer.id, marketId)?.heldLots, 10_000n, "protected throughout");
});

test("a payout goes to what is behind first", () => {
  const stage = scene("2.60");
  const { world, buyer, marketId } = stage;
  const { id } = accept(stage, installments);
  world.runTo(Date.UTC(2026, 0, 20));
  world.print("2025-12", "200000");
  world.runTo(Date.UTC(2026, 0, 24));
  assert.equal(world.state.market(marketId).status, "FINALIZED");
  assert.equal(world.state.acceptance(id).status, "paid");
  const interest = world.state.balance("interest");
  // 2.60, less the premium of 10, the fee of 0.05 and the interest, plus 100 paid out.
  assert.equal(world.cash(buyer), usd("92.55") - interest);
});

test("paid early, a month that has not begun costs no interest", () => {
  const stage = scene("100");
  const { world, buyer } = stage;
  const { id, payments } = accept(stage, installments);
  const before = world.cash(buyer);
  world.do(buyer.actor, { type: "PayAcceptance", acceptanceId: id, through: 2 });
  const [first] = payments;
  assert.equal(before - world.cash(buyer), usd("8") + (first?.interestMicros ?? 0n));
  assert.equal(world.state.acceptance(id).status, "paid");
  const again = { type: "PayAcceptance", acceptanceId: id, through: 2 } as const;
  assert.equal(world.refused(buyer.actor, again).code, "PAYMENT_NOT_OPEN");
  const stranger = world.trader("stranger", "10");
  assert.equal(world.refused(stranger.actor, again).code, "ACCEPTANCE_NOT_FOUND");
});

test("a void market: the refund pays back what was lent, and no interest runs on", () => {
  const stage = scene("100");
  const { world, buyer, marketId } = stage;
  const { id } = accept(stage, atFunding);
  world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  assert.equal(world.state.acceptance(id).status, "paid");
  assert.equal(world.cash(buyer), usd("100"), "as if it had never been");
  assert.equal(world.state.balance("lent"), 0n);
});

test("a void market leaves what was paid early as it was paid", () => {
  const stage = scene("100");
  const { world, buyer, marketId } = stage;
  const { id } = accept(stage, installments);
  world.do(buyer.actor, { type: "PayAcceptance", acceptanceId: id, through: 1 });
  const interest = world.state.balance("interest");
  world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  assert.equal(world.state.acceptance(id).status, "paid");
  assert.equal(world.cash(buyer), usd("100") - interest, "the month that ran stays paid");
});

test("terms are those of the exchange, and nobody withdraws what is lent", () => {
  const stage = scene("100");
  const { world, buyer, marketId } = stage;
  const asked = (structure: PremiumStructure) =>
    world.refused(buyer.actor, {
      type: "AcceptQuote",
      order: order({ marketId }, "BUY", "100", "0.10", { timeInForce: "IOC" }),
      listing: null,
      structure,
      referenceTick: tick("0.9999"),
    });
  const off: readonly (readonly [PremiumStructure, string])[] = [
    [{ ...installments, aprBps: 899 }, "aprBps"],
    [{ ...installments, downPaymentBps: 999 }, "downPaymentBps"],
    [{ ...installments, months: 37 }, "months"],
    [{ ...atFunding, aprBps: 601 }, "aprBps"],
    [{ ...atFunding, fundsAtMillis: NOW }, "fundingAt"],
    [{ ...atFunding, fundsAtMillis: Date.UTC(2027, 10, 21) }, "fundingAt"],
  ];
  for (const [structure, field] of off) {
    const refused = asked(structure);
    assert.deepEqual([refused.code, refused.field], ["FINANCING_TERMS", field]);
  }
  accept(stage, atFunding);
  const amountMicros = micros(-world.available(buyer));
  const all = { type: "FundAccount", accountId: buyer.id, amountMicros, memo: null } as const;
  assert.equal(world.refused(root, all).code, "INSUFFICIENT_BALANCE");
  const rest = micros(amountMicros + usd("10"));
  world.do(root, { ...all, amountMicros: rest });
});

test("the fee of any price is there before anything is lent", () => {
  const world = new World();
  world.lend("100000");
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "1000");
  const listing = world.listing("2025-12", layer, "0.99");
  world.order(order(listing, "SELL", "100", "0.50"), seller, listing);
  const buyer = world.trader("buyer", "0.10");
  const input = order(listing, "BUY", "100", "0.99", { timeInForce: "IOC" });
  const command = {
    type: "AcceptQuote",
    order: input,
    listing: null,
    structure: atFunding,
    referenceTick: tick("0.9999"),
  } as const;
  const refused = world.refused(buyer.actor, command);
  assert.equal(refused.code, "INSUFFICIENT_BALANCE");
  assert.equal(refused.details?.requiredMicros, usd("0.25"), "0.5 % of a half, 100 times");
});

test("a tier's credit is all it may owe", () => {
  const world = new World();
  world.lend("100000");
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "10000");
  const listing = world.listing("2025-12", layer);
  world.order(order(listing, "SELL", "3000", "0.40"), seller, listing);
  const buyer = world.trader("buyer", "5000", "basic");
  const input = order(listing, "BUY", "2600", "0.40", { timeInForce: "IOC" });
  const command = {
    type: "AcceptQuote",
    order: input,
    listing: null,
    structure: atFunding,
    referenceTick: tick("0.9999"),
  } as const;
  assert.equal(world.refused(buyer.actor, command).code, "FINANCING_LIMIT");
});
