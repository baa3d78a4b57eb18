// The state is the fold of its events: nothing else is needed to have it again.
// Invariant: events alone, put in their places in order, give every record that deciding gave.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { fold } from "#core/fold.ts";
import { isRejected } from "#core/outcome.ts";
import type { GeoRecord } from "#core/records.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { order, root, tripProtection, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const ohio: GeoRecord = {
  id: nodeId("state:oh"),
  level: "state",
  name: "Ohio",
  stateCode: "OH",
  fips: "39",
  aliases: [],
  parentIds: [],
  housingUnits: 1,
  active: true,
  providerIds: [],
};

/** A market from its first order to its payout, and an operator's hand on everything beside it. */
function lived(): World {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "100")];
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  const order1 = order(listing, "BUY", "5", "0.05", { clientOrderId: "mine" });
  world.order(order1, anna, listing);
  tripProtection(world, anna, bela, listing);
  const reason = "drill";
  world.do(root, { type: "PauseMarket", marketId, reason });
  world.do(root, { type: "ResumeMarket", marketId, reason });
  world.do(root, { type: "HaltExchange", reason });
  world.do(root, { type: "ResumeExchange", reason: "over" });
  world.do(root, { type: "HaltAccount", accountId: anna.id, reason });
  world.do(root, { type: "RecordRefusal", code: "UNAUTHENTICATED", operation: "x", count: 1 });
  world.do(root, { type: "LoadGeo", nodes: [ohio], sha256: "0" });
  assert.equal(world.state.geo.get(ohio.id), ohio);
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  world.runTo(Date.UTC(2025, 0, 25));
  assert.equal(world.state.market(marketId).status, "FINALIZED");
  return world;
}

test("the events of the journal alone give the state again", () => {
  const world = lived();
  const again = new State();
  for (const { outcome, envelope } of world.journal) {
    assert.ok(!isRejected(outcome));
    for (const event of outcome.events) fold(again, event, envelope.timeMillis);
  }
  assert.equal(stateHash(again), stateHash(world.state));
});

test("an exchange is founded unhalted, at no set time, before anything else happens to it", () => {
  assert.deepEqual(new World().state.exchange, {
    clock: "sandbox",
    chainId: "test",
    halted: false,
    haltReason: "",
    clockMillis: 0,
  });
  assert.throws(
    () => fold(new State(), { type: "HaltChanged", halted: true, reason: "drill" }, 0),
    /the first entry founds the exchange/,
  );
});

test("an order without a name takes none: another may be called null", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "1", "0.05", { clientOrderId: "null" }), anna);
});

test("a market that was only just listed closes, and waits for its fallback without a print", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const bela = world.trader("bela", "100");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  world.order(order(listing, "SELL", "0.5", "0.05"), bela);
  const given: string[] = [];
  world.runTo(Date.UTC(2025, 5, 1), ({ type }) => given.push(type));
  assert.deepEqual(
    given.filter((type) => type !== "Forget"),
    ["AwaitRelease", "EndWindow", "CloseTrading", "BeginFallback"],
  );
  assert.equal(world.available(anna), world.cash(anna));
});
