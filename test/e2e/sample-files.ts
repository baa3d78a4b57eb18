// Provider files without the provider: the sample's own, for an exchange that starts empty.
// Invariant: they are what the sample itself would bring in on this day.
import assert from "node:assert/strict";
import { addMonths, formatMonth } from "#base/month.ts";
import { sampleReleases } from "#sample/calendar.ts";
import { SampleProvider } from "#sample/provider-files.ts";

interface SampleFile {
  readonly text: string;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly lastMonth: string;
  /** Twelve months after the last one: where a series of it may end. */
  readonly monthAYearOn: string;
}

const SEED = 1;
/** One day for all files of a test, so that the same file is the same release. */
const todayMillis = Date.now();

/** ZHVI by state as of the release `age` months before the newest one. */
export function stateFile(age = 0): SampleFile {
  const release = sampleReleases(SEED, todayMillis).at(-1 - age);
  assert.ok(release !== undefined, "the sample has so many releases");
  const { lastMonth, publishedAtMillis } = release;
  for (const { index, level, text } of new SampleProvider(SEED).files(release)) {
    if (index !== "zhvi" || level !== "state") continue;
    return {
      text,
      publishedAt: new Date(publishedAtMillis).toISOString(),
      lastMonth: formatMonth(lastMonth),
      monthAYearOn: formatMonth(addMonths(lastMonth, 12)),
    };
  }
  return assert.fail("the sample has states");
}
