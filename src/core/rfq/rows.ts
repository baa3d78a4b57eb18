// The rows of requests for quotes in the table of commands.
// Invariant: a quote has no row that takes it back.
import { acceptRfq } from "./accept.ts";
import { cancelRfq, closeRfq, openRfq } from "./open.ts";
import { improveQuote, lapseQuote, quoteRfq } from "./quote.ts";

export const rfqRows = {
  OpenRfq: { by: "create:orders", decide: openRfq, action: "rfq.opened", trades: true },
  QuoteRfq: { by: "create:orders", decide: quoteRfq, action: "rfq.quoted", trades: true },
  ImproveQuote: { by: "create:orders", decide: improveQuote, action: "rfq.improved", trades: true },
  AcceptRfq: {
    by: "create:orders",
    decide: acceptRfq,
    action: "rfq.accepted",
    trades: true,
    adds: "orders",
  },
  CancelRfq: { by: "cancel:orders", decide: cancelRfq, action: "rfq.cancelled", cancels: true },
  CloseRfq: { by: "system", decide: closeRfq, action: "rfq.closed" },
  LapseQuote: { by: "system", decide: lapseQuote, action: "rfq.quote_lapsed" },
} as const;
