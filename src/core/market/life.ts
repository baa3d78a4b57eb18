// The moments of a market's life, from its terms and the rules.
// Invariant: trading closes at the end of the measurement month, before its print can be known.
import { DAY_MILLIS } from "#base/day.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Terms } from "#contract/terms.ts";
import type { Dispute, MarketStatus } from "../records.ts";

/** How long a resolution may be disputed before it pays. */
export const DISPUTE_WINDOW_MILLIS = 72 * 3_600_000;

/** A dispute that two people have not decided by then is upheld. */
export const upheldAtMillis = ({ openedAtMillis }: Dispute): number =>
  openedAtMillis + 10 * DAY_MILLIS;

/** Neither resolved nor at its end. */
export const isFinal = (status: MarketStatus): boolean =>
  status === "FINALIZED" || status === "CANCELLED";

export const isLive = (status: MarketStatus): boolean => status === "ACTIVE" || status === "PAUSED";

export const tradingEndsAtMillis = (terms: Terms): number => monthEndMillis(terms.measurementMonth);

/** 60 days after the expected publication, the fallback begins. */
export const fallbackAtMillis = ({ expectedAtMillis }: Terms): number =>
  expectedAtMillis + 60 * DAY_MILLIS;
