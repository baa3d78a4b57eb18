// Trading fees: the incoming side pays feeBps of max(min(p, 1−p), 0.01) × quantity, rounded up once
// an order.
// Invariant: the two shares of a fee add up to it exactly.
import { type Micros, micros, noMoney } from "#base/money.ts";
import { TICKS_PER_USD, type Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import { mulDivDown, mulDivUp } from "#base/rounding.ts";
import { remaining, yesTick } from "../book/order.ts";
import type { Order } from "../records.ts";

/** A contract that costs or brings less than a cent pays the fee of a cent. */
const LEAST_FEE_TICKS = 100;

/** max(min(p, 1−p), 0.01) × quantity in micro-dollars; sums over the fills of one order. */
export const feeBase = (quantity: Lots, tick: Tick): bigint =>
  baseOf(quantity, Math.min(tick, TICKS_PER_USD - tick));

/** The highest at any price up to this one: a fee grows up to a half, and falls from there on. */
export const highestFeeBase = (quantity: Lots, limit: Tick): bigint =>
  baseOf(quantity, Math.min(limit, TICKS_PER_USD / 2));

const baseOf = (quantity: Lots, ticks: number): bigint =>
  quantity * BigInt(Math.max(ticks, LEAST_FEE_TICKS));

export const feeOn = (base: bigint, feeBps: number): Micros =>
  micros(mulDivUp(base, BigInt(feeBps), 10_000n));

/** Of what is left of an order that was filled in part: what it still holds back. */
export const feeOnRest = (base: bigint, feeBps: number): Micros =>
  micros(mulDivDown(base, BigInt(feeBps), 10_000n));

/**
 * The fee an open order holds back, at its own price. The fee held for the rest of a partly filled
 * order rounds down: the fee it paid and the fee it still holds never exceed what the whole order
 * held. An order of a mandate is met by another, which pays.
 */
export function feeHeld(order: Order, feeBps: number): Micros {
  if (order.mandateId !== undefined) return noMoney;
  const base = feeBase(remaining(order), yesTick(order));
  return order.filledLots === 0n ? feeOn(base, feeBps) : feeOnRest(base, feeBps);
}

/** Half of every fee feeds the guarantee fund; an odd micro-dollar stays with the exchange. */
export function feeShares(fee: Micros): { readonly house: Micros; readonly fund: Micros } {
  const fund = micros(fee / 2n);
  return { house: micros(fee - fund), fund };
}
