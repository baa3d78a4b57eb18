// From the journal to the state: the newest sound snapshot, then each later entry decided again.
// Invariant: the state returned is the one all entries up to the head lead to, or there is none.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { invariant } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import type { ClockKind } from "#core/command.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { State } from "#core/state.ts";
import { ChainBreak, noEntries } from "#journal/chain.ts";
import { originOf } from "#journal/checkpoint.ts";
import { type Head, type JournalReader, JournalRefusal, SLICE_ENTRIES } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { replay } from "#journal/seal.ts";
import { openSnapshot } from "#journal/snapshot.ts";

interface Recovered {
  readonly state: State;
  /** The size of the snapshot it began from, 0 when it began from nothing. */
  readonly snapshotSize: number;
}

/** The chain's name as its first entry tells it; undefined when there is no entry. */
export async function readOrigin(
  journal: Pick<JournalReader, "read">,
): Promise<string | undefined> {
  const [first] = await journal.read(1, 1);
  if (first === undefined) return undefined;
  const { command } = genesisOf(first.bytes).envelope;
  if (command.type === "Genesis") return originOf(command.chainId);
  throw new ChainBreak(1, "it does not found an exchange");
}

function genesisOf(bytes: Uint8Array): ReturnType<typeof readEntry> {
  try {
    return readEntry(bytes);
  } catch (error) {
    throw new ChainBreak(1, messageOf(error));
  }
}

/** Throws `ChainBreak` naming the entry that does not follow, or is decided otherwise now. */
export async function recover(
  journal: JournalReader,
  head: Head,
  key: SigningKey,
  origin: string,
  log: (message: string) => void,
): Promise<Recovered> {
  const found = await soundSnapshot(journal, head, key, origin, log);
  const state = found?.state ?? new State();
  await replayTo(journal, state, found?.head ?? noEntries, head);
  return { state, snapshotSize: found?.head.size ?? 0 };
}

/** Leads `state`, which the entries up to `from` have led to, on to `head`. */
export async function replayTo(
  journal: Pick<JournalReader, "read">,
  state: State,
  from: Head,
  head: Head,
): Promise<void> {
  let reached = from;
  while (reached.size < head.size) {
    const limit = Math.min(SLICE_ENTRIES, head.size - reached.size);
    const entries = await journal.read(reached.size + 1, limit);
    for (const stored of entries) [reached] = replay(state, reached, stored);
    if (entries.length < limit) throw new ChainBreak(reached.size + 1, "it is missing");
    await yieldToLoop();
  }
  invariant(reached.hash === head.hash, `replay ends at the head ${head.hash}`);
}

/** @throws JournalRefusal where the store runs on the other clock */
export function refuseOtherClock({ exchange }: State, clock: ClockKind): void {
  if (exchange?.clock === clock) return;
  throw new JournalRefusal(
    `This store was founded with FIRSTPRINT_CLOCK=${exchange?.clock}, it cannot be served with ` +
      `FIRSTPRINT_CLOCK=${clock}. Start with ${exchange?.clock}, or use another store.`,
  );
}

/** A damaged snapshot costs time, not the exchange: the next older one is tried, then none. */
async function soundSnapshot(
  journal: JournalReader,
  head: Head,
  key: SigningKey,
  origin: string,
  log: (message: string) => void,
): Promise<{ readonly head: Head; readonly state: State } | undefined> {
  for (let below = head.size + 1; ; ) {
    const snapshot = await journal.newestSnapshot(below);
    if (snapshot === undefined) return undefined;
    try {
      const { size, note } = snapshot;
      const opened = openSnapshot(key, origin, { size, note, parts: await snapshot.parts() });
      const [entry] = await journal.read(snapshot.size, 1);
      if (entry?.hash === opened.head.hash) return opened;
      log(`the snapshot at entry ${snapshot.size} belongs to another chain: an older one is tried`);
    } catch (error) {
      // Any fault passes this snapshot over: where the database itself is out of reach, the next
      // read says so.
      const reason = messageOf(error);
      log(`the snapshot at entry ${snapshot.size} is passed over: ${reason}`);
    }
    below = snapshot.size;
  }
}
