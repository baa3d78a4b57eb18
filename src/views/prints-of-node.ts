// The first prints of one index at one place, packed: a release of every zip has eight million.
// Invariant: a month is there once; the value of a month that is there never changes.
import type { ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth, type Month, monthOf } from "#base/month.ts";
import { type ChainLevel, chainLevelOf, type PrintValue } from "#base/print-value.ts";
import { HIGHEST_LEVEL, type PrintRun } from "#prints/print-run.ts";
import { valueIn, WIDE_WORD, wordOf } from "#prints/print-word.ts";

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
const FIRST_CAPACITY = 64;
const NO_ENTRY = -1;
/** Shorter runs cost less as single prints. */
const SHORTEST_RUN_MONTHS = 4;

/**
 * Single prints of all places, side by side: five years of monthly releases bring sixty a place,
 * and arrays of its own for every place would weigh more than the prints.
 */
export class PrintColumns {
  #length = 0;
  #months = new Int32Array(FIRST_CAPACITY);
  #words = new BigInt64Array(FIRST_CAPACITY);
  #levels = new BigInt64Array(FIRST_CAPACITY);
  /** Twice the release's number, and one more for a backfill. */
  #origins = new Int32Array(FIRST_CAPACITY);
  /** The entry of the next older month of the same place. */
  #older = new Int32Array(FIRST_CAPACITY);
  readonly #wide = new Map<number, PrintValue>();
  readonly #releases: ReleaseId[] = [];
  readonly #numbers = new Map<ReleaseId, number>();

  append({ month, valueE15, levelE12, releaseId, backfill }: SeriesPoint, older: number): number {
    invariant(levelE12 === null || levelE12 <= HIGHEST_LEVEL, `level ${levelE12} fits its word`);
    if (this.#length === this.#months.length) this.#grow();
    const entry = this.#length;
    const word = wordOf(valueE15);
    if (word === WIDE_WORD) this.#wide.set(entry, valueE15);
    this.#months[entry] = month;
    this.#words[entry] = word;
    this.#levels[entry] = levelE12 ?? NO_LEVEL;
    this.#origins[entry] = 2 * this.#numberOf(releaseId) + (backfill ? 1 : 0);
    this.#older[entry] = older;
    this.#length += 1;
    return entry;
  }

  monthAt = (entry: number): number => this.#months[entry] ?? 0;
  olderThan = (entry: number): number => this.#older[entry] ?? NO_ENTRY;

  /** Puts `entry` between `newer` and what follows it. */
  link(newer: number, entry: number): void {
    this.#older[newer] = entry;
  }

  at(entry: number): SeriesPoint {
    const level = this.#levels[entry] ?? NO_LEVEL;
    const origin = this.#origins[entry] ?? 0;
    const releaseId = this.#releases[origin >> 1];
    invariant(releaseId !== undefined, `entry ${entry} has a release`);
    return {
      month: monthOf(0, this.monthAt(entry) + 1),
      valueE15: this.#wide.get(entry) ?? valueIn(this.#words[entry] ?? 0n),
      levelE12: level === NO_LEVEL ? null : chainLevelOf(level),
      releaseId,
      backfill: (origin & 1) === 1,
    };
  }

  #numberOf(release: ReleaseId): number {
    const known = this.#numbers.get(release);
    if (known !== undefined) return known;
    this.#numbers.set(release, this.#releases.length);
    return this.#releases.push(release) - 1;
  }

  #grow(): void {
    const capacity = 2 * this.#months.length;
    this.#months = grown(new Int32Array(capacity), this.#months);
    this.#words = grown(new BigInt64Array(capacity), this.#words);
    this.#levels = grown(new BigInt64Array(capacity), this.#levels);
    this.#origins = grown(new Int32Array(capacity), this.#origins);
    this.#older = grown(new Int32Array(capacity), this.#older);
  }
}

function grown<T extends Int32Array | BigInt64Array>(larger: T, column: T): T {
  if (larger instanceof Int32Array && column instanceof Int32Array) larger.set(column);
  if (larger instanceof BigInt64Array && column instanceof BigInt64Array) larger.set(column);
  return larger;
}

export class PrintsOfNode {
  readonly #columns: PrintColumns;
  /** The first long run that came, in the bytes it was stored in. */
  #run: PrintRun | undefined;
  #runRelease: ReleaseId | undefined;
  /** Counted when somebody asks: a start has 140,000 runs of 320 months. */
  #runSize: number | undefined;
  /** The newest single print. */
  #newest = NO_ENTRY;
  #singles = 0;

  constructor(columns: PrintColumns = new PrintColumns()) {
    this.#columns = columns;
  }

  get size(): number {
    this.#runSize ??= this.#run?.count() ?? 0;
    return this.#singles + this.#runSize;
  }

  /** Takes a stored run; a long one stays in its bytes. */
  take(run: PrintRun, releaseId: ReleaseId): void {
    const isFirst = this.#run === undefined && this.#singles === 0;
    if (isFirst && run.months >= SHORTEST_RUN_MONTHS) {
      this.#run = run;
      this.#runRelease = releaseId;
      this.#runSize = undefined;
      return;
    }
    const { firstMonth, months } = run;
    for (let month: number = firstMonth; month < firstMonth + months; month += 1) {
      const point = pointIn(run, releaseId, monthOf(0, month + 1));
      if (point !== undefined) this.add(point);
    }
  }

  /** Takes a month that no release had carried: most are the newest, some fill a gap. */
  add(point: SeriesPoint): void {
    const known = this.at(point.month);
    if (known !== undefined) {
      const isSame = known.valueE15 === point.valueE15;
      invariant(isSame, `the first print of ${formatMonth(point.month)} is immutable`);
      return;
    }
    let newer = NO_ENTRY;
    let older = this.#newest;
    while (older !== NO_ENTRY && this.#columns.monthAt(older) > point.month) {
      newer = older;
      older = this.#columns.olderThan(older);
    }
    const entry = this.#columns.append(point, older);
    if (newer === NO_ENTRY) this.#newest = entry;
    else this.#columns.link(newer, entry);
    this.#singles += 1;
  }

  at(month: Month): SeriesPoint | undefined {
    for (let entry = this.#newest; entry !== NO_ENTRY; entry = this.#columns.olderThan(entry)) {
      const found = this.#columns.monthAt(entry);
      if (found === month) return this.#columns.at(entry);
      if (found < month) break;
    }
    return this.#inRun(month);
  }

  /** The newest, or the newest up to a month. */
  newest(asOf: number = Number.POSITIVE_INFINITY): SeriesPoint | undefined {
    let entry = this.#newest;
    while (entry !== NO_ENTRY && this.#columns.monthAt(entry) > asOf) {
      entry = this.#columns.olderThan(entry);
    }
    const single = entry === NO_ENTRY ? undefined : this.#columns.at(entry);
    if (this.#run === undefined) return single;
    const { firstMonth, months } = this.#run;
    for (let month = Math.min(asOf, firstMonth + months - 1); month >= firstMonth; month -= 1) {
      if (single !== undefined && single.month > month) return single;
      const point = this.#inRun(monthOf(0, month + 1));
      if (point !== undefined) return point;
    }
    return single;
  }

  /** Oldest first; all, or those from a month on. */
  points(from: number = Number.NEGATIVE_INFINITY): SeriesPoint[] {
    const points: SeriesPoint[] = [];
    if (this.#run !== undefined) {
      const { firstMonth, months } = this.#run;
      for (let month = Math.max(from, firstMonth); month < firstMonth + months; month += 1) {
        const point = this.#inRun(monthOf(0, month + 1));
        if (point !== undefined) points.push(point);
      }
    }
    const newestInRun = points.at(-1)?.month ?? Number.NEGATIVE_INFINITY;
    const singles: SeriesPoint[] = [];
    for (let entry = this.#newest; entry !== NO_ENTRY; entry = this.#columns.olderThan(entry)) {
      if (this.#columns.monthAt(entry) < from) break;
      singles.push(this.#columns.at(entry));
    }
    for (const point of singles.reverse()) points.push(point);
    const isInOrder = singles[0] === undefined || singles[0].month > newestInRun;
    return isInOrder ? points : points.sort((a, b) => a.month - b.month);
  }

  /** The level of a month; null outside the chain and where there is no print. */
  levelAt(month: Month): ChainLevel | null {
    return this.at(month)?.levelE12 ?? null;
  }

  /** The oldest month inside the chain. */
  chainStart(): Month | undefined {
    let start: Month | undefined;
    for (let entry = this.#newest; entry !== NO_ENTRY; entry = this.#columns.olderThan(entry)) {
      const { month, levelE12 } = this.#columns.at(entry);
      if (levelE12 !== null) start = month;
    }
    if (this.#run === undefined) return start;
    const { firstMonth, months } = this.#run;
    const end = Math.min(start ?? Number.POSITIVE_INFINITY, firstMonth + months);
    for (let at: number = firstMonth; at < end; at += 1) {
      const month = monthOf(0, at + 1);
      if (this.#run.levelAt(month) !== null) return month;
    }
    return start;
  }

  #inRun(month: Month): SeriesPoint | undefined {
    if (this.#run === undefined || this.#runRelease === undefined) return undefined;
    return pointIn(this.#run, this.#runRelease, month);
  }
}

function pointIn(run: PrintRun, releaseId: ReleaseId, month: Month): SeriesPoint | undefined {
  const valueE15 = run.valueAt(month);
  if (valueE15 === null) return undefined;
  return { month, valueE15, levelE12: run.levelAt(month), releaseId, backfill: run.backfill };
}
