// The decision of an operator, or of the sandbox's rule, on an inquiry.
// Invariant: a decision is about one account, and says by whose rule it was made.
import type { AccountId } from "#base/ids.ts";
import type { KycTier } from "../records.ts";

export interface Accreditation {
  readonly basis: string;
  readonly evidenceId: string;
  /** Null = with the approval. */
  readonly expiresAtSeconds: number | null;
}

export interface KycDecision {
  readonly accountId: AccountId;
  readonly decision: "approve" | "reject";
  /** Null = the tier asked for. */
  readonly tier: KycTier | null;
  readonly countryCode: string | null;
  readonly sanctionsCleared: boolean;
  readonly pepScreened: boolean;
  readonly adverseMediaCleared: boolean;
  readonly listVersion: string | null;
  readonly provider: "manual" | "sandbox";
  /** Null = the decision says nothing of it: the account keeps what it has. */
  readonly accreditation: Accreditation | null;
}
