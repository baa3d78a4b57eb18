// A fallback that is taken, with its prints; and as people read it: in the trail, on a resolution,
// in a certificate.
// Invariant: every figure that the payout follows from is there, exactly.
import { formatDecimal } from "#base/decimal.ts";
import { formatMonth } from "#base/month.ts";
import { TICKS_PER_USD } from "#base/price.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { formatLots, type Lots } from "#base/quantity.ts";
import type { Baseline } from "#contract/terms.ts";

/**
 * A step of the fallbacks with the prints it rests on, as the exchange has them: `last` is the
 * newest chained print of the place up to the measurement month, `from` and `to` are the
 * successor's for that month and for the measurement month.
 */
export type FallbackTaken =
  | {
      readonly step: "successor";
      readonly last: Baseline;
      readonly from: Baseline;
      readonly to: Baseline;
    }
  | { readonly step: "last-level"; readonly last: Baseline }
  /** Calls for marks; `last`: as before, of a market that has a baseline. */
  | { readonly step: "cash"; readonly last: Baseline | null }
  /** Settles on marks that came to a value far from the model's; `last`: as with the call. */
  | { readonly step: "median"; readonly last: Baseline | null; readonly valueTicks: number }
  | { readonly step: "void" };
/** A step that gives the market a level to settle on. */
export type LevelStep = Extract<FallbackTaken, { step: "successor" | "last-level" }>;

interface CountedMark {
  readonly valueTicks: number;
  readonly weightLots: Lots;
}

/**
 * The marks of sellers and the model, in ticks of YES, with what each weighed, and the newest print
 * of the place.
 */
export interface CashSettled {
  readonly step: "cash";
  readonly modelTicks: number;
  readonly modelLots: Lots;
  /** Of each owner one, the lowest first. */
  readonly marks: readonly CountedMark[];
  readonly valueTicks: number;
  readonly print: Pick<Baseline, "month" | "valueE15">;
}

/** A round of marks that came to a value far from the model's: two people may settle on it. */
export interface FarMedian extends Pick<CashSettled, "modelTicks" | "modelLots" | "marks"> {
  readonly valueTicks: number;
  /** From then on they may call for marks again instead. */
  readonly againAtMillis: number;
}
export type SettlingStep = LevelStep | CashSettled;

const printShown = ({ month, valueE15, levelE12, releaseId }: Baseline) => ({
  month: formatMonth(month),
  value: formatPrintValue(valueE15),
  level: formatDecimal(levelE12, 12),
  releaseId,
});

/** A weight in dollars of coverage, as a contract is of one. */
const marksShown = ({ modelTicks, modelLots, marks, valueTicks }: CashSettled) => ({
  model: modelTicks / TICKS_PER_USD,
  modelWeight: Number(formatLots(modelLots)),
  marks: marks.map((mark) => mark.valueTicks / TICKS_PER_USD),
  weights: marks.map((mark) => Number(formatLots(mark.weightLots))),
  value: valueTicks / TICKS_PER_USD,
});

/** JSON-safe. */
export const fallbackShown = (taken: FallbackTaken | CashSettled) => ({
  step: taken.step,
  ...("last" in taken && taken.last !== null ? { last: printShown(taken.last) } : {}),
  ...("marks" in taken ? marksShown(taken) : {}),
  ...(taken.step === "median" ? { value: taken.valueTicks / TICKS_PER_USD } : {}),
  ...(taken.step === "successor" ? { from: printShown(taken.from), to: printShown(taken.to) } : {}),
});
