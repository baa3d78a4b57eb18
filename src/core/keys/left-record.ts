// A thing that a revoked key may have made, an operator having been shown it, and that still stands.
// Invariant: while there is one, that operator is the account's own person.
import type { AccountId, KeyId } from "#base/ids.ts";

/** A market in which its account holds or has open something, a mandate, a quote, or an auction. */
export interface LeftByKey {
  readonly keyId: KeyId;
  readonly accountId: AccountId;
  readonly name: string;
}
