// The rules in force, and those announced, in their place in the state.
// Invariant: a change that is announced falls due on its day.
import type { EventOf } from "./event.ts";
import { marginRates } from "./kyc/tiers.ts";
import type { Rules } from "./rules.ts";
import type { Announcement } from "./rules-change.ts";
import type { State } from "./state.ts";

/** Every account is rated anew: its margin, its fees held, what its orders reserve. */
export function putRules(state: State, rules: Rules): void {
  state.rules = rules;
  for (const account of state.accounts.values()) {
    state.exposures.ratesChanged(account.id, marginRates(rules, account));
  }
}

export function foldRules(
  state: State,
  event: EventOf<"RulesChanged"> | EventOf<"RulesAnnounced">,
): void {
  if (event.type === "RulesChanged") putRules(state, event.rules);
  else if (event.status === "announced") putAnnouncement(state, event.announcement);
  else state.announcedRules.delete(event.announcement.id);
}

export function putAnnouncement(state: State, announcement: Announcement): void {
  const { id, effectiveAtMillis: atMillis } = announcement;
  state.announcedRules.set(id, announcement);
  state.due.add({ atMillis, command: { type: "ApplyRules", announcementId: id } });
}
