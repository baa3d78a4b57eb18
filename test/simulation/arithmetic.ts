// The auditor's own arithmetic: what contracts, premiums and shares come to.
// Invariant: written from the rules, not from the core; whole numbers only.
import { scenarios } from "#contract/scenarios.ts";
import type { Terms } from "#contract/terms.ts";
import type { Acceptance, PremiumStructure } from "#core/acceptance/records.ts";
import type { Market, Resolution } from "#core/records.ts";

export const ceilDiv = (above: bigint, below: bigint): bigint => (above + below - 1n) / below;

/** Half goes to the even neighbour; neither number is below zero. */
function roundedDiv(above: bigint, below: bigint): bigint {
  const down = above / below;
  const twice = (above % below) * 2n;
  return twice > below || (twice === below && down % 2n === 1n) ? down + 1n : down;
}

/** The share of the face owed: by a level itself, by a decline on the link its print hangs on. */
export function payoutMillionths(
  { payoff, baseline }: Terms,
  { link, settledValueE15, fallback }: Pick<Resolution, "link" | "settledValueE15" | "fallback">,
): bigint {
  if (fallback?.step === "cash") return BigInt(fallback.valueTicks) * 100n;
  if (payoff.kind === "level") {
    const { comparator, thresholdE15 } = payoff;
    const isMet =
      comparator === "gte" ? settledValueE15 >= thresholdE15 : settledValueE15 <= thresholdE15;
    return isMet ? 1_000_000n : 0n;
  }
  if (baseline === null) throw new Error("a decline settles on a chain");
  const from = baseline.levelE12;
  const fall = from - settledLevel(link, settledValueE15, fallback);
  if (payoff.kind === "binary") {
    return fall * 10_000n >= BigInt(payoff.strikeBps) * from ? 1_000_000n : 0n;
  }
  const { attachBps, exhaustBps } = payoff;
  const beyond = fall * 10_000n - BigInt(attachBps) * from;
  if (beyond <= 0n) return 0n;
  const paid = (beyond * 1_000_000n) / (BigInt(exhaustBps - attachBps) * from);
  return paid > 1_000_000n ? 1_000_000n : paid;
}

/** On the link of its print; or where the last print stands, or grew as its successor did. */
function settledLevel(
  link: Resolution["link"],
  settledValueE15: bigint,
  fallback: Resolution["fallback"],
): bigint {
  if (fallback?.step === "last-level") return fallback.last.levelE12;
  if (fallback?.step === "successor") {
    return roundedDiv(fallback.last.levelE12 * fallback.to.levelE12, fallback.from.levelE12);
  }
  if (link === null) throw new Error("a decline settles on a chain");
  return roundedDiv(link.levelE12 * settledValueE15, link.valueE15);
}

/** The part of a premium that is lent. */
export function lentOf(structure: PremiumStructure, premium: bigint): bigint {
  if (structure.kind === "in_full") return 0n;
  if (structure.kind === "at_funding") return premium;
  return (premium * BigInt(10_000 - structure.downPaymentBps)) / 10_000n;
}

/** The sums paid on a schedule: of each payment its interest first. */
export function paidOf({ payments }: Acceptance): { interest: bigint; principal: bigint } {
  let [interest, principal] = [0n, 0n];
  for (const { paidMicros, interestMicros } of payments) {
    const first = paidMicros < interestMicros ? paidMicros : interestMicros;
    interest += first;
    principal += paidMicros - first;
  }
  return { interest, principal };
}

/** An amount divided by weights: up to each, the part its running sum makes, rounded down. */
export function shared(amount: bigint, weights: readonly bigint[]): readonly bigint[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  let [running, given] = [0n, 0n];
  return weights.map((weight) => {
    running += weight;
    const upTo = all === 0n ? 0n : (amount * running) / all;
    const part = upTo - given;
    given = upTo;
    return part;
  });
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);

/**
 * A lot, in quarters of a micro-dollar: a twentieth of what it may still lose, or what its worst
 * scenario costs it, and the spread of an auction; never more than it can lose.
 */
export function takeoverCharge({ markTick, stressedTick, riskTicks }: Market): bigint {
  const uncovered = 10_000n - BigInt(markTick);
  const spread = ceilDiv(BigInt(stressedTick - markTick), 4n);
  const rises = (riskTicks ?? [stressedTick]).map((tick) => BigInt(tick - markTick));
  const worst = [...rises, 0n].reduce((most, one) => (one > most ? one : most));
  const wanted = 4n * worst > ceilDiv(uncovered, 5n) ? 4n * worst : ceilDiv(uncovered, 5n);
  return least(4n * uncovered, wanted + 4n * (spread > 100n ? spread : 100n));
}

/** Of shorts: payouts that are known, and what the others are worth after their worst scenario. */
export function worstTogether(positions: readonly (readonly [bigint, Market])[]): bigint {
  let known = 0n;
  const after = scenarios.map(() => 0n);
  for (const [held, { resolution, stressedTick, riskTicks }] of positions) {
    if (held >= 0n) continue;
    if (resolution !== null) known += ceilDiv(-held * BigInt(resolution.payoutMillionths), 100n);
    for (const at of resolution === null ? after.keys() : []) {
      after[at] = (after[at] ?? 0n) - held * BigInt(riskTicks?.[at] ?? stressedTick);
    }
  }
  return known + after.reduce((most, one) => (one > most ? one : most), 0n);
}
