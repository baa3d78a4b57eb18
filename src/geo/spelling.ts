// Places whose names differ from what was typed by a slip or two of the keys.
// Invariant: only names with the same first letter and nearly as many letters are compared, and at
// most MOST_COMPARED of them, so that no text costs more however many places there are.
import type { SearchEntry } from "./search-index.ts";

interface Spelled {
  readonly entry: SearchEntry;
  readonly key: string;
  readonly letters: number;
}

/** Of the 14,000 names of the files at hand one text meets 830 at most (2026-11). */
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
        if (group === undefined) this.#groups.set(name, [{ entry, key, letters: lettersOf(key) }]);
        else group.push({ entry, key, letters: lettersOf(key) });
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
    const wanted = lettersOf(text);
    let left = slips === 0 ? 0 : MOST_COMPARED;
    for (const length of lengthsAround(text.length, slips)) {
      for (const { entry, key, letters } of this.#groups.get(groupOf(text, length)) ?? []) {
        if (left === 0) return found;
        left -= 1;
        compared();
        // A letter replaced by another is two letters apart, and no slip is more.
        if (bitsIn(letters ^ wanted) > 2 * slips || !counts(entry)) continue;
        const distance = slipsBetween(text, key, slips);
        if (distance <= (found.get(entry) ?? slips)) found.set(entry, distance);
      }
    }
    return found;
  }
}

const groupOf = (key: string, length: number): string => `${key.charAt(0)}${length}`;

/** A bit for each letter that a text holds, however often; some share one. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

function bitsIn(letters: number): number {
  let count = 0;
  for (let left = letters; left !== 0; left &= left - 1) count += 1;
  return count;
}

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
