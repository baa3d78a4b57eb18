// The out-of-sample test: at every third month forecast each node 6 to 36 months ahead with what
// was known then, and score the forecasts once the outcome is in.
// Invariant: all models are scored on the same pairs of origin and outcome, and a forecast sees no
// print later than its origin; constants by year are the caller's to have fitted likewise.
import { addMonths, calendarMonth, type Month } from "#base/month.ts";
import type { HorizonConstants } from "../constants.ts";
import { constantsAt, distributionFrom } from "../distribution.ts";
import { type FeatureInput, featuresOf, momentumOf } from "../features.ts";
import { type MonthlySeries, medianVolatility } from "../series.ts";
import {
  autoregressiveForecast,
  driftForecast,
  type GrowthSums,
  growthSumsOf,
  walkForecast,
} from "./baseline.ts";
import type { Forecast } from "./forecast.ts";
import { type Panel, type PanelNode, seriesAt } from "./panel.ts";
import { meanScores, type Scores, Tally } from "./score.ts";

export const horizons = [6, 12, 18, 24, 36] as const;

const models = [
  "iid lognormal, zero drift",
  "iid lognormal, own drift",
  "own AR(1)",
  "HMR-t4",
] as const;

/** Constants at a horizon for origins of a year; undefined where none were fitted. */
export type YearConstants = (horizonMonths: number, year: number) => HorizonConstants | undefined;

interface ModelResult {
  readonly model: string;
  readonly mean: Scores;
  readonly byHorizon: Readonly<Record<string, Scores>>;
}

export interface BacktestResult {
  readonly firstOrigin: Month;
  readonly origins: number;
  readonly results: readonly ModelResult[];
}

/** An origin needs prints here, months back: momentum, and a volatility that is the node's own. */
const NEEDED_MONTHS = [0, 3, 12, 24];
const LONGEST_NEEDED = 24;
const FULL_MOMENTUM_PRINTS = 13;

/**
 * Runs the test on origins from the start of `fromYear`; constants default to production's. A row
 * of the nation is its momentum and one more node of the level. Throws when nothing can be scored.
 */
export function backtest(panel: Panel, fromYear: number, byYear?: YearConstants): BacktestResult {
  const tallies = models.map(() => horizons.map(() => new Tally()));
  const sums = panel.nodes.map((node) => growthSumsOf(panel, node));
  const constants: YearConstants = byYear ?? ((months) => constantsAt(panel.index, months));
  const last = panel.lastMonth - panel.firstMonth;
  const origins: Month[] = [];
  for (let at = LONGEST_NEEDED; at + horizons[0] <= last; at += 1) {
    const month = addMonths(panel.firstMonth, at);
    const isOrigin = panel.stepMonths === 3 ? at % 3 === 0 : calendarMonth(month) % 3 === 1;
    if (!isOrigin || month < fromYear * 12) continue;
    if (scoreOrigin(panel, sums, at, constants, tallies)) origins.push(month);
  }
  const [firstOrigin] = origins;
  if (firstOrigin === undefined) throw new Error(`${panel.file}: too short to score any origin`);
  return {
    firstOrigin,
    origins: origins.length,
    results: models.map((model, k) => resultOf(model, tallies[k] ?? [])),
  };
}

function resultOf(model: string, tallies: readonly Tally[]): ModelResult {
  const scores = tallies.map((tally) => tally.scores());
  const byHorizon = Object.fromEntries(
    scores.map((one, at) => [String(horizons[at] ?? Number.NaN), one]),
  );
  return { model, mean: meanScores(scores.filter(({ pairs }) => pairs > 0)), byHorizon };
}

/** Scores every node at one origin; false when nothing could be scored. */
function scoreOrigin(
  panel: Panel,
  sums: readonly GrowthSums[],
  at: number,
  constants: YearConstants,
  tallies: readonly (readonly Tally[])[],
): boolean {
  const year = Math.floor(addMonths(panel.firstMonth, at) / 12);
  const inputOf = inputsAt(panel, at);
  let scored = false;
  for (const [nodeAt, node] of panel.nodes.entries()) {
    const input = inputOf(node);
    const growths = sums[nodeAt];
    if (input === undefined || growths === undefined || !isPriced(node, at)) continue;
    const features = featuresOf(input);
    for (const [horizonAt, horizonMonths] of horizons.entries()) {
      const logChange = logAt(node, at + horizonMonths) - logAt(node, at);
      const fitted = constants(horizonMonths, year);
      if (Number.isNaN(logChange) || fitted === undefined) continue;
      const { mu, s } = distributionFrom(fitted, { ...input, features, horizonMonths });
      const step = at / panel.stepMonths;
      const steps = horizonMonths / panel.stepMonths;
      const forecasts: Forecast[] = [
        walkForecast(growths, step, steps),
        driftForecast(growths, step, steps),
        autoregressiveForecast(growths, step, steps),
        { family: "t4", mu, s },
      ];
      // A node that never moved has no spread, and no baseline can be fitted to it.
      if (forecasts.some((forecast) => !(forecast.s > 0))) continue;
      for (const [k, forecast] of forecasts.entries()) {
        tallies[k]?.[horizonAt]?.add(forecast, logChange);
      }
      scored = true;
    }
  }
  return scored;
}

const logAt = (node: PanelNode, at: number): number => node.logs[at] ?? Number.NaN;

const isPriced = (node: PanelNode, at: number): boolean =>
  NEEDED_MONTHS.every((back) => !Number.isNaN(logAt(node, at - back)));

/** The model's input for each node at an origin; undefined for one without a print there. */
function inputsAt(panel: Panel, at: number): (node: PanelNode) => FeatureInput | undefined {
  const { index, level } = panel;
  const series = new Map<PanelNode, MonthlySeries>();
  const byState = new Map<string, number[]>();
  const all: number[] = [];
  let national: number | undefined;
  for (const node of panel.nodes) {
    const one = seriesAt(panel, node, at);
    if (one === undefined) continue;
    series.set(node, one);
    const momentum =
      one.logLevels.length < FULL_MOMENTUM_PRINTS ? undefined : momentumOf(index, one);
    if (momentum === undefined) continue;
    if (node.isNation) national = momentum;
    else all.push(momentum);
    if (node.state !== undefined) {
      const ofState = byState.get(node.state) ?? [];
      byState.set(node.state, ofState);
      ofState.push(momentum);
    }
  }
  const vRef = medianVolatility(index, level, series.values());
  const nationMomentum = national ?? meanOf(all);
  const stateMomenta = new Map([...byState].map(([state, momenta]) => [state, meanOf(momenta)]));
  return (node) => {
    const one = series.get(node);
    const stateMomentum = node.state === undefined ? undefined : stateMomenta.get(node.state);
    return (
      one && { ...one, index, level, vRef, nationMomentum, stateMomentum, parentG60: undefined }
    );
  };
}

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length;
