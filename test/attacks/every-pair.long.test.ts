// Any two of several accounts, with whatever owners, over whatever they and the others do: selling,
// buying, borrowing premiums, waiting, cancelling, withdrawing, and markets that are voided.
// Invariant: a pair takes no more out than it brought in, what others paid it for trades, and what
// the model says its protection is worth: nothing comes from the exchange.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AccountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { isTick, type Tick } from "#base/price.ts";
import { isRejected } from "#core/outcome.ts";
import { atFunding, DAY_MILLIS, usd } from "../core/premiums.ts";
import { order, root, type Trader, tick, World } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const MARK = "0.0152";
const LIMIT = "0.0153";
const ACCOUNTS = 4;
const MARKETS = ["2025-12", "2026-06"] as const;
const ticks = [1, 100, 152, 153, 5_000, 9_900];

function stage(owners: readonly number[]) {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  world.lend("10000000");
  world.do(root, { type: "FundGuarantee", amountMicros: usd("1000000"), memo: null });
  const traders = Array.from({ length: ACCOUNTS }, (_, at) => world.trader(`t${at}`, "3500"));
  for (const [at, { id }] of traders.entries()) {
    const owner = traders[owners[at] ?? at]?.id ?? id;
    world.do(root, { type: "SetOwner", accountId: id, owner });
    world.do(root, { type: "SetCredit", accountId: id, creditMicros: usd("10000000") });
  }
  const listings = MARKETS.map((end) => world.listing(end, layer, MARK));
  return { world, traders, listings };
}
type Stage = ReturnType<typeof stage>;

const act = fc.record({
  kind: fc.constantFrom(
    ...([
      "sell",
      "sell",
      "buy",
      "buy",
      "accept",
      "accept",
      "wait",
      "cancel",
      "out",
      "void",
    ] as const),
  ),
  who: fc.nat(ACCOUNTS - 1),
  market: fc.nat(MARKETS.length - 1),
  lots: fc.integer({ min: 1, max: 4_000_000 }),
  tick: fc.constantFrom(...ticks),
});
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

function perform({ world, traders, listings }: Stage, one: Act): void {
  const { actor, id } = traders[one.who] ?? assert.fail();
  const listing = listings[one.market] ?? assert.fail();
  assert.ok(isTick(one.tick));
  const priceTick: Tick = one.tick;
  const sized = (side: "BUY" | "SELL", more = {}) => ({
    ...order(listing, side, (one.lots / 100).toFixed(2), LIMIT, more),
    priceTick,
  });
  switch (one.kind) {
    case "sell":
    case "buy":
      world.try(actor, {
        type: "PlaceOrder",
        order: sized(one.kind === "sell" ? "SELL" : "BUY"),
        listing,
      });
      return;
    case "accept":
      world.try(actor, {
        type: "AcceptQuote",
        order: sized("BUY", { timeInForce: "IOC" }),
        listing,
        structure: { ...atFunding, fundsAtMillis: world.nowMillis + 30 * DAY_MILLIS },
        referenceTick: tick(LIMIT),
      });
      return;
    case "wait":
      world.runTo(Math.min(world.nowMillis + 31 * DAY_MILLIS, Date.UTC(2025, 9, 1)));
      return;
    case "cancel":
      world.try(actor, { type: "CancelAll", marketId: null });
      return;
    case "out":
      withdraw(world, id, BigInt(one.lots) * 1_000n);
      return;
    case "void": {
      const market = world.state.markets.get(listing.marketId);
      if (market?.status !== "ACTIVE" || one.lots % 4 !== 0) return;
      const before = world.state.balance("guarantee");
      const fees = market.fundFeesMicros;
      world.doInTwo({ type: "CancelMarket", marketId: market.id, reason: "drill" });
      assert.ok(
        before - world.state.balance("guarantee") <= fees,
        "a void costs the fund its fees",
      );
    }
  }
}

function withdraw(world: World, accountId: AccountId, amount: bigint): boolean {
  const amountMicros = micros(-amount);
  return !isRejected(world.try(root, { type: "FundAccount", accountId, amountMicros, memo: null }));
}

function takeAllOut({ world, traders }: Stage): void {
  for (const { actor } of traders) world.do(actor, { type: "CancelAll", marketId: null });
  for (const { id } of [...traders, ...traders]) {
    for (let amount = 1n << 40n; amount > 0n; amount /= 2n) withdraw(world, id, amount);
  }
}

interface Moved {
  /** Out of the exchange, less what came in. */
  readonly out: bigint;
  /** From accounts outside the pair, and from what markets paid out or gave back. */
  readonly fromOthers: bigint;
}

function movedBy({ world }: Stage, pair: readonly Trader[]): Moved {
  const mine = new Set<string>(pair.map(({ id }) => `cash:${id}`));
  let [out, fromOthers] = [0n, 0n];
  for (const { outcome } of world.journal) {
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type !== "Posted") continue;
      const { from, to, amountMicros } = event.posting;
      const change = (mine.has(to) ? amountMicros : 0n) - (mine.has(from) ? amountMicros : 0n);
      const other = mine.has(from) ? to : from;
      if (other === "external") out -= change;
      else if (other.startsWith("cash:") || other.startsWith("market:")) fromOthers += change;
    }
  }
  return { out, fromOthers };
}

/** The model's value of the pair's longs; a loan may be of a tick more, rounded up. */
function worthOf({ world, listings }: Stage, pair: readonly Trader[]): bigint {
  let worth = 0n;
  for (const { id } of pair) {
    for (const { marketId } of listings) {
      const held = world.state.position(id, marketId)?.heldLots ?? 0n;
      if (held > 0n) worth += held * BigInt(tick(MARK));
    }
    for (const { accountId, filledLots } of world.state.acceptances.values()) {
      if (accountId === id) worth += filledLots;
    }
  }
  return worth;
}

const pairs = Array.from({ length: ACCOUNTS }, (_, a) =>
  Array.from({ length: a }, (__, b) => [a, b] as const),
).flat();

test("no two accounts take out what neither brought, was paid, nor holds", (t) => {
  const histories = fc.array(act, { minLength: 15, maxLength: 40, size: "max" });
  const owners = fc.tuple(...Array.from({ length: ACCOUNTS }, () => fc.nat(ACCOUNTS - 1)));
  let [most, given, loans, voids] = [-(1n << 60n), 0, 0, 0];
  fc.assert(
    fc.property(histories, owners, (acts, owned) => {
      const played = stage(owned);
      for (const one of acts) perform(played, one);
      takeAllOut(played);
      given += acts.length;
      loans += played.world.state.acceptanceCount;
      for (const { status } of played.world.state.markets.values()) {
        if (status === "CANCELLED") voids += 1;
      }
      for (const [a, b] of pairs) {
        const pair = [a, b].map((at) => played.traders[at] ?? assert.fail());
        const { out, fromOthers } = movedBy(played, pair);
        const surplus = out - fromOthers - worthOf(played, pair);
        if (surplus > most) most = surplus;
        assert.ok(surplus <= 0n, `${a} and ${b} took ${surplus} too much`);
      }
    }),
    { numRuns: 100 },
  );
  assert.ok(loans >= 10 && voids >= 10, `${loans} loans and ${voids} voids were met`);
  t.diagnostic(`after: ${most} micro-dollars at most, in ${given} acts with ${loans} loans`);
});
