// The moments of a market's life, from its terms and the rules.
// Invariant: trading closes at the end of the measurement month, before its print can be known.
import { monthEndMillis } from "#base/month.ts";
import type { Terms } from "#contract/terms.ts";

const DAY_MILLIS = 86_400_000;

/** How long a resolution may be disputed before it pays. */
export const DISPUTE_WINDOW_MILLIS = 72 * 3_600_000;

export const tradingEndsAtMillis = (terms: Terms): number => monthEndMillis(terms.measurementMonth);

/** The fallback in the terms: 60 days after the expected publication. */
export const voidsAtMillis = (terms: Terms): number => terms.expectedAtMillis + 60 * DAY_MILLIS;
