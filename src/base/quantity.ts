// Quantities: integer lots of 0.01 contract, 1…1e12 in an order.
// Invariant: lots × ticks is exactly micro-dollars (0.01 × 0.0001 = 1e-6), so a fill never rounds.
import { formatDecimal, parseDecimal } from "./decimal.ts";
import { type Micros, micros } from "./money.ts";
import type { Tick } from "./price.ts";

export type Lots = bigint & { readonly lots: unique symbol };

export const lots = (value: bigint): Lots => value as Lots;
export const noLots: Lots = lots(0n);
export const MAX_ORDER_LOTS: Lots = lots(1_000_000_000_000n);

/** Micro-dollars one lot pays at full payout (1 USD a contract). */
export const MICROS_PER_LOT = 10_000n;

/** Reads an order's amount; undefined unless 0.01 ≤ amount ≤ 1e10 with at most 2 decimals. */
export function parseLots(text: string): Lots | undefined {
  const value = parseDecimal(text, 2);
  return value === undefined || value < 1n || value > MAX_ORDER_LOTS ? undefined : lots(value);
}

export const formatLots = (value: Lots): string => formatDecimal(value, 2);

/** The cost of `quantity` at `tick`, exactly. */
export const costOf = (quantity: Lots, tick: Tick): Micros => micros(quantity * BigInt(tick));

/** The most `quantity` can pay: 1 USD a contract. */
export const faceOf = (quantity: Lots): Micros => micros(quantity * MICROS_PER_LOT);
