// Words of places that are written out by some and cut short by others.
// Invariant: no word stands twice, so that one way of writing leads to one key.

export const shortWords: readonly (readonly [string, string])[] = [
  ["Saint", "St"],
  ["Sainte", "Ste"],
  ["Mount", "Mt"],
  ["Fort", "Ft"],
];
