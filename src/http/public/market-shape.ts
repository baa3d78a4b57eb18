// A market and its resolution as JSON: the shapes, and where what they need beside the record is.
// Invariant: a market is shown with its own book, its own place and its provider's attribution.
import { type Static, Type } from "typebox";
import { Book } from "#core/book/book.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import type { Market } from "#core/records.ts";
import { liquidityOf } from "#views/liquidity.ts";
import { projectMarket, projectResolution } from "#views/market.ts";
import { type AttributionPorts, attributionOfPlace } from "../records/attribution.ts";
import { LiquidityRecord, liquidityRecord } from "../records/liquidity.ts";

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
    matching: Type.Enum(["open", "awaiting_release"], {
      description:
        "awaiting_release: orders and cancels are taken and nothing matches, until the marks " +
        "of the release",
    }),
    printOverdue: Type.Boolean({
      description: "a release was awaited for ten days: orders match again without it",
    }),
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
    haircut: Type.String({ description: "USD that payouts lacked, borne by all of them" }),
    liquidity: LiquidityRecord,
    createdAt: Type.String(),
    updatedAt: Type.String(),
    outcomes: Type.Array(
      Type.Object({
        index: Type.Integer(),
        label: Outcome,
        positionId: Type.String(),
        price: Type.Number(),
        priceBasis: Type.Enum(["book", "trade", "mark", "payout"]),
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

const FallbackPrint = Type.Object(
  {
    month: Type.String(),
    value: Type.String(),
    level: Type.String(),
    releaseId: Type.String(),
  },
  { title: "FallbackPrint" },
);

export const FallbackShape = Type.Object(
  {
    step: Type.Enum(["successor", "last-level", "void"]),
    last: Type.Optional(FallbackPrint),
    from: Type.Optional(FallbackPrint),
    to: Type.Optional(FallbackPrint),
  },
  { title: "Fallback" },
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
    thresholdUnit: Type.String(),
    decline: TextOrNull,
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
    fallbackSince: TextOrNull,
    fallback: Type.Union([FallbackShape, Type.Null()]),
    attribution: Type.String(),
  },
  { title: "ResolutionStatus" },
);

/** A market as it stands now. */
export function showMarket(ports: AttributionPorts, market: Market): Static<typeof MarketShape> {
  return shownWith(ports, market, ports.exchange.book(market.id));
}

/** A market as it stood when it was listed: its book was empty. */
export const showNewMarket = (
  ports: AttributionPorts,
  market: Market,
): Static<typeof MarketShape> => shownWith(ports, market, new Book());

export function showResolution(
  ports: AttributionPorts,
  market: Market,
): Static<typeof ResolutionShape> {
  const { index, nodeId } = market.terms;
  return projectResolution(market, attributionOfPlace(ports, index, nodeId));
}

function shownWith(ports: AttributionPorts, market: Market, book: Book) {
  const { index, nodeId } = market.terms;
  const node = ports.exchange.geo.get(nodeId);
  const attribution = attributionOfPlace(ports, index, nodeId);
  const rules = ports.exchange.rules.liquidity[index];
  const best = { bestBid: book.bestBid(), bestAsk: book.bestAsk() };
  const { waiting } = ports.exchange;
  const projection = projectMarket(market, {
    node,
    ...best,
    spreadMaxTicks: rules.spreadMaxTicks,
    isMatchingHeld: isMatchingHeld(waiting, market),
    isPrintOverdue: waiting.windows.get(index)?.isOverdue === true,
    attribution,
  });
  return {
    ...projection,
    outcomes: [...projection.outcomes],
    liquidity: liquidityRecord(liquidityOf(book, rules)),
  };
}
