// The cohorts of a history, side by side, month by month: each release reaches all that are open.
// Invariant: what a model reads at a month is of prints up to that month.
import { addMonths, type Month } from "#base/month.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { knownThen } from "#pricing/horizon.ts";
import { Reference } from "#quoting/reference.ts";
import { SeriesView } from "#views/series.ts";
import { Cohort, type CohortEnd, type Plan } from "./cohort.ts";
import { EarlyReader, type ReaderGain, type ReaderPlan, readerCases } from "./early-reader.ts";
import type { PublishedPast } from "./own-exchange.ts";
import { type PastPlace, type RecordedPast, releaseOf } from "./past.ts";

/** One result a cohort, in the order of the months; `months` rise. */
export function replayCohorts(
  past: RecordedPast,
  plan: Plan,
  months: readonly Month[],
): readonly CohortEnd[] {
  const [first, last] = [months.at(0), months.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { series, reference } = knownBefore(past, plan, first);
  const results: CohortEnd[] = [];
  let open: readonly Cohort[] = [];
  const starts = new Set(months);
  for (let month = first; month <= addMonths(last, plan.months); month = addMonths(month, 1)) {
    print(series, past, month);
    for (const cohort of open) cohort.release(month);
    for (const cohort of open) if (cohort.lastMonth === month) results.push(cohort.end());
    open = open.filter((cohort) => cohort.lastMonth > month);
    if (starts.has(month)) open = [...open, new Cohort(past, plan, month, series, reference)];
  }
  return results;
}

/** A reader of the next file beside each month's orders: of each case, in their order. */
export function readEarly(
  past: RecordedPast,
  plan: ReaderPlan,
  months: readonly Month[],
): readonly (readonly ReaderGain[])[] {
  const taken: ReaderGain[][] = readerCases.map(() => []);
  const [first, last] = [months.at(0), months.at(-1)];
  if (first === undefined || last === undefined) return taken;
  const known = knownBefore(past, plan, first);
  const starts = new Set(months);
  for (let month = first; month <= last; month = addMonths(month, 1)) {
    print(known.series, past, month);
    if (!starts.has(month)) continue;
    const readers = readerCases.map((one) => new EarlyReader(past, plan, month, known, one));
    print(known.series, past, addMonths(month, 1));
    for (const [at, reader] of readers.entries()) taken[at]?.push(...reader.release());
  }
  return taken;
}

/** All prints before a month. */
function knownBefore(
  past: RecordedPast,
  { fitted }: Pick<Plan, "fitted">,
  first: Month,
): PublishedPast {
  const series = new SeriesView();
  const model = fitted?.model ?? DEFAULT_PRICE_MODEL;
  const reference = new Reference(series, () => past.geo, model, fitted && knownThen(fitted));
  for (let month = past.firstMonth; month < first; month = addMonths(month, 1)) {
    print(series, past, month);
  }
  return { series, reference };
}

function print(series: SeriesView, { index, places, nation }: RecordedPast, month: Month): void {
  const put = ({ nodeId, prints }: PastPlace): void => {
    const seen = prints.get(month);
    if (seen === undefined) return;
    const { valueE15, levelE12, backfill } = seen;
    series.extend(index, nodeId, [
      { month, valueE15, levelE12, releaseId: releaseOf(month), backfill },
    ]);
  };
  for (const place of places) put(place);
  if (nation !== undefined) put(nation);
}
