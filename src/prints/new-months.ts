// The new months of a whole file: what the middle place does in them, and how smooth it is.
// Invariant: both sides of a move stand in one file, so a provider's rescale is none.
import type { NodeId } from "#base/ids.ts";
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import type { Asked } from "./asked.ts";
import type { MonthRow, NewPrint } from "./first-prints.ts";
import { middleOf, percent } from "./move.ts";
import type { ValidationReason } from "./validation-reason.ts";

/** The middle place moved by 2.1 % at most, in any month of any level since 1996. */
const MOST_MIDDLE_MOVE = 0.03;
/** The middle place's pace changed by 0.87 points at most from one month to the next. */
const MOST_MIDDLE_TURN = 0.012;
/** Of files of whole hundreds of dollars 4.8 % repeat a month; of no other any. */
const MOST_REPEATED = 0.1;
/** A state's home values moved by 4.4 % at most, and turned by 2.3 points. */
const MOST_STATE_MOVE = 0.05;
const MOST_STATE_TURN = 0.03;
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

type Sharp = Omit<MonthTurn, "isRepeat"> & { readonly month: Month };

export class NewMonths {
  readonly #isSmooth: boolean;
  readonly #byMonth = new Map<Month, MonthTurn[]>();
  readonly #roughness: number[] = [];

  /** `isSmooth`: the index is made smooth by its provider, as home values are. */
  constructor(isSmooth: boolean) {
    this.#isSmooth = isSmooth;
  }

  add(
    node: NodeId | null,
    row: MonthRow,
    newPrints: readonly Pick<NewPrint, "month" | "backfill">[],
  ): ValidationReason | undefined {
    if (this.#isSmooth) this.#addRoughness(row);
    const isState = this.#isSmooth && node?.startsWith("state:") === true;
    let sharp: Sharp | undefined;
    for (const { month, backfill } of newPrints) {
      const turn = backfill ? undefined : turnAt(row, month - row.firstMonth);
      if (turn === undefined) continue;
      const others = this.#byMonth.get(month);
      if (others === undefined) this.#byMonth.set(month, [turn]);
      else others.push(turn);
      if (isState && isSharp(turn, sharp)) sharp = { ...turn, month };
    }
    return sharp && stateMoved(sharp);
  }

  /** `isFirst`: nothing of the series is known. */
  reasons(isFirst: boolean, asked: Asked): readonly ValidationReason[] {
    const found = [isFirst ? this.#tooRough() : undefined];
    for (const [month, turns] of this.#byMonth) {
      if (!asked.isNew(month) || !asked.isEnough(turns.length)) continue;
      found.push(middleMoved(month, turns), monthRepeated(month, turns));
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

/** Sharper than the sharpest month of the row before it. */
const isSharp = ({ move, turn }: MonthTurn, before: Sharp | undefined): boolean =>
  (Math.abs(move) > MOST_STATE_MOVE || Math.abs(turn) > MOST_STATE_TURN) &&
  Math.abs(turn) > Math.abs(before?.turn ?? 0);

/** One state, within the limits of every place. */
const stateMoved = ({ month, move, turn }: Sharp): ValidationReason => ({
  code: "MOVE_TOO_LARGE",
  message:
    `${formatMonth(month)} moves by ${share(move)}, ${share(turn)} away from the month before; ` +
    `of states at most ${share(MOST_STATE_MOVE)} and ${share(MOST_STATE_TURN)} are usual.`,
});

function middleMoved(month: Month, turns: readonly MonthTurn[]): ValidationReason | undefined {
  const move = middleOf(turns.map((one) => one.move)) ?? 0;
  const turn = middleOf(turns.map((one) => one.turn)) ?? 0;
  const isUsual = Math.abs(move) <= MOST_MIDDLE_MOVE && Math.abs(turn) <= MOST_MIDDLE_TURN;
  if (isUsual) return undefined;
  return {
    code: "MIDDLE_MOVED",
    message:
      `The middle of ${turns.length} places moves by ${share(move)} in ${formatMonth(month)}, ` +
      `${share(turn)} away from the month before; at most ${share(MOST_MIDDLE_MOVE)} and ` +
      `${share(MOST_MIDDLE_TURN)} are usual.`,
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
function turnAt({ values }: MonthRow, at: number): MonthTurn | undefined {
  const [second, before, value] = [values[at - 2], values[at - 1], values[at]];
  if (second == null || before == null || value == null) return undefined;
  if (second <= 0n || before <= 0n) return undefined;
  const move = Number(value) / Number(before) - 1;
  const turn = move - (Number(before) / Number(second) - 1);
  return { move, turn, isRepeat: value === before && before !== second };
}

const share = (part: number): string => percent(part * 10_000);
