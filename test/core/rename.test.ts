// A place that its provider goes on with under another id: the evidence, the two words, and what
// the markets of the place are then settled on.
// Invariant: one person maps nothing, and no map rests on less than 24 months of equal growth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, type Month } from "#base/month.ts";
import { type PrintValue, parsePrintValue, printValue } from "#base/print-value.ts";
import { isSameSeries, type SharedMonth } from "#contract/same-series.ts";
import { auditFacts } from "#core/audit.ts";
import type { CommandOf } from "#core/command.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
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

/** Protection of Texas in 2024-11 is sold; November's file has Texas under another id. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2024-11", { kind: "binary", strikeBps: 500 });
  const [seller, buyer] = [world.trader("seller", "1000"), world.trader("buyer", "1000")];
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "100", "0.05"), buyer);
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.runTo(Date.UTC(2024, 11, 20));
  const fallen = world.observe("2024-11", "480000", "600000");
  const accept = world.release(fallen);
  const { id } = accept.release;
  const unmatched = { ...accept.release, firstPrints: 0, unmatched: 1 };
  world.do(root, { ...accept, release: unmatched, observations: [] });
  const nodeId = world.place;
  const rename: CommandOf<"RenamePlace"> = {
    type: "RenamePlace",
    releaseId: id,
    nodeId,
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
    observations: [fallen],
  };
  const take = { type: "ReleasePlace", releaseId: id, nodeId, readings: [reading] } as const;
  const refuse = { type: "RejectPlace", releaseId: id, nodeId, readings: [] } as const;
  const reject = { ...refuse, reason: "another place" } as const;
  return { world, olga, otto, seller, buyer, id, rename, take, reject, ...listing };
}

test("two words, and the new id's print continues the chain and settles the market", () => {
  const { world, olga, otto, rename, take, id, marketId } = stage();
  world.do(olga.actor, rename);
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
  assert.equal(world.state.releases.get(id)?.unmatched, 0);
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
    { ...rename, to: rename.from },
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
  const { world, olga, otto, rename, take, reject, marketId } = stage();
  world.do(olga.actor, rename);
  assert.equal(world.refused(otto.actor, rename).code, "PLACE_HELD", "one map at a time");
  world.print("2024-11", "299000");
  assert.equal(world.state.market(marketId).status, "RESOLVED", "nothing was held back");
  assert.equal(world.state.market(marketId).resolution?.outcome, "NO");
  assert.equal(world.refused(otto.actor, take).code, "RENAME_GROUNDS");
  world.do(otto.actor, reject);
  assert.equal(world.state.heldPlaces.size, 0);
  assert.equal(world.state.renames.size, 0);
});

test("nobody with a stake in a market of the place gives either word", () => {
  const { world, olga, otto, seller, rename, take } = stage();
  const own = { type: "SetOwner", accountId: seller.id, owner: olga.id } as const;
  world.do(root, own);
  assert.equal(world.refused(olga.actor, rename).code, "CONFLICT_OF_INTEREST");
  world.do(otto.actor, rename);
  assert.equal(world.refused(olga.actor, take).code, "CONFLICT_OF_INTEREST");
});
