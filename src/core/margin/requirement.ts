// The margin a short needs: the one margin function, for every tier.
// Invariant: liability + initial never exceeds full collateral, 1 USD for each contract short.
import { least } from "#base/least.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { TICKS_PER_USD, type Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import { mulDivUp } from "#base/rounding.ts";
import type { Resolution } from "../records.ts";

/**
 * Margin is exact in parts of a micro-dollar: lots × ticks × basis points, and halves of them for
 * the initial margin. Only a total is rounded, up to the next micro-dollar.
 */
export const PARTS_PER_MICRO = 20_000n;
const FULL = BigInt(TICKS_PER_USD) * PARTS_PER_MICRO;

/** The value of a market to margin, in parts a lot. */
export interface Valuation {
  readonly mark: bigint;
  /** The mark after the model's 99 % adverse next print. */
  readonly stressed: bigint;
  /** The payout is known: it is the mark, and nothing beyond it has to be covered. */
  readonly isResolved: boolean;
}

export interface Marked {
  readonly markTick: Tick;
  readonly stressedTick: Tick;
  readonly resolution?: Resolution | null;
}

/** Once a market is resolved its payout is its mark, and nothing stresses it. */
export function valuationOf({ markTick, stressedTick, resolution }: Marked): Valuation {
  if (resolution != null) {
    const paid = (BigInt(resolution.payoutMillionths) * FULL) / 1_000_000n;
    return { mark: paid, stressed: paid, isResolved: true };
  }
  return {
    mark: BigInt(markTick) * PARTS_PER_MICRO,
    stressed: BigInt(stressedTick) * PARTS_PER_MICRO,
    isResolved: false,
  };
}

/** The margin that one lot short needs, in parts. */
export interface ShortRate {
  readonly liability: bigint;
  /** The add-on. */
  readonly maintenance: bigint;
  readonly initial: bigint;
  readonly isResolved: boolean;
}

/**
 * At mark m: liability m; maintenance min(1−m, max(requirement·(1−m), stressed−m)); initial 1.5
 * times that, at most 1−m. A long position is paid for at the fill and needs nothing; a short
 * whose payout is known needs that payout and no more.
 */
export function shortRate(valuation: Valuation, requirementBps: number): ShortRate {
  const { mark, stressed, isResolved } = valuation;
  if (isResolved) return { liability: mark, maintenance: 0n, initial: 0n, isResolved };
  const uncovered = FULL - mark;
  const byRule = mulDivUp(BigInt(requirementBps), uncovered, 10_000n);
  const byStress = stressed - mark;
  const maintenance = least(uncovered, byRule > byStress ? byRule : byStress);
  return {
    liability: mark,
    maintenance,
    initial: least(uncovered, mulDivUp(maintenance, 3n, 2n)),
    isResolved,
  };
}

/**
 * The liability of a short, in parts. A payout is given up in whole micro-dollars, market by
 * market, so a known one counts as such: the sum over markets is then enough for each of them.
 */
export function liabilityOf(short: bigint, { liability, isResolved }: ShortRate): bigint {
  const parts = short * liability;
  return isResolved ? microsUp(parts) * PARTS_PER_MICRO : parts;
}

/** The requirement that the guarantee fund's charge is drawn by, whatever the rules ask of whom. */
const TAKEOVER_BPS = 500;

/** Parts that the guarantee fund is paid beyond the mark for a lot short that it takes over. */
export const takeoverCharge = (market: Marked): bigint =>
  shortRate(valuationOf(market), TAKEOVER_BPS).maintenance;

/** Micro-dollars of cash that a position holds back: its liability and initial margin. */
export function coverOf(held: Lots, market: Marked, requirementBps: number): Micros {
  if (held >= 0n) return noMoney;
  const { liability, initial } = shortRate(valuationOf(market), requirementBps);
  return microsUp(-held * (liability + initial));
}

/** Parts as money, rounded up. */
export const microsUp = (parts: bigint): Micros => micros(mulDivUp(parts, 1n, PARTS_PER_MICRO));
