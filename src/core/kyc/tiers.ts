// The rules an account trades under: its tier's.
// Invariant: an account's liquidity tier follows its approved KYC tier (semantics: limits by tier).
import type { Rates } from "../margin/sums.ts";
import type { Account } from "../records.ts";
import type { Rules, TierRules } from "../rules.ts";
import { approvedTier } from "./standing.ts";

/** An account without a tier pays and posts as `basic`. */
export function accountTerms(rules: Rules, { kyc }: Account): TierRules {
  const tier = approvedTier(kyc);
  return rules.tiers[tier === "none" ? "basic" : tier];
}

/** The rates that its exposure is margined by. */
export function marginRates(rules: Rules, account: Account): Rates {
  const { feeBps, requirementBps } = accountTerms(rules, account);
  const contributes = rules.fund.targetMicros > 0n ? { contributes: true as const } : {};
  return { feeBps, requirementBps, concentration: rules.concentration, ...contributes };
}
