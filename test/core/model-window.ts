// The window of a release in the reference model: from the day the next print is expected, at most
// ten days, orders are taken and nothing trades. Written from decision 44; its world has one index,
// all of whose markets expect their print nineteen days after the month, and sees no files.
// Invariant: nothing of src/core is called; it is told when a moment falls due.
import type { MarketId } from "#base/ids.ts";
import { addMonths, monthEndMillis } from "#base/month.ts";
import type { Observation } from "#core/records.ts";
import { isLive, isTrading } from "./model-ledger.ts";
import type { ReferenceModel } from "./reference-model.ts";

const DAY_MILLIS = 86_400_000;

export const windowEndsMillis = (sinceMillis: number): number => sinceMillis + 10 * DAY_MILLIS;

/** When the month after the newest printed one is expected; never, where no market waits for it. */
export function expectedMillis({ newest, markets }: ReferenceModel): number | undefined {
  if (newest === null || !markets.some(isLive)) return undefined;
  return monthEndMillis(addMonths(newest, 1)) + 19 * DAY_MILLIS;
}

const isLate = (model: ReferenceModel, nowMillis: number): boolean =>
  (expectedMillis(model) ?? Number.POSITIVE_INFINITY) <= nowMillis;

/** The day has come: a window that is open already waits for the print too, ten days from then. */
export function dayCame(model: ReferenceModel, nowMillis: number): void {
  const { window } = model;
  waitForPrint(model, window?.forMarks ?? false, nowMillis);
  const sinceMillis = Math.max(window?.sinceMillis ?? 0, model.window?.sinceMillis ?? 0);
  if (window?.isOverdue === false) model.window = { ...window, sinceMillis, forPrint: true };
}

/** Orders trade on a release that comes in a window once there are marks made of it. */
export function releaseCame(
  model: ReferenceModel,
  seen: readonly Observation[],
  nowMillis: number,
): void {
  for (const { month } of seen) {
    if (model.newest === null || month > model.newest) model.newest = month;
  }
  const { window } = model;
  if (window === null) return;
  const sinceMillis = window.isOverdue ? nowMillis : window.sinceMillis;
  const forPrint = window.forPrint && isLate(model, nowMillis);
  model.window = { sinceMillis, forPrint, forMarks: true, isOverdue: false };
}

/** They end the window, unless it was another print that came. */
export function marksCame(model: ReferenceModel, nowMillis: number): void {
  const { window } = model;
  if (window === null) return;
  const isAwaited = window.forPrint && isLate(model, nowMillis);
  if (window.forPrint === isAwaited && !window.forMarks) return;
  if (isAwaited) waitForPrint(model, false, nowMillis);
  else model.window = null;
}

export function windowEnded(model: ReferenceModel): void {
  if (model.window === null) throw new Error("no window is open");
  model.window = { ...model.window, isOverdue: true };
}

/** Waiting orders trade, unless nothing may yet; where nothing ever will, they wait no more. */
export function resumeMatching(model: ReferenceModel, id: MarketId): void {
  const market = model.markets.find((one) => one.id === id);
  if (market === undefined || market.tradingClosed || !isLive(market)) model.waitNoMore(id);
  else if (!model.isInWindow() && isTrading(market)) model.resume(id);
}

/** The ten days are those after its day, whenever that was noticed. */
function waitForPrint(model: ReferenceModel, forMarks: boolean, nowMillis: number): void {
  const sinceMillis = Math.min(expectedMillis(model) ?? nowMillis, nowMillis);
  const isOverdue = windowEndsMillis(sinceMillis) <= nowMillis;
  model.window = { sinceMillis, forPrint: true, forMarks, isOverdue };
}
