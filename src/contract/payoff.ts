// The one definition of what is owed: payout fractions in millionths, exact in integers.
// Invariant: 0 ≤ fraction ≤ 1,000,000; YES is rounded down and the remainder is NO's.
import { invariant, unreachable } from "#base/invariant.ts";
import { type ChainLevel, type PrintValue, rescaledBaseline } from "#base/print-value.ts";
import { floorDiv } from "#base/rounding.ts";
import type { Terms } from "./terms.ts";

export const FULL_PAYOUT_MILLIONTHS = 1_000_000n;

/** The first print of the measurement month; no level where the chain has no link to it. */
interface SettlingPrint {
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel | null;
}

export interface Settlement {
  readonly payoutMillionths: bigint;
  readonly settledValueE15: PrintValue;
  /** Baseline on the settling release's scale, or the threshold. */
  readonly comparisonValueE15: PrintValue;
}

/** Undefined when a decline contract meets a print without a chain: the fallback applies. */
export function settle(terms: Terms, print: SettlingPrint): Settlement | undefined {
  const { payoff, baseline } = terms;
  if (payoff.kind === "level") {
    return {
      payoutMillionths: levelFraction(payoff.comparator, print.valueE15, payoff.thresholdE15),
      settledValueE15: print.valueE15,
      comparisonValueE15: payoff.thresholdE15,
    };
  }
  invariant(baseline !== null, "a decline contract has a baseline");
  if (print.levelE12 === null) return undefined;

  return {
    payoutMillionths:
      payoff.kind === "layered"
        ? layeredFraction(baseline.levelE12, print.levelE12, payoff.attachBps, payoff.exhaustBps)
        : binaryFraction(baseline.levelE12, print.levelE12, payoff.strikeBps),
    settledValueE15: print.valueE15,
    comparisonValueE15: rescaledBaseline(print.valueE15, baseline.levelE12, print.levelE12),
  };
}

/** min(1, max(0, (decline − attach)/(exhaust − attach))), decline = (from − to)/from; down. */
export function layeredFraction(
  from: ChainLevel,
  to: ChainLevel,
  attachBps: number,
  exhaustBps: number,
): bigint {
  const beyondAttach = (from - to) * 10_000n - BigInt(attachBps) * from;
  if (beyondAttach <= 0n) return 0n;
  const width = BigInt(exhaustBps - attachBps) * from;
  const fraction = floorDiv(beyondAttach * FULL_PAYOUT_MILLIONTHS, width);
  return fraction > FULL_PAYOUT_MILLIONTHS ? FULL_PAYOUT_MILLIONTHS : fraction;
}

/** All when decline ≥ strike, else nothing. */
export function binaryFraction(from: ChainLevel, to: ChainLevel, strikeBps: number): bigint {
  return (from - to) * 10_000n >= BigInt(strikeBps) * from ? FULL_PAYOUT_MILLIONTHS : 0n;
}

function levelFraction(
  comparator: "gte" | "lte",
  value: PrintValue,
  threshold: PrintValue,
): bigint {
  switch (comparator) {
    case "gte":
      return value >= threshold ? FULL_PAYOUT_MILLIONTHS : 0n;
    case "lte":
      return value <= threshold ? FULL_PAYOUT_MILLIONTHS : 0n;
    default:
      return unreachable(comparator);
  }
}
