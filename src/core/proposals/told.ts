// The proposal an entry is about, read from its events.
// Invariant: a function of the events alone.
import type { Event, EventOf } from "../event.ts";
import type { Proposal } from "./proposal.ts";

/** The proposal that a command made or ended in this way; undefined where it did not. */
export function proposalIn(
  status: EventOf<"ProposalChanged">["status"],
  events: readonly Event[],
): Proposal | undefined {
  const changed = events.findLast(
    (event) => event.type === "ProposalChanged" && event.status === status,
  );
  return changed?.type === "ProposalChanged" ? changed.proposal : undefined;
}
