// The rights a KYC record gives its account at a moment, read from the record alone.
// Invariant: no approval or accreditation counts at or after the second it expires.
import type { Account, Kyc } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";

export const isApproved = (kyc: Kyc, nowSeconds: number): boolean =>
  kyc.status === "approved" && kyc.expiresAtSeconds !== null && kyc.expiresAtSeconds > nowSeconds;

export const isAccredited = ({ accreditation }: Kyc, nowSeconds: number): boolean =>
  accreditation !== null && accreditation.expiresAtSeconds > nowSeconds;

/**
 * The tier that margin and fees follow: the one approved last, also after it expired and while
 * another is asked for; none after a refusal.
 */
export const approvedTier = (kyc: Kyc): Kyc["tier"] => kyc.approvedTier ?? kyc.tier;

/** An account cleared once and not refused since may bring its positions nearer to flat. */
export const mayReduce = (kyc: Kyc): boolean =>
  kyc.status === "approved" ||
  kyc.status === "expired" ||
  (kyc.status === "pending" && kyc.approvedTier !== "none");

/** An approval in force, and an accreditation. */
export function refuseUncleared(
  { nowSeconds }: { readonly nowSeconds: number },
  { kyc }: Account,
): Rejection | undefined {
  if (!isApproved(kyc, nowSeconds)) return reject("KYC_REQUIRED", { status: kyc.status });
  return isAccredited(kyc, nowSeconds) ? undefined : reject("ACCREDITATION_REQUIRED");
}
