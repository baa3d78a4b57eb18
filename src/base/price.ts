// Prices: integer ticks of 0.0001 USD a contract, 1…9999.
// Invariant: a Tick is a whole number in range; YES at t is NO at complement(t).
import { parseDecimal } from "./decimal.ts";

export type Tick = number & { readonly tick: unique symbol };

export const TICKS_PER_USD = 10_000;
export const MIN_TICK = 1;
export const MAX_TICK = 9_999;

export const isTick = (value: number): value is Tick =>
  Number.isInteger(value) && value >= MIN_TICK && value <= MAX_TICK;

export const complement = (tick: Tick): Tick => (TICKS_PER_USD - tick) as Tick;

/** Reads a price from its source text; undefined when off the tick grid or out of range. */
export function parseTick(text: string): Tick | undefined {
  const ticks = parseDecimal(text, 4);
  if (ticks === undefined || ticks < 1n || ticks > 9_999n) return undefined;
  return Number(ticks) as Tick;
}

/** USD a contract as a JSON number: 1234 → 0.1234. */
export const tickPrice = (tick: Tick): number => tick / TICKS_PER_USD;

/** The nearest tick to a price, kept inside 1…9999; for marks and hints, never for an order. */
export const nearestTick = (price: number): Tick =>
  Math.min(MAX_TICK, Math.max(MIN_TICK, Math.round(price * TICKS_PER_USD))) as Tick;

/** The tick between two that is nearest to one; `low` and `high` are ticks. */
export const nearestBetween = (tick: Tick, low: number, high: number): Tick =>
  Math.min(Math.max(tick, low), high) as Tick;
