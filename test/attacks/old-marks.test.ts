// Somebody reads the provider's page before the exchange does, and takes from every resting order
// what the new print moved.
// Invariant: from the first sight of a file until its marks nothing matches, and who rests has the time
// to cancel. Windows and their auctions are told in test/core/window*.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { formatMicros, micros } from "#base/money.ts";
import { GUARANTEE } from "#core/step.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { endAuctions } from "../core/end-calls.ts";
import { order, root, system, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
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
  return { world, maker, sniper, listing, offer, see, mark, accept };
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
