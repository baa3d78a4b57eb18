// Opens the engine on a journal and a data folder: the one way to start it.
// Invariant: an open engine has a state that was replayed and a checkpoint that is kept.
import { CheckpointFile } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import type { Note } from "#journal/journal.ts";
import { generateSigningKey, type SigningKey } from "#journal/note.ts";
import type { Engine } from "./engine.ts";
import { randomChainId } from "./leadership.ts";
import { HeapRoom } from "./room.ts";
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
  | "onRecovered"
  | "onAppended"
  | "onDurable"
  | "onFatal"
  | "onLogSigned";

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

/**
 * Throws `LeadershipTaken`, `JournalRefusal` or `ChainBreak` when this journal must not be led,
 * whatever the store throws when it is out of reach.
 */
export async function openEngine(options: EngineOptions): Promise<OpenEngine> {
  const { dataDir } = options;
  const key = options.key ?? (await keyOf(dataDir));
  const room = new HeapRoom();
  const files = dataDir === undefined ? undefined : await openFiles(dataDir);
  const sequencer = new Sequencer({
    ...engineDefaults,
    now: Date.now,
    chainId: randomChainId,
    log: () => undefined,
    onRecovered: () => undefined,
    onDurable: () => undefined,
    heapShare: () => room.share,
    onLogSigned: () => undefined,
    onLeading: () => undefined,
    // Without anybody to tell, going on would hide a breach.
    onFatal: (error) => {
      queueMicrotask(() => {
        throw error;
      });
    },
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
    isCurrent: () => sequencer.isCurrent(),
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
