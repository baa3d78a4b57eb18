// The limits of an operator alone, and whether root is an operator: changed by two people.
// Invariant: root is switched off and on by operators alone, never by root, and only while two
// people can act without it.
import type { CommandOf } from "../command.ts";
import { canDoWithoutRoot } from "../person.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";
import { dropProposalsOf, propose, takesAnotherWord } from "./decide.ts";

/** One person lowers it; two raise it. */
export function setFundingLimit(
  step: Step,
  command: CommandOf<"SetFundingLimit">,
): Rejection | undefined {
  const { rules } = step.state;
  const { limitMicros: fundingLimitMicros } = command;
  const isRaised = fundingLimitMicros > rules.fundingLimitMicros;
  if (isRaised && takesAnotherWord(step)) return propose(step, command);

  emit(step, { type: "RulesChanged", rules: { ...rules, fundingLimitMicros } });
  return undefined;
}

export function setRoot(step: Step, command: CommandOf<"SetRoot">): Rejection | undefined {
  if (step.actor.type === "root") return reject("CONFLICT_OF_INTEREST");
  if (!command.on && !canDoWithoutRoot(step.state, step.nowSeconds)) {
    return reject("OPERATORS_MISSING");
  }
  if (takesAnotherWord(step)) return propose(step, command);

  emit(step, { type: "RootSwitched", on: command.on });
  if (!command.on) dropProposalsOf(step, "root");
  return undefined;
}
