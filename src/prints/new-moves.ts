// How far the new prints of a file move: of each place by itself, and of how many of them too far.
// Invariant: both sides of a move stand in one file, so a provider's rescale is none.
import type { NodeId } from "#base/ids.ts";
import { formatMonth, type Month } from "#base/month.ts";
import type { Asked } from "./asked.ts";
import type { MonthRow, NewPrint } from "./first-prints.ts";
import { type Move, measures, moveText, percent, placeMoveText } from "./move.ts";
import type { ValidationReason } from "./validation-reason.ts";

export interface MoveLimits {
  /** How the move of a print is measured. */
  readonly by: Move;
  /** A place that moves by more than this is counted. */
  readonly countedBps: number;
  /** So many of the places with a print of a month may be counted; beyond it the file is held. */
  readonly mostCountedBps: number;
  /** A place that moves by more than this is held. */
  readonly mostBps: number;
}

interface MovesOfMonth {
  moving: number;
  counted: number;
  worst: { readonly node: NodeId; readonly moveBps: number } | undefined;
}

export class NewMoves {
  readonly #limits: MoveLimits;
  readonly #byMonth = new Map<Month, MovesOfMonth>();

  constructor(limits: MoveLimits) {
    this.#limits = limits;
  }

  /** Why the place is to be held, whatever the others do. */
  add(
    node: NodeId | null,
    row: MonthRow,
    newPrints: readonly Pick<NewPrint, "month" | "valueE15">[],
  ): ValidationReason | undefined {
    const { by, mostBps } = this.#limits;
    let most: { readonly month: Month; readonly moveBps: number } | undefined;
    for (const { month, valueE15 } of newPrints) {
      const moveBps = measures[by](row, month, valueE15);
      if (moveBps === undefined) continue;
      this.#note(node, month, moveBps);
      if (most === undefined || moveBps > most.moveBps) most = { month, moveBps };
    }
    if (most === undefined || most.moveBps <= mostBps) return undefined;
    const text = placeMoveText[by];
    const limit = `one place may by ${text.amount(mostBps)}.`;
    const moved = `${formatMonth(most.month)} ${text.verb} by ${text.amount(most.moveBps)}`;
    return { code: "MOVE_TOO_LARGE", message: `${moved} ${text.from}; ${limit}` };
  }

  /** Why the file is to be held: the oldest month that says so. */
  reason(asked: Asked): ValidationReason | undefined {
    const { by, countedBps, mostCountedBps } = this.#limits;
    const months = [...this.#byMonth].sort(([one], [other]) => one - other);
    for (const [month, { moving, counted, worst }] of months) {
      if (!asked.isNew(month) || !asked.isEnough(moving)) continue;
      if (worst === undefined || counted < 2 || counted * 10_000 <= moving * mostCountedBps) {
        continue;
      }
      return {
        code: "MOVE_TOO_LARGE",
        message:
          `New prints of ${counted} of ${moving} places ${moveText[by](countedBps)}: ` +
          `${worst.node} by ${percent(worst.moveBps)} in ${formatMonth(month)}.`,
      };
    }
    return undefined;
  }

  #note(node: NodeId | null, month: Month, moveBps: number): void {
    const all = this.#byMonth.get(month) ?? { moving: 0, counted: 0, worst: undefined };
    this.#byMonth.set(month, all);
    all.moving += 1;
    if (moveBps <= this.#limits.countedBps) return;
    all.counted += 1;
    if (node !== null && moveBps > (all.worst?.moveBps ?? 0)) all.worst = { node, moveBps };
  }
}
