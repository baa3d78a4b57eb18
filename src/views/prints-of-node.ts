// The first prints of one index at one place, packed: a release of every zip has eight million.
// Invariant: months rise strictly; the value of a month that is there never changes.
import type { ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth, type Month, monthOf } from "#base/month.ts";
import { type ChainLevel, chainLevelOf, type PrintValue, printValue } from "#base/print-value.ts";

export interface SeriesPoint {
  readonly month: Month;
  readonly valueE15: PrintValue;
  /** Null outside the chain. */
  readonly levelE12: ChainLevel | null;
  readonly releaseId: ReleaseId;
  /** History from before the exchange knew the node. */
  readonly backfill: boolean;
}

/** A level is above 0, so this says that there is none. */
const NO_LEVEL = 0n;
const HIGHEST_LEVEL = 2n ** 63n - 1n;
const WORD_BITS = 64;
const FIRST_CAPACITY = 16;

export class PrintsOfNode {
  #months = new Int32Array(FIRST_CAPACITY);
  /** Two words each, low word first: 300,000 in units of 1e-15 does not fit into one. */
  #values = new BigInt64Array(2 * FIRST_CAPACITY);
  #levels = new BigInt64Array(FIRST_CAPACITY);
  #backfills = new Uint8Array(FIRST_CAPACITY);
  readonly #releases: ReleaseId[] = [];

  get size(): number {
    return this.#releases.length;
  }

  /** Takes a month that no release had carried: most are the newest, some fill a gap. */
  add(point: SeriesPoint): void {
    const { month, valueE15, levelE12 } = point;
    invariant(levelE12 === null || levelE12 <= HIGHEST_LEVEL, `level ${levelE12} fits its word`);
    const place = this.placeOf(month);
    if (place < this.size && this.#months[place] === month) {
      const isSame = this.at(place)?.valueE15 === valueE15;
      invariant(isSame, `the first print of ${formatMonth(month)} is immutable`);
      return;
    }

    this.#open(place);
    this.#months[place] = month;
    this.#values[2 * place] = BigInt.asIntN(WORD_BITS, valueE15);
    this.#values[2 * place + 1] = valueE15 >> BigInt(WORD_BITS);
    this.#levels[place] = levelE12 ?? NO_LEVEL;
    this.#backfills[place] = point.backfill ? 1 : 0;
    this.#releases.splice(place, 0, point.releaseId);
  }

  /** By place, 0 the oldest. */
  at(place: number): SeriesPoint | undefined {
    const releaseId = this.#releases[place];
    if (releaseId === undefined) return undefined;
    const level = this.#levels[place] ?? NO_LEVEL;
    const low = BigInt.asUintN(WORD_BITS, this.#values[2 * place] ?? 0n);
    const high = this.#values[2 * place + 1] ?? 0n;
    return {
      month: monthOf(0, (this.#months[place] ?? 0) + 1),
      valueE15: printValue((high << BigInt(WORD_BITS)) + low),
      levelE12: level === NO_LEVEL ? null : chainLevelOf(level),
      releaseId,
      backfill: this.#backfills[place] === 1,
    };
  }

  /** The place of the oldest month that is not before `month`; `size` when all are. */
  placeOf(month: Month): number {
    let low = 0;
    let high = this.size;
    if (high > 0 && (this.#months[high - 1] ?? 0) < month) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#months[middle] ?? 0) < month) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Moves everything from `place` on by one. */
  #open(place: number): void {
    const { size } = this;
    if (size === this.#months.length) this.#grow();
    this.#months.copyWithin(place + 1, place, size);
    this.#values.copyWithin(2 * place + 2, 2 * place, 2 * size);
    this.#levels.copyWithin(place + 1, place, size);
    this.#backfills.copyWithin(place + 1, place, size);
  }

  #grow(): void {
    const capacity = 2 * this.#months.length;
    const months = new Int32Array(capacity);
    const values = new BigInt64Array(2 * capacity);
    const levels = new BigInt64Array(capacity);
    const backfills = new Uint8Array(capacity);
    months.set(this.#months);
    values.set(this.#values);
    levels.set(this.#levels);
    backfills.set(this.#backfills);
    this.#months = months;
    this.#values = values;
    this.#levels = levels;
    this.#backfills = backfills;
  }
}
