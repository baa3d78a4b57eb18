// The fallback fields of terms: of older ones, or with a successor or none.
// Invariant: older terms have no successor field at all.
import type { NodeId } from "#base/ids.ts";
import type { Terms } from "#contract/terms.ts";

/** Undefined = terms from before there were fallbacks. */
export const fallbackTerms = (
  successor: NodeId | null | undefined,
): Pick<Terms, "fallback" | "successor"> =>
  successor === undefined
    ? { fallback: "void-60-days-after-expected-publication" }
    : { fallback: "fallbacks-1", successor };
