// Level contracts on vacancy and weather: the months they end in, and how a strike in basis points
// names their threshold.
// Invariant: a threshold is exact and fixed when it is quoted; no later print moves it.
import type { IndexKind } from "#base/index-kind.ts";
import { calendarMonth, type Month } from "#base/month.ts";
import { type PrintValue, printValue, wholePrint } from "#base/print-value.ts";
import { divHalfUp } from "#base/rounding.ts";
import type { Comparator } from "./terms.ts";
import { stepOf, weatherSeriesAt } from "./weather-series.ts";

/** The indices whose protection settles on a level; a decline says nothing about them. */
export type LevelIndex = Extract<IndexKind, "vacancy" | "weather">;

export const isLevelIndex = (index: IndexKind): index is LevelIndex =>
  index === "vacancy" || index === "weather";

/** Can there be a print of this month? A quarter's vacancy stands at its last month. */
export function hasPrintIn(index: IndexKind, month: Month): boolean {
  if (index === "vacancy") return calendarMonth(month) % 3 === 0;
  return index !== "weather" || weatherSeriesAt(month) !== undefined;
}

/** 800 → 8, in percent of the units. */
export const vacancyThreshold = (strikeBps: number): PrintValue =>
  printValue((BigInt(strikeBps) * wholePrint) / 100n);

/** The other way: 8.25 → 825; undefined where the threshold is no whole number of them. */
export function vacancyStrikeBps(thresholdE15: PrintValue): number | undefined {
  const hundredfold = thresholdE15 * 100n;
  return hundredfold % wholePrint === 0n ? Number(hundredfold / wholePrint) : undefined;
}

/** How many of its newest years the normal of a place is the mean of, or of those there are. */
export const NORMAL_YEARS = 30;

interface WeatherStrike {
  readonly measurementMonth: Month;
  readonly comparator: Comparator;
  readonly strikeBps: number;
  /** One value a year, oldest first; the newest `NORMAL_YEARS` are the normal. At least one. */
  readonly years: readonly PrintValue[];
}

/**
 * The normal and so many basis points of it more (`gte`) or less (`lte`), to the nearest step the
 * provider publishes in, half up: 1,000 above a normal of 412.3 degree days is 454.
 */
export function weatherThreshold(strike: WeatherStrike): PrintValue | undefined {
  const { measurementMonth, comparator, strikeBps, years } = strike;
  const series = weatherSeriesAt(measurementMonth);
  if (series === undefined || years.length === 0) return undefined;
  const { sum, count } = normalOf(years);
  const parts = BigInt(10_000 + (comparator === "gte" ? strikeBps : -strikeBps));
  const step = stepOf(series);
  return printValue(divHalfUp(sum * parts, count * 10_000n * step) * step);
}

/** The mean that strikes are taken from, to three decimals; for people to read. */
export function weatherNormal(years: readonly PrintValue[]): PrintValue {
  const { sum, count } = normalOf(years);
  const thousandth = wholePrint / 1000n;
  return printValue(divHalfUp(sum, count * thousandth) * thousandth);
}

function normalOf(years: readonly PrintValue[]): { sum: bigint; count: bigint } {
  const recent = years.slice(-NORMAL_YEARS);
  return { sum: recent.reduce((sum, value) => sum + value, 0n), count: BigInt(recent.length) };
}

/** Above every value a window has had: the furthest threshold a series is listed for. */
const HIGHEST_WEATHER = 10_000n * wholePrint;

/** Vacancy: whole percents of 1 to 99. Weather: what the provider could print. */
export function isStandardThreshold(
  index: LevelIndex,
  measurementMonth: Month,
  thresholdE15: PrintValue,
): boolean {
  if (thresholdE15 <= 0n) return false;
  if (index === "vacancy")
    return thresholdE15 % wholePrint === 0n && thresholdE15 < 100n * wholePrint;
  const series = weatherSeriesAt(measurementMonth);
  return (
    series !== undefined && thresholdE15 % stepOf(series) === 0n && thresholdE15 < HIGHEST_WEATHER
  );
}
