// GET /api/markets/:id/book: what rests in a market's one book, by price level, best first.
// Invariant: the levels are those of one sequence; YES and NO are one book, in prices of YES.
import { type Static, Type } from "typebox";
import { TICKS_PER_USD, type Tick, tickPrice } from "#base/price.ts";
import { formatLots, lots } from "#base/quantity.ts";
import type { Depth } from "#core/book/book.ts";
import type { Market } from "#core/records.ts";
import type { Engine } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";

export interface BookPorts {
  readonly exchange: ExchangeView;
  readonly engine: Pick<Engine, "status">;
}

const DEFAULT_DEPTH = 20;
const MAX_DEPTH = 100;

/** A reader sees that there is enough; the free cash of a maker is its own affair. */
const SHOWN_LOTS = lots(1_000_000n);

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

const Levels = Type.Array(
  Type.Object(
    {
      price: Type.Number({ description: "of YES, USD a contract; of NO it is 1 less this" }),
      amount: Type.String({ description: "contracts that rest there, a decimal" }),
      orders: Type.Integer({ description: "how many orders they are" }),
    },
    { title: "BookLevel" },
  ),
);

const OfferedLevels = Type.Array(
  Type.Object(
    {
      price: Type.Number({ description: "of YES, USD a contract" }),
      amount: Type.String({
        description: `contracts, a decimal; of each mandate ${formatLots(SHOWN_LOTS)} at most`,
      }),
    },
    { title: "OfferedLevel" },
  ),
);

export const BookShape = Type.Object(
  {
    marketId: Type.String(),
    frontendId: Type.String(),
    sequence: Type.Integer({ description: "the journal entry after which it is so" }),
    bids: Levels,
    asks: Levels,
    bestBid: NumberOrNull,
    bestAsk: NumberOrNull,
    spread: NumberOrNull,
    model: Type.Object(
      { bids: OfferedLevels, asks: OfferedLevels },
      { description: "what mandates give beside it, at the mark and their spreads" },
    ),
  },
  { title: "Book" },
);

export const showBook = (ports: BookPorts): Route =>
  publicData.read({
    url: "/api/markets/:id/book",
    access: "public",
    isHot: true,
    summary: "A market's resting orders by price level, YES and NO in one book",
    refusals: ["MARKET_NOT_FOUND"],
    params: Type.Object({ id: Type.String() }),
    query: closed({
      depth: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_DEPTH,
          default: DEFAULT_DEPTH,
          description: `levels a side, 1 to ${MAX_DEPTH}`,
        }),
      ),
    }),
    data: BookShape,
    read: ({ params, query }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      return { data: bookOf(ports, market, query.depth ?? DEFAULT_DEPTH) };
    },
  });

export function bookOf(ports: BookPorts, market: Market, depth: number): Static<typeof BookShape> {
  const book = ports.exchange.book(market.id);
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  return {
    marketId: market.id,
    frontendId: market.frontendId,
    sequence: ports.engine.status().durableSequence,
    bids: levels(book.bids(), depth),
    asks: levels(book.asks(), depth),
    bestBid: priceOrNull(bid),
    bestAsk: priceOrNull(ask),
    spread: bid === undefined || ask === undefined ? null : (ask - bid) / TICKS_PER_USD,
    model: {
      bids: offered(ports, market, false, depth),
      asks: offered(ports, market, true, depth),
    },
  };
}

function offered(ports: BookPorts, market: Market, incomingBuysYes: boolean, depth: number) {
  const now = ports.engine.status().engineTimeMillis;
  const levels = ports.exchange.offeredLevels(market, incomingBuysYes, SHOWN_LOTS, now);
  const shown: { price: number; amount: string }[] = [];
  for (const { tick, lots: amount } of levels) {
    if (shown.length === depth) break;
    shown.push({ price: tickPrice(tick), amount: formatLots(amount) });
  }
  return shown;
}

const priceOrNull = (tick: Tick | undefined): number | null =>
  tick === undefined ? null : tickPrice(tick);

function levels(side: Iterable<Depth>, depth: number) {
  const shown: { price: number; amount: string; orders: number }[] = [];
  for (const { tick, lots: amount, orders } of side) {
    if (shown.length === depth) break;
    shown.push({ price: tickPrice(tick), amount: formatLots(amount), orders });
  }
  return shown;
}
