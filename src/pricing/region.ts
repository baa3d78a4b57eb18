// The growth of a nation or a state: that of the median of its places, of the finest level that
// has enough of them.
// Invariant: a function of the places' own prints; no size, no weight and no provider's aggregate
// decides it, so that one place's revision or a large place's course moves it by one rank at most.
import { addMonths, type Month } from "#base/month.ts";
import type { PricedIndex } from "./constants.ts";
import { growthOf, type RegionGrowth } from "./features.ts";
import { medianOf } from "./moments.ts";
import type { MonthlySeries } from "./series.ts";

/** So many places of a level make a nation's median, and a state's. */
export const MIN_NATION_PLACES = 20;
export const MIN_STATE_PLACES = 3;

/** Five years of growth, the longest look back of the features. */
const GROWTH_MONTHS = 60;

/**
 * The nation's growth: each month's is the median of the places' in that month, and the months are
 * summed. Undefined where no month has enough places.
 */
export function nationGrowthOf(
  index: PricedIndex,
  places: readonly MonthlySeries[],
): RegionGrowth | undefined {
  const series = medianSeriesOf(places);
  return series === undefined ? undefined : growthOf(index, series);
}

/** The months that enough places have a growth into, from the newest such month back to a gap. */
function medianSeriesOf(places: readonly MonthlySeries[]): MonthlySeries | undefined {
  const newest = places.toSorted((a, b) => b.asOfMonth - a.asOfMonth)[MIN_NATION_PLACES - 1];
  if (newest === undefined) return undefined;
  const { asOfMonth } = newest;
  const growths: number[] = [];
  while (growths.length < GROWTH_MONTHS) {
    const known = growthsInto(places, addMonths(asOfMonth, -growths.length));
    if (known.length < MIN_NATION_PLACES) break;
    growths.push(medianOf(known));
  }
  let level = 0;
  const logLevels = [level];
  for (const growth of growths.toReversed()) {
    level += growth;
    logLevels.push(level);
  }
  return { ...newest, logLevels };
}

/** Each place's growth into a month, of those that have it. */
function growthsInto(places: readonly MonthlySeries[], month: Month): number[] {
  return places.flatMap(({ asOfMonth, logLevels }) => {
    const at = logLevels.length - 1 - (asOfMonth - month);
    const [before, after] = [logLevels[at - 1], logLevels[at]];
    return before === undefined || after === undefined ? [] : after - before;
  });
}

/** A state's growth: the medians of momentum and five-year growth of its places, one or more. */
export const stateGrowthOf = (places: readonly RegionGrowth[]): RegionGrowth => ({
  momentum: medianOf(places.map(({ momentum }) => momentum)),
  g60: medianOf(places.map(({ g60 }) => g60)),
});
