// A snapshot of a state that holds one of everything: nothing is forgotten, and what falls due
// later falls due alike.
// Invariant: the restored state decides every later command as the one it was taken of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import { readersState } from "#core/readers-state.ts";
import type { GeoRecord } from "#core/records.ts";
import { decodeState, encodeState, stateHash, writeState } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { accept, DAY_MILLIS, installments, layer, scene } from "./premiums.ts";
import { publishMarks } from "./publish-marks.ts";
import { assertSameState } from "./same-state.ts";
import { order, root, system, tick, tripProtection, World } from "./world.ts";

const places = (count: number): readonly GeoRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    id: nodeId(`zip:${10_000 + at}`),
    level: "zip",
    name: String(10_000 + at),
    stateCode: "TX",
    fips: null,
    aliases: [],
    parentIds: [],
    housingUnits: at,
    active: true,
    providerIds: [],
  }));

/** Every kind of record, and of each kind of thing that falls due one that is waiting. */
function everything() {
  const stage = scene("2.60");
  const { world, seller, marketId } = stage;
  accept(stage, installments);
  world.do(root, {
    type: "IssuePublicKey",
    key: { label: "site", digest: "x", scopes: null, ratePerMinute: null, expiresAtSeconds: null },
  });
  world.do(root, { type: "LoadGeo", nodes: places(2), sha256: "ab" });
  const { release } = world.release(world.observe("2024-11", "3000000"));
  world.do(root, { type: "QuarantineRelease", release, reasons: [{ code: "A", message: "B" }] });
  const cora = world.trader("cora", "100");
  const other = world.listing("2025-06", layer);
  const short = world.trader("short", "20");
  world.order(order(other, "SELL", "100", "0.05"), short, other);
  world.order(order(other, "BUY", "100", "0.05"), cora);
  const moved = { marketId: other.marketId, markTick: tick("0.19"), stressedTick: tick("0.19") };
  world.do(system, publishMarks([moved]));
  for (const market of [null, marketId]) {
    world.do(seller.actor, { type: "SetCancelAfter", seconds: 600, marketId: market });
  }
  const expirySeconds = world.nowMillis / 1000 + 300;
  const lasting = { timeInForce: "GTD", expirySeconds } as const;
  world.order(order({ marketId }, "SELL", "1", "0.60", lasting), seller);
  tripProtection(world, cora, seller, { marketId });
  const once = { key: "once", digest: "d" };
  world.try(seller.actor, { type: "CancelAll", marketId: other.marketId }, once);
  return stage;
}

const records = (world: World) => {
  const { state } = world;
  return {
    accounts: state.accounts,
    keys: state.keys,
    publicKeys: state.publicKeys,
    ledger: state.ledger,
    markets: state.markets,
    orders: new Map([...state.orders.values()].map((one) => [one.id, one])),
    positions: state.positions,
    dayVolumes: state.dayVolumes,
    cancelAfters: state.cancelAfters,
    protections: state.makerProtections,
    frontiers: state.chainPoints,
    releases: state.releases,
    quarantine: state.quarantine,
    geo: state.geo,
    alerts: state.alerts,
    acceptances: state.acceptances,
    answers: state.answers,
  };
};

test("one of everything comes back as it was, record by record and by its hash", () => {
  const { world } = everything();
  for (const [name, map] of Object.entries(records(world))) assert.ok(map.size > 0, name);
  const lines: string[] = [];
  const hash = writeState(world.state, (line) => lines.push(line));
  const copy = decodeState(lines);
  assertSameState(copy, world.state);
  assert.deepEqual([hash, stateHash(copy)], [stateHash(world.state), hash]);
  assert.deepEqual(encodeState(copy), lines);
});

test("what falls due after a snapshot falls due in the restored state, decided alike", () => {
  const { world, marketId } = everything();
  const copy = decodeState(encodeState(world.state));
  const from = world.journal.length;
  world.runTo(world.nowMillis + 45 * DAY_MILLIS);
  world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  const later = world.journal.slice(from);
  const seen = new Set(later.map(({ envelope }) => envelope.command.type));
  for (const type of [
    "FireCancelAfter",
    "ExpireOrder",
    "ReportTrip",
    "CollectPayment",
    "DefaultAcceptance",
  ] as const) {
    assert.ok(seen.has(type), type);
  }
  for (const { envelope, outcome, sequence } of later) {
    assert.deepEqual(apply(copy, envelope, sequence), outcome);
  }
  assert.equal(stateHash(copy), stateHash(world.state));
});

test("no line of a snapshot holds more than a thousand records, and none holds nothing", () => {
  const linesWith = (count: number) => {
    const state = new State();
    for (const node of places(count)) state.geo.set(node.id, node);
    const lines = encodeState(state);
    assert.deepEqual(encodeState(decodeState(lines)), lines, "whole and in order");
    return lines
      .filter((line) => line.startsWith('["geo"'))
      .map((line) => line.split('"housingUnits"').length - 1);
  };
  assert.deepEqual(linesWith(1_000), [1_000]);
  assert.deepEqual(linesWith(1_001), [1_000, 1]);
  assert.deepEqual(linesWith(2_000), [1_000, 1_000]);
});

test("lines of another version, of no snapshot or of nothing are refused", () => {
  const lines = encodeState(scene("1").world.state);
  const replaced = lines.map((line) => line.replace('["version",1]', '["version",2]'));
  assert.notDeepEqual(replaced, lines);
  const without = (name: string) => lines.filter((line) => !line.startsWith(`["${name}"`));
  for (const wrong of [replaced, without("orders"), without("answers"), [], ["{}"], ["null"]]) {
    assert.throws(() => decodeState(wrong), /not a snapshot of version 1/);
  }
});

test("orders of a snapshot, and those that readers are shown, rest where they did, apart", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "100")];
  const listing = world.listing("2025-04", layer);
  const named = { clientOrderId: "a", group: "texas", cancelOnRelease: true } as const;
  world.order(order(listing, "BUY", "2", "0.05", named), anna, listing);
  world.order(order(listing, "SELL", "1", "0.05"), bela);
  world.order(order(listing, "SELL", "1", "0.5", { reduceOnly: true }), anna);
  const depths = (state: State) => {
    const book = state.book(listing.marketId);
    return [[...book.bids()], [...book.asks()]];
  };
  const shown = (state: State) => ({
    depths: depths(state),
    open: [...state.openOrders].map(([id, ids]) => [id, [...ids]]),
    groups: [...state.groupOrders].map(([name, ids]) => [name, [...ids]]),
    used: [...state.groupsOf].map(([id, names]) => [id, [...names]]),
    reducing: [...state.reduceOnlyOrders].map(([name, ids]) => [name, [...ids]]),
    leaving: [...state.releaseOrders].map(([index, ids]) => [index, [...ids]]),
    names: [...state.clientOrderIds],
    counts: [state.orders.size, state.orderCount, state.lastRank],
    locked: [anna, bela].map(({ id }) => state.exposures.locked(id)),
  });
  const before = shown(world.state);
  const copies = [decodeState(encodeState(world.state)), readersState(world.state)];
  for (const copy of copies) assert.deepEqual(shown(copy), before);
  world.do(anna.actor, { type: "CancelAll", marketId: null });
  world.order(order(listing, "SELL", "1", "0.4", { group: "ohio" }), bela);
  assert.notDeepEqual(shown(world.state), before);
  for (const copy of copies) assert.deepEqual(shown(copy), before, "nothing of it is shared");
});
