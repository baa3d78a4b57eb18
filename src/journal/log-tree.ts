// The Merkle tree over the hashes of all entries, in tiles (C2SP tlog-tiles).
// Invariant: in memory are only the hashes of tiles that are not full; a full tile never changes.
import { coverOf, HASH_BYTES, joined, leafHash, nodeHash, type Subtree } from "./merkle.ts";

/** Hashes in a full tile; a tile is a subtree of eight levels. */
export const TILE_HASHES = 256;
const TILE_LEVELS = 8;
export const TILE_BYTES = TILE_HASHES * HASH_BYTES;

/** Where a tile stands: in its level, from the left. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
}

/** A full one. */
export interface Tile extends TilePlace {
  readonly hashes: Uint8Array;
}

/** How many full tiles a level has in a tree of so many leaves. */
export const fullTiles = (size: number, level: number): number =>
  Math.floor(size / TILE_HASHES ** (level + 1));

/** Hashes of a tile with those of every subtree in it: what proofs are made of. */
export class TileHashes {
  /** From the hashes themselves up to those of the largest subtrees that are complete. */
  readonly #levels: Buffer[];

  constructor(hashes: Uint8Array) {
    this.#levels = [Buffer.from(hashes)];
    for (let below = this.#levels[0]; below !== undefined; ) {
      const pairs = Math.floor(below.length / (2 * HASH_BYTES));
      if (pairs === 0 || this.#levels.length > TILE_LEVELS) return;
      const level = Buffer.alloc(pairs * HASH_BYTES);
      for (let at = 0; at < pairs; at += 1) {
        const left = below.subarray(2 * at * HASH_BYTES, (2 * at + 1) * HASH_BYTES);
        const right = below.subarray((2 * at + 1) * HASH_BYTES, (2 * at + 2) * HASH_BYTES);
        level.set(nodeHash(left, right), at * HASH_BYTES);
      }
      this.#levels.push(level);
      below = level;
    }
  }

  /** Of the subtree of 2^level of its hashes; undefined where that is not complete. */
  at(level: number, index: number): Buffer | undefined {
    const hashes = this.#levels[level];
    const end = (index + 1) * HASH_BYTES;
    if (hashes === undefined || end > hashes.length) return undefined;
    return hashes.subarray(end - HASH_BYTES, end);
  }
}

export class LogTree {
  #size = 0;
  /** By level: the hashes of the tile that is not full yet. */
  readonly #edge: Buffer[][] = [];
  #full: Tile[] = [];

  /**
   * The tree of all leaves in the full tiles of the lowest level. `roots`: of the full tiles of a
   * level, those that no full tile of the level above holds.
   */
  static from(fullLeafTiles: number, roots: (level: number) => readonly Buffer[]): LogTree {
    const tree = new LogTree();
    tree.#size = fullLeafTiles * TILE_HASHES;
    for (let level = 0; fullTiles(tree.#size, level) > 0; level += 1) {
      tree.#edge[level] ??= [];
      tree.#edge[level + 1] = [...roots(level)];
    }
    return tree;
  }

  get size(): number {
    return this.#size;
  }

  /** The next entry, by its hash as the chain has it: 64 hex characters. */
  append(entryHash: string): void {
    this.#size += 1;
    this.#add(0, leafHash(Buffer.from(entryHash, "hex")));
  }

  root(): Buffer {
    return joined(
      coverOf([0, this.#size]).map((subtree) => {
        const found = this.edgeHash(subtree);
        if (found === undefined) throw new Error("the right edge of the tree is not whole");
        return found;
      }),
    );
  }

  /** A subtree's hash, where it is among the hashes of tiles that are not full. */
  edgeHash({ level, index }: Subtree): Buffer | undefined {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const width = 2 ** (level - tileLevel * TILE_LEVELS);
    const first = index * width - fullTiles(this.#size, tileLevel) * TILE_HASHES;
    const hashes = this.#edge[tileLevel]?.slice(Math.max(first, 0), first + width) ?? [];
    return first < 0 || hashes.length < width ? undefined : joinedEvenly(hashes);
  }

  /** Hashes of the tile of a level that is not full, as many as there are. */
  partial(level: number): Buffer {
    return Buffer.concat(this.#edge[level] ?? []);
  }

  /** Tiles that became full since they were forgotten last, oldest first. */
  get full(): readonly Tile[] {
    return this.#full;
  }

  /** These are kept elsewhere now. */
  forget(tiles: readonly Tile[]): void {
    this.#full = this.#full.filter((tile) => !tiles.includes(tile));
  }

  #add(level: number, hash: Buffer): void {
    const edge = this.#edge[level] ?? [];
    this.#edge[level] = edge;
    edge.push(hash);
    if (edge.length < TILE_HASHES) return;
    // Before the level above grows: the tile itself is what that hash is of.
    const index = fullTiles(this.#size, level) - 1;
    this.#full.push({ level, index, hashes: Buffer.concat(edge) });
    this.#edge[level] = [];
    this.#add(level + 1, joinedEvenly(edge));
  }
}

/** The root over a power of two of hashes. */
export function joinedEvenly(hashes: readonly Buffer[]): Buffer {
  let row = hashes;
  while (row.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at + 1 < row.length; at += 2) {
      const [left, right] = [row[at], row[at + 1]];
      if (left !== undefined && right !== undefined) above.push(nodeHash(left, right));
    }
    row = above;
  }
  const [root] = row;
  if (root === undefined) throw new Error("a subtree has at least one hash");
  return root;
}

/** The hashes in the bytes of a tile. */
export const hashesIn = (bytes: Uint8Array): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    Buffer.from(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
