// Two owners, a stranger, and histories that print after they have traded: places fall as states did
// from 2006 to 2010, or do not, while the two hedge across places and payoffs, borrow premiums,
// trade blocks on request, give mandates, cancel, withdraw, and markets are voided.
// Invariant: two owners take out no more than they put in plus what the stranger lost to them. The
// pool's own risk stands beside it: a premium lent on protection that stays and pays nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { Payoff } from "#contract/terms.ts";
import { owedIn } from "#core/acceptance/financed.ts";
import type { Command, CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Dice } from "../core/dice.ts";
import { atFunding, DAY_MILLIS, usd } from "../core/premiums.ts";
import { publishMarks } from "../core/publish-marks.ts";
import { month, order, root, system, type Trader, tick, World } from "../core/world.ts";
import { takeOut, text } from "./take-out.ts";

const HISTORIES = sizeOfRun("FIRSTPRINT_PAIR_HISTORIES", 60);
const FIRST = 1;
const ACTS = 30;
const CASH = "250000";

/** Per cent of the value in 2006 that the states kept at the end; by year none of them rose. */
const kept = [45, 58, 80, 93, 97, 100] as const;
const places = ["state:il", "state:ia", "state:nv"] as const;
const payoffs: readonly Payoff[] = [
  { kind: "layered", attachBps: 500, exhaustBps: 1500 },
  { kind: "binary", strikeBps: 500 },
  { kind: "binary", strikeBps: 1000 },
];
const ends = ["2025-06", "2025-09"] as const;
/** The model's value of a contract then, the price that it asks, and others. */
const MARK = "0.0213";
const LIMIT = "0.0313";
const LOWER = "0.0106";
const prices = ["0.0001", MARK, LIMIT, "0.25", "0.9"] as const;

interface Play {
  readonly world: World;
  readonly dice: Dice;
  readonly pair: readonly [Trader, Trader];
  readonly stranger: Trader;
  readonly listings: readonly Listing[];
}

function stage(seed: number): Play {
  const world = new World();
  world.judgesRefusals = false;
  const dice = new Dice(seed);
  world.lend("1000000");
  world.do(root, { type: "FundGuarantee", amountMicros: usd("1000000"), memo: null });
  const listings: Listing[] = [];
  for (const place of places) {
    world.place = nodeId(place);
    world.print("2024-10", "200000");
    for (const end of ends) {
      for (const payoff of payoffs) listings.push(marked(world.listing(end, payoff, MARK)));
    }
  }
  const pair = [world.trader("one", CASH), world.trader("other", CASH)] as const;
  for (const { id } of pair) {
    world.do(root, { type: "SetCredit", accountId: id, creditMicros: usd("100000") });
  }
  return { world, dice, pair, stranger: world.trader("stranger", "1000000"), listings };
}

/** As the product valued three years of a state in July 2006: little, and nearly all. */
const marked = (listing: Listing, mark = MARK): Listing => ({
  ...listing,
  markTick: tick(mark),
  stressedTick: tick("0.0314"),
  riskTicks: scenarios.map(({ direction, id }) =>
    tick(direction === "up" || id === "missing-print" ? mark : "0.9999"),
  ),
});

const kinds = [
  ...(["swap", "hedge", "hedge", "drain", "finance", "finance", "finance", "rest"] as const),
  ...(["sell back", "sell back", "marks", "block", "mandate", "cancel", "out", "wait"] as const),
  "void",
];

/** A third of the histories begin with hedges, a third live on what is lent; in the rest all is. */
const moods = [
  (dice: Dice, at: number) => (at < 3 ? "hedge" : dice.pick(kinds)),
  (dice: Dice, at: number) => (at < 2 ? "drain" : dice.pick(lending)),
  (dice: Dice) => dice.pick(kinds),
] as const;
const lending = ["finance", "finance", "sell back", "marks"] as const;

function act(play: Play, kind: (typeof kinds)[number], isOneWay: boolean): void {
  const { world, dice, pair, stranger, listings } = play;
  const [one, other] = isOneWay || dice.chance(50) ? pair : [pair[1], pair[0]];
  const listing = dice.pick(listings);
  const amount = String(dice.pick([100, 10_000, 100_000]));
  const price = dice.pick(prices);
  const give = ({ actor }: Trader, command: Command) => world.try(actor, command);
  const place = (who: Trader, side: "BUY" | "SELL", at: string, more = {}) =>
    give(who, {
      type: "PlaceOrder",
      order: order(listing, side, amount, at, more),
      listing: world.state.markets.has(listing.marketId) ? null : listing,
    });
  switch (kind) {
    case "swap":
      place(one, "SELL", price);
      place(other, "BUY", price, { timeInForce: "IOC" });
      break;
    case "hedge":
      hedge(play, one, other, listing);
      break;
    case "drain": {
      // All that the other has goes to the one, for protection that is worth little.
      const affords = world.available(other) / 9_100n / 100n;
      if (affords <= 0n) break;
      const input = order(listing, "SELL", String(affords), "0.9");
      const isListed = world.state.markets.has(listing.marketId);
      give(one, { type: "PlaceOrder", order: input, listing: isListed ? null : listing });
      give(other, { type: "PlaceOrder", order: { ...input, side: "BUY" }, listing: null });
      break;
    }
    case "marks":
      if (!world.state.markets.has(listing.marketId)) break;
      world.do(system, publishMarks([marked(listing, dice.pick([LOWER, MARK]))]));
      break;
    case "finance": {
      const at = dice.pick([LIMIT, MARK]);
      place(one, "SELL", at);
      const fundsAtMillis = world.nowMillis + 30 * DAY_MILLIS;
      give(other, {
        type: "AcceptQuote",
        order: order(listing, "BUY", amount, at, { timeInForce: "IOC" }),
        listing,
        structure: { ...atFunding, fundsAtMillis },
        referenceTick: tick(LIMIT),
      });
      break;
    }
    case "sell back":
      for (const at of [LOWER, MARK]) {
        place(one, "BUY", at);
        place(other, "SELL", at, { timeInForce: "IOC" });
      }
      break;
    case "rest":
      place(dice.chance(50) ? stranger : one, dice.chance(60) ? "BUY" : "SELL", price);
      break;
    case "block":
      block(play, one, other, listing, amount);
      break;
    case "mandate":
      give(one, mandateOn(dice.pick(places)));
      break;
    case "cancel":
      for (const who of [one, other]) give(who, { type: "CancelAll", marketId: null });
      break;
    case "out":
      if (dice.chance(30)) takeOut(world, one);
      break;
    case "wait":
      world.runTo(Math.min(world.nowMillis + 31 * DAY_MILLIS, Date.UTC(2025, 4, 20)));
      break;
    case "void":
      if (!world.state.markets.has(listing.marketId) || dice.chance(50)) break;
      world.doInTwo({ type: "CancelMarket", marketId: listing.marketId, reason: "drill" });
  }
}

/** Each sells the other as much: of two places, or of one place by two payoffs. */
function hedge({ world, dice, listings }: Play, one: Trader, other: Trader, first: Listing): void {
  const { nodeId: place, measurementMonth } = first.terms;
  const beside = listings.filter(({ terms }) => {
    const isSame = payoffOf(terms) === payoffOf(first.terms);
    return terms.measurementMonth === measurementMonth && (terms.nodeId === place) !== isSame;
  });
  const second = dice.pick(beside);
  for (const [listing, from, to] of [
    [first, one, other],
    [second, other, one],
  ] as const) {
    const sized = (side: "BUY" | "SELL") => order(listing, side, "100000", MARK);
    const isListed = world.state.markets.has(listing.marketId);
    world.try(from.actor, {
      ...{ type: "PlaceOrder", order: sized("SELL") },
      listing: isListed ? null : listing,
    });
    world.try(to.actor, { type: "PlaceOrder", order: sized("BUY"), listing: null });
  }
}

const payoffOf = ({ payoff }: Listing["terms"]): string => JSON.stringify(payoff);

function block(
  { world, dice }: Play,
  one: Trader,
  other: Trader,
  listing: Listing,
  amount: string,
) {
  const amountLots = lots(100n * BigInt(amount));
  const closesAtMillis = world.nowMillis + 3_600_000;
  const terms = { legs: [{ listing, amountLots }], side: "BUY", audience: null } as const;
  const opened = world.try(one.actor, { type: "OpenRfq", ...terms, closesAtMillis });
  if (isRejected(opened)) return;
  const rfqId = [...world.state.rfqs.keys()].at(-1) ?? assert.fail("a request was opened");
  const ticks = [tick(dice.pick(prices))];
  const validUntilMillis = closesAtMillis + 3_600_000;
  const quote = { type: "QuoteRfq", rfqId, ticks, validUntilMillis } as const;
  if (isRejected(world.try(other.actor, quote))) return;
  const quoteId = [...world.state.rfqQuotes.keys()].at(-1) ?? assert.fail("a quote was given");
  world.try(one.actor, { type: "AcceptRfq", rfqId, quoteId });
}

function mandateOn(place: string): CommandOf<"SetMandate"> {
  const most = lots(1_000_000n);
  return {
    ...{ type: "SetMandate", mandateId: null },
    terms: {
      scope: {
        ...{ index: "zhvi", places: [nodeId(place)], levels: null, payoffs: null },
        ...{ minMonths: 1, maxMonths: 36 },
      },
      ...{ side: "SELL", spreadTicks: 1, spreadTicksPerYear: 0, expirySeconds: 0 },
      ...{ mostInMarketLots: most, mostInStateLots: most, mostInAllLots: most },
      collateral: "margin",
    },
  };
}

/** Principal that protection stands behind, at the worth it was lent on: the pool's own risk. */
function riskOfPool({ world, pair }: Play): bigint {
  let risk = 0n;
  const seen = new Set<string>();
  for (const { accountId, marketId, status } of world.state.acceptances.values()) {
    const name = `${accountId} ${marketId}`;
    if (status === "paid" || seen.has(name)) continue;
    seen.add(name);
    if (!pair.some(({ id }) => id === accountId)) continue;
    const held = world.state.position(accountId, marketId)?.heldLots ?? 0n;
    const worth = held > 0n ? held * BigInt(tick(MARK) + 1) : 0n;
    const owed = owedIn(world, accountId, marketId);
    risk += owed < worth ? owed : worth;
  }
  return risk;
}

/** Every place prints both months, each no higher than the one before; then all is paid. */
function end({ world, dice }: Play, from: readonly number[]): void {
  const values = places.map(() => [dice.pick(from), dice.pick(from)] as const);
  for (const [at, ended] of ends.entries()) {
    world.runTo(monthEndMillis(month(ended)) + 20 * DAY_MILLIS);
    for (const [which, place] of places.entries()) {
      const [first, second] = values[which] ?? assert.fail();
      world.place = nodeId(place);
      world.print(ended, String(2_000 * (at === 0 ? first : Math.min(first, second))));
    }
  }
  world.runTo(world.nowMillis + 400 * DAY_MILLIS);
}

/** Micro-dollars that the two have more than they may; and how often each thing was done. */
function surplusOf(seed: number, met: Map<string, number>): bigint {
  const play = stage(seed);
  const { world, pair, stranger } = play;
  const put = 2n * usd(CASH);
  const mood = moods[seed % moods.length] ?? assert.fail();
  for (let at = 0; at < ACTS; at += 1) {
    const before = world.state.fillCount;
    const kind = mood(play.dice, at);
    act(play, kind, seed % moods.length === 1);
    if (world.state.fillCount > before) met.set(kind, (met.get(kind) ?? 0) + 1);
  }
  for (const { actor } of [...pair, stranger]) {
    world.do(actor, { type: "CancelAll", marketId: null });
    world.do(actor, { type: "CancelMandates", mandateId: null });
  }
  // Free cash leaves before anything is known.
  for (const one of pair) takeOut(world, one);
  const risk = riskOfPool(play);
  // Loans are lost where nothing pays.
  end(play, seed % moods.length === 1 ? kept.slice(-2) : kept);
  let [out, lost] = [0n, usd("1000000") - world.cash(stranger)];
  for (const one of pair) out += world.cash(one);
  for (const { outcome } of world.journal) {
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type !== "Posted" || event.posting.to !== "external") continue;
      const { from, amountMicros } = event.posting;
      if (pair.some(({ id }) => from === `cash:${id}`)) out += amountMicros;
    }
  }
  return out - put - lost - risk;
}

test("two owners take out no more than they put in and a stranger lost to them", (t) => {
  const met = new Map<string, number>();
  let most = -(1n << 60n);
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
    const surplus = surplusOf(seed, met);
    if (surplus > most) most = surplus;
    assert.ok(surplus <= 0n, `history ${seed}: the two took ${text(surplus)} USD too much`);
  }
  for (const kind of ["swap", "hedge", "drain", "finance", "sell back", "rest", "block"]) {
    assert.ok((met.get(kind) ?? 0) > 0, `${kind} has traded`);
  }
  t.diagnostic(`after: ${text(micros(most))} USD at most in ${HISTORIES} histories`);
});
