// Closing orders of an account below its initial margin: the price at which one leaves the health
// as it is, by hand, and the refusals that name it.
// Invariant: at that price it passes, and a tick beyond it is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros, parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { MarkUpdate } from "#core/command.ts";
import { isBelowInitial, lowersHealth, priceThatPasses } from "#core/margin/closing.ts";
import type { Standing } from "#core/margin/exposure.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { judgeOrders } from "#core/order/place.ts";
import type { Order } from "#core/records.ts";
import { beginStep } from "#core/step.ts";
import { quote } from "./exposure-records.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, system, type Trader, tick, World } from "./world.ts";

const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
const PARTS = 20_000n;
/** At 0.2 a lot short, with 0.1 added on. */
const LIABILITY = 2_000n * PARTS;
const ADD_ON = 1_000n * PARTS;

const standing = (heldLots: bigint, more: Partial<Standing> = {}): Standing => ({
  ...{ heldLots, buyLots: 0n, sellLots: 0n, liability: LIABILITY, feeBps: 0 },
  maintenanceAt: (held) => (held < 0n ? -held * ADD_ON : 0n),
  ...more,
});

/** Of 100 lots short and nothing else. */
const totals = {
  liabilityParts: 100n * LIABILITY,
  maintenanceParts: 100n * ADD_ON,
  initialParts: 125n * ADD_ON,
  shortLots: lots(100n),
  binding: "tier",
} as const;
/** Half of the add-on beyond the mark: health 0.5. */
const cash = micros(250_000n);

const buying = (amount: bigint, price: string, more: Partial<Order> = {}): Order => ({
  ...quote("L", "BUY", price, 1n),
  amountLots: lots(amount),
  ...more,
});
const selling = (amount: bigint, price: string): Order => ({
  ...buying(amount, price),
  side: "SELL",
});

const lowers = (one: Order, at: Standing): boolean => lowersHealth(cash, totals, one, at);

test("below initial margin is what lacks a micro-dollar of liability and initial margin", () => {
  assert.equal(isBelowInitial(micros(325_000n), totals), false);
  assert.equal(isBelowInitial(micros(324_999n), totals), true);
});

test("a purchase passes at the mark and as much of the add-on as is there", () => {
  for (const amount of [1n, 10n, 100n]) {
    assert.equal(lowers(buying(amount, "0.25"), standing(-100n)), false, `${amount}`);
    assert.equal(lowers(buying(amount, "0.2501"), standing(-100n)), true, `${amount}`);
  }
});

test("only what is left of an order counts, and its fee is paid with the price", () => {
  const half = buying(20n, "0.25", { filledLots: lots(10n), status: "PARTIALLY_FILLED" });
  assert.equal(lowers(half, standing(-10n)), false);
  assert.equal(lowers(half, standing(-9n)), true, "the tenth closes nothing");
  const charged = standing(-100n, { feeBps: 100 });
  // 0.2475 and a hundredth of it are a part of a tick less than 0.25.
  assert.equal(lowers(buying(100n, "0.2475"), charged), false);
  assert.equal(lowers(buying(100n, "0.2476"), charged), true);
});

test("a lot bought beyond flat is paid for and frees nothing", () => {
  // 100 lots free 0.2 each and all of the add-on; 150 are paid for with what is there.
  assert.equal(lowers(buying(150n, "0.1666"), standing(-100n)), false);
  assert.equal(lowers(buying(150n, "0.1667"), standing(-100n)), true);
});

test("orders of its side fill before it does", () => {
  const behind = standing(-100n, { buyLots: 90n });
  assert.equal(lowers(buying(10n, "0.25"), behind), false);
  assert.equal(lowers(buying(11n, "0.25"), behind), true);
  assert.equal(lowers(buying(10n, "0.25"), standing(-100n, { sellLots: 90n })), false);
  const long = standing(30n, { sellLots: 20n });
  assert.equal(lowers(selling(10n, "0.0001"), long), false, "what is held brings cash in");
  // A lot short needs 0.2, and half of 0.1 for a health of 0.5.
  assert.equal(lowers(selling(5n, "0.25"), standing(30n, { sellLots: 30n })), false);
  assert.equal(lowers(selling(5n, "0.2499"), standing(30n, { sellLots: 30n })), true);
  assert.equal(lowers(selling(5n, "0.2499"), standing(30n, { buyLots: 30n })), false);
});

test("where no add-on is asked for, nothing may cost more than it frees", () => {
  const known = { ...totals, maintenanceParts: 0n, initialParts: 0n };
  const none = standing(-100n, { maintenanceAt: () => 0n });
  const at = (price: string) => lowersHealth(cash, known, buying(10n, price), none);
  assert.deepEqual(["0.1999", "0.2", "0.2001"].map(at), [false, false, true]);
});

test("the price that passes is the nearest to the order's own, on its own scale", () => {
  const upTo = (most: number) => (one: Order) => {
    const yes = one.outcomeIndex === 0 ? one.priceTick : 10_000 - one.priceTick;
    return (one.side === "BUY") === (one.outcomeIndex === 0) ? yes > most : yes < most;
  };
  assert.equal(priceThatPasses(buying(1n, "0.5"), upTo(2_500)), 2_500);
  assert.equal(priceThatPasses(buying(1n, "0.2501"), upTo(2_500)), 2_500);
  assert.equal(priceThatPasses(buying(1n, "0.5"), upTo(1)), 1);
  assert.equal(priceThatPasses(buying(1n, "0.5"), upTo(0)), undefined, "not even the lowest");
  assert.equal(priceThatPasses(selling(1n, "0.1"), upTo(2_500)), 2_500);
  assert.equal(priceThatPasses(selling(1n, "0.1"), upTo(9_999)), 9_999);
  assert.equal(priceThatPasses(selling(1n, "0.1"), upTo(10_000)), undefined);
  const no = { outcomeIndex: 1 } as const;
  assert.equal(priceThatPasses({ ...selling(1n, "0.5"), ...no }, upTo(2_500)), 7_500);
  assert.equal(priceThatPasses({ ...buying(1n, "0.95"), ...no }, upTo(2_500)), 7_500);
});

/** 1,000 short at 0.15 with 250: health 100 to 95, and 268.75 are initial margin. */
function stage(cash = "200", before: (made: Before) => void = () => {}) {
  const world = new World();
  world.print("2024-10", "300000");
  const seller = world.trader("seller", cash, "enhanced");
  const maker = world.trader("maker", "100000");
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  before({ world, seller, maker });
  mark(world, listing, "0.15");
  return { world, seller, maker, listing };
}

interface Before {
  readonly world: World;
  readonly seller: Trader;
  readonly maker: Trader;
}

function mark(world: World, { marketId }: Listing, price: string): void {
  const at = { markTick: tick(price), stressedTick: tick(price) };
  world.do(system, publishMarks([{ marketId, ...at }]));
}

test("a closing order that costs too much is refused, and told the price that passes", () => {
  const { world, seller, listing } = stage();
  assert.equal(world.available(seller), usd("-18.75"));
  const refused = (amount: string, price: string, no = false) =>
    world.refused(seller.actor, {
      type: "PlaceOrder",
      order: no
        ? order(listing, "SELL", amount, price, { outcomeIndex: 1 })
        : order(listing, "BUY", amount, price),
      listing: null,
    });
  const closing = (allowedTick: number) => ({
    ...{ code: "CLOSING_PRICE", field: "price", details: { allowedTick } },
  });
  // Of 0.25 a contract a hundredth of the price is the fee.
  assert.deepEqual(refused("100", "0.26"), closing(2_475));
  assert.deepEqual(refused("100", "0.74", true), closing(7_525));
  world.order(order(listing, "BUY", "900", "0.2475"), seller);
  world.order(order(listing, "BUY", "100", "0.2475"), seller);
  assert.deepEqual(refused("0.01", "0.0001"), {
    code: "CLOSING_PRICE",
    field: "price",
    details: {},
  });
});

test("of a batch each closing order is judged after those before it", () => {
  const { world, seller, listing } = stage();
  const orders = [order(listing, "BUY", "1000", "0.2475"), order(listing, "BUY", "0.01", "0.2")];
  assert.deepEqual(world.refused(seller.actor, { type: "PlaceBatch", orders, listings: [] }), {
    code: "CLOSING_PRICE",
    field: "price",
    details: { index: 1 },
  });
});

test("closing orders together cost no more than the cash there is", () => {
  const { world, seller, listing } = stage();
  world.order(order(listing, "BUY", "800", "0.2475"), seller);
  const more = order(listing, "BUY", "200", "0.265");
  // Of 250 the first would take 199.98 with its fee, the second 53.53.
  assert.deepEqual(
    world.refused(seller.actor, { type: "PlaceOrder", order: more, listing: null }),
    {
      code: "INSUFFICIENT_BALANCE",
      details: { requiredMicros: usd("53.53"), availableMicros: usd("50.02") },
    },
  );
});

test("a mark elsewhere takes back the closing orders that have come to lower the health", () => {
  const others: Listing[] = [];
  const { world, seller, listing } = stage("210", (made) => {
    const other = made.world.listing("2025-06", { kind: "binary", strikeBps: 500 });
    made.world.order(order(other, "SELL", "100", "0.05"), made.seller, other);
    made.world.order(order(other, "BUY", "100", "0.05"), made.maker);
    others.push(other);
  });
  const [other] = others;
  assert.ok(other !== undefined && world.cash(seller) === usd("265"));
  // 110 beyond the marks and 105.50 of add-on: up to 0.249 a contract, with the fee.
  const orders = ["0.24", "0.246", "0.2425"].map(
    (price) => world.order(order(listing, "BUY", "100", price), seller).id,
  );
  mark(world, other, "0.1");
  // 105 of 105: up to 0.245.
  const states = orders.map((id) => {
    const { status, cancelReason } = world.state.order(id);
    return [status, cancelReason];
  });
  assert.deepEqual(states, [
    ["OPEN", null],
    ["CANCELLED", "MARGIN"],
    ["OPEN", null],
  ]);
});

/** Worth so much after one scenario, and as the mark after all others. */
const risky = ({ marketId }: Listing, worst: number): MarkUpdate => {
  const riskTicks = scenarios.map((_, at) => tick(at === worst ? "0.5" : "0.2"));
  return { marketId, markTick: tick("0.2"), stressedTick: tick("0.2"), riskTicks };
};

test("an order may add cover in no scenario that lacks it, though another one binds", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, maker] = [world.trader("seller", "3.4"), world.trader("maker", "1000")];
  const [one, two] = ["2025-04", "2025-05"].map((end) =>
    world.listing(end, { kind: "layered", attachBps: 200, exhaustBps: 1000 }),
  );
  assert.ok(one !== undefined && two !== undefined);
  for (const [listing, amount] of [
    [one, "10"],
    [two, "9"],
  ] as const) {
    world.order(order(listing, "SELL", amount, "0.2"), seller, listing);
    world.order(order(listing, "BUY", amount, "0.2"), maker);
  }
  assert.equal(world.cash(seller), usd("7.2"));
  world.do(system, publishMarks([risky(one, 0), risky(two, 1)]));
  // 7.7875 are needed in the first scenario, 7.4125 in the second: 1.25 times 0.31 beside the mark.
  assert.equal(world.available(seller), usd("-0.5875"));
  const place = (price: string) =>
    world.refused(seller.actor, {
      type: "PlaceOrder",
      order: order(two, "SELL", "1", price),
      listing: null,
    });
  // It brings in more than the first scenario needs; the second needs 0.5875, and the fee.
  assert.deepEqual(place("0.22"), {
    code: "INSUFFICIENT_BALANCE",
    details: { requiredMicros: usd("0.3686"), availableMicros: usd("-0.5875") },
  });
});

test("an account that lacks cash for a void alone buys beyond flat as it likes", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const [seller, maker] = [world.trader("seller", "2"), world.trader("maker", "1000")];
  const [one, two] = ["2025-04", "2025-05"].map((end) =>
    world.listing(end, { kind: "layered", attachBps: 200, exhaustBps: 1000 }),
  );
  assert.ok(one !== undefined && two !== undefined);
  for (const [listing, amount, price] of [
    [one, "100", "0.9"],
    [two, "10", "0.05"],
  ] as const) {
    world.order(order(listing, "SELL", amount, price), seller, listing);
    world.order(order(listing, "BUY", amount, price), maker);
  }
  mark(world, two, "0.5");
  // A void of the first would take 90 back, the second needs 5.4375: of 92.50.
  assert.equal(world.available(seller), usd("-2.9375"));
  world.order(order(one, "BUY", "100", "0.05"), seller);
  assert.equal(world.order(order(one, "BUY", "1", "0.05"), seller).status, "OPEN");
});

test("cash that is lent for an order counts as there, and nothing beyond it is asked", () => {
  const { world, seller, listing } = stage();
  const { nowMillis: timeMillis, state } = world;
  const envelope = { timeMillis, actor: seller.actor, requestId: null, idempotency: null };
  const step = beginStep(state, { ...envelope, command: { type: "CancelAll", marketId: null } }, 1);
  const judged = (lent: string) => {
    const orders = [order(listing, "BUY", "100", "0.26")];
    const outcome = judgeOrders(step, orders, [], { advanceMicros: usd(lent) });
    return "code" in outcome ? outcome.code : "taken";
  };
  assert.equal(judged("18.749999"), "CLOSING_PRICE");
  assert.equal(judged("18.75"), "taken");
});
