// A day in milliseconds.
// Invariant: a day of UTC, which has no hour more or less.

export const DAY_MILLIS = 86_400_000;
