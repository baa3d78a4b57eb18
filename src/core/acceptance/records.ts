// The records of premiums: how one is paid, the payments owed, and the quote that was accepted.
// Invariant: like every record it is plain and immutable, and is replaced whole at every change.
import type { AcceptanceId, AccountId, MarketId, OrderId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import type { Lots } from "#base/quantity.ts";

/** How a premium is paid: chosen when a quote is accepted. Coverage is the same in each. */
export type PremiumStructure =
  | { readonly kind: "in_full" }
  | {
      readonly kind: "installments";
      readonly downPaymentBps: number;
      readonly months: number;
      readonly aprBps: number;
    }
  /** The whole premium and its carry, owed on a day whatever has become of the protection. */
  | { readonly kind: "at_funding"; readonly fundsAtMillis: number; readonly aprBps: number };

export interface Payment {
  /** From 1. */
  readonly number: number;
  readonly dueMillis: number;
  readonly principalMicros: Micros;
  readonly interestMicros: Micros;
  readonly paidMicros: Micros;
}

/**
 * `overdue`: a payment was missed; `defaulted`: for longer than the grace, so all of it is due;
 * `written_off`: the pool has borne what was left once the market was over; it is still owed.
 */
export type AcceptanceStatus =
  | "not_filled"
  | "current"
  | "overdue"
  | "defaulted"
  | "written_off"
  | "paid";

/** A quote accepted: the protection bought, and what is owed for it. */
export interface Acceptance {
  readonly id: AcceptanceId;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly orderId: OrderId;
  readonly structure: PremiumStructure;
  readonly filledLots: Lots;
  readonly premiumMicros: Micros;
  /** The part of the premium the exchange lent. */
  readonly principalMicros: Micros;
  readonly payments: readonly Payment[];
  readonly status: AcceptanceStatus;
  readonly createdAtMillis: number;
}
