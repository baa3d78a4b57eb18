// How old what a node shows may be, and for whom.
// Invariant: a key that was revoked is refused by every node a second later: what only a key may
// read is shown for no longer than that without a sign of the leader.

import { setTimeout as sleep } from "node:timers/promises";
import { InvariantBreach } from "#base/invariant.ts";
import { ChainBreak } from "#journal/chain.ts";
import { JournalRefusal, LeadershipTaken } from "#journal/journal.ts";
import type { Engine, NodeRole, Privacy } from "./engine.ts";

/**
 * The most a follower's public answers lag behind the leader. A leader that hangs is replaced
 * within it, so a failover alone takes no follower out.
 */
const MOST_LAG_MILLIS = 10_000;
const PRIVATE_MILLIS = 1_000;
/** A node that stands by reads the journal itself: it neither leads nor follows after this. */
const STANDBY_MILLIS = 2_000;

const publicMillis: Readonly<Record<NodeRole, number>> = {
  leader: STANDBY_MILLIS,
  standby: STANDBY_MILLIS,
  follower: MOST_LAG_MILLIS,
};

export const isFresh = (role: NodeRole, privacy: Privacy, ageMillis: number): boolean =>
  ageMillis < (privacy === "private" ? PRIVATE_MILLIS : publicMillis[role]);

/** A heartbeat is sent each quarter of a second, and its answer is read a turn later. */
const LOOKS = 12;
const LOOK_MILLIS = 50;

/**
 * Signs of life lie unread while this node's own loop is held. A caller that asks then waits for
 * turns of the loop, in which they are read, before the node takes their absence for silence.
 */
export class LateSigns {
  readonly #engine: Pick<Engine, "isCurrent">;
  readonly #heardAt: () => number;
  readonly #looks = new Map<Privacy, Promise<boolean>>();
  /** The newest sign when a look was in vain: as long as none follows it, nobody waits again. */
  #lastOne: number | undefined;

  constructor(engine: Pick<Engine, "isCurrent">, heardAt: () => number) {
    this.#engine = engine;
    this.#heardAt = heardAt;
  }

  come(privacy: Privacy): Promise<boolean> {
    const looking = this.#looks.get(privacy);
    if (looking !== undefined) return looking;
    if (this.#lastOne === this.#heardAt()) return Promise.resolve(false);
    const look = this.#look(privacy);
    this.#looks.set(privacy, look);
    return look;
  }

  async #look(privacy: Privacy): Promise<boolean> {
    let isCurrent = false;
    for (let looks = 0; looks < LOOKS && !isCurrent; looks += 1) {
      await sleep(LOOK_MILLIS, undefined, { ref: false });
      isCurrent = this.#engine.isCurrent(privacy);
    }
    if (!isCurrent) this.#lastOne = this.#heardAt();
    this.#looks.delete(privacy);
    return isCurrent;
  }
}

/** As a status tells it; null where nothing has been heard of. */
export const wholeMillis = (ageMillis: number): number | null =>
  Number.isFinite(ageMillis) ? Math.max(0, Math.round(ageMillis)) : null;

/** Those who wait until an entry is durable and shown here. */
export class SequenceWaits {
  readonly #waits = new Set<{ readonly sequence: number; tell(reached: boolean): void }>();

  /** False where it does not come within the time. */
  until(sequence: number, patienceMillis: number): Promise<boolean> {
    return new Promise((resolve) => {
      const wait = {
        sequence,
        tell: (reached: boolean): void => {
          clearTimeout(timer);
          this.#waits.delete(wait);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => wait.tell(false), patienceMillis);
      this.#waits.add(wait);
    });
  }

  grown(toSequence: number): void {
    for (const wait of this.#waits) if (wait.sequence <= toSequence) wait.tell(true);
  }
}

/** True where another try cannot help. A leader elsewhere can go away: until then we stand by. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ChainBreak ||
  error instanceof InvariantBreach ||
  (error instanceof JournalRefusal && !(error instanceof LeadershipTaken));
