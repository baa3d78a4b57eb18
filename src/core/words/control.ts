// The limits of an operator alone, and whether root is an operator: changed by two people.
// Invariant: root is switched off and on by operators alone, never by root, and only while two
// people can act without it.
import { DAY_MILLIS } from "#base/day.ts";
import { type Micros, micros } from "#base/money.ts";
import type { CommandOf } from "../command.ts";
import { canDoWithoutRoot, isSecondPerson } from "../person.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, operatorOf, type Step } from "../step.ts";
import { alone, isEnoughAlone, type Said, say } from "./say.ts";

/** One person lowers it; two raise it. */
export function setFundingLimit(
  step: Step,
  command: CommandOf<"SetFundingLimit">,
): Rejection | undefined {
  const { rules } = step.state;
  const { limitMicros: fundingLimitMicros } = command;
  const isRaised = fundingLimitMicros > rules.fundingLimitMicros;
  const said = isRaised ? say(step, command) : alone;
  if (!said.isDecided) return said.refused;

  emit(step, { type: "RulesChanged", rules: { ...rules, fundingLimitMicros } });
  return undefined;
}

export function setRoot(step: Step, command: CommandOf<"SetRoot">): Rejection | undefined {
  if (step.actor.type === "root") return reject("CONFLICT_OF_INTEREST");
  if (!command.on && !canDoWithoutRoot(step.state, step.nowSeconds)) {
    return reject("OPERATORS_MISSING");
  }
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  emit(step, { type: "RootSwitched", on: command.on });
  return undefined;
}

/** Whether this amount is more than one person moves in a day, with all it has moved today. */
export function isAboveOwnLimit(step: Step, amountMicros: Micros): boolean {
  if (isEnoughAlone(step, { type: "FundAccount" })) return false;
  const { state, nowMillis } = step;
  const by = operatorOf(step);
  const day = Math.floor(nowMillis / DAY_MILLIS);
  let moved = size(amountMicros);
  for (const funding of state.fundings.values()) {
    const isOwn = !isSecondPerson(state, funding.operator, by);
    if (isOwn && funding.day === day) moved += funding.movedMicros;
  }
  return moved > state.rules.fundingLimitMicros;
}

/** Counts funding that one person moves alone; funding that two agreed on is not counted. */
export function countFunding(step: Step, amountMicros: Micros, said: Said): void {
  const isOfTwo = step.confirmed !== undefined || (said.isDecided && said.first !== undefined);
  if (isOfTwo || isEnoughAlone(step, { type: "FundAccount" })) return;
  const operator = operatorOf(step);
  const day = Math.floor(step.nowMillis / DAY_MILLIS);
  const before = step.state.fundings.get(operator);
  const movedBefore = before?.day === day ? before.movedMicros : 0n;
  const movedMicros = micros(movedBefore + size(amountMicros));
  emit(step, { type: "FundingCounted", funding: { operator, day, movedMicros } });
}

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
