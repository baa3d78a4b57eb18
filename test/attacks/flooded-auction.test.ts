// Somebody floods an auction to move its price, or what is shown of it, and takes the flood back
// at the last instant; or swells it with orders that could only meet each other.
// Invariant: the auction is drawn from the orders that stand at its end and from nothing before;
// nobody trades beyond its limit; orders of one owner count for nothing against each other.
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

test("a flood that stays sells at the price of the auction", () => {
  const { world, honest, buyer, flooder, place, end } = stage();
  place(buyer, "BUY", "80", "0.08");
  place(flooder, "SELL", "1000", "0.01");
  end()();
  const [first] = world.journal.flatMap(({ outcome }) =>
    isRejected(outcome) ? [] : outcome.events.filter((event) => event.type === "Filled"),
  );
  // 80 trade at any price from 0.01 to 0.08; below 0.06 no more than the flood is left over.
  assert.equal(first?.fill.yesTick, 500, "nearest the mark");
  assert.equal(world.cash(honest), 10_000_000_000n, "who asks more keeps what it has");
});

test("orders of one owner count for nothing against each other", () => {
  const { world, flooder, place, told } = stage();
  const buying = place(flooder, "BUY", "500", "0.03");
  const own = place(flooder, "SELL", "500", "0.02");
  assert.deepEqual([own.cancelReason, told()], ["SELF_TRADE", undefined]);
  const rests = place(flooder, "SELL", "500", "0.02", { selfTradePrevention: "cancel_resting" });
  assert.deepEqual([rests.status, told()], ["OPEN", undefined]);
  assert.equal(world.state.order(buying.id).cancelReason, "SELF_TRADE");
  const both = place(flooder, "BUY", "1", "0.02", { selfTradePrevention: "cancel_both" });
  assert.equal(both.cancelReason, "SELF_TRADE");
  assert.equal(world.state.order(rests.id).cancelReason, "SELF_TRADE");
});

test("accounts that come to one owner while their orders wait do not meet", () => {
  const { world, flooder, buyer, place, end } = stage();
  const bought = place(buyer, "BUY", "10", "0.05");
  const sold = place(flooder, "SELL", "10", "0.04");
  const last = end();
  world.doInTwo({ type: "SetOwner", accountId: flooder.id, owner: buyer.id });
  last();
  assert.equal(world.state.fillCount, 0);
  assert.equal(world.state.order(sold.id).cancelReason, "SELF_TRADE", "the later one goes");
  assert.equal(world.state.order(bought.id).status, "OPEN");
});
