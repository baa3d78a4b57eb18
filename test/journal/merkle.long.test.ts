// The Merkle tree against RFC 6962's recursion, known roots, and proofs that were tampered with.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { LogTree } from "#journal/log-tree.ts";
import {
  consistencyRanges,
  coverOf,
  emptyRoot,
  inclusionRanges,
  isConsistent,
  isIncluded,
  joined,
  leafHash,
} from "#journal/merkle.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** MTH as section 2.1 writes it. */
function mth(leaves: readonly Uint8Array[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return sha256(Uint8Array.of(0), only);
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return sha256(Uint8Array.of(1), mth(leaves.slice(0, split)), mth(leaves.slice(split)));
}

/** The leaves of the tests of Certificate Transparency, and the roots over the first of them. */
const ctLeaves = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((hex) => Buffer.from(hex, "hex"));
const ctRoots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

const SIZES = sizeOfRun("FIRSTPRINT_TREE_SIZES", 300);
/** Of the trees to this size every proof is tampered with, of larger ones every seventh. */
const ALL_MUTATED = Math.floor(0.44 * SIZES);
const leaves = Array.from({ length: SIZES }, (_, at) => sha256(Buffer.from(`leaf ${at}`)));

const hashOf = (all: readonly Uint8Array[], range: readonly [number, number]): Buffer =>
  joined(
    coverOf(range).map(({ level, index }) =>
      mth(all.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    ),
  );

/** Each hash cut, changed, left out, doubled, or exchanged with the next. */
function* mutations(proof: readonly Buffer[]): Generator<Buffer[]> {
  for (const [at, one] of proof.entries()) {
    const changed = Buffer.from(one);
    changed[at % 32] = (changed[at % 32] ?? 0) ^ (1 << (at % 8));
    yield proof.with(at, changed);
    yield proof.with(at, one.subarray(1));
    yield proof.toSpliced(at, 1);
    yield proof.toSpliced(at, 0, one);
    const next = proof[at + 1];
    if (next !== undefined) yield proof.with(at, next).with(at + 1, one);
  }
  yield [...proof, emptyRoot];
  yield [emptyRoot, ...proof];
}

test("roots over the leaves of Certificate Transparency are the known ones", () => {
  for (const [size, root] of ctRoots.entries()) {
    assert.equal(hashOf(ctLeaves, [0, size]).toString("hex"), root);
  }
  // The proofs that its tests name: leaf 5 of 8, leaf 2 of 3, and 6 of 8.
  const named = (ranges: readonly (readonly [number, number])[]) =>
    ranges.map((range) => hashOf(ctLeaves, range).toString("hex").slice(0, 8));
  assert.deepEqual(named(inclusionRanges(5, 8)), ["bc1a0643", "ca854ea1", "d37ee418"]);
  assert.deepEqual(named(inclusionRanges(2, 3)), ["fac54203"]);
  assert.deepEqual(named(consistencyRanges(6, 8)), ["0ebc5d34", "ca854ea1", "d37ee418"]);
});

test("the tree that grows leaf by leaf has the RFC's root at every size", () => {
  const tree = new LogTree();
  assert.deepEqual(tree.root(), emptyRoot);
  for (const [at, leaf] of leaves.entries()) {
    tree.append(leaf.toString("hex"));
    assert.equal(tree.size, at + 1);
    assert.deepEqual(tree.root(), mth(leaves.slice(0, at + 1)), `size ${at + 1}`);
  }
});

test(`every inclusion proof to ${SIZES} leaves holds, and none that was tampered with`, () => {
  let refused = 0;
  const all = new Map<string, Buffer>();
  const hashed = (range: readonly [number, number]): Buffer => {
    const known = all.get(String(range)) ?? hashOf(leaves, range);
    all.set(String(range), known);
    return known;
  };
  for (let size = 1; size <= SIZES; size += 1) {
    const root = hashed([0, size]);
    for (let index = 0; index < size; index += 1) {
      const proof = inclusionRanges(index, size).map(hashed);
      const leaf = leafHash(leaves[index] ?? emptyRoot);
      assert.ok(isIncluded(leaf, index, size, root, proof), `${index} in ${size}`);
      assert.equal(isIncluded(leaf, index + 1, size, root, proof), false);
      if (size > ALL_MUTATED && (index + size) % 7 !== 0) continue;
      assert.equal(isIncluded(emptyRoot, index, size, root, proof), false);
      for (const other of mutations(proof)) {
        if (isIncluded(leaf, index, size, root, other)) assert.fail(`${index} in ${size}`);
        refused += 1;
      }
    }
  }
  assert.ok(refused > SIZES ** 2, `${refused} proofs were refused`);
});

test(`every consistency proof to ${SIZES} leaves holds, and none that was tampered with`, () => {
  let refused = 0;
  const all = new Map<string, Buffer>();
  const hashed = (range: readonly [number, number]): Buffer => {
    const known = all.get(String(range)) ?? hashOf(leaves, range);
    all.set(String(range), known);
    return known;
  };
  for (let size = 0; size <= SIZES; size += 1) {
    const later = { size, root: hashed([0, size]) };
    for (let old = 0; old <= size; old += 1) {
      const before = { size: old, root: hashed([0, old]) };
      const proof = consistencyRanges(old, size).map(hashed);
      assert.ok(isConsistent(before, later, proof), `${old} to ${size}`);
      assert.equal(isConsistent(later, before, proof), old === size);
      const forged = { size: old, root: leaves[old % SIZES] ?? emptyRoot };
      assert.equal(isConsistent(forged, later, proof), false, `${old} to ${size}`);
      if (size > ALL_MUTATED && (old + size) % 7 !== 0) continue;
      for (const other of mutations(proof)) {
        if (isConsistent(before, later, other)) assert.fail(`${old} to ${size}`);
        refused += 1;
      }
    }
  }
  assert.ok(refused > SIZES ** 2, `${refused} proofs were refused`);
});
