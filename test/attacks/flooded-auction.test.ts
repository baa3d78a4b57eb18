// Somebody floods an auction to move its price, or what is shown of it, and takes the flood back
// at the last instant.
// Invariant: the auction is drawn from the orders that stand at its end and from nothing before.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderInput } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, root, system, type Trader, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const MINUTE_MILLIS = 60_000;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-12", layer);
  const [honest, buyer, flooder] = (["honest", "buyer", "flooder"] as const).map((name) =>
    world.trader(name, "10000"),
  );
  assert.ok(honest && buyer && flooder);
  const place = (
    who: Trader,
    side: "BUY" | "SELL",
    amount: string,
    price: string,
    more: Partial<OrderInput> = {},
  ) => world.order(order(listing, side, amount, price, more), who, listing);
  place(honest, "SELL", "100", "0.06");
  world.runTo(Date.UTC(2024, 11, 16));
  world.do(root, { type: "OpenWindow", index: "zhvi", reason: "drill" });
  const told = () => world.state.heldMatching.get(listing.marketId)?.indicative;
  const end = () => {
    world.print("2024-11", "285000");
    world.do(system, publishMarks([]));
    world.runTo(world.nowMillis + 30 * MINUTE_MILLIS - 1);
    return () => world.runTo(world.nowMillis + 1);
  };
  return { world, listing, honest, buyer, flooder, place, told, end };
}

/** Cash of the three, and every fill. */
const outcomeOf = (world: World, traders: readonly Trader[]) => [
  traders.map((one) => world.cash(one)),
  world.journal.flatMap(({ outcome }) =>
    isRejected(outcome)
      ? []
      : outcome.events.flatMap((event) =>
          event.type === "Filled"
            ? [[event.fill.yesTick, event.fill.amountLots, event.fill.buyer, event.fill.seller]]
            : [],
        ),
  ),
];

test("a flood of sellers that is taken back at the last instant leaves no trace", (t) => {
  const outcomes = [false, true].map((floods) => {
    const { world, honest, buyer, flooder, place, told, end } = stage();
    place(buyer, "BUY", "80", "0.08");
    const alone = told();
    if (floods) {
      for (let at = 0; at < 20; at += 1) place(flooder, "SELL", "50", "0.01");
      assert.equal(told()?.surplusLots, 8_000n - 100_000n, "for as long as it stands it is shown");
      assert.ok(world.available(flooder) < world.cash(flooder), "and it is paid for");
    }
    const last = end();
    if (floods) {
      world.do(flooder.actor, { type: "CancelAll", marketId: null });
      assert.deepEqual(told(), alone);
    }
    last();
    return outcomeOf(world, [honest, buyer, flooder]);
  });
  assert.deepEqual(outcomes[1], outcomes[0]);
  t.diagnostic("after: 0 USD moved by the flood");
});
