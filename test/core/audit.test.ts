// The audit trail's entry for each command: the name of its action, its subject, its severity.
// Invariant: the words are what auditors filter by; they change with the reference only.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros, parseMicros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { auditFacts } from "#core/audit.ts";
import type { Actor, Command } from "#core/command.ts";
import { commands } from "#core/command-table.ts";
import type { Event } from "#core/event.ts";
import { isRejected } from "#core/outcome.ts";
import { foundingRules, rulesShown } from "#core/rules.ts";
import { decision, order, root, tick, World } from "./world.ts";

test("every command has an action of its own: what it is about, and what became of it", () => {
  const words = Object.values(commands).map(({ action }) => action);
  for (const word of words) assert.match(word, /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  assert.equal(new Set(words).size, words.length);
});

/** The trail's facts of a command that was accepted. */
function factsOf(world: World, actor: Actor, command: Command) {
  world.do(actor, command);
  return auditFacts(world.journal.at(-1) ?? assert.fail("nothing was journalled"));
}

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

function traded() {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  const listing = world.listing("2025-04", layer);
  const open = world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  return { world, anna, bela, listing, open };
}

test("an order, its amendment and its end are about the order, of its trader, in decimals", () => {
  const { world, anna, listing } = traded();
  const input = order(listing, "BUY", "2.5", "0.0450");
  const placed = factsOf(world, anna.actor, { type: "PlaceOrder", order: input, listing: null });
  const { marketId } = listing;
  const shown = { marketId, outcomeIndex: 0, side: "BUY", amount: "2.5", price: 0.045 };
  assert.deepEqual(placed, {
    action: "order.placed",
    actions: ["order.placed"],
    severity: "info",
    actor: anna.id,
    concerns: anna.id,
    resource: "ord-2",
    success: true,
    details: shown,
  });
  const batch = { type: "PlaceBatch", orders: [input, input], listings: [] } as const;
  const placedAll = factsOf(world, anna.actor, batch);
  const ids = { orderIds: ["ord-3", "ord-4"], orderCount: 2 };
  assert.deepEqual(
    [placedAll.resource, placedAll.details],
    ["orders", { orders: [shown, shown], ...ids }],
  );
  assert.deepEqual(placedAll.actions, ["order.batch_placed", "order.placed"]);
  const { id } = world.order(input, anna);
  const amended = factsOf(world, anna.actor, {
    type: "AmendOrder",
    orderId: id,
    price: { tick: input.priceTick },
    amountLots: input.amountLots,
    expirySeconds: 0,
  });
  assert.deepEqual(
    [amended.resource, amended.details],
    [id, { price: 0.045, amount: "2.5", expiry: 0 }],
  );
  const nothing = { price: null, amountLots: null, expirySeconds: null };
  const same = factsOf(world, anna.actor, { type: "AmendOrder", orderId: id, ...nothing });
  assert.deepEqual(same.details, {});
  const cancelled = factsOf(world, anna.actor, { type: "CancelOrder", orderId: id });
  assert.deepEqual([cancelled.action, cancelled.resource], ["order.cancelled", id]);
});

test("what holds trading up is told louder than what goes on", () => {
  const { world, anna, listing } = traded();
  const { marketId } = listing;
  const reason = "drill";
  const rows: readonly (readonly [Command, string, string, string])[] = [
    [{ type: "HaltAccount", accountId: anna.id, reason }, "account.halted", "warning", anna.id],
    [{ type: "ResumeAccount", accountId: anna.id, reason }, "account.resumed", "info", anna.id],
    [{ type: "PauseMarket", marketId, reason }, "market.paused", "warning", marketId],
    [{ type: "ResumeMarket", marketId, reason }, "market.resumed", "info", marketId],
    [{ type: "HaltExchange", reason }, "exchange.halted", "critical", "exchange"],
    [{ type: "ResumeExchange", reason }, "exchange.resumed", "info", "exchange"],
    [{ type: "CancelMarket", marketId, reason }, "market.cancelled", "warning", marketId],
  ];
  for (const [command, action, severity, resource] of rows) {
    const facts = factsOf(world, root, command);
    assert.deepEqual([facts.action, facts.severity, facts.resource], [action, severity, resource]);
    assert.equal(facts.actor, "root");
    assert.equal(facts.concerns, "accountId" in command ? anna.id : null);
  }
});

test("money is told in dollars, of whom it concerns", () => {
  const { world, anna } = traded();
  const amountMicros = parseMicros("12.345678") ?? micros(0n);
  const funded = { type: "FundAccount", accountId: anna.id, amountMicros, memo: "wire 7" } as const;
  const facts = factsOf(world, root, funded);
  assert.deepEqual(facts.details, { amount: "12.345678", memo: "wire 7" });
  assert.deepEqual([facts.resource, facts.concerns], [anna.id, anna.id]);
  const fund = factsOf(world, root, { type: "FundGuarantee", amountMicros, memo: null });
  assert.deepEqual([fund.resource, fund.concerns], ["guarantee", null]);
  assert.deepEqual(fund.details, { amount: "12.345678", memo: null });
});

test("a change of rules is told whole, in dollars and fractions", () => {
  const { world } = traded();
  const facts = factsOf(world, root, { type: "SetRules", rules: foundingRules });
  assert.deepEqual(
    [facts.action, facts.severity, facts.resource],
    ["rules.changed", "warning", "rules"],
  );
  const { tiers, liquidity, concentration, bust, fund, price } = rulesShown(foundingRules);
  const values: Record<string, unknown> = {
    "concentration.share": concentration.share,
    "concentration.floor": concentration.floor,
    "concentration.rate": concentration.rate,
    "bust.band": bust.band,
    "bust.windowMinutes": bust.windowMinutes,
    "fund.target": fund.target,
    "price.carry": price.carry,
  };
  for (const [group, members] of Object.entries({ tiers, liquidity })) {
    for (const [kind, fields] of Object.entries(members)) {
      for (const [name, value] of Object.entries(fields))
        values[`${group}.${kind}.${name}`] = value;
    }
  }
  assert.deepEqual(facts.details, values);
  const tier = (
    liquidityTier: string,
    limits: readonly [number, number, number],
    maxOpenPositions: number,
    tradingFee: number,
    marginRequirement: number,
    creditLine: number,
  ) => ({
    liquidityTier,
    maxPosition: limits[0],
    maxDaily: limits[1],
    maxTotal: limits[2],
    maxPositionSize: limits[0],
    maxDailyVolume: limits[1],
    maxOpenPositions,
    tradingFee,
    marginRequirement,
    creditLine,
  });
  const liquid = (minLiquidity: number) => ({ minLiquidity, minProviders: 2, spreadMax: 0.1 });
  assert.deepEqual(rulesShown(foundingRules), {
    tiers: {
      basic: tier("basic", [10_000, 5_000, 25_000], 10, 0.015, 1, 0),
      enhanced: tier("standard", [250_000, 100_000, 1_000_000], 100, 0.01, 0.1, 25_000),
      institutional: tier(
        "institutional",
        [25_000_000, 10_000_000, 250_000_000],
        2_000,
        0.005,
        0.05,
        250_000,
      ),
    },
    liquidity: {
      zhvi: liquid(10_000),
      zori: liquid(10_000),
      vacancy: liquid(5_000),
      weather: liquid(5_000),
    },
    fundingLimit: 1_000_000,
    bust: { band: 0.1, windowMinutes: 30 },
    fund: { target: 0 },
    concentration: { share: 0.2, floor: 100_000, rate: 0.1 },
    price: { carry: 0.04 },
  });
});

test("a protection and its trip are told in contracts, fills and seconds", () => {
  const { world, anna, bela, listing } = traded();
  const limits = { withinSeconds: 60, maxLots: null, maxFills: 1 } as const;
  const set = factsOf(world, anna.actor, { type: "SetProtection", ...limits });
  assert.deepEqual(
    [set.resource, set.details],
    ["protection", { withinSeconds: 60, maxContracts: null, maxFills: 1 }],
  );
  for (const amount of ["1", "2"]) world.order(order(listing, "BUY", amount, "0.05"), bela);
  world.runTo(world.nowMillis);
  const facts = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.deepEqual(facts, {
    action: "protection.tripped",
    actions: ["protection.tripped"],
    severity: "warning",
    actor: "system",
    concerns: anna.id,
    resource: "protection",
    success: true,
    details: {
      withinSeconds: 60,
      maxContracts: null,
      maxFills: 1,
      filledContracts: "3",
      fills: 2,
    },
  });
});

test("a quote taken is named by its acceptance; what falls due on it concerns its buyer", () => {
  const { world, listing } = traded();
  world.lend("100");
  const cora = world.trader("cora", "0.15");
  const structure = {
    kind: "installments",
    downPaymentBps: 2_000,
    months: 2,
    aprBps: 900,
  } as const;
  const taken = order(listing, "BUY", "10", "0.05", { timeInForce: "IOC" });
  const accept = {
    type: "AcceptQuote",
    order: taken,
    listing: null,
    structure,
    referenceTick: tick("0.05"),
  } as const;
  assert.equal(factsOf(world, cora.actor, accept).resource, "acp-1");
  const from = world.journal.length;
  world.runTo(world.nowMillis + 45 * 86_400_000);
  const facts = world.journal.slice(from).map(auditFacts);
  const ofPayments = facts.filter(({ action }) => action.startsWith("payment."));
  assert.deepEqual(
    ofPayments.map(({ action, actor, concerns, resource }) => [action, actor, concerns, resource]),
    [
      ["payment.due", "system", cora.id, "acp-1"],
      ["payment.defaulted", "system", cora.id, "acp-1"],
    ],
  );
});

test("limits of an account and its groups are told in decimals, null where there is none", () => {
  const { world, anna, bela, listing } = traded();
  const accountId = anna.id;
  const caps = (more: object) =>
    factsOf(world, root, { type: "SetCaps", accountId, ...more }).details;
  const five = micros(5_000_000n);
  assert.deepEqual(caps({ maxDailyMicros: five }), { accountId, maxDaily: "5" });
  assert.deepEqual(caps({ maxOpenOrders: 3 }), { accountId, maxOpenOrders: 3 });
  assert.deepEqual(caps({ maxDailyMicros: null }), { accountId, maxDaily: null });
  const group = { group: "texas", withinMillis: 250, maxFills: 1 };
  const set = { type: "SetGroup", maxLots: null, ...group } as const;
  const told = { maxContracts: null, ...group };
  assert.deepEqual(factsOf(world, anna.actor, set).details, told);
  for (const price of ["0.04", "0.03"]) {
    world.order(order(listing, "BUY", "1", price, { group: "texas" }), anna);
  }
  world.order(order(listing, "SELL", "1.5", "0.03"), bela);
  world.runTo(world.nowMillis);
  const trip = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.equal(trip.action, "protection.tripped");
  assert.deepEqual(trip.details, { ...told, filledContracts: "1.5", fills: 2 });
  const entry = world.journal.at(-1) ?? assert.fail();
  const events: readonly Event[] = isRejected(entry.outcome) ? [] : entry.outcome.events;
  const other: Event = { type: "ClockSet", toMillis: 0 };
  assert.deepEqual(auditFacts({ ...entry, outcome: { events: [other, ...events] } }), trip);
  const ofLots = factsOf(world, anna.actor, { ...set, maxLots: lots(550n) });
  assert.equal(ofLots.details.maxContracts, "5.5");
});

test("an order that expires concerns whose order it was", () => {
  const { world, anna, listing } = traded();
  const expirySeconds = world.nowMillis / 1000 + 60;
  const lasting = { timeInForce: "GTD", expirySeconds } as const;
  const { id } = world.order(order(listing, "BUY", "1", "0.01", lasting), anna);
  world.runTo(expirySeconds * 1000);
  const facts = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.deepEqual(
    [facts.action, facts.actor, facts.concerns, facts.resource, facts.severity],
    ["order.expired", "system", anna.id, id, "info"],
  );
});

test("a decision on nobody's asking is told as one, and one that was asked for is not", () => {
  const { world } = traded();
  const cora = world.open("cora", "trader");
  const decide = decision(cora.id, "approve", "basic", true);
  assert.equal(factsOf(world, root, decide).details.withoutInquiry, true);
  world.do(cora.actor, { type: "RequestKyc", tier: "enhanced" });
  const asked = factsOf(world, root, decision(cora.id, "approve", "enhanced", true));
  assert.equal(asked.details.withoutInquiry, false);
});

test("an event that is about something else changes nothing of what is told", () => {
  const { world, anna, bela, listing } = traded();
  const limits = { withinSeconds: 60, maxLots: null, maxFills: 1 } as const;
  world.do(anna.actor, { type: "SetProtection", ...limits });
  for (const amount of ["1", "2"]) world.order(order(listing, "BUY", amount, "0.05"), bela);
  world.runTo(world.nowMillis);
  const seen = new Set(world.journal.map(({ envelope }) => envelope.command.type));
  for (const type of ["OpenAccount", "DecideKyc", "ReportTrip"] as const) assert.ok(seen.has(type));
  const other: Event = { type: "ClockSet", toMillis: 0 };
  for (const entry of world.journal) {
    if (isRejected(entry.outcome)) continue;
    const events: readonly Event[] = [other, ...entry.outcome.events];
    assert.deepEqual(auditFacts({ ...entry, outcome: { events } }), auditFacts(entry));
  }
});
