// The fallback that applies to a market whose print does not come, with the prints it rests on, and
// the place that stands in for another one.
// Invariant: drawn from the first prints alone, once all that the journal has of the term are
// shown; the core judges the step again, on the same prints.
import type { NodeId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import type { Baseline, Terms } from "#contract/terms.ts";
import type { CommandOf } from "#core/command.ts";
import { hasLeftChain, hasPrinted, isPrintedSince } from "#core/market/printed-since.ts";
import type { ChainPoint, Market } from "#core/records.ts";
import { groundOf, hasRun, mayCall, newestOf } from "#core/settlement/fallback.ts";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import { coarseness } from "#geo/node.ts";
import type { SeriesView } from "#views/series.ts";
import type { MarketData, ReferenceData } from "./reference.ts";

type DrawnFallback = Pick<CommandOf<"SettleByFallback">, "taken" | "ground">;
type PrintsShown = Pick<ReferenceData, "series" | "exchange">;

/**
 * Undefined while prints of a release are not shown yet; while marks run, the core refuses another
 * step.
 */
export function fallbackOf(prints: PrintsShown, market: Market): DrawnFallback | undefined {
  const taken = asMarked(stepOf(prints, market), market, prints.exchange.timeMillis);
  return taken && { taken, ground: groundOf(prints.exchange, market) };
}

/** Marks are called for, or what they came to is settled on, far from the model as it is. */
function asMarked(
  taken: FallbackTaken | undefined,
  market: Market,
  nowMillis: number,
): FallbackTaken | undefined {
  const { farMedian } = market;
  if (taken?.step !== "cash" || farMedian === undefined) return taken;
  const { last } = taken;
  return mayCall(market, nowMillis)
    ? taken
    : { step: "median", last, valueTicks: farMedian.valueTicks };
}

function stepOf({ series, exchange }: PrintsShown, market: Market): FallbackTaken | undefined {
  const { terms } = market;
  const { baseline, measurementMonth: end } = terms;
  if (!isPrintedSince(exchange, market)) return { step: "void" };
  if (baseline === null) return { step: "cash", last: null };
  const [own, successor] = newestOf(exchange, market);
  const term = Array.from({ length: end - baseline.month }, (_, at) =>
    addMonths(baseline.month, at + 1),
  );
  if (!areShown(series, own, term)) return undefined;
  const last = term.flatMap((month) => chainedAt(series, own, month) ?? []).at(-1) ?? baseline;
  const step = { step: hasRun(terms, last) ? "last-level" : "cash", last } as const;
  if (last.month === end || hasLeftChain(terms, own)) return step;
  if (!areShown(series, successor, [last.month, end])) return undefined;
  const [from, to] = [last.month, end].map((month) => chainedAt(series, successor, month));
  return from === undefined || to === undefined ? step : { step: "successor", last, from, to };
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
  const { index, nodeId } = newest;
  const [first] = series.points(index, nodeId);
  const isPrinted = (month: Month) =>
    (first === undefined || month >= first.month) && hasPrinted(newest, month);
  return months.every((month) => !isPrinted(month) || series.at(index, nodeId, month));
}

/** The first print of a month, where it is in the chain. */
function chainedAt(
  series: SeriesView,
  newest: ChainPoint | undefined,
  month: Month,
): Baseline | undefined {
  const point = newest && series.at(newest.index, newest.nodeId, month);
  if (point === undefined || point.levelE12 === null) return undefined;
  const { valueE15, levelE12, releaseId } = point;
  return { month, valueE15, levelE12, releaseId };
}

/**
 * The nearest coarser place with a chain of the index that reaches back to the baseline; ties go
 * by id. A younger chain could lack the place's last month, and the core, which counts months
 * before a history as printed, would wait for the successor for ever.
 */
export function successorOf(
  { series, exchange }: Pick<MarketData, "series" | "exchange">,
  { index, nodeId, baseline }: Pick<Terms, "index" | "nodeId" | "baseline">,
): NodeId | null {
  if (baseline === null) return null;
  const isChained = (id: NodeId, asOf?: Month) => series.newest(index, id, asOf)?.levelE12 != null;
  const chained = exchange.geo
    .ancestors(nodeId)
    .filter(({ id }) => isChained(id) && isChained(id, baseline.month))
    .sort((a, b) => coarseness(b.level) - coarseness(a.level) || (a.id < b.id ? -1 : 1));
  return chained[0]?.id ?? null;
}
