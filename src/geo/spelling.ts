// Places whose names differ from what was typed by a slip or two of the keys.
// Invariant: only names with the same first letter and nearly as many letters are compared, and at
// most MOST_COMPARED of them, so that no text costs more however many places there are.
import type { SearchEntry } from "./search-index.ts";

interface Spelled {
  readonly entry: SearchEntry;
  readonly key: string;
}

/** The largest group that a text of real places meets holds some 3,000. */
export const MOST_COMPARED = 8_192;

/** Slips that are forgiven: of a short name too many others are one slip away. */
const slipsForgiven = (letters: number): number => (letters < 4 ? 0 : letters < 7 ? 1 : 2);

export class Spellings {
  /** By first letter and number of letters; in a group by rising rank. */
  readonly #groups = new Map<string, Spelled[]>();

  /** `entries` by rising rank. */
  constructor(entries: readonly SearchEntry[]) {
    for (const entry of entries) {
      for (const key of entry.looseKeys.split("\n")) {
        if (slipsForgiven(key.length) === 0 || /^[0-9]+$/.test(key)) continue;
        const name = groupOf(key, key.length);
        const group = this.#groups.get(name);
        if (group === undefined) this.#groups.set(name, [{ entry, key }]);
        else group.push({ entry, key });
      }
    }
  }

  /** With how many slips each is meant; `compared` is told of every name that was looked at. */
  nearest(
    text: string,
    counts: (entry: SearchEntry) => boolean,
    compared: () => void,
  ): Map<SearchEntry, number> {
    const slips = slipsForgiven(text.length);
    const found = new Map<SearchEntry, number>();
    let left = slips === 0 ? 0 : MOST_COMPARED;
    for (const length of lengthsAround(text.length, slips)) {
      for (const { entry, key } of this.#groups.get(groupOf(text, length)) ?? []) {
        if (left === 0) return found;
        left -= 1;
        compared();
        if (!counts(entry)) continue;
        const distance = slipsBetween(text, key, slips);
        if (distance <= (found.get(entry) ?? slips)) found.set(entry, distance);
      }
    }
    return found;
  }
}

const groupOf = (key: string, length: number): string => `${key.charAt(0)}${length}`;

/** The nearest first: 8, 7, 9, 6, 10. */
function lengthsAround(length: number, slips: number): number[] {
  const lengths = [length];
  for (let step = 1; step <= slips; step += 1) lengths.push(length - step, length + step);
  return lengths;
}

/**
 * Letters left out, added, replaced or swapped with their neighbour on the way from one text to
 * the other; more than `most` is told as `most + 1`.
 */
export function slipsBetween(a: string, b: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = Array.from({ length: b.length + 1 }, () => most + 1);
    if (i <= most) row[0] = i;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row[j] = Math.min(least, most + 1);
    }
    before = last;
    last = row;
    if (Math.min(...row) > most) return most + 1;
  }
  return last[b.length] ?? most + 1;
}
