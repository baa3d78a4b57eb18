// Whether two series of a provider are one under two names: equal growth over two years.
// Invariant: exact; a place that only moves much as another one does is not that place.
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { addMonths, type Month } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";

/** A month as it is known of a place, and as the file has it of the region. */
export interface SharedMonth {
  readonly month: Month;
  readonly knownE15: PrintValue;
  readonly givenE15: PrintValue;
}

const MONTHS_OF_EQUAL_GROWTH = 24;

/** Of the largest ratio to the smallest, less one: as known history comes back (1e-4). */
const PARTS = 10_000n;

/** The months that have to be compared, up to the newest print of the place; oldest first. */
export function comparedMonths(index: IndexKind, newest: Month): readonly Month[] {
  const period = periodMonths[index];
  const count = MONTHS_OF_EQUAL_GROWTH / period;
  return Array.from({ length: count + 1 }, (_, at) => addMonths(newest, (at - count) * period));
}

/** Chained: the ratios agree to 1e-4, so does all growth. Rates: every value is the same. */
export function isSameSeries(
  index: IndexKind,
  newest: Month,
  shared: readonly SharedMonth[],
): boolean {
  const months = comparedMonths(index, newest);
  const isWhole = months.every((month, at) => shared[at]?.month === month);
  if (!isWhole || shared.length !== months.length) return false;
  if (index === "vacancy") return shared.every(({ knownE15, givenE15 }) => knownE15 === givenE15);
  if (shared.some(({ knownE15, givenE15 }) => knownE15 <= 0n || givenE15 <= 0n)) return false;
  const [first, ...rest] = shared;
  let [least, most] = [first, first];
  for (const pair of rest) {
    if (least === undefined || isLess(pair, least)) least = pair;
    if (most === undefined || isLess(most, pair)) most = pair;
  }
  if (least === undefined || most === undefined) return false;
  const [high, low] = [most.givenE15 * least.knownE15, least.givenE15 * most.knownE15];
  return (high - low) * PARTS <= low;
}

/** By given over known. */
const isLess = (a: SharedMonth, b: SharedMonth): boolean =>
  a.givenE15 * b.knownE15 < b.givenE15 * a.knownE15;
