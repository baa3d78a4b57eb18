// The waits of a release's window: files, a word, the day of the print and marks, as its record
// says them; each ends its own part of the wait, and no other.
// Invariant: with the last of them ends the window, or its auctions are set by the marks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MILLIS, HOUR_MILLIS } from "#base/day.ts";
import { releaseId } from "#base/ids.ts";
import { layer, livedSince, windowStage } from "./window-stage.ts";
import { root, system, World } from "./world.ts";

const day = Date.UTC(2024, 11, 20);
const word = { type: "OpenWindow", index: "zhvi", reason: "it is out" } as const;
const nothing = { index: "zhvi", files: [], isExpected: false, marksAfter: null, isOverdue: false };
const [a, b] = [releaseId("a"), releaseId("b")];

test("a word holds for a day, is remembered for ten, and then another one is taken", () => {
  const { world, sell, call, window, isHeld } = windowStage();
  sell("1", "0.06");
  const calledAtMillis = world.nowMillis;
  call();
  const called = { ...nothing, openedAtMillis: calledAtMillis, calledAtMillis };
  assert.deepEqual(window(), { ...called, isCalled: true });
  assert.deepEqual(world.refused(root, word), { code: "WINDOW_STATE" }, "it is awaited already");
  world.runTo(calledAtMillis + DAY_MILLIS - 1);
  assert.equal(isHeld(), true);
  world.runTo(calledAtMillis + DAY_MILLIS);
  assert.equal(isHeld(), false);
  assert.deepEqual(window(), called);
  world.runTo(calledAtMillis + 10 * DAY_MILLIS - 1);
  assert.deepEqual(world.refused(root, word), { code: "WINDOW_STATE" });
  world.runTo(calledAtMillis + 10 * DAY_MILLIS);
  call();
  const again = { openedAtMillis: world.nowMillis, calledAtMillis: world.nowMillis };
  assert.deepEqual(window(), { ...nothing, ...again, isCalled: true });
});

test("a word on the eve of the day ends a day later, and the print is waited for", () => {
  const { world, sell, call, window, isHeld } = windowStage();
  sell("1", "0.06");
  world.runTo(day - HOUR_MILLIS);
  call();
  world.runTo(day + 23 * HOUR_MILLIS - 1);
  assert.deepEqual([window()?.isCalled, window()?.isExpected], [true, true]);
  world.runTo(day + 23 * HOUR_MILLIS);
  assert.deepEqual([window()?.isCalled, window()?.isExpected, isHeld()], [undefined, true, true]);
  assert.equal(window()?.openedAtMillis, day);
});

test("of two files each is waited for by itself, and with the last one the window is over", () => {
  const { world, sell, see, forget, window, isHeld } = windowStage();
  sell("1", "0.06");
  const openedAtMillis = world.nowMillis;
  see("a");
  world.runTo(openedAtMillis + HOUR_MILLIS);
  see("b");
  assert.deepEqual(see("a"), [], "it is waited for already");
  assert.deepEqual(window(), { ...nothing, openedAtMillis, files: [a, b] });
  forget("a");
  assert.deepEqual(window(), { ...nothing, openedAtMillis, files: [b] });
  assert.deepEqual(forget("a"), [], "nobody waits for it any more");
  assert.equal(isHeld(), true);
  forget("b");
  assert.deepEqual([window(), isHeld()], [undefined, false]);
  assert.deepEqual(forget("b"), [], "there is no window");
});

test("a file that was none leaves the word that was given before it", () => {
  const { world, sell, call, see, forget, window } = windowStage();
  sell("1", "0.06");
  call();
  const before = window();
  see("a");
  assert.deepEqual(window(), { ...before, files: [a] });
  forget("a");
  assert.deepEqual(window(), before);
  world.runTo(world.nowMillis + DAY_MILLIS);
  assert.equal(window()?.isCalled, undefined);
});

test("a release ends a word and the wait for its file; its marks and the other file stay", () => {
  const { world, sell, call, see, forget, accept, mark, window } = windowStage();
  sell("1", "0.06");
  const openedAtMillis = Date.UTC(2024, 11, 15);
  world.runTo(openedAtMillis);
  call();
  see("a");
  see("b");
  world.runTo(openedAtMillis + HOUR_MILLIS);
  accept("a");
  const awaited = { ...nothing, openedAtMillis, files: [b] };
  assert.deepEqual(window(), { ...awaited, marksAfter: 2 });
  assert.deepEqual(mark(1), [], "marks that know nothing of it end nothing");
  mark(2);
  const marksAtMillis = world.nowMillis;
  assert.deepEqual(window(), { ...awaited, marksAtMillis });
  forget("b");
  assert.deepEqual(window(), { ...nothing, openedAtMillis, marksAtMillis });
});

test("a file that was none leaves the wait for the marks of a release", () => {
  const { world, sell, see, forget, accept, window, isHeld } = windowStage();
  sell("1", "0.06");
  world.runTo(Date.UTC(2024, 11, 16));
  see("a");
  see("b");
  accept("a");
  forget("b");
  const openedAtMillis = world.nowMillis;
  assert.deepEqual(window(), { ...nothing, openedAtMillis, marksAfter: 2 });
  assert.equal(isHeld(), true);
});

test("marks end no wait for a file, a word or the day", () => {
  const [file, called, expected] = [windowStage(), windowStage(), windowStage()];
  for (const { sell } of [file, called, expected]) sell("1", "0.06");
  file.see("a");
  called.call();
  expected.world.runTo(day);
  for (const { mark, window, isHeld } of [file, called, expected]) {
    const before = window();
    assert.deepEqual(mark(), []);
    assert.deepEqual([window(), isHeld()], [before, true]);
  }
});

test("the print ends the wait for its day at once, and its marks end the rest", () => {
  const { world, sell, accept, mark, window } = windowStage();
  sell("1", "0.06");
  world.runTo(day);
  assert.deepEqual(window(), { ...nothing, openedAtMillis: day, isExpected: true });
  world.runTo(day + DAY_MILLIS);
  accept("a");
  assert.deepEqual(window(), { ...nothing, openedAtMillis: day, marksAfter: 2 });
  mark();
  const marksAtMillis = world.nowMillis;
  assert.deepEqual(window(), { ...nothing, openedAtMillis: day, marksAtMillis });
});

test("the day of the next print opens its window while marks of the last are missing", () => {
  const { world, sell, accept, window } = windowStage();
  sell("1", "0.06");
  const next = Date.UTC(2025, 0, 20);
  world.runTo(next - DAY_MILLIS);
  accept("a");
  const before = world.journal.length;
  world.runTo(next);
  assert.deepEqual(livedSince(world, before), [["AwaitRelease", "WindowChanged"]]);
  assert.deepEqual([window()?.isExpected, window()?.marksAfter], [true, 2]);
});

test("a print that is no longer late ends the daily auctions, whatever is still unread", () => {
  const { world, sell, see, accept, mark, window } = windowStage();
  sell("1", "0.06");
  world.runTo(day + 10 * DAY_MILLIS);
  assert.equal(window()?.isDaily, true);
  see("b");
  accept("a");
  mark();
  const openedAtMillis = world.nowMillis;
  const marked = { openedAtMillis, files: [b], marksAtMillis: openedAtMillis };
  assert.deepEqual(window(), { ...nothing, ...marked });
});

test("a file holds a market that is listed meanwhile on old prints, for its own ten days", () => {
  const { world, listing, sell, see, forget, window, isHeld } = windowStage();
  world.runTo(Date.UTC(2025, 2, 1));
  see("a");
  const openedAtMillis = world.nowMillis;
  sell("1", "0.06");
  world.runTo(openedAtMillis + HOUR_MILLIS);
  assert.deepEqual(window(), { ...nothing, openedAtMillis, files: [a], isExpected: true });
  assert.equal(isHeld(), true, listing.marketId);
  forget("a");
  const overdue = { isExpected: true, isOverdue: true, openedAtMillis: day };
  assert.deepEqual(window(), { ...nothing, ...overdue });
  assert.equal(isHeld(), false);
});

test("of two indexes each waits for its own releases, and is held by them alone", () => {
  const { world, sell, buy, see, forget, isHeld } = windowStage();
  sell("1", "0.06");
  world.index = "zori";
  world.print("2024-10", "2000");
  const rents = world.listing("2025-12", layer);
  sell("1", "0.06", {}, rents);
  see("a");
  assert.deepEqual([isHeld(), isHeld(rents.marketId)], [true, false]);
  see("b", "zori");
  buy("1", "0.06");
  buy("1", "0.06", {}, rents);
  const before = world.journal.length;
  forget("a");
  world.runTo(world.nowMillis);
  assert.deepEqual([isHeld(), isHeld(rents.marketId), world.state.fillCount], [false, true, 1]);
  const [, ended, ...resumed] = livedSince(world, before);
  assert.deepEqual(ended, ["EndAuction", "MatchingChanged", "WindowChanged"]);
  assert.equal(resumed.length, 1, "nobody looks at the rents");
  forget("b", "zori");
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 2);
});

test("a window that is not there is not ended, nor an order taken out for it", () => {
  const world = new World();
  for (const type of ["EndWindow", "EndAuction"] as const) {
    const end = () => world.do(system, { type, index: "zhvi" });
    assert.throws(end, /a window of zhvi is there to end/);
  }
  assert.deepEqual(world.do(system, { type: "CancelForRelease", index: "zhvi" }), []);
  const { listing, sell, world: other } = windowStage();
  sell("1", "0.06");
  const resume = { type: "ResumeMatching", marketId: listing.marketId } as const;
  assert.throws(() => other.do(system, resume), /the matching of .* is held/);
});
