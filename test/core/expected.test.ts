// The day a print is expected, as the core tells it from its own records.
// Invariant: each expected day opens one window, at its own moment; a month passed over none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type NodeId, nodeId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { Payoff } from "#contract/terms.ts";
import { nextDue, nextDueMillis } from "#core/due.ts";
import { ExpectedPrints } from "#core/market/expected.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { exampleRecords } from "./example-records.ts";
import { publishMarks } from "./publish-marks.ts";
import { month, order, root, system, World } from "./world.ts";

const DAY_MILLIS = 86_400_000;
const HOUR_MILLIS = 3_600_000;
const HALF_HOUR_MILLIS = 1_800_000;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const november = Date.UTC(2024, 11, 20);
const december = Date.UTC(2025, 0, 20);

/** October is printed, and a market open; the exchange stands at 20 November 2024. */
function stage(end = "2025-12") {
  const world = new World();
  world.print("2024-10", "300000");
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  const listing = world.listing(end, layer);
  world.order(order(listing, "SELL", "10", "0.06"), maker, listing);
  const isHeld = () => isMatchingHeld(world.state, world.state.market(listing.marketId));
  const window = () => world.state.windows.get("zhvi");
  const mark = () => world.do(system, publishMarks([]));
  const buy = (amount: string) => world.order(order(listing, "BUY", amount, "0.06"), taker);
  return { world, listing, isHeld, window, mark, buy };
}

/** When the exchange said by itself that a print is expected. */
const days = ({ journal }: World) =>
  journal.flatMap(({ envelope: { command, timeMillis, actor } }) => {
    if (command.type !== "AwaitRelease" || command.releaseId !== null) return [];
    assert.equal(actor.type, "system");
    return [new Date(timeMillis).toISOString().slice(0, 10)];
  });

test("nothing matches from the first instant of the expected day until the marks", () => {
  const { world, isHeld, window, mark, buy } = stage();
  world.runTo(november - 1);
  assert.deepEqual([isHeld(), nextDueMillis(world.state)], [false, november]);
  buy("1");
  world.runTo(november);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 1]);
  assert.deepEqual(window()?.openedAtMillis, november);
  buy("2");
  world.runTo(november + 3 * DAY_MILLIS);
  world.print("2024-11", "290000");
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 1]);
  mark();
  world.runTo(world.nowMillis + HALF_HOUR_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 1]);
  world.runTo(world.nowMillis + 1);
  assert.deepEqual([isHeld(), world.state.fillCount, window()?.onlyThin], [false, 2, true]);
  world.runTo(november + 4 * DAY_MILLIS + 16 * HOUR_MILLIS - 1);
  assert.equal(window()?.onlyThin, true);
  world.runTo(november + 4 * DAY_MILLIS + 16 * HOUR_MILLIS);
  assert.equal(window(), undefined);
  world.runTo(december - 1);
  assert.equal(isHeld(), false);
  world.runTo(december);
  assert.deepEqual([isHeld(), days(world)], [true, ["2024-12-20", "2025-01-20"]]);
});

test("a print that comes before its day leaves nothing to expect on it", () => {
  const { world, mark } = stage();
  world.runTo(november - 2 * DAY_MILLIS);
  world.print("2024-11", "290000");
  mark();
  world.runTo(december - 1);
  assert.deepEqual(days(world), []);
});

test("ten days later it is overdue, and stays so until it comes: its day opens one window", () => {
  const { world, isHeld, window, mark, buy } = stage();
  world.runTo(november);
  buy("1");
  world.runTo(november + 10 * DAY_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 0]);
  world.runTo(november + 10 * DAY_MILLIS);
  assert.deepEqual([isHeld(), world.state.fillCount, window()?.isOverdue], [true, 0, true]);
  world.runTo(november + 10 * DAY_MILLIS + 16 * HOUR_MILLIS - 1);
  assert.equal(world.state.fillCount, 0);
  world.runTo(november + 10 * DAY_MILLIS + 16 * HOUR_MILLIS);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 1], "once a day, and held again");
  buy("1");
  world.runTo(november + 11 * DAY_MILLIS + 16 * HOUR_MILLIS - 1);
  assert.equal(world.state.fillCount, 1);
  world.runTo(november + 11 * DAY_MILLIS + 16 * HOUR_MILLIS);
  assert.equal(world.state.fillCount, 2);
  mark();
  const entries = world.journal.length;
  world.runTo(november + 45 * DAY_MILLIS);
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, true]);
  assert.deepEqual(days(world), ["2024-12-20"]);
  assert.equal(world.journal.length - entries, 1, "a day without orders leaves no entry: Forget");
});

test("a clock that jumps by months opens one window, and none for each month made good", () => {
  const { world, isHeld, window, mark, buy } = stage();
  world.runTo(Date.UTC(2025, 4, 25));
  assert.deepEqual([isHeld(), window()?.isOverdue, days(world)], [true, true, ["2024-12-20"]]);
  for (const [month, value] of [
    ["2024-11", "290000"],
    ["2024-12", "291000"],
    ["2025-01", "292000"],
    ["2025-02", "293000"],
  ] as const) {
    world.print(month, value);
    assert.equal(isHeld(), true, "the marks of what came are waited for");
    mark();
    assert.deepEqual([isHeld(), window()?.isOverdue], [true, true], `after ${month}`);
  }
  buy("1");
  world.runTo(Date.UTC(2025, 4, 25, 16));
  assert.equal(world.state.fillCount, 1);
  world.print("2025-03", "294000");
  mark();
  // Of April the day is five days gone: what is left of the ten is held.
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, false]);
  world.runTo(Date.UTC(2025, 4, 30) - 1);
  assert.equal(window()?.isOverdue, false);
  world.runTo(Date.UTC(2025, 4, 30));
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, true]);
  world.print("2025-04", "295000");
  mark();
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.deepEqual([isHeld(), window()], [false, undefined]);
  assert.deepEqual(days(world), ["2024-12-20"]);
});

test("a market that is listed on old prints trades, and its print is overdue", () => {
  const world = new World();
  world.print("2024-10", "300000");
  world.runTo(Date.UTC(2025, 2, 1));
  assert.deepEqual(days(world), [], "nobody waits for a print of an index without a market");
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  const listing = world.listing("2025-12", layer);
  world.order(order(listing, "SELL", "10", "0.06"), maker, listing);
  assert.equal(nextDue(world.state, world.nowMillis)?.timeMillis, world.nowMillis);
  world.runTo(world.nowMillis);
  assert.equal(nextDue(world.state, world.nowMillis), undefined);
  assert.equal(world.state.windows.get("zhvi")?.isOverdue, true);
  world.order(order(listing, "BUY", "10", "0.06"), taker);
  assert.equal(world.state.fillCount, 1);
});

test("a release without the month does not end the wait for it", () => {
  const { world, isHeld, window, mark } = stage();
  world.runTo(november);
  world.place = nodeId("state:ca");
  world.print("2024-10", "500000");
  mark();
  assert.deepEqual([isHeld(), window()?.isExpected], [true, true]);
  world.runTo(november + 10 * DAY_MILLIS);
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, true]);
  world.place = nodeId("state:oh");
  world.print("2024-10", "200000");
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, false]);
  mark();
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, true], "it is overdue as before");
  world.print("2024-11", "500000");
  mark();
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.deepEqual([isHeld(), window()], [false, undefined]);
});

test("a file that is refused while the print is overdue leaves the auction of the day", () => {
  const { world, isHeld, window, buy } = stage();
  world.runTo(november + 10 * DAY_MILLIS);
  buy("1");
  const file = { index: "zhvi", releaseId: releaseId("rel-none") } as const;
  world.do(system, { type: "AwaitRelease", ...file });
  assert.equal(window()?.isOverdue, false);
  world.do(system, { type: "ForgetAwaited", ...file });
  assert.deepEqual([isHeld(), window()?.isOverdue], [true, true]);
  world.runTo(november + 10 * DAY_MILLIS + 16 * HOUR_MILLIS);
  assert.equal(world.state.fillCount, 1);
});

test("a file that is seen while the print is overdue holds the auction of the day", () => {
  const { world, buy, mark } = stage();
  world.runTo(november + 10 * DAY_MILLIS);
  buy("1");
  world.runTo(november + 10 * DAY_MILLIS + 16 * HOUR_MILLIS - 1);
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("rel-2") });
  world.runTo(november + 10 * DAY_MILLIS + 16 * HOUR_MILLIS);
  assert.equal(world.state.fillCount, 0, "not on the marks of before the file");
  world.print("2024-11", "290000");
  mark();
  world.runTo(world.nowMillis + HALF_HOUR_MILLIS - 1);
  assert.equal(world.state.fillCount, 0);
  world.runTo(world.nowMillis + 1);
  assert.equal(world.state.fillCount, 1);
});

test("a file that is refused after the day came leaves the ten days of that day", () => {
  const { world, isHeld } = stage();
  world.runTo(november - 5 * DAY_MILLIS);
  const file = { index: "zhvi", releaseId: releaseId("rel-none") } as const;
  world.do(system, { type: "AwaitRelease", ...file });
  world.runTo(november + DAY_MILLIS);
  world.do(system, { type: "ForgetAwaited", ...file });
  world.runTo(november + 10 * DAY_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.windows.get("zhvi")?.isOverdue], [true, false]);
  world.runTo(november + 10 * DAY_MILLIS);
  assert.equal(world.state.windows.get("zhvi")?.isOverdue, true);
  assert.deepEqual(days(world), ["2024-12-20"]);
});

test("a file that was seen before the day and never read leaves the ten days of that day", () => {
  const { world, isHeld, window, buy } = stage();
  world.runTo(november - 5 * DAY_MILLIS);
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("rel-none") });
  buy("1");
  world.runTo(november + 10 * DAY_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 0]);
  world.runTo(november + 10 * DAY_MILLIS);
  assert.equal(window()?.isOverdue, true);
  world.runTo(november + 10 * DAY_MILLIS + 16 * HOUR_MILLIS);
  assert.equal(world.state.fillCount, 1);
});

test("a release that is known already is waited for by nobody", () => {
  const { world, isHeld, window } = stage();
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("rel-1") });
  assert.deepEqual([isHeld(), window()], [false, undefined]);
});

test("a restart expects the same day", () => {
  const { world } = stage();
  world.state = decodeState(encodeState(world.state));
  assert.deepEqual(nextDueMillis(world.state), november);
  world.runTo(november + 10 * DAY_MILLIS);
  world.state = decodeState(encodeState(world.state));
  world.runTo(november + 45 * DAY_MILLIS);
  assert.deepEqual(days(world), ["2024-12-20"]);
});

test("with the last market of the index nothing is expected any more", () => {
  const { world, listing } = stage();
  world.doInTwo({ type: "CancelMarket", marketId: listing.marketId, reason: "drill" });
  world.runTo(november + DAY_MILLIS);
  assert.deepEqual(days(world), []);
});

test("a listing that nobody trades is expected for no longer than it is there", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const maker = world.trader("maker", "1000");
  const listing = world.listing("2025-12", layer);
  const { id } = world.order(order(listing, "SELL", "10", "0.06"), maker, listing);
  world.do(maker.actor, { type: "CancelOrder", orderId: id });
  world.runTo(november + DAY_MILLIS);
  assert.equal(world.state.markets.size, 0);
  assert.deepEqual(days(world), []);
});

/** A market on the level itself, in a world whose newest print of that series is known. */
function levelWorld(index: IndexKind, place: NodeId, printed: string, end: string): World {
  const world = new World();
  [world.index, world.place] = [index, place];
  world.print(printed, "5");
  const thresholdE15 = parsePrintValue("6") ?? assert.fail();
  const level: Payoff = { kind: "level", comparator: "gte", thresholdE15 };
  const listing = world.listing(end, level);
  world.do(root, { type: "ListMarket", listing, frontendId: "mkt-001" });
  return world;
}

test("a quarter is expected after its quarter, and a yearly series after its year", () => {
  const texas = nodeId("state:tx");
  const quarterly = levelWorld("vacancy", texas, "2024-09", "2025-06");
  assert.equal(nextDueMillis(quarterly.state), Date.UTC(2025, 0, 20));
  const yearly = levelWorld("weather", texas, "2024-03", "2026-03");
  assert.equal(nextDueMillis(yearly.state), Date.UTC(2025, 3, 20));
  // The year that ends in another month is a series of its own.
  yearly.print("2024-10", "5");
  assert.equal(nextDueMillis(yearly.state), Date.UTC(2025, 3, 20));
});

test("the day of an index is that of its newest print and its live markets, in any order", () => {
  const { market } = exampleRecords();
  const { terms } = market;
  const rents = { ...market, terms: { ...terms, index: "zori" } } as const;
  const expected = new ExpectedPrints();
  const days = () => [expected.ofIndex("zhvi"), expected.ofIndex("zori")];
  expected.marketChanged(terms, undefined, market);
  assert.deepEqual(days(), [undefined, undefined], "nothing is printed yet");
  expected.printed({ index: "zhvi", month: month("2024-11") });
  expected.printed({ index: "zori", month: month("2024-12") });
  assert.deepEqual(days(), [Date.UTC(2025, 0, 20), undefined], "nobody waits for rents");
  expected.marketChanged(rents.terms, undefined, rents);
  expected.marketChanged(terms, market, { ...market, status: "PAUSED" });
  expected.printed({ index: "zhvi", month: month("2024-10") });
  const both = [Date.UTC(2025, 0, 20), Date.UTC(2025, 1, 20)];
  assert.deepEqual(days(), both, "an older month moves nothing, nor does a pause");
  assert.deepEqual([...expected.moments].length, 2);
  expected.marketChanged(terms, undefined, market);
  expected.marketChanged(terms, market, undefined);
  assert.deepEqual(days(), both, "one of the two is still there");
  expected.marketChanged(terms, market, { ...market, status: "RESOLVED" });
  assert.deepEqual(days(), [undefined, both[1]]);
  assert.deepEqual([...expected.moments], [["zori", both[1]]]);
});

test("a place that two people let go may be what brings the print", () => {
  const { world, isHeld, window, mark } = stage();
  const operator = world.open("operator", "operator").actor;
  world.runTo(november);
  const fallen = world.observe("2024-11", "240000");
  const { release, ...accept } = world.release(fallen);
  const reasons = [{ code: "MOVE_TOO_LARGE", message: "test" }];
  const heldPlaces = [{ nodeId: world.place, regionId: "54", reasons, observations: [fallen] }];
  world.do(root, { ...accept, release: { ...release, held: 1 }, observations: [], heldPlaces });
  mark();
  assert.deepEqual([isHeld(), window()?.isExpected], [true, true]);
  const place = { releaseId: release.id, nodeId: world.place } as const;
  world.do(root, { type: "ApprovePlace", ...place });
  const { rows: _rows, ...counts } = release;
  const reading = { ...counts, releaseId: release.id, observations: [fallen] };
  world.do(operator, { type: "ReleasePlace", ...place, readings: [reading] });
  assert.equal(isHeld(), true, "the marks know nothing of it yet");
  mark();
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.deepEqual([isHeld(), window()], [false, undefined]);
});
