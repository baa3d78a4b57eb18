// The times of a release's window, told from its record alone: whether it waits, which markets it
// holds, and when it ends.
// Invariant: a window that waits holds every market of its index, and one that is over holds none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import { nodeId, releaseId } from "#base/ids.ts";
import { isHeldBy } from "#core/market/matching.ts";
import {
  holdsMatching,
  isAwaiting,
  isThin,
  nextUncrossMillis,
  nothingAwaited,
  type ReleaseWindow,
  windowEndsAtMillis,
} from "#core/market/window-times.ts";
import { exampleRecords } from "./example-records.ts";

const { market: model } = exampleRecords();
const opened = Date.UTC(2024, 11, 20, 9);
const marked = opened + HOUR_MILLIS;
const nextFour = Date.UTC(2024, 11, 21, 16);

const at = (place: string, createdAtMillis = opened - 1) => ({
  ...model,
  createdAtMillis,
  terms: { ...model.terms, nodeId: nodeId(place) },
});
const [broad, thin, fresh] = [at("state:tx"), at("zip:77002"), at("zip:77002", marked)];

/** Whether it waits, whether it holds some, those of broad, thin and fresh ones, and its end. */
function shown(more: Partial<ReleaseWindow>) {
  const window: ReleaseWindow = {
    ...{ ...nothingAwaited, index: "zhvi", openedAtMillis: opened },
    ...more,
  };
  return [
    ...[isAwaiting(window), holdsMatching(window)],
    ...[broad, thin, fresh].map((market) => isHeldBy(window, market)),
    windowEndsAtMillis(window),
  ];
}

const all = [true, true, true, true, true];
const none = [false, false, false, false, false];
const tenDays = opened + 10 * DAY_MILLIS;

test("a window that waits holds all of its index, for ten days, or for the day of a word", () => {
  assert.deepEqual(shown({ files: [releaseId("a")] }), [...all, tenDays]);
  assert.deepEqual(shown({ marksAfter: 2 }), [...all, tenDays]);
  assert.deepEqual(shown({ isExpected: true }), [...all, tenDays]);
  const word = { isCalled: true, calledAtMillis: opened - HOUR_MILLIS } as const;
  assert.deepEqual(shown(word), [...all, opened + 23 * HOUR_MILLIS]);
  assert.deepEqual(shown({ ...word, marksAfter: 2 }), [...all, tenDays], "it is out");
});

test("after marks, markets of states are held for half an hour, and those below to 16:00", () => {
  const half = marked + 30 * MINUTE_MILLIS;
  assert.deepEqual(shown({ marksAtMillis: marked }), [false, true, true, true, false, half]);
  const onlyThin = { marksAtMillis: marked, onlyThin: true } as const;
  assert.deepEqual(shown(onlyThin), [false, true, false, true, false, nextFour]);
});

test("a window that is over without marks holds its markets until those meet, at once", () => {
  assert.deepEqual(shown({ uncrossAtMillis: opened + 1 }), [false, ...all.slice(1), opened + 1]);
});

test("a window that is overdue holds its markets where they meet once a day, and else none", () => {
  const daily = { isOverdue: true, isDaily: true } as const;
  assert.deepEqual(shown(daily), [false, ...all.slice(1), undefined]);
  const moment = { ...daily, isExpected: true, uncrossAtMillis: nextFour };
  assert.deepEqual(shown(moment), [false, ...all.slice(1), nextFour]);
  const since = { isOverdue: true, isExpected: true, uncrossAtMillis: opened };
  assert.deepEqual(shown(since), [...none, opened]);
  assert.deepEqual(shown({ ...since, marksAtMillis: marked }), [...none, opened]);
});

test("a window that only remembers a word holds nothing and has no end", () => {
  assert.deepEqual(shown({ calledAtMillis: opened }), [...none, undefined]);
});

test("the nation and the states are watched by many, a place below them by few", () => {
  const places = ["us", "state:tx", "metro:26420", "county:48201", "zip:77002"];
  assert.deepEqual(
    places.map((place) => isThin(nodeId(place))),
    [false, false, true, true, true],
  );
});

test("the next 16:00 is later than its moment: at 16:00 it is that of the day after", () => {
  const four = Date.UTC(2024, 11, 20, 16);
  assert.equal(nextUncrossMillis(four - 1), four);
  assert.equal(nextUncrossMillis(four), nextFour);
  assert.equal(nextUncrossMillis(four + 1), nextFour);
});
