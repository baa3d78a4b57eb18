// The dollars that a lender stands to lose, by zip code and by how far home values fall.
// Invariant: a loan loses what is owed above the home's worth, nothing before and never more.
import type { Layer } from "../../parts/protection.ts";
import type { Loan } from "./loans.ts";

export interface Exposure {
  readonly zip: string;
  readonly loans: number;
  readonly balance: number;
  /** Of all its homes together, when the loans' ratios were taken. */
  readonly worth: number;
  /** The lender's loss between the layer's two falls, which protection would have to pay. */
  readonly coverage: number;
}

/** The loss of a loan after a fall in percent, if its home is sold for what it is worth then. */
export const lossOf = ({ balance, ltv }: Loan, fall: number): number =>
  Math.max(0, balance - (balance / (ltv / 100)) * (1 - fall / 100));

/** By zip code, the most to lose first. */
export function exposuresOf(loans: readonly Loan[], layer: Layer): readonly Exposure[] {
  const byZip = new Map<string, Exposure>();
  for (const loan of loans) {
    const { zip, balance, ltv } = loan;
    const known = byZip.get(zip) ?? { zip, loans: 0, balance: 0, worth: 0, coverage: 0 };
    const lost = lossOf(loan, layer.exhaust) - lossOf(loan, layer.attach);
    byZip.set(zip, {
      zip,
      loans: known.loans + 1,
      balance: known.balance + balance,
      worth: known.worth + balance / (ltv / 100),
      coverage: known.coverage + lost,
    });
  }
  const all = [...byZip.values()].map((one) => ({ ...one, coverage: Math.round(one.coverage) }));
  return all.toSorted((a, b) => b.coverage - a.coverage || (a.zip < b.zip ? -1 : 1));
}
