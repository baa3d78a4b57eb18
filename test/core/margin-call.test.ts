// Margin calls: when one begins, what it allows, how it ends, and what cannot keep it open.
// Invariant: nobody defaults within the day it was given, nor stays below health 1 beyond it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import { auditFacts } from "#core/audit.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Account, AlertType } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const binary = { kind: "binary", strikeBps: 500 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);
/** A Wednesday; what is called then is due at the same time on Thursday. */
const WEDNESDAY = Date.UTC(2024, 11, 4, 15);
const THURSDAY = Date.UTC(2024, 11, 5, 15);

/** 1,000 contracts short at 0.05, with 250 of cash: at 0.23 it owes 230 and needs 87. */
function stage() {
  const world = new World();
  world.nowMillis = WEDNESDAY;
  world.print("2024-10", "300000");
  const seller = world.trader("seller", "200", "enhanced");
  const maker = world.trader("maker", "100000");
  const listing = world.listing("2025-04", layer);
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  const mark = (price: string, where: Listing = listing) => {
    const marks = { markTick: tick(price), stressedTick: tick(price) };
    return world.do(system, publishMarks([{ marketId: where.marketId, ...marks }]));
  };
  const account = (who: Trader = seller): Account => world.state.account(who.id);
  return { world, seller, maker, listing, mark, account };
}

const alertsOf = (world: World, { id }: Trader): readonly AlertType[] =>
  (world.state.alerts.get(id) ?? []).map(({ type }) => type);

test("below health 1 an account is called, told how much and until when", () => {
  const { world, seller, mark, account } = stage();
  mark("0.23");
  assert.equal(account().marginStatus, "liquidation");
  const call = { calledAtMillis: WEDNESDAY, dueAtMillis: THURSDAY, amountMicros: usd("67") };
  assert.deepEqual(account().marginCall, call);
  assert.equal(account().halted, false);
  assert.equal(world.state.exposures.shortTotals(seller.id).shortLots, 100_000n);
  const told = world.state.alerts.get(seller.id)?.at(-1);
  assert.equal(told?.type, "margin_call");
  const asked = "deposit 67 USD or reduce the short positions by 2024-12-05T15:00:00Z";
  assert.equal(
    told?.message,
    `Margin health is 0.2298, below 1: ${asked}, else the account defaults`,
  );
});

test("the call has an entry of its own, which says what is asked for", () => {
  const { world, seller, mark, account } = stage();
  mark("0.23");
  world.runTo(WEDNESDAY);
  const entry = world.journal.at(-1) ?? assert.fail();
  assert.deepEqual(entry.envelope.command, { type: "ReportMarginCall", accountId: seller.id });
  const { action, severity, concerns, details } = auditFacts(entry);
  assert.deepEqual([action, severity, concerns], ["margin.called", "critical", seller.id]);
  assert.deepEqual(details, { amount: "67", due: "2024-12-05T15:00:00.000Z" });
  assert.equal(account().marginCall?.reported, true);
  world.runTo(WEDNESDAY + 1_000);
  assert.equal(world.journal.at(-1), entry, "it is reported once");
});

test("in a call only deposits, cancels and orders that can only reduce are taken", () => {
  const { world, seller, maker, listing, mark } = stage();
  const other = world.listing("2025-04", binary, "0.1");
  mark("0.2");
  const closing = order(listing, "BUY", "100", "0.05");
  for (const input of [
    closing,
    order(other, "BUY", "1", "0.01"),
    order(listing, "SELL", "1", "0.9"),
  ]) {
    const listings = input.marketId === other.marketId ? other : null;
    const refused = world.refused(seller.actor, {
      type: "PlaceOrder",
      order: input,
      listing: listings,
    });
    assert.equal(refused.code, "MARGIN_CALL");
    assert.equal(refused.details?.requiredMicros, usd("40"));
  }
  const fund = (amountMicros: Micros) =>
    ({ type: "FundAccount", accountId: seller.id, amountMicros, memo: null }) as const;
  assert.equal(world.refused(root, fund(micros(-1n))).code, "MARGIN_CALL");
  const reducing = world.order(order(listing, "BUY", "100", "0.05", { reduceOnly: true }), seller);
  const amended = { amountLots: null, expirySeconds: null, price: { tick: tick("0.06") } };
  world.do(seller.actor, { type: "AmendOrder", orderId: reducing.id, ...amended });
  world.order(order(listing, "SELL", "10", "0.06"), maker);
  assert.equal(world.state.position(seller.id, listing.marketId)?.heldLots, -99_000n);
  world.do(seller.actor, { type: "CancelAll", marketId: null });
  world.do(root, fund(usd("1")));
});

test("a call ends by itself when the health is back: a deposit, a purchase, a mark", () => {
  const back = [
    ({ world, seller }: ReturnType<typeof stage>) => world.fund(seller, usd("40")),
    ({ mark }: ReturnType<typeof stage>) => mark("0.15"),
    ({ world, seller, maker, listing }: ReturnType<typeof stage>) => {
      world.order(order(listing, "SELL", "900", "0.1"), maker);
      world.order(order(listing, "BUY", "900", "0.1", { reduceOnly: true }), seller);
    },
  ];
  for (const act of back) {
    const made = stage();
    made.mark("0.2");
    assert.ok(made.account().marginCall !== undefined);
    act(made);
    assert.equal(made.account().marginCall, undefined);
    assert.notEqual(made.account().marginStatus, "liquidation");
    made.world.runTo(THURSDAY + 1);
    assert.equal(made.account().halted, false);
  }
  const short = stage();
  short.mark("0.2");
  short.world.fund(short.seller, usd("39.999999"));
  assert.ok(short.account().marginCall !== undefined, "a micro-dollar is missing");
});

test("a call that is not met ends in default at its time, not before", () => {
  const { world, seller, mark, account } = stage();
  mark("0.23");
  world.runTo(THURSDAY - 1);
  assert.equal(account().halted, false);
  world.runTo(THURSDAY);
  assert.equal(account().halted, true);
  const ended = world.journal.find(({ envelope }) => envelope.timeMillis === THURSDAY);
  assert.equal(ended?.envelope.command.type, "EndMarginCalls");
  assert.deepEqual(alertsOf(world, seller), ["margin_call", "liquidation"]);
});

test("no mark, small deposit or snapshot moves the end of a call", () => {
  const { world, seller, mark, account } = stage();
  mark("0.23");
  for (let hour = 1; hour < 24; hour += 1) {
    world.runTo(WEDNESDAY + hour * 3_600_000);
    mark(hour % 2 === 0 ? "0.24" : "0.3");
    world.fund(seller, usd("0.01"));
    world.state = decodeState(encodeState(world.state));
    assert.equal(account().marginCall?.dueAtMillis, THURSDAY);
  }
  world.runTo(THURSDAY);
  assert.equal(account().halted, true);
});

test("a call on a Friday ends on the Monday, and one of a second fall has a day of its own", () => {
  const { world, seller, mark, account } = stage();
  const friday = Date.UTC(2024, 11, 6, 20);
  world.runTo(friday);
  mark("0.2");
  assert.equal(account().marginCall?.dueAtMillis, friday + 3 * 86_400_000);
  world.runTo(friday + 86_400_000);
  world.fund(seller, usd("41"));
  assert.equal(account().marginCall, undefined);
  world.runTo(Date.UTC(2024, 11, 10, 9));
  mark("0.4");
  assert.equal(account().marginCall?.dueAtMillis, Date.UTC(2024, 11, 11, 9));
  assert.deepEqual(alertsOf(world, seller), ["margin_call", "margin_call"]);
});

test("a payout that is known and not covered is a default at once, without a call", () => {
  const { world, seller, listing, account } = stage();
  world.runTo(Date.UTC(2025, 4, 20));
  // 10 % of decline: the layer pays in full, and 250 are there of 1,000.
  world.print("2025-04", "270000");
  assert.equal(account().halted, true);
  assert.deepEqual(alertsOf(world, seller), ["liquidation"]);
  world.runTo(Date.UTC(2025, 4, 24));
  assert.equal(world.state.market(listing.marketId).status, "FINALIZED");
});

test("a mark far above the cash is a call all the same", () => {
  const { mark, account } = stage();
  mark("0.9999");
  assert.equal(account().halted, false);
  assert.equal(account().marginCall?.amountMicros, usd("750"));
});

test("calls of one moment end in one command, the worst first, none beside orders", () => {
  const { world, seller, maker, listing, mark } = stage();
  const second = world.trader("second", "190", "enhanced");
  world.order(order(listing, "SELL", "1000", "0.05"), second, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  mark("0.23");
  const offers = [seller, second].map((who) =>
    world.order(order(listing, "BUY", "1", "0.01", { reduceOnly: true }), who),
  );
  const before = world.journal.length;
  world.runTo(THURSDAY);
  const ended = world.journal
    .slice(before)
    .filter(({ envelope }) => envelope.command.type === "EndMarginCalls");
  assert.equal(ended.length, 1);
  const outcome = ended[0]?.outcome ?? assert.fail();
  const events = "events" in outcome ? outcome.events : assert.fail();
  const told = events.flatMap((event) =>
    event.type === "AlertRaised" ? [event.alert.accountId] : [],
  );
  assert.deepEqual(told, [second.id, seller.id]);
  const moved = events.findIndex(({ type }) => type === "Posted" || type === "PositionChanged");
  const cancelled = events.findLastIndex(
    (event) => event.type === "OrderChanged" && offers.some(({ id }) => id === event.order.id),
  );
  assert.ok(cancelled >= 0 && (moved < 0 || cancelled < moved));
  assert.equal(stateHash(decodeState(encodeState(world.state))), stateHash(world.state));
});

test("the end of one call ends no other that is due later", () => {
  const { world, seller, maker, listing, mark, account } = stage();
  const second = world.trader("second", "330", "enhanced");
  world.order(order(listing, "SELL", "1000", "0.05"), second);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  mark("0.23");
  world.runTo(WEDNESDAY + 3_600_000);
  mark("0.4");
  assert.ok(account(seller).marginCall !== undefined && account(second).marginCall !== undefined);
  world.runTo(THURSDAY);
  assert.deepEqual([account(seller).halted, account(second).halted], [true, false]);
  world.runTo(THURSDAY + 3_600_000);
  assert.equal(account(second).halted, true);
});
