// When a source is visited again, and which day a downloaded file is given.
// Invariant: no two waits are quite the same, so that many exchanges do not come at once.
import { DAY_MILLIS } from "#base/day.ts";

export interface DownloadPace {
  readonly hourMillis: number;
  /** After the first failure; doubled at each further one. */
  readonly retryMillis: number;
  /** In [0, 1). */
  random(): number;
}

export const downloadPace: DownloadPace = {
  hourMillis: 3_600_000,
  retryMillis: 60_000,
  random: Math.random,
};

const MOST_DOUBLINGS = 20;
const OLDEST_MILLIS = 400 * DAY_MILLIS;

/** Up to a tenth later than asked for, never earlier. */
export const regularMillis = (everyHours: number, pace: DownloadPace): number =>
  everyHours * pace.hourMillis * (1 + pace.random() / 10);

/** Doubled with each failure and up to half as long again; at most the regular wait. */
export function retryMillis(everyHours: number, failures: number, pace: DownloadPace): number {
  const doubled = pace.retryMillis * 2 ** Math.min(failures - 1, MOST_DOUBLINGS);
  const jittered = doubled * (1 + pace.random() / 2);
  return Math.min(jittered, regularMillis(everyHours, pace));
}

/**
 * `Last-Modified` as the time of publication, where it can be one: a date as HTTP writes it, not in
 * the future, and not so long ago that its server rather does not know (1970). Otherwise now.
 */
export function publicationMillis(lastModified: string | null, nowMillis: number): number {
  const millis = lastModified?.endsWith(" GMT") ? Date.parse(lastModified) : Number.NaN;
  return millis <= nowMillis && millis > nowMillis - OLDEST_MILLIS ? millis : nowMillis;
}
