// The window of a release in the reference model: from the day the next print is expected, or an
// operator's word, orders are taken and nothing trades; half an hour after the marks, or once a day
// when the print is ten days late, each market meets at one price. Written from decisions 44 and
// 86; its world has one index, whose markets are all of one state and expect their print nineteen
// days after the month, and sees no files.
// Invariant: nothing of src/core is called; it is told when a moment falls due.
import type { MarketId } from "#base/ids.ts";
import { addMonths, monthEndMillis } from "#base/month.ts";
import type { Observation } from "#core/records.ts";
import { isLive, isTrading } from "./model-ledger.ts";
import {
  again,
  DAY_MILLIS,
  holds,
  type ModelWindow,
  nextFour,
  nothing,
  waits,
} from "./model-window-times.ts";
import type { ReferenceModel } from "./reference-model.ts";

/** When the month after the newest printed one is expected; never, where no market waits for it. */
export function expectedMillis({ newest, markets }: ReferenceModel): number | undefined {
  if (newest === null || !markets.some(isLive)) return undefined;
  return monthEndMillis(addMonths(newest, 1)) + 19 * DAY_MILLIS;
}

const isLate = (model: ReferenceModel, nowMillis: number): boolean =>
  (expectedMillis(model) ?? Number.POSITIVE_INFINITY) <= nowMillis;

/** The day has come: a window that waits already waits for the print too, ten days from then. */
export function dayCame(model: ReferenceModel, nowMillis: number): void {
  const window = model.window ?? { ...nothing, sinceMillis: nowMillis };
  const expected = { ...window, forPrint: true };
  const sinceMillis = Math.max(window.sinceMillis, dayOf(model, nowMillis));
  if (waits(window)) model.window = { ...expected, sinceMillis };
  else waitForPrint(model, expected, nowMillis);
}

export function called(model: ReferenceModel, nowMillis: number): "WINDOW_STATE" | undefined {
  const window = model.window ?? { ...nothing, sinceMillis: nowMillis };
  const isSoon = window.calledMillis !== null && nowMillis < window.calledMillis + 10 * DAY_MILLIS;
  if (waits(window) || isSoon) return "WINDOW_STATE";
  const called = { isCalled: true, calledMillis: nowMillis, sinceMillis: nowMillis };
  model.window = { ...window, ...again, ...called };
  return undefined;
}

/** Orders trade on a release that comes in a window once there are marks made of it. */
export function releaseCame(
  model: ReferenceModel,
  seen: readonly Observation[],
  nowMillis: number,
): void {
  model.lastPrintMillis = nowMillis;
  for (const { month } of seen) {
    if (model.newest === null || month > model.newest) model.newest = month;
  }
  const { window } = model;
  if (window === null) return;
  const sinceMillis = waits(window) ? window.sinceMillis : nowMillis;
  const forPrint = window.forPrint && isLate(model, nowMillis);
  const came = { isCalled: false, calledMillis: null, forMarks: true };
  model.window = { ...window, ...again, ...came, sinceMillis, forPrint };
}

/** The auction begins to end, unless it was another print that came. */
export function marksCame(model: ReferenceModel, nowMillis: number): void {
  const { window } = model;
  if (window === null) return;
  const forPrint = window.forPrint && isLate(model, nowMillis);
  if (window.forPrint === forPrint && !window.forMarks) return;
  const isDaily = window.isDaily && forPrint;
  const marked = { forPrint, isDaily, forMarks: false, marksMillis: nowMillis };
  goOn(model, { ...window, ...again, ...marked }, nowMillis);
}

export function windowEnded(model: ReferenceModel, nowMillis: number): void {
  if (model.window === null) throw new Error("no window is open");
  const { isCalled, forMarks } = model.window;
  const window = { ...model.window, isCalled: false };
  if (isCalled && !forMarks) goOn(model, window, nowMillis);
  else becomeOverdue(model, { ...window, isDaily: true }, nowMillis);
}

export function auctionEnded(model: ReferenceModel): void {
  const { window } = model;
  if (window === null) throw new Error("no window is open");
  if (window.isOverdue) {
    model.window = { ...window, meetMillis: null };
    model.meets = new Map(model.waiting.map((id) => [id, model.nowMillis]));
  } else if (window.marksMillis !== null && !window.isMet)
    model.window = { ...window, isMet: true };
  else close(model, window);
}

function goOn(model: ReferenceModel, window: ModelWindow, nowMillis: number): void {
  if (window.forMarks || window.isCalled) model.window = window;
  else if (window.forPrint) waitForPrint(model, window, nowMillis);
  else if (window.marksMillis !== null) model.window = { ...window, ...again };
  else if (model.waiting.length > 0) model.window = { ...window, ...again, meetMillis: nowMillis };
  else close(model, window);
}

function close(model: ReferenceModel, { sinceMillis, calledMillis }: ModelWindow): void {
  model.window = calledMillis === null ? null : { ...nothing, sinceMillis, calledMillis };
}

/** The ten days are those after its day, whenever that was noticed. */
function waitForPrint(model: ReferenceModel, window: ModelWindow, nowMillis: number): void {
  const since = { ...window, ...again, sinceMillis: dayOf(model, nowMillis) };
  if (since.sinceMillis + 10 * DAY_MILLIS > nowMillis) model.window = since;
  else becomeOverdue(model, since, nowMillis);
}

function becomeOverdue(model: ReferenceModel, window: ModelWindow, nowMillis: number): void {
  const next = window.isDaily ? nextFour(nowMillis) : nowMillis;
  const meetMillis = model.waiting.length > 0 ? next : null;
  model.window = { ...window, isOverdue: true, meetMillis };
}

const dayOf = (model: ReferenceModel, nowMillis: number): number =>
  Math.min(expectedMillis(model) ?? nowMillis, nowMillis);

/** Orders that come to wait for each other on a late print meet at the next 16:00. */
export function noteMeetings(model: ReferenceModel, nowMillis: number): void {
  const { window, meets, waiting } = model;
  const isDaily = window?.isOverdue === true && window.isDaily;
  const since = isDaily ? nextFour(nowMillis) : null;
  model.meets = new Map(waiting.map((id) => [id, meets.has(id) ? (meets.get(id) ?? null) : since]));
}

/** Orders that wait for each other meet, unless nothing may yet: then as their auction ends. */
export function resumeMatching(model: ReferenceModel, id: MarketId, nowMillis: number): void {
  const { window } = model;
  model.meets = new Map([...model.meets, [id, null]]);
  if (!isTrading(model.market(id)) || (window !== null && waits(window))) return;
  if (window?.isOverdue && window.isDaily && nextFour(nowMillis - 1) !== nowMillis) {
    throw new Error("it is not four in the afternoon");
  }
  // The hour of a late print, and its marks came just before: half an hour after them it meets.
  if (window !== null && !window.isOverdue && holds(window)) return;
  model.uncross(id);
}
