// The proposals that wait for a second operator, as operators see them.
// Invariant: a 202 says that nothing was done yet, and which proposal would do it.
import { type Static, Type } from "typebox";
import { proposedDetails } from "#core/audit.ts";
import { commands } from "#core/command-table.ts";
import type { Event } from "#core/event.ts";
import { type Proposal, proposalLapsesAtMillis } from "#core/proposals/proposal.ts";
import { proposalIn } from "#core/proposals/told.ts";

export const ProposalRecord = Type.Object(
  {
    id: Type.String(),
    action: Type.String({ description: "what the audit trail calls it" }),
    details: Type.Record(Type.String(), Type.Unknown()),
    proposedBy: Type.String({ description: "the operator's account, or root" }),
    proposedAt: Type.String(),
    lapsesAt: Type.String(),
  },
  { title: "Proposal" },
);

export const proposalRecord = (proposal: Proposal): Static<typeof ProposalRecord> => ({
  id: proposal.id,
  action: commands[proposal.command.type].action,
  details: proposedDetails(proposal),
  proposedBy: proposal.by,
  proposedAt: new Date(proposal.proposedAtMillis).toISOString(),
  lapsesAt: new Date(proposalLapsesAtMillis(proposal)).toISOString(),
});

/** Beside the data of what would be done: present where it waits. */
export const Waiting = { proposal: Type.Optional(ProposalRecord) };

/** For the answer to a command that may take two. */
export function waitingIn(events: readonly Event[]) {
  const open = proposalIn("open", events);
  return open === undefined
    ? { proposal: {}, status: {} }
    : { proposal: { proposal: proposalRecord(open) }, status: { status: 202 } };
}
