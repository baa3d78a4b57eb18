// The locked amount against brute force: every subset of the open orders filling, the worst one
// taken.
// Invariant: brute force knows the rules, not the code: the need of the positions that are left in
// each scenario, the fee rounded up an order, the whole rounded up once.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, marketId, type NodeId, nodeId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Month } from "#base/month.ts";
import { type Lots, lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { buysYes, filled, yesTick } from "#core/book/order.ts";
import { Exposures } from "#core/margin/exposure.ts";
import { feeBase, feeHeld, feeOn } from "#core/margin/fee.ts";
import type { Marked } from "#core/margin/risk.ts";
import { Beside } from "#core/order/beside.ts";
import type { Order } from "#core/records.ts";
import { type ConcentrationRules, noConcentration } from "#core/rules.ts";
import { exampleRecords } from "./example-records.ts";
import {
  greatestOf,
  type HeldByHand,
  INITIAL,
  type InSeries,
  type InState,
  MAINTENANCE,
  needByColumn,
  raisedByColumn,
  type TermsByHand,
  withStates,
} from "./margin-by-hand.ts";
import { month, tick } from "./world.ts";

const prices = ["0.0001", "0.05", "0.3", "0.5", "0.62", "0.95", "0.9999"];

const { market, order: model } = exampleRecords();
const me = accountId("me");
const PLACES = 3;

const orders: fc.Arbitrary<readonly Order[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom("BUY" as const, "SELL" as const),
      fc.constantFrom(0 as const, 1 as const),
      fc.constantFrom(...prices),
      fc.bigInt({ min: 1n, max: 3_000n }),
      fc.nat({ max: PLACES - 1 }),
    ),
    { maxLength: 6 },
  )
  .map((quotes) =>
    quotes.map(([side, outcomeIndex, price, amount, where], at) => ({
      ...model,
      id: orderId(`ord-${at + 1}`),
      accountId: me,
      marketId: idOf(where),
      side,
      outcomeIndex,
      priceTick: tick(price),
      amountLots: lots(amount),
      rank: at + 1,
    })),
  );

interface Setting {
  readonly feeBps: number;
  readonly requirementBps: number;
  readonly concentration: ConcentrationRules;
  /** Lots open by state. */
  readonly openIn: ReadonlyMap<NodeId, Lots>;
  readonly places: readonly Place[];
}

/** A market, and what is held there. */
interface Place {
  readonly held: bigint;
  /** Cash received from the market less cash paid there. */
  readonly flow: bigint;
  readonly index: "zhvi" | "zori" | "vacancy" | "weather";
  readonly marks: Marked;
  readonly state: NodeId | undefined;
  readonly node: NodeId;
  readonly month: Month;
  readonly exhaustBps: number;
}

const idOf = (at: number) => marketId(`market-${at}`);
const marketAt = ({ index, marks, state, node, month, exhaustBps }: Place, at: number) => ({
  ...market,
  id: idOf(at),
  ...marks,
  terms: {
    ...market.terms,
    ...{ index, nodeId: node, measurementMonth: month },
    payoff: { kind: "layered", attachBps: 200, exhaustBps } as const,
  },
  within: state === undefined ? [] : [nodeId("us"), state],
});

/** A long offsets while more was paid for it than received, and none of it is offered. */
const offsetsIn = ({ index, flow }: Place, at: number, open: readonly Order[]): boolean =>
  (index === "zhvi" || index === "zori") &&
  flow <= 0n &&
  !open.some((one) => one.marketId === idOf(at) && !buysYes(one));

/**
 * Quarters of cash needed should exactly these fill: premiums and fees out, and then by column the
 * need of what is left, or all that was received from the market, where that is more.
 */
function needed(setting: Setting, open: readonly Order[], fills: readonly Order[]): bigint {
  const terms = termsOf(setting);
  const all = setting.places.map((place, at): InState => {
    const { held, paid } = afterFills(setting, place, at, fills);
    const offsets = offsetsIn(place, at, open);
    const [alone, hedging] = [false, offsets].map((one) => byHand({ ...place, held }, one));
    assert.ok(alone !== undefined && hedging !== undefined);
    const refundable = 4n * (place.flow - paid);
    const beside = (need: bigint): bigint =>
      refundable > need ? 4n * paid + refundable : 4n * paid + need;
    const lowered = (need: bigint): bigint => (need < 0n ? 4n * paid + need : beside(need));
    return {
      state: place.state,
      hedged: hedgedAt(place, {
        covered: needByColumn({ ...alone, held: 0n }, terms, INITIAL).map(beside),
        offsetting: needByColumn(hedging, terms, INITIAL).map(lowered),
      }),
      need: needByColumn(alone, terms, INITIAL).map(beside),
      raised: raisedByColumn(alone, terms, INITIAL).map(beside),
    };
  });
  return greatestOf(withStates(all, terms, setting.openIn));
}

const hedgedAt = (
  { index, node, month, exhaustBps }: Place,
  needs: Pick<InSeries, "covered" | "offsetting">,
): InSeries | undefined =>
  index === "zhvi" || index === "zori"
    ? { series: `${index} ${node} ${exhaustBps}`, month, ...needs }
    : undefined;

const termsOf = ({ requirementBps, concentration }: Setting): TermsByHand => ({
  bps: requirementBps,
  shareBps: concentration.shareBps,
  floorLots: concentration.floorMicros / 10_000n,
  rateBps: concentration.rateBps,
});

const byHand = ({ held, marks }: Place, offsets: boolean): HeldByHand => ({
  held,
  mark: marks.markTick,
  stressed: marks.stressedTick,
  values: marks.riskTicks,
  offsets,
  payoutMillionths: null,
  open: marks.markedOpenLots ?? 0n,
});

function afterFills(
  { feeBps }: Setting,
  { held }: Place,
  at: number,
  fills: readonly Order[],
): { readonly held: bigint; readonly paid: bigint } {
  let [position, paid] = [held, 0n];
  for (const { amountLots, ...placed } of fills) {
    if (placed.marketId !== idOf(at)) continue;
    const tickAt = BigInt(yesTick(placed));
    const lower = tickAt < 10_000n - tickAt ? tickAt : 10_000n - tickAt;
    const charged = lower < 100n ? 100n : lower;
    const fee = (amountLots * charged * BigInt(feeBps) + 9_999n) / 10_000n;
    position += buysYes(placed) ? amountLots : -amountLots;
    paid += (buysYes(placed) ? amountLots * tickAt : -amountLots * tickAt) + fee;
  }
  return { held: position, paid };
}

const roundedUp = (quarters: bigint): bigint => (quarters + 3n) / 4n;

function exposuresWith(setting: Setting, open: readonly Order[]): Exposures {
  const exposures = new Exposures(undefined, () => setting.openIn);
  for (const [at, place] of setting.places.entries()) {
    exposures.marketChanged(marketAt(place, at));
  }
  exposures.ratesChanged(me, setting);
  for (const [at, { held, flow }] of setting.places.entries()) {
    exposures.positionChanged({
      accountId: me,
      marketId: idOf(at),
      costMicros: micros(0n),
      realisedMicros: micros(0n),
      heldLots: lots(held),
      flowMicros: micros(flow),
    });
  }
  for (const each of open) exposures.orderChanged(undefined, each);
  return exposures;
}

const ticks = fc.constantFrom(...prices).map((price) => tick(price));
const marked: fc.Arbitrary<Marked> = fc
  .tuple(
    ticks,
    ticks,
    fc.array(ticks, { minLength: scenarios.length, maxLength: scenarios.length }),
    fc.option(fc.bigInt({ min: 1n, max: 20_000n }), { nil: undefined }),
  )
  .map(([markTick, stressedTick, riskTicks, open]) => ({
    markTick,
    stressedTick,
    riskTicks,
    ...(open === undefined ? {} : { markedOpenLots: lots(open) }),
  }));
const place: fc.Arbitrary<Place> = fc.record({
  held: fc.bigInt({ min: -4_000n, max: 4_000n }),
  flow: fc.oneof(fc.constant(0n), fc.bigInt({ min: -20_000_000n, max: 20_000_000n })),
  index: fc.constantFrom("zhvi", "zhvi", "zori", "vacancy", "weather"),
  node: fc.constantFrom(nodeId("zip:90210"), nodeId("zip:90210"), nodeId("zip:10001")),
  month: fc.constantFrom(...["2025-06", "2025-07", "2025-12"].map(month)),
  exhaustBps: fc.constantFrom(1_000, 1_000, 1_500),
  marks: marked,
  state: fc.constantFrom(nodeId("state:ca"), nodeId("state:ca"), nodeId("state:nv"), undefined),
});
const settings: fc.Arbitrary<Setting> = fc.record({
  feeBps: fc.constantFrom(0, 50, 100, 150, 10_000),
  requirementBps: fc.constantFrom(1, 500, 1_000, 3_333, 10_000),
  concentration: fc.oneof(
    fc.constant(noConcentration),
    fc.record({
      shareBps: fc.constantFrom(0, 2_000, 3_333),
      floorMicros: fc.constantFrom(0n, 15_000_000n).map(micros),
      rateBps: fc.constantFrom(1, 1_000, 7_777),
    }),
  ),
  openIn: fc.tuple(fc.bigInt({ min: 0n, max: 40_000n }), fc.bigInt({ min: 0n, max: 40_000n })).map(
    ([ca, nv]) =>
      new Map([
        [nodeId("state:ca"), lots(ca)],
        [nodeId("state:nv"), lots(nv)],
      ]),
  ),
  places: fc.array(place, { minLength: PLACES, maxLength: PLACES }),
});

const subsetsOf = (open: readonly Order[]): readonly (readonly Order[])[] =>
  Array.from({ length: 1 << open.length }, (_, subset) =>
    open.filter((_one, at) => (subset >> at) % 2 === 1),
  );

test("what is locked is the worst of all subsets of the open orders, in every scenario", () => {
  fc.assert(
    fc.property(settings, orders, (setting, open) => {
      const needs = subsetsOf(open).map((fills) => needed(setting, open, fills));
      assert.equal(exposuresWith(setting, open).locked(me), roundedUp(greatestOf(needs)));
    }),
    { numRuns: 300 },
  );
});

test("whatever fills, what is locked afterwards was locked before", () => {
  fc.assert(
    fc.property(settings, orders, fc.nat(), (setting, open, drawn) => {
      const before = exposuresWith(setting, open).locked(me);
      const all = subsetsOf(open);
      const fills = all[drawn % all.length] ?? [];
      let spent = 0n;
      const places = setting.places.map((one, at) => {
        const { held, paid } = afterFills(setting, one, at, fills);
        spent += paid;
        return { ...one, held, flow: one.flow - paid };
      });
      const rest = open.filter((one) => !fills.includes(one));
      const after = exposuresWith({ ...setting, places }, rest).locked(me);
      assert.ok(after + spent <= before, `${after} and ${spent} paid, ${before} were locked`);
    }),
  );
});

/** A value that may rise to .30, of a seller whom full collateral caps for being large. */
const nearFullCollateral: Setting = {
  feeBps: 0,
  requirementBps: 1,
  concentration: { shareBps: 2_000, floorMicros: micros(0n), rateBps: 7_777 },
  openIn: new Map([[nodeId("state:ca"), lots(5n)]]),
  places: [
    {
      held: -2n,
      flow: 0n,
      index: "zhvi",
      marks: {
        markTick: tick("0.0001"),
        stressedTick: tick("0.0001"),
        riskTicks: [...scenarios.slice(1).map(() => tick("0.0001")), tick("0.3")],
        markedOpenLots: lots(10n),
      },
      state: nodeId("state:ca"),
      node: nodeId("zip:90210"),
      month: month("2025-06"),
      exhaustBps: 1_000,
    },
  ],
};

test("initial and maintenance margin are the worst columns of what is held", () => {
  fc.assert(
    fc.property(settings, (setting) => {
      const { liabilityParts, initialParts, maintenanceParts } = exposuresWith(
        setting,
        [],
      ).shortTotals(me);
      const worstAt = (times: bigint): bigint => {
        const terms = termsOf(setting);
        const all = setting.places.map((one, at): InState => {
          const alone = byHand(one, false);
          const offsetting = needByColumn(byHand(one, offsetsIn(one, at, [])), terms, times);
          return {
            state: one.state,
            hedged: hedgedAt(one, { covered: [], offsetting }),
            need: needByColumn(alone, terms, times),
            raised: raisedByColumn(alone, terms, times),
          };
        });
        return greatestOf(withStates(all, terms, setting.openIn)) * 5_000n;
      };
      assert.equal(liabilityParts + initialParts, worstAt(INITIAL));
      assert.equal(liabilityParts + maintenanceParts, worstAt(MAINTENANCE));
      assert.ok(initialParts >= maintenanceParts);
    }),
    { examples: [[nearFullCollateral]] },
  );
});

test("orders tried out lock what they lock when they are open", () => {
  fc.assert(
    fc.property(settings, orders, (setting, open) => {
      const tried = exposuresWith(setting, open.slice(0, 2));
      const totals = tried.totalsWith(me, open.slice(2), new Map());
      const placed = exposuresWith(setting, open);
      assert.deepEqual(totals, placed.totals(me));
      const beside = new Beside(tried, me);
      for (const order of open.slice(2)) beside.add(order);
      const { here, coverageMicros, openPositions, openOrders } = beside.before(idOf(0));
      assert.deepEqual(here, placed.lotsIn(me, idOf(0)));
      const sizes = { coverageMicros, openPositions, openOrders };
      assert.deepEqual({ ...totals, ...sizes }, totals);
    }),
  );
});

test("a change of rates or marks locks what orders placed under the new ones would", () => {
  fc.assert(
    fc.property(settings, settings, orders, fc.nat(), (before, other, open, cents) => {
      const places = before.places.map((one, at) => ({
        ...one,
        marks: other.places[at]?.marks ?? one.marks,
      }));
      const after = { ...other, places, openIn: before.openIn };
      const changed = exposuresWith(before, open);
      changed.ratesChanged(me, other);
      for (const [at, one] of after.places.entries()) {
        changed.marketChanged(marketAt(one, at));
      }
      assert.deepEqual(changed.totals(me), exposuresWith(after, open).totals(me));
      assert.deepEqual(changed.shortTotals(me), exposuresWith(after, open).shortTotals(me));
      const cash = micros(BigInt(cents) * 10_000n);
      for (const each of open) {
        const without = exposuresWith(
          after,
          open.filter((one) => one !== each),
        ).locked(me);
        const freed = without < changed.locked(me) && changed.locked(me) > cash;
        if (freed) assert.ok(changed.holdsBack(each, cash), "an order that locks cash holds back");
      }
      for (const each of open) {
        changed.orderChanged(each, { ...each, status: "CANCELLED", cancelReason: "REQUESTED" });
      }
      assert.deepEqual(changed.totals(me), exposuresWith(after, []).totals(me));
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
