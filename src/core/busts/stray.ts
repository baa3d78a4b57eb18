// A fill off the reference: what has to be known to undo it exactly, kept while it may be undone.
// Invariant: kept from the fill's own command on, with the band of that moment; it counts for
// nothing once the window is over, and goes with the next fill.
import type { FillId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { feeShares } from "../margin/fee.ts";
import type { Fill, Position } from "../records.ts";
import type { State } from "../state.ts";
import type { Stray } from "./stray-record.ts";

/** With more in a window, the oldest go first: each of them has paid fees for it. */
const MOST_STRAYS = 10_000;

/** The mark is the reference: it is the exchange's own price at that moment, and journalled. */
export const isStray = ({ rules }: State, { yesTick }: Fill, referenceTick: Tick): boolean =>
  Math.abs(yesTick - referenceTick) > rules.bust.bandTicks;

export const beforeOf = ({ heldLots, costMicros, realisedMicros }: Position): Stray["buyer"] => ({
  heldLots,
  costMicros,
  realisedMicros,
});

/** The part of an order's fee that one fill brought: `upTo` is the fee with it. */
export function feePart(
  before: Micros,
  upTo: Micros,
): Pick<Stray, `${"house" | "fund"}FeesMicros`> {
  const [less, more] = [feeShares(before), feeShares(upTo)];
  return {
    houseFeesMicros: micros(more.house - less.house),
    fundFeesMicros: micros(more.fund - less.fund),
  };
}

export function putStray({ strays }: State, stray: Stray): void {
  strays.set(stray.fill.id, stray);
  for (const id of strays.keys()) {
    if (strays.size <= MOST_STRAYS) return;
    strays.delete(id);
  }
}

/**
 * The fill is undone: the next one off the band, where it came right after it, came at the price
 * that was there before.
 */
export function takeStray({ strays }: Pick<State, "strays">, { id }: Fill): void {
  const stray = strays.get(id);
  strays.delete(id);
  const next = stray === undefined ? undefined : nextStray(strays.values(), stray.fill);
  if (stray === undefined || next?.lastTick !== stray.fill.yesTick) return;
  strays.set(next.fill.id, { ...next, lastTick: stray.lastTick });
}

/** Whether no other fill off the band came later in its market. */
export const isNewestStray = ({ strays }: Pick<State, "strays">, { fill }: Stray): boolean =>
  nextStray(strays.values(), fill) === undefined;

function nextStray(strays: Iterable<Stray>, { id, marketId }: Fill): Stray | undefined {
  let next: Stray | undefined;
  for (const stray of strays) {
    const number = fillNumber(stray.fill.id);
    if (stray.fill.marketId !== marketId || number <= fillNumber(id)) continue;
    if (next === undefined || number < fillNumber(next.fill.id)) next = stray;
  }
  return next;
}

const fillNumber = (id: FillId): number => Number(id.slice("fil-".length));

const bustEndsAtMillis = ({ rules }: State, { timeMillis }: Fill): number =>
  timeMillis + rules.bust.windowMinutes * 60_000;

/** With every fill, in their order: what else there is asks `strayOf`, which looks at the clock. */
export function forgetStrays(state: State, timeMillis: number): void {
  for (const [id, { fill }] of state.strays) {
    if (bustEndsAtMillis(state, fill) >= timeMillis) return;
    state.strays.delete(id);
  }
}

export const strayOf = (state: State, id: FillId, nowMillis: number): Stray | undefined => {
  const stray = state.strays.get(id);
  return stray === undefined || bustEndsAtMillis(state, stray.fill) < nowMillis ? undefined : stray;
};
