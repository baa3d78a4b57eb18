// GET /api/stream: what becomes durable and is public, as server-sent events under its sequence.
// Invariant: whoever comes back with the last id it has read misses nothing and sees nothing twice.
import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { type PublicEventType, publicEventTypes } from "#views/public-events.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed, nothing, type Request, type Route } from "../route/route.ts";
import { requestShape } from "../route/shape.ts";
import type { Feed } from "../stream/feed.ts";
import { cutReasons } from "../stream/feed-message.ts";
import { marketStatuses } from "./market-shape.ts";
import { filterOf } from "./stream-filter.ts";

export interface StreamPorts {
  readonly exchange: ExchangeView;
  readonly feed: Pick<Feed, "open" | "change">;
}

/** More do not fit into an address. */
export const MOST_STREAM_MARKETS = 200;
/** Nobody guesses it. */
const ID_BYTES = 16;

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
    stream: Type.Optional(
      Type.String({
        description:
          "in the first message of the public stream: the id that its subscriptions are set with",
      }),
    ),
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
  hold: Type.Optional(
    Type.Enum(["true", "false"], {
      description: "true: nothing is told before POST /api/stream/:id/subscriptions says of what",
    }),
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
      const { hold, lastEventId, ...names } = asked.query;
      const choice = {
        markets: names.markets?.split(","),
        places: names.places?.split(","),
        indexes: names.indexes?.split(","),
        expiries: names.expiries?.split(","),
        types: names.types?.split(","),
      };
      if ((choice.markets?.length ?? 0) > MOST_STREAM_MARKETS) {
        return invalidField("markets", `must be at most ${MOST_STREAM_MARKETS} ids`);
      }
      const filter = filterOf(ports.exchange, choice);
      if ("refused" in filter) return filter;
      const after = lastRead(request, lastEventId);
      if (typeof after === "object") return after;
      const id = `str-${randomBytes(ID_BYTES).toString("hex")}`;
      const changeable = { id, isHeld: hold === "true" };
      const opened = ports.feed.open(request.bucket, filter, after, changeable);
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
