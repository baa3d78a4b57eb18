// The model's features of a node: momentum, five-year growth, volatility, nation and state.
// Invariant: every feature is finite and inside its range for any history, however short.
import { invariant } from "#base/invariant.ts";
import {
  type HorizonTable,
  LOG_VOLATILITY_LIMIT,
  LONG_RUN_GROWTH,
  MAX_LONG_GROWTH,
  MIN_LONG_GROWTH,
  MOMENTUM_LIMIT,
  type PricedIndex,
  type PriceModel,
  type PricingLevel,
} from "./constants.ts";
import { logLevelReader, type MonthlySeries, volatilityOf } from "./series.ts";

export interface Features {
  /**
   * Momentum: annual log growth, half of the last quarter's, half of the last year's; of a series
   * with one print a quarter the last year's alone.
   */
  readonly m: number;
  /** Annual log growth over five years. */
  readonly g60: number;
  /** Log of volatility against the usual one of the level. */
  readonly lv: number;
  /** Momentum of the nation. */
  readonly mN: number;
  /** Momentum of the state. */
  readonly mS: number;
  /** Five-year growth of the nation. */
  readonly g60N: number;
  /** Five-year growth of the state. */
  readonly g60S: number;
  /** True below 24 months of growth: the node's own volatility is only partly believed. */
  readonly usedDefaultVol: boolean;
}

export interface FeatureInput extends MonthlySeries {
  readonly model: PriceModel;
  /** Those of the model that were known at the as-of month; production's where absent. */
  readonly constants?: HorizonTable | undefined;
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  /** Usual volatility of the level at the as-of month: `medianVolatility`. Positive. */
  readonly vRef: number;
  /** Growth of the nation and of the state, as of their median place; undefined where unknown. */
  readonly nation: RegionGrowth | undefined;
  readonly state: RegionGrowth | undefined;
}

/** Annual log growth of a nation or a state. */
export interface RegionGrowth {
  readonly momentum: number;
  readonly g60: number;
}

const FULL_MOMENTUM_PRINTS = 13;
const MIN_MOMENTUM_PRINTS = 4;
const LONG_MONTHS = 60;
const FULL_HISTORY_MONTHS = 24;
const MIN_VOLATILITY_PRINTS = 8;

/** The features at the as-of month. An empty history gives the parents' features. */
export function featuresOf(input: FeatureInput): Features {
  invariant(input.vRef > 0, `vRef must be positive, is ${input.vRef}`);
  const { index, level } = input;
  const parent = parentOf(input);
  const m = momentumOf(index, input, parent.momentum) ?? parent.momentum;
  const own = { momentum: m, g60: longGrowth(input, parent.g60) };
  const nation = level === "nation" ? own : nationOf(input, own);
  const state = level === "nation" || level === "state" ? own : (input.state ?? nation);
  return {
    m,
    g60: own.g60,
    lv: logVolatility(input),
    mN: nation.momentum,
    mS: state.momentum,
    g60N: nation.g60,
    g60S: state.g60,
    usedDefaultVol: input.logLevels.length - 1 < FULL_HISTORY_MONTHS,
  };
}

const nationOf = ({ level, nation, state }: FeatureInput, own: RegionGrowth): RegionGrowth =>
  nation ?? (level === "state" ? own : state) ?? own;

const longRun: RegionGrowth = { momentum: LONG_RUN_GROWTH, g60: LONG_RUN_GROWTH };

/**
 * The parent that a short history leans on: the state, above it the nation, above that the long-run
 * rate. A state and the nation cannot lean on themselves.
 */
function parentOf({ level, nation, state }: FeatureInput): RegionGrowth {
  const above = level === "nation" || level === "state" ? undefined : state;
  const { momentum, g60 } = above ?? nation ?? longRun;
  return {
    momentum: clamp(momentum, -MOMENTUM_LIMIT, MOMENTUM_LIMIT),
    g60: clamp(g60, MIN_LONG_GROWTH, MAX_LONG_GROWTH),
  };
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
      ? fullMomentum(x, series.stepMonths === 3)
      : blend(prints / 12, (12 * (x(0) - x(prints - 1))) / (prints - 1), parent ?? LONG_RUN_GROWTH),
    -MOMENTUM_LIMIT,
    MOMENTUM_LIMIT,
  );
}

/** One quarter's growth is half a year's noise where it is a single print. */
function fullMomentum(x: (back: number) => number, isQuarterly: boolean): number {
  const year = x(0) - x(12);
  return isQuarterly ? year : (4 * (x(0) - x(3)) + year) / 2;
}

/** Growth over five years of one series; `parent` where it has no growth at all. */
function longGrowth(input: MonthlySeries & Pick<FeatureInput, "index">, parent: number): number {
  const growths = input.logLevels.length - 1;
  const months = Math.min(LONG_MONTHS, growths);
  if (months < 1) return parent;

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

/** A series' own growth; undefined below 4 prints, where it has no momentum. */
export function growthOf(index: PricedIndex, series: MonthlySeries): RegionGrowth | undefined {
  const momentum = momentumOf(index, series);
  if (momentum === undefined) return undefined;
  return { momentum, g60: longGrowth({ ...series, index }, LONG_RUN_GROWTH) };
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
