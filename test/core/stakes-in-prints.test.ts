// Prints that settle a market in which somebody who gives their word has a stake.
// Invariant: nobody's word lets in a print they have bet on: not as its sender, its first or its
// second word, by an account of any name; where they have bet on nothing, they may.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, releaseId } from "#base/ids.ts";
import { wordIn } from "#core/words/told.ts";
import { order, root, system, type Trader, World } from "./world.ts";

const reasons = [{ code: "UNIT_SLIP", message: "Everything is multiplied by 10." }];

/** Protection of Texas in November and in December is sold; November's file is there. */
function stage() {
  const world = new World();
  world.place = nodeId("state:tx");
  world.index = "zori";
  world.print("2024-10", "1500");
  world.index = "zhvi";
  world.place = nodeId("state:oh");
  world.print("2024-10", "200000");
  world.place = nodeId("state:tx");
  world.print("2024-10", "300000");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const maker = world.trader("maker", "5000");
  const sold = (end: string, strikeBps = 500) => {
    const listing = world.listing(end, { kind: "binary", strikeBps });
    const buyer = world.trader(`buyer of ${listing.marketId}`, "1000");
    world.order(order(listing, "SELL", "10", "0.05"), maker, listing);
    world.order(order(listing, "BUY", "10", "0.05"), buyer);
    return { buyer, marketId: listing.marketId };
  };
  const [november, december] = [sold("2024-11"), sold("2024-12")];
  const deeper = sold("2024-11", 1_000);
  world.index = "zori";
  const rents = sold("2024-11");
  world.index = "zhvi";
  world.place = nodeId("state:oh");
  const ohio = sold("2024-11");
  world.place = nodeId("state:tx");
  /** From now on the account is the operator's. */
  const owns = ({ id: owner }: Trader, { id: accountId }: Trader) => {
    const waiting = wordIn("open", world.do(root, { type: "SetOwner", accountId, owner }));
    if (waiting !== undefined) world.agree(otto.actor, waiting);
  };
  world.runTo(Date.UTC(2024, 11, 20));
  const accept = world.release(world.observe("2024-11", "240000"));
  const { release } = accept;
  const hold = { type: "QuarantineRelease", release, reasons } as const;
  const approve = { type: "ApproveRelease", releaseId: release.id } as const;
  const statusOf = ({ marketId }: typeof november) => world.state.market(marketId).status;
  const sides = { november, deeper, december, rents, ohio };
  return { world, olga, otto, ...sides, owns, accept, hold, approve, statusOf };
}

test("a release whose sender has bet on it is held, says why, and settles by two others", () => {
  const { world, olga, otto, november, owns, accept, approve, statusOf } = stage();
  owns(olga, november.buyer);
  world.do(olga.actor, accept);
  assert.equal(statusOf(november), "ACTIVE", "its print has settled nothing");
  const held = world.state.quarantine.get(accept.release.id);
  assert.equal(held?.status, "quarantined");
  const message =
    "The operator who sent this release has a stake in a market that it settles; " +
    "two operators without one have to release it.";
  assert.deepEqual(held.reasons, [{ code: "SENDER_HAS_STAKE", message }]);
  assert.deepEqual(held.awaited, accept.observations);
  assert.equal(world.refused(olga.actor, approve).code, "CONFLICT_OF_INTEREST");
  world.do(otto.actor, approve);
  const release = { ...accept, fromQuarantine: true } as const;
  assert.equal(world.refused(olga.actor, release).code, "CONFLICT_OF_INTEREST");
  world.do(root, release);
  assert.equal(statusOf(november), "RESOLVED");
});

test("a stake in one of two markets of a print is enough to hold it", () => {
  const { world, olga, deeper, owns, accept, statusOf } = stage();
  owns(olga, deeper.buyer);
  world.do(olga.actor, accept);
  assert.equal(world.state.quarantine.get(accept.release.id)?.status, "quarantined");
  assert.equal(statusOf(deeper), "ACTIVE");
});

test("the record of such a release has the prints that are waited for, and no other", () => {
  const { world, olga, november, owns, accept } = stage();
  owns(olga, november.buyer);
  world.place = nodeId("state:oh");
  const backfilled = { ...world.observe("2024-11", "190000"), backfill: true };
  world.place = nodeId("state:ny");
  const unasked = { ...world.observe("2024-11", "400000"), backfill: false };
  world.do(olga.actor, {
    ...accept,
    observations: [...accept.observations, backfilled, unasked],
  });
  const held = world.state.quarantine.get(accept.release.id);
  assert.deepEqual(held?.awaited, accept.observations);
});

test("the exchange itself has bet on nothing: what it takes in settles", () => {
  const { world, november, accept, statusOf } = stage();
  world.do(system, accept);
  assert.equal(statusOf(november), "RESOLVED");
});

test("a stake in another month, another place or a print of a gap holds nothing back", () => {
  for (const which of ["december", "ohio", "rents"] as const) {
    const staged = stage();
    const { world, olga, owns, accept, november, statusOf } = staged;
    owns(olga, staged[which].buyer);
    world.do(olga.actor, accept);
    assert.equal(world.state.quarantine.size, 0, which);
    assert.equal(statusOf(november), "RESOLVED", which);
  }
  const { world, olga, owns, accept, november, statusOf } = stage();
  owns(olga, november.buyer);
  const observations = accept.observations.map((seen) => ({ ...seen, backfill: true }));
  world.do(olga.actor, { ...accept, observations });
  assert.equal(world.state.quarantine.size, 0, "a backfilled month settles nothing");
  assert.equal(statusOf(november), "ACTIVE");
});

test("a held release takes no word of one with a stake in its months; another one may", () => {
  const mine = stage();
  mine.owns(mine.olga, mine.november.buyer);
  mine.world.do(root, mine.hold);
  assert.equal(mine.world.refused(mine.olga.actor, mine.approve).code, "CONFLICT_OF_INTEREST");
  for (const which of ["december", "rents"] as const) {
    const other = stage();
    other.owns(other.olga, other[which].buyer);
    other.world.do(root, other.hold);
    other.world.do(other.olga.actor, other.approve);
    other.world.do(other.otto.actor, { ...other.accept, fromQuarantine: true });
    assert.equal(other.statusOf(other.november), "RESOLVED", which);
  }
});

test("a stake in a month before the held ones, or in a market that has its print, is none", () => {
  const before = stage();
  before.owns(before.olga, before.november.buyer);
  before.world.runTo(Date.UTC(2025, 0, 20));
  const { release } = before.world.release(before.world.observe("2024-12", "2400000"));
  before.world.do(root, { type: "QuarantineRelease", release, reasons });
  before.world.do(before.olga.actor, { type: "ApproveRelease", releaseId: release.id });

  const settled = stage();
  settled.owns(settled.olga, settled.november.buyer);
  settled.world.do(root, settled.accept);
  assert.equal(settled.statusOf(settled.november), "RESOLVED");
  const again = { ...settled.accept.release, id: releaseId("rel-again") };
  settled.world.do(root, { type: "QuarantineRelease", release: again, reasons });
  settled.world.do(settled.olga.actor, { type: "ApproveRelease", releaseId: again.id });
});

test("one place held back takes no word of one who has bet on its print", () => {
  const { world, olga, otto, november, owns, accept, statusOf } = stage();
  owns(olga, november.buyer);
  const { id } = accept.release;
  const place = { nodeId: world.place, regionId: "54", reasons, observations: accept.observations };
  const release = { ...accept.release, firstPrints: 0, held: 1 };
  world.do(root, { ...accept, release, observations: [], heldPlaces: [place] });
  const at = { releaseId: id, nodeId: world.place } as const;
  const approve = { type: "ApprovePlace", ...at } as const;
  assert.equal(world.refused(olga.actor, approve).code, "CONFLICT_OF_INTEREST");
  world.do(otto.actor, approve);
  const counts = {
    firstPrints: 1,
    revisions: 0,
    unchanged: 0,
    rescaled: 0,
    printsDigest: "d",
    latestDigest: "d",
  };
  const reading = { releaseId: id, ...counts, observations: accept.observations };
  const take = { type: "ReleasePlace", ...at, readings: [reading] } as const;
  assert.equal(world.refused(olga.actor, take).code, "CONFLICT_OF_INTEREST");
  world.do(root, take);
  assert.equal(statusOf(november), "RESOLVED");
  assert.equal(world.state.releases.get(id)?.held, undefined);
});
