// The documented hashes of an entry and of a part of one (docs/reference/audit.md).
// Invariant: nothing of the exchange's code is used, nor of the verifier's.
import { createHash } from "node:crypto";

/** Hex. */
export function hashOf(previousHash: string, sequence: number, bytes: string): string {
  const body = Buffer.from(bytes, "base64");
  const numbers = Buffer.alloc(12);
  numbers.writeBigUInt64BE(BigInt(sequence));
  numbers.writeUInt32BE(body.length, 8);
  return createHash("sha256")
    .update("firstprint/entry/v1\0")
    .update(Buffer.from(previousHash, "hex"))
    .update(numbers)
    .update(body)
    .digest("hex");
}

interface Part {
  readonly salt: string;
  readonly bytes: string;
}

export const hashOfPart = ({ salt, bytes }: Part): string =>
  createHash("sha256")
    .update(`firstprint/part/v1\0${salt}`)
    .update(Buffer.from(bytes, "base64"))
    .digest("hex");
