// Two accounts that mean to leave with the exchange's money: one sells protection dear, the other
// buys it with a premium that is lent, nobody pays it back, and the price is taken out.
// Invariant: the two take out no more than they brought, and what they still hold is worth.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Micros, micros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import { isTick, type Tick } from "#base/price.ts";
import type { CommandOf } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { atFunding, DAY_MILLIS, usd } from "../core/premiums.ts";
import { month, order, root, system, type Trader, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
/** The model's value of the protection, and its price. */
const MARK = "0.0152";
const LIMIT = "0.0153";

function pairOf(isOneOwner: boolean, line: Micros | null = null) {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  world.lend("10000000");
  const [seller, buyer] = [world.trader("seller", "3500"), world.trader("buyer", "3500")];
  const listing = world.listing("2025-12", layer, MARK);
  if (isOneOwner) world.join(buyer, seller);
  world.do(root, { type: "SetCredit", accountId: buyer.id, creditMicros: line });
  return { world, seller, buyer, listing };
}
type Pair = ReturnType<typeof pairOf>;

const sell = ({ listing }: Pair, lots: string, price: string): CommandOf<"PlaceOrder"> => ({
  type: "PlaceOrder",
  order: order(listing, "SELL", lots, price),
  listing,
});

const accept = ({ listing }: Pair, lots: string, price: string, reference: Tick | null) =>
  ({
    type: "AcceptQuote",
    order: order(listing, "BUY", lots, price, { timeInForce: "IOC" }),
    listing,
    structure: atFunding,
    referenceTick: reference,
  }) as const;

/** Takes out what the exchange lets go, down to the last micro-dollar of each account. */
function takeOut({ world, seller, buyer }: Pair): bigint {
  let taken = 0n;
  for (const { actor } of [seller, buyer]) world.do(actor, { type: "CancelAll", marketId: null });
  for (const { id } of [seller, buyer, seller, buyer]) {
    const part = (amount: bigint): boolean => {
      const amountMicros = micros(-amount);
      const command = { type: "FundAccount", accountId: id, amountMicros, memo: null } as const;
      return !isRejected(world.try(root, command));
    };
    for (let amount = 1n << 45n; amount > 0n; amount /= 2n) if (part(amount)) taken += amount;
  }
  return taken;
}

/** The model's value of the longs of the two. */
function worth({ world, seller, buyer, listing }: Pair): bigint {
  const mark = BigInt(tick(MARK));
  return [seller, buyer].reduce((sum, { id }) => {
    const held = world.state.position(id, listing.marketId)?.heldLots ?? 0n;
    return held > 0n ? sum + held * mark : sum;
  }, 0n);
}

const all = usd("7000");

test("protection the model prices at .0152 is not financed at .99, whoever asks", (t) => {
  let most = 0n;
  for (const isOneOwner of [true, false]) {
    const pair = pairOf(isOneOwner, usd("10000000"));
    const { world, seller, buyer } = pair;
    world.do(seller.actor, sell(pair, "300000", "0.99"));
    const dear = world.refused(buyer.actor, accept(pair, "300000", "0.99", tick(LIMIT)));
    assert.deepEqual(dear, {
      code: "FINANCING_PRICE",
      field: "limitPrice",
      details: { allowedTick: 153 },
    });
    const unknown = world.refused(buyer.actor, accept(pair, "300000", "0.0153", null));
    assert.equal(unknown.code, "FINANCING_PRICE");
    const taken = takeOut(pair);
    assert.ok(taken <= all, `${taken}`);
    if (taken > most) most = taken;
  }
  t.diagnostic(`after: ${most / 1_000_000n} USD for ${all / 1_000_000n}`);
});

test("one owner finances nothing of its own selling, at whatever price", () => {
  const pair = pairOf(true);
  const { world, seller, buyer } = pair;
  world.do(seller.actor, sell(pair, "40000", LIMIT));
  world.do(buyer.actor, accept(pair, "40000", LIMIT, tick(LIMIT)));
  assert.equal(world.state.fillCount, 0);
  assert.equal(takeOut(pair), all);
});

test("two who are in it together get no more than what they hold is worth", () => {
  const pair = pairOf(false);
  const { world, seller, buyer } = pair;
  world.do(seller.actor, sell(pair, "30000", LIMIT));
  world.do(buyer.actor, accept(pair, "30000", LIMIT, tick(LIMIT)));
  assert.equal(world.state.debts.principal(buyer.id), usd("456"));
  assert.ok(takeOut(pair) <= all + worth(pair));
});

test("what is owed for is not passed on below its worth, and what it brings pays the loan", () => {
  const pair = pairOf(false);
  const { world, seller, buyer, listing } = pair;
  const friend = world.trader("friend", "3500");
  world.do(seller.actor, sell(pair, "30000", LIMIT));
  world.do(buyer.actor, accept(pair, "30000", LIMIT, tick(LIMIT)));
  world.order(order(listing, "BUY", "30000", "0.0001"), friend);
  const away = { ...sell(pair, "30000", "0.0001"), listing: null };
  assert.deepEqual(world.refused(buyer.actor, away), {
    code: "FINANCING_PRICE",
    field: "price",
    details: { allowedTick: 152 },
  });
  const { id } = world.order(order(listing, "SELL", "30000", "0.02"), buyer);
  const price = { tick: tick("0.0001") };
  const amend = { type: "AmendOrder", orderId: id, price, amountLots: null } as const;
  const lowered = world.refused(buyer.actor, { ...amend, expirySeconds: null });
  assert.equal(lowered.code, "FINANCING_PRICE");
  world.order(order(listing, "BUY", "10000", "0.02"), friend);
  // 200 came in; all of it went to the loan of 456, its carry first.
  assert.ok(world.state.debts.principal(buyer.id) < usd("262"));
  world.order(order(listing, "BUY", "20000", "0.02"), friend);
  assert.equal(world.state.debts.principal(buyer.id), 0n);
});

test("what a default buys back pays the loan on it, whatever made the default", () => {
  const pair = pairOf(false);
  const { world, seller, buyer, listing } = pair;
  const [victim, friend] = [world.trader("victim", "600"), world.trader("friend", "9000")];
  world.do(seller.actor, sell(pair, "30000", LIMIT));
  const structure = { ...atFunding, fundsAtMillis: Date.UTC(2026, 11, 1) };
  world.do(buyer.actor, { ...accept(pair, "30000", LIMIT, tick(LIMIT)), structure });
  const other = world.listing("2024-11", layer, "0.05");
  for (const [where, lots] of [
    [listing, "5000"],
    [other, "1000"],
  ] as const) {
    world.order(order(where, "SELL", lots, "0.02"), victim, where);
    world.order(order(where, "BUY", lots, "0.02"), friend);
  }
  world.order(order(listing, "SELL", "30000", "0.02"), buyer);
  const owed = world.state.debts.principal(buyer.id);
  world.runTo(monthEndMillis(month("2024-11")) + 15 * DAY_MILLIS);
  world.do(
    system,
    publishMarks([
      { marketId: listing.marketId, markTick: tick("0.05"), stressedTick: tick("0.05") },
    ]),
  );
  const before = world.available(buyer);
  // The layer pays in full: 1,000 are known, and the victim has less. Its other short is
  // bought back.
  world.print("2024-11", "240000");
  assert.equal(world.state.account(victim.id).halted, true);
  assert.equal(world.state.position(buyer.id, listing.marketId)?.heldLots, 2_500_000n);
  // 100 came in; all of it went to the loan, its carry first.
  assert.equal(world.available(buyer), before);
  assert.ok(world.state.debts.principal(buyer.id) < owed - usd("40"));
});

test("an owner's line, its debts and its withdrawals are one, over all its accounts", () => {
  const pair = pairOf(false, usd("500"));
  const { world, seller, buyer } = pair;
  const sibling = world.trader("sibling", "1000");
  world.join(sibling, buyer);
  world.do(root, { type: "SetCredit", accountId: sibling.id, creditMicros: usd("500") });
  world.fund(seller, usd("40000"));
  world.do(seller.actor, sell(pair, "60000", LIMIT));
  world.do(buyer.actor, accept(pair, "30000", LIMIT, tick(LIMIT)));
  const second = world.refused(sibling.actor, accept(pair, "30000", LIMIT, tick(LIMIT)));
  assert.deepEqual(second, {
    code: "FINANCING_LIMIT",
    details: { allowedMicros: usd("44"), requiredMicros: usd("456") },
  });
  const amountMicros = micros(-usd("1000"));
  const out = { type: "FundAccount", accountId: sibling.id, amountMicros, memo: null } as const;
  assert.equal(world.refused(root, out).code, "INSUFFICIENT_BALANCE");
});

test("no more is lent than the pool has, and what is lent stays in it", () => {
  const pair = pairOf(false, usd("10000000"));
  const { world, seller, buyer } = pair;
  const move = (amount: string) =>
    ({ type: "FundFinancing", amountMicros: usd(amount), memo: null }) as const;
  world.fund(seller, usd("40000"));
  world.do(root, move("-9999500"));
  world.do(seller.actor, sell(pair, "60000", LIMIT));
  assert.deepEqual(world.refused(buyer.actor, accept(pair, "60000", LIMIT, tick(LIMIT))), {
    code: "FINANCING_POOL",
    details: { allowedMicros: usd("500"), requiredMicros: usd("912") },
  });
  world.do(buyer.actor, accept(pair, "30000", LIMIT, tick(LIMIT)));
  assert.equal(world.refused(root, move("-44.000001")).code, "INSUFFICIENT_BALANCE");
  world.do(root, move("-44"));
  assert.equal(world.state.balance("financing") + world.state.balance("lent"), 0n);
});

test("a payout goes to the loan first, due or not", () => {
  const pair = pairOf(false);
  const { world, seller, buyer } = pair;
  world.fund(seller, usd("40000"));
  world.do(seller.actor, sell(pair, "30000", LIMIT));
  const later = { ...atFunding, fundsAtMillis: Date.UTC(2026, 11, 1) };
  world.do(buyer.actor, { ...accept(pair, "30000", LIMIT, tick(LIMIT)), structure: later });
  const amountMicros = micros(usd("459") - world.available(buyer));
  world.do(root, { type: "FundAccount", accountId: buyer.id, amountMicros, memo: null });
  world.runTo(monthEndMillis(month("2025-12")) + 15 * DAY_MILLIS);
  // Down by 6 %: a tenth of the coverage, 3,000, is paid out.
  world.print("2025-12", "282000");
  world.runTo(world.nowMillis + 4 * DAY_MILLIS);
  assert.equal(world.state.acceptances.values().next().value?.status, "paid");
  assert.deepEqual([lentOf(world), world.state.balance("financing")], [0n, usd("10000000")]);
  assert.ok(world.cash(buyer) > usd("2900"));
});

test("a loss is written off by name, and comes back to the pool if the buyer ever pays", () => {
  const pair = pairOf(false);
  const { world, seller, buyer } = pair;
  world.do(seller.actor, sell(pair, "30000", LIMIT));
  world.do(buyer.actor, accept(pair, "30000", LIMIT, tick(LIMIT)));
  // Its own cash is lost elsewhere: on protection that pays nothing.
  const other = world.listing("2025-06", layer, "0.5");
  world.order(order(other, "SELL", "6700", "0.5"), world.trader("third", "10000"), other);
  world.order(order(other, "BUY", "6700", "0.5"), buyer);
  world.runTo(monthEndMillis(month("2025-06")) + 15 * DAY_MILLIS);
  world.print("2025-06", "300000");
  world.runTo(monthEndMillis(month("2025-12")) + 15 * DAY_MILLIS);
  const status = () => world.state.acceptances.values().next().value?.status;
  assert.equal(status(), "defaulted");
  assert.equal(world.state.balance("financing"), usd("10000000"), "its protection still stands");
  world.print("2025-12", "300000");
  world.runTo(world.nowMillis + 4 * DAY_MILLIS);
  assert.equal(status(), "written_off");
  const [lost = 0n, ...more] = postedAs(world, "write-off");
  assert.ok(lost > usd("250") && lost <= usd("459") && more.length === 0);
  assert.equal(world.state.balance("financing"), usd("10000000") - lost);
  assert.equal(lentOf(world), 0n);
  const again = world.refused(buyer.actor, accept(pair, "1", LIMIT, tick(LIMIT)));
  assert.equal(again.code, "KYC_REQUIRED");
  world.approve(buyer, "institutional");
  world.fund(buyer, usd("1000"));
  assert.equal(status(), "paid");
  assert.deepEqual(postedAs(world, "recovery"), [lost]);
  assert.equal(world.state.balance("financing"), usd("10000000"));
});

const lentOf = ({ state }: World): bigint => state.balance("lent");

const postedAs = ({ journal }: World, reason: string): readonly bigint[] =>
  journal.flatMap(({ outcome }) =>
    isRejected(outcome)
      ? []
      : outcome.events.flatMap((event) =>
          event.type === "Posted" && event.posting.reason === reason
            ? [event.posting.amountMicros]
            : [],
        ),
  );

/** The acts of the two, drawn; a refused one stays refused. */
const act = fc.oneof(
  fc.record({
    kind: fc.constant("sell" as const),
    who: fc.boolean(),
    lots: fc.integer({ min: 1, max: 4_000_000 }),
    tick: fc.constantFrom(1, 100, 152, 153, 154, 5_000, 9_900),
  }),
  fc.record({
    kind: fc.constant("buy" as const),
    who: fc.boolean(),
    lots: fc.integer({ min: 1, max: 4_000_000 }),
    tick: fc.constantFrom(1, 152, 153, 9_900),
  }),
  fc.record({
    kind: fc.constant("accept" as const),
    who: fc.boolean(),
    lots: fc.integer({ min: 1, max: 4_000_000 }),
    tick: fc.constantFrom(152, 153, 9_900),
  }),
  fc.record({ kind: fc.constant("wait" as const), days: fc.constantFrom(1, 31, 45) }),
  fc.record({ kind: fc.constant("cancel" as const), who: fc.boolean() }),
  fc.record({ kind: fc.constant("out" as const), who: fc.boolean(), usd: fc.nat(5_000) }),
);

test("whatever two accounts do together, they take out what they brought and hold", () => {
  const histories = fc.array(act, { maxLength: 25 });
  fc.assert(
    fc.property(histories, fc.boolean(), (acts, isOneOwner) => {
      const pair = pairOf(isOneOwner, usd("10000000"));
      const { world } = pair;
      const before = world.state.balance("external");
      for (const one of acts) perform(pair, one);
      takeOut(pair);
      const taken = world.state.balance("external") - before;
      // A loan may be of a tick more than the mark, the reference's own rounding up.
      const lots = [...world.state.acceptances.values()].reduce((sum, a) => sum + a.filledLots, 0n);
      assert.ok(taken <= all + worth(pair) + lots, `${taken} of ${all + worth(pair)}`);
    }),
    { numRuns: 150 },
  );
});

type Drawn = typeof act extends fc.Arbitrary<infer One> ? One : never;

function perform(pair: Pair, one: Drawn): void {
  const { world, seller, buyer, listing } = pair;
  const whose = (first: boolean): Trader => (first ? seller : buyer);
  const priced = (drawn: { readonly lots: number; readonly tick: number }) => {
    assert.ok(isTick(drawn.tick));
    return { priceTick: drawn.tick, lots: `${(drawn.lots / 100).toFixed(2)}` };
  };
  switch (one.kind) {
    case "sell":
    case "buy": {
      const { priceTick, lots } = priced(one);
      const side = one.kind === "sell" ? "SELL" : "BUY";
      const input = { ...order(listing, side, lots, LIMIT), priceTick };
      world.try(whose(one.who).actor, { type: "PlaceOrder", order: input, listing });
      return;
    }
    case "accept": {
      const { priceTick, lots } = priced(one);
      const asked = accept(pair, lots, LIMIT, tick(LIMIT));
      const structure = { ...atFunding, fundsAtMillis: world.nowMillis + 30 * DAY_MILLIS };
      const input = { ...asked.order, priceTick };
      world.try(whose(one.who).actor, { ...asked, order: input, structure });
      return;
    }
    case "wait":
      world.runTo(Math.min(world.nowMillis + one.days * DAY_MILLIS, Date.UTC(2025, 9, 1)));
      return;
    case "cancel":
      world.try(whose(one.who).actor, { type: "CancelAll", marketId: null });
      return;
    case "out": {
      const { id: accountId } = whose(one.who);
      const amountMicros = micros(BigInt(one.usd) * -1_000_000n);
      world.try(root, { type: "FundAccount", accountId, amountMicros, memo: null });
    }
  }
}
