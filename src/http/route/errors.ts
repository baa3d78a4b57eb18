// Every code a caller can be refused with: its status, its message, whether trying again can help.
// Invariant: the table covers every code of the core, of the engine and of the edge, and no other.
import { formatMicros, type Micros } from "#base/money.ts";
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import type { Rejection, RejectionCode, RejectionDetails } from "#core/rejection.ts";
import type { Refusal } from "#engine/engine.ts";
import { groupRules } from "./group-errors.ts";
import { nodeRules } from "./node-errors.ts";
import { type ErrorRule, settlementRules } from "./settlement-errors.ts";

/** The codes of the edge only: the request never became a command. */
export const edgeCodes = [
  "INVALID_REQUEST",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "MISDIRECTED_REQUEST",
  "LEADER_ONLY",
  "NODE_BEHIND",
  "REQUEST_TIMEOUT",
  "BODY_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "HEADERS_TOO_LARGE",
  "RATE_LIMITED",
  "INVALID_LAYER",
  "LAYER_NOT_SUPPORTED",
  "NO_INDEX_DATA",
  "FILE_REFUSED",
  "RELEASE_STATE",
  "SEQUENCE_AHEAD",
  "STREAM_LIMIT",
  "STREAM_NOT_FOUND",
  "OUTCOME_UNKNOWN",
  "STORAGE_UNAVAILABLE",
  "INTERNAL",
] as const;
type EdgeCode = (typeof edgeCodes)[number];

export const engineRefusals = [
  "IDEMPOTENCY_MISMATCH",
  "IDEMPOTENCY_IN_FLIGHT",
  "OVERLOADED",
  "NOT_LEADER",
  "STOPPING",
] as const satisfies readonly Refusal[];

export type ErrorCode = RejectionCode | Refusal | EdgeCode;

export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** One refusal, as the envelope writes it. */
export interface Problem {
  readonly code: ErrorCode;
  /** Only where the table's message is too general to act on. */
  readonly message?: string;
  readonly field?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly FieldFault[];
  readonly retryAfterSeconds?: number;
  /** The methods a 405 names. */
  readonly allow?: string;
}

export interface Refused {
  readonly refused: Problem;
}

/** The value a handler returns instead of its answer. */
export const refuse = (code: ErrorCode, parts: Omit<Problem, "code"> = {}): Refused => ({
  refused: { code, ...parts },
});

/** A 400 about one field; `message` continues the field's name: "must be …". */
export const invalidField = (
  field: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Refused => invalidFields([{ field, message }], details);

/** A 400 about every field that is wrong, the first named as `field`. */
export function invalidFields(
  faults: readonly FieldFault[],
  details?: Readonly<Record<string, unknown>>,
): Refused {
  const [first] = faults;
  return refuse("INVALID_REQUEST", {
    message: faultsMessage(faults),
    ...(first === undefined ? {} : { field: first.field }),
    errors: faults,
    ...(details === undefined ? {} : { details }),
  });
}

const MOST_TOLD = 4;

/** The first few in a sentence; the rest is in `errors`. */
export function faultsMessage(faults: readonly FieldFault[]): string {
  const told = faults.slice(0, MOST_TOLD).map(({ field, message }) => `${field} ${message}`);
  const more = faults.length - told.length;
  return [...told, ...(more > 0 ? [`and ${more} more, in error.errors`] : [])].join("; ");
}

/** Of a field: nothing that is kept holds a secret that is still in use. */
export const keyInPlace =
  "must not hold an API key; keys go into their header only. Revoke this one if others saw it";

const accessRules = {
  UNAUTHENTICATED: {
    status: 401,
    message: "A valid credential is required: send Authorization: Bearer <API key>",
  },
  PERMISSION_DENIED: { status: 403, message: "This key lacks the permission this request needs" },
  NOT_OPERATOR: { status: 403, message: "Only an operator may do this" },
  ROLE_NOT_TRADER: {
    status: 403,
    message:
      "Only an account with the role trader can trade, and no auditor's is funded; open one for that",
  },
  CONFLICT_OF_INTEREST: {
    status: 403,
    message: "This request concerns an account of your own; another operator has to decide it",
  },
  ROOT_OFF: {
    status: 403,
    message: "Two operators have switched the admin secret off; use an operator's key",
  },
  OPERATORS_MISSING: {
    status: 409,
    message: "Switching root off needs two people, each with a live key that holds admin:exchange",
  },
  PROPOSAL_NOT_FOUND: { status: 404, message: "No open proposal has this id" },
  PROPOSAL_OF_ANOTHER: {
    status: 409,
    message: "Only the person who gave a word takes it back; it ends by itself after ten days",
  },
  PROPOSAL_SAME_OPERATOR: { status: 409, message: "A second person has to agree to this proposal" },
  PROPOSAL_LIMIT: {
    status: 409,
    message: "You have too many open proposals; withdraw one first",
  },
  RULES_NOT_ANNOUNCED: { status: 404, message: "No announced change of the rules has this id" },
  RULES_ANNOUNCED_LIMIT: {
    status: 409,
    message: "Too many changes of the rules wait for their day; withdraw one first",
  },
  KEY_ESCALATION: {
    status: 403,
    message: "A key cannot give more permissions, a higher rate or a later expiry than its own",
  },
  KEY_LIMIT: { status: 422, message: "The account has reached its limit of live keys; revoke one" },
  KYC_PENDING: { status: 409, message: "A KYC inquiry is pending; wait for its decision" },
  KYC_NOT_HIGHER: {
    status: 409,
    message: "The tier asked for is not above the approved one; ask for a higher tier",
  },
  KYC_TIER_MISSING: {
    status: 422,
    message: "There is no inquiry to take the tier from; name the tier to approve",
  },
  KYC_NOT_CLEARED: {
    status: 422,
    message: "An approval states all three screenings as cleared; clear them or reject",
  },
  KYC_REQUIRED: {
    status: 403,
    message:
      "Trading and funding need an approved KYC; send POST /api/kyc/inquiry and wait for approval",
  },
  ACCREDITATION_REQUIRED: {
    status: 403,
    message:
      "Trading and deposits need an accreditation in force, which the operator records with the " +
      "KYC approval; ask the operator to renew it",
  },
  ACCOUNT_HALTED: {
    status: 403,
    message: "The account is halted: it can cancel orders but place none; contact the operator",
  },
  EXCHANGE_HALTED: {
    status: 503,
    message: "Trading is halted: orders can be cancelled; place them again once it has resumed",
    retryable: true,
    retryAfterSeconds: 30,
  },
} as const satisfies Partial<Record<ErrorCode, ErrorRule>>;

const orderRules = {
  ACCOUNT_NOT_FOUND: { status: 404, message: "No such account" },
  KEY_NOT_FOUND: { status: 404, message: "No such key" },
  ORDER_NOT_FOUND: { status: 404, message: "No such order" },
  MARKET_NOT_FOUND: { status: 404, message: "No such market" },
  LISTING_STALE: {
    status: 404,
    message: "The series can no longer be listed: a newer month is published; ask for a new quote",
  },
  MARKET_EXISTS: { status: 409, message: "The market is already listed" },
  MARKET_STATE: { status: 409, message: "The market's state does not allow this" },
  VOID_NOT_PROPOSED: { status: 409, message: "Nobody has proposed to void this market" },
  VOID_SAME_OPERATOR: { status: 409, message: "A second person has to agree to void this market" },
  MARKET_CLOSED: { status: 409, message: "Market is closed" },
  INVALID_PRICE: { status: 400, message: "Invalid price range" },
  EXPIRY_PAST: {
    status: 400,
    message: "The expiry is not in the future; send Unix seconds, or 0 for none",
  },
  REQUEST_EXPIRED: {
    status: 409,
    message: "The request arrived after its Expires-After time; nothing was done",
  },
  POSITION_LIMIT: { status: 422, message: "Position exceeds limit" },
  OPEN_ORDER_CAP: {
    status: 422,
    message: "The account has reached its limit of open orders; cancel some first",
  },
  LISTING_CAP: {
    status: 422,
    message:
      "The account's orders have listed too many untraded markets; a market without an order is " +
      "delisted after a day",
  },
  SERIES_NOT_STANDARD: {
    status: 422,
    message:
      "The account has listed its share of series that are not standard and that nobody has " +
      "traded; take a standard one (12, 24 or 36 months from a March, June, September or " +
      "December), or ask for this one with POST /api/trading/rfqs",
  },
  CLIENT_ORDER_ID_USED: {
    status: 409,
    message:
      "This clientOrderId belongs to an open order, or to one done within the last 24 hours; " +
      "send another",
  },
  ACCEPTANCE_NOT_FOUND: { status: 404, message: "No such acceptance" },
  EXCHANGE_FULL: {
    status: 503,
    message:
      "The exchange has no room for more records: orders can be cancelled but not placed; " +
      "contact the operator",
    retryable: true,
    retryAfterSeconds: 3_600,
  },
  FUND_SHORT: {
    status: 409,
    message:
      "The guarantee fund is too small for the two weakest owners: no order may add a short " +
      "position until they deposit or the fund is funded; closing orders and cancels are taken",
    retryable: true,
  },
  MARGIN_CALL: {
    status: 422,
    message:
      "The account is in a margin call: deposit cash or place reduce-only orders; nothing else " +
      "is taken before its margin health is back at 1",
  },
  PAYMENT_OVERDUE: {
    status: 422,
    message: "A premium payment is overdue; deposit cash, or pay it, before placing orders",
  },
  PAYMENT_NOT_OPEN: { status: 409, message: "This payment is not open; look at the schedule" },
  FINANCING_TERMS: {
    status: 422,
    message:
      "The request's terms are not the exchange's financing terms; send those of GET /api/limits",
  },
  FINANCING_PRICE: {
    status: 422,
    message:
      "A financed buy cannot exceed the current reference limit price, and financed protection " +
      "cannot be sold below its mark; see details.allowed, or pay in full",
  },
  FINANCED_POSITION: {
    status: 422,
    message:
      "Protection that is paid over time is sold with its share of the loan: sell it for " +
      "details.required more, at once with that much free cash, or pay the premium earlier; none " +
      "is financed while the account is short or offers to sell in the market",
  },
  FINANCING_LIMIT: {
    status: 422,
    message:
      "The premiums owed by all accounts of this owner would exceed their limit; pay more at " +
      "once, or pay earlier premiums back",
  },
  FINANCING_POOL: {
    status: 422,
    message:
      "The financing pool has too little left for this premium; pay more at once, or in full",
  },
  INSUFFICIENT_BALANCE: { status: 422, message: "Insufficient balance" },
  CLOSING_PRICE: {
    status: 422,
    message:
      "The account is below its initial margin, and this order would lower its margin health; " +
      "see details.allowed for a price that does not, or deposit cash",
  },
  PROTECTION_TRIPPED: {
    status: 409,
    message:
      "The account's protection has tripped: it can cancel orders but place none until it sends " +
      "POST /api/trading/protection/reset",
  },
  ...groupRules,
  AMOUNT_BELOW_FILLED: {
    status: 409,
    message: "The amount is less than what the order has filled; it is the new total",
  },
  ORDER_DONE: { status: 409, message: "The order is already done" },
} as const satisfies Partial<Record<ErrorCode, ErrorRule>>;

const operatorRules = {
  CLOCK_NOT_SANDBOX: {
    status: 409,
    message: "The clock is the real one; only a sandbox exchange lets it be set",
  },
  CLOCK_NOT_FORWARD: { status: 409, message: "The clock only moves forward; send a later time" },
  RELEASE_EXISTS: { status: 409, message: "The release has already been accepted" },
  RELEASE_NOT_QUARANTINED: { status: 409, message: "The release is not in quarantine" },
  RELEASE_HELD: {
    status: 409,
    message: "The release is in quarantine: two different operators have to release it",
  },
  RELEASE_SAME_OPERATOR: {
    status: 409,
    message: "A second, different operator has to release it",
  },
  PLACE_NOT_HELD: {
    status: 409,
    message: "The place is not held from this release on; look at GET /api/admin/held-places",
  },
  PLACE_HELD: {
    status: 409,
    message: "The place is held back: two different operators have to release it",
  },
  WINDOW_STATE: {
    status: 409,
    message:
      "A release of this index is awaited already, or an operator called one in the last ten days",
  },
  RELEASE_FROM_FUTURE: {
    status: 422,
    message: "The release's publication time is later than the exchange's current time",
  },
  RELEASE_STATE: { status: 409, message: "The release's state does not allow this" },
  PRINT_EXISTS: {
    status: 409,
    message: "A first print in this release is already stored; ingest the file again",
  },
  FILE_REFUSED: { status: 422, message: "The file was refused; nothing of it was taken" },
  INVALID_LAYER: { status: 422, message: "exhaustBps must be above attachBps" },
  LAYER_NOT_SUPPORTED: {
    status: 422,
    message: "Layered contracts exist for zhvi and zori only; ask for kind=binary",
  },
  NO_INDEX_DATA: { status: 422, message: "There is no print of this index for this place yet" },
} as const satisfies Partial<Record<ErrorCode, ErrorRule>>;

const frameRules = {
  INVALID_REQUEST: { status: 400, message: "The request does not match this endpoint's schema" },
  NOT_FOUND: { status: 404, message: "Nothing exists at this path" },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This path does not support this method; the Allow header lists those it does",
  },
  MISDIRECTED_REQUEST: {
    status: 421,
    message:
      "This exchange does not answer under this Host; ask it as localhost, or name the host in " +
      "FIRSTPRINT_HOSTS and start it again",
  },
  REQUEST_TIMEOUT: { status: 408, message: "The request arrived too slowly", retryable: true },
  BODY_TOO_LARGE: { status: 413, message: "The body is larger than this endpoint accepts" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Send the body as Content-Type: application/json, in UTF-8 and not compressed",
  },
  HEADERS_TOO_LARGE: { status: 431, message: "The headers are larger than this server accepts" },
  RATE_LIMITED: { status: 429, message: "Rate limit exceeded", retryable: true },
  SEQUENCE_AHEAD: {
    status: 409,
    message: "This sequence is ahead of the exchange; resync from the current one",
  },
  STREAM_LIMIT: {
    status: 429,
    message: "This address or key has reached its limit of open streams; close one",
    retryable: true,
    retryAfterSeconds: 5,
  },
  STREAM_NOT_FOUND: {
    status: 404,
    message: "No stream of this id is open; open one, and use the id in its first message",
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    message: "This Idempotency-Key was used for another request; send a new key",
  },
  IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    message: "The first request with this Idempotency-Key is still in progress; send it again",
    retryable: true,
  },
  OVERLOADED: {
    status: 503,
    message: "The exchange is busy; nothing was done, send the request again",
    retryable: true,
    retryAfterSeconds: 1,
  },
  OUTCOME_UNKNOWN: {
    status: 503,
    message:
      "The outcome is unknown; repeat the request with the same Idempotency-Key, or look it up",
    retryable: true,
    retryAfterSeconds: 2,
    outcome: "unknown",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    message: "The exchange's disk or database is unavailable; send the request again later",
    retryable: true,
    retryAfterSeconds: 5,
    outcome: "unknown",
  },
  INTERNAL: {
    status: 500,
    message: "Internal error; quote the requestId when you report it",
    outcome: "unknown",
  },
} as const satisfies Partial<Record<ErrorCode, ErrorRule>>;

export const errorTable: Readonly<Record<ErrorCode, ErrorRule>> = {
  ...accessRules,
  ...orderRules,
  ...operatorRules,
  ...frameRules,
  ...nodeRules,
  ...settlementRules,
};

/**
 * The core's rejection as the API shows it: amounts as decimal strings, names without units; `more`
 * is what only the edge can add to its details.
 */
export function problemOf(
  rejection: Rejection,
  more: Readonly<Record<string, unknown>> = {},
): Problem {
  const { code, field, details } = rejection;
  const message = messageOf(rejection);
  const shown = { ...(details === undefined ? {} : shownDetails(details)), ...more };
  return {
    code,
    ...(message === undefined ? {} : { message }),
    ...(field === undefined ? {} : { field }),
    ...(Object.keys(shown).length === 0 ? {} : { details: shown }),
  };
}

export const permissionProblem = (permission: string): Problem => ({
  code: "PERMISSION_DENIED",
  message: `This key lacks the permission ${permission}; use a key that holds it`,
  details: { permission },
});

function messageOf({ code, details }: Rejection): string | undefined {
  if (code === "PERMISSION_DENIED" && details?.permission !== undefined) {
    return permissionProblem(details.permission).message;
  }
  if (code === "ORDER_DONE" && details?.status !== undefined) {
    return `The order is already done: ${details.status}`;
  }
  if (code === "KYC_NOT_CLEARED" && details?.status !== undefined) {
    return `An approval states each screening as true; missing or false: ${details.status}`;
  }
  if (code === "INSUFFICIENT_BALANCE" && details?.limit === "disputeBond") {
    const [bond, free] = [details.requiredMicros, details.availableMicros].map(usdText);
    const lacks = `a dispute takes a bond of ${bond} USD, and ${free} is available`;
    return `Insufficient balance: ${lacks}; deposit the rest, an operator by another operator's word`;
  }
  if (code === "FUND_SHORT") {
    const lacking = `${usdText(details?.requiredMicros)} USD are missing`;
    return `${errorTable.FUND_SHORT.message} (${lacking})`;
  }
  if (code === "DISPUTE_AMEND_REVISION" && details?.release !== undefined) {
    const why = `Release ${details.release} carries this value as a revision`;
    return `${why}; amend only to what the provider first published`;
  }
  if (code === "MARKET_STATE" && details?.status === "RESOLVED") {
    return "The market has resolved; only a dispute can change its resolution now";
  }
  return undefined;
}

const usdText = (amount: Micros | undefined): string =>
  amount === undefined ? "unknown" : formatMicros(amount);

function shownDetails(details: RejectionDetails): Record<string, unknown> {
  const { requiredMicros, availableMicros, allowedMicros, allowedTick, ...others } = details;
  const { filledLots, closedAtMillis, ...rest } = others;
  return {
    ...rest,
    ...(requiredMicros === undefined ? {} : { required: formatMicros(requiredMicros) }),
    ...(availableMicros === undefined ? {} : { available: formatMicros(availableMicros) }),
    ...(allowedMicros === undefined ? {} : { allowed: formatMicros(allowedMicros) }),
    ...(allowedTick === undefined ? {} : { allowed: tickPrice(allowedTick) }),
    ...(filledLots === undefined ? {} : { filled: formatLots(filledLots) }),
    ...(closedAtMillis === undefined
      ? {}
      : { tradingClosedAt: new Date(closedAtMillis).toISOString() }),
  };
}
