// How far a new print is from what its own file says before it, in basis points.
// Invariant: a provider's rescale is no move, since both sides of a move stand in one file.
import type { Month } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import type { MonthRow } from "./first-prints.ts";

/**
 * `growth`: of the newest value before it, a month of the way. `points`: of a rate in percent, from
 * the newest before it. `record`: how far below the lowest or above the highest of the thirty years
 * before it, of the range between the two.
 */
export type Move = "growth" | "points" | "record";

/** Undefined where nothing before the print says how far it is. Rounded up. */
type MoveMeasure = (row: MonthRow, month: Month, value: PrintValue) => number | undefined;

export const measures: Readonly<Record<Move, MoveMeasure>> = {
  growth: (row, month, value) => {
    const at = newestBefore(row, month);
    const before = row.values[at] ?? null;
    if (before === null || before <= 0n) return undefined;
    return bpsOf(distance(value, before), before) / (month - row.firstMonth - at);
  },
  points: (row, month, value) => {
    const before = row.values[newestBefore(row, month)] ?? null;
    return before === null ? undefined : bpsOf(distance(value, before), HUNDRED_POINTS_E15);
  },
  record: (row, month, value) => {
    const years = yearsBefore(row, month);
    const [lowest] = years;
    const highest = years.at(-1);
    if (lowest === undefined || highest === undefined || lowest === highest) return undefined;
    if (years.length < FEWEST_YEARS) return undefined;
    const beyond = value < lowest ? lowest - value : value > highest ? value - highest : 0n;
    return bpsOf(beyond, highest - lowest);
  },
};

export const moveText: Readonly<Record<Move, (bps: number) => string>> = {
  growth: (bps) => `move by more than ${percent(bps)} in a month`,
  points: (bps) => `move by more than ${bps / 100} points from the print before`,
  record: (bps) => `lie beyond the thirty years before by more than ${percent(bps)} of their range`,
};

/** Of one place: "2022-01 moves by 30 % in a month". */
export const placeMoveText: Readonly<
  Record<
    Move,
    {
      readonly verb: string;
      readonly amount: (bps: number) => string;
      readonly from: string;
    }
  >
> = {
  growth: { verb: "moves", amount: (bps) => percent(bps), from: "in a month" },
  points: {
    verb: "moves",
    amount: (bps) => `${bps / 100} points`,
    from: "from the print before",
  },
  record: {
    verb: "lies beyond the thirty years before",
    amount: (bps) => percent(bps),
    from: "of their range",
  },
};

const HUNDRED_POINTS_E15 = 100_000_000_000_000_000n;
const YEARS = 30;
/** Fewer have no range to speak of. */
const FEWEST_YEARS = 10;

/** Where in the row; below 0 where there is none. */
const newestBefore = ({ firstMonth, values }: MonthRow, month: Month): number =>
  values.findLastIndex((value, at) => value !== null && at < month - firstMonth);

/** The values of the same month of the year, lowest first. */
function yearsBefore({ firstMonth, values }: MonthRow, month: Month): readonly PrintValue[] {
  const found: PrintValue[] = [];
  for (let year = 1; year <= YEARS; year += 1) {
    const value = values[month - firstMonth - 12 * year] ?? null;
    if (value !== null) found.push(value);
  }
  return found.sort(byValue);
}

const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one);

/** `whole` is above zero. */
const bpsOf = (part: bigint, whole: bigint): number =>
  Number((part * 10_000n + whole - 1n) / whole);

export const byValue = (one: bigint, other: bigint): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** Undefined of none. */
export const middleOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[values.length >> 1];

export const percent = (bps: number): string => `${Math.round(bps) / 100} %`;
