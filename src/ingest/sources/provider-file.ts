// A provider's file in the form all providers share: months, and regions with their history.
// Invariant: a file whose rows all came out is one the provider wrote; before that nothing is done.
import type { Month } from "#base/month.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import type { PrintLevel } from "#prints/release.ts";

/** One region. A field is null where the provider does not give it. */
export interface ProviderRow {
  /** 1-based, as a person counts: the region's line, or its first one, or its row in the sheet. */
  readonly line: number;
  /** The provider's key, fit for a geo node's `providerIds` after `provider:`. */
  readonly regionId: string;
  /** Other ids of it, by which a node's `providerIds` or a release before may have it. */
  readonly otherIds?: readonly string[];
  /** Its id before, where the file itself says in a note that the region was renamed. */
  readonly formerId?: string;
  readonly regionName: string;
  readonly level: PrintLevel;
  /** Two letters; of a region in several states, the one it is named after first. */
  readonly stateCode: string | null;
  /** Five digits, counties only. */
  readonly countyFips: string | null;
  readonly city: string | null;
  readonly county: string | null;
  readonly history: MonthRow;
}

export interface ProviderFile {
  /** The span the file has data for; a region's history may be shorter. */
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  /** Months of the year (1…12) a print can stand in. A month of another name is no gap. */
  readonly calendarMonths: readonly number[];
  /**
   * The variable measured, where an index has files of several kinds; they do not follow each
   * other.
   */
  readonly variable: WeatherVariable | null;
  /**
   * Differences from every form that the provider has published which could be read all the same, a
   * sentence each, the same for each file of the form: two people look at them.
   */
  readonly changes?: readonly string[];
  /** To be read to its end before anything is done: the last line may still refuse the file. */
  readonly rows: AsyncIterable<ProviderRow>;
}

export const everyMonth: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** A quarter's print stands in its last month. */
export const quarterEnds: readonly number[] = [3, 6, 9, 12];

/** Rows that had to be read whole before the first could be trusted. */
export async function* rowsOf(rows: Iterable<ProviderRow>): AsyncGenerator<ProviderRow> {
  yield* rows;
}
