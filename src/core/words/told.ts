// The word an entry is about, read from its events.
// Invariant: a function of the events alone.
import type { Event, EventOf } from "../event.ts";
import type { Word } from "./word.ts";

/** The word that a command gave or ended in this way; undefined where it did not. */
export function wordIn(
  status: EventOf<"WordChanged">["status"],
  events: readonly Event[],
): Word | undefined {
  const changed = events.findLast(
    (event) => event.type === "WordChanged" && event.status === status,
  );
  return changed?.type === "WordChanged" ? changed.word : undefined;
}
