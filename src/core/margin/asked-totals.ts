// The totals that were drawn last: guard after guard asks for those of the same orders.
// Invariant: an answer is given again only while nothing it rests on has changed.
import type { OrderChanges } from "./one-market.ts";
import type { Marked } from "./risk.ts";
import type { AccountExposure, Totals } from "./sums.ts";

/** A question, and what it was answered at a version of the account's exposure. */
export interface AskedTotals {
  readonly exposure: AccountExposure;
  readonly changes: OrderChanges;
  readonly fresh: ReadonlyMap<string, Marked>;
  readonly version: number;
  readonly totals: Totals;
}

export const isAskedAgain = (
  before: AskedTotals,
  now: Pick<AskedTotals, "exposure" | "changes" | "fresh">,
): boolean =>
  before.exposure === now.exposure &&
  before.version === now.exposure.version &&
  before.fresh === now.fresh &&
  before.changes.length === now.changes.length &&
  before.changes.every(([order, sign], at) => {
    const [other, otherSign] = now.changes[at] ?? [];
    return order === other && sign === otherSign;
  });
