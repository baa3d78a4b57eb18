// Turns an entry into what is stored, and what is stored back into the entry by deciding it again.
// Invariant: `replay` returns only where the core, asked again, gives exactly the stored bytes, or
// where older rules decided the entry and its stored events can be put in their places.
import { messageOf } from "#base/message-of.ts";
import { apply, applyStored } from "#core/apply.ts";
import { auditHeading, SEALED } from "#core/audit.ts";
import type { Envelope } from "#core/command.ts";
import { DECIDER_VERSION, decidedUnder } from "#core/decider.ts";
import { entryBytes, inSections, readAsked, readEntry } from "#core/entry-bytes.ts";
import type { Entry } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { ChainBreak, committedHash, follow } from "./chain.ts";
import { commitmentTo, drawSalt } from "./commitment.ts";
import {
  type EntryLabels,
  type Head,
  JournalRefusal,
  type SealedEntry,
  type StoredEntry,
} from "./journal.ts";
import { type EntrySubject, touchesOf } from "./touches.ts";

/** The entry as the chain keeps it after `head`; `state` is the one the entry led to. */
export function seal(head: Head, entry: Entry, state: State, salt = drawSalt()): SealedEntry {
  const { bytes, sections } = inSections(entry, salt);
  const hash = committedHash(head.hash, entry.sequence, commitmentTo(sections));
  const touches = touchesOf(entry);
  return { sequence: entry.sequence, entry, bytes, hash, ...labelsOf(entry, state), touches };
}

/**
 * Follows the chain by one entry and applies it to `state`; throws `ChainBreak` at any doubt, and
 * `JournalRefusal` where newer rules than this program's decided the entry.
 */
export function replay(state: State, head: Head, stored: StoredEntry): [Head, Entry] {
  const next = follow(head, stored);
  const { sequence } = stored;
  const { envelope, salt } = reading(sequence, () => readAsked(stored.bytes));
  const version = decidedUnder(state, envelope);
  if (version > DECIDER_VERSION) throw new JournalRefusal(newerRules(sequence, version));
  if (version < DECIDER_VERSION) {
    const entry = reading(sequence, () => readEntry(stored.bytes));
    foldAgain(state, entry, stored);
    return [next, entry];
  }
  return [next, decideAgain(state, envelope, salt, stored)];
}

function reading<T>(sequence: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ChainBreak(sequence, `it cannot be read: ${messageOf(error)}`);
  }
}

function foldAgain(state: State, entry: Entry, { sequence }: StoredEntry): void {
  if (entry.sequence !== sequence) {
    throw new ChainBreak(sequence, `by its bytes it is entry ${entry.sequence}`);
  }
  try {
    applyStored(state, entry);
  } catch (error) {
    throw new ChainBreak(
      sequence,
      `what it stored cannot be put in its place: ${messageOf(error)}`,
    );
  }
}

/** The stored events are never read: the bytes that the decision is written as are the stored. */
function decideAgain(
  state: State,
  envelope: Envelope,
  salt: string,
  { sequence, bytes }: StoredEntry,
): Entry {
  let entry: Entry;
  let again: Uint8Array;
  try {
    entry = { sequence, envelope, outcome: apply(state, envelope, sequence) };
    again = entryBytes(entry, salt);
  } catch (error) {
    // The chain holds, so these are the bytes that were sealed: another version decided them.
    throw new ChainBreak(sequence, `it cannot be decided again: ${messageOf(error)}`);
  }
  if (Buffer.compare(again, bytes) === 0) return entry;
  throw new ChainBreak(sequence, "deciding it again gives another outcome");
}

const newerRules = (sequence: number, version: number): string =>
  `Entry ${sequence} was decided under rules of version ${version}; this program has rules up to ` +
  `version ${DECIDER_VERSION}. Start the newer program that wrote this store.`;

const labelNames = ["timeMillis", "action", "severity", "actor", "concerns", "resource"] as const;

/** Throws where the columns or rows beside the bytes say something else than the bytes. */
export function checkLabels(
  entry: Entry,
  stored: StoredEntry,
  touches: readonly EntrySubject[],
  state: State,
): void {
  const labels = labelsOf(entry, state);
  for (const name of labelNames) {
    if (labels[name] === stored[name]) continue;
    throw new ChainBreak(
      stored.sequence,
      `it is filed under ${name} ${stored[name]}, its bytes say ${labels[name]}`,
    );
  }
  const [filed, drawn] = [touches.join(", "), touchesOf(entry).join(", ")];
  if (filed === drawn) return;
  throw new ChainBreak(
    stored.sequence,
    `it is filed as touching ${filed || "nothing"}, its bytes say ${drawn || "nothing"}`,
  );
}

function labelsOf(entry: Entry, state: State): EntryLabels {
  const { action, severity, actor, concerns, resource } = auditHeading(entry);
  const isAccount = actor !== "root" && actor !== "system" && actor !== SEALED;
  const named = isAccount ? state.accounts.get(actor)?.address : actor;
  return {
    timeMillis: entry.envelope.timeMillis,
    action,
    severity,
    actor: named ?? actor,
    concerns,
    resource,
  };
}
