// A journal whose calls fail, fail after they took effect, or are slow, as a plan says.
// Invariant: apart from the planned call, everything reaches the journal behind it unchanged.
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import type { Journal, JournalReader, Lead } from "#journal/journal.ts";

export const faultKinds = ["failed", "failed but stored", "slow"] as const;
export type FaultKind = (typeof faultKinds)[number];

export const faultOperations = [
  "lead",
  "read",
  "newest",
  "oldest",
  "counts",
  "touching",
  "filed",
  "touches",
  "newestCheckpoint",
  "checkpointsAfter",
  "newestSnapshot",
  "snapshotsAfter",
  "entryHashes",
  "leafTiles",
  "newestLogHead",
  "logHeadsAfter",
  "append",
  "keepCheckpoint",
  "keepLogHead",
  "keepSnapshot",
  "release",
  "file",
] as const;
export type FaultOperation = (typeof faultOperations)[number];

export interface Fault {
  readonly operation: FaultOperation;
  /** The call that is hit, counted from 1 in each operation. */
  readonly call: number;
  readonly kind: FaultKind;
}

const SLOW_MILLIS = 15;

export class FaultyJournal implements Journal {
  readonly calls = new Map<FaultOperation, number>();
  readonly #behind: Journal;
  /** The faults that have not struck yet. */
  readonly planned: Set<Fault>;

  constructor(behind: Journal, ...faults: readonly Fault[]) {
    this.#behind = behind;
    this.planned = new Set(faults);
  }

  async lead(onLost: (reason: Error) => void, whileTaken?: () => Promise<void>): Promise<Lead> {
    // A connection that breaks while leadership is taken takes the leadership with it.
    const lead = await this.hit(
      "lead",
      () => this.#behind.lead(onLost, whileTaken),
      (taken) => taken.abandon(),
    );
    return {
      head: lead.head,
      epoch: lead.epoch,
      storage: lead.storage,
      heardOfAt: () => lead.heardOfAt(),
      append: (entries) => this.hit("append", () => lead.append(entries)),
      keepCheckpoint: (note) => this.hit("keepCheckpoint", () => lead.keepCheckpoint(note)),
      keepTiles: (tiles) => lead.keepTiles(tiles),
      keepLogHead: (head) => this.hit("keepLogHead", () => lead.keepLogHead(head)),
      keepSnapshot: (snapshot) => this.hit("keepSnapshot", () => lead.keepSnapshot(snapshot)),
      release: () => this.hit("release", () => lead.release()),
      abandon: () => lead.abandon(),
    };
  }

  read: JournalReader["read"] = (from, limit) =>
    this.hit("read", () => this.#behind.read(from, limit));
  newest: JournalReader["newest"] = (filter, upTo, limit, offset) =>
    this.hit("newest", () => this.#behind.newest(filter, upTo, limit, offset));
  oldest: JournalReader["oldest"] = (filter, after, upTo, limit) =>
    this.hit("oldest", () => this.#behind.oldest(filter, after, upTo, limit));
  counts: JournalReader["counts"] = (filter, upTo) =>
    this.hit("counts", () => this.#behind.counts(filter, upTo));
  touching: JournalReader["touching"] = (range, limit) =>
    this.hit("touching", () => this.#behind.touching(range, limit));
  filed: JournalReader["filed"] = (range, limit) =>
    this.hit("filed", () => this.#behind.filed(range, limit));
  touches: JournalReader["touches"] = (first, last) =>
    this.hit("touches", () => this.#behind.touches(first, last));
  newestCheckpoint: JournalReader["newestCheckpoint"] = () =>
    this.hit("newestCheckpoint", () => this.#behind.newestCheckpoint());
  checkpointsAfter: JournalReader["checkpointsAfter"] = (size, limit) =>
    this.hit("checkpointsAfter", () => this.#behind.checkpointsAfter(size, limit));
  newestSnapshot: JournalReader["newestSnapshot"] = (below) =>
    this.hit("newestSnapshot", () => this.#behind.newestSnapshot(below));
  snapshotsAfter: JournalReader["snapshotsAfter"] = (size, limit) =>
    this.hit("snapshotsAfter", () => this.#behind.snapshotsAfter(size, limit));
  entryHashes: JournalReader["entryHashes"] = (from, limit) =>
    this.hit("entryHashes", () => this.#behind.entryHashes(from, limit));
  leafTiles: JournalReader["leafTiles"] = () =>
    this.hit("leafTiles", () => this.#behind.leafTiles());
  tile: JournalReader["tile"] = (place) => this.#behind.tile(place);
  newestLogHead: JournalReader["newestLogHead"] = () =>
    this.hit("newestLogHead", () => this.#behind.newestLogHead());
  newestCosignedHead: JournalReader["newestCosignedHead"] = () => this.#behind.newestCosignedHead();
  logHead: JournalReader["logHead"] = (size) => this.#behind.logHead(size);
  logHeadsAfter: JournalReader["logHeadsAfter"] = (size, limit) =>
    this.hit("logHeadsAfter", () => this.#behind.logHeadsAfter(size, limit));

  /** A checkpoint file whose appends count as the operation `file`. */
  log(behind: CheckpointLog): CheckpointLog {
    return {
      path: behind.path,
      newest: () => behind.newest(),
      append: (note) => this.hit("file", () => behind.append(note)),
      notes: () => behind.notes(),
    };
  }

  async hit<T>(
    operation: FaultOperation,
    run: () => Promise<T>,
    undo: (result: T) => void = () => undefined,
  ): Promise<T> {
    const call = (this.calls.get(operation) ?? 0) + 1;
    this.calls.set(operation, call);
    const fault = [...this.planned].find((one) => one.operation === operation && one.call === call);
    if (fault === undefined) return run();
    this.planned.delete(fault);
    switch (fault.kind) {
      case "failed":
        throw new Error(`planned: ${operation} ${call} failed`);
      case "failed but stored":
        undo(await run());
        throw new Error(`planned: ${operation} ${call} failed but stored`);
      case "slow":
        await sleep(SLOW_MILLIS);
        return run();
    }
  }
}
