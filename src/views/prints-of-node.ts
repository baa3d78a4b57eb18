// The first prints of one index at one place, packed: a zip file alone brings eight million.
// Invariant: months rise strictly; a month that is there never changes.
import { invariant } from "#base/invariant.ts";
import { formatMonth, type Month } from "#base/month.ts";
import { type ChainLevel, chainLevelOf, type PrintValue, printValue } from "#base/print-value.ts";
import type { ReleaseId } from "#base/ids.ts";

export interface SeriesPoint {
  readonly month: Month;
  readonly valueE15: PrintValue;
  /** Null outside the chain. */
  readonly levelE12: ChainLevel | null;
  readonly releaseId: ReleaseId;
  /** History that was there in the node's first release. */
  readonly backfill: boolean;
}

/** No level is ever 0 or below, so these mark what is not there. */
const NO_LEVEL = 0n;
const WORD_BITS = 64;
const FIRST_CAPACITY = 16;

export class PrintsOfNode {
  #size = 0;
  #months = new Int32Array(FIRST_CAPACITY);
  /** A value in units of 1e-15 needs two words: 300,000 is 3e20. */
  #values = new BigInt64Array(2 * FIRST_CAPACITY);
  #levels = new BigInt64Array(FIRST_CAPACITY);
  #releases: ReleaseId[] = [];
  #backfills = new Uint8Array(FIRST_CAPACITY);

  get size(): number {
    return this.#size;
  }

  /** Takes a month that no release had carried; most are the newest, some fill a gap. */
  add(point: SeriesPoint): void {
    const at = this.#placeOf(point.month);
    if (at < this.#size && this.#months[at] === point.month) {
      invariant(
        this.at(at)?.valueE15 === point.valueE15,
        `the first print of ${formatMonth(point.month)} is immutable`,
      );
      return;
    }
    this.#openPlace(at);
    this.#months[at] = point.month;
    this.#values[2 * at] = BigInt.asIntN(WORD_BITS, point.valueE15);
    this.#values[2 * at + 1] = point.valueE15 >> BigInt(WORD_BITS);
    this.#levels[at] = point.levelE12 ?? NO_LEVEL;
    this.#releases.splice(at, 0, point.releaseId);
    this.#backfills[at] = point.backfill ? 1 : 0;
  }

  /** By place, oldest first. */
  at(place: number): SeriesPoint | undefined {
    const month = this.#monthAt(place);
    const releaseId = this.#releases[place];
    if (month === undefined || releaseId === undefined) return undefined;
    const level = this.#levels[place] ?? NO_LEVEL;
    const low = BigInt.asUintN(WORD_BITS, this.#values[2 * place] ?? 0n);
    const high = this.#values[2 * place + 1] ?? 0n;
    return {
      month,
      valueE15: printValue((high << BigInt(WORD_BITS)) | low),
      levelE12: level === NO_LEVEL ? null : chainLevelOf(level),
      releaseId,
      backfill: this.#backfills[place] === 1,
    };
  }
}
