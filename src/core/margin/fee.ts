// Trading fees: the incoming side pays feeBps of min(p, 1−p) × quantity, rounded up once an order.
// Invariant: the two shares of a fee add up to it exactly.
import { type Micros, micros } from "#base/money.ts";
import { TICKS_PER_USD, type Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import { mulDivUp } from "#base/rounding.ts";

/** min(p, 1−p) × quantity in micro-dollars; sums over the fills of one order. */
export const feeBase = (quantity: Lots, tick: Tick): bigint =>
  quantity * BigInt(Math.min(tick, TICKS_PER_USD - tick));

export const feeOn = (base: bigint, feeBps: number): Micros =>
  micros(mulDivUp(base, BigInt(feeBps), 10_000n));

/** Half of every fee feeds the guarantee fund; an odd micro-dollar stays with the exchange. */
export function feeShares(fee: Micros): { readonly house: Micros; readonly fund: Micros } {
  const fund = micros(fee / 2n);
  return { house: micros(fee - fund), fund };
}
