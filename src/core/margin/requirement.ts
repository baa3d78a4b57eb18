// What a position must be covered with: the one margin function, for every tier.
// Invariant: liability + initial never exceeds full collateral, 1 USD for each contract short.
import { type Micros, micros, noMoney } from "#base/money.ts";
import { TICKS_PER_USD, type Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";
import { mulDivUp } from "#base/rounding.ts";

export interface Marks {
  readonly markTick: Tick;
  /** The mark after the model's 99 % adverse next print. */
  readonly stressedTick: Tick;
}

interface Requirement {
  readonly liabilityMicros: Micros;
  readonly maintenanceMicros: Micros;
  readonly initialMicros: Micros;
}

const nothing: Requirement = {
  liabilityMicros: noMoney,
  maintenanceMicros: noMoney,
  initialMicros: noMoney,
};

/**
 * A short of S lots at mark m: liability S·m;
 * maintenance S·min(1−m, max(requirement·(1−m), stressed−m)); initial 1.5 × that, at most S·(1−m).
 * A long position is paid for at the fill and needs nothing.
 */
export function requirementOf(position: Lots, marks: Marks, requirementBps: number): Requirement {
  if (position >= 0n) return nothing;
  const short = -position;
  const mark = BigInt(marks.markTick);
  const uncovered = BigInt(TICKS_PER_USD) - mark;
  const byRule = BigInt(requirementBps) * uncovered;
  const byStress = (BigInt(marks.stressedTick) - mark) * 10_000n;
  const addOn = byRule > byStress ? byRule : byStress;
  const full = short * uncovered;
  const maintenance = least(full, mulDivUp(short, addOn, 10_000n));
  return {
    liabilityMicros: micros(short * mark),
    maintenanceMicros: micros(maintenance),
    initialMicros: micros(least(full, mulDivUp(maintenance, 3n, 2n))),
  };
}

/** Cash that a position holds back: its liability and initial margin. */
export function coverOf(position: Lots, marks: Marks, requirementBps: number): bigint {
  const { liabilityMicros, initialMicros } = requirementOf(position, marks, requirementBps);
  return liabilityMicros + initialMicros;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
