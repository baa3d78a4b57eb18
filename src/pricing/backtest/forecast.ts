// A forecast of the log change of an index, a model's or a normal, and what follows from it:
// chances of decline, mean payout of a layer, probability transform and ranked score.
// Invariant: all of it comes from one distribution; only the scores look at an outcome.
import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import {
  type Distribution,
  type LocationScale,
  layerMean,
  cumulative as modelled,
  studentT4,
} from "../distribution.ts";

export interface NormalForecast {
  readonly family: "normal";
  readonly mu: number;
  /** Positive. */
  readonly s: number;
}

interface ModelForecast {
  readonly family: "model";
  readonly distribution: Distribution;
  /** Price per 1 of coverage of each scored layer; what a baseline does not have. */
  readonly prices: readonly number[];
}

export type Forecast = NormalForecast | ModelForecast;

/** P(log change ≤ y). */
export const cumulative = (forecast: Forecast, y: number): number =>
  forecast.family === "model"
    ? modelled(forecast.distribution, y)
    : normalCdf((y - forecast.mu) / forecast.s, 0, 1);

/** P(decline ≥ u), 0 < u < 1. */
export const declineChance = (forecast: Forecast, u: number): number =>
  cumulative(forecast, Math.log1p(-u));

/** The mean payout of a layer per 1 of coverage. */
export const meanLayer = (forecast: Forecast, attach: number, exhaust: number): number =>
  forecast.family === "model"
    ? layerMean(forecast.distribution, attach, exhaust)
    : (meanFall(forecast, attach) - meanFall(forecast, exhaust)) / (exhaust - attach);

/** E max(0, decline − u) under a normal: the put of Black's formula without rates. */
function meanFall({ mu, s }: NormalForecast, u: number): number {
  const z = (Math.log1p(-u) - mu) / s;
  return (1 - u) * normalCdf(z, 0, 1) - Math.exp(mu + (s * s) / 2) * normalCdf(z - s, 0, 1);
}

/** Continuous ranked probability score of an outcome, in the unit of the log change. */
export function rankedScore(forecast: Forecast, y: number): number {
  if (forecast.family === "model") {
    const { distribution } = forecast;
    return meanDistance(distribution, y) - halfSpread(distribution);
  }
  const { mu, s } = forecast;
  const z = (y - mu) / s;
  const centred = z * (2 * cumulative(forecast, y) - 1);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return s * (centred + 2 * density - 1 / Math.sqrt(Math.PI));
}

/** E|Y − y|. */
function meanDistance({ mu, s, bust }: Distribution, y: number): number {
  const usual = distanceOf({ mu, s }, y);
  if (bust === undefined) return usual;
  return (1 - bust.weight) * usual + bust.weight * distanceOf(bust, y);
}

function distanceOf({ mu, s }: LocationScale, y: number): number {
  const z = (y - mu) / s;
  const spread = 1 + (z * z) / 4;
  const density = 0.375 / (spread * spread * Math.sqrt(spread));
  return s * (z * (2 * studentT4(z) - 1) + (2 * density * (4 + z * z)) / 3);
}

/** 2√4·B(½,3½)/(3·B(½,2)²): half the mean distance of two Student-t(4) draws. */
const T4_SPREAD = (2 * 2 * ((5 / 16) * Math.PI)) / (3 * (4 / 3) ** 2);
const SPREAD_POINTS = 384;

/**
 * Half the mean distance of two draws, ∫F(1 − F). Two regimes have no closed form of it: the
 * trapezoid rule after y = mu + s·tan θ, where the integrand falls to 0 at both ends.
 */
function halfSpread(distribution: Distribution): number {
  const { mu, s, bust } = distribution;
  if (bust === undefined) return s * T4_SPREAD;
  let sum = 0;
  for (let at = 1; at < SPREAD_POINTS; at += 1) {
    const tangent = Math.tan(Math.PI * (at / SPREAD_POINTS - 0.5));
    const below = modelled(distribution, mu + s * tangent);
    sum += below * (1 - below) * (1 + tangent * tangent);
  }
  return (sum * s * Math.PI) / SPREAD_POINTS;
}
