// A maker's desk: open markets, with what the account quotes, holds and instructs there.
// Invariant: a market is one row, with all that the account rests in it; its own come first.
import { answered, type Schemas } from "@firstprint/sdk";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";
import { nameOf, placesOf } from "./places.ts";
import { isBid } from "./rule.ts";

type Market = Schemas["Market"];
type Order = Schemas["Order"];

export interface Row {
  readonly market: Market;
  /** "78704, TX". */
  readonly name: string;
  /** Its postal code; undefined where the exchange knows no such place. */
  readonly state: string | undefined;
  /** The best prices and the contracts that the account rests, in terms of the protection. */
  readonly bid: Resting | undefined;
  readonly ask: Resting | undefined;
  /** Contracts; below zero where protection was sold. */
  readonly position: number;
  /** Dollars that the resting quotes earn beyond the mark if all of them fill. */
  readonly edge: number;
}

interface Resting {
  readonly price: number;
  readonly amount: number;
  /** Beyond the mark, each at its own price. */
  readonly edge: number;
}

export interface Filter {
  readonly index: "" | "zhvi" | "zori" | "vacancy" | "weather";
  readonly text: string;
}

const MARKET_PAGE = 100;
const MOST_MARKETS = 1_000;
const OWN_PAGE = 200;
/** An account has at most a thousand open orders. */
const MOST_OWN = 1_000;

async function openMarkets({ index, text }: Filter) {
  const markets: Market[] = [];
  let closed = 0;
  for (let page = 1; ; page += 1) {
    const query = {
      ...({ status: "ACTIVE", page, limit: MARKET_PAGE } as const),
      ...(index === "" ? {} : { index }),
      ...(text === "" ? {} : { text }),
    };
    const { data, pagination } = await answered(
      exchange.value.GET("/api/markets", { params: { query } }),
    );
    const open = data.filter(({ tradingClosed }) => !tradingClosed);
    closed += data.length - open.length;
    markets.push(...open);
    const isLast = !pagination.hasMore || page * MARKET_PAGE >= MOST_MARKETS;
    if (isLast) return { markets, total: pagination.total - closed };
  }
}

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

type PageQuery = { readonly limit: number; readonly cursor?: string };

/** Every page of a list of the account's own. */
async function all<T>(read: (query: PageQuery) => Promise<Page<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  for (let query: PageQuery = { limit: OWN_PAGE }; ; ) {
    const { data, nextCursor } = await read(query);
    items.push(...data);
    if (nextCursor === null || items.length >= MOST_OWN) return items;
    query = { limit: OWN_PAGE, cursor: nextCursor };
  }
}

const ordersOf = (status: "OPEN" | "PARTIALLY_FILLED") =>
  all((page) => {
    const query = { ...page, status };
    return answered(exchange.value.GET("/api/trading/orders", { params: { query } }));
  });

const heldNow = () =>
  all((page) => {
    const query = { ...page, held: true };
    return answered(exchange.value.GET("/api/trading/positions", { params: { query } }));
  });

async function readDesk(filter: Filter) {
  const ask = exchange.value;
  const [found, whole, part, positions, mandates, account] = await Promise.all([
    openMarkets(filter),
    ordersOf("OPEN"),
    ordersOf("PARTIALLY_FILLED"),
    heldNow(),
    answered(ask.GET("/api/trading/mandates")),
    answered(ask.GET("/api/trading/account")),
  ]);
  const orders = [...whole, ...part];
  const places = await placesOf(found.markets.map(({ geoNodeId }) => geoNodeId));
  const held = new Map(positions.map((one) => [one.marketId, Number(one.amount)]));
  const rows = found.markets.map((market): Row => {
    const own = orders.filter(({ marketId }) => marketId === market.id);
    const place = places.get(market.geoNodeId);
    const bid = best(own, true, market.mark);
    const ask = best(own, false, market.mark);
    return {
      ...{ market, bid, ask, name: nameOf(market.geoNodeId, place), state: place?.stateCode },
      position: held.get(market.id) ?? 0,
      edge: (bid?.edge ?? 0) + (ask?.edge ?? 0),
    };
  });
  const isOwn = ({ bid, ask: offer, position }: Row): boolean =>
    bid !== undefined || offer !== undefined || position !== 0;
  return {
    rows: [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))],
    total: found.total,
    orders,
    mandates: mandates.data,
    account: account.data,
  };
}

export const desk = new Question(readDesk, { everySeconds: 20, isPrivate: true });

function best(orders: readonly Order[], bids: boolean, mark: number): Resting | undefined {
  const side = orders
    .filter((one) => isBid(one) === bids)
    .map(({ price, amount, filledAmount, outcomeIndex }) => ({
      price: outcomeIndex === 0 ? price : 1 - price,
      open: Number(amount) - Number(filledAmount),
    }));
  if (side.length === 0) return undefined;
  const prices = side.map(({ price }) => price);
  const sum = (of: (one: (typeof side)[number]) => number): number =>
    side.reduce((total, one) => total + of(one), 0);
  return {
    price: bids ? Math.max(...prices) : Math.min(...prices),
    amount: sum(({ open }) => open),
    edge: sum(({ price, open }) => open * (bids ? mark - price : price - mark)),
  };
}
