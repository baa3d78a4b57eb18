// The distribution of the log change of an index over a horizon: location, scale, Student-t(4), and
// beside it, in the model with two regimes, a bust that lies lower.
// Invariant: survival(u) falls with u from at most 1 to 0 at u = 1, and layerMean lies between
// its values at the two ends of the layer.
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month } from "#base/month.ts";
import {
  type HorizonConstants,
  type HorizonTable,
  kappaOf,
  LONG_RUN_GROWTH,
  levelScale,
  type PricedIndex,
  type PriceModel,
  type PricingLevel,
  type RegimeConstants,
  SCALE_EXPONENT_LIMIT,
} from "./constants.ts";
import { BOOM_LIMIT, BOOM_UNIT } from "./constants-regime.ts";
import type { Features } from "./features.ts";
import { constantsAt } from "./horizon.ts";
import { seasonOf } from "./series.ts";

/** mu + s·T, T a Student-t: with 4 degrees of freedom here. */
export interface LocationScale {
  readonly mu: number;
  readonly s: number;
}

/** Y: the usual regime, or with a weight the bust. */
export interface Distribution extends LocationScale {
  /** Undefined where the model has one regime. */
  readonly bust: (LocationScale & { readonly weight: number }) | undefined;
  /** The unit of the risk load, which moves both regimes alike; s itself where there is one. */
  readonly loadScale: number;
}

export interface Outlook {
  readonly model: PriceModel;
  /** Production's where absent. */
  readonly constants?: HorizonTable | undefined;
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  readonly features: Features;
  readonly asOfMonth: Month;
  /** Whole months from the as-of month to the measurement month, 1…maxHorizonMonths. */
  readonly horizonMonths: number;
}

/** The distribution of ln I(measurement) − ln I(as-of). */
export const distributionOf = (outlook: Outlook): Distribution =>
  distributionFrom(constantsOf(outlook), outlook);

function constantsOf({ model, constants, index, horizonMonths }: Outlook): HorizonConstants {
  if (constants === undefined) return constantsAt(model, index, horizonMonths);
  const known = constants[horizonMonths - 1];
  invariant(known !== undefined, `no constants were fitted at ${horizonMonths} months`);
  return known;
}

/** The same with other constants than production's, as a backtest has them for each year. */
export function distributionFrom(
  constants: HorizonConstants,
  { index, level, features, asOfMonth, horizonMonths }: Omit<Outlook, "model" | "constants">,
): Distribution {
  const { m, g60, lv, mN, mS, g60N, g60S } = features;
  const { b, gamma, delta, eta, etaNation, etaState, tau, regime } = constants;
  const season = seasonOf(index, addMonths(asOfMonth, horizonMonths)) - seasonOf(index, asOfMonth);
  const mu =
    b[0] + b[1] * m + b[2] * g60 + b[3] * mN + b[4] * mS + b[5] * g60N + b[6] * g60S + season;
  const boom = Math.max(g60 - LONG_RUN_GROWTH, 0);
  const own = gamma * lv + delta * boom + eta * Math.abs(m - g60);
  const around = etaNation * Math.abs(mN - g60N) + etaState * Math.abs(mS - g60S);
  const scale = levelScale[level] * tau * Math.exp(Math.min(SCALE_EXPONENT_LIMIT, own + around));
  const loadScale = kappaOf[index] * scale;
  if (regime === undefined) return { mu, s: loadScale, bust: undefined, loadScale };
  const { r, d, k } = regime;
  return {
    mu,
    s: loadScale * Math.exp(r),
    bust: {
      weight: bustWeight(regime, g60S),
      mu: mu - Math.exp(d) * scale,
      s: loadScale * Math.exp(k),
    },
    loadScale,
  };
}

/** The weight of the bust: a logistic of the state's five-year boom. */
function bustWeight({ a, c }: RegimeConstants, stateGrowth: number): number {
  const boom = Math.min(Math.max(stateGrowth - LONG_RUN_GROWTH, 0), BOOM_LIMIT);
  return 1 / (1 + Math.exp(-(a + (c * boom) / BOOM_UNIT)));
}

/** The same distribution moved by a log change, up or down. */
export const movedBy = (distribution: Distribution, change: number): Distribution => ({
  ...distribution,
  mu: distribution.mu + change,
  bust: distribution.bust && { ...distribution.bust, mu: distribution.bust.mu + change },
});

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

/** P(Y ≤ y). */
export function cumulative({ mu, s, bust }: Distribution, y: number): number {
  const usual = studentT4((y - mu) / s);
  if (bust === undefined) return usual;
  return (1 - bust.weight) * usual + bust.weight * studentT4((y - bust.mu) / bust.s);
}

/** y with P(Y ≤ y) = p, 0 < p < 1. Of two regimes it lies between their own quantiles. */
export function quantile(distribution: Distribution, p: number): number {
  const { mu, s, bust } = distribution;
  const z = studentT4Quantile(p);
  const usual = mu + s * z;
  if (bust === undefined) return usual;
  const other = bust.mu + bust.s * z;
  let [low, high] = usual < other ? [usual, other] : [other, usual];
  for (let middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
    if (cumulative(distribution, middle) < p) low = middle;
    else high = middle;
  }
  return high;
}

/** P(decline ≥ u), decline = 1 − exp(Y), 0 ≤ u ≤ 1. */
export const survival = (distribution: Distribution, u: number): number =>
  u >= 1 ? 0 : cumulative(distribution, Math.log1p(-u));

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
  const narrowest = Math.min(distribution.s, distribution.bust?.s ?? distribution.s);
  const panels = Math.min(MAX_PANELS, Math.ceil(width / Math.min(PANEL_WIDTH, narrowest)));
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
