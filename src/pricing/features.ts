// The model's features of a node: momentum, five-year growth, volatility, nation and state.
// Invariant: every feature is finite and inside its range for any history, however short.
import { invariant } from "#base/invariant.ts";
import {
  LOG_VOLATILITY_LIMIT,
  LONG_RUN_GROWTH,
  MAX_LONG_GROWTH,
  MIN_LONG_GROWTH,
  MOMENTUM_LIMIT,
  type PricedIndex,
  type PricingLevel,
} from "./constants.ts";
import { logLevelReader, type MonthlySeries, volatilityOf } from "./series.ts";

export interface Features {
  /** Momentum: annual log growth, half of the last quarter's, half of the last year's. */
  readonly m: number;
  /** Annual log growth over five years. */
  readonly g60: number;
  /** Log of volatility against the usual one of the level. */
  readonly lv: number;
  /** Momentum of the nation. */
  readonly mN: number;
  /** Momentum of the state. */
  readonly mS: number;
  /** True below 24 months of growth: the node's own volatility is only partly believed. */
  readonly usedDefaultVol: boolean;
}

export interface FeatureInput extends MonthlySeries {
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  /** Usual volatility of the level at the as-of month: `medianVolatility`. Positive. */
  readonly vRef: number;
  readonly nationMomentum: number | undefined;
  readonly stateMomentum: number | undefined;
  /** Five-year growth of the parent; stands in only while there is no growth to measure. */
  readonly parentG60: number | undefined;
}

const FULL_MOMENTUM_PRINTS = 13;
const MIN_MOMENTUM_PRINTS = 4;
const LONG_MONTHS = 60;
const FULL_HISTORY_MONTHS = 24;
const MIN_VOLATILITY_PRINTS = 8;

/** The features at the as-of month. An empty history gives the parents' features. */
export function featuresOf(input: FeatureInput): Features {
  invariant(input.vRef > 0, `vRef must be positive, is ${input.vRef}`);
  const { index, level, nationMomentum, stateMomentum } = input;
  const parent = parentMomentum(level, nationMomentum, stateMomentum);
  const m = momentumOf(index, input, parent) ?? parent;
  const nation = nationMomentum ?? (level === "state" ? m : stateMomentum) ?? m;
  return {
    m,
    g60: longGrowth(input),
    lv: logVolatility(input),
    mN: level === "nation" ? m : nation,
    mS: level === "nation" || level === "state" ? m : (stateMomentum ?? nation),
    usedDefaultVol: input.logLevels.length - 1 < FULL_HISTORY_MONTHS,
  };
}

/**
 * The parent that a short history leans on: the state, above it the nation, above that the long-run
 * rate. A state and the nation cannot lean on themselves.
 */
function parentMomentum(
  level: PricingLevel,
  nationMomentum: number | undefined,
  stateMomentum: number | undefined,
): number {
  const state = level === "nation" || level === "state" ? undefined : stateMomentum;
  return clamp(state ?? nationMomentum ?? LONG_RUN_GROWTH, -MOMENTUM_LIMIT, MOMENTUM_LIMIT);
}

/**
 * The momentum m of one series. From 13 prints on its own; from 4 a blend with `parent` (default
 * the long-run rate); below 4 `parent` itself, so undefined when there is none.
 */
export function momentumOf(
  index: PricedIndex,
  series: MonthlySeries,
  parent?: number,
): number | undefined {
  const prints = series.logLevels.length;
  if (prints < MIN_MOMENTUM_PRINTS) return parent;

  const x = logLevelReader(index, series);
  return clamp(
    prints >= FULL_MOMENTUM_PRINTS
      ? (4 * (x(0) - x(3)) + (x(0) - x(12))) / 2
      : blend(prints / 12, (12 * (x(0) - x(prints - 1))) / (prints - 1), parent ?? LONG_RUN_GROWTH),
    -MOMENTUM_LIMIT,
    MOMENTUM_LIMIT,
  );
}

interface PlaceMomentum {
  readonly momentum: number;
  readonly housingUnits: number | undefined;
}

/**
 * The momentum of a nation or state without a series of its own: the mean over the places in it
 * that have data, weighted by housing units; a place of unknown size weighs as much as the mean of
 * the known ones, so all weigh the same where none is known. Undefined without places.
 */
export function meanMomentumOf(places: readonly PlaceMomentum[]): number | undefined {
  if (places.length === 0) return undefined;
  const known = places.flatMap(({ housingUnits }) => housingUnits ?? []);
  const units = known.reduce((sum, count) => sum + count, 0);
  const usualWeight = units > 0 ? units / known.length : 1;
  let weights = 0;
  let sum = 0;
  for (const { momentum, housingUnits } of places) {
    const weight = units > 0 ? (housingUnits ?? usualWeight) : 1;
    weights += weight;
    sum += weight * momentum;
  }
  return sum / weights;
}

function longGrowth(input: FeatureInput): number {
  const growths = input.logLevels.length - 1;
  const months = Math.min(LONG_MONTHS, growths);
  if (months < 1) return input.parentG60 ?? LONG_RUN_GROWTH;

  const x = logLevelReader(input.index, input);
  const trailing = (12 * (x(0) - x(months))) / months;
  return clamp(
    growths >= FULL_HISTORY_MONTHS - 1
      ? trailing
      : blend(months / LONG_MONTHS, trailing, LONG_RUN_GROWTH),
    MIN_LONG_GROWTH,
    MAX_LONG_GROWTH,
  );
}

function logVolatility(input: FeatureInput): number {
  const prints = input.logLevels.length;
  if (prints < MIN_VOLATILITY_PRINTS) return 0;

  // A series that never moved has log ratio −∞, which the clamp turns into the lowest value.
  const ratio = Math.log(volatilityOf(input.index, input) / input.vRef);
  const belief = Math.min(1, (prints - 1) / FULL_HISTORY_MONTHS);
  return belief * clamp(ratio, -LOG_VOLATILITY_LIMIT, LOG_VOLATILITY_LIMIT);
}

const blend = (weight: number, own: number, other: number): number =>
  weight * own + (1 - weight) * other;

const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));
