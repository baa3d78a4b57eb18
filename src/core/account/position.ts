// A position after a trade, a fee, a settlement or a void: average cost, exactly.
// Invariant: flowMicros = realisedMicros − costMicros − fees paid, after every change.
import { least } from "#base/least.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import type { Position } from "../records.ts";

/**
 * After `by` lots at a YES price (above zero bought, below zero sold). Closing takes its share of
 * the cost, rounded towards zero; what that leaves stays with the lots still held. A trade beyond
 * flat closes first and opens the rest at its own price.
 */
export function traded(position: Position, by: Lots, yesTick: Tick): Position {
  const { heldLots, costMicros, realisedMicros, flowMicros } = position;
  const price = BigInt(yesTick);
  const closing = closedBy(heldLots, by);
  const costClosed = heldLots === 0n ? 0n : (costMicros * -closing) / heldLots;
  return {
    ...position,
    heldLots: lots(heldLots + by),
    costMicros: micros(costMicros - costClosed + (by - closing) * price),
    realisedMicros: micros(realisedMicros - closing * price - costClosed),
    flowMicros: micros(flowMicros - by * price),
  };
}

/** The part of `by` that brings a position towards flat, with the sign of `by`. */
function closedBy(held: bigint, by: bigint): bigint {
  if (held === 0n || held > 0n === by > 0n) return 0n;
  const most = -held;
  return most > 0n === by > most ? most : by;
}

/** Fees are neither cost nor realised: they are what is missing between those and the cash. */
export const charged = (position: Position, fee: Micros): Position => ({
  ...position,
  flowMicros: micros(position.flowMicros - fee),
});

/** Paid at the market's end: `cash` is above zero for who receives it. */
export const settled = (position: Position, cash: Micros): Position => ({
  ...position,
  heldLots: noLots,
  costMicros: noMoney,
  realisedMicros: micros(position.realisedMicros + cash - position.costMicros),
  flowMicros: micros(position.flowMicros + cash),
});

/**
 * `short` lots short are taken over, and `cash` is given for it. Of a long it closes its part
 * first, both parts of the cash rounded towards what is closed.
 */
export function takenOver(position: Position, short: Lots, cash: Micros): Position {
  const { heldLots, costMicros, realisedMicros, flowMicros } = position;
  const closing = heldLots > 0n ? least<bigint>(heldLots, short) : 0n;
  const cashClosed = (cash * closing) / short;
  const costClosed = closing === 0n ? 0n : (costMicros * closing) / heldLots;
  return {
    ...position,
    heldLots: lots(heldLots - short),
    costMicros: micros(costMicros - costClosed - (cash - cashClosed)),
    realisedMicros: micros(realisedMicros + cashClosed - costClosed),
    flowMicros: micros(flowMicros + cash),
  };
}

/** A void undoes trades and fees alike: all that stays realised is what the account still has. */
export const undone = (position: Position): Position => ({
  ...position,
  heldLots: noLots,
  costMicros: noMoney,
  realisedMicros: position.flowMicros,
});

/** The position after a void has given back, or taken back, its cash. */
export const reversed = (position: Position, cash: Micros): Position => ({
  ...position,
  realisedMicros: micros(position.realisedMicros + cash),
  flowMicros: micros(position.flowMicros + cash),
});

/** Taker fees the account has paid in the market; a void brings them to zero. */
export const feesOf = ({ realisedMicros, costMicros, flowMicros }: Position): Micros =>
  micros(realisedMicros - costMicros - flowMicros);
