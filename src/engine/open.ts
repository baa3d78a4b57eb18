// Opens the engine on a journal and a data folder: the one way to start it.
// Invariant: an open engine has a state that was replayed and a checkpoint that is kept.

import type { Entry } from "#core/outcome.ts";
import { CheckpointFile } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import type { Note } from "#journal/journal.ts";
import { generateSigningKey, type SigningKey } from "#journal/note.ts";
import type { Engine } from "./engine.ts";
import { type FollowedJournal, Follower } from "./follower.ts";
import { randomChainId } from "./leadership.ts";
import { MemoryRoom } from "./room.ts";
import { Sequencer, type SequencerOptions } from "./sequencer.ts";

type Optional =
  | "now"
  | "log"
  | "chainId"
  | "checkpoints"
  | "snapshotEntries"
  | "waitingLimit"
  | "standsBy"
  | "onLeading"
  | "onNotLeader"
  | "onRecovered"
  | "onAppended"
  | "onDurable"
  | "shown"
  | "onFatal"
  | "onLogSigned"
  | "memoryShare"
  | "makePages";

export type EngineOptions = Pick<SequencerOptions, "journal" | "clock"> &
  Partial<Pick<SequencerOptions, Optional>> & {
    /** Holds `checkpoint.key` and `checkpoints`; absent only for a journal in memory. */
    readonly dataDir?: string;
    /** Instead of the data folder's key. */
    readonly key?: SigningKey;
  };

export interface OpenEngine extends Engine {
  /** Of the term this node leads in, as far as it knows; undefined while it does not lead. */
  epoch(): number | undefined;
  /** Keeps valid cosignatures of witnesses on a head of the transparency log. */
  cosigned(head: Note, lines: string): Promise<void>;
  /** Leaves the lead to a node that stands by, and stands by itself. */
  handOver(): Promise<void>;
  /** Drains what was taken in, signs, snapshots, gives leadership back; the journal stays open. */
  stop(): Promise<void>;
}

export const engineDefaults = {
  checkpoints: { entries: 1_000, millis: 1_000 },
  snapshotEntries: 20_000,
  waitingLimit: 10_000,
  standsBy: false,
} as const;

/** Where nobody is told. */
const quiet = {
  log: () => undefined,
  onRecovered: () => undefined,
  onDurable: () => undefined,
  // Without anybody to tell, going on would hide a breach.
  onFatal: (error: unknown) => {
    queueMicrotask(() => {
      throw error;
    });
  },
} as const;

/**
 * Throws `LeadershipTaken`, `JournalRefusal` or `ChainBreak` when this journal must not be led,
 * whatever the store throws when it is out of reach.
 */
export async function openEngine(options: EngineOptions): Promise<OpenEngine> {
  const { dataDir } = options;
  const key = options.key ?? (await keyOf(dataDir));
  const room = new MemoryRoom();
  const files = dataDir === undefined ? undefined : await openFiles(dataDir);
  const sequencer = new Sequencer({
    ...engineDefaults,
    now: Date.now,
    chainId: randomChainId,
    ...quiet,
    memoryShare: () => room.share,
    onLogSigned: () => undefined,
    onLeading: () => undefined,
    ...options,
    key,
    file: files?.chain,
    logFile: files?.log,
  });
  try {
    await sequencer.start();
  } catch (error) {
    room.close();
    await files?.close();
    throw error;
  }
  return {
    submit: (request) => sequencer.submit(request),
    status: () => sequencer.status(),
    isCurrent: (privacy) => sequencer.isCurrent(privacy),
    becomesCurrent: (privacy) => sequencer.becomesCurrent(privacy),
    shows: () => sequencer.shows(),
    reaches: (sequence) => sequencer.reaches(sequence),
    chargeOf: (actor, command) => sequencer.chargeOf(actor, command),
    answersKeptSeconds: (actor) => sequencer.answersKeptSeconds(actor),
    handOver: () => sequencer.handOver(),
    epoch: () => sequencer.epoch(),
    history: sequencer.history,
    cosigned: (head, lines) => sequencer.cosigned(head, lines),
    stop: async () => {
      await sequencer.stop();
      room.close();
      await files?.close();
    },
  };
}

type FollowerOptions = Omit<EngineOptions, "journal" | "onDurable"> & {
  readonly journal: FollowedJournal;
  /** Shows the entry; where that takes time, nothing later is shown before it is over. */
  readonly onDurable: (entry: Entry) => Promise<void> | undefined;
};

/** The engine of a node that only reads: it waits until there is something to follow. */
export async function openFollower(options: FollowerOptions): Promise<OpenEngine> {
  const room = new MemoryRoom();
  const follower = new Follower({
    ...quiet,
    now: Date.now,
    memoryShare: () => room.share,
    ...options,
    key: options.key ?? (await keyOf(options.dataDir)),
  });
  try {
    await follower.start();
  } catch (error) {
    room.close();
    throw error;
  }
  return {
    submit: () => follower.submit(),
    status: () => follower.status(),
    isCurrent: (privacy) => follower.isCurrent(privacy),
    becomesCurrent: (privacy) => follower.becomesCurrent(privacy),
    shows: () => follower.shows(),
    reaches: (sequence) => follower.reaches(sequence),
    chargeOf: () => follower.chargeOf(),
    answersKeptSeconds: () => follower.answersKeptSeconds(),
    epoch: () => undefined,
    history: follower.history,
    cosigned: () => Promise.resolve(),
    handOver: () => Promise.resolve(),
    stop: async () => {
      await follower.stop();
      room.close();
    },
  };
}

async function openFiles(dataDir: string) {
  const chain = await CheckpointFile.open(dataDir);
  try {
    const log = await CheckpointFile.open(dataDir, "log");
    return {
      chain,
      log,
      close: async () => void (await Promise.all([chain.close(), log.close()])),
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

const keyOf = async (dataDir: string | undefined): Promise<SigningKey> =>
  dataDir === undefined ? generateSigningKey() : loadSigningKey(dataDir);
