// Reads a text that a person typed: folded, loosened, with a state or a zip at its end.
// Invariant: the same text is read the same way, whichever places there are.
import { shortWords } from "./short-words.ts";
import { builtInStates } from "./states.ts";

/**
 * Lower case without accents, every apostrophe the plain one (keyboards write O’Fallon, maps
 * Hawaiʻi), blanks and control characters as single blanks; so no key holds a line end.
 */
export const folded = (text: string): string =>
  (isPlain.test(text) ? text.toLowerCase() : withoutAccents(text.toLowerCase()))
    .replace(/ {2,}/g, " ")
    .trim();

const isPlain = /^[ -~]*$/;

const withoutAccents = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[‘’ʻʼ]/g, "'")
    .replace(/[\s\p{Cc}]/gu, " ");

const shortForms: ReadonlyMap<string, string> = new Map(
  [...shortWords, ["Township", "Twp"] as const].map(([long, short]) => [
    long.toLowerCase(),
    short.toLowerCase(),
  ]),
);

/** Letters and digits alone, with words such as Saint cut short: `Winston-Salem` → `winstonsalem`. */
export const loosened = (foldedText: string): string =>
  foldedText
    .replace(/['.]/g, "")
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => shortForms.get(word) ?? word)
    .join("");

/** `austin, tx` and `austin texas` → `austin` in `TX`. */
export interface PlaceInState {
  readonly text: string;
  readonly stateCode: string;
}

const stateCodes: ReadonlyMap<string, string> = new Map(
  builtInStates.flatMap(({ name, stateCode }) => [
    [folded(name), stateCode] as const,
    [stateCode.toLowerCase(), stateCode] as const,
  ]),
);

/** "district of columbia" */
const MOST_WORDS_OF_A_STATE = 3;

/** Undefined where no state ends the text, or nothing stands before it; the longest name counts. */
export function inState(foldedText: string): PlaceInState | undefined {
  const words = foldedText
    .replace(/\./g, "")
    .split(/[ ,-]+/)
    .filter((word) => word !== "");
  for (let count = MOST_WORDS_OF_A_STATE; count > 0; count -= 1) {
    if (words.length <= count) continue;
    const stateCode = stateCodes.get(words.slice(-count).join(" "));
    if (stateCode !== undefined) return { text: words.slice(0, -count).join(" "), stateCode };
  }
  return undefined;
}

/** Of `78701-1234`, and of an address's end such as `austin tx 78701`; undefined without one. */
export const zipAtEnd = (foldedText: string): string | undefined =>
  /(?:^|[ ,])([0-9]{5})(?:[- ]?[0-9]{4})?$/.exec(foldedText)?.[1];

export const isFiveDigits = (text: string): boolean => /^[0-9]{5}$/.test(text);
