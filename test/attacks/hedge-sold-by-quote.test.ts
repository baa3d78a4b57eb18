// A seller's long lowers the margin of its shorts, and is then sold through a quote, at no margin.
// Invariant: after an accept the maker has the cash that its positions hold back, and owes no call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { available } from "#core/step.ts";
import { contracts, refusalIn, rfqStage } from "../core/rfq-stage.ts";
import { order, root, tick } from "../core/world.ts";

/** The maker is long in a market, and short as much for a month before it: both gain together. */
function hedged(spareCents: bigint) {
  const stage = rfqStage("1000");
  const { world, listings, buyer, maker, rival } = stage;
  const riskTicks = scenarios.map(() => tick("0.5"));
  const listed = listings.at(-1) ?? assert.fail();
  const before = { ...world.listing("2025-09", listed.terms.payoff), within: listed.within };
  const [long, sold] = [listed, before].map(
    (one): Listing => ({ ...one, stressedTick: tick("0.05"), riskTicks }),
  );
  assert.ok(long !== undefined && sold !== undefined);
  world.order(order(long, "SELL", "1000", "0.05"), rival, long);
  world.order(order(long, "BUY", "1000", "0.05"), maker);
  world.order(order(sold, "BUY", "1000", "0.05"), buyer, sold);
  world.order(order(sold, "SELL", "1000", "0.05"), maker);
  leave(stage, spareCents);
  const legs = (amount: string): CommandOf<"OpenRfq">["legs"] => [
    { listing: long, amountLots: contracts(amount) },
  ];
  const ask = () => stage.open({ legs: legs("100") });
  return { ...stage, long, sold, ask };
}

type Cashed = Pick<ReturnType<typeof rfqStage>, "world" | "maker">;

/** So much free cash is left to the maker. */
function leave({ world, maker }: Cashed, spareCents: bigint): void {
  const amountMicros = micros(spareCents * 10_000n - available(world.state, maker.id));
  world.do(root, { type: "FundAccount", accountId: maker.id, amountMicros, memo: null });
}

test("a long that is sold by a quote offsets nothing: the quote needs the cash", (t) => {
  const { world, maker, ask, quote, accept } = hedged(50_00n);
  ask();
  const refused = refusalIn(quote(["0.6"]));
  if (refused === undefined) assert.equal(refusalIn(accept()), undefined);
  const free = available(world.state, maker.id);
  const isCalled = world.state.account(maker.id).marginCall !== undefined;
  t.diagnostic(`after: ${free} micro-dollars are free, ${isCalled ? "called" : "no call"}`);
  assert.ok(free >= 0n && !isCalled, "its margin is there after the accept");
  assert.equal(refused, "INSUFFICIENT_BALANCE");
});
