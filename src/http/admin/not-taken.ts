// Why a file had no effect: its own fault, named by line and column, or what the exchange said.
// Invariant: the sender can tell a bad file from a refused command.
import { invariant } from "#base/invariant.ts";
import type { NotApplied, NotTaken } from "../ports.ts";
import { type Refused, refuse } from "../route/errors.ts";
import { eventsOf } from "./result-events.ts";

export function notTaken(answer: NotTaken | NotApplied): Refused {
  if ("refusal" in answer) {
    const { code: reason, message, line, column } = answer.refusal;
    return refuse("FILE_REFUSED", { message, details: { reason, line, column } });
  }
  const events = eventsOf(answer.failed);
  invariant("refused" in events, "a file whose command was applied has been taken");
  return events;
}
