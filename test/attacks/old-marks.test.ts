// Somebody reads the provider's page before the exchange does, and takes from every resting order
// what the new print moved.
// Invariant: from the first sight of a file until its marks nothing matches; who rests has the time
// to cancel, and what came meanwhile trades in its order, afterwards.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { formatMicros, micros } from "#base/money.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { GUARANTEE } from "#core/step.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { endAuctions } from "../core/end-calls.ts";
import { order, root, system, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const DAY_MILLIS = 86_400_000;
const HALF_HOUR_MILLIS = 1_800_000;
const file = releaseId("rel-seen");

/** A maker offers 1,000 at 0.06; the print that is out at the provider's makes it worth 0.12. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [maker, sniper] = [world.trader("maker", "1000"), world.trader("sniper", "1000")];
  const listing = world.listing("2025-12", layer);
  const offer = world.order(order(listing, "SELL", "1000", "0.06"), maker, listing);
  const see = () => world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: file });
  const mark = (price: string, seenReleases?: number) => {
    const [markTick, stressedTick] = [tick(price), tick(price)];
    const marks = [{ marketId: listing.marketId, markTick, stressedTick }];
    return world.do(system, publishMarks(marks, seenReleases));
  };
  const accept = () => {
    world.nowMillis = Date.UTC(2024, 11, 16);
    const { release, ...rest } = world.release(world.observe("2024-11", "285000"));
    return world.do(root, { ...rest, release: { ...release, id: file } });
  };
  const isHeld = () => isMatchingHeld(world.state, world.state.market(listing.marketId));
  return { world, maker, sniper, listing, offer, see, mark, accept, isHeld };
}

test("who knows the print first gets nothing from a maker that cancels before the marks", (t) => {
  const { world, maker, sniper, listing, offer, see, mark, accept } = stage();
  see();
  const bid = world.order(order(listing, "BUY", "1000", "0.06"), sniper);
  assert.deepEqual([bid.status, world.state.fillCount], ["OPEN", 0]);
  world.do(maker.actor, { type: "CancelOrder", orderId: offer.id });
  accept();
  mark("0.12");
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 0);
  const gained = world.cash(sniper) - 1_000_000_000n;
  assert.equal(gained, 0n);
  t.diagnostic(`after: ${formatMicros(micros(gained))} USD taken at the old price`);
});

test("what came meanwhile meets at one price, half an hour after the marks", () => {
  const { world, maker, sniper, listing, offer, see, mark, accept, isHeld } = stage();
  see();
  const first = world.order(order(listing, "BUY", "400", "0.07"), sniper);
  const second = world.order(order(listing, "SELL", "300", "0.05"), maker);
  const third = world.order(order(listing, "BUY", "900", "0.06"), sniper);
  const at = (taken: typeof first, more = {}) =>
    world.order(order(listing, "BUY", "1", "0.07", more), sniper).cancelReason ?? taken.status;
  assert.equal(at(first, { timeInForce: "IOC" }), "UNFILLED_IMMEDIATE");
  assert.equal(at(first, { timeInForce: "FOK" }), "FILL_OR_KILL");
  assert.equal(at(first, { postOnly: true }), "POST_ONLY_WOULD_CROSS");
  accept();
  assert.equal(isHeld(), true, "its marks are to come");
  mark("0.06", 1);
  assert.equal(isHeld(), true, "these marks know nothing of it");
  assert.equal(world.state.windows.get("zhvi")?.marksAfter, 2);
  mark("0.06");
  const told = world.state.heldMatching.get(listing.marketId)?.indicative;
  assert.deepEqual(told, { tick: 600, volumeLots: 130_000n, surplusLots: 0n });
  world.runTo(world.nowMillis + HALF_HOUR_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 0], "who rests may still cancel");
  world.runTo(world.nowMillis + 1);
  assert.equal(isHeld(), false);
  const filled = [first, second, third, offer].map(({ id }) => world.state.order(id).filledLots);
  assert.deepEqual(filled, [40_000n, 30_000n, 90_000n, 100_000n]);
  const trades = world.journal.flatMap(({ outcome }) =>
    isRejected(outcome) ? [] : outcome.events.filter((event) => event.type === "Filled"),
  );
  // The dearest buyer meets the cheapest seller; of each pair the later one takes.
  assert.deepEqual(
    trades.map(({ fill }) => [fill.takerOrderId, fill.makerOrderId, fill.yesTick]),
    [
      [second.id, first.id, 600],
      [first.id, offer.id, 600],
      [third.id, offer.id, 600],
    ],
  );
  // 1,300 at 0.06 for 78 USD; the maker's second order took 300: a fee of 0.5 % of 18 USD.
  assert.equal(world.cash(maker), 1_000_000_000n + 78_000_000n - 90_000n);
});

test("a file that is no release ends it, and one that is rejected", () => {
  const { world, see, isHeld } = stage();
  see();
  assert.equal(isHeld(), true);
  world.do(system, { type: "ForgetAwaited", index: "zhvi", releaseId: file });
  assert.equal(isHeld(), false);
  see();
  const { release } = world.release(world.observe("2024-11", "285000"));
  const reasons = [{ code: "MOVES", message: "test" }];
  const quarantined = { ...release, id: file };
  world.do(root, { type: "QuarantineRelease", release: quarantined, reasons });
  assert.equal(isHeld(), true, "what is held back is out at the provider's");
  world.do(root, { type: "RejectRelease", releaseId: file, reason: "test" });
  assert.equal(isHeld(), false);
});

test("ten days end it, a restart does not, and what waits is not lost", () => {
  const { world, sniper, listing, see, isHeld } = stage();
  see();
  world.order(order(listing, "BUY", "1000", "0.06"), sniper);
  const hash = stateHash(world.state);
  world.state = decodeState(encodeState(world.state));
  assert.equal(stateHash(world.state), hash);
  assert.equal(isHeld(), true);
  world.runTo(world.nowMillis + 10 * DAY_MILLIS - 1);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 0]);
  world.runTo(world.nowMillis + 1);
  assert.equal(world.state.windows.get("zhvi")?.isOverdue, true);
  world.runTo(world.nowMillis + DAY_MILLIS);
  assert.deepEqual([isHeld(), world.state.fillCount], [true, 1], "once, at 16:00");
});

/** Paused while an order waits; the print and its marks have come. */
function pausedStage() {
  const { world, sniper, listing, see, mark, accept } = stage();
  see();
  world.order(order(listing, "BUY", "100", "0.2"), sniper);
  const { marketId } = listing;
  world.do(root, { type: "PauseMarket", marketId, reason: "drill" });
  accept();
  mark("0.09");
  return { world, marketId };
}

test("a paused market waits on", () => {
  const { world, marketId } = pausedStage();
  world.runTo(world.nowMillis + 3 * DAY_MILLIS);
  assert.equal(world.state.fillCount, 0);
  assert.equal(lookedAt(world), 0, "nobody looks at it until a person opens it");
  world.do(root, { type: "HaltExchange", reason: "drill" });
  world.do(root, { type: "ResumeMarket", marketId, reason: "drill" });
  world.runTo(world.nowMillis + 3 * DAY_MILLIS);
  assert.equal(world.state.fillCount, 0);
  world.do(root, { type: "ResumeExchange", reason: "drill" });
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 1);
});

test("a paused market trades what waited as soon as it is resumed", () => {
  const { world, marketId } = pausedStage();
  world.runTo(world.nowMillis + DAY_MILLIS);
  assert.equal(world.state.fillCount, 0);
  world.do(root, { type: "ResumeMarket", marketId, reason: "drill" });
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 1);
});

test("a market that closes before it trades again is not waited for any more", () => {
  const { world, sniper, listing, see } = stage();
  world.order(order(listing, "BUY", "1", "0.06"), sniper);
  see();
  world.order(order(listing, "BUY", "100", "0.2"), sniper);
  const { marketId } = listing;
  world.do(root, { type: "PauseMarket", marketId, reason: "drill" });
  world.runTo(Date.UTC(2026, 11, 1));
  assert.equal(world.state.market(marketId).tradingClosed, true);
  assert.equal(world.state.heldMatching.size, 0);
  assert.equal(lookedAt(world), 0);
});

/** How many entries the matching of markets has taken. */
const lookedAt = ({ journal }: World): number =>
  journal.filter(({ envelope }) => envelope.command.type === "ResumeMatching").length;

test("an account that fails meanwhile buys nothing back", () => {
  const { world, maker, sniper, listing, offer, see, mark } = stage();
  world.do(maker.actor, { type: "CancelOrder", orderId: offer.id });
  const seller = world.trader("seller", "15");
  world.order(order(listing, "SELL", "100", "0.06"), seller);
  world.order(order(listing, "BUY", "100", "0.06"), sniper);
  world.order(order(listing, "SELL", "100", "0.2"), maker);
  see();
  mark("0.19", 0);
  world.runTo(world.state.account(seller.id).marginCall?.dueAtMillis ?? assert.fail("no call"));
  assert.equal(world.state.windows.has("zhvi"), true);
  assert.equal(world.state.account(seller.id).halted, true);
  endAuctions(world);
  assert.equal(world.state.position(GUARANTEE, listing.marketId)?.heldLots, -10_000n);
});
