// How far the new prints of a file move: of each place by itself and against its own past, and of
// how many of them too far.
// Invariant: both sides of a move stand in one file, so a provider's rescale is none.
import type { NodeId } from "#base/ids.ts";
import { formatMonth, type Month } from "#base/month.ts";
import type { Asked } from "./asked.ts";
import type { KnownNode, MonthRow, NewPrint } from "./first-prints.ts";
import { type Move, measures, moveText, percent, placeMoveText } from "./move.ts";
import { OwnPast, type PastLimits } from "./own-past.ts";
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
  /** Null where a place's past says nothing of its next print. */
  readonly past: PastLimits | null;
  /** So many of the places with a print of a month may leave their past; beyond it the file is held. */
  readonly mostLeftBps: number;
}

interface MovesOfMonth {
  moving: number;
  counted: number;
  /** Places that leave their own past. */
  left: number;
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
    known: Pick<KnownNode, "latest"> | undefined,
    row: MonthRow,
    newPrints: readonly Pick<NewPrint, "month" | "valueE15">[],
  ): ValidationReason | undefined {
    const { by, mostBps, past } = this.#limits;
    const isJudged = known !== undefined && past !== null && newPrints.length > 0;
    const ownPast = isJudged ? new OwnPast(past, known) : undefined;
    let most: { readonly month: Month; readonly moveBps: number } | undefined;
    let left: ValidationReason | undefined;
    for (const { month, valueE15 } of newPrints) {
      const moveBps = measures[by](row, month, valueE15);
      if (moveBps === undefined) continue;
      const leaves = ownPast?.reason(row, month);
      left ??= leaves;
      this.#note(node, month, moveBps, leaves !== undefined);
      if (most === undefined || moveBps > most.moveBps) most = { month, moveBps };
    }
    if (most === undefined || most.moveBps <= mostBps) return left;
    const text = placeMoveText[by];
    const limit = `one place may by ${text.amount(mostBps)}.`;
    const moved = `${formatMonth(most.month)} ${text.verb} by ${text.amount(most.moveBps)}`;
    return { code: "MOVE_TOO_LARGE", message: `${moved} ${text.from}; ${limit}` };
  }

  /** Why the file is to be held: the oldest month that says so. */
  reason(asked: Asked): ValidationReason | undefined {
    const months = [...this.#byMonth].sort(([one], [other]) => one - other);
    for (const [month, moves] of months) {
      if (!asked.isNew(month) || !asked.isEnough(moves.moving)) continue;
      const message = this.#countedText(month, moves) ?? this.#leftText(month, moves);
      if (message !== undefined) return { code: "MOVE_TOO_LARGE", message };
    }
    return undefined;
  }

  #countedText(month: Month, { moving, counted, worst }: MovesOfMonth): string | undefined {
    const { by, countedBps, mostCountedBps } = this.#limits;
    if (worst === undefined || counted < 2) return undefined;
    if (counted * 10_000 <= moving * mostCountedBps) return undefined;
    return (
      `New prints of ${counted} of ${moving} places ${moveText[by](countedBps)}: ` +
      `${worst.node} by ${percent(worst.moveBps)} in ${formatMonth(month)}.`
    );
  }

  #leftText(month: Month, { moving, left }: MovesOfMonth): string | undefined {
    const { mostLeftBps } = this.#limits;
    if (left < 2 || left * 10_000 <= moving * mostLeftBps) return undefined;
    return (
      `New prints of ${left} of ${moving} places move in ${formatMonth(month)} as none of theirs ` +
      `did before, more than ${percent(mostLeftBps)} of them.`
    );
  }

  #note(node: NodeId | null, month: Month, moveBps: number, leaves: boolean): void {
    const all = this.#byMonth.get(month) ?? { moving: 0, counted: 0, left: 0, worst: undefined };
    this.#byMonth.set(month, all);
    all.moving += 1;
    if (leaves) all.left += 1;
    if (moveBps <= this.#limits.countedBps) return;
    all.counted += 1;
    if (node !== null && moveBps > (all.worst?.moveBps ?? 0)) all.worst = { node, moveBps };
  }
}
