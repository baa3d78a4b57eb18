// Looks for secrets in whatever was written: as they are, in parts, in any case, or encoded.
// Invariant: eight bytes in a row of a secret are found, plainly or in any of the encodings below,
// however small the part of the text they stand in.

export interface Canary {
  readonly name: string;
  readonly secret: string | Uint8Array;
  /** As many of its first characters may be seen: a key is told by its prefix. */
  readonly shown?: number;
}

interface Needle {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const WINDOW = 8;
const BASE64_WINDOW = 9;
const KEY_BYTES = 3;

/** A and a are one: what was put in another case is found too. */
const folded = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

export class Finder {
  /** By the first three bytes. */
  readonly #needles = new Map<number, Needle[]>();
  /** Whether any needle begins with three bytes. */
  readonly #begins = new Uint8Array(1 << (8 * KEY_BYTES));

  constructor(canaries: Iterable<Canary>) {
    for (const { name, secret, shown = 0 } of canaries) {
      const whole = Buffer.from(secret);
      for (const form of formsOf(whole.subarray(shown))) this.#add(name, form);
    }
  }

  #add(name: string, form: Uint8Array): void {
    const bytes = form.map((byte) => folded[byte] ?? 0);
    const key = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8) | ((bytes[2] ?? 0) << 16);
    const known = this.#needles.get(key) ?? [];
    this.#needles.set(key, [...known, { name, bytes }]);
    this.#begins[key] = 1;
  }

  /** The names of those that are in the bytes. */
  in(bytes: Uint8Array): ReadonlySet<string> {
    const found = new Set<string>();
    let key = 0;
    for (let end = 0; end < bytes.length; end += 1) {
      key = (key >>> 8) | ((folded[bytes[end] ?? 0] ?? 0) << 16);
      if (this.#begins[key] !== 1 || end < KEY_BYTES - 1) continue;
      for (const needle of this.#needles.get(key) ?? []) {
        if (startsAt(bytes, end - KEY_BYTES + 1, needle.bytes)) found.add(needle.name);
      }
    }
    return found;
  }
}

function startsAt(bytes: Uint8Array, start: number, needle: Uint8Array): boolean {
  if (start + needle.length > bytes.length) return false;
  return needle.every((byte, at) => folded[bytes[start + at] ?? 0] === byte);
}

/**
 * Compression that PostgreSQL does puts a byte of its own after every eight: so the parts are that
 * short, and start anywhere.
 */
function* formsOf(secret: Uint8Array): Generator<Uint8Array> {
  for (const part of windows(secret, WINDOW)) {
    yield part;
    yield Buffer.from(part.toString("hex"));
    yield Buffer.from(escaped(part, (hex) => `%${hex}`));
    yield Buffer.from(escaped(part, (hex) => `\\u00${hex}`));
    yield Buffer.from(part.toString("latin1"), "utf16le");
  }
  // Three whole groups: of the windows at three starts in a row, one begins where a group does.
  for (const part of windows(secret, BASE64_WINDOW)) {
    yield Buffer.from(part.toString("base64"));
    yield Buffer.from(part.toString("base64url"));
  }
}

const escaped = (part: Uint8Array, write: (hex: string) => string): string =>
  [...part].map((byte) => write(byte.toString(16).padStart(2, "0"))).join("");

function* windows(secret: Uint8Array, length: number): Generator<Buffer> {
  for (let start = 0; start + length <= secret.length; start += 1) {
    yield Buffer.from(secret.subarray(start, start + length));
  }
}
