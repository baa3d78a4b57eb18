// Puts an index's window, and a market whose matching it holds, in their places.
// Invariant: what is held falls due: no window waits for ever, nor a market once it is woken.
import type { EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { isAwaiting, windowEndsAtMillis } from "./window-times.ts";

export function putWindow(
  { windows, due }: Pick<State, "windows" | "due">,
  { index, window }: Pick<EventOf<"WindowChanged">, "index" | "window">,
): void {
  if (window === null) {
    windows.delete(index);
    return;
  }
  windows.set(index, window);
  const atMillis = windowEndsAtMillis(window);
  if (atMillis === undefined) return;
  due.add({ atMillis, command: { type: isAwaiting(window) ? "EndWindow" : "EndAuction", index } });
}

export function putMatching(
  { heldMatching, due }: Pick<State, "heldMatching" | "due">,
  { marketId, held }: Pick<EventOf<"MatchingChanged">, "marketId" | "held">,
): void {
  if (held === null) heldMatching.delete(marketId);
  else heldMatching.set(marketId, held);
  if (held === null || held.resumesAtMillis === null) return;
  due.add({ atMillis: held.resumesAtMillis, command: { type: "ResumeMatching", marketId } });
}
