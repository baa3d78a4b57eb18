// The engine's result of a command that an upload led to.
// Invariant: anything but an acceptance is a refusal, the same as for a command sent directly.
import type { Event } from "#core/event.ts";
import { isRejected } from "#core/outcome.ts";
import type { Result } from "#engine/engine.ts";
import { problemOf, type Refused, refuse } from "../route/errors.ts";

export function eventsOf(result: Result): readonly Event[] | Refused {
  if ("unknown" in result) return refuse("OUTCOME_UNKNOWN");
  if ("refused" in result) return refuse(result.refused);
  const { outcome } = result;
  return isRejected(outcome) ? { refused: problemOf(outcome.rejection) } : outcome.events;
}
