// Damage that knows nothing of what it damages: bytes flipped, lost, doubled, moved, re-encoded.
// Invariant: the same draws give the same bytes; whether they mean the same is for others to say.
import type { Draw } from "#test/http/hostile-values.ts";

type Blind = (bytes: Buffer, draw: Draw) => Buffer;

const spliced = (bytes: Buffer, at: number, gone: number, put: Uint8Array = Buffer.alloc(0)) =>
  Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)]);

const span = (bytes: Buffer, draw: Draw, most = 64): readonly [from: number, length: number] => {
  const from = draw(bytes.length + 1);
  return [from, Math.min(1 + draw(most), bytes.length - from)];
};

const withByte = (bytes: Buffer, draw: Draw, byte: (old: number) => number): Buffer => {
  const at = draw(Math.max(bytes.length, 1));
  return spliced(bytes, at, 1, Buffer.from([byte(bytes[at] ?? 0)]));
};

/** Another digit for a digit: what nobody can know to be wrong. */
const otherDigit: Blind = (bytes, draw) => {
  const from = draw(Math.max(bytes.length, 1));
  const at = bytes.subarray(from).findIndex((byte) => byte >= 0x30 && byte <= 0x39);
  if (at < 0) return bytes;
  return spliced(bytes, from + at, 1, Buffer.from(String(draw(10))));
};

const lines =
  (change: (all: string[], at: number, draw: Draw) => readonly string[]): Blind =>
  (bytes, draw) => {
    const all = bytes.toString("latin1").split("\n");
    return Buffer.from(change(all, draw(all.length), draw).join("\n"), "latin1");
  };

const inserted =
  (...texts: readonly (string | Uint8Array)[]): Blind =>
  (bytes, draw) => {
    const put = Buffer.from(texts[draw(texts.length)] ?? "");
    return spliced(bytes, draw(bytes.length + 1), 0, put);
  };

export const blindDamage: Readonly<Record<string, Blind>> = {
  "a bit flipped": (bytes, draw) => withByte(bytes, draw, (old) => old ^ (1 << draw(8))),
  "a byte changed": (bytes, draw) => withByte(bytes, draw, () => draw(256)),
  "a digit changed": otherDigit,
  "a byte lost": (bytes, draw) => spliced(bytes, draw(Math.max(bytes.length, 1)), 1),
  "a byte too many": (bytes, draw) =>
    spliced(bytes, draw(bytes.length + 1), 0, Buffer.from([draw(256)])),
  "a span lost": (bytes, draw) => spliced(bytes, ...span(bytes, draw)),
  "a span doubled": (bytes, draw) => {
    const [from, length] = span(bytes, draw);
    return spliced(bytes, from, 0, bytes.subarray(from, from + length));
  },
  "a span moved": (bytes, draw) => {
    const [from, length] = span(bytes, draw);
    const rest = spliced(bytes, from, length);
    return spliced(rest, draw(rest.length + 1), 0, bytes.subarray(from, from + length));
  },
  "a span blanked": (bytes, draw) => {
    const [from, length] = span(bytes, draw, 16);
    return spliced(bytes, from, length, Buffer.alloc(length, draw(2) === 0 ? 0x20 : 0));
  },
  "cut off": (bytes, draw) => bytes.subarray(0, draw(bytes.length + 1)),
  "cut off at the front": (bytes, draw) => bytes.subarray(draw(Math.max(bytes.length, 1))),
  "something behind it": (bytes, draw) =>
    Buffer.concat([bytes, Buffer.alloc(1 + draw(40), draw(256))]),
  "twice over": (bytes) => Buffer.concat([bytes, bytes]),
  "a line lost": lines((all, at) => all.toSpliced(at, 1)),
  "a line doubled": lines((all, at) => all.toSpliced(at, 0, all[at] ?? "")),
  "two lines changed about": lines((all, at, draw) => {
    const other = draw(all.length);
    return all.with(at, all[other] ?? "").with(other, all[at] ?? "");
  }),
  "an empty line": lines((all, at) => all.toSpliced(at, 0, "")),
  "one line ended as on Windows": lines((all, at) => all.with(at, `${all[at]}\r`)),
  "all lines ended as on Windows": lines((all) =>
    all.map((one, at) => (at < all.length - 1 ? `${one}\r` : one)),
  ),
  "lines ended by returns": (bytes) =>
    Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r"), "latin1"),
  "a byte order mark": (bytes, draw) =>
    Buffer.concat([Buffer.from(["efbbbf", "fffe", "feff"][draw(3)] ?? "", "hex"), bytes]),
  "in UTF-16": (bytes) => Buffer.from(bytes.toString("latin1"), "utf16le"),
  "a NUL": inserted("\0"),
  "a sign, a quote or a separator": inserted(
    ",",
    ";",
    '"',
    "'",
    "-",
    "+",
    ".",
    "e",
    " ",
    "\t",
    "<",
    "&",
  ),
  "a letter of another alphabet": inserted("é", "１", "\u00a0", "\u200b", "−", Buffer.from([0xe9])),
  "commas for points": lines((all, at) => all.with(at, (all[at] ?? "").replaceAll(".", ","))),
};

interface Damaged {
  readonly bytes: Buffer;
  readonly kinds: readonly string[];
}

/** One to three kinds of damage, one after the other; the first of them in turn. */
export function damage(whole: Buffer, turn: number, draw: Draw): Damaged {
  const names = Object.keys(blindDamage);
  const more = draw(3) === 0 ? 1 + draw(2) : 0;
  const kinds = [
    turn % names.length,
    ...Array.from({ length: more }, () => draw(names.length)),
  ].map((at) => names[at] ?? "");
  const bytes = kinds.reduce((done, kind) => blindDamage[kind]?.(done, draw) ?? done, whole);
  return { bytes, kinds };
}
