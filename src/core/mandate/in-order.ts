// A list in an order of its own, in chunks, of which a change copies one.
// Invariant: a list is replaced, never changed, so one that is being read stays as it was.
import { invariant } from "#base/invariant.ts";

export type InOrder<T> = readonly (readonly T[])[];
/** Zero for one item alone: itself. */
type Compare<T> = (one: T, other: T) => number;

const MOST_IN_CHUNK = 128;

export function inOrder<T>(items: Iterable<T>, compare: Compare<T>): InOrder<T> {
  const all = [...items].sort(compare);
  const size = MOST_IN_CHUNK / 2;
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

export function withItem<T>(list: InOrder<T>, item: T, compare: Compare<T>): InOrder<T> {
  const { at, chunk, place } = placeOf(list, item, compare);
  const grown = chunk.toSpliced(place, 0, item);
  if (grown.length <= MOST_IN_CHUNK) return list.toSpliced(at, 1, grown);
  const half = MOST_IN_CHUNK / 2;
  return list.toSpliced(at, 1, grown.slice(0, half), grown.slice(half));
}

export function withoutItem<T>(list: InOrder<T>, item: T, compare: Compare<T>): InOrder<T> {
  const { at, chunk, place } = placeOf(list, item, compare);
  const found = chunk[place];
  invariant(found !== undefined && compare(found, item) === 0, "what leaves a list stood in it");
  const rest = chunk.toSpliced(place, 1);
  return rest.length === 0 ? list.toSpliced(at, 1) : list.toSpliced(at, 1, rest);
}

/** In its chunk, behind all that come before it. */
function placeOf<T>(list: InOrder<T>, item: T, compare: Compare<T>) {
  const comesBefore = (other: T | undefined): boolean =>
    other !== undefined && compare(other, item) <= 0;
  const at = Math.max(countWhile(list.length, (one) => comesBefore(list[one]?.[0])) - 1, 0);
  const chunk = list[at] ?? [];
  const before = (other: T | undefined): boolean => other !== undefined && compare(other, item) < 0;
  return { at, chunk, place: countWhile(chunk.length, (one) => before(chunk[one])) };
}

/** Of so many, the first ones that pass; those behind them do not. */
function countWhile(length: number, passes: (at: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (passes(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
