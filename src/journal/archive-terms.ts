// The terms an archived entry is found by: the subjects it touches, whom it concerns, who acted.
// Invariant: terms sort by their kind, then as the database sorts what they name.
import type { EntryFilter } from "./journal.ts";

export const actorTerm = (actor: string): string => `actor:${actor}`;
export const concernsTerm = (account: string): string => `concerns:${account}`;
export const touchTerm = (subject: string): string => `touch:${subject}`;

/**
 * Terms of which an entry that the filter lets through has at least one; undefined where no term
 * narrows the search. Almost every entry has the operator or the system as its actor.
 */
export function termsOf({ party, concerns, actor }: EntryFilter): readonly string[] | undefined {
  if (party !== undefined) return [concernsTerm(party), touchTerm(party)];
  if (concerns !== undefined) return [concernsTerm(concerns)];
  if (actor !== undefined) return [actorTerm(actor)];
  return undefined;
}
