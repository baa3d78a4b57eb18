// The limit of a day counts fills: what rests counts for nothing, and gives no more than is left.
// Invariant: however much rests, with whomever, in a book, an auction, a mandate or a request, an
// account trades no more in a UTC day than its limit.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MarketId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { leftToday, maxDaily, takenToday } from "#core/account/caps.ts";
import type { CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Order } from "#core/records.ts";
import { publishMarks } from "./publish-marks.ts";
import { contracts, rfqStage } from "./rfq-stage.ts";
import { setRules } from "./set-rules.ts";
import { amendment, order, root, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (dollars: number) => micros(BigInt(dollars) * 1_000_000n);
const DAY_MILLIS = 86_400_000;

/** Ida may trade 100 contracts a day, Mona and Nils what they like. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const ida = world.trader("ida", "100000");
  const [mona, nils] = [world.trader("mona", "100000"), world.trader("nils", "100000")];
  world.do(root, { type: "SetCaps", accountId: ida.id, maxDailyMicros: usd(100) });
  const listing = world.listing("2025-04", layer);
  const place = (who: Trader, side: "BUY" | "SELL", amount: string, price: string, more = {}) =>
    world.order(order(listing, side, amount, price, more), who, listing);
  const now = ({ id }: Order): Order => world.state.order(id);
  const traded = ({ id }: Trader): bigint =>
    takenToday({ state: world.state, nowMillis: world.nowMillis }, id);
  const shown = (one: Order) => [now(one).status, now(one).filledLots, now(one).cancelReason];
  return { world, ida, mona, nils, listing, place, now, traded, shown };
}

test("ten times the limit rests, and a day's worth of it is filled, by two accounts", () => {
  const { mona, nils, ida, place, traded, shown } = stage();
  const resting = Array.from({ length: 10 }, (_, at) =>
    place(ida, "SELL", "100", at === 0 ? "0.05" : "0.06"),
  );
  const first = place(mona, "BUY", "60", "0.9");
  assert.deepEqual(shown(first), ["FILLED", contracts("60"), null]);
  const [best, second, third] = resting;
  assert.ok(best && second && third);
  const rest = place(nils, "BUY", "500", "0.9", { timeInForce: "IOC" });
  assert.deepEqual(shown(rest), ["CANCELLED", contracts("40"), "UNFILLED_IMMEDIATE"]);
  assert.equal(traded(ida), contracts("100"));
  assert.deepEqual(shown(best), ["FILLED", contracts("100"), null]);
  for (const one of resting.slice(1)) {
    assert.deepEqual(shown(one), ["CANCELLED", 0n, "DAILY_LIMIT"], "it is met and gives nothing");
  }
});

test("an order that is met leaves with what it had given; one that is not stays", () => {
  const { world, mona, ida, place, shown, now } = stage();
  place(ida, "SELL", "70", "0.05");
  const cut = place(ida, "SELL", "70", "0.06");
  const stays = place(ida, "SELL", "70", "0.5");
  const taker = place(mona, "BUY", "140", "0.2");
  assert.deepEqual(shown(cut), ["CANCELLED", contracts("30"), "DAILY_LIMIT"]);
  assert.deepEqual(shown(taker), ["PARTIALLY_FILLED", contracts("100"), null]);
  assert.equal(now(stays).status, "OPEN");
  world.runTo(world.nowMillis + DAY_MILLIS);
  place(mona, "BUY", "70", "0.5");
  assert.deepEqual(shown(stays), ["FILLED", contracts("70"), null], "the next day it gives");
});

test("an order has to fit what the day leaves, alone; a smaller one may replace what rests", () => {
  const { world, ida, mona, listing, place } = stage();
  place(ida, "SELL", "60", "0.05");
  const rests = place(ida, "SELL", "100", "0.5");
  place(mona, "BUY", "60", "0.05");
  const placing = (amount: string) =>
    ({ type: "PlaceOrder", order: order(listing, "BUY", amount, "0.01"), listing: null }) as const;
  assert.deepEqual(world.refused(ida.actor, placing("40.01")).details, {
    limit: "maxDaily",
    requiredMicros: 100_010_000n,
    allowedMicros: 100_000_000n,
  });
  world.do(ida.actor, placing("40"));
  const { id: orderId } = rests;
  world.do(ida.actor, amendment({ orderId, amountLots: contracts("99") }));
  world.do(ida.actor, amendment({ orderId, price: { tick: tick("0.6") } }));
  const larger = amendment({ orderId, amountLots: contracts("100") });
  assert.equal(world.refused(ida.actor, larger).code, "POSITION_LIMIT");
});

test("of a batch the order that trades beyond the day leaves, one that rests stays", () => {
  const { world, ida, mona, listing, place, traded } = stage();
  place(mona, "SELL", "300", "0.05");
  const buy = (price: string) => order(listing, "BUY", "80", price);
  const orders = [buy("0.05"), buy("0.06"), buy("0.01")];
  world.do(ida.actor, { type: "PlaceBatch", orders, listings: [] });
  const own = [...world.state.orders.values()].filter(({ accountId }) => accountId === ida.id);
  const [first, second, third] = own.map((one) => [one.status, one.filledLots, one.cancelReason]);
  assert.deepEqual(first, ["FILLED", contracts("80"), null]);
  assert.deepEqual(second, ["CANCELLED", contracts("20"), "DAILY_LIMIT"]);
  assert.deepEqual(third, ["OPEN", 0n, null]);
  assert.equal(traded(ida), contracts("100"));
});

test("a fill-or-kill counts only what those who rest may still trade", () => {
  const { world, listing, ida, mona, place, shown, traded } = stage();
  place(ida, "SELL", "100", "0.05");
  place(ida, "SELL", "100", "0.05");
  const tooMuch = order(listing, "BUY", "100.01", "0.05", { timeInForce: "FOK" });
  world.do(mona.actor, { type: "PlaceOrder", order: tooMuch, listing: null });
  assert.equal(traded(mona), 0n);
  const whole = place(mona, "BUY", "100", "0.05", { timeInForce: "FOK" });
  assert.deepEqual(shown(whole), ["FILLED", contracts("100"), null]);
});

test("an auction fills a day's worth, by price and time, at the price of the others", () => {
  const { world, ida, mona, nils, place, shown, traded } = stage();
  place(mona, "BUY", "0.01", "0.01");
  world.do(root, { type: "OpenWindow", index: "zhvi", reason: "the page is out" });
  const cheap = place(ida, "SELL", "80", "0.05");
  const middle = place(ida, "SELL", "80", "0.06");
  const last = place(ida, "SELL", "80", "0.07");
  const far = place(ida, "SELL", "80", "0.5");
  const buyer = place(mona, "BUY", "200", "0.08");
  const other = place(nils, "SELL", "30", "0.07");
  world.runTo(world.nowMillis + DAY_MILLIS + 60_000);
  assert.equal(traded(ida), contracts("100"));
  assert.deepEqual(shown(cheap), ["FILLED", contracts("80"), null]);
  assert.deepEqual(shown(middle), ["CANCELLED", contracts("20"), "DAILY_LIMIT"]);
  assert.deepEqual(shown(last), ["CANCELLED", 0n, "DAILY_LIMIT"]);
  assert.deepEqual(shown(far), ["OPEN", 0n, null], "nobody asked anything of it");
  assert.deepEqual(shown(other), ["FILLED", contracts("30"), null]);
  assert.deepEqual(shown(buyer), ["PARTIALLY_FILLED", contracts("130"), null]);
  assert.equal(world.state.fillCount, 3, "an order with nothing to give meets nobody");
});

/** Matching is held in a market whose mark is 0.05; `end` lets all that waits meet. */
function auction() {
  const scene = stage();
  const { world, mona, place } = scene;
  place(mona, "BUY", "0.01", "0.01");
  world.do(root, { type: "OpenWindow", index: "zhvi", reason: "the page is out" });
  return { ...scene, end: () => world.runTo(world.nowMillis + DAY_MILLIS + 60_000) };
}

test("an order that an auction cut to the day stays where the day is not over after it", () => {
  const { ida, mona, place, traded, shown, end } = auction();
  place(ida, "SELL", "80", "0.05");
  const cut = place(ida, "SELL", "80", "0.06");
  place(mona, "BUY", "90", "0.08");
  end();
  assert.equal(traded(ida), contracts("90"));
  assert.deepEqual(shown(cut), ["PARTIALLY_FILLED", contracts("10"), null]);
});

test("an account whose day ends with what it sells keeps what it bids below", () => {
  const { ida, mona, nils, place, traded, shown, end } = auction();
  place(nils, "SELL", "10", "0.03");
  const bid = place(ida, "BUY", "50", "0.04");
  const offer = place(ida, "SELL", "100", "0.06");
  place(mona, "BUY", "110", "0.08");
  end();
  assert.equal(traded(ida), contracts("100"));
  assert.deepEqual(shown(offer), ["FILLED", contracts("100"), null]);
  assert.deepEqual(shown(bid), ["OPEN", 0n, null]);
});

test("of a batch a fill-or-kill takes what is left of the day, and of more nothing", () => {
  for (const [amount, shownAs] of [
    ["20", ["FILLED", contracts("20"), null]],
    ["20.01", ["CANCELLED", 0n, "FILL_OR_KILL"]],
  ] as const) {
    const { world, ida, mona, listing, place } = stage();
    place(mona, "SELL", "300", "0.05");
    const orders = [
      order(listing, "BUY", "80", "0.05"),
      order(listing, "BUY", amount, "0.05", { timeInForce: "FOK" }),
    ];
    const last = world
      .do(ida.actor, { type: "PlaceBatch", orders, listings: [] })
      .findLast((event) => event.type === "OrderChanged" && event.order.accountId === ida.id);
    assert.ok(last?.type === "OrderChanged");
    const { status, filledLots, cancelReason } = last.order;
    assert.deepEqual([status, filledLots, cancelReason], shownAs);
  }
});

test("a reduce-only order with nothing left to reduce leaves for that, whatever the day", () => {
  const { world, ida, mona, place, shown } = stage();
  place(mona, "SELL", "10", "0.05");
  place(ida, "BUY", "10", "0.05");
  const reduces = place(ida, "SELL", "10", "0.5", { reduceOnly: true });
  place(ida, "SELL", "10", "0.4");
  world.do(root, { type: "SetCaps", accountId: ida.id, maxDailyMicros: usd(20) });
  place(mona, "BUY", "15", "0.5");
  assert.deepEqual(shown(reduces), ["CANCELLED", 0n, "REDUCE_ONLY"]);
});

test("a quote for a request takes its part of the day: nobody else is given that", () => {
  const { world, maker, rival, listings, open, quote, accept, statusOf } = rfqStage();
  const [listing] = listings;
  assert.ok(listing !== undefined);
  world.do(root, { type: "SetCaps", accountId: maker.id, maxDailyMicros: usd(2_500) });
  open();
  quote(["0.1"]);
  assert.equal(statusOf(), "open", "two legs of 1,000");
  const sell = (amount: string) =>
    ({ type: "PlaceOrder", order: order(listing, "SELL", amount, "0.05"), listing }) as const;
  assert.equal(world.refused(maker.actor, sell("501")).code, "POSITION_LIMIT");
  for (const _ of [1, 2, 3]) world.do(maker.actor, sell("500"));
  world.do(rival.actor, {
    type: "PlaceOrder",
    order: order(listing, "BUY", "1500", "0.05", { timeInForce: "IOC" }),
    listing: null,
  });
  const before = { state: world.state, nowMillis: world.nowMillis };
  assert.equal(takenToday(before, maker.id), contracts("2500"), "500 sold, 2,000 promised");
  accept();
  assert.equal(statusOf(), "filled", "its maker's day is no reason to refuse it");
  assert.equal(takenToday(before, maker.id), contracts("2500"));
});

test("a requester's block counts against its day, and so do quotes it has given", () => {
  const { world, buyer, open, quote, accept } = rfqStage();
  open();
  quote(["0.1"]);
  world.do(root, { type: "SetCaps", accountId: buyer.id, maxDailyMicros: usd(1_999) });
  const outcome = accept();
  assert.ok("rejection" in outcome);
  assert.deepEqual(
    [outcome.rejection.code, outcome.rejection.details?.limit],
    ["POSITION_LIMIT", "maxDaily"],
  );
});

/** Sells 0.01 above the mark, up to 1,000 contracts. */
const offering = ({ terms }: Listing): CommandOf<"SetMandate"> => ({
  type: "SetMandate",
  mandateId: null,
  terms: {
    scope: {
      index: "zhvi",
      places: [terms.nodeId],
      levels: null,
      payoffs: null,
      minMonths: 1,
      maxMonths: 60,
    },
    side: "SELL",
    spreadTicks: 100,
    spreadTicksPerYear: 0,
    mostInMarketLots: contracts("1000"),
    mostInStateLots: contracts("1000"),
    mostInAllLots: contracts("1000"),
    expirySeconds: 0,
    collateral: "margin",
  },
});

test("a mandate gives what the day leaves, and resting orders take nothing of it", () => {
  const { world, ida, mona, listing, place, traded } = stage();
  place(mona, "BUY", "0.01", "0.01");
  place(ida, "SELL", "100", "0.9");
  world.do(ida.actor, offering(listing));
  place(mona, "BUY", "300", "0.5", { timeInForce: "IOC" });
  assert.equal(traded(ida), contracts("100"));
});

test("what is left of an order at the end of a day leaves where a mandate would meet it", () => {
  const { world, ida, mona, nils, listing, place } = stage();
  place(mona, "BUY", "0.01", "0.01");
  world.do(nils.actor, offering(listing));
  const buys = (price: string) => order(listing, "BUY", "80", price);
  const orders = [buys("0.5"), buys("0.5")];
  const last = world
    .do(ida.actor, { type: "PlaceBatch", orders, listings: [] })
    .findLast((event) => event.type === "OrderChanged" && event.order.accountId === ida.id);
  assert.ok(last?.type === "OrderChanged");
  assert.deepEqual(
    [last.order.status, last.order.filledLots, last.order.cancelReason],
    ["CANCELLED", contracts("20"), "DAILY_LIMIT"],
  );
});

test("the lower of a tier's two limits of a day holds; one below what is traded leaves 0", () => {
  const { world, ida, mona, place } = stage();
  const daily = () => maxDaily(world.state.rules, world.state.account(mona.id));
  for (const [ofKyc, ofTier] of [
    [70, 80],
    [60, 50],
  ] as const) {
    const institutional = { maxDailyMicros: usd(ofKyc), maxDailyVolumeMicros: usd(ofTier) };
    setRules(world, { tiers: { institutional } });
    assert.equal(daily(), usd(Math.min(ofKyc, ofTier)));
  }
  place(ida, "SELL", "40", "0.05");
  place(mona, "BUY", "40", "0.05");
  world.do(root, { type: "SetCaps", accountId: ida.id, maxDailyMicros: usd(30) });
  const { state, nowMillis } = world;
  const moment = { state, nowMillis, nowSeconds: nowMillis / 1000 };
  assert.deepEqual([leftToday(moment, ida.id), leftToday(moment, mona.id)], [0n, contracts("10")]);
});

test("one person lowers one of two limits, and the other is not set by that", () => {
  const { world, nils } = stage();
  for (const name of ["one", "two"]) world.open(name, "operator");
  const caps = () => world.state.account(nils.id).caps;
  const set = (more: object) => world.do(root, { type: "SetCaps", accountId: nils.id, ...more });
  set({ maxDailyMicros: usd(50) });
  assert.deepEqual(caps(), { maxDailyMicros: usd(50) });
  set({ maxOpenOrders: 7 });
  assert.deepEqual(caps(), { maxDailyMicros: usd(50), maxOpenOrders: 7 });
});

test("back to what every account has, an account's record says nothing of limits", () => {
  const { world, ida } = stage();
  world.do(root, { type: "SetCaps", accountId: ida.id, maxDailyMicros: null });
  assert.ok(!("caps" in world.state.account(ida.id)));
});

test("two people raise a limit, one lowers it, and back to the tier's is what it is then", () => {
  const { world, ida, mona } = stage();
  const [one, two] = [world.open("one", "operator"), world.open("two", "operator")];
  const caps = () => world.state.account(ida.id).caps;
  const set = (who: Trader, more: object) =>
    world.do(who.actor, { type: "SetCaps", accountId: ida.id, ...more });
  set(one, { maxDailyMicros: usd(50), maxOpenOrders: 2 });
  assert.deepEqual(caps(), { maxDailyMicros: usd(50), maxOpenOrders: 2 });
  const [waiting] = set(one, { maxDailyMicros: null });
  assert.deepEqual(caps(), { maxDailyMicros: usd(50), maxOpenOrders: 2 }, "a second one is asked");
  assert.ok(waiting?.type === "WordChanged");
  world.agree(two.actor, waiting.word);
  assert.deepEqual(caps(), { maxOpenOrders: 2 });
  set(one, { maxOpenOrders: 3 });
  set(two, { maxOpenOrders: 3 });
  assert.deepEqual(caps(), { maxOpenOrders: 3 });
  set(two, { maxDailyMicros: null });
  assert.equal(world.state.account(mona.id).caps, undefined);
});

test("an account's own cap on open orders holds, and an amendment is no further order", () => {
  const { world, ida, listing, place } = stage();
  const first = place(ida, "BUY", "1", "0.01");
  const lower = { type: "SetCaps", accountId: ida.id, maxOpenOrders: 1 } as const;
  place(ida, "BUY", "1", "0.01");
  world.do(root, lower);
  const more = { type: "PlaceOrder", order: order(listing, "BUY", "1", "0.01"), listing: null };
  assert.deepEqual(world.refused(ida.actor, { ...more, type: "PlaceOrder" }), {
    code: "OPEN_ORDER_CAP",
    details: { allowed: 1 },
  });
  const amended = amendment({ orderId: first.id, price: { tick: tick("0.02") } });
  world.do(ida.actor, amended);
  const many = { type: "SetCaps", accountId: ida.id, maxOpenOrders: 1_001 } as const;
  world.do(root, many);
  world.judgesRefusals = false;
  for (let at = 2; at < 1_001; at += 1) place(ida, "BUY", "0.01", "0.01");
  assert.equal(world.refused(ida.actor, { ...more, type: "PlaceOrder" }).code, "OPEN_ORDER_CAP");
});

test("a default is bought back beyond the day of who defaults", () => {
  const { world, ida, mona, nils, listing, place, shown } = stage();
  const { marketId } = listing;
  place(ida, "SELL", "100", "0.05");
  place(mona, "BUY", "100", "0.05");
  const free = world.state.balance(`cash:${ida.id}`) - world.state.exposures.locked(ida.id);
  world.do(root, {
    type: "FundAccount",
    accountId: ida.id,
    amountMicros: micros(-free),
    memo: null,
  });
  const offer = place(nils, "SELL", "100", "0.06");
  world.do(root, { type: "SetCaps", accountId: ida.id, maxDailyMicros: usd(0) });
  mark(world, marketId, "0.6");
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.ok(world.state.account(ida.id).halted, "it is in default");
  assert.equal(shown(offer)[0], "PARTIALLY_FILLED", "its cash buys what is offered");
});

function mark(world: World, marketId: MarketId, price: string): void {
  const markTick = tick(price);
  world.do({ type: "system" }, publishMarks([{ marketId, markTick, stressedTick: markTick }]));
}
