// A fallback that is taken, with its prints; and as people read it: in the trail, on a resolution,
// in a certificate.
// Invariant: every figure that the payout follows from is there, exactly.
import { formatDecimal } from "#base/decimal.ts";
import { formatMonth } from "#base/month.ts";
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
  | { readonly step: "void" };
/** A step that gives the market a level to settle on. */
export type SettlingStep = Exclude<FallbackTaken, { step: "void" }>;

const printShown = ({ month, valueE15, levelE12, releaseId }: Baseline) => ({
  month: formatMonth(month),
  value: formatPrintValue(valueE15),
  level: formatDecimal(levelE12, 12),
  releaseId,
});

/** JSON-safe. */
export const fallbackShown = (taken: FallbackTaken) => ({
  step: taken.step,
  ...(taken.step === "void" ? {} : { last: printShown(taken.last) }),
  ...(taken.step === "successor" ? { from: printShown(taken.from), to: printShown(taken.to) } : {}),
});
