// Two owners sell until the guarantee fund could not carry them, one over several accounts; then
// they, or others, go on selling.
// Invariant: nobody adds a short while the two weakest owners lack more than the fund has, and an
// owner counts as one however many accounts it has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicros, type Micros, micros, parseMicros } from "#base/money.ts";
import type { RejectionCode } from "#core/rejection.ts";
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
  const tries = (who: Trader, side: "BUY" | "SELL"): RejectionCode | undefined => {
    const input = order(listing, side, "10", "0.5");
    const outcome = world.try(who.actor, { type: "PlaceOrder", order: input, listing: null });
    return "rejection" in outcome ? outcome.rejection.code : undefined;
  };
  return { world, honest, first, second, mark, tries };
}

const lackingIn = ({ state }: World) => state.exchange?.fundShortMicros;

test("an owner who splits over accounts of one owner counts as before", (t) => {
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
  t.diagnostic(`after: no short is added at ${formatMicros(micros(together))} USD too little`);
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
