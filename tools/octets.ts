// Bytes as text and text as bytes, by what Node and browsers both have.
// Invariant: base64 is taken only in the one form that its bytes are written in.
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/** As UTF-8; bytes that are none become U+FFFD. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Undefined of anything but canonical base64. */
export function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return decoded(text);
  } catch {
    return undefined;
  }
}

/** Newer browsers decode by themselves, ten times as quickly; Node 24 does not. */
const decoded = "fromBase64" in Uint8Array ? nativelyDecoded : decodedByCharacters;

function nativelyDecoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  // It passes over white space.
  return text.length === 4 * Math.ceil(bytes.length / 3) ? bytes : undefined;
}

function decodedByCharacters(text: string): Uint8Array<ArrayBuffer> | undefined {
  const characters = atob(text);
  if (btoa(characters) !== text) return undefined;
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const values = new Map(digits.map((text, byte) => [text, byte]));

/** Newer browsers write and read hex by themselves; Node 24 does not. */
const isNative = "fromHex" in Uint8Array;

export function toHex(bytes: Uint8Array): string {
  if (isNative) return bytes.toHex();
  let text = "";
  for (const byte of bytes) text += digits[byte];
  return text;
}

/** Of an even number of lower-case hex digits. */
export function fromHex(text: string): Uint8Array {
  if (isNative) return Uint8Array.fromHex(text);
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = values.get(text.slice(2 * at, 2 * at + 2)) ?? 0;
  }
  return bytes;
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
