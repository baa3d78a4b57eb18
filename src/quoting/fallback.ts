// The fallback that applies to a market whose print does not come, with the prints it rests on, and
// the place that stands in for another one.
// Invariant: drawn from the first prints alone; the core judges the step again.
import type { NodeId } from "#base/ids.ts";
import type { Baseline, Terms } from "#contract/terms.ts";
import { hasLeftChain, isPrintSince } from "#core/market/printed-since.ts";
import type { Market } from "#core/records.ts";
import { hasRun } from "#core/settlement/fallback.ts";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import { coarseness } from "#geo/node.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import type { MarketData, ReferenceData } from "./reference.ts";

/** Undefined where the place has no chained print; while marks run, the core refuses another. */
export function fallbackOf(
  { series, exchange }: Pick<ReferenceData, "series" | "exchange">,
  market: Market,
): FallbackTaken | undefined {
  const { terms } = market;
  const { index, nodeId, measurementMonth } = terms;
  const newest = exchange.chainPointFor(index, nodeId, measurementMonth);
  if (!isPrintSince(market, newest, exchange.releases)) return { step: "void" };
  if (terms.baseline === null) return { step: "cash", last: null };
  const last = lastChained(series, terms);
  if (last === undefined) return undefined;
  const step = { step: hasRun(terms, last) ? "last-level" : "cash", last } as const;
  return hasLeftChain(terms, newest) ? step : (bySuccessor(series, terms, last) ?? step);
}

/** The newest chained print of the place, from the baseline to the measurement month. */
function lastChained(series: SeriesView, terms: Terms): Baseline | undefined {
  const { index, nodeId, baseline, measurementMonth } = terms;
  const from = baseline?.month ?? measurementMonth;
  return series
    .points(index, nodeId, from)
    .filter(({ month }) => month <= measurementMonth)
    .flatMap((point) => chained(point) ?? [])
    .at(-1);
}

function bySuccessor(
  series: SeriesView,
  { index, successor, measurementMonth }: Terms,
  last: Baseline,
): FallbackTaken | undefined {
  if (successor == null || last.month === measurementMonth) return undefined;
  const [from, to] = [last.month, measurementMonth].map((month) => {
    const point = series.at(index, successor, month);
    return point === undefined ? undefined : chained(point);
  });
  return from === undefined || to === undefined ? undefined : { step: "successor", last, from, to };
}

const chained = ({ month, valueE15, levelE12, releaseId }: SeriesPoint): Baseline | undefined =>
  levelE12 === null ? undefined : { month, valueE15, levelE12, releaseId };

/** The nearest coarser place with a chain of the index; ties go by id. */
export function successorOf(
  { series, exchange }: Pick<MarketData, "series" | "exchange">,
  { index, nodeId }: Pick<Terms, "index" | "nodeId">,
): NodeId | null {
  const printed = exchange.geo
    .ancestors(nodeId)
    .filter(({ id }) => series.newest(index, id)?.levelE12 != null)
    .sort((a, b) => coarseness(b.level) - coarseness(a.level) || (a.id < b.id ? -1 : 1));
  return printed[0]?.id ?? null;
}
