// Margin at its edges: who is judged first, what is exactly enough, what a liquidation buys back.
// Invariant: it buys what is short and can be paid for, where there is trading, and no more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { Listing } from "#core/command.ts";
import { healthSteps, isWorse, statusOf } from "#core/margin/health.ts";
import { coverOf, PARTS_PER_MICRO } from "#core/margin/requirement.ts";
import type { Order } from "#core/records.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);

/** The seller is short 500 of L at 0.05, and has 125 of cash; nothing has been traded of K. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "100", "enhanced");
  const maker = world.trader("maker", "100000");
  const big = world.listing("2025-04", layer);
  const small = world.listing("2025-04", binary, "0.1");
  const sell = (amount: string, price: string, where: Listing, who: Trader) =>
    world.order(order(where, "SELL", amount, price), who, where);
  sell("500", "0.05", big, seller);
  world.order(order(big, "BUY", "500", "0.05"), maker);
  const mark = (price: string, where = big) => {
    const [markTick, stressedTick] = [tick(price), tick(price)];
    const marks = [{ marketId: where.marketId, markTick, stressedTick }];
    return world.do(system, { type: "PublishMarks", marks });
  };
  return { world, seller, maker, big, small, sell, mark };
}

/** What the exchange ordered for an account, by itself. */
const boughtBack = (world: World, { id }: Trader): readonly Order[] =>
  [...world.state.orders.values()].filter(
    ({ accountId, timeInForce }) => accountId === id && timeInForce === "IOC",
  );

test("accounts are judged in the order they were opened, whoever sold first", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const [buyer, ...sellers] = Array.from({ length: 12 }, (_, at) =>
    world.trader(`t${at}`, at === 0 ? "1000" : "20", "enhanced"),
  );
  assert.ok(buyer !== undefined);
  const late = sellers.slice(6);
  for (const seller of [...late.slice(2).reverse(), ...late.slice(0, 2)]) {
    world.order(order(listing, "SELL", "100", "0.05"), seller, listing);
    world.order(order(listing, "BUY", "100", "0.05"), buyer);
  }
  const at = tick("0.13");
  const marks = [{ marketId: listing.marketId, markTick: at, stressedTick: at }];
  const told = world
    .do(system, { type: "PublishMarks", marks })
    .flatMap((event) => (event.type === "AlertRaised" ? [event.alert.accountId] : []));
  assert.deepEqual(told, ["acc-8", "acc-9", "acc-10", "acc-11", "acc-12"]);
});

test("an order whose cash is exactly there stays", () => {
  const { world, seller, small, mark } = stage();
  world.fund(seller, usd("1.8"));
  const orders = ["0.05", "0.05"].map((price) =>
    world.order(order(small, "BUY", "100", price), seller, small),
  );
  mark("0.11");
  const statuses = orders.map(({ id }) => world.state.order(id).status);
  assert.deepEqual(statuses, ["OPEN", "CANCELLED"]);
  assert.equal(world.available(seller), 0n);
});

test("a closing order that costs exactly the cash there is may be placed, and stays", () => {
  const { world, seller, big, mark } = stage();
  world.fund(seller, usd("1.25"));
  mark("0.15");
  const { id } = world.order(order(big, "BUY", "500", "0.25"), seller);
  assert.equal(world.state.exposures.totals(seller.id).outlayMicros, world.cash(seller));
  mark("0.151");
  assert.equal(world.state.order(id).status, "OPEN");
});

test("nothing is bought back where trading is paused, or at more than mark and add-on", () => {
  const paused = stage();
  paused.sell("500", "0.2", paused.big, paused.maker);
  const { marketId } = paused.big;
  paused.world.do(root, { type: "PauseMarket", marketId, reason: "drill" });
  paused.mark("0.2");
  assert.deepEqual(boughtBack(paused.world, paused.seller), []);
  const dear = stage();
  // Mark 0.2 and a tenth of 0.8: up to 0.28.
  dear.sell("500", "0.2801", dear.big, dear.maker);
  dear.mark("0.2");
  assert.deepEqual(boughtBack(dear.world, dear.seller), []);
  assert.equal(dear.world.state.account(dear.seller.id).halted, true);
  const fair = stage();
  fair.sell("100", "0.28", fair.big, fair.maker);
  fair.mark("0.2");
  const [bought] = boughtBack(fair.world, fair.seller);
  assert.deepEqual([bought?.priceTick, bought?.filledLots], [2_800, 10_000n]);
  assert.equal(bought?.rank, fair.world.state.lastRank);
  const { postOnly, reduceOnly, selfTradePrevention } = bought ?? assert.fail();
  assert.deepEqual([postOnly, reduceOnly, selfTradePrevention], [false, false, "cancel_resting"]);
});

test("no more is bought back than is short", () => {
  const { world, seller, maker, small, sell, mark } = stage();
  sell("10", "0.1", small, seller);
  world.order(order(small, "BUY", "10", "0.1"), maker);
  sell("100", "0.12", small, maker);
  mark("0.2");
  const [bought] = boughtBack(world, seller);
  assert.deepEqual([bought?.amountLots, bought?.status], [1_000n, "FILLED"]);
  assert.equal(world.state.position(seller.id, small.marketId)?.heldLots, 0n);
});

test("who has no cash left buys nothing more back: no order of nothing is given", () => {
  const { world, seller, maker, big, small, sell, mark } = stage();
  sell("10", "0.1", small, seller);
  world.order(order(small, "BUY", "10", "0.1"), maker);
  sell("1000", "0.28", big, maker);
  sell("100", "0.12", small, maker);
  mark("0.2");
  const bought = boughtBack(world, seller);
  assert.equal(bought.length, 1);
  assert.equal(bought[0]?.marketId, big.marketId, "the worst first");
  assert.equal(world.cash(seller), 0n);
});

test("who is bought back whole keeps the cash that is left", () => {
  const { world, seller, big, small, maker, sell, mark } = stage();
  world.fund(seller, usd("50"));
  sell("250", "0.1", small, seller);
  world.order(order(small, "BUY", "250", "0.1"), maker);
  sell("500", "0.2", big, maker);
  sell("250", "0.3", small, maker);
  mark("0.3", small);
  mark("0.25");
  // 200 less 100 and 75, and a hundredth of each in fees.
  assert.equal(world.cash(seller), usd("23.25"));
  assert.equal(world.state.account(seller.id).halted, true);
  assert.equal(world.state.account(seller.id).marginStatus, "healthy");
});

const parts = (text: string) => usd(text) * PARTS_PER_MICRO;
const short = (liability: string, maintenance: string, contracts: bigint) => ({
  liabilityParts: parts(liability),
  maintenanceParts: parts(maintenance),
  initialParts: 0n,
  shortLots: lots(contracts * 100n),
});

test("who is not short is healthy; who can pay all it may ever owe is, too", () => {
  assert.equal(statusOf(usd("-1"), short("0", "0", 0n)), "healthy");
  assert.equal(healthSteps(usd("-1"), short("0", "0", 0n)), 10_000n);
  assert.equal(statusOf(usd("1"), short("0.99", "0.01", 1n)), "healthy");
  assert.equal(statusOf(usd("0.999999"), short("0.99", "0.01", 1n)), "liquidation");
});

test("a short whose payout is known is covered or it is not", () => {
  assert.equal(healthSteps(usd("1"), short("1", "0", 1n)), 10_000n);
  assert.equal(healthSteps(usd("1.01"), short("1", "0", 1n)), 10_000n);
  assert.equal(healthSteps(usd("0.99"), short("1", "0", 1n)), 0n);
});

test("a status is worse than those before it, and not than itself", () => {
  const statuses = ["healthy", "warning", "critical", "liquidation"] as const;
  for (const [at, status] of statuses.entries()) {
    for (const [other, than] of statuses.entries()) {
      assert.equal(isWorse(status, than), at > other, `${status} than ${than}`);
    }
  }
});

test("a position holds back nothing long; short, liability and initial margin, rounded up", () => {
  const marks = { markTick: tick("0.05"), stressedTick: tick("0.05") };
  assert.equal(coverOf(lots(100n), marks, 1_000), 0n);
  assert.equal(coverOf(lots(0n), marks, 1_000), 0n);
  // 0.05 and half as much again as a tenth of 0.95.
  assert.equal(coverOf(lots(-50_000n), marks, 1_000), usd("96.25"));
  const odd = { markTick: tick("0.3333"), stressedTick: tick("0.3333") };
  assert.equal(coverOf(lots(-1n), odd, 333), 3_667n, "3,333 and 333.0 of 3,666.00");
});
