// The sums of readers, drawn when somebody asks, against those that are kept at every event.
// Invariant: whichever accounts were asked about before, and let go, the sums are the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { passTime } from "#core/apply.ts";
import { fold } from "#core/fold.ts";
import { isRejected } from "#core/outcome.ts";
import { readersState } from "#core/readers-state.ts";
import { State } from "#core/state.ts";
import { order, World } from "./world.ts";

test("of an account that was read before it first trades in a market listed before the start", () => {
  for (const way of ["fills", "rests"] as const) {
    const world = new World();
    world.print("2024-10", "300000");
    const listing = world.listing("2025-04", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
    const [seller, buyer] = ["seller", "buyer"].map((name) => world.trader(name, "1000"));
    assert.ok(seller !== undefined && buyer !== undefined);
    world.order(order(listing, "SELL", "2", "0.05"), seller, listing);
    const readers = readersState(world.state);
    assert.equal(readers.exposures.totals(buyer.id).openPositions, 0, "drawn as it is asked for");

    const from = world.journal.length;
    world.order(order(listing, "BUY", "2", way === "fills" ? "0.05" : "0.04"), buyer, listing);
    for (const { envelope, outcome } of world.journal.slice(from)) {
      for (const event of isRejected(outcome) ? [] : outcome.events) {
        fold(readers, event, envelope.timeMillis);
      }
    }
    for (const { id } of [seller, buyer]) {
      assert.deepEqual(readers.exposures.totals(id), world.state.exposures.totals(id), way);
    }
  }
});

test("of more accounts than are kept, before and after each of them trades", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", {
    kind: "layered",
    attachBps: 200,
    exhaustBps: 1000,
  });
  const traders = Array.from({ length: 104 }, (_, at) => world.trader(`t${at}`, "1000"));
  const readers = readersState(new State());
  let folded = 0;
  const follow = (): void => {
    for (const { envelope, outcome } of world.journal.slice(folded)) {
      if (isRejected(outcome)) continue;
      for (const event of outcome.events) fold(readers, event, envelope.timeMillis);
      passTime(readers, envelope.timeMillis);
    }
    folded = world.journal.length;
  };
  const sumsOf = ({ exposures }: State) =>
    traders.map(({ id }) => [exposures.totals(id), exposures.shorts(id), exposures.locked(id)]);

  for (const side of ["SELL", "BUY"] as const) {
    for (const [at, trader] of traders.entries()) {
      const price = side === "SELL" && at % 2 === 0 ? "0.05" : "0.06";
      world.order(order(listing, side, "2", price), trader, listing);
    }
    follow();
    assert.deepEqual(sumsOf(readers), sumsOf(world.state));
    assert.deepEqual(sumsOf(readers), sumsOf(world.state), "asked again");
  }
  assert.ok([...world.state.positions.values()].some(({ heldLots }) => heldLots < 0n));
  const nobody = accountId("acc-0");
  assert.deepEqual(readers.exposures.totals(nobody), world.state.exposures.totals(nobody));
  assert.equal(readers.due.size, 0, "nothing waits where nothing is decided");
});
