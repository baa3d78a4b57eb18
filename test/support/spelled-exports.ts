// Exports spelled in other ways than the exchange spells them: some say the same, some are broken,
// some are no export. A verifier that takes a short way through their text must not be misled.
// Invariant: each but the base64 is made from a true export, at one entry of it.
export interface Exported {
  readonly sequence: number;
  readonly timestamp: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly bytes: string;
  readonly parts: readonly { readonly salt: string; readonly bytes: string }[];
  readonly [field: string]: unknown;
}

interface Spelled {
  readonly what: string;
  readonly content: string | Buffer;
  /** Of the offline program: 0 holds, 1 is broken at the entry, 2 is nothing to judge. */
  readonly code: 0 | 1 | 2;
}

/** An entry with parts, past the first ones, whose base64 ends with bits that must be 0. */
export const placeIn = (entries: readonly Exported[]): number =>
  entries.findIndex(({ bytes, parts }, at) => at > 3 && bytes.endsWith("==") && parts.length > 0);

export function spelledExports(entries: readonly Exported[]): readonly Spelled[] {
  const place = placeIn(entries);
  const entry = entries[place];
  if (entry === undefined) throw new Error("no entry of the export can be spelled otherwise");
  const around = (text: string): readonly [string, string] => {
    const [before, after] = [entries.slice(0, place), entries.slice(place + 1)];
    const [front, back] = [before, after].map((some) => some.map((one) => JSON.stringify(one)));
    return [`[${[...(front ?? []), text].join()}`, `${["", ...(back ?? [])].join()}]`];
  };
  const withText = (text: string): string => around(text).join("");
  const cases = [...alike(entry), ...broken(entry)];
  return [
    ...cases.map(([what, text, code]) => ({ what, content: withText(text), code })),
    { what: "bytes that are no UTF-8", content: withBadBytes(entry, withText), code: 0 },
    { what: "white space", content: JSON.stringify(entries, null, 2), code: 0 },
    { what: "lines that end in CRLF", content: linesOf(entries), code: 0 },
    { what: "a byte order mark", content: `\ufeff${JSON.stringify(entries)}`, code: 2 },
    { what: "a list in the list", content: `[${JSON.stringify(entries)}]`, code: 2 },
    { what: "more after the list", content: `${JSON.stringify(entries)}x`, code: 2 },
  ];
}

type Case = readonly [what: string, text: string, code: 0 | 1];

/** They say what the entry says. */
function alike(entry: Exported): readonly Case[] {
  const text = JSON.stringify(entry);
  const { sequence, timestamp } = entry;
  const note = (words: string): string => JSON.stringify({ ...entry, details: { note: words } });
  const escaped = text
    .replace('"sequence":', '"\\u0073equence":')
    .replace('"bytes":', '"b\\u0079tes":');
  const numbers = text
    .replace(`"sequence":${sequence}`, `"sequence":${sequence / 10}e1`)
    .replace(`"timestamp":${timestamp}`, `"timestamp":${timestamp}.0`);
  const decoys = { sequence: 7, hash: entry.hash, bytes: "AAAA", parts: [], inclusion: {} };
  return [
    ["a key twice, the true one last", `{"sequence":7,"bytes":"AAAA",${text.slice(1)}`, 0],
    ["keys with escapes", escaped, 0],
    ["numbers with exponent and point", numbers, 0],
    [
      "fields the other way round",
      JSON.stringify(Object.fromEntries(Object.entries(entry).reverse())),
      0,
    ],
    ["the same names in a nested object", JSON.stringify({ ...decoysFirst(entry, decoys) }), 0],
    ["fields in a text", note(`{"sequence":7,"bytes":"AAAA"},{"hash":"${entry.hash}"`), 0],
    ["brackets and quotes in a text", note('"]}]}[{\\"\\\\"}'), 0],
    ["other alphabets", note("Peñasco, 東京, \u{1f3e0}"), 0],
  ];
}

const decoysFirst = (entry: Exported, decoys: object): object => ({
  details: { decoys },
  ...entry,
  more: [decoys],
});

/** Entry for entry the same, and not what the exchange has sealed, or no JSON. */
function broken(entry: Exported): readonly Case[] {
  const text = JSON.stringify(entry);
  const other = (change: object): string => JSON.stringify({ ...entry, ...change });
  const { bytes, timestamp, parts } = entry;
  const salted = (change: (salt: string) => string): string =>
    other({ parts: parts.map((part) => ({ ...part, salt: change(part.salt) })) });
  return [
    ["a key twice, the true one first", `${text.slice(0, -1)},"hash":"${"0".repeat(64)}"}`, 1],
    ["a nested object in the place of the bytes", other({ bytes: { bytes } }), 1],
    ["a sequence in words", other({ sequence: `${entry.sequence}` }), 1],
    ["a number with a leading zero", text.replace(`:${timestamp}`, `:0${timestamp}`), 1],
    ["an escape that is none", text.replace("{", '{"more":"\\x",'), 1],
    ["a line break in a text", text.replace("{", '{"more":"\n",'), 1],
    ["a comma too many", text.replace(/\}$/, ",}"), 1],
    ["a bracket of the other kind", text.replace(/\}$/, "]"), 1],
    ["a salt in capitals", salted((salt) => salt.toUpperCase()), 1],
    ["a salt of other characters", salted((salt) => salt.replace(/^./, "é")), 1],
    ["a salt with a tail", salted((salt) => `${salt}0`), 1],
    ["base64 in lines", other({ bytes: bytes.replace(/^.{76}/, "$&\n") }), 1],
    ["base64 without its end", other({ bytes: bytes.replace(/=+$/, "") }), 1],
    ["base64 with more at its end", other({ bytes: `${bytes}====` }), 1],
    ["base64 whose last bits are not 0", other({ bytes: withLastBits(bytes) }), 1],
    ["base64 of two texts", other({ bytes: `${bytes}${bytes}` }), 1],
  ];
}

/** The same bytes to a reader that passes over the bits that are left. */
const withLastBits = (bytes: string): string =>
  bytes.replace(/(.)==$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}==`);

/** In a text that is not judged: they become U+FFFD there. */
function withBadBytes(entry: Exported, withText: (text: string) => string): Buffer {
  const text = withText(JSON.stringify({ ...entry, details: { note: "HERE" } }));
  const [before = "", after = ""] = text.split("HERE");
  return Buffer.concat([
    Buffer.from(before),
    Buffer.of(0xff, 0xe2, 0x82, 0x80, 0xe2),
    Buffer.from(after),
  ]);
}

const linesOf = (entries: readonly Exported[]): string =>
  `[\r\n${entries.map((one) => JSON.stringify(one)).join(",\r\n")}\r\n]\r\n`;
