// The distribution of the log change of an index over a horizon: location, scale, Student-t(4).
// Invariant: survival(u) falls with u from at most 1 to 0 at u = 1, and layerMean lies between
// its values at the two ends of the layer.
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month } from "#base/month.ts";
import {
  type HorizonConstants,
  type Knot,
  kappaOf,
  knotsOf,
  LONG_RUN_GROWTH,
  levelScale,
  maxHorizonMonths,
  type PricedIndex,
  type PricingLevel,
  SCALE_EXPONENT_LIMIT,
} from "./constants.ts";
import type { Features } from "./features.ts";
import { seasonOf } from "./series.ts";

/** Y = mu + s·T, T Student-t with 4 degrees of freedom. */
export interface Distribution {
  readonly mu: number;
  readonly s: number;
}

export interface Outlook {
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  readonly features: Features;
  readonly asOfMonth: Month;
  /** Whole months from the as-of month to the measurement month, 1…maxHorizonMonths. */
  readonly horizonMonths: number;
}

/** The distribution of ln I(measurement) − ln I(as-of). */
export const distributionOf = (outlook: Outlook): Distribution =>
  distributionFrom(constantsAt(outlook.index, outlook.horizonMonths), outlook);

/** The same with other constants than production's, as a backtest has them for each year. */
export function distributionFrom(constants: HorizonConstants, outlook: Outlook): Distribution {
  const { index, level, asOfMonth, horizonMonths } = outlook;
  const { m, g60, lv, mN, mS } = outlook.features;
  const { b, gamma, delta, eta, tau } = constants;
  const season = seasonOf(index, addMonths(asOfMonth, horizonMonths)) - seasonOf(index, asOfMonth);
  const boom = Math.max(g60 - LONG_RUN_GROWTH, 0);
  const exponent = gamma * lv + delta * boom + eta * Math.abs(m - g60);
  return {
    mu: b[0] + b[1] * m + b[2] * g60 + b[3] * mN + b[4] * mS + season,
    s:
      kappaOf[index] * levelScale[level] * tau * Math.exp(Math.min(SCALE_EXPONENT_LIMIT, exponent)),
  };
}

/** The constants at a whole horizon, 1…maxHorizonMonths; worked out once for each. */
export function constantsAt(index: PricedIndex, horizonMonths: number): HorizonConstants {
  const constants = everyHorizon[index][horizonMonths - 1];
  invariant(constants !== undefined, `no ${index} horizon of ${horizonMonths} months`);
  return constants;
}

const allHorizons = (index: PricedIndex): readonly HorizonConstants[] =>
  Array.from({ length: maxHorizonMonths[index] }, (_, at) => interpolate(knotsOf[index], at + 1));

const everyHorizon: Readonly<Record<PricedIndex, readonly HorizonConstants[]>> = {
  zhvi: allHorizons("zhvi"),
  zori: allHorizons("zori"),
};

/**
 * Between knots: weights linear in the horizon, tau linear in log against log. Below the first:
 * the location shrinks to nothing at once with the horizon, the scale with its square root.
 */
function interpolate(knots: readonly Knot[], months: number): HorizonConstants {
  const at = knots.findIndex((knot) => knot.months >= months);
  const above = knots[at];
  invariant(above !== undefined, `no knot at or above ${months} months`);
  const below = knots[at - 1];
  if (below === undefined) {
    const part = months / above.months;
    return {
      b: mixed([0, 0, 0, 0, 0], above.b, part),
      gamma: above.gamma,
      delta: above.delta,
      eta: above.eta,
      tau: above.tau * Math.sqrt(part),
    };
  }

  const weight = (months - below.months) / (above.months - below.months);
  const logWeight = Math.log(months / below.months) / Math.log(above.months / below.months);
  return {
    b: mixed(below.b, above.b, weight),
    gamma: mix(below.gamma, above.gamma, weight),
    delta: mix(below.delta, above.delta, weight),
    eta: mix(below.eta, above.eta, weight),
    tau: below.tau * Math.exp(logWeight * Math.log(above.tau / below.tau)),
  };
}

function mixed(
  from: HorizonConstants["b"],
  to: HorizonConstants["b"],
  weight: number,
): HorizonConstants["b"] {
  return [
    mix(from[0], to[0], weight),
    mix(from[1], to[1], weight),
    mix(from[2], to[2], weight),
    mix(from[3], to[3], weight),
    mix(from[4], to[4], weight),
  ];
}

function mix(from: number, to: number, weight: number): number {
  return from + (to - from) * weight;
}

/**
 * P(T ≤ z) for Student-t with 4 degrees of freedom, exact. With w = z/√(4+z²) and c = 1+w the
 * usual form ½ + ¾w(1 − w²/3) is c²(3 − c)/4, which keeps its digits far out in the lower tail.
 */
export function studentT4(z: number): number {
  const root = Math.sqrt(4 + z * z);
  const c = z < 0 ? 4 / (root * (root - z)) : 1 + z / root;
  return (c * c * (3 - c)) / 4;
}

/** z with P(T ≤ z) = p, 0 < p < 1: the closed form by the cosine of a third of an angle. */
export function studentT4Quantile(p: number): number {
  const root = Math.sqrt(4 * p * (1 - p));
  const size = 2 * Math.sqrt(Math.max(0, Math.cos(Math.acos(root) / 3) / root - 1));
  return p < 0.5 ? -size : size;
}

/** P(decline ≥ u), decline = 1 − exp(Y), 0 ≤ u ≤ 1. */
export function survival({ mu, s }: Distribution, u: number): number {
  return u >= 1 ? 0 : studentT4((Math.log1p(-u) - mu) / s);
}

/** Points and weights of 8-point Gauss-Legendre on −1…1, of which the mirrored half is implied. */
const gaussPoints = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
] as const;
const PANEL_WIDTH = 0.05;
const MAX_PANELS = 64;

/** The mean of survival over attach…exhaust: what a layer pays on average per 1 of coverage. */
export function layerMean(distribution: Distribution, attach: number, exhaust: number): number {
  const width = exhaust - attach;
  const panels = Math.min(MAX_PANELS, Math.ceil(width / Math.min(PANEL_WIDTH, distribution.s)));
  const half = width / (2 * panels);
  let sum = 0;
  for (let panel = 0; panel < panels; panel += 1) {
    const middle = attach + half * (2 * panel + 1);
    for (const [point, weight] of gaussPoints) {
      const low = survival(distribution, middle - half * point);
      const high = survival(distribution, middle + half * point);
      sum += weight * (low + high);
    }
  }

  // Rounding may carry the mean past an end by one part in 1e16; the order is kept exactly.
  const mean = (sum * half) / width;
  return Math.min(survival(distribution, attach), Math.max(survival(distribution, exhaust), mean));
}
