// A forecast of the log change of an index, Student-t(4) or normal, and what follows from it:
// chances of decline, mean payout of a layer, probability transform and ranked score.
// Invariant: all of it comes from one (mu, s); nothing here looks at an outcome but the scores.
import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import { layerMean, studentT4, survival } from "../distribution.ts";

export interface Forecast {
  readonly family: "t4" | "normal";
  readonly mu: number;
  /** Positive. */
  readonly s: number;
}

/** P(log change ≤ y). */
export function cumulative({ family, mu, s }: Forecast, y: number): number {
  const z = (y - mu) / s;
  return family === "t4" ? studentT4(z) : normalCdf(z, 0, 1);
}

/** P(decline ≥ u), 0 < u < 1. */
export const declineChance = (forecast: Forecast, u: number): number =>
  forecast.family === "t4" ? survival(forecast, u) : cumulative(forecast, Math.log1p(-u));

/** The mean payout of a layer per 1 of coverage. */
export function meanLayer(forecast: Forecast, attach: number, exhaust: number): number {
  if (forecast.family === "t4") return layerMean(forecast, attach, exhaust);
  return (meanFall(forecast, attach) - meanFall(forecast, exhaust)) / (exhaust - attach);
}

/** E max(0, decline − u) under a normal: the put of Black's formula without rates. */
function meanFall({ mu, s }: Forecast, u: number): number {
  const z = (Math.log1p(-u) - mu) / s;
  return (1 - u) * normalCdf(z, 0, 1) - Math.exp(mu + (s * s) / 2) * normalCdf(z - s, 0, 1);
}

/** 2√4·B(½,3½)/(3·B(½,2)²): half the mean distance of two Student-t(4) draws. */
const T4_SPREAD = (2 * 2 * ((5 / 16) * Math.PI)) / (3 * (4 / 3) ** 2);

/** Continuous ranked probability score of an outcome, in the unit of the log change. */
export function rankedScore(forecast: Forecast, y: number): number {
  const { family, mu, s } = forecast;
  const z = (y - mu) / s;
  const centred = z * (2 * cumulative(forecast, y) - 1);
  if (family === "t4") {
    const spread = 1 + (z * z) / 4;
    const density = 0.375 / (spread * spread * Math.sqrt(spread));
    return s * (centred + (2 * density * (4 + z * z)) / 3 - T4_SPREAD);
  }
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return s * (centred + 2 * density - 1 / Math.sqrt(Math.PI));
}
