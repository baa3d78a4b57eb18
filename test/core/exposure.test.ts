// The locked amount against brute force: every subset of the open orders filling, the worst one
// taken.
// Invariant: brute force knows the rules, not the code: the margin of the position that is left,
// the fee rounded up an order, the whole rounded up once.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { buysYes, filled, yesTick } from "#core/book/order.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { feeBase, feeHeld, feeOn } from "#core/margin/fee.ts";
import { type Marked, shortRate, valuationOf } from "#core/margin/requirement.ts";
import type { Order } from "#core/records.ts";
import { exampleRecords } from "./example-records.ts";
import { tick } from "./world.ts";

const prices = ["0.0001", "0.05", "0.3", "0.5", "0.62", "0.95", "0.9999"];

const { market, order: model } = exampleRecords();
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

interface Setting {
  readonly held: bigint;
  /** Cash received from the market less cash paid there. */
  readonly flow: bigint;
  readonly feeBps: number;
  readonly requirementBps: number;
  readonly marks: Marked;
}

/** Halves of a ten-thousandth of a micro-dollar: small enough for everything to be whole. */
const UNIT = 20_000n;

/**
 * Cash needed should exactly these fill: premiums and fees out, and then the cover of what is left
 * short, or all that was received from the market, where that is more.
 */
function needed(setting: Setting, fills: readonly Order[]): bigint {
  const { held, flow, feeBps, requirementBps, marks } = setting;
  let position = held;
  let paid = 0n;
  for (const { amountLots, ...placed } of fills) {
    const at = BigInt(yesTick(placed));
    const lower = at < 10_000n - at ? at : 10_000n - at;
    const charged = lower < 100n ? 100n : lower;
    const fee = (amountLots * charged * BigInt(feeBps) + 9_999n) / 10_000n;
    position += buysYes(placed) ? amountLots : -amountLots;
    paid += (buysYes(placed) ? amountLots * at : -amountLots * at) + fee;
  }
  const refundable = (flow - paid) * UNIT;
  if (position >= 0n) return paid * UNIT + (refundable > 0n ? refundable : 0n);
  const short = -position;
  const [mark, stressed] = [BigInt(marks.markTick), BigInt(marks.stressedTick)];
  const addOns = [BigInt(requirementBps) * (10_000n - mark), 10_000n * (stressed - mark)];
  const addOn = addOns.reduce((most, one) => (one > most ? one : most));
  const full = short * (10_000n - mark) * UNIT;
  const initial = 3n * short * addOn < full ? 3n * short * addOn : full;
  const cover = short * mark * UNIT + initial;
  return paid * UNIT + (refundable > cover ? refundable : cover);
}

const roundedUp = (parts: bigint): bigint => (parts + UNIT - 1n) / UNIT;

function exposuresWith(setting: Setting, open: readonly Order[]): Exposures {
  const { held, flow, marks, ...rates } = setting;
  const exposures = new Exposures();
  exposures.marketChanged({ ...market, ...marks });
  exposures.ratesChanged(me, rates);
  const none = micros(0n);
  const position = {
    accountId: me,
    marketId: market.id,
    costMicros: none,
    realisedMicros: none,
    flowMicros: micros(flow),
  };
  exposures.positionChanged({ ...position, heldLots: lots(held) });
  for (const each of open) exposures.orderChanged(undefined, each);
  return exposures;
}

const marked: fc.Arbitrary<Marked> = fc
  .tuple(fc.constantFrom(...prices), fc.constantFrom(...prices))
  .map(([mark, stressed]) => ({ markTick: tick(mark), stressedTick: tick(stressed) }));
const settings: fc.Arbitrary<Setting> = fc.record({
  held: fc.bigInt({ min: -4_000n, max: 4_000n }),
  flow: fc.oneof(fc.constant(0n), fc.bigInt({ min: -20_000_000n, max: 20_000_000n })),
  feeBps: fc.constantFrom(0, 50, 100, 150, 10_000),
  requirementBps: fc.constantFrom(1, 500, 1_000, 3_333, 10_000),
  marks: marked,
});

test("what is locked is the worst of all subsets of the open orders, at every requirement", () => {
  fc.assert(
    fc.property(settings, orders, (setting, open) => {
      let worst = needed(setting, []);
      for (let subset = 0; subset < 1 << open.length; subset += 1) {
        const fills = open.filter((_, at) => (subset >> at) % 2 === 1);
        const need = needed(setting, fills);
        if (need > worst) worst = need;
      }
      assert.equal(exposuresWith(setting, open).locked(me), roundedUp(worst));
    }),
    { numRuns: 1_000 },
  );
});

test("orders tried out lock what they lock when they are open", () => {
  fc.assert(
    fc.property(settings, orders, (setting, open) => {
      const tried = exposuresWith(setting, open.slice(0, 2));
      const totals = tried.totalsWith(me, open.slice(2), new Map());
      const placed = exposuresWith(setting, open);
      assert.deepEqual(totals, placed.totals(me));
      assert.equal(
        tried.coverageWith(me, market.id, open.slice(2)),
        placed.coverageWith(me, market.id, []),
      );
    }),
  );
});

test("a change of rates or marks locks what orders placed under the new ones would", () => {
  fc.assert(
    fc.property(
      settings,
      settings,
      orders,
      (before, { held: _, flow: __, marks, ...rates }, open) => {
        const after = { held: before.held, flow: before.flow, marks, ...rates };
        const changed = exposuresWith(before, open);
        changed.ratesChanged(me, rates);
        changed.marketChanged({ ...market, ...marks });
        assert.deepEqual(changed.totals(me), exposuresWith(after, open).totals(me));
        assert.deepEqual(changed.shortTotals(me), exposuresWith(after, []).shortTotals(me));
        for (const each of open) {
          const without = exposuresWith(
            after,
            open.filter((one) => one !== each),
          );
          const freed = without.locked(me) < changed.locked(me);
          if (freed) assert.ok(changed.holdsBack(each), "an order that locks cash holds it back");
        }
        for (const each of open) {
          changed.orderChanged(each, { ...each, status: "CANCELLED", cancelReason: "REQUESTED" });
        }
        assert.deepEqual(changed.totals(me), exposuresWith(after, []).totals(me));
      },
    ),
  );
});

test("the fee paid and the fee still held never exceed what the whole order held", () => {
  const amounts = fc.bigInt({ min: 2n, max: 3_000n });
  fc.assert(
    fc.property(
      amounts,
      fc.nat(),
      fc.constantFrom(...prices),
      fc.constantFrom(0, 50, 100, 150),
      (amount, part, price, bps) => {
        const whole: Order = { ...model, priceTick: tick(price), amountLots: lots(amount) };
        const first = lots(1n + (BigInt(part) % (amount - 1n)));
        const paid = feeOn(feeBase(first, whole.priceTick), bps);
        assert.ok(paid + feeHeld(filled(whole, first), bps) <= feeHeld(whole, bps));
      },
    ),
  );
});

test("a short by hand: liability, add-on by rule and by stress, capped at full collateral", () => {
  const micro = 20_000n;
  const rows: readonly [string, string, number, bigint, bigint, bigint][] = [
    // mark, stressed, requirement bps → liability, maintenance, initial of 100 contracts
    ["0.05", "0.05", 10_000, 5_000_000n, 95_000_000n, 95_000_000n],
    ["0.05", "0.05", 1_000, 5_000_000n, 9_500_000n, 14_250_000n],
    ["0.05", "0.25", 1_000, 5_000_000n, 20_000_000n, 30_000_000n],
    ["0.05", "0.95", 1_000, 5_000_000n, 90_000_000n, 95_000_000n],
    ["0.3", "0.1", 500, 30_000_000n, 3_500_000n, 5_250_000n],
  ];
  for (const [mark, stressed, bps, liability, maintenance, initial] of rows) {
    const marks = { markTick: tick(mark), stressedTick: tick(stressed) };
    const rate = shortRate(valuationOf(marks), bps);
    assert.deepEqual(rate, {
      liability: (liability * micro) / 10_000n,
      maintenance: (maintenance * micro) / 10_000n,
      initial: (initial * micro) / 10_000n,
      isResolved: false,
    });
  }
  const odd = shortRate(
    valuationOf({ markTick: tick("0.3333"), stressedTick: tick("0.3333") }),
    500,
  );
  assert.equal(odd.maintenance, 6_667_000n, "a lot at 333.35 micro-dollars, none of it lost");
});
