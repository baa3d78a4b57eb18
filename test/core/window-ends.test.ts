// The ends of a release's window: which markets meet, when, and in entries of which size; and the
// markets that people have shut meanwhile.
// Invariant: nobody looks at a market before its auction ends, nor while it is shut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import { marketId, nodeId, orderId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { apply } from "#core/apply.ts";
import type { Command } from "#core/command.ts";
import { nextDue } from "#core/due.ts";
import { fold } from "#core/fold.ts";
import { isRejected } from "#core/outcome.ts";
import { publishMarks } from "./publish-marks.ts";
import { layer, livedSince, windowStage } from "./window-stage.ts";
import { order, root, system, tick, type World } from "./world.ts";

const day = Date.UTC(2024, 11, 20);
const reason = "drill";

test("a file that was none lets what waited meet at once, in an entry of its own", () => {
  const { world, sell, buy, see, forget, window } = windowStage();
  sell("1", "0.06");
  see("a");
  const openedAtMillis = world.nowMillis;
  buy("1", "0.06");
  world.runTo(openedAtMillis + HOUR_MILLIS);
  const before = world.journal.length;
  forget("a");
  assert.equal(window()?.uncrossAtMillis, world.nowMillis);
  world.runTo(world.nowMillis);
  const [forgotten, ended, resumed, ...more] = livedSince(world, before);
  assert.deepEqual(forgotten, ["ForgetAwaited", "WindowChanged"]);
  assert.deepEqual(ended, ["EndAuction", "MatchingChanged", "WindowChanged"]);
  assert.deepEqual(resumed?.slice(0, 2), ["ResumeMatching", "MatchingChanged"]);
  assert.deepEqual([more, window(), world.state.fillCount], [[], undefined, 1]);
});

test("markets of states meet half an hour after marks, and nobody looks at those of zips", () => {
  const { world, listing, sell, buy, call, come, isHeld, window } = windowStage();
  world.runTo(Date.UTC(2024, 11, 16));
  world.place = nodeId("zip:77002");
  world.print("2024-10", "300000");
  const zip = world.listing("2025-12", layer);
  world.place = nodeId("state:tx");
  const quiet = world.listing("2026-01", layer);
  sell("1", "0.06", {}, quiet);
  call();
  for (const one of [listing, zip]) {
    sell("1", "0.06", {}, one);
    buy("1", "0.06", {}, one);
  }
  come();
  const markedMillis = world.nowMillis;
  world.runTo(markedMillis + 30 * MINUTE_MILLIS - 1);
  assert.equal(isHeld(quiet.marketId), true, "its orders wait too, and none would trade");
  const before = world.journal.length;
  world.runTo(markedMillis + 30 * MINUTE_MILLIS);
  const [ended, resumed, ...more] = livedSince(world, before);
  assert.deepEqual(ended, ["EndAuction", "MatchingChanged", "WindowChanged"]);
  assert.deepEqual([resumed?.[0], more], ["ResumeMatching", []]);
  const held = [listing, quiet, zip].map((one) => isHeld(one.marketId));
  assert.deepEqual([held, window()?.onlyThin], [[false, false, true], true]);
  assert.equal(world.state.heldMatching.get(zip.marketId)?.resumesAtMillis, null);
  world.runTo(Date.UTC(2024, 11, 17, 16));
  const entries = livedSince(world, before + 2).map(([type]) => type);
  assert.deepEqual(entries, ["Forget", "EndAuction", "ResumeMatching"]);
  assert.deepEqual([world.state.fillCount, window()], [2, undefined]);
});

test("orders that came to wait on a late print meet at 16:00, the later ones unwoken", () => {
  const { world, listing, sell, buy, isHeld } = windowStage();
  const later = world.listing("2026-01", layer);
  sell("2", "0.06");
  sell("2", "0.06", {}, later);
  world.runTo(day);
  buy("1", "0.06");
  world.runTo(day + 10 * DAY_MILLIS);
  const four = day + 10 * DAY_MILLIS + 16 * HOUR_MILLIS;
  const resumesOf = ({ marketId: id } = listing) =>
    world.state.heldMatching.get(id)?.resumesAtMillis;
  for (const amount of ["1", "0.5"]) {
    buy(amount, "0.06", {}, later);
    assert.deepEqual([resumesOf(), resumesOf(later)], [null, four]);
  }
  world.runTo(four - 1);
  const before = world.journal.length;
  world.runTo(four);
  const [ended, ...resumed] = livedSince(world, before);
  assert.deepEqual(ended, ["EndAuction", "MatchingChanged", "WindowChanged"]);
  const types = resumed.map(([type]) => type);
  assert.deepEqual(types, ["ResumeMatching", "ResumeMatching"]);
  assert.deepEqual([world.state.fillCount, isHeld()], [3, true]);
});

test("marks a quarter before the hour of a late print put its auction off by half an hour", () => {
  for (const place of ["state:tx", "zip:77002"]) {
    const { world, listing, sell, buy, accept, mark } = windowStage(nodeId(place));
    sell("2", "0.06");
    world.runTo(day + 10 * DAY_MILLIS);
    buy("1", "0.06");
    const four = day + 10 * DAY_MILLIS + 16 * HOUR_MILLIS;
    world.runTo(four - 15 * MINUTE_MILLIS);
    accept("a");
    mark();
    world.runTo(four);
    const held = world.state.heldMatching.get(listing.marketId);
    assert.deepEqual([held?.resumesAtMillis, world.state.fillCount], [null, 0], place);
    const meets = place === "zip:77002" ? four + DAY_MILLIS : four + 15 * MINUTE_MILLIS;
    world.runTo(meets - 1);
    assert.equal(world.state.fillCount, 0, place);
    world.runTo(meets);
    assert.equal(world.state.fillCount, 1, place);
  }
});

test("an order that is cancelled while it waits leaves nothing that would trade", () => {
  const { world, taker, sell, buy, see } = windowStage();
  sell("1", "0.06");
  see("a");
  const { id } = buy("1", "0.06");
  assert.equal(world.state.heldMatching.size, 1);
  const told = world.do(taker.actor, { type: "CancelOrder", orderId: id });
  const held = told.flatMap((event) => (event.type === "MatchingChanged" ? [event.held] : []));
  assert.deepEqual([held, world.state.heldMatching.size], [[null], 0]);
});

test("what would trade is told anew where both sides lose as much", () => {
  const { world, listing, maker, sell, buy, see } = windowStage();
  const others = ["third", "fourth"].map((name) => world.trader(name, "1000"));
  see("a");
  sell("2", "0.06");
  buy("2", "0.06");
  const told = () => world.state.heldMatching.get(listing.marketId)?.indicative;
  const before = told();
  for (const [at, side] of (["BUY", "SELL"] as const).entries()) {
    const input = order(listing, side, "1", "0.06", { cancelOnRelease: true });
    world.order(input, others[at] ?? maker);
  }
  const surplusLots = lots(0n);
  assert.deepEqual(told(), { tick: tick("0.06"), volumeLots: lots(300n), surplusLots });
  world.runTo(world.nowMillis);
  assert.deepEqual(told(), before);
});

test("orders and marks that change nothing of what would trade tell nothing of it", () => {
  const { world, listing, maker, taker, sell, buy, see } = windowStage();
  sell("1", "0.06");
  see("a");
  const { marketId: id } = listing;
  const toldBy = (side: "BUY" | "SELL", price: string) =>
    world
      .do(side === "BUY" ? taker.actor : maker.actor, {
        type: "PlaceOrder",
        order: order(listing, side, "1", price),
        listing: null,
      })
      .filter(({ type }) => type === "MatchingChanged").length;
  assert.equal(toldBy("BUY", "0.05"), 0, "nothing would trade");
  buy("1", "0.06");
  assert.deepEqual([toldBy("BUY", "0.04"), toldBy("SELL", "0.07")], [0, 0], "these would not");
  const [markTick, stressedTick] = [tick("0.2"), tick("0.2")];
  const marks = [{ marketId: id, markTick, stressedTick }];
  const told = world.do(system, publishMarks(marks)).map(({ type }) => type);
  assert.deepEqual(told, ["MarketMarked"], "there is one price at which it would");
});

/** Two markets whose orders wait, shut by a person before the marks came. */
function shutStage() {
  const stage = windowStage();
  const { world, listing, sell, buy, come } = stage;
  world.runTo(Date.UTC(2024, 11, 16));
  stage.see("a");
  const other = world.listing("2026-01", layer);
  for (const one of [listing, other]) {
    sell("3", "0.06", {}, one);
    buy("1", "0.06", {}, one);
  }
  const { id: extra } = buy("1", "0.06");
  const set = (type: "PauseMarket" | "ResumeMarket", of = listing) =>
    world.do(root, { type, marketId: of.marketId, reason }).map((event) => event.type);
  const halt = (type: "HaltExchange" | "ResumeExchange") =>
    world.do(root, { type, reason }).map((event) => event.type);
  const end = () => {
    stage.forget("a");
    come();
    world.runTo(world.nowMillis + 30 * MINUTE_MILLIS);
  };
  const resumesOf = ({ marketId: id } = listing) =>
    world.state.heldMatching.get(id)?.resumesAtMillis;
  return { ...stage, other, extra, set, halt, end, resumesOf };
}

test("a market that is paused waits on, alone, until a person opens it, and meets at once", () => {
  const { world, taker, other, extra, set, end, resumesOf } = shutStage();
  assert.deepEqual(set("PauseMarket"), ["MarketChanged"]);
  end();
  assert.equal(world.state.fillCount, 1);
  assert.deepEqual([resumesOf(), resumesOf(other)], [null, undefined]);
  const before = world.journal.length;
  world.do(taker.actor, { type: "CancelOrder", orderId: extra });
  assert.equal(resumesOf(), null, "its orders may go, and that wakes nothing");
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  const looked = livedSince(world, before).filter(([type]) => type === "ResumeMatching");
  assert.deepEqual(looked, []);
  assert.deepEqual(set("ResumeMarket"), ["MarketChanged", "MatchingChanged"]);
  assert.equal(resumesOf(), world.nowMillis);
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 2);
});

test("a market that is opened again before its auction ends waits for that end", () => {
  const { world, set, halt, end, resumesOf } = shutStage();
  set("PauseMarket");
  assert.deepEqual(set("ResumeMarket"), ["MarketChanged"]);
  assert.deepEqual(halt("HaltExchange"), ["HaltChanged"]);
  assert.deepEqual(halt("ResumeExchange"), ["HaltChanged"]);
  assert.equal(resumesOf(), null);
  end();
  assert.equal(world.state.fillCount, 3, "both orders of the one, and that of the other");
});

test("who opens a market opens no other one, and none while the exchange is halted", () => {
  const { world, other, set, halt, end, resumesOf } = shutStage();
  set("PauseMarket");
  set("PauseMarket", other);
  end();
  assert.deepEqual(halt("HaltExchange"), ["HaltChanged"]);
  assert.deepEqual(set("ResumeMarket", other), ["MarketChanged"], "the exchange is halted");
  assert.deepEqual(halt("ResumeExchange"), ["HaltChanged", "MatchingChanged"]);
  assert.deepEqual([resumesOf(other), resumesOf()], [world.nowMillis, null]);
  world.runTo(world.nowMillis);
  set("PauseMarket", other);
  set("ResumeMarket", other);
  assert.equal(resumesOf(), null, "it is still paused");
  set("ResumeMarket");
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 3);
});

test("a market that is opened again on a late print meets at the next 16:00", () => {
  const { world, sell, buy, listing } = windowStage();
  const other = world.listing("2026-01", layer);
  for (const one of [listing, other]) sell("1", "0.06", {}, one);
  world.runTo(day + 10 * DAY_MILLIS);
  buy("1", "0.06");
  const { marketId: id } = listing;
  world.do(root, { type: "PauseMarket", marketId: id, reason });
  world.runTo(day + 11 * DAY_MILLIS);
  buy("1", "0.06", {}, other);
  const resumes = () => world.state.heldMatching.get(id)?.resumesAtMillis;
  assert.equal(resumes(), null);
  const told = world.do(root, { type: "ResumeMarket", marketId: id, reason });
  const kinds = told.map(({ type }) => type);
  assert.deepEqual(kinds, ["MarketChanged", "MatchingChanged"], "of that market alone");
  assert.equal(resumes(), day + 11 * DAY_MILLIS + 16 * HOUR_MILLIS);
});

test("nobody pauses or resumes a market that is not there", () => {
  const { world } = windowStage();
  for (const type of ["PauseMarket", "ResumeMarket"] as const) {
    const command = { type, marketId: marketId("none"), reason };
    assert.deepEqual(world.refused(root, command), { code: "MARKET_NOT_FOUND" });
  }
});

/** Gives what the clock brings of one kind, and tells the events of each entry by their kinds. */
function slicesOf(world: World, kind: Command["type"]): (readonly [string, number])[][] {
  const slices: (readonly [string, number])[][] = [];
  for (;;) {
    const due = nextDue(world.state, world.nowMillis);
    if (due?.command.type !== kind) return slices;
    const types = given(world, due.command).map(({ type }) => type);
    const counts = [...new Set(types)].map(
      (type) => [type, types.filter((one) => one === type).length] as const,
    );
    slices.push(counts);
  }
}

/** As `World.do`, of a state that has more records than commands would leave. */
function given(world: World, command: Command) {
  const { nowMillis: timeMillis } = world;
  const none = { requestId: null, idempotency: null };
  world.sequence += 1;
  const outcome = apply(
    world.state,
    { timeMillis, actor: system, ...none, command },
    world.sequence,
  );
  return isRejected(outcome) ? assert.fail(outcome.rejection.code) : outcome.events;
}

test("an auction wakes two hundred markets in an entry, and the rest in the next", () => {
  const woken = (count: number) => {
    const { world, listing, sell, buy, see } = windowStage();
    sell("1", "0.06");
    see("a");
    buy("1", "0.06");
    const { state, nowMillis } = world;
    const market = state.market(listing.marketId);
    const held = state.heldMatching.get(market.id) ?? assert.fail();
    for (let at = 1; at < count; at += 1) {
      const id = marketId(`m-${at}`);
      fold(state, { type: "MarketChanged", market: { ...market, id, frontendId: id } }, nowMillis);
      const copy = { ...held, marketId: id };
      fold(state, { type: "MatchingChanged", marketId: id, held: copy }, nowMillis);
    }
    const [releaseId] = state.windows.get("zhvi")?.files ?? [];
    given(world, { type: "ForgetAwaited", index: "zhvi", releaseId: releaseId ?? assert.fail() });
    return slicesOf(world, "EndAuction");
  };
  const [all, over, last] = [
    ["MatchingChanged", 200],
    ["WindowChanged", 1],
    ["MatchingChanged", 1],
  ];
  assert.deepEqual(woken(200), [[all, over]]);
  assert.deepEqual(woken(201), [[all], [last, over]]);
});

test("a release takes two hundred orders out in an entry, and the rest in the next", () => {
  const { world, sell } = windowStage();
  const first = sell("0.01", "0.06", { cancelOnRelease: true });
  const { state, nowMillis } = world;
  for (let at = 1; at <= 200; at += 1) {
    const copy = { ...first, id: orderId(`ord-${1 + at}`), rank: first.rank + at };
    fold(state, { type: "OrderChanged", order: copy }, nowMillis);
  }
  given(world, { type: "AwaitRelease", index: "zhvi", releaseId: null });
  const counts = slicesOf(world, "CancelForRelease").map((slice) =>
    new Map(slice).get("OrderChanged"),
  );
  assert.deepEqual(counts, [200, 1]);
});
