// The schedule of a debt: level monthly payments at an APR, or one payment with its carry.
// Invariant: the principal parts of a schedule add up to the principal, to the micro-dollar.
import { DAY_MILLIS } from "#base/day.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { mulDivUp } from "#base/rounding.ts";
import type { Payment } from "./records.ts";

/** Basis points in one, times months in a year. */
const MONTHLY_DENOMINATOR = 120_000n;
/** Basis points in one, times days in a year. */
const DAILY_DENOMINATOR = 3_650_000n;

const monthlyInterest = (balance: bigint, aprBps: number): bigint =>
  mulDivUp(balance, BigInt(aprBps), MONTHLY_DENOMINATOR);

/**
 * One payment at each of `dueMillis`, a month apart: all equal, but the last, which may be less.
 * Interest of a month is its opening balance × APR / 12, rounded up to a micro-dollar; the level
 * payment is the least that leaves nothing after the last.
 */
export function levelPayments(
  principal: Micros,
  aprBps: number,
  dueMillis: readonly number[],
): readonly Payment[] {
  const level = leastLevel(principal, aprBps, dueMillis.length);
  let balance: bigint = principal;
  return dueMillis.map((due, at) => {
    const interest = monthlyInterest(balance, aprBps);
    const part = balance + interest < level ? balance : level - interest;
    balance -= part;
    return payment(at + 1, due, micros(part), micros(interest));
  });
}

/** By bisection: the balance left over falls as the payment rises. */
function leastLevel(principal: bigint, aprBps: number, count: number): bigint {
  let [tooLittle, enough] = [0n, principal + monthlyInterest(principal, aprBps)];
  while (enough - tooLittle > 1n) {
    const middle = (tooLittle + enough) / 2n;
    if (leftAfter(principal, aprBps, count, middle) <= 0n) enough = middle;
    else tooLittle = middle;
  }
  return enough;
}

function leftAfter(principal: bigint, aprBps: number, count: number, level: bigint): bigint {
  let balance = principal;
  for (let month = 0; month < count; month += 1) {
    balance += monthlyInterest(balance, aprBps) - level;
  }
  return balance;
}

/** The whole principal at once, with simple interest for each day begun. */
export function carriedPayment(
  principal: Micros,
  aprBps: number,
  fromMillis: number,
  dueMillis: number,
): Payment {
  const days = BigInt(Math.ceil((dueMillis - fromMillis) / DAY_MILLIS));
  const interest = mulDivUp(principal, BigInt(aprBps) * days, DAILY_DENOMINATOR);
  return payment(1, dueMillis, principal, micros(interest));
}

const payment = (
  number: number,
  dueMillis: number,
  principalMicros: Micros,
  interestMicros: Micros,
): Payment => ({ number, dueMillis, principalMicros, interestMicros, paidMicros: noMoney });
