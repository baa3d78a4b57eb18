// Bytes as text and text as bytes, by what Node and browsers both have.
// Invariant: base64 is taken only in the one form that its bytes are written in.
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/** As UTF-8; bytes that are none become U+FFFD. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The texts of parts of some bytes, all of which are decoded when the first is asked for. */
export class Texts {
  readonly #bytes: Uint8Array;
  #whole: string | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** From one byte to before another, as `textOf` has it. */
  of(from: number, to: number): string {
    this.#whole ??= textOf(this.#bytes);
    // A character of several bytes makes the text shorter; without one, each stands at its byte.
    if (this.#whole.length !== this.#bytes.length) return textOf(this.#bytes.subarray(from, to));
    return this.#whole.slice(from, to);
  }
}

/** Undefined of anything but canonical base64. */
export function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string") return undefined;
  const bytes = new Uint8Array(mostBytesIn(text));
  const length = decodedInto(bytes, text);
  return length === undefined ? undefined : bytes.subarray(0, length);
}

const mostBytesIn = (base64: string): number => 3 * Math.ceil(base64.length / 4);

/** How many bytes of canonical base64 were written; undefined of any other text. */
function decodedInto(target: Uint8Array<ArrayBuffer>, text: string): number | undefined {
  try {
    return decode(target, text);
  } catch {
    return undefined;
  }
}

/** Newer browsers decode by themselves, ten times as quickly; Node 24 does not. */
const decode = "setFromBase64" in Uint8Array.prototype ? decodeNatively : decodeByCharacters;

function decodeNatively(target: Uint8Array, text: string): number | undefined {
  const { written } = target.setFromBase64(text, { lastChunkHandling: "strict" });
  // It passes over white space.
  return text.length === 4 * Math.ceil(written / 3) ? written : undefined;
}

function decodeByCharacters(target: Uint8Array, text: string): number | undefined {
  const characters = atob(text);
  if (btoa(characters) !== text) return undefined;
  for (let at = 0; at < characters.length; at += 1) target[at] = characters.charCodeAt(at);
  return characters.length;
}

/**
 * Base64 texts decoded one behind the other, into memory that is used again. A browser takes longer
 * to give memory, or the text of bytes, than for all else that is done with a few hundred bytes.
 */
export class Decoded {
  #memory = new Uint8Array(65_536);
  #length = 0;
  #texts: Texts | undefined;

  clear(): void {
    this.#length = 0;
  }

  /** Undefined of anything but canonical base64; otherwise good until the memory is cleared. */
  add(text: unknown): Uint8Array | undefined {
    this.#texts = undefined;
    if (typeof text !== "string") return undefined;
    const most = mostBytesIn(text);
    if (this.#length + most > this.#memory.length) {
      const larger = new Uint8Array(2 * (this.#length + most));
      larger.set(this.#memory.subarray(0, this.#length));
      this.#memory = larger;
    }
    const start = this.#length;
    const length = decodedInto(this.#memory.subarray(start, start + most), text);
    if (length === undefined) return undefined;
    this.#length += length;
    return this.#memory.subarray(start, this.#length);
  }

  /** Of bytes that were added: best asked for when all are. */
  textOf(bytes: Uint8Array): string {
    this.#texts ??= new Texts(this.#memory.subarray(0, this.#length));
    return this.#texts.of(bytes.byteOffset, bytes.byteOffset + bytes.length);
  }
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Newer browsers write hex by themselves; Node 24 does not. */
const writesHex = "toHex" in Uint8Array.prototype;

export function toHex(bytes: Uint8Array): string {
  if (writesHex) return bytes.toHex();
  let text = "";
  for (const byte of bytes) text += digits[byte];
  return text;
}

/** Of an even number of lower-case hex digits. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = 16 * digitAt(text, 2 * at) + digitAt(text, 2 * at + 1);
  }
  return bytes;
}

/** `0` is 48 and `a` 97. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 97 ? code - 48 : code - 87;
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);
