// On what terms the exchange lends a premium: rates, shares, lengths, and how much to whom.
// Invariant: an acceptance is made on these terms or not at all; it keeps the rate it was made at.
import type { Micros } from "#base/money.ts";
import { accountTerms } from "../kyc/tiers.ts";
import type { Account } from "../records.ts";
import type { Rules } from "../rules.ts";

interface FinancingTerms {
  /** Of installments, a year. */
  readonly aprBps: number;
  /** Of a premium owed at funding, a year, simple, by days of 365. */
  readonly carryAprBps: number;
  /** Of the premium, paid at once with installments. */
  readonly minDownPaymentBps: number;
  readonly maxMonths: number;
  /** How long a missed payment may stay missed before the rest is due too. */
  readonly graceDays: number;
}

export const financingTerms: FinancingTerms = {
  aprBps: 900,
  carryAprBps: 600,
  minDownPaymentBps: 1_000,
  maxMonths: 36,
  graceDays: 10,
};

/** An operator's word for the account comes before the rule of its tier. */
export const creditLine = (rules: Rules, account: Account): Micros =>
  account.creditMicros ?? accountTerms(rules, account).creditMicros;
