// An acceptance put in its place in the state, with its debt and the days its payments are due.
// Invariant: every payment still owed is in the due queue.
import type { State } from "../state.ts";
import { defaultMillis } from "./owed.ts";
import type { Acceptance } from "./records.ts";

/** One that filled nothing is owed nothing: it is in the journal, and its number is taken. */
export function foldAcceptance(state: State, acceptance: Acceptance): void {
  if (acceptance.status === "not_filled") state.acceptanceCount += 1;
  else putAcceptance(state, acceptance);
}

export function putAcceptance(state: State, acceptance: Acceptance): void {
  const before = state.acceptances.get(acceptance.id);
  state.acceptances.set(acceptance.id, acceptance);
  if (before === undefined) state.acceptanceCount += 1;
  state.debts.changed(before, acceptance);
  const { id, status } = acceptance;
  for (const { number, dueMillis } of acceptance.payments) {
    if (dueMillis === before?.payments[number - 1]?.dueMillis) continue;
    const command = { type: "CollectPayment" as const, acceptanceId: id };
    state.due.add({ atMillis: dueMillis, command });
  }
  if (status === "overdue" && before?.status !== "overdue") {
    const command = { type: "DefaultAcceptance" as const, acceptanceId: id };
    state.due.add({ atMillis: defaultMillis(acceptance), command });
  }
}
