// The reference quote: fair value, chances of paying, loaded price and the amounts in USD.
// Invariant: 0 ≤ fullLimitProb ≤ fairValue ≤ anyClaimProb ≤ 1 and fairValue ≤ price ≤ 1; what
// cannot be priced is refused with a reason, never guessed and never thrown.
import { invariant } from "#base/invariant.ts";
import { nearestTick, TICKS_PER_USD, type Tick } from "#base/price.ts";
import { type DeclinePayoff, isStandard } from "#contract/series.ts";
import {
  addOnBps,
  FIRST_CARRY_PER_YEAR,
  FLAT_LOAD,
  FRESH_AGE_MONTHS,
  MIN_HORIZON_MONTHS,
  maxHorizonMonths,
  type PricedIndex,
  type PricingLevel,
  RISK_LAMBDA,
} from "./constants.ts";
import {
  type Distribution,
  distributionOf,
  layerMean,
  movedBy,
  type Outlook,
  survival,
} from "./distribution.ts";

interface Layer {
  readonly attachBps: number;
  readonly exhaustBps: number;
}

export interface QuoteSize {
  /** Coverage in USD, which is also the number of contracts. Positive. */
  readonly coverageUsd: number;
  /** From `dataQualityAddOnBps`; basis points of coverage. */
  readonly dataQualityBps: number;
}

interface LoadedSize extends QuoteSize {
  readonly loads: Loads;
}

/** The loads that follow from the contract, unlike the flat load and the add-ons. */
export interface Loads {
  /**
   * The share of coverage that a seller is expected to bind over the term; undefined where it is
   * the first model's, all that the seller stands to lose.
   */
  readonly expectedMargin: number | undefined;
  /** A year's return on it. */
  readonly carryRate: number;
  /** For the region repeating its worst years, over the whole term; per 1 of coverage. */
  readonly bustLoad: number;
}

/** The first model's, and those of vacancy and weather. */
export const firstLoads: Loads = {
  expectedMargin: undefined,
  carryRate: FIRST_CARRY_PER_YEAR,
  bustLoad: 0,
};

/** The parts of a price per 1 of coverage. They add up to it, unless it is cut off at 1. */
interface PriceParts {
  readonly fairValue: number;
  /** For the risk that the model is wrong: the move of the distribution toward the trigger. */
  readonly riskLoad: number;
  /** For the cash that the seller binds. */
  readonly carry: number;
  /** For the region repeating its worst years. */
  readonly bustLoad: number;
  readonly flatLoad: number;
  readonly dataQuality: number;
}

/** Fractions per 1 of coverage; USD unrounded, premium paid in full at close. */
export interface BinaryQuote {
  readonly fairValue: number;
  readonly anyClaimProb: number;
  readonly fullLimitProb: number;
  readonly parts: PriceParts;
  /** Price above fair value, whole basis points. */
  readonly spreadBps: number;
  readonly price: number;
  /** The lowest price on the tick grid that is not below `price` (at most the highest tick). */
  readonly limitTick: Tick;
  readonly premiumUsd: number;
  readonly maxPayoutUsd: number;
  readonly sellerCollateralUsd: number;
}

export interface LayeredQuote extends BinaryQuote {
  readonly deductibleUsd: number;
  readonly impliedExposureUsd: number;
}

export type PricingRefusal =
  | {
      readonly code: "HORIZON_OUT_OF_RANGE";
      readonly minMonths: number;
      readonly maxMonths: number;
    }
  /** Needs whole 0 ≤ attach < exhaust ≤ 10000. */
  | { readonly code: "INVALID_LAYER" }
  /** Needs a whole strike of 1…9999. */
  | { readonly code: "INVALID_STRIKE" };

export type QuoteResult<Quote> =
  | { readonly status: "quoted"; readonly quote: Quote }
  | { readonly status: "refused"; readonly refusal: PricingRefusal };

/** Quotes a layer on the decline from the as-of month, baseline and outlook sharing that month. */
export function quoteLayered(
  outlook: Outlook,
  { attachBps, exhaustBps }: Layer,
  size: LoadedSize,
): QuoteResult<LayeredQuote> {
  const payoff = { kind: "layered", attachBps, exhaustBps } as const;
  const refusal = refusalOf(outlook.index, outlook.horizonMonths, payoff);
  if (refusal !== undefined) return { status: "refused", refusal };

  const { coverageUsd } = size;
  return {
    status: "quoted",
    quote: {
      ...loaded(outlook, payoff, size),
      deductibleUsd: (coverageUsd * attachBps) / (exhaustBps - attachBps),
      impliedExposureUsd: (coverageUsd * 10_000) / (exhaustBps - attachBps),
    },
  };
}

/** Quotes full coverage if the decline from the as-of month reaches the strike. */
export function quoteBinary(
  outlook: Outlook,
  strikeBps: number,
  size: LoadedSize,
): QuoteResult<BinaryQuote> {
  const payoff = { kind: "binary", strikeBps } as const;
  const refusal = refusalOf(outlook.index, outlook.horizonMonths, payoff);
  return refusal === undefined
    ? { status: "quoted", quote: loaded(outlook, payoff, size) }
    : { status: "refused", refusal };
}

interface DataQuality {
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  readonly usedDefaultVol: boolean;
  readonly payoff: DeclinePayoff;
  /** Months from the as-of month to the month of the quote. */
  readonly asOfAgeMonths: number;
}

/** The add-on for weak data and bespoke layers, basis points of coverage. */
export function dataQualityAddOnBps(quality: DataQuality): number {
  const { index, level, usedDefaultVol, payoff, asOfAgeMonths } = quality;
  return (
    (usedDefaultVol ? addOnBps.defaultVolatility : 0) +
    (level === "zip" || level === "neighborhood" ? addOnBps.smallArea : 0) +
    (index === "zori" ? addOnBps.zori : 0) +
    (payoff.kind === "layered" && !isStandard(payoff) ? addOnBps.bespokeLayer : 0) +
    staleBps(asOfAgeMonths, 1)
  );
}

/**
 * The add-on for an old as-of print, bps; one that comes every `stepMonths` stays fresh for longer.
 */
export const staleBps = (asOfAgeMonths: number, stepMonths: number): number =>
  addOnBps.staleMonth * Math.max(0, asOfAgeMonths - (FRESH_AGE_MONTHS + stepMonths - 1));

/** Why this cannot be priced; undefined when it can. */
export function refusalOf(
  index: PricedIndex,
  horizonMonths: number,
  payoff: DeclinePayoff,
): PricingRefusal | undefined {
  const maxMonths = maxHorizonMonths[index];
  if (!isHorizon(horizonMonths, maxMonths)) {
    return { code: "HORIZON_OUT_OF_RANGE", minMonths: MIN_HORIZON_MONTHS, maxMonths };
  }
  if (payoff.kind === "binary") {
    return isWhole(payoff.strikeBps, 1, 9_999) ? undefined : { code: "INVALID_STRIKE" };
  }
  const { attachBps, exhaustBps } = payoff;
  return isWhole(attachBps, 0, 9_999) && isWhole(exhaustBps, attachBps + 1, 10_000)
    ? undefined
    : { code: "INVALID_LAYER" };
}

/** True for a whole number of months that the record of a model covers. */
export const isHorizon = (months: number, maxMonths: number): boolean =>
  isWhole(months, MIN_HORIZON_MONTHS, maxMonths);

const isWhole = (value: number, low: number, high: number): boolean =>
  Number.isInteger(value) && value >= low && value <= high;

/** The mean payout per 1 of coverage under a distribution. */
export const meanPayout = (distribution: Distribution, payoff: DeclinePayoff): number =>
  payoff.kind === "layered"
    ? layerMean(distribution, payoff.attachBps / 10_000, payoff.exhaustBps / 10_000)
    : survival(distribution, payoff.strikeBps / 10_000);

/**
 * The parts of a price. Each is affine in payouts, so that prices of adjacent layers add up by
 * width, but for a carry on the margin: what a seller must bind has a floor for each layer.
 */
function partsOf(expected: Expected, years: number, { dataQualityBps, loads }: LoadedSize) {
  const { fairValue, shiftedValue } = expected;
  const { expectedMargin, carryRate, bustLoad } = loads;
  const carry = carryRate * years * (expectedMargin ?? 1 - shiftedValue);
  return {
    fairValue,
    riskLoad: shiftedValue - fairValue,
    carry,
    bustLoad,
    flatLoad: FLAT_LOAD,
    dataQuality: dataQualityBps / 10_000,
  };
}

/** The lowest tick not below a price, forgiving the last digits of a float that is on the grid. */
export const tickUp = (price: number): Tick =>
  nearestTick(Math.ceil(price * TICKS_PER_USD - 1e-9) / TICKS_PER_USD);

function loaded(outlook: Outlook, payoff: DeclinePayoff, size: LoadedSize): BinaryQuote {
  return quoteFrom(distributionOf(outlook), outlook.horizonMonths / 12, payoff, size);
}

/** The quote under a distribution, whatever constants it was made with. */
export function quoteFrom(
  distribution: Distribution,
  years: number,
  payoff: DeclinePayoff,
  size: LoadedSize,
): BinaryQuote {
  const shifted = movedBy(distribution, -RISK_LAMBDA * Math.sqrt(years) * distribution.loadScale);
  const [attachBps, exhaustBps] =
    payoff.kind === "layered"
      ? [payoff.attachBps, payoff.exhaustBps]
      : [payoff.strikeBps, payoff.strikeBps];
  const expected = {
    fairValue: meanPayout(distribution, payoff),
    anyClaimProb: survival(distribution, attachBps / 10_000),
    fullLimitProb: survival(distribution, exhaustBps / 10_000),
    shiftedValue: meanPayout(shifted, payoff),
  };
  return quoteOf(expected, years, size);
}

/** A model's expectation of a contract, per 1 of coverage. */
interface Expected {
  readonly fairValue: number;
  readonly anyClaimProb: number;
  readonly fullLimitProb: number;
  /** The fair value once the distribution is moved toward the trigger; not below `fairValue`. */
  readonly shiftedValue: number;
}

/** The quote of any model: the same parts, grid and amounts for every index. */
export function quoteOf(expected: Expected, years: number, size: LoadedSize): BinaryQuote {
  const { fairValue, anyClaimProb, fullLimitProb, shiftedValue } = expected;
  const { coverageUsd } = size;
  invariant(coverageUsd > 0, `coverage must be positive, is ${coverageUsd} USD`);
  const parts = partsOf(expected, years, size);
  const { carry, bustLoad, flatLoad, dataQuality } = parts;
  const price = Math.min(1, shiftedValue + carry + bustLoad + flatLoad + dataQuality);
  const premiumUsd = coverageUsd * price;
  return {
    fairValue,
    anyClaimProb,
    fullLimitProb,
    parts,
    spreadBps: Math.round(10_000 * (price - fairValue)),
    price,
    limitTick: tickUp(price),
    premiumUsd,
    maxPayoutUsd: coverageUsd,
    sellerCollateralUsd: coverageUsd - premiumUsd,
  };
}
