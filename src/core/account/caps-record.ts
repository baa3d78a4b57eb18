// Limits that an operator has set for one account.
// Invariant: an absent limit is that of the account's tier, or of every account.
import type { AccountId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";

export interface Caps {
  /** USD of coverage that it may trade in a UTC day, for both limits of a day that its tier has. */
  readonly maxDailyMicros?: Micros;
  readonly maxOpenOrders?: number;
}

/** Null = as every account of the tier has it; absent = as it is. */
export interface CapsCommand {
  readonly type: "SetCaps";
  readonly accountId: AccountId;
  readonly maxDailyMicros?: Micros | null;
  readonly maxOpenOrders?: number | null;
}
