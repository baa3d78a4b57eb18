// Two owners and a stranger in a market that falls after they have traded, as a seed draws them:
// the two hedge across places, payoffs and months, borrow premiums, trade blocks on request, give
// mandates, cancel and withdraw; markets are voided; sellers fail their calls and are auctioned.
// Invariant: nothing but the dice and the state decides, and every act is one that a person may try.
import assert from "node:assert/strict";
import { type MarketId, type NodeId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { Payoff } from "#contract/terms.ts";
import type { Command, CommandOf } from "#core/command.ts";
import { highestBid } from "#core/margin/auction.ts";
import { isLive } from "#core/market/life.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { takeOut } from "../attacks/take-out.ts";
import { Dice } from "./dice.ts";
import { endAuctions, endCalls } from "./end-calls.ts";
import { atFunding, DAY_MILLIS, usd } from "./premiums.ts";
import { publishMarks } from "./publish-marks.ts";
import { month, order, root, system, type Trader, tick, World } from "./world.ts";

const CASH = "250000";
export const CASH_OF_STRANGER = "1000000";

/** Per cent of the value in 2006 that the states kept at the end; by year none of them rose. */
const kept = [45, 58, 80, 93, 97, 100] as const;
const places = ["state:il", "state:ia", "state:nv"] as const;
const payoffs: readonly Payoff[] = [
  { kind: "layered", attachBps: 500, exhaustBps: 1500 },
  { kind: "binary", strikeBps: 500 },
  { kind: "binary", strikeBps: 1000 },
];
const ends = ["2025-06", "2025-09"] as const;

/** The model's value of a contract at first, the price that it asks, and others. */
export const MARK = "0.0213";
const LIMIT = "0.0313";
const LOWER = "0.0106";
const prices = ["0.0001", MARK, LIMIT, "0.25", "0.9"] as const;
/** The marks of a market whose place falls: each publication brings it one further. */
const rungs: readonly string[] = [MARK, "0.1", "0.25", "0.45", "0.7", "0.9", "0.9999"];

type Kind =
  | ("swap" | "hedge" | "drain" | "finance" | "sell back" | "rest" | "block")
  | ("mandate" | "marks" | "cancel" | "out" | "wait" | "void");

interface Mood {
  /** Of acts; one is drawn. */
  readonly lengths: readonly number[];
  readonly opening: { readonly kind: Kind; readonly times: number };
  readonly kinds: readonly Kind[];
  /** Margin covers all that can be paid; else two rungs, and places fall rung by rung. */
  readonly isFull: boolean;
  /** The same of the two borrows and sells back throughout. */
  readonly isOneWay: boolean;
  readonly falls: readonly number[];
}

const everything: readonly Kind[] = [
  ...(["swap", "hedge", "hedge", "drain", "finance", "finance", "finance", "rest"] as const),
  ...(["sell back", "sell back", "marks", "block", "mandate", "cancel", "out", "wait"] as const),
  "void",
];

/**
 * Hedges, and little else before the cash is out; one place falls, and another does not. Mostly so:
 * a hedge that is none pays only where just one of its sides does, and nothing else offsets it.
 */
const hedgers: Mood = {
  ...{ lengths: [1, 2, 4], opening: { kind: "hedge", times: 1 } },
  kinds: ["hedge", "hedge", "swap", "block", "mandate", "rest", "void"],
  ...{ isFull: true, isOneWay: false, falls: [80, 80, 93, 100, 100] },
};

/** By the seed, in turn. */
const moods: readonly Mood[] = [
  // All of it, for long.
  {
    ...{ lengths: [30], opening: { kind: "hedge", times: 0 }, kinds: everything },
    ...{ isFull: true, isOneWay: false, falls: kept },
  },
  // On what is lent: all of one's cash goes to the other first, and loans are lost on what pays
  // nothing.
  {
    ...{ lengths: [30], opening: { kind: "drain", times: 2 } },
    kinds: ["finance", "finance", "sell back", "sell back", "marks", "drain"],
    ...{ isFull: true, isOneWay: true, falls: [97, 100] },
  },
  hedgers,
  // Sellers on margin.
  {
    ...{ lengths: [3, 6, 12], opening: { kind: "hedge", times: 1 } },
    kinds: ["hedge", "swap", "block", "mandate", "rest", "rest", "rest", "wait", "void"],
    ...{ isFull: false, isOneWay: false, falls: kept },
  },
  hedgers,
];

export interface Play {
  readonly world: World;
  readonly pair: readonly [Trader, Trader];
  readonly stranger: Trader;
  readonly mood: Pick<Mood, "isFull">;
}

interface Stage extends Play {
  readonly dice: Dice;
  readonly mood: Mood;
  readonly listings: readonly Listing[];
}

const moodOf = (seed: number): Mood => moods[seed % moods.length] ?? assert.fail();

function stage(seed: number, { judgesInvariants }: Pick<Watched, "judgesInvariants">): Stage {
  const world = new World();
  world.judgesRefusals = false;
  world.judgesInvariants = judgesInvariants;
  const mood = moodOf(seed);
  // No fee, or what the two pay for their trades would hide what they gain.
  const { tiers } = world.state.rules;
  const institutional = { ...tiers.institutional, feeBps: 0 };
  world.do(root, { type: "SetRules", rules: { tiers: { ...tiers, institutional } } });
  world.lend("1000000");
  world.do(root, { type: "FundGuarantee", amountMicros: usd("1000000"), memo: null });
  const listings: Listing[] = [];
  for (const place of places) {
    world.place = nodeId(place);
    world.print("2024-10", "200000");
    for (const end of ends) {
      for (const payoff of payoffs) {
        listings.push({ ...world.listing(end, payoff, MARK), ...marksAt(mood, MARK) });
      }
    }
  }
  const pair = [world.trader("one", CASH), world.trader("other", CASH)] as const;
  for (const { id } of pair) {
    world.do(root, { type: "SetCredit", accountId: id, creditMicros: usd("100000") });
  }
  const stranger = world.trader("stranger", CASH_OF_STRANGER);
  return { world, dice: new Dice(seed), mood, pair, stranger, listings };
}

type Marks = Pick<Listing, "markTick" | "stressedTick" | "riskTicks">;

/**
 * In full: as the product valued three years of a state in July 2006, little and nearly all. Else a
 * scenario ends two rungs on, so that a mark that rises by one leaves time for the call.
 */
function marksAt({ isFull }: Mood, mark: string): Marks {
  const at = rungs.indexOf(mark);
  const worst = isFull ? "0.9999" : (rungs[at + 2] ?? "0.9999");
  const markTick = tick(mark);
  return {
    markTick,
    stressedTick: Math.min(markTick + 101, tick("0.9999")) as Tick,
    riskTicks: scenarios.map(({ direction, id }) =>
      direction === "up" || id === "missing-print" ? markTick : tick(worst),
    ),
  };
}

function act(play: Stage, kind: Kind): void {
  const { world, dice, mood, pair, stranger, listings } = play;
  const [one, other] = mood.isOneWay || dice.chance(50) ? pair : [pair[1], pair[0]];
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
      publish(play, [[heldBy(play, other) ?? listing, dice.pick([LOWER, MARK])]]);
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
      sellBack(play, one, other);
      break;
    case "rest": {
      const isBid = dice.chance(60);
      place(dice.chance(50) ? stranger : one, isBid ? "BUY" : "SELL", price);
      if (dice.chance(50)) place(other, isBid ? "SELL" : "BUY", price, { timeInForce: "IOC" });
      break;
    }
    case "block":
      block(play, one, other, listing, amount);
      break;
    case "mandate":
      give(one, mandateOn(listing.terms.nodeId));
      place(other, "BUY", LIMIT, { timeInForce: "IOC" });
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
    case "void": {
      const { marketId } = heldBy(play, one) ?? listing;
      if (!isTraded(world, marketId)) break;
      world.doInTwo({ type: "CancelMarket", marketId, reason: "drill" });
    }
  }
}

/** Protection that the trader holds, if any. */
function heldBy({ world, dice, listings }: Stage, { id }: Trader): Listing | undefined {
  const held = listings.filter(
    ({ marketId }) => (world.state.position(id, marketId)?.heldLots ?? 0n) > 0n,
  );
  return held.length === 0 ? undefined : dice.pick(held);
}

/** Some or all of what the other holds somewhere, below the mark and at it. */
function sellBack(play: Stage, one: Trader, other: Trader): void {
  const { world, dice } = play;
  const listing = heldBy(play, other);
  if (listing === undefined) return;
  const { marketId } = listing;
  const { heldLots } = world.state.position(other.id, marketId) ?? assert.fail("it is held");
  const amountLots = lots(dice.chance(70) ? heldLots : heldLots / 2n + 1n);
  for (const at of [LOWER, MARK]) {
    const sale = { ...order({ marketId }, "SELL", "1", at, { timeInForce: "IOC" }), amountLots };
    const bid = { ...sale, side: "BUY", timeInForce: "GTC" } as const;
    world.try(one.actor, { type: "PlaceOrder", order: bid, listing: null });
    world.try(other.actor, { type: "PlaceOrder", order: sale, listing: null });
  }
}

/** Each sells the other as much: of two places mostly, else by two payoffs or in two months. */
function hedge({ world, dice, listings }: Stage, one: Trader, other: Trader, first: Listing): void {
  const differs = dice.pick(["place", "place", "place", "payoff", "month"]);
  const beside = listings.filter(({ terms }) => {
    const isSame = {
      place: terms.nodeId === first.terms.nodeId,
      payoff: terms.payoff === first.terms.payoff,
      month: terms.measurementMonth === first.terms.measurementMonth,
    };
    return Object.entries(isSame).every(([name, same]) => same !== (name === differs));
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

function block(
  { world, dice }: Stage,
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

function mandateOn(place: NodeId): CommandOf<"SetMandate"> {
  const most = lots(1_000_000n);
  return {
    ...{ type: "SetMandate", mandateId: null },
    terms: {
      scope: {
        ...{ index: "zhvi", places: [place], levels: null, payoffs: null },
        ...{ minMonths: 1, maxMonths: 36 },
      },
      ...{ side: "SELL", spreadTicks: 1, spreadTicksPerYear: 0, expirySeconds: 0 },
      ...{ mostInMarketLots: most, mostInStateLots: most, mostInAllLots: most },
      collateral: "margin",
    },
  };
}

function isTraded({ state }: World, id: MarketId): boolean {
  const market = state.markets.get(id);
  return market !== undefined && isLive(market.status);
}

/** Of those that are traded. */
function publish({ world, mood }: Stage, marks: readonly (readonly [Listing, string])[]): void {
  const live = marks.filter(([{ marketId }]) => isTraded(world, marketId));
  if (live.length === 0) return;
  const updates = live.map(([{ marketId }, mark]) => ({ marketId, ...marksAt(mood, mark) }));
  world.do(system, publishMarks(updates));
}

/** Per cent of its value that a place keeps at each end, no more at the second than at the first. */
type Kept = ReadonlyMap<string, readonly [number, number]>;

/** Marks climb to what will be paid; who is called pays nothing, and is auctioned. */
function fall(play: Stage, keeps: Kept): void {
  const { world, listings } = play;
  for (const rung of rungs.slice(1)) {
    const rising = listings.filter(({ terms }) => {
      const at = ends.findIndex((end) => month(end) === terms.measurementMonth);
      const percent = keeps.get(terms.nodeId)?.[at] ?? assert.fail();
      return tick(rung) <= ticksPaid(terms.payoff, percent);
    });
    publish(
      play,
      rising.map((listing) => [listing, rung]),
    );
    endCalls(world);
    bid(play);
    endAuctions(world);
  }
}

/** Ticks of a dollar that a contract pays where so many per cent of the value are kept. */
function ticksPaid(payoff: Payoff, percent: number): number {
  const fallBps = 10_000 - 100 * percent;
  if (payoff.kind === "binary") return fallBps >= payoff.strikeBps ? 10_000 : 0;
  assert.ok(payoff.kind === "layered");
  const { attachBps, exhaustBps } = payoff;
  return Math.max(0, Math.min(1, (fallBps - attachBps) / (exhaustBps - attachBps))) * 10_000;
}

/** All but the seller, for what is auctioned: for nothing, for some, for the most. */
function bid({ world, dice, pair, stranger }: Stage): void {
  for (const { id: auctionId, accountId } of [...world.state.auctions.values()]) {
    const most = highestBid(world.state, accountId);
    for (const { id, actor } of [...pair, stranger]) {
      if (id === accountId || dice.chance(50)) continue;
      const amountMicros = micros((most * BigInt(dice.pick([0, 1, 2]))) / 2n);
      world.try(actor, { type: "PlaceBid", auctionId, amountMicros });
    }
  }
}

/** Every place prints both months; then all is paid. */
function print({ world }: Stage, keeps: Kept): void {
  for (const [at, ended] of ends.entries()) {
    world.runTo(monthEndMillis(month(ended)) + 20 * DAY_MILLIS);
    for (const [place, percents] of keeps) {
      world.place = nodeId(place);
      world.print(ended, String(2_000 * (percents[at] ?? assert.fail())));
    }
  }
  world.runTo(world.nowMillis + 400 * DAY_MILLIS);
}

interface Watched {
  /** The invariants of the exchange are judged after every command. */
  readonly judgesInvariants: boolean;
  /** After an act that has traded something. */
  traded?(kind: string): void;
  /** Once the two have taken out what is free, before any place has fallen. */
  beforeTheFall?(play: Play): void;
}

/** Plays the history of a seed to its end. */
export function played(seed: number, watched: Watched): Play {
  const play = stage(seed, watched);
  const { world, dice, mood, pair, stranger } = play;
  const { kind: opening, times } = mood.opening;
  const length = dice.pick(mood.lengths);
  for (let at = 0; at < length; at += 1) {
    const before = world.state.fillCount;
    const kind = at < times ? opening : dice.pick(mood.kinds);
    act(play, kind);
    if (world.state.fillCount > before) watched.traded?.(kind);
  }
  for (const { actor } of [...pair, stranger]) {
    world.do(actor, { type: "CancelAll", marketId: null });
    world.do(actor, { type: "CancelMandates", mandateId: null });
  }
  const [one, other] = pair;
  takeOut(world, one);
  // A seller on margin fails its calls; the other of the two may have kept cash to bid with.
  if (mood.isFull || dice.chance(50)) takeOut(world, other);
  watched.beforeTheFall?.(play);
  const keeps: Kept = new Map(
    places.map((place) => {
      const [first, later] = [dice.pick(mood.falls), dice.pick(mood.falls)];
      return [place, [first, dice.chance(50) ? first : Math.min(first, later)]];
    }),
  );
  if (!mood.isFull) fall(play, keeps);
  print(play, keeps);
  return play;
}
