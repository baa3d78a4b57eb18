// The rescale trap, counted: falls between raw first prints against falls inside the chain.
// Invariant: both counts are over the same nodes and the same two months.
import { addMonths, type Month } from "#base/month.ts";
import type { ChainLevel, PrintValue } from "#base/print-value.ts";
import { decideNode, type KnownNode, knownAfter, type MonthRow } from "./first-prints.ts";

/** One node's first prints of two months and their chained levels. */
export interface GrowthPair {
  readonly fromValueE15: PrintValue;
  readonly toValueE15: PrintValue;
  readonly fromLevelE12: ChainLevel;
  readonly toLevelE12: ChainLevel;
}

export interface FallCounts {
  /** Nodes with a first print and a level in both months. */
  readonly compared: number;
  readonly rawFalls: number;
  readonly chainedFalls: number;
}

/** Counts the nodes that fell by `fallBps` or more from the first month to the second. */
export function countFalls(pairs: Iterable<GrowthPair>, fallBps: number): FallCounts {
  let compared = 0;
  let rawFalls = 0;
  let chainedFalls = 0;
  for (const pair of pairs) {
    compared += 1;
    if (hasFallen(pair.fromValueE15, pair.toValueE15, fallBps)) rawFalls += 1;
    if (hasFallen(pair.fromLevelE12, pair.toLevelE12, fallBps)) chainedFalls += 1;
  }
  return { compared, rawFalls, chainedFalls };
}

/**
 * One node in two releases, as if the earlier were the first ever seen: its newest months.
 * Undefined where either release has no value for its own last month, or the chain breaks.
 */
export function growthBetween(earlier: MonthRow, later: MonthRow): GrowthPair | undefined {
  const known = knownAfter(undefined, decideNode(undefined, earlier, true));
  const after = knownAfter(known, decideNode(known, later, true));
  if (known === undefined || after === undefined) return undefined;

  const from = printAt(known, lastMonthOf(earlier));
  const to = printAt(after, lastMonthOf(later));
  if (from === undefined || to === undefined) return undefined;
  return {
    fromValueE15: from.valueE15,
    toValueE15: to.valueE15,
    fromLevelE12: from.levelE12,
    toLevelE12: to.levelE12,
  };
}

/** (from − to)/from ≥ bps/10,000, exactly; `from` is positive. */
const hasFallen = (from: bigint, to: bigint, fallBps: number): boolean =>
  (from - to) * 10_000n >= BigInt(fallBps) * from;

const lastMonthOf = (row: MonthRow): Month => addMonths(row.firstMonth, row.values.length - 1);

function printAt(
  known: KnownNode,
  month: Month,
): { readonly valueE15: PrintValue; readonly levelE12: ChainLevel } | undefined {
  const valueE15 = known.values[month - known.firstMonth] ?? null;
  const levelE12 = known.levels[month - known.firstMonth] ?? null;
  return valueE15 === null || levelE12 === null ? undefined : { valueE15, levelE12 };
}
