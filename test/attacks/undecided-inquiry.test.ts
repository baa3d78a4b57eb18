// An account asks for a better tier and trades as if it had been given it, or takes its cash out
// while nobody has decided who it is.
// Invariant: margin and fees are those of the tier approved last, and of `basic` after a refusal;
// cash leaves while an approval is in force and sanctions are cleared.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicros, micros, parseMicros } from "#base/money.ts";
import { accountTerms } from "#core/kyc/tiers.ts";
import type { KycTier } from "#core/records.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { decision, order, root, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
const YEAR_MILLIS = 365 * 86_400_000;

/** 1,000 short at 0.05 by an account of tier enhanced. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, buyer] = [world.trader("seller", "500", "enhanced"), world.trader("buyer", "999")];
  const listing = world.listing("2026-06", layer);
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), buyer);
  const ask = (tier: KycTier) => world.do(seller.actor, { type: "RequestKyc", tier });
  const terms = () => accountTerms(world.state.rules, world.state.account(seller.id));
  const locked = () => world.state.exposures.locked(seller.id);
  return { world, seller, ask, terms, locked };
}

const out = ({ id }: Trader) =>
  ({ type: "FundAccount", accountId: id, amountMicros: micros(-1n), memo: null }) as const;

test("asking for the best tier lowers neither margin nor fee", (t) => {
  const { ask, terms, locked } = stage();
  // 0.05 and 1.5 times a tenth of 0.95 a contract.
  assert.equal(locked(), usd("181.25"));
  ask("institutional");
  assert.equal(locked(), usd("181.25"));
  assert.deepEqual([terms().feeBps, terms().requirementBps], [100, 1_000]);
  t.diagnostic(`after: ${formatMicros(locked())} USD locked, as before it asked`);
});

test("an approval that ran out and is asked for anew keeps its margin, and gains none", () => {
  const { world, seller, ask, locked, terms } = stage();
  world.runTo(world.nowMillis + YEAR_MILLIS);
  assert.equal(world.state.account(seller.id).kyc.status, "expired");
  ask("institutional");
  assert.equal(terms().requirementBps, 1_000);
  assert.equal(locked(), usd("181.25"));
  assert.equal(world.refused(root, out(seller)).code, "KYC_REQUIRED");
});

test("a refusal is felt at once, and no further inquiry takes it back", () => {
  const { world, seller, ask, terms } = stage();
  world.fund(seller, usd("1000"));
  ask("institutional");
  world.do(root, decision(seller.id, "reject", null, false));
  assert.deepEqual([terms().feeBps, terms().requirementBps], [150, 10_000]);
  ask("institutional");
  assert.deepEqual([terms().feeBps, terms().requirementBps], [150, 10_000]);
  assert.equal(world.refused(root, out(seller)).code, "KYC_REQUIRED");
});

test("refusing the better tier alone leaves the approved one, and its cash may go", () => {
  const { world, seller, ask, terms } = stage();
  ask("institutional");
  world.do(root, out(seller));
  world.do(root, decision(seller.id, "reject", null, true));
  assert.equal(terms().requirementBps, 1_000);
  world.do(root, out(seller));
});

test("an approval of an older store without a sanctions check lets no cash out", () => {
  const { world, seller } = stage();
  const lines = encodeState(world.state).map((line) =>
    line.replaceAll('"sanctionsCleared":true', '"sanctionsCleared":false'),
  );
  world.state = decodeState(lines);
  assert.equal(world.state.account(seller.id).kyc.status, "approved");
  assert.equal(world.refused(root, out(seller)).code, "KYC_REQUIRED");
});
