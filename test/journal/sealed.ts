// A journal of a given length for the journal's tests, decided by the real core.
// Invariant: the same length gives the same bytes; the chain and the labels hold.

import { apply } from "#core/apply.ts";
import type { Actor, Command } from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { foundingRules } from "#core/rules.ts";
import { State } from "#core/state.ts";
import { entryHash, noEntries } from "#journal/chain.ts";
import type { Head, SealedEntry } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { seal } from "#journal/seal.ts";
import { fund, openAccount } from "#test/engine/requests.ts";

export const chainId = "c".repeat(32);

/** Genesis, an account, then deposits; `size` entries in all. */
export function sealedEntries(size: number, memo = "deposit"): readonly SealedEntry[] {
  const state = new State();
  const stored: SealedEntry[] = [];
  let head: Head = noEntries;
  const commands: Command[] = [
    { type: "Genesis", clock: "real", chainId, rules: foundingRules, version: DECIDER_VERSION },
    openAccount(1),
  ];
  for (let number = 3; number <= size; number += 1) commands.push(fund(number, memo));
  for (const [index, command] of commands.entries()) {
    const sequence = index + 1;
    const actor: Actor = { type: index === 0 ? "system" : "root" };
    const timeMillis = 1_700_000_000_000 + index;
    const envelope = { timeMillis, actor, requestId: `req-${index}`, idempotency: null, command };
    const outcome = apply(state, envelope, sequence);
    const salt = sequence.toString(16).padStart(32, "0");
    const entry = seal(head, { sequence, envelope, outcome }, state, salt);
    head = { size: sequence, hash: entry.hash };
    stored.push(entry);
  }
  return stored;
}

/** One entry changed, and every hash from it on made to fit. */
export function rewritten(
  entries: readonly SealedEntry[],
  sequence: number,
  text: string,
  replacement: string,
): readonly SealedEntry[] {
  let head: Head = noEntries;
  return entries.map((entry) => {
    const changed = Buffer.from(entry.bytes).toString("utf8").replace(text, replacement);
    const bytes = entry.sequence === sequence ? Buffer.from(changed) : entry.bytes;
    const hash = entryHash(head.hash, entry.sequence, bytes);
    head = { size: entry.sequence, hash };
    return { ...entry, bytes, hash };
  });
}

export const headOf = (entries: readonly SealedEntry[]): Head => {
  const last = entries.at(-1);
  return last === undefined ? noEntries : { size: last.sequence, hash: last.hash };
};

/** A journal that holds these entries, whatever they are. */
export async function journalOf(entries: readonly SealedEntry[]): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  const lead = await journal.lead(() => undefined);
  if (entries.length > 0) await lead.append(entries);
  await lead.release();
  return journal;
}

/** Numbers below `limit`, the same for the same seed (mulberry32). */
export function drawing(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** The same bytes but for one bit. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
