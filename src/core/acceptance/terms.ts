// On what terms the exchange lends a premium: rates, shares, lengths, and how much to whom.
// Invariant: an acceptance is made on these terms or not at all; it keeps the rate it was made at.
import { type Micros, micros } from "#base/money.ts";
import type { KycTier } from "../records.ts";

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

const usd = (dollars: number): Micros => micros(BigInt(dollars) * 1_000_000n);

/** A tenth of what the tier may cover in one market. */
const creditLimits: Readonly<Record<KycTier, Micros>> = {
  basic: usd(1_000),
  enhanced: usd(25_000),
  institutional: usd(2_500_000),
};

/** The most principal an account of the tier may owe. */
export const creditLimit = (tier: KycTier): Micros => creditLimits[tier];
