// A golden journal replayed as a restart and as `verify` do it, and the digests that come of it.
// Invariant: nothing of a digest is random; what does not replay throws, saying where.
import assert from "node:assert/strict";
import { sha256OfLines } from "#base/digest.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { readOrigin, recover } from "#engine/recover.ts";
import type { SealedEntry } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import { verifyJournal } from "#journal/verify.ts";
import { assertShows } from "#test/views/shows.ts";
import { ExchangeView } from "#views/exchange.ts";
import { shownAtEnd, shownOfEntry } from "./shown.ts";

export interface Replayed {
  readonly entries: number;
  /** Hash of the last entry. */
  readonly head: string;
  readonly stateHash: string;
  /** SHA-256 of everything the views show. */
  readonly shown: string;
}

const silent = () => undefined;

export async function replayed(entries: readonly SealedEntry[]): Promise<Replayed> {
  const journal = new MemoryJournal();
  const lead = await journal.lead(silent);
  await lead.append(entries);
  const key = generateSigningKey();
  const { valid, reason, ...verified } = await verifyJournal(journal, { key });
  assert.ok(valid, reason);

  const last = entries.at(-1);
  const origin = await readOrigin(journal);
  assert.ok(last !== undefined && origin !== undefined, "it has entries");
  const head = { size: last.sequence, hash: last.hash };
  const { state } = await recover(journal, head, key, origin, silent);
  assert.equal(stateHash(state), verified.stateHash, "a restart arrives where `verify` does");

  const half = entries[Math.floor(entries.length / 2)];
  assert.ok(half !== undefined);
  const halfway = { size: half.sequence, hash: half.hash };
  const before = await recover(journal, halfway, key, origin, silent);
  await lead.keepSnapshot(sealSnapshot(key, origin, halfway, before.state));
  const again = await recover(journal, head, key, origin, silent);
  assert.equal(again.snapshotSize, halfway.size);
  assert.equal(stateHash(again.state), verified.stateHash, "also from a snapshot");

  const shown = sha256OfLines(shownLines(entries, state));
  return { entries: verified.size, head: verified.head, stateHash: verified.stateHash, shown };
}

function* shownLines(entries: readonly SealedEntry[], state: State): Generator<string> {
  const view = ExchangeView.from(new State());
  for (const { bytes } of entries) {
    const entry = readEntry(bytes);
    view.fold(entry);
    yield shownOfEntry(view, entry);
  }
  assertShows(view, state);
  yield* shownAtEnd(view);
}
