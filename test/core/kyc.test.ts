// Know-your-customer beside the stories: what a decision keeps of the screening, whom it finds
// cleared, and which field is at fault.
// Invariant: an account is cleared while it is approved and the approval has not run out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { noKyc } from "#core/account/accounts.ts";
import type { Command } from "#core/command.ts";
import { refuseBeyondLimits } from "#core/kyc/limits.ts";
import { isApproved, mayReduce } from "#core/kyc/standing.ts";
import { foundingRules } from "#core/rules.ts";
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

test("who was cleared once and not refused since may come nearer to flat", () => {
  const may = (status: typeof noKyc.status, approvedTier: typeof noKyc.tier) =>
    mayReduce({ ...noKyc, status, approvedTier });
  for (const status of ["approved", "expired"] as const) assert.equal(may(status, "none"), true);
  for (const status of ["none", "rejected"] as const) assert.equal(may(status, "basic"), false);
  assert.equal(may("pending", "basic"), true);
  assert.equal(may("pending", "none"), false);
});

test("taken at once, each limit refuses what rises above it, and nothing that does not", () => {
  const usd = (dollars: number) => micros(BigInt(dollars) * 1_000_000n);
  const terms = {
    ...foundingRules.tiers.basic,
    maxPositionMicros: usd(30),
    maxPositionSizeMicros: usd(20),
    maxTotalMicros: usd(100),
    maxOpenPositions: 3,
  };
  const at = (coverage: number, openPositions: number) => ({
    coverageMicros: usd(coverage),
    openPositions,
  });
  const taken = (
    from: [number, number],
    to: [number, number],
    positions: readonly (readonly [number, number])[] = [],
    daily?: readonly [number, number, number],
  ) =>
    refuseBeyondLimits(terms, {
      before: at(...from),
      after: at(...to),
      positions: positions.map(([before, after]) => ({ before: usd(before), after: usd(after) })),
      ...(daily === undefined
        ? {}
        : { daily: { before: usd(daily[0]), after: usd(daily[1]), allowed: usd(daily[2]) } }),
    });
  const beyond = (limit: string, required: number, allowed: number) => ({
    code: "POSITION_LIMIT",
    details: { limit, requiredMicros: usd(required), allowedMicros: usd(allowed) },
  });
  assert.equal(taken([0, 0], [100, 3], [[0, 20]], [0, 5, 5]), undefined, "up to each of them");
  assert.deepEqual(taken([0, 0], [101, 1]), beyond("maxTotal", 101, 100));
  assert.equal(taken([105, 1], [105, 1]), undefined, "above it already, and no higher");
  assert.deepEqual(taken([105, 1], [106, 1]), beyond("maxTotal", 106, 100));
  assert.deepEqual(taken([0, 0], [9, 1], [[0, 21]]), beyond("maxPosition", 21, 20));
  assert.deepEqual(
    taken(
      [0, 0],
      [9, 2],
      [
        [0, 1],
        [22, 23],
      ],
    ),
    beyond("maxPosition", 23, 20),
  );
  assert.deepEqual(taken([0, 0], [9, 1], [], [4, 6, 5]), beyond("maxDaily", 6, 5));
  const many = { code: "POSITION_LIMIT", details: { limit: "maxOpenPositions" } };
  assert.deepEqual(taken([0, 3], [9, 4]), many);
  assert.equal(taken([0, 4], [9, 4]), undefined);
  assert.equal(taken([0, 5], [9, 4]), undefined, "the way back is free");
  assert.deepEqual(taken([0, 4], [9, 5]), many);
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
    assert.deepEqual(refusal, { code: "KYC_NOT_CLEARED", field: part, details: { status: part } });
  }
  assert.deepEqual(world.refused(root, { ...given, sanctionsCleared: false, pepScreened: false }), {
    code: "KYC_NOT_CLEARED",
    field: "sanctionsCleared",
    details: { status: "sanctionsCleared, pepScreened" },
  });
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
