// The fallback that applies to a market whose print does not come, with the prints it rests on, and
// the place that stands in for another one.
// Invariant: drawn from the first prints alone, once all that the journal has of the term are
// shown; the core judges the step again, on the same prints.
import type { NodeId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import type { Baseline, Terms } from "#contract/terms.ts";
import type { CommandOf } from "#core/command.ts";
import { hasLeftChain, isPrintedSince } from "#core/market/printed-since.ts";
import type { ChainPoint, Market } from "#core/records.ts";
import { groundOf, hasRun, newestOf } from "#core/settlement/fallback.ts";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import { coarseness } from "#geo/node.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import type { MarketData, ReferenceData } from "./reference.ts";

type DrawnFallback = Pick<CommandOf<"SettleByFallback">, "taken" | "ground">;
type PrintsShown = Pick<ReferenceData, "series" | "exchange">;

/**
 * Undefined where the place has no chained print, or while prints of a release are not shown yet;
 * while marks run, the core refuses another step.
 */
export function fallbackOf(prints: PrintsShown, market: Market): DrawnFallback | undefined {
  const taken = stepOf(prints, market);
  return taken && { taken, ground: groundOf(prints.exchange, market) };
}

function stepOf({ series, exchange }: PrintsShown, market: Market): FallbackTaken | undefined {
  const { terms } = market;
  const { baseline, measurementMonth: end } = terms;
  if (!isPrintedSince(exchange, market)) return { step: "void" };
  if (baseline === null) return { step: "cash", last: null };
  const [own, successor] = newestOf(exchange, market);
  const term = Array.from({ length: end - baseline.month + 1 }, (_, at) =>
    addMonths(baseline.month, at),
  );
  if (!areShown(series, own, term)) return undefined;
  const last = lastChained(series, terms);
  if (last === undefined) return undefined;
  const step = { step: hasRun(terms, last) ? "last-level" : "cash", last } as const;
  if (hasLeftChain(terms, own)) return step;
  if (!areShown(series, successor, [last.month, end])) return undefined;
  return bySuccessor(series, terms, last) ?? step;
}

/**
 * Whether the months that the journal has of these are in the series: prints of a release are
 * shown a moment after its entry, when they have been read from the database.
 */
function areShown(
  series: SeriesView,
  newest: ChainPoint | undefined,
  months: readonly Month[],
): boolean {
  if (newest === undefined) return true;
  const { index, nodeId, month: until, gaps } = newest;
  const [first] = series.points(index, nodeId);
  const isPrinted = (month: Month) =>
    (first === undefined || month >= first.month) && month <= until && !gaps.includes(month);
  return months.every((month) => !isPrinted(month) || series.at(index, nodeId, month));
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
