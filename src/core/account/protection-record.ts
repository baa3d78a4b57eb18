// Maker protection as a record: its limits, and what the window under way has seen.
// Invariant: a window that is over counts for nothing; a trip stays until the account resets it.
import type { AccountId } from "#base/ids.ts";
import type { Lots } from "#base/quantity.ts";

/** How fast an account's resting orders may be filled before all of them are taken back. */
export interface MakerProtection {
  readonly accountId: AccountId;
  /** Length of a window, which opens with the first fill after the last one ended; 0 = off. */
  readonly withinSeconds: number;
  readonly maxLots: Lots | null;
  readonly maxFills: number | null;
  /** The window under way, or the last one. */
  readonly windowOpenedAtMillis: number | null;
  readonly windowLots: Lots;
  readonly windowFills: number;
  /** Since then new orders are refused, until the account resets it. */
  readonly trippedAtMillis: number | null;
  /** True once the journal has an entry of its own for the trip. */
  readonly tripReported: boolean;
}
