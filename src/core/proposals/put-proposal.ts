// A proposal, and what an operator has funded alone, in their places.
// Invariant: a proposal that is open lapses by itself when its time is over.
import type { EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { type Proposal, proposalLapsesAtMillis } from "./proposal.ts";

export function foldProposal(
  state: State,
  event: EventOf<"ProposalChanged"> | EventOf<"FundingCounted">,
): void {
  if (event.type === "FundingCounted") state.fundings.set(event.funding.operator, event.funding);
  else if (event.status === "open") putProposal(state, event.proposal);
  else state.proposals.delete(event.proposal.id);
}

export function putProposal(state: State, proposal: Proposal): void {
  state.proposals.set(proposal.id, proposal);
  const command = { type: "LapseProposal" as const, proposalId: proposal.id };
  state.due.add({ atMillis: proposalLapsesAtMillis(proposal), command });
}
