// The part of an account's need that its longs cover: of the same place, index and payout, at a
// month not earlier than the short's. Nothing else is a hedge: one place may fall and another not,
// and between two strikes one of them pays and the other does not.
// Invariant: a series that is hedged needs no less than nothing, and than its orders' cost.
import { invariant } from "#base/invariant.ts";
import { COLUMNS, noSums, type Sums } from "./columns.ts";
import {
  addNeed,
  addOffsetting,
  addPosition,
  type ExposureCell,
  isEmpty,
  isHedge,
  type MarketRates,
  needWithoutShort,
  worstShort,
} from "./one-market.ts";

type Kind = "need" | "initial" | "maintenance";

/** The account's cells of one series, and what its longs take off by column. */
interface HedgedSeries {
  readonly cells: readonly SeriesCell[];
  /** Quarters; absent = nothing. */
  readonly relief: Readonly<Partial<Record<Kind, Sums>>>;
}

interface SeriesCell {
  readonly rates: MarketRates;
  readonly cell: ExposureCell;
}

/** By series; a copy that is tried out has its own above those of the account. */
export interface SeriesHeld {
  readonly own: Map<string, HedgedSeries>;
  readonly below: ReadonlyMap<string, HedgedSeries> | undefined;
}

export const noSeries = (): SeriesHeld => ({ own: new Map(), below: undefined });

export const seriesAbove = ({ own, below }: SeriesHeld): SeriesHeld => {
  invariant(below === undefined, "a trial is not tried out again");
  return { own: new Map(), below: own };
};

const nothingHeld: HedgedSeries = { cells: [], relief: {} };

const heldIn = ({ own, below }: SeriesHeld, series: string): HedgedSeries =>
  own.get(series) ?? below?.get(series) ?? nothingHeld;

/** Puts a cell in the place of another; the reliefs stay those of before. */
export function replaceInSeries(
  held: SeriesHeld,
  rates: MarketRates,
  before: ExposureCell,
  after: ExposureCell,
): void {
  if (rates.hedged === undefined) return;
  const { series } = rates.hedged;
  const { cells, relief } = heldIn(held, series);
  const others = cells.filter(({ cell }) => cell !== before);
  const isPriced = rates.columns !== undefined && !isEmpty(after);
  const next = isPriced ? [...others, { rates, cell: after }] : others;
  const isNone = next.length === 0 && Object.keys(relief).length === 0;
  if (isNone && held.below === undefined) held.own.delete(series);
  else held.own.set(series, { cells: next, relief });
}

/** Takes off the sums what the series' longs cover now, in place of what they did. */
export function relieve(held: SeriesHeld, rates: MarketRates, kind: Kind, sums: Sums): void {
  if (rates.hedged === undefined) return;
  const { series } = rates.hedged;
  const before = heldIn(held, series);
  const { [kind]: was, ...others } = before.relief;
  const now = reliefOf(before.cells, kind);
  if (was === undefined && now === undefined) return;
  for (let at = 0; at < COLUMNS; at += 1)
    sums[at] = (sums[at] ?? 0) + (was?.[at] ?? 0) - (now?.[at] ?? 0);
  const relief = now === undefined ? others : { ...others, [kind]: now };
  const isNone = before.cells.length === 0 && Object.keys(relief).length === 0;
  if (isNone && held.below === undefined) held.own.delete(series);
  else held.own.set(series, { ...before, relief });
}

/** Whether the account has cells of the series beside this market's, which is either of the two. */
export function isBesideOthers(
  held: SeriesHeld,
  { hedged }: MarketRates,
  [before, after]: readonly [ExposureCell, ExposureCell],
): boolean {
  if (hedged === undefined) return false;
  const { cells } = heldIn(held, hedged.series);
  return cells.some(({ cell }) => cell !== before && cell !== after);
}

/**
 * A long covers shorts of its month and of earlier ones, as far as it rises where they do. With
 * each long given to the latest short that it can cover, what stays uncovered is the greatest,
 * over all months t, of what shorts of t and later need less what longs of t and later cover; at
 * least 0. So the series needs the greatest over t of
 *
 *     Σ before t (its orders' cost)  +  Σ from t on (its need, where a long lowers it)
 *
 * and each of these sums is bounded over all subsets of open orders, market by market, as the need
 * of one market is. The relief is what all of them would need alone, less that.
 */
function reliefOf(cells: readonly SeriesCell[], kind: Kind): Sums | undefined {
  if (!cells.some(({ cell }) => worstShort(cell) > 0)) return undefined;
  if (!cells.some(({ cell }) => isHedge(cell) && cell.heldLots + cell.buyLots > 0n)) {
    return undefined;
  }
  const relief = noSums();
  const beyond = noSums();
  const most = noSums();
  const latestFirst = cells.toSorted((a, b) => monthOf(b) - monthOf(a));
  for (const [at, one] of latestFirst.entries()) {
    const without = kind === "need" ? needWithoutShort(one.cell) : 0;
    addAlone(relief, one, kind);
    addWithOffset(beyond, one, kind);
    for (let column = 0; column < COLUMNS; column += 1) {
      beyond[column] = (beyond[column] ?? 0) - without;
      relief[column] = (relief[column] ?? 0) - without;
    }
    const next = latestFirst[at + 1];
    if (next !== undefined && monthOf(next) === monthOf(one)) continue;
    for (let column = 0; column < COLUMNS; column += 1)
      most[column] = Math.max(most[column] ?? 0, beyond[column] ?? 0);
  }
  for (let column = 0; column < COLUMNS; column += 1)
    relief[column] = (relief[column] ?? 0) - (most[column] ?? 0);
  return relief;
}

const monthOf = ({ rates }: SeriesCell): number => rates.hedged?.month ?? 0;

function addAlone(sums: Sums, { rates, cell }: SeriesCell, kind: Kind): void {
  if (kind === "need") addNeed(sums, cell, rates, 1);
  else addPosition(sums, cell, rates, kind, 1);
}

function addWithOffset(sums: Sums, { rates, cell }: SeriesCell, kind: Kind): void {
  if (kind === "need") {
    addOffsetting(sums, cell, rates);
    return;
  }
  addPosition(sums, cell, rates, kind, 1);
  if (cell.heldLots <= 0n || !isHedge(cell)) return;
  const long = rates.columns?.[kind].long;
  for (let at = 0; at < COLUMNS; at += 1)
    sums[at] = (sums[at] ?? 0) - Number(cell.heldLots) * (long?.[at] ?? 0);
}
