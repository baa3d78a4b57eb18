// The marks of a market: what it is worth by the reference model, and after a very bad next print.
// Invariant: 0 ≤ mark ≤ stressed mark ≤ 1; both follow from the terms and the prints known now.
import { unreachable } from "#base/invariant.ts";
import { nearestTick, type Tick } from "#base/price.ts";
import { type PrintValue, printNumber } from "#base/print-value.ts";
import { censusRegionOf, isCensusRegion, type RiskTicks, scenarios } from "#contract/scenarios.ts";
import type { DeclinePayoff, LevelPayoff } from "#contract/series.ts";
import type { Terms } from "#contract/terms.ts";
import type { GeoNode } from "#geo/node.ts";
import { type PricedIndex, STRESS_PROBABILITY } from "#pricing/constants.ts";
import { cumulative, distributionOf, quantile } from "#pricing/distribution.ts";
import type { FeatureInput } from "#pricing/features.ts";
import { fairValueOf, markOf, outlookOf, stressed } from "#pricing/mark.ts";
import { refusalOf, tickUp } from "#pricing/quote.ts";
import { type Remaining, valuesAfter } from "#pricing/scenarios.ts";
import { openVacancyChance, stressedVacancyChance } from "#pricing/vacancy.ts";
import { openWeatherChance, stressedWeatherChance } from "#pricing/weather.ts";
import type { MarketData } from "./reference.ts";

interface Marks {
  readonly markTick: Tick;
  readonly stressedTick: Tick;
  readonly riskTicks: RiskTicks;
}

/** The part of the terms that marks follow from. */
export type MarkedTerms = Pick<
  Terms,
  "index" | "nodeId" | "measurementMonth" | "payoff" | "baseline"
>;

/** Undefined where there are no prints, or the model does not reach the measurement month. */
export function marksFor(referenceData: MarketData, terms: MarkedTerms): Marks | undefined {
  const node = referenceData.exchange.geo.get(terms.nodeId);
  if (node === undefined) return undefined;
  const { index, payoff } = terms;
  switch (index) {
    case "zhvi":
    case "zori":
      return chainedMarks(referenceData, terms, index, node);
    case "vacancy":
      return payoff.kind === "level" ? vacancyMarks(referenceData, terms, node, payoff) : undefined;
    case "weather":
      return payoff.kind === "level" ? weatherMarks(referenceData, terms, node, payoff) : undefined;
    default:
      return unreachable(index);
  }
}

/** The stress that would lower a margin is none. */
function marksAt(
  value: number | undefined,
  stress: number | undefined,
  risk: (value: number, stress: number) => readonly number[],
): Marks | undefined {
  if (value === undefined || stress === undefined) return undefined;
  const stressed = Math.max(value, stress);
  return {
    markTick: nearestTick(value),
    stressedTick: tickUp(stressed),
    riskTicks: risk(value, stressed).map(tickUp),
  };
}

/**
 * Vacancy and weather have no scenario in common with home values: the stress of their next print
 * stands in every column but those of regions they do not lie in, and where no print comes.
 */
const ownStress =
  ({ stateCode }: GeoNode) =>
  (value: number, stressed: number): readonly number[] =>
    scenarios.map(({ id }) => {
      if (id === "missing-print") return value;
      return isCensusRegion(id) && censusRegionOf(stateCode) !== id ? value : stressed;
    });

function vacancyMarks(
  { reference }: MarketData,
  { measurementMonth }: MarkedTerms,
  node: GeoNode,
  { comparator, thresholdE15 }: LevelPayoff,
): Marks | undefined {
  const record = reference.levels.vacancyOf(node);
  if (record === undefined) return undefined;
  const open = {
    ...record,
    level: node.level,
    horizonMonths: measurementMonth - record.print.month,
    trigger: { comparator, rateBps: 100 * printNumber(thresholdE15) },
  };
  return marksAt(openVacancyChance(open), stressedVacancyChance(open), ownStress(node));
}

function weatherMarks(
  { reference }: MarketData,
  { measurementMonth }: MarkedTerms,
  node: GeoNode,
  { comparator, thresholdE15 }: LevelPayoff,
): Marks | undefined {
  const record = reference.levels.weatherOf(node, measurementMonth);
  if (record === undefined) return undefined;
  const open = { ...record.season, horizonMonths: measurementMonth - record.print.month };
  const trigger = { comparator, threshold: printNumber(thresholdE15) };
  const [chance, stressed] = [
    openWeatherChance(open, trigger),
    stressedWeatherChance(open, trigger),
  ];
  return marksAt(chance, stressed, ownStress(node));
}

function chainedMarks(
  { series, reference }: MarketData,
  { nodeId, measurementMonth, payoff, baseline }: MarkedTerms,
  index: PricedIndex,
  node: GeoNode,
): Marks | undefined {
  const newest = series.newest(index, nodeId);
  const input = reference.inputOf(index, node);
  if (newest === undefined || input === undefined) return undefined;
  const horizonMonths = measurementMonth - newest.month;
  if (payoff.kind === "level") {
    return levelMarks(input, node.stateCode, horizonMonths, newest.valueE15, payoff);
  }
  if (baseline === null || newest.levelE12 === null) return undefined;

  const accruedLogChange = Math.log(Number(newest.levelE12)) - Math.log(Number(baseline.levelE12));
  const contract = { node: input, horizonMonths, accruedLogChange, payoff };
  const mark = markOf(contract);
  const stress = stressed(contract);
  if (mark.status === "refused" || stress.status === "refused") return undefined;
  const worth = (remaining: Remaining): number => fairValueOf({ ...remaining, payoff });
  const values = valuesAfter({ ...contract, stateCode: node.stateCode, worth });
  return { markTick: mark.tick, stressedTick: stress.tick, riskTicks: values.map(tickUp) };
}

/**
 * The chance that the print reaches the threshold, from the same distribution of the log change;
 * stressed: after a next print that only one in a hundred would be worse than for who sold YES.
 */
function levelMarks(
  input: FeatureInput,
  stateCode: string,
  horizonMonths: number,
  valueE15: PrintValue,
  payoff: LevelPayoff,
): Marks | undefined {
  const anyPayoff: DeclinePayoff = { kind: "binary", strikeBps: 1 };
  if (refusalOf(input.index, horizonMonths, anyPayoff) !== undefined) return undefined;
  const needed = Math.log(printNumber(payoff.thresholdE15) / printNumber(valueE15));
  const worth = ({ node, horizonMonths: months, accruedLogChange }: Remaining): number => {
    if (months === 0) return reaches(payoff, accruedLogChange, needed) ? 1 : 0;
    const distribution = distributionOf(outlookOf(node, months));
    const below = cumulative(distribution, needed - accruedLogChange);
    return payoff.comparator === "lte" ? below : 1 - below;
  };
  const open = { node: input, horizonMonths, accruedLogChange: 0 };
  const adverse = quantile(
    distributionOf(outlookOf(input, 1)),
    payoff.comparator === "lte" ? STRESS_PROBABILITY : 1 - STRESS_PROBABILITY,
  );
  const later = { ...open, horizonMonths: horizonMonths - 1, accruedLogChange: adverse };
  return marksAt(worth(open), worth(later), () => valuesAfter({ ...open, stateCode, worth }));
}

const reaches = (payoff: LevelPayoff, change: number, needed: number): boolean =>
  payoff.comparator === "gte" ? change >= needed : change <= needed;
