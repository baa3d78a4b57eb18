// Whether orders of a market trade with each other now, told from the records alone.
// Invariant: a market whose book would trade is in an auction, and has a record of what would.
import type { MarketId } from "#base/ids.ts";
import { uncrossOf } from "../book/indicative.ts";
import type { Market } from "../records.ts";
import type { State } from "../state.ts";
import { emit, type Step } from "../step.ts";
import {
  type HeldMatching,
  type Indicative,
  isAwaiting,
  isThin,
  nextUncrossMillis,
  type ReleaseWindow,
} from "./window-times.ts";

type Windows = Pick<State, "windows" | "heldMatching">;
/** One that is not listed yet has no moment of its listing. */
type AuctionMarket = Pick<Market, "id" | "terms"> & Partial<Pick<Market, "createdAtMillis">>;

/** It is in an auction: orders are taken, and nothing matches. */
export function isMatchingHeld({ windows, heldMatching }: Windows, market: AuctionMarket): boolean {
  const window = windows.get(market.terms.index);
  return heldMatching.has(market.id) || (window !== undefined && isHeldBy(window, market));
}

/** By the window, whatever the market's book. */
export function isHeldBy(window: ReleaseWindow, market: AuctionMarket): boolean {
  if (isAwaiting(window)) return true;
  if (window.isOverdue) return window.isDaily === true;
  const { marksAtMillis, uncrossAtMillis, onlyThin } = window;
  if (marksAtMillis === undefined) return uncrossAtMillis !== undefined;
  // Listed on the new marks: nothing rests there from before.
  const { createdAtMillis = Number.POSITIVE_INFINITY, terms } = market;
  if (createdAtMillis >= marksAtMillis) return false;
  return onlyThin === undefined || isThin(terms.nodeId);
}

/** Paused, closed, at its end, or the whole exchange halted. */
export const isShut = (
  { exchange }: Pick<State, "exchange">,
  { status, tradingClosed }: Market,
): boolean => status !== "ACTIVE" || tradingClosed || exchange?.halted === true;

export const putHeld = (step: Step, held: HeldMatching): void =>
  emit(step, { type: "MatchingChanged", marketId: held.marketId, held });

/** Tells what would trade in each auction that the command touched, after all it has done. */
export function tellIndicatives(step: Step): void {
  const { state, touched, events } = step;
  if (state.windows.size + state.heldMatching.size === 0) return;
  const ids = new Set([...touched.values()].map(({ marketId }) => marketId));
  for (const event of events) {
    if (event.type === "MarketMarked" && state.heldMatching.has(event.marketId)) {
      ids.add(event.marketId);
    }
  }
  for (const id of ids) tellIndicative(step, id);
}

function tellIndicative(step: Step, marketId: MarketId): void {
  const { state } = step;
  const before = state.heldMatching.get(marketId);
  const market = state.market(marketId);
  const indicative = isMatchingHeld(state, market)
    ? uncrossOf(state.book(marketId), market.markTick)
    : undefined;
  if (indicative === undefined) {
    if (before !== undefined) emit(step, { type: "MatchingChanged", marketId, held: null });
  } else if (before === undefined || !isSame(before.indicative, indicative)) {
    const resumesAtMillis = before === undefined ? meetsAt(step, market) : before.resumesAtMillis;
    putHeld(step, { marketId, resumesAtMillis, indicative });
  }
}

/** Null = at the end of its auction, which is not known yet. */
export function meetsAt({ state, nowMillis }: Step, market: Market): number | null {
  const window = state.windows.get(market.terms.index);
  if (window === undefined || !isHeldBy(window, market)) return nowMillis;
  return window.isOverdue ? nextUncrossMillis(nowMillis) : null;
}

const isSame = (one: Indicative, other: Indicative): boolean =>
  one.tick === other.tick &&
  one.volumeLots === other.volumeLots &&
  one.surplusLots === other.surplusLots;
