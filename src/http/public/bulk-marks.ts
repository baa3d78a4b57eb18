// GET /api/history/marks: the days of many markets, each with its last mark and what was traded.
// Invariant: a page of days is read once the reader has taken those before it; a day stands once.
import { type Static, Type } from "typebox";
import { DAY_MILLIS } from "#base/day.ts";
import { indexKinds } from "#base/index-kind.ts";
import { addMonths, formatMonth, type Month, monthEndMillis } from "#base/month.ts";
import { formatLots, lots } from "#base/quantity.ts";
import type { Market } from "#core/records.ts";
import type { MarketHistory } from "#engine/market-history.ts";
import { tableText, tableTypes } from "../records/table-text.ts";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { type HistoryScope, historyQuery, scopeAsked } from "./history-scope.ts";
import { LAST_DAY, type MarketHistoryPorts, Price, shownPrice } from "./market-history.ts";

const COST = 10;
/** Markets asked for in one statement, and days a page: some hundred KB. */
const MARKETS = 200;
const PAGE = 1_000;

const MarketDay = Type.Object(
  {
    marketId: Type.String(),
    index: Type.Enum([...indexKinds]),
    nodeId: Type.String(),
    measurementMonth: Type.String(),
    day: Type.String({ description: "YYYY-MM-DD, UTC" }),
    mark: Type.Union([Type.Number(), Type.Null()], {
      description: "the last of the day, of YES; null, in CSV empty, where the one before holds",
    }),
    open: Price,
    high: Price,
    low: Price,
    close: Price,
    volume: Type.String({ description: "contracts, a decimal; trades that were undone left out" }),
    trades: Type.Integer(),
  },
  { title: "MarketDay" },
);

export const listBulkMarks = (ports: MarketHistoryPorts): Route =>
  publicData.read({
    url: "/api/history/marks",
    access: "public",
    summary: "The days of many markets, by market and day, with marks and what was traded",
    refusals: ["NOT_FOUND", "RATE_LIMITED", "OVERLOADED"],
    cost: COST,
    costsBytes: true,
    params: nothing,
    query: closed(historyQuery),
    data: Type.Array(MarketDay),
    otherTypes: tableTypes,
    read: ({ query, accept }) => {
      const scope = scopeAsked(ports, query);
      if ("refused" in scope) return scope;
      const table = {
        columns: Object.keys(MarketDay.properties),
        rows: daysIn(ports, scope),
        fileName: `marks-${scope.index}`,
      };
      return tableText(table, query.format, accept);
    },
  });

const firstDayOf = (month: Month): number => monthEndMillis(addMonths(month, -1)) / DAY_MILLIS;

async function* daysIn(
  { exchange, marketHistory }: MarketHistoryPorts,
  { index, from, to, has }: HistoryScope,
): AsyncGenerator<Static<typeof MarketDay>> {
  const markets = [...exchange.markets.values()]
    .filter(({ terms }) => terms.index === index && has(terms.nodeId))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const since = from === undefined ? 0 : firstDayOf(from);
  const below = to === undefined ? LAST_DAY : firstDayOf(addMonths(to, 1));
  for (let at = 0; at < markets.length; at += MARKETS) {
    const some = new Map(markets.slice(at, at + MARKETS).map((market) => [market.id, market]));
    for await (const day of marketHistory.daysOfAll([...some.keys()], since, below, PAGE)) {
      const market = some.get(day.market);
      if (market !== undefined) yield rowOf(market, day);
    }
  }
}

type DayOfOne =
  ReturnType<MarketHistory["daysOfAll"]> extends AsyncGenerator<infer Day> ? Day : never;

const rowOf = (
  { id, terms }: Market,
  { day, mark, traded }: DayOfOne,
): Static<typeof MarketDay> => ({
  marketId: id,
  index: terms.index,
  nodeId: terms.nodeId,
  measurementMonth: formatMonth(terms.measurementMonth),
  day: new Date(day * DAY_MILLIS).toISOString().slice(0, 10),
  mark: shownPrice(mark),
  open: shownPrice(traded?.open),
  high: shownPrice(traded?.high),
  low: shownPrice(traded?.low),
  close: shownPrice(traded?.close),
  volume: formatLots(traded?.lots ?? lots(0n)),
  trades: traded?.trades ?? 0,
});
