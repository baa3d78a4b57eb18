// Release windows and their auctions by the clock, and what orders of each kind become in them.
// Invariant: every moment is one that the state brings by itself; nothing here is timed by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import { nodeId, releaseId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { publishMarks } from "./publish-marks.ts";
import { layer, windowStage as stage } from "./window-stage.ts";
import { order, system, type Trader, tick, type World } from "./world.ts";

test("a market below a state meets at 16:00 UTC of the next day", () => {
  const zip = stage(nodeId("zip:77002"));
  zip.world.runTo(Date.UTC(2024, 11, 16, 11, 5));
  zip.call();
  zip.sell("10", "0.06");
  zip.buy("10", "0.06");
  zip.come();
  zip.world.runTo(zip.world.nowMillis + 30 * MINUTE_MILLIS);
  assert.deepEqual([zip.isHeld(), zip.world.state.fillCount], [true, 0]);
  assert.equal(zip.world.state.windows.get("zhvi")?.onlyThin, true);
  zip.world.runTo(Date.UTC(2024, 11, 17, 16) - 1);
  assert.equal(zip.world.state.fillCount, 0);
  zip.world.runTo(Date.UTC(2024, 11, 17, 16));
  assert.deepEqual([zip.isHeld(), zip.world.state.fillCount], [false, 1]);
  assert.equal(zip.world.state.windows.has("zhvi"), false);
});

test("a market that is listed on the new marks is in no auction", () => {
  const { world, sell, call, come, taker, maker } = stage(nodeId("zip:77002"));
  world.runTo(Date.UTC(2024, 11, 16));
  sell("10", "0.06");
  call();
  come();
  const fresh = world.listing("2026-03", layer);
  world.order(order(fresh, "SELL", "1", "0.05"), maker, fresh);
  const bought = world.order(order(fresh, "BUY", "1", "0.05"), taker);
  assert.equal(bought.status, "FILLED");
});

test("the next file opens the window again, and one that is none gives the auction back", () => {
  const { world, sell, buy, call, come } = stage();
  world.runTo(Date.UTC(2024, 11, 16));
  call();
  sell("10", "0.06");
  buy("10", "0.06");
  come();
  const file = { index: "zhvi", releaseId: releaseId("rel-zips") } as const;
  world.do(system, { type: "AwaitRelease", ...file });
  world.runTo(world.nowMillis + HOUR_MILLIS);
  assert.equal(world.state.fillCount, 0, "zips of the same day are being read");
  world.do(system, { type: "ForgetAwaited", ...file });
  world.runTo(world.nowMillis);
  assert.equal(world.state.fillCount, 1, "its half hour is over");
});

test("an order that goes for a release goes before anybody can meet it", () => {
  const { world, sell, call, come, filledOf, buy } = stage();
  world.runTo(Date.UTC(2024, 11, 16));
  const [flagged, plain] = [sell("10", "0.06", { cancelOnRelease: true }), sell("10", "0.07")];
  call();
  world.runTo(world.nowMillis);
  assert.equal(world.state.order(flagged.id).cancelReason, "RELEASE");
  assert.equal(world.state.order(plain.id).status, "OPEN");
  const late = sell("1", "0.06", { cancelOnRelease: true });
  world.runTo(world.nowMillis);
  assert.equal(world.state.order(late.id).cancelReason, "RELEASE");
  come();
  const after = sell("1", "0.06", { cancelOnRelease: true });
  buy("1", "0.06");
  world.runTo(world.nowMillis + 30 * MINUTE_MILLIS);
  assert.equal(filledOf(after), 100n, "the release is out: it may meet, and waits for the next");
});

test("both sides of a quote go for a release, and a quote that did not ask for it stays", () => {
  const { world, call, listing, come } = stage();
  world.runTo(Date.UTC(2024, 11, 16));
  const desk = world.trader("desk", "1000");
  const one = { amountLots: lots(100n) };
  const quoted = (more: object) => ({
    type: "MassQuote" as const,
    quotes: [
      {
        marketId: listing.marketId,
        bid: { ...one, priceTick: tick("0.02") },
        ask: { ...one, priceTick: tick("0.2") },
        expirySeconds: 0,
        ...more,
      },
    ],
    listings: [listing],
  });
  const open = () => state(world, desk);
  world.do(desk.actor, quoted({ cancelOnRelease: true }));
  assert.deepEqual(open(), ["OPEN null", "OPEN null"]);
  call();
  world.runTo(world.nowMillis);
  assert.deepEqual(open(), ["CANCELLED RELEASE", "CANCELLED RELEASE"]);
  world.do(desk.actor, quoted({}));
  world.runTo(world.nowMillis);
  assert.deepEqual(open().slice(2), ["OPEN null", "OPEN null"]);
  come();
  world.do(desk.actor, quoted({ cancelOnRelease: true }));
  world.runTo(world.nowMillis);
  assert.deepEqual(open().slice(4), ["OPEN null", "OPEN null"], "the release is out");
});

const state = (world: World, { id }: Trader): readonly string[] =>
  [...world.state.orders.values()]
    .filter(({ accountId }) => accountId === id)
    .map(({ status, cancelReason }) => `${status} ${cancelReason}`);

test("a thousand orders go for a release in slices, and none is left", () => {
  const { world, call, listing } = stage();
  world.judgesRefusals = false;
  for (const name of ["a", "b", "c"]) {
    const trader = world.trader(name, "1000");
    for (let at = 0; at < 150; at += 1) {
      const input = order(listing, "SELL", "0.01", "0.06", { cancelOnRelease: true });
      world.order(input, trader, listing);
    }
  }
  const before = world.journal.length;
  call();
  world.runTo(world.nowMillis);
  const slices = world.journal
    .slice(before)
    .map(({ outcome, envelope }) => [
      envelope.command.type,
      isRejected(outcome) ? 0 : outcome.events.filter(({ type }) => type === "OrderChanged").length,
    ]);
  assert.deepEqual(slices, [
    ["OpenWindow", 0],
    ["CancelForRelease", 200],
    ["CancelForRelease", 200],
    ["CancelForRelease", 50],
  ]);
});

test("a reduce-only order takes no position through flat in an auction", () => {
  const { world, listing, buy, sell, call, come, filledOf, maker, taker } = stage();
  sell("10", "0.05");
  buy("10", "0.05");
  world.runTo(Date.UTC(2024, 11, 16));
  call();
  // The taker holds 10, and would sell 16: the plain order has the better price.
  const plain = world.order(order(listing, "SELL", "6", "0.04"), taker);
  const reducing = world.order(order(listing, "SELL", "10", "0.05", { reduceOnly: true }), taker);
  world.order(order(listing, "BUY", "20", "0.06"), maker);
  come();
  world.runTo(world.nowMillis + 30 * MINUTE_MILLIS);
  assert.deepEqual([filledOf(plain), filledOf(reducing)], [600n, 400n]);
  assert.equal(world.state.position(taker.id, listing.marketId)?.heldLots, 0n);
});

test("an auction is one sweep: it trips a maker's protection after all of its fills", () => {
  const { world, listing, buy, sell, call, come, maker } = stage();
  world.do(maker.actor, { type: "SetProtection", withinSeconds: 10, maxLots: null, maxFills: 1 });
  const resting = ["0.05", "0.05", "0.06"].map((price) => sell("1", price));
  const other = sell("1", "0.5");
  world.runTo(Date.UTC(2024, 11, 16));
  call();
  buy("3", "0.07");
  come();
  world.runTo(world.nowMillis + 30 * MINUTE_MILLIS);
  const { status } = world.state.order(resting[2]?.id ?? assert.fail());
  assert.equal(status, "FILLED", "the last of the three too");
  assert.equal(world.state.order(other.id).cancelReason, "PROTECTION");
  assert.equal(world.state.book(listing.marketId).bestAsk(), undefined);
});

test("a restart in every phase goes on to the same journal", () => {
  const { world, sell, buy, call, come } = stage(nodeId("zip:77002"));
  const restart = (): void => {
    const hash = stateHash(world.state);
    world.state = decodeState(encodeState(world.state));
    assert.equal(stateHash(world.state), hash);
  };
  world.runTo(Date.UTC(2024, 11, 16));
  call();
  sell("10", "0.06", { cancelOnRelease: true });
  restart();
  world.runTo(world.nowMillis);
  sell("10", "0.06");
  buy("10", "0.06");
  restart();
  come();
  restart();
  world.runTo(world.nowMillis + 30 * MINUTE_MILLIS);
  restart();
  assert.equal(world.state.fillCount, 0);
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.equal(world.state.fillCount, 1);
  restart();
});

test("sixty markets meet, each in an entry of its own after one of the window", () => {
  const { world, call, come, maker, taker } = stage();
  world.judgesRefusals = false;
  world.runTo(Date.UTC(2024, 11, 16));
  const listings = Array.from({ length: 60 }, (_, at) =>
    world.listing("2025-12", { kind: "binary", strikeBps: 100 * (at + 1) }),
  );
  call();
  // An account lists twenty of these.
  const makers = [maker, world.trader("second", "1000"), world.trader("third", "1000")];
  for (const [at, listing] of listings.entries()) {
    const by = makers[Math.floor(at / 20)] ?? maker;
    world.order(order(listing, "SELL", "0.1", "0.05"), by, listing);
    world.order(order(listing, "BUY", "0.1", "0.05"), taker);
  }
  come();
  const before = world.journal.length;
  world.runTo(world.nowMillis + 30 * MINUTE_MILLIS);
  const after = world.journal.slice(before);
  assert.deepEqual(
    [after.length, after.filter(({ envelope }) => envelope.command.type === "EndAuction").length],
    [61, 1],
  );
  assert.equal(world.state.fillCount, 60);
});

test("what would trade is told anew when marks move it, and once", () => {
  const { world, listing, sell, buy, call } = stage();
  call();
  sell("1", "0.05");
  buy("1", "0.09");
  const tickOf = () => world.state.heldMatching.get(listing.marketId)?.indicative.tick;
  const mark = (price: string) => {
    const [markTick, stressedTick] = [tick(price), tick(price)];
    const marks = [{ marketId: listing.marketId, markTick, stressedTick }];
    return world.do(system, publishMarks(marks, 0));
  };
  assert.equal(tickOf(), 500);
  const told = (price: string) =>
    mark(price).filter(({ type }) => type === "MatchingChanged").length;
  assert.deepEqual(
    [told("0.07"), tickOf(), told("0.07"), told("0.2"), tickOf()],
    [1, 700, 0, 1, 900],
  );
});
