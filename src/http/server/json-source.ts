// JSON as it was written: parses a body and keeps the digits of every number in it.
// Invariant: `sourceOf` gives the very text of a number; no price or amount passes through a float.
import { walkJson } from "./json-walk.ts";
import { holdsKey } from "./key-codec.ts";

/** Number members by the object or array that holds them; gone with the body itself. */
const sources = new WeakMap<object, Map<string, string>>();

const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor"]);
const plainNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const negativeZero = /^-0(?:\.0+)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

interface Parsed {
  readonly value: unknown;
  /** A member that one of the objects names twice. */
  readonly repeated: string | undefined;
}

/** Undefined when the bytes are no JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): Parsed | undefined {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    return { value, repeated: walkJson(text, value, keepSource) };
  } catch (error) {
    // A RangeError is nesting beyond what is walked; each is the sender's mistake.
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

function keepSource(holder: object, name: string, digits: string): void {
  const members = sources.get(holder);
  if (members === undefined) sources.set(holder, new Map([[name, digits]]));
  else members.set(name, digits);
}

/** The digits of a number member as they were sent; undefined when it is no number. */
export const sourceOf = (holder: object, name: string): string | undefined =>
  sources.get(holder)?.get(name);

/** Digits of a number or text of a string: what a price or an amount is read from. */
export function decimalText(holder: object, name: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? sourceOf(holder, name) : undefined;
}

/** True for `12`, `-0.5`, `0.30`; false for exponents and for minus zero. */
export const isPlainDecimal = (text: string): boolean =>
  text.length <= 64 && plainNumber.test(text) && !negativeZero.test(text);

/** Path of the first number written with an exponent, as minus zero, or in over 64 characters. */
export const oddNumberPath = (value: unknown): readonly string[] | undefined =>
  pathTo(value, (holder, name) => {
    const source = sourceOf(holder, name);
    return source !== undefined && !isPlainDecimal(source);
  });

/** Path of the first text that has an API key in it: the journal would keep it for ever. */
export const pastedKeyPath = (value: unknown): readonly string[] | undefined =>
  pathTo(value, (holder, name) => {
    const member: unknown = Reflect.get(holder, name);
    return typeof member === "string" && holdsKey(member);
  });

/** Control characters but tab and new line, and what turns the direction of reading around. */
const unseen = /[[\p{Cc}--[\t\n\r]]\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/v;

/** Path of the first text that would not be read as it is written. */
export const unseenPath = (value: unknown): readonly string[] | undefined =>
  pathTo(value, (holder, name) => {
    const member: unknown = Reflect.get(holder, name);
    return typeof member === "string" && unseen.test(member);
  });

/** Path of the first member whose name could reach a prototype. */
export const forbiddenPath = (value: unknown): readonly string[] | undefined =>
  pathTo(value, (_holder, name) => forbidden.has(name));

/** True where none of the paths above is to be found: nearly every body, in one walk. */
export function isPlain(value: unknown): boolean {
  if (typeof value === "string") return !unseen.test(value) && !holdsKey(value);
  if (typeof value !== "object" || value === null) return true;
  const numbers = sources.get(value);
  if (numbers !== undefined) {
    for (const source of numbers.values()) if (!isPlainDecimal(source)) return false;
  }
  if (Array.isArray(value)) return value.every(isPlain);
  for (const [name, member] of Object.entries(value)) {
    if (forbidden.has(name) || !isPlain(member)) return false;
  }
  return true;
}

function pathTo(
  value: unknown,
  isFound: (holder: object, name: string) => boolean,
): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = Object.keys(value).find((name) => isFound(value, name));
  if (found !== undefined) return [found];
  for (const [name, member] of Object.entries(value)) {
    const inner = pathTo(member, isFound);
    if (inner !== undefined) return [name, ...inner];
  }
  return undefined;
}
