// A second look at a JSON text that was parsed: the digits of its numbers, which the parser turns
// into floats, and the member that stands twice in one object. Of two the parser here keeps the
// last, a proxy or another parser on the way may keep the first, and each would read another order.
// Invariant: called with text that is valid JSON, and with what it was parsed to.

/** Far deeper than any body is; what reads a body goes down level by level. */
const MOST_LEVELS = 500;

/** An object or array that is open where the walk stands. */
interface Level {
  readonly value: unknown;
  /** The names met so far; undefined stands for an array. */
  readonly names: Set<string> | undefined;
  /** The member that comes next or is being read: its name, or its place in the array. */
  member: string | number;
}

/**
 * `onNumber`: a number as it stands in the text, of a member of an object or an array.
 * @returns the first name that is given twice; names are compared as they are read, escapes too
 * @throws RangeError where it is nested too deeply
 */
export function walkJson(
  text: string,
  root: unknown,
  onNumber: (holder: object, member: string, digits: string) => void,
): string | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let repeated: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === '"') {
      const end = endOfString(text, at);
      if (level?.names !== undefined && isName(text, end)) {
        const name = nameOf(text.slice(at, end));
        if (level.names.has(name)) repeated ??= name;
        level.names.add(name);
        level.member = name;
      }
      at = end - 1;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      const end = endOfNumber(text, at);
      // The holder of a member that is given again is the last one's, and may be of another kind.
      if (level !== undefined && isObject(level.value)) {
        onNumber(level.value, String(level.member), text.slice(at, end));
      }
      at = end - 1;
    } else if (character === "{" || character === "[") {
      if (levels.length === MOST_LEVELS) throw new RangeError("nested too deeply");
      const value = level === undefined ? root : memberOf(level);
      level = { value, names: character === "{" ? new Set() : undefined, member: 0 };
      levels.push(level);
    } else if (character === "}" || character === "]") {
      levels.pop();
      level = levels.at(-1);
    } else if (character === "," && typeof level?.member === "number") level.member += 1;
  }
  return repeated;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const memberOf = ({ value, member }: Level): unknown =>
  isObject(value) ? Reflect.get(value, member) : undefined;

/** As it is read; `quoted`: with its quotation marks. */
const nameOf = (quoted: string): string =>
  quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);

/** Just after the closing quotation mark of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && "0123456789.eE+-".includes(text[at] ?? "")) at += 1;
  return at;
}

/** In an object only a name is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at += 1;
  return text[at] === ":";
}
