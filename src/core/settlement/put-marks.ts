// A round of marks in its place: its marks, and when the clock is to close it.
// Invariant: a round's marks are gone with it.
import type { Market } from "../records.ts";
import type { State } from "../state.ts";

export function putMarkRound(state: State, before: Market | undefined, market: Market): void {
  const { id: marketId, markRound } = market;
  if (markRound === undefined) {
    if (before?.markRound === undefined) return;
    for (const [name, mark] of state.marks)
      if (mark.marketId === marketId) state.marks.delete(name);
  } else if (before?.markRound === undefined) {
    const command = { type: "CloseMarks" as const, marketId };
    state.due.add({ atMillis: markRound.closesAtMillis, command });
  }
}
