// The hash chain: each entry's hash covers what it holds, its place, and the hash before it.
// Invariant: no byte, length or place of an entry changes without changing every later hash.

import { hash } from "node:crypto";
import { messageOf } from "#base/message-of.ts";
import { discloseAll } from "./commitment.ts";
import type { Head, StoredEntry } from "./journal.ts";
import { scratch } from "./scratch.ts";

const DOMAIN_TAG = Buffer.from("firstprint/entry/v1\0", "utf8");
const HASH_BYTES = 32;
const SEQUENCE_AT = DOMAIN_TAG.length + HASH_BYTES;
const LENGTH_AT = SEQUENCE_AT + 8;
const HEADER_BYTES = LENGTH_AT + 4;

export const noEntries: Head = { size: 0, hash: "0".repeat(64) };

/**
 * SHA-256(tag ‖ previous hash, 32 bytes ‖ sequence, u64 big-endian ‖ length, u32 big-endian ‖
 * bytes), as 64 hex characters; the bytes are the entry's commitment to its parts. Throws where
 * what is stored is malformed.
 */
export const entryHash = (previousHash: string, sequence: number, stored: Uint8Array): string =>
  committedHash(previousHash, sequence, discloseAll(stored).bytes);

/** The same, where the commitment is at hand. */
export function committedHash(previousHash: string, sequence: number, bytes: Uint8Array): string {
  const covered = scratch(HEADER_BYTES + bytes.length);
  covered.set(DOMAIN_TAG, 0);
  covered.write(previousHash, DOMAIN_TAG.length, HASH_BYTES, "hex");
  covered.writeBigUInt64BE(BigInt(sequence), SEQUENCE_AT);
  covered.writeUInt32BE(bytes.length, LENGTH_AT);
  covered.set(bytes, HEADER_BYTES);
  return hash("sha256", covered, "hex");
}

/** The first place at which what is stored is not what was sealed. */
export class ChainBreak extends Error {
  override readonly name = "ChainBreak";
  readonly sequence: number;

  constructor(sequence: number, reason: string) {
    super(`The journal breaks at entry ${sequence}: ${reason}.`);
    this.sequence = sequence;
  }
}

/** The head after `entry`, which must follow `head`; throws `ChainBreak` where it does not. */
export function follow(head: Head, entry: StoredEntry): Head {
  const expected = head.size + 1;
  if (entry.sequence !== expected) {
    throw new ChainBreak(expected, `entry ${entry.sequence} stands in its place`);
  }
  const hashed = hashOf(head, entry);
  if (hashed !== entry.hash) {
    throw new ChainBreak(expected, `its bytes hash to ${hashed}, stored is ${entry.hash}`);
  }
  return { size: expected, hash: hashed };
}

function hashOf(head: Head, { sequence, bytes }: StoredEntry): string {
  try {
    return entryHash(head.hash, sequence, bytes);
  } catch (error) {
    const reason = messageOf(error);
    throw new ChainBreak(sequence, `what is stored there is malformed: ${reason}`);
  }
}
