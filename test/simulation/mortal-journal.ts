// The journal as one process sees it that will be killed, or cut off, at a boundary chosen before.
// Invariant: whoever is dead is never answered again; what lies in the journal behind it stays.
import { setImmediate as turn } from "node:timers/promises";
import type { Journal, JournalReader, Lead } from "#journal/journal.ts";
import type { MemoryJournal } from "#journal/memory.ts";

/** Where a process ends. */
export const crashes = [
  "not sent",
  "sent, not committed",
  "committed, not acknowledged",
  "acknowledged, not projected",
  "mid-snapshot",
  "mid-checkpoint",
] as const;
/** The faults that a process outlives, but not its term. */
export const faults = ["append failed", "append failed but stored", "deposed"] as const;
type Strike = (typeof crashes)[number] | (typeof faults)[number];

const never = <T>(): Promise<T> => new Promise(() => undefined);

export class MortalJournal implements Journal {
  readonly #behind: MemoryJournal;
  readonly #died = Promise.withResolvers<"died">();
  #lead: Lead | undefined;
  #armed: Strike | undefined;
  isDead = false;
  /** Strikes that have come. */
  readonly struck: Strike[] = [];

  constructor(behind: MemoryJournal) {
    this.#behind = behind;
  }

  get died(): Promise<"died"> {
    return this.#died.promise;
  }

  /** Strikes once, when its boundary is next reached. */
  arm(strike: Strike): void {
    this.#armed = strike;
  }

  /** Commands are decided and none of them is sent: what strikes here strikes now. */
  decided(): void {
    if (this.#reached("not sent")) this.kill();
    if (this.#reached("deposed")) this.#behind.depose();
  }

  /** An entry is acknowledged by the journal; false when nobody lives to show it. */
  projects(): boolean {
    if (this.#reached("acknowledged, not projected")) this.kill();
    return !this.isDead;
  }

  kill(): void {
    this.isDead = true;
    this.#lead?.abandon();
    this.#died.resolve("died");
  }

  async lead(onLost: (reason: Error) => void): Promise<Lead> {
    const lead = await this.#alive(() => this.#behind.lead(onLost));
    this.#lead = lead;
    return {
      head: lead.head,
      epoch: lead.epoch,
      storage: lead.storage,
      heardOfAt: () => lead.heardOfAt(),
      append: (entries) => this.#alive(() => this.#append(() => lead.append(entries))),
      keepCheckpoint: (checkpoint) =>
        this.#alive(() => {
          if (this.#reached("mid-checkpoint")) this.kill();
          return this.#alive(() => lead.keepCheckpoint(checkpoint));
        }),
      keepTiles: (tiles) => this.#alive(() => lead.keepTiles(tiles)),
      keepLogHead: (head) => this.#alive(() => lead.keepLogHead(head)),
      keepSnapshot: (snapshot) =>
        this.#alive(async () => {
          if (!this.#reached("mid-snapshot")) return lead.keepSnapshot(snapshot);
          // Worse than a database does it: half of the bytes are there to be found.
          const pages = snapshot.pages.map(({ digest, bytes }) => ({
            digest,
            bytes: bytes?.slice(0, bytes.length / 2),
          }));
          await lead.keepSnapshot({ ...snapshot, pages });
          this.kill();
          return never();
        }),
      release: () => this.#alive(() => lead.release()),
      abandon: () => {
        if (!this.isDead) lead.abandon();
      },
    };
  }

  async #append(store: () => Promise<void>): Promise<void> {
    if (this.#reached("append failed")) throw new Error("planned: the append failed");
    if (this.#reached("sent, not committed")) {
      this.kill();
      return never();
    }
    // Others are decided meanwhile, as they are while a database writes.
    await turn();
    if (this.isDead) return never();
    await store();
    if (this.#reached("append failed but stored")) throw new Error("planned: the answer is lost");
    if (!this.#reached("committed, not acknowledged")) return;
    this.kill();
    return never();
  }

  #reached(strike: Strike): boolean {
    if (this.isDead || this.#armed !== strike) return false;
    this.#armed = undefined;
    this.struck.push(strike);
    return true;
  }

  #alive<T>(run: () => Promise<T>): Promise<T> {
    return this.isDead ? never() : run();
  }

  read: JournalReader["read"] = (...args) => this.#alive(() => this.#behind.read(...args));
  newest: JournalReader["newest"] = (...args) => this.#alive(() => this.#behind.newest(...args));
  oldest: JournalReader["oldest"] = (...args) => this.#alive(() => this.#behind.oldest(...args));
  counts: JournalReader["counts"] = (...args) => this.#alive(() => this.#behind.counts(...args));
  touching: JournalReader["touching"] = (...args) =>
    this.#alive(() => this.#behind.touching(...args));
  filed: JournalReader["filed"] = (...args) => this.#alive(() => this.#behind.filed(...args));
  touches: JournalReader["touches"] = (...args) => this.#alive(() => this.#behind.touches(...args));
  newestCheckpoint: JournalReader["newestCheckpoint"] = () =>
    this.#alive(() => this.#behind.newestCheckpoint());
  checkpointsAfter: JournalReader["checkpointsAfter"] = (...args) =>
    this.#alive(() => this.#behind.checkpointsAfter(...args));
  newestSnapshot: JournalReader["newestSnapshot"] = (below) =>
    this.#alive(() => this.#behind.newestSnapshot(below));
  snapshotsAfter: JournalReader["snapshotsAfter"] = (...args) =>
    this.#alive(() => this.#behind.snapshotsAfter(...args));
  entryHashes: JournalReader["entryHashes"] = (...args) =>
    this.#alive(() => this.#behind.entryHashes(...args));
  leafTiles: JournalReader["leafTiles"] = () => this.#alive(() => this.#behind.leafTiles());
  tile: JournalReader["tile"] = (place) => this.#alive(() => this.#behind.tile(place));
  newestLogHead: JournalReader["newestLogHead"] = () =>
    this.#alive(() => this.#behind.newestLogHead());
  newestCosignedHead: JournalReader["newestCosignedHead"] = () =>
    this.#alive(() => this.#behind.newestCosignedHead());
  logHead: JournalReader["logHead"] = (size) => this.#alive(() => this.#behind.logHead(size));
  logHeadsAfter: JournalReader["logHeadsAfter"] = (...args) =>
    this.#alive(() => this.#behind.logHeadsAfter(...args));
}
