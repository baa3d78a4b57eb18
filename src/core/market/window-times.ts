// The window of a release as it is kept, what it holds, and how long.
// Invariant: a window waits for ten days at most; then, and once marks are there, orders meet at
// moments that the clock brings.
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import type { MarketId, NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Tick } from "#base/price.ts";
import type { Lots } from "#base/quantity.ts";

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
  /** It has lasted ten days. */
  readonly isOverdue: boolean;
  /** An operator has called it, and no release has come since. */
  readonly calledAtMillis?: number;
  /** That call still holds. */
  readonly isCalled?: true;
  /** When the newest marks came that it waited for. */
  readonly marksAtMillis?: number;
  /** After marks: only the auctions of thin markets are still to come. */
  readonly onlyThin?: true;
  /** Overdue, or over without marks: when the orders that waited for it meet. */
  readonly uncrossAtMillis?: number;
  /** Of one that became overdue while it was waited for: orders meet once a day. */
  readonly isDaily?: true;
}

export const nothingAwaited = {
  files: [],
  isExpected: false,
  marksAfter: null,
  isOverdue: false,
} satisfies Partial<ReleaseWindow>;

/** The one price at which most would trade, and how much. */
export interface Indicative {
  readonly tick: Tick;
  readonly volumeLots: Lots;
  /** Left over at that price: above 0 of buyers of YES, below 0 of sellers. */
  readonly surplusLots: Lots;
}

/** A market in an auction whose book would trade. */
export interface HeldMatching {
  readonly marketId: MarketId;
  /** Null until the end of its auction is known. */
  readonly resumesAtMillis: number | null;
  readonly indicative: Indicative;
}

const LONGEST_MILLIS = 10 * DAY_MILLIS;
/** An operator's call without a file. */
const LONGEST_CALL_MILLIS = DAY_MILLIS;
const AFTER_MARKS_MILLIS = 30 * MINUTE_MILLIS;
/** The hour of the day (UTC) at which thin markets and overdue ones meet. */
const HOUR = 16;

export const callableAgainMillis = (calledAtMillis: number): number =>
  calledAtMillis + LONGEST_MILLIS;

/** A release or its marks may be out, and the exchange does not have them. */
export const isAwaiting = (window: ReleaseWindow): boolean =>
  !window.isOverdue && (window.isCalled === true || isAwaitingFile(window) || window.isExpected);

const isAwaitingFile = ({ files, marksAfter }: ReleaseWindow): boolean =>
  files.length > 0 || marksAfter !== null;

/** By an operator, and no file has been seen; what else it waits for is looked at afterwards. */
export const isOnlyCalled = (window: ReleaseWindow): boolean =>
  window.isCalled === true && !isAwaitingFile(window);

/** It holds some markets of its index. */
export const holdsMatching = (window: ReleaseWindow): boolean =>
  isAwaiting(window) ||
  (window.isOverdue
    ? window.isDaily === true
    : window.marksAtMillis !== undefined || window.uncrossAtMillis !== undefined);

/** While it waits, when that is given up; else when its markets meet. */
export function windowEndsAtMillis(window: ReleaseWindow): number | undefined {
  const { openedAtMillis, calledAtMillis, marksAtMillis, onlyThin } = window;
  if (isAwaiting(window)) {
    return isOnlyCalled(window)
      ? (calledAtMillis ?? openedAtMillis) + LONGEST_CALL_MILLIS
      : overdueAtMillis(openedAtMillis);
  }
  if (window.isOverdue || marksAtMillis === undefined) return window.uncrossAtMillis;
  return auctionAtMillis(marksAtMillis, onlyThin === true);
}

/** After marks, the moment of a market's auction. */
const auctionAtMillis = (marksAtMillis: number, ofThin: boolean): number =>
  ofThin ? hourOfNextDay(marksAtMillis) : marksAtMillis + AFTER_MARKS_MILLIS;

/** Ten days after it began to wait. */
export const overdueAtMillis = (sinceMillis: number): number => sinceMillis + LONGEST_MILLIS;

const hourOfNextDay = (millis: number): number =>
  millis - (millis % DAY_MILLIS) + DAY_MILLIS + HOUR * HOUR_MILLIS;

/** The first 16:00 UTC after a moment. */
export function nextUncrossMillis(afterMillis: number): number {
  const today = hourOfNextDay(afterMillis) - DAY_MILLIS;
  return today > afterMillis ? today : today + DAY_MILLIS;
}

/** Below a state few people watch; drawn from the terms, so that no order can change it. */
export const isThin = (nodeId: NodeId): boolean => !nodeId.startsWith("state:") && nodeId !== "us";
