// The proposals that wait for a second operator, as operators see them.
// Invariant: a 202 says that nothing was done yet, and which proposal would do it.
import { type Static, Type } from "typebox";
import { proposedDetails } from "#core/audit.ts";
import { commands } from "#core/command-table.ts";
import type { Event } from "#core/event.ts";
import { wordIn } from "#core/words/told.ts";
import { type Word, wordLapsesAtMillis } from "#core/words/word.ts";

export const ProposalRecord = Type.Object(
  {
    id: Type.String(),
    action: Type.String({ description: "what the audit trail calls it" }),
    details: Type.Record(Type.String(), Type.Unknown()),
    proposedBy: Type.String({ description: "the operator's account, or root" }),
    proposedAt: Type.String(),
    lapsesAt: Type.String(),
    effectiveAt: Type.Optional(
      Type.String({
        description:
          "too few people are left for a second word: it is carried out then, unless any " +
          "operator withdraws it",
      }),
    ),
  },
  { title: "Proposal" },
);

export const proposalRecord = (proposal: Word): Static<typeof ProposalRecord> => ({
  id: proposal.id,
  action: commands[proposal.command.type].action,
  details: proposedDetails(proposal),
  proposedBy: proposal.by,
  proposedAt: new Date(proposal.givenAtMillis).toISOString(),
  lapsesAt: new Date(wordLapsesAtMillis(proposal)).toISOString(),
  ...(proposal.effectiveAtMillis === undefined
    ? {}
    : { effectiveAt: new Date(proposal.effectiveAtMillis).toISOString() }),
});

/** Beside the data of what would be done: present where it waits. */
export const Waiting = { proposal: Type.Optional(ProposalRecord) };

/** For the answer to a command that may take two. */
export function waitingIn(events: readonly Event[]) {
  const open = wordIn("open", events);
  return open === undefined
    ? { proposal: {}, status: {} }
    : { proposal: { proposal: proposalRecord(open) }, status: { status: 202 } };
}
