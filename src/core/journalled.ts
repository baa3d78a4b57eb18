// Which outcomes become entries of the journal.
// Invariant: whatever changes a record is journalled; so is every answer that may be asked again.
import type { Envelope } from "./command.ts";
import { isRejected, type Outcome } from "./outcome.ts";
import { auditedRejections } from "./rejection.ts";

export function isJournalled(envelope: Envelope, outcome: Outcome): boolean {
  if (!isRejected(outcome)) return true;
  if (envelope.idempotency !== null && outcome.rejection.code !== "UNAUTHENTICATED") return true;
  return auditedRejections.has(outcome.rejection.code);
}
