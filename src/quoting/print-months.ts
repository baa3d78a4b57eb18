// Why a contract cannot end in a month: its index is never printed there.
// Invariant: the months named instead are months a contract may end in.
import type { IndexKind } from "#base/index-kind.ts";
import { addMonths, calendarMonth, formatMonth, type Month } from "#base/month.ts";
import { hasPrintIn } from "#contract/level.ts";
import { weatherSeries } from "#contract/weather-series.ts";

/** Continues the field's name; `newest`: what is printed already cannot be waited for. */
export function noPrintIn(index: IndexKind, month: Month, newest: Month): string {
  if (index === "weather") {
    const december = addMonths(month, 12 - calendarMonth(month));
    const ends = weatherSeries
      .toSorted((a, b) => a.lastMonth - b.lastMonth)
      .map(({ id, lastMonth }) => `${formatMonth(addMonths(december, lastMonth - 12))} (${id})`);
    return `must be a month that a weather window ends in: ${ends.join(", ")}`;
  }
  const nearest = [-2, -1, 1, 2]
    .map((count) => addMonths(month, count))
    .filter((near) => near > newest && hasPrintIn(index, near));
  return `must be the last month of a quarter: ${nearest.map(formatMonth).join(" or ")}`;
}
