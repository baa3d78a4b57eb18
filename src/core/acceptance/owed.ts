// The amount owed on a payment and an acceptance, read from their records.
// Invariant: interest is paid before principal, so that what is left is principal last.
import { DAY_MILLIS } from "#base/day.ts";
import { type Micros, micros } from "#base/money.ts";
import type { Acceptance, Payment } from "./records.ts";
import { financingTerms } from "./terms.ts";

export const owedOn = ({ principalMicros, interestMicros, paidMicros }: Payment): Micros =>
  micros(principalMicros + interestMicros - paidMicros);

export function principalOwedOn(payment: Payment): Micros {
  const owed = owedOn(payment);
  return owed < payment.principalMicros ? owed : payment.principalMicros;
}

/** The number of the payment that ends the month which has begun; past the schedule, of none. */
export const runningMonth = ({ payments }: Acceptance, nowMillis: number): number =>
  payments.find(({ dueMillis }) => dueMillis > nowMillis)?.number ?? payments.length;

/** All that is owed were it paid now: months that have not begun cost no interest. */
export function owedIfPaidNow(acceptance: Acceptance, nowMillis: number): Micros {
  const running = runningMonth(acceptance, nowMillis);
  let owed = 0n;
  for (const payment of acceptance.payments) {
    owed += payment.number > running ? principalOwedOn(payment) : owedOn(payment);
  }
  return micros(owed);
}

/** The amount that has fallen due and is not paid. */
export function dueOn({ payments }: Acceptance, nowMillis: number): Micros {
  let due = 0n;
  for (const payment of payments) if (payment.dueMillis <= nowMillis) due += owedOn(payment);
  return micros(due);
}

/** When the grace of the oldest payment that is not paid is over. */
export function defaultMillis({ payments }: Acceptance): number {
  const oldest = payments.find((payment) => owedOn(payment) > 0n);
  return (oldest?.dueMillis ?? 0) + financingTerms.graceDays * DAY_MILLIS;
}
