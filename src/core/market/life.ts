// The moments of a market's life, from its terms and the rules.
// Invariant: trading closes at the end of the measurement month, before its print can be known.
import { DAY_MILLIS } from "#base/day.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Terms } from "#contract/terms.ts";
import type { Dispute, Market, MarketStatus } from "../records.ts";

/** How long a resolution may be disputed before it pays. */
export const DISPUTE_WINDOW_MILLIS = 72 * 3_600_000;

/** The first operator's word for a void waits ten days for a second one's. */
export const lapsesAtMillis = ({ proposedAtMillis }: NonNullable<Market["voidProposal"]>): number =>
  proposedAtMillis + 10 * DAY_MILLIS;

/** A dispute that two people have not decided by then is upheld. */
export const upheldAtMillis = ({ openedAtMillis }: Dispute): number =>
  openedAtMillis + 10 * DAY_MILLIS;

/** Neither resolved nor at its end. */
export const isFinal = (status: MarketStatus): boolean =>
  status === "FINALIZED" || status === "CANCELLED";

export const isLive = (status: MarketStatus): boolean => status === "ACTIVE" || status === "PAUSED";

/** As a market is once its void is done, taken back or out of the question. */
export function withoutVoidProposal({ voidProposal: _voidProposal, ...market }: Market): Market {
  return market;
}

export const tradingEndsAtMillis = (terms: Terms): number => monthEndMillis(terms.measurementMonth);

/** 60 days after the expected publication, the fallback begins. */
export const fallbackAtMillis = ({ expectedAtMillis }: Terms): number =>
  expectedAtMillis + 60 * DAY_MILLIS;
