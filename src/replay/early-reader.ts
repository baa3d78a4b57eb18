// A reader of the provider's file trades minutes before the exchange takes the file in, against
// orders that rest at the old marks: how much it takes while orders match at once, and in an
// auction.
// Invariant: windows, auctions, marks and fills are the core's; a gain is cash and holdings at the
// marks that the file brings.

import { HOUR_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import type { NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { addMonths, type Month } from "#base/month.ts";
import { isTick, MAX_TICK, MIN_TICK, type Tick } from "#base/price.ts";
import { faceOf } from "#base/quantity.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Position, Side } from "#core/records.ts";
import type { Plan } from "./cohort.ts";
import {
  LOTS,
  OwnExchange,
  order,
  type PublishedPast,
  publishedAt,
  system,
  type Trader,
} from "./own-exchange.ts";
import { type RecordedPast, releaseOf } from "./past.ts";

export interface ReaderCase {
  readonly name: "continuous" | "auction" | "withdrawn" | "asleep" | "rival" | "alone";
  /** The reader's order comes before the window of the release, or in it. */
  readonly comes: "before" | "in the window";
  /** The makers, in the half hour between the marks and the auction. */
  readonly makers: "asleep" | "quote anew" | "withdrawn";
  /** The reader's limit. */
  readonly limit: "the new mark" | "the old price";
  /** Somebody bids a tick short of the new mark once everybody can read it. */
  readonly rival?: true;
}

const asleep = { comes: "in the window", makers: "asleep" } as const;

/** In the order in which they are told. */
export const readerCases: readonly ReaderCase[] = [
  { name: "continuous", comes: "before", makers: "asleep", limit: "the old price" },
  { name: "auction", ...asleep, makers: "quote anew", limit: "the new mark" },
  { name: "withdrawn", ...asleep, makers: "withdrawn", limit: "the old price" },
  { name: "asleep", ...asleep, limit: "the new mark" },
  { name: "rival", ...asleep, limit: "the old price", rival: true },
  { name: "alone", ...asleep, limit: "the old price" },
];

export type ReaderPlan = Pick<Plan, "months" | "payoff" | "tier" | "states" | "fitted">;

/** Of one market at one release, in micro-dollars: the reader's gain, and the fee it paid. */
export interface ReaderGain {
  /** Resting on the side that the file moved the mark away from, or on either. */
  readonly coverage: bigint;
  readonly gain: bigint;
  readonly fee: bigint;
}

/** The exchange sees the file so long after the reader has. */
const AHEAD_MILLIS = 5 * MINUTE_MILLIS;
/** The hour of the expected day at which the file is out; the window waits since its midnight. */
const OUT_MILLIS = 15 * HOUR_MILLIS;
/** Between the marks and the auction. */
const ANSWER_MILLIS = 10 * MINUTE_MILLIS;
/** Auctions of thin markets are over by then. */
const AFTER_MILLIS = 72 * HOUR_MILLIS;
const COVERAGE: bigint = faceOf(LOTS);

interface QuotedMarket {
  readonly marketId: Listing["marketId"];
  readonly maker: Trader;
  readonly reader: Trader;
  readonly bid: Tick;
  readonly ask: Tick;
}

/** Makers rest on both sides of the mark of a month; the next month's file is out. */
export class EarlyReader {
  readonly #past: RecordedPast;
  readonly #plan: ReaderPlan;
  readonly #month: Month;
  readonly #case: ReaderCase;
  readonly #exchange: OwnExchange;
  readonly #places: readonly NodeId[];
  readonly #quoted: readonly QuotedMarket[];

  constructor(
    past: RecordedPast,
    plan: ReaderPlan,
    month: Month,
    known: PublishedPast,
    of: ReaderCase,
  ) {
    this.#past = past;
    this.#plan = plan;
    this.#month = month;
    this.#case = of;
    this.#exchange = new OwnExchange(past, month, known);
    const { states } = plan;
    const places = past.places.flatMap(({ node, nodeId, prints }) =>
      prints.has(month) && (states === undefined || states.includes(node.stateCode)) ? nodeId : [],
    );
    this.#exchange.accept(month, places, true);
    const months = [month, addMonths(month, plan.months)] as const;
    const listings = places.flatMap(
      (nodeId) => this.#exchange.listing(nodeId, months, plan.payoff) ?? [],
    );
    this.#places = listings.map(({ terms }) => terms.nodeId);
    this.#quoted = listings.map((listing) => this.#quote(listing));
  }

  /** The release of the next month, whose prints are known to the reader already. */
  release(): readonly ReaderGain[] {
    const exchange = this.#exchange;
    const { index } = this.#past;
    const next = addMonths(this.#month, 1);
    const dayMillis = publishedAt(next);
    const isBefore = this.#case.comes === "before";
    exchange.runTo(isBefore ? dayMillis - AHEAD_MILLIS : dayMillis + OUT_MILLIS);
    const marks = new Map(
      exchange.marksDue().map(({ marketId, markTick }) => [marketId, markTick]),
    );
    for (const quoted of this.#quoted) {
      const mark = marks.get(quoted.marketId);
      if (mark !== undefined) this.#read(quoted.reader, quoted, mark, this.#case.limit);
    }

    exchange.runTo(exchange.nowMillis + AHEAD_MILLIS);
    exchange.give(system, { type: "AwaitRelease", index, releaseId: releaseOf(next) });
    exchange.accept(next, this.#places, false);
    exchange.publishMarks();
    exchange.runTo(exchange.nowMillis + ANSWER_MILLIS);
    for (const quoted of this.#quoted) this.#answer(quoted);
    exchange.runTo(exchange.nowMillis + AFTER_MILLIS);
    return this.#quoted.map((quoted) => this.#taken(quoted));
  }

  /** Bid and ask are a tick apart: no spread keeps the reader off. */
  #quote(listing: Listing): QuotedMarket {
    const exchange = this.#exchange;
    const { marketId, markTick } = listing;
    const ask = tickAt(Math.max(markTick, MIN_TICK + 1));
    const bid = tickAt(ask - 1);
    const maker = exchange.open(`maker ${marketId}`, this.#plan.tier);
    const reader = exchange.open(`reader ${marketId}`, this.#plan.tier);
    const leaves = this.#case.makers === "withdrawn";
    const flag = leaves ? ({ cancelOnRelease: true } as const) : {};
    const quote = { ...order, marketId, ...flag };
    exchange.order(maker, { ...quote, side: "SELL", priceTick: ask }, listing);
    exchange.order(maker, { ...quote, side: "BUY", priceTick: bid }, null);
    return { marketId, maker, reader, bid, ask };
  }

  /** Takes what rests on the wrong side of the new mark. */
  #read(
    trader: Trader,
    quoted: QuotedMarket,
    mark: Tick,
    limit: ReaderCase["limit"],
    short = 0,
  ): void {
    const { marketId, bid, ask } = quoted;
    const side = mark > ask ? "BUY" : mark < bid ? "SELL" : undefined;
    if (side === undefined) return;
    const isAtMark = limit === "the new mark";
    const tick = side === "BUY" ? (isAtMark ? mark - short : ask) : isAtMark ? mark + short : bid;
    this.#send(trader, marketId, side, tick);
  }

  /** Once everybody can read the marks. */
  #answer(quoted: QuotedMarket): void {
    const exchange = this.#exchange;
    const { marketId, maker } = quoted;
    const { markTick } = exchange.state.market(marketId);
    if (this.#case.makers === "quote anew") {
      exchange.give(maker.actor, { type: "CancelAll", marketId });
      this.#send(maker, marketId, "SELL", Math.min(markTick + 1, MAX_TICK));
      this.#send(maker, marketId, "BUY", Math.max(markTick - 1, MIN_TICK));
    }
    if (this.#case.rival === true) {
      const rival = exchange.open(`rival ${marketId}`, this.#plan.tier);
      this.#read(rival, quoted, markTick, "the new mark", 1);
    }
  }

  #send(trader: Trader, marketId: Listing["marketId"], side: Side, tick: number): void {
    this.#exchange.order(trader, { ...order, marketId, side, priceTick: tickAt(tick) }, null);
  }

  #taken({ marketId, reader }: QuotedMarket): ReaderGain {
    const { state } = this.#exchange;
    const position = state.position(reader.id, marketId);
    if (position === undefined) return { coverage: COVERAGE, gain: 0n, fee: 0n };
    const fee = feesOf(position);
    const held = position.heldLots * BigInt(state.market(marketId).markTick);
    return { coverage: COVERAGE, gain: position.flowMicros + held + fee, fee };
  }
}

/** A position's flow is what it realised, less its cost and its fees. */
const feesOf = ({ realisedMicros, costMicros, flowMicros }: Position): bigint =>
  realisedMicros - costMicros - flowMicros;

function tickAt(tick: number): Tick {
  invariant(isTick(tick), `${tick} is a price`);
  return tick;
}

export interface ReaderTotals {
  readonly markets: number;
  /** USD cents for each dollar of coverage that rests on one side, fees aside. */
  readonly meanCents: number;
  readonly p95Cents: number;
  /** The mean of the fee, in the same unit. */
  readonly feeCents: number;
}

export function readerTotals(taken: readonly ReaderGain[]): ReaderTotals {
  invariant(taken.length > 0, "markets were read of");
  const cents = (part: bigint, of: bigint): number => (100 * Number(part)) / Number(of);
  const sum = (of: (one: ReaderGain) => bigint): bigint =>
    taken.reduce((all, one) => all + of(one), 0n);
  const coverage = sum((one) => one.coverage);
  const shares = taken.map((one) => cents(one.gain, one.coverage)).sort((a, b) => a - b);
  return {
    markets: taken.length,
    meanCents: cents(
      sum((one) => one.gain),
      coverage,
    ),
    p95Cents: shares[Math.ceil(0.95 * shares.length) - 1] ?? 0,
    feeCents: cents(
      sum((one) => one.fee),
      coverage,
    ),
  };
}
