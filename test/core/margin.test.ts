// Margin beside the stories: who hears of a crossing, what a restart keeps, and an account that
// falls by its own order.
// Invariant: a status is told when it gets worse, once; nothing of it is lost with the process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, type MarketId } from "#base/ids.ts";
import { parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { ALERTS_KEPT, withAlert } from "#core/alerts.ts";
import { auditFacts } from "#core/audit.ts";
import type { MarkUpdate } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { namedIn } from "#core/order/orders-in-events.ts";
import { isRejected } from "#core/outcome.ts";
import type { Alert } from "#core/records.ts";
import { sharesOf } from "#core/settlement/shares.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { ExchangeView } from "#views/exchange.ts";
import { endDefaults } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { RandomTrading, tradingKinds, usualMix } from "./random-trading.ts";
import { setRules } from "./set-rules.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);

interface Stage {
  readonly world: World;
  readonly seller: Trader;
  readonly maker: Trader;
  readonly listing: Listing;
}

/** 1,000 contracts short at 0.05 with 50 more than `cash`: liabilities 50, maintenance 105. */
function short(cash = "200"): Stage {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const seller = world.trader("seller", cash, "enhanced");
  const maker = world.trader("maker", "100000");
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), maker);
  return { world, seller, maker, listing };
}

function mark({ world, listing }: Stage, price: string): void {
  const at = tick(price);
  const marks = [{ marketId: listing.marketId, markTick: at, stressedTick: at }];
  world.do(system, publishMarks(marks));
}

const newest = ({ world }: Stage) => world.journal.at(-1) ?? assert.fail("nothing was journalled");

test("a threshold that is met is met; a micro-dollar less is not", () => {
  // At 0.15: liabilities 150, maintenance 85 by the tier and 10 for the spread; 1.5 are 142.50, 1.2
  // are 114.
  for (const [cash, status] of [
    ["242.5", "healthy"],
    ["242.499999", "warning"],
    ["214", "warning"],
    ["213.999999", "critical"],
    ["195", "critical"],
    ["194.999999", "liquidation"],
  ] as const) {
    const stage = short(cash);
    mark(stage, "0.15");
    assert.equal(stage.world.state.account(stage.seller.id).marginStatus, status, cash);
    endDefaults(stage.world);
    const { halted } = stage.world.state.account(stage.seller.id);
    assert.equal(halted, status === "liquidation", cash);
  }
});

test("an entry has the severity of the worst crossing in it, and names whom it warned", () => {
  const stage = short();
  const rows = [
    ["0.06", "info", undefined],
    ["0.13", "warning", "margin_warning"],
    ["0.15", "critical", "margin_critical"],
    ["0.13", "info", undefined],
    ["0.06", "info", undefined],
    ["0.15", "critical", "margin_critical"],
    ["0.2", "critical", "margin_call"],
  ] as const;
  for (const [price, severity, type] of rows) {
    mark(stage, price);
    const facts = auditFacts(newest(stage));
    assert.equal(facts.severity, severity, price);
    const alerts = type === undefined ? undefined : [{ account: stage.seller.id, type }];
    assert.deepEqual(facts.details.alerts, alerts, price);
    assert.equal(facts.details.alertCount, alerts?.length, price);
  }
  const { world, seller } = stage;
  const kept = world.state.alerts.get(seller.id)?.map(({ id, type }) => `${id} ${type}`);
  assert.deepEqual(kept, [
    "alr-1 margin_warning",
    "alr-2 margin_critical",
    "alr-3 margin_critical",
    "alr-4 margin_call",
  ]);
});

test("a restart keeps alerts, statuses and their numbers; the view shows the same", () => {
  const stage = short();
  const view = ExchangeView.from(stage.world.state);
  const before = stage.world.journal.length;
  for (let round = 0; round < ALERTS_KEPT + 5; round += 1) {
    mark(stage, "0.13");
    mark(stage, "0.06");
  }
  mark(stage, "0.13");
  const { world, seller } = stage;
  for (const entry of world.journal.slice(before)) view.fold(entry);
  const kept = world.state.alerts.get(seller.id) ?? [];
  assert.equal(kept.length, ALERTS_KEPT);
  assert.equal(kept.at(-1)?.id, `alr-${ALERTS_KEPT + 6}`);
  assert.deepEqual(view.alertsOf(seller.id), kept);
  const restored = decodeState(encodeState(world.state));
  assert.deepEqual(restored.alerts.get(seller.id), kept);
  assert.equal(ExchangeView.from(restored).alertsOf(seller.id).length, ALERTS_KEPT);
  assert.equal(restored.account(seller.id).marginStatus, "warning");
  assert.equal(restored.marginQueue.size, 0);
  world.state = restored;
  mark(stage, "0.131");
  assert.equal(world.state.alertCount, ALERTS_KEPT + 6, "still a warning, told already");
});

test("of alerts beyond those kept payouts go first, of each kind the oldest", () => {
  const alert = (at: number, type: Alert["type"]): Alert => {
    return { id: `alr-${at}`, accountId: accountId("acc-1"), type, message: "", atSeconds: at };
  };
  let kept: readonly Alert[] = [alert(0, "margin_critical"), alert(1, "payout")];
  for (let at = 2; at < ALERTS_KEPT + 50; at += 1) kept = withAlert(kept, alert(at, "payout"));
  assert.equal(kept.length, ALERTS_KEPT);
  assert.deepEqual([kept[0]?.id, kept[1]?.id], ["alr-0", "alr-51"]);
  for (let at = 0; at < ALERTS_KEPT; at += 1) kept = withAlert(kept, alert(1_000 + at, "haircut"));
  assert.deepEqual([kept[0]?.id, kept.at(-1)?.id], ["alr-1000", "alr-1099"]);
});

test("nobody falls by an order of its own", () => {
  const stage = short("195.1");
  const { world, seller, maker, listing } = stage;
  const other = world.listing("2025-04", { kind: "binary", strikeBps: 500 }, "0.1");
  world.order(order(other, "SELL", "1", "0.1"), seller, other);
  world.order(order(other, "BUY", "1", "0.1"), maker);
  world.order(order(other, "SELL", "1", "0.1"), maker);
  mark(stage, "0.15");
  // At mark + add-on each contract bought would take as much equity as margin, and the fee besides.
  world.order(order(listing, "SELL", "1000", "0.245"), maker);
  const input = order(listing, "BUY", "100", "0.245");
  const place = { type: "PlaceOrder", order: input, listing: null } as const;
  assert.equal(world.refused(seller.actor, place).code, "CLOSING_PRICE");
  assert.equal(world.state.account(seller.id).halted, false);
});

test("an order that begins to take a hedge away when another is cancelled goes too", () => {
  const { world, anna, bela, held, sold } = hedgedBy();
  for (const id of [held[0], held[1]]) assert.equal(world.state.order(id).status, "OPEN");
  assert.ok(world.available(anna) < 0n, "what it has sold needs the cash of the hedge");
  assert.equal(world.state.account(anna.id).marginStatus === "liquidation", false);
  world.do(anna.actor, { type: "CancelOrder", orderId: held[0] });
  const { status, cancelReason } = world.state.order(held[1]);
  assert.deepEqual([status, cancelReason], ["CANCELLED", "MARGIN"]);
  assert.ok(world.state.position(bela.id, sold)?.heldLots !== 0n);
});

test("an order that is named by its reference is that order, whichever goes with it", () => {
  const cancelled = hedgedBy();
  const name = { clientOrderId: "first" };
  const gone = cancelled.world.do(cancelled.anna.actor, { type: "CancelOrder", ...name });
  assert.equal(cancelled.world.state.order(cancelled.held[1]).status, "CANCELLED");
  assert.equal(namedIn(name, gone), cancelled.held[0]);

  const { world, anna, held } = hedgedBy((made) =>
    made.world.order(order(made.long, "BUY", "0.5", "0.9"), made.bela),
  );
  const changes = { price: null, amountLots: lots(50n), expirySeconds: null };
  const amend = { type: "AmendOrder", ...name, ...changes } as const;
  const events = world.do(anna.actor, amend);
  assert.equal(world.state.order(held[0]).status, "FILLED", "no more than it has filled");
  assert.equal(world.state.order(held[1]).status, "CANCELLED");
  assert.equal(namedIn(name, events), held[0]);
});

test("one that begins to when marks take the harmful one beside it goes with it", () => {
  const weights = Object.fromEntries(tradingKinds.map((kind) => [kind, 0]));
  const kinds = { acceptance: 45, placement: 45, keys: 3, kyc: 5, funding: 14 };
  const wanted = { ...weights, ...kinds, wait: 4, release: 4, marks: 14 };
  const mix = { ...usualMix, traders: 4, weights: { ...usualMix.weights, ...wanted } };
  // In this draw a sale that would lower the health is taken back, and another offers the hedge.
  const trading = new RandomTrading(1517, mix);
  trading.world.judgesRefusals = false;
  let taken = 0;
  for (let at = 0; at < 360; at += 1) trading.next();
  for (const { outcome } of trading.world.journal) {
    const events = "events" in outcome ? outcome.events : [];
    const gone = events.filter(
      (event) => event.type === "OrderChanged" && event.order.cancelReason === "MARGIN",
    );
    taken = Math.max(taken, gone.length);
  }
  assert.ok(taken >= 3, "three in one command");
});

/** Worth so much after every scenario. */
function markOf(id: MarketId, at: number, after: number): MarkUpdate {
  const [markTick, stressedTick] = [tickAt(at), tickAt(Math.max(at, after))];
  const riskTicks = scenarios.map(() => tickAt(after));
  return { marketId: id, markTick, stressedTick, riskTicks };
}

const tickAt = (tenThousandths: number) => tick((tenThousandths / 10_000).toFixed(4));

interface Hedged {
  readonly world: World;
  readonly bela: Trader;
  readonly long: Listing;
}

/** Anna is long at one month and short at the one before; each of two orders alone offers the long. */
function hedgedBy(before: (made: Hedged) => void = () => {}) {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "40"), world.trader("bela", "1000")];
  const [long, sold] = ["2025-07", "2025-06"].map((end) =>
    world.listing(end, { kind: "layered", attachBps: 200, exhaustBps: 1000 }),
  );
  assert.ok(long !== undefined && sold !== undefined);
  world.order(order(long, "SELL", "20", "0.5"), bela, long);
  world.order(order(long, "BUY", "20", "0.5"), anna);
  world.order(order(sold, "BUY", "60", "0.05"), bela, sold);
  world.order(order(sold, "SELL", "60", "0.05"), anna);
  const offer = (clientOrderId: string) =>
    world.order(order(long, "SELL", "1", "0.9", { clientOrderId }), anna).id;
  const held = [offer("first"), offer("second")] as const;
  before({ world, bela, long });
  for (let at = 500; world.available(anna) >= 0n; at += 50) {
    const marks = [markOf(long.marketId, 5_000, 7_000), markOf(sold.marketId, at, at + 1_000)];
    world.do(system, publishMarks(marks));
  }
  return { world, anna, bela, held, sold: sold.marketId };
}

test("a stricter requirement is felt at once, and so is a lower tier", () => {
  const ruled = short();
  const { rules } = ruled.world.state;
  const enhanced = { ...rules.tiers.enhanced, requirementBps: 1_500 };
  const tiers = { ...rules.tiers, enhanced };
  setRules(ruled.world, { tiers });
  assert.equal(ruled.world.state.account(ruled.seller.id).marginStatus, "warning");
  const lowered = short();
  lowered.world.approve(lowered.seller, "basic");
  endDefaults(lowered.world);
  assert.equal(lowered.world.state.account(lowered.seller.id).halted, true, "200 is not 950");
  // A liability of 50, a twentieth of 950 and a cent of each; half a fee was there.
  assert.equal(lowered.world.state.balance("guarantee"), usd("107.625"));
});

test("a liquidation while trading is halted buys nothing back", () => {
  const stage = short();
  const { world, maker, listing } = stage;
  world.order(order(listing, "SELL", "1000", "0.2"), maker);
  world.do(root, { type: "HaltExchange", reason: "drill" });
  mark(stage, "0.2");
  endDefaults(world);
  assert.equal(world.state.position(maker.id, listing.marketId)?.heldLots, 100_000n);
  assert.equal(world.state.exposures.shortTotals(stage.seller.id).shortLots, 0n);
  const fund = [...world.state.positions.values()].find(
    ({ accountId }) => accountId === "guarantee",
  );
  assert.equal(fund?.heldLots, -100_000n);
});

test("the fund's takeover is undone by a void like any trade", () => {
  const stage = short();
  const { world, seller, maker, listing } = stage;
  mark(stage, "0.2");
  endDefaults(world);
  assert.equal(world.state.balance("guarantee"), usd("250.125"));
  world.doInTwo({ type: "CancelMarket", marketId: listing.marketId, reason: "drill" });
  assert.equal(world.state.balance("guarantee"), 0n, "its charge went back: it bore nothing");
  assert.equal(world.cash(maker), usd("100000"), "the buyer has its premium and its fee back");
  assert.equal(world.cash(seller), usd("200"), "nothing was left; all but the premium came back");
  assert.equal(world.state.market(listing.marketId).shortfallMicros, 0n);
});

test("shares add up to the amount, each within a micro-dollar of its due", () => {
  for (const [amount, weights] of [
    [100n, [1n, 1n, 1n]],
    [0n, [5n, 7n]],
    [7n, [0n, 0n]],
    [999_999n, [3n, 0n, 10n ** 12n, 17n]],
  ] as const) {
    const all = weights.reduce((sum, weight) => sum + weight, 0n);
    const shares = sharesOf(amount, weights);
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0n),
      all === 0n ? 0n : amount,
    );
    for (const [at, share] of shares.entries()) {
      const off = share * all - amount * (weights[at] ?? 0n);
      assert.ok(-all <= off && off <= all, `share ${at}`);
    }
  }
});

test("replaying what was journalled gives the same alerts in the same places", () => {
  const stage = short();
  for (const price of ["0.13", "0.15", "0.2"]) mark(stage, price);
  const again = new World();
  for (const { envelope } of stage.world.journal.slice(1)) {
    again.nowMillis = envelope.timeMillis;
    assert.ok(!isRejected(again.try(envelope.actor, envelope.command)));
  }
  assert.equal(stateHash(again.state), stateHash(stage.world.state));
});
