// How a market comes to be: its terms from the first prints, its marks from the reference model.
// Invariant: terms are built here and nowhere else; whether they may be listed, the core says.

import type { NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import { SCENARIOS_VERSION } from "#contract/scenarios.ts";
import { isNegotiable, isSeries, type LevelPayoff, parseSeriesId } from "#contract/series.ts";
import type { Baseline, Terms } from "#contract/terms.ts";
import type { CommandOf, MarkUpdate } from "#core/command.ts";
import { sameMarks } from "#core/margin/risk.ts";
import { isLive } from "#core/market/life.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Market } from "#core/records.ts";
import { expectedPublicationMillis, isProviderId } from "#prints/release.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import { successorOf } from "./fallback.ts";
import { marksFor } from "./marks.ts";
import { isIndicative } from "./quote-price.ts";
import type { MarketData } from "./reference.ts";

/**
 * The market a series id names, as it would be listed; undefined where there can be none.
 * `mayBeListed`: by an order, unless it is said otherwise.
 */
export function listingFor(
  referenceData: MarketData,
  id: string,
  mayBeListed = isSeries,
): Listing | undefined {
  const series = parseSeriesId(id);
  if (series === undefined || !mayBeListed(series)) return undefined;
  const { index, nodeId, baselineMonth, measurementMonth, payoff } = series;
  if (payoff.kind === "level") {
    return levelListing(referenceData, { index, nodeId, measurementMonth, payoff });
  }
  if (baselineMonth === null) return undefined;
  const print = referenceData.series.at(index, nodeId, baselineMonth);
  if (print === undefined || print.levelE12 === null) return undefined;
  const newest = referenceData.series.newest(index, nodeId)?.month ?? baselineMonth;
  if (isIndicative(index, measurementMonth - newest)) return undefined;
  const { month, valueE15, levelE12, releaseId } = print;
  const baseline = { month, valueE15, levelE12, releaseId };
  return listingOf(referenceData, { index, nodeId, measurementMonth, payoff, baseline }, print);
}

/** As the trading surface asks for them: by orders, and by requests for quotes. */
export const listingsFrom = (referenceData: MarketData) => ({
  listingFor: (id: string) => listingFor(referenceData, id),
  negotiatedListing: (id: string) => listingFor(referenceData, id, isNegotiable),
});

interface LevelMarket {
  readonly index: IndexKind;
  readonly nodeId: NodeId;
  readonly measurementMonth: Month;
  readonly payoff: LevelPayoff;
}

/** Undefined where the place has no prints of the index, or the model does not reach the month. */
export function levelListing(referenceData: MarketData, market: LevelMarket): Listing | undefined {
  const { index, nodeId, measurementMonth } = market;
  const print = referenceData.reference.levels.newest(index, nodeId, measurementMonth);
  if (print === undefined) return undefined;
  const parts = { ...market, baseline: null };
  return listingOf(referenceData, parts, print);
}

/** The marks of a market from the prints known now; undefined where the model has none. */
export function marksOf(referenceData: MarketData, market: Market): MarkUpdate | undefined {
  const marks = marksFor(referenceData, market.terms);
  return marks === undefined ? undefined : { marketId: market.id, ...marks };
}

/** The marks that change, of every market that waits for its print, closed ones too. */
export const marksDue = (referenceData: MarketData): readonly MarkUpdate[] =>
  [...markSteps(referenceData)].flatMap((update) => update ?? []);

/** The command that gives marks out, with the version of the scenarios they were computed by. */
export const publishing = (marks: readonly MarkUpdate[]): CommandOf<"PublishMarks"> => ({
  type: "PublishMarks",
  marks,
  scenarios: SCENARIOS_VERSION,
});

/** A market at a time, as they are when they are reached; undefined where its marks stay. */
export function* markSteps(referenceData: MarketData): Generator<MarkUpdate | undefined> {
  for (const market of referenceData.exchange.markets.values())
    yield changedMarks(referenceData, market);
}

function changedMarks(referenceData: MarketData, market: Market): MarkUpdate | undefined {
  if (!isLive(market.status)) return undefined;
  const update = marksOf(referenceData, market);
  return update === undefined || sameMarks(market, update) ? undefined : update;
}

type TermsParts = Pick<Terms, "index" | "nodeId" | "measurementMonth" | "payoff"> & {
  readonly baseline: Baseline | null;
};

/** `print`: the first print whose release says who publishes the index, and by which method. */
function listingOf(
  referenceData: MarketData,
  parts: TermsParts,
  print: SeriesPoint,
): Listing | undefined {
  const release = referenceData.exchange.releases.get(print.releaseId);
  if (release === undefined || !isProviderId(release.provider)) return undefined;
  const terms: Terms = {
    ...parts,
    rounding: "payout-millionths-down",
    fallback: "fallbacks-1",
    successor: successorOf(referenceData, parts),
    methodologyVersion: release.methodologyVersion,
    expectedAtMillis: expectedPublicationMillis(release.provider, parts.measurementMonth),
  };
  const marks = marksFor(referenceData, terms);
  if (marks === undefined) return undefined;
  const within = referenceData.exchange.geo.ancestors(terms.nodeId).map(({ id }) => id);
  return { marketId: marketIdOf(terms), terms, ...marks, within };
}
