// What is locked against brute force: every subset of the open orders filling, the worst one taken.
// Invariant: brute force knows the rules, not the code: full collateral, fee rounded up an order.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { buysYes, filled, yesTick } from "#core/book/order.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { feeBase, feeHeld, feeOn } from "#core/margin/fee.ts";
import { requirementOf } from "#core/margin/requirement.ts";
import type { Market, Order } from "#core/records.ts";
import { order, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const prices = ["0.0001", "0.05", "0.3", "0.5", "0.62", "0.95", "0.9999"];

/** A market and an order's record, made by the exchange itself. */
function models(): { market: Market; model: Order } {
  const world = new World();
  world.print("2024-10", "300000");
  const someone = world.trader("someone", "100");
  const listing = world.listing("2025-04", layer);
  const model = world.order(order(listing, "BUY", "1", "0.05"), someone, listing);
  return { market: world.state.market(listing.marketId), model };
}
const { market, model } = models();
const me = accountId("me");

const orders: fc.Arbitrary<readonly Order[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom("BUY" as const, "SELL" as const),
      fc.constantFrom(0 as const, 1 as const),
      fc.constantFrom(...prices),
      fc.bigInt({ min: 1n, max: 3_000n }),
    ),
    { maxLength: 6 },
  )
  .map((quotes) =>
    quotes.map(([side, outcomeIndex, price, amount], at) => ({
      ...model,
      id: orderId(`ord-${at + 1}`),
      accountId: me,
      side,
      outcomeIndex,
      priceTick: tick(price),
      amountLots: lots(amount),
      rank: at + 1,
    })),
  );

/** Cash needed should exactly these fill: premiums and fees out, 1 USD for each contract short. */
function needed(held: bigint, fills: readonly Order[], feeBps: bigint): bigint {
  let position = held;
  let paid = 0n;
  for (const { amountLots, ...placed } of fills) {
    const at = BigInt(yesTick(placed));
    const least = at < 10_000n - at ? at : 10_000n - at;
    const fee = (amountLots * least * feeBps + 9_999n) / 10_000n;
    position += buysYes(placed) ? amountLots : -amountLots;
    paid += (buysYes(placed) ? amountLots * at : -amountLots * at) + fee;
  }
  return paid + (position < 0n ? -position * 10_000n : 0n);
}

function exposuresWith(held: bigint, feeBps: number, open: readonly Order[]): Exposures {
  const exposures = new Exposures();
  exposures.marketChanged(market);
  exposures.ratesChanged(me, { feeBps, requirementBps: 10_000 });
  const none = micros(0n);
  const position = {
    accountId: me,
    marketId: market.id,
    costMicros: none,
    realisedMicros: none,
    flowMicros: none,
  };
  exposures.positionChanged({ ...position, heldLots: lots(held) });
  for (const each of open) exposures.orderChanged(undefined, each);
  return exposures;
}

const positions = fc.bigInt({ min: -4_000n, max: 4_000n });
const rates = fc.constantFrom(0, 50, 100, 150);

test("what is locked is the worst of all subsets of the open orders", () => {
  fc.assert(
    fc.property(positions, rates, orders, (held, feeBps, open) => {
      let worst = needed(held, [], 0n);
      for (let subset = 0; subset < 1 << open.length; subset += 1) {
        const fills = open.filter((_, at) => (subset >> at) % 2 === 1);
        const need = needed(held, fills, BigInt(feeBps));
        if (need > worst) worst = need;
      }
      assert.equal(exposuresWith(held, feeBps, open).locked(me), worst);
    }),
    { numRuns: 300 },
  );
});

test("orders tried out lock what they lock when they are open", () => {
  fc.assert(
    fc.property(positions, rates, orders, (held, feeBps, open) => {
      const tried = exposuresWith(held, feeBps, open.slice(0, 2));
      const totals = tried.totalsWith(me, open.slice(2), new Map());
      const placed = exposuresWith(held, feeBps, open);
      assert.deepEqual(totals, placed.totals(me));
      assert.equal(
        tried.coverageWith(me, market.id, open.slice(2)),
        placed.coverageWith(me, market.id, []),
      );
    }),
  );
});

test("a change of rates locks what orders placed under the new rates would", () => {
  fc.assert(
    fc.property(positions, rates, rates, orders, (held, before, after, open) => {
      const changed = exposuresWith(held, before, open);
      changed.ratesChanged(me, { feeBps: after, requirementBps: 10_000 });
      assert.deepEqual(changed.totals(me), exposuresWith(held, after, open).totals(me));
      for (const each of open) {
        changed.orderChanged(each, { ...each, status: "CANCELLED", cancelReason: "REQUESTED" });
      }
      assert.deepEqual(changed.totals(me), exposuresWith(held, after, []).totals(me));
    }),
  );
});

test("the fee paid and the fee still held never exceed what the whole order held", () => {
  const amounts = fc.bigInt({ min: 2n, max: 3_000n });
  fc.assert(
    fc.property(
      amounts,
      fc.nat(),
      fc.constantFrom(...prices),
      rates,
      (amount, part, price, bps) => {
        const whole: Order = { ...model, priceTick: tick(price), amountLots: lots(amount) };
        const first = lots(1n + (BigInt(part) % (amount - 1n)));
        const paid = feeOn(feeBase(first, whole.priceTick), bps);
        assert.ok(paid + feeHeld(filled(whole, first), bps) <= feeHeld(whole, bps));
      },
    ),
  );
});

test("requirement: liability and add-on by hand, capped at full collateral", () => {
  const rows: readonly [bigint, string, string, number, bigint, bigint, bigint][] = [
    // lots, mark, stressed, requirement bps → liability, maintenance, initial
    [100n, "0.05", "0.05", 1_000, 0n, 0n, 0n],
    [-10_000n, "0.05", "0.05", 10_000, 5_000_000n, 95_000_000n, 95_000_000n],
    [-10_000n, "0.05", "0.05", 1_000, 5_000_000n, 9_500_000n, 14_250_000n],
    [-10_000n, "0.05", "0.25", 1_000, 5_000_000n, 20_000_000n, 30_000_000n],
    [-10_000n, "0.05", "0.95", 1_000, 5_000_000n, 90_000_000n, 95_000_000n],
    [-1n, "0.3333", "0.3333", 500, 3_333n, 334n, 501n], // 333.35 up, 501 up
  ];
  for (const [held, mark, stressed, bps, liability, maintenance, initial] of rows) {
    const marks = { markTick: tick(mark), stressedTick: tick(stressed) };
    assert.deepEqual(requirementOf(lots(held), marks, bps), {
      liabilityMicros: liability,
      maintenanceMicros: maintenance,
      initialMicros: initial,
    });
  }
});
