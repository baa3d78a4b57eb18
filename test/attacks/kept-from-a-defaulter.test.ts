// A seller that did not answer its margin call is in default, and nobody bids: the guarantee fund
// takes its positions over for nearly all of its cash. The contract then pays nothing.
// Invariant: the fund is a trustee: of a takeover it keeps what the positions cost, and no more.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MarketId } from "#base/ids.ts";
import { formatMicros, micros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { GUARANTEE } from "#core/step.ts";
import { stage, usd } from "../core/auction-stage.ts";
import { endAuctions } from "../core/end-calls.ts";
import { DAY_MILLIS } from "../core/premiums.ts";
import { month, type World } from "../core/world.ts";

const text = (amount: bigint): string => formatMicros(micros(amount));

/** The fund asks 278.50 for 1,000 contracts; the seller has 50 more than `cash`. */
function failed(cash = "230") {
  const staged = stage(cash, 2);
  staged.fail();
  endAuctions(staged.world);
  return { ...staged, before: staged.world.state.balance("guarantee") };
}

const worth = ({ state }: World, markets: readonly { marketId: MarketId }[]): bigint =>
  markets.reduce((sum, { marketId }) => {
    const { payoutMillionths = 0 } = state.market(marketId).resolution ?? {};
    return sum + BigInt(payoutMillionths);
  }, 0n);

/** The print of a month, and the end of its window. */
function settle(world: World, end: string, value: string): void {
  world.runTo(monthEndMillis(month(end)) + 20 * DAY_MILLIS);
  world.print(end, value);
  world.runTo(world.nowMillis + 20 * DAY_MILLIS);
}

test("contracts that pay nothing cost the defaulter nothing, once the last of them is over", (t) => {
  const { world, seller, held } = failed("240");
  assert.equal(held({ id: GUARANTEE }), -100_000n, "the fund has the positions");
  const had = usd("240") + usd("50.5");
  const kept = world.cash(seller);
  settle(world, "2025-04", "300000");
  assert.equal(world.cash(seller), kept, "another of its contracts is open");
  settle(world, "2025-06", "300000");
  const lost = had - world.cash(seller);
  assert.ok(lost <= usd("0.01"), `lost ${text(lost)} on contracts that paid nothing`);
  assert.equal(world.state.account(seller.id).trust, undefined);
  t.diagnostic(`after: lost ${text(lost)} of ${text(had)}`);
});

test("contracts that pay something cost the defaulter that, to the micro-dollar", () => {
  const { world, seller, listing, other } = failed("240");
  // 3 % down is an eighth of the layer from 2 to 10; the other is a binary of 5 %.
  settle(world, "2025-04", "291000");
  settle(world, "2025-06", "291000");
  assert.equal(worth(world, [listing, other]), 125_000n);
  assert.equal(world.cash(seller), usd("290.5") - usd("125"));
});

test("a debt for them is forgiven first, and what others paid for them stays the fund's", () => {
  const { world, seller, before } = failed("200");
  const { inDefault } = world.state.account(seller.id);
  assert.ok(inDefault !== undefined && inDefault.owesMicros > 0n);
  assert.equal(world.cash(seller), 0n);
  settle(world, "2025-04", "300000");
  settle(world, "2025-06", "300000");
  assert.equal(world.state.account(seller.id).inDefault, undefined);
  assert.equal(world.cash(seller), usd("250.5"), "all that it had");
  assert.equal(world.state.balance("guarantee"), before - usd("250.5"));
});

test("a void takes back from the fund what its positions were paid; the charge goes back too", () => {
  const { world, seller, listing } = failed("240");
  const { trust } = world.state.account(seller.id);
  assert.deepEqual(
    trust?.shorts.map(({ paidMicros }) => paidMicros),
    [usd("230"), usd("0.5")],
  );
  const { marketId } = listing;
  world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  settle(world, "2025-06", "300000");
  // The market gave it 180 back, what it paid the fund less its premium; the trust has the charge.
  assert.equal(world.cash(seller), usd("290.5") - usd("50"));
});

test("a restart knows what is held for whom", () => {
  const { world, seller } = failed("240");
  world.state = decodeState(encodeState(world.state));
  settle(world, "2025-04", "300000");
  world.state = decodeState(encodeState(world.state));
  settle(world, "2025-06", "300000");
  assert.equal(world.cash(seller), usd("290.5"));
});
