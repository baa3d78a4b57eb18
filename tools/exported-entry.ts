// An entry as an export shows it: its bytes, the parts of it that its reader may see, their hashes.
// Invariant: nothing of the exchange's own code is used; a part that the bytes do not name is none.
import { createHash } from "node:crypto";

const DOMAIN_TAG = "firstprint/entry/v1\0";
const PART_TAG = "firstprint/part/v1\0";

/** The export does not hold, from this entry on; a note that is forged has no entry. */
export class Broken extends Error {
  readonly sequence: number | undefined;

  constructor(sequence: number | undefined, reason: string) {
    super(reason);
    this.sequence = sequence;
  }
}

// Reading JSON of which nothing is known.

export function member(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = Object.getOwnPropertyDescriptor(here, name)?.value;
  }
  return here;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Shown {
  readonly sequence: number;
  readonly hash: string;
  readonly previousHash: string;
  /** Undefined where they are withheld: of an old entry that tells of others, too. */
  readonly bytes: Buffer | undefined;
  /** The entry in the bytes, and each part that is shown. */
  readonly entry: unknown;
  readonly parts: readonly unknown[];
  /** How many parts the bytes name that are not shown. */
  readonly hidden: number;
}

/** SHA-256(tag ‖ previous hash, 32 bytes ‖ sequence, u64 ‖ length, u32 ‖ bytes), big-endian. */
export function hashOf({ previousHash, sequence }: Shown, bytes: Buffer): string {
  const numbers = Buffer.alloc(12);
  numbers.writeBigUInt64BE(BigInt(sequence));
  numbers.writeUInt32BE(bytes.length, 8);
  return createHash("sha256")
    .update(DOMAIN_TAG)
    .update(Buffer.from(previousHash, "hex"))
    .update(numbers)
    .update(bytes)
    .digest("hex");
}

/** SHA-256(tag ‖ salt, 64 hex characters ‖ bytes). */
const hashOfPart = (salt: string, bytes: Buffer): string =>
  createHash("sha256").update(PART_TAG).update(salt).update(bytes).digest("hex");

/** The parts that an entry shows, each of which its bytes must name. */
export function partsOf(
  shown: unknown,
  entry: unknown,
  sequence: number,
): Pick<Shown, "parts" | "hidden"> {
  const named = member(entry, "parts");
  const given = member(shown, "parts");
  const left = new Set(Array.isArray(named) ? named : []);
  const parts: unknown[] = [];
  for (const part of Array.isArray(given) ? given : []) {
    const bytes = base64In(part);
    const salt = member(part, "salt");
    if (bytes === undefined || typeof salt !== "string") {
      throw new Broken(sequence, "a part of it is not base64, or has no salt");
    }
    const hash = hashOfPart(salt, bytes);
    if (!left.delete(hash)) {
      throw new Broken(sequence, `a part of it hashes to ${hash}, which its bytes do not name`);
    }
    parts.push(parsed(bytes.toString("utf8")));
  }
  return { parts, hidden: left.size };
}

/** Undefined where there are none, or they are not base64. */
export function base64In(value: unknown): Buffer | undefined {
  const encoded = member(value, "bytes");
  const bytes = Buffer.from(typeof encoded === "string" ? encoded : "", "base64");
  return bytes.length > 0 && bytes.toString("base64") === encoded ? bytes : undefined;
}
