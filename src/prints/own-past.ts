// A new print against its own place's past: a calm place that jumps looks wrong where a lively one
// does not.
// Invariant: the past is what was known before the file, so that no damage widens its own limit.
import { formatMonth, type Month } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import type { KnownNode, MonthRow } from "./first-prints.ts";
import { percent } from "./move.ts";
import { turnAt } from "./new-months.ts";
import type { ValidationReason } from "./validation-reason.ts";

/**
 * A place is held where a month's move, or its pace less that of the month before, is larger than
 * `floor` and than so many times the largest of its own last months; where it has not a year of
 * them, than `most`.
 */
export interface PastLimits {
  readonly by: "move" | "pace";
  readonly floor: number;
  readonly times: number;
  readonly months: number;
  readonly most: number;
}

/** Fewer months of its own say little of a place. */
const FEWEST_MONTHS = 12;

type KnownValues = Pick<KnownNode, "latest">;

export class OwnPast {
  readonly #limits: PastLimits;
  /** Undefined where too little is known. */
  readonly #largest: number | undefined;

  constructor(limits: PastLimits, known: KnownValues) {
    this.#limits = limits;
    this.#largest = largestOf(known, limits);
  }

  /** Why the place is to be held for this month. */
  reason(row: MonthRow, month: Month): ValidationReason | undefined {
    const { by, floor, times, months, most } = this.#limits;
    const found = turnAt(row, month - row.firstMonth);
    const size = found && Math.abs(by === "pace" ? found.turn : found.move);
    if (found === undefined || size === undefined) return undefined;
    const own = this.#largest;
    // A jump that two people let through turns about in the month after: that is no other jump.
    const limit = own === undefined ? most : Math.max(floor, times * own);
    if (size <= limit) return undefined;
    const past =
      own === undefined
        ? ""
        : `, and it has by no more than ${share(own)} in its ${months} months before`;
    return {
      code: "MOVE_TOO_LARGE",
      message:
        `${formatMonth(month)} moves by ${share(found.move)}, ${share(found.turn)} away from the ` +
        `month before; this place's ${words[by]} may by ${share(limit)}${past}.`,
    };
  }
}

const words = { move: "value", pace: "pace" } as const;

/** The newest known month is the last of the past, whatever the file says of it. */
function largestOf({ latest }: KnownValues, { by, months }: PastLimits): number | undefined {
  const newest = latest.findLastIndex((value) => value !== null);
  const from = Math.max(0, newest - months - 1);
  const values = latest.slice(from, newest + 1).map(numberOf);
  let largest = 0;
  let seen = 0;
  for (let at = 2; at < values.length; at += 1) {
    const [second = 0, before = 0, value = 0] = [values[at - 2], values[at - 1], values[at]];
    if (second <= 0 || before <= 0 || value <= 0) continue;
    seen += 1;
    const move = value / before - 1;
    const size = Math.abs(by === "pace" ? move - (before / second - 1) : move);
    if (size > largest) largest = size;
  }
  return seen < FEWEST_MONTHS ? undefined : largest;
}

/** A blank is no value, and neither is one that is not above zero. */
const numberOf = (value: PrintValue | null): number => (value === null ? 0 : Number(value));

const share = (part: number): string => percent(part * 10_000);
