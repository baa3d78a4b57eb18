// A round of marks in its place: its marks, and when the clock is to close it.
// Invariant: a round's marks are gone with it.
import { setOf } from "#base/set-of.ts";
import type { Market } from "../records.ts";
import type { State } from "../state.ts";
import { markName, type SealedMark } from "./mark-records.ts";

export function putMark({ marks, marksIn }: State, mark: SealedMark): void {
  marks.set(markName(mark), mark);
  setOf(marksIn, mark.marketId).add(markName(mark));
}

export function putMarkRound(state: State, before: Market | undefined, market: Market): void {
  const { id: marketId, markRound } = market;
  if (markRound === undefined) {
    if (before?.markRound === undefined) return;
    for (const name of state.marksIn.get(marketId) ?? []) state.marks.delete(name);
    state.marksIn.delete(marketId);
  } else if (before?.markRound === undefined) {
    const command = { type: "CloseMarks" as const, marketId };
    state.due.add({ atMillis: markRound.closesAtMillis, command });
  }
}
