// The markets that some prints would settle, as an operator reads before letting them in.
// Invariant: what is foretold is what the same prints give once they are in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wouldSettle } from "#core/settlement/would-settle.ts";
import { order, root, World } from "./world.ts";

/** October is printed; markets wait for November and for December. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const maker = world.trader("maker", "1000");
  const listed = (end: string, strikeBps: number) => {
    const listing = world.listing(end, { kind: "binary", strikeBps });
    world.order(order(listing, "SELL", "1", "0.9"), maker, listing);
    world.order(order(listing, "BUY", "1", "0.9"), world.trader(listing.marketId, "10"));
    return listing.marketId;
  };
  const november = [listed("2024-11", 500), listed("2024-11", 2_500)];
  listed("2024-12", 500);
  world.runTo(Date.UTC(2024, 11, 20));
  const print = world.observe("2024-11", "240000");
  const foretold = (backfill = false) =>
    wouldSettle(world.state.markets, "zhvi", [{ ...print, backfill }]).map(
      ({ market, settlement }) => [market.id, Number(settlement?.payoutMillionths)],
    );
  return { world, november, print, foretold };
}

test("the markets on a print are foretold, with what each pays; those on others are not", () => {
  const { world, november, print, foretold } = stage();
  const [first, second] = november;
  assert.deepEqual(foretold(), [
    [first, 1_000_000],
    [second, 0],
  ]);
  const told = foretold();
  world.do(root, world.release(print));
  const resolved = november.map((id) => world.state.market(id).resolution?.payoutMillionths);
  assert.deepEqual(
    resolved,
    told.map(([, paid]) => paid),
  );
});

test("a print of before settles nothing, and a market that has ended is settled by none", () => {
  const { world, print, foretold } = stage();
  assert.deepEqual(foretold(true), []);
  assert.deepEqual(wouldSettle(world.state.markets, "zhvi", []), []);
  world.do(root, world.release(print));
  assert.deepEqual(foretold(), []);
});
