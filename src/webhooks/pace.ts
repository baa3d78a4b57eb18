// When a delivery that failed is tried again, and when a webhook is given up.
// Invariant: the waits between attempts only grow, each a whole number of milliseconds; none is
// longer than the longest.
import { DAY_MILLIS } from "#base/day.ts";

export interface WebhookPace {
  /** After the first failure; doubled at each further one. */
  readonly firstMillis: number;
  readonly longestMillis: number;
  /** So long after its first failure a message that still fails ends the run. */
  readonly patienceMillis: number;
  /** So long after its row was refused it is written again. */
  readonly refusedMillis: number;
  /** In [0, 1). */
  random(): number;
}

/** 5 s, 10 s … 4 h: about 30 attempts in the three days. */
export const webhookPace: WebhookPace = {
  firstMillis: 5_000,
  longestMillis: 4 * 3_600_000,
  patienceMillis: 3 * DAY_MILLIS,
  refusedMillis: 60_000,
  random: Math.random,
};

const MOST_DOUBLINGS = 20;

/** Up to a fifth longer, so that many do not come at once; no sooner than the receiver asked. */
export function pauseMillis(pace: WebhookPace, attempts: number, askedMillis: number): number {
  const doubled = pace.firstMillis * 2 ** Math.min(attempts - 1, MOST_DOUBLINGS);
  const pause = Math.min(doubled * (1 + pace.random() / 5), pace.longestMillis);
  return Math.round(Math.min(Math.max(pause, askedMillis), pace.longestMillis));
}
