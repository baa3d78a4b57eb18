// The content of an entry's hash: the open part in clear, and a salted hash of each closed part.
// Invariant: two entries that are stored otherwise are committed to otherwise; whoever has a part
// and its salt can check it against the commitment, and whoever has not learns nothing of it.
import { hash, randomFillSync } from "node:crypto";
import { type Sections, sectionsOf } from "#core/entry-bytes.ts";
import { scratch } from "./scratch.ts";

const PART_TAG = "firstprint/part/v1\0";
const SALT_TAG = "firstprint/salt/v1\0";
const SALT_BYTES = 16;
const LAST_BYTES = Buffer.from("}");

/** A closed part with what it takes to check it. */
interface ClosedText {
  /** 64 hex characters. */
  readonly salt: string;
  readonly bytes: Uint8Array;
}

/** The parts of an entry with which anybody can check its hash. */
export interface Disclosure {
  readonly bytes: Uint8Array;
  readonly closed: readonly ClosedText[];
}

let pool = Buffer.alloc(0);

/** Drawn when an entry is sealed, and stored with it. */
export function drawSalt(): string {
  if (pool.length < SALT_BYTES) pool = randomFillSync(Buffer.alloc(256 * SALT_BYTES));
  const salt = pool.toString("hex", 0, SALT_BYTES);
  pool = pool.subarray(SALT_BYTES);
  return salt;
}

/**
 * SHA-256(tag ‖ entry's salt, 32 hex characters ‖ part in digits): each part's own, so that whoever
 * has one knows neither the entry's nor another's. Its length is given by its place, so nothing can
 * be appended to what is hashed; an HMAC would cost an order several times as much.
 */
const saltOfPart = (salt: string, part: number): string =>
  hash("sha256", `${SALT_TAG}${salt}${part}`, "hex");

/** SHA-256(tag ‖ salt, 64 hex characters ‖ bytes), as 64 hex characters. */
function partHash({ salt, bytes }: ClosedText): string {
  const prefix = `${PART_TAG}${salt}`;
  const covered = scratch(prefix.length + bytes.length);
  covered.write(prefix, 0, "latin1");
  covered.set(bytes, prefix.length);
  return hash("sha256", covered, "hex");
}

/** Throws where the stored bytes are malformed. */
export function discloseAll(stored: Uint8Array): Disclosure {
  const sections = sectionsOf(stored);
  const closed = closedTexts(sections);
  return { bytes: commitment(sections.open, closed.map(partHash)), closed };
}

/** The content of its hash, of an entry that was just written. */
export const commitmentTo = (sections: Sections): Uint8Array =>
  commitment(sections.open, closedTexts(sections).map(partHash));

const closedTexts = ({ salt = "", closed }: Sections): readonly ClosedText[] =>
  closed.map((bytes, at) => ({ salt: saltOfPart(salt, at), bytes }));

/** The open part with one more member, `parts`: the hashes of the closed ones, in their order. */
function commitment(open: Uint8Array, hashes: readonly string[]): Uint8Array {
  if (open.at(-1) !== LAST_BYTES[0]) throw new Error("its open part is no object");
  const listed = hashes.length === 0 ? "[]" : `["${hashes.join('","')}"]`;
  const parts = Buffer.from(`,"parts":${listed}}`, "latin1");
  return Buffer.concat([open.subarray(0, -1), parts]);
}
