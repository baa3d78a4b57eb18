// What a protection pays, as its terms say it: nothing up to the deductible, all from exhaustion on.
// Invariant: falls and layers are in percent; the exchange decides what is owed, this only shows it.

export interface Layer {
  /** The fall where it begins to pay, in percent. */
  readonly attach: number;
  /** The fall from which it pays in full, in percent. */
  readonly exhaust: number;
}

/** The standard layers. */
export const layers: readonly Layer[] = [
  { attach: 2, exhaust: 10 },
  { attach: 5, exhaust: 15 },
  { attach: 8, exhaust: 20 },
];

/** The share of the coverage that a fall pays, 0 to 1. */
export const paidShare = (fall: number, { attach, exhaust }: Layer): number =>
  Math.min(1, Math.max(0, (fall - attach) / (exhaust - attach)));

/** What a home of this worth loses within the layer: in whole dollars, at least one. */
export const coverageOf = (worth: number, { attach, exhaust }: Layer): number =>
  Math.max(1, Math.round((worth * (exhaust - attach)) / 100));

/** The part of a fall that the owner bears before anything is paid. */
export const deductibleOf = (worth: number, { attach }: Layer): number => (worth * attach) / 100;

/** The equal payment of each month that pays a loan back, at a yearly rate in basis points. */
export function levelPayment(principal: number, aprBps: number, months: number): number {
  const rate = aprBps / 10_000 / 12;
  if (rate === 0) return principal / months;
  return (principal * rate) / (1 - (1 + rate) ** -months);
}

/** A fall of 10 % is 10, not a hair less: it pays in full. */
const exactly = (fall: number): number => Math.round(fall * 1e9) / 1e9;

interface Print {
  readonly month: string;
  /** Of the chained index, on any scale. */
  readonly value: number;
}

export interface Past {
  /** The first and the last month in which a protection could have begun. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly paid: number;
  readonly full: number;
  /** The mean share of the coverage, over all of them. */
  readonly meanShare: number;
  /** The worst fall over so many months, in percent, and when it began. */
  readonly worst: { readonly fall: number; readonly month: string };
}

/**
 * What protections that began in each past month would have paid. `prints`: oldest first, a month
 * each without a gap. Undefined where no month lies so far back.
 */
export function pastOf(prints: readonly Print[], months: number, layer: Layer): Past | undefined {
  const begun = prints.flatMap(({ month, value }, index) => {
    const end = prints[index + months];
    return end === undefined ? [] : [{ month, fall: exactly(100 * (1 - end.value / value)) }];
  });
  const [first] = begun;
  const last = begun.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const shares = begun.map(({ fall }) => paidShare(fall, layer));
  return {
    from: first.month,
    to: last.month,
    count: begun.length,
    paid: shares.filter((share) => share > 0).length,
    full: shares.filter((share) => share === 1).length,
    meanShare: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    worst: begun.reduce((worst, one) => (one.fall > worst.fall ? one : worst)),
  };
}
