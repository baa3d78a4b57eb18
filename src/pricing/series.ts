// One node's chained first print as logs, month after month without a hole, and what it tells.
// Invariant: logLevels[last] is the as-of month, and its neighbour is exactly one month older.
import type { Month } from "#base/month.ts";
import { calendarMonth } from "#base/month.ts";
import type { ChainLevel } from "#base/print-value.ts";
import { defaultVolatility, type PricedIndex, type PricingLevel, zoriSeason } from "./constants.ts";
import { medianOf } from "./moments.ts";

export interface MonthlySeries {
  readonly asOfMonth: Month;
  /** Natural logs of the chain level on any scale, oldest first. */
  readonly logLevels: ArrayLike<number>;
  /** Months between prints, 1 when left out; at 3 those between two quarters lie on a line. */
  readonly stepMonths?: 1 | 3;
}

interface PricedMonth {
  readonly month: Month;
  readonly levelE12: ChainLevel;
}

/**
 * The run of consecutive months that ends at the newest point; undefined without points. Points
 * before a missing month are left out rather than filled in: an invented month would lower the
 * measured volatility and hide from the quote that the history is broken. `points` rise by month.
 */
export function seriesOf(points: readonly PricedMonth[]): MonthlySeries | undefined {
  const newest = points.at(-1);
  if (newest === undefined) return undefined;

  let start = points.length - 1;
  while (start > 0 && points[start - 1]?.month === newest.month - (points.length - start)) {
    start -= 1;
  }
  return {
    asOfMonth: newest.month,
    logLevels: points.slice(start).map(({ levelE12 }) => Math.log(Number(levelE12))),
  };
}

/** The seasonal part of a log level in a month; home values are published adjusted. */
export function seasonOf(index: PricedIndex, month: Month): number {
  if (index === "zhvi") return 0;
  return zoriSeason[calendarMonth(month) - 1] ?? 0;
}

/** Reads x(back), the de-seasonalised log level `back` months before the as-of month. */
export function logLevelReader(
  index: PricedIndex,
  { asOfMonth, logLevels }: MonthlySeries,
): (back: number) => number {
  const last = logLevels.length - 1;
  // The calendar repeats, so a month 12·k ahead of the one wanted keeps the index positive.
  const calendar = calendarMonth(asOfMonth) - 1;
  if (index === "zhvi") return (back) => logLevels[last - back] ?? Number.NaN;
  return (back) =>
    (logLevels[last - back] ?? Number.NaN) - (zoriSeason[(calendar + 1200 - back) % 12] ?? 0);
}

const VOLATILITY_MONTHS = 24;

/** Annualised population deviation of the last 24 monthly growths, or of those there are (≥ 1). */
export function volatilityOf(index: PricedIndex, series: MonthlySeries): number {
  const x = logLevelReader(index, series);
  const count = Math.min(VOLATILITY_MONTHS, series.logLevels.length - 1);
  const mean = (x(0) - x(count)) / count;
  let squares = 0;
  for (let back = 0; back < count; back += 1) squares += (x(back) - x(back + 1) - mean) ** 2;
  return Math.sqrt(squares / count) * Math.sqrt(12);
}

const MIN_REFERENCE_NODES = 20;
const MIN_REFERENCE_PRINTS = 13;

/**
 * vRef: the median volatility of the level's nodes with at least 13 prints, all at one as-of month;
 * the default table where fewer than 20 have them (or where the median node never moves).
 */
export function medianVolatility(
  index: PricedIndex,
  level: PricingLevel,
  nodes: Iterable<MonthlySeries>,
): number {
  const volatilities: number[] = [];
  for (const series of nodes) {
    if (series.logLevels.length < MIN_REFERENCE_PRINTS) continue;
    volatilities.push(volatilityOf(index, series));
  }
  const median = volatilities.length < MIN_REFERENCE_NODES ? 0 : medianOf(volatilities);
  return median > 0 ? median : defaultVolatility[index][level];
}
