// From the journal to the state: the newest sound snapshot, then each later entry decided again.
// Invariant: the state returned is the one all entries up to the head lead to, or there is none.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { invariant } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import type { ClockKind } from "#core/command.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { State } from "#core/state.ts";
import { ChainBreak, noEntries } from "#journal/chain.ts";
import { checkWitnesses, originOf } from "#journal/checkpoint.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import {
  type Head,
  type Journal,
  type JournalReader,
  JournalRefusal,
  SLICE_ENTRIES,
} from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { replay } from "#journal/seal.ts";
import { openSnapshot } from "#journal/snapshot.ts";
import type { Applied } from "./term.ts";

interface Recovered {
  readonly state: State;
  /** The size of the snapshot it began from, 0 when it began from nothing. */
  readonly snapshotSize: number;
}

export interface StateOptions {
  readonly journal: Journal;
  readonly key: SigningKey;
  /** Checkpoints outside the database; undefined only in simulation. */
  readonly file: CheckpointLog | undefined;
  readonly clock: ClockKind;
  readonly log: (message: string) => void;
}

/**
 * The state at `head`, once every checkpoint agrees with the journal: led on from one that this
 * node has, where the journal holds the very entry that led to it, or recovered. Undefined where
 * nothing is founded yet.
 */
export async function openState(
  { journal, key, file, clock, log }: StateOptions,
  head: Head,
  takeKept: () => Applied | undefined,
): Promise<(Applied & { readonly origin: string }) | undefined> {
  const origin = await readOrigin(journal);
  await checkWitnesses(journal, head, key, origin, [
    { place: "the database", note: await journal.newestCheckpoint() },
    { place: file?.path ?? "", note: file?.newest() },
  ]);
  if (origin === undefined) return undefined;
  const { state, snapshotSize } =
    (await caughtUp(journal, takeKept(), head)) ?? (await recover(journal, head, key, origin, log));
  refuseOtherClock(state, clock);
  void drawMeanwhile(state);
  return { state, head, snapshotSize, origin };
}

/**
 * The margin that a snapshot has left to be drawn, account by account: a command that needs all of
 * it would have to wait for all of it.
 */
async function drawMeanwhile({ exposures }: State): Promise<void> {
  while (exposures.drawAccounts(1) > 0) await yieldToLoop();
}

/** `kept`, led on to the head; undefined where the journal does not hold what led to it. */
async function caughtUp(
  journal: Pick<JournalReader, "read">,
  kept: Applied | undefined,
  head: Head,
): Promise<Applied | undefined> {
  if (kept === undefined || kept.head.size === 0 || kept.head.size > head.size) return undefined;
  const [last] = await journal.read(kept.head.size, 1);
  if (last?.sequence !== kept.head.size || last.hash !== kept.head.hash) return undefined;
  await replayTo(journal, kept.state, kept.head, head);
  return { ...kept, head };
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
  const found = await soundSnapshot({ journal, key, origin, log }, head.size);
  const state = found?.state ?? new State();
  await replayTo(journal, state, found?.head ?? noEntries, head);
  return { state, snapshotSize: found?.head.size ?? 0 };
}

/** Leads `state`, which the entries up to `from` have led to, on to `head`. */
async function replayTo(
  journal: Pick<JournalReader, "read">,
  state: State,
  from: Head,
  head: Head,
): Promise<void> {
  const ask = (after: number) => {
    const limit = Math.min(SLICE_ENTRIES, head.size - after);
    const asked = limit === 0 ? Promise.resolve([]) : journal.read(after + 1, limit);
    // The one who takes the slice meets its fault; after a break nobody takes it.
    asked.catch(() => undefined);
    return { limit, asked };
  };
  let reached = from;
  for (let next = ask(from.size); reached.size < head.size; ) {
    const { limit, asked } = next;
    const entries = await asked;
    // Read while those that are here are decided.
    if (entries.length === limit) next = ask(reached.size + limit);
    for (const stored of entries) [reached] = replay(state, reached, stored);
    if (entries.length < limit) throw new ChainBreak(reached.size + 1, "it is missing");
    await yieldToLoop();
  }
  invariant(reached.hash === head.hash, `replay ends at the head ${head.hash}`);
}

/** @throws JournalRefusal where the store runs on the other clock */
function refuseOtherClock({ exchange }: State, clock: ClockKind): void {
  if (exchange?.clock === clock) return;
  throw new JournalRefusal(
    `This store was founded with FIRSTPRINT_CLOCK=${exchange?.clock}, it cannot be served with ` +
      `FIRSTPRINT_CLOCK=${clock}. Start with ${exchange?.clock}, or use another store.`,
  );
}

interface SnapshotPlace {
  readonly journal: Pick<JournalReader, "read" | "newestSnapshot">;
  readonly key: SigningKey;
  readonly origin: string;
  readonly log: (message: string) => void;
}

/**
 * Of at most `upTo` entries. A damaged snapshot costs time, not the exchange: the next older one is
 * tried, then none.
 */
export async function soundSnapshot(
  { journal, key, origin, log }: SnapshotPlace,
  upTo: number,
): Promise<{ readonly head: Head; readonly state: State } | undefined> {
  for (let below = upTo + 1; ; ) {
    const snapshot = await journal.newestSnapshot(below);
    if (snapshot === undefined) return undefined;
    try {
      const { size, note } = snapshot;
      const stored = { size, note, pages: await snapshot.pages() };
      const opened = openSnapshot(key, origin, stored);
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
