// A market and its resolution as JSON: the shapes, and where what they need beside the record is.
// Invariant: a market is shown with its own book, its own place and its provider's attribution.
import { type Static, Type } from "typebox";
import { formatMonth } from "#base/month.ts";
import { type Tick, tickPrice } from "#base/price.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { formatLots, type Lots, noLots } from "#base/quantity.ts";
import type { Baseline, Payoff } from "#contract/terms.ts";
import { Book } from "#core/book/book.ts";
import { tradingEndsAtMillis } from "#core/market/life.ts";
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

const PayoffShape = Type.Union(
  [
    Type.Object({
      kind: Type.Literal("layered"),
      attachBps: Type.Integer(),
      exhaustBps: Type.Integer(),
    }),
    Type.Object({ kind: Type.Literal("binary"), strikeBps: Type.Integer() }),
    Type.Object({ kind: Type.Literal("level"), comparator: Comparator, threshold: Type.String() }),
  ],
  { title: "Payoff" },
);

const BaselineShape = Type.Object(
  { month: Type.String(), value: Type.String(), releaseId: Type.String() },
  { title: "MarketBaseline" },
);

const IndicativeShape = Type.Object(
  { price: Type.Number(), volume: Type.String(), surplus: Type.String() },
  { title: "Indicative" },
);

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
        "awaiting_release: orders and cancels are taken and nothing matches, until the auction " +
        "after the marks of the release",
    }),
    phase: Type.Enum(["CONTINUOUS", "AUCTION", "CLOSED"], {
      description:
        "AUCTION: orders wait, and meet at one price at its end; CLOSED: trading is over, since " +
        "tradingClosesAt or since the market was resolved or void",
    }),
    indicative: Type.Union([IndicativeShape, Type.Null()], {
      description: "in an auction: where its orders would meet now; null where none would",
    }),
    printOverdue: Type.Boolean({
      description: "a release was awaited for ten days: its markets have an auction a day",
    }),
    geoNodeId: Type.String(),
    questionId: Type.String(),
    outcomeCount: Type.Integer(),
    resolutionTimestamp: Type.String(),
    description: Type.String(),
    threshold: Type.String(),
    metricType: Type.String(),
    payoff: PayoffShape,
    baseline: Type.Union([BaselineShape, Type.Null()], {
      description: "the first print that a decline is counted from; null for a level",
    }),
    tradingClosesAt: Type.String(),
    mark: Type.Number({ description: "the reference model's price of YES, when it was last made" }),
    bestBid: NumberOrNull,
    bestAsk: NumberOrNull,
    volume: Type.String({ description: "contracts traded so far, a decimal" }),
    openInterest: Type.String({ description: "contracts held as YES, a decimal" }),
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
    step: Type.Enum(["successor", "last-level", "cash", "median", "void"]),
    model: Type.Optional(Type.Number({ description: "cash: the model's value of YES" })),
    marks: Type.Optional(
      Type.Array(Type.Number(), { description: "cash: sellers', one an owner, the lowest first" }),
    ),
    modelWeight: Type.Optional(
      Type.Number({ description: "cash: what the model weighed, in USD of coverage" }),
    ),
    weights: Type.Optional(
      Type.Array(Type.Number(), {
        description: "cash: what each mark weighed, in USD of coverage short for 30 days",
      }),
    ),
    value: Type.Optional(Type.Number({ description: "cash: the weighted median, which is paid" })),
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
  const { exchange } = ports;
  return shownWith(ports, market, exchange.book(market.id), exchange.traded(market.id));
}

/** A market as it stood when it was listed: its book was empty. */
export const showNewMarket = (
  ports: AttributionPorts,
  market: Market,
): Static<typeof MarketShape> =>
  shownWith(ports, market, new Book(), { volume: noLots, openInterest: noLots });

export function showResolution(
  ports: AttributionPorts,
  market: Market,
): Static<typeof ResolutionShape> {
  const { index, nodeId } = market.terms;
  return projectResolution(market, attributionOfPlace(ports, index, nodeId));
}

interface Traded {
  readonly volume: Lots;
  readonly openInterest: Lots;
}

function shownWith(ports: AttributionPorts, market: Market, book: Book, traded: Traded) {
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
    indicative: waiting.heldMatching.get(market.id)?.indicative ?? null,
    isPrintOverdue: waiting.windows.get(index)?.isOverdue === true,
    attribution,
  });
  return {
    ...projection,
    outcomes: [...projection.outcomes],
    payoff: payoffShown(market.terms.payoff),
    baseline: baselineShown(market.terms.baseline),
    tradingClosesAt: new Date(tradingEndsAtMillis(market.terms)).toISOString(),
    mark: tickPrice(market.markTick),
    bestBid: priceOrNull(best.bestBid),
    bestAsk: priceOrNull(best.bestAsk),
    volume: formatLots(traded.volume),
    openInterest: formatLots(traded.openInterest),
    liquidity: liquidityRecord(liquidityOf(book, rules)),
  };
}

const priceOrNull = (tick: Tick | undefined): number | null =>
  tick === undefined ? null : tickPrice(tick);

/** As the payoff of a quote, but that a threshold is a text. */
function payoffShown(payoff: Payoff): Static<typeof PayoffShape> {
  if (payoff.kind !== "level") return payoff;
  const { kind, comparator, thresholdE15 } = payoff;
  return { kind, comparator, threshold: formatPrintValue(thresholdE15) };
}

const baselineShown = (baseline: Baseline | null): Static<typeof BaselineShape> | null =>
  baseline === null
    ? null
    : {
        month: formatMonth(baseline.month),
        value: formatPrintValue(baseline.valueE15),
        releaseId: baseline.releaseId,
      };
