// The rows of requests for quotes in the table of commands.
// Invariant: a quote has no row that takes it back.

import type { CommandOf } from "../command.ts";
import {
  changes,
  changesMany,
  leavesMany,
  legsOf,
  legsOfQuote,
  legsQuoted,
  promisesOf,
  quotesFor,
} from "../work.ts";
import { acceptRfq } from "./accept.ts";
import { cancelRfq, closeRfq, openRfq } from "./open.ts";
import { improveQuote, lapseQuote, quoteRfq } from "./quote.ts";

export const rfqRows = {
  OpenRfq: {
    by: "create:orders",
    decide: openRfq,
    action: "rfq.opened",
    trades: true,
    ...leavesMany<CommandOf<"OpenRfq">>(({ legs }) => legs.length / 4),
  },
  QuoteRfq: {
    by: "create:orders",
    decide: quoteRfq,
    action: "rfq.quoted",
    trades: true,
    ...leavesMany<CommandOf<"QuoteRfq">>(
      ({ rfqId }, state, by) => legsOf(state, rfqId, by) / 2 + promisesOf(state, by),
    ),
  },
  ImproveQuote: {
    by: "create:orders",
    decide: improveQuote,
    action: "rfq.improved",
    trades: true,
    ...changesMany<CommandOf<"ImproveQuote">>(
      ({ quoteId }, state, by) => legsOfQuote(state, quoteId, by) / 4,
    ),
  },
  AcceptRfq: {
    by: "create:orders",
    decide: acceptRfq,
    action: "rfq.accepted",
    trades: true,
    adds: "orders",
    ...leavesMany<CommandOf<"AcceptRfq">>(
      ({ rfqId }, state, by) => 2 * legsOf(state, rfqId, by) + promisesOf(state, by),
    ),
  },
  CancelRfq: {
    by: "cancel:orders",
    decide: cancelRfq,
    action: "rfq.cancelled",
    cancels: true,
    ...changesMany<CommandOf<"CancelRfq">>(
      ({ rfqId }, state, by) => (legsOf(state, rfqId, by) * quotesFor(state, rfqId)) / 16,
    ),
  },
  CloseRfq: { by: "system", decide: closeRfq, action: "rfq.closed", ...changes },
  LapseQuote: {
    by: "system",
    decide: lapseQuote,
    action: "rfq.quote_lapsed",
    ...changesMany<CommandOf<"LapseQuote">>(({ quoteId }, state) => legsQuoted(state, quoteId) / 4),
  },
} as const;
