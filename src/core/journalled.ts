// Tells the outcomes that become entries of the journal.
// Invariant: whatever changes a record is journalled; so is every answer that may be asked again.
import type { Envelope } from "./command.ts";
import { isRejected, type Outcome } from "./outcome.ts";
import { auditedRejections } from "./rejection.ts";

export function isJournalled(envelope: Envelope, outcome: Outcome): boolean {
  if (!isRejected(outcome)) return true;
  const { code } = outcome.rejection;
  // No room is left for the answer to one that found the exchange full: it is refused again.
  const isKept = code !== "UNAUTHENTICATED" && code !== "EXCHANGE_FULL";
  return (envelope.idempotency !== null && isKept) || auditedRejections.has(code);
}
