// The owner of an account: accounts of one owner count together.
// Invariant: orders of one owner never trade with each other, whichever accounts they are of.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { accountsOfOwner, ownerOf, sameOwner } from "#core/account/owner.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { endCalls } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function owners() {
  const world = new World();
  world.print("2024-10", "300000");
  const [first, second, other] = [
    world.trader("first", "100000"),
    world.trader("second", "100000"),
    world.trader("other", "100000"),
  ];
  const listing = world.listing("2025-04", layer);
  return { world, first, second, other, listing };
}

test("an account is its own owner until an operator says otherwise", () => {
  const { world, first, second, other } = owners();
  assert.equal(ownerOf(world.state, first.id), first.id);
  assert.equal(sameOwner(world.state, first.id, second.id), false);

  world.join(second, first);
  assert.equal(ownerOf(world.state, second.id), first.id);
  assert.deepEqual(accountsOfOwner(world.state, first.id), [first.id, second.id]);
  // It names a person: another account joins through either of them.
  world.join(other, second);
  assert.equal(ownerOf(world.state, other.id), first.id);
  assert.deepEqual(accountsOfOwner(world.state, first.id), [first.id, second.id, other.id]);

  world.join(second, second);
  assert.equal(ownerOf(world.state, second.id), second.id);
  assert.deepEqual(accountsOfOwner(world.state, first.id), [first.id, other.id]);
  assert.deepEqual(accountsOfOwner(world.state, second.id), [second.id]);
});

test("an owner's accounts are in the order they were opened, however they came together", () => {
  const world = new World();
  const opened = Array.from({ length: 11 }, (_, at) => world.open(`trader ${at + 1}`, "trader").id);
  const [first, second] = opened;
  assert.ok(first !== undefined && second !== undefined);
  for (const id of opened.toReversed()) {
    world.do(root, { type: "SetOwner", accountId: id, owner: first });
  }
  assert.deepEqual(accountsOfOwner(world.state, first), opened, "acc-9 before acc-10");
  assert.deepEqual(accountsOfOwner(world.state, second), [], "it is its own no more");
  assert.deepEqual(accountsOfOwner(world.state, accountId("acc-99")), []);
});

test("an account can be opened for the owner of another", () => {
  const { world, first } = owners();
  world.do(root, { type: "SetOwner", accountId: first.id, owner: accountId("acc-3") });
  const opened = world.open("branch", "trader", first.id);
  assert.equal(ownerOf(world.state, opened.id), "acc-3");
});

test("an owner that no account has is refused, and so is an unknown account", () => {
  const { world, first } = owners();
  const nobody = accountId("acc-99");
  const set = (id: typeof nobody, owner: typeof nobody) =>
    world.refused(root, { type: "SetOwner", accountId: id, owner });
  assert.deepEqual(set(nobody, first.id), { code: "ACCOUNT_NOT_FOUND" });
  assert.deepEqual(set(first.id, nobody), { code: "ACCOUNT_NOT_FOUND", field: "owner" });
  const key = {
    label: "k",
    prefix: "fp_test_bbbb",
    digest: "k",
    permissions: [],
    ratePerMinute: 1,
    expiresAtSeconds: null,
  };
  const open = { name: "x", role: "trader", address: "0xx", key, owner: nobody } as const;
  const answer = world.try(root, { type: "OpenAccount", ...open });
  assert.ok(isRejected(answer));
  assert.deepEqual(answer.rejection, { code: "ACCOUNT_NOT_FOUND", field: "owner" });
});

test("orders of one owner do not trade with each other, in each mode of prevention", () => {
  const modes = [
    ["cancel_incoming", "OPEN", "CANCELLED"],
    ["cancel_resting", "CANCELLED", "OPEN"],
    ["cancel_both", "CANCELLED", "CANCELLED"],
  ] as const;
  for (const [mode, restingStatus, incomingStatus] of modes) {
    const { world, first, second, listing } = owners();
    world.join(second, first);
    const resting = world.order(order(listing, "SELL", "10", "0.4"), first, listing);
    const prevention = { selfTradePrevention: mode };
    const incoming = world.order(order(listing, "BUY", "10", "0.5", prevention), second);
    assert.equal(world.state.order(resting.id).status, restingStatus, mode);
    assert.equal(incoming.status, incomingStatus, mode);
    assert.equal(world.state.fillCount, 0, mode);
  }
});

test("a fill-or-kill order counts no orders of its owner, and passes over them", () => {
  const { world, first, second, other, listing } = owners();
  world.join(second, first);
  world.order(order(listing, "SELL", "10", "0.4"), first, listing);
  const kill = { timeInForce: "FOK" } as const;
  const own = world.order(order(listing, "BUY", "10", "0.5", kill), second);
  assert.equal(own.cancelReason, "FILL_OR_KILL");
  world.order(order(listing, "SELL", "10", "0.45"), other);
  const passing = { ...kill, selfTradePrevention: "cancel_resting" } as const;
  const whole = world.order(order(listing, "BUY", "10", "0.5", passing), second);
  assert.equal(whole.status, "FILLED");
  assert.equal(world.state.position(other.id, listing.marketId)?.heldLots, -1_000n);
  assert.equal(world.state.position(first.id, listing.marketId), undefined);
});

test("owners survive a snapshot", () => {
  const { world, first, second } = owners();
  world.join(second, first);
  const read = decodeState(encodeState(world.state));
  assert.equal(stateHash(read), stateHash(world.state));
  assert.deepEqual(accountsOfOwner(read, first.id), [first.id, second.id]);
});

test("a liquidated account's owner cannot stand in the way of its buying back", () => {
  const { world, first, second, other, listing } = owners();
  world.join(second, first);
  const seller = world.trader("seller", "2100");
  world.join(seller, first);
  world.order(order(listing, "BUY", "10000", "0.05"), other, listing);
  world.order(order(listing, "SELL", "10000", "0.05"), seller);
  world.order(order(listing, "SELL", "0.01", "0.2"), second);
  world.order(order(listing, "SELL", "10000", "0.21"), world.trader("maker", "100000"));
  const mark = { marketId: listing.marketId, markTick: tick("0.2"), stressedTick: tick("0.3") };
  world.do({ type: "system" }, publishMarks([mark]));
  const events = endCalls(world);
  const bought = events.findLast((event) => event.type === "Filled");
  assert.equal(bought?.fill.yesTick, 2_100);
  assert.equal(world.state.openOrders.get(second.id)?.size, 0);
});
