// The version of the rules: that of this program's core, and the one an entry was decided under.
// Invariant: an entry is decided again only by the rules that decided it; one of older rules is
// folded from the events it stored, so a change of rules changes nothing that has happened.
import type { Envelope } from "./command.ts";

/** Raised by each release that would decide a command otherwise than the release before it did. */
export const DECIDER_VERSION = 1;

/** `state` is the one before the entry. An entry that names its rules is decided by them itself. */
export function decidedUnder(
  state: { readonly deciderVersion: number },
  { command }: Envelope,
): number {
  const isNamed = command.type === "Genesis" || command.type === "UpgradeRules";
  return isNamed ? command.version : state.deciderVersion;
}
