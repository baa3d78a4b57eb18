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

/** Raised whenever the core would decide an old entry otherwise: stores do not outlive it. */
const ENTRY_VERSION = 2;

const toBytes = new TextEncoder();
const fromBytes = new TextDecoder("utf-8", { fatal: true });

/** The exact bytes an entry is stored and hashed as. */
export const entryBytes = (entry: Entry): Uint8Array =>
  toBytes.encode(encode({ version: ENTRY_VERSION, ...entry }));

/** Reads bytes that `entryBytes` wrote; the chain vouches for them. */
export function readEntry(bytes: Uint8Array): Entry {
  const value = decode(fromBytes.decode(bytes));
  if (!isEntry(value)) {
    throw new Error(
      `it is no entry of version ${ENTRY_VERSION}: start the version of this program that wrote ` +
        "the store, or this one with an empty store",
    );
  }
  return value;
}

function isEntry(value: unknown): value is Entry {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === ENTRY_VERSION &&
    "sequence" in value &&
    "envelope" in value &&
    "outcome" in value
  );
}
