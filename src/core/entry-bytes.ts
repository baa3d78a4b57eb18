// A journal entry as bytes and back.
// Invariant: an entry's bytes read back to what they were written from.
import { decode } from "./codec.ts";
import type { Envelope } from "./command.ts";
import type { Entry } from "./outcome.ts";
import { partsOf } from "./parts.ts";
import { entryOf, envelopeOf } from "./whole.ts";

/** An entry as it is stored: the part that is open, then the salt and the closed parts. */
export interface Sections {
  readonly open: Uint8Array;
  /** Undefined where there is no closed part. */
  readonly salt: string | undefined;
  readonly closed: readonly Uint8Array[];
}

/** Of the stored form. */
const ENTRY_VERSION = 1;

/** Never in a JSON text, where control characters are escaped (RFC 7464 uses it so). */
const SEPARATOR = "\u001e";
const SEPARATOR_BYTE = 0x1e;

const toBytes = new TextEncoder();
const fromBytes = new TextDecoder("utf-8", { fatal: true });
const prefix = toBytes.encode(`{"version":${ENTRY_VERSION},`);

/** Entries are written side by side into memory of this size. */
const SLAB_BYTES = 262_144;
/** A larger one is written into memory of its own. */
const MOST_IN_SLAB = SLAB_BYTES / 16;
const MOST_OF_A_UNIT = 3;
let slab = new Uint8Array(0);
let slabUsed = 0;

/** The UTF-8 of a text: .67 µs for a kilobyte, in memory of its own 1.32 (2026-11, in turns). */
function bytesOf(text: string): Uint8Array {
  const most = text.length * MOST_OF_A_UNIT;
  if (most > MOST_IN_SLAB) return toBytes.encode(text);
  if (slab.length - slabUsed < most) {
    slab = new Uint8Array(SLAB_BYTES);
    slabUsed = 0;
  }
  const { written } = toBytes.encodeInto(text, slab.subarray(slabUsed, slabUsed + most));
  const bytes = slab.subarray(slabUsed, slabUsed + written);
  slabUsed += written;
  return bytes;
}

/** The exact bytes an entry is stored as; `salt` is 32 hex characters that nobody can guess. */
export const entryBytes = (entry: Entry, salt: string): Uint8Array =>
  bytesOf(textsOf(entry, salt).join(SEPARATOR));

/** The same, and where its sections lie, as `sectionsOf` finds them. */
export function inSections(
  entry: Entry,
  salt: string,
): { readonly bytes: Uint8Array; readonly sections: Sections } {
  const texts = textsOf(entry, salt);
  const text = texts.join(SEPARATOR);
  const bytes = bytesOf(text);
  const isAscii = bytes.length === text.length;
  let end = -1;
  const pieces = texts.map((one) => {
    const from = end + 1;
    end = from + (isAscii ? one.length : toBytes.encode(one).length);
    return bytes.subarray(from, end);
  });
  const [open = bytes, , ...closed] = pieces;
  return { bytes, sections: { open, salt: texts[1], closed } };
}

/** The open part, then the salt and the closed parts, where there are any. */
function textsOf(entry: Entry, salt: string): readonly string[] {
  const { open, closed } = partsOf(entry);
  const first = `{"version":${ENTRY_VERSION},${open}`;
  return closed.length === 0 ? [first] : [first, salt, ...closed.map(({ text }) => text)];
}

/** Throws where they are no entry of this form. */
export function sectionsOf(bytes: Uint8Array): Sections {
  if (!prefix.every((byte, at) => bytes[at] === byte)) throw notAnEntry();
  const [open = bytes, saltBytes, ...closed] = cut(bytes);
  const salt = saltBytes === undefined ? undefined : fromBytes.decode(saltBytes);
  const isSalted = salt === undefined ? closed.length === 0 : closed.length > 0;
  if (!isSalted || (salt !== undefined && !/^[0-9a-f]{32}$/.test(salt))) throw notAnEntry();
  return { open, salt, closed };
}

function cut(bytes: Uint8Array): readonly Uint8Array[] {
  const sections: Uint8Array[] = [];
  for (let from = 0; ; ) {
    const end = bytes.indexOf(SEPARATOR_BYTE, from);
    sections.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    if (end < 0) return sections;
    from = end + 1;
  }
}

/** Reads what `entryBytes` wrote; the chain vouches for the bytes. */
export function readEntry(bytes: Uint8Array): Entry {
  const { open, closed } = sectionsOf(bytes);
  const value = entryOf(textIn(open), closed.map(textIn));
  if (isEntry(value)) return value;
  throw notAnEntry();
}

/**
 * The envelope of an entry, and the salt to write it with anew: all that is needed to decide it
 * again. Its events are not read.
 */
export function readAsked(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly salt: string;
} {
  const { open, salt = "", closed } = sectionsOf(bytes);
  const envelope = envelopeOf(
    openAsked(fromBytes.decode(open)),
    closed.map((part) => closedAsked(fromBytes.decode(part))),
  );
  if (!isEnvelope(envelope)) throw notAnEntry();
  return { envelope, salt };
}

/** Never in a string of a JSON text, where quotes are escaped. */
const EVENTS = ',"events":[';
const firstOfTrading = ['{"level":{', '{"fill":{'];
/** Levels and fills hold no record: the first of them ends here. */
const NEXT_EVENT = "}},{";

/** Of its events those that tell of markets, or the first, which names the market. */
function openAsked(text: string): unknown {
  const from = text.indexOf(EVENTS);
  const first = from + EVENTS.length;
  const end = text.indexOf(NEXT_EVENT, first);
  const isPlain = firstOfTrading.some((start) => text.startsWith(start, first));
  if (from < 0 || end < 0 || !isPlain || text.includes('"market":')) return decode(text);
  return decode(`${text.slice(0, end)}}}]}`);
}

/** Without its events. */
function closedAsked(text: string): unknown {
  const from = text.indexOf(EVENTS);
  if (from < 0) return decode(text);
  try {
    return decode(`${text.slice(0, from)}}`);
  } catch {
    // Events by which a command names something: cut off within it, the part is no JSON.
    return decode(text);
  }
}

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === "object" && value !== null && "command" in value;

/** The owner of a closed part. */
export function ownerOfPart(bytes: Uint8Array): unknown {
  const part = textIn(bytes);
  return typeof part === "object" && part !== null && "of" in part ? part.of : undefined;
}

const textIn = (bytes: Uint8Array): unknown => decode(fromBytes.decode(bytes));

const notAnEntry = (): Error =>
  new Error(
    `it is no entry of version ${ENTRY_VERSION}: start the version of this program that ` +
      "wrote the store, or this one with an empty store",
  );

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" &&
  value !== null &&
  "sequence" in value &&
  "envelope" in value &&
  "outcome" in value;
