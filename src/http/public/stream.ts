// GET /api/stream: what becomes durable and is public, as server-sent events under its sequence.
// Invariant: whoever comes back with the last id it has read misses nothing and sees nothing twice.
import { type Static, Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { parseMonth } from "#base/month.ts";
import type { Market } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { type PublicEventType, publicEventTypes } from "#views/public-events.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed, nothing, type Request, type Route } from "../route/route.ts";
import { requestShape } from "../route/shape.ts";
import type { Feed } from "../stream/feed.ts";
import { cutReasons, type FeedFilter } from "../stream/feed-message.ts";
import { marketStatuses } from "./market-shape.ts";

export interface StreamPorts {
  readonly exchange: ExchangeView;
  readonly feed: Pick<Feed, "open">;
}

/** More do not fit into an address. */
export const MOST_STREAM_MARKETS = 200;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const price = { description: "of YES, USD a contract" };
const amount = { description: "contracts, a decimal" };

const ofMarket = <T extends PublicEventType>(type: T) => ({
  type: Type.Literal(type),
  marketId: Type.String(),
});

const Trade = Type.Object(
  {
    ...ofMarket("trade"),
    id: Type.String(),
    price: Type.Number(price),
    amount: Type.String(amount),
    side: Type.Enum(["BUY", "SELL"], { description: "what the taker did with YES" }),
  },
  { title: "StreamTrade" },
);

const Bust = Type.Object(
  {
    ...ofMarket("bust"),
    id: Type.String({ description: "of the trade that was undone" }),
    price: Type.Number(price),
    amount: Type.String(amount),
    side: Type.Enum(["BUY", "SELL"], { description: "what the taker did with YES" }),
  },
  { title: "StreamBust" },
);

const Level = Type.Object(
  {
    ...ofMarket("level"),
    side: Type.Enum(["bid", "ask"]),
    price: Type.Number(price),
    amount: Type.String({ description: "contracts that rest there now, a decimal; 0 = none" }),
    orders: Type.Integer({ description: "how many orders they are" }),
  },
  { title: "StreamLevel" },
);

const Mark = Type.Object(
  { ...ofMarket("mark"), mark: Type.Number(price) },
  { title: "StreamMark" },
);

const Change = Type.Object(
  {
    ...ofMarket("market"),
    frontendId: Type.String(),
    geoNodeId: Type.String(),
    status: Type.Enum([...marketStatuses]),
    tradingClosed: Type.Boolean(),
    mark: Type.Number(price),
    reason: TextOrNull,
    shortfall: Type.String({ description: "USD that the refunds of a void lacked, a decimal" }),
    disputed: Type.Boolean(),
    resolution: Type.Union([
      Type.Object({
        outcome: Type.Enum(["YES", "NO"]),
        settledValue: Type.Number(),
        comparisonValue: Type.Number(),
        payoutFraction: Type.Optional(Type.Number()),
        releaseId: Type.String(),
        resolvedAt: Type.String(),
        disputeWindowEndsAt: Type.String(),
        finalizedAt: TextOrNull,
        attribution: Type.String(),
      }),
      Type.Null(),
    ]),
  },
  { title: "StreamMarket" },
);

const Release = Type.Object(
  {
    type: Type.Literal("release"),
    releaseId: Type.String(),
    provider: Type.String(),
    index: Type.Enum([...indexKinds]),
    level: Type.String(),
    publishedAt: Type.String(),
    firstMonth: Type.String(),
    lastMonth: Type.String(),
    firstPrints: Type.Integer(),
    revisions: Type.Integer(),
    methodologyVersion: Type.String(),
    resolvedMarkets: Type.Array(Type.String()),
    attribution: Type.String(),
  },
  { title: "StreamRelease" },
);

const Prints = Type.Object(
  {
    type: Type.Literal("prints"),
    releaseId: Type.String(),
    index: Type.Enum([...indexKinds]),
    prints: Type.Array(
      Type.Object({
        nodeId: Type.String(),
        month: Type.String(),
        value: Type.String({ description: "the first print, a decimal" }),
        backfill: Type.Boolean({ description: "true: the newest of a place seen first; no print" }),
      }),
    ),
    attribution: Type.String(),
  },
  { title: "StreamPrints" },
);

const Halt = Type.Object(
  { type: Type.Literal("halt"), halted: Type.Boolean(), reason: Type.String() },
  { title: "StreamHalt" },
);

/** `event: entry`: all that is wanted of one journal entry. */
export const StreamEntry = Type.Object(
  {
    sequence: Type.Integer({ description: "of the journal entry; the message's id" }),
    time: Type.String(),
    events: Type.Array(Type.Union([Trade, Bust, Level, Change, Mark, Release, Prints, Halt])),
  },
  { title: "StreamEntry" },
);

/** `event: heartbeat`: everything up to `sequence` has been sent. */
export const StreamHeartbeat = Type.Object(
  {
    sequence: Type.Integer({ description: "everything up to it has been sent; the message's id" }),
    head: Type.Integer({ description: "the newest durable entry" }),
  },
  { title: "StreamHeartbeat" },
);

/** `event: error`: the last message of a stream that the exchange ends. */
export const StreamCut = Type.Object(
  {
    code: Type.Enum([...Object.keys(cutReasons)]),
    message: Type.String(),
    retryable: Type.Boolean(),
  },
  { title: "StreamCut" },
);

export const lastEventIdQuery = {
  lastEventId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "a sequence, from 0, as the header Last-Event-ID, which goes before it",
    }),
  ),
};

const query = closed({
  markets: Type.Optional(
    Type.String({
      description: `ids of markets, separated by commas, ${MOST_STREAM_MARKETS} at most`,
    }),
  ),
  types: Type.Optional(
    Type.String({
      description: `types of events, separated by commas: ${publicEventTypes.join(", ")}`,
    }),
  ),
  places: Type.Optional(
    Type.String({ description: "ids of places: of markets there or in places that lie in them" }),
  ),
  indexes: Type.Optional(
    Type.String({ description: `of markets of these indices: ${indexKinds.join(", ")}` }),
  ),
  expiries: Type.Optional(
    Type.String({ description: "of markets measured in these months, YYYY-MM" }),
  ),
  ...lastEventIdQuery,
});

const schemas = {
  params: nothing,
  query,
  body: nothing,
  data: Type.Union([StreamEntry, StreamHeartbeat, StreamCut]),
  siblings: nothing,
};

export function streamEvents(ports: StreamPorts): Route {
  const shape = requestShape(schemas);
  return {
    method: "GET",
    url: "/api/stream",
    surface: "events",
    access: "public",
    summary: "Trades, book levels, markets, marks, releases and halts as they become durable",
    refusals: ["MARKET_NOT_FOUND", "SEQUENCE_AHEAD", "STREAM_LIMIT", "OVERLOADED", "STOPPING"],
    otherStatuses: [],
    cost: 2,
    isForAnyNode: true,
    body: "json",
    schemas,
    handle: async (request) => {
      const asked = shape({ ...request, body: undefined });
      if ("refused" in asked) return asked;
      const filter = filterOf(ports, asked.query);
      if ("refused" in filter) return filter;
      const after = lastRead(request, asked.query.lastEventId);
      if (typeof after === "object") return after;
      const opened = ports.feed.open(request.bucket, filter, after);
      return "refused" in opened ? refuse(opened.refused) : { events: opened.reader };
    },
  };
}

/** Undefined where neither is given: from now on. The header is what a client comes back with. */
export function lastRead(
  request: Request,
  given: number | undefined,
): number | undefined | Refused {
  const [header, second] = request.header("last-event-id");
  if (header === undefined) return given;
  const isSequence = second === undefined && /^(?:0|[1-9][0-9]{0,14})$/.test(header);
  return isSequence ? Number(header) : invalidField("Last-Event-ID", "must be a sequence");
}

function filterOf(
  { exchange }: StreamPorts,
  { markets, types, ...scope }: Static<typeof query>,
): FeedFilter | Refused {
  const wantedTypes = new Set<PublicEventType>();
  for (const name of types?.split(",") ?? []) {
    const type = publicEventTypes.find((known) => known === name);
    if (type === undefined) {
      return invalidField("types", `must be some of ${publicEventTypes.join(", ")}`);
    }
    wantedTypes.add(type);
  }
  const ids = markets?.split(",") ?? [];
  if (ids.length > MOST_STREAM_MARKETS) {
    return invalidField("markets", `must be at most ${MOST_STREAM_MARKETS} ids`);
  }
  const wantedMarkets = new Set<string>();
  for (const id of ids) {
    const market = exchange.marketByAnyId(id);
    if (market === undefined) return refuse("MARKET_NOT_FOUND", { field: "markets" });
    wantedMarkets.add(market.id);
  }
  const scoped = scopeOf(exchange, scope);
  if ("refused" in scoped) return scoped;
  return {
    markets: markets === undefined ? undefined : wantedMarkets,
    types: types === undefined ? undefined : wantedTypes,
    ...scoped,
  };
}

type MarketScope = Pick<Static<typeof query>, "places" | "indexes" | "expiries">;

/** Markets that are listed while the stream is open are judged, too; one that has left is none. */
function scopeOf(
  exchange: ExchangeView,
  { places, indexes, expiries }: MarketScope,
): Pick<FeedFilter, "isWanted"> | Refused {
  if (places === undefined && indexes === undefined && expiries === undefined) return {};
  const wantedPlaces = new Set(places?.toLowerCase().split(","));
  const wantedIndexes = new Set(indexes?.split(","));
  const months = expiries?.split(",").map(parseMonth) ?? [];
  if ([...wantedIndexes].some((name) => !indexKinds.some((known) => known === name))) {
    return invalidField("indexes", `must be some of ${indexKinds.join(", ")}`);
  }
  if (months.includes(undefined)) return invalidField("expiries", "must be months, YYYY-MM");
  const isIn = ({ terms, within = [] }: Market): boolean =>
    (places === undefined || [terms.nodeId, ...within].some((one) => wantedPlaces.has(one))) &&
    (indexes === undefined || wantedIndexes.has(terms.index)) &&
    (expiries === undefined || months.includes(terms.measurementMonth));
  return {
    isWanted: (marketId) => {
      const market = exchange.marketByAnyId(marketId);
      return market !== undefined && isIn(market);
    },
  };
}
