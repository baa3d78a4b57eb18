// Dividing an amount in proportion, to the last micro-dollar.
// Invariant: the shares add up to the amount; each is within one micro-dollar of its due.
import { type Micros, micros } from "#base/money.ts";
import { mulDivDown } from "#base/rounding.ts";

/** Shares of `amount` by weight: each is what its running total, rounded down, adds. */
export function sharesOf(amount: bigint, weights: readonly bigint[]): readonly Micros[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  let counted = 0n;
  let given = 0n;
  return weights.map((weight) => {
    counted += weight;
    const upTo = all === 0n ? 0n : mulDivDown(amount, counted, all);
    const share = micros(upTo - given);
    given = upTo;
    return share;
  });
}
