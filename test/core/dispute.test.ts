// Disputes and their bonds: what one costs, who may open and decide it, and where the bond goes.
// Invariant: whoever has money in a market pays to stop its payout, and decides nothing about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { formatMicros, micros, parseMicros } from "#base/money.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const HOUR_MILLIS = 3_600_000;
const usd = (text: string) => parseMicros(text) ?? assert.fail(text);

/** Anna has sold Bela so many contracts that fell due, and Cleo ten; the print is out. */
function stage(amount = "20000.01", belasCash = "2000") {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2024-11", { kind: "binary", strikeBps: 500 });
  const anna = world.trader("anna", "60000");
  const [bela, cleo] = [world.trader("bela", belasCash), world.trader("cleo", "500")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  for (const [buyer, lots] of [
    [bela, amount],
    [cleo, "10"],
  ] as const) {
    world.order(order(listing, "SELL", lots, "0.05"), anna, listing);
    world.order(order(listing, "BUY", lots, "0.05"), buyer);
  }
  // It is open, and Anna's margin for it falls short where its mark rises.
  const other = world.listing("2025-12", { kind: "layered", attachBps: 200, exhaustBps: 1000 });
  world.order(order(other, "SELL", "20000", "0.05"), anna, other);
  world.order(order(other, "BUY", "20000", "0.05"), world.trader("dora", "2000"));
  world.runTo(Date.UTC(2024, 11, 20));
  world.print("2024-11", "240000");
  const { marketId } = listing;
  const open = { type: "OpenDispute", marketId, reason: "why", evidence: null } as const;
  const decide = (
    decision: "uphold" | "amend",
    more: Partial<CommandOf<"DecideDispute">> = {},
  ): CommandOf<"DecideDispute"> => ({
    ...{ type: "DecideDispute", marketId, decision, valueE15: null, evidence: null },
    ...more,
  });
  const decided = (command: CommandOf<"DecideDispute">) => {
    for (const { actor } of [olga, otto]) world.do(actor, command);
  };
  const bonds = () => world.state.balance("bonds");
  /** The cost of a dispute by this trader. */
  const costOf = (trader: Trader) => {
    const before = world.cash(trader);
    world.do(trader.actor, open);
    assert.equal(world.state.market(marketId).dispute?.bondMicros, before - world.cash(trader));
    assert.equal(bonds(), before - world.cash(trader));
    return bonds();
  };
  const asked = (by: Actor, command: CommandOf<"OpenDispute" | "DecideDispute">) =>
    world.refused(by, command).code;
  return {
    world,
    marketId,
    other,
    anna,
    bela,
    cleo,
    olga,
    otto,
    open,
    decide,
    decided,
    bonds,
    costOf,
    asked,
  };
}

for (const [who, amount, bond] of [
  ["bela", "20000.01", "200.0001"],
  ["anna", "20000.01", "200.1001"],
  ["cleo", "20000.01", "100"],
  ["bela", "10000", "100"],
] as const) {
  test(`a bond is a hundredth, at least 100: ${who}'s is ${bond} of ${amount}`, () => {
    const staged = stage(amount);
    assert.equal(staged.costOf(staged[who]), usd(bond));
  });
}

test("an upheld dispute's bond is the fund's; an amended one's comes back, and both end it", () => {
  const kept = stage();
  const fund = kept.world.state.balance("guarantee");
  kept.costOf(kept.bela);
  kept.decided(kept.decide("uphold"));
  assert.equal(kept.world.state.balance("guarantee") - fund, usd("200.0001"));
  assert.equal(kept.bonds(), 0n);
  assert.equal(kept.world.state.market(kept.marketId).dispute, null);

  const given = stage();
  const cash = given.world.cash(given.bela);
  given.costOf(given.bela);
  const { valueE15 } = given.world.observe("2024-12", "299000");
  given.decided(given.decide("amend", { valueE15 }));
  assert.equal(given.world.cash(given.bela), cash);
  assert.equal(given.bonds(), 0n);
  const { dispute, resolution } = given.world.state.market(given.marketId);
  assert.deepEqual([dispute, resolution?.outcome], [null, "NO"]);
  assert.equal(given.world.refused(given.olga.actor, given.decide("uphold")).code, "DISPUTE_NONE");
});

test("one person disputes a resolution once, by whichever account; another still may", () => {
  const { world, anna, bela, cleo, open, decide, decided, asked } = stage();
  world.do(bela.actor, open);
  assert.equal(asked(cleo.actor, open), "DISPUTE_OPEN");
  decided(decide("uphold"));
  assert.equal(asked(bela.actor, open), "DISPUTE_REPEATED");
  world.doInTwo({ type: "SetOwner", accountId: cleo.id, owner: bela.id });
  assert.equal(asked(cleo.actor, open), "DISPUTE_REPEATED");
  world.do(anna.actor, open);
  decided(decide("amend", { valueE15: world.observe("2024-12", "299000").valueE15 }));
  world.do(bela.actor, open);
});

test("a bond takes cash that is free, to the last of it, and no margin call is open", () => {
  const { world, bela, open, asked } = stage();
  const spare = micros(world.available(bela) - usd("200.0001"));
  world.fund(bela, micros(-spare - 1n));
  assert.deepEqual(world.refused(bela.actor, open), {
    code: "INSUFFICIENT_BALANCE",
    details: {
      limit: "disputeBond",
      requiredMicros: usd("200.0001"),
      availableMicros: usd("200.000099"),
    },
  });
  assert.equal(asked(world.trader("nobody", "500").actor, open), "DISPUTE_NO_POSITION");
  world.fund(bela, micros(1n));
  world.do(bela.actor, open);
  assert.equal(world.cash(bela), 0n);

  const short = stage();
  short.world.fund(short.anna, micros(usd("200.1") - short.world.available(short.anna)));
  assert.ok(short.world.cash(short.anna) > usd("200.1001"), "its other short needs the rest");
  assert.equal(short.asked(short.anna.actor, short.open), "INSUFFICIENT_BALANCE");
});

test("a decision in time leaves nothing to fall due", () => {
  const { world, bela, open, decide, decided } = stage();
  world.do(bela.actor, open);
  decided(decide("uphold"));
  const seen: string[] = [];
  world.runTo(world.nowMillis + 720 * HOUR_MILLIS, ({ type }) => {
    seen.push(type);
  });
  assert.ok(seen.includes("FinalizeMarket") && !seen.includes("UpholdDispute"), seen.join());
});

test("an operator's dispute costs the least bond, from cash that another operator put there", () => {
  const { world, marketId, olga, otto, open, decide, bonds, asked } = stage();
  const lacks = (free: bigint) => ({
    code: "INSUFFICIENT_BALANCE",
    details: { limit: "disputeBond", requiredMicros: usd("100"), availableMicros: free },
  });
  assert.deepEqual(world.refused(olga.actor, open), lacks(0n));
  assert.deepEqual(world.refused(root, open), lacks(0n), "root has no account");
  const amountMicros = usd("99.999999");
  const fund = { type: "FundAccount", accountId: olga.id, amountMicros, memo: null } as const;
  assert.equal(world.refused(olga.actor, fund).code, "CONFLICT_OF_INTEREST");
  world.approve(olga, "institutional");
  world.do(otto.actor, fund);
  assert.deepEqual(world.refused(olga.actor, open), lacks(usd("99.999999")));
  world.do(otto.actor, { ...fund, amountMicros: micros(1n) });
  world.do(olga.actor, open);
  assert.equal(bonds(), usd("100"));
  assert.equal(world.cash(olga), 0n);
  assert.equal(asked(olga.actor, decide("uphold")), "CONFLICT_OF_INTEREST");
  const { valueE15 } = world.observe("2024-12", "299000");
  const revised = decide("amend", { valueE15, revisedIn: releaseId("rel-9") });
  assert.deepEqual(world.refused(root, revised), {
    code: "DISPUTE_AMEND_REVISION",
    details: { release: "rel-9" },
    field: "value",
  });
  world.do(root, decide("uphold"));
  world.do(otto.actor, decide("amend", { valueE15, evidence: "page 3" }));
  assert.equal(asked(root, decide("uphold")), "DISPUTE_SAME_OPERATOR");
  world.do(root, decide("amend", { valueE15 }));
  assert.notEqual(world.state.market(marketId).dispute, null, "other evidence, another choice");
  world.do(otto.actor, decide("amend", { valueE15 }));
  assert.equal(world.state.market(marketId).dispute, null);
  assert.deepEqual([bonds(), world.cash(olga)], [0n, usd("100")], "an amendment gives it back");
});

test("an operator that holds a payout up without a reason pays for it", (t) => {
  const { world, olga, open, bonds } = stage();
  world.giveBond(olga);
  const fund = world.state.balance("guarantee");
  world.do(olga.actor, open);
  world.runTo(world.nowMillis + 240 * HOUR_MILLIS);
  assert.deepEqual([bonds(), world.cash(olga)], [0n, 0n]);
  const paid = micros(world.state.balance("guarantee") - fund);
  assert.equal(paid, usd("100"));
  t.diagnostic(`after: ${formatMicros(paid)} USD to the fund for ten days`);
});

test("nobody who holds the market decides its dispute, by an account of any name", () => {
  const { world, anna, cleo, olga, otto, open, decide, asked } = stage();
  world.do(cleo.actor, open);
  world.join(anna, olga);
  assert.equal(asked(olga.actor, decide("uphold")), "CONFLICT_OF_INTEREST");
  world.do(otto.actor, decide("uphold"));
});

test("nobody disputes a market that is not there, or decides about one", () => {
  const { world, olga, open, decide, asked } = stage();
  const { marketId } = world.listing("2026-12", { kind: "binary", strikeBps: 700 });
  assert.equal(asked(root, { ...open, marketId }), "MARKET_NOT_FOUND");
  assert.equal(asked(olga.actor, decide("uphold", { marketId })), "MARKET_NOT_FOUND");
});

test("after ten days without a decision it is upheld, and the rest of the window runs", () => {
  const { world, marketId, bela, open, bonds, costOf } = stage();
  const fund = world.state.balance("guarantee");
  const opened = world.nowMillis + 24 * HOUR_MILLIS;
  world.runTo(opened);
  const bond = costOf(bela);
  world.runTo(opened + 240 * HOUR_MILLIS - 1);
  assert.equal(bonds(), bond, "undecided");
  world.runTo(opened + 240 * HOUR_MILLIS);
  assert.equal(bonds(), 0n);
  assert.equal(world.state.balance("guarantee") - fund, bond);
  const { dispute, resolution } = world.state.market(marketId);
  assert.equal(dispute, null);
  assert.equal(resolution?.disputeWindowEndsAtMillis, opened + 288 * HOUR_MILLIS);
  assert.deepEqual(resolution.disputedBy, [bela.id], "and whose it was is remembered");
  assert.equal(world.refused(bela.actor, open).code, "DISPUTE_REPEATED");
});

test("a rate that hangs on no chain is amended as a print of its own", () => {
  const world = new World();
  world.index = "vacancy";
  world.print("2024-09", "7.1");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const thresholdE15 = world.observe("2024-12", "7.5").valueE15;
  const payoff = { kind: "level", comparator: "gte", thresholdE15 } as const;
  const listing = world.listing("2024-12", payoff);
  world.do(root, { type: "ListMarket", listing, frontendId: null });
  world.runTo(Date.UTC(2025, 1, 10));
  world.print("2024-12", "7.6");
  const { marketId } = listing;
  const outcome = () => world.state.market(marketId).resolution?.outcome;
  assert.equal(outcome(), "YES");
  const third = world.open("third", "operator");
  world.giveBond(third);
  world.do(third.actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
  const { valueE15 } = world.observe("2024-12", "7.4");
  const amend = { type: "DecideDispute", marketId, decision: "amend", valueE15 } as const;
  for (const actor of [root, otto.actor]) world.do(actor, { ...amend, evidence: null });
  assert.equal(outcome(), "NO");
  assert.equal(world.refused(olga.actor, { ...amend, evidence: null }).code, "DISPUTE_NONE");
});

test("an amendment of a print without a value stops the node: no request is read as one", () => {
  const { world, bela, olga, otto, open, decide } = stage();
  world.do(bela.actor, open);
  world.do(olga.actor, decide("amend"));
  assert.throws(() => world.do(otto.actor, decide("amend")), /an amendment carries its value/);
});

test("who is called for margin puts nothing into a bond", () => {
  const { world, anna, other, open, asked } = stage();
  world.fund(anna, micros(-world.available(anna)));
  const marks = { markTick: tick("0.9"), stressedTick: tick("0.95") };
  world.do(system, publishMarks([{ marketId: other.marketId, ...marks }]));
  assert.ok(world.state.account(anna.id).marginCall !== undefined, "called");
  assert.equal(asked(anna.actor, open), "MARGIN_CALL");
});
