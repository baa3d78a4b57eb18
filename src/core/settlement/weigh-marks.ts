// The weighted median of sellers' marks and the model's.
// Invariant: no owner has more than a third of all weight, and the weights are all of it.
import { invariant } from "#base/invariant.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { CashSettled } from "./fallback-step.ts";

/** Of an owner, with the lots its accounts have been short for 30 days. */
export interface WeighedMark {
  readonly valueTicks: number;
  readonly shortLots: Lots;
}

type Weighed = Pick<CashSettled, "modelLots" | "marks" | "valueTicks">;

/** 100,000 USD of coverage: what sellers lack to it is the model's weight. */
const LEAST_LOTS = 10_000_000n;
/** An owner weighs one of so many parts at most. */
const LEAST_OWNERS = 3n;

export function weighMarks(modelTicks: number, marks: readonly WeighedMark[]): Weighed {
  const sum = marks.reduce((all, { shortLots }) => all + shortLots, 0n);
  const total = sum > LEAST_LOTS ? sum : LEAST_LOTS;
  const most = total / LEAST_OWNERS;
  const weighed = marks.map(({ valueTicks, shortLots }) => ({
    valueTicks,
    weightLots: shortLots < most ? shortLots : lots(most),
  }));
  const modelLots = lots(weighed.reduce((left, { weightLots }) => left - weightLots, total));
  const model = { valueTicks: modelTicks, weightLots: modelLots };
  return { modelLots, marks: weighed, valueTicks: lowerMedian([model, ...weighed], total) };
}

/** The least value with half of the weight at it or below: half alone raises no payout. */
function lowerMedian(all: CashSettled["marks"], total: bigint): number {
  let weight = 0n;
  const middle = [...all]
    .sort((a, b) => a.valueTicks - b.valueTicks)
    .find(({ weightLots }) => {
      weight += weightLots;
      return 2n * weight >= total;
    });
  invariant(middle !== undefined, "the weights are all of it");
  return middle.valueTicks;
}
