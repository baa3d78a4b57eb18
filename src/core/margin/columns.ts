// The need and the offset of a lot, by column: the floor of the tier, then each scenario.
// Invariant: 0 ≤ long ≤ short ≤ full collateral in every column, so a position's need is convex.
import { TICKS_PER_USD } from "#base/price.ts";
import { MICROS_PER_LOT, noLots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { ConcentrationRules } from "../rules.ts";
import { type Marked, riskOf } from "./risk.ts";

/**
 * Sums over an account are doubles that hold whole quarters of a micro-dollar: a tick of a lot is
 * four of them, and five at the initial margin, which is 1.25 times the maintenance.
 */
export const QUARTERS = 4;
const FULL = QUARTERS * TICKS_PER_USD;
const INITIAL_QUARTERS = 5;

/** The floor, and the scenarios. */
export const COLUMNS = 1 + scenarios.length;

/** An auction pays half its spread beyond the mark: at least a cent. */
const LEAST_SPREAD_TICKS = 100;
/**
 * And no less than one scale of the next print: its stress, the 1 % quantile of a Student-t(4), is
 * 3.75 scales, so that a quarter of the stress is enough.
 */
const SPREAD_PART = 4;
/** Offsets and diversification never take away more than half of what a short needs alone. */
const LEAST_PART_ALONE = 2;

/** Whole quarters of a micro-dollar, by column; below 2^53, so that every sum is exact. */
export type Sums = number[];

export const noSums = (): Sums => Array<number>(COLUMNS).fill(0);

/** Quarter micro-dollars a lot, by column. */
interface Columns {
  /** Lowers what shorts of the same place, index and payout need (`hedges.ts`). */
  readonly long: Sums;
  readonly short: Sums;
  /** Of a lot short beyond those that one account may have before it is concentrated. */
  readonly concentrated: Sums;
}

export interface ColumnRates {
  readonly initial: Columns;
  readonly maintenance: Columns;
  /** Lots that an account may be short of before each further one needs more. */
  readonly allowedLots: number;
  /** Quarters a lot: the most that its short alone may be asked to contribute, and one beyond. */
  readonly contributed: { readonly few: number; readonly large: number };
}

const noContribution = { few: 0, large: 0 } as const;

export function greatest(columns: Sums): number {
  let most = columns[0] ?? 0;
  for (let at = 1; at < columns.length; at += 1) most = Math.max(most, columns[at] ?? 0);
  return most;
}

/** An account's own part in what a lot needs, whatever the market. */
export interface MarginTerms {
  readonly requirementBps: number;
  readonly concentration: ConcentrationRules;
  /** The guarantee fund has a target: orders that open a short hold a contribution back, too. */
  readonly contributes?: true;
}

/** Nobody is asked to contribute more than this part of its own loss in the worst scenario. */
export const CONTRIBUTED_PART = 10;

/** Of a market whose payout is not known. */
export function columnRates(marked: Marked, terms: MarginTerms): ColumnRates {
  const maintenance = columnsOf(marked, terms, QUARTERS);
  const partOf = (columns: Sums): number =>
    Math.ceil((greatest(columns) - QUARTERS * marked.markTick) / CONTRIBUTED_PART);
  const contributed =
    terms.contributes === true
      ? { few: partOf(maintenance.short), large: partOf(maintenance.concentrated) }
      : noContribution;
  return {
    initial: columnsOf(marked, terms, INITIAL_QUARTERS),
    maintenance,
    allowedLots: allowedLots(marked, terms.concentration),
    contributed,
  };
}

/**
 * Beyond this the sums of an account could leave the whole numbers of a double: they are at most
 * 50,000 quarters a lot. Such an account covers everything in full, 1 USD a contract.
 */
export const MOST_GROSS_LOTS = 150_000_000_000n;

/**
 * A share of what was open at the last marks, so that no fill moves it; but at least the floor. At
 * most all lots that sums are kept of: so these stay exact.
 */
export function allowedLots(
  { markedOpenLots = noLots }: Pick<Marked, "markedOpenLots">,
  { shareBps, floorMicros, rateBps }: ConcentrationRules,
): number {
  const share = (markedOpenLots * BigInt(shareBps)) / 10_000n;
  const floor = floorMicros / MICROS_PER_LOT;
  const allowed = share > floor ? share : floor;
  const isAny = rateBps === 0 || allowed > MOST_GROSS_LOTS;
  return Number(isAny ? MOST_GROSS_LOTS : allowed);
}

function columnsOf(
  marked: Marked,
  { requirementBps, concentration }: MarginTerms,
  quarters: number,
): Columns {
  const { markTick, stressedTick } = marked;
  const long = noSums();
  const short = noSums();
  const uncovered = TICKS_PER_USD - markTick;
  const spread = spreadTicks(markTick, stressedTick);
  const offsets = mayHedge(marked);
  let worst = 0;
  for (const [at, tick] of riskOf(marked).entries()) {
    const rise = Math.max(0, tick - markTick);
    worst = Math.max(worst, rise);
    const needed = QUARTERS * markTick + quarters * (rise + spread);
    short[at + 1] = Math.min(FULL, needed);
    // Once, at the initial margin too: else that could be below the maintenance.
    long[at + 1] = offsets ? QUARTERS * Math.min(uncovered, rise) : 0;
  }
  const byTier = Math.ceil((quarters * requirementBps * uncovered) / 10_000);
  const alone = Math.ceil((quarters * worst) / LEAST_PART_ALONE);
  const floor = QUARTERS * markTick + Math.max(byTier, alone) + quarters * spread;
  short[0] = Math.min(FULL, floor);
  // A basis point of a lot's coverage is a tick of it. Once, at the initial margin too: else what
  // a state allows takes more off than the cap has let on, and that could be below the maintenance.
  const more = QUARTERS * concentration.rateBps;
  const concentrated = noSums();
  for (let at = 0; at < COLUMNS; at += 1)
    concentrated[at] = Math.min(FULL, (short[at] ?? 0) + more);
  return { long, short, concentrated };
}

/** A quarter of the next print's stress, at least a cent: how far a mark may be off. */
export const spreadTicks = (markTick: number, stressedTick: number): number =>
  Math.max(LEAST_SPREAD_TICKS, Math.ceil((stressedTick - markTick) / SPREAD_PART));

/** The scenarios move home values and rents; what moves alone is no hedge of anything. */
export const mayHedge = ({ terms }: Marked): boolean =>
  terms?.index === "zhvi" || terms?.index === "zori";
