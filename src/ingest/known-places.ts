// What the releases of one index and level say of every place, kept in memory between their files.
// Invariant: what is kept is what reading those releases again from the store would give.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { KnownNode } from "#prints/first-prints.ts";
import type { PrintStore } from "./store.ts";

export interface Known {
  readonly nodes: ReadonlyMap<NodeId, KnownNode>;
  /** Which place each of a provider's regions turned out to be. */
  readonly regions: ReadonlyMap<string, NodeId>;
}

/** A month of a place takes about a hundred bytes, so all that is kept stays near 100 MB. */
const MOST_MONTHS = 1_000_000;

/**
 * Reading the earlier releases again for every file took half of the first start with the sample
 * (140 files, 2026-11). What does not fit is read again, as after a start.
 */
export class KnownPlaces {
  readonly #store: PrintStore;
  readonly #mostMonths: number;
  /** By the releases it was drawn from, oldest first. */
  readonly #kept = new Map<string, { readonly known: Known; readonly months: number }>();

  constructor(store: PrintStore, mostMonths = MOST_MONTHS) {
    this.#store = store;
    this.#mostMonths = mostMonths;
  }

  /** `releases`, oldest first, are all that were accepted of one index and level. */
  async of(releases: readonly ReleaseId[]): Promise<Known> {
    const kept = this.#kept.get(nameOf(releases));
    if (kept !== undefined) return kept.known;
    return {
      nodes: await this.#store.known(releases),
      regions: await this.#store.regions(releases),
    };
  }

  /** Once `next` is accepted after `releases`: only what it changed of `before`. */
  grow(releases: readonly ReleaseId[], next: ReleaseId, before: Known, changed: Known): void {
    this.#kept.delete(nameOf(releases));
    const known = {
      nodes: new Map([...before.nodes, ...changed.nodes]),
      regions: new Map([...before.regions, ...changed.regions]),
    };
    let months = 0;
    for (const { values } of known.nodes.values()) months += values.length;
    this.#kept.set(nameOf([...releases, next]), { known, months });
    this.#makeRoom();
  }

  /** The series that was longest without a new release goes first. */
  #makeRoom(): void {
    let months = 0;
    for (const kept of this.#kept.values()) months += kept.months;
    for (const [name, kept] of this.#kept) {
      if (months <= this.#mostMonths) return;
      this.#kept.delete(name);
      months -= kept.months;
    }
  }
}

const nameOf = (releases: readonly ReleaseId[]): string => releases.join(" ");
