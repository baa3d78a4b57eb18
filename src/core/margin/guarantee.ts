// The guarantee fund: the last to pay, and the holder of what liquidated accounts leave behind.
// Invariant: it pays no more than it has; what it lacks, those it would have paid bear openly.
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "../command.ts";
import { emit, GUARANTEE, post, type Step } from "../step.ts";

/** An operator's deposit. */
export function fundGuarantee(step: Step, { amountMicros }: CommandOf<"FundGuarantee">): undefined {
  invariant(amountMicros > 0n, "the guarantee fund takes deposits only");
  post(step, "external", "guarantee", amountMicros, "deposit", GUARANTEE);
  emit(step, { type: "GuaranteeFunded", balanceMicros: step.state.balance("guarantee") });
}
