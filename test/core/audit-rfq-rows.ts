// The audit trail's rows of requests for quotes: a quote is sealed, and shows nobody a price.
import { rfqId, rfqQuoteId } from "#base/ids.ts";
import { tick } from "./world.ts";

const rfq = rfqId("rfq-7");
const quote = rfqQuoteId("rqt-7");
const terms = { legs: [], side: "BUY", audience: null, closesAtMillis: 7000 } as const;
const price = { ticks: [tick("0.06")], validUntilMillis: 9000 };

export const rfqRows = [
  [
    { type: "OpenRfq", ...terms },
    "rfq.opened",
    "rfq",
    { side: "BUY", legs: [], audience: null, closesAt: 7 },
  ],
  [{ type: "QuoteRfq", rfqId: rfq, ...price }, "rfq.quoted", rfq, {}],
  [{ type: "ImproveQuote", quoteId: quote, ...price }, "rfq.improved", quote, {}],
  [{ type: "AcceptRfq", rfqId: rfq, quoteId: quote }, "rfq.accepted", quote, { rfqId: rfq }],
  [{ type: "CancelRfq", rfqId: rfq }, "rfq.cancelled", rfq, {}],
  [{ type: "CloseRfq", rfqId: rfq }, "rfq.closed", rfq, {}],
  [{ type: "LapseQuote", quoteId: quote }, "rfq.quote_lapsed", quote, {}],
] as const;
