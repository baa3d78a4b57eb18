// The debts of each owner for premiums, and who is behind: from the records of acceptances alone.
// Invariant: the tables say the same in whatever order the acceptances came in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptanceId, accountId, marketId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { Debts } from "#core/acceptance/debts.ts";
import { defaultMillis, dueOn, owedOn, principalOwedOn } from "#core/acceptance/owed.ts";
import type { Acceptance, Payment } from "#core/acceptance/records.ts";

const [anna, bela] = [accountId("acc-1"), accountId("acc-2")];
const [dallas, reno] = [marketId("dallas"), marketId("reno")];
const DAY_MILLIS = 86_400_000;

const payment = (number: number, paid: bigint): Payment => ({
  number,
  dueMillis: number * DAY_MILLIS,
  principalMicros: micros(100n),
  interestMicros: micros(9n),
  paidMicros: micros(paid),
});

const acceptance = (number: number, changes: Partial<Acceptance>): Acceptance => ({
  id: acceptanceId(`acp-${number}`),
  accountId: anna,
  marketId: dallas,
  orderId: orderId(`ord-${number}`),
  structure: { kind: "in_full" },
  filledLots: lots(100n),
  premiumMicros: micros(200n),
  principalMicros: micros(200n),
  payments: [payment(1, 0n), payment(2, 0n)],
  status: "current",
  createdAtMillis: 0,
  ...changes,
});

test("what is paid goes to interest first: principal is owed until the last of it", () => {
  const owed = (paid: bigint) => [owedOn(payment(1, paid)), principalOwedOn(payment(1, paid))];
  assert.deepEqual(owed(0n), [109n, 100n]);
  assert.deepEqual(owed(9n), [100n, 100n]);
  assert.deepEqual(owed(10n), [99n, 99n]);
  assert.deepEqual(owed(109n), [0n, 0n]);
});

test("due is what has fallen due by now and is not paid, to the millisecond", () => {
  const half = acceptance(1, { payments: [payment(1, 60n), payment(2, 0n), payment(3, 0n)] });
  assert.equal(dueOn(half, DAY_MILLIS - 1), 0n);
  assert.equal(dueOn(half, DAY_MILLIS), 49n);
  assert.equal(dueOn(half, 2 * DAY_MILLIS), 158n);
});

test("the grace is ten days from the oldest payment that is not paid", () => {
  const first = acceptance(1, { payments: [payment(1, 108n), payment(2, 0n)] });
  assert.equal(defaultMillis(first), 11 * DAY_MILLIS);
  const second = acceptance(1, { payments: [payment(1, 109n), payment(2, 0n)] });
  assert.equal(defaultMillis(second), 12 * DAY_MILLIS);
});

test("an account owes the principal of all its acceptances, and no interest counts as lent", () => {
  const debts = new Debts();
  assert.equal(debts.principal(anna), 0n);
  const first = acceptance(1, {});
  debts.changed(undefined, first);
  debts.changed(undefined, acceptance(2, { marketId: reno }));
  debts.changed(undefined, acceptance(3, { accountId: bela }));
  assert.deepEqual([debts.principal(anna), debts.principal(bela)], [400n, 200n]);
  const part = acceptance(1, { payments: [payment(1, 109n), payment(2, 10n)] });
  debts.changed(first, part);
  assert.equal(debts.principal(anna), 299n);
  debts.changed(part, acceptance(1, { payments: [payment(1, 109n), payment(2, 109n)] }));
  assert.deepEqual([debts.principal(anna), debts.principal(bela)], [200n, 200n]);
});

test("overdue and defaulted are behind; who has caught up is not, whoever else is", () => {
  const debts = new Debts();
  const behind = () => [debts.isBehind(anna), debts.isBehind(bela), debts.areAnyOverdue];
  const change = (number: number, account: typeof anna, status: Acceptance["status"]) =>
    debts.changed(
      acceptance(number, { accountId: account }),
      acceptance(number, { accountId: account, status }),
    );
  for (const status of ["current", "paid", "not_filled"] as const) {
    change(1, anna, status);
    assert.deepEqual(behind(), [false, false, false], status);
  }
  for (const status of ["overdue", "defaulted"] as const) {
    change(1, anna, status);
    assert.deepEqual(behind(), [true, false, true], status);
    assert.deepEqual(debts.overdueOf(anna), ["acp-1"]);
    assert.equal(debts.overdueAccountOf(`cash:${anna}`), anna);
    assert.equal(debts.overdueAccountOf(`cash:${bela}`), undefined);
  }
  change(2, anna, "overdue");
  change(3, bela, "overdue");
  assert.deepEqual(debts.overdueOf(anna), ["acp-1", "acp-2"]);
  change(1, anna, "paid");
  assert.deepEqual(debts.overdueOf(anna), ["acp-2"], "the other one is still missed");
  assert.deepEqual(behind(), [true, true, true]);
  change(2, anna, "current");
  assert.deepEqual(behind(), [false, true, true]);
  assert.equal(debts.overdueAccountOf(`cash:${anna}`), undefined);
  change(3, bela, "current");
  assert.deepEqual(behind(), [false, false, false]);
});

test("a market's acceptances are those that still owe: neither paid nor without a fill", () => {
  const debts = new Debts();
  assert.deepEqual(debts.openIn(dallas), []);
  const statuses = ["current", "overdue", "defaulted", "paid", "not_filled"] as const;
  for (const [at, status] of statuses.entries()) {
    debts.changed(undefined, acceptance(at + 1, { status }));
  }
  debts.changed(undefined, acceptance(6, { marketId: reno }));
  assert.deepEqual(debts.openIn(dallas), ["acp-1", "acp-2", "acp-3"]);
  assert.deepEqual(debts.openIn(reno), ["acp-6"]);
  debts.changed(acceptance(2, { status: "overdue" }), acceptance(2, { status: "paid" }));
  assert.deepEqual(debts.openIn(dallas), ["acp-1", "acp-3"]);
});

test("debts are paid oldest first, in whatever order they were told", () => {
  const orders = [
    [1, 2, 9, 10, 11, 100],
    [100, 11, 10, 9, 2, 1],
    [10, 2, 100, 1, 11, 9],
  ];
  for (const numbers of orders) {
    const debts = new Debts();
    for (const number of numbers) {
      debts.changed(undefined, acceptance(number, { status: "overdue" }));
    }
    const oldest = ["acp-1", "acp-2", "acp-9", "acp-10", "acp-11", "acp-100"];
    assert.deepEqual(debts.overdueOf(anna), oldest);
    assert.deepEqual(debts.openIn(dallas), oldest);
  }
});
