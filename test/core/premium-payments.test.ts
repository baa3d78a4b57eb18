// The debt for a premium and how it is collected: when due, early, late, and from a refund.
// Invariant: interest is of months that have begun; nobody pays more than is free, or not yet due.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptanceId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { monthEndMillis, monthsLaterMillis } from "#base/month.ts";
import type { Event } from "#core/event.ts";
import { accept, atFunding, DAY_MILLIS, installments, layer, NOW, scene, usd } from "./premiums.ts";
import { publishMarks } from "./publish-marks.ts";
import { month, order, root, tick, World } from "./world.ts";

const threeMonths = { ...installments, months: 3 } as const;
const monthLater = (count: number) => monthsLaterMillis(NOW, count);
const first = acceptanceId("acp-1");

const pay = (through: number, id = first) =>
  ({ type: "PayAcceptance", acceptanceId: id, through }) as const;

const statusesIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "AcceptanceChanged" ? [event.acceptance.status] : []));

const owedIn = (world: World) =>
  world.state
    .acceptance(first)
    .payments.map(({ principalMicros, interestMicros, paidMicros }) =>
      micros(principalMicros + interestMicros - paidMicros),
    );

const interestIn = (world: World) =>
  world.state.acceptance(first).payments.map((payment) => payment.interestMicros);

test("paid early, the running month keeps its interest and later ones asked for lose it", () => {
  const { world, buyer, ...rest } = scene("100");
  const { payments } = accept({ world, buyer, ...rest }, threeMonths);
  const before = interestIn(world);
  assert.ok(before.every((interest) => interest > 0n));
  world.do(buyer.actor, pay(2));
  assert.deepEqual(interestIn(world), [before[0], 0n, before[2]], "the third was not asked for");
  assert.deepEqual(owedIn(world).slice(0, 2), [0n, 0n]);
  assert.equal(world.state.acceptance(first).payments[2]?.paidMicros, 0n);
  assert.equal(owedIn(world)[2], micros((payments[2]?.principalMicros ?? 0n) + (before[2] ?? 0n)));
  assert.equal(world.state.acceptance(first).status, "current");
});

test("a payment met in part by a sale, then paid early, keeps the interest paid of it", () => {
  const stage = scene("100");
  const { world, buyer, seller, marketId } = stage;
  accept(stage, threeMonths);
  const before = interestIn(world);
  world.order(order({ marketId }, "BUY", "40", "0.10"), seller);
  world.order(order({ marketId }, "SELL", "40", "0.10"), buyer);
  const [, second] = world.state.acceptance(first).payments;
  const paid = second?.paidMicros ?? 0n;
  assert.ok(paid > (before[1] ?? 0n) && (owedIn(world)[1] ?? 0n) > 0n, "the second is met in part");
  world.do(buyer.actor, pay(3));
  assert.deepEqual(interestIn(world).slice(1), [before[1], 0n]);
  assert.equal(world.state.acceptance(first).status, "paid");
});

test("a month runs from one payment to the next: at the due moment the next has begun", () => {
  for (const later of [0, 1]) {
    const stage = scene("100");
    const { world, buyer } = stage;
    accept(stage, threeMonths);
    const before = interestIn(world);
    world.runTo(monthLater(1) + later);
    world.do(buyer.actor, pay(3));
    assert.deepEqual(interestIn(world), [before[0], before[1], 0n]);
    assert.equal(world.state.acceptance(first).status, "paid");
  }
});

test("what is paid, not in the schedule or not one's own cannot be paid", () => {
  const stage = scene("100");
  const { world, buyer } = stage;
  accept(stage, threeMonths);
  world.do(buyer.actor, pay(1));
  assert.deepEqual(world.refused(buyer.actor, pay(1)), { code: "PAYMENT_NOT_OPEN" });
  assert.deepEqual(world.refused(buyer.actor, pay(4)), {
    code: "PAYMENT_NOT_OPEN",
    details: { allowed: 3 },
    field: "through",
  });
  const unknown = world.refused(buyer.actor, pay(1, acceptanceId("acp-9")));
  assert.deepEqual(unknown, { code: "ACCEPTANCE_NOT_FOUND" });
});

test("an early payment takes the last micro-dollar, and is refused for one less", () => {
  const stage = scene("2.05");
  const { world, buyer } = stage;
  accept(stage, threeMonths);
  assert.equal(world.available(buyer), 0n, "the down payment and the fee were all there was");
  const [one = 0n] = owedIn(world);
  world.fund(buyer, micros(one - 1n));
  assert.deepEqual(world.refused(buyer.actor, pay(1)), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: one, availableMicros: one - 1n },
  });
  world.fund(buyer, micros(1n));
  world.do(buyer.actor, pay(1));
  assert.equal(world.cash(buyer), 0n);
});

test("one in default can pay all that is called in, and no part of it", () => {
  const stage = scene("2.05");
  const { world, buyer } = stage;
  accept(stage, installments);
  world.runTo(monthLater(1) + 10 * DAY_MILLIS);
  assert.equal(world.state.acceptance(first).status, "defaulted");
  const all = owedIn(world).reduce((sum, owed) => sum + owed, 0n);
  assert.deepEqual(world.refused(buyer.actor, pay(2)), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: all, availableMicros: 0n },
  });
});

test("orders stay where the cash pays what is due, and give way for a micro-dollar less", () => {
  for (const missing of [0n, 1n]) {
    const stage = scene("2.05");
    const { world, buyer, marketId } = stage;
    accept(stage, installments);
    const [due = 0n] = owedIn(world);
    const held = usd("1.005");
    world.fund(buyer, micros(due + held - missing));
    const resting = world.order(order({ marketId }, "BUY", "100", "0.01"), buyer);
    assert.equal(world.available(buyer), due - missing, "a dollar and its fee are held back");
    world.runTo(monthLater(1));
    assert.equal(world.state.order(resting.id).status, missing === 0n ? "OPEN" : "CANCELLED");
    assert.equal(world.state.acceptance(first).status, "current");
    assert.equal(owedIn(world)[0], 0n);
  }
});

test("who is behind stays behind until all that is due is paid, interest before principal", () => {
  const stage = scene("2.05");
  const { world, buyer } = stage;
  accept(stage, installments);
  world.runTo(monthLater(1));
  assert.equal(world.state.acceptance(first).status, "overdue");
  const [interest = 0n] = interestIn(world);
  const amountMicros = micros(interest + 5n);
  const events = world.do(root, {
    type: "FundAccount",
    accountId: buyer.id,
    amountMicros,
    memo: null,
  });
  assert.deepEqual(statusesIn(events), ["overdue"]);
  const paid = events.flatMap((event) =>
    event.type === "Posted" && event.posting.from === `cash:${buyer.id}` ? [event.posting] : [],
  );
  assert.deepEqual(
    paid.map(({ to, amountMicros: amount, reason, reference }) => [to, amount, reason, reference]),
    [
      ["interest", interest, "interest", "acp-1"],
      ["lent", 5n, "installment", "acp-1"],
    ],
  );
  assert.equal(world.cash(buyer), 0n);
});

test("a deposit's answer is what its entry left, also where a debt takes some of it", () => {
  for (const deposit of ["1", "50"]) {
    const stage = scene("2.05");
    const { world, buyer } = stage;
    accept(stage, installments);
    world.runTo(monthLater(1));
    const [owed = 0n] = owedIn(world);
    const fund = { accountId: buyer.id, amountMicros: usd(deposit), memo: null };
    const events = world.do(root, { type: "FundAccount", ...fund });
    const told = events.find((event) => event.type === "Funded");
    const left = usd(deposit) > owed ? usd(deposit) - owed : 0n;
    assert.deepEqual([told?.cashMicros, told?.availableMicros], [left, left], deposit);
    assert.equal(world.cash(buyer), left);
  }
});

test("a default forgives the interest of months that have not begun, and of no other", () => {
  const stage = scene("2.05");
  const { world } = stage;
  accept(stage, threeMonths);
  const before = interestIn(world);
  world.runTo(monthLater(1) + 10 * DAY_MILLIS);
  assert.equal(world.state.acceptance(first).status, "defaulted");
  assert.deepEqual(interestIn(world), [before[0], before[1], 0n], "the second month runs");
  const { payments } = world.state.acceptance(first);
  assert.ok(
    payments.every(({ dueMillis }) => dueMillis <= world.nowMillis),
    "all of it is due",
  );
});

test("due as the market is void, a payment keeps its interest; later ones lose it", () => {
  const stage = scene("2.05");
  const { world, marketId } = stage;
  accept(stage, installments);
  const before = interestIn(world);
  world.runTo(monthLater(1));
  world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  assert.deepEqual(interestIn(world), [before[0], 0n]);
  assert.equal(world.state.acceptance(first).status, "paid");
});

test("a refund that pays all it owes never leaves anybody behind, not for a moment", () => {
  const stage = scene("100");
  const { world, marketId } = stage;
  accept(stage, atFunding);
  const events = world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  assert.deepEqual([...new Set(statusesIn(events))], ["current", "paid"]);
});

/** The buyer is short in another market, so that what covers it moves with the mark. */
function coveredElsewhere(cash: string) {
  const stage = scene(cash);
  const { world, buyer } = stage;
  const other = world.listing("2025-06", layer);
  const dora = world.trader("dora", "100");
  world.order(order(other, "BUY", "100", "0.05"), dora, other);
  world.order(order(other, "SELL", "100", "0.05"), buyer);
  const mark = (price: string) =>
    world.do(
      { type: "system" },
      publishMarks([
        { marketId: other.marketId, markTick: tick(price), stressedTick: tick(price) },
      ]),
    );
  return { ...stage, mark };
}

test("whose cover takes more than its cash pays nothing until some of it is free", () => {
  const stage = coveredElsewhere("9.50");
  const { world, buyer, mark } = stage;
  accept(stage, atFunding);
  mark("0.085");
  const before = world.cash(buyer);
  assert.ok(world.available(buyer) < 0n, "the cover is above the cash");
  world.runTo(atFunding.fundsAtMillis);
  assert.equal(world.cash(buyer), before);
  assert.equal(world.state.acceptance(first).status, "overdue");
  mark("0.01");
  const free = world.available(buyer);
  assert.ok(free > 0n, "cover that is no longer needed comes free, which is no deposit");
  world.runTo(atFunding.fundsAtMillis + 10 * DAY_MILLIS);
  assert.equal(world.state.acceptance(first).status, "defaulted");
  assert.equal(world.cash(buyer), before - free, "what is free when the grace is over is taken");
});

test("a refund cut short goes to what was lent, and what it does not pay is overdue", () => {
  const world = new World();
  world.lend("100000");
  world.print("2024-10", "300000");
  const [seller, dora] = [world.trader("seller", "20"), world.trader("dora", "100")];
  const buyer = world.trader("buyer", "1");
  const listing = world.listing("2025-12", layer, "0.50");
  const { marketId } = listing;
  world.order(order(listing, "SELL", "100", "0.50"), seller, listing);
  const later = { ...atFunding, fundsAtMillis: Date.UTC(2026, 11, 1) };
  accept({ world, buyer, seller, marketId }, later, "0.50");
  // Its sale elsewhere takes all its cash, and the fund's cash is for those claims.
  world.place = nodeId("state:ok");
  world.print("2024-10", "300000");
  const other = world.listing("2025-06", layer);
  world.order(order(other, "SELL", "100", "0.02"), seller, other);
  world.order(order(other, "BUY", "100", "0.02"), dora);
  world.runTo(monthEndMillis(month("2025-06")) + 15 * DAY_MILLIS);
  world.print("2025-06", "200000");
  const events = world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  assert.ok(world.state.market(marketId).shortfallMicros > 0n, "the seller has lost the premium");
  assert.deepEqual([...new Set(statusesIn(events))], ["current", "overdue"]);
  const [owed = 0n] = owedIn(world);
  assert.ok(owed > 0n && owed < usd("50"));
  assert.deepEqual([world.cash(buyer), world.state.balance("lent")], [0n, -owed]);
  assert.deepEqual(interestIn(world), [0n], "the day of funding never came");
});

test("nobody is behind before the exchange has tried to collect what fell due", () => {
  const stage = scene("100");
  const { world, buyer } = stage;
  accept(stage, installments);
  // The moment itself: the buyer's word comes before the collection of the second payment.
  world.nowMillis = monthLater(2);
  world.do(buyer.actor, pay(1));
  assert.equal(world.state.acceptance(first).status, "current");
  world.runTo(world.nowMillis);
  assert.equal(world.state.acceptance(first).status, "paid");
});
