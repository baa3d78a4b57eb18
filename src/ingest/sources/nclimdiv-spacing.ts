// Values that do not end in their column: when that is NOAA's own doing, and when damage.
// Invariant: no displaced value is taken that a deleted digit could explain as well, save in a
// place that is known to be that cold and that never writes such a value otherwise.
import { type PrintValue, printValue } from "#base/print-value.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { type Displaced, monthColumns } from "./nclimdiv-line.ts";
import type { ClimatePlace } from "./nclimdiv-place.ts";

const MONTHS = 12;
const TEN = printValue(10_000_000_000_000_000n);
const TWENTY = printValue(20_000_000_000_000_000n);

/**
 * NOAA's temperature file of January 2023 sets off by two blanks, whatever their length, every
 * value of -10 and below, and from 0 to 9.9 every value of two states and one of a third (26 lines
 * of 12,386); its file of September 2025 does so nowhere. A digit taken out of 43.10 looks just
 * the same. Hence: a file does it for all its values of -10 and below or for none at all; a place
 * for all its values from 0 to 9.9 or for none, a line of the right width apart; and the month
 * falls below 20 degrees there in other years.
 * @throws ReleaseRefusal at the first displaced value for which that does not hold
 */
export function refuseOddSpacing(places: readonly ClimatePlace[]): void {
  const displaced = places.flatMap((place) => place.displaced);
  const [first] = displaced;
  if (first === undefined) return;
  if (places.some(hasAlignedLong)) throw oddSpacing(first);
  for (const place of places) refuseShort(place);
}

const hasAlignedLong = (place: ClimatePlace): boolean =>
  alignedValues(place).some(({ value }) => value === null || value <= -TEN);

function refuseShort(place: ClimatePlace): void {
  const first = place.displaced.find(({ form, isBalanced }) => form === "short" && !isBalanced);
  if (first === undefined) return;
  const aligned = alignedValues(place);
  if (aligned.some(({ value }) => value !== null && value >= 0n && value < TEN)) {
    throw oddSpacing(first);
  }
  for (const one of place.displaced) {
    const isThatCold = aligned.some(
      ({ month, value }) => month === one.month && value !== null && value < TWENTY,
    );
    if (one.form === "short" && !isThatCold) throw oddSpacing(one);
  }
}

interface AlignedValue {
  readonly month: number;
  readonly value: PrintValue | null;
}

function alignedValues({ line, months, displaced }: ClimatePlace): AlignedValue[] {
  const taken = new Set(displaced.map((one) => (one.line - line) * MONTHS + one.month));
  return months.flatMap((value, index) =>
    taken.has(index) ? [] : [{ month: index % MONTHS, value }],
  );
}

const oddSpacing = ({ line, month }: Displaced): ReleaseRefusal =>
  new ReleaseRefusal(
    "LINE_WIDTH",
    { line, column: monthColumns[month] ?? "" },
    "the value does not end in its column while others like it do; a digit or a blank was put in " +
      "or taken out: download the file again",
  );
