// What became of a command, and the journal entry that keeps both.
// Invariant: an entry replays to exactly its own outcome.
import { decode, encode } from "./codec.ts";
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

/** The exact bytes an entry is stored and hashed as. */
export const entryBytes = (entry: Entry): Uint8Array =>
  new TextEncoder().encode(encode({ version: 1, ...entry }));

/** Reads bytes that `entryBytes` wrote; the chain vouches for them. */
export function readEntry(bytes: Uint8Array): Entry {
  const value = decode(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (!isEntry(value)) throw new Error("journal bytes hold no entry of version 1");
  return value;
}

function isEntry(value: unknown): value is Entry {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === 1 &&
    "sequence" in value &&
    "envelope" in value &&
    "outcome" in value
  );
}
