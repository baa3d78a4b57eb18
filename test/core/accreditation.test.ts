// The requirements for funding and opening risk: an approval and an accreditation in force; and the
// rights that remain once one of them has ended.
// Invariant: whatever ends, the owner of a position can bring it nearer to flat, unless refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { Accreditation } from "#core/kyc/decision.ts";
import { isAccredited } from "#core/kyc/standing.ts";
import { accountTerms } from "#core/kyc/tiers.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { amendment, decision, order, root, type Trader, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const DAY_SECONDS = 86_400;

const basis = { basis: "eligible contract participant", evidenceId: "ev-17" };

function approve(world: World, { id }: Trader, accreditation: Accreditation | null) {
  const given = decision(id, "approve", "institutional", true);
  assert.ok(given.type === "DecideKyc");
  return world.do(root, { ...given, accreditation });
}

const fund = (trader: Trader, usd: number) =>
  ({
    type: "FundAccount",
    accountId: trader.id,
    amountMicros: micros(BigInt(usd) * 1_000_000n),
    memo: null,
  }) as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.open("anna", "trader");
  const listing = world.listing("2025-04", layer);
  const place = (more: object = {}) =>
    ({
      type: "PlaceOrder",
      order: order(listing, "BUY", "10", "0.04", more),
      listing,
    }) as const;
  return { world, anna, listing, place };
}

test("nobody is funded before KYC, nor trades or is funded without an accreditation", () => {
  const { world, anna, place } = stage();
  assert.equal(world.refused(root, fund(anna, 1)).code, "KYC_REQUIRED");
  approve(world, anna, null);
  assert.equal(world.refused(root, fund(anna, 1)).code, "ACCREDITATION_REQUIRED");
  assert.equal(world.refused(anna.actor, place()).code, "ACCREDITATION_REQUIRED");
  const batch = { type: "PlaceBatch", orders: [place().order], listings: [] } as const;
  assert.equal(world.refused(anna.actor, batch).code, "ACCREDITATION_REQUIRED");
  const inFull = {
    ...place(),
    type: "AcceptQuote",
    structure: { kind: "in_full" },
    referenceTick: null,
  } as const;
  assert.equal(world.refused(anna.actor, inFull).code, "ACCREDITATION_REQUIRED");
  approve(world, anna, { ...basis, expiresAtSeconds: null });
  world.do(root, fund(anna, 100));
  world.do(anna.actor, place());
});

test("cash goes out while the approval is in force, accredited or not, and not after it", () => {
  const { world, anna } = stage();
  const nowSeconds = Math.floor(world.nowMillis / 1000);
  approve(world, anna, { ...basis, expiresAtSeconds: nowSeconds + DAY_SECONDS });
  world.do(root, fund(anna, 100));
  world.runTo(world.nowMillis + DAY_SECONDS * 1000);
  assert.equal(world.refused(root, fund(anna, 1)).code, "ACCREDITATION_REQUIRED");
  world.do(root, fund(anna, -10));
  world.runTo(world.nowMillis + 365 * DAY_SECONDS * 1000);
  assert.equal(world.refused(root, fund(anna, -10)).code, "KYC_REQUIRED");
  world.approve(anna, "basic");
  world.do(root, fund(anna, -10));
  world.do(root, decision(anna.id, "reject", null, false));
  assert.equal(world.refused(root, fund(anna, -10)).code, "KYC_REQUIRED");
});

test("an accreditation ends at its second: opening orders go, reducing ones stay", () => {
  const { world, anna, listing, place } = stage();
  const atSeconds = Math.floor(world.nowMillis / 1000) + DAY_SECONDS;
  approve(world, anna, { ...basis, expiresAtSeconds: atSeconds });
  world.do(root, fund(anna, 100));
  const seller = world.trader("seller", "100000");
  world.order(order(listing, "SELL", "10", "0.04"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.04"), anna);
  const opening = world.order(order(listing, "BUY", "10", "0.03"), anna);
  const reduce = { reduceOnly: true } as const;
  const closing = world.order(order(listing, "SELL", "5", "0.05", reduce), anna);

  world.runTo(atSeconds * 1000 - 1);
  assert.equal(world.state.order(opening.id).status, "OPEN");
  const due: string[] = [];
  world.runTo(atSeconds * 1000, ({ type }) => due.push(type));
  assert.deepEqual(due, ["ExpireAccreditation", "Forget"]);
  assert.equal(world.state.order(opening.id).cancelReason, "ACCREDITATION_INVALID");
  assert.equal(world.state.order(closing.id).status, "OPEN");
  const { status, accreditation } = world.state.account(anna.id).kyc;
  const ended = { ...basis, expiresAtSeconds: atSeconds, ended: true };
  assert.deepEqual([status, accreditation], ["approved", ended]);
  assert.equal(world.refused(anna.actor, place()).code, "ACCREDITATION_REQUIRED");
  // The way out stays open: placing, amending, filling.
  const out = world.order(order(listing, "SELL", "2", "0.06", reduce), anna);
  assert.equal(out.status, "OPEN");
  const dearer = {
    orderId: out.id,
    price: { tick: order(listing, "SELL", "1", "0.07").priceTick },
  };
  world.do(anna.actor, amendment(dearer));
  world.order(order(listing, "BUY", "5", "0.05"), seller);
  assert.equal(world.state.position(anna.id, listing.marketId)?.heldLots, 500n);
  // Given anew, it opens again.
  approve(world, anna, { ...basis, expiresAtSeconds: null });
  world.do(anna.actor, place());
});

test("an expired approval leaves reduce-only orders, and while it is asked for anew", () => {
  const { world, anna, place } = stage();
  const listing = world.listing("2025-12", layer);
  approve(world, anna, { ...basis, expiresAtSeconds: null });
  world.do(root, fund(anna, 100));
  const seller = world.trader("seller", "100000");
  world.order(order(listing, "SELL", "10", "0.04"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.04"), anna);
  const opening = world.order(order(listing, "BUY", "1", "0.03"), anna);
  const reduce = { reduceOnly: true } as const;
  const closing = world.order(order(listing, "SELL", "2", "0.05", reduce), anna);
  const due: string[] = [];
  world.runTo(Date.UTC(2025, 10, 20), ({ type }) => due.push(type));
  assert.deepEqual(due.slice(-2), ["ExpireKyc", "ExpireKyc"]);
  assert.equal(world.state.order(opening.id).cancelReason, "KYC_INVALID");
  assert.equal(world.state.order(closing.id).status, "OPEN");
  const sell = (more = {}) => ({
    type: "PlaceOrder" as const,
    order: order(listing, "SELL", "1", "0.05", more),
    listing: null,
  });
  assert.equal(world.refused(anna.actor, sell()).code, "KYC_REQUIRED");
  world.do(anna.actor, sell(reduce));
  world.do(anna.actor, { type: "RequestKyc", tier: "basic" });
  world.do(anna.actor, sell(reduce));
  assert.equal(world.refused(anna.actor, place()).code, "KYC_REQUIRED");
  // A refusal is another thing: nothing of the account trades any more.
  world.do(root, decision(anna.id, "reject", null, false));
  assert.equal(world.state.openOrders.get(anna.id)?.size, 0);
  assert.equal(world.refused(anna.actor, sell(reduce)).code, "KYC_REQUIRED");
});

test("an accreditation that has ended is not given, and one not named stays as it was", () => {
  const { world, anna } = stage();
  const nowSeconds = Math.floor(world.nowMillis / 1000);
  const given = decision(anna.id, "approve", "basic", true);
  assert.ok(given.type === "DecideKyc");
  const late = { ...given, accreditation: { ...basis, expiresAtSeconds: nowSeconds } };
  assert.deepEqual(world.refused(root, late), {
    code: "EXPIRY_PAST",
    field: "accreditation.expiresAt",
  });
  approve(world, anna, { ...basis, expiresAtSeconds: nowSeconds + 5 });
  approve(world, anna, null);
  const { kyc } = world.state.account(anna.id);
  assert.deepEqual(kyc.accreditation, { ...basis, expiresAtSeconds: nowSeconds + 5 });
  assert.equal(isAccredited(kyc, nowSeconds + 4), true);
  assert.equal(isAccredited(kyc, nowSeconds + 5), false);
  // Its end is known to a state that was read from a snapshot, too.
  const read = decodeState(encodeState(world.state));
  assert.equal(read.due.first()?.command.type, "ExpireAccreditation");
});

test("a later approval that says nothing of the accreditation does not make it longer", () => {
  const { world, anna } = stage();
  world.do(root, decision(anna.id, "approve", "basic", true));
  const { accreditation } = world.state.account(anna.id).kyc;
  world.nowMillis += 10 * DAY_SECONDS * 1000;
  approve(world, anna, null);
  const later = world.state.account(anna.id).kyc;
  assert.deepEqual(later.accreditation, accreditation);
  assert.ok((accreditation?.expiresAtSeconds ?? 0) < (later.expiresAtSeconds ?? 0));
});

test("margin and fees follow the tier that was approved, and the lowest after a refusal", () => {
  const { world, anna } = stage();
  const feeBps = () => accountTerms(world.state.rules, world.state.account(anna.id)).feeBps;
  assert.equal(feeBps(), 150);
  world.do(anna.actor, { type: "RequestKyc", tier: "institutional" });
  assert.equal(feeBps(), 150, "asked for is not approved");
  world.do(root, decision(anna.id, "approve", "enhanced", true));
  assert.equal(feeBps(), 100);
  world.do(anna.actor, { type: "RequestKyc", tier: "institutional" });
  assert.equal(feeBps(), 100);
  world.runTo(world.nowMillis + 365 * DAY_SECONDS * 1000);
  assert.equal(feeBps(), 100, "positions stay as they were margined");
  world.do(anna.actor, { type: "RequestKyc", tier: "institutional" });
  assert.equal(feeBps(), 100);
  world.do(root, decision(anna.id, "reject", null, true));
  assert.equal(feeBps(), 150);
});
