// A seller whose cash is nearly gone hands what is left to an accomplice before anybody has it: it
// buys a part of its short back from the accomplice, dearly, and leaves the rest of the short to
// the guarantee fund, without the margin that was to come with it.
// Invariant: below initial margin nothing that an account trades lowers its health.
// The rules of closing and of buying back are told in test/core/closing.test.ts, buy-back.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMicros, micros, parseMicros } from "#base/money.ts";
import { isTick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { healthSteps } from "#core/margin/health.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { GUARANTEE } from "#core/step.ts";
import { endCalls } from "#test/core/end-calls.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, system, type Trader, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);

/** 100,000 short at 0.05; at 0.2 the seller owes 20,000, needs 5,000 and has 5,000 over `cash`. */
function stage(cash = "19400") {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, buyer] = [world.trader("seller", cash), world.trader("buyer", "100000")];
  const accomplice = world.trader("accomplice", "100000");
  const listing = world.listing("2025-04", layer);
  const mark = (price: string, of: Listing = listing) => {
    const [markTick, stressedTick] = [tick(price), tick(price)];
    const marks = [{ marketId: of.marketId, markTick, stressedTick }];
    world.do(system, publishMarks(marks));
  };
  world.order(order(listing, "SELL", "100000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "100000", "0.05"), buyer);
  return { world, seller, accomplice, listing, mark };
}

const healthOf = ({ state }: World, { id }: Trader): bigint =>
  healthSteps(micros(state.balance(`cash:${id}`)), state.exposures.shortTotals(id));

/** The amount the fund's shorts lack of the twentieth above the mark, and the cent, it asks for. */
function lackOfFund(world: World, { marketId }: Listing): bigint {
  const taken = -(world.state.position(GUARANTEE, marketId)?.heldLots ?? 0n);
  const { markTick } = world.state.market(marketId);
  const asked = taken * BigInt(20 * (markTick + 100) + 10_000 - markTick);
  return asked / 20n - paidToFund(world);
}

const paidToFund = ({ journal }: World): bigint =>
  journal.reduce((sum, { outcome }) => {
    if (isRejected(outcome)) return sum;
    return outcome.events.reduce((paid, event) => {
      if (event.type !== "Posted") return paid;
      const { reason, amountMicros } = event.posting;
      return reason === "takeover" || reason === "liquidation" ? paid + amountMicros : paid;
    }, sum);
  }, 0n);

test("what is left of the cash is not handed over by closing dearly", (t) => {
  const { world, seller, accomplice, listing, mark } = stage("20500");
  mark("0.2");
  assert.equal(healthOf(world, seller), 11_000n);
  world.order(order(listing, "SELL", "100000", "0.2585"), accomplice);
  for (const price of ["0.2585", "0.256", "0.2541"]) {
    const asked = order(listing, "BUY", "73000", price, { timeInForce: "IOC" });
    const refused = world.refused(seller.actor, {
      type: "PlaceOrder",
      order: asked,
      listing: null,
    });
    // The mark, 1.1 times the add-on of 0.04 and 0.01, and no fee above that.
    assert.deepEqual(refused, {
      code: "CLOSING_PRICE",
      field: "price",
      details: { allowedTick: 2_537 },
    });
  }
  const fair = order(listing, "BUY", "100", "0.2537");
  world.order(fair, seller);
  assert.ok(healthOf(world, seller) >= 11_000n);
  mark("0.2054");
  endCalls(world);
  assert.equal(world.state.account(seller.id).halted, true);
  // All shorts came with what was there for them: of 4,968 it asks for beyond the mark, 99.7 %.
  const lack = lackOfFund(world, listing);
  assert.ok(lack < usd("15"), formatMicros(micros(lack)));
  t.diagnostic(`after: the fund lacks ${formatMicros(micros(lack))} USD`);
});

test("no closing order that is accepted below initial margin lowers the health", () => {
  const drawn = fc.record({
    mark: fc.integer({ min: 1_950, max: 2_120 }),
    price: fc.integer({ min: 1, max: 9_999 }),
    lots: fc.bigInt({ min: 1n, max: 20_000_000n }),
    ask: fc.integer({ min: 1_500, max: 3_000 }),
    side: fc.constantFrom("BUY" as const, "SELL" as const),
  });
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 8 }), (acts) => {
      const { world, seller, accomplice, listing, mark } = stage();
      for (const { mark: at, price, lots: amount, ask, side } of acts) {
        mark((at / 10_000).toFixed(4));
        if (world.state.account(seller.id).halted) return;
        const { exposures } = world.state;
        const { liabilityParts, initialParts } = exposures.shortTotals(seller.id);
        const isBelow = BigInt(world.cash(seller)) * 20_000n < liabilityParts + initialParts;
        const before = healthOf(world, seller);
        assert.ok(isTick(price) && isTick(ask));
        world.do(accomplice.actor, { type: "CancelAll", marketId: null });
        const offer = { ...order(listing, side === "BUY" ? "SELL" : "BUY", "1", "0.5") };
        const rests = { ...offer, amountLots: lots(amount), priceTick: ask };
        world.try(accomplice.actor, { type: "PlaceOrder", order: rests, listing: null });
        const input = { ...order(listing, side, "1", "0.5"), amountLots: lots(amount) };
        const asked = { ...input, priceTick: price, timeInForce: "IOC" as const };
        world.try(seller.actor, { type: "PlaceOrder", order: asked, listing: null });
        const isShort = exposures.shortTotals(seller.id).shortLots > 0n;
        if (isBelow && isShort) assert.ok(healthOf(world, seller) >= before);
      }
    }),
    { numRuns: 150 },
  );
});
