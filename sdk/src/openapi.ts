// The exchange's OpenAPI document as types, made by `npm run sdk-types -- --write`.
// Invariant: nobody edits this file; a test compares it with docs/reference/openapi.json.

/** The records of the exchange, by their names in the document. */
export interface Schemas {
  ErrorAnswer: {
    /** false: nothing was done, unless `outcome` is unknown */
    success: false;
    /** the refusal, with its particulars */
    error: {
      /** stable name of the refusal: decide by it, not by the message */
      code:
        | "ACCEPTANCE_NOT_FOUND"
        | "ACCOUNT_HALTED"
        | "ACCOUNT_NOT_FOUND"
        | "ACCREDITATION_REQUIRED"
        | "AMOUNT_BELOW_FILLED"
        | "AUCTION_NOT_FOUND"
        | "AUCTION_OWN"
        | "BID_NOT_FOUND"
        | "BID_TOO_HIGH"
        | "BODY_TOO_LARGE"
        | "BUST_AFTER_PRINT"
        | "BUST_FINANCED"
        | "BUST_NOT_COVERED"
        | "BUST_NOT_OPEN"
        | "BUST_SOLD_ON"
        | "CLIENT_ORDER_ID_USED"
        | "CLOCK_NOT_FORWARD"
        | "CLOCK_NOT_SANDBOX"
        | "CLOSING_PRICE"
        | "CONFLICT_OF_INTEREST"
        | "DISPUTE_AMEND_FALLBACK"
        | "DISPUTE_AMEND_REVISION"
        | "DISPUTE_DISAGREES"
        | "DISPUTE_NONE"
        | "DISPUTE_NO_POSITION"
        | "DISPUTE_OPEN"
        | "DISPUTE_REPEATED"
        | "DISPUTE_SAME_OPERATOR"
        | "DISPUTE_WINDOW_CLOSED"
        | "EXCHANGE_FULL"
        | "EXCHANGE_HALTED"
        | "EXPIRY_PAST"
        | "FALLBACK_NOT_DUE"
        | "FALLBACK_STEP"
        | "FILE_REFUSED"
        | "FINANCING_LIMIT"
        | "FINANCING_POOL"
        | "FINANCING_PRICE"
        | "FINANCING_TERMS"
        | "FUND_SHORT"
        | "GEO_IN_USE"
        | "GROUP_CAP"
        | "GROUP_NOT_FOUND"
        | "GROUP_TRIPPED"
        | "HEADERS_TOO_LARGE"
        | "IDEMPOTENCY_IN_FLIGHT"
        | "IDEMPOTENCY_MISMATCH"
        | "INSUFFICIENT_BALANCE"
        | "INTERNAL"
        | "INVALID_LAYER"
        | "INVALID_PRICE"
        | "INVALID_REQUEST"
        | "IN_DEFAULT"
        | "KEY_ESCALATION"
        | "KEY_LIMIT"
        | "KEY_NOT_FOUND"
        | "KYC_NOT_CLEARED"
        | "KYC_NOT_HIGHER"
        | "KYC_PENDING"
        | "KYC_REQUIRED"
        | "KYC_TIER_MISSING"
        | "LAYER_NOT_SUPPORTED"
        | "LEADER_ONLY"
        | "LISTING_CAP"
        | "LISTING_STALE"
        | "MANDATE_CAP"
        | "MANDATE_NOT_FOUND"
        | "MARGIN_CALL"
        | "MARKET_CLOSED"
        | "MARKET_EXISTS"
        | "MARKET_NOT_FOUND"
        | "MARKET_STATE"
        | "MARKS_NOT_OPEN"
        | "MARK_NOT_SELLER"
        | "METHOD_NOT_ALLOWED"
        | "MISDIRECTED_REQUEST"
        | "NODE_BEHIND"
        | "NOT_FOUND"
        | "NOT_LEADER"
        | "NOT_OPERATOR"
        | "NO_INDEX_DATA"
        | "OPEN_ORDER_CAP"
        | "OPERATORS_MISSING"
        | "ORDER_DONE"
        | "ORDER_NOT_FOUND"
        | "OUTCOME_UNKNOWN"
        | "OVERLOADED"
        | "PAYMENT_NOT_OPEN"
        | "PAYMENT_OVERDUE"
        | "PERMISSION_DENIED"
        | "PLACE_HELD"
        | "PLACE_NOT_HELD"
        | "POSITION_LIMIT"
        | "PRINT_EXISTS"
        | "PROPOSAL_LIMIT"
        | "PROPOSAL_NOT_FOUND"
        | "PROPOSAL_SAME_OPERATOR"
        | "PROTECTION_TRIPPED"
        | "RATE_LIMITED"
        | "RELEASE_EXISTS"
        | "RELEASE_FROM_FUTURE"
        | "RELEASE_HELD"
        | "RELEASE_NOT_QUARANTINED"
        | "RELEASE_SAME_OPERATOR"
        | "RELEASE_STATE"
        | "RENAME_GROUNDS"
        | "REQUEST_EXPIRED"
        | "REQUEST_TIMEOUT"
        | "RFQ_CAP"
        | "RFQ_DONE"
        | "RFQ_LEGS"
        | "RFQ_NOT_BETTER"
        | "RFQ_NOT_FOUND"
        | "RFQ_OWN"
        | "RFQ_QUOTED"
        | "RFQ_QUOTE_NOT_FOUND"
        | "RFQ_TIMES"
        | "RFQ_WINDOW"
        | "ROLE_NOT_TRADER"
        | "ROOT_OFF"
        | "RULES_ANNOUNCED_LIMIT"
        | "RULES_NOT_ANNOUNCED"
        | "SEQUENCE_AHEAD"
        | "SERIES_NOT_STANDARD"
        | "STOPPING"
        | "STORAGE_UNAVAILABLE"
        | "STREAM_LIMIT"
        | "STREAM_NOT_FOUND"
        | "TRAIL_DENIED"
        | "UNAUTHENTICATED"
        | "UNSUPPORTED_MEDIA_TYPE"
        | "VOID_AFTER_PRINT"
        | "VOID_NOT_PROPOSED"
        | "VOID_SAME_OPERATOR"
        | "WEBHOOK_CAP"
        | "WEBHOOK_NOT_FOUND"
        | "WINDOW_STATE";
      /** what happened, the values, and what to do */
      message: string;
      /** the field at fault */
      field?: string;
      /** values that belong to it, by name */
      details?: {
        [name: string]: unknown;
      };
      /** every field at fault, where there are several */
      errors?: {
        /** the field at fault */
        field: string;
        /** what happened, the values, and what to do */
        message: string;
      }[];
      /** the same request may succeed later */
      retryable: boolean;
      /** not_applied: nothing has happened; unknown: it may have, ask again */
      outcome: "not_applied" | "unknown";
      /** names the request; also the header `x-request-id` */
      requestId: string;
    };
    /** stable name of the refusal: decide by it, not by the message */
    code:
      | "ACCEPTANCE_NOT_FOUND"
      | "ACCOUNT_HALTED"
      | "ACCOUNT_NOT_FOUND"
      | "ACCREDITATION_REQUIRED"
      | "AMOUNT_BELOW_FILLED"
      | "AUCTION_NOT_FOUND"
      | "AUCTION_OWN"
      | "BID_NOT_FOUND"
      | "BID_TOO_HIGH"
      | "BODY_TOO_LARGE"
      | "BUST_AFTER_PRINT"
      | "BUST_FINANCED"
      | "BUST_NOT_COVERED"
      | "BUST_NOT_OPEN"
      | "BUST_SOLD_ON"
      | "CLIENT_ORDER_ID_USED"
      | "CLOCK_NOT_FORWARD"
      | "CLOCK_NOT_SANDBOX"
      | "CLOSING_PRICE"
      | "CONFLICT_OF_INTEREST"
      | "DISPUTE_AMEND_FALLBACK"
      | "DISPUTE_AMEND_REVISION"
      | "DISPUTE_DISAGREES"
      | "DISPUTE_NONE"
      | "DISPUTE_NO_POSITION"
      | "DISPUTE_OPEN"
      | "DISPUTE_REPEATED"
      | "DISPUTE_SAME_OPERATOR"
      | "DISPUTE_WINDOW_CLOSED"
      | "EXCHANGE_FULL"
      | "EXCHANGE_HALTED"
      | "EXPIRY_PAST"
      | "FALLBACK_NOT_DUE"
      | "FALLBACK_STEP"
      | "FILE_REFUSED"
      | "FINANCING_LIMIT"
      | "FINANCING_POOL"
      | "FINANCING_PRICE"
      | "FINANCING_TERMS"
      | "FUND_SHORT"
      | "GEO_IN_USE"
      | "GROUP_CAP"
      | "GROUP_NOT_FOUND"
      | "GROUP_TRIPPED"
      | "HEADERS_TOO_LARGE"
      | "IDEMPOTENCY_IN_FLIGHT"
      | "IDEMPOTENCY_MISMATCH"
      | "INSUFFICIENT_BALANCE"
      | "INTERNAL"
      | "INVALID_LAYER"
      | "INVALID_PRICE"
      | "INVALID_REQUEST"
      | "IN_DEFAULT"
      | "KEY_ESCALATION"
      | "KEY_LIMIT"
      | "KEY_NOT_FOUND"
      | "KYC_NOT_CLEARED"
      | "KYC_NOT_HIGHER"
      | "KYC_PENDING"
      | "KYC_REQUIRED"
      | "KYC_TIER_MISSING"
      | "LAYER_NOT_SUPPORTED"
      | "LEADER_ONLY"
      | "LISTING_CAP"
      | "LISTING_STALE"
      | "MANDATE_CAP"
      | "MANDATE_NOT_FOUND"
      | "MARGIN_CALL"
      | "MARKET_CLOSED"
      | "MARKET_EXISTS"
      | "MARKET_NOT_FOUND"
      | "MARKET_STATE"
      | "MARKS_NOT_OPEN"
      | "MARK_NOT_SELLER"
      | "METHOD_NOT_ALLOWED"
      | "MISDIRECTED_REQUEST"
      | "NODE_BEHIND"
      | "NOT_FOUND"
      | "NOT_LEADER"
      | "NOT_OPERATOR"
      | "NO_INDEX_DATA"
      | "OPEN_ORDER_CAP"
      | "OPERATORS_MISSING"
      | "ORDER_DONE"
      | "ORDER_NOT_FOUND"
      | "OUTCOME_UNKNOWN"
      | "OVERLOADED"
      | "PAYMENT_NOT_OPEN"
      | "PAYMENT_OVERDUE"
      | "PERMISSION_DENIED"
      | "PLACE_HELD"
      | "PLACE_NOT_HELD"
      | "POSITION_LIMIT"
      | "PRINT_EXISTS"
      | "PROPOSAL_LIMIT"
      | "PROPOSAL_NOT_FOUND"
      | "PROPOSAL_SAME_OPERATOR"
      | "PROTECTION_TRIPPED"
      | "RATE_LIMITED"
      | "RELEASE_EXISTS"
      | "RELEASE_FROM_FUTURE"
      | "RELEASE_HELD"
      | "RELEASE_NOT_QUARANTINED"
      | "RELEASE_SAME_OPERATOR"
      | "RELEASE_STATE"
      | "RENAME_GROUNDS"
      | "REQUEST_EXPIRED"
      | "REQUEST_TIMEOUT"
      | "RFQ_CAP"
      | "RFQ_DONE"
      | "RFQ_LEGS"
      | "RFQ_NOT_BETTER"
      | "RFQ_NOT_FOUND"
      | "RFQ_OWN"
      | "RFQ_QUOTED"
      | "RFQ_QUOTE_NOT_FOUND"
      | "RFQ_TIMES"
      | "RFQ_WINDOW"
      | "ROLE_NOT_TRADER"
      | "ROOT_OFF"
      | "RULES_ANNOUNCED_LIMIT"
      | "RULES_NOT_ANNOUNCED"
      | "SEQUENCE_AHEAD"
      | "SERIES_NOT_STANDARD"
      | "STOPPING"
      | "STORAGE_UNAVAILABLE"
      | "STREAM_LIMIT"
      | "STREAM_NOT_FOUND"
      | "TRAIL_DENIED"
      | "UNAUTHENTICATED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VOID_AFTER_PRINT"
      | "VOID_NOT_PROPOSED"
      | "VOID_SAME_OPERATOR"
      | "WEBHOOK_CAP"
      | "WEBHOOK_NOT_FOUND"
      | "WINDOW_STATE";
    /** what happened, the values, and what to do */
    message: string;
  };
  Problem: {
    /** `urn:firstprint:error:` and the code */
    type: string;
    /** the HTTP status */
    status: number;
    /** what happened, the values, and what to do */
    detail: string;
    /** stable name of the refusal: decide by it, not by the message */
    code:
      | "ACCEPTANCE_NOT_FOUND"
      | "ACCOUNT_HALTED"
      | "ACCOUNT_NOT_FOUND"
      | "ACCREDITATION_REQUIRED"
      | "AMOUNT_BELOW_FILLED"
      | "AUCTION_NOT_FOUND"
      | "AUCTION_OWN"
      | "BID_NOT_FOUND"
      | "BID_TOO_HIGH"
      | "BODY_TOO_LARGE"
      | "BUST_AFTER_PRINT"
      | "BUST_FINANCED"
      | "BUST_NOT_COVERED"
      | "BUST_NOT_OPEN"
      | "BUST_SOLD_ON"
      | "CLIENT_ORDER_ID_USED"
      | "CLOCK_NOT_FORWARD"
      | "CLOCK_NOT_SANDBOX"
      | "CLOSING_PRICE"
      | "CONFLICT_OF_INTEREST"
      | "DISPUTE_AMEND_FALLBACK"
      | "DISPUTE_AMEND_REVISION"
      | "DISPUTE_DISAGREES"
      | "DISPUTE_NONE"
      | "DISPUTE_NO_POSITION"
      | "DISPUTE_OPEN"
      | "DISPUTE_REPEATED"
      | "DISPUTE_SAME_OPERATOR"
      | "DISPUTE_WINDOW_CLOSED"
      | "EXCHANGE_FULL"
      | "EXCHANGE_HALTED"
      | "EXPIRY_PAST"
      | "FALLBACK_NOT_DUE"
      | "FALLBACK_STEP"
      | "FILE_REFUSED"
      | "FINANCING_LIMIT"
      | "FINANCING_POOL"
      | "FINANCING_PRICE"
      | "FINANCING_TERMS"
      | "FUND_SHORT"
      | "GEO_IN_USE"
      | "GROUP_CAP"
      | "GROUP_NOT_FOUND"
      | "GROUP_TRIPPED"
      | "HEADERS_TOO_LARGE"
      | "IDEMPOTENCY_IN_FLIGHT"
      | "IDEMPOTENCY_MISMATCH"
      | "INSUFFICIENT_BALANCE"
      | "INTERNAL"
      | "INVALID_LAYER"
      | "INVALID_PRICE"
      | "INVALID_REQUEST"
      | "IN_DEFAULT"
      | "KEY_ESCALATION"
      | "KEY_LIMIT"
      | "KEY_NOT_FOUND"
      | "KYC_NOT_CLEARED"
      | "KYC_NOT_HIGHER"
      | "KYC_PENDING"
      | "KYC_REQUIRED"
      | "KYC_TIER_MISSING"
      | "LAYER_NOT_SUPPORTED"
      | "LEADER_ONLY"
      | "LISTING_CAP"
      | "LISTING_STALE"
      | "MANDATE_CAP"
      | "MANDATE_NOT_FOUND"
      | "MARGIN_CALL"
      | "MARKET_CLOSED"
      | "MARKET_EXISTS"
      | "MARKET_NOT_FOUND"
      | "MARKET_STATE"
      | "MARKS_NOT_OPEN"
      | "MARK_NOT_SELLER"
      | "METHOD_NOT_ALLOWED"
      | "MISDIRECTED_REQUEST"
      | "NODE_BEHIND"
      | "NOT_FOUND"
      | "NOT_LEADER"
      | "NOT_OPERATOR"
      | "NO_INDEX_DATA"
      | "OPEN_ORDER_CAP"
      | "OPERATORS_MISSING"
      | "ORDER_DONE"
      | "ORDER_NOT_FOUND"
      | "OUTCOME_UNKNOWN"
      | "OVERLOADED"
      | "PAYMENT_NOT_OPEN"
      | "PAYMENT_OVERDUE"
      | "PERMISSION_DENIED"
      | "PLACE_HELD"
      | "PLACE_NOT_HELD"
      | "POSITION_LIMIT"
      | "PRINT_EXISTS"
      | "PROPOSAL_LIMIT"
      | "PROPOSAL_NOT_FOUND"
      | "PROPOSAL_SAME_OPERATOR"
      | "PROTECTION_TRIPPED"
      | "RATE_LIMITED"
      | "RELEASE_EXISTS"
      | "RELEASE_FROM_FUTURE"
      | "RELEASE_HELD"
      | "RELEASE_NOT_QUARANTINED"
      | "RELEASE_SAME_OPERATOR"
      | "RELEASE_STATE"
      | "RENAME_GROUNDS"
      | "REQUEST_EXPIRED"
      | "REQUEST_TIMEOUT"
      | "RFQ_CAP"
      | "RFQ_DONE"
      | "RFQ_LEGS"
      | "RFQ_NOT_BETTER"
      | "RFQ_NOT_FOUND"
      | "RFQ_OWN"
      | "RFQ_QUOTED"
      | "RFQ_QUOTE_NOT_FOUND"
      | "RFQ_TIMES"
      | "RFQ_WINDOW"
      | "ROLE_NOT_TRADER"
      | "ROOT_OFF"
      | "RULES_ANNOUNCED_LIMIT"
      | "RULES_NOT_ANNOUNCED"
      | "SEQUENCE_AHEAD"
      | "SERIES_NOT_STANDARD"
      | "STOPPING"
      | "STORAGE_UNAVAILABLE"
      | "STREAM_LIMIT"
      | "STREAM_NOT_FOUND"
      | "TRAIL_DENIED"
      | "UNAUTHENTICATED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VOID_AFTER_PRINT"
      | "VOID_NOT_PROPOSED"
      | "VOID_SAME_OPERATOR"
      | "WEBHOOK_CAP"
      | "WEBHOOK_NOT_FOUND"
      | "WINDOW_STATE";
    /** the field at fault */
    field?: string;
    /** values that belong to it, by name */
    details?: {
      [name: string]: unknown;
    };
    /** every field at fault, where there are several */
    errors?: {
      /** the field at fault */
      field: string;
      /** what happened, the values, and what to do */
      message: string;
    }[];
    /** the same request may succeed later */
    retryable: boolean;
    /** not_applied: nothing has happened; unknown: it may have, ask again */
    outcome: "not_applied" | "unknown";
    /** names the request; also the header `x-request-id` */
    requestId: string;
    /** the message of the code */
    title: string;
  };
  KycLimits: {
    /** most coverage in one market, USD */
    maxPosition: number;
    /** most coverage in a UTC day, USD */
    maxDaily: number;
    /** most coverage in all markets, USD */
    maxTotal: number;
  };
  Accreditation: {
    /** on what ground the account is accredited, in a few words */
    basis: string;
    /** where the operator keeps the evidence */
    evidenceId: string;
    /** Unix seconds */
    expiresAt: number;
  };
  KycRecord: {
    /** where it stands */
    status:
      | "none"
      | "pending"
      | "approved"
      | "rejected"
      | "expired";
    /** a tier's name */
    tier: "none" | "basic" | "enhanced" | "institutional";
    /** one of basic, enhanced, institutional */
    requestedTier?: "basic" | "enhanced" | "institutional";
    /** whether the sanctions screening was passed */
    sanctionsCleared: boolean;
    /** whether the screening for politically exposed persons was passed */
    pepScreened: boolean;
    /** whether the screening of adverse media was passed */
    adverseMediaCleared: boolean;
    /** two-letter country code; null until it is known */
    countryCode: string | null;
    /** when it expires; null: it does not */
    expiresAt: number | null;
    /** what the tier allows; null until approved */
    limits: Schemas["KycLimits"] | null;
    /** who decided: manual for an operator, sandbox for a rule */
    provider?: "manual" | "sandbox";
    /** what the investor's accreditation rests on; orders and funding need it in force */
    accreditation?: Schemas["Accreditation"];
  };
  TradingKey: {
    /** its id */
    id: string;
    /** the name its maker gave it */
    label: string;
    /** the first 12 characters of the key */
    prefix: string;
    /** what the key may do */
    permissions: (
      | "read:markets"
      | "read:portfolio"
      | "create:orders"
      | "cancel:orders"
      | "read:oracle"
      | "manage:custody"
      | "admin:read"
      | "admin:accounts"
      | "admin:funding"
      | "admin:releases"
      | "admin:markets"
      | "admin:settle"
      | "admin:exchange")[];
    /** requests a minute */
    rateLimit: number;
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: number;
    /** when it was last used, Unix seconds, up to a minute late; null: never */
    lastUsed: number | null;
    /** when it expires; null: it does not */
    expiresAt: number | null;
    /** the key itself: shown at its creation and never again */
    secret?: string;
  };
  OrderInput: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** 0 (YES) or 1 (NO) */
    outcomeIndex: 0 | 1;
    /** BUY or SELL */
    side: "BUY" | "SELL";
    /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
    amount: number | string;
    /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
    price: number | string;
    /** Unix seconds, or 0 for no expiry */
    expiry?: number;
    /** GTC, GTD, IOC or FOK */
    timeInForce?: "GTC" | "GTD" | "IOC" | "FOK";
    /** true or false */
    postOnly?: boolean;
    /** true or false */
    reduceOnly?: boolean;
    /** true or false */
    cancelOnRelease?: boolean;
    /** a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores */
    group?: string;
    /** 1 to 64 printable ASCII characters */
    clientOrderId?: string;
    /** cancel_incoming, cancel_resting or cancel_both */
    selfTradePrevention?:
      | "cancel_incoming"
      | "cancel_resting"
      | "cancel_both";
  };
  Order: {
    /** its id */
    id: string;
    /** the owner address of the account that placed it */
    maker: string;
    /** a market's id, frontend id or series id */
    marketId: string;
    /** 0 is the YES outcome, 1 is NO */
    outcomeIndex: number;
    /** BUY or SELL of the outcome; of a book's level bid or ask */
    side: "BUY" | "SELL";
    /** contracts, decimal text with at most 2 decimals; a contract covers 1 USD */
    amount: string;
    /** USD a contract, a multiple of 0.0001 between 0 and 1 */
    price: number;
    /** OPEN, FILLED, PARTIALLY_FILLED or CANCELLED */
    status:
      | "OPEN"
      | "FILLED"
      | "PARTIALLY_FILLED"
      | "CANCELLED";
    /** contracts filled so far, decimal text */
    filledAmount: string;
    /** Unix seconds when it ends by itself; 0: not before it is cancelled */
    expiry: number;
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: number;
    /** GTC until cancelled, GTD until its expiry, IOC at once or not, FOK all or nothing */
    timeInForce: "GTC" | "GTD" | "IOC" | "FOK";
    /** it never takes: it is cancelled where it would cross */
    postOnly: boolean;
    /** it only makes a position smaller */
    reduceOnly: boolean;
    /** what is cancelled where it would meet an order of its own account */
    selfTradePrevention:
      | "cancel_incoming"
      | "cancel_resting"
      | "cancel_both";
    /** it is cancelled when a release of its index is awaited; absent: it stays */
    cancelOnRelease?: boolean;
    /** a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores */
    group?: string;
    /** its sender's own reference */
    clientOrderId?: string;
    /** why it was cancelled; absent while it is not */
    cancelReason?: string;
  };
  RefusedOrder: {
    /** its place in the batch, from 0 */
    index: number;
    /** stable name of the refusal: decide by it, not by the message */
    code: string;
    /** what happened, the values, and what to do */
    message: string;
    /** the field at fault */
    field: string | null;
  };
  QuoteSide: {
    /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
    price: number | string;
    /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
    amount: number | string;
  };
  QuoteInput: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** what YES is bought at; null or left out = none */
    bid?: Schemas["QuoteSide"] | null;
    /** what YES is sold at; null or left out = none */
    ask?: Schemas["QuoteSide"] | null;
    /** Unix seconds, or 0 for no expiry */
    expiry?: number;
    /** true or false */
    cancelOnRelease?: boolean;
    /** a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores */
    group?: string;
  };
  QuoteAnswered: {
    /** as it was sent */
    marketId: string;
    /** the order of this side; null where none was sent, or the quote was refused */
    bid: {
      /** an order's id, such as `ord-4` */
      orderId: string;
      /** where it stands */
      status:
        | "OPEN"
        | "FILLED"
        | "PARTIALLY_FILLED"
        | "CANCELLED";
      /** why it was cancelled; absent while it is not */
      cancelReason?: string;
    } | null;
    /** the order of this side; null where none was sent, or the quote was refused */
    ask: {
      /** an order's id, such as `ord-4` */
      orderId: string;
      /** where it stands */
      status:
        | "OPEN"
        | "FILLED"
        | "PARTIALLY_FILLED"
        | "CANCELLED";
      /** why it was cancelled; absent while it is not */
      cancelReason?: string;
    } | null;
    /** the refusal, with its particulars */
    error: {
      /** stable name of the refusal: decide by it, not by the message */
      code: string;
      /** what happened, the values, and what to do */
      message: string;
      /** the field at fault */
      field: string | null;
    } | null;
  };
  Preview: {
    /** the orders, in the order they were sent */
    orders: ({
      /** the order as it would stand */
      order: {
        /** the owner address of the account that placed it */
        maker: string;
        /** a market's id, frontend id or series id */
        marketId: string;
        /** 0 is the YES outcome, 1 is NO */
        outcomeIndex: number;
        /** BUY or SELL of the outcome; of a book's level bid or ask */
        side: "BUY" | "SELL";
        /** contracts, decimal text with at most 2 decimals; a contract covers 1 USD */
        amount: string;
        /** USD a contract, a multiple of 0.0001 between 0 and 1 */
        price: number;
        /** where it stands */
        status:
          | "OPEN"
          | "FILLED"
          | "PARTIALLY_FILLED"
          | "CANCELLED";
        /** contracts filled so far, decimal text */
        filledAmount: string;
        /** Unix seconds when it ends by itself; 0: not before it is cancelled */
        expiry: number;
        /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
        createdAt: number;
        /** GTC until cancelled, GTD until its expiry, IOC at once or not, FOK all or nothing */
        timeInForce: "GTC" | "GTD" | "IOC" | "FOK";
        /** it never takes: it is cancelled where it would cross */
        postOnly: boolean;
        /** it only makes a position smaller */
        reduceOnly: boolean;
        /** what is cancelled where it would meet an order of its own account */
        selfTradePrevention:
          | "cancel_incoming"
          | "cancel_resting"
          | "cancel_both";
        /** it is cancelled when a release of its index is awaited; absent: it stays */
        cancelOnRelease?: boolean;
        /**
         * a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores
         */
        group?: string;
        /** its sender's own reference */
        clientOrderId?: string;
        /** why it was cancelled; absent while it is not */
        cancelReason?: string;
      };
      /** the fills, oldest first */
      fills: {
        /** USD a contract, a multiple of 0.0001 between 0 and 1 */
        price: number;
        /** contracts, decimal text with at most 2 decimals; a contract covers 1 USD */
        amount: string;
      }[];
      /** what it would cost, USD: paid where above zero, received where below */
      cost: string;
      /** the fee, USD */
      fee: string;
    })[];
    /** what it would cost, USD: paid where above zero, received where below */
    cost: string;
    /** the fee, USD */
    fee: string;
    /** what would be held back beyond what is held back now, USD */
    required: string;
    /** cash that nothing holds back, USD */
    available: string;
    /** cash that nothing would hold back afterwards, USD */
    availableAfter: string;
  };
  WhatIf: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** 0 (YES) or 1 (NO) */
    outcomeIndex: 0 | 1;
    /** BUY or SELL */
    side: "BUY" | "SELL";
    /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
    amount: number | string;
    /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
    price: number | string;
  };
  ScenarioNeed: {
    /** a scenario; `tier` is the floor; `full` all collateral */
    id: string;
    /** liabilities and add-ons in this scenario; USD */
    maintenance: string;
    /** the same at initial margin; USD */
    initial: string;
    /** the same with the worst of the open orders; USD */
    locked: string;
    /** what it is in words */
    title: string;
  };
  MarginPreview: {
    /** after what the positions cost or bring; USD */
    cash: string;
    /** shorts at their marks; USD */
    liabilities: string;
    /** beyond the liabilities, in the scenario that binds; USD */
    maintenanceMargin: string;
    /** beyond the liabilities; USD */
    initialMargin: string;
    /** cash held back for positions and the worst of the open orders; USD */
    locked: string;
    /** cash that nothing holds back; below zero where it would not do; USD */
    available: string;
    /** as it would be, rounded down to 4 decimals */
    marginHealth: number;
    /** id of the scenario the maintenance comes from */
    bindingScenario: string;
    /** what may happen at once, each by its id */
    scenarios: Schemas["ScenarioNeed"][];
  };
  Protection: {
    /** length of the window, seconds */
    withinSeconds: number;
    /** most contracts filled in the window; null: any number */
    maxContracts: string | null;
    /** most fills in the window; null: any number */
    maxFills: number | null;
    /** contracts filled in the window so far */
    filledContracts: string;
    /** fills counted in the window so far */
    fills: number;
    /** whether the protection has tripped: it lets no order in until it is reset */
    tripped: boolean;
    /** when it tripped, Unix seconds; null: it has not */
    trippedAt: number | null;
  };
  OrderGroup: {
    /** a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores */
    group: string;
    /** length of the window, milliseconds; 0 = off */
    withinMillis: number;
    /** most contracts filled in the window; null: any number */
    maxContracts: string | null;
    /** most fills in the window; null: any number */
    maxFills: number | null;
    /** contracts filled in the window so far */
    filledContracts: string;
    /** the fills, oldest first */
    fills: number;
    /** whether the protection has tripped: it lets no order in until it is reset */
    tripped: boolean;
    /** when it tripped, Unix seconds; null: it has not */
    trippedAt: number | null;
    /** orders it has open */
    openOrders: number;
  };
  Fill: {
    /** its id */
    id: string;
    /** an order's id, such as `ord-4` */
    orderId: string;
    /** a market's id, frontend id or series id */
    marketId: string;
    /** 0 is the YES outcome, 1 is NO */
    outcomeIndex: number;
    /** BUY or SELL of the outcome; of a book's level bid or ask */
    side: "BUY" | "SELL";
    /** contracts, decimal text with at most 2 decimals; a contract covers 1 USD */
    amount: string;
    /** of the order's own outcome */
    price: number;
    /** the fee, USD */
    fee: string;
    /** maker: the order rested; taker: it came and took */
    liquidity: "maker" | "taker";
    /** of the journal's entry */
    sequence: number;
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: number;
  };
  Posting: {
    /** of the journal's entry */
    sequence: number;
    /** among the account's postings of that entry, from 0 */
    line: number;
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: number;
    /**
     * one of deposit, withdrawal, premium, fee, fee-share, settlement, claims-left, void,
     * void-shortfall, takeover, liquidation, default-debt, contribution, contribution-returned,
     * fund-loss, assessment, advance, advance-unused, installment, interest, bond, bond-returned,
     * bond-forfeited, bust, write-off, recovery
     */
    reason:
      | "deposit"
      | "withdrawal"
      | "premium"
      | "fee"
      | "fee-share"
      | "settlement"
      | "claims-left"
      | "void"
      | "void-shortfall"
      | "takeover"
      | "liquidation"
      | "default-debt"
      | "contribution"
      | "contribution-returned"
      | "fund-loss"
      | "assessment"
      | "advance"
      | "advance-unused"
      | "installment"
      | "interest"
      | "bond"
      | "bond-returned"
      | "bond-forfeited"
      | "bust"
      | "write-off"
      | "recovery";
    /** the account, fill, order or market it belongs to */
    reference: string;
    /** USD; above zero came in */
    amount: string;
    /** cash after it, in USD */
    balance: string;
  };
  HeldPosition: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** contracts: above zero YES, below zero NO */
    amount: string;
    /** YES price at which what is held was bought, or sold; null when flat */
    averageCost: string | null;
    /** USD: paid when YES is held, below zero received for NO */
    cost: string;
    /** USD gained by closing and settlement, before fees */
    realised: string;
    /** USD paid in taker fees */
    fees: string;
  };
  MarginCall: {
    /** the cash that the account lacks of health 1 now; USD */
    amount: string;
    /** when the call began, Unix seconds */
    calledAt: number;
    /** the account defaults then, Unix seconds */
    dueAt: number;
  };
  InDefault: {
    /** when the account defaulted, Unix seconds */
    since: number;
    /** the auction of its short positions, while it runs */
    auctionId: string | null;
    /** what the guarantee fund bears for it, paid from its free cash; USD */
    owesFund: string;
  };
  OwnStreamEvent: {
    /** of which kind it is */
    type: "order";
    /** the order as it would stand */
    order: Schemas["Order"];
  } | {
    /** of which kind it is */
    type: "fill";
    /** the account's side of a trade, as `GET /api/trading/fills` shows it */
    fill: Schemas["Fill"];
  } | {
    /** of which kind it is */
    type: "cash";
    /** a movement of cash, as `GET /api/trading/ledger` shows it */
    posting: Schemas["Posting"];
  } | {
    /** of which kind it is */
    type: "position";
    /** the position after the entry */
    position: Schemas["HeldPosition"];
  } | {
    /** of which kind it is */
    type: "account";
    /** halted: it places no order until it is resumed */
    frozen: boolean;
    /** healthy, warning, critical or liquidation */
    healthStatus:
      | "healthy"
      | "warning"
      | "critical"
      | "liquidation";
    /** present while healthStatus is liquidation, before a default */
    marginCall: Schemas["MarginCall"] | null;
    /** null once its positions are gone and it owes nothing */
    inDefault: Schemas["InDefault"] | null;
  } | {
    /** of which kind it is */
    type: "alert";
    /** its id */
    id: string;
    /** of which kind the alert is */
    alert:
      | "margin_warning"
      | "margin_critical"
      | "margin_call"
      | "liquidation"
      | "auction"
      | "haircut"
      | "payout"
      | "fallback"
      | "rules"
      | "bust"
      | "fund_loss"
      | "fund_short"
      | "webhook";
    /** what happened, the values, and what to do */
    message: string;
  };
  OwnStreamEntry: {
    /** of the journal entry; the message's id */
    sequence: number;
    /** when, ISO 8601 */
    time: string;
    /** what the entry changed, as far as it is public */
    events: Schemas["OwnStreamEvent"][];
  };
  StreamHeartbeat: {
    /** everything up to it has been sent; the message's id */
    sequence: number;
    /** the newest durable entry */
    head: number;
    /** in the first message of the public stream: the id that its subscriptions are set with */
    stream?: string;
  };
  StreamCut: {
    /** stable name of the refusal: decide by it, not by the message */
    code:
      | "SLOW_READER"
      | "STOPPING"
      | "KEY_ENDED"
      | "INTERRUPTED";
    /** what happened, the values, and what to do */
    message: string;
    /** the same request may succeed later */
    retryable: boolean;
  };
  Position: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** contracts: above zero YES, below zero NO */
    amount: string;
    /** YES price at which what is held was bought, or sold; null when flat */
    averageCost: string | null;
    /** USD: paid when YES is held, below zero received for NO */
    cost: string;
    /** USD gained by closing and settlement, before fees */
    realised: string;
    /** USD paid in taker fees */
    fees: string;
    /** USD: what will come in, below zero go out; null unless the market is RESOLVED */
    expectedPayout: string | null;
    /** when it is paid; null as expectedPayout is, and while a dispute stops the clock */
    payableAt: number | null;
    /** YES price by which it is valued */
    mark: number;
    /** mark: of the reference model; payout: known since the resolution */
    priceBasis: "mark" | "payout";
    /** USD: amount × mark − cost */
    unrealised: string;
    /** USD of cash that covers the position */
    collateral: string;
    /**
     * USD: cash had from the market less cash paid there, fees included; what is above zero stays
     * locked until the market is final
     */
    received: string;
  };
  Settlement: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /**
     * payout: the market ended; void: its trades were taken back; rest: a part that was missing at
     * its end
     */
    kind: "payout" | "void" | "rest";
    /** contracts held until then: above zero YES, below zero NO; 0 of a rest */
    amount: string;
    /** null of a void */
    outcome: "YES" | "NO" | null;
    /** the share of full payout that YES is paid; null of a void */
    payoutFraction: number | null;
    /** USD that came in; below zero it went out */
    payout: string;
    /** USD that are due and not paid yet */
    missing: string;
    /** a dispute changed the value that settled */
    amended: boolean;
    /** when the first print settled it; null until then */
    resolvedAt: number | null;
    /** when the dispute window ends; null until it is resolved */
    disputeWindowEndsAt: number | null;
    /** when it was paid, Unix seconds */
    settledAt: number;
    /** the journal entry's number; entries are counted from 1 */
    sequence: number;
  };
  OwnAccount: {
    /** its id */
    id: string;
    /** the account's owner address: 0x and 40 hex digits */
    address: string;
    /** its name */
    name: string;
    /** one of trader, auditor, operator */
    role: "trader" | "auditor" | "operator";
    /** cash, USD, decimal text */
    cash: string;
    /** cash that may leave, or pay for orders */
    available: string;
    /** collateral, reserves and lockedUntilFinal */
    locked: string;
    /** what positions hold back */
    collateral: string;
    /** what open orders hold back beyond that */
    reserves: string;
    /** what markets that are not final have paid, beyond collateral and reserves there */
    lockedUntilFinal: string;
    /** cash, and every position at its mark */
    equity: string;
    /** none, pending, approved, rejected or expired */
    kycStatus:
      | "none"
      | "pending"
      | "approved"
      | "rejected"
      | "expired";
    /** none, basic, enhanced or institutional */
    kycTier: "none" | "basic" | "enhanced" | "institutional";
    /** whether trading is halted */
    halted: boolean;
    /** USD of coverage it may trade in a UTC day */
    maxDaily: string;
    /** USD of coverage filled in it, and promised by open quotes for requests */
    tradedToday: string;
    /** orders it may have open */
    maxOpenOrders: number;
    /** orders it has open */
    openOrders: number;
  };
  HeldAtEnd: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** contracts: above zero YES, below zero NO */
    amount: string;
    /** YES price at which what is held was bought, or sold; null when flat */
    averageCost: string | null;
    /** USD: paid when YES is held, below zero received for NO */
    cost: string;
    /** USD gained by closing and settlement, before fees */
    realised: string;
    /** USD paid in taker fees */
    fees: string;
    /** USD: what will come in, below zero go out; null unless the market is RESOLVED */
    expectedPayout: string | null;
    /** when it is paid; null as expectedPayout is, and while a dispute stops the clock */
    payableAt: number | null;
  };
  Statement: {
    /** the account's id */
    account: string;
    /** the account's owner address: 0x and 40 hex digits */
    address: string;
    /** YYYY-MM, UTC, by the exchange's clock */
    month: string;
    /** the first second of the month, Unix seconds */
    from: number;
    /** the first second after the month */
    to: number;
    /** false while the month may still get entries */
    final: boolean;
    /** cash at the beginning, USD */
    openingBalance: string;
    /** cash at the end, USD */
    closingBalance: string;
    /** oldest first */
    postings: Schemas["Posting"][];
    /** oldest first */
    fills: Schemas["Fill"][];
    /** held at the month's end */
    positions: Schemas["HeldAtEnd"][];
    /** over the ledger lines of the statement as CSV */
    sha256: string;
  };
  LiquidityTier: {
    /** a tier's name */
    tier: string;
    /** USD of coverage in one market */
    maxPositionSize: number;
    /** USD of coverage in a UTC day */
    maxDailyVolume: number;
    /** most markets with a position */
    maxOpenPositions: number;
    /** fraction of 1 − mark */
    marginRequirement: number;
    /** fraction */
    tradingFee: number;
  };
  LiquidityRequirements: {
    /** USD of coverage resting in the book */
    minLiquidity: number;
    /** accounts with resting orders */
    minProviders: number;
    /** best ask less best bid */
    spreadMax: number;
  };
  Liquidity: {
    /** USD of coverage resting on both sides of the book */
    resting: number;
    /** accounts with resting orders */
    providers: number;
    /** best ask less best bid; null where a side is empty */
    spread: number | null;
    /** all three as its index kind requires */
    sufficient: boolean;
  };
  PositionValidation: {
    /** whether an order of this size would be let in now */
    valid: boolean;
    /** what an order would be refused with; null: nothing */
    reason: string | null;
    /** the code an order would be refused with */
    code?: string;
    /** the limit that would be exceeded */
    limit?: string;
    /** USD it would hold back */
    required?: string;
    /** USD there are for it */
    available?: string;
    /** how liquid the market is, and what its index kind demands */
    liquidity: Schemas["Liquidity"];
  };
  /** the account's own part of the guarantee fund */
  Contribution: {
    /** what the fund has of it, beside the cash above; USD */
    amount: string;
    /** assessed and not paid yet; taken from free cash; USD */
    assessment: string;
  };
  MarginHealth: {
    /** cash; USD */
    collateralBalance: string;
    /** the most the shorts can still owe; USD */
    totalExposure: string;
    /** (cash − liabilities) / maintenance, rounded down to 4 decimals */
    marginHealth: number;
    /** halted: it places no order until it is resumed */
    frozen: boolean;
    /** healthy, warning, critical or liquidation */
    healthStatus:
      | "healthy"
      | "warning"
      | "critical"
      | "liquidation";
    /** shorts at their marks; USD */
    liabilities: string;
    /** beyond the liabilities, in the scenario that binds; USD */
    maintenanceMargin: string;
    /** what opening the shorts took; USD */
    initialMargin: string;
    /** cash that nothing holds back; USD */
    available: string;
    /**
     * id of the scenario the maintenance comes from (GET /api/risk/scenarios); `tier`: the floor
     * below all of them; `full`: all collateral
     */
    bindingScenario: string;
    /** present while healthStatus is liquidation, before a default */
    marginCall: Schemas["MarginCall"] | null;
    /** null once its positions are gone and it owes nothing */
    inDefault: Schemas["InDefault"] | null;
    /** the account's own part of the guarantee fund */
    contribution: Schemas["Contribution"];
  };
  FeeEstimate: {
    /** the fee, USD */
    fee: number;
    /** the amount less the fee, USD */
    netAmount: number;
    /** the amount that was asked about, USD */
    amount: number;
    /** a tier's name */
    tier: string;
    /** the fee as a part of the amount, percent */
    feePercent: string;
  };
  Alert: {
    /** its id */
    id: string;
    /** of which kind it is */
    type:
      | "margin_warning"
      | "margin_critical"
      | "margin_call"
      | "liquidation"
      | "auction"
      | "haircut"
      | "payout"
      | "fallback"
      | "rules"
      | "bust"
      | "fund_loss"
      | "fund_short"
      | "webhook";
    /** what happened, the values, and what to do */
    message: string;
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: number;
  };
  AcceptanceInput: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
    amount: number | string;
    /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
    limitPrice: number | string;
    /** one of in_full, installments, at_funding */
    structure: "in_full" | "installments" | "at_funding";
    /** installments: the part of the premium paid at once, 0 to 9999 */
    downPaymentBps?: number;
    /** installments: how many, 1 to 60 */
    months?: number;
    /** the yearly rate that was shown, in basis points */
    aprBps?: number;
    /** at_funding: when it is owed, Unix seconds */
    fundingAt?: number;
    /** 1 to 64 printable ASCII characters */
    clientOrderId?: string;
  };
  Payment: {
    /** its number, from 1 */
    number: number;
    /** when it is due, Unix seconds */
    dueAt: number;
    /** principal and interest */
    amount: string;
    /** the part that pays back, USD */
    principal: string;
    /** the part that is interest, USD */
    interest: string;
    /** how much of it is paid, USD */
    paid: string;
  };
  Acceptance: {
    /** its id */
    id: string;
    /** a market's id, frontend id or series id */
    marketId: string;
    /** an order's id, such as `ord-4` */
    orderId: string;
    /** how the premium is paid: in_full, installments or at_funding */
    structure: "in_full" | "installments" | "at_funding";
    /** the part of the premium paid at once, basis points */
    downPaymentBps?: number;
    /** over how many months the rest is paid */
    months?: number;
    /** yearly rate on what is lent, basis points */
    aprBps?: number;
    /** when the whole premium is due, Unix seconds */
    fundingAt?: number;
    /** USD paid at full payout: the contracts bought */
    coverage: string;
    /** the premium of what was filled, USD */
    premium: string;
    /** the part of the premium that was not lent */
    paidAtClose: string;
    /** the part of the premium that was lent, USD */
    financed: string;
    /** all that is still owed */
    outstanding: string;
    /** where it stands */
    status:
      | "not_filled"
      | "current"
      | "overdue"
      | "defaulted"
      | "written_off"
      | "paid";
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: number;
    /** every payment there is to make, in order */
    payments: Schemas["Payment"][];
  };
  AcceptancePreview: {
    /** the acceptance as it would be */
    acceptance: {
      /** a market's id, frontend id or series id */
      marketId: string;
      /** how the premium is paid: in_full, installments or at_funding */
      structure: "in_full" | "installments" | "at_funding";
      /** the part of the premium paid at once, basis points */
      downPaymentBps?: number;
      /** over how many months the rest is paid */
      months?: number;
      /** yearly rate on what is lent, basis points */
      aprBps?: number;
      /** when the whole premium is due, Unix seconds */
      fundingAt?: number;
      /** USD paid at full payout: the contracts bought */
      coverage: string;
      /** the premium of what was filled, USD */
      premium: string;
      /** the part of the premium that was not lent */
      paidAtClose: string;
      /** the part of the premium that was lent, USD */
      financed: string;
      /** all that is still owed */
      outstanding: string;
      /** where it stands */
      status:
        | "not_filled"
        | "current"
        | "overdue"
        | "defaulted"
        | "written_off"
        | "paid";
      /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
      createdAt: number;
      /** every payment there is to make, in order */
      payments: Schemas["Payment"][];
    };
    /** the fills, oldest first */
    fills: {
      /** USD a contract, a multiple of 0.0001 between 0 and 1 */
      price: number;
      /** contracts, decimal text with at most 2 decimals; a contract covers 1 USD */
      amount: string;
    }[];
    /** the fee, USD */
    fee: string;
    /** USD: what is not lent of the premium, and the fee */
    payableNow: string;
    /** USD: premium, interest and fee */
    payableInAll: string;
    /** USD of own cash held back at the highest price it could fill at */
    required: string;
    /** cash that nothing holds back, USD */
    available: string;
    /** cash that nothing would hold back afterwards, USD */
    availableAfter: string;
  };
  Bid: {
    /** the auction's id */
    auctionId: string;
    /** cash of the account in default that is to come with its positions; USD */
    amount: string;
    /** of equal bids the one with the lower sequence wins */
    sequence: number;
  };
  Auction: {
    /** its id */
    id: string;
    /** when the account defaulted, Unix seconds */
    openedAt: number;
    /** when the least bid wins, Unix seconds */
    closesAt: number;
    /** what it holds, by market */
    positions: {
      /** a market's id, frontend id or series id */
      marketId: string;
      /** contracts short */
      contracts: string;
    }[];
    /** the most a bid may ask for now: the guarantee fund takes all for that; USD */
    highestBid: string;
    /** the caller's own */
    bid: Schemas["Bid"] | null;
  };
  SealedMark: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** of YES, 0 to 1 */
    price: number;
  };
  MarkRound: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** Unix seconds */
    openedAt: number;
    /** when the marks are published, Unix seconds */
    closesAt: number;
    /** the caller's own */
    mark: Schemas["SealedMark"] | null;
  };
  MandatePayoff: {
    /** decline where the payout begins, basis points */
    attachBps?: number;
    /** decline where the payout is full, basis points */
    exhaustBps?: number;
    /** decline at which a binary contract pays in full, basis points */
    strikeBps?: number;
  };
  Mandate: {
    /** its id */
    id: string;
    /** zhvi or zori */
    index: "zhvi" | "zori";
    /** 1 to 60 ids of places; each stands for all that lies in it, too */
    places: string[];
    /** SELL or BUY, of the protection */
    side: "SELL" | "BUY";
    /** steps of 0.0001 USD a contract beyond the mark */
    spreadBps: number;
    /**
     * it trades at most in one market while that is not final; USD of coverage, a decimal string
     */
    maxPerMarketUsd: string;
    /** in all such markets of a state; USD of coverage, a decimal string */
    maxPerStateUsd: string;
    /** in all such markets; USD of coverage, a decimal string */
    maxTotalUsd: string;
    /** levels of the contracts' own places; null = every level */
    levels: (
      | "state"
      | "county"
      | "city"
      | "neighborhood"
      | "zip")[] | null;
    /** layers and strikes; null = all there are */
    payoffs: Schemas["MandatePayoff"][] | null;
    /** prints still to come until the one that settles, at least */
    minMonths: number;
    /** and at most */
    maxMonths: number;
    /** beside spreadBps, for each year of prints still to come */
    spreadBpsPerYear: number;
    /** Unix seconds; 0 = until it is cancelled */
    expiry: number;
    /** full: only while the account's cash pays everything it could ever owe */
    collateral: "margin" | "full";
    /** Unix seconds */
    createdAt: number;
    /** the entry that set its terms: of two at one price the lower comes first */
    sequence: number;
  };
  MandateUsage: {
    /** in markets that are not final; USD of coverage */
    usedUsd: string;
    /** by state, or by the place itself where it lies in none */
    states: {
      /** the place */
      place: string;
      /** USD of coverage it has traded in markets that are not final */
      usedUsd: string;
    }[];
    /** by market */
    markets: {
      /** a market's id, frontend id or series id */
      marketId: string;
      /** USD of coverage it has traded in markets that are not final */
      usedUsd: string;
    }[];
  };
  RfqSummary: {
    /** its id */
    id: string;
    /** true where the caller asks, false where it may quote */
    isOwn: boolean;
    /** what the requester does with the protection */
    side: "BUY" | "SELL";
    /** legs, which trade together or not at all */
    legCount: number;
    /** of all legs together, USD */
    coverage: string;
    /** when it was opened, Unix seconds */
    openedAt: number;
    /** until when it takes quotes, Unix seconds */
    closesAt: number;
    /** closed: quotes it has can be accepted; lapsed: a release or a halt ended it */
    status:
      | "open"
      | "closed"
      | "filled"
      | "cancelled"
      | "lapsed"
      | "expired";
  };
  RfqQuote: {
    /** its id */
    id: string;
    /** the request's id */
    rfqId: string;
    /** one for each leg, USD a contract of the protection */
    prices: number[];
    /** until when it can be accepted, Unix seconds */
    validUntil: number;
    /** ended: the request is done without it; lapsed: its time, or its maker's, is up */
    status: "open" | "filled" | "ended" | "lapsed";
    /** USD of the maker's cash that it holds back while open; null to the requester */
    reserved: string | null;
  };
  Rfq: {
    /** its id */
    id: string;
    /** true where the caller asks, false where it may quote */
    isOwn: boolean;
    /** what the requester does with the protection */
    side: "BUY" | "SELL";
    /** legs, which trade together or not at all */
    legCount: number;
    /** of all legs together, USD */
    coverage: string;
    /** when it was opened, Unix seconds */
    openedAt: number;
    /** until when it takes quotes, Unix seconds */
    closesAt: number;
    /** closed: quotes it has can be accepted; lapsed: a release or a halt ended it */
    status:
      | "open"
      | "closed"
      | "filled"
      | "cancelled"
      | "lapsed"
      | "expired";
    /** addresses; null = every trader, and always to those who may quote */
    audience: string[] | null;
    /** what trades together, 1 to 200 markets */
    legs: {
      /** of the market, listed or not */
      marketId: string;
      /** zhvi home values, zori rents, vacancy or weather */
      index: string;
      /** the place */
      place: string;
      /** the month whose first print settles it, YYYY-MM */
      measurementMonth: string;
      /** contracts */
      amount: string;
    }[];
    /** to the requester all, to a maker its own */
    quotes: Schemas["RfqQuote"][];
    /** of the block trade: the other side's address, where both show their names */
    counterparty: string | null;
  };
  BlockTrade: {
    /** the request's id */
    rfqId: string;
    /** the quote's id */
    quoteId: string;
    /** one a leg */
    fills: {
      /** its id */
      id: string;
      /** a market's id, frontend id or series id */
      marketId: string;
      /** of YES, USD a contract */
      price: number;
      /** contracts, decimal text with at most 2 decimals; a contract covers 1 USD */
      amount: string;
    }[];
  };
  WebhookProgress: {
    /** each entry up to here was delivered, or has nothing for it */
    deliveredSequence: number;
    /** how often the next message failed */
    attempts: number;
    /** first failure of the next message: Unix seconds */
    failingSince: number | null;
    /** when it is tried again: Unix seconds */
    nextAttempt: number | null;
  };
  Webhook: {
    /** its id */
    id: string;
    /** where its messages are sent */
    url: string;
    /** own: the account's own events; trail: every entry, as the audit trail shows it */
    scope: "own" | "trail";
    /** types of events it carries; null = all */
    types: (
      | "order"
      | "fill"
      | "cash"
      | "position"
      | "account"
      | "alert")[] | null;
    /** Unix seconds */
    createdAt: number;
    /** the first entry it carries */
    fromSequence: number;
    /** so long the secret before signs beside the newer one: Unix seconds */
    previousSecretUntil: number | null;
    /** why nothing is sent any more, until it is replayed; null = it is sent */
    suspended: {
      /** Unix seconds */
      at: number;
      /** failing: for 3 days; gone: HTTP 410; key_ended: its key is over */
      cause: "failing" | "gone" | "key_ended";
      /** how the last delivery failed, such as HTTP 503 */
      fault: string;
    } | null;
    /** whsec_ and the key in base64 */
    secret?: string;
    /** how far it has been delivered; in answers to GET alone */
    progress?: Schemas["WebhookProgress"];
  };
  WebhookDelivery: {
    /** counts the attempts of this webhook from 1 */
    number: number;
    /** the entry that was sent */
    sequence: number;
    /** its webhook-id, the same at each attempt */
    messageId: string;
    /** of this entry, from 1 */
    attempt: number;
    /** ISO 8601, by the clock of the machine */
    at: string;
    /** to the answer, or to the end of waiting */
    tookMillis: number;
    /** the HTTP status that was answered */
    status: number | null;
    /** why there was no answer, such as TIMED_OUT */
    fault: string | null;
  };
  AuditEntry: {
    /** its id */
    id: string;
    /** what was done, such as `order.placed` */
    action: string;
    /** everything that was done in it, such as `order.placed` in a batch */
    actions: string[];
    /** owner address of the account that did it, or `root` or `system` */
    userId: string;
    /** name of that account; for auditors and operators */
    userName?: string;
    /** info, warning or critical */
    severity: "info" | "warning" | "critical";
    /** what it was done to */
    resource: string;
    /** values that belong to it, by name */
    details: {
      [name: string]: unknown;
    };
    /** true: the request was done */
    success: boolean;
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: number;
    /** SHA-256, hex */
    hash: string;
    /** hash of the entry before; of the first 64 zeros */
    previousHash: string;
  };
  Inclusion: {
    /** of the leaf, from 0: the entry's sequence less one */
    index: number;
    /** of the signed head: /api/log/checkpoint/{treeSize} */
    treeSize: number;
    /** hashes in base64, from the leaf's sibling up (RFC 6962, 2.1.1) */
    proof: string[];
  };
  ExportedAuditEntry: {
    /** its id */
    id: string;
    /** what was done, such as `order.placed` */
    action: string;
    /** everything that was done in it, such as `order.placed` in a batch */
    actions: string[];
    /** owner address of the account that did it, or `root` or `system` */
    userId: string;
    /** name of that account; for auditors and operators */
    userName?: string;
    /** info, warning or critical */
    severity: "info" | "warning" | "critical";
    /** what it was done to */
    resource: string;
    /** values that belong to it, by name */
    details: {
      [name: string]: unknown;
    };
    /** true: the request was done */
    success: boolean;
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: number;
    /** SHA-256, hex */
    hash: string;
    /** hash of the entry before; of the first 64 zeros */
    previousHash: string;
    /** the journal entry's number; entries are counted from 1 */
    sequence: number;
    /** base64 of what the hash covers */
    bytes: string;
    /** those of the entry's parts that its reader may see */
    parts: {
      /** 32 bytes of its own, hex: who does not have them cannot guess the part from its hash */
      salt: string;
      /** base64; hashed with the salt it is in the entry's bytes */
      bytes: string;
    }[];
    /** of its hash in the transparency log; null where no head covers it yet */
    inclusion: Schemas["Inclusion"] | null;
  };
  Measure: {
    /** what is measured, by name */
    series: string;
    /** what is measured, in words */
    definition: string;
    /** the unit of its values; null for home values and rents */
    unit: string;
  };
  IndexValue: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** the newest first print */
    value: number;
    /** percent against the print twelve months before; null where that is absent or not above 0 */
    yoy: number | null;
    /** the month of the newest first print, YYYY-MM */
    asOfMonth: string;
    /** up to 24 months of the chained first print, scaled to end in `value` */
    series: {
      /** a month, YYYY-MM */
      month: string;
      /** the newest first print */
      value: number;
    }[];
    /** index and kind of observation, such as `zhvi_first_print` */
    source: string;
    /** the release that first carried it */
    releaseId: string;
    /** what the value measures; absent for home values and rents, which are in USD */
    measure?: Schemas["Measure"];
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  FirstPrint: {
    /** a month, YYYY-MM */
    month: string;
    /** the first print, a decimal */
    value: string;
    /** the chained first print, a decimal, 1 at the first month; null outside the chain */
    level: string | null;
    /** the release that first carried it */
    releaseId: string;
    /** true: it was there in the first release and settles nothing */
    backfill: boolean;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  Vintage: {
    /** the release that first carried it */
    releaseId: string;
    /** as its provider dates it, ISO 8601 */
    publishedAt: string;
    /** when it was known here, ISO 8601 */
    ingestedAt: string;
    /** as this release has it, a decimal; null where it does not carry the month */
    value: string | null;
    /** the release that carried the month first */
    isFirstPrint: boolean;
    /** another value than the first print */
    revised: boolean;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  BurnStart: {
    /** the month whose level the fall is counted from */
    from: string;
    /** the month that would have settled */
    to: string;
    /** percent from `from` to `to`, cut at 2 decimals */
    change: number;
    /** the share of full payout */
    payoutFraction: number;
    /** true: `to` was there in the first release, as it had been revised until then */
    backfill: boolean;
  };
  Burn: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: "zhvi" | "zori" | "vacancy" | "weather";
    /** from the baseline to the measurement month */
    months: number;
    /** decline where the payout begins, basis points */
    attachBps: number;
    /** decline where the payout is full, basis points */
    exhaustBps: number;
    /** oldest first; overlapping, one a month */
    starts: Schemas["BurnStart"][];
    /** how many of them would have paid anything */
    paid: number;
    /** over all starts, cut at 6 decimals; null where there is none */
    meanPayoutFraction: number | null;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  OverviewPlace: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** its name */
    name: string;
    /** two-letter code of its state */
    stateCode: string;
    /** its FIPS code; null where it has none */
    fips: string | null;
    /** the value */
    value: number;
    /** percent against a year before */
    yoy: number | null;
    /** the month of the newest first print, YYYY-MM */
    asOfMonth: string;
    /** the month that the price is for: asOfMonth and `months` */
    expiry: string;
    /** the reference price of the layer, per 1 of coverage; null where there is none */
    price: number | null;
    /** why there is no price, as a quote of it would be refused; else null */
    priceReason:
      | "NO_INDEX_DATA"
      | "INVALID_REQUEST"
      | "LAYER_NOT_SUPPORTED" | null;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  CalendarItem: {
    /**
     * publication: of the next month of an index; trading_closes: orders are refused from then on;
     * print: markets wait for it; fallback: their print is given up; payout: the dispute window
     * ends; release_window: orders match again at the latest
     */
    kind:
      | "publication"
      | "trading_closes"
      | "print"
      | "fallback"
      | "payout"
      | "release_window";
    /** when, ISO 8601 */
    at: string;
    /** the day has come, and what it was to bring has not */
    overdue: boolean;
    /** zhvi home values, zori rents, vacancy or weather */
    index: "zhvi" | "zori" | "vacancy" | "weather";
    /** of a publication */
    level: string | null;
    /** the month published or measured; null of a release window */
    month: string | null;
    /** how many markets of this exchange wait for it */
    markets: number;
  };
  Indicative: {
    /** USD a contract, a multiple of 0.0001 between 0 and 1 */
    price: number;
    /** contracts that would trade, decimal text */
    volume: string;
    /** contracts left over at that price; below 0: sellers' */
    surplus: string;
  };
  Payoff: {
    /** binary where left out */
    kind: "layered";
    /** decline where the payout begins, basis points */
    attachBps: number;
    /** decline where the payout is full, basis points */
    exhaustBps: number;
  } | {
    /** binary where left out */
    kind: "binary";
    /** decline at which a binary contract pays in full, basis points */
    strikeBps: number;
  } | {
    /** binary where left out */
    kind: "level";
    /** gte: at or above the threshold pays; lte: at or below it */
    comparator: "gte" | "lte";
    /** what the print is compared with: percent of decline, or the index's own unit */
    threshold: string;
  };
  MarketBaseline: {
    /** a month, YYYY-MM */
    month: string;
    /** the value */
    value: string;
    /** the release that first carried it */
    releaseId: string;
  };
  Market: {
    /** its id */
    id: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** 32 bytes in hex derived from the terms; no chain is written */
    onChainMarketId: string;
    /** 32 bytes in hex derived from the terms; no chain is written */
    conditionId: string;
    /** the zip where the place is one, else empty */
    zipCode: string;
    /** BINARY, or LAYERED where the payout is graduated */
    marketType: "BINARY" | "LAYERED";
    /** ACTIVE, PAUSED, RESOLVED, FINALIZED, or CANCELLED for a void */
    status:
      | "ACTIVE"
      | "PAUSED"
      | "RESOLVED"
      | "CANCELLED"
      | "FINALIZED";
    /** true from the end of the measurement month on */
    tradingClosed: boolean;
    /**
     * awaiting_release: orders and cancels are taken and nothing matches, until the auction after
     * the marks of the release
     */
    matching: "open" | "awaiting_release";
    /** AUCTION: orders wait, and meet at one price at its end */
    phase: "CONTINUOUS" | "AUCTION";
    /** in an auction: where its orders would meet now; null where none would */
    indicative: Schemas["Indicative"] | null;
    /** a release was awaited for ten days: its markets have an auction a day */
    printOverdue: boolean;
    /** the place's id */
    geoNodeId: string;
    /** 32 bytes in hex derived from the terms; no chain is written */
    questionId: string;
    /** how many outcomes it has: 2 */
    outcomeCount: number;
    /** when the settling print is expected, ISO 8601 */
    resolutionTimestamp: string;
    /** the terms in words */
    description: string;
    /** what the print is compared with: percent of decline, or the index's own unit */
    threshold: string;
    /** index and measure: such as `zhvi_decline` or `zhvi_level` */
    metricType: string;
    /** how the payout follows from the index */
    payoff: Schemas["Payoff"];
    /** the first print that a decline is counted from; null for a level */
    baseline: Schemas["MarketBaseline"] | null;
    /** when orders are no longer taken: the end of the measurement month */
    tradingClosesAt: string;
    /** the reference model's price of YES, when it was last made */
    mark: number;
    /** the highest bid for YES; null: there is none */
    bestBid: number | null;
    /** the lowest ask for YES; null: there is none */
    bestAsk: number | null;
    /** contracts traded so far, a decimal */
    volume: string;
    /** contracts held as YES, a decimal */
    openInterest: string;
    /** gte: at or above the threshold pays; lte: at or below it */
    comparator: "gte" | "lte";
    /** the month whose first print settles it, YYYY-MM */
    measurementMonth: string;
    /** SHA-256 over the terms, hex */
    termsHash: string;
    /** why, in words */
    reason: string | null;
    /** what payouts or refunds lacked and all bore together, USD */
    shortfall: string;
    /** USD that payouts lacked, borne by all of them */
    haircut: string;
    /** how liquid the market is, and what its index kind demands */
    liquidity: Schemas["Liquidity"];
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: string;
    /** when it last changed, ISO 8601 */
    updatedAt: string;
    /** YES and NO, with their prices */
    outcomes: ({
      /** 0 is YES, 1 is NO */
      index: number;
      /** YES or NO */
      label: "YES" | "NO";
      /** 32 bytes in hex derived from the condition and the outcome */
      positionId: string;
      /** of this outcome, 0 to 1; `priceBasis` says what it is drawn from */
      price: number;
      /** what the price is drawn from */
      priceBasis: "book" | "trade" | "mark" | "payout";
    })[];
    /** how it was resolved; null until then */
    resolution: {
      /** YES or NO; null until it is resolved */
      outcome: "YES" | "NO";
      /** the first print of the measurement month; null until it is there */
      settledValue: number;
      /** when the first print settled it; null until then */
      resolvedAt: string;
      /** when the dispute window ends; null until it is resolved */
      disputeWindowEndsAt: string;
      /** when positions were paid; null until then */
      finalizedAt: string | null;
      /** the part of 1 USD that YES pays, 0 to 1 */
      payoutFraction?: number;
    } | null;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  FallbackPrint: {
    /** a month, YYYY-MM */
    month: string;
    /** the value */
    value: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** the release that first carried it */
    releaseId: string;
  };
  Fallback: {
    /** the step of the fallbacks that was taken */
    step: "successor" | "last-level" | "cash" | "void";
    /** cash: the model's value of YES */
    model?: number;
    /** cash: sellers', one an owner, the lowest first */
    marks?: number[];
    /** cash: the median, which is paid */
    value?: number;
    /** the newest chained print of the place up to the measurement month */
    last?: Schemas["FallbackPrint"];
    /** the first second it covers, Unix seconds */
    from?: Schemas["FallbackPrint"];
    /** the successor's print of the measurement month */
    to?: Schemas["FallbackPrint"];
  };
  ResolutionStatus: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** where it stands */
    status:
      | "ACTIVE"
      | "PAUSED"
      | "RESOLVED"
      | "CANCELLED"
      | "FINALIZED";
    /** true from the end of the measurement month on */
    tradingClosed: boolean;
    /** the place's id */
    geoNodeId: string;
    /** index and measure: such as `zhvi_decline` or `zhvi_level` */
    metric: string;
    /** gte: at or above the threshold pays; lte: at or below it */
    comparator: "gte" | "lte";
    /** what the print is compared with: percent of decline, or the index's own unit */
    threshold: number;
    /** the unit of the threshold */
    thresholdUnit: string;
    /** how far the index fell, percent, exact decimal text; null until resolved */
    decline: string | null;
    /** the month whose first print settles it, YYYY-MM */
    measurementMonth: string;
    /** YES or NO; null until it is resolved */
    outcome: "YES" | "NO" | null;
    /** the first print of the measurement month; null until it is there */
    settledValue: number | null;
    /** what it was compared with: baseline on the print's scale, or threshold */
    comparisonValue: number | null;
    /** when the first print settled it; null until then */
    resolvedAt: string | null;
    /** when the dispute window ends; null until it is resolved */
    disputeWindowEndsAt: string | null;
    /** when positions were paid; null until then */
    finalizedAt: string | null;
    /** the first print of the measurement month; null until it is there */
    observation: {
      /** the value */
      value: number;
      /** the month the print is of, YYYY-MM */
      dataMonth: string;
      /** the release that first carried it */
      releaseId: string;
      /** when this exchange took it in: ISO 8601; in a certificate Unix seconds */
      ingestedAt: string;
    } | null;
    /** the part of 1 USD that YES pays, 0 to 1 */
    payoutFraction?: number | null;
    /** whether a dispute is open */
    disputed: boolean;
    /** since when its print is so late that a fallback is taken, ISO 8601 */
    fallbackSince: string | null;
    /** what happens where no print comes; of a resolution: the step that settled it */
    fallback: Schemas["Fallback"] | null;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  BookLevel: {
    /** of YES, USD a contract; of NO it is 1 less this */
    price: number;
    /** contracts that rest there, a decimal */
    amount: string;
    /** how many orders they are */
    orders: number;
  };
  OfferedLevel: {
    /** of YES, USD a contract */
    price: number;
    /** contracts, a decimal; of each mandate 10000 at most */
    amount: string;
  };
  Book: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** the journal entry after which it is so */
    sequence: number;
    /** levels of buyers of YES, best first */
    bids: Schemas["BookLevel"][];
    /** levels of sellers of YES, best first */
    asks: Schemas["BookLevel"][];
    /** the highest bid for YES; null: there is none */
    bestBid: number | null;
    /** the lowest ask for YES; null: there is none */
    bestAsk: number | null;
    /** best ask less best bid; null where a side is empty */
    spread: number | null;
    /** what mandates give beside it, at the mark and their spreads */
    model: {
      /** levels of buyers of YES, best first */
      bids: Schemas["OfferedLevel"][];
      /** levels of sellers of YES, best first */
      asks: Schemas["OfferedLevel"][];
    };
  };
  Trade: {
    /** its id */
    id: string;
    /** of YES, USD a contract */
    price: number;
    /** contracts, a decimal */
    amount: string;
    /** what the taker did with YES */
    side: "BUY" | "SELL";
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: string;
    /** the journal entry it was made in */
    sequence: number;
    /** the request for quotes that this leg was agreed on by */
    block?: string;
    /** present of a trade that was undone: it does not count */
    busted?: true;
  };
  Candle: {
    /** a day YYYY-MM-DD or a month YYYY-MM, UTC */
    period: string;
    /** of YES, USD a contract; null where nothing was traded */
    open: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    high: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    low: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    close: number | null;
    /** contracts, a decimal; trades that were undone left out */
    volume: string;
    /** how many trades there were */
    trades: number;
    /** the last of the period; null where it brought none and the one before holds */
    mark: number | null;
  };
  BulkPrint: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** a month, YYYY-MM */
    month: string;
    /** the first print, a decimal in the unit of its index */
    value: string;
    /** the chained first print, a decimal; null, in CSV empty, outside the chain */
    level: string | null;
    /** true: it was there in the first release and settles nothing */
    backfill: boolean;
    /** the release that carried it first */
    releaseId: string;
    /** of that release, as its provider dates it */
    publishedAt: string;
    /** when it was known here */
    ingestedAt: string;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  MarketDay: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: "zhvi" | "zori" | "vacancy" | "weather";
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** the month whose first print settles it, YYYY-MM */
    measurementMonth: string;
    /** YYYY-MM-DD, UTC */
    day: string;
    /** the last of the day, of YES; null, in CSV empty, where the one before holds */
    mark: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    open: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    high: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    low: number | null;
    /** of YES, USD a contract; null where nothing was traded */
    close: number | null;
    /** contracts, a decimal; trades that were undone left out */
    volume: string;
    /** how many trades there were */
    trades: number;
  };
  StreamTrade: {
    /** of which kind it is */
    type: "trade";
    /** a market's id, frontend id or series id */
    marketId: string;
    /** its id */
    id: string;
    /** of YES, USD a contract */
    price: number;
    /** contracts, a decimal */
    amount: string;
    /** what the taker did with YES */
    side: "BUY" | "SELL";
  };
  StreamBust: {
    /** of which kind it is */
    type: "bust";
    /** a market's id, frontend id or series id */
    marketId: string;
    /** of the trade that was undone */
    id: string;
    /** of YES, USD a contract */
    price: number;
    /** contracts, a decimal */
    amount: string;
    /** what the taker did with YES */
    side: "BUY" | "SELL";
  };
  StreamLevel: {
    /** of which kind it is */
    type: "level";
    /** a market's id, frontend id or series id */
    marketId: string;
    /** BUY or SELL of the outcome; of a book's level bid or ask */
    side: "bid" | "ask";
    /** of YES, USD a contract */
    price: number;
    /** contracts that rest there now, a decimal; 0 = none */
    amount: string;
    /** how many orders they are */
    orders: number;
  };
  StreamMarket: {
    /** of which kind it is */
    type: "market";
    /** a market's id, frontend id or series id */
    marketId: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** the place's id */
    geoNodeId: string;
    /** where it stands */
    status:
      | "ACTIVE"
      | "PAUSED"
      | "RESOLVED"
      | "CANCELLED"
      | "FINALIZED";
    /** true from the end of the measurement month on */
    tradingClosed: boolean;
    /** of YES, USD a contract */
    mark: number;
    /** why, in words */
    reason: string | null;
    /** USD that the refunds of a void lacked, a decimal */
    shortfall: string;
    /** whether a dispute is open */
    disputed: boolean;
    /** how it was resolved; null until then */
    resolution: {
      /** YES or NO; null until it is resolved */
      outcome: "YES" | "NO";
      /** the first print of the measurement month; null until it is there */
      settledValue: number;
      /** what it was compared with: baseline on the print's scale, or threshold */
      comparisonValue: number;
      /** the part of 1 USD that YES pays, 0 to 1 */
      payoutFraction?: number;
      /** the release that first carried it */
      releaseId: string;
      /** when the first print settled it; null until then */
      resolvedAt: string;
      /** when the dispute window ends; null until it is resolved */
      disputeWindowEndsAt: string;
      /** when positions were paid; null until then */
      finalizedAt: string | null;
      /** goes with the number wherever it is relayed: a condition of its licence */
      attribution: string;
    } | null;
  };
  StreamMark: {
    /** of which kind it is */
    type: "mark";
    /** a market's id, frontend id or series id */
    marketId: string;
    /** of YES, USD a contract */
    mark: number;
  };
  StreamRelease: {
    /** of which kind it is */
    type: "release";
    /** the release that first carried it */
    releaseId: string;
    /** who published it: zillow, census, fred, noaa or sample */
    provider: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: "zhvi" | "zori" | "vacancy" | "weather";
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** when the provider published it: ISO 8601; in a certificate Unix seconds */
    publishedAt: string;
    /** the first month it carries, YYYY-MM */
    firstMonth: string;
    /** the last month it carries, YYYY-MM */
    lastMonth: string;
    /** values that no release carried before */
    firstPrints: number;
    /** values that differ from what was carried before */
    revisions: number;
    /** the provider's method, as declared or numbered */
    methodologyVersion: string;
    /** markets it settled */
    resolvedMarkets: string[];
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  StreamPrints: {
    /** of which kind it is */
    type: "prints";
    /** the release that first carried it */
    releaseId: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: "zhvi" | "zori" | "vacancy" | "weather";
    /** first prints */
    prints: {
      /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
      nodeId: string;
      /** a month, YYYY-MM */
      month: string;
      /** the first print, a decimal */
      value: string;
      /** true: the newest of a place seen first; no print */
      backfill: boolean;
    }[];
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  StreamHalt: {
    /** of which kind it is */
    type: "halt";
    /** whether trading is halted */
    halted: boolean;
    /** why, in words */
    reason: string;
  };
  StreamEntry: {
    /** of the journal entry; the message's id */
    sequence: number;
    /** when, ISO 8601 */
    time: string;
    /** what the entry changed, as far as it is public */
    events: (
      | Schemas["StreamTrade"]
      | Schemas["StreamBust"]
      | Schemas["StreamLevel"]
      | Schemas["StreamMarket"]
      | Schemas["StreamMark"]
      | Schemas["StreamRelease"]
      | Schemas["StreamPrints"]
      | Schemas["StreamHalt"])[];
  };
  StreamSubscriptions: {
    /** ids of markets, of either kind */
    markets?: string[];
    /** ids of places: of markets there or in places that lie in them */
    places?: string[];
    /** of markets of these indices */
    indexes?: ("zhvi" | "zori" | "vacancy" | "weather")[];
    /** of markets measured in these months, YYYY-MM */
    expiries?: string[];
    /** of these types of events */
    types?: (
      | "trade"
      | "bust"
      | "level"
      | "indicative"
      | "window"
      | "market"
      | "mark"
      | "delisted"
      | "release"
      | "prints"
      | "halt"
      | "rfq")[];
  };
  StreamSubscribed: {
    /** the id that was asked for */
    stream: string;
    /** entries after it are told by these subscriptions, those up to it by the former */
    sequence: number;
  };
  InclusionProof: {
    /** of the leaf, from 0: the entry's sequence less one */
    index: number;
    /** of the signed head: /api/log/checkpoint/{treeSize} */
    treeSize: number;
    /** hashes in base64, from the leaf's sibling up (RFC 6962, 2.1.1) */
    proof: string[];
    /** the signed note of that head, as it was signed */
    checkpoint: string;
  };
  Certificate: {
    /** a market's id, frontend id or series id */
    marketId: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** where it stands */
    status:
      | "ACTIVE"
      | "PAUSED"
      | "RESOLVED"
      | "CANCELLED"
      | "FINALIZED";
    /** everything the terms hash covers */
    terms: {
      /** SHA-256 over the terms */
      hash: string;
      /** zhvi home values, zori rents, vacancy or weather */
      index: string;
      /** the place's id */
      geoNodeId: string;
      /** the month whose first print settles it, YYYY-MM */
      measurementMonth: string;
      /** how the payout follows from the index */
      payoff: {
        [name: string]: unknown;
      };
      /** the print the decline is counted from; null for a level */
      baseline: {
        /** a month, YYYY-MM */
        month: string;
        /** as published, a decimal */
        value: string;
        /** of the chained first print, 12 decimals; null outside the chain */
        level: string | null;
        /** the release that first carried it */
        releaseId: string;
      } | null;
      /** the provider's method, as declared or numbered */
      methodologyVersion: string;
      /** how the payout fraction is rounded */
      rounding: string;
      /** what happens where no print comes; of a resolution: the step that settled it */
      fallback: string;
      /** the place whose growth stands in for missing prints; null: none */
      successor?: string | null;
      /** when the print was expected, milliseconds since 1970 */
      expectedAtMillis: number;
    };
    /** YES or NO; null until it is resolved */
    outcome: "YES" | "NO";
    /** the part of 1 USD that YES pays, 0 to 1 */
    payoutFraction: number;
    /** the first print of the measurement month */
    settled: {
      /** a month, YYYY-MM */
      month: string;
      /** the value */
      value: string;
    };
    /** what it was compared with: baseline on the print's scale, or threshold */
    comparisonValue: string;
    /** where the settling print hangs, as its own release gives it */
    link: {
      /** a month, YYYY-MM */
      month: string;
      /** as published, a decimal */
      value: string;
      /** of the chained first print, 12 decimals; null outside the chain */
      level: string | null;
    } | null;
    /** what happens where no print comes; of a resolution: the step that settled it */
    fallback: Schemas["Fallback"] | null;
    /** the release that carried it */
    release: {
      /** its id */
      id: string;
      /** who published it: zillow, census, fred, noaa or sample */
      provider: string;
      /** of the provider's file, unpacked */
      sha256: string;
      /** when the provider published it: ISO 8601; in a certificate Unix seconds */
      publishedAt: number;
      /** when this exchange took it in: ISO 8601; in a certificate Unix seconds */
      ingestedAt: number;
      /** the provider's method, as declared or numbered */
      methodologyVersion: string;
    };
    /** when the first print settled it; null until then */
    resolvedAt: number;
    /** when the dispute window ends; null until it is resolved */
    disputeWindowEndsAt: number;
    /** when positions were paid; null until then */
    finalizedAt: number | null;
    /** the journal entry that decided */
    entry: {
      /** the journal entry that decided */
      sequence: number;
      /** SHA-256, hex */
      hash: string;
      /** of its hash in the transparency log; null for a moment after the decision */
      inclusion: Schemas["InclusionProof"] | null;
    };
    /** the newest signed note over a journal that holds the entry */
    checkpoint: {
      /** a signed checkpoint: origin, size, head and signature */
      note: string;
      /** the public key that checks the note */
      verifierKey: string;
    } | null;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  GeoPlace: {
    /** its id */
    id: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level:
      | "state"
      | "county"
      | "city"
      | "neighborhood"
      | "zip";
    /** its name */
    name: string;
    /** two-letter code of its state */
    stateCode: string;
    /** its FIPS code; null where it has none */
    fips: string | null;
    /** other names it is found by */
    aliases: string[];
    /** the places it lies in, coarsest first */
    parentIds: string[];
    /** homes in it; 0 where not known */
    housingUnits: number;
    /** whether it takes prints and markets */
    active: boolean;
    /** how many places lie in it */
    childCount: number;
  };
  Quote: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    node: string;
    /** the place's name */
    nodeName: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: "zhvi" | "zori" | "vacancy" | "weather";
    /** the measurement month, YYYY-MM */
    expiry: string;
    /** the series to accept the quote in; null: indicative, no series is listed */
    seriesMarketId: string | null;
    /**
     * true where this is no standard series and no market yet: makers are asked for it with POST
     * /api/trading/rfqs, and an account's orders list only few such series
     */
    rfq: boolean;
    /** the month of the newest first print, YYYY-MM */
    asOfMonth: string;
    /** layered or binary */
    payoutKind: "layered" | "binary";
    /** decline where the payout begins, basis points */
    attachBps: number | null;
    /** decline where the payout is full, basis points */
    exhaustBps: number | null;
    /** decline where the payout begins, percent; null unless layered */
    attachPct: number | null;
    /** decline where the payout is full, percent; null unless layered */
    exhaustPct: number | null;
    /** decline at which a binary contract pays in full, basis points */
    strikeBps: number | null;
    /** decline at which it pays in full, percent; null where layered */
    strikePct: number | null;
    /** gte: at or above the threshold pays; lte: at or below it */
    comparator: "gte" | "lte" | null;
    /** what the print is compared with: percent of decline, or the index's own unit */
    threshold: string | null;
    /** the unit of its values; null for home values and rents */
    unit: string | null;
    /** what the index measures, in words; null for home values and rents */
    definition: string | null;
    /** months from the newest print to the measurement month */
    horizonMonths: number;
    /** the model's expected payout per 1 of coverage */
    fairValue: number;
    /** the model's chance of any payout */
    anyClaimProb: number;
    /** the model's chance of the full payout */
    fullLimitProb: number;
    /** added to the fair value, basis points of coverage */
    spreadBps: number;
    /** per 1 of coverage: the model's, finer than the tick; `limitPrice` is on it */
    price: number;
    /** the price, rounded up to the tick */
    limitPrice: number;
    /** what an order of this size would buy now; null where nobody sells */
    firm: {
      /** the highest price that any of it costs */
      price: number;
      /** contracts, at most those asked for; a decimal */
      amount: string;
      /** the journal entry after which it is so */
      asOfSequence: number;
    } | null;
    /** how many contracts: one covers 1 USD */
    contracts: number;
    /** price times contracts, USD */
    premiumUsd: number;
    /** the most it pays, USD */
    maxPayoutUsd: number;
    /** the most a seller may lose: payout less premium, USD */
    sellerCollateralUsd: number;
    /**
     * the cash a seller of each tier binds at the marks of now, the premium received included:
     * liability and initial margin, USD; null where there are no marks
     */
    sellerInitialMarginUsd: {
      /** of the tier basic */
      basic: number;
      /** of the tier standard */
      standard: number;
      /** of the tier institutional */
      institutional: number;
    } | null;
    /** coverage × attach ÷ (exhaust − attach), USD; null unless layered */
    deductibleUsd: number | null;
    /** coverage ÷ (exhaust − attach), USD; null unless layered */
    impliedExposureUsd: number | null;
    /** whether the place's own volatility was not known */
    usedDefaultVol: boolean;
    /** true beyond 36 months, which no record scores: quoted, and not listed */
    indicative: boolean;
    /** per 1 of coverage; they add up to price, unless it is cut off at 1 */
    priceParts: {
      /** the model's expected payout per 1 of coverage */
      fairValue: number;
      /** for the model being wrong: both regimes moved toward the trigger */
      riskLoad: number;
      /** for the cash that the seller binds over the term */
      carry: number;
      /** for the state repeating its worst years, where it is in a boom */
      bustLoad: number;
      /** the same for every contract */
      flatLoad: number;
      /** for weak or old data and bespoke layers */
      dataQuality: number;
    };
    /** what the price is drawn from */
    priceBasis: "reference-model";
    /** what this price is, in words */
    note: string;
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  ModelRecord: {
    /** the model that quotes */
    model: string;
    /** what the models would have said of the past, against what came */
    record: {
      /** the day it was drawn up, YYYY-MM-DD */
      date: string;
      /** what was known when this was drawn up and not at the time it speaks of */
      hindsight: string;
      /** how many places the file has */
      rows: ({
        /** which data: an index at a level */
        panel: string;
        /** how many places */
        places: number;
        /** of origin and outcome, over all horizons */
        pairs: number;
        /** from the first to the last month that was forecast from */
        origins: string;
        /** null: the mean over 6, 12, 18, 24 and 36 months */
        horizonMonths: number | null;
        /** the model's name */
        model: string;
        /** mean over six events, declines of 2 to 20 %; lower is better */
        brier: number;
        /** log score of the same events; lower is better */
        log: number;
        /**
         * mean fair value over mean payout, of the layers 2–10, 5–15 and 8–20 %; null where nothing
         * was paid
         */
        fairOverPayout: (number | null)[];
        /**
         * mean price without add-ons over mean payout, of the layers 2–10, 5–15 and 8–20 %; null
         * where nothing was paid
         */
        priceOverPayout: (number | null)[];
      })[];
    };
    /** true: the process answers */
    live: {
      /** what was known when this was drawn up and not at the time it speaks of */
      hindsight: string;
      /** how many places the file has */
      rows: ({
        /** zhvi home values, zori rents, vacancy or weather */
        index: string;
        /** state, county, city, neighborhood or zip; of releases nation and metro too */
        level: string;
        /** months from the newest print to the measurement month */
        horizonMonths: number;
        /** of the months whose prints were foretold */
        firstMonth: string;
        /** the last month it carries, YYYY-MM */
        lastMonth: string;
        /** how many forecasts have an outcome */
        pairs: number;
        /** pairs whose origin was itself a first print */
        knownThen: number;
        /** the model's name */
        model: string;
        /** mean over six events, declines of 2 to 20 %; lower is better */
        brier: number;
        /** log score of the same events; lower is better */
        log: number;
        /**
         * mean fair value over mean payout, of the layers 2–10, 5–15 and 8–20 %; null where nothing
         * was paid
         */
        fairOverPayout: (number | null)[];
        /**
         * mean price without add-ons over mean payout, of the layers 2–10, 5–15 and 8–20 %; null
         * where nothing was paid
         */
        priceOverPayout: (number | null)[];
      })[];
    };
    /** what a reader of the figures has to know, a sentence each */
    weakSpots: string[];
  };
  BulkQuote: {
    /** the answer of `GET /api/quotes`; null where it is refused */
    quote: Schemas["Quote"] | null;
    /** the refusal, with its particulars */
    error: {
      /** stable name of the refusal: decide by it, not by the message */
      code: string;
      /** what happened, the values, and what to do */
      message: string;
      /** the field at fault */
      field: string | null;
    } | null;
  };
  Release: {
    /** its id */
    id: string;
    /** who published it: zillow, census, fred, noaa or sample */
    provider: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** what a weather file measures; null for every other index */
    variable: string | null;
    /** which cut of homes the series is made of, as the provider's file names say it */
    cut: string | null;
    /** where it stands */
    status: "accepted" | "quarantined" | "rejected";
    /** when the provider published it: ISO 8601; in a certificate Unix seconds */
    publishedAt: string;
    /** when this exchange took it in: ISO 8601; in a certificate Unix seconds */
    ingestedAt: string;
    /** SHA-256 of the provider's file, unpacked, hex */
    sha256: string;
    /** how many places the file has */
    rows: number;
    /** the first month it carries, YYYY-MM */
    firstMonth: string;
    /** the last month it carries, YYYY-MM */
    lastMonth: string;
    /** values that no release carried before */
    firstPrints: number;
    /** values that differ from what was carried before */
    revisions: number;
    /** values that are as they were carried before */
    unchanged: number;
    /** places whose whole history was scaled anew */
    rescaled: number;
    /** rows of regions that are no place of this exchange */
    unmatched: number;
    /** regions whose place is held back, for now */
    held: number;
    /** the provider's method, as declared or numbered */
    methodologyVersion: string;
    /** declared or detected here; null: the method is as before */
    methodologyChange: "detected" | "declared" | null;
    /** why it was held back; empty where it was not */
    reasons: string[];
    /** markets it settled */
    resolvedMarkets: string[];
  };
  AnnouncedRules: {
    /** its id */
    id: string;
    /** when the second person agreed */
    announcedAt: string;
    /** from then on the changes are in force */
    effectiveAt: string;
    /** the new values, by path: tiers.enhanced.marginRequirement */
    changes: {
      [name: string]: number | string;
    };
  };
  FundLayer: {
    /** which layer of the fund */
    layer: "exchange" | "fund" | "contributions";
    /** what it has; USD */
    balance: string;
    /** what the exchange's own layer is to have, USD; null of the others */
    target: string | null;
  };
  StateCoverage: {
    /** as a place has it */
    stateCode: string;
    /** with open positions */
    markets: number;
    /** what they would pay at most; USD */
    coverage: string;
    /** what that is worth at the marks; USD */
    worth: string;
  };
  ScenarioRisk: {
    /** its id */
    id: string;
    /** of home values */
    direction: "down" | "up";
    /** what open protection would be worth after it; USD */
    worth: string;
    /**
     * of the settled markets: where more was paid than the scenario foretold last before the print
     * (one that rises: less)
     */
    exceeded: number;
    /** what it is in words */
    title: string;
  };
  OpenProtection: {
    /** what all open markets would pay at most; USD */
    coverage: string;
    /** what it is worth at the marks; USD */
    worth: string;
    /** the most coverage first */
    byState: Schemas["StateCoverage"][];
    /** in the order of a market's risk array */
    scenarios: Schemas["ScenarioRisk"][];
    /** markets that their own print has settled and that had such values before it */
    settled: number;
    /** of these, where more was paid than any scenario against their sellers foretold */
    exceededAll: number;
  };
  ReplayedCohort: {
    /** of the sale */
    month: string;
    /** of coverage; 0 to 1 */
    due: number;
    /** of coverage; 0 to 1 */
    sellerCash: number;
  };
  ReplayedHorizon: {
    /** how long a contract ran */
    months: number;
    /** due to buyers, of coverage; 0 to 1 */
    due: number;
    /** the seller's deposit and the premium, of coverage; 0 to 1 */
    sellerCash: number;
    /** of what was due; 0 to 1 */
    paid: number;
    /** of what was due, in the month of sale where it was least; 0 to 1 */
    worstPaid: number;
    /** of what was due, given by each contract's own seller; 0 to 1 */
    paidFromOwnMargin: number;
    /** of sellers: margin health fell below 1 at least once; 0 to 1 */
    called: number;
    /** one for each month of sale, oldest first */
    cohorts: Schemas["ReplayedCohort"][];
  };
  /** the last replay of a provider's history through these rules */
  Replay: {
    /** of the run */
    date: string;
    /** the provider's file that was replayed */
    file: string;
    /** how many places */
    places: number;
    /** basis points of decline */
    layer: string;
    /** of the sellers */
    tier: string;
    /** the guarantee fund at the start, of coverage; 0 to 1 */
    fund: number;
    /** what was known when this was drawn up and not at the time it speaks of */
    hindsight: string;
    /** one for each length of contract */
    horizons: Schemas["ReplayedHorizon"][];
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  Risk: {
    /** the guarantee fund */
    fund: {
      /** what the fund has; USD */
      balance: string;
      /** the most that the positions it took over may cost; USD */
      setAside: string;
      /** what it has beyond that; below zero where it lacks something; USD */
      spare: string;
    };
    /** what all layers of the fund are to have; a rule; USD */
    target: string;
    /**
     * in the order they bear a loss, after the defaulter's margin and contribution; `fund` is what
     * fees and deposits have brought, less setAside
     */
    layers: Schemas["FundLayer"][];
    /** the loss beyond its margin of the owner that lacks most; USD */
    cover1: string;
    /** the losses of the two owners that lack most; USD */
    cover2: string;
    /** whether spare and the other layers are at least cover2 */
    isCovered: boolean;
    /** protection that is open, by state and by scenario */
    open: Schemas["OpenProtection"];
    /** the last replay of 2005–2011 through these rules */
    replay: Schemas["Replay"];
  };
  Scenario: {
    /** its id */
    id: string;
    /** of home values */
    direction: "down" | "up";
    /** what it is in words */
    title: string;
  };
  Scenarios: {
    /** rises when one is computed otherwise or added */
    version: number;
    /** what may happen at once, each by its id */
    scenarios: Schemas["Scenario"][];
  };
  IssuedPublicKey: {
    /** the key itself: shown at issuance and never again */
    key?: string;
    /** its id */
    id: string;
    /** the name its maker gave it */
    label: string;
    /** words for the operator's own order; they give nothing and take nothing */
    scopes: string[] | null;
    /** requests a minute */
    rateLimit: number | null;
    /** when it expires; null: it does not */
    expiresAt: string | null;
  };
  PublicKey: {
    /** its id */
    id: string;
    /** the name its maker gave it */
    label: string;
    /** words for the operator's own order; they give nothing and take nothing */
    scopes: string[] | null;
    /** requests a minute */
    rateLimit: number | null;
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: string;
    /** when it expires; null: it does not */
    expiresAt: string | null;
    /** when it was revoked; null: it is in force */
    revokedAt: string | null;
  };
  Account: {
    /** its id */
    id: string;
    /** the account's owner address: 0x and 40 hex digits */
    address: string;
    /** its name */
    name: string;
    /** one of trader, auditor, operator */
    role: "trader" | "auditor" | "operator";
    /** the account its owner is named after: itself, as a rule */
    owner: string;
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: string;
    /** USD its owner may owe for premiums, where set for the account */
    creditLine?: string;
    /** USD of coverage in a UTC day, where set for the account */
    maxDaily?: string;
    /** where set for the account; else as GET /api/limits says */
    maxOpenOrders?: number;
  };
  Proposal: {
    /** its id */
    id: string;
    /** what the audit trail calls it */
    action: string;
    /** values that belong to it, by name */
    details: {
      [name: string]: unknown;
    };
    /** the operator's account, or root */
    proposedBy: string;
    /** when it was proposed, ISO 8601 */
    proposedAt: string;
    /** it is gone then unless a second person has agreed, ISO 8601 */
    lapsesAt: string;
  };
  AccountDetail: {
    /** its id */
    id: string;
    /** the account's owner address: 0x and 40 hex digits */
    address: string;
    /** its name */
    name: string;
    /** one of trader, auditor, operator */
    role: "trader" | "auditor" | "operator";
    /** the account its owner is named after: itself, as a rule */
    owner: string;
    /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
    createdAt: string;
    /** USD its owner may owe for premiums, where set for the account */
    creditLine?: string;
    /** USD of coverage in a UTC day, where set for the account */
    maxDaily?: string;
    /** where set for the account; else as GET /api/limits says */
    maxOpenOrders?: number;
    /** the operator's account, or root */
    openedBy: string;
    /** operators who agreed to an operator's account, or were shown a key of it */
    vouchedBy: string[];
    /** whether trading is halted */
    halted: boolean;
    /** the KYC record */
    kyc: Schemas["KycRecord"];
    /** cash, USD, decimal text */
    cash: string;
    /** cash that nothing holds back, USD */
    available: string;
  };
  AccreditationInput: {
    /** text of 1 to 100 characters */
    basis: string;
    /** text of 1 to 100 characters */
    evidenceId: string;
    /** Unix seconds, a whole number; with the approval when left out */
    expiresAt?: number;
  };
  FirstWord: {
    /** the operator's account, or root */
    by: string;
    /** approve, uphold, amend, void, or the proposed action */
    decision: string;
    /** the value that an amendment would settle by */
    amendTo?: string;
    /** the caller is the same person: another one has to give the second word */
    isYours: boolean;
  };
  WaitingRelease: {
    /** its id */
    id: string;
    /** who published it: zillow, census, fred, noaa or sample */
    provider: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** what a weather file measures; null for every other index */
    variable: string | null;
    /** which cut of homes the series is made of, as the provider's file names say it */
    cut: string | null;
    /** where it stands */
    status: "accepted" | "quarantined" | "rejected";
    /** when the provider published it: ISO 8601; in a certificate Unix seconds */
    publishedAt: string;
    /** when this exchange took it in: ISO 8601; in a certificate Unix seconds */
    ingestedAt: string;
    /** SHA-256 of the provider's file, unpacked, hex */
    sha256: string;
    /** how many places the file has */
    rows: number;
    /** the first month it carries, YYYY-MM */
    firstMonth: string;
    /** the last month it carries, YYYY-MM */
    lastMonth: string;
    /** values that no release carried before */
    firstPrints: number;
    /** values that differ from what was carried before */
    revisions: number;
    /** values that are as they were carried before */
    unchanged: number;
    /** places whose whole history was scaled anew */
    rescaled: number;
    /** rows of regions that are no place of this exchange */
    unmatched: number;
    /** regions whose place is held back, for now */
    held: number;
    /** the provider's method, as declared or numbered */
    methodologyVersion: string;
    /** declared or detected here; null: the method is as before */
    methodologyChange: "detected" | "declared" | null;
    /** why it was held back; empty where it was not */
    reasons: string[];
    /** markets it settled */
    resolvedMarkets: string[];
    /** operators who have approved it so far */
    approvedBy: string[];
    /** whether the file is still to be read again for places that came later */
    rereadDue: boolean;
    /** who rejected it and why; null: nobody did */
    rejection: {
      /** who did it */
      by: string;
      /** why, in words */
      reason: string;
    } | null;
    /** markets that wait for these prints, and what each would pay by them */
    wouldSettle: ({
      /** a market's id, frontend id or series id */
      marketId: string;
      /** its short id, such as `mkt-001` */
      frontendId: string;
      /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
      nodeId: string;
      /** a month, YYYY-MM */
      month: string;
      /** of the coverage, to longs; null: no chain leads to the print, and it waits on */
      payoutFraction: number | null;
    })[];
  };
  HeldPlace: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** the provider's */
    regionId: string;
    /** not held: the provider's id before, in a map that waits for its second word */
    renamedFrom: string | null;
    /** the earliest release undecided for the place */
    releaseId: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** the measured quantity of a weather release */
    variable: string | null;
    /** held, released or rejected */
    status: "held" | "released" | "rejected";
    /** when validation held it, ISO 8601, UTC */
    heldAt: string;
    /** why it was held back; empty where it was not */
    reasons: string[];
    /** operators who have approved it so far */
    approvedBy: string[];
    /** what the release carries of the place and nobody is shown */
    prints: {
      /** a month, YYYY-MM */
      month: string;
      /** the value */
      value: string;
      /** true: history of a place's first release, which settles nothing */
      backfill: boolean;
    }[];
    /** markets that wait for these prints, and what each would pay by them */
    wouldSettle: ({
      /** a market's id, frontend id or series id */
      marketId: string;
      /** its short id, such as `mkt-001` */
      frontendId: string;
      /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
      nodeId: string;
      /** a month, YYYY-MM */
      month: string;
      /** of the coverage, to longs; null: no chain leads to the print, and it waits on */
      payoutFraction: number | null;
    })[];
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
  };
  Dispute: {
    /** the account, or root */
    openedBy: string;
    /** why, in words */
    reason: string;
    /** where the claim can be checked; null: none was given */
    evidence: string | null;
    /** USD it holds until it is decided */
    bond: string;
  };
  VoidProposal: {
    /** the operator's account, or root */
    by: string;
    /** why, in words */
    reason: string;
    /** when it was proposed, ISO 8601 */
    proposedAt: string;
    /** a second person has until then */
    lapsesAt: string;
  };
  OperatorMarket: {
    /** its id */
    id: string;
    /** its short id, such as `mkt-001` */
    frontendId: string;
    /** where it stands */
    status: string;
    /** true from the end of the measurement month on */
    tradingClosed: boolean;
    /** why, in words */
    reason: string | null;
    /** what payouts or refunds lacked and all bore together, USD */
    shortfall: string;
    /** when it last changed, ISO 8601 */
    updatedAt: string;
    /** one operator's word for a void, waiting for a second's; null: there is none */
    voidProposal: Schemas["VoidProposal"] | null;
    /** since when its print is so late that a fallback is taken, ISO 8601 */
    fallbackSince: string | null;
  };
  QueueItem: {
    /** what waits */
    kind: "release";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the held release, as `GET /api/admin/releases` shows it */
    release: Schemas["WaitingRelease"];
  } | {
    /** what waits */
    kind: "place";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the held place, as `GET /api/admin/held-places` shows it */
    place: Schemas["HeldPlace"];
  } | {
    /** what waits */
    kind: "kyc";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the account */
    account: Schemas["Account"];
    /** the KYC record */
    kyc: Schemas["KycRecord"];
  } | {
    /** what waits */
    kind: "dispute";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the dispute, as it was opened */
    dispute: Schemas["Dispute"];
    /** how it was resolved; null until then */
    resolution: Schemas["ResolutionStatus"];
  } | {
    /** what waits */
    kind: "marginCall";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the account */
    account: Schemas["Account"];
    /** present while healthStatus is liquidation, before a default */
    marginCall: Schemas["MarginCall"] | null;
  } | {
    /** what waits */
    kind: "default";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the account */
    account: Schemas["Account"];
    /** null once its positions are gone and it owes nothing */
    inDefault: Schemas["InDefault"] | null;
  } | {
    /** what waits */
    kind: "proposal";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** what waits for a second person's word; absent where it was done at once */
    proposal: Schemas["Proposal"];
  } | {
    /** what waits */
    kind: "void";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the market, as `GET /api/admin/markets/{id}` shows it */
    market: Schemas["OperatorMarket"];
  } | {
    /** what waits */
    kind: "fallback";
    /** null of a KYC inquiry from before its time was recorded */
    since: string | null;
    /**
     * when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called for
     * margin defaults
     */
    dueAt: string | null;
    /** null while nobody has spoken, or where one person decides */
    firstWord: Schemas["FirstWord"] | null;
    /** the market, as `GET /api/admin/markets/{id}` shows it */
    market: Schemas["OperatorMarket"];
  };
  SuspectTrade: {
    /**
     * one_owner: both accounts are of one owner by now; off_reference: outside the band of busts;
     * round_trip: the same two accounts traded the other way in this market less than a day before;
     * before_release: at most 48 hours before a release of the market's index, whose marks were
     * further from the price than that band
     */
    kind:
      | "one_owner"
      | "off_reference"
      | "round_trip"
      | "before_release";
    /** of the trade */
    fillId: string;
    /** a market's id, frontend id or series id */
    marketId: string;
    /** of YES, USD a contract */
    price: number;
    /** contracts, a decimal */
    amount: string;
    /** of the trade, USD */
    coverage: string;
    /** the account that ended with more YES */
    buyer: string;
    /** the account that ended with less */
    seller: string;
    /** the account its owner is named after */
    buyerOwner: string;
    /** the same of the seller */
    sellerOwner: string;
    /** when it happened: Unix seconds; on the public surface ISO 8601 */
    timestamp: string;
    /** the journal entry it was made in */
    sequence: number;
    /** of off_reference: the mark, USD */
    reference?: number;
    /** of round_trip: the newest trade the other way */
    earlierFillId?: string;
    /** of before_release */
    releaseId?: string;
    /** of before_release: the mark at the end of the next day, USD */
    markAfter?: number;
    /** of before_release: an account */
    gainer?: string;
    /** of before_release: what it was ahead, USD */
    gain?: string;
  };
  LargeHolder: {
    /** the account the owner is named after */
    owner: string;
    /** of the owner, with this side */
    accounts: string[];
    /** a market's id, frontend id or series id */
    marketId: string;
    /** BUY or SELL of the outcome; of a book's level bid or ask */
    side: "YES" | "NO";
    /** held, USD */
    coverage: string;
    /** of what is open in the market */
    sharePercent: number;
  };
  OperatorRelease: {
    /** its id */
    id: string;
    /** who published it: zillow, census, fred, noaa or sample */
    provider: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** what a weather file measures; null for every other index */
    variable: string | null;
    /** which cut of homes the series is made of, as the provider's file names say it */
    cut: string | null;
    /** where it stands */
    status: "accepted" | "quarantined" | "rejected";
    /** when the provider published it: ISO 8601; in a certificate Unix seconds */
    publishedAt: string;
    /** when this exchange took it in: ISO 8601; in a certificate Unix seconds */
    ingestedAt: string;
    /** SHA-256 of the provider's file, unpacked, hex */
    sha256: string;
    /** how many places the file has */
    rows: number;
    /** the first month it carries, YYYY-MM */
    firstMonth: string;
    /** the last month it carries, YYYY-MM */
    lastMonth: string;
    /** values that no release carried before */
    firstPrints: number;
    /** values that differ from what was carried before */
    revisions: number;
    /** values that are as they were carried before */
    unchanged: number;
    /** places whose whole history was scaled anew */
    rescaled: number;
    /** rows of regions that are no place of this exchange */
    unmatched: number;
    /** regions whose place is held back, for now */
    held: number;
    /** the provider's method, as declared or numbered */
    methodologyVersion: string;
    /** declared or detected here; null: the method is as before */
    methodologyChange: "detected" | "declared" | null;
    /** why it was held back; empty where it was not */
    reasons: string[];
    /** markets it settled */
    resolvedMarkets: string[];
    /** operators who have approved it so far */
    approvedBy: string[];
    /** whether the file is still to be read again for places that came later */
    rereadDue: boolean;
    /** who rejected it and why; null: nobody did */
    rejection: {
      /** who did it */
      by: string;
      /** why, in words */
      reason: string;
    } | null;
  };
  DecidedPlace: {
    /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
    nodeId: string;
    /** the provider's */
    regionId: string;
    /** not held: the provider's id before, in a map that waits for its second word */
    renamedFrom: string | null;
    /** the earliest release undecided for the place */
    releaseId: string;
    /** zhvi home values, zori rents, vacancy or weather */
    index: string;
    /** state, county, city, neighborhood or zip; of releases nation and metro too */
    level: string;
    /** the measured quantity of a weather release */
    variable: string | null;
    /** held, released or rejected */
    status: "held" | "released" | "rejected";
    /** when validation held it, ISO 8601, UTC */
    heldAt: string;
    /** why it was held back; empty where it was not */
    reasons: string[];
    /** operators who have approved it so far */
    approvedBy: string[];
    /** what the release carries of the place and nobody is shown */
    prints: {
      /** a month, YYYY-MM */
      month: string;
      /** the value */
      value: string;
      /** true: history of a place's first release, which settles nothing */
      backfill: boolean;
    }[];
    /** markets that wait for these prints, and what each would pay by them */
    wouldSettle: ({
      /** a market's id, frontend id or series id */
      marketId: string;
      /** its short id, such as `mkt-001` */
      frontendId: string;
      /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
      nodeId: string;
      /** a month, YYYY-MM */
      month: string;
      /** of the coverage, to longs; null: no chain leads to the print, and it waits on */
      payoutFraction: number | null;
    })[];
    /** goes with the number wherever it is relayed: a condition of its licence */
    attribution: string;
    /** markets it settled */
    resolvedMarkets: string[];
    /** where a later release holds the place again */
    heldAnew: Schemas["HeldPlace"] | null;
  };
  Rules: {
    /** the rules of each KYC tier */
    tiers: {
      /** of the tier basic */
      basic: {
        /** the liquidity tier it gives */
        liquidityTier: string;
        /** most coverage in one market, USD */
        maxPosition: number;
        /** most coverage in a UTC day, USD */
        maxDaily: number;
        /** most coverage in all markets, USD */
        maxTotal: number;
        /** most coverage in one market by the liquidity tier, USD */
        maxPositionSize: number;
        /** most coverage in a UTC day by the liquidity tier, USD */
        maxDailyVolume: number;
        /** most markets with a position */
        maxOpenPositions: number;
        /** the fee, a fraction of min(p, 1−p) × quantity */
        tradingFee: number;
        /** margin as a fraction of 1 − mark */
        marginRequirement: number;
        /** USD an owner may owe for premiums */
        creditLine: number;
      };
      /** of the tier enhanced */
      enhanced: {
        /** the liquidity tier it gives */
        liquidityTier: string;
        /** most coverage in one market, USD */
        maxPosition: number;
        /** most coverage in a UTC day, USD */
        maxDaily: number;
        /** most coverage in all markets, USD */
        maxTotal: number;
        /** most coverage in one market by the liquidity tier, USD */
        maxPositionSize: number;
        /** most coverage in a UTC day by the liquidity tier, USD */
        maxDailyVolume: number;
        /** most markets with a position */
        maxOpenPositions: number;
        /** the fee, a fraction of min(p, 1−p) × quantity */
        tradingFee: number;
        /** margin as a fraction of 1 − mark */
        marginRequirement: number;
        /** USD an owner may owe for premiums */
        creditLine: number;
      };
      /** of the tier institutional */
      institutional: {
        /** the liquidity tier it gives */
        liquidityTier: string;
        /** most coverage in one market, USD */
        maxPosition: number;
        /** most coverage in a UTC day, USD */
        maxDaily: number;
        /** most coverage in all markets, USD */
        maxTotal: number;
        /** most coverage in one market by the liquidity tier, USD */
        maxPositionSize: number;
        /** most coverage in a UTC day by the liquidity tier, USD */
        maxDailyVolume: number;
        /** most markets with a position */
        maxOpenPositions: number;
        /** the fee, a fraction of min(p, 1−p) × quantity */
        tradingFee: number;
        /** margin as a fraction of 1 − mark */
        marginRequirement: number;
        /** USD an owner may owe for premiums */
        creditLine: number;
      };
    };
    /** when a market of an index kind counts as liquid */
    liquidity: {
      /** of home values */
      zhvi: {
        /** least coverage resting in the book, USD */
        minLiquidity: number;
        /** least accounts with resting orders */
        minProviders: number;
        /** widest spread */
        spreadMax: number;
      };
      /** of rents */
      zori: {
        /** least coverage resting in the book, USD */
        minLiquidity: number;
        /** least accounts with resting orders */
        minProviders: number;
        /** widest spread */
        spreadMax: number;
      };
      /** of rental vacancy */
      vacancy: {
        /** least coverage resting in the book, USD */
        minLiquidity: number;
        /** least accounts with resting orders */
        minProviders: number;
        /** widest spread */
        spreadMax: number;
      };
      /** of weather */
      weather: {
        /** least coverage resting in the book, USD */
        minLiquidity: number;
        /** least accounts with resting orders */
        minProviders: number;
        /** widest spread */
        spreadMax: number;
      };
    };
    /** USD one operator funds alone in a UTC day, in and out added up */
    fundingLimit: number;
    /** when a fill may be busted: further off the mark, and within so long */
    bust: {
      /** USD a contract off the mark */
      band: number;
      /** after the fill */
      windowMinutes: number;
    };
    /** the size that the guarantee fund is to have */
    fund: {
      /** USD, its layers together; 0 asks for no contributions */
      target: number;
    };
    /** from which part of a market or a state on a seller needs more */
    concentration: {
      /** fraction of the open coverage at the last marks */
      share: number;
      /** USD of coverage that nobody needs more for */
      floor: number;
      /** USD of maintenance for each USD of coverage beyond both; 0 = none */
      rate: number;
    };
    /** the rules that reference prices follow, beside the model */
    price: {
      /** a year's return on the margin that a seller binds; 0.04 where no rule says */
      carry: number;
    };
    /** changes of the rules that wait for their day, the oldest first */
    announced: Schemas["AnnouncedRules"][];
  };
  GuaranteeFund: {
    /** USD, decimal string */
    balance: string;
    /** what it holds, by market */
    positions: {
      /** a market's id, frontend id or series id */
      marketId: string;
      /** contracts it owes, taken over */
      contracts: string;
      /** USD they are worth now */
      atMark: string;
      /** USD they can still cost */
      atMost: string;
    }[];
    /** what it would owe at the marks, USD */
    owedAtMark: string;
    /** the most it may owe, USD */
    owedAtMost: string;
  };
  FinancingPool: {
    /** USD: deposits less withdrawals and what was written off */
    pool: string;
    /** USD of principal that buyers owe, not written off */
    lent: string;
    /** USD that can still be lent or taken out */
    available: string;
    /** USD of principal written off and not recovered */
    writtenOff: string;
    /** USD of principal of acceptances that are overdue or defaulted */
    overdue: string;
  };
  Subject: {
    /** person or organisation */
    kind: "person" | "organisation";
    /** text of 1 to 200 characters */
    legalName: string;
    /** two capital letters */
    countryCode: string;
    /** a day written YYYY-MM-DD */
    dateOfBirth?: string;
    /** text of 1 to 64 characters */
    registrationNumber?: string;
    /** text of 1 to 500 characters */
    address?: string;
  };
}

type FileBody = string | Blob | ReadableStream<Uint8Array>;

interface Refusal {
  content: { "application/json": Schemas["ErrorAnswer"] };
}

/** Every operation, in the form openapi-fetch reads. */
export interface paths {
  "/api/status": {
    /**
     * Whether the exchange is open, and how far its journal is. Needs no credential. Costs nothing
     * of the rate.
     */
    get: {
      parameters: {
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** starting, open, cancel_only or halted */
              mode:
                | "starting"
                | "standby"
                | "follower"
                | "open"
                | "cancel_only"
                | "halted";
              /** the part of this node: it takes orders, waits to, or only reads */
              role: "leader" | "standby" | "follower";
              /**
               * how old what this node shows may be, from the leader's newest sign that it has
               * seen; null at the leader, and where it has seen none
               */
              lagMillis: number | null;
              /**
               * the newest entry that was decided; beyond durableSequence nobody has been answered
               * yet, and after a crash it may be less
               */
              sequence: number;
              /** the newest entry that is durable and shown; it never goes back */
              durableSequence: number;
              /** the exchange's time, ISO 8601 */
              engineTime: string;
              /** the version of the program */
              version: string;
              /** real, or sandbox where the operator sets it */
              clock: "real" | "sandbox";
              /**
               * whether the newest leader saw that its database is durable, or a managed service
               * hides that and the operator answers for it
               */
              storage: "checked" | "managed";
              /**
               * how much of the room for orders, keys, accounts and answers is used, or of the
               * memory where that is more, from 0 to 1; at 1 new ones are refused as EXCHANGE_FULL
               */
              capacityUsed: number;
              /**
               * whether the guarantee fund holds the two weakest owners; while it does not, orders
               * that add a short are refused as FUND_SHORT
               */
              cover2: boolean;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/health/live": {
    /**
     * Answers 200 while the process answers: restart a node that does not. Needs no credential.
     * Costs nothing of the rate.
     */
    get: {
      parameters: {
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the process answers */
              live: true;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/health/ready": {
    /**
     * Whether to send it requests: of a leader orders and cancels, of a follower reads. Needs no
     * credential. Costs nothing of the rate.
     */
    get: {
      parameters: {
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true with 200, false with 503 */
              ready: boolean;
              /** starting, open, cancel_only or halted */
              mode:
                | "starting"
                | "standby"
                | "follower"
                | "open"
                | "cancel_only"
                | "halted";
              /** why not, or what is not taken; null where all is */
              reason: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/kyc/inquiry": {
    /**
     * Asks for a KYC tier. Needs a key with the permission `manage:custody`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** one of basic, enhanced, institutional */
            tier: "basic" | "enhanced" | "institutional";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Asks for a KYC tier */
              data: Schemas["KycRecord"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/kyc/status": {
    /**
     * The account's KYC record. Needs a key with the permission `read:portfolio`. Costs 1 of the
     * rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's KYC record */
              data: Schemas["KycRecord"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/kyc/limits": {
    /**
     * Shows what the approved tier allows, in USD of coverage. Needs a key with the permission
     * `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Shows what the approved tier allows, in USD of coverage */
              data: Schemas["KycLimits"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/keys": {
    /**
     * The account's keys that are not revoked. Needs a key with the permission `read:portfolio`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's keys that are not revoked */
              data: Schemas["TradingKey"][];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Makes a further key for the caller's account. Needs a key with the permission
     * `manage:custody`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 100 characters */
            label: string;
            /** what the key may do */
            permissions: (
              | "read:markets"
              | "read:portfolio"
              | "create:orders"
              | "cancel:orders"
              | "read:oracle"
              | "manage:custody"
              | "admin:read"
              | "admin:accounts"
              | "admin:funding"
              | "admin:releases"
              | "admin:markets"
              | "admin:settle"
              | "admin:exchange")[];
            /** a whole number of requests a minute, at least 1 */
            rateLimit?: number;
            /** a whole number of days, 1 to 365 */
            expiresInDays?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Makes a further key for the caller's account */
              data: Schemas["TradingKey"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/keys/{keyId}": {
    /**
     * Revokes a key, for good. Needs a key with the permission `manage:custody`. Costs 1 of the
     * rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** a key's id, such as `key-3` */
          keyId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Revokes a key, for good */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/orders": {
    /**
     * The account's orders, newest first, open and done. Needs a key with the permission
     * `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** a market's id */
          marketId?: string;
          /** only orders in this state */
          status?:
            | "OPEN"
            | "FILLED"
            | "PARTIALLY_FILLED"
            | "CANCELLED";
          /** 1 to 64 printable ASCII characters */
          clientOrderId?: string;
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's orders, newest first, open and done */
              data: Schemas["Order"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
    /** Places an order. Needs a key with the permission `create:orders`. Costs 1 of the rate. */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": Schemas["OrderInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Places an order */
              data: Schemas["Order"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/orders/batch": {
    /**
     * Places 1 to 100 orders, all or none, or each for itself. Needs a key with the permission
     * `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a list of 1 to 100 orders */
            orders: Schemas["OrderInput"][];
            /** atomic (the default): all or none; each: every order is judged alone */
            mode?: "atomic" | "each";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Places 1 to 100 orders, all or none, or each for itself */
              data: Schemas["Order"][];
              /** with mode each: the orders that were not placed; `data` has the others */
              refused?: Schemas["RefusedOrder"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/quotes/mass": {
    /**
     * Quotes up to 200 markets at once, each in place of what the account rests there. Needs a key
     * with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** the questions, each as `GET /api/quotes` takes it */
            quotes: Schemas["QuoteInput"][];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Quotes up to 200 markets at once, each in place of what the account rests there */
              data: {
                /** the questions, each as `GET /api/quotes` takes it */
                quotes: Schemas["QuoteAnswered"][];
                /** how many were cancelled */
                cancelledCount: number;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/orders/preview": {
    /**
     * Shows what an order, or a batch of orders, would do now; nothing is done. Needs a key with
     * the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** a market's id, frontend id or series id */
            marketId?: string;
            /** 0 (YES) or 1 (NO) */
            outcomeIndex?: 0 | 1;
            /** BUY or SELL */
            side?: "BUY" | "SELL";
            /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
            amount?: number | string;
            /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
            price?: number | string;
            /** Unix seconds, or 0 for no expiry */
            expiry?: number;
            /** GTC, GTD, IOC or FOK */
            timeInForce?: "GTC" | "GTD" | "IOC" | "FOK";
            /** true or false */
            postOnly?: boolean;
            /** true or false */
            reduceOnly?: boolean;
            /** true or false */
            cancelOnRelease?: boolean;
            /**
             * a group of the account's orders: 1 to 32 letters, digits, dots, dashes and
             * underscores
             */
            group?: string;
            /** 1 to 64 printable ASCII characters */
            clientOrderId?: string;
            /** cancel_incoming, cancel_resting or cancel_both */
            selfTradePrevention?:
              | "cancel_incoming"
              | "cancel_resting"
              | "cancel_both";
            /** a list of 1 to 100 orders */
            orders?: Schemas["OrderInput"][];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Shows what an order, or a batch of orders, would do now; nothing is done */
              data: Schemas["Preview"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/margin/preview": {
    /**
     * Shows the margin of positions and orders beside the account's own; nothing is done. Needs a
     * key with the permission `read:portfolio`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** as if each had just been filled at its price, with the fee; up to 100 */
            positions?: Schemas["WhatIf"][];
            /** as if each rested in the book; up to 100 */
            orders?: Schemas["WhatIf"][];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Shows the margin of positions and orders beside the account's own; nothing is done
               */
              data: Schemas["MarginPreview"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/orders/{orderId}": {
    /**
     * One order of the account. Needs a key with the permission `read:portfolio`. Costs 1 of the
     * rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** an order's id, such as `ord-4` */
          orderId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** One order of the account */
              data: Schemas["Order"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Changes the price, the amount (the new total) or the expiry of an open order. Needs a key
     * with the permission `create:orders`. Costs 1 of the rate.
     */
    patch: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** an order's id, such as `ord-4` */
          orderId: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
            price?: number | string;
            /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
            amount?: number | string;
            /** Unix seconds, or 0 for no expiry */
            expiry?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Changes the price, the amount (the new total) or the expiry of an open order */
              data: Schemas["Order"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Cancels an open order. Needs a key with the permission `cancel:orders`. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** an order's id, such as `ord-4` */
          orderId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels an open order */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/orders/cancel-all": {
    /**
     * Cancels every open order, or those that have all that is named. Needs a key with the
     * permission `cancel:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** a market's id */
            marketId?: string;
            /** ids of orders, 1 to 200; with a list, those alone that a list names */
            orderIds?: string[];
            /**
             * the account's own references, 1 to 200; with a list, those alone that a list names
             */
            clientOrderIds?: string[];
            /** the id of a place: of markets there, or in a place that lies in it */
            place?: string;
            /** the index that settles it */
            index?: "zhvi" | "zori" | "vacancy" | "weather";
            /** BUY or SELL */
            side?: "BUY" | "SELL";
            /**
             * a group of the account's orders: 1 to 32 letters, digits, dots, dashes and
             * underscores
             */
            group?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels every open order, or those that have all that is named */
              data: {
                /** how many were cancelled */
                cancelledCount: number;
                /** names of the lists that cancelled nothing; there where a list was sent */
                missed?: string[];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/cancel-after": {
    /**
     * Cancels all open orders after so many seconds, unless it is sent again in time. Needs a key
     * with the permission `cancel:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** 0 to disarm, or whole seconds from 5 to 86400 */
            seconds: number;
            /** a market's id */
            marketId?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels all open orders after so many seconds, unless it is sent again in time */
              data: {
                /** when the orders will be cancelled, Unix seconds; null: they will not be */
                cancelAt: number | null;
                /** a market's id, frontend id or series id */
                marketId: string | null;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/protection": {
    /**
     * The account's protection: its limits, what the window has seen, whether it tripped. Needs a
     * key with the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * The account's protection: its limits, what the window has seen, whether it tripped
               */
              data: Schemas["Protection"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Sets the protection: above these fills within so long, resting orders are cancelled. Needs a
     * key with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** 0 for off, or a whole number of seconds up to 86400 */
            withinSeconds: number;
            /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
            maxContracts?: number | string;
            /** a whole number, at least 1 */
            maxFills?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Sets the protection: above these fills within so long, resting orders are cancelled
               */
              data: Schemas["Protection"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/protection/reset": {
    /**
     * Lets an account trade again whose protection has tripped. Needs a key with the permission
     * `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Lets an account trade again whose protection has tripped */
              data: Schemas["Protection"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/groups": {
    /**
     * The account's groups of orders in use, by name. Needs a key with the permission
     * `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's groups of orders in use, by name */
              data: Schemas["OrderGroup"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/groups/{group}": {
    /**
     * Sets a group's own protection: above these fills within so long its orders go. Needs a key
     * with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /**
           * a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores
           */
          group: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** 0 for off, or a whole number of milliseconds up to 86400000 */
            withinMillis: number;
            /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
            maxContracts?: number | string;
            /** a whole number, at least 1 */
            maxFills?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Sets a group's own protection: above these fills within so long its orders go */
              data: Schemas["OrderGroup"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/groups/{group}/reset": {
    /**
     * Lets a group take orders again whose protection has tripped. Needs a key with the permission
     * `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /**
           * a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores
           */
          group: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Lets a group take orders again whose protection has tripped */
              data: Schemas["OrderGroup"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/orders/by-client-id/{clientOrderId}": {
    /**
     * The newest order that the account gave this reference. Needs a key with the permission
     * `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its sender's own reference */
          clientOrderId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The newest order that the account gave this reference */
              data: Schemas["Order"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Changes the price, the amount or the expiry of an open order, by its reference. Needs a key
     * with the permission `create:orders`. Costs 1 of the rate.
     */
    patch: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** its sender's own reference */
          clientOrderId: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** a plain decimal between 0.0001 and 0.9999 in steps of 0.0001 */
            price?: number | string;
            /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
            amount?: number | string;
            /** Unix seconds, or 0 for no expiry */
            expiry?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Changes the price, the amount or the expiry of an open order, by its reference */
              data: Schemas["Order"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Cancels an open order by its reference. Needs a key with the permission `cancel:orders`.
     * Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** its sender's own reference */
          clientOrderId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels an open order by its reference */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/fills": {
    /**
     * Lists the account's fills, newest first. Needs a key with the permission `read:portfolio`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** a market's id */
          marketId?: string;
          /** an order's id, such as `ord-4` */
          orderId?: string;
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Lists the account's fills, newest first */
              data: Schemas["Fill"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/stream": {
    /**
     * Own orders, fills, cash, positions, margin and alerts as they become durable. Needs a key
     * with the permission `read:portfolio`. Costs 2 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** types of events, separated by commas: order, fill, cash, position, account, alert */
          types?: string;
          /** a sequence, from 0, as the header Last-Event-ID, which goes before it */
          lastEventId?: number;
        };
        header?: {
          /** Resumes after this id; 0 = from the first entry; absent = from now on */
          "Last-Event-ID"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "text/event-stream": 
              | Schemas["OwnStreamEntry"]
              | Schemas["StreamHeartbeat"]
              | Schemas["StreamCut"];
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/positions": {
    /**
     * Lists the account's positions by market, the newest market first. Needs a key with the
     * permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** a market's id */
          marketId?: string;
          /** true leaves out the flat ones, false the others */
          held?: boolean;
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Lists the account's positions by market, the newest market first */
              data: Schemas["Position"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/ledger": {
    /**
     * Every movement of the account's cash, newest first, with the balance it left. Needs a key
     * with the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /**
           * one of deposit, withdrawal, premium, fee, fee-share, settlement, claims-left, void,
           * void-shortfall, takeover, liquidation, default-debt, contribution,
           * contribution-returned, fund-loss, assessment, advance, advance-unused, installment,
           * interest, bond, bond-returned, bond-forfeited, bust, write-off, recovery
           */
          reason?:
            | "deposit"
            | "withdrawal"
            | "premium"
            | "fee"
            | "fee-share"
            | "settlement"
            | "claims-left"
            | "void"
            | "void-shortfall"
            | "takeover"
            | "liquidation"
            | "default-debt"
            | "contribution"
            | "contribution-returned"
            | "fund-loss"
            | "assessment"
            | "advance"
            | "advance-unused"
            | "installment"
            | "interest"
            | "bond"
            | "bond-returned"
            | "bond-forfeited"
            | "bust"
            | "write-off"
            | "recovery";
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Every movement of the account's cash, newest first, with the balance it left */
              data: Schemas["Posting"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/settlements": {
    /**
     * Lists what markets paid the account at their end, newest first. Needs a key with the
     * permission `read:portfolio`. Costs 5 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** a market's id */
          marketId?: string;
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 50 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Lists what markets paid the account at their end, newest first */
              data: Schemas["Settlement"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/account": {
    /**
     * The account's cash, what is locked, and its equity at the marks. Needs a key with the
     * permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's cash, what is locked, and its equity at the marks */
              data: Schemas["OwnAccount"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/statement": {
    /**
     * A month of the account: balances, postings, fills, positions, and their digest. Needs a key
     * with the permission `read:portfolio`. Costs 10 of the rate.
     */
    get: {
      parameters: {
        query: {
          /** YYYY-MM, in UTC */
          month: string;
          /** json or csv; when left out, what the Accept header asks for */
          format?: "json" | "csv";
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** A month of the account: balances, postings, fills, positions, and their digest */
              data: Schemas["Statement"];
            };
            "text/csv": FileBody;
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/tiers": {
    /**
     * Liquidity tiers: size, volume, margin and fee. Needs a key with the permission
     * `read:markets`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Liquidity tiers: size, volume, margin and fee */
              data: Schemas["LiquidityTier"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/tiers/{tier}": {
    /** One liquidity tier. Needs a key with the permission `read:markets`. Costs 1 of the rate. */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** a tier's name */
          tier: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** One liquidity tier */
              data: Schemas["LiquidityTier"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/requirements/{metricType}": {
    /**
     * When a market of an index kind counts as liquid. Needs a key with the permission
     * `read:markets`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** an index kind, or the metricType of a market */
          metricType: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** When a market of an index kind counts as liquid */
              data: Schemas["LiquidityRequirements"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/validate-position": {
    /**
     * Whether a position of this size, USD of coverage, could be added now. Needs a key with the
     * permission `read:markets`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a decimal from 0.01 to 10000000000 with at most 2 decimals */
            positionSize: number;
            /** a market's id, frontend id or series id */
            marketId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Whether a position of this size, USD of coverage, could be added now */
              data: Schemas["PositionValidation"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/margin-health": {
    /**
     * How well the account's shorts are covered. Needs a key with the permission `read:portfolio`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** How well the account's shorts are covered */
              data: Schemas["MarginHealth"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/fee-estimate": {
    /**
     * Shows what a tier's fee on an amount is. Needs a key with the permission `read:markets`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        query: {
          /** a plain decimal from 0 to 1000000000000 with at most 6 decimals */
          amount: string;
          /** basic, standard or institutional */
          tier: "basic" | "standard" | "institutional";
          /** a price an order may have: 0.0001 to 0.9999, with at most 4 decimals */
          price?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Shows what a tier's fee on an amount is */
              data: Schemas["FeeEstimate"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/liquidity/alerts": {
    /**
     * The account's newest alerts, newest first. Needs a key with the permission `read:portfolio`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's newest alerts, newest first */
              data: Schemas["Alert"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/acceptances": {
    /**
     * Acceptances that filled, oldest first, with what is owed on each. Needs a key with the
     * permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Acceptances that filled, oldest first, with what is owed on each */
              data: Schemas["Acceptance"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Accepts a quote: buys the protection now, its premium paid as chosen. Needs a key with the
     * permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": Schemas["AcceptanceInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Accepts a quote: buys the protection now, its premium paid as chosen */
              data: Schemas["Acceptance"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/acceptances/preview": {
    /**
     * Shows what accepting a quote would buy and cost now; nothing is done. Needs a key with the
     * permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": Schemas["AcceptanceInput"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Shows what accepting a quote would buy and cost now; nothing is done */
              data: Schemas["AcceptancePreview"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/acceptances/{acceptanceId}": {
    /**
     * An acceptance and its schedule. Needs a key with the permission `read:portfolio`. Costs 1 of
     * the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** an acceptance's id, such as `acp-1` */
          acceptanceId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** An acceptance and its schedule */
              data: Schemas["Acceptance"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/acceptances/{acceptanceId}/payments": {
    /**
     * Pays all that is open up to a payment of the schedule, early without its interest. Needs a
     * key with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** an acceptance's id, such as `acp-1` */
          acceptanceId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a payment's number */
            through: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Pays all that is open up to a payment of the schedule, early without its interest
               */
              data: Schemas["Acceptance"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/auctions": {
    /**
     * Short positions of accounts in default, offered for sealed bids. Needs a key with the
     * permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Short positions of accounts in default, offered for sealed bids */
              data: Schemas["Auction"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/auctions/{auctionId}/bids": {
    /**
     * Bids for all positions of an auction, in place of the bid before; the least bid wins. Needs a
     * key with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the auction's id */
          auctionId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** USD, a decimal string, 0 or more */
            amount: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Bids for all positions of an auction, in place of the bid before; the least bid
               * wins
               */
              data: Schemas["Bid"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Takes the caller's bid back, up to the close. Needs a key with the permission
     * `cancel:orders`. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the auction's id */
          auctionId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Takes the caller's bid back, up to the close */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/marks": {
    /**
     * Markets that are settled in cash: sellers without a stake mark them, sealed. Needs a key with
     * the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Markets that are settled in cash: sellers without a stake mark them, sealed */
              data: Schemas["MarkRound"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/marks/{marketId}": {
    /**
     * Says what YES of a market that is settled in cash is worth, in place of the mark before.
     * Needs a key with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** a market's id, frontend id or series id */
          marketId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** 0 to 1, at most four decimals */
            price: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Says what YES of a market that is settled in cash is worth, in place of the mark
               * before
               */
              data: Schemas["SealedMark"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/mandates": {
    /**
     * The account's mandates, the oldest first. Needs a key with the permission `read:portfolio`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's mandates, the oldest first */
              data: Schemas["Mandate"][];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Sets a mandate: orders in its scope are met at the mark and its spread from now on. Needs a
     * key with the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** zhvi or zori */
            index: "zhvi" | "zori";
            /** 1 to 60 ids of places; each stands for all that lies in it, too */
            places: string[];
            /** SELL or BUY, of the protection */
            side: "SELL" | "BUY";
            /** steps of 0.0001 USD a contract beyond the mark */
            spreadBps: number;
            /**
             * it trades at most in one market while that is not final; USD of coverage, a decimal
             * string
             */
            maxPerMarketUsd: string;
            /** in all such markets of a state; USD of coverage, a decimal string */
            maxPerStateUsd: string;
            /** in all such markets; USD of coverage, a decimal string */
            maxTotalUsd: string;
            /** levels of the contracts' own places; null = every level */
            levels?: (
              | "state"
              | "county"
              | "city"
              | "neighborhood"
              | "zip")[] | null;
            /** layers and strikes; null = all there are */
            payoffs?: Schemas["MandatePayoff"][] | null;
            /** prints still to come until the one that settles, at least */
            minMonths?: number;
            /** and at most */
            maxMonths?: number;
            /** beside spreadBps, for each year of prints still to come */
            spreadBpsPerYear?: number;
            /** Unix seconds; 0 = until it is cancelled */
            expiry?: number;
            /** full: only while the account's cash pays everything it could ever owe */
            collateral?: "margin" | "full";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Sets a mandate: orders in its scope are met at the mark and its spread from now on
               */
              data: Schemas["Mandate"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Cancels all mandates of the account. Needs a key with the permission `cancel:orders`. Costs 1
     * of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels all mandates of the account */
              data: {
                /** how many were cancelled */
                cancelledCount: number;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/mandates/{mandateId}": {
    /**
     * One of the account's mandates. Needs a key with the permission `read:portfolio`. Costs 1 of
     * the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** the mandate's id */
          mandateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** One of the account's mandates */
              data: Schemas["Mandate"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Changes terms of a mandate, which goes behind the others at its price. Needs a key with the
     * permission `create:orders`. Costs 1 of the rate.
     */
    patch: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the mandate's id */
          mandateId: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** zhvi or zori */
            index?: "zhvi" | "zori";
            /** 1 to 60 ids of places; each stands for all that lies in it, too */
            places?: string[];
            /** SELL or BUY, of the protection */
            side?: "SELL" | "BUY";
            /** steps of 0.0001 USD a contract beyond the mark */
            spreadBps?: number;
            /**
             * it trades at most in one market while that is not final; USD of coverage, a decimal
             * string
             */
            maxPerMarketUsd?: string;
            /** in all such markets of a state; USD of coverage, a decimal string */
            maxPerStateUsd?: string;
            /** in all such markets; USD of coverage, a decimal string */
            maxTotalUsd?: string;
            /** levels of the contracts' own places; null = every level */
            levels?: (
              | "state"
              | "county"
              | "city"
              | "neighborhood"
              | "zip")[] | null;
            /** layers and strikes; null = all there are */
            payoffs?: Schemas["MandatePayoff"][] | null;
            /** prints still to come until the one that settles, at least */
            minMonths?: number;
            /** and at most */
            maxMonths?: number;
            /** beside spreadBps, for each year of prints still to come */
            spreadBpsPerYear?: number;
            /** Unix seconds; 0 = until it is cancelled */
            expiry?: number;
            /** full: only while the account's cash pays everything it could ever owe */
            collateral?: "margin" | "full";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Changes terms of a mandate, which goes behind the others at its price */
              data: Schemas["Mandate"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Cancels a mandate; its positions stay. Needs a key with the permission `cancel:orders`. Costs
     * 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the mandate's id */
          mandateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels a mandate; its positions stay */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/mandates/{mandateId}/usage": {
    /**
     * The part of its limits that a mandate has traded: in all, by state and by market. Needs a key
     * with the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** the mandate's id */
          mandateId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * The part of its limits that a mandate has traded: in all, by state and by market
               */
              data: Schemas["MandateUsage"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/mandates/{mandateId}/lower": {
    /**
     * Lowers limits of a mandate; taken however busy the exchange is, and it keeps its place. Needs
     * a key with the permission `cancel:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the mandate's id */
          mandateId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /**
             * it trades at most in one market while that is not final; USD of coverage, a decimal
             * string
             */
            maxPerMarketUsd: string;
            /** in all such markets of a state; USD of coverage, a decimal string */
            maxPerStateUsd: string;
            /** in all such markets; USD of coverage, a decimal string */
            maxTotalUsd: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Lowers limits of a mandate; taken however busy the exchange is, and it keeps its
               * place
               */
              data: Schemas["Mandate"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/rfqs": {
    /**
     * Requests for quotes that the account made or may quote, the newest first. Needs a key with
     * the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the last id of the 100 before */
          before?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Requests for quotes that the account made or may quote, the newest first */
              data: Schemas["RfqSummary"][];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Asks for firm quotes of 1 to 200 legs, which trade together or not at all. Needs a key with
     * the permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** 1 to 200 legs */
            legs: ({
              /** a market's or series id, alone */
              marketId?: string;
              /** the index that settles it */
              index?: "zhvi" | "zori" | "vacancy" | "weather";
              /** the id of a place */
              place?: string;
              /** YYYY-MM */
              measurementMonth?: string;
              /** of the decline, where the layer begins to pay */
              attachBps?: number;
              /** of the decline, where it pays all */
              exhaustBps?: number;
              /** of the decline, in place of a layer */
              strikeBps?: number;
              /** contracts, a decimal of at most 2 decimals */
              amount: string;
            })[];
            /** what the requester does with the protection */
            side: "BUY" | "SELL";
            /** addresses of the accounts that may see it and quote; null = every trader */
            audience?: string[] | null;
            /** Unix seconds: 30 seconds to 72 hours from now */
            closesAt: number;
            /**
             * whether the other side of a block trade learns the account's address, if it, too,
             * shows its own; false when absent
             */
            showName?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Asks for firm quotes of 1 to 200 legs, which trade together or not at all */
              data: Schemas["Rfq"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/rfqs/{rfqId}": {
    /**
     * A request for quotes with its legs, and the quotes that the caller may see. Needs a key with
     * the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** the request's id */
          rfqId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** A request for quotes with its legs, and the quotes that the caller may see */
              data: Schemas["Rfq"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Cancels a request of the account; its quotes are over. Needs a key with the permission
     * `cancel:orders`. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the request's id */
          rfqId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Cancels a request of the account; its quotes are over */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/rfqs/{rfqId}/quotes": {
    /**
     * Quotes a request, firmly: no command takes the quote back. Needs a key with the permission
     * `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the request's id */
          rfqId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** USD a contract of the protection: one for each leg in order, or one for all */
            prices: string[];
            /** Unix seconds: 30 seconds to 72 hours after the request closes */
            validUntil: number;
            /**
             * whether the other side of a block trade learns the account's address, if it, too,
             * shows its own; false when absent
             */
            showName?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Quotes a request, firmly: no command takes the quote back */
              data: Schemas["RfqQuote"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/rfqs/quotes/{quoteId}": {
    /**
     * Makes a quote better for its requester, in one leg at least and worse in none. Needs a key
     * with the permission `create:orders`. Costs 1 of the rate.
     */
    patch: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the quote's id */
          quoteId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** USD a contract of the protection: one for each leg in order, or one for all */
            prices: string[];
            /** Unix seconds, no earlier than it was; absent = as it was */
            validUntil?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Makes a quote better for its requester, in one leg at least and worse in none */
              data: Schemas["RfqQuote"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/rfqs/{rfqId}/accept": {
    /**
     * Takes a quote: all legs are filled at its prices at once, or none is. Needs a key with the
     * permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the request's id */
          rfqId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** of the quote to take */
            quoteId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Takes a quote: all legs are filled at its prices at once, or none is */
              data: Schemas["BlockTrade"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/webhooks": {
    /**
     * The account's webhooks, the oldest first, and how far each has been delivered. Needs a key
     * with the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The account's webhooks, the oldest first, and how far each has been delivered */
              data: Schemas["Webhook"][];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Has the account's own events sent to an address from now on; shows the secret, once. Needs a
     * key with the permission `manage:custody`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** https, at most 1,000 characters, a public address behind it */
            url: string;
            /** trail: every entry of the audit trail; for auditors and operators */
            scope?: "own" | "trail";
            /** only these types of events; all when left out */
            types?: (
              | "order"
              | "fill"
              | "cash"
              | "position"
              | "account"
              | "alert")[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /**
               * Has the account's own events sent to an address from now on; shows the secret, once
               */
              data: Schemas["Webhook"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/webhooks/{webhookId}": {
    /**
     * One of the account's webhooks, and how far it has been delivered. Needs a key with the
     * permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        path: {
          /** the webhook's id */
          webhookId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** One of the account's webhooks, and how far it has been delivered */
              data: Schemas["Webhook"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Removes a webhook, its secrets and its log, for good. Needs a key with the permission
     * `manage:custody`. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the webhook's id */
          webhookId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Removes a webhook, its secrets and its log, for good */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/webhooks/{webhookId}/rotate-secret": {
    /**
     * Draws a new secret, shown once; the one before signs beside it for 24 hours. Needs a key with
     * the permission `manage:custody`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the webhook's id */
          webhookId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Draws a new secret, shown once; the one before signs beside it for 24 hours */
              data: Schemas["Webhook"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/webhooks/{webhookId}/replay": {
    /**
     * Delivers again from an entry on, in order; a suspended webhook goes on. Needs a key with the
     * permission `manage:custody`. Costs 20 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** the webhook's id */
          webhookId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** the first entry that is delivered, at most the next one there will be */
            fromSequence: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Delivers again from an entry on, in order; a suspended webhook goes on */
              data: Schemas["Webhook"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/webhooks/{webhookId}/deliveries": {
    /**
     * The newest attempts to deliver a webhook, the last first; 1,000 are kept. Needs a key with
     * the permission `read:portfolio`. Costs 2 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the last number of the page before */
          before?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        path: {
          /** the webhook's id */
          webhookId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The newest attempts to deliver a webhook, the last first; 1,000 are kept */
              data: Schemas["WebhookDelivery"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/audit/logs": {
    /**
     * A page of the audit trail, newest first. Needs a key with the permission `read:portfolio`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** text of 1 to 64 printable ASCII characters */
          userId?: string;
          /** text of 1 to 64 printable ASCII characters */
          account?: string;
          /** text of 1 to 64 printable ASCII characters */
          action?: string;
          /** text of 1 to 200 printable ASCII characters: such as an order's or a market's id */
          resource?: string;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          startTime?: number;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          endTime?: number;
          /** info, warning or critical */
          severity?: "info" | "warning" | "critical";
          /** a whole number from 1 to 1000 */
          limit?: number;
          /** a whole number of entries to pass over, at most 1000000000000 */
          offset?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** A page of the audit trail, newest first */
              data: Schemas["AuditEntry"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/audit/search": {
    /**
     * Searches a stretch of the audit trail, newest first. Needs a key with the permission
     * `read:portfolio`. Costs 5 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** text of 1 to 64 printable ASCII characters */
          userId?: string;
          /** text of 1 to 64 printable ASCII characters */
          account?: string;
          /** text of 1 to 64 printable ASCII characters */
          action?: string;
          /** text of 1 to 200 printable ASCII characters: such as an order's or a market's id */
          resource?: string;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          startTime?: number;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          endTime?: number;
          /** info, warning or critical */
          severity?: "info" | "warning" | "critical";
          /** nextCursor of the page before */
          cursor?: string;
          /** a whole number from 1 to 200 */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Searches a stretch of the audit trail, newest first */
              data: Schemas["AuditEntry"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
              /**
               * the oldest entry looked at, by its sequence; null where the caller can see nothing
               */
              searchedTo: number | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/audit/stats": {
    /**
     * Entries of the audit trail, counted by action and severity. Needs a key with the permission
     * `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          startTime?: number;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          endTime?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Entries of the audit trail, counted by action and severity */
              data: {
                /** how many entries there are */
                totalEvents: number;
                /** how many of each action */
                byAction: {
                  [name: string]: number;
                };
                /** how many of each severity */
                bySeverity: {
                  [name: string]: number;
                };
                /** times of the first and the last of them */
                timeRange: {
                  /** Unix seconds of the first */
                  start: number;
                  /** Unix seconds of the last */
                  end: number;
                };
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/audit/verify": {
    /**
     * Recomputes the whole audit chain and the digests of all first prints, now. Needs a key with
     * the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Recomputes the whole audit chain and the digests of all first prints, now */
              data: {
                /** whether it holds */
                valid: boolean;
                /** how many entries were walked */
                totalEntries: number;
                /** when, Unix seconds */
                checkedAt: number;
                /** the first sequence that is not as it was sealed */
                brokenAt?: number;
                /** what does not hold */
                reason?: string;
                /** hash of the last entry that holds */
                head: string;
                /** how many entries hold */
                size: number;
                /** SHA-256 over the state that the entries lead to */
                stateHash: string;
                /** releases whose stored first prints are not those the chain accepted */
                damagedReleases: string[];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/audit/export": {
    /**
     * The audit trail as a stream, oldest first, with the bytes that are hashed. Needs a key with
     * the permission `read:portfolio`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          startTime?: number;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          endTime?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** The audit trail as a stream, oldest first, with the bytes that are hashed */
              data: Schemas["ExportedAuditEntry"][];
            };
            "application/x-ndjson": FileBody;
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/index/{nodeId}": {
    /**
     * The newest first print of an index at a place, and its last 24 months. Needs no credential.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** a day written YYYY-MM-DD */
          asOf?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The newest first print of an index at a place, and its last 24 months */
              data: Schemas["IndexValue"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/index": {
    /** The newest first prints of up to 50 places. Needs no credential. Costs 5 of the rate. */
    get: {
      parameters: {
        query: {
          /** place ids with commas between, up to 50 */
          ids: string;
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** a day written YYYY-MM-DD */
          asOf?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The newest first prints of up to 50 places */
              data: Schemas["IndexValue"][];
              /** ids that name no place */
              unknownIds: string[];
              /** ids of places that have no print of this index */
              noDataIds: string[];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/index/{nodeId}/prints": {
    /**
     * The first prints of an index at a place, newest first. Needs no credential. Costs 1 of the
     * rate.
     */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The first prints of an index at a place, newest first */
              data: Schemas["FirstPrint"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/index/{nodeId}/vintages": {
    /**
     * The releases that carried a month of a place, each with its value, the first print first.
     * Needs no credential. Costs 10 of the rate.
     */
    get: {
      parameters: {
        query: {
          /** a month, YYYY-MM */
          month: string;
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * The releases that carried a month of a place, each with its value, the first print
               * first
               */
              data: Schemas["Vintage"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/index/{nodeId}/burn": {
    /**
     * The payouts of a layer, had it begun in each month of a place's history. Needs no credential.
     * Costs 2 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** from the baseline to the measurement month, 1 to 60 */
          months?: number;
          /** where it begins to pay, basis points */
          attachBps?: number;
          /** where it pays in full, basis points */
          exhaustBps?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The payouts of a layer, had it begun in each month of a place's history */
              data: Schemas["Burn"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/overview": {
    /**
     * Every place of a level: newest value, change over a year, and what a layer costs. Needs no
     * credential. Costs 5 of the rate.
     */
    get: {
      parameters: {
        query: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** state or county; one finer than a county needs `state` */
          level:
            | "state"
            | "county"
            | "city"
            | "neighborhood"
            | "zip";
          /** two-letter code of a state */
          state?: string;
          /** over how many months the rest is paid */
          months?: number;
          /** where the layer attaches and exhausts, in basis points: `200-1000` */
          layer?: "200-1000" | "500-1500" | "800-2000";
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Every place of a level: newest value, change over a year, and what a layer costs
               */
              data: Schemas["OverviewPlace"][];
              /** zhvi home values, zori rents, vacancy or weather */
              index: "zhvi" | "zori" | "vacancy" | "weather";
              /** state, county, city, neighborhood or zip; of releases nation and metro too */
              level:
                | "state"
                | "county"
                | "city"
                | "neighborhood"
                | "zip";
              /** over how many months the rest is paid */
              months: number;
              /** where the layer attaches and exhausts, in basis points: `200-1000` */
              layer: "200-1000" | "500-1500" | "800-2000";
              /** the newest release accepted of the index at the level */
              newestRelease: {
                /** its id */
                id: string;
                /** when the provider published it: ISO 8601; in a certificate Unix seconds */
                publishedAt: string;
                /** when this exchange took it in: ISO 8601; in a certificate Unix seconds */
                ingestedAt: string;
              } | null;
              /** when the print after the newest is expected; past once it is late */
              nextExpectedAt: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/calendar": {
    /**
     * Publications, closings, prints and payouts to come, the earliest first. Needs no credential.
     * Costs 5 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** binary where left out */
          kind?:
            | "publication"
            | "trading_closes"
            | "print"
            | "fallback"
            | "payout"
            | "release_window";
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Publications, closings, prints and payouts to come, the earliest first */
              data: Schemas["CalendarItem"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets": {
    /** Markets, in the order they were listed. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        query?: {
          /** only markets on this zip */
          zip?: string;
          /** state, county, city, neighborhood or zip; of releases nation and metro too */
          level?:
            | "state"
            | "county"
            | "city"
            | "neighborhood"
            | "zip";
          /** two-letter code of a state */
          state?: string;
          /** only markets in this state */
          status?:
            | "ACTIVE"
            | "PAUSED"
            | "RESOLVED"
            | "CANCELLED"
            | "FINALIZED";
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** the measurement month, written YYYY-MM */
          expiry?: string;
          /** attachBps-exhaustBps of a layered market, such as 200-1000 */
          layer?: string;
          /** stands in an id of the market, or in the id or the name of its place */
          text?: string;
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Markets, in the order they were listed */
              data: Schemas["Market"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets/{id}": {
    /** One market, by its id or its frontend id. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** One market, by its id or its frontend id */
              data: Schemas["Market"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets/{id}/resolution": {
    /** How far a market has been resolved. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** How far a market has been resolved */
              data: Schemas["ResolutionStatus"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets/{id}/book": {
    /**
     * A market's resting orders by price level, YES and NO in one book. Needs no credential. Costs
     * 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** levels a side, 1 to 100 */
          depth?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A market's resting orders by price level, YES and NO in one book */
              data: Schemas["Book"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/books": {
    /**
     * The books of up to 50 markets, all after one journal entry. Needs no credential. Costs 5 of
     * the rate.
     */
    get: {
      parameters: {
        query: {
          /** ids of markets, with commas between, 50 at most */
          ids: string;
          /** levels a side, 1 to 20 */
          depth?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The books of up to 50 markets, all after one journal entry */
              data: Schemas["Book"][];
              /** ids that name no place */
              unknownIds: string[];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets/{id}/trades": {
    /** A market's trades, newest first. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        query?: {
          /** how many items a page has at most */
          limit?: number;
          /** the nextCursor of the page before */
          cursor?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A market's trades, newest first */
              data: Schemas["Trade"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets/{id}/history": {
    /**
     * A market's trades by day or month, with its marks, newest first. Needs no credential. Costs 2
     * of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the length of a period */
          interval?: "day" | "month";
          /** how many items a page has at most */
          limit?: number;
          /** the nextCursor of the page before */
          cursor?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A market's trades by day or month, with its marks, newest first */
              data: Schemas["Candle"][];
              /** sent as `cursor` it gives the page after this one; null: the list has ended */
              nextCursor: string | null;
              /** the journal entry that the page is counted through */
              sequence: number;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/history/prints": {
    /**
     * The first prints of many places, by place and month, each with its release. Needs no
     * credential. Costs 10 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** places of this level alone */
          level?:
            | "state"
            | "county"
            | "city"
            | "neighborhood"
            | "zip";
          /** this place and those that lie in it */
          place?: string;
          /** the first month, YYYY-MM */
          from?: string;
          /** the last month, YYYY-MM */
          to?: string;
          /** json, csv or ndjson; when left out, what the Accept header asks for */
          format?: "json" | "csv" | "ndjson";
          /** a day written YYYY-MM-DD */
          asOf?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The first prints of many places, by place and month, each with its release */
              data: Schemas["BulkPrint"][];
            };
            "text/csv": FileBody;
            "application/x-ndjson": FileBody;
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/history/marks": {
    /**
     * The days of many markets, by market and day, with marks and what was traded. Needs no
     * credential. Costs 10 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** places of this level alone */
          level?:
            | "state"
            | "county"
            | "city"
            | "neighborhood"
            | "zip";
          /** this place and those that lie in it */
          place?: string;
          /** the first month, YYYY-MM */
          from?: string;
          /** the last month, YYYY-MM */
          to?: string;
          /** json, csv or ndjson; when left out, what the Accept header asks for */
          format?: "json" | "csv" | "ndjson";
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The days of many markets, by market and day, with marks and what was traded */
              data: Schemas["MarketDay"][];
            };
            "text/csv": FileBody;
            "application/x-ndjson": FileBody;
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/stream": {
    /**
     * Trades, book levels, markets, marks, releases and halts as they become durable. Needs no
     * credential. Costs 2 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** ids of markets, separated by commas, 200 at most */
          markets?: string;
          /**
           * types of events, separated by commas: trade, bust, level, indicative, window, market,
           * mark, delisted, release, prints, halt, rfq
           */
          types?: string;
          /** ids of places: of markets there or in places that lie in them */
          places?: string;
          /** of markets of these indices: zhvi, zori, vacancy, weather */
          indexes?: string;
          /** of markets measured in these months, YYYY-MM */
          expiries?: string;
          /** true: nothing is told before POST /api/stream/:id/subscriptions says of what */
          hold?: "true" | "false";
          /** a sequence, from 0, as the header Last-Event-ID, which goes before it */
          lastEventId?: number;
        };
        header?: {
          /** Resumes after this id; 0 = from the first entry; absent = from now on */
          "Last-Event-ID"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "text/event-stream": 
              | Schemas["StreamEntry"]
              | Schemas["StreamHeartbeat"]
              | Schemas["StreamCut"];
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/stream/{id}/subscriptions": {
    /**
     * Sets anew of which markets and types a running stream tells, without a reconnect. Needs no
     * credential. Costs 2 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": Schemas["StreamSubscriptions"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Sets anew of which markets and types a running stream tells, without a reconnect
               */
              data: Schemas["StreamSubscribed"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/markets/{id}/disputes": {
    /**
     * Disputes a resolution, under a bond that an amendment gives back. Needs a key with the
     * permission `create:orders`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
            /** text of at most 2000 characters */
            evidence?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Disputes a resolution, under a bond that an amendment gives back */
              data: Schemas["ResolutionStatus"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/trading/certificates/{marketId}": {
    /**
     * Shows how a market settled, with everything needed to check it. Needs a key with the
     * permission `read:oracle`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** a market's id, frontend id or series id */
          marketId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Shows how a market settled, with everything needed to check it */
              data: Schemas["Certificate"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/geo/search": {
    /** Places by zip, name or alias, best match first. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        query: {
          /** 1 to 64 characters */
          q: string;
          /** how many items a page has at most */
          limit?: number;
          /** state, county, city, neighborhood or zip; of releases nation and metro too */
          level?:
            | "state"
            | "county"
            | "city"
            | "neighborhood"
            | "zip";
          /** one of NY, CA, CO, TX, FL, NC, AZ; leave it out to search every state */
          state?: "NY" | "CA" | "CO" | "TX" | "FL" | "NC" | "AZ";
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Places by zip, name or alias, best match first */
              data: Schemas["GeoPlace"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/geo": {
    /**
     * Up to 200 places by their ids, without what they lie in. Needs no credential. Costs 5 of the
     * rate.
     */
    get: {
      parameters: {
        query: {
          /** ids of places, with commas between, 200 at most */
          ids: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Up to 200 places by their ids, without what they lie in */
              data: Schemas["GeoPlace"][];
              /** ids that name no place */
              unknownIds: string[];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/geo/{id}": {
    /** A place, and what it lies in. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A place, and what it lies in */
              data: {
                /** its id */
                id: string;
                /** state, county, city, neighborhood or zip; of releases nation and metro too */
                level:
                  | "state"
                  | "county"
                  | "city"
                  | "neighborhood"
                  | "zip";
                /** its name */
                name: string;
                /** two-letter code of its state */
                stateCode: string;
                /** its FIPS code; null where it has none */
                fips: string | null;
                /** other names it is found by */
                aliases: string[];
                /** the places it lies in, coarsest first */
                parentIds: string[];
                /** homes in it; 0 where not known */
                housingUnits: number;
                /** whether it takes prints and markets */
                active: boolean;
                /** how many places lie in it */
                childCount: number;
                /** the places it lies in, coarsest first */
                ancestors: ({
                  /** its id */
                  id: string;
                  /** state, county, city, neighborhood or zip; of releases nation and metro too */
                  level:
                    | "state"
                    | "county"
                    | "city"
                    | "neighborhood"
                    | "zip";
                  /** its name */
                  name: string;
                })[];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/quotes": {
    /** A reference quote for downside protection. Needs no credential. Costs 2 of the rate. */
    get: {
      parameters: {
        query: {
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          node: string;
          /** a month written YYYY-MM */
          expiry: string;
          /** coverage in USD, 1 to 1000000000 */
          notional: number;
          /** binary where left out */
          kind?: "binary" | "layered";
          /** decline where the payout begins, basis points */
          attachBps?: number;
          /** decline where the payout is full, basis points */
          exhaustBps?: number;
          /** decline at which a binary contract pays in full, basis points */
          strikeBps?: number;
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** gte or lte */
          comparator?: "gte" | "lte";
          /** a decimal string */
          threshold?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A reference quote for downside protection */
              data: Schemas["Quote"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/model": {
    /**
     * How good the reference prices have been: the record, and old forecasts against prints. Needs
     * no credential. Costs 5 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * How good the reference prices have been: the record, and old forecasts against
               * prints
               */
              data: Schemas["ModelRecord"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/quotes/bulk": {
    /**
     * Reference quotes for up to 200 questions, each answered for itself, in their order. Needs no
     * credential. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** the questions, each as `GET /api/quotes` takes it */
            quotes: ({
              /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
              node: string;
              /** a month written YYYY-MM */
              expiry: string;
              /** coverage in USD, 1 to 1000000000 */
              notional: number;
              /** binary where left out */
              kind?: "binary" | "layered";
              /** decline where the payout begins, basis points */
              attachBps?: number;
              /** decline where the payout is full, basis points */
              exhaustBps?: number;
              /** decline at which a binary contract pays in full, basis points */
              strikeBps?: number;
              /** zhvi home values, zori rents, vacancy or weather */
              index?: "zhvi" | "zori" | "vacancy" | "weather";
              /** gte or lte */
              comparator?: "gte" | "lte";
              /** a decimal string */
              threshold?: string;
            })[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Reference quotes for up to 200 questions, each answered for itself, in their order
               */
              data: Schemas["BulkQuote"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/releases": {
    /** Releases of every provider, newest first. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        query?: {
          /** zhvi home values, zori rents, vacancy or weather */
          index?: "zhvi" | "zori" | "vacancy" | "weather";
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Releases of every provider, newest first */
              data: Schemas["Release"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/releases/{id}": {
    /** One release. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** One release */
              data: Schemas["Release"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/checkpoint": {
    /**
     * The newest signed note of the journal's length and head, and the key to check it. Needs no
     * credential. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * The newest signed note of the journal's length and head, and the key to check it
               */
              data: {
                /** a signed checkpoint: origin, size, head and signature */
                note: string;
                /** the public key that checks the note */
                verifierKey: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/log": {
    /**
     * The transparency log: its name, its key, its size, and its witnesses. Needs no credential.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The transparency log: its name, its key, its size, and its witnesses */
              data: {
                /** the log's name, in the first line of its heads */
                origin: string;
                /** the public key that checks the note */
                verifierKey: string;
                /** of the newest signed head */
                size: number;
                /** of the newest head a witness cosigned, or 0 */
                witnessedSize: number;
                /** those of FIRSTPRINT_WITNESSES */
                witnesses: ({
                  /** its name */
                  name: string;
                  /** the public key that checks the note */
                  verifierKey: string;
                  /** of the newest head it cosigned, or 0 */
                  cosignedSize: number;
                  /** why it did not cosign the last head it was sent; null where it did */
                  refusal: string | null;
                })[];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/log/inclusion/{sequence}": {
    /**
     * A proof that an entry's hash is in the log, with the signed head it leads to. Needs no
     * credential. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** of a signed head; the newest if left out */
          size?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** the journal entry's number; entries are counted from 1 */
          sequence: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A proof that an entry's hash is in the log, with the signed head it leads to */
              data: Schemas["InclusionProof"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/log/consistency": {
    /**
     * A proof that the tree of one size is the beginning of the tree of another. Needs no
     * credential. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query: {
          /** entries of the smaller tree */
          from: number;
          /** entries of the larger tree, at most the newest head's */
          to: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A proof that the tree of one size is the beginning of the tree of another */
              data: {
                /** entries of the smaller tree */
                from: number;
                /** entries of the larger tree */
                to: number;
                /** in base64 (RFC 6962, 2.1.2) */
                proof: string[];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/limits": {
    /**
     * Rates, costs, page sizes, order limits and what each KYC tier allows. Needs no credential.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Rates, costs, page sizes, order limits and what each KYC tier allows */
              data: {
                /** how many units a minute, by credential */
                rates: ({
                  /** what the caller shows */
                  credential:
                    | "none"
                    | "x-api-key"
                    | "Bearer key"
                    | "x-admin-secret"
                    | "wrong x-admin-secret";
                  /** what is counted together */
                  per: "address" | "loopback" | "key" | "secret";
                  /** general, or cancel for everything that needs `cancel:orders` */
                  bucket: "general" | "cancel";
                  /** units a minute where the key says nothing else */
                  perMinute: number;
                  /** units that may be spent at once at that rate */
                  burst: number;
                  /** the most a key's own rate may be; null: the rate is fixed */
                  maxPerMinute: number | null;
                })[];
                /** what each operation costs, and how long its pages are */
                routes: ({
                  /** the HTTP method */
                  method: string;
                  /** the path */
                  path: string;
                  /** units a request costs */
                  cost: number;
                  /** the rate it is taken from */
                  bucket: "general" | "cancel";
                  /** items a page where `limit` is left out; null: it has no pages */
                  defaultLimit: number | null;
                  /** most items a page; null: it has no pages */
                  maxLimit: number | null;
                })[];
                /** what holds for orders */
                orders: {
                  /** the step between two prices, USD */
                  tick: string;
                  /** the lowest price, USD */
                  minPrice: string;
                  /** the highest price, USD */
                  maxPrice: string;
                  /** the smallest amount, contracts */
                  minAmount: string;
                  /** the largest amount, contracts */
                  maxAmount: string;
                  /** most orders in a batch */
                  maxBatchOrders: number;
                  /** most open orders of an account */
                  maxOpenOrders: number;
                  /** series that an account's orders have listed and nobody has traded yet */
                  maxUntradedListings: number;
                  /**
                   * those of them that are no standard series, from the print of March, June,
                   * September or December
                   */
                  maxOtherListings: number;
                };
                /** what holds for keys */
                keys: {
                  /** most live keys of an account */
                  maxLiveKeys: number;
                };
                /** what holds for streams */
                streams: {
                  /** most streams of an address */
                  maxPerAddress: number;
                  /** most streams of a key */
                  maxPerKey: number;
                  /** most streams of everybody */
                  maxInAll: number;
                  /** ids of markets in an address */
                  maxMarkets: number;
                  /** ids of markets, and of places, set by a body */
                  maxSubscribed: number;
                  /** that may wait for a reader who has caught up */
                  maxWaitingBytes: number;
                  /** a stream sends something at least this often */
                  heartbeatSeconds: number;
                };
                /** on which terms premiums are lent */
                financing: {
                  /** installments: interest a year */
                  aprBps: number;
                  /** at funding: interest a year, by days of 365 */
                  carryAprBps: number;
                  /** installments: of the premium */
                  minDownPaymentBps: number;
                  /** the longest time to pay */
                  maxMonths: number;
                  /** before all of an overdue acceptance is due */
                  graceDays: number;
                  /** USD an owner may owe over all its accounts, by KYC tier */
                  maxOwed: {
                    [name: string]: number;
                  };
                };
                /** limits by KYC tier */
                kyc: ({
                  /** a tier's name */
                  tier: "basic" | "enhanced" | "institutional";
                  /** the liquidity tier it gives */
                  liquidityTier: string;
                  /** USD of coverage in one market */
                  maxPosition: number;
                  /** USD of coverage in a UTC day */
                  maxDaily: number;
                  /** USD of coverage over all markets */
                  maxTotal: number;
                  /** USD of coverage, the liquidity tier's */
                  maxPositionSize: number;
                  /** USD of coverage, the liquidity tier's */
                  maxDailyVolume: number;
                  /** most markets with a position */
                  maxOpenPositions: number;
                  /** fraction of max(min(price, 1 − price), 0.01) × amount */
                  tradingFee: number;
                  /** fraction of 1 − mark a seller posts */
                  marginRequirement: number;
                })[];
                /** when a market of an index kind counts as liquid */
                liquidity: ({
                  /** index and measure: such as `zhvi_decline` or `zhvi_level` */
                  metricType: "zhvi" | "zori" | "vacancy" | "weather";
                  /** least coverage resting in the book, USD */
                  minLiquidity: number;
                  /** least accounts with resting orders */
                  minProviders: number;
                  /** widest spread */
                  spreadMax: number;
                })[];
                /** when a fill may be busted: further off the mark, and within so long */
                bust: {
                  /** USD a contract off the mark */
                  band: number;
                  /** after the fill */
                  windowMinutes: number;
                };
                /** the size that the guarantee fund is to have */
                fund: {
                  /** USD, its layers together; 0 asks for no contributions */
                  target: number;
                };
                /** from which part of a market or a state on a seller needs more */
                concentration: {
                  /** fraction of the open coverage at the last marks */
                  share: number;
                  /** USD of coverage that nobody needs more for */
                  floor: number;
                  /** USD of maintenance for each USD of coverage beyond both; 0 = none */
                  rate: number;
                };
                /** the rules that reference prices follow, beside the model */
                price: {
                  /** a year's return on the margin that a seller binds; 0.04 where no rule says */
                  carry: number;
                };
                /** changes of the rules that wait for their day, the oldest first */
                announced: Schemas["AnnouncedRules"][];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/time": {
    /** Shows the exchange's time. Needs no credential. Costs 1 of the rate. */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Shows the exchange's time */
              data: {
                /** the exchange's time, Unix seconds */
                unixSeconds: number;
                /** the same, ISO 8601 */
                iso: string;
                /** real, or sandbox where the operator sets it */
                clock: "real" | "sandbox";
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/risk": {
    /**
     * The guarantee fund against the two weakest owners, open protection by state and scenario, and
     * the last replay of 2005–2011. Needs no credential. Costs 5 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * The guarantee fund against the two weakest owners, open protection by state and
               * scenario, and the last replay of 2005–2011
               */
              data: Schemas["Risk"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/risk/scenarios": {
    /**
     * The scenarios that margin is measured by, in the order of a market's risk array. Needs no
     * credential. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The scenarios that margin is measured by, in the order of a market's risk array */
              data: Schemas["Scenarios"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/dev/api-keys": {
    /**
     * Every key of the public surface, in the order they were issued. Needs the admin secret. Costs
     * 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Every key of the public surface, in the order they were issued */
              data: Schemas["PublicKey"][];
            };
          };
        };
        default: Refusal;
      };
    };
    /** Issues a key for the public surface. Needs the admin secret. Costs 1 of the rate. */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 100 characters */
            label: string;
            /** words for the operator's own order; they give nothing and take nothing */
            scopes?: string[];
            /** a whole number of requests a minute, at least 1 */
            rateLimit?: number;
            /** a whole number of days, 1 to 365 */
            expiresInDays?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Issues a key for the public surface */
              data: Schemas["IssuedPublicKey"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/dev/api-keys/{id}": {
    /**
     * Revokes a key of the public surface, for good. Needs the admin secret. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Revokes a key of the public surface, for good */
              data: {
                /** true: the request was done */
                success: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts": {
    /**
     * Accounts, in the order they were opened. Needs the admin secret, or an operator's key with
     * the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Accounts, in the order they were opened */
              data: Schemas["AccountDetail"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Opens an account with its first key; it takes two people to open an operator's. Needs the
     * admin secret, or an operator's key with the permission `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 100 characters */
            name: string;
            /** one of trader, auditor, operator */
            role: "trader" | "auditor" | "operator";
            /** the id of an account of the same owner */
            owner?: string;
            /** what the key of an operator's account may do as operator */
            permissions?: (
              | "admin:read"
              | "admin:accounts"
              | "admin:funding"
              | "admin:releases"
              | "admin:markets"
              | "admin:settle"
              | "admin:exchange")[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Opens an account with its first key; it takes two people to open an operator's */
              data: {
                /** the account */
                account?: Schemas["Account"];
                /** the key */
                key?: Schemas["TradingKey"];
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Opens an account with its first key; it takes two people to open an operator's */
              data: {
                /** the account */
                account?: Schemas["Account"];
                /** the key */
                key?: Schemas["TradingKey"];
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}": {
    /**
     * One account with its KYC record and its cash. Needs the admin secret, or an operator's key
     * with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** One account with its KYC record and its cash */
              data: Schemas["AccountDetail"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/kyc": {
    /**
     * Approves or rejects an account. Needs the admin secret, or an operator's key with the
     * permission `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** approve or reject */
            decision: "approve" | "reject";
            /** one of basic, enhanced, institutional */
            tier?: "basic" | "enhanced" | "institutional";
            /** two capital letters */
            countryCode?: string;
            /** whether the sanctions screening was passed */
            sanctionsCleared?: boolean;
            /** whether the screening for politically exposed persons was passed */
            pepScreened?: boolean;
            /** whether the screening of adverse media was passed */
            adverseMediaCleared?: boolean;
            /** text of 1 to 64 characters */
            listVersion?: string;
            /** what the investor's accreditation rests on; orders and funding need it in force */
            accreditation?: Schemas["AccreditationInput"];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Approves or rejects an account */
              data: Schemas["KycRecord"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/funding": {
    /**
     * Puts cash into an account, or takes it out; above a limit it takes two people. Needs the
     * admin secret, or an operator's key with the permission `admin:funding`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a decimal string */
            amount: string;
            /** text of at most 200 characters */
            memo?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Puts cash into an account, or takes it out; above a limit it takes two people */
              data: {
                /** cash, USD, decimal text */
                cash: string;
                /** cash that nothing holds back, USD */
                available: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Puts cash into an account, or takes it out; above a limit it takes two people */
              data: {
                /** cash, USD, decimal text */
                cash: string;
                /** cash that nothing holds back, USD */
                available: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/keys": {
    /**
     * Gives an account a new key; it takes two people to give one to an operator's. Needs the admin
     * secret, or an operator's key with the permission `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 100 characters */
            label: string;
            /** what the key of an operator's account may do as operator */
            permissions?: (
              | "admin:read"
              | "admin:accounts"
              | "admin:funding"
              | "admin:releases"
              | "admin:markets"
              | "admin:settle"
              | "admin:exchange")[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Gives an account a new key; it takes two people to give one to an operator's */
              data: {
                /** its id */
                id?: string;
                /** the name its maker gave it */
                label?: string;
                /** the first 12 characters of the key */
                prefix?: string;
                /** what the key may do */
                permissions?: (
                  | "read:markets"
                  | "read:portfolio"
                  | "create:orders"
                  | "cancel:orders"
                  | "read:oracle"
                  | "manage:custody"
                  | "admin:read"
                  | "admin:accounts"
                  | "admin:funding"
                  | "admin:releases"
                  | "admin:markets"
                  | "admin:settle"
                  | "admin:exchange")[];
                /** requests a minute */
                rateLimit?: number;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt?: number;
                /** when it was last used, Unix seconds, up to a minute late; null: never */
                lastUsed?: number | null;
                /** when it expires; null: it does not */
                expiresAt?: number | null;
                /** the key itself: shown at its creation and never again */
                secret?: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Gives an account a new key; it takes two people to give one to an operator's */
              data: {
                /** its id */
                id?: string;
                /** the name its maker gave it */
                label?: string;
                /** the first 12 characters of the key */
                prefix?: string;
                /** what the key may do */
                permissions?: (
                  | "read:markets"
                  | "read:portfolio"
                  | "create:orders"
                  | "cancel:orders"
                  | "read:oracle"
                  | "manage:custody"
                  | "admin:read"
                  | "admin:accounts"
                  | "admin:funding"
                  | "admin:releases"
                  | "admin:markets"
                  | "admin:settle"
                  | "admin:exchange")[];
                /** requests a minute */
                rateLimit?: number;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt?: number;
                /** when it was last used, Unix seconds, up to a minute late; null: never */
                lastUsed?: number | null;
                /** when it expires; null: it does not */
                expiresAt?: number | null;
                /** the key itself: shown at its creation and never again */
                secret?: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Revokes every key of an account. Needs the admin secret, or an operator's key with the
     * permission `admin:accounts`. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Revokes every key of an account */
              data: {
                /** how many keys were live until now */
                revoked: number;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/halt": {
    /**
     * Halts an account. Needs the admin secret, or an operator's key with the permission
     * `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Halts an account */
              data: {
                /** its id */
                id: string;
                /** the account's owner address: 0x and 40 hex digits */
                address: string;
                /** its name */
                name: string;
                /** one of trader, auditor, operator */
                role: "trader" | "auditor" | "operator";
                /** the account its owner is named after: itself, as a rule */
                owner: string;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt: string;
                /** USD its owner may owe for premiums, where set for the account */
                creditLine?: string;
                /** USD of coverage in a UTC day, where set for the account */
                maxDaily?: string;
                /** where set for the account; else as GET /api/limits says */
                maxOpenOrders?: number;
                /** whether trading is halted */
                halted: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/resume": {
    /**
     * Resumes an account. Needs the admin secret, or an operator's key with the permission
     * `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Resumes an account */
              data: {
                /** its id */
                id: string;
                /** the account's owner address: 0x and 40 hex digits */
                address: string;
                /** its name */
                name: string;
                /** one of trader, auditor, operator */
                role: "trader" | "auditor" | "operator";
                /** the account its owner is named after: itself, as a rule */
                owner: string;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt: string;
                /** USD its owner may owe for premiums, where set for the account */
                creditLine?: string;
                /** USD of coverage in a UTC day, where set for the account */
                maxDaily?: string;
                /** where set for the account; else as GET /api/limits says */
                maxOpenOrders?: number;
                /** whether trading is halted */
                halted: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/owner": {
    /**
     * Gives an account the owner of another one; its own id gives it back to itself. Of an
     * operator's account it takes two people. Needs the admin secret, or an operator's key with the
     * permission `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** the id of an account of the same owner */
            owner: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Gives an account the owner of another one; its own id gives it back to itself. Of
               * an operator's account it takes two people
               */
              data: {
                /** its id */
                id: string;
                /** the account's owner address: 0x and 40 hex digits */
                address: string;
                /** its name */
                name: string;
                /** one of trader, auditor, operator */
                role: "trader" | "auditor" | "operator";
                /** the account its owner is named after: itself, as a rule */
                owner: string;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt: string;
                /** USD its owner may owe for premiums, where set for the account */
                creditLine?: string;
                /** USD of coverage in a UTC day, where set for the account */
                maxDaily?: string;
                /** where set for the account; else as GET /api/limits says */
                maxOpenOrders?: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Gives an account the owner of another one; its own id gives it back to itself. Of
               * an operator's account it takes two people
               */
              data: {
                /** its id */
                id: string;
                /** the account's owner address: 0x and 40 hex digits */
                address: string;
                /** its name */
                name: string;
                /** one of trader, auditor, operator */
                role: "trader" | "auditor" | "operator";
                /** the account its owner is named after: itself, as a rule */
                owner: string;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt: string;
                /** USD its owner may owe for premiums, where set for the account */
                creditLine?: string;
                /** USD of coverage in a UTC day, where set for the account */
                maxDaily?: string;
                /** where set for the account; else as GET /api/limits says */
                maxOpenOrders?: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/queue": {
    /**
     * Everything that waits for an operator, the longest waiting first. Needs the admin secret, or
     * an operator's key with the permission `admin:read`. Costs 2 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
          /** one of release, place, kyc, dispute, marginCall, default, proposal, void, fallback */
          kind?:
            | "release"
            | "place"
            | "kyc"
            | "dispute"
            | "marginCall"
            | "default"
            | "proposal"
            | "void"
            | "fallback";
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Everything that waits for an operator, the longest waiting first */
              data: Schemas["QueueItem"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
              /** how many of each kind wait, whatever is asked for */
              counts: {
                /** the release that carried it */
                release: number;
                /** held places */
                place: number;
                /** the KYC record */
                kyc: number;
                /** open disputes */
                dispute: number;
                /** accounts in a margin call */
                marginCall: number;
                /** accounts in default */
                default: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal: number;
                /** voids that one operator has proposed */
                void: number;
                /** what happens where no print comes; of a resolution: the step that settled it */
                fallback: number;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/surveillance": {
    /**
     * Trades to look at twice, of a stretch of the journal. Needs the admin secret, or an
     * operator's key with the permission `admin:read`. Costs 20 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          startTime?: number;
          /** whole Unix seconds, below 100000000000: more looks like milliseconds */
          endTime?: number;
          /** the nextCursor of the page before */
          cursor?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** by kind, in that order; of before_release the largest gain first */
              data: Schemas["SuspectTrade"][];
              /** null where nothing of the range is left to look at */
              nextCursor: string | null;
              /** the oldest entry looked at, by its sequence */
              searchedTo: number;
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/surveillance/holders": {
    /**
     * Owners of more than a quarter of what is open in a market, the most coverage first. Needs the
     * admin secret, or an operator's key with the permission `admin:read`. Costs 20 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Owners of more than a quarter of what is open in a market, the most coverage first
               */
              data: Schemas["LargeHolder"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/proposals": {
    /**
     * Lists the proposals that wait for a second operator, oldest first. Needs the admin secret, or
     * an operator's key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Lists the proposals that wait for a second operator, oldest first */
              data: Schemas["Proposal"][];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/proposals/{id}/confirm": {
    /**
     * Agrees to a proposal of another person, which is then carried out. Needs the admin secret, or
     * an operator's key that may give the command itself. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Agrees to a proposal of another person, which is then carried out */
              data: {
                /** what was agreed to, and is done */
                proposal: Schemas["Proposal"];
                /** the account */
                account?: Schemas["Account"];
                /** the key */
                key?: Schemas["TradingKey"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/proposals/{id}/withdraw": {
    /**
     * Takes a proposal back, one's own or another operator's. Needs the admin secret, or an
     * operator's key that may give the command itself. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Takes a proposal back, one's own or another operator's */
              data: Schemas["Proposal"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/root/off": {
    /**
     * Proposes to switch the admin secret off, which takes two operators. Needs the admin secret,
     * or an operator's key with the permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to switch the admin secret off, which takes two operators */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to switch the admin secret off, which takes two operators */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/root/on": {
    /**
     * Proposes to switch the admin secret on, which takes two operators. Needs the admin secret, or
     * an operator's key with the permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to switch the admin secret on, which takes two operators */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to switch the admin secret on, which takes two operators */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/funding-limit": {
    /**
     * Sets what one operator funds alone in a day; it takes two people to raise it. Needs the admin
     * secret, or an operator's key with the permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** whole USD from 0 to 1000000000000 */
            limit: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Sets what one operator funds alone in a day; it takes two people to raise it */
              data: {
                /** USD one operator funds alone in a UTC day, in and out added up */
                fundingLimit: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Sets what one operator funds alone in a day; it takes two people to raise it */
              data: {
                /** USD one operator funds alone in a UTC day, in and out added up */
                fundingLimit: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases": {
    /**
     * Releases of every provider, newest first. Needs the admin secret, or an operator's key with
     * the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
          /** only releases of this status */
          status?: "accepted" | "quarantined" | "rejected";
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Releases of every provider, newest first */
              data: Schemas["WaitingRelease"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Takes a provider's file as a release. Needs the admin secret, or an operator's key with the
     * permission `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        query: {
          /** one of zillow, census, fred, noaa, sample */
          provider: "zillow" | "census" | "fred" | "noaa" | "sample";
          /** one of zhvi, zori, vacancy, weather */
          index: "zhvi" | "zori" | "vacancy" | "weather";
          /** one of nation, state, metro, county, city, neighborhood, zip */
          level:
            | "nation"
            | "state"
            | "metro"
            | "county"
            | "city"
            | "neighborhood"
            | "zip";
          /** when the provider published it: ISO 8601; in a certificate Unix seconds */
          publishedAt: string;
          /** a name of at most 40 small letters, digits, dots, slashes and dashes */
          methodology?: string;
          /** the file's own name, of at most 255 characters */
          fileName?: string;
        };
      };
      requestBody: {
        content: {
          "text/csv": FileBody;
          "text/plain": FileBody;
          "application/gzip": FileBody;
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": FileBody;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Takes a provider's file as a release */
              data: Schemas["OperatorRelease"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases/{id}": {
    /**
     * One release. Needs the admin secret, or an operator's key with the permission `admin:read`.
     * Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** One release */
              data: Schemas["WaitingRelease"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases/{id}/approve": {
    /**
     * Says that a quarantined release is right; the second operator's word accepts it. Needs the
     * admin secret, or an operator's key with the permission `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Says that a quarantined release is right; the second operator's word accepts it */
              data: Schemas["OperatorRelease"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases/{id}/reject": {
    /**
     * Rejects a quarantined release. Needs the admin secret, or an operator's key with the
     * permission `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Rejects a quarantined release */
              data: Schemas["OperatorRelease"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/held-places": {
    /**
     * Places that validation holds back while the rest of their release counts. Needs the admin
     * secret, or an operator's key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query?: {
          /** the page, from 1 */
          page?: number;
          /** how many items a page has at most */
          limit?: number;
          /** only places held from this release on */
          release?: string;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Places that validation holds back while the rest of their release counts */
              data: Schemas["HeldPlace"][];
              /** which page this is, and what there is in all */
              pagination: {
                /** the page, from 1 */
                page: number;
                /** how many items a page has at most */
                limit: number;
                /** how many items there are on all pages */
                total: number;
                /** whether a page follows this one */
                hasMore: boolean;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases/{id}/places/{nodeId}/approve": {
    /**
     * Says that a held place is right; the second operator's word releases it. Needs the admin
     * secret, or an operator's key with the permission `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Says that a held place is right; the second operator's word releases it */
              data: Schemas["DecidedPlace"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases/{id}/places/{nodeId}/reject": {
    /**
     * Takes a release away from a held place; the next release has its print. Needs the admin
     * secret, or an operator's key with the permission `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Takes a release away from a held place; the next release has its print */
              data: Schemas["DecidedPlace"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/places/{nodeId}/rename": {
    /**
     * Says that the provider goes on with a place under another id; the second operator's word is
     * the approval of the place. Needs the admin secret, or an operator's key with the permission
     * `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** a place's id, such as `state:tx` or `zip:78701`; the nation is `us` */
          nodeId: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** zhvi home values, zori rents, vacancy or weather */
            index: "zhvi" | "zori" | "vacancy";
            /** the provider's new id */
            regionId: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Says that the provider goes on with a place under another id; the second operator's
               * word is the approval of the place
               */
              data: Schemas["HeldPlace"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/releases/{id}/diff": {
    /**
     * How many places fell between two releases, raw and in the chain. Needs the admin secret, or
     * an operator's key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        query: {
          /** the release to compare with */
          against: string;
          /** how far a place must have fallen to be counted, basis points */
          fallBps?: number;
        };
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** How many places fell between two releases, raw and in the chain */
              data: {
                /** the earlier release's id */
                earlier: string;
                /** the later release's id */
                later: string;
                /** the month falls are counted from, YYYY-MM */
                fromMonth: string;
                /** the month falls are counted to, YYYY-MM */
                toMonth: string;
                /** how far a place must have fallen to be counted, basis points */
                fallBps: number;
                /** places that both releases carry */
                compared: number;
                /** places whose first prints fell that far */
                rawFalls: number;
                /** places whose chained first prints fell that far */
                chainedFalls: number;
                /** goes with the number wherever it is relayed: a condition of its licence */
                attribution: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/geo": {
    /**
     * Loads a hierarchy file; rows replace nodes of the same id. Needs the admin secret, or an
     * operator's key with the permission `admin:releases`. Costs 1 of the rate.
     */
    post: {
      parameters: {
      };
      requestBody: {
        content: {
          "text/csv": FileBody;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Loads a hierarchy file; rows replace nodes of the same id */
              data: {
                /** places in the file */
                nodes: number;
                /** places that are new */
                added: number;
                /** places that were known and differ */
                changed: number;
                /** releases that are read again for the new places */
                rereading: number;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets": {
    /**
     * Lists a market on the level of an index. Needs the admin secret, or an operator's key with
     * the permission `admin:markets`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** of the form mkt-001 */
            frontendId?: string;
            /** one of zhvi, zori, vacancy, weather */
            index: "zhvi" | "zori" | "vacancy" | "weather";
            /** the place's id */
            geoNodeId: string;
            /** the month whose first print settles it, YYYY-MM */
            measurementMonth: string;
            /** gte or lte */
            comparator: "gte" | "lte";
            /** a decimal string */
            threshold: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Lists a market on the level of an index */
              data: Schemas["Market"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}": {
    /**
     * A market, and what in it waits for a second person. Needs the admin secret, or an operator's
     * key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** A market, and what in it waits for a second person */
              data: Schemas["OperatorMarket"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}/pause": {
    /**
     * Pauses a market: it takes cancels only. Needs the admin secret, or an operator's key with the
     * permission `admin:markets`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Pauses a market: it takes cancels only */
              data: Schemas["OperatorMarket"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}/resume": {
    /**
     * Resumes a paused market. Needs the admin secret, or an operator's key with the permission
     * `admin:markets`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Resumes a paused market */
              data: Schemas["OperatorMarket"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}/cancel": {
    /**
     * Proposes to void a market; the second person's word reverses every payment in it. Needs the
     * admin secret, or an operator's key with the permission `admin:settle`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Proposes to void a market; the second person's word reverses every payment in it
               */
              data: Schemas["OperatorMarket"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}/cancel-withdrawal": {
    /**
     * Takes back a void that was proposed, one's own or another operator's. Needs the admin secret,
     * or an operator's key with the permission `admin:settle`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Takes back a void that was proposed, one's own or another operator's */
              data: Schemas["OperatorMarket"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}/fallback": {
    /**
     * Proposes the fallback of its terms that applies to a market whose print is 60 days late.
     * Needs the admin secret, or an operator's key with the permission `admin:settle`. Costs 1 of
     * the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Proposes the fallback of its terms that applies to a market whose print is 60 days
               * late
               */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Proposes the fallback of its terms that applies to a market whose print is 60 days
               * late
               */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/fills/{id}/bust": {
    /**
     * Proposes to bust a fill that is off the reference, while its window lasts. Needs the admin
     * secret, or an operator's key with the permission `admin:settle`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to bust a fill that is off the reference, while its window lasts */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to bust a fill that is off the reference, while its window lasts */
              data: {
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/markets/{id}/dispute-decision": {
    /**
     * Proposes a decision on a dispute, or agrees to one. Needs the admin secret, or an operator's
     * key with the permission `admin:settle`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** uphold or amend */
            decision: "uphold" | "amend";
            /** a decimal string; none where a fallback settled the market */
            value?: string;
            /** text of at most 2000 characters */
            evidence?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes a decision on a dispute, or agrees to one */
              data: Schemas["ResolutionStatus"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/windows": {
    /**
     * Stops matching in the markets of an index until its release is read, for a day at most. Needs
     * the admin secret, or an operator's key with the permission `admin:markets`. Costs 1 of the
     * rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** zhvi, zori, vacancy or weather */
            index: "zhvi" | "zori" | "vacancy" | "weather";
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Stops matching in the markets of an index until its release is read, for a day at
               * most
               */
              data: {
                /** zhvi home values, zori rents, vacancy or weather */
                index: "zhvi" | "zori" | "vacancy" | "weather";
                /** when it ends unless a release comes, ISO 8601 */
                endsAt: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/halt": {
    /**
     * Halts trading on the whole exchange. Needs the admin secret, or an operator's key with the
     * permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Halts trading on the whole exchange */
              data: {
                /** whether trading is halted */
                halted: boolean;
                /** why, in words */
                reason: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/resume": {
    /**
     * Resumes trading on the whole exchange. Needs the admin secret, or an operator's key with the
     * permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** text of 1 to 500 characters */
            reason: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Resumes trading on the whole exchange */
              data: {
                /** whether trading is halted */
                halted: boolean;
                /** why, in words */
                reason: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/clock": {
    /**
     * Sets a sandbox's clock forward. Needs the admin secret, or an operator's key with the
     * permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** an ISO 8601 time */
            setTo?: string;
            /** whole seconds, at least 1 */
            advanceSeconds?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Sets a sandbox's clock forward */
              data: {
                /** the exchange's time, ISO 8601 */
                engineTime: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/rules": {
    /**
     * Shows what each tier may do, pays and posts, and when a market is liquid. Needs the admin
     * secret, or an operator's key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Shows what each tier may do, pays and posts, and when a market is liquid */
              data: Schemas["Rules"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Changes some of the rules: at once, unless a position gets dearer; that takes two people and
     * five days. Needs the admin secret, or an operator's key with the permission `admin:exchange`.
     * Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /** the rules of each KYC tier */
            tiers?: {
              /** of the tier basic */
              basic?: {
                /** whole USD from 0 to 1000000000000 */
                maxPosition?: number;
                /** whole USD from 0 to 1000000000000 */
                maxDaily?: number;
                /** whole USD from 0 to 1000000000000 */
                maxTotal?: number;
                /** whole USD from 0 to 1000000000000 */
                maxPositionSize?: number;
                /** whole USD from 0 to 1000000000000 */
                maxDailyVolume?: number;
                /** a whole number from 0 to 1000000 */
                maxOpenPositions?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                tradingFee?: number;
                /** a fraction from 0.0001 to 1 in steps of 0.0001 */
                marginRequirement?: number;
                /** whole USD from 0 to 1000000000000 */
                creditLine?: number;
              };
              /** of the tier enhanced */
              enhanced?: {
                /** whole USD from 0 to 1000000000000 */
                maxPosition?: number;
                /** whole USD from 0 to 1000000000000 */
                maxDaily?: number;
                /** whole USD from 0 to 1000000000000 */
                maxTotal?: number;
                /** whole USD from 0 to 1000000000000 */
                maxPositionSize?: number;
                /** whole USD from 0 to 1000000000000 */
                maxDailyVolume?: number;
                /** a whole number from 0 to 1000000 */
                maxOpenPositions?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                tradingFee?: number;
                /** a fraction from 0.0001 to 1 in steps of 0.0001 */
                marginRequirement?: number;
                /** whole USD from 0 to 1000000000000 */
                creditLine?: number;
              };
              /** of the tier institutional */
              institutional?: {
                /** whole USD from 0 to 1000000000000 */
                maxPosition?: number;
                /** whole USD from 0 to 1000000000000 */
                maxDaily?: number;
                /** whole USD from 0 to 1000000000000 */
                maxTotal?: number;
                /** whole USD from 0 to 1000000000000 */
                maxPositionSize?: number;
                /** whole USD from 0 to 1000000000000 */
                maxDailyVolume?: number;
                /** a whole number from 0 to 1000000 */
                maxOpenPositions?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                tradingFee?: number;
                /** a fraction from 0.0001 to 1 in steps of 0.0001 */
                marginRequirement?: number;
                /** whole USD from 0 to 1000000000000 */
                creditLine?: number;
              };
            };
            /** when a market of an index kind counts as liquid */
            liquidity?: {
              /** of home values */
              zhvi?: {
                /** whole USD from 0 to 1000000000000 */
                minLiquidity?: number;
                /** a whole number from 0 to 1000000 */
                minProviders?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                spreadMax?: number;
              };
              /** of rents */
              zori?: {
                /** whole USD from 0 to 1000000000000 */
                minLiquidity?: number;
                /** a whole number from 0 to 1000000 */
                minProviders?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                spreadMax?: number;
              };
              /** of rental vacancy */
              vacancy?: {
                /** whole USD from 0 to 1000000000000 */
                minLiquidity?: number;
                /** a whole number from 0 to 1000000 */
                minProviders?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                spreadMax?: number;
              };
              /** of weather */
              weather?: {
                /** whole USD from 0 to 1000000000000 */
                minLiquidity?: number;
                /** a whole number from 0 to 1000000 */
                minProviders?: number;
                /** a fraction from 0 to 1 in steps of 0.0001 */
                spreadMax?: number;
              };
            };
            /** when a fill may be busted */
            bust?: {
              /** a fraction from 0 to 1 in steps of 0.0001 */
              band?: number;
              /** a whole number from 1 to 1440 */
              windowMinutes?: number;
            };
            /** the size that the guarantee fund is to have */
            fund?: {
              /** whole USD from 0 to 1000000000000 */
              target?: number;
            };
            /** from which part of a market or a state on a seller needs more */
            concentration?: {
              /** a fraction from 0 to 1 in steps of 0.0001 */
              share?: number;
              /** whole USD from 0 to 1000000000000 */
              floor?: number;
              /** a fraction from 0 to 1 in steps of 0.0001 */
              rate?: number;
            };
            /** the rules that reference prices follow, beside the model */
            price?: {
              /** a fraction from 0 to 1 in steps of 0.0001 */
              carry?: number;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Changes some of the rules: at once, unless a position gets dearer; that takes two
               * people and five days
               */
              data: {
                /** the rules of each KYC tier */
                tiers: {
                  /** of the tier basic */
                  basic: {
                    /** the liquidity tier it gives */
                    liquidityTier: string;
                    /** most coverage in one market, USD */
                    maxPosition: number;
                    /** most coverage in a UTC day, USD */
                    maxDaily: number;
                    /** most coverage in all markets, USD */
                    maxTotal: number;
                    /** most coverage in one market by the liquidity tier, USD */
                    maxPositionSize: number;
                    /** most coverage in a UTC day by the liquidity tier, USD */
                    maxDailyVolume: number;
                    /** most markets with a position */
                    maxOpenPositions: number;
                    /** the fee, a fraction of min(p, 1−p) × quantity */
                    tradingFee: number;
                    /** margin as a fraction of 1 − mark */
                    marginRequirement: number;
                    /** USD an owner may owe for premiums */
                    creditLine: number;
                  };
                  /** of the tier enhanced */
                  enhanced: {
                    /** the liquidity tier it gives */
                    liquidityTier: string;
                    /** most coverage in one market, USD */
                    maxPosition: number;
                    /** most coverage in a UTC day, USD */
                    maxDaily: number;
                    /** most coverage in all markets, USD */
                    maxTotal: number;
                    /** most coverage in one market by the liquidity tier, USD */
                    maxPositionSize: number;
                    /** most coverage in a UTC day by the liquidity tier, USD */
                    maxDailyVolume: number;
                    /** most markets with a position */
                    maxOpenPositions: number;
                    /** the fee, a fraction of min(p, 1−p) × quantity */
                    tradingFee: number;
                    /** margin as a fraction of 1 − mark */
                    marginRequirement: number;
                    /** USD an owner may owe for premiums */
                    creditLine: number;
                  };
                  /** of the tier institutional */
                  institutional: {
                    /** the liquidity tier it gives */
                    liquidityTier: string;
                    /** most coverage in one market, USD */
                    maxPosition: number;
                    /** most coverage in a UTC day, USD */
                    maxDaily: number;
                    /** most coverage in all markets, USD */
                    maxTotal: number;
                    /** most coverage in one market by the liquidity tier, USD */
                    maxPositionSize: number;
                    /** most coverage in a UTC day by the liquidity tier, USD */
                    maxDailyVolume: number;
                    /** most markets with a position */
                    maxOpenPositions: number;
                    /** the fee, a fraction of min(p, 1−p) × quantity */
                    tradingFee: number;
                    /** margin as a fraction of 1 − mark */
                    marginRequirement: number;
                    /** USD an owner may owe for premiums */
                    creditLine: number;
                  };
                };
                /** when a market of an index kind counts as liquid */
                liquidity: {
                  /** of home values */
                  zhvi: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                  /** of rents */
                  zori: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                  /** of rental vacancy */
                  vacancy: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                  /** of weather */
                  weather: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                };
                /** USD one operator funds alone in a UTC day, in and out added up */
                fundingLimit: number;
                /** when a fill may be busted: further off the mark, and within so long */
                bust: {
                  /** USD a contract off the mark */
                  band: number;
                  /** after the fill */
                  windowMinutes: number;
                };
                /** the size that the guarantee fund is to have */
                fund: {
                  /** USD, its layers together; 0 asks for no contributions */
                  target: number;
                };
                /** from which part of a market or a state on a seller needs more */
                concentration: {
                  /** fraction of the open coverage at the last marks */
                  share: number;
                  /** USD of coverage that nobody needs more for */
                  floor: number;
                  /** USD of maintenance for each USD of coverage beyond both; 0 = none */
                  rate: number;
                };
                /** the rules that reference prices follow, beside the model */
                price: {
                  /** a year's return on the margin that a seller binds; 0.04 where no rule says */
                  carry: number;
                };
                /** changes of the rules that wait for their day, the oldest first */
                announced: Schemas["AnnouncedRules"][];
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Changes some of the rules: at once, unless a position gets dearer; that takes two
               * people and five days
               */
              data: {
                /** the rules of each KYC tier */
                tiers: {
                  /** of the tier basic */
                  basic: {
                    /** the liquidity tier it gives */
                    liquidityTier: string;
                    /** most coverage in one market, USD */
                    maxPosition: number;
                    /** most coverage in a UTC day, USD */
                    maxDaily: number;
                    /** most coverage in all markets, USD */
                    maxTotal: number;
                    /** most coverage in one market by the liquidity tier, USD */
                    maxPositionSize: number;
                    /** most coverage in a UTC day by the liquidity tier, USD */
                    maxDailyVolume: number;
                    /** most markets with a position */
                    maxOpenPositions: number;
                    /** the fee, a fraction of min(p, 1−p) × quantity */
                    tradingFee: number;
                    /** margin as a fraction of 1 − mark */
                    marginRequirement: number;
                    /** USD an owner may owe for premiums */
                    creditLine: number;
                  };
                  /** of the tier enhanced */
                  enhanced: {
                    /** the liquidity tier it gives */
                    liquidityTier: string;
                    /** most coverage in one market, USD */
                    maxPosition: number;
                    /** most coverage in a UTC day, USD */
                    maxDaily: number;
                    /** most coverage in all markets, USD */
                    maxTotal: number;
                    /** most coverage in one market by the liquidity tier, USD */
                    maxPositionSize: number;
                    /** most coverage in a UTC day by the liquidity tier, USD */
                    maxDailyVolume: number;
                    /** most markets with a position */
                    maxOpenPositions: number;
                    /** the fee, a fraction of min(p, 1−p) × quantity */
                    tradingFee: number;
                    /** margin as a fraction of 1 − mark */
                    marginRequirement: number;
                    /** USD an owner may owe for premiums */
                    creditLine: number;
                  };
                  /** of the tier institutional */
                  institutional: {
                    /** the liquidity tier it gives */
                    liquidityTier: string;
                    /** most coverage in one market, USD */
                    maxPosition: number;
                    /** most coverage in a UTC day, USD */
                    maxDaily: number;
                    /** most coverage in all markets, USD */
                    maxTotal: number;
                    /** most coverage in one market by the liquidity tier, USD */
                    maxPositionSize: number;
                    /** most coverage in a UTC day by the liquidity tier, USD */
                    maxDailyVolume: number;
                    /** most markets with a position */
                    maxOpenPositions: number;
                    /** the fee, a fraction of min(p, 1−p) × quantity */
                    tradingFee: number;
                    /** margin as a fraction of 1 − mark */
                    marginRequirement: number;
                    /** USD an owner may owe for premiums */
                    creditLine: number;
                  };
                };
                /** when a market of an index kind counts as liquid */
                liquidity: {
                  /** of home values */
                  zhvi: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                  /** of rents */
                  zori: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                  /** of rental vacancy */
                  vacancy: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                  /** of weather */
                  weather: {
                    /** least coverage resting in the book, USD */
                    minLiquidity: number;
                    /** least accounts with resting orders */
                    minProviders: number;
                    /** widest spread */
                    spreadMax: number;
                  };
                };
                /** USD one operator funds alone in a UTC day, in and out added up */
                fundingLimit: number;
                /** when a fill may be busted: further off the mark, and within so long */
                bust: {
                  /** USD a contract off the mark */
                  band: number;
                  /** after the fill */
                  windowMinutes: number;
                };
                /** the size that the guarantee fund is to have */
                fund: {
                  /** USD, its layers together; 0 asks for no contributions */
                  target: number;
                };
                /** from which part of a market or a state on a seller needs more */
                concentration: {
                  /** fraction of the open coverage at the last marks */
                  share: number;
                  /** USD of coverage that nobody needs more for */
                  floor: number;
                  /** USD of maintenance for each USD of coverage beyond both; 0 = none */
                  rate: number;
                };
                /** the rules that reference prices follow, beside the model */
                price: {
                  /** a year's return on the margin that a seller binds; 0.04 where no rule says */
                  carry: number;
                };
                /** changes of the rules that wait for their day, the oldest first */
                announced: Schemas["AnnouncedRules"][];
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/rules/announced/{id}/withdraw": {
    /**
     * Proposes to take back a change of the rules that waits for its day. Needs the admin secret,
     * or an operator's key with the permission `admin:exchange`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to take back a change of the rules that waits for its day */
              data: {
                /** changes of the rules that wait for their day, the oldest first */
                announced: Schemas["AnnouncedRules"][];
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Proposes to take back a change of the rules that waits for its day */
              data: {
                /** changes of the rules that wait for their day, the oldest first */
                announced: Schemas["AnnouncedRules"][];
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/refusals": {
    /**
     * How many requests were refused since this node started, by code. Needs the admin secret, or
     * an operator's key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** How many requests were refused since this node started, by code */
              data: {
                /** all of them together */
                total: number;
                /** refusals since the start of the process, by code */
                byCode: {
                  [name: string]: number;
                };
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/upkeep": {
    /**
     * The last backup, snapshot and archive, and the copies of the database. Needs the admin
     * secret, or an operator's key with the permission `admin:read`. Costs 2 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The last backup, snapshot and archive, and the copies of the database */
              data: {
                /**
                 * when the newest backup by `firstprint backup` from this node's folder began, ISO
                 * 8601; null where there was none
                 */
                lastBackupAt: string | null;
                /** the newest snapshot of the state; null where there is none */
                snapshot: {
                  /** the last entry that it holds */
                  sequence: number;
                  /** when that entry was decided, ISO 8601 */
                  entryTime: string;
                } | null;
                /** the end of the archive; null where there is none */
                archive: {
                  /** the last entry that it holds */
                  sequence: number;
                  /** when that entry was decided, ISO 8601 */
                  entryTime: string;
                } | null;
                /**
                 * replicas that stream from the database, which followers read; null where the role
                 * that serves may not see them (GRANT pg_read_all_stats)
                 */
                copies: {
                  /** as the copy names itself */
                  name: string;
                  /** PostgreSQL's word: streaming, catchup, … */
                  state: string;
                  /** whether commits wait for it */
                  synchronous: boolean;
                  /** from an entry here to the entry there */
                  lagMillis: number;
                }[] | null;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/guarantee": {
    /**
     * Shows what the guarantee fund has, holds and owes. Needs the admin secret, or an operator's
     * key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Shows what the guarantee fund has, holds and owes */
              data: Schemas["GuaranteeFund"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Puts cash into the guarantee fund, or into the exchange's own layer of it; above a limit it
     * takes two people. Needs the admin secret, or an operator's key with the permission
     * `admin:funding`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a decimal string */
            amount: string;
            /** into the exchange's own layer of the fund */
            layer?: "exchange";
            /** text of at most 200 characters */
            memo?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Puts cash into the guarantee fund, or into the exchange's own layer of it; above a
               * limit it takes two people
               */
              data: {
                /** USD, decimal string */
                balance: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Puts cash into the guarantee fund, or into the exchange's own layer of it; above a
               * limit it takes two people
               */
              data: {
                /** USD, decimal string */
                balance: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/financing": {
    /**
     * The pool that premiums are lent from, and what it has lent. Needs the admin secret, or an
     * operator's key with the permission `admin:read`. Costs 1 of the rate.
     */
    get: {
      parameters: {
        header?: {
          /**
           * The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND
           */
          "Firstprint-Min-Sequence"?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** The pool that premiums are lent from, and what it has lent */
              data: Schemas["FinancingPool"];
            };
          };
        };
        default: Refusal;
      };
    };
    /**
     * Puts cash into the pool that premiums are lent from, or takes out what is not lent. Needs the
     * admin secret, or an operator's key with the permission `admin:funding`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a decimal string */
            amount: string;
            /** text of at most 200 characters */
            memo?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Puts cash into the pool that premiums are lent from, or takes out what is not lent
               */
              data: {
                /** USD in it now, what is lent included; absent while it waits */
                pool?: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Puts cash into the pool that premiums are lent from, or takes out what is not lent
               */
              data: {
                /** USD in it now, what is lent included; absent while it waits */
                pool?: string;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/credit": {
    /**
     * Sets the most an account's owner may owe for premiums. Needs the admin secret, or an
     * operator's key with the permission `admin:funding`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** a decimal string, or null for the line of the tier */
            line: string | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Sets the most an account's owner may owe for premiums */
              data: Schemas["Account"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/caps": {
    /**
     * Sets what an account may trade in a day and how many orders it may have open; it takes two
     * people to raise either. Needs the admin secret, or an operator's key with the permission
     * `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      requestBody?: {
        content: {
          "application/json": {
            /**
             * USD of coverage it may trade in a UTC day, as a decimal string; null for its tier's
             * limit
             */
            maxDaily?: string | null;
            /** a whole number from 0 to 5000; null for that of every account */
            maxOpenOrders?: number | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Sets what an account may trade in a day and how many orders it may have open; it
               * takes two people to raise either
               */
              data: {
                /** its id */
                id: string;
                /** the account's owner address: 0x and 40 hex digits */
                address: string;
                /** its name */
                name: string;
                /** one of trader, auditor, operator */
                role: "trader" | "auditor" | "operator";
                /** the account its owner is named after: itself, as a rule */
                owner: string;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt: string;
                /** USD its owner may owe for premiums, where set for the account */
                creditLine?: string;
                /** USD of coverage in a UTC day, where set for the account */
                maxDaily?: string;
                /** where set for the account; else as GET /api/limits says */
                maxOpenOrders?: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        202: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /**
               * Sets what an account may trade in a day and how many orders it may have open; it
               * takes two people to raise either
               */
              data: {
                /** its id */
                id: string;
                /** the account's owner address: 0x and 40 hex digits */
                address: string;
                /** its name */
                name: string;
                /** one of trader, auditor, operator */
                role: "trader" | "auditor" | "operator";
                /** the account its owner is named after: itself, as a rule */
                owner: string;
                /** when it was made: Unix seconds; on the public and operator surfaces ISO 8601 */
                createdAt: string;
                /** USD its owner may owe for premiums, where set for the account */
                creditLine?: string;
                /** USD of coverage in a UTC day, where set for the account */
                maxDaily?: string;
                /** where set for the account; else as GET /api/limits says */
                maxOpenOrders?: number;
                /** what waits for a second person's word; absent where it was done at once */
                proposal?: Schemas["Proposal"];
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/kyc/subject": {
    /**
     * Gives the personal data an inquiry is decided on, in place of any before. Needs a key with
     * the permission `manage:custody`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
          /** Unix milliseconds: later than this the request is refused and not carried out */
          "Expires-After"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": Schemas["Subject"];
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** Gives the personal data an inquiry is decided on, in place of any before */
              data: {
                /** opaque */
                subjectId: string;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/subject/read": {
    /**
     * An account's personal data; the reading is an audit entry of its own. Needs the admin secret,
     * or an operator's key with the permission `admin:accounts`. Costs 1 of the rate.
     */
    post: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** An account's personal data; the reading is an audit entry of its own */
              data: Schemas["Subject"];
            };
          };
        };
        default: Refusal;
      };
    };
  };
  "/api/admin/accounts/{id}/subject": {
    /**
     * Destroys the key of an account's personal data: nobody can read them again. Needs the admin
     * secret, or an operator's key with the permission `admin:accounts`. Costs 1 of the rate.
     */
    delete: {
      parameters: {
        header?: {
          /** Makes the request safe to repeat for 24 hours */
          "Idempotency-Key"?: string;
        };
        path: {
          /** its id */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              /** true: the request was done */
              success: true;
              /** Destroys the key of an account's personal data: nobody can read them again */
              data: {
                /** whether there was anything to erase */
                erased: true;
              };
            };
          };
        };
        default: Refusal;
      };
    };
  };
}

/** Every code of a refusal; docs/reference/errors.md says what each means. */
export type ErrorCode = Schemas["ErrorAnswer"]["code"];

export const errorCodes: readonly ErrorCode[] = [
  "ACCEPTANCE_NOT_FOUND",
  "ACCOUNT_HALTED",
  "ACCOUNT_NOT_FOUND",
  "ACCREDITATION_REQUIRED",
  "AMOUNT_BELOW_FILLED",
  "AUCTION_NOT_FOUND",
  "AUCTION_OWN",
  "BID_NOT_FOUND",
  "BID_TOO_HIGH",
  "BODY_TOO_LARGE",
  "BUST_AFTER_PRINT",
  "BUST_FINANCED",
  "BUST_NOT_COVERED",
  "BUST_NOT_OPEN",
  "BUST_SOLD_ON",
  "CLIENT_ORDER_ID_USED",
  "CLOCK_NOT_FORWARD",
  "CLOCK_NOT_SANDBOX",
  "CLOSING_PRICE",
  "CONFLICT_OF_INTEREST",
  "DISPUTE_AMEND_FALLBACK",
  "DISPUTE_AMEND_REVISION",
  "DISPUTE_DISAGREES",
  "DISPUTE_NONE",
  "DISPUTE_NO_POSITION",
  "DISPUTE_OPEN",
  "DISPUTE_REPEATED",
  "DISPUTE_SAME_OPERATOR",
  "DISPUTE_WINDOW_CLOSED",
  "EXCHANGE_FULL",
  "EXCHANGE_HALTED",
  "EXPIRY_PAST",
  "FALLBACK_NOT_DUE",
  "FALLBACK_STEP",
  "FILE_REFUSED",
  "FINANCING_LIMIT",
  "FINANCING_POOL",
  "FINANCING_PRICE",
  "FINANCING_TERMS",
  "FUND_SHORT",
  "GEO_IN_USE",
  "GROUP_CAP",
  "GROUP_NOT_FOUND",
  "GROUP_TRIPPED",
  "HEADERS_TOO_LARGE",
  "IDEMPOTENCY_IN_FLIGHT",
  "IDEMPOTENCY_MISMATCH",
  "INSUFFICIENT_BALANCE",
  "INTERNAL",
  "INVALID_LAYER",
  "INVALID_PRICE",
  "INVALID_REQUEST",
  "IN_DEFAULT",
  "KEY_ESCALATION",
  "KEY_LIMIT",
  "KEY_NOT_FOUND",
  "KYC_NOT_CLEARED",
  "KYC_NOT_HIGHER",
  "KYC_PENDING",
  "KYC_REQUIRED",
  "KYC_TIER_MISSING",
  "LAYER_NOT_SUPPORTED",
  "LEADER_ONLY",
  "LISTING_CAP",
  "LISTING_STALE",
  "MANDATE_CAP",
  "MANDATE_NOT_FOUND",
  "MARGIN_CALL",
  "MARKET_CLOSED",
  "MARKET_EXISTS",
  "MARKET_NOT_FOUND",
  "MARKET_STATE",
  "MARKS_NOT_OPEN",
  "MARK_NOT_SELLER",
  "METHOD_NOT_ALLOWED",
  "MISDIRECTED_REQUEST",
  "NODE_BEHIND",
  "NOT_FOUND",
  "NOT_LEADER",
  "NOT_OPERATOR",
  "NO_INDEX_DATA",
  "OPEN_ORDER_CAP",
  "OPERATORS_MISSING",
  "ORDER_DONE",
  "ORDER_NOT_FOUND",
  "OUTCOME_UNKNOWN",
  "OVERLOADED",
  "PAYMENT_NOT_OPEN",
  "PAYMENT_OVERDUE",
  "PERMISSION_DENIED",
  "PLACE_HELD",
  "PLACE_NOT_HELD",
  "POSITION_LIMIT",
  "PRINT_EXISTS",
  "PROPOSAL_LIMIT",
  "PROPOSAL_NOT_FOUND",
  "PROPOSAL_SAME_OPERATOR",
  "PROTECTION_TRIPPED",
  "RATE_LIMITED",
  "RELEASE_EXISTS",
  "RELEASE_FROM_FUTURE",
  "RELEASE_HELD",
  "RELEASE_NOT_QUARANTINED",
  "RELEASE_SAME_OPERATOR",
  "RELEASE_STATE",
  "RENAME_GROUNDS",
  "REQUEST_EXPIRED",
  "REQUEST_TIMEOUT",
  "RFQ_CAP",
  "RFQ_DONE",
  "RFQ_LEGS",
  "RFQ_NOT_BETTER",
  "RFQ_NOT_FOUND",
  "RFQ_OWN",
  "RFQ_QUOTED",
  "RFQ_QUOTE_NOT_FOUND",
  "RFQ_TIMES",
  "RFQ_WINDOW",
  "ROLE_NOT_TRADER",
  "ROOT_OFF",
  "RULES_ANNOUNCED_LIMIT",
  "RULES_NOT_ANNOUNCED",
  "SEQUENCE_AHEAD",
  "SERIES_NOT_STANDARD",
  "STOPPING",
  "STORAGE_UNAVAILABLE",
  "STREAM_LIMIT",
  "STREAM_NOT_FOUND",
  "TRAIL_DENIED",
  "UNAUTHENTICATED",
  "UNSUPPORTED_MEDIA_TYPE",
  "VOID_AFTER_PRINT",
  "VOID_NOT_PROPOSED",
  "VOID_SAME_OPERATOR",
  "WEBHOOK_CAP",
  "WEBHOOK_NOT_FOUND",
  "WINDOW_STATE",
];

/** Writes that take no Idempotency-Key, as `METHOD path`. */
export const writesWithoutKey: readonly string[] = [
  "POST /api/admin/releases",
  "POST /api/admin/geo",
];
