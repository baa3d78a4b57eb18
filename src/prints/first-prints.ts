// A release's additions to the known prints of one node: first prints with their links, and
// revisions.
// Invariant: a first print and its level are decided once; no later release changes either.
import { addMonths, type Month } from "#base/month.ts";
import { type ChainLevel, chainLevel, firstLevel, type PrintValue } from "#base/print-value.ts";
import { divHalfEven } from "#base/rounding.ts";

/** One region's line of a release: a value or a blank for every month from `firstMonth` on. */
export interface MonthRow {
  readonly firstMonth: Month;
  readonly values: readonly (PrintValue | null)[];
}

/**
 * The known prints of a node; the arrays run side by side, one place a month from `firstMonth` on.
 * A month is printed where `values` is not null, in the chain where `levels` is not null.
 */
export interface KnownNode {
  readonly firstMonth: Month;
  /** First prints. */
  readonly values: readonly (PrintValue | null)[];
  readonly levels: readonly (ChainLevel | null)[];
  /** The newest value any release has given. */
  readonly latest: readonly (PrintValue | null)[];
}

/** The newest chained month before a print, as the print's own release gives it. */
interface PrintLink {
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel;
}

export interface NewPrint {
  readonly month: Month;
  readonly valueE15: PrintValue;
  /** Null outside the chain: nothing to link to, an unchained index, or older than its start. */
  readonly levelE12: ChainLevel | null;
  /** Null also at the chain's first month, whose level is 1. */
  readonly link: PrintLink | null;
  /** History from before the exchange knew the node: never a settling print. */
  readonly backfill: boolean;
}

interface Revision {
  readonly month: Month;
  /** The newest value known before this release. */
  readonly fromE15: PrintValue;
  readonly toE15: PrintValue;
}

export interface NodeDecision {
  /** Oldest month first. */
  readonly newPrints: readonly NewPrint[];
  readonly revisions: readonly Revision[];
  /** Months known before that this release repeats digit for digit. */
  readonly unchanged: number;
  /** new/old in units of 1e-12 where all known months moved by one constant, else null. */
  readonly scaleE12: bigint | null;
}

/**
 * Whether new months link to the ones before. `same-growth`: only while the known history comes
 * back growing as it did; a chain that was left so has ended.
 */
export type Chaining = boolean | "same-growth";

export function decideNode(
  known: KnownNode | undefined,
  row: MonthRow,
  chained: Chaining,
): NodeDecision {
  const newPrints: NewPrint[] = [];
  const revisions: Revision[] = [];
  let unchanged = 0;
  let link: PrintLink | null = null;
  const startMonth = known === undefined ? undefined : startOf(known);
  const isStrict = chained === "same-growth" && known !== undefined;
  const isLinking = chained !== false && !(isStrict && growsOtherwise(known, row));

  for (const [offset, valueE15] of row.values.entries()) {
    if (valueE15 === null) continue;
    const month = addMonths(row.firstMonth, offset);
    const latest = known === undefined ? null : at(known, known.latest, month);
    let levelE12: ChainLevel | null;
    if (known === undefined || latest === null) {
      const isStart: boolean = known === undefined && link === null && valueE15 > 0n;
      levelE12 = !isLinking ? null : isStart ? firstLevel : linkedLevel(link, valueE15);
      newPrints.push({
        month,
        valueE15,
        levelE12,
        link: levelE12 === null ? null : link,
        backfill: startMonth === undefined || month < startMonth,
      });
    } else {
      levelE12 = at(known, known.levels, month);
      if (latest === valueE15) unchanged += 1;
      else revisions.push({ month, fromE15: latest, toE15: valueE15 });
    }
    if (levelE12 !== null) link = { month, valueE15, levelE12 };
    else if (isStrict) link = null;
  }
  return { newPrints, revisions, unchanged, scaleE12: commonScale(revisions, unchanged) };
}

/** The growth of a year that a boundary may move and the place still be the same: .2 points. */
const MOST_MOVED_E3 = 2n;

/** Of the last twelve months that both have, or of fewer where there are no more. */
function growsOtherwise(known: KnownNode, row: MonthRow): boolean {
  const shared = known.latest.flatMap((latest, at) => {
    const [old, fresh] = [latest ?? 0n, row.values[known.firstMonth + at - row.firstMonth] ?? 0n];
    return old > 0n && fresh > 0n ? [{ month: addMonths(known.firstMonth, at), old, fresh }] : [];
  });
  const to = shared.at(-1);
  if (to === undefined) return false;
  const from = shared.find(({ month }) => month >= to.month - 12) ?? to;
  const moved = to.fresh * from.old - to.old * from.fresh;
  return (moved < 0n ? -moved : moved) * 1_000n > MOST_MOVED_E3 * from.old * from.fresh;
}

/** The known prints after the decision; undefined while no month was ever printed. */
export function knownAfter(
  known: KnownNode | undefined,
  { newPrints, revisions }: NodeDecision,
): KnownNode | undefined {
  const oldestNew = newPrints[0]?.month;
  const anchor = known?.firstMonth ?? oldestNew;
  if (anchor === undefined) return undefined;

  const firstMonth = oldestNew !== undefined && oldestNew < anchor ? oldestNew : anchor;
  const padding = new Array<null>(anchor - firstMonth).fill(null);
  const values: (PrintValue | null)[] = [...padding, ...(known?.values ?? [])];
  const levels: (ChainLevel | null)[] = [...padding, ...(known?.levels ?? [])];
  const latest: (PrintValue | null)[] = [...padding, ...(known?.latest ?? [])];
  for (const { month, valueE15, levelE12 } of newPrints) {
    for (let next = values.length; next < month - firstMonth; next += 1) {
      values.push(null);
      levels.push(null);
      latest.push(null);
    }
    values[month - firstMonth] = valueE15;
    levels[month - firstMonth] = levelE12;
    latest[month - firstMonth] = valueE15;
  }
  for (const { month, toE15 } of revisions) latest[month - firstMonth] = toE15;
  return { firstMonth, values, levels, latest };
}

/**
 * Months a series skips, oldest first. `months`: those it has a print for, rising; `period`: how
 * far apart they lie where none is skipped.
 */
export function gapsOf(months: readonly Month[], period: number): Month[] {
  const gaps: Month[] = [];
  for (const [at, month] of months.entries()) {
    const before = months[at - 1] ?? month;
    for (let gap = addMonths(before, period); gap < month; gap = addMonths(gap, period)) {
      gaps.push(gap);
    }
  }
  return gaps;
}

/** Null where there is no link, where either value is not positive, or the level would be 0. */
function linkedLevel(link: PrintLink | null, valueE15: PrintValue): ChainLevel | null {
  if (link === null || link.valueE15 <= 0n) return null;
  const level = chainLevel(link.levelE12, valueE15, link.valueE15);
  return level > 0n ? level : null;
}

/** Where the chain starts; for a node without one, the oldest month known. */
function startOf(known: KnownNode): Month {
  const offset = known.levels.findIndex((level) => level !== null);
  return addMonths(known.firstMonth, Math.max(offset, 0));
}

const at = <T>(known: KnownNode, places: readonly (T | null)[], month: Month): T | null =>
  places[month - known.firstMonth] ?? null;

/**
 * Real rescales agree to 1e-14 (ZHVI, five pairs of vintages, 2023-12…2025-09), real revisions
 * differ by 3e-4 and more (ZORI); between them lies this bound on (largest − smallest ratio).
 */
const SCALE_SPREAD_E12 = 1_000_000n;
const ONE_E12 = 1_000_000_000_000n;
const FEWEST_MONTHS = 2;

/** One month alone proves no constant, and a month that did not move disproves it. */
function commonScale(revisions: readonly Revision[], unchanged: number): bigint | null {
  if (unchanged > 0 || revisions.length < FEWEST_MONTHS) return null;
  let smallest: bigint | undefined;
  let largest = 0n;
  let sumFrom = 0n;
  let sumTo = 0n;
  for (const { fromE15, toE15 } of revisions) {
    if (fromE15 <= 0n || toE15 <= 0n) return null;
    const ratio = divHalfEven(toE15 * ONE_E12, fromE15);
    if (smallest === undefined || ratio < smallest) smallest = ratio;
    if (ratio > largest) largest = ratio;
    sumFrom += fromE15;
    sumTo += toE15;
  }
  if (smallest === undefined || largest - smallest > SCALE_SPREAD_E12) return null;
  return divHalfEven(sumTo * ONE_E12, sumFrom);
}
