// When the provider of a release is expected to publish the month after it.
// Invariant: a month that the index is never printed for is passed over.
import { addMonths, type Month } from "#base/month.ts";
import { hasPrintIn } from "#contract/level.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { expectedPublicationMillis, isProviderId } from "#prints/release.ts";

/** The earliest of these moments; undefined where one of them is not known. */
export function earliestOf(expected: Iterable<number | undefined>): number | undefined {
  let earliest: number | undefined;
  for (const at of expected) {
    if (at === undefined) return undefined;
    earliest = earliest === undefined ? at : Math.min(earliest, at);
  }
  return earliest;
}

/** `newest`: the last month that is printed. Undefined of a provider whose days are unknown. */
export function nextPublication(
  { provider, index }: Pick<AcceptedRelease, "provider" | "index">,
  newest: Month,
): { readonly month: Month; readonly atMillis: number } | undefined {
  if (!isProviderId(provider)) return undefined;
  let month = addMonths(newest, 1);
  while (!hasPrintIn(index, month)) month = addMonths(month, 1);
  return { month, atMillis: expectedPublicationMillis(provider, month) };
}
