// Margin at its edges: who is judged first, what is exactly enough, what a liquidation buys back.
// Invariant: it buys what is short and can be paid for, where there is trading, and no more.

import assert from "node:assert/strict";
import { test } from "node:test";
import { micros, parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { worstFirst } from "#core/margin/default.ts";
import { healthSteps, isWorse, statusOf } from "#core/margin/health.ts";
import { PARTS_PER_MICRO } from "#core/margin/requirement.ts";
import type { Marked } from "#core/margin/risk.ts";
import { coverOf } from "#core/margin/sums.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Order } from "#core/records.ts";
import { noConcentration } from "#core/rules.ts";
import { GUARANTEE } from "#core/step.ts";
import { endCalls, endDefaults } from "./end-calls.ts";
import { flatRisk, publishMarks } from "./publish-marks.ts";
import { setRules } from "./set-rules.ts";
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
    return world.do(system, publishMarks(marks));
  };
  /** A mark whose calls nobody meets. */
  const fail = (price: string, where = big) => {
    mark(price, where);
    return endCalls(world);
  };
  return { world, seller, maker, big, small, sell, mark, fail };
}

/** The orders the exchange placed for an account, by itself. */
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
    .do(system, publishMarks(marks))
    .flatMap((event) => (event.type === "AlertRaised" ? [event.alert.accountId] : []));
  assert.deepEqual(told, ["acc-8", "acc-9", "acc-10", "acc-11", "acc-12"]);
});

test("of equally healthy accounts the older comes first, however they are named", () => {
  const { world, maker } = stage();
  const late = world.trader("late", "1000");
  assert.deepEqual(worstFirst(world.state, [late.id, maker.id]), [maker.id, late.id]);
});

test("an order whose cash is exactly there stays", () => {
  const { world, seller, small, mark } = stage();
  // At 0.11 the short needs 500 × (0.11 + 1.25 × (0.089 + 0.01)) = 116.875, an order 5.05.
  world.fund(seller, usd("-3.075"));
  const orders = ["0.05", "0.05"].map((price) =>
    world.order(order(small, "BUY", "100", price), seller, small),
  );
  mark("0.11");
  const statuses = orders.map(({ id }) => world.state.order(id).status);
  assert.deepEqual(statuses, ["OPEN", "CANCELLED"]);
  assert.equal(world.available(seller), 0n);
});

test("the newest goes first, also one that begins to hold cash back as an older one goes", () => {
  const { world, seller, small, mark } = stage();
  const elsewhere = world.listing("2025-05", binary, "0.1");
  const oldest = world.order(order(elsewhere, "BUY", "10", "0.05"), seller, elsewhere);
  // The sale needs 11.61; the purchase beside it costs 5.05, and nothing more while that stands.
  const sale = world.order(order(small, "SELL", "100", "0.11"), seller, small);
  const before = world.available(seller);
  const newest = world.order(order(small, "BUY", "100", "0.05"), seller, small);
  assert.equal(world.available(seller), before);
  mark("0.09");
  mark("0.12");
  const statuses = [oldest, sale, newest].map(({ id }) => world.state.order(id).status);
  assert.deepEqual(statuses, ["OPEN", "CANCELLED", "CANCELLED"]);
  assert.ok(world.available(seller) >= 0n);
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
  paused.fail("0.2");
  assert.deepEqual(boughtBack(paused.world, paused.seller), []);
  const dear = stage();
  // The fund asks for mark 0.2, a twentieth of 0.8 and a cent: up to 0.25.
  dear.sell("500", "0.2501", dear.big, dear.maker);
  dear.fail("0.2");
  assert.deepEqual(boughtBack(dear.world, dear.seller), []);
  assert.equal(dear.world.state.account(dear.seller.id).halted, true);
  const fair = stage();
  fair.sell("100", "0.25", fair.big, fair.maker);
  fair.fail("0.2");
  const [bought] = boughtBack(fair.world, fair.seller);
  assert.deepEqual([bought?.priceTick, bought?.filledLots], [2_500, 10_000n]);
  assert.equal(bought?.rank, fair.world.state.lastRank);
  const { postOnly, reduceOnly, selfTradePrevention } = bought ?? assert.fail();
  assert.deepEqual([postOnly, reduceOnly, selfTradePrevention], [false, false, "cancel_resting"]);
});

test("no more is bought back than is short", () => {
  const { world, seller, maker, small, sell, fail } = stage();
  sell("10", "0.1", small, seller);
  world.order(order(small, "BUY", "10", "0.1"), maker);
  sell("100", "0.12", small, maker);
  fail("0.2");
  const [bought] = boughtBack(world, seller);
  assert.deepEqual([bought?.amountLots, bought?.status], [1_000n, "FILLED"]);
  assert.equal(world.state.position(seller.id, small.marketId)?.heldLots, 0n);
});

test("each short is bought back for its part of the cash, the worst first", () => {
  const { world, seller, maker, big, small, sell, mark, fail } = stage();
  sell("10", "0.1", small, seller);
  world.order(order(small, "BUY", "10", "0.1"), maker);
  // 126 are there, of 122 at the marks and 19.40 that the fund would ask for beside.
  sell("500", "0.2379", big, maker);
  sell("10", "0.71", small, maker);
  mark("0.7", small);
  fail("0.23");
  const bought = boughtBack(world, seller);
  assert.deepEqual(
    bought.map(({ marketId, priceTick, filledLots }) => [marketId, priceTick, filledLots]),
    [[big.marketId, 2_379, 50_000n]],
    "what that left is less than the mark of the other",
  );
});

test("who is bought back whole keeps the cash that is left", () => {
  const { world, seller, big, small, maker, sell, mark, fail } = stage();
  world.fund(seller, usd("50"));
  sell("250", "0.1", small, seller);
  world.order(order(small, "BUY", "250", "0.1"), maker);
  sell("500", "0.2", big, maker);
  sell("250", "0.3", small, maker);
  mark("0.3", small);
  fail("0.25");
  // 200 less 100 and 75, and a hundredth of each in fees.
  assert.equal(world.cash(seller), usd("23.25"));
  assert.equal(world.state.account(seller.id).halted, true);
  assert.equal(world.state.account(seller.id).marginStatus, "healthy");
});

/** 1,300 contracts short at 0.028, of an account with `cash` besides the premium of 36.40. */
function cheaplyShort(cash: string) {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, maker] = [world.trader("seller", cash, "enhanced"), world.trader("maker", "9999")];
  const listing = world.listing("2025-04", layer, "0.028");
  world.order(order(listing, "SELL", "1300", "0.028"), seller, listing);
  world.order(order(listing, "BUY", "1300", "0.028"), maker);
  return { world, seller, maker, listing };
}

function requireOfEnhanced(world: World, requirementBps: number): void {
  const { rules } = world.state;
  const enhanced = { ...rules.tiers.enhanced, requirementBps };
  setRules(world, { tiers: { enhanced } });
  endDefaults(world);
}

test("a stricter rule takes the mark and the fund's charge of a seller, and no more", () => {
  const { world, seller, maker, listing } = cheaplyShort("1214.60");
  assert.equal(world.cash(seller), usd("1251"));
  // Somebody lies in wait for whoever must buy back at any price.
  world.order(order(listing, "SELL", "1300", "0.9"), maker);
  const before = world.state.balance("guarantee");
  requireOfEnhanced(world, 10_000);
  assert.deepEqual(boughtBack(world, seller), [], "the fund asks for less");
  // A liability of 36.40, a twentieth of 1,263.60, and a cent a contract.
  const taken = usd("36.4") + usd("63.18") + usd("13");
  assert.equal(world.state.balance("guarantee") - before, taken);
  assert.equal(world.cash(seller), usd("1251") - taken);
  assert.equal(world.state.account(seller.id).halted, true);
  assert.equal(world.state.exposures.shortTotals(seller.id).shortLots, 0n);
});

test("the fund charges what a bad print would cost, where that is more, within the cash", () => {
  for (const [stressed, cash, taken, worst = stressed] of [
    ["0.128", "190", "198.9"],
    ["0.328", "190", "523.9"],
    // The next print costs nothing more, a scenario does.
    ["0.028", "400", "439.4", "0.328"],
  ] as const) {
    const { world, seller, listing } = cheaplyShort(cash);
    const had = world.cash(seller);
    const before = world.state.balance("guarantee");
    const riskTicks = scenarios.map(({ id }) => tick(id === "all-12" ? worst : stressed));
    const marks = { markTick: tick("0.028"), stressedTick: tick(stressed), riskTicks };
    world.do(system, publishMarks([{ marketId: listing.marketId, ...marks }]));
    requireOfEnhanced(world, 2_000);
    // The mark, the stress, and a quarter of it for the spread: of 1,300.
    const most = usd(taken);
    assert.equal(world.state.account(seller.id).halted, true);
    assert.equal(world.state.balance("guarantee") - before, most < had ? most : had);
    assert.equal(world.cash(seller), most < had ? had - most : 0n);
  }
});

/** Two sellers who fail at a mark of 0.2; the later one is worse off. The other offers it YES. */
function twoFailing() {
  const world = new World();
  world.print("2024-10", "300000");
  const buyer = world.trader("buyer", "10000");
  const [better, worse] = [
    world.trader("better", "140", "enhanced"),
    world.trader("worse", "130", "enhanced"),
  ];
  const [listing, other] = [world.listing("2025-04", layer), world.listing("2025-04", binary)];
  for (const seller of [better, worse]) {
    world.order(order(listing, "SELL", "600", "0.05"), seller, listing);
    world.order(order(listing, "BUY", "600", "0.05"), buyer);
  }
  world.order(order(other, "SELL", "1", "0.05"), worse, other);
  world.order(order(other, "BUY", "1", "0.05"), better);
  const offer = world.order(order(other, "SELL", "1", "0.06"), better);
  const marks = { markTick: tick("0.2"), stressedTick: tick("0.3") };
  world.do(system, publishMarks([{ marketId: listing.marketId, ...marks }]));
  return { world, better, worse, events: endCalls(world), offer };
}

test("all that fail leave the books before the first of them is bought back", () => {
  const { world, events, offer } = twoFailing();
  assert.ok(!events.some((event) => event.type === "Filled"), "neither sells to the other");
  assert.equal(world.state.order(offer.id).cancelReason, "LIQUIDATION");
});

test("the worst is judged and bought back first", () => {
  const { worse, better, events } = twoFailing();
  const told = events.flatMap((event) =>
    event.type === "AlertRaised" && event.alert.type === "liquidation"
      ? [event.alert.accountId]
      : [],
  );
  assert.deepEqual(told, [worse.id, better.id]);
  const offered = events.flatMap((event) =>
    event.type === "AuctionOpened" ? [event.auction.accountId] : [],
  );
  assert.deepEqual(offered, [worse.id, better.id]);
});

test("a short in a closed market is margined by its mark, and taken over without a book", () => {
  const { world, seller, big, maker } = stage();
  world.runTo(Date.UTC(2025, 4, 10));
  assert.equal(world.state.market(big.marketId).tradingClosed, true);
  const marks = { markTick: tick("0.22"), stressedTick: tick("0.22") };
  world.do(system, publishMarks([{ marketId: big.marketId, ...marks }]));
  endDefaults(world);
  assert.equal(world.state.account(seller.id).halted, true);
  assert.equal(world.state.exposures.shortTotals(seller.id).shortLots, 0n);
  assert.equal(world.state.exposures.shortTotals(GUARANTEE).shortLots, 50_000n);
  assert.equal(world.state.position(maker.id, big.marketId)?.heldLots, 50_000n, "a claim stays");
});

test("a short whose payout is known holds back that payout, and nothing beyond it", () => {
  const { world, seller, big } = stage();
  world.runTo(Date.UTC(2025, 4, 20));
  // 4 % of decline: a quarter of the layer, 125 of 500.
  world.print("2025-04", "288000");
  const { liabilityParts, maintenanceParts } = world.state.exposures.shortTotals(seller.id);
  assert.deepEqual([liabilityParts, maintenanceParts], [parts("125"), 0n]);
  assert.equal(world.available(seller), 0n, "125 of cash");
  assert.equal(world.state.account(seller.id).marginStatus, "healthy");
  world.runTo(Date.UTC(2025, 4, 24));
  assert.equal(world.state.market(big.marketId).status, "FINALIZED");
  assert.equal(world.cash(seller), 0n);
});

test("cash that covers known payouts together pays each of them, to the micro-dollar", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, rival] = [world.trader("seller", "900"), world.trader("rival", "900")];
  const buyers = [world.trader("b1", "900"), world.trader("b2", "900")];
  for (const [attachBps, exhaustBps] of [
    [200, 1000],
    [500, 1500],
    [800, 2000],
  ] as const) {
    const listing = world.listing("2025-04", { kind: "layered", attachBps, exhaustBps });
    for (const [at, who] of [seller, rival].entries()) {
      for (const [step, buyer] of buyers.entries()) {
        const amount = `0.0${1 + ((at + step + attachBps / 100) % 7)}`;
        world.order(order(listing, "SELL", amount, "0.05"), who, listing);
        world.order(order(listing, "BUY", amount, "0.05"), buyer);
      }
    }
  }
  world.runTo(Date.UTC(2025, 4, 20));
  world.print("2025-04", "273331");
  for (const who of [seller, rival]) world.fund(who, micros(-world.available(who)));
  world.runTo(Date.UTC(2025, 4, 24));
  for (const { status } of world.state.markets.values()) assert.equal(status, "FINALIZED");
});

const parts = (text: string) => usd(text) * PARTS_PER_MICRO;
const short = (liability: string, maintenance: string, contracts: bigint) => ({
  liabilityParts: parts(liability),
  maintenanceParts: parts(maintenance),
  initialParts: 0n,
  shortLots: lots(contracts * 100n),
  binding: "tier" as const,
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
  const alone = (held: bigint, marked: Marked, requirementBps: number) =>
    coverOf(lots(held), marked, { requirementBps, concentration: noConcentration });
  const at = (price: string): Marked => {
    const [markTick, stressedTick] = [tick(price), tick(price)];
    return { markTick, stressedTick, riskTicks: flatRisk(stressedTick) };
  };
  const marks = at("0.05");
  assert.equal(alone(100n, marks, 1_000), 0n);
  assert.equal(alone(0n, marks, 1_000), 0n);
  // 0.05, and five quarters of a tenth of 0.95 and of the cent for the spread.
  assert.equal(alone(-50_000n, marks, 1_000), usd("90.625"));
  assert.equal(alone(-1n, at("0.3333"), 333), 3_736n, "3,333, 277.75 by the tier and 125");
});
