// Know-your-customer beside the stories: what a decision keeps of the screening, whom it finds
// cleared, and which field is at fault.
// Invariant: an account is cleared while it is approved and the approval has not run out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noKyc } from "#core/account/accounts.ts";
import type { Command } from "#core/command.ts";
import { isApproved } from "#core/kyc/standing.ts";
import { decision, order, root, World } from "./world.ts";

const testAccreditation = { basis: "test", evidenceId: "ev-1" };
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

test("who is approved is cleared until the second the approval runs out", () => {
  const approved = { ...noKyc, status: "approved", tier: "basic", expiresAtSeconds: 100 } as const;
  assert.equal(isApproved(approved, 99), true);
  assert.equal(isApproved(approved, 100), false);
  assert.equal(isApproved({ ...approved, expiresAtSeconds: null }, 99), false);
  for (const status of ["none", "pending", "rejected", "expired"] as const) {
    assert.equal(isApproved({ ...approved, status }, 99), false, status);
  }
});

test("a decision keeps what was screened and by what, whichever it is", () => {
  for (const word of ["approve", "reject"] as const) {
    const world = new World();
    const { id } = world.open("anna", "trader");
    const given = decision(id, word, "basic", true);
    assert.ok(given.type === "DecideKyc");
    world.do(root, { ...given, adverseMediaCleared: word === "approve" });
    const { kyc } = world.state.account(id);
    const endsAtSeconds = Math.floor(world.nowMillis / 1000) + 365 * 86_400;
    assert.deepEqual(kyc, {
      ...noKyc,
      status: word === "approve" ? "approved" : "rejected",
      tier: word === "approve" ? "basic" : "none",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: word === "approve",
      countryCode: "US",
      listVersion: "test",
      provider: "manual",
      decidedUnasked: true,
      expiresAtSeconds: word === "approve" ? endsAtSeconds : null,
      ...(word === "approve"
        ? { accreditation: { ...testAccreditation, expiresAtSeconds: endsAtSeconds } }
        : {}),
    });
  }
});

test("a decision that names no country leaves the one that is known", () => {
  const world = new World();
  const { id } = world.open("anna", "trader");
  const given = decision(id, "approve", "basic", true);
  assert.ok(given.type === "DecideKyc");
  world.do(root, { ...given, countryCode: "CA" });
  world.do(root, { ...given, countryCode: null });
  assert.equal(world.state.account(id).kyc.countryCode, "CA");
  world.do(root, { ...given, countryCode: "US" });
  assert.equal(world.state.account(id).kyc.countryCode, "US");
});

test("a decision that follows an inquiry was asked for, any other was not", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  const unasked = () => world.state.account(anna.id).kyc.decidedUnasked;
  const ask = (tier: "basic" | "enhanced"): Command => ({ type: "RequestKyc", tier });
  world.do(anna.actor, ask("basic"));
  world.do(root, decision(anna.id, "approve", null, true));
  assert.equal(unasked(), false, "it was pending");
  world.do(root, decision(anna.id, "approve", null, true));
  assert.equal(unasked(), true, "nothing was asked");
  world.do(anna.actor, ask("enhanced"));
  world.do(root, decision(anna.id, "approve", null, true));
  assert.equal(unasked(), false, "a higher tier was asked for");
  assert.equal(world.state.account(anna.id).kyc.tier, "enhanced");
  world.do(root, decision(anna.id, "reject", null, false));
  assert.equal(unasked(), true, "sanctions are found unasked");
});

test("an approval needs a tier and a clear screening, and says which it lacks", () => {
  const world = new World();
  const { id } = world.open("anna", "trader");
  assert.deepEqual(world.refused(root, decision(id, "approve", null, true)), {
    code: "KYC_TIER_MISSING",
    field: "tier",
  });
  const given = decision(id, "approve", "basic", true);
  assert.ok(given.type === "DecideKyc");
  const lacking = ["sanctionsCleared", "pepScreened", "adverseMediaCleared"] as const;
  for (const part of lacking) {
    const refusal = world.refused(root, { ...given, [part]: false });
    assert.deepEqual(refusal, { code: "KYC_NOT_CLEARED", field: "decision" }, part);
  }
});

test("an order that takes all there is stays when its owner is approved again", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "5.075", "basic");
  const listing = world.listing("2025-04", layer);
  const { id } = world.order(order(listing, "BUY", "100", "0.05"), anna, listing);
  assert.equal(world.available(anna), 0n);
  world.approve(anna, "basic");
  assert.equal(world.state.order(id).status, "OPEN");
});
