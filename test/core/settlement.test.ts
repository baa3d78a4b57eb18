// Ends of markets that no story draws: backfill, repeated disputes, shares of many.
// Invariant: every sum is checked to the micro-dollar.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeId } from "#base/ids.ts";
import { formatMonth } from "#base/month.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

test("a backfilled month never settles, though it may fill a gap", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "100"), world.trader("bela", "100")];
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  world.runTo(Date.UTC(2025, 0, 20));
  const backfill = { ...world.observe("2024-12", "200000"), backfill: true };
  world.do(root, world.release(backfill));
  assert.equal(world.state.market(listing.marketId).status, "ACTIVE");
});

test("another index or place of the same month settles nothing here", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), world.trader("bela", "100"));
  world.runTo(Date.UTC(2025, 0, 20));
  const seen = { ...world.observe("2024-12", "200000"), nodeId: nodeId("state:ny"), link: null };
  world.do(root, world.release({ ...seen, levelE12: null }));
  const zori = world.release(world.observe("2024-12", "200000"));
  world.do(root, { ...zori, release: { ...zori.release, index: "zori" } });
  assert.equal(world.state.market(listing.marketId).status, "ACTIVE");
});

const quantities = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 });

test("shorts give exactly what longs get, none more than its share rounded up", () => {
  fc.assert(
    fc.property(
      quantities,
      quantities,
      fc.integer({ min: 800, max: 2_000 }),
      (some, others, fall) => {
        const world = new World();
        world.judgesRefusals = false;
        world.print("2024-10", "300000");
        const listing = world.listing("2024-12", layer);
        const sellers = some.map((_, at) => world.trader(`s${at}`, "100"));
        const buyers = others.map((_, at) => world.trader(`b${at}`, "100"));
        for (const [at, trader] of sellers.entries()) {
          world.order(
            order(listing, "SELL", String((some[at] ?? 0) / 100), "0.05"),
            trader,
            listing,
          );
        }
        for (const [at, trader] of buyers.entries()) {
          world.order(order(listing, "BUY", String((others[at] ?? 0) / 100), "0.05"), trader);
        }
        const all = [...sellers, ...buyers];
        world.runTo(Date.UTC(2025, 0, 20));
        world.print("2024-12", String(300_000 - fall * 30));
        const before = all.map((trader) => world.cash(trader));
        const held = all.map(
          ({ id }) => world.state.position(id, listing.marketId)?.heldLots ?? 0n,
        );
        const paid = world.state.market(listing.marketId).resolution?.payoutMillionths ?? 0;
        world.runTo(Date.UTC(2025, 0, 30));
        for (const [at, trader] of all.entries()) {
          const change = world.cash(trader) - (before[at] ?? 0n);
          const exact = (held[at] ?? 0n) * 10_000n * BigInt(paid);
          // A long gets its share rounded down; a short gives its own within a micro-dollar a long.
          const off = exact - change * 1_000_000n;
          if ((held[at] ?? 0n) > 0n) assert.ok(0n <= off && off < 1_000_000n);
          else assert.ok(off <= 1_000_000n && off > -1_000_000n * BigInt(others.length + 1));
        }
        assert.equal(world.state.balance(`market:${listing.marketId}`), 0n);
      },
    ),
    { numRuns: 60 },
  );
});

test("a second dispute after an upheld one runs on what was left", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "200"), world.trader("bela", "200")];
  const operator = world.open("operator", "operator");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  const start = Date.UTC(2025, 0, 20);
  world.runTo(start);
  world.print("2024-12", "270000");
  const { marketId } = listing;
  const hour = 3_600_000;
  for (const [at, { actor }] of [
    [10, anna],
    [30, bela],
  ] as const) {
    world.runTo(start + at * hour);
    world.do(actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
    world.runTo(start + (at + 5) * hour);
    for (const by of [root, operator.actor]) {
      const told = { decision: "uphold", valueE15: null, evidence: null } as const;
      assert.ok(!isRejected(world.try(by, { type: "DecideDispute", marketId, ...told })));
    }
  }
  // 72 hours of window, and twice five hours that did not count.
  world.runTo(start + 82 * hour - 1);
  assert.equal(world.state.market(marketId).status, "RESOLVED");
  world.runTo(start + 82 * hour);
  assert.equal(world.state.market(marketId).status, "FINALIZED");
});

/** A first print of an index that is not chained. */
function plain(world: World, index: "vacancy" | "weather", at: string, backfill = false) {
  const seen = { ...world.observe(at, "7"), link: null, levelE12: null, backfill };
  const command = world.release(seen);
  return { ...command, release: { ...command.release, index } };
}

test("months between quarters are no gap; a quarter passed over may still be printed", () => {
  const world = new World();
  world.nowMillis = Date.UTC(2026, 0, 20);
  world.do(root, plain(world, "vacancy", "2024-06", true));
  world.do(root, plain(world, "vacancy", "2024-09"));
  const point = () => world.state.chainPoints.get("vacancy|state:tx");
  assert.deepEqual(point()?.gaps, []);
  assert.equal(world.refused(root, plain(world, "vacancy", "2024-08")).code, "PRINT_EXISTS");
  world.do(root, plain(world, "vacancy", "2025-06"));
  assert.deepEqual(point()?.gaps.map(formatMonth), ["2024-12", "2025-03"]);
  world.do(root, plain(world, "vacancy", "2024-12"));
  assert.deepEqual(point()?.gaps.map(formatMonth), ["2025-03"]);
  assert.equal(world.refused(root, plain(world, "vacancy", "2024-12")).code, "PRINT_EXISTS");
});

test("each window of weather is a series: an older month of another is no print twice", () => {
  const world = new World();
  world.nowMillis = Date.UTC(2026, 0, 20);
  world.do(root, plain(world, "weather", "2025-07", true));
  world.do(root, plain(world, "weather", "2024-03", true));
  world.do(root, plain(world, "weather", "2025-03"));
  assert.equal(world.refused(root, plain(world, "weather", "2025-03")).code, "PRINT_EXISTS");
  assert.equal(world.refused(root, plain(world, "weather", "2025-07")).code, "PRINT_EXISTS");
  const points = [...world.state.chainPoints.values()];
  assert.deepEqual(
    points.map(({ month: at, gaps }) => [formatMonth(at), gaps.length]),
    [
      ["2025-07", 0],
      ["2025-03", 0],
    ],
  );
  const before = stateHash(world.state);
  assert.equal(stateHash(decodeState(encodeState(world.state))), before);
  assert.deepEqual(
    [...decodeState(encodeState(world.state)).chainPoints],
    [...world.state.chainPoints],
  );
});

test("an order elsewhere leaves what a void would take back, to the micro-dollar", () => {
  const placed = (cash: string) => {
    const world = new World();
    world.print("2024-10", "300000");
    const [seller, buyer] = [world.trader("seller", cash), world.trader("buyer", "100")];
    const ending = world.listing("2025-12", layer);
    world.order(order(ending, "SELL", "100", "0.50"), seller, ending);
    world.order(order(ending, "BUY", "100", "0.50"), buyer);
    const listing = world.listing("2025-06", layer);
    const input = order(listing, "BUY", "100", "0.30");
    return { world, seller, buyer, ending, command: { type: "PlaceOrder", order: input, listing } };
  };
  // 30 and a fee of 0.15 beside the 50 it was paid.
  const { world, seller, buyer, ending, command } = placed("30.15");
  const resting = world.order(command.order, seller, command.listing);
  world.doInTwo({ type: "CancelMarket", marketId: ending.marketId, reason: "drill" });
  assert.equal(world.state.order(resting.id).status, "OPEN");
  assert.equal(world.cash(buyer), 100_000_000n, "refunded in full");
  const short = placed("30.149999");
  const { order: input, listing } = short.command;
  const place = { type: "PlaceOrder", order: input, listing } as const;
  assert.equal(short.world.refused(short.seller.actor, place).code, "INSUFFICIENT_BALANCE");
});
