// The Merkle tree of RFC 6962 with SHA-256: roots, inclusion proofs, consistency proofs.
// Invariant: a proof is accepted only where the hashes in it lead to the very roots it is held
// against, and none is left over.
import { hash } from "node:crypto";

export const HASH_BYTES = 32;

/** The 2^level leaves from index·2^level on, all of them there. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** Neighbouring leaves: from the first, to the one before the last number. */
type Range = readonly [from: number, to: number];

/** Asked for a buffer, Node takes twice as long as for text that is made one (24.21, 2026-11). */
const sha256 = (bytes: Uint8Array): Buffer =>
  Buffer.from(hash("sha256", bytes, "binary"), "binary");

export const emptyRoot: Buffer = sha256(new Uint8Array());

const leafInput = Buffer.alloc(1 + HASH_BYTES);
const nodeInput = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** SHA-256(0x00 ‖ leaf). */
export function leafHash(leaf: Uint8Array): Buffer {
  if (leaf.length !== HASH_BYTES) {
    return sha256(Buffer.concat([Uint8Array.of(0), leaf]));
  }
  leafInput.set(leaf, 1);
  return sha256(leafInput);
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + HASH_BYTES);
  return sha256(nodeInput);
}

/** The largest power of two below `size`, which is at least 2. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** The largest complete subtrees that a range of a tree is made of, from left to right. */
export function coverOf([from, to]: Range): readonly Subtree[] {
  const cover: Subtree[] = [];
  let start = from;
  while (start < to) {
    let [level, width] = [0, 1];
    while (width * 2 <= to - start && start % (width * 2) === 0) {
      width *= 2;
      level += 1;
    }
    cover.push({ level, index: start / width });
    start += width;
  }
  return cover;
}

/** The hash of a range, from the hashes of `coverOf` it. */
export const joined = (hashes: readonly Uint8Array[]): Buffer =>
  hashes.length === 0
    ? emptyRoot
    : Buffer.from(hashes.reduceRight((right, left) => nodeHash(left, right)));

/**
 * The ranges whose hashes prove that leaf `index` is in the tree of `size` leaves; RFC 6962, 2.1.1.
 */
export function inclusionRanges(index: number, size: number): readonly Range[] {
  const ranges: Range[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
    }
  }
  return ranges.reverse();
}

/**
 * The ranges whose hashes prove that a tree of `size` leaves begins with one of `before`; 2.1.2.
 */
export function consistencyRanges(before: number, size: number): readonly Range[] {
  if (before === 0 || before === size) return [];
  const ranges: Range[] = [];
  let [from, to] = [0, size];
  let isWhole = true;
  while (to !== before) {
    const middle = from + splitOf(to - from);
    if (before <= middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
      isWhole = false;
    }
  }
  if (!isWhole) ranges.push([from, to]);
  return ranges.reverse();
}

/** Whether `proof` shows that the tree of this size and root has the leaf hash at `index`. */
export function isIncluded(
  leaf: Uint8Array,
  index: number,
  size: number,
  root: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!(index >= 0 && index < size)) return false;
  const rest = [...proof];
  const found = rootOver(leaf, index, size, rest);
  return found !== undefined && rest.length === 0 && found.equals(root);
}

/** Takes what it needs off the end of `proof`, where the hashes nearest the root are. */
function rootOver(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: Uint8Array[],
): Buffer | undefined {
  if (size === 1) return Buffer.from(leaf);
  const split = splitOf(size);
  const sibling = proof.pop();
  const isLeft = index < split;
  const own = isLeft
    ? rootOver(leaf, index, split, proof)
    : rootOver(leaf, index - split, size - split, proof);
  if (own === undefined || sibling?.length !== HASH_BYTES) return undefined;
  return isLeft ? nodeHash(own, sibling) : nodeHash(sibling, own);
}

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether `proof` shows that the tree `later` begins with all the leaves of `before`. */
export function isConsistent(
  before: TreeHead,
  later: TreeHead,
  proof: readonly Uint8Array[],
): boolean {
  if (!(before.size >= 0 && before.size <= later.size)) return false;
  if (before.size === 0) return proof.length === 0 && emptyRoot.equals(before.root);
  const rest = [...proof];
  const found = rootsOver(before.size, later.size, rest, before.root);
  if (found === undefined || rest.length > 0) return false;
  return found.before.equals(before.root) && found.later.equals(later.root);
}

/**
 * Whether `proof` shows that the tree `later` begins with other leaves than `before`: it leads to
 * the later root, and to another one of the size before. A wrong proof shows nothing, and neither
 * does any proof from a size that is a power of two, since none of those has the old root in it.
 */
export function beginsOtherwise(
  before: TreeHead,
  later: TreeHead,
  proof: readonly Uint8Array[],
): boolean {
  if (before.size === later.size) return Buffer.compare(before.root, later.root) !== 0;
  if (!(before.size > 0 && before.size < later.size)) return false;
  const rest = [...proof];
  const found = rootsOver(before.size, later.size, rest, before.root);
  if (found === undefined || rest.length > 0) return false;
  return found.later.equals(later.root) && !found.before.equals(before.root);
}

/** `root`: of the old tree, as long as all that is left to look at is the old tree itself. */
function rootsOver(
  before: number,
  size: number,
  proof: Uint8Array[],
  root: Uint8Array | undefined,
): { readonly before: Buffer; readonly later: Buffer } | undefined {
  if (before === size) {
    const own = root ?? proof.pop();
    if (own?.length !== HASH_BYTES) return undefined;
    return { before: Buffer.from(own), later: Buffer.from(own) };
  }
  const split = splitOf(size);
  const sibling = proof.pop();
  const isLeft = before <= split;
  const own = isLeft
    ? rootsOver(before, split, proof, root)
    : rootsOver(before - split, size - split, proof, undefined);
  if (own === undefined || sibling?.length !== HASH_BYTES) return undefined;
  if (isLeft) return { before: own.before, later: nodeHash(own.later, sibling) };
  return { before: nodeHash(sibling, own.before), later: nodeHash(sibling, own.later) };
}
