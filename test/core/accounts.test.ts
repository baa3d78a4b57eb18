// The first state of an account, and its own brake by hand.
// Invariant: a new account is nobody's yet: not cleared, not halted, with one key that may do all.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keyId, publicKeyId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots, noLots } from "#base/quantity.ts";
import { counted } from "#core/account/maker-protection.ts";
import type { MakerProtection } from "#core/account/protection-record.ts";
import { permissions } from "#core/records.ts";
import { ledgerTotal, State } from "#core/state.ts";
import { order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

test("an account begins uncleared and unhalted, with one key that may do everything", () => {
  const world = new World();
  const [anna, bela] = [world.open("anna", "trader"), world.open("bela", "operator")];
  const { kyc, ...account } = world.state.account(anna.id);
  assert.deepEqual(account, {
    id: "acc-1",
    address: "0xanna",
    name: "anna",
    role: "trader",
    createdAtMillis: world.nowMillis,
    creditMicros: null,
    halted: false,
    marginStatus: "healthy",
  });
  assert.deepEqual(kyc, {
    status: "none",
    tier: "none",
    requestedTier: null,
    sanctionsCleared: false,
    pepScreened: false,
    adverseMediaCleared: false,
    countryCode: null,
    listVersion: null,
    provider: null,
    decidedUnasked: false,
    expiresAtSeconds: null,
    subjectId: null,
    accreditation: null,
  });
  const key = world.state.keys.get(keyId("key-1"));
  assert.deepEqual([key?.accountId, key?.permissions], [anna.id, permissions]);
  assert.equal(world.state.keys.get(keyId("key-2"))?.accountId, bela.id);
});

test("a key that nobody has is not revoked", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  const command = { type: "RevokeKey", keyId: keyId("key-9") } as const;
  assert.deepEqual(world.refused(anna.actor, command), { code: "KEY_NOT_FOUND" });
  const read = { type: "RevokePublicKey", publicKeyId: publicKeyId("pub-9") } as const;
  assert.deepEqual(world.refused(root, read), { code: "KEY_NOT_FOUND" });
});

test("the ledger's total is the sum of what is in it", () => {
  const state = new State();
  state.ledger.set("external", micros(-7n));
  state.ledger.set("fees", micros(9n));
  assert.equal(ledgerTotal(state), 2n);
});

const armed: MakerProtection = {
  accountId: new World().open("anna", "trader").id,
  withinSeconds: 10,
  maxLots: null,
  maxFills: null,
  windowOpenedAtMillis: null,
  windowLots: noLots,
  windowFills: 0,
  trippedAtMillis: null,
  tripReported: false,
};

test("a limit is passed above it, and one that is not set never", () => {
  const byLots = { ...armed, maxLots: lots(5n) };
  assert.equal(counted(byLots, byLots.withinSeconds * 1000, lots(5n), 1_000).trippedAtMillis, null);
  assert.equal(
    counted(byLots, byLots.withinSeconds * 1000, lots(6n), 1_000).trippedAtMillis,
    1_000,
  );
  const byFills = { ...armed, maxFills: 1 };
  const once = counted(byFills, byFills.withinSeconds * 1000, lots(1_000n), 1_000);
  assert.equal(once.trippedAtMillis, null);
  assert.equal(counted(once, once.withinSeconds * 1000, lots(1n), 10_999).trippedAtMillis, 10_999);
  const later = counted(once, once.withinSeconds * 1000, lots(1n), 11_000);
  assert.deepEqual([later.trippedAtMillis, later.windowFills, later.windowLots], [null, 1, 1n]);
  assert.equal(later.windowOpenedAtMillis, 11_000, "a window of its own");
});

test("without a window nothing is counted, nor after a trip", () => {
  const off = { ...armed, withinSeconds: 0, maxFills: 1 };
  assert.equal(counted(off, off.withinSeconds * 1000, lots(1n), 1_000), off);
  const tripped = { ...armed, maxFills: 1, trippedAtMillis: 500 };
  assert.equal(counted(tripped, tripped.withinSeconds * 1000, lots(1n), 1_000), tripped);
});

test("a fill changes no protection that is off; a reset keeps the limits", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "100")];
  const listing = world.listing("2025-04", layer);
  const limits = { maxLots: lots(7n), maxFills: 3 };
  world.do(anna.actor, { type: "SetProtection", withinSeconds: 0, ...limits });
  world.order(order(listing, "BUY", "1", "0.05"), anna, listing);
  const sale = order(listing, "SELL", "1", "0.05");
  const events = world.do(bela.actor, { type: "PlaceOrder", order: sale, listing: null });
  assert.deepEqual(
    events.filter(({ type }) => type === "ProtectionChanged"),
    [],
  );
  world.do(anna.actor, { type: "SetProtection", withinSeconds: 60, ...limits });
  world.do(anna.actor, { type: "ResetProtection" });
  const kept = world.state.makerProtections.get(anna.id);
  assert.deepEqual([kept?.withinSeconds, kept?.maxLots, kept?.maxFills], [60, 7n, 3]);
});
