// When the next print of each index is expected, drawn from its newest prints and its live markets.
// Invariant: it sees every chain point and every market; a moment passes only by a newer print.
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { addMonths, calendarMonth, type Month, monthEndMillis } from "#base/month.ts";
import type { Terms } from "#contract/terms.ts";
import type { ChainPoint, Market } from "../records.ts";
import { isLive } from "./life.ts";

interface ExpectedSeries {
  newest: Month | undefined;
  /** How many live markets expect their print so long after its month. */
  readonly markets: Map<number, number>;
}

export class ExpectedPrints {
  /** By `seriesName`. */
  readonly #series = new Map<string, ExpectedSeries>();
  /** The earliest of an index, over its series with a live market and a print. */
  readonly #moments = new Map<IndexKind, number>();

  printed({ index, month }: Pick<ChainPoint, "index" | "month">): void {
    const series = this.#seriesOf(index, month);
    if ((series.newest ?? Number.NEGATIVE_INFINITY) >= month) return;
    series.newest = month;
    this.#tell(index);
  }

  /** Of a market with these terms, before and after; undefined where it is not in the state. */
  marketChanged(terms: Terms, before: Market | undefined, after: Market | undefined): void {
    const [was, is] = [before, after].map((one) => one !== undefined && isLive(one.status));
    if (was === is) return;
    const { markets } = this.#seriesOf(terms.index, terms.measurementMonth);
    const lag = lagMillis(terms);
    const count = (markets.get(lag) ?? 0) + (is ? 1 : -1);
    if (count === 0) markets.delete(lag);
    else markets.set(lag, count);
    this.#tell(terms.index);
  }

  /** Undefined where no live market of the index waits for one. */
  ofIndex(index: IndexKind): number | undefined {
    return this.#moments.get(index);
  }

  get moments(): Iterable<readonly [IndexKind, number]> {
    return this.#moments;
  }

  #seriesOf(index: IndexKind, month: Month): ExpectedSeries {
    const name = seriesName(index, month);
    const series = this.#series.get(name) ?? { newest: undefined, markets: new Map() };
    this.#series.set(name, series);
    return series;
  }

  #tell(index: IndexKind): void {
    let first = Number.POSITIVE_INFINITY;
    for (const [name, { newest, markets }] of this.#series) {
      if (newest === undefined || !name.startsWith(index)) continue;
      const ends = monthEndMillis(addMonths(newest, periodMonths[index]));
      for (const lag of markets.keys()) first = Math.min(first, ends + lag);
    }
    if (first === Number.POSITIVE_INFINITY) this.#moments.delete(index);
    else this.#moments.set(index, first);
  }
}

/** Of weather each month of the year is a series of its own, printed once a year. */
const seriesName = (index: IndexKind, month: Month): string =>
  index === "weather" ? `${index}|${calendarMonth(month)}` : index;

/** From the end of a month to its expected publication, as the provider of these terms has it. */
const lagMillis = ({ expectedAtMillis, measurementMonth }: Terms): number =>
  expectedAtMillis - monthEndMillis(measurementMonth);
