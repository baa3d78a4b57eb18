// An entry as an export shows it: its bytes, the parts of it that its reader may see, their hashes.
// Invariant: nothing of the exchange's own code is used; a part that the bytes do not name is none.
import { createHash } from "node:crypto";
import { bytesOf, Decoded, fromHex, toHex } from "./octets.ts";

const DOMAIN_TAG = bytesOf("firstprint/entry/v1\0");
/** Tag, previous hash, sequence and length: one block of SHA-256, written anew for each entry. */
const heading = new Uint8Array(DOMAIN_TAG.length + 44);
heading.set(DOMAIN_TAG);
const numbers = new DataView(heading.buffer, DOMAIN_TAG.length + 32);
const PART_TAG = "firstprint/part/v1\0";
const SALT_CHARACTERS = 64;
/** Tag and salt, the same way. */
const headingOfPart = bytesOf(PART_TAG + "0".repeat(SALT_CHARACTERS));
/** The bytes of the entry that is being read, and of its parts. */
const decoded = new Decoded();

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
    here = Reflect.get(here, name);
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
  readonly bytes: Uint8Array;
  /** The entry in the bytes, and each part that is shown. */
  readonly entry: unknown;
  readonly parts: readonly unknown[];
  /** How many parts the bytes name that are not shown. */
  readonly hidden: number;
}

/** SHA-256(tag ‖ previous hash, 32 bytes ‖ sequence, u64 ‖ length, u32 ‖ bytes), big-endian. */
export function hashOf({ previousHash, sequence, bytes }: Shown): string {
  heading.set(fromHex(previousHash), DOMAIN_TAG.length);
  numbers.setBigUint64(0, BigInt(sequence));
  numbers.setUint32(8, bytes.length);
  return sha256(heading, bytes);
}

/** SHA-256(tag ‖ salt, 64 hex characters ‖ bytes). */
const hashOfPart = (salt: string, bytes: Uint8Array): string => sha256(headingWith(salt), bytes);

function headingWith(salt: string): Uint8Array {
  if (salt.length !== SALT_CHARACTERS) return bytesOf(PART_TAG + salt);
  for (let at = 0; at < SALT_CHARACTERS; at += 1) {
    const code = salt.charCodeAt(at);
    // A character of several bytes, of which no salt of the exchange has any.
    if (code > 127) return bytesOf(PART_TAG + salt);
    headingOfPart[PART_TAG.length + at] = code;
  }
  return headingOfPart;
}

/** In two pieces: a copy of the long one costs a browser as much as hashing it. */
const sha256 = (before: Uint8Array, bytes: Uint8Array): string =>
  toHex(createHash("sha256").update(before).update(bytes).digest());

/** The entry in the bytes, and the parts that it shows, each of which its bytes must name. */
export function contentOf(
  shown: unknown,
  bytes: Uint8Array,
  sequence: number,
): Pick<Shown, "entry" | "parts" | "hidden"> {
  const given = member(shown, "parts");
  const all = (Array.isArray(given) ? given : []).map((part: unknown) => ({
    bytes: bytesIn(part),
    salt: member(part, "salt"),
  }));
  const entry = parsed(decoded.textOf(bytes));
  const named = member(entry, "parts");
  const left = new Set(Array.isArray(named) ? named : []);
  const parts: unknown[] = [];
  for (const part of all) {
    if (part.bytes === undefined || typeof part.salt !== "string") {
      throw new Broken(sequence, "a part of it is not base64, or has no salt");
    }
    const hash = hashOfPart(part.salt, part.bytes);
    if (!left.delete(hash)) {
      throw new Broken(sequence, `a part of it hashes to ${hash}, which its bytes do not name`);
    }
    parts.push(parsed(decoded.textOf(part.bytes)));
  }
  return { entry, parts, hidden: left.size };
}

/** Those of an entry, good until the next one's are asked for. */
export function bytesOfEntry(shown: unknown): Uint8Array | undefined {
  decoded.clear();
  return bytesIn(shown);
}

/** Undefined where there are none, or they are not base64. */
function bytesIn(value: unknown): Uint8Array | undefined {
  const bytes = decoded.add(member(value, "bytes"));
  return bytes !== undefined && bytes.length > 0 ? bytes : undefined;
}
