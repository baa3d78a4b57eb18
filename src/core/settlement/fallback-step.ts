// A fallback that is taken, with its prints; and as people read it: in the trail, on a resolution,
// in a certificate.
// Invariant: every figure that the payout follows from is there, exactly.
import { formatDecimal } from "#base/decimal.ts";
import { formatMonth } from "#base/month.ts";
import { TICKS_PER_USD } from "#base/price.ts";
import { formatPrintValue } from "#base/print-value.ts";
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
  | { readonly step: "void" };
/** A step that gives the market a level to settle on. */
export type LevelStep = Extract<FallbackTaken, { step: "successor" | "last-level" }>;

/** The marks of sellers and the model, in ticks of YES, and the newest print of the place. */
interface CashSettled {
  readonly step: "cash";
  readonly modelTicks: number;
  /** Of each owner one, the lowest first. */
  readonly markTicks: readonly number[];
  readonly valueTicks: number;
  readonly print: Pick<Baseline, "month" | "valueE15">;
}
export type SettlingStep = LevelStep | CashSettled;

const printShown = ({ month, valueE15, levelE12, releaseId }: Baseline) => ({
  month: formatMonth(month),
  value: formatPrintValue(valueE15),
  level: formatDecimal(levelE12, 12),
  releaseId,
});

const marksShown = ({ modelTicks, markTicks, valueTicks }: CashSettled) => ({
  model: modelTicks / TICKS_PER_USD,
  marks: markTicks.map((ticks) => ticks / TICKS_PER_USD),
  value: valueTicks / TICKS_PER_USD,
});

/** JSON-safe. */
export const fallbackShown = (taken: FallbackTaken | CashSettled) => ({
  step: taken.step,
  ...("last" in taken && taken.last !== null ? { last: printShown(taken.last) } : {}),
  ...("markTicks" in taken ? marksShown(taken) : {}),
  ...(taken.step === "successor" ? { from: printShown(taken.from), to: printShown(taken.to) } : {}),
});
