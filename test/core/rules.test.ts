// The rules in force: founded with the exchange, changed by an operator, read by everybody at once.
// Invariant: after a change no figure is what the rules before would have made it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMicros } from "#base/money.ts";
import { foundingRules, type Rules } from "#core/rules.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { ExchangeView } from "#views/exchange.ts";
import { setRules } from "./set-rules.ts";
import { order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

const withBasic = (change: Partial<Rules["tiers"]["basic"]>): Rules => ({
  ...foundingRules,
  tiers: { ...foundingRules.tiers, basic: { ...foundingRules.tiers.basic, ...change } },
});

function basicSeller() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const seller = world.trader("seller", "100", "basic");
  return { world, listing, seller };
}

test("a fee that changes changes what open orders hold back, in state, view and snapshot", () => {
  const { world, listing, seller } = basicSeller();
  world.order(order(listing, "BUY", "100", "0.5"), seller, listing);
  const view = ExchangeView.from(world.state);
  assert.equal(world.available(seller), parseMicros("49.25"), "50 less a fee of 0.75");
  const before = world.journal.length;
  setRules(world, withBasic({ feeBps: 300 }));
  for (const entry of world.journal.slice(before)) view.fold(entry);
  assert.equal(world.available(seller), parseMicros("48.5"));
  assert.equal(view.available(seller.id), parseMicros("48.5"));
  assert.equal(view.rules.tiers.basic.feeBps, 300);
  const restored = decodeState(encodeState(world.state));
  assert.deepEqual(restored.rules, world.state.rules);
  assert.equal(restored.exposures.locked(seller.id), world.state.exposures.locked(seller.id));
});

test("each limit of the rules refuses by its own name", () => {
  const small = parseMicros("5") ?? assert.fail();
  const rows = [
    ["maxPosition", { maxPositionMicros: small }],
    ["maxDaily", { maxDailyMicros: small }],
    ["maxTotal", { maxTotalMicros: small }],
    ["maxPositionSize", { maxPositionSizeMicros: small }],
    ["maxDailyVolume", { maxDailyVolumeMicros: small }],
    ["maxOpenPositions", { maxOpenPositions: 0 }],
  ] as const;
  for (const [limit, change] of rows) {
    const { world, listing, seller } = basicSeller();
    world.do(root, { type: "SetRules", rules: withBasic(change) });
    const input = order(listing, "BUY", "6", "0.05");
    const refused = world.refused(seller.actor, { type: "PlaceOrder", order: input, listing });
    assert.equal(refused.code, "POSITION_LIMIT");
    assert.equal(refused.details?.limit, limit);
    world.do(root, { type: "SetRules", rules: foundingRules });
    world.order(input, seller, listing);
  }
});
