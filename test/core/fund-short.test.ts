// A guarantee fund that cannot carry its two weakest owners: who is told, which orders are refused
// until it can, and when that is asked again.
// Invariant: an order that adds no short is never refused for what the fund lacks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicros, type Micros, micros, parseMicros } from "#base/money.ts";
import { parseLots } from "#base/quantity.ts";
import type { OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { putBalance } from "#core/fold.ts";
import { coverOf, judgeCover } from "#core/margin/cover.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { beginStep } from "#core/step.ts";
import { publishMarks } from "./publish-marks.ts";
import { amendment, order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);
const contracts = (text: string) => parseLots(text) ?? assert.fail(text);
/** A lack up to this shuts nobody out. */
const FLOOR = usd("10000");

/** Two owners are 50,000 short each, sold at 0.05 with 4,000 USD; the maker holds all of it. */
function stage() {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const maker = world.trader("maker", "1000000");
  const honest = world.trader("honest", "1000000");
  const weak = [world.trader("first", "4000"), world.trader("second", "4000")];
  const operators = [world.open("olga", "operator"), world.open("otto", "operator")];
  for (const [at, who] of weak.entries()) {
    world.order(order(listing, "SELL", "50000", "0.05"), who, at === 0 ? listing : null);
    world.order(order(listing, "BUY", "50000", "0.05"), maker);
  }
  const mark = (price: string): readonly Event[] => {
    const marks = { markTick: tick(price), stressedTick: tick(price) };
    const mine = { marketId: listing.marketId, ...marks };
    return world.do(system, publishMarks([mine]));
  };
  const tries = (
    who: Trader,
    side: "BUY" | "SELL",
    amount: string,
    more: Partial<OrderInput> = {},
  ): RejectionCode | undefined => {
    const input = order(listing, side, amount, "0.5", more);
    const outcome = world.try(who.actor, { type: "PlaceOrder", order: input, listing: null });
    return "rejection" in outcome ? outcome.rejection.code : undefined;
  };
  const told = () => world.state.exchange?.fundShortMicros;
  const lacking = () => coverOf(world.state).lackingMicros;
  const deposit = (amountMicros: Micros) =>
    world.do(root, { type: "FundGuarantee", layer: "exchange", amountMicros, memo: null });
  return { world, listing, maker, honest, weak, operators, mark, tries, told, lacking, deposit };
}

const judgedIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "CoverJudged" ? [event.lackingMicros] : []));

test("operators are told once what the fund lacks, in the order they were opened", () => {
  const { operators, mark, told, lacking } = stage();
  assert.deepEqual(judgedIn(mark("0.1")), [], "a fund that carries everybody is not told of");
  const events = mark("0.4");
  const lacks = lacking();
  assert.ok(lacks > FLOOR);
  assert.deepEqual([judgedIn(events), told()], [[lacks], lacks]);
  const alerts = events.flatMap((event) => (event.type === "AlertRaised" ? [event.alert] : []));
  const ofFund = alerts.filter(({ type }) => type === "fund_short");
  assert.deepEqual(
    ofFund.map(({ accountId }) => accountId),
    operators.map(({ id }) => id),
  );
  const text =
    `The guarantee fund lacks ${formatMicros(lacks)} USD of what the two weakest owners lack: ` +
    "no order may add a short until they deposit, or the fund or the exchange's layer is funded";
  assert.deepEqual(new Set(ofFund.map(({ message }) => message)), new Set([text]));
  assert.deepEqual(judgedIn(mark("0.4")), [], "marks that say the same");
  const worse = mark("0.41");
  assert.deepEqual(judgedIn(worse), [lacking()]);
  assert.ok(!worse.some((event) => event.type === "AlertRaised"), "they know");
});

test("a lack of ten thousand dollars shuts nobody out, one of a micro-dollar more does", () => {
  const { world, mark, told, lacking, deposit, tries, honest } = stage();
  mark("0.4");
  deposit(micros(lacking() - FLOOR - 1n));
  mark("0.4");
  assert.equal(told(), FLOOR + 1n);
  assert.equal(tries(honest, "SELL", "10"), "FUND_SHORT");
  assert.deepEqual(judgedIn(deposit(micros(1n))), [0n], "asked at once");
  assert.deepEqual([told(), lacking()], [undefined, FLOOR]);
  assert.equal(tries(honest, "SELL", "10"), undefined);
  assert.ok(world.state.balance("exchange-layer") > 0n);
});

test("between publications it is asked again where cash or a position moved, and ends", () => {
  const { world, listing, weak, honest, maker, mark, told, lacking, tries } = stage();
  mark("0.4");
  const before = told();
  const [first, second] = weak;
  assert.ok(first !== undefined && second !== undefined && before !== undefined);
  world.fund(first, usd("100"));
  assert.ok(lacking() < before);
  assert.equal(told(), before, "the figure is that of the marks");
  assert.equal(tries(maker, "BUY", "1", { priceTick: tick("0.01") }), undefined);
  world.fund(first, micros((lacking() - FLOOR) / 2n));
  assert.equal(tries(honest, "SELL", "10"), "FUND_SHORT");
  const funded = { type: "FundAccount", accountId: second.id, memo: null } as const;
  const rest = micros(lacking() - FLOOR);
  assert.deepEqual(judgedIn(world.do(root, { ...funded, amountMicros: rest })), [0n]);
  assert.equal(tries(honest, "SELL", "10"), undefined);
  world.order(order(listing, "SELL", "1000", "0.3"), honest);
  world.order(order(listing, "BUY", "1000", "0.3"), maker);
  assert.equal(told(), undefined, "only marks begin it");
});

test("while the fund lacks, what adds a short is refused, what closes a position is not", () => {
  const { world, listing, honest, maker, mark, tries, told } = stage();
  mark("0.4");
  const refusal = world.refused(honest.actor, {
    type: "PlaceOrder",
    order: order(listing, "SELL", "10", "0.5"),
    listing: null,
  });
  assert.deepEqual([refusal.code, refusal.details?.requiredMicros], ["FUND_SHORT", told()]);
  assert.equal(tries(honest, "BUY", "10"), undefined);
  assert.equal(tries(honest, "SELL", "10", { outcomeIndex: 1 }), undefined, "it buys YES too");
  assert.equal(tries(honest, "SELL", "10", { reduceOnly: true, timeInForce: "IOC" }), undefined);
  assert.equal(tries(maker, "SELL", "60000"), undefined, "of 100,000 held");
  assert.equal(tries(maker, "SELL", "40000"), undefined, "the last of them");
  assert.equal(tries(maker, "SELL", "0.01"), "FUND_SHORT", "a lot that nobody holds");
});

test("an amendment or an order of a batch counts by what it adds beyond what was there", () => {
  const { world, listing, honest, mark } = stage();
  const { id: orderId } = world.order(order(listing, "SELL", "10", "0.5"), honest);
  mark("0.4");
  const amend = (amount: string, price: string | null = null) =>
    amendment({
      orderId,
      amountLots: contracts(amount),
      price: price === null ? null : { tick: tick(price) },
    });
  assert.equal(world.refused(honest.actor, amend("10.01")).code, "FUND_SHORT");
  world.do(honest.actor, amend("10", "0.51"));
  world.do(honest.actor, amend("5"));
  const batch = (...sides: readonly ("BUY" | "SELL")[]) =>
    ({
      type: "PlaceBatch",
      orders: sides.map((side) => order(listing, side, "1", side === "BUY" ? "0.02" : "0.6")),
      listings: [],
    }) as const;
  const refused = world.refused(honest.actor, batch("BUY", "SELL"));
  assert.deepEqual([refused.code, refused.details?.index], ["FUND_SHORT", 1]);
  world.do(honest.actor, batch("BUY", "BUY"));
});

test("a fund that lacks nothing is not told of, whatever moves", () => {
  const { world, listing, honest, maker, mark, deposit } = stage();
  mark("0.1");
  const before = world.journal.length;
  world.fund(honest, usd("1"));
  deposit(usd("1"));
  world.order(order(listing, "SELL", "10", "0.3"), honest);
  world.order(order(listing, "BUY", "10", "0.3"), maker);
  for (const { outcome } of world.journal.slice(before)) {
    assert.deepEqual(judgedIn("events" in outcome ? outcome.events : []), []);
  }
});

test("a fund that lacked is asked about again where cash, a position or an account changed", () => {
  const { world, mark } = stage();
  mark("0.4");
  putBalance(world.state, "exchange-layer", usd("1000000"));
  const all = world.journal.flatMap(({ outcome }) => ("events" in outcome ? outcome.events : []));
  const asks = (...types: readonly Event["type"][]): boolean => {
    const state = decodeState(encodeState(world.state));
    const command = { type: "CancelAll", marketId: null } as const;
    const envelope = { actor: system, timeMillis: world.nowMillis, requestId: null, command };
    const step = beginStep(state, { ...envelope, idempotency: null }, 1);
    for (const type of types)
      step.events.push(all.find((one) => one.type === type) ?? assert.fail());
    judgeCover(step, command);
    return judgedIn(step.events).length > 0;
  };
  for (const type of ["Posted", "PositionChanged", "AccountChanged"] as const) {
    assert.equal(asks("OrderChanged", type), true, type);
  }
  assert.equal(asks("OrderChanged", "MarketMarked", "AlertRaised"), false);
  assert.equal(asks(), false);
});

test("operators are told in the order they were opened, however they came here", () => {
  const { world, operators, mark } = stage();
  const [first] = operators;
  assert.ok(first !== undefined);
  world.state.operators.delete(first.id);
  world.state.operators.add(first.id);
  const told = mark("0.4").flatMap((event) =>
    event.type === "AlertRaised" && event.alert.type === "fund_short" ? event.alert.accountId : [],
  );
  assert.deepEqual(
    told,
    operators.map(({ id }) => id),
  );
});
