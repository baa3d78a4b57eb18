// Baselines for the model: random walks and an autoregression, each fitted to one node's own
// growths and to nothing that came after the origin.
// Invariant: growths on either side of a missing print are never joined.
import type { NormalForecast } from "./forecast.ts";
import type { Panel, PanelNode } from "./panel.ts";

/** Running sums over a node's growths g and over pairs (g before, g), by step. */
export interface GrowthSums {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  readonly pairs: Float64Array;
  readonly befores: Float64Array;
  readonly afters: Float64Array;
  readonly beforeSquares: Float64Array;
  readonly afterSquares: Float64Array;
  readonly products: Float64Array;
  /** The growth into each step. */
  readonly growths: Float64Array;
}

/** Sums at every step of the file, so that any origin reads its own in one look. */
export function growthSumsOf(panel: Panel, node: PanelNode): GrowthSums {
  const steps = Math.floor((node.logs.length - 1) / panel.stepMonths) + 1;
  const fresh = (): Float64Array => new Float64Array(steps);
  const growths = fresh().fill(Number.NaN);
  for (let step = 1; step < steps; step += 1) {
    const at = step * panel.stepMonths;
    growths[step] =
      (node.logs[at] ?? Number.NaN) - (node.logs[at - panel.stepMonths] ?? Number.NaN);
  }
  const running = (term: (step: number) => number): Float64Array => {
    const sums = fresh();
    let sum = 0;
    for (let step = 1; step < steps; step += 1) {
      const value = term(step);
      if (!Number.isNaN(value)) sum += value;
      sums[step] = sum;
    }
    return sums;
  };
  const g = (step: number): number => growths[step] ?? Number.NaN;
  // A pair counts only where both of its growths are known: adding 0·other makes it NaN if not.
  const before = (step: number): number => g(step - 1) + 0 * g(step);
  const after = (step: number): number => g(step) + 0 * g(step - 1);
  return {
    growths,
    count: running((step) => 1 + 0 * g(step)),
    sum: running(g),
    squares: running((step) => g(step) ** 2),
    pairs: running((step) => 1 + 0 * before(step)),
    befores: running(before),
    afters: running(after),
    beforeSquares: running((step) => before(step) ** 2),
    afterSquares: running((step) => after(step) ** 2),
    products: running((step) => before(step) * after(step)),
  };
}

/** No drift: the change is as likely up as down, with the spread of all growths so far. */
export function walkForecast(sums: GrowthSums, step: number, steps: number): NormalForecast {
  const { deviation } = momentsAt(sums, step);
  return { family: "normal", mu: 0, s: deviation * Math.sqrt(steps) };
}

/** The node's own mean growth goes on. */
export function driftForecast(sums: GrowthSums, step: number, steps: number): NormalForecast {
  const { mean, deviation } = momentsAt(sums, step);
  return { family: "normal", mu: mean * steps, s: deviation * Math.sqrt(steps) };
}

function momentsAt(sums: GrowthSums, step: number): { mean: number; deviation: number } {
  const count = sums.count[step] ?? 0;
  const mean = (sums.sum[step] ?? Number.NaN) / count;
  const squares = (sums.squares[step] ?? Number.NaN) - count * mean * mean;
  return { mean, deviation: Math.sqrt(Math.max(0, squares) / (count - 1)) };
}

/** An autoregression nearer to a unit root has no long-run mean to speak of. */
const MOST_PERSISTENT = 0.98;

/**
 * g(t) = c + φ·g(t−1) + e by least squares. The sum of the next h growths has the mean
 * h·μ + (g − μ)·φ(1 − φ^h)/(1 − φ) and the variance σ²/(1 − φ)²·Σ (1 − φ^j)², j = 1…h.
 */
export function autoregressiveForecast(
  sums: GrowthSums,
  step: number,
  steps: number,
): NormalForecast {
  const at = (of: Float64Array): number => of[step] ?? Number.NaN;
  const pairs = at(sums.pairs);
  const [meanBefore, meanAfter] = [at(sums.befores) / pairs, at(sums.afters) / pairs];
  const spreadBefore = at(sums.beforeSquares) - pairs * meanBefore ** 2;
  const spreadAfter = at(sums.afterSquares) - pairs * meanAfter ** 2;
  const joint = at(sums.products) - pairs * meanBefore * meanAfter;
  const fitted = spreadBefore > 0 ? joint / spreadBefore : 0;
  const phi = Math.min(MOST_PERSISTENT, Math.max(-MOST_PERSISTENT, fitted));
  const constant = meanAfter - phi * meanBefore;
  const residual = spreadAfter - 2 * phi * joint + phi * phi * spreadBefore;

  const longRun = constant / (1 - phi);
  // After a missing print there is no newest growth, and the long-run mean stands in.
  const newest = Number.isNaN(at(sums.growths)) ? longRun : at(sums.growths);
  let factor = 0;
  let power = 1;
  for (let ahead = 1; ahead <= steps; ahead += 1) {
    power *= phi;
    factor += (1 - power) ** 2;
  }
  const variance = ((Math.max(0, residual) / (pairs - 2)) * factor) / (1 - phi) ** 2;
  return {
    family: "normal",
    mu: steps * longRun + ((newest - longRun) * phi * (1 - power)) / (1 - phi),
    s: Math.sqrt(variance),
  };
}
