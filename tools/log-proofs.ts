// Proofs of a transparency log (RFC 9162, sections 2.1.3.2 and 2.1.4.2), checked by a stranger, and
// its root where every entry is in hand.
// Invariant: nothing of the exchange's own code is used.
import { createHash } from "node:crypto";
import { isSame } from "./octets.ts";

const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const nodeOf = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(Uint8Array.of(1), left, right);

/** The root that the proof leads to from an entry's hash; undefined where it is no such proof. */
export function rootOfInclusion(
  entryHash: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size)) return undefined;
  let [node, last] = [index, size - 1];
  let root = sha256(Uint8Array.of(0), entryHash);
  for (const hash of proof) {
    if (last === 0 || hash.length !== 32) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeOf(hash, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = nodeOf(root, hash);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : undefined;
}

interface Head {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the tree of `later` begins with the whole tree of `before`. */
export function holdsBefore(before: Head, later: Head, proof: readonly Uint8Array[]): boolean {
  if (before.size > later.size || proof.some(({ length }) => length !== 32)) return false;
  if (before.size === later.size) return proof.length === 0 && isSame(before.root, later.root);
  if (before.size === 0) return proof.length === 0 && isSame(before.root, sha256());
  const isPower = Number.isInteger(Math.log2(before.size));
  const [first, ...rest] = isPower ? [before.root, ...proof] : proof;
  if (first === undefined) return false;
  let [node, last] = [before.size - 1, later.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  let [old, root] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      old = nodeOf(hash, old);
      root = nodeOf(hash, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = nodeOf(root, hash);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(old, before.root) && isSame(root, later.root);
}

const half = (number: number): number => Math.floor(number / 2);

/** The tree over entries' hashes that come one by one; it keeps one hash for a bit of its size. */
export class GrowingTree {
  /** Of the whole trees it is made of, the largest first. */
  readonly #peaks: { readonly leaves: number; readonly root: Uint8Array }[] = [];
  size = 0;

  add(entryHash: Uint8Array): void {
    let peak = { leaves: 1, root: sha256(Uint8Array.of(0), entryHash) };
    for (let left = this.#peaks.at(-1); left?.leaves === peak.leaves; left = this.#peaks.at(-1)) {
      this.#peaks.pop();
      peak = { leaves: 2 * peak.leaves, root: nodeOf(left.root, peak.root) };
    }
    this.#peaks.push(peak);
    this.size += 1;
  }

  /** Of no entries it is the hash of nothing. */
  get root(): Uint8Array {
    const roots = this.#peaks.map(({ root }) => root);
    return roots.length === 0 ? sha256() : roots.reduceRight((right, left) => nodeOf(left, right));
  }
}
