// Two owners sell until the guarantee fund could not carry them, one over several accounts; then
// they, or others, go on selling.
// Invariant: nobody adds a short while the two weakest owners lack more than the fund has; whatever
// closes a position goes on, and an owner counts as one however many accounts it has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicros, type Micros, micros, parseMicros } from "#base/money.ts";
import { coverOf } from "#core/margin/cover.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

/** Two owners of 50,000 contracts each, sold at 0.05 with little cash; the first over `parts`. */
function stage(parts: number, owned = true) {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const maker = world.trader("maker", "1000000");
  const operator = world.open("olga", "operator");
  const honest = world.trader("honest", "1000000");
  const sell = (who: Trader, amount: number, price = "0.05") => {
    const isFirst = !world.state.markets.has(listing.marketId);
    world.order(order(listing, "SELL", String(amount), price), who, isFirst ? listing : null);
    world.order(order(listing, "BUY", String(amount), price), maker);
  };
  const [first = assert.fail(), ...rest] = Array.from({ length: parts }, (_, at) =>
    world.trader(`first-${at}`, String(4_000 / parts)),
  );
  for (const { id: accountId } of owned ? rest : []) {
    world.do(root, { type: "SetOwner", accountId, owner: first.id });
  }
  const second = world.trader("second", "4000");
  for (const one of [first, ...rest]) sell(one, 50_000 / parts);
  sell(second, 50_000);
  sell(honest, 1_000);
  const mark = (price: string) => {
    const marks = { markTick: tick(price), stressedTick: tick(price) };
    return world.do(system, publishMarks([{ marketId: listing.marketId, ...marks }]));
  };
  const tries = (who: Trader, side: "BUY" | "SELL", more = {}): RejectionCode | undefined => {
    const input = { ...order(listing, side, "10", "0.5"), ...more };
    const outcome = world.try(who.actor, { type: "PlaceOrder", order: input, listing: null });
    return "rejection" in outcome ? outcome.rejection.code : undefined;
  };
  return { world, listing, maker, operator, honest, first, rest, second, mark, tries };
}

const lackingIn = ({ state }: World) => state.exchange?.fundShortMicros;

test("two owners who sold beyond the fund stop every new short until the fund holds them", (t) => {
  const { world, listing, maker, operator, honest, mark, tries } = stage(1);
  assert.equal(tries(honest, "SELL"), undefined, "an empty fund shuts nobody out by itself");
  mark("0.4");
  const { cover2Micros, spareMicros } = coverOf(world.state);
  const lacking = lackingIn(world);
  assert.equal(lacking, cover2Micros - spareMicros);
  assert.ok(lacking !== undefined && lacking > usd("10000"));
  assert.equal(tries(honest, "SELL"), "FUND_SHORT");
  const outcome = world.refused(honest.actor, {
    type: "PlaceOrder",
    order: order(listing, "SELL", "10", "0.5"),
    listing: null,
  });
  assert.equal(outcome.details?.requiredMicros, lacking);
  const told = (world.state.alerts.get(operator.id) ?? []).map(({ type }) => type);
  assert.deepEqual(told, ["fund_short"], "once");

  assert.equal(tries(honest, "BUY"), undefined, "it buys back");
  assert.equal(tries(maker, "SELL"), undefined, "a long position is sold");
  assert.equal(tries(maker, "SELL", { amountLots: 20_000_000n }), "FUND_SHORT", "and no more");
  const [resting] = world.state.openOrders.get(honest.id) ?? [];
  const orderId = resting ?? assert.fail();
  const amend = { type: "AmendOrder", orderId, expirySeconds: null } as const;
  const larger = {
    ...amend,
    price: null,
    amountLots: order(listing, "SELL", "20", "0.5").amountLots,
  };
  assert.equal(world.refused(honest.actor, larger).code, "FUND_SHORT");
  const smaller = { ...larger, amountLots: order(listing, "SELL", "5", "0.5").amountLots };
  world.do(honest.actor, smaller);
  world.do(honest.actor, { type: "CancelOrder", orderId });

  const short = decodeState(encodeState(world.state));
  assert.equal(stateHash(short), stateHash(world.state), "a snapshot holds it");
  const within = micros((lacking ?? 0n) - usd("10000"));
  const deposit = { type: "FundGuarantee", layer: "exchange", memo: null } as const;
  world.do(root, { ...deposit, amountMicros: micros(within - 1n) });
  assert.equal(tries(honest, "SELL"), "FUND_SHORT");
  world.do(root, { ...deposit, amountMicros: micros(1n) });
  assert.equal(tries(honest, "SELL"), undefined, "it holds, at once");
  assert.equal(lackingIn(world), undefined);
  t.diagnostic(`after: no short is added at ${formatMicros(lacking ?? micros(0n))} USD too little`);
});

test("an owner who splits over accounts of one owner counts as before", () => {
  const whole = stage(1);
  whole.mark("0.4");
  const split = stage(4);
  split.mark("0.4");
  assert.equal(lackingIn(split.world), lackingIn(whole.world));
  assert.ok(lackingIn(whole.world) !== undefined);
  const strangers = stage(4, false);
  strangers.mark("0.4");
  const [apart = 0n, together = 0n] = [lackingIn(strangers.world), lackingIn(whole.world)];
  assert.ok(apart < together, "the test tells owners from accounts");
  assert.equal(split.tries(split.honest, "SELL"), "FUND_SHORT");
});

test("marks that come back, and a deposit of who lacks it, end it as well", () => {
  const { world, second, first, honest, mark, tries } = stage(1);
  mark("0.4");
  for (const who of [first, second]) world.fund(who, usd("20000"));
  assert.equal(tries(honest, "SELL"), undefined, "they are in no call any more");
  const again = stage(1);
  again.mark("0.4");
  assert.equal(again.tries(again.honest, "SELL"), "FUND_SHORT");
  again.mark("0.06");
  assert.equal(again.tries(again.honest, "SELL"), undefined);
});

test("a lack below the floor stops nobody: a small exchange goes on", () => {
  const { world, first, second, honest, mark, tries } = stage(1);
  for (const who of [first, second]) world.fund(who, usd("12000"));
  mark("0.4");
  const { isCovered } = coverOf(world.state);
  assert.equal(isCovered, false);
  assert.equal(lackingIn(world), undefined);
  assert.equal(tries(honest, "SELL"), undefined);
});
