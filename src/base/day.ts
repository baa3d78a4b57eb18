// A day and its parts in milliseconds.
// Invariant: a day of UTC, which has no hour more or less.

export const MINUTE_MILLIS = 60_000;
export const HOUR_MILLIS = 60 * MINUTE_MILLIS;
export const DAY_MILLIS = 24 * HOUR_MILLIS;
