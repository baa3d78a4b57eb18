// How a market comes to be: its terms from the first prints, its marks from the reference model.
// Invariant: terms are built here and nowhere else; whether they may be listed, the core says.
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import { nearestTick, type Tick } from "#base/price.ts";
import { type PrintValue, printNumber } from "#base/print-value.ts";
import { type DeclinePayoff, isStandard, parseSeriesId } from "#contract/series.ts";
import type { Baseline, Payoff, Terms } from "#contract/terms.ts";
import type { Listing, MarkUpdate } from "#core/command.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Market } from "#core/records.ts";
import type { GeoNode } from "#geo/node.ts";
import { STRESS_PROBABILITY } from "#pricing/constants.ts";
import { distributionOf, studentT4, studentT4Quantile } from "#pricing/distribution.ts";
import { type FeatureInput, featuresOf } from "#pricing/features.ts";
import { markOf, stressed } from "#pricing/mark.ts";
import { refusalOf, tickUp } from "#pricing/quote.ts";
import { expectedPublicationMillis, isProviderId } from "#prints/release.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import { isPriced, type Reference } from "./reference.ts";

/** What is known of places and prints, and the model over it. */
export interface Knowledge {
  readonly exchange: ExchangeView;
  readonly series: SeriesView;
  readonly reference: Reference;
}

type LevelPayoff = Exclude<Payoff, DeclinePayoff>;

/** The market a series id names, as it would be listed; undefined where there can be none. */
export function listingFor(knowledge: Knowledge, id: string): Listing | undefined {
  const series = parseSeriesId(id);
  if (series === undefined || !isStandard(series.payoff)) return undefined;
  const { index, nodeId, baselineMonth, measurementMonth, payoff } = series;
  const print = knowledge.series.at(index, nodeId, baselineMonth);
  if (print === undefined || print.levelE12 === null) return undefined;
  const { month, valueE15, levelE12, releaseId } = print;
  const baseline = { month, valueE15, levelE12, releaseId };
  return listingOf(knowledge, { index, nodeId, measurementMonth, payoff, baseline }, print);
}

interface LevelMarket {
  readonly index: IndexKind;
  readonly node: GeoNode;
  readonly measurementMonth: Month;
  readonly payoff: LevelPayoff;
}

/** Undefined where the place has no prints of the index, or the model does not reach the month. */
export function levelListing(knowledge: Knowledge, market: LevelMarket): Listing | undefined {
  const { index, node, measurementMonth, payoff } = market;
  const print = knowledge.series.newest(index, node.id);
  if (print === undefined) return undefined;
  const parts = { index, nodeId: node.id, measurementMonth, payoff, baseline: null };
  return listingOf(knowledge, parts, print);
}

/** The marks of a market from the prints known now; undefined where the model has none. */
export function marksOf(knowledge: Knowledge, market: Market): MarkUpdate | undefined {
  const marks = marksFor(knowledge, market.terms);
  return marks === undefined ? undefined : { marketId: market.id, ...marks };
}

type TermsParts = Pick<Terms, "index" | "nodeId" | "measurementMonth" | "payoff"> & {
  readonly baseline: Baseline | null;
};

/** `print`: the first print whose release says who publishes the index, and by which method. */
function listingOf(
  knowledge: Knowledge,
  parts: TermsParts,
  print: SeriesPoint,
): Listing | undefined {
  const release = knowledge.exchange.releases.get(print.releaseId);
  if (release === undefined || !isProviderId(release.provider)) return undefined;
  const terms: Terms = {
    ...parts,
    rounding: "payout-millionths-down",
    fallback: "void-60-days-after-expected-publication",
    methodologyVersion: release.methodologyVersion,
    expectedAtMillis: expectedPublicationMillis(release.provider, parts.measurementMonth),
  };
  const marks = marksFor(knowledge, terms);
  return marks === undefined ? undefined : { marketId: marketIdOf(terms), terms, ...marks };
}

interface Marks {
  readonly markTick: Tick;
  readonly stressedTick: Tick;
}

function marksFor({ exchange, series, reference }: Knowledge, terms: Terms): Marks | undefined {
  const { index, nodeId, measurementMonth, payoff, baseline } = terms;
  const node = exchange.geo.get(nodeId);
  const newest = series.newest(index, nodeId);
  if (node === undefined || newest === undefined || !isPriced(index)) return undefined;
  const input = reference.inputOf(index, node);
  if (input === undefined) return undefined;
  const horizonMonths = measurementMonth - newest.month;
  if (payoff.kind === "level") {
    return levelMarks(input, horizonMonths, newest.valueE15, payoff);
  }
  if (baseline === null || newest.levelE12 === null) return undefined;

  const accruedLogChange = Math.log(Number(newest.levelE12)) - Math.log(Number(baseline.levelE12));
  const contract = { node: input, horizonMonths, accruedLogChange, payoff };
  const mark = markOf(contract);
  const stress = stressed(contract);
  return mark.status === "refused" || stress.status === "refused"
    ? undefined
    : { markTick: mark.tick, stressedTick: stress.tick };
}

/**
 * The chance that the print reaches the threshold, from the same distribution of the log change;
 * stressed: after a next print that only one in a hundred would be worse than for who sold YES.
 */
function levelMarks(
  input: FeatureInput,
  horizonMonths: number,
  valueE15: PrintValue,
  payoff: LevelPayoff,
): Marks | undefined {
  const anyPayoff: DeclinePayoff = { kind: "binary", strikeBps: 1 };
  if (refusalOf(input.index, horizonMonths, anyPayoff) !== undefined) return undefined;
  const needed = Math.log(printNumber(payoff.thresholdE15) / printNumber(valueE15));
  const features = featuresOf(input);
  const { index, level, asOfMonth } = input;
  const chance = (months: number, accrued: number): number => {
    if (months === 0) return reaches(payoff, accrued, needed) ? 1 : 0;
    const outlook = { index, level, features, asOfMonth, horizonMonths: months };
    const { mu, s } = distributionOf(outlook);
    const below = studentT4((needed - accrued - mu) / s);
    return payoff.comparator === "lte" ? below : 1 - below;
  };
  const next = distributionOf({ index, level, features, asOfMonth, horizonMonths: 1 });
  const tail = next.s * studentT4Quantile(STRESS_PROBABILITY);
  const adverse = next.mu + (payoff.comparator === "lte" ? tail : -tail);
  const value = chance(horizonMonths, 0);
  return {
    markTick: nearestTick(value),
    stressedTick: tickUp(Math.max(value, chance(horizonMonths - 1, adverse))),
  };
}

const reaches = (payoff: LevelPayoff, change: number, needed: number): boolean =>
  payoff.comparator === "gte" ? change >= needed : change <= needed;
