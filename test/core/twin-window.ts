// The window of a release in the naive twin: from the day the next print is expected, at most ten
// days, orders are taken and nothing trades. Written from decision 44; its world has one index, all
// of whose markets expect their print nineteen days after the month, and sees no files.
// Invariant: nothing of src/core is called; it is told when a moment falls due.
import type { MarketId } from "#base/ids.ts";
import { addMonths, monthEndMillis } from "#base/month.ts";
import type { Observation } from "#core/records.ts";
import type { Twin } from "./twin.ts";
import { isLive, isTrading } from "./twin-ledger.ts";

const DAY_MILLIS = 86_400_000;

export const windowEndsMillis = (sinceMillis: number): number => sinceMillis + 10 * DAY_MILLIS;

/** When the month after the newest printed one is expected; never, where no market waits for it. */
export function expectedMillis({ newest, markets }: Twin): number | undefined {
  if (newest === null || !markets.some(isLive)) return undefined;
  return monthEndMillis(addMonths(newest, 1)) + 19 * DAY_MILLIS;
}

const isLate = (twin: Twin, nowMillis: number): boolean =>
  (expectedMillis(twin) ?? Number.POSITIVE_INFINITY) <= nowMillis;

/** The day has come: a window that is open already waits for the print too, ten days from then. */
export function dayCame(twin: Twin, nowMillis: number): void {
  const { window } = twin;
  waitForPrint(twin, window?.forMarks ?? false, nowMillis);
  const sinceMillis = Math.max(window?.sinceMillis ?? 0, twin.window?.sinceMillis ?? 0);
  if (window?.isOverdue === false) twin.window = { ...window, sinceMillis, forPrint: true };
}

/** What comes in a window is traded on once there are marks made of it. */
export function releaseCame(twin: Twin, seen: readonly Observation[], nowMillis: number): void {
  for (const { month } of seen) {
    if (twin.newest === null || month > twin.newest) twin.newest = month;
  }
  const { window } = twin;
  if (window === null) return;
  const sinceMillis = window.isOverdue ? nowMillis : window.sinceMillis;
  const forPrint = window.forPrint && isLate(twin, nowMillis);
  twin.window = { sinceMillis, forPrint, forMarks: true, isOverdue: false };
}

/** They end the window, unless it was another print that came. */
export function marksCame(twin: Twin, nowMillis: number): void {
  const { window } = twin;
  if (window === null) return;
  const isAwaited = window.forPrint && isLate(twin, nowMillis);
  if (window.forPrint === isAwaited && !window.forMarks) return;
  if (isAwaited) waitForPrint(twin, false, nowMillis);
  else twin.window = null;
}

export function windowEnded(twin: Twin): void {
  if (twin.window === null) throw new Error("no window is open");
  twin.window = { ...twin.window, isOverdue: true };
}

/** What waits trades, unless nothing may yet; where nothing ever will, it waits no more. */
export function resumeMatching(twin: Twin, id: MarketId): void {
  const market = twin.markets.find((one) => one.id === id);
  if (market === undefined || market.tradingClosed || !isLive(market)) twin.waitNoMore(id);
  else if (!twin.isInWindow() && isTrading(market)) twin.resume(id);
}

/** The ten days are those after its day, whenever that was noticed. */
function waitForPrint(twin: Twin, forMarks: boolean, nowMillis: number): void {
  const sinceMillis = Math.min(expectedMillis(twin) ?? nowMillis, nowMillis);
  const isOverdue = windowEndsMillis(sinceMillis) <= nowMillis;
  twin.window = { sinceMillis, forPrint: true, forMarks, isOverdue };
}
