// One cohort as an exchange of its own: it is founded, sells one contract a place, and lives on by
// releases until the last claim is paid. Everything in it is a command to the core.
// Invariant: sellers bring the least cash that the exchange takes, and never any more.

import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, MarketId, NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros } from "#base/money.ts";
import { addMonths, type Month } from "#base/month.ts";
import { isTick, MAX_TICK, MIN_TICK } from "#base/price.ts";
import { faceOf } from "#base/quantity.ts";
import { FULL_PAYOUT_MILLIONTHS } from "#contract/payoff.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { KycTier } from "#core/records.ts";
import type { State } from "#core/state.ts";
import { cashOf } from "#core/step.ts";
import type { KnotsByYear } from "#pricing/constants.ts";
import type { Reference } from "#quoting/reference.ts";
import type { SeriesView } from "#views/series.ts";
import { LOTS, OwnExchange, order, publishedAt, root } from "./own-exchange.ts";
import type { RecordedPast } from "./past.ts";

export interface Plan {
  readonly months: number;
  readonly payoff: DeclinePayoff;
  readonly tier: KycTier;
  /** The guarantee fund at the start, basis points of coverage. */
  readonly fundBps: number;
  /** Two capital letters each: contracts are sold of places in these only; absent = everywhere. */
  readonly states?: readonly string[];
  /** The model, and what was known of it in each year; absent = today's, which is hindsight. */
  readonly fitted?: KnotsByYear;
}

/** One contract, once everything is paid. */
export interface ContractEnd {
  readonly name: string;
  readonly coverage: bigint;
  /** The cash that the seller had bound after the sale: its deposit and the premium. */
  readonly sellerCash: bigint;
  readonly premium: bigint;
  /** Undefined where the print never came. */
  readonly due: bigint | undefined;
  /** Cash that came to the buyer after the sale. */
  readonly paid: bigint;
  /** Cash that left the seller after the sale. */
  readonly given: bigint;
  /** The seller's margin health fell below 1 at least once. */
  readonly called: boolean;
}

/** Amounts in micro-dollars. */
export interface CohortEnd {
  readonly month: Month;
  readonly contracts: readonly ContractEnd[];
  /** After the sales, whose fees feed it. */
  readonly fundStart: bigint;
  readonly fundLow: bigint;
  readonly fundEnd: bigint;
}

interface Contract {
  readonly name: string;
  readonly nodeId: NodeId;
  readonly marketId: MarketId;
  readonly seller: AccountId;
  readonly buyer: AccountId;
  readonly premium: Micros;
  /** After the trade. */
  readonly sellerCash: Micros;
  readonly buyerCash: Micros;
}

const COVERAGE: bigint = faceOf(LOTS);
/** Windows and calls have run out by then. */
const END_MILLIS = 61 * DAY_MILLIS;

export class Cohort {
  readonly #past: RecordedPast;
  readonly #plan: Plan;
  readonly #month: Month;
  readonly #exchange: OwnExchange;
  readonly #contracts: Contract[] = [];
  readonly #called = new Set<AccountId>();
  #fundStart = 0n;
  #fundLow = 0n;

  constructor(
    past: RecordedPast,
    plan: Plan,
    month: Month,
    series: SeriesView,
    reference: Reference,
  ) {
    this.#past = past;
    this.#plan = plan;
    this.#month = month;
    const known = { series, reference };
    this.#exchange = new OwnExchange(past, month, known, (event, state) =>
      this.#note(event, state),
    );
    this.#found();
  }

  get lastMonth(): Month {
    return addMonths(this.#month, this.#plan.months);
  }

  /** Takes in the release of a later month: its prints, then the marks drawn from them. */
  release(month: Month): void {
    this.#exchange.runTo(publishedAt(month));
    this.#exchange.accept(
      month,
      this.#contracts.map(({ nodeId }) => nodeId),
      false,
    );
    this.#exchange.publishMarks();
  }

  /** Lets the windows of the last release run out. */
  end(): CohortEnd {
    this.#exchange.runTo(this.#exchange.nowMillis + END_MILLIS);
    return {
      month: this.#month,
      contracts: this.#contracts.map((contract) => this.#ended(contract)),
      fundStart: this.#fundStart,
      fundLow: this.#fundLow,
      fundEnd: this.#exchange.state.balance("guarantee"),
    };
  }

  #found(): void {
    const exchange = this.#exchange;
    const { states } = this.#plan;
    const places = this.#past.places.filter(
      ({ node, prints }) =>
        prints.has(this.#month) && (states === undefined || states.includes(node.stateCode)),
    );
    exchange.accept(
      this.#month,
      places.map(({ nodeId }) => nodeId),
      true,
    );
    const months = [this.#month, this.lastMonth] as const;
    const listings = places.flatMap(
      ({ nodeId }) => exchange.listing(nodeId, months, this.#plan.payoff) ?? [],
    );
    const fund = micros(
      (BigInt(listings.length) * COVERAGE * BigInt(this.#plan.fundBps)) / 10_000n,
    );
    if (fund > 0n) exchange.give(root, { type: "FundGuarantee", amountMicros: fund, memo: null });
    for (const listing of listings) this.#sell(listing);
    this.#fundStart = this.#exchange.state.balance("guarantee");
    this.#fundLow = this.#fundStart;
  }

  /** At the mark: no load of a quote helps the seller. */
  #sell(listing: Listing): void {
    const { marketId, terms } = listing;
    const { nodeId } = terms;
    const exchange = this.#exchange;
    const { tier } = this.#plan;
    const tick = Math.min(MAX_TICK, Math.max(MIN_TICK, listing.markTick));
    invariant(isTick(tick), `${tick} is a price`);
    const seller = exchange.open(`seller ${marketId}`, tier);
    const buyer = exchange.open(`buyer ${marketId}`, tier);
    exchange.order(seller, { ...order, marketId, side: "SELL", priceTick: tick }, listing);
    exchange.order(buyer, { ...order, marketId, side: "BUY", priceTick: tick }, null);
    const held = this.#exchange.state.position(buyer.id, marketId)?.heldLots;
    invariant(held === LOTS, `the buyer in ${marketId} holds its contract`);
    exchange.withdraw(seller.id);
    this.#contracts.push({
      name: this.#past.geo.get(nodeId)?.name ?? nodeId,
      nodeId,
      marketId,
      seller: seller.id,
      buyer: buyer.id,
      premium: micros(LOTS * BigInt(tick)),
      sellerCash: this.#exchange.state.balance(cashOf(seller.id)),
      buyerCash: this.#exchange.state.balance(cashOf(buyer.id)),
    });
  }

  #note(event: Event, state: State): void {
    if (event.type === "AccountChanged" && event.account.marginStatus === "liquidation") {
      this.#called.add(event.account.id);
    }
    const fund = state.balance("guarantee");
    if (fund < this.#fundLow) this.#fundLow = fund;
  }

  #ended({ name, marketId, seller, buyer, premium, sellerCash, buyerCash }: Contract): ContractEnd {
    const { resolution } = this.#exchange.state.market(marketId);
    const fraction = resolution === null ? undefined : BigInt(resolution.payoutMillionths);
    return {
      name,
      coverage: COVERAGE,
      sellerCash,
      premium,
      due: fraction === undefined ? undefined : (COVERAGE * fraction) / FULL_PAYOUT_MILLIONTHS,
      paid: this.#exchange.state.balance(cashOf(buyer)) - buyerCash,
      given: sellerCash - this.#exchange.state.balance(cashOf(seller)),
      called: this.#called.has(seller),
    };
  }
}
