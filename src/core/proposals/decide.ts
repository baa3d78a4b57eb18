// Commands that need two people: the first one's proposal is kept, and the second one's approval
// carries it out.
// Invariant: a proposal changes nothing else; whoever proposed it, or is one person with them,
// never confirms it; nobody waits for it longer than ten days.
import { DAY_MILLIS } from "#base/day.ts";
import { proposalId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import { micros } from "#base/money.ts";
import type { CommandOf } from "../command.ts";
import { isFounding, isSecondPerson } from "../person.ts";
import type { OperatorName } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, operatorOf, type Step } from "../step.ts";
import { MOST_PROPOSALS, type Proposal } from "./proposal.ts";

type ProposalCommand = CommandOf<"ConfirmProposal" | "WithdrawProposal" | "LapseProposal">;
type CarryOut = (step: Step, command: Proposal["command"]) => Rejection | undefined;

/**
 * Whether this is a first word. Root alone founds the exchange: until two operators have been given
 * authority there is nobody else to ask. The exchange's own commands need no second person.
 */
export function takesAnotherWord(step: Step): boolean {
  return isFirstWord(step) && !(step.actor.type === "root" && isFounding(step.state));
}

/** As `takesAnotherWord`, for what nobody ever does alone, the founder neither. */
export const isFirstWord = ({ actor, firstWord }: Step): boolean =>
  firstWord === undefined && actor.type !== "system";

/** Keeps a first word; everything that would refuse the command has been asked before. */
export function propose(step: Step, command: Proposal["command"]): Rejection | undefined {
  const by = operatorOf(step);
  const own = [...step.state.proposals.values()].filter((proposal) => proposal.by === by);
  if (own.length >= MOST_PROPOSALS) return reject("PROPOSAL_LIMIT", { allowed: MOST_PROPOSALS });

  const id = proposalId(`prp-${step.sequence}`);
  const proposal = { id, command, by, proposedAtMillis: step.nowMillis };
  emit(step, { type: "ProposalChanged", proposal, status: "open" });
  return undefined;
}

/** `carryOut` decides the command anew: what refuses it now refuses the second word. */
export function decideProposal(
  step: Step,
  command: ProposalCommand,
  carryOut: CarryOut,
): Rejection | undefined {
  const proposal = step.state.proposals.get(command.proposalId);
  if (proposal === undefined) return reject("PROPOSAL_NOT_FOUND");
  switch (command.type) {
    case "ConfirmProposal":
      return confirm(step, proposal, command, carryOut);
    case "WithdrawProposal":
      return end(step, proposal, "withdrawn");
    case "LapseProposal":
      return end(step, proposal, "lapsed");
  }
}

function confirm(
  step: Step,
  proposal: Proposal,
  { key }: CommandOf<"ConfirmProposal">,
  carryOut: CarryOut,
): Rejection | undefined {
  if (!isSecondPerson(step.state, proposal.by, operatorOf(step))) {
    return reject("PROPOSAL_SAME_OPERATOR");
  }

  const { command } = proposal;
  const keyed = "key" in command ? { ...command, key: { ...command.key, ...key } } : command;
  const refused = carryOut({ ...step, firstWord: proposal.by }, keyed);
  return refused ?? end(step, proposal, "confirmed");
}

function end(
  step: Step,
  proposal: Proposal,
  status: "confirmed" | "withdrawn" | "lapsed",
): undefined {
  emit(step, { type: "ProposalChanged", proposal, status });
}

/** A word of somebody who may no longer give one is no word. */
export function dropProposalsOf(step: Step, operator: OperatorName): void {
  for (const proposal of [...step.state.proposals.values()]) {
    if (proposal.by === operator) end(step, proposal, "withdrawn");
  }
}

/** Whether this amount is more than one person moves in a day, with all it has moved today. */
export function isAboveOwnLimit(step: Step, amountMicros: Micros): boolean {
  if (!takesAnotherWord(step)) return false;
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
export function countFunding(step: Step, amountMicros: Micros): void {
  if (!takesAnotherWord(step)) return;
  const operator = operatorOf(step);
  const day = Math.floor(step.nowMillis / DAY_MILLIS);
  const before = step.state.fundings.get(operator);
  const movedBefore = before?.day === day ? before.movedMicros : 0n;
  const movedMicros = micros(movedBefore + size(amountMicros));
  emit(step, { type: "FundingCounted", funding: { operator, day, movedMicros } });
}

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
