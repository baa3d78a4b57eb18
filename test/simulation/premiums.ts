// The cost of a lent premium, its schedule and its outcomes: the auditor's own rules.
// Invariant: nothing of the core is called; a schedule is judged when made and at each change.
import assert from "node:assert/strict";
import type { Acceptance, Payment } from "#core/acceptance/records.ts";
import type { Command } from "#core/command.ts";
import { ceilDiv } from "./arithmetic.ts";

const DAY_MILLIS = 86_400_000;

const owed = ({ principalMicros, interestMicros, paidMicros }: Payment): bigint =>
  principalMicros + interestMicros - paidMicros;

/** All that is due by now and not paid. */
export const dueBy = ({ payments }: Acceptance, millis: number): bigint =>
  payments.reduce((sum, one) => sum + (one.dueMillis <= millis ? owed(one) : 0n), 0n);

/** All that is not paid, due or not. */
export const owedOf = ({ payments }: Acceptance): bigint =>
  payments.reduce((sum, one) => sum + owed(one), 0n);

/** All that is not paid, were it paid by now: months that have not begun cost no interest. */
export function owedIfPaid({ payments }: Acceptance, millis: number): bigint {
  const running = payments.find(({ dueMillis }) => dueMillis > millis)?.number;
  return payments.reduce((sum, one) => {
    const hasBegun = running === undefined || one.number <= running;
    const left = owed(one) < one.principalMicros ? owed(one) : one.principalMicros;
    return sum + (hasBegun ? owed(one) : left);
  }, 0n);
}

/** As it is made: the parts of what was lent, their interest and their days. */
export function assertSchedule({ id, structure, principalMicros, ...made }: Acceptance): void {
  const { payments, createdAtMillis } = made;
  if (principalMicros === 0n || structure.kind === "in_full") {
    assert.equal(payments.length, 0, `nothing is owed for ${id}`);
    return;
  }
  assert.ok(
    payments.every(({ paidMicros }, at) => paidMicros === 0n && payments[at]?.number === at + 1),
    `nothing of ${id} is paid yet`,
  );
  if (structure.kind === "at_funding") {
    const { aprBps, fundsAtMillis } = structure;
    const days = BigInt(Math.ceil((fundsAtMillis - createdAtMillis) / DAY_MILLIS));
    const carry = ceilDiv(principalMicros * BigInt(aprBps) * days, 3_650_000n);
    const [only] = payments;
    assert.equal(payments.length, 1, `${id} is owed at once`);
    assert.equal(only?.principalMicros, principalMicros, `all of ${id} is owed at funding`);
    assert.equal(only?.interestMicros, carry, `the carry of ${id}`);
    assert.equal(only?.dueMillis, fundsAtMillis, `${id} is due at funding`);
    return;
  }
  assert.equal(payments.length, structure.months, `${id} has a payment a month`);
  assertLevel(id, principalMicros, structure.aprBps, payments);
  for (const { number, dueMillis } of payments) {
    assert.equal(dueMillis, monthsAfter(createdAtMillis, number), `${id} ${number} falls due`);
  }
}

/** Equal payments but the last, the least that leave nothing: one micro-dollar less would. */
function assertLevel(id: string, lent: bigint, aprBps: number, payments: readonly Payment[]): void {
  const interestOn = (balance: bigint) => ceilDiv(balance * BigInt(aprBps), 120_000n);
  const [first] = payments;
  const level = (first?.principalMicros ?? 0n) + (first?.interestMicros ?? 0n);
  let balance = lent;
  let short = lent;
  for (const { number, principalMicros, interestMicros } of payments) {
    assert.equal(interestMicros, interestOn(balance), `the interest of ${id} ${number}`);
    const isLevel = principalMicros + interestMicros === level;
    assert.ok(isLevel || principalMicros === balance, `${id} ${number} is as the others, or all`);
    balance -= principalMicros;
    if (short > 0n) short += interestOn(short) - (level - 1n);
  }
  assert.equal(balance, 0n, `${id} leaves nothing`);
  assert.ok(short > 0n, `the payments of ${id} are the least`);
}

/** The same day of a later month, or its last. */
function monthsAfter(millis: number, count: number): number {
  const from = new Date(millis);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (millis % DAY_MILLIS);
}

/** The changes a command may make to a schedule, and one that voids its market. */
export function assertChange(
  before: Acceptance,
  after: Acceptance,
  command: Command,
  nowMillis: number,
  isVoided: boolean,
): void {
  const { id } = after;
  assert.equal(after.payments.length, before.payments.length, `${id} keeps its payments`);
  const isCalledIn = command.type === "DefaultAcceptance" || isVoided;
  const isChosen = command.type === "PayAcceptance" && command.acceptanceId === id;
  const through = isChosen ? command.through : 0;
  const running = before.payments.find(({ dueMillis }) => dueMillis > nowMillis)?.number;
  let isOpenBefore = false;
  for (const [at, one] of after.payments.entries()) {
    const was = before.payments[at];
    assert.ok(was !== undefined && was.number === one.number);
    const name = `${id} ${one.number}`;
    assert.equal(one.principalMicros, was.principalMicros, `${name} keeps its part`);
    const wasAhead = was.dueMillis > nowMillis && owed(was) > 0n;
    const isNow = was.dueMillis > nowMillis && isCalledIn;
    const due = isNow && one.dueMillis !== was.dueMillis ? nowMillis : was.dueMillis;
    assert.equal(one.dueMillis, due, `${name} falls due`);
    // A month that has not begun costs nothing when it is paid or called in early.
    const early = one.number <= through && running !== undefined && one.number > running;
    // A default calls in the month that runs with its interest; a void ends it.
    const hasBegun = command.type === "DefaultAcceptance" && one.number === running;
    const isCalled = isCalledIn && one.dueMillis === nowMillis && !hasBegun;
    // The position's proceeds pay ahead, in turn; a debt met whole costs nothing ahead of it.
    const isClaimed = !isCalledIn && !isChosen && one.paidMicros > was.paidMicros;
    const isAhead = running !== undefined && one.number > running && owed(one) === 0n;
    const isWaived = wasAhead && (early || isCalled || (isClaimed && isAhead));
    // Interest that was paid stays paid.
    const kept = was.paidMicros < was.interestMicros ? was.paidMicros : was.interestMicros;
    const interest = isWaived ? kept : was.interestMicros;
    assert.equal(one.interestMicros, interest, `the interest of ${name}`);
    const paid = one.paidMicros - was.paidMicros;
    assert.ok(paid >= 0n && owed(one) >= 0n, `${name} is paid once`);
    const isMeant = one.dueMillis <= nowMillis || one.number <= through || isClaimed;
    assert.ok(paid === 0n || (isMeant && !isOpenBefore), `${name} is paid in its turn`);
    if (isChosen && one.number <= through) assert.equal(owed(one), 0n, `${name} is paid off`);
    isOpenBefore ||= owed(one) > 0n;
  }
}
