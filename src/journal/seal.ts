// Turns an entry into what is stored, and what is stored back into the entry by deciding it again.
// Invariant: `replay` returns only where the core, asked again, gives exactly the stored bytes.
import { apply } from "#core/apply.ts";
import { auditFacts } from "#core/audit.ts";
import { type Entry, entryBytes, readEntry } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { ChainBreak, entryHash, follow } from "./chain.ts";
import type { EntryLabels, Head, SealedEntry, StoredEntry } from "./journal.ts";
import { type Subject, touchesOf } from "./touches.ts";

/** The entry as the chain keeps it after `head`; `state` is the one the entry led to. */
export function seal(head: Head, entry: Entry, state: State): SealedEntry {
  const bytes = entryBytes(entry);
  const hash = entryHash(head.hash, entry.sequence, bytes);
  const touches = touchesOf(entry);
  return { sequence: entry.sequence, bytes, hash, ...labelsOf(entry, state), touches };
}

/** Follows the chain by one entry and applies it to `state`; throws `ChainBreak` at any doubt. */
export function replay(state: State, head: Head, stored: StoredEntry): [Head, Entry] {
  const next = follow(head, stored);
  let entry: Entry;
  let bytes: Uint8Array;
  try {
    entry = readEntry(stored.bytes);
    const outcome = apply(state, entry.envelope, stored.sequence);
    bytes = entryBytes({ sequence: stored.sequence, envelope: entry.envelope, outcome });
  } catch (error) {
    // The chain holds, so these are the bytes that were sealed: another version decided them.
    const reason = error instanceof Error ? error.message : String(error);
    throw new ChainBreak(stored.sequence, `it cannot be decided again: ${reason}`);
  }
  if (Buffer.compare(bytes, stored.bytes) !== 0) {
    throw new ChainBreak(stored.sequence, "deciding it again gives another outcome");
  }
  return [next, entry];
}

/** Throws where the columns or rows beside the bytes say something else than the bytes. */
export function checkLabels(
  entry: Entry,
  stored: StoredEntry,
  touches: readonly Subject[],
  state: State,
): void {
  const labels = labelsOf(entry, state);
  for (const name of ["timeMillis", "action", "severity", "actor", "concerns"] as const) {
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
  const { action, severity, actor, concerns } = auditFacts(entry);
  const named = actor === "root" || actor === "system" ? actor : state.accounts.get(actor)?.address;
  return {
    timeMillis: entry.envelope.timeMillis,
    action,
    severity,
    actor: named ?? actor,
    concerns,
  };
}
