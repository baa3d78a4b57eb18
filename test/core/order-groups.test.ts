// Groups of orders with a brake of their own: what a trip takes back, and what it leaves.
// Invariant: whatever its groups, the account's own protection and limits hold over all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";
import type { Order } from "#core/records.ts";
import { stateHash } from "#core/snapshot.ts";
import { order, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const [maker, taker] = [world.trader("maker", "10000"), world.trader("taker", "10000")];
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "BUY", "1", "0.01"), taker, listing);
  const place = (
    who: Trader,
    side: "BUY" | "SELL",
    amount: string,
    price: string,
    group?: string,
  ) => world.order(order(listing, side, amount, price, group === undefined ? {} : { group }), who);
  const rest = (price: string, group?: string) => place(maker, "SELL", "10", price, group);
  const buy = (amount: string) => place(taker, "BUY", amount, "0.9");
  const shown = ({ id }: Order): string => {
    const { status, cancelReason } = world.state.order(id);
    return `${status} ${cancelReason}`;
  };
  const set = (group: string, more: Partial<CommandOf<"SetGroup">> = {}) =>
    world.do(maker.actor, {
      type: "SetGroup",
      group,
      withinMillis: 250,
      maxLots: null,
      maxFills: 1,
      ...more,
    });
  const refused = (group: string) =>
    world.refused(maker.actor, {
      type: "PlaceOrder",
      order: order(listing, "SELL", "1", "0.5", { group }),
      listing: null,
    });
  return { world, maker, taker, listing, rest, buy, shown, set, refused };
}

test("a group trips alone, takes back its own orders, and is reset alone", () => {
  const { world, maker, rest, buy, shown, set, refused } = stage();
  set("texas");
  const [first, second, third] = [
    rest("0.05", "texas"),
    rest("0.06", "texas"),
    rest("0.3", "texas"),
  ];
  const [ohio, none] = [rest("0.1", "ohio"), rest("0.2")];
  buy("15");
  assert.deepEqual([first, second, third].map(shown), [
    "FILLED null",
    "CANCELLED PROTECTION",
    "CANCELLED PROTECTION",
  ]);
  assert.deepEqual([ohio, none].map(shown), ["OPEN null", "OPEN null"]);
  const { code, field } = refused("texas");
  assert.deepEqual([code, field], ["GROUP_TRIPPED", "group"]);
  rest("0.5", "ohio");
  rest("0.5");
  world.runTo(world.nowMillis);
  const report = world.journal.at(-1);
  assert.deepEqual(report?.envelope.command, {
    type: "ReportTrip",
    accountId: maker.id,
    group: "texas",
  });
  set("texas", { maxFills: 5 });
  assert.equal(refused("texas").code, "GROUP_TRIPPED", "new limits do not undo a trip");
  world.do(maker.actor, { type: "ResetGroup", group: "texas" });
  assert.equal(shown(rest("0.5", "texas")), "OPEN null");
});

test("a window is of milliseconds, and its lots are those of the group alone", () => {
  const { world, rest, buy, shown, set } = stage();
  set("texas", { maxFills: null, maxLots: lots(1_000n) });
  const [one, two] = [rest("0.05", "texas"), rest("0.06", "texas")];
  buy("5");
  world.runTo(world.nowMillis + 249);
  buy("5");
  assert.equal(shown(two), "OPEN null", "ten is no more than ten");
  world.runTo(world.nowMillis + 1);
  buy("10");
  assert.deepEqual([one, two].map(shown), ["FILLED null", "FILLED null"], "a window of its own");
  const last = rest("0.07", "texas");
  buy("1");
  assert.equal(shown(last), "CANCELLED PROTECTION");
});

test("fills of groups count for the account: its own trip takes all, whatever the group", () => {
  const { world, maker, rest, buy, shown, set } = stage();
  const limits = { withinSeconds: 10, maxLots: null, maxFills: 2 };
  world.do(maker.actor, { type: "SetProtection", ...limits });
  const groups = ["a", "b", "c"];
  for (const group of groups) set(group, { maxFills: 100 });
  const resting = groups.map((group, at) => rest(`0.0${at + 5}`, group));
  const [far, plain] = [rest("0.5", "d"), rest("0.6")];
  buy("30");
  assert.deepEqual(resting.map(shown), ["FILLED null", "FILLED null", "FILLED null"]);
  assert.deepEqual([far, plain].map(shown), ["CANCELLED PROTECTION", "CANCELLED PROTECTION"]);
  const placing = order({ marketId: far.marketId }, "SELL", "1", "0.5", { group: "a" });
  const again = { type: "PlaceOrder", order: placing, listing: null } as const;
  assert.equal(world.refused(maker.actor, again).code, "PROTECTION_TRIPPED");
  world.do(maker.actor, { type: "ResetGroup", group: "a" });
  assert.equal(
    world.refused(maker.actor, again).code,
    "PROTECTION_TRIPPED",
    "a group resets itself",
  );
});

test("a fill-or-kill does not count what a trip would take back", () => {
  const { world, taker, listing, rest, set } = stage();
  set("texas");
  rest("0.05", "texas");
  rest("0.06", "texas");
  rest("0.07", "texas");
  const whole = (amount: string) =>
    world.do(taker.actor, {
      type: "PlaceOrder",
      order: order(listing, "BUY", amount, "0.9", { timeInForce: "FOK" }),
      listing: null,
    });
  whole("30");
  assert.equal(world.state.fillCount, 0);
  whole("20");
  assert.equal(world.state.fillCount, 2);
});

test("an order of a group without limits is filled like any other", () => {
  const { world, rest, buy, shown } = stage();
  const one = rest("0.05", "texas");
  buy("10");
  assert.equal(shown(one), "FILLED null");
  assert.equal(world.state.orderGroups.size, 0);
});

test("a trip is reported once; limits that nothing has passed are no report", () => {
  const { world, rest, buy, set } = stage();
  const due: string[] = [];
  const run = () => world.runTo(world.nowMillis + 1, ({ type }) => due.push(type));
  set("texas");
  run();
  assert.deepEqual(due, []);
  for (const price of ["0.05", "0.06"]) rest(price, "texas");
  buy("15");
  run();
  assert.deepEqual(due, ["ReportTrip"]);
  const queued = world.state.due.size;
  set("texas", { maxFills: 9 });
  assert.equal(world.state.due.size, queued, "new limits of one that is reported");
  run();
  assert.deepEqual(due, ["ReportTrip"]);
});

test("fills of no group count in none, not in one that is called undefined", () => {
  const { rest, buy, shown, set, world } = stage();
  set("undefined");
  const [first, second] = [rest("0.05"), rest("0.06")];
  const named = rest("0.5", "undefined");
  buy("20");
  assert.deepEqual([first, second, named].map(shown), ["FILLED null", "FILLED null", "OPEN null"]);
  for (const price of ["0.07", "0.08"]) rest(price, "undefined");
  buy("20");
  assert.equal(shown(named), "CANCELLED PROTECTION");
  assert.equal(shown(rest("0.5")), "OPEN null", "and the trip refuses no order of no group");
  assert.equal(world.state.groupOrders.size, 0);
});

test("an order of no group is of none, not of one that is called undefined", () => {
  const { taker, world, listing, rest, set } = stage();
  set("undefined");
  for (const group of ["undefined", "undefined", undefined]) rest("0.05", group);
  const whole = order(listing, "BUY", "30", "0.9", { timeInForce: "FOK" });
  world.do(taker.actor, { type: "PlaceOrder", order: whole, listing: null });
  assert.equal(world.state.fillCount, 3, "the trip comes with the second, and takes back nothing");
});

test("both sides of a mass quote are of its group, and a tripped one is refused alone", () => {
  const { world, maker, listing, buy, set, shown } = stage();
  const side = (price: string) => ({ priceTick: tick(price), amountLots: lots(500n) });
  const quotes = (group: string): CommandOf<"MassQuote"> => ({
    type: "MassQuote",
    quotes: [
      {
        marketId: listing.marketId,
        bid: side("0.02"),
        ask: side("0.05"),
        expirySeconds: 0,
        group,
      },
    ],
    listings: [],
  });
  set("texas", { maxFills: null, maxLots: lots(100n) });
  world.do(maker.actor, quotes("texas"));
  const own = [...world.state.orders.values()].filter(({ accountId }) => accountId === maker.id);
  buy("2");
  assert.deepEqual(own.map(shown), ["CANCELLED PROTECTION", "CANCELLED PROTECTION"]);
  const [answer] = world.do(maker.actor, quotes("texas"));
  assert.ok(answer?.type === "QuoteRefused");
  assert.equal(answer.rejection.code, "GROUP_TRIPPED");
});

test("orders are cancelled by their group, also while it or the account has tripped", () => {
  const { world, maker, rest, shown } = stage();
  const [texas, ohio, none] = [rest("0.1", "texas"), rest("0.1", "ohio"), rest("0.1")];
  world.do(maker.actor, { type: "CancelAll", marketId: null, only: { group: "texas" } });
  assert.deepEqual([texas, ohio, none].map(shown), [
    "CANCELLED REQUESTED",
    "OPEN null",
    "OPEN null",
  ]);
});

test("fifty groups are in use at most, and one that is empty and unset leaves nothing", () => {
  const { world, maker, listing, rest, set, refused, shown } = stage();
  const before = stateHash(world.state);
  set("texas");
  set("texas", { withinMillis: 0, maxFills: null });
  assert.equal(stateHash(world.state), before, "no record, no byte");
  for (let at = 1; at <= 49; at += 1) set(`g${at}`);
  const last = rest("0.5", "orders-only");
  assert.equal(shown(rest("0.5")), "OPEN null", "one of no group is always taken");
  set("never-set", { withinMillis: 0, maxFills: null });
  assert.deepEqual(refused("one-more"), {
    code: "GROUP_CAP",
    field: "group",
    details: { allowed: 50 },
  });
  const more = { type: "SetGroup", group: "more", withinMillis: 1, maxLots: null, maxFills: 1 };
  assert.equal(world.refused(maker.actor, { ...more, type: "SetGroup" }).code, "GROUP_CAP");
  set("g1", { maxFills: 3 });
  world.do(maker.actor, { type: "CancelOrder", orderId: last.id });
  // A batch counts the groups of its own orders, and no group for those that name none.
  const batch = (...groups: readonly (string | undefined)[]): CommandOf<"PlaceBatch"> => ({
    type: "PlaceBatch",
    orders: groups.map((group) =>
      order(listing, "SELL", "1", "0.5", group === undefined ? {} : { group }),
    ),
    listings: [],
  });
  assert.equal(world.refused(maker.actor, batch("one", "two")).code, "GROUP_CAP");
  world.do(maker.actor, batch(undefined, "one-more"));
  const unknown = { type: "ResetGroup", group: "never" } as const;
  assert.deepEqual(world.refused(maker.actor, unknown), {
    code: "GROUP_NOT_FOUND",
    field: "group",
  });
});

test("a group that tripped and is switched off is there until it is reset", () => {
  const { world, maker, rest, buy, set, refused } = stage();
  set("texas");
  rest("0.05", "texas");
  rest("0.06", "texas");
  buy("15");
  set("texas", { withinMillis: 0, maxFills: null });
  assert.equal(refused("texas").code, "GROUP_TRIPPED");
  world.do(maker.actor, { type: "ResetGroup", group: "texas" });
  assert.equal(world.state.orderGroups.size, 0);
  assert.equal(world.state.groupsOf.size, 0);
});
