// A window of the reference model as it is kept: what it holds, and when the clock comes to it.
// Invariant: nothing of src/core is called.

const HOUR_MILLIS = 3_600_000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;

/** Since the day of a print, a word or the print; waits for it, for marks made of it, or both. */
export interface ModelWindow {
  readonly sinceMillis: number;
  readonly forPrint: boolean;
  readonly forMarks: boolean;
  /** An operator's word stands. */
  readonly isCalled: boolean;
  readonly calledMillis: number | null;
  /** It has lasted ten days. */
  readonly isOverdue: boolean;
  /** Then, if it was waited for all the time: markets meet once a day. */
  readonly isDaily: boolean;
  readonly marksMillis: number | null;
  /** The markets of states have met since the marks. */
  readonly isMet: boolean;
  /** When what waited for it meets, overdue or without marks. */
  readonly meetMillis: number | null;
}

export const nothing: Omit<ModelWindow, "sinceMillis"> = {
  forPrint: false,
  forMarks: false,
  isCalled: false,
  calledMillis: null,
  isOverdue: false,
  isDaily: false,
  marksMillis: null,
  isMet: false,
  meetMillis: null,
};

export const again = { isOverdue: false, isMet: false, meetMillis: null } as const;

export const waits = ({ isOverdue, isCalled, forMarks, forPrint }: ModelWindow): boolean =>
  !isOverdue && (isCalled || forMarks || forPrint);

/** Of states, whatever is in their books. */
export function holds(window: ModelWindow): boolean {
  if (waits(window)) return true;
  if (window.isOverdue) return window.isDaily;
  return window.marksMillis === null ? window.meetMillis !== null : !window.isMet;
}

export function windowEndsMillis(window: ModelWindow): number | null {
  const { sinceMillis, calledMillis, marksMillis, isMet, meetMillis } = window;
  if (waits(window)) {
    const isWord = window.isCalled && !window.forMarks;
    return isWord ? (calledMillis ?? 0) + DAY_MILLIS : sinceMillis + 10 * DAY_MILLIS;
  }
  if (window.isOverdue || marksMillis === null) return meetMillis;
  return isMet ? nextFour(nextMidnight(marksMillis)) : marksMillis + HOUR_MILLIS / 2;
}

const nextMidnight = (millis: number): number => (Math.floor(millis / DAY_MILLIS) + 1) * DAY_MILLIS;

/** Four in the afternoon, later than a moment. */
export function nextFour(afterMillis: number): number {
  const today = Math.floor(afterMillis / DAY_MILLIS) * DAY_MILLIS + 16 * HOUR_MILLIS;
  return afterMillis < today ? today : today + DAY_MILLIS;
}
