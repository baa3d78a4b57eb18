// The window of a release as it is kept, and how long it lasts.
// Invariant: a window holds for ten days at most from what it last began to wait for.
import { DAY_MILLIS } from "#base/day.ts";
import type { MarketId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";

/** Since when an index waits for a release and its marks, and what for. */
export interface ReleaseWindow {
  readonly index: IndexKind;
  readonly openedAtMillis: number;
  /** Files that were seen and are neither accepted nor given up. */
  readonly files: readonly ReleaseId[];
  /** The day has come, and no file. */
  readonly isExpected: boolean;
  /** The marks must know so many releases; null = none is waited for. */
  readonly marksAfter: number | null;
  /** It has lasted ten days: orders match again. */
  readonly isOverdue: boolean;
}

export const nothingAwaited = {
  files: [],
  isExpected: false,
  marksAfter: null,
  isOverdue: false,
} satisfies Partial<ReleaseWindow>;

/** A market with orders that would have traded. */
export interface HeldMatching {
  readonly marketId: MarketId;
  /** Of the first order that came while nothing matched. */
  readonly fromRank: number;
  readonly resumesAtMillis: number;
}

const LONGEST_MILLIS = 10 * DAY_MILLIS;

export const windowEndsAtMillis = ({ openedAtMillis }: ReleaseWindow): number =>
  openedAtMillis + LONGEST_MILLIS;

export const holdsMatching = ({ isOverdue }: ReleaseWindow): boolean => !isOverdue;
