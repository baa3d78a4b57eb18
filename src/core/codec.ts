// Data ↔ text for the journal and snapshots: JSON in which the unit in a name tells a bigint.
// Invariant: decode(encode(x)) equals x; text from users is never taken for a number.

const bigintUnits = ["Micros", "Lots", "E12", "E15"] as const;
const known = new Map<string, boolean>();

const isBigintName = (name: string): boolean => {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const answer = bigintUnits.some((unit) => name.endsWith(unit));
  known.set(name, answer);
  return answer;
};

/** Names come from the source, but for keys of free text: beyond so many they are written anew. */
const NAMES_KEPT = 4_096;
const nameTexts = new Map<string, string>();

function nameText(name: string): string {
  const kept = nameTexts.get(name);
  if (kept !== undefined) return kept;
  const text = `${JSON.stringify(name)}:`;
  if (nameTexts.size < NAMES_KEPT) nameTexts.set(name, text);
  return text;
}

/** Text that JSON writes as it stands: ASCII without control characters, quote and backslash. */
const asItStands = /^[ !#-[\]-~]*$/;

/**
 * JSON with bigints as decimal strings, keys in the order they were written: the bytes that
 * `JSON.stringify` with a replacer gives, in three fifths of its time (2026-11), for it asks the
 * replacer at every field.
 */
export const encode = (value: unknown): string => textOf(value) ?? "null";

/** Undefined of what JSON leaves out. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") {
    return asItStands.test(value) ? `"${value}"` : JSON.stringify(value);
  }
  if (typeof value === "bigint") return `"${value}"`;
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value === null) return "null";
  if (Array.isArray(value)) return listText(value);
  return isRecord(value) ? recordText(value) : undefined;
}

/** The text of a record's members, and one more; of what JSON leaves out, none. */
export const memberText = (members: string, name: string, value: unknown): string =>
  member(members, nameText(name), value);

/** The same, of a name that is written already: `"name":`. */
export function member(members: string, name: string, value: unknown): string {
  const field = textOf(value);
  return field === undefined ? members : written(members, name, field);
}

/** The same, where the value is written too. */
export const written = (members: string, name: string, value: string): string =>
  members + (members === "" ? "{" : ",") + name + value;

/** A record of these members. */
export const endText = (members: string): string => (members === "" ? "{}" : `${members}}`);

function listText(list: readonly unknown[]): string {
  const items = new ItemTexts();
  for (const one of list) items.add(textOf(one) ?? "null");
  return `[${items.text}]`;
}

const LONG_TEXT = 8_192;

/**
 * Texts with a comma between two of them. A text that grows by small pieces is a tree of them until
 * it is read: of a national release a huge one, whose nodes the collector copies while they live.
 * It is written out every so often: the entry of 26,000 places is made in 180 ms where it took 300
 * (2026-11, in turns).
 */
export class ItemTexts {
  readonly #earlier: string[] = [];
  #last = "";

  /** None is empty. */
  add(item: string): void {
    this.#last += this.#last === "" ? item : `,${item}`;
    if (this.#last.length < LONG_TEXT) return;
    this.#earlier.push(inOnePiece(this.#last));
    this.#last = "";
  }

  get isEmpty(): boolean {
    return this.#last === "" && this.#earlier.length === 0;
  }

  get text(): string {
    if (this.#earlier.length === 0) return this.#last;
    return (this.#last === "" ? this.#earlier : [...this.#earlier, this.#last]).join(",");
  }
}

/** `slice` has the tree written out, and `join` copies what it wrote. */
const inOnePiece = (text: string): string => [text.slice(0, 1), text.slice(1)].join("");

function recordText(record: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const name in record) text = memberText(text, name, record[name]);
  return endText(text);
}

/** Reads what `encode` wrote; the caller names the type it wrote. */
export function decode(text: string): unknown {
  return revive(JSON.parse(text));
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) value[at] = revive(value[at]);
    return value;
  }
  if (!isRecord(value)) return value;
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (typeof field === "string") {
      if (isBigintName(name)) value[name] = BigInt(field);
    } else if (typeof field === "object" && field !== null) {
      value[name] = revive(field);
    }
  }
  return value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
