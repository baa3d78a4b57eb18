// Whether orders of a market trade with each other now, told from the records alone.
// Invariant: what is held is resumed by a command of its own, never by the next order.
import type { MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Market, Order } from "../records.ts";
import type { State } from "../state.ts";
import { emit, type Step } from "../step.ts";
import { holdsMatching, windowEndsAtMillis } from "./window-times.ts";

type Windows = Pick<State, "windows" | "heldMatching">;

export function isMatchingHeld(
  { windows, heldMatching }: Windows,
  { id, terms }: Pick<Market, "id" | "terms">,
): boolean {
  const window = windows.get(terms.index);
  return heldMatching.has(id) || (window !== undefined && holdsMatching(window));
}

/** Paused, closed, at its end, or the whole exchange halted. */
export const isShut = (
  { exchange }: Pick<State, "exchange">,
  { status, tradingClosed }: Market,
): boolean => status !== "ACTIVE" || tradingClosed || exchange?.halted === true;

export function keepHeld(step: Step, marketId: MarketId, fromRank: number, atMillis: number): void {
  const held = { marketId, fromRank, resumesAtMillis: atMillis };
  emit(step, { type: "MatchingChanged", marketId, held });
}

/** An order is taken in that would trade if anything did. */
export function holdCrossing(step: Step, order: Order): void {
  const { state } = step;
  if (state.heldMatching.has(order.marketId)) return;
  invariant(isMatchingHeld(state, state.market(order.marketId)), "a window is open");
  const window = state.windows.get(state.market(order.marketId).terms.index);
  invariant(window !== undefined, "what is held is held by a window");
  keepHeld(step, order.marketId, order.rank, windowEndsAtMillis(window));
}
