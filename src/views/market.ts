// A market and its resolution as the public surface shows them.
// Invariant: what has not happened yet is null; the prices of YES and NO add up to 1.
import { formatDecimal } from "#base/decimal.ts";
import { type IndexKind, isIndexKind } from "#base/index-kind.ts";
import { unreachable } from "#base/invariant.ts";
import { formatMicros, noMoney } from "#base/money.ts";
import { formatMonth, type Month } from "#base/month.ts";
import { TICKS_PER_USD, type Tick } from "#base/price.ts";
import {
  type ChainLevel,
  chainLevel,
  formatPrintValue,
  type PrintValue,
  printNumber,
} from "#base/print-value.ts";
import { floorDiv } from "#base/rounding.ts";
import { measureOf } from "#contract/measure.ts";
import { derivedIds, type Payoff, type Terms } from "#contract/terms.ts";
import { isLive } from "#core/market/life.ts";
import type { Indicative } from "#core/market/window-times.ts";
import type { Market, MarketStatus, Resolution } from "#core/records.ts";
import { standsFor } from "#core/settlement/fallback.ts";
import { fallbackShown } from "#core/settlement/fallback-step.ts";
import type { GeoNode } from "#geo/node.ts";
import { placeOf } from "#geo/node.ts";
import { describeTerms, percentText } from "./description.ts";
import { type IndicativeShown, indicativeShown } from "./indicative.ts";

type PriceBasis = "book" | "trade" | "mark" | "payout";

interface MarketContext {
  readonly node: GeoNode | undefined;
  readonly bestBid: Tick | undefined;
  readonly bestAsk: Tick | undefined;
  /** The widest book whose middle is called a price. */
  readonly spreadMaxTicks: number;
  /** Since a file was seen, or its print is due, until its marks: nothing matches. */
  readonly isMatchingHeld: boolean;
  /** In an auction; null where nothing would trade. */
  readonly indicative: Indicative | null;
  /** Ten days beyond that. */
  readonly isPrintOverdue: boolean;
  /** `Data from …`: the settled value and the baseline are index values. */
  readonly attribution: string;
}

interface OutcomeProjection {
  readonly index: 0 | 1;
  readonly label: "YES" | "NO";
  readonly positionId: string;
  readonly price: number;
  readonly priceBasis: PriceBasis;
}

interface MarketResolution {
  readonly outcome: "YES" | "NO";
  readonly settledValue: number;
  readonly resolvedAt: string;
  readonly disputeWindowEndsAt: string;
  readonly finalizedAt: string | null;
  /** Share of full payout that YES is owed, for a layered market. */
  readonly payoutFraction?: number;
}

interface MarketProjection {
  readonly id: string;
  readonly frontendId: string;
  readonly onChainMarketId: string;
  readonly conditionId: string;
  /** Empty where the place is no zip. */
  readonly zipCode: string;
  readonly marketType: "BINARY" | "LAYERED";
  readonly status: MarketStatus;
  readonly tradingClosed: boolean;
  readonly matching: "open" | "awaiting_release";
  readonly phase: "CONTINUOUS" | "AUCTION" | "CLOSED";
  readonly indicative: IndicativeShown | null;
  readonly printOverdue: boolean;
  readonly geoNodeId: string;
  readonly questionId: string;
  readonly outcomeCount: 2;
  readonly resolutionTimestamp: string;
  readonly description: string;
  readonly threshold: string;
  readonly metricType: string;
  readonly comparator: "gte" | "lte";
  readonly measurementMonth: string;
  readonly termsHash: string;
  /** Why it was paused or cancelled. */
  readonly reason: string | null;
  /** USD that the refunds of a void lacked, borne by all of them; decimal string. */
  readonly shortfall: string;
  /** USD that the payouts of a settlement lacked, borne by all of them; decimal string. */
  readonly haircut: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly outcomes: readonly [OutcomeProjection, OutcomeProjection];
  readonly resolution: MarketResolution | null;
  readonly attribution: string;
}

function phaseOf(
  { status, tradingClosed }: Pick<Market, "status" | "tradingClosed">,
  { isMatchingHeld }: Pick<MarketContext, "isMatchingHeld">,
): MarketProjection["phase"] {
  if (tradingClosed || !isLive(status)) return "CLOSED";
  return isMatchingHeld ? "AUCTION" : "CONTINUOUS";
}

export function projectMarket(market: Market, context: MarketContext): MarketProjection {
  const { terms, resolution } = market;
  const ids = derivedIds(market.termsHash);
  const { node } = context;
  const isVoid = market.status === "CANCELLED";
  return {
    id: market.id,
    frontendId: market.frontendId,
    onChainMarketId: ids.onChainMarketId,
    conditionId: ids.conditionId,
    zipCode: node?.level === "zip" ? placeOf(node.id) : "",
    marketType: terms.payoff.kind === "layered" ? "LAYERED" : "BINARY",
    status: market.status,
    tradingClosed: market.tradingClosed,
    matching: context.isMatchingHeld ? "awaiting_release" : "open",
    phase: phaseOf(market, context),
    indicative: context.indicative === null ? null : indicativeShown(context.indicative),
    printOverdue: context.isPrintOverdue,
    geoNodeId: terms.nodeId,
    questionId: ids.questionId,
    outcomeCount: 2,
    resolutionTimestamp: isoTime(terms.expectedAtMillis),
    description: describeTerms(terms, placeName(terms, node)),
    threshold: thresholdText(terms.payoff),
    metricType: metricOf(terms),
    comparator: comparatorOf(terms.payoff),
    measurementMonth: formatMonth(terms.measurementMonth),
    termsHash: market.termsHash,
    reason: market.reason,
    shortfall: formatMicros(isVoid ? market.shortfallMicros : noMoney),
    haircut: formatMicros(isVoid ? noMoney : market.shortfallMicros),
    createdAt: isoTime(market.createdAtMillis),
    updatedAt: isoTime(market.updatedAtMillis),
    outcomes: outcomesOf(market, context, ids.positionIds),
    resolution: resolution === null ? null : resolutionOf(terms.payoff, resolution),
    attribution: context.attribution,
  };
}

interface ObservationProjection {
  readonly value: number;
  readonly dataMonth: string;
  readonly releaseId: string;
  readonly ingestedAt: string;
}

interface ResolutionProjection {
  readonly marketId: string;
  readonly frontendId: string;
  readonly status: MarketStatus;
  readonly tradingClosed: boolean;
  readonly geoNodeId: string;
  readonly metric: string;
  readonly comparator: "gte" | "lte";
  readonly threshold: number;
  readonly thresholdUnit: string;
  /** Percent; null until it is resolved, and of a level. */
  readonly decline: string | null;
  readonly measurementMonth: string;
  readonly outcome: "YES" | "NO" | null;
  readonly settledValue: number | null;
  /** The baseline on the settling release's scale, or the threshold. */
  readonly comparisonValue: number | null;
  readonly resolvedAt: string | null;
  readonly disputeWindowEndsAt: string | null;
  readonly finalizedAt: string | null;
  readonly observation: ObservationProjection | null;
  /** Only of a layered market. */
  readonly payoutFraction?: number | null;
  readonly disputed: boolean;
  readonly fallbackSince: string | null;
  readonly fallback: ReturnType<typeof fallbackShown> | null;
  readonly attribution: string;
}

export function projectResolution(market: Market, attribution: string): ResolutionProjection {
  const { terms, resolution } = market;
  return {
    marketId: market.id,
    frontendId: market.frontendId,
    status: market.status,
    tradingClosed: market.tradingClosed,
    geoNodeId: terms.nodeId,
    metric: metricOf(terms),
    comparator: comparatorOf(terms.payoff),
    threshold: Number(thresholdText(terms.payoff)),
    thresholdUnit: unitOfThreshold(terms),
    decline: resolution === null ? null : declineText(terms, resolution),
    measurementMonth: formatMonth(terms.measurementMonth),
    outcome: resolution?.outcome ?? null,
    settledValue: numberOrNull(resolution?.settledValueE15),
    comparisonValue: numberOrNull(resolution?.comparisonValueE15),
    resolvedAt: timeOrNull(resolution?.resolvedAtMillis),
    disputeWindowEndsAt: timeOrNull(resolution?.disputeWindowEndsAtMillis),
    finalizedAt: timeOrNull(resolution?.finalizedAtMillis),
    observation: resolution === null ? null : observationOf(terms, resolution),
    ...(terms.payoff.kind === "layered" || resolution?.fallback?.step === "cash"
      ? { payoutFraction: resolution === null ? null : fractionOf(resolution) }
      : {}),
    disputed: market.dispute !== null,
    fallbackSince: timeOrNull(market.fallbackSinceMillis),
    fallback: resolution?.fallback === undefined ? null : fallbackShown(resolution.fallback),
    attribution,
  };
}

function resolutionOf(payoff: Payoff, resolution: Resolution): MarketResolution {
  return {
    outcome: resolution.outcome,
    settledValue: printNumber(resolution.settledValueE15),
    resolvedAt: isoTime(resolution.resolvedAtMillis),
    disputeWindowEndsAt: isoTime(resolution.disputeWindowEndsAtMillis),
    finalizedAt: timeOrNull(resolution.finalizedAtMillis),
    ...(payoff.kind === "layered" ? { payoutFraction: fractionOf(resolution) } : {}),
  };
}

const observationOf = (terms: Terms, resolution: Resolution): ObservationProjection => ({
  value: printNumber(resolution.settledValueE15),
  dataMonth: formatMonth(settledMonth(resolution) ?? terms.measurementMonth),
  releaseId: resolution.releaseId,
  ingestedAt: isoTime(resolution.observedAtMillis),
});

/** Of a fallback that rests on an earlier print. */
function settledMonth({ fallback }: Resolution): Month | undefined {
  if (fallback?.step === "cash") return fallback.print.month;
  return fallback?.step === "last-level" ? fallback.last.month : undefined;
}

const fractionOf = (resolution: Resolution): number => resolution.payoutMillionths / 1_000_000;

function outcomesOf(
  market: Market,
  context: MarketContext,
  positionIds: readonly [string, string],
): [OutcomeProjection, OutcomeProjection] {
  const { millionths, priceBasis } = yesPrice(market, context);
  const [yesId, noId] = positionIds;
  return [
    { index: 0, label: "YES", positionId: yesId, price: millionths / WHOLE, priceBasis },
    { index: 1, label: "NO", positionId: noId, price: (WHOLE - millionths) / WHOLE, priceBasis },
  ];
}

/** Prices are shown in millionths: of payouts, and of books whose middle is between two ticks. */
const WHOLE = 1_000_000;
const HALF_TICK = WHOLE / (2 * TICKS_PER_USD);

interface YesPrice {
  readonly millionths: number;
  readonly priceBasis: PriceBasis;
}

/** The payout once it is known. */
function yesPrice(market: Market, context: MarketContext): YesPrice {
  const { resolution } = market;
  if (resolution !== null) return { millionths: resolution.payoutMillionths, priceBasis: "payout" };
  const { halfTicks, priceBasis } = openPrice(market, context);
  return { millionths: halfTicks * HALF_TICK, priceBasis };
}

/** The middle of a narrow two-sided book; else a last trade near the mark, and newer; else that. */
function openPrice(
  { lastTick, markTick, tradedSinceMark }: Market,
  { bestBid, bestAsk, spreadMaxTicks }: MarketContext,
): { readonly halfTicks: number; readonly priceBasis: PriceBasis } {
  if (bestBid !== undefined && bestAsk !== undefined && bestAsk - bestBid <= spreadMaxTicks) {
    return { halfTicks: bestBid + bestAsk, priceBasis: "book" };
  }
  const isNear = lastTick !== null && Math.abs(lastTick - markTick) <= spreadMaxTicks;
  if (tradedSinceMark && isNear) return { halfTicks: 2 * lastTick, priceBasis: "trade" };
  return { halfTicks: 2 * markTick, priceBasis: "mark" };
}

const metricOf = ({ index, payoff }: Terms): string =>
  `${index}_${payoff.kind === "level" ? "level" : "decline"}`;

/** The index of a market's `metricType`; an index kind stands for both of its measures. */
export function indexOfMetric(metric: string): IndexKind | undefined {
  const [index = "", measure, ...more] = metric.split("_");
  if (!isIndexKind(index) || more.length > 0) return undefined;
  const hasDeclines = index === "zhvi" || index === "zori";
  const isKnown =
    measure === undefined || measure === "level" || (measure === "decline" && hasDeclines);
  return isKnown ? index : undefined;
}

/** Declines in percent; levels in what their index is published in. */
function unitOfThreshold({ index, payoff, measurementMonth }: Terms): string {
  if (payoff.kind !== "level") return "percent";
  return measureOf(index, measurementMonth)?.unit ?? "USD";
}

const PERCENT_PLACES = 12;

/**
 * The decline that the payout was taken from, in percent. Digits beyond the last decimal are cut
 * downwards, so it never reaches a strike that the decline did not reach.
 */
function declineText({ payoff, baseline }: Terms, resolution: Resolution): string | null {
  const settled = settledLevel(resolution);
  if (payoff.kind === "level" || baseline === null || settled === null) return null;
  const scale = 10n ** BigInt(PERCENT_PLACES);
  const percent = floorDiv((baseline.levelE12 - settled) * 100n * scale, baseline.levelE12);
  return formatDecimal(percent, PERCENT_PLACES);
}

function settledLevel({ link, settledValueE15, fallback }: Resolution): ChainLevel | null {
  if (fallback?.step === "cash") return null;
  if (fallback !== undefined) return standsFor(fallback).levelE12;
  return link === null ? null : chainLevel(link.levelE12, settledValueE15, link.valueE15);
}

const comparatorOf = (payoff: Payoff): "gte" | "lte" =>
  payoff.kind === "level" ? payoff.comparator : "gte";

/** The level, or the strike or attachment in percent. */
function thresholdText(payoff: Payoff): string {
  switch (payoff.kind) {
    case "level":
      return formatPrintValue(payoff.thresholdE15);
    case "binary":
      return percentText(payoff.strikeBps);
    case "layered":
      return percentText(payoff.attachBps);
    default:
      return unreachable(payoff);
  }
}

function placeName(terms: Terms, node: GeoNode | undefined): string {
  if (node === undefined) return terms.nodeId;
  return node.level === "state" ? node.name : `${node.name}, ${node.stateCode}`;
}

const isoTime = (millis: number): string => new Date(millis).toISOString();

const timeOrNull = (millis: number | null | undefined): string | null =>
  millis === null || millis === undefined ? null : isoTime(millis);

const numberOrNull = (value: PrintValue | undefined): number | null =>
  value === undefined ? null : printNumber(value);
