// /api/trading/rfqs: requests for quotes of up to 200 legs, and firm, sealed quotes for them.
// Invariant: a requester sees the quotes and not whose they are, a maker its own alone, and the two
// of a trade each other where both wish so; a request that is not the caller's to see is answered
// like an absent one.
import { type Static, Type } from "typebox";
import { type RfqId, type RfqQuoteId, rfqId, rfqQuoteId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMicros } from "#base/money.ts";
import { formatMonth } from "#base/month.ts";
import { tickPrice } from "#base/price.ts";
import { formatLots, lots } from "#base/quantity.ts";
import type { Event } from "#core/event.ts";
import { type Rfq, type RfqQuote, rfqNumber } from "#core/rfq/record.ts";
import { type ErrorCode, refuse } from "../route/errors.ts";
import { itemsIn } from "../route/items-in.ts";
import { closed, type KeyCaller, nothing, type Route, trading } from "../route/route.ts";
import { Done, done } from "./done.ts";
import type { TradingPorts } from "./ports.ts";
import {
  BetterQuote,
  MOST_LEGS,
  NewQuote,
  NewRfq,
  nameWish,
  readPrices,
  readRfq,
} from "./rfq-input.ts";

const url = "/api/trading/rfqs";
const oneUrl = `${url}/:rfqId`;
const named = Type.Object({ rfqId: Type.String({ maxLength: 64 }) });
const quoteNamed = Type.Object({ quoteId: Type.String({ maxLength: 64 }) });
const idOf = (params: { readonly rfqId: string }): RfqId => rfqId(params.rfqId.toLowerCase());
const quoteIdOf = (params: { readonly quoteId: string }): RfqQuoteId =>
  rfqQuoteId(params.quoteId.toLowerCase());

const Seconds = (description: string) =>
  Type.Integer({ description: `${description}, Unix seconds` });

const summary = {
  id: Type.String(),
  isOwn: Type.Boolean({ description: "true where the caller asks, false where it may quote" }),
  side: Type.Enum(["BUY", "SELL"], { description: "what the requester does with the protection" }),
  legCount: Type.Integer({ description: "legs, which trade together or not at all" }),
  coverage: Type.String({ description: "of all legs together, USD" }),
  openedAt: Seconds("when it was opened"),
  closesAt: Seconds("until when it takes quotes"),
  status: Type.Enum(["open", "closed", "filled", "cancelled", "lapsed", "expired"], {
    description: "closed: quotes it has can be accepted; lapsed: a release or a halt ended it",
  }),
};

const RfqSummary = Type.Object(summary, { title: "RfqSummary" });

const QuoteRecord = Type.Object(
  {
    id: Type.String(),
    rfqId: Type.String(),
    prices: Type.Array(Type.Number(), {
      description: "one for each leg, USD a contract of the protection",
    }),
    validUntil: Seconds("until when it can be accepted"),
    status: Type.Enum(["open", "filled", "ended", "lapsed"], {
      description: "ended: the request is done without it; lapsed: its time, or its maker's, is up",
    }),
    reserved: Type.Union([Type.String(), Type.Null()], {
      description: "USD of the maker's cash that it holds back while open; null to the requester",
    }),
  },
  { title: "RfqQuote" },
);

const RfqRecord = Type.Object(
  {
    ...summary,
    audience: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "addresses; null = every trader, and always to those who may quote",
    }),
    legs: Type.Array(
      Type.Object({
        marketId: Type.String({ description: "of the market, listed or not" }),
        index: Type.String(),
        place: Type.String(),
        measurementMonth: Type.String(),
        amount: Type.String({ description: "contracts" }),
      }),
      { description: "what trades together, 1 to 200 markets" },
    ),
    quotes: Type.Array(QuoteRecord, { description: "to the requester all, to a maker its own" }),
    counterparty: Type.Union([Type.String(), Type.Null()], {
      description: "of the block trade: the other side's address, where both show their names",
    }),
  },
  { title: "Rfq" },
);

const Block = Type.Object(
  {
    rfqId: Type.String(),
    quoteId: Type.String(),
    fills: Type.Array(
      Type.Object({
        id: Type.String(),
        marketId: Type.String(),
        price: Type.Number({ description: "of YES, USD a contract" }),
        amount: Type.String(),
      }),
      { description: "one a leg" },
    ),
  },
  { title: "BlockTrade" },
);

const seconds = (millis: number): number => Math.floor(millis / 1000);

function summaryOf(rfq: Rfq, { account }: KeyCaller): Static<typeof RfqSummary> {
  let total = 0n;
  for (const leg of rfq.legs) total += leg.amountLots;
  return {
    id: rfq.id,
    isOwn: rfq.accountId === account.id,
    side: rfq.side,
    legCount: rfq.legs.length,
    coverage: formatLots(lots(total)),
    openedAt: seconds(rfq.openedAtMillis),
    closesAt: seconds(rfq.closesAtMillis),
    status: rfq.status,
  };
}

const quoteRecord = (quote: RfqQuote, { account }: KeyCaller): Static<typeof QuoteRecord> => ({
  id: quote.id,
  rfqId: quote.rfqId,
  prices: quote.ticks.map(tickPrice),
  validUntil: seconds(quote.validUntilMillis),
  status: quote.status,
  reserved: quote.accountId === account.id ? formatMicros(quote.reservedMicros) : null,
});

const rfqRecord = (
  rfq: Rfq,
  quotes: readonly RfqQuote[],
  caller: KeyCaller,
  counterparty: string | null,
): Static<typeof RfqRecord> => ({
  ...summaryOf(rfq, caller),
  audience: rfq.accountId === caller.account.id && rfq.audience !== null ? [...rfq.audience] : null,
  legs: rfq.legs.map(({ listing: { marketId, terms }, amountLots: amount }) => ({
    marketId,
    index: terms.index,
    place: terms.nodeId,
    measurementMonth: formatMonth(terms.measurementMonth),
    amount: formatLots(amount),
  })),
  quotes: quotes.map((quote) => quoteRecord(quote, caller)),
  counterparty,
});

const standing: readonly ErrorCode[] = [
  "ROLE_NOT_TRADER",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PAYMENT_OVERDUE",
  "MARGIN_CALL",
  "IN_DEFAULT",
  "PROTECTION_TRIPPED",
];

/** Of the legs, where their markets are no longer as they were asked for. */
const ofLegs: readonly ErrorCode[] = [
  "RFQ_WINDOW",
  "MARKET_NOT_FOUND",
  "LISTING_STALE",
  "MARKET_CLOSED",
];

const ofSize: readonly ErrorCode[] = [
  "FUND_SHORT",
  "FINANCING_PRICE",
  "FINANCED_POSITION",
  "POSITION_LIMIT",
  "INSUFFICIENT_BALANCE",
];

const MOST_LISTED = 100;

const listRfqs = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url,
    access: "read:portfolio",
    summary: "Requests for quotes that the account made or may quote, the newest first",
    params: nothing,
    query: closed({
      before: Type.Optional(
        Type.String({
          pattern: "^rfq-[1-9][0-9]{0,14}$",
          description: `the last id of the ${MOST_LISTED} before`,
        }),
      ),
    }),
    data: Type.Array(RfqSummary),
    read: ({ caller, query }) => {
      const below =
        query.before === undefined ? Number.MAX_SAFE_INTEGER : rfqNumber(rfqId(query.before));
      const page = ports.view.rfqs.listFor(caller.account.id, below, MOST_LISTED);
      return { data: page.map((rfq) => summaryOf(rfq, caller)) };
    },
  });

const showRfq = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: oneUrl,
    access: "read:portfolio",
    summary: "A request for quotes with its legs, and the quotes that the caller may see",
    refusals: ["RFQ_NOT_FOUND"],
    params: named,
    query: nothing,
    data: RfqRecord,
    read: ({ caller, params }) => {
      const rfq = ports.view.rfqs.oneFor(caller.account.id, idOf(params));
      if (rfq === undefined) return refuse("RFQ_NOT_FOUND");
      const { id } = caller.account;
      const quotes = ports.view.rfqs.quotesShown(rfq, id);
      return { data: rfqRecord(rfq, quotes, caller, ports.view.rfqs.counterpartyOf(rfq, id)) };
    },
  });

const openRfq = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url,
    access: "create:orders",
    summary: "Asks for firm quotes of 1 to 200 legs, which trade together or not at all",
    refusals: [...standing, "RFQ_TIMES", "RFQ_LEGS", ...ofLegs, "RFQ_CAP"],
    costOf: itemsIn(MOST_LEGS, "legs"),
    params: nothing,
    body: NewRfq,
    data: RfqRecord,
    toCommand: ({ body }) => readRfq(body, ports),
    render: ({ events }, { caller }) => {
      const opened = events.find((event) => event.type === "RfqOpened");
      invariant(opened !== undefined, "a request that is taken is told");
      return { data: rfqRecord(opened.rfq, [], caller, null) };
    },
  });

const cancelRfq = (): Route =>
  trading.write({
    method: "DELETE",
    url: oneUrl,
    access: "cancel:orders",
    summary: "Cancels a request of the account; its quotes are over",
    refusals: ["RFQ_NOT_FOUND", "RFQ_DONE"],
    params: named,
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({ command: { type: "CancelRfq", rfqId: idOf(params) } }),
    render: () => done,
  });

const quoteRfq = (): Route =>
  trading.write({
    method: "POST",
    url: `${oneUrl}/quotes`,
    access: "create:orders",
    summary: "Quotes a request, firmly: no command takes the quote back",
    refusals: [
      ...standing,
      ...(["RFQ_NOT_FOUND", "RFQ_OWN", "RFQ_DONE", "RFQ_TIMES", "RFQ_LEGS"] as const),
      ...ofLegs,
      ...(["RFQ_QUOTED", "RFQ_CAP"] as const),
      ...ofSize,
    ],
    params: named,
    body: NewQuote,
    data: QuoteRecord,
    toCommand: ({ params, body }) => {
      const read = readPrices(body.prices);
      if ("refused" in read) return read;
      const terms = { ...read, validUntilMillis: body.validUntil * 1000 };
      const wish = nameWish(body.showName);
      return { command: { type: "QuoteRfq", rfqId: idOf(params), ...terms, ...wish } };
    },
    render: ({ events }, { caller }) => ({ data: quoteRecord(quotedIn(events), caller) }),
  });

const improveQuote = (): Route =>
  trading.write({
    method: "PATCH",
    url: `${url}/quotes/:quoteId`,
    access: "create:orders",
    summary: "Makes a quote better for its requester, in one leg at least and worse in none",
    refusals: [
      ...standing,
      ...(["RFQ_QUOTE_NOT_FOUND", "RFQ_DONE", "RFQ_TIMES", "RFQ_LEGS", "RFQ_NOT_BETTER"] as const),
      ...ofLegs,
      ...ofSize,
    ],
    params: quoteNamed,
    body: BetterQuote,
    data: QuoteRecord,
    toCommand: ({ params, body }) => {
      const read = readPrices(body.prices);
      if ("refused" in read) return read;
      const validUntilMillis = body.validUntil === undefined ? null : body.validUntil * 1000;
      return {
        command: { type: "ImproveQuote", quoteId: quoteIdOf(params), ...read, validUntilMillis },
      };
    },
    render: ({ events }, { caller }) => ({ data: quoteRecord(quotedIn(events), caller) }),
  });

const acceptRfq = (): Route =>
  trading.write({
    method: "POST",
    url: `${oneUrl}/accept`,
    access: "create:orders",
    summary: "Takes a quote: all legs are filled at its prices at once, or none is",
    refusals: [
      ...standing,
      ...(["RFQ_NOT_FOUND", "RFQ_QUOTE_NOT_FOUND", "RFQ_DONE"] as const),
      ...ofLegs,
      ...ofSize,
      "CLOSING_PRICE",
    ],
    params: named,
    body: closed({ quoteId: Type.String({ maxLength: 64, description: "of the quote to take" }) }),
    data: Block,
    toCommand: ({ params, body }) => ({
      command: { type: "AcceptRfq", rfqId: idOf(params), quoteId: quoteIdOf(body) },
    }),
    render: ({ events }) => {
      const ended = events.find((event) => event.type === "RfqEnded");
      invariant(ended !== undefined && ended.quoteId !== null, "a request that is filled is told");
      const fills = events.flatMap((event) => (event.type === "Filled" ? event.fill : []));
      return {
        data: {
          rfqId: ended.rfqId,
          quoteId: ended.quoteId,
          fills: fills.map(({ id, marketId, yesTick, amountLots }) => ({
            id,
            marketId,
            price: tickPrice(yesTick),
            amount: formatLots(amountLots),
          })),
        },
      };
    },
  });

function quotedIn(events: readonly Event[]): RfqQuote {
  const changed = events.find((event) => event.type === "RfqQuoteChanged");
  invariant(changed !== undefined, "a quote that is taken is told");
  return changed.quote;
}

export const rfqReads = (ports: Pick<TradingPorts, "view">): readonly [list: Route, one: Route] => [
  listRfqs(ports),
  showRfq(ports),
];

export const rfqRoutes = (ports: TradingPorts): readonly Route[] => [
  ...rfqReads(ports),
  openRfq(ports),
  cancelRfq(),
  quoteRfq(),
  improveQuote(),
  acceptRfq(),
];
