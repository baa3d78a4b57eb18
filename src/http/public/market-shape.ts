// A market and its resolution as JSON: the shapes, and where what they need beside the record is.
// Invariant: a market is shown with its own book, its own place and its provider's attribution.
import { type Static, Type } from "typebox";
import type { Market } from "#core/records.ts";
import { projectMarket, projectResolution } from "#views/market.ts";
import { type AttributionPorts, attributionOfPlace } from "../attribution.ts";

export const marketStatuses = ["ACTIVE", "PAUSED", "RESOLVED", "CANCELLED", "FINALIZED"] as const;

const MarketStatus = Type.Enum([...marketStatuses]);
const Outcome = Type.Enum(["YES", "NO"]);
const Comparator = Type.Enum(["gte", "lte"]);
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const MarketShape = Type.Object(
  {
    id: Type.String(),
    frontendId: Type.String(),
    onChainMarketId: Type.String(),
    conditionId: Type.String(),
    zipCode: Type.String(),
    marketType: Type.Enum(["BINARY", "LAYERED"]),
    status: MarketStatus,
    tradingClosed: Type.Boolean(),
    geoNodeId: Type.String(),
    questionId: Type.String(),
    outcomeCount: Type.Integer(),
    resolutionTimestamp: Type.String(),
    description: Type.String(),
    threshold: Type.String(),
    metricType: Type.String(),
    comparator: Comparator,
    measurementMonth: Type.String(),
    termsHash: Type.String(),
    reason: TextOrNull,
    shortfall: Type.String(),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    outcomes: Type.Array(
      Type.Object({
        index: Type.Integer(),
        label: Outcome,
        positionId: Type.String(),
        price: Type.Number(),
        priceBasis: Type.Enum(["book", "trade", "mark"]),
      }),
    ),
    resolution: Type.Union([
      Type.Object({
        outcome: Outcome,
        settledValue: Type.Number(),
        resolvedAt: Type.String(),
        disputeWindowEndsAt: Type.String(),
        finalizedAt: TextOrNull,
        payoutFraction: Type.Optional(Type.Number()),
      }),
      Type.Null(),
    ]),
    attribution: Type.String(),
  },
  { title: "Market" },
);

export const ResolutionShape = Type.Object(
  {
    marketId: Type.String(),
    frontendId: Type.String(),
    status: MarketStatus,
    tradingClosed: Type.Boolean(),
    geoNodeId: Type.String(),
    metric: Type.String(),
    comparator: Comparator,
    threshold: Type.Number(),
    measurementMonth: Type.String(),
    outcome: Type.Union([Outcome, Type.Null()]),
    settledValue: NumberOrNull,
    comparisonValue: NumberOrNull,
    resolvedAt: TextOrNull,
    disputeWindowEndsAt: TextOrNull,
    finalizedAt: TextOrNull,
    observation: Type.Union([
      Type.Object({
        value: Type.Number(),
        dataMonth: Type.String(),
        releaseId: Type.String(),
        ingestedAt: Type.String(),
      }),
      Type.Null(),
    ]),
    payoutFraction: Type.Optional(NumberOrNull),
    disputed: Type.Boolean(),
    attribution: Type.String(),
  },
  { title: "ResolutionStatus" },
);

/** A market as it stands now. */
export function showMarket(ports: AttributionPorts, market: Market): Static<typeof MarketShape> {
  const book = ports.exchange.book(market.id);
  return shownWith(ports, market, { bestBid: book.bestBid(), bestAsk: book.bestAsk() });
}

/** A market as it stood when it was listed: its book was empty. */
export const showNewMarket = (
  ports: AttributionPorts,
  market: Market,
): Static<typeof MarketShape> =>
  shownWith(ports, market, { bestBid: undefined, bestAsk: undefined });

export function showResolution(
  ports: AttributionPorts,
  market: Market,
): Static<typeof ResolutionShape> {
  const { index, nodeId } = market.terms;
  return projectResolution(market, attributionOfPlace(ports, index, nodeId));
}

type Best = Pick<Parameters<typeof projectMarket>[1], "bestBid" | "bestAsk">;

function shownWith(ports: AttributionPorts, market: Market, best: Best) {
  const { index, nodeId } = market.terms;
  const node = ports.exchange.geo.get(nodeId);
  const attribution = attributionOfPlace(ports, index, nodeId);
  const projection = projectMarket(market, { node, ...best, attribution });
  return { ...projection, outcomes: [...projection.outcomes] };
}
