// The window of a release: from the first sight of a new file of an index, an operator's word, or
// the day its print is expected, orders and cancels are taken and nothing matches; it ends in one
// auction a market, half an hour after the marks of the release, or a day later where few watch.
// Invariant: nobody trades on a file against orders whose owners could not have seen it; a window
// waits for ten days at most, and then its markets meet once a day.

import type { MarketId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { uncross } from "../book/uncross.ts";
import type { CommandOf } from "../command.ts";
import type { Market } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, type Step } from "../step.ts";
import { cancelAs } from "./cancel.ts";
import { isHeldBy, isShut, meetsAt, putHeld } from "./matching.ts";
import type { ReleaseWindow } from "./window-times.ts";
import {
  callableAgainMillis,
  isAwaiting,
  isOnlyCalled,
  nextUncrossMillis,
  nothingAwaited,
  overdueAtMillis,
} from "./window-times.ts";

/** So many markets, or orders, at a time: an entry stays small however many there are. */
const SLICE = 200;

/** A new file was seen, or the print is expected today: given before anything is read. */
export function awaitRelease(
  step: Step,
  { index, releaseId }: CommandOf<"AwaitRelease">,
): undefined {
  const { state, nowMillis } = step;
  const before = windowOf(step, index);
  if (releaseId === null) {
    const expected = { ...before, isExpected: true };
    // It began to wait for a file, and waits for the print from its day on.
    const sinceMillis = Math.max(before.openedAtMillis, expectedSince(step, index));
    if (isAwaiting(before)) put(step, { ...expected, openedAtMillis: sinceMillis });
    else putExpected(step, expected);
    return;
  }
  if (before.files.includes(releaseId) || state.releases.has(releaseId)) return;
  put(step, {
    ...begunAgain(before),
    openedAtMillis: isAwaiting(before) ? before.openedAtMillis : nowMillis,
    files: [...before.files, releaseId],
  });
}

/** An operator says that a print is out: for a day, and once until a release comes. */
export function openWindow(step: Step, { index }: CommandOf<"OpenWindow">): Rejection | undefined {
  const { nowMillis } = step;
  const before = windowOf(step, index);
  const { calledAtMillis = Number.NEGATIVE_INFINITY } = before;
  if (isAwaiting(before) || nowMillis < callableAgainMillis(calledAtMillis)) {
    return reject("WINDOW_STATE");
  }
  const called = { openedAtMillis: nowMillis, calledAtMillis: nowMillis, isCalled: true } as const;
  put(step, { ...begunAgain(before), ...called });
  return undefined;
}

const windowOf = ({ state, nowMillis }: Step, index: IndexKind): ReleaseWindow =>
  state.windows.get(index) ?? { ...nothingAwaited, index, openedAtMillis: nowMillis };

/** It waits again: what was to meet meets after that. */
function begunAgain(window: ReleaseWindow): ReleaseWindow {
  const { onlyThin: _thin, uncrossAtMillis: _at, ...rest } = window;
  return { ...rest, isOverdue: false };
}

/** The file was no release, and nothing of it counts. */
export function forgetAwaited(
  step: Step,
  { index, releaseId }: { readonly index: IndexKind; readonly releaseId: ReleaseId },
): undefined {
  const window = step.state.windows.get(index);
  if (window === undefined || !window.files.includes(releaseId)) return;
  goOn(step, { ...window, files: window.files.filter((id) => id !== releaseId) });
}

/** Its marks are to come. */
export function releaseCame(step: Step, index: IndexKind, releaseId: ReleaseId): void {
  const window = step.state.windows.get(index);
  if (window === undefined) return;
  const { isCalled: _called, calledAtMillis: _at, ...rest } = begunAgain(window);
  put(step, {
    ...rest,
    openedAtMillis: isAwaiting(window) ? window.openedAtMillis : step.nowMillis,
    files: window.files.filter((id) => id !== releaseId),
    isExpected: window.isExpected && isExpectedNow(step, index),
    marksAfter: step.state.releases.size,
  });
}

/** `seen`: how many releases the marks were made from. */
export function marksCame(step: Step, seen: number): void {
  for (const window of [...step.state.windows.values()]) {
    const { index, isExpected, marksAfter } = window;
    // A place that operators let go may have brought the print, and no release with it.
    const cameLate = isExpected && !isExpectedNow(step, index);
    if (seen < (marksAfter ?? 0) || (marksAfter === null && !cameLate)) continue;
    const { isDaily, ...rest } = window;
    const isLate = isExpected && !cameLate;
    goOn(step, {
      ...rest,
      // Once a day only as long as a print is late.
      ...(isDaily && isLate ? { isDaily } : {}),
      isExpected: isLate,
      marksAfter: null,
      marksAtMillis: step.nowMillis,
    });
  }
}

/** Nothing came for ten days, or in the day after a call. */
export function endWindow(step: Step, { index }: CommandOf<"EndWindow">): undefined {
  const window = step.state.windows.get(index);
  invariant(window !== undefined, `a window of ${index} is there to end`);
  const { isCalled: _over, ...rest } = window;
  if (isOnlyCalled(window)) goOn(step, rest);
  else putOverdue(step, { ...rest, isDaily: true });
}

/** It waits for the rest; or its auctions end as the marks say; or its orders meet at once. */
function goOn(step: Step, window: ReleaseWindow): void {
  const { files, isExpected, marksAfter, marksAtMillis } = window;
  if (files.length > 0 || marksAfter !== null || window.isCalled) put(step, window);
  else if (isExpected) putExpected(step, window);
  else if (marksAtMillis !== undefined) {
    const { isDaily: _over, ...marked } = begunAgain(window);
    put(step, marked);
  } else if (isAnyHeld(step, window)) {
    put(step, { ...begunAgain(window), uncrossAtMillis: step.nowMillis });
  } else close(step, window);
}

/**
 * Nothing but the print is awaited: the ten days are those after its day. One whose day was long
 * ago when that was noticed (old files, a clock that jumped) does not hold its markets.
 */
function putExpected(step: Step, window: ReleaseWindow): void {
  const { index } = window;
  const since = { ...begunAgain(window), openedAtMillis: expectedSince(step, index) };
  if (overdueAtMillis(since.openedAtMillis) > step.nowMillis) {
    put(step, since);
    return;
  }
  putOverdue(step, since);
}

/** Waited for in vain, its markets meet once a day from then on; else what waits meets now. */
function putOverdue(step: Step, window: ReleaseWindow): void {
  const { nowMillis } = step;
  const uncrossAtMillis = window.isDaily ? nextUncrossMillis(nowMillis) : nowMillis;
  const moment = isAnyHeld(step, window) ? { uncrossAtMillis } : {};
  put(step, { ...window, isOverdue: true, ...moment });
}

/** The clock's moment of an auction: its markets that would trade fall due, so many at a time. */
export function endAuction(step: Step, { index }: CommandOf<"EndAuction">): undefined {
  const window = step.state.windows.get(index);
  invariant(window !== undefined, `a window of ${index} is there to end`);
  const { uncrossAtMillis: _now, ...rest } = window;
  const isBroad = !window.isOverdue && window.marksAtMillis !== undefined && !window.onlyThin;
  const after: ReleaseWindow = isBroad ? { ...window, onlyThin: true } : window;
  const isMeant = (market: Market): boolean => !isBroad || !isHeldBy(after, market);
  if (wakeSome(step, index, isMeant)) return;
  if (isBroad) put(step, after);
  else if (window.isOverdue) put(step, rest);
  else close(step, window);
}

function close(step: Step, { index, calledAtMillis, openedAtMillis }: ReleaseWindow): void {
  // The call is remembered: another one has to wait.
  const window =
    calledAtMillis === undefined
      ? null
      : { ...nothingAwaited, index, openedAtMillis, calledAtMillis };
  emit(step, { type: "WindowChanged", index, window });
}

/** The day that has come, whenever that was noticed. */
const expectedSince = ({ state, nowMillis }: Step, index: IndexKind): number =>
  Math.min(state.expected.ofIndex(index) ?? nowMillis, nowMillis);

/** The day has come, and of what was accepted since, nothing is that print. */
const isExpectedNow = ({ state, nowMillis }: Step, index: IndexKind): boolean =>
  (state.expected.ofIndex(index) ?? Number.POSITIVE_INFINITY) <= nowMillis;

const put = (step: Step, window: ReleaseWindow): void =>
  emit(step, { type: "WindowChanged", index: window.index, window });

const heldOf = ({ state }: Step, index: IndexKind) =>
  [...state.heldMatching.values()]
    .map((held) => ({ held, market: state.market(held.marketId) }))
    .filter(({ market }) => market.terms.index === index);

const isAnyHeld = (step: Step, { index }: ReleaseWindow): boolean => heldOf(step, index).length > 0;

/** Each falls due by a command of its own; true where some were woken, and more may be left. */
function wakeSome(step: Step, index: IndexKind, isMeant: (market: Market) => boolean): boolean {
  const waiting = heldOf(step, index).filter(
    ({ held, market }) =>
      (held.resumesAtMillis ?? Number.POSITIVE_INFINITY) > step.nowMillis &&
      !isShut(step.state, market) &&
      isMeant(market),
  );
  for (const { held } of waiting.slice(0, SLICE)) {
    putHeld(step, { ...held, resumesAtMillis: step.nowMillis });
  }
  return waiting.length > SLICE;
}

/** A person has opened a market again, or all of them (null); one that is shut still waits on. */
export function wakeShut(step: Step, marketId: MarketId | null): void {
  const { state } = step;
  for (const held of [...state.heldMatching.values()]) {
    if (marketId !== null && held.marketId !== marketId) continue;
    const market = state.market(held.marketId);
    if (isShut(state, market)) continue;
    const resumesAtMillis = meetsAt(step, market);
    if (resumesAtMillis !== null) putHeld(step, { ...held, resumesAtMillis });
  }
}

/** The auction of one market: all that waits for each other meets at one price. */
export function resumeMatching(step: Step, { marketId }: CommandOf<"ResumeMatching">): undefined {
  const { state } = step;
  const held = state.heldMatching.get(marketId);
  invariant(held !== undefined, `the matching of ${marketId} is held`);
  const market = state.market(marketId);
  const window = state.windows.get(market.terms.index);
  // A file was seen meanwhile, marks came before the hour of a late print, or a person has shut the
  // market: then its end wakes it again.
  const waitsOn = window !== undefined && !window.isOverdue && isHeldBy(window, market);
  if (waitsOn || isShut(state, market)) {
    putHeld(step, { ...held, resumesAtMillis: null });
    return;
  }

  emit(step, { type: "MatchingChanged", marketId, held: null });
  uncross(step, market);
}

/** Orders that no release may meet go first, before anybody can meet them. */
export function cancelForRelease(step: Step, { index }: CommandOf<"CancelForRelease">): undefined {
  const ids = [...(step.state.releaseOrders.get(index) ?? [])].slice(0, SLICE);
  for (const id of ids) cancelAs(step, step.state.order(id), "RELEASE");
}
