// The window of a release: from the first sight of a new file of an index, or the day its print is
// expected, until the marks of that release, orders and cancels are taken and nothing matches.
// Invariant: nobody trades on a file against orders whose owners could not have seen it; a window
// ends by marks, by the files being no release, or after ten days.

import type { MarketId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { resume } from "../book/match.ts";
import type { CommandOf } from "../command.ts";
import type { Market, Order } from "../records.ts";
import { emit, type Step } from "../step.ts";
import { isLive, tradingEndsAtMillis } from "./life.ts";
import { isShut, keepHeld } from "./matching.ts";
import type { ReleaseWindow } from "./window-times.ts";
import { holdsMatching, nothingAwaited, windowEndsAtMillis } from "./window-times.ts";

/** A new file was seen, or the print is expected today: given before anything is read. */
export function awaitRelease(
  step: Step,
  { index, releaseId }: CommandOf<"AwaitRelease">,
): undefined {
  const { state, nowMillis } = step;
  const before = state.windows.get(index) ?? {
    ...nothingAwaited,
    index,
    openedAtMillis: nowMillis,
  };
  if (releaseId === null) {
    const expected = { ...before, isExpected: true };
    const waitsAlready = state.windows.has(index) && holdsMatching(before);
    // It began to wait for a file, and waits for the print from its day on.
    const sinceMillis = Math.max(before.openedAtMillis, expectedSince(step, index));
    if (waitsAlready) put(step, { ...expected, openedAtMillis: sinceMillis });
    else putExpected(step, expected);
    return;
  }
  if (before.files.includes(releaseId) || state.releases.has(releaseId)) return;
  put(step, {
    ...before,
    openedAtMillis: before.isOverdue ? nowMillis : before.openedAtMillis,
    files: [...before.files, releaseId],
    isOverdue: false,
  });
}

/** The file was no release, and nothing of it counts. */
export function forgetAwaited(
  step: Step,
  { index, releaseId }: { readonly index: IndexKind; readonly releaseId: ReleaseId },
): undefined {
  const window = step.state.windows.get(index);
  if (window === undefined || !window.files.includes(releaseId)) return;
  putOrClose(step, { ...window, files: window.files.filter((id) => id !== releaseId) });
}

/** Its marks are to come. */
export function releaseCame(step: Step, index: IndexKind, releaseId: ReleaseId): void {
  const window = step.state.windows.get(index);
  if (window === undefined) return;
  put(step, {
    ...window,
    openedAtMillis: window.isOverdue ? step.nowMillis : window.openedAtMillis,
    files: window.files.filter((id) => id !== releaseId),
    isExpected: window.isExpected && isExpectedNow(step, index),
    marksAfter: step.state.releases.size,
    isOverdue: false,
  });
}

/** `seen`: how many releases the marks were made from. */
export function marksCame(step: Step, seen: number): void {
  for (const window of [...step.state.windows.values()]) {
    const { index, isExpected, marksAfter } = window;
    // A place that operators let go may have brought the print, and no release with it.
    const cameLate = isExpected && !isExpectedNow(step, index);
    if (seen < (marksAfter ?? 0) || (marksAfter === null && !cameLate)) continue;
    putOrClose(step, { ...window, isExpected: isExpected && !cameLate, marksAfter: null });
  }
}

/** Nothing came for ten days: trading goes on, and the print is shown as overdue. */
export function endWindow(step: Step, { index }: CommandOf<"EndWindow">): undefined {
  const window = step.state.windows.get(index);
  invariant(window !== undefined, `a window of ${index} is there to end`);
  put(step, { ...window, isOverdue: true });
  wake(step, index);
}

function putOrClose(step: Step, window: ReleaseWindow): void {
  const { index, files, isExpected, marksAfter } = window;
  if (files.length > 0 || marksAfter !== null) {
    put(step, window);
  } else if (isExpected) {
    putExpected(step, window);
  } else {
    emit(step, { type: "WindowChanged", index, window: null });
    wake(step, index);
  }
}

/** Nothing but the print is awaited: the ten days are those after its day. */
function putExpected(step: Step, window: ReleaseWindow): void {
  const { index } = window;
  const since = { ...window, openedAtMillis: expectedSince(step, index) };
  const isOverdue = windowEndsAtMillis(since) <= step.nowMillis;
  put(step, { ...since, isOverdue });
  if (isOverdue) wake(step, index);
}

/** The day that has come, whenever that was noticed. */
const expectedSince = ({ state, nowMillis }: Step, index: IndexKind): number =>
  Math.min(state.expected.ofIndex(index) ?? nowMillis, nowMillis);

/** The day has come, and of what was accepted since, nothing is that print. */
function isExpectedNow({ state, nowMillis }: Step, index: IndexKind): boolean {
  const atMillis = state.expected.ofIndex(index);
  return atMillis !== undefined && atMillis <= nowMillis;
}

const put = (step: Step, window: ReleaseWindow): void =>
  emit(step, { type: "WindowChanged", index: window.index, window });

/** Markets with orders that wait for each other fall due at once, each by a command of its own. */
function wake(step: Step, index: IndexKind): void {
  wakeThose(step, (market) => market?.terms.index === index);
}

/** A person has opened a market again, or all of them (null). */
export const wakeShut = (step: Step, marketId: MarketId | null): void =>
  wakeThose(step, (market) => marketId === null || market?.id === marketId);

function wakeThose(step: Step, isOne: (market: Market | undefined) => boolean): void {
  for (const { marketId, fromRank } of [...step.state.heldMatching.values()]) {
    if (!isOne(step.state.markets.get(marketId))) continue;
    keepHeld(step, marketId, fromRank, step.nowMillis);
  }
}

/**
 * The orders that came while nothing matched, in the order they came, each against those before
 * it, as if each came now.
 */
export function resumeMatching(step: Step, { marketId }: CommandOf<"ResumeMatching">): undefined {
  const { state } = step;
  const held = state.heldMatching.get(marketId);
  invariant(held !== undefined, `the matching of ${marketId} is held`);
  const market = state.markets.get(marketId);
  if (market === undefined || market.tradingClosed || !isLive(market.status)) {
    // Nothing trades there any more; of an idle listing, its last order went and it with it.
    emit(step, { type: "MatchingChanged", marketId, held: null });
    return;
  }
  const window = state.windows.get(market.terms.index);
  if (window !== undefined && holdsMatching(window)) {
    keepHeld(step, marketId, held.fromRank, windowEndsAtMillis(window));
    return;
  }
  if (isShut(state, market)) {
    // Until a person opens it again (`wakeShut`).
    keepHeld(step, marketId, held.fromRank, tradingEndsAtMillis(market.terms));
    return;
  }

  emit(step, { type: "MatchingChanged", marketId, held: null });
  for (const { id } of cameSince(step, market, held.fromRank)) resume(step, state.order(id));
}

function cameSince({ state }: Step, { id }: Market, fromRank: number): readonly Order[] {
  const book = state.book(id);
  return [...book.against(true), ...book.against(false)]
    .filter(({ rank }) => rank >= fromRank)
    .sort((a, b) => a.rank - b.rank);
}
