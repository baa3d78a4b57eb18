// The totals of cohorts as shares of what was due or covered, pooled and of the worst cohort.
// Invariant: every share is of sums of micro-dollars; none is a mean of shares.
import { formatMonth, type Month } from "#base/month.ts";
import type { CohortEnd } from "./cohort.ts";

/** The sums of a cohort, in micro-dollars unless said otherwise; plain data, for threads. */
export interface CohortTotals {
  readonly month: Month;
  readonly contracts: number;
  /** Contracts whose print never came; no other figure has them. */
  readonly unprinted: number;
  readonly coverage: bigint;
  readonly sellerCash: bigint;
  readonly premium: bigint;
  readonly due: bigint;
  readonly paid: bigint;
  /** Of what was due of each contract, the part that its own seller gave. */
  readonly own: bigint;
  /** Sellers whose margin health fell below 1 at least once. */
  readonly called: number;
  /** Sellers that gave more than their contract paid out, and by how much. */
  readonly lostMore: number;
  readonly lostMicros: bigint;
  readonly fundStart: bigint;
  readonly fundLow: bigint;
  readonly fundEnd: bigint;
}

export function totalsOf({ month, contracts: all, ...fund }: CohortEnd): CohortTotals {
  const contracts = all.flatMap(({ due, ...one }) => (due === undefined ? [] : { ...one, due }));
  const losers = contracts.filter(({ given, due }) => given > due);
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
  return {
    month,
    contracts: contracts.length,
    unprinted: all.length - contracts.length,
    coverage: sum(contracts.map(({ coverage }) => coverage)),
    sellerCash: sum(contracts.map(({ sellerCash }) => sellerCash)),
    premium: sum(contracts.map(({ premium }) => premium)),
    due: sum(contracts.map(({ due }) => due)),
    paid: sum(contracts.map(({ paid }) => paid)),
    own: sum(contracts.map(({ given, due }) => (given < due ? given : due))),
    called: contracts.filter(({ called }) => called).length,
    lostMore: losers.length,
    lostMicros: sum(losers.map(({ given, due }) => given - due)),
    ...fund,
  };
}

/** Shares are fractions; null where there is nothing they could be of. */
export interface ReplayOutcome {
  readonly cohorts: number;
  readonly contracts: number;
  readonly unprinted: number;
  /** Of coverage. */
  readonly due: number | null;
  /** Of what was due. */
  readonly paid: number | null;
  readonly paidFromOwnMargin: number | null;
  readonly paidFromFund: number | null;
  /** Of coverage. */
  readonly sellerCash: number | null;
  readonly premium: number | null;
  /** Of sellers. */
  readonly called: number | null;
  readonly lostMoreThanOwed: number | null;
  /** Of coverage: given by sellers beyond what their contracts paid out. */
  readonly lostBeyondOwed: number | null;
  /** Of coverage: the deepest the guarantee fund fell below its start in any cohort. */
  readonly fundUsed: number | null;
  /** The cohort with the lowest share paid; null where nothing was due. */
  readonly worst: { readonly month: string; readonly paid: number } | null;
  /** The cohorts in which a claim was not paid in full. */
  readonly short: readonly string[];
}

export function outcomeOf(cohorts: readonly CohortTotals[]): ReplayOutcome {
  const sum = (of: (totals: CohortTotals) => bigint): bigint =>
    cohorts.reduce((total, one) => total + of(one), 0n);
  const count = (of: (totals: CohortTotals) => number): number =>
    cohorts.reduce((total, one) => total + of(one), 0);
  const [coverage, due] = [sum((one) => one.coverage), sum((one) => one.due)];
  const [paid, own] = [sum((one) => one.paid), sum((one) => one.own)];
  const contracts = count((one) => one.contracts);
  const shares = cohorts.flatMap(({ month, due: owed, paid: given }) =>
    owed === 0n ? [] : { month: formatMonth(month), paid: Number(given) / Number(owed) },
  );
  const used = cohorts.flatMap(({ fundStart, fundLow, coverage: all }) =>
    all === 0n ? [] : Math.max(0, Number(fundStart - fundLow) / Number(all)),
  );
  return {
    cohorts: cohorts.length,
    contracts,
    unprinted: count((one) => one.unprinted),
    due: shareOf(due, coverage),
    paid: shareOf(paid, due),
    paidFromOwnMargin: shareOf(own, due),
    paidFromFund: shareOf(paid - own, due),
    sellerCash: shareOf(
      sum((one) => one.sellerCash),
      coverage,
    ),
    premium: shareOf(
      sum((one) => one.premium),
      coverage,
    ),
    called: contracts === 0 ? null : count((one) => one.called) / contracts,
    lostMoreThanOwed: contracts === 0 ? null : count((one) => one.lostMore) / contracts,
    lostBeyondOwed: shareOf(
      sum((one) => one.lostMicros),
      coverage,
    ),
    fundUsed: used.length === 0 ? null : Math.max(...used),
    worst: shares.reduce<ReplayOutcome["worst"]>(
      (least, one) => (least === null || one.paid < least.paid ? one : least),
      null,
    ),
    short: cohorts.flatMap((one) => (isShort(one) ? formatMonth(one.month) : [])),
  };
}

export const isShort = ({ due, paid }: CohortTotals): boolean => paid < due;

const shareOf = (part: bigint, whole: bigint): number | null =>
  whole === 0n ? null : Number(part) / Number(whole);
