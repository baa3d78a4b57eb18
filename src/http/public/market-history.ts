// GET /api/markets/:id/history: a market's days or months as candles, with the last mark of each.
// Invariant: a page costs what it holds, however much was traded; pages followed by their cursors
// hold each period once.
import { type Static, Type } from "typebox";
import { DAY_MILLIS } from "#base/day.ts";
import {
  addMonths,
  formatMonth,
  type Month,
  monthAt,
  monthEndMillis,
  parseMonth,
} from "#base/month.ts";
import { type Tick, tickPrice } from "#base/price.ts";
import { formatLots, lots } from "#base/quantity.ts";
import type { MarketHistory } from "#engine/market-history.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { parseInstant } from "../admin/instant.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";

export interface MarketHistoryPorts {
  readonly exchange: ExchangeView;
  readonly marketHistory: Pick<MarketHistory, "daysOf" | "daysOfAll">;
}

const DEFAULT_LIMIT = 90;
const MAX_LIMIT = 200;
const MOST_DAYS_A_MONTH = 31;

export const Price = Type.Union([Type.Number(), Type.Null()], {
  description: "of YES, USD a contract; null where nothing was traded",
});

const Candle = Type.Object(
  {
    period: Type.String({ description: "a day YYYY-MM-DD or a month YYYY-MM, UTC" }),
    open: Price,
    high: Price,
    low: Price,
    close: Price,
    volume: Type.String({ description: "contracts, a decimal; trades that were undone left out" }),
    trades: Type.Integer(),
    mark: Type.Union([Type.Number(), Type.Null()], {
      description: "the last of the period; null where it brought none and the one before holds",
    }),
  },
  { title: "Candle" },
);

type CountedDay = Awaited<ReturnType<MarketHistory["daysOf"]>>["days"][number];

export const showMarketHistory = (ports: MarketHistoryPorts): Route =>
  publicData.read({
    url: "/api/markets/:id/history",
    access: "public",
    summary: "A market's trades by day or month, with its marks, newest first",
    refusals: ["MARKET_NOT_FOUND", "OVERLOADED"],
    cost: 2,
    params: Type.Object({ id: Type.String() }),
    query: closed({
      interval: Type.Optional(Type.Enum(["day", "month"], { default: "day" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
      ),
      cursor: Type.Optional(
        Type.String({ maxLength: 10, description: "the nextCursor of the page before" }),
      ),
    }),
    data: Type.Array(Candle),
    siblings: {
      nextCursor: Type.Union([Type.String(), Type.Null()]),
      sequence: Type.Integer({ description: "the journal entry that the page is counted through" }),
    },
    read: async ({ params, query }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      const { interval = "day", limit = DEFAULT_LIMIT, cursor } = query;
      const below = cursor === undefined ? Number.MAX_SAFE_INTEGER : firstDay[interval](cursor);
      if (below === undefined) return invalidField("cursor", "must be the nextCursor of a page");
      const most = limit * (interval === "day" ? 1 : MOST_DAYS_A_MONTH) + 1;
      const upTo = Math.min(below, LAST_DAY);
      const { days, sequence } = await ports.marketHistory.daysOf(market.id, upTo, most);
      const periods = [...grouped(days, interval)];
      const shown = periods.slice(0, limit);
      const isMore = periods.length > limit;
      return {
        data: shown.map(([period, of]) => candleOf(period, of)),
        siblings: { nextCursor: isMore ? (shown.at(-1)?.[0] ?? null) : null, sequence },
      };
    },
  });

/** Beyond every day that the exchange's clock can show. */
export const LAST_DAY = 2 ** 31 - 1;

/** The first day of the period a cursor names. */
const firstDay = {
  day: (text: string): number | undefined => {
    const millis = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseInstant(text) : undefined;
    return millis === undefined ? undefined : millis / DAY_MILLIS;
  },
  month: (text: string): number | undefined => {
    const month = parseMonth(text);
    return month === undefined ? undefined : startOf(month) / DAY_MILLIS;
  },
};

const startOf = (month: Month): number => monthEndMillis(addMonths(month, -1));

/** By period, the newest first; the days of each, the newest first. */
function grouped(
  days: readonly CountedDay[],
  interval: "day" | "month",
): Map<string, CountedDay[]> {
  const periods = new Map<string, CountedDay[]>();
  for (const one of days) {
    const millis = one.day * DAY_MILLIS;
    const period =
      interval === "day"
        ? new Date(millis).toISOString().slice(0, 10)
        : formatMonth(monthAt(millis));
    const of = periods.get(period) ?? [];
    of.push(one);
    periods.set(period, of);
  }
  return periods;
}

function candleOf(period: string, days: readonly CountedDay[]): Static<typeof Candle> {
  const traded = days.flatMap((day) => day.traded ?? []);
  const mark = days.find((day) => day.mark !== null)?.mark;
  return {
    period,
    open: shownPrice(traded.at(-1)?.open),
    high: shownPrice(
      traded
        .map(({ high }) => high)
        .sort(rising)
        .at(-1),
    ),
    low: shownPrice(
      traded
        .map(({ low }) => low)
        .sort(rising)
        .at(0),
    ),
    close: shownPrice(traded.at(0)?.close),
    volume: formatLots(lots(traded.reduce((sum, one) => sum + one.lots, 0n))),
    trades: traded.reduce((sum, { trades }) => sum + trades, 0),
    mark: shownPrice(mark),
  };
}

const rising = (a: Tick, b: Tick): number => a - b;

export const shownPrice = (tick: Tick | null | undefined): number | null =>
  tick === null || tick === undefined ? null : tickPrice(tick);
