// Every way the core says no, in order of precedence: a closed list, returned, never thrown.
// Invariant: a rejection changes no record; where two apply, the earlier in this list answers.
import type { AccountId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import type { OrderStatus, Permission } from "./records.ts";

export const rejectionCodes = [
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "NOT_OPERATOR",
  "EXCHANGE_FULL",
  "ROLE_NOT_TRADER",
  "CONFLICT_OF_INTEREST",
  "ROOT_OFF",
  "OPERATORS_MISSING",
  "PROPOSAL_NOT_FOUND",
  "PROPOSAL_OF_ANOTHER",
  "PROPOSAL_SAME_OPERATOR",
  "PROPOSAL_LIMIT",
  "RULES_NOT_ANNOUNCED",
  "RULES_ANNOUNCED_LIMIT",
  "CLOCK_NOT_SANDBOX",
  "CLOCK_NOT_FORWARD",
  "ACCOUNT_NOT_FOUND",
  "KEY_NOT_FOUND",
  "KEY_ESCALATION",
  "KEY_LIMIT",
  "KYC_PENDING",
  "KYC_NOT_HIGHER",
  "KYC_TIER_MISSING",
  "KYC_NOT_CLEARED",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PAYMENT_OVERDUE",
  "MARGIN_CALL",
  "IN_DEFAULT",
  "PROTECTION_TRIPPED",
  "GROUP_NOT_FOUND",
  "GROUP_TRIPPED",
  "ORDER_NOT_FOUND",
  "MANDATE_NOT_FOUND",
  "MANDATE_CAP",
  "RFQ_NOT_FOUND",
  "RFQ_QUOTE_NOT_FOUND",
  "RFQ_DONE",
  "RFQ_LEGS",
  "RFQ_TIMES",
  "RFQ_OWN",
  "RFQ_CAP",
  "RFQ_QUOTED",
  "RFQ_NOT_BETTER",
  "RFQ_WINDOW",
  "WEBHOOK_NOT_FOUND",
  "WEBHOOK_CAP",
  "TRAIL_DENIED",
  "ACCEPTANCE_NOT_FOUND",
  "AUCTION_NOT_FOUND",
  "AUCTION_OWN",
  "BID_NOT_FOUND",
  "BID_TOO_HIGH",
  "PAYMENT_NOT_OPEN",
  "ORDER_DONE",
  "MARKET_NOT_FOUND",
  "MARKET_EXISTS",
  "LISTING_STALE",
  "LISTING_CAP",
  "SERIES_NOT_STANDARD",
  "MARKET_STATE",
  "VOID_NOT_PROPOSED",
  "VOID_SAME_OPERATOR",
  "VOID_AFTER_PRINT",
  "BUST_NOT_OPEN",
  "BUST_AFTER_PRINT",
  "BUST_FINANCED",
  "BUST_SOLD_ON",
  "BUST_NOT_COVERED",
  "FALLBACK_NOT_DUE",
  "FALLBACK_STEP",
  "MARKS_NOT_OPEN",
  "MARK_NOT_SELLER",
  "MARKET_CLOSED",
  "INVALID_PRICE",
  "EXPIRY_PAST",
  "REQUEST_EXPIRED",
  "AMOUNT_BELOW_FILLED",
  "FUND_SHORT",
  "POSITION_LIMIT",
  "OPEN_ORDER_CAP",
  "GROUP_CAP",
  "CLIENT_ORDER_ID_USED",
  "FINANCING_TERMS",
  "FINANCING_PRICE",
  "FINANCED_POSITION",
  "FINANCING_LIMIT",
  "FINANCING_POOL",
  "INSUFFICIENT_BALANCE",
  "CLOSING_PRICE",
  "DISPUTE_WINDOW_CLOSED",
  "DISPUTE_OPEN",
  "DISPUTE_NONE",
  "DISPUTE_NO_POSITION",
  "DISPUTE_REPEATED",
  "DISPUTE_AMEND_REVISION",
  "DISPUTE_AMEND_FALLBACK",
  "DISPUTE_SAME_OPERATOR",
  "RELEASE_EXISTS",
  "RELEASE_NOT_QUARANTINED",
  "RELEASE_HELD",
  "RELEASE_SAME_OPERATOR",
  "PLACE_NOT_HELD",
  "PLACE_HELD",
  "RENAME_GROUNDS",
  "GEO_IN_USE",
  "WINDOW_STATE",
  "RELEASE_FROM_FUTURE",
  "PRINT_EXISTS",
] as const;
export type RejectionCode = (typeof rejectionCodes)[number];

export interface Rejection {
  readonly code: RejectionCode;
  /** The request field that is at fault. */
  readonly field?: string;
  readonly details?: RejectionDetails;
}

export interface RejectionDetails {
  /** Position in a batch, from 0. */
  readonly index?: number;
  readonly permission?: Permission;
  readonly requiredMicros?: Micros;
  readonly availableMicros?: Micros;
  readonly limit?: string;
  readonly allowedMicros?: Micros;
  readonly allowedTick?: Tick;
  /** A whole number in the unit of the field. */
  readonly allowed?: number;
  readonly status?: OrderStatus | string;
  readonly filledLots?: Lots;
  /** When trading in the market ended. */
  readonly closedAtMillis?: number;
  readonly indexKind?: IndexKind;
  readonly release?: ReleaseId;
  readonly account?: AccountId;
}

/** Refusals that matter to an auditor become entries; the rest are only answered. */
export const auditedRejections: ReadonlySet<RejectionCode> = new Set([
  "PERMISSION_DENIED",
  "NOT_OPERATOR",
  "ROLE_NOT_TRADER",
  "CONFLICT_OF_INTEREST",
  "ROOT_OFF",
  "KEY_ESCALATION",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "POSITION_LIMIT",
  "OPEN_ORDER_CAP",
  "LISTING_CAP",
  "SERIES_NOT_STANDARD",
  "KEY_LIMIT",
  "FINANCING_PRICE",
  "FINANCED_POSITION",
  "FINANCING_LIMIT",
  "FINANCING_POOL",
  "PAYMENT_OVERDUE",
  "MARGIN_CALL",
  "INSUFFICIENT_BALANCE",
  "CLOSING_PRICE",
]);

export const reject = (
  code: RejectionCode,
  details?: RejectionDetails,
  field?: string,
): Rejection => ({
  code,
  ...(field === undefined ? {} : { field }),
  ...(details === undefined ? {} : { details }),
});
