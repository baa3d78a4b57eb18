// POST /api/trading/quotes/mass: up to 200 two-sided quotes, each in place of what rests there.
// Invariant: each quote is answered for itself, in its place; a market is named once.
import { type Static, Type } from "typebox";
import { type MarketId, marketId } from "#base/ids.ts";
import type { CommandOf } from "#core/command.ts";
import type { EventOf } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { newestIn, refusalsIn } from "#core/order/orders-in-events.ts";
import { type MarketQuote, type QuotedSide, type QuoteSide, sidesOf } from "#core/order/quoted.ts";
import type { Order } from "#core/records.ts";
import { errorTable, invalidField, problemOf, type Refused } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { atIndex } from "./batch-input.ts";
import {
  expected,
  OrderBody,
  orderRefusals,
  refuseMilliseconds,
  sentAmount,
  sentPrice,
} from "./order-input.ts";
import { OrderRecord } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";

const MOST_QUOTES = 200;

const {
  marketId: MarketName,
  price,
  amount,
  expiry,
  cancelOnRelease,
  group,
} = OrderBody.properties;
const Side = closed({ price, amount }, { title: "QuoteSide" });
const SideSent = (which: string) =>
  Type.Optional(
    Type.Union([Side, Type.Null()], { description: `${which}; null or left out = none` }),
  );
const Quote = closed(
  {
    marketId: MarketName,
    bid: SideSent("what YES is bought at"),
    ask: SideSent("what YES is sold at"),
    expiry,
    cancelOnRelease,
    group,
  },
  { title: "QuoteInput" },
);
type Quote = Static<typeof Quote>;

const { status, cancelReason } = OrderRecord.properties;
const Placed = Type.Union(
  [Type.Object({ orderId: Type.String(), status, cancelReason }), Type.Null()],
  { description: "the order of this side; null where none was sent, or the quote was refused" },
);
const Answer = Type.Object(
  {
    marketId: Type.String({ description: "as it was sent" }),
    bid: Placed,
    ask: Placed,
    error: Type.Union([
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        field: Type.Union([Type.String(), Type.Null()]),
      }),
      Type.Null(),
    ]),
  },
  { title: "QuoteAnswered" },
);

export const massQuote = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/quotes/mass",
    access: "create:orders",
    isHot: true,
    summary: "Quotes up to 200 markets at once, each in place of what the account rests there",
    refusals: orderRefusals,
    costOf: sidesSent,
    params: nothing,
    body: closed({ quotes: Type.Array(Quote, { minItems: 1, maxItems: MOST_QUOTES }) }),
    data: Type.Object({ quotes: Type.Array(Answer), cancelledCount: Type.Integer() }),
    toCommand: ({ body }) => readQuotes(body.quotes, ports),
    render: ({ events }, { caller, body }) => {
      const refusals = refusalsIn(events);
      const sent = body.quotes.map(({ bid = null, ask = null }) => ({ bid, ask }));
      const sides = sent.flatMap((quote, at) =>
        refusals.has(at) ? [] : sidesOf(quote).map((side) => ({ at, side })),
      );
      const orders = newestIn(events, sides.length);
      const placed = (at: number, side: QuoteSide) =>
        placedShown(orders[sides.findIndex((one) => one.at === at && one.side === side)]);
      const quotes = body.quotes.map((quote, at) => ({
        marketId: quote.marketId,
        bid: placed(at, "bid"),
        ask: placed(at, "ask"),
        error: errorShown(refusals.get(at)),
      }));
      const gone = events.flatMap((event) =>
        event.type === "OrderChanged" &&
        event.order.cancelReason === "REQUESTED" &&
        event.order.accountId === caller.account.id
          ? event.order.id
          : [],
      );
      return { data: { quotes, cancelledCount: gone.length } };
    },
  });

const placedShown = (order: Order | undefined): Static<typeof Placed> =>
  order === undefined
    ? null
    : {
        orderId: order.id,
        status: order.status,
        ...(order.cancelReason === null ? {} : { cancelReason: order.cancelReason }),
      };

function errorShown(refused: EventOf<"QuoteRefused"> | undefined) {
  if (refused === undefined) return null;
  const { code, message = errorTable[code].message, field } = problemOf(refused.rejection);
  const isOfSide = refused.side !== null && (field === "price" || field === "amount");
  return { code, message, field: isOfSide ? `${refused.side}.${field}` : (field ?? null) };
}

function readQuotes(
  sent: readonly Quote[],
  ports: TradingPorts,
): { readonly command: CommandOf<"MassQuote"> } | Refused {
  const quotes = new Map<MarketId, MarketQuote>();
  const listings: Listing[] = [];
  for (const [index, body] of sent.entries()) {
    const market = ports.view.marketByAnyId(body.marketId);
    const listing = market === undefined ? ports.listingFor(body.marketId) : undefined;
    const read = readQuote(body, market?.id ?? listing?.marketId ?? marketId(body.marketId));
    if ("refused" in read) return atIndex(read.refused, index, "quotes");
    if (quotes.has(read.marketId)) {
      const { refused } = invalidField("marketId", "names a market that is quoted above it");
      return atIndex(refused, index, "quotes");
    }
    quotes.set(read.marketId, read);
    if (listing !== undefined) listings.push(listing);
  }
  return { command: { type: "MassQuote", quotes: [...quotes.values()], listings } };
}

function readQuote(body: Quote, market: MarketId): MarketQuote | Refused {
  const { expiry: expirySeconds = 0 } = body;
  const tooLate = refuseMilliseconds(expirySeconds);
  if (tooLate !== undefined) return tooLate;
  const bid = readSide(body.bid ?? null, "bid");
  if (bid !== null && "refused" in bid) return bid;
  const ask = readSide(body.ask ?? null, "ask");
  if (ask !== null && "refused" in ask) return ask;
  const flag = body.cancelOnRelease === true ? ({ cancelOnRelease: true } as const) : {};
  const group = body.group === undefined ? {} : { group: body.group };
  return { marketId: market, bid, ask, expirySeconds, ...flag, ...group };
}

function readSide(body: Static<typeof Side> | null, side: QuoteSide): QuotedSide | null | Refused {
  if (body === null) return null;
  const read = sentPrice(body);
  if (read === undefined) return invalidField(`${side}.price`, expected("price"));
  const amountLots = sentAmount(body);
  if (amountLots === undefined) return invalidField(`${side}.amount`, expected("amount"));
  return { priceTick: read.tick, amountLots };
}

/** A unit an order, before the shape of the body is known; one that takes back costs one too. */
function sidesSent(body: unknown): number {
  const quotes: unknown = typeof body === "object" && body !== null && Reflect.get(body, "quotes");
  if (!Array.isArray(quotes)) return 1;
  const units = quotes
    .slice(0, MOST_QUOTES)
    .reduce((sum: number, quote: unknown) => sum + (isTwoSided(quote) ? 2 : 1), 0);
  return Math.max(units, 1);
}

const isTwoSided = (quote: unknown): boolean =>
  typeof quote === "object" &&
  quote !== null &&
  ["bid", "ask"].every((side) => (Reflect.get(quote, side) ?? null) !== null);
