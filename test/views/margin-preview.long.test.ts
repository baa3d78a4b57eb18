// The preview of margin against the core itself: the same positions and orders, really there.
// Invariant: every figure of a preview is the core's after the fact, scenario by scenario.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { micros } from "#base/money.ts";
import { nearestTick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { OrderInput } from "#core/command.ts";
import { readersState, stateOver } from "#core/readers-state.ts";
import { stateHash } from "#core/snapshot.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, system, tick, World } from "#test/core/world.ts";
import { previewMargin } from "#views/margin-preview.ts";

const layers = [
  { kind: "layered", attachBps: 200, exhaustBps: 1_000 },
  { kind: "layered", attachBps: 500, exhaustBps: 1_500 },
  { kind: "binary", strikeBps: 500 },
] as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, other] = [world.trader("seller", "900000"), world.trader("other", "9000000")];
  const listings = layers.map((layer) => world.listing("2025-04", layer));
  for (const listing of listings) {
    world.order(order(listing, "SELL", "10", "0.05"), seller, listing);
    world.order(order(listing, "BUY", "10", "0.05"), other);
  }
  return { world, seller, other, listings };
}

const drawnLine = fc.record({
  market: fc.integer({ min: 0, max: 2 }),
  buys: fc.boolean(),
  amount: fc.bigInt({ min: 1n, max: 2_000_000n }),
  price: fc.integer({ min: 1, max: 4_999 }),
});
const drawn = fc.record({
  marks: fc.array(fc.integer({ min: 100, max: 6_000 }), { minLength: 3, maxLength: 3 }),
  rises: fc.array(
    fc.array(fc.integer({ min: 0, max: 9_000 }), {
      minLength: scenarios.length,
      maxLength: scenarios.length,
    }),
    { minLength: 3, maxLength: 3 },
  ),
  positions: fc.array(drawnLine, { maxLength: 4 }),
  orders: fc.array(drawnLine, { maxLength: 4 }),
});

test("a preview tells what the core sums once the positions and orders are there", () => {
  fc.assert(
    fc.property(drawn, ({ marks, rises, positions, orders }) => {
      const { world, seller, other, listings } = stage();
      world.do(
        system,
        publishMarks(
          listings.map(({ marketId }, at) => {
            const mark = marks[at] ?? 100;
            const capped = (rise: number) => nearestTick(Math.min(10_000, mark + rise) / 10_000);
            const riskTicks = (rises[at] ?? []).map(capped);
            const stressedTick = riskTicks[0] ?? capped(0);
            return { marketId, markTick: nearestTick(mark / 10_000), stressedTick, riskTicks };
          }),
        ),
      );
      const inputOf = ({ market, buys, amount, price }: (typeof positions)[number]): OrderInput => {
        const listing = listings[market] ?? assert.fail();
        const shape = order(listing, buys ? "BUY" : "SELL", "1", "0.5");
        // Resting orders never meet the account's own.
        return {
          ...shape,
          amountLots: lots(amount),
          priceTick: nearestTick((buys ? price : price + 5_000) / 10_000),
        };
      };
      const asked = { positions: positions.map(inputOf), orders: orders.map(inputOf) };
      const before = stateHash(world.state);
      const layer = stateOver(readersState(world.state));
      const shown = previewMargin(layer, seller.id, { ...asked, listings: [] }, world.nowMillis);
      assert.equal(stateHash(world.state), before, "nothing is done");
      if ("rejection" in shown) return assert.fail(shown.rejection.code);
      for (const input of asked.positions) {
        const side = input.side === "BUY" ? "SELL" : "BUY";
        world.order({ ...input, side }, other);
        const taken = world.try(seller.actor, { type: "PlaceOrder", order: input, listing: null });
        if ("rejection" in taken) return;
      }
      for (const input of asked.orders) {
        const placed = world.try(seller.actor, { type: "PlaceOrder", order: input, listing: null });
        if ("rejection" in placed) return;
      }
      const { exposures } = world.state;
      assert.deepEqual(shown, {
        cashMicros: micros(world.cash(seller)),
        lockedMicros: exposures.locked(seller.id),
        totals: exposures.shortTotals(seller.id),
        columns: exposures.byColumn(seller.id),
      });
    }),
    { numRuns: 60 },
  );
});

test("columns are the floor and every scenario; the greatest is the margin", () => {
  const { world, seller, listings } = stage();
  const [first] = listings;
  const riskTicks = scenarios.map((_, at) => tick(at === 8 ? "0.6" : "0.1"));
  const marks = { markTick: tick("0.05"), stressedTick: tick("0.1"), riskTicks };
  const marketId = first?.marketId ?? assert.fail();
  world.do(system, publishMarks([{ marketId, ...marks }]));
  const columns = world.state.exposures.byColumn(seller.id);
  assert.deepEqual(
    columns.map(({ id }) => id),
    ["tier", ...scenarios.map(({ id }) => id)],
  );
  const { binding } = world.state.exposures.shortTotals(seller.id);
  assert.equal(binding, "replay-2006");
  // 10 at 0.6 and a cent for the spread; 10 of each other market at 0.05 and a cent.
  const worst = columns.find(({ id }) => id === binding);
  assert.equal(worst?.maintenanceMicros, 10n * (612_500n + 60_000n + 60_000n));
});
