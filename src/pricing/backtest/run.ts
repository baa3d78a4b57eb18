// The out-of-sample test: at every third month forecast each node 6 to 36 months ahead with what
// was known then, and score the forecasts once the outcome is in.
// Invariant: all models are scored on the same pairs of origin and outcome, and a forecast sees no
// print later than its origin; constants by year are the caller's to have fitted likewise.
import { addMonths, calendarMonth, type Month } from "#base/month.ts";
import {
  DEFAULT_PRICE_MODEL,
  type HorizonConstants,
  type HorizonTable,
  type KnotsByYear,
  type PriceModel,
  priceModels,
  RECORDED_CARRY,
} from "../constants.ts";
import { type Distribution, distributionFrom } from "../distribution.ts";
import { type FeatureInput, featuresOf, growthOf, type RegionGrowth } from "../features.ts";
import { constantsAt, firstYearOf, knownThen } from "../horizon.ts";
import { loadsOf } from "../loads.ts";
import { quoteFrom } from "../quote.ts";
import { nationGrowthOf, stateGrowthOf } from "../region.ts";
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
import { meanScores, type Scores, scoredLayers, Tally } from "./score.ts";

export const horizons = [6, 12, 18, 24, 36] as const;

const baselines = ["iid lognormal, zero drift", "iid lognormal, own drift", "own AR(1)"] as const;

const modelNames: Readonly<Record<PriceModel, string>> = {
  "hmr-t4": "HMR-t4",
  "hmr-t4r": "HMR-t4r",
};

/** Constants at a horizon for origins of a year; undefined where none were fitted. */
type YearConstants = (horizonMonths: number, year: number) => HorizonConstants | undefined;

/** A model under test and its constants. */
interface Tested {
  readonly model: PriceModel;
  readonly constants: YearConstants;
}

const testedBy = ({ model, years }: KnotsByYear): Tested => ({
  model,
  constants: (horizonMonths, year) => years[year]?.find(({ months }) => months === horizonMonths),
});

/** Every model with production's constants, whatever the year. */
const productionOf = ({ index }: Panel): readonly Tested[] =>
  priceModels.map((model) => ({
    model,
    constants: (months) => constantsAt(model, index, months),
  }));

interface ModelResult {
  /** The name, of a baseline or of a reference model. */
  readonly model: string;
  readonly isReference: boolean;
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
 * Forecasts from the newest month of a file as it stood then, against the changes that a later
 * file of the same places has from that month on. A place is one by its name and state.
 */
export function backtestVintage(panel: Panel, later: Panel, fitted?: KnotsByYear): BacktestResult {
  const at = panel.lastMonth - panel.firstMonth;
  const shift = panel.firstMonth - later.firstMonth;
  const nodes = new Map(later.nodes.map((node) => [`${node.name}|${node.state}`, node]));
  const changeOf = (node: PanelNode, from: number, to: number): number => {
    const other = nodes.get(`${node.name}|${node.state}`);
    return other === undefined ? Number.NaN : logAt(other, to + shift) - logAt(other, from + shift);
  };
  return scoredAt(panel, [at], changeOf, fitted);
}

/**
 * Runs the test on origins from the start of `fromYear`, of one model with constants by year, or of
 * every model with production's. A row of the nation is one more node of the level. Throws when
 * nothing can be scored.
 */
export function backtest(panel: Panel, fromYear: number, fitted?: KnotsByYear): BacktestResult {
  const from = fitted === undefined ? fromYear : Math.max(fromYear, firstYearOf(fitted));
  const last = panel.lastMonth - panel.firstMonth;
  const origins: number[] = [];
  for (let at = LONGEST_NEEDED; at + horizons[0] <= last; at += 1) {
    const month = addMonths(panel.firstMonth, at);
    const isOrigin = panel.stepMonths === 3 ? at % 3 === 0 : calendarMonth(month) % 3 === 1;
    if (isOrigin && month >= from * 12) origins.push(at);
  }
  return scoredAt(panel, origins, (node, at, to) => logAt(node, to) - logAt(node, at), fitted);
}

/** The log change of a node between two positions of the grid; NaN where a print is missing. */
type ChangeOf = (node: PanelNode, from: number, to: number) => number;

function scoredAt(
  panel: Panel,
  grid: readonly number[],
  changeOf: ChangeOf,
  fitted: KnotsByYear | undefined,
): BacktestResult {
  const tested = fitted === undefined ? productionOf(panel) : [testedBy(fitted)];
  const known = fitted && knownThen(fitted);
  const names = [...baselines, ...tested.map(({ model }) => modelNames[model])];
  const tallies = names.map(() => horizons.map(() => new Tally()));
  const sums = panel.nodes.map((node) => growthSumsOf(panel, node));
  const asked = { tested, known, changeOf };
  const origins = grid
    .filter((at) => scoreOrigin(panel, sums, at, asked, tallies))
    .map((at) => addMonths(panel.firstMonth, at));
  const [firstOrigin] = origins;
  if (firstOrigin === undefined) throw new Error(`${panel.file}: too short to score any origin`);
  return {
    firstOrigin,
    origins: origins.length,
    results: names.map((model, k) => ({
      model,
      isReference: k >= baselines.length,
      ...scoresOf(tallies[k] ?? []),
    })),
  };
}

function scoresOf(tallies: readonly Tally[]): Pick<ModelResult, "mean" | "byHorizon"> {
  const scores = tallies.map((tally) => tally.scores());
  const byHorizon = Object.fromEntries(
    scores.map((one, at) => [String(horizons[at] ?? Number.NaN), one]),
  );
  return { mean: meanScores(scores.filter(({ pairs }) => pairs > 0)), byHorizon };
}

interface Case {
  readonly tested: readonly Tested[];
  readonly known: ((asOf: Month) => HorizonTable) | undefined;
  readonly changeOf: ChangeOf;
}

/** Scores every node at one origin; false when nothing could be scored. */
function scoreOrigin(
  panel: Panel,
  sums: readonly GrowthSums[],
  at: number,
  { tested, known, changeOf }: Case,
  tallies: readonly (readonly Tally[])[],
): boolean {
  const year = Math.floor(addMonths(panel.firstMonth, at) / 12);
  const inputOf = inputsAt(panel, at, known);
  let scored = false;
  for (const [nodeAt, node] of panel.nodes.entries()) {
    const input = inputOf(node);
    const growths = sums[nodeAt];
    if (input === undefined || growths === undefined || !isPriced(node, at)) continue;
    const features = featuresOf(input);
    const step = at / panel.stepMonths;
    for (const [horizonAt, horizonMonths] of horizons.entries()) {
      const logChange = changeOf(node, at, at + horizonMonths);
      const models = tested.flatMap(({ model, constants }): Forecast[] => {
        const fitted = constants(horizonMonths, year);
        if (fitted === undefined) return [];
        const outlook = { ...input, features, horizonMonths };
        const distribution = distributionFrom(fitted, outlook);
        const prices = pricesOf({ ...input, model }, distribution, horizonMonths, node.state);
        return [{ family: "model", distribution, prices }];
      });
      if (Number.isNaN(logChange) || models.length < tested.length) continue;
      const steps = horizonMonths / panel.stepMonths;
      const forecasts: Forecast[] = [
        walkForecast(growths, step, steps),
        driftForecast(growths, step, steps),
        autoregressiveForecast(growths, step, steps),
        ...models,
      ];
      // A node that never moved has no spread, and no baseline can be fitted to it.
      if (forecasts.some((one) => one.family === "normal" && !(one.s > 0))) continue;
      for (const [k, forecast] of forecasts.entries()) {
        tallies[k]?.[horizonAt]?.add(forecast, logChange);
      }
      scored = true;
    }
  }
  return scored;
}

/** The price of each scored layer without add-ons. */
const pricesOf = (
  node: FeatureInput,
  distribution: Distribution,
  horizonMonths: number,
  state: string | undefined,
): readonly number[] =>
  scoredLayers.map((payoff) => {
    const contract = { node, horizonMonths, accruedLogChange: 0, payoff };
    const loads = loadsOf(contract, state, RECORDED_CARRY);
    const size = { coverageUsd: 1, dataQualityBps: 0, loads };
    return quoteFrom(distribution, horizonMonths / 12, payoff, size).price;
  });

const logAt = (node: PanelNode, at: number): number => node.logs[at] ?? Number.NaN;

const isPriced = (node: PanelNode, at: number): boolean =>
  NEEDED_MONTHS.every((back) => !Number.isNaN(logAt(node, at - back)));

/** The models' input for each node at an origin; undefined for one without a print there. */
function inputsAt(
  panel: Panel,
  at: number,
  known: ((asOf: Month) => HorizonTable) | undefined,
): (node: PanelNode) => FeatureInput | undefined {
  const { index, level } = panel;
  const series = new Map<PanelNode, MonthlySeries>();
  const byState = new Map<string, RegionGrowth[]>();
  const places: MonthlySeries[] = [];
  for (const node of panel.nodes) {
    const one = seriesAt(panel, node, at);
    if (one === undefined) continue;
    series.set(node, one);
    if (node.isNation) continue;
    places.push(one);
    const growth = one.logLevels.length < FULL_MOMENTUM_PRINTS ? undefined : growthOf(index, one);
    if (node.state === undefined || growth === undefined) continue;
    const ofState = byState.get(node.state) ?? [];
    byState.set(node.state, ofState);
    ofState.push(growth);
  }
  const vRef = medianVolatility(index, level, series.values());
  const nation = nationGrowthOf(index, places);
  const states = new Map([...byState].map(([state, growths]) => [state, stateGrowthOf(growths)]));
  const constants = known?.(addMonths(panel.firstMonth, at));
  const ofAll = { model: DEFAULT_PRICE_MODEL, constants, index, level, vRef, nation };
  return (node) => {
    const one = series.get(node);
    const state = node.state === undefined ? undefined : states.get(node.state);
    return one && { ...one, ...ofAll, state };
  };
}
