// Places in the order of their rank, with a list of places for every one to three letters in a row.
// Invariant: the list of a run of letters holds, by rising rank, every place whose keys hold it;
// it may hold others, so a place counts only once its keys were looked at.
import { coarseness, type GeoLevel, type GeoNode } from "./node.ts";

/** A place and its keys, each between line ends: `"\naustin\natx\n"`. */
export interface SearchEntry {
  readonly node: GeoNode;
  readonly keys: string;
  /** The same keys with letters and digits alone. */
  readonly looseKeys: string;
}

export type KeysOf = "keys" | "looseKeys";

interface Filter {
  readonly level?: GeoLevel | undefined;
  readonly stateCode?: string | undefined;
}

/** Lists are picked by a hash of their run; two runs on one list cost time, never an answer. */
const LIST_BITS = 16;
const LINE_END = 10;

/**
 * All lists stand in one array of numbers, so that a place costs 4 bytes for each run of letters
 * it holds: with both its keys 27 MB at 70,000 places (bench/geo-search.ts, 2026-11).
 */
export class SearchIndex {
  readonly #entries: readonly SearchEntry[];
  readonly #levels: Uint8Array;
  readonly #states: Uint16Array;
  readonly #stateNumbers = new Map<string, number>();
  /** Where each list starts in `#ranks`; one more than there are lists. */
  readonly #starts: Uint32Array;
  readonly #ranks: Uint32Array;
  #looks = 0;

  /** `entries` by rising rank. */
  constructor(entries: readonly SearchEntry[]) {
    this.#entries = entries;
    this.#levels = Uint8Array.from(entries, ({ node }) => coarseness(node.level));
    this.#states = Uint16Array.from(entries, ({ node }) => this.#numberOf(node.stateCode));
    this.#starts = new Uint32Array(2 ** LIST_BITS + 1);
    forEachListing(entries, (list) => {
      this.#starts[list + 1] = (this.#starts[list + 1] ?? 0) + 1;
    });
    for (let list = 1; list < this.#starts.length; list += 1) {
      this.#starts[list] = (this.#starts[list] ?? 0) + (this.#starts[list - 1] ?? 0);
    }
    this.#ranks = new Uint32Array(this.#starts.at(-1) ?? 0);
    const ends = this.#starts.slice();
    forEachListing(entries, (list, rank) => {
      const end = ends[list] ?? 0;
      this.#ranks[end] = rank;
      ends[list] = end + 1;
    });
  }

  #numberOf(stateCode: string): number {
    const number = this.#stateNumbers.get(stateCode) ?? this.#stateNumbers.size;
    this.#stateNumbers.set(stateCode, number);
    return number;
  }

  /** Places looked at since it was made. */
  get looks(): number {
    return this.#looks;
  }

  /** The first by rank, at most `limit`, whose keys hold the needle and that `counts` lets pass. */
  firstHolding(
    needle: string,
    limit: number,
    { level, stateCode, by }: Filter & { readonly by: KeysOf },
    counts: (entry: SearchEntry) => boolean,
  ): SearchEntry[] {
    const wantedLevel = level === undefined ? undefined : coarseness(level);
    const state = stateCode === undefined ? undefined : (this.#stateNumbers.get(stateCode) ?? -1);
    const found: SearchEntry[] = [];
    for (const rank of this.#shortestList(needle)) {
      this.#looks += 1;
      if (wantedLevel !== undefined && this.#levels[rank] !== wantedLevel) continue;
      if (state !== undefined && this.#states[rank] !== state) continue;
      const entry = this.#entries[rank];
      if (entry === undefined || !entry[by].includes(needle) || !counts(entry)) continue;
      if (found.push(entry) === limit) break;
    }
    return found;
  }

  #shortestList(needle: string): Uint32Array {
    const width = Math.min(needle.length, 3);
    let from = 0;
    let to = this.#ranks.length;
    for (let at = 0; at + width <= needle.length; at += 1) {
      const list = listOf(needle, at, width);
      const start = this.#starts[list] ?? 0;
      const end = this.#starts[list + 1] ?? 0;
      if (end - start < to - from) [from, to] = [start, end];
    }
    return this.#ranks.subarray(from, to);
  }
}

/** Each list that each place belongs on, by any of its keys, once, by rising rank. */
function forEachListing(
  entries: readonly SearchEntry[],
  visit: (list: number, rank: number) => void,
): void {
  const lastRank = new Int32Array(2 ** LIST_BITS).fill(-1);
  const listKeys = (keys: string, rank: number): void => {
    for (let at = 0; at < keys.length; at += 1) {
      for (let width = 1; width <= 3 && at + width <= keys.length; width += 1) {
        // Nobody asks for the end of one key with the start of the next.
        if (width === 3 && keys.charCodeAt(at + 1) === LINE_END) continue;
        const list = listOf(keys, at, width);
        if (lastRank[list] === rank) continue;
        lastRank[list] = rank;
        visit(list, rank);
      }
    }
  };
  for (const [rank, { keys, looseKeys }] of entries.entries()) {
    listKeys(keys, rank);
    if (looseKeys !== keys) listKeys(looseKeys, rank);
  }
}

function listOf(text: string, at: number, width: number): number {
  let mixed = width;
  for (let step = 0; step < width; step += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at + step), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> (32 - LIST_BITS);
}
