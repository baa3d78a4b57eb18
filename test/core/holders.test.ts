// Telling holders what their markets paid: one alert of what came, one of what is missing.
// Invariant: a market is named where it is the only one; of several, their number is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { tellPaid } from "#core/settlement/holders.ts";
import { beginStep } from "#core/step.ts";
import { order, system, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** Alerts that an account is shown after two of its markets paid so much, and lack so much. */
function toldOf(...paid: readonly { readonly paid: bigint; readonly lacks: bigint }[]) {
  const world = new World();
  world.print("2024-10", "300000");
  const { id: accountId, actor } = world.trader("anna", "100");
  const claims = paid.map((one, at) => {
    const listing = world.listing(`2025-0${at + 4}`, layer);
    world.order(order(listing, "SELL", "1", "0.9"), { id: accountId, actor }, listing);
    const { marketId } = listing;
    return { accountId, marketId, paidMicros: micros(one.paid), lacksMicros: micros(one.lacks) };
  });
  const command = { type: "EndMarginCalls" } as const;
  const envelope = { actor: system, timeMillis: world.nowMillis, requestId: null, command };
  tellPaid(beginStep(world.state, { ...envelope, idempotency: null }, 1), claims);
  return world.state.alerts.get(accountId)?.map(({ type, message }) => [type, message]);
}

const CAUSE = "shorts and the guarantee fund could not pay all";

test("an account is told once of all markets that paid it", () => {
  const whole = { paid: 1_500_000n, lacks: 0n };
  assert.deepEqual(toldOf(whole), [["payout", "1.5 USD came from market mkt-001"]]);
  assert.deepEqual(toldOf(whole, whole), [["payout", "3 USD came from 2 markets"]]);
});

test("of what is missing it is told only the markets that lack it", () => {
  const [whole, cut] = [
    { paid: 1_500_000n, lacks: 0n },
    { paid: 500_000n, lacks: 250_000n },
  ];
  assert.deepEqual(toldOf(whole, cut), [
    ["payout", "2 USD came from 2 markets"],
    ["haircut", `0.25 USD due from market mkt-002 is missing: ${CAUSE}`],
  ]);
  assert.deepEqual(toldOf(cut, cut), [
    ["payout", "1 USD came from 2 markets"],
    ["haircut", `0.5 USD due from 2 markets is missing: ${CAUSE}`],
  ]);
});

test("a market of which nothing came is no part of what paid", () => {
  const [nothing, whole] = [
    { paid: 0n, lacks: 250_000n },
    { paid: 1_500_000n, lacks: 0n },
  ];
  assert.deepEqual(toldOf(nothing, whole), [
    ["payout", "1.5 USD came from market mkt-002"],
    ["haircut", `0.25 USD due from market mkt-001 is missing: ${CAUSE}`],
  ]);
  assert.deepEqual(toldOf({ paid: 0n, lacks: 0n }), undefined, "nothing due, nothing told");
});
