// The new months of a whole file: what the middle place does in them, and how smooth it is.
// Invariant: both sides of a move stand in one file, so a provider's rescale is none.
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import type { Asked } from "./asked.ts";
import type { MonthRow, NewPrint } from "./first-prints.ts";
import { middleOf, percent } from "./move.ts";
import type { ValidationReason } from "./validation-reason.ts";

/** How far the middle place of a file goes in a new month. */
export interface MiddleLimits {
  readonly mostMove: number;
  /** Its pace, less that of the month before. */
  readonly mostTurn: number;
}

/** Of files of whole hundreds of dollars up to 12.9 % repeat a month; of files of every digit, none. */
const MOST_REPEATED = 0.2;
/** A value with more than four decimals is written with every digit, and comes never twice. */
const FOUR_DECIMALS_E15 = 100_000_000_000n;
/** Of the middle month of the middle place: home values 0.06 to 0.36 points, sale prices 0.8. */
const MOST_ROUGHNESS = 0.005;
const ROUGHNESS_MONTHS = 24;
/** The roughness of fewer places is noise. */
const FEWEST_ROUGH = 20;

interface MonthTurn {
  readonly move: number;
  /** The move less the one of the month before. */
  readonly turn: number;
  /** The same to the digit, after a month that was not. */
  readonly isRepeat: boolean;
}

export class NewMonths {
  readonly #limits: MiddleLimits;
  readonly #isSmooth: boolean;
  readonly #byMonth = new Map<Month, MonthTurn[]>();
  readonly #roughness: number[] = [];

  /** `isSmooth`: the index is made smooth by its provider, as home values are. */
  constructor(limits: MiddleLimits, isSmooth: boolean) {
    this.#limits = limits;
    this.#isSmooth = isSmooth;
  }

  /**
   * Why the place is to be held: its month is the one before to the last of many digits.
   * `isFirst`: nothing of the place is known.
   */
  add(
    row: MonthRow,
    isFirst: boolean,
    newPrints: readonly Pick<NewPrint, "month" | "backfill">[],
  ): ValidationReason | undefined {
    if (this.#isSmooth && isFirst) this.#addRoughness(row);
    let repeated: Month | undefined;
    for (const { month, backfill } of newPrints) {
      const turn = backfill ? undefined : turnAt(row, month - row.firstMonth);
      if (turn === undefined) continue;
      const others = this.#byMonth.get(month);
      if (others === undefined) this.#byMonth.set(month, [turn]);
      else others.push(turn);
      const isWhole = (row.values[month - row.firstMonth] ?? 0n) % FOUR_DECIMALS_E15 === 0n;
      if (turn.isRepeat && !isWhole) repeated ??= month;
    }
    if (repeated === undefined) return undefined;
    const message = `${formatMonth(repeated)} has the value of the month before to the last digit.`;
    return { code: "MONTH_REPEATED", message };
  }

  /** `isFirst`: nothing of the series is known. */
  reasons(isFirst: boolean, asked: Asked): readonly ValidationReason[] {
    const found = [isFirst ? this.#tooRough() : undefined];
    for (const [month, turns] of this.#byMonth) {
      if (!asked.isNew(month) || !asked.isEnough(turns.length)) continue;
      found.push(middleMoved(month, turns, this.#limits), monthRepeated(month, turns));
    }
    const codes = new Set<string>();
    // One reason of a kind is enough; the oldest month says where it began.
    return found
      .filter((reason) => reason !== undefined)
      .filter(({ code }) => !codes.has(code) && codes.add(code));
  }

  #addRoughness(row: MonthRow): void {
    const last = row.values.length - 1;
    const turns: number[] = [];
    for (let at = last; at > last - ROUGHNESS_MONTHS; at -= 1) {
      const found = turnAt(row, at);
      if (found !== undefined) turns.push(Math.abs(found.turn));
    }
    const middle = turns.length * 2 < ROUGHNESS_MONTHS ? undefined : middleOf(turns);
    if (middle !== undefined) this.#roughness.push(middle);
  }

  #tooRough(): ValidationReason | undefined {
    const middle = this.#roughness.length < FEWEST_ROUGH ? undefined : middleOf(this.#roughness);
    if (middle === undefined || middle <= MOST_ROUGHNESS) return undefined;
    return {
      code: "NOT_SMOOTH",
      message:
        `The middle place's pace changes by ${share(middle)} from month to month, more than the ` +
        `${share(MOST_ROUGHNESS)} of a smoothed index: these may be sale prices or raw values.`,
    };
  }
}

function middleMoved(
  month: Month,
  turns: readonly MonthTurn[],
  { mostMove, mostTurn }: MiddleLimits,
): ValidationReason | undefined {
  const move = middleOf(turns.map((one) => one.move)) ?? 0;
  const turn = middleOf(turns.map((one) => one.turn)) ?? 0;
  if (Math.abs(move) <= mostMove && Math.abs(turn) <= mostTurn) return undefined;
  return {
    code: "MIDDLE_MOVED",
    message:
      `The middle of ${turns.length} places moves by ${share(move)} in ${formatMonth(month)}, ` +
      `${share(turn)} away from the month before; at most ${share(mostMove)} and ` +
      `${share(mostTurn)} are usual.`,
  };
}

function monthRepeated(month: Month, turns: readonly MonthTurn[]): ValidationReason | undefined {
  const repeats = turns.filter(({ isRepeat }) => isRepeat).length;
  if (repeats <= turns.length * MOST_REPEATED) return undefined;
  return {
    code: "MONTH_REPEATED",
    message:
      `${repeats} of ${turns.length} places have in ${formatMonth(month)} the value of ` +
      `${formatMonth(addMonths(month, -1))} to the digit.`,
  };
}

/** Undefined where one of the two months before is blank. */
export function turnAt({ values }: Pick<MonthRow, "values">, at: number): MonthTurn | undefined {
  const [second, before, value] = [values[at - 2], values[at - 1], values[at]];
  if (second == null || before == null || value == null) return undefined;
  if (second <= 0n || before <= 0n) return undefined;
  const move = Number(value) / Number(before) - 1;
  const turn = move - (Number(before) / Number(second) - 1);
  return { move, turn, isRepeat: value === before && before !== second };
}

const share = (part: number): string => percent(part * 10_000);
