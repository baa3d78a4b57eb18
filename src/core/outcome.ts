// The outcome of a command, and the journal entry that keeps both.
// Invariant: an entry replays to exactly its own outcome.
import type { Envelope } from "./command.ts";
import type { Event } from "./event.ts";
import type { Rejection } from "./rejection.ts";

export type Outcome = { readonly events: readonly Event[] } | { readonly rejection: Rejection };

export const isRejected = (outcome: Outcome): outcome is { readonly rejection: Rejection } =>
  "rejection" in outcome;

/** The content of a journal entry; its sequence and hashes stand beside it. */
export interface Entry {
  readonly sequence: number;
  readonly envelope: Envelope;
  readonly outcome: Outcome;
}
