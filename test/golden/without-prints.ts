// Prints that do not come as they should: a place under another id, and a cash settlement.
// Invariant: made-up places and values; two people give each word.
import assert from "node:assert/strict";
import { addMonths, type Month } from "#base/month.ts";
import { parsePrintValue, printValue } from "#base/print-value.ts";
import type { SharedMonth } from "#contract/same-series.ts";
import type { Entry } from "#core/outcome.ts";
import { wordIn } from "#core/words/told.ts";
import { settling } from "#test/core/fallback-stage.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { month, order, root, system, type Trader, tick, World } from "#test/core/world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;
const MONTHS = 24;
const DAY = 86_400_000;

const sharedTo = (last: Month): readonly SharedMonth[] =>
  Array.from({ length: MONTHS + 1 }, (_, at) => {
    const knownE15 = parsePrintValue(String(300_000 + 700 * at)) ?? assert.fail();
    const shared = { knownE15, givenE15: printValue(2n * knownE15) };
    return { month: addMonths(last, at - MONTHS), ...shared };
  });

/** November's file has the place under another id, at twice the scale. */
function renamed(world: World, [olga, otto]: readonly [Trader, Trader]): void {
  const fallen = world.observe("2024-11", "480000", "600000");
  const accept = world.release(fallen);
  const { id: releaseId } = accept.release;
  const release = { ...accept.release, firstPrints: 0, unmatched: 1 };
  world.do(root, { ...accept, release, observations: [] });
  const place = { releaseId, nodeId: world.place };
  const shared = sharedTo(month("2024-10"));
  const map = { from: "54", to: "1054", shared, observations: [fallen] };
  world.do(olga.actor, { type: "RenamePlace", ...place, ...map });
  const counted = { firstPrints: 1, revisions: 0, unchanged: 0, rescaled: 1 };
  const reading = {
    releaseId,
    ...counted,
    printsDigest: "one",
    latestDigest: "one",
    observations: [fallen],
  };
  world.do(otto.actor, { type: "ReleasePlace", ...place, readings: [reading] });
}

/** No print comes for 60 days; three sellers of another market mark this one. */
function inCash(world: World, [olga, otto]: readonly [Trader, Trader]): void {
  const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "1000")];
  const sellers = ["c", "d", "e"].map((name) => world.trader(name, "100"));
  const listing = world.listing("2025-08", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  const other = world.listing("2026-12", layer);
  for (const seller of sellers) world.order(order(other, "SELL", "1", "0.05"), seller, other);
  world.order(order(other, "BUY", "3", "0.05"), bela);
  world.runTo(Date.UTC(2025, 3, 20));
  world.print("2025-03", "471000.25");
  world.runTo(Date.UTC(2025, 8, 20) + 60 * DAY);
  for (const trader of [bela, ...sellers]) world.approve(trader, "institutional");
  const newest = world.state.chainPoints.get("zhvi|state:tx") ?? assert.fail();
  const { month: printed, valueE15, levelE12, releaseId } = newest;
  const last = { month: printed, valueE15, levelE12: levelE12 ?? assert.fail(), releaseId };
  const step = settling(world.state, marketId, { step: "cash", last });
  const waiting = wordIn("open", world.do(olga.actor, step)) ?? assert.fail();
  world.agree(otto.actor, waiting);
  for (const [at, { actor }] of sellers.entries()) {
    world.do(actor, { type: "GiveMark", marketId, valueTicks: 2_000 + 777 * at });
  }
  const mark = { marketId, markTick: tick("0.3"), stressedTick: tick("0.9") };
  world.do(system, publishMarks([mark]));
  world.runTo((world.state.market(marketId).markRound ?? assert.fail()).closesAtMillis);
  assert.equal(world.state.market(marketId).status, "RESOLVED");
}

export function withoutPrints(): readonly Entry[] {
  const world = new World();
  world.successor = null;
  world.print("2024-10", "300000");
  const operators = [world.open("olga", "operator"), world.open("otto", "operator")] as const;
  const listing = world.listing("2024-11", binary);
  const [seller, buyer] = [world.trader("seller", "1000"), world.trader("buyer", "1000")];
  world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "100", "0.05"), buyer);
  world.runTo(Date.UTC(2024, 11, 20));
  renamed(world, operators);
  inCash(world, operators);
  return world.journal;
}
