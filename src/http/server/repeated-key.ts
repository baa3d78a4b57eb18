// The member of a JSON text that stands twice in one object: the parser here keeps the last, a
// proxy or another parser on the way may keep the first, and each would read another order.
// Invariant: called with text that is valid JSON; names are compared as they are read, escapes too.

/** The name, or undefined when every object names each of its members once. */
export function repeatedKey(text: string): string | undefined {
  /** The names met so far of each object that is open; undefined stands for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    if (character !== '"') continue;
    const end = endOfString(text, at);
    const names = open.at(-1);
    if (names !== undefined && isName(text, end)) {
      const name = nameOf(text.slice(at, end));
      if (names.has(name)) return name;
      names.add(name);
    }
    at = end - 1;
  }
  return undefined;
}

/** Just after the closing quotation mark of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** As it is read; `quoted`: with its quotation marks. */
const nameOf = (quoted: string): string =>
  quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);

/** In an object only a name is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at += 1;
  return text[at] === ":";
}
