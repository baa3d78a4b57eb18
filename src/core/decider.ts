// The version of the rules: that of this program's core, and the one an entry was decided under.
// Invariant: an entry is decided again only by the rules that decided it; one of older rules is
// folded from the events it stored, so a change of rules changes nothing that has happened.
import type { Envelope } from "./command.ts";

/**
 * Raised whenever this program would decide a command otherwise than the release before it did:
 * 1 = every store that says nothing, 2 = from the first release that writes it down, 3 = from the
 * first whose entries are stored in parts, 4 = from the first whose limits of a day count what is
 * filled, 5 = from the first that raises earlier claims by what is payable alone, 6 = from the
 * first that takes an owed assessment from what a cancel frees, and before a withdrawal,
 * 7 = from the first that takes a fallback's first word on the prints it was drawn on alone.
 */
export const DECIDER_VERSION = 7;

/** The rules of a store that says nothing of them. */
export const FIRST_VERSION = 1;

/** `state` is the one before the entry. An entry that names its rules is decided by them itself. */
export function decidedUnder(
  state: { readonly deciderVersion: number },
  { command }: Envelope,
): number {
  if (command.type === "Genesis") return command.version ?? FIRST_VERSION;
  return command.type === "UpgradeRules" ? command.version : state.deciderVersion;
}
