// Voiding: two people without a stake, within ten days, and never once the market's index printed.
// Invariant: a first word binds nobody, and goes by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { firstLevel } from "#base/print-value.ts";
import { hasLeftChain, isPrintedSince } from "#core/market/printed-since.ts";
import type { ChainPoint, Market } from "#core/records.ts";
import { voidSubject } from "#core/words/word.ts";
import { month, order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const DAY_MILLIS = 86_400_000;

/** A market that anna has sold to bela, and an operator beside root. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const operator = world.open("operator", "operator");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  const { marketId } = listing;
  const voids = { type: "CancelMarket", marketId, reason: "listed by mistake" } as const;
  const market = () => world.state.market(marketId);
  const voices = () => world.voices(voidSubject(marketId));
  return { world, anna, bela, operator, marketId, voids, market, voices };
}

test("there is nothing to withdraw before a first word; after it, another one is the first", () => {
  const { world, operator, marketId, voids, market, voices } = stage();
  const withdraw = { type: "WithdrawVoid", marketId, reason: "no mistake" } as const;
  assert.deepEqual(world.refused(root, withdraw), { code: "VOID_NOT_PROPOSED" });
  world.do(root, voids);
  world.do(root, withdraw);
  assert.deepEqual(voices(), []);
  world.do(operator.actor, voids);
  assert.equal(market().status, "ACTIVE");
  assert.deepEqual(voices(), [operator.id]);
  world.do(root, { ...voids, reason: "another reason" });
  assert.equal(market().status, "CANCELLED");
});

test("a first word lapses ten days later, to the millisecond", () => {
  const { world, voids, market, voices } = stage();
  world.do(root, voids);
  const lapses = world.nowMillis + 10 * DAY_MILLIS;
  world.runTo(lapses - 1);
  assert.deepEqual(voices(), ["root"]);
  world.runTo(lapses);
  assert.deepEqual(voices(), []);
  assert.equal(market().status, "ACTIVE");
});

test("nobody with a position has a word in it, and the same person has not two", () => {
  const { world, bela, voids } = stage();
  const holder = world.openAs(root, "holder", "operator", bela.id);
  assert.deepEqual(world.refused(holder.actor, voids), { code: "CONFLICT_OF_INTEREST" });
  world.do(root, voids);
  assert.deepEqual(world.refused(holder.actor, voids), { code: "CONFLICT_OF_INTEREST" });
  assert.deepEqual(world.refused(root, voids), { code: "VOID_SAME_OPERATOR" });
});

test("a print since the baseline ends the way to a void", () => {
  const { world, voids } = stage();
  world.runTo(Date.UTC(2024, 11, 20));
  world.print("2024-11", "299000");
  assert.deepEqual(world.refused(root, voids), { code: "VOID_AFTER_PRINT" });
});

test("a market whose print never came is not void by itself", () => {
  const { world, market } = stage();
  world.runTo(market().terms.expectedAtMillis + 60 * DAY_MILLIS);
  assert.equal(market().status, "ACTIVE");
  assert.equal(market().fallbackSinceMillis, world.nowMillis);
});

test("a decline has printed by a later month, a level by a print after its listing", () => {
  const { world, market } = stage();
  const decline = market();
  const { baseline, nodeId: place } = decline.terms;
  assert.ok(baseline !== null);
  const point: ChainPoint = {
    ...{ index: "zhvi", nodeId: place, month: baseline.month, valueE15: baseline.valueE15 },
    ...{ levelE12: firstLevel, releaseId: baseline.releaseId, gaps: [] },
  };
  const isPrinted = (market: Market, newest = point, releases = world.state.releases): boolean => {
    const chainPoints = new Map([[`zhvi|${place}`, newest]]);
    return isPrintedSince({ chainPoints, releases }, market);
  };
  assert.equal(isPrintedSince({ ...world.state, chainPoints: new Map() }, decline), false);
  assert.equal(isPrinted(decline), false);
  assert.equal(isPrinted(decline, { ...point, month: month("2024-11") }), true);

  const release = world.state.release(baseline.releaseId);
  const atMillis = release.ingestedAtMillis;
  const level = { ...decline, terms: { ...decline.terms, baseline: null } };
  const listed = (createdAtMillis: number, of = release) =>
    isPrinted({ ...level, createdAtMillis }, point, new Map([[of.id, of]]));
  assert.deepEqual([listed(atMillis - 1), listed(atMillis)], [true, false]);
  // A print of a place that was held was known from its release on.
  const reread = {
    sequence: 9,
    afterReleases: 1,
    printsDigest: "0".repeat(64),
    latestDigest: "0".repeat(64),
  };
  const shown = (at: typeof place) => ({ nodeId: at, atMillis: atMillis + 10 });
  const of = (at: typeof place) => ({ ...release, rereads: [{ ...reread, place: shown(at) }] });
  const [own, another] = [of(place), of(nodeId("state:ca"))];
  assert.deepEqual([listed(atMillis + 9, own), listed(atMillis + 10, own)], [true, false]);
  assert.deepEqual([listed(atMillis - 1, another), listed(atMillis, another)], [true, false]);
  assert.deepEqual(listed(atMillis, { ...release, rereads: [reread] }), false);
});

test("a neighborhood alone leaves the chain, where its newest print hangs on nothing", () => {
  const [block, state] = [{ nodeId: nodeId("nbhd:1") }, { nodeId: nodeId("state:tx") }];
  const ended = { levelE12: null };
  assert.equal(hasLeftChain(block, ended), true);
  assert.equal(hasLeftChain(block, { levelE12: firstLevel }), false);
  assert.equal(hasLeftChain(block, undefined), false);
  assert.equal(hasLeftChain(state, ended), false);
});
