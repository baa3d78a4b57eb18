// What each tier may do and pays: KYC limits, liquidity tier, fees, margin requirement.
// Invariant: an account's liquidity tier follows its approved KYC tier (semantics: limits by tier).
import { type Micros, micros } from "#base/money.ts";
import type { Account, KycTier } from "../records.ts";

interface KycLimits {
  /** USD of coverage in one market. */
  readonly maxPositionMicros: Micros;
  /** USD of coverage filled in a UTC day, open orders included. */
  readonly maxDailyMicros: Micros;
  /** USD of coverage over all markets. */
  readonly maxTotalMicros: Micros;
}

interface TierTerms extends KycLimits {
  readonly liquidityTier: "basic" | "standard" | "institutional";
  readonly maxOpenPositions: number;
  /** Taker fee on min(p, 1−p) × quantity. */
  readonly feeBps: number;
  /** Share of 1−mark a seller posts; 10,000 is full collateral, for everybody so far. */
  readonly requirementBps: number;
}

const usd = (dollars: number): Micros => micros(BigInt(dollars) * 1_000_000n);

const terms: Record<KycTier, TierTerms> = {
  basic: {
    liquidityTier: "basic",
    maxPositionMicros: usd(10_000),
    maxDailyMicros: usd(5_000),
    maxTotalMicros: usd(25_000),
    maxOpenPositions: 10,
    feeBps: 150,
    requirementBps: 10_000,
  },
  enhanced: {
    liquidityTier: "standard",
    maxPositionMicros: usd(250_000),
    maxDailyMicros: usd(100_000),
    maxTotalMicros: usd(1_000_000),
    maxOpenPositions: 100,
    feeBps: 100,
    requirementBps: 10_000,
  },
  institutional: {
    liquidityTier: "institutional",
    maxPositionMicros: usd(25_000_000),
    maxDailyMicros: usd(10_000_000),
    maxTotalMicros: usd(250_000_000),
    maxOpenPositions: 2_000,
    feeBps: 50,
    requirementBps: 10_000,
  },
};

export const tierTerms = (tier: KycTier): TierTerms => terms[tier];

export const kycLimits = (tier: KycTier): KycLimits => terms[tier];

/** The terms an account trades under; an account without a tier pays and posts as `basic`. */
export const accountTerms = (account: Account): TierTerms =>
  terms[account.kyc.tier === "none" ? "basic" : account.kyc.tier];
