// The rows of test/seeded-bugs.md and where each one's source text stands.
// Invariant: a row names no file. Its text is looked for in all of the product's code, where it
// must stand once, so code can move from file to file and take its rows along untouched.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { tableRows } from "../table-rows.ts";

export interface SeededBug {
  readonly name: string;
  readonly source: string;
  readonly replacement: string;
  readonly test: string;
}

interface Code {
  readonly path: string;
  readonly text: string;
}

export interface Place extends Code {
  readonly at: number;
}

/** Two paths are no code of the product, but tests rest on them and have rows of their own. */
const searched = [
  ...["bin", "console", "deploy", "sdk", "src", "tools"],
  ...["docs/architecture.md", "test/secrets/finder.ts"],
];

const isSearched = (path: string): boolean =>
  /\.(ts|tsx|sql|css|html|md|ya?ml|service|cfg|conf)$|^bin\/|file$/.test(path) &&
  !/(^|\/)(node_modules|dist)\/|\.test\.ts$|^sdk\/src\/openapi\.ts$/.test(path);

/** Rows `| name | source text | replacement | test |` in backquotes. */
export function readSeededBugs(table: string): readonly SeededBug[] {
  return tableRows(table).map((cells) => {
    const [name, source, replacement, test] = cells;
    if (cells.length !== 4 || !name || !source || replacement === undefined || !test)
      throw new Error(`a row of test/seeded-bugs.md has not its four cells: ${cells.join(" | ")}`);
    return { name, source, replacement, test };
  });
}

export function readCode(root: string): readonly Code[] {
  return searched
    .flatMap((path) => filesUnder(root, path))
    .filter(isSearched)
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function filesUnder(root: string, path: string): string[] {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found?.isFile()) return [path];
  if (found === undefined || path.endsWith("/node_modules")) return [];
  return readdirSync(join(root, path)).flatMap((name) => filesUnder(root, `${path}/${name}`));
}

/**
 * Each row's places. Looking for 1,407 texts in four million characters one after the other takes
 * seconds, so the words of the code are gone through once: a row is tried at its longest word.
 */
export function placesOf(
  bugs: readonly SeededBug[],
  code: readonly Code[],
): ReadonlyMap<SeededBug, readonly Place[]> {
  const places = new Map<SeededBug, Place[]>(bugs.map((bug) => [bug, []]));
  const byWord = Map.groupBy(
    bugs.map((bug) => ({ bug, ...longestWord(bug.source) })),
    ({ word }) => word,
  );
  for (const { path, text } of code) {
    const tryAt = (word: string, index: number): void => {
      for (const { bug, offset } of byWord.get(word) ?? []) {
        const at = index - offset;
        if (text.startsWith(bug.source, at)) places.get(bug)?.push({ path, text, at });
      }
    };
    for (const { 0: word, index } of text.matchAll(/\w+/g)) tryAt(word, index);
    for (const { bug } of byWord.get("") ?? []) {
      for (let at = text.indexOf(bug.source); at >= 0; at = text.indexOf(bug.source, at + 1))
        places.get(bug)?.push({ path, text, at });
    }
  }
  return places;
}

/** A word at either end of the text may be a part of a longer one, and is not taken. */
function longestWord(source: string): { readonly word: string; readonly offset: number } {
  let longest = { word: "", offset: 0 };
  for (const { 0: word, index } of source.matchAll(/(?<=\W)\w+(?=\W)/g))
    if (word.length > longest.word.length) longest = { word, offset: index };
  return longest;
}

/** The one place of a row, or the fault that it has none or several. */
export const onlyPlace = (places: readonly Place[]): Place | string => {
  const [place, ...others] = places;
  if (place === undefined) return "lost its text: it stands nowhere";
  if (others.length === 0) return place;
  return `found its text ${places.length} times: ${places.map(lineOf).join(", ")}`;
};

const lineOf = ({ path, text, at }: Place): string =>
  `${path}:${text.slice(0, at).split("\n").length}`;

export const putInto = (
  text: string,
  at: number,
  { source, replacement }: Pick<SeededBug, "source" | "replacement">,
): string => text.slice(0, at) + replacement + text.slice(at + source.length);

export function isCode(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}

/** A line for each row that cannot be put in, or whose test is not there. */
export function faultsOf(bugs: readonly SeededBug[], root: string): readonly string[] {
  const places = placesOf(bugs, readCode(root));
  const placed: { bug: SeededBug; place: Place }[] = [];
  const faults: string[] = [];
  for (const bug of bugs) {
    const place = onlyPlace(places.get(bug) ?? []);
    if (typeof place === "string") faults.push(`${bug.name}: ${place}`);
    else placed.push({ bug, place });
    if (!existsSync(join(root, bug.test))) faults.push(`${bug.name}: there is no ${bug.test}`);
  }
  const inTypeScript = placed.filter(({ place }) => place.path.endsWith(".ts"));
  for (const rows of Map.groupBy(inTypeScript, ({ place }) => place.path).values())
    for (const { bug } of withoutCode(rows)) faults.push(`${bug.name}: the replacement is no code`);
  return faults;
}

interface Placed {
  readonly bug: SeededBug;
  readonly place: Place;
}

/**
 * A parse a row takes two seconds for the whole table. All rows of a file are put in together, and
 * those that overlap in further rounds; only where that is no code each is tried alone.
 */
function withoutCode(rows: readonly Placed[]): readonly Placed[] {
  const [together, later]: [Placed[], Placed[]] = [[], []];
  let end = 0;
  for (const row of rows.toSorted((one, other) => one.place.at - other.place.at)) {
    const overlaps = row.place.at < end;
    if (!overlaps) end = row.place.at + row.bug.source.length;
    (overlaps ? later : together).push(row);
  }
  const all = together.reduceRight(
    (text, { bug, place }) => putInto(text, place.at, bug),
    together[0]?.place.text ?? "",
  );
  const faulty = isCode(all)
    ? []
    : together.filter(({ bug, place }) => !isCode(putInto(place.text, place.at, bug)));
  return later.length === 0 ? faulty : [...faulty, ...withoutCode(later)];
}
