// Maker protection as a record, of an account or of a group of its orders: its limits, and what the
// window under way has seen.
// Invariant: a window that is over counts for nothing; a trip stays until the account resets it.
import type { AccountId } from "#base/ids.ts";
import type { Lots } from "#base/quantity.ts";

/** How fast resting orders may be filled before all of them are taken back. */
export interface FillLimits {
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

/** Of all resting orders of an account. */
export interface MakerProtection extends FillLimits {
  readonly accountId: AccountId;
  /** Length of a window, which opens with the first fill after the last one ended; 0 = off. */
  readonly withinSeconds: number;
}

/** Of the orders that name the group; a group without limits that has not tripped has no record. */
export interface OrderGroup extends FillLimits {
  readonly accountId: AccountId;
  readonly group: string;
  /** As `withinSeconds`. */
  readonly withinMillis: number;
}

export type GroupCommand =
  | {
      readonly type: "SetGroup";
      readonly group: string;
      /** 0 = off. */
      readonly withinMillis: number;
      readonly maxLots: Lots | null;
      readonly maxFills: number | null;
    }
  | { readonly type: "ResetGroup"; readonly group: string };
