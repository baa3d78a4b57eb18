// When the sample's releases come out, and which months they carry, for a given day.
// Invariant: a release is published after its last month has ended and before that day; the newest
// one so shortly before it that a market which it settles can still be disputed; the one after that
// is not expected before a day has passed, so that nothing waits for it when the exchange starts.
import { addMonths, type Month, monthAt } from "#base/month.ts";
import { expectedPublicationMillis } from "#prints/release.ts";
import { randomOf, wholeBetween } from "./random.ts";

export const RELEASES = 14;
/** Months in the newest release; the oldest release carries all but the last 13 of them. */
export const HISTORY_MONTHS = 144;

const HOUR_MILLIS = 3_600_000;
/** How long before today the newest release comes out. */
const NEWEST_AGE_MILLIS = 6 * HOUR_MILLIS;
/** A print that is expected so soon after today is out already, as early as providers are. */
const EARLY_MILLIS = 24 * HOUR_MILLIS;

export interface SampleRelease {
  /** From 0, the oldest. */
  readonly number: number;
  readonly publishedAtMillis: number;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
}

/** The releases of the fourteen months before `todayMillis`, oldest first. */
export function sampleReleases(seed: number, todayMillis: number): readonly SampleRelease[] {
  const newestAtMillis = todayMillis - NEWEST_AGE_MILLIS;
  const newestMonth = newestMonthAt(todayMillis + EARLY_MILLIS);
  return Array.from({ length: RELEASES }, (_, number) => {
    const lastMonth = addMonths(newestMonth, number - RELEASES + 1);
    return {
      number,
      lastMonth,
      firstMonth: addMonths(newestMonth, 1 - HISTORY_MONTHS),
      publishedAtMillis:
        number === RELEASES - 1 ? newestAtMillis : publicationMillis(seed, lastMonth),
    };
  });
}

/** The newest month whose publication is due by then. */
function newestMonthAt(millis: number): Month {
  const lastEnded = addMonths(monthAt(millis), -1);
  return expectedPublicationMillis("sample", lastEnded) <= millis
    ? lastEnded
    : addMonths(lastEnded, -1);
}

/** In the afternoon, two days early to three days late, as providers are. */
function publicationMillis(seed: number, month: Month): number {
  const daysLate = wholeBetween(randomOf(seed, `publication ${month}`), -2, 3);
  return expectedPublicationMillis("sample", month) + (24 * daysLate + 14) * HOUR_MILLIS;
}
