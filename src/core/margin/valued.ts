// The part of a market that margin follows from, and whether a change of the market changes it.
// Invariant: two markets that are the same here need the same margin of everybody.
import type { Market } from "../records.ts";
import { allowedLots } from "./columns.ts";
import type { MarketRates } from "./one-market.ts";
import { type Marked, sameMarks } from "./risk.ts";

export interface Valued {
  readonly marked: Marked;
  readonly isFinal: boolean;
  /** By requirement; there are as many as tiers. */
  readonly rates: Map<number, MarketRates>;
}

export function markedOf(market: Market): Marked {
  const { markTick, stressedTick, riskTicks, terms, within, resolution, markedOpenLots } = market;
  const open = markedOpenLots === undefined ? {} : { markedOpenLots };
  return { markTick, stressedTick, riskTicks, terms, within, resolution, ...open };
}

export const sameValue = (a: Marked, b: Marked): boolean =>
  sameMarks(a, b) && a.resolution?.payoutMillionths === b.resolution?.payoutMillionths;

/** Below the floor, what is open in a market may change and nobody needs more or less for it. */
export const sameAllowed = ({ rates }: Valued, marked: Marked): boolean =>
  [...rates.values()].every(
    ({ concentration, columns }) =>
      columns === undefined || columns.allowedLots === allowedLots(marked, concentration),
  );
