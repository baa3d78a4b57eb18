// GET /api/calendar: what is going to happen, and what should have happened by now.
// Invariant: each line follows from durable records and the exchange's clock; markets that share a
// date are one line.
import { type Static, Type } from "typebox";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { formatMonth } from "#base/month.ts";
import { fallbackAtMillis, isLive, tradingEndsAtMillis } from "#core/market/life.ts";
import { windowEndsAtMillis } from "#core/market/window-times.ts";
import type { AcceptedRelease, Market } from "#core/records.ts";
import type { Engine } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { nextPublication } from "./next-publication.ts";
import { pageOf, pageQuery, pageSiblings } from "./paging.ts";

export interface CalendarPorts {
  readonly exchange: ExchangeView;
  readonly engine: Pick<Engine, "status">;
}

const COST = 5;

const kinds = [
  "publication",
  "trading_closes",
  "print",
  "fallback",
  "payout",
  "release_window",
] as const;

const CalendarItem = Type.Object(
  {
    kind: Type.Enum([...kinds], {
      description:
        "publication: of the next month of an index; trading_closes: orders are refused from " +
        "then on; print: markets wait for it; fallback: their print is given up; payout: the " +
        "dispute window ends; release_window: orders match again at the latest",
    }),
    at: Type.String({ description: "when, ISO 8601" }),
    overdue: Type.Boolean({ description: "the day has come, and what it was to bring has not" }),
    index: Type.Enum([...indexKinds]),
    level: Type.Union([Type.String(), Type.Null()], { description: "of a publication" }),
    month: Type.Union([Type.String(), Type.Null()], {
      description: "the month published or measured; null of a release window",
    }),
    markets: Type.Integer({ description: "how many markets of this exchange wait for it" }),
  },
  { title: "CalendarItem" },
);
type CalendarItem = Static<typeof CalendarItem>;

export const showCalendar = (ports: CalendarPorts): Route =>
  publicData.read({
    url: "/api/calendar",
    access: "public",
    summary: "Publications, closings, prints and payouts to come, the earliest first",
    cost: COST,
    params: nothing,
    query: closed({
      index: Type.Optional(Type.Enum([...indexKinds])),
      kind: Type.Optional(Type.Enum([...kinds])),
      ...pageQuery,
    }),
    data: Type.Array(CalendarItem),
    siblings: pageSiblings,
    read: ({ query }) => {
      const all = calendarOf(ports.exchange, ports.engine.status().engineTimeMillis).filter(
        ({ index, kind }) =>
          (query.index === undefined || index === query.index) &&
          (query.kind === undefined || kind === query.kind),
      );
      const { items, siblings } = pageOf(all, query);
      return { data: items, siblings };
    },
  });

interface Line extends Pick<CalendarItem, "kind" | "index" | "level" | "month"> {
  readonly atMillis: number;
  readonly isOverdue: boolean;
}

function calendarOf(exchange: ExchangeView, nowMillis: number): readonly CalendarItem[] {
  const lines = new Map<string, Line>();
  const counts = new Map<string, number>();
  const count = (name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const market of exchange.markets.values()) {
    for (const line of linesOf(market, nowMillis)) {
      const name = nameOf(line);
      lines.set(name, line);
      count(name);
    }
    if (!isLive(market.status)) continue;
    const { index, nodeId, measurementMonth } = market.terms;
    count(index);
    count(`${index}|${exchange.geo.get(nodeId)?.level}|${formatMonth(measurementMonth)}`);
  }
  for (const line of publications(exchange, nowMillis)) {
    const { index, level, month } = line;
    lines.set(nameOf(line), line);
    counts.set(nameOf(line), counts.get(`${index}|${level}|${month}`) ?? 0);
  }
  for (const window of exchange.waiting.windows.values()) {
    const { index, isOverdue } = window;
    const atMillis = windowEndsAtMillis(window);
    if (atMillis === undefined) continue;
    const line: Line = { ...wholeIndex(index), atMillis, isOverdue };
    lines.set(nameOf(line), line);
    counts.set(nameOf(line), counts.get(index) ?? 0);
  }
  return [...lines.values()].sort(byTime).map((line) => {
    const { atMillis, isOverdue: overdue, ...rest } = line;
    const at = new Date(atMillis).toISOString();
    return { ...rest, at, overdue, markets: counts.get(nameOf(line)) ?? 0 };
  });
}

const wholeIndex = (index: IndexKind) =>
  ({ kind: "release_window", index, level: null, month: null }) as const;

const nameOf = ({ kind, index, level, month, atMillis }: Line): string =>
  [kind, index, level, month, atMillis].join("|");

const byTime = (a: Line, b: Line): number =>
  a.atMillis - b.atMillis || (nameOf(a) < nameOf(b) ? -1 : 1);

function linesOf(market: Market, nowMillis: number): readonly Line[] {
  const { terms, status, tradingClosed, resolution, dispute } = market;
  const of = { index: terms.index, level: null, month: formatMonth(terms.measurementMonth) };
  if (status === "RESOLVED" && resolution !== null && dispute === null) {
    const atMillis = resolution.disputeWindowEndsAtMillis;
    return [{ kind: "payout", ...of, atMillis, isOverdue: atMillis <= nowMillis }];
  }
  if (!isLive(status)) return [];
  const closes = { kind: "trading_closes" as const, ...of, isOverdue: false };
  const { expectedAtMillis } = terms;
  const isLate = expectedAtMillis <= nowMillis;
  const fallback = { kind: "fallback" as const, ...of, atMillis: fallbackAtMillis(terms) };
  return [
    ...(tradingClosed ? [] : [{ ...closes, atMillis: tradingEndsAtMillis(terms) }]),
    { kind: "print", ...of, atMillis: expectedAtMillis, isOverdue: isLate },
    ...(isLate ? [{ ...fallback, isOverdue: fallback.atMillis <= nowMillis }] : []),
  ];
}

/** Of each index and level the next one, after the newest month that was released. */
function publications(exchange: ExchangeView, nowMillis: number): readonly Line[] {
  const newest = new Map<string, AcceptedRelease>();
  for (const release of exchange.releases.values()) {
    const name = `${release.index}|${release.level}|${release.variable}`;
    const known = newest.get(name);
    if (known === undefined || known.lastMonth <= release.lastMonth) newest.set(name, release);
  }
  return [...newest.values()].flatMap((release) => {
    const next = nextPublication(release, release.lastMonth);
    if (next === undefined) return [];
    const { index, level } = release;
    const { atMillis } = next;
    const of = { kind: "publication" as const, index, level, month: formatMonth(next.month) };
    return [{ ...of, atMillis, isOverdue: atMillis <= nowMillis }];
  });
}
