// The margin that one market needs: its mark, its payout once known, a position of it alone.
// Invariant: liability + initial never exceeds full collateral, 1 USD for each contract short.
import { type Micros, micros } from "#base/money.ts";
import { TICKS_PER_USD } from "#base/price.ts";
import { mulDivUp } from "#base/rounding.ts";
import { noConcentration } from "../rules.ts";
import { columnRates, greatest, QUARTERS, type Sums } from "./columns.ts";
import type { Marked } from "./risk.ts";

/**
 * Margin is exact in parts of a micro-dollar: lots × ticks × basis points, and halves of them.
 * Only a total is rounded, up to the next micro-dollar.
 */
export const PARTS_PER_MICRO = 20_000n;
const FULL = BigInt(TICKS_PER_USD) * PARTS_PER_MICRO;
export const PARTS_PER_QUARTER = PARTS_PER_MICRO / BigInt(QUARTERS);

/** The worth of a lot, in parts. Once a market is resolved its payout is its mark. */
export const lotWorthOf = ({ markTick, resolution }: Marked): bigint =>
  resolution == null
    ? BigInt(markTick) * PARTS_PER_MICRO
    : (BigInt(resolution.payoutMillionths) * FULL) / 1_000_000n;

/**
 * The margin that one lot short needs in an account that has nothing else, in parts; not one of so
 * many that the account is concentrated.
 */
export interface ShortRate {
  readonly liability: bigint;
  /** The add-on. */
  readonly maintenance: bigint;
  readonly initial: bigint;
  readonly isResolved: boolean;
}

/**
 * At mark m: liability m; maintenance its worst column, initial 1.25 times that, both at most 1−m.
 * A long position is paid for at the fill and needs nothing; a short whose payout is known needs
 * that payout and no more.
 */
export function shortRate(marked: Marked, requirementBps: number): ShortRate {
  const liability = lotWorthOf(marked);
  if (marked.resolution != null) {
    return { liability, maintenance: 0n, initial: 0n, isResolved: true };
  }
  const rates = columnRates(marked, { requirementBps, concentration: noConcentration });
  const beyond = (columns: Sums): bigint =>
    BigInt(greatest(columns)) * PARTS_PER_QUARTER - liability;
  return {
    liability,
    maintenance: beyond(rates.maintenance.short),
    initial: beyond(rates.initial.short),
    isResolved: false,
  };
}

/**
 * The liability of a short, in parts. A payout is given up in whole micro-dollars, market by
 * market, so a known one counts as such: the sum over markets is then enough for each of them.
 */
export function liabilityOf(short: bigint, marked: Marked): bigint {
  const parts = short * lotWorthOf(marked);
  return marked.resolution == null ? parts : microsUp(parts) * PARTS_PER_MICRO;
}

/** The strictest tier's requirement: of the guarantee fund, whoever it takes a short over from. */
const TAKEOVER_BPS = 500;

/**
 * Parts that the guarantee fund is paid beyond the mark for a lot short that it takes over: what
 * the lot alone needs, a twentieth of what it may still lose or its worst scenario, and a spread.
 */
export const takeoverCharge = (market: Marked): bigint =>
  shortRate(market, TAKEOVER_BPS).maintenance;

/** Parts as money, rounded up. */
export const microsUp = (parts: bigint): Micros => micros(mulDivUp(parts, 1n, PARTS_PER_MICRO));
