// GET /api/markets/:id/trades: a market's tape, newest first, read from the journal.
// Invariant: pages followed by their cursors show each trade once, whatever is traded meanwhile.
import { type Static, Type } from "typebox";
import { DAY_MILLIS } from "#base/day.ts";
import type { MarketId } from "#base/ids.ts";
import { commands } from "#core/command-table.ts";
import { actionSubject } from "#core/names.ts";
import { type Entry, isRejected, type Outcome } from "#core/outcome.ts";
import type { Fill } from "#core/records.ts";
import type { History } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { tapeLine } from "#views/public-events.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";

export interface TradesPorts {
  readonly exchange: ExchangeView;
  readonly history: TapeSource;
}

type TapeSource = Pick<History, "touching">;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const Trade = Type.Object(
  {
    id: Type.String(),
    price: Type.Number({ description: "of YES, USD a contract" }),
    amount: Type.String({ description: "contracts, a decimal" }),
    side: Type.Enum(["BUY", "SELL"], { description: "what the taker did with YES" }),
    timestamp: Type.String(),
    sequence: Type.Integer({ description: "the journal entry it was made in" }),
    block: Type.Optional(
      Type.String({ description: "the request for quotes that this leg was agreed on by" }),
    ),
    busted: Type.Optional(
      Type.Literal(true, { description: "present of a trade that was undone: it does not count" }),
    ),
  },
  { title: "Trade" },
);

export const listTrades = (ports: TradesPorts): Route =>
  publicData.read({
    url: "/api/markets/:id/trades",
    access: "public",
    summary: "A market's trades, newest first",
    refusals: ["MARKET_NOT_FOUND", "OVERLOADED"],
    params: Type.Object({ id: Type.String() }),
    query: closed({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
      ),
      cursor: Type.Optional(
        Type.String({ maxLength: 64, description: "the nextCursor of the page before" }),
      ),
    }),
    data: Type.Array(Trade),
    siblings: { nextCursor: Type.Union([Type.String(), Type.Null()]) },
    read: async ({ params, query }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      const from = query.cursor === undefined ? newest : placeOf(query.cursor);
      if (from === undefined) return invalidField("cursor", "must be the nextCursor of a page");
      const { limit = DEFAULT_LIMIT } = query;
      const found = await tradesBefore(ports.history, market.id, from, limit + 1);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return {
        data: await withBusts(ports.history, market.id, shown),
        siblings: { nextCursor: isMore ? cursorOf(last.place) : null },
      };
    },
  });

/** A trade's place on the tape: its entry, and which of the entry's fills in the market it is. */
interface TapePlace {
  readonly sequence: number;
  readonly fill: number;
}

interface TapedTrade {
  /** Only one that was off the reference can have been busted. */
  readonly isStray: boolean;
  readonly place: TapePlace;
  readonly trade: Static<typeof Trade>;
}

const newest: TapePlace = { sequence: Number.MAX_SAFE_INTEGER - 1, fill: 0 };

const cursorOf = ({ sequence, fill }: TapePlace): string => `${sequence}.${fill}`;

function placeOf(cursor: string): TapePlace | undefined {
  const [, sequence, fill] = /^([1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,8})$/.exec(cursor) ?? [];
  return sequence === undefined || fill === undefined
    ? undefined
    : { sequence: Number(sequence), fill: Number(fill) };
}

/** Newest first. Few entries of a market hold no trade, so that a page is one read or two. */
async function tradesBefore(
  history: TapeSource,
  market: MarketId,
  from: TapePlace,
  wanted: number,
): Promise<readonly TapedTrade[]> {
  const found: TapedTrade[] = [];
  let before = from.sequence + 1;
  while (found.length < wanted) {
    const range = { subjects: [market], after: 0, before, order: "newest" } as const;
    const entries = await history.touching(range, wanted);
    for (const entry of entries) found.push(...tradesOf(entry, market, from));
    const oldest = entries.at(-1);
    if (oldest === undefined || entries.length < wanted) break;
    before = oldest.sequence;
  }
  return found.slice(0, wanted);
}

/** An entry's trades in the market that stand before a place, newest first. */
function tradesOf({ sequence, outcome }: Entry, market: MarketId, from: TapePlace): TapedTrade[] {
  const events = isRejected(outcome) ? [] : outcome.events;
  const fills = events.flatMap((event) =>
    event.type === "Filled" && event.fill.marketId === market ? event.fill : [],
  );
  const strays = new Set(
    events.flatMap((event) => (event.type === "FillStrayed" ? event.stray.fill.id : [])),
  );
  const all = fills.map((fill, at) => ({
    isStray: strays.has(fill.id),
    place: { sequence, fill: at },
    trade: tradeOf(fill, sequence),
  }));
  return (sequence === from.sequence ? all.slice(0, from.fill) : all).reverse();
}

/** A bust comes within a day: from the page's oldest trade that may have been busted on. */
async function withBusts(
  history: TapeSource,
  market: MarketId,
  all: readonly TapedTrade[],
): Promise<Static<typeof Trade>[]> {
  const strays = all.filter(({ isStray }) => isStray);
  const [newestStray, oldest] = [strays.at(0), strays.at(-1)];
  const busted = new Set<string>();
  if (newestStray !== undefined && oldest !== undefined) {
    const untilMillis = Date.parse(newestStray.trade.timestamp) + DAY_MILLIS;
    const subjects = [market, actionSubject(commands.BustFill.action)] as const;
    const range = { subjects, before: newest.sequence, order: "oldest" } as const;
    for (let after = oldest.place.sequence; ; ) {
      const entries = await history.touching({ ...range, after }, MAX_LIMIT);
      for (const { outcome } of entries) for (const id of bustedIn(outcome)) busted.add(id);
      const last = entries.at(-1);
      const isMore = entries.length === MAX_LIMIT && last !== undefined;
      if (!isMore || last.envelope.timeMillis > untilMillis) break;
      after = last.sequence;
    }
  }
  return all.map(({ trade }) => (busted.has(trade.id) ? { ...trade, busted: true } : trade));
}

const bustedIn = (outcome: Outcome): readonly string[] =>
  isRejected(outcome)
    ? []
    : outcome.events.flatMap((event) => (event.type === "FillBusted" ? event.fill.id : []));

const tradeOf = (fill: Fill, sequence: number): Static<typeof Trade> => ({
  ...tapeLine(fill),
  timestamp: new Date(fill.timeMillis).toISOString(),
  sequence,
});
