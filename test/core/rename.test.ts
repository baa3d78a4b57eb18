// A place that its provider goes on with under another id: the evidence, the two words, and what
// the markets of the place are then settled on.
// Invariant: one person maps nothing, and no map rests on less than 24 months of equal growth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, releaseId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import { type PrintValue, parsePrintValue, printValue } from "#base/print-value.ts";
import { isSameSeries, type SharedMonth } from "#contract/same-series.ts";
import { auditFacts } from "#core/audit.ts";
import type { CommandOf } from "#core/command.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { wordIn } from "#core/words/told.ts";
import { month, order, root, World } from "./world.ts";

const MONTHS = 24;

const value = (text: string): PrintValue => parsePrintValue(text) ?? assert.fail(text);

/** The old id at 300,000 a month and rising; the new one on twice that scale. */
const sharedTo = (last: Month, factor = (_at: number) => 2_000_000n): readonly SharedMonth[] =>
  Array.from({ length: MONTHS + 1 }, (_, at) => {
    const knownE15 = value(String(300_000 + 700 * at));
    const givenE15 = printValue((knownE15 * factor(at)) / 1_000_000n);
    return { month: addMonths(last, at - MONTHS), knownE15, givenE15 };
  });

const texas = nodeId("state:tx");
const ohio = nodeId("state:oh");
const reasons = [{ code: "MOVE_TOO_LARGE", message: "2024-11 moves by 20 % in a month." }];

/**
 * Protection of Texas in 2024-11 is sold, and beside it a later month, rents and Ohio; November's
 * file holds Ohio, and has Texas under another id.
 */
function stage() {
  const world = new World();
  const maker = world.trader("maker", "5000");
  const sold = (end: string) => {
    const listing = world.listing(end, { kind: "binary", strikeBps: 500 });
    const buyer = world.trader(`buyer of ${listing.marketId}`, "1000");
    world.order(order(listing, "SELL", "100", "0.05"), maker, listing);
    world.order(order(listing, "BUY", "100", "0.05"), buyer);
    return { buyer, marketId: listing.marketId };
  };
  world.place = ohio;
  world.print("2024-10", "200000");
  const elsewhere = sold("2024-11");
  world.place = texas;
  world.index = "zori";
  world.print("2024-10", "1500");
  const rents = sold("2024-11");
  world.index = "zhvi";
  world.print("2024-10", "300000");
  const here = sold("2024-11");
  const later = sold("2025-03");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  /** Olga and the account are one person from now on. */
  const owns = ({ buyer }: typeof here) => {
    const own = { type: "SetOwner", accountId: buyer.id, owner: olga.id } as const;
    const waiting = wordIn("open", world.do(root, own));
    if (waiting !== undefined) world.agree(otto.actor, waiting);
  };
  world.runTo(Date.UTC(2024, 11, 20));
  world.place = ohio;
  const odd = world.observe("2024-11", "150000");
  const held = { nodeId: ohio, regionId: "39", reasons, observations: [odd] };
  world.place = texas;
  const fallen = world.observe("2024-11", "480000", "600000");
  const accept = world.release(fallen);
  const { id } = accept.release;
  const facts = { ...accept.release, firstPrints: 0, unmatched: 1, held: 1 };
  world.do(root, { ...accept, release: facts, observations: [], heldPlaces: [held] });
  const rename: CommandOf<"RenamePlace"> = {
    type: "RenamePlace",
    releaseId: id,
    nodeId: texas,
    from: "54",
    to: "1054",
    shared: sharedTo(month("2024-10")),
    observations: [fallen],
  };
  const reading = {
    releaseId: id,
    firstPrints: 1,
    revisions: 0,
    unchanged: 0,
    rescaled: 1,
    printsDigest: "digest",
    latestDigest: "digest",
    observations: [fallen],
  };
  const at = { releaseId: id, nodeId: texas } as const;
  const take = { type: "ReleasePlace", ...at, readings: [reading] } as const;
  const reject = { type: "RejectPlace", ...at, readings: [], reason: "another place" } as const;
  const sides = { here, later, rents, elsewhere };
  const { marketId } = here;
  return { world, olga, otto, ...sides, owns, id, fallen, rename, reading, take, reject, marketId };
}

test("two words, and the new id's print continues the chain and settles the market", () => {
  const { world, olga, otto, rename, take, id, marketId } = stage();
  world.do(olga.actor, rename);
  const message = "Region 1054 goes on as region 54 did: growth was equal for 24 months.";
  const map = [...world.state.heldPlaces.values()].find(({ nodeId }) => nodeId === texas);
  assert.deepEqual(map?.reasons, [{ code: "RENAMED", message }]);
  assert.equal(world.state.market(marketId).status, "ACTIVE", "a first word prints nothing");
  assert.equal(world.refused(olga.actor, take).code, "RELEASE_SAME_OPERATOR");
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state));
  world.state = restored;

  world.do(otto.actor, take);
  const { status, resolution } = world.state.market(marketId);
  assert.equal(status, "RESOLVED");
  assert.deepEqual([resolution?.outcome, resolution?.releaseId], ["YES", id]);
  assert.equal(world.state.chainPoints.get("zhvi|state:tx")?.levelE12, 800_000_000_000n);
  const { unmatched, held } = world.state.release(id);
  assert.deepEqual([unmatched, held], [0, 1], "Ohio is still held");
  assert.deepEqual(
    [...world.state.renames.values()],
    [{ index: "zhvi", level: "state", nodeId: "state:tx", from: "54", to: "1054", releaseId: id }],
  );
  const after = decodeState(encodeState(world.state));
  assert.equal(stateHash(after), stateHash(world.state));
  assert.deepEqual([...after.renames.values()], [...world.state.renames.values()]);
  const words = world.journal.slice(-2).map((entry) => auditFacts(entry));
  assert.deepEqual(
    words.map(({ action, resource }) => [action, resource]),
    [
      ["place.renaming", "state:tx"],
      ["place.released", "state:tx"],
    ],
  );
  assert.equal(words[0]?.details.equalGrowth, "2022-10 to 2024-10");
});

test("less than 24 months, or growth that differs by more than 1e-4, is refused", () => {
  const { world, olga, rename } = stage();
  const last = month("2024-10");
  const { shared } = rename;
  for (const wrong of [
    { ...rename, shared: shared.slice(1) },
    { ...rename, shared: shared.toSpliced(5, 1) },
    { ...rename, shared: sharedTo(addMonths(last, -1)) },
    { ...rename, shared: sharedTo(last, (at) => (at === 7 ? 2_000_201n : 2_000_000n)) },
    { ...rename, observations: [] },
    { ...rename, observations: [world.observe("2024-10", "480000")] },
    { ...rename, to: rename.from },
    { ...rename, releaseId: releaseId("rel-none") },
    { ...rename, nodeId: nodeId("state:ny") },
  ]) {
    assert.equal(world.refused(olga.actor, wrong).code, "RENAME_GROUNDS");
  }
  const nearly = sharedTo(last, (at) => (at === 7 ? 2_000_200n : 2_000_000n));
  assert.ok(isSameSeries("zhvi", last, nearly), "the bound itself is equal");
  const quarters = [8, 7, 6, 5, 4, 3, 2, 1, 0].map((back) => {
    const rate = value("7.1");
    return { month: addMonths(last, -3 * back), knownE15: rate, givenE15: rate };
  });
  assert.ok(isSameSeries("vacancy", last, quarters));
  const off = { ...(quarters[3] ?? assert.fail()), givenE15: value("7.2") };
  assert.ok(!isSameSeries("vacancy", last, quarters.with(3, off)), "a rate is equal, or is not");
});

test("while a map waits, the old id prints and takes its ground; one operator ends it", () => {
  const { world, olga, otto, id, rename, take, reject, marketId } = stage();
  world.do(olga.actor, rename);
  const waits = { code: "PLACE_HELD", details: { status: texas } };
  assert.deepEqual(world.refused(otto.actor, rename), waits, "one map at a time");
  world.print("2024-11", "299000");
  assert.equal(world.state.market(marketId).status, "RESOLVED", "nothing was held back");
  assert.equal(world.state.market(marketId).resolution?.outcome, "NO");
  assert.equal(world.refused(otto.actor, take).code, "RENAME_GROUNDS");
  world.do(otto.actor, reject);
  assert.equal(world.state.heldPlaces.size, 1, "Ohio alone is held");
  assert.equal(world.state.renames.size, 0);
  assert.equal(world.state.release(id).unmatched, 1, "the region has no place");
});

test("a place that is held has no map, and a hold takes the ground from one that waits", () => {
  const { world, olga, otto, rename, take } = stage();
  const waits = { code: "PLACE_HELD", details: { status: texas } };
  world.do(olga.actor, rename);
  const accept = world.release(world.observe("2024-11", "150000"));
  const { observations } = accept;
  const release = { ...accept.release, firstPrints: 0, held: 1 };
  const heldPlaces = [{ nodeId: texas, regionId: "54", reasons, observations }];
  world.do(root, { ...accept, release, observations: [], heldPlaces });
  assert.deepEqual(world.refused(otto.actor, take), waits);
  const ofOhio = { ...rename, nodeId: ohio };
  assert.equal(world.refused(otto.actor, ofOhio).code, "PLACE_HELD");
});

test("no station of weather goes on under another id, held or not", () => {
  const { world, olga, rename } = stage();
  world.index = "weather";
  const accept = world.release(world.observe("2024-11", "51.5"));
  const { observations } = accept;
  const heldPlaces = [{ nodeId: texas, regionId: "41", reasons, observations }];
  world.do(root, { ...accept, observations: [], heldPlaces });
  const { id } = accept.release;
  assert.deepEqual(world.refused(olga.actor, { ...rename, releaseId: id }), {
    code: "RENAME_GROUNDS",
  });
});

test("a map takes its region from what had no place, in each file that is read for it", () => {
  /** December's file, with so many regions that have no place. */
  const readWith = (unmatched: number) => {
    const { world, olga, otto, rename, reading, take } = stage();
    world.do(olga.actor, rename);
    world.runTo(Date.UTC(2025, 0, 20));
    const { release } = world.release(world.observe("2024-12", "480000", "600000"));
    world.do(root, { type: "AcceptRelease", release: { ...release, unmatched }, observations: [] });
    world.do(olga.actor, { type: "ApprovePlace", releaseId: take.releaseId, nodeId: take.nodeId });
    const next = { ...reading, releaseId: release.id, observations: [] };
    world.do(otto.actor, { ...take, readings: [reading, next] });
    return world.state.release(release.id);
  };
  const { unmatched, ...counts } = readWith(2);
  assert.deepEqual([unmatched, "held" in counts], [1, false]);
  assert.throws(() => readWith(0), /has a region without a place/);
});

test("a map whose print validation holds stands, and the place is held in that release", () => {
  const { world, olga, otto, id, fallen, rename, take, marketId } = stage();
  world.do(olga.actor, rename);
  const place = { releaseId: id, nodeId: texas, regionId: "1054", reasons };
  const heldAnew = { ...place, observations: [fallen] };
  world.do(otto.actor, { ...take, readings: [], heldAnew });
  assert.equal(world.state.renames.size, 1);
  const { unmatched, held } = world.state.release(id);
  assert.deepEqual([unmatched, held], [0, 2], "with Ohio");
  assert.equal(world.state.market(marketId).status, "ACTIVE");
  world.do(olga.actor, { type: "ApprovePlace", releaseId: id, nodeId: texas });
  world.do(otto.actor, take);
  assert.equal(world.state.release(id).held, 1);
  assert.equal(world.state.market(marketId).status, "RESOLVED");
});

test("nobody with a stake in an open market of the place gives either word", () => {
  for (const which of ["here", "later"] as const) {
    const { world, olga, otto, owns, rename, take, ...sides } = stage();
    owns(sides[which]);
    assert.equal(world.refused(olga.actor, rename).code, "CONFLICT_OF_INTEREST", which);
    world.do(otto.actor, rename);
    assert.equal(world.refused(olga.actor, take).code, "CONFLICT_OF_INTEREST", which);
  }
});

test("a stake in rents, in another place or in a market that has its print is none here", () => {
  for (const which of ["rents", "elsewhere"] as const) {
    const { world, olga, owns, rename, ...sides } = stage();
    owns(sides[which]);
    world.do(olga.actor, rename);
  }
  const { world, olga, owns, here, rename } = stage();
  owns(here);
  world.print("2024-11", "299000");
  assert.equal(world.state.market(here.marketId).status, "RESOLVED");
  const observations = [world.observe("2024-12", "299000")];
  world.do(olga.actor, { ...rename, shared: sharedTo(month("2024-11")), observations });
});
