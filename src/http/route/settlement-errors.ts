// The refusals of commands that end a market or change what it has ended in.
// Invariant: a part of the one table in `errors.ts`, which covers every code.
import type { RejectionCode } from "#core/rejection.ts";

export interface ErrorRule {
  readonly status: number;
  readonly message: string;
  /** True when the same request may succeed later without being changed. */
  readonly retryable?: true;
  /** Seconds to wait where nothing better is known; every 503 has one. */
  readonly retryAfterSeconds?: number;
  readonly outcome?: "unknown";
}

export const settlementRules = {
  IN_DEFAULT: {
    status: 409,
    message:
      "The account is in default: it is resumed, and its cash is free, once its positions have " +
      "found a taker and it owes the guarantee fund nothing",
  },
  AUCTION_NOT_FOUND: { status: 404, message: "No auction that runs has this id" },
  AUCTION_OWN: {
    status: 403,
    message: "The positions are those of an account with the same owner; others bid for them",
  },
  BID_NOT_FOUND: { status: 404, message: "The account has no bid in this auction" },
  BID_TOO_HIGH: {
    status: 422,
    message:
      "The bid is above what the guarantee fund asks, or what the account in default has; see " +
      "details.allowed",
  },
  MANDATE_NOT_FOUND: { status: 404, message: "The account has no mandate of this id" },
  MANDATE_CAP: {
    status: 409,
    message: "The account has as many mandates as it may have; cancel one, or widen one",
  },
  RFQ_NOT_FOUND: {
    status: 404,
    message: "No request for quotes of this id is open to this account",
  },
  RFQ_QUOTE_NOT_FOUND: { status: 404, message: "No quote of this id is the account's to use" },
  RFQ_DONE: {
    status: 409,
    message: "It is too late: the request takes no more quotes, or it or the quote is over",
  },
  RFQ_LEGS: {
    status: 422,
    message: "A request has 1 to 200 legs, each market once, and a quote one price or one for each",
  },
  RFQ_TIMES: {
    status: 422,
    message:
      "A request closes in 30 seconds to 72 hours, and a quote is valid until 30 seconds to 72 " +
      "hours after that",
  },
  RFQ_OWN: { status: 403, message: "The request is that of an account with the same owner" },
  RFQ_CAP: {
    status: 409,
    message: "There are as many requests or quotes as there may be; wait until one is over",
  },
  RFQ_QUOTED: {
    status: 409,
    message: "An account of this owner has quoted already; its quote can be made better",
  },
  RFQ_NOT_BETTER: {
    status: 422,
    message: "A changed quote is better in one leg, worse in none, and valid for as long at least",
  },
  RFQ_WINDOW: {
    status: 409,
    message: "A leg waits for the marks of a release, and nothing of it trades until they come",
  },
  WEBHOOK_NOT_FOUND: { status: 404, message: "The account has no webhook of this id" },
  TRAIL_DENIED: {
    status: 403,
    message: "Only auditors and operators have the audit trail sent to them; leave scope out",
  },
  WEBHOOK_CAP: {
    status: 409,
    message: "The account has as many webhooks as it may have (details.allowed); remove one",
  },
  VOID_AFTER_PRINT: {
    status: 409,
    message:
      "A print came since this market's baseline, so its terms exclude a void; " +
      "its fallbacks settle it",
  },
  BUST_NOT_OPEN: {
    status: 404,
    message:
      "No fill of this id may be busted: it is unknown, within the band, or its window " +
      "is over",
  },
  BUST_AFTER_PRINT: {
    status: 409,
    message: "A print of this index has come since the fill, or is awaited; the fill stands",
  },
  BUST_FINANCED: {
    status: 409,
    message:
      "A party of this fill owes a premium in its market; it has to be paid before the " +
      "fill is busted",
  },
  BUST_SOLD_ON: {
    status: 409,
    message:
      "The lots of this fill were traded on; bust the later fill first, or let this " + "one stand",
  },
  BUST_NOT_COVERED: {
    status: 409,
    message:
      "A party could not pay back or cover what the bust would leave it; it has to " +
      "deposit cash first",
  },
  FALLBACK_NOT_DUE: {
    status: 409,
    message: "A fallback is taken from 60 days after the expected publication on",
  },
  FALLBACK_STEP: {
    status: 409,
    message:
      "This step of the fallbacks does not apply, or no longer; ask for the market's fallback " +
      "again",
  },
  MARKS_NOT_OPEN: { status: 404, message: "No market of this id takes marks now" },
  MARK_NOT_SELLER: {
    status: 403,
    message: "Only an account that has sold protection in a market that is open gives a mark",
  },
  RENAME_GROUNDS: {
    status: 409,
    message:
      "The files do not show that the provider goes on with this place under the new id: a " +
      "release after its newest print has to carry the id, with 24 months of equal growth up to " +
      "that print or a note that names the id before, and a later month",
  },
  GEO_IN_USE: {
    status: 409,
    message:
      "Markets of the place in details.status are open: its level, state, FIPS and the ids of " +
      "its providers stay until they have ended; a new id of a provider is a rename of the place",
  },
  DISPUTE_WINDOW_CLOSED: { status: 409, message: "The market is not in its dispute window" },
  DISPUTE_OPEN: { status: 409, message: "The market is already under dispute" },
  DISPUTE_NONE: { status: 409, message: "The market has no open dispute" },
  DISPUTE_NO_POSITION: {
    status: 403,
    message: "Only an account with a position in the market, or an operator, may dispute it",
  },
  DISPUTE_REPEATED: {
    status: 409,
    message: "You have disputed this resolution before; an amended one may be disputed anew",
  },
  DISPUTE_AMEND_REVISION: {
    status: 422,
    message: "The value is a revision; amend only to what the provider first published",
  },
  DISPUTE_AMEND_FALLBACK: {
    status: 422,
    message:
      "A fallback settled this market: amend without a value undoes the step, and a value is " +
      "refused",
  },
  DISPUTE_SAME_OPERATOR: { status: 409, message: "A second, different operator has to agree" },
} as const satisfies Partial<Record<RejectionCode, ErrorRule>>;
