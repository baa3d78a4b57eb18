// The end of a market, step by step: what its print closes, who may dispute, who is told.
// Invariant: nothing is told of whom the end does not concern.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrintValue } from "#base/print-value.ts";
import type { Payoff } from "#contract/terms.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { positionOf } from "#core/step.ts";
import { order, root, system, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const value = (text: string) => parsePrintValue(text) ?? assert.fail(text);

/** Anna has sold Bela ten, Cleo has bought one of Bela and sold it back to her; January is over. */
function traded(payoff: Payoff = layer) {
  const world = new World();
  world.print("2024-10", "300000");
  const [anna, bela, cleo] = ["anna", "bela", "cleo"].map((name) => world.trader(name, "1000"));
  assert.ok(anna !== undefined && bela !== undefined && cleo !== undefined);
  const idle = world.openIdle("third");
  const [operator, other] = [world.open("operator", "operator"), world.open("other", "operator")];
  const listing = world.listing("2024-12", payoff);
  const { marketId } = listing;
  if (payoff.kind === "level") world.do(root, { type: "ListMarket", listing, frontendId: null });
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  for (const side of ["SELL", "BUY"] as const) {
    world.order(order(listing, side, "1", "0.05"), bela);
    world.order(order(listing, side === "SELL" ? "BUY" : "SELL", "1", "0.05"), cleo);
  }
  const market = () => world.state.market(marketId);
  return { world, anna, bela, cleo, idle, operator, other, listing, marketId, market };
}

const positionsTold = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.type === "PositionChanged" ? event.position.accountId : []));

const accepted = (events: readonly Event[]) =>
  events.find((event) => event.type === "ReleaseAccepted")?.release;

const decide = (
  marketId: CommandOf<"DecideDispute">["marketId"],
  amendTo: string | null = null,
): CommandOf<"DecideDispute"> => ({
  type: "DecideDispute",
  marketId,
  decision: amendTo === null ? "uphold" : "amend",
  valueE15: amendTo === null ? null : value(amendTo),
  evidence: null,
});

test("a release names the markets it settles, and none that it could not", () => {
  const { world, marketId, market } = traded();
  world.runTo(Date.UTC(2025, 0, 20));
  const backfill = { ...world.observe("2024-12", "1"), backfill: true };
  assert.deepEqual(accepted(world.do(root, world.release(backfill)))?.resolvedMarkets, []);
  const other = traded();
  other.world.runTo(Date.UTC(2025, 0, 20));
  const unlinked = other.world.print("2024-12", "270000", null);
  assert.deepEqual(accepted(unlinked)?.resolvedMarkets, [], "no chain, no settlement");
  assert.equal(other.market().status, "ACTIVE");
  const third = traded();
  third.world.runTo(Date.UTC(2025, 0, 20));
  assert.deepEqual(accepted(third.world.print("2024-12", "270000"))?.resolvedMarkets, [marketId]);
  assert.equal(market().status, "ACTIVE");
});

test("a print that is quicker than the close takes the market's open orders off itself", () => {
  const { world, anna, listing, market } = traded();
  const open = world.order(order(listing, "SELL", "1", "0.5"), anna);
  world.nowMillis = Date.UTC(2025, 0, 20);
  world.print("2024-12", "270000");
  const { status, cancelReason } = world.state.order(open.id);
  assert.deepEqual([status, cancelReason], ["CANCELLED", "MARKET_CLOSED"]);
  assert.equal(market().tradingClosed, true);
});

test("a void closes trading; who is flat and even gives nothing, and gets nothing", () => {
  const { world, anna, bela, listing, marketId, market } = traded();
  const dora = world.trader("dora", "100");
  for (const side of ["SELL", "BUY"] as const) {
    world.order(order(listing, side, "1", "0.05"), dora);
    world.order(order(listing, side === "SELL" ? "BUY" : "SELL", "1", "0.05"), bela);
  }
  assert.equal(market().tradingClosed, false);
  const events = world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
  assert.equal(market().tradingClosed, true);
  const timesTold = (id: string) => positionsTold(events).filter((one) => one === id).length;
  // Every position is undone; only who had paid or gained is told a second time.
  assert.deepEqual([timesTold(dora.id), timesTold(anna.id)], [1, 2]);
  for (const { id } of [anna, bela, dora]) {
    const { flowMicros, realisedMicros, costMicros } = positionOf(world.state, id, marketId);
    assert.deepEqual([flowMicros, realisedMicros, costMicros], [0n, 0n, 0n], "as if never traded");
  }
});

test("paying changes no position that holds nothing", () => {
  const { world, anna, bela, cleo } = traded();
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  const told: string[] = [];
  world.runTo(Date.UTC(2025, 0, 30), (_command, events) => told.push(...positionsTold(events)));
  assert.deepEqual(told.sort(), [anna.id, bela.id].sort());
  assert.ok(!told.includes(cleo.id));
});

test("a dispute is opened by who holds something there, or by any operator", () => {
  const { world, anna, cleo, idle, operator, other, marketId, market } = traded();
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  const third = world.empower(idle, operator.actor);
  const dispute = { type: "OpenDispute", marketId, reason: "why", evidence: null } as const;
  assert.equal(world.refused(cleo.actor, dispute).code, "DISPUTE_NO_POSITION");
  const openers: readonly (readonly [Actor, string])[] = [
    [anna.actor, anna.id],
    [operator.actor, operator.id],
  ];
  world.giveBond(operator);
  assert.equal(world.refused(root, dispute).code, "INSUFFICIENT_BALANCE");
  for (const [actor, by] of openers) {
    world.do(actor, dispute);
    assert.equal(market().dispute?.openedBy, by);
    assert.equal(world.refused(anna.actor, dispute).code, "DISPUTE_OPEN");
    for (const word of [other.actor, third.actor]) world.do(word, decide(marketId));
  }
});

test("a person's newest word counts; another choice of another stands beside it", () => {
  const { world, bela, operator, marketId, market } = traded();
  world.runTo(Date.UTC(2025, 0, 20));
  world.print("2024-12", "270000");
  world.do(bela.actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
  const choices = () =>
    [...world.state.words.values()].map(({ by, command }) =>
      command.type === "DecideDispute" ? [by, command.valueE15] : [by],
    );
  world.do(root, decide(marketId));
  assert.equal(world.refused(root, decide(marketId)).code, "DISPUTE_SAME_OPERATOR");
  world.do(operator.actor, decide(marketId, "240000"));
  assert.deepEqual(choices(), [
    ["root", null],
    [operator.id, value("240000")],
  ]);
  world.do(root, decide(marketId, "250000"));
  assert.deepEqual(choices(), [
    [operator.id, value("240000")],
    ["root", value("250000")],
  ]);
  world.do(operator.actor, decide(marketId, "250000"));
  assert.deepEqual(choices(), [], "words end with what they decide");
  assert.equal(market().resolution?.settledValueE15, value("250000"));
});

test("a level contract is amended on the value alone", () => {
  const atMost = { kind: "level", comparator: "lte", thresholdE15: value("250000") } as const;
  const { world, bela, operator, marketId, market } = traded(atMost);
  world.runTo(Date.UTC(2025, 0, 20));
  world.index = "vacancy";
  const seen = {
    ...world.observe("2024-12", "270000"),
    levelE12: null,
    link: null,
    backfill: false,
  };
  const command = world.release(seen);
  world.do(root, { ...command, release: { ...command.release, index: "zhvi" } });
  assert.equal(market().resolution?.outcome, "NO");
  world.do(bela.actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
  for (const by of [root, operator.actor]) world.do(by, decide(marketId, "250000"));
  assert.equal(market().resolution?.outcome, "YES");
  assert.equal(market().resolution?.payoutMillionths, 1_000_000);
});

test("what the edge never lets through stops the node", () => {
  const { world, operator, marketId } = traded();
  assert.throws(
    () => world.do(system, { type: "FinalizeMarket", marketId }),
    /resolved before it is finalized/,
  );
  const next = traded();
  next.world.runTo(Date.UTC(2025, 0, 20));
  next.world.print("2024-12", "270000");
  next.world.do(next.bela.actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
  const empty = { ...decide(marketId, "1"), valueE15: null };
  next.world.do(root, empty);
  assert.throws(() => next.world.do(next.operator.actor, empty), /carries its value/);
  assert.equal(operator.id, next.operator.id);
});
