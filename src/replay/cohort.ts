// One cohort as an exchange of its own: it is founded, sells one contract a place, and lives on by
// releases until the last claim is paid. Everything in it is a command to the core.
// Invariant: sellers bring the least cash that the exchange takes, and never any more.

import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, MarketId, NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros } from "#base/money.ts";
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import { isTick, MAX_TICK, MIN_TICK } from "#base/price.ts";
import { faceOf, type Lots, lots } from "#base/quantity.ts";
import { FULL_PAYOUT_MILLIONTHS } from "#contract/payoff.ts";
import { type DeclinePayoff, formatSeriesId } from "#contract/series.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { nextDue } from "#core/due.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { KycTier, Observation } from "#core/records.ts";
import { foundingRules } from "#core/rules.ts";
import { State } from "#core/state.ts";
import { available, cashOf } from "#core/step.ts";
import type { KnotsByYear } from "#pricing/constants.ts";
import type { NewPrint } from "#prints/first-prints.ts";
import { expectedPublicationMillis } from "#prints/release.ts";
import { listingFor, marksDue } from "#quoting/listing.ts";
import type { MarketData, Reference } from "#quoting/reference.ts";
import type { SeriesView } from "#views/series.ts";
import { type RecordedPast, releaseOf } from "./past.ts";

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

/** Of each contract: the most that the lowest tier may sell in a day. */
const LOTS: Lots = lots(500_000n);
const COVERAGE: bigint = faceOf(LOTS);
/** Windows and calls have run out by then. */
const END_MILLIS = 61 * DAY_MILLIS;
/** Operators of a replay fund accounts without a second person. */
const FUNDING_LIMIT = micros(10n ** 18n);

const root: Actor = { type: "root" };
const system: Actor = { type: "system" };

export class Cohort {
  readonly #past: RecordedPast;
  readonly #plan: Plan;
  readonly #month: Month;
  readonly #state = new State();
  readonly #data: MarketData;
  readonly #contracts: Contract[] = [];
  readonly #called = new Set<AccountId>();
  #sequence = 0;
  #nowMillis: number;
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
    this.#nowMillis = publishedAt(month);
    const { markets, releases } = this.#state;
    this.#data = { exchange: { geo: past.geo, markets, releases }, series, reference };
    this.#found();
  }

  get lastMonth(): Month {
    return addMonths(this.#month, this.#plan.months);
  }

  /** Takes in the release of a later month: its prints, then the marks drawn from them. */
  release(month: Month): void {
    this.#runTo(publishedAt(month));
    this.#accept(
      month,
      this.#contracts.map(({ nodeId }) => nodeId),
      false,
    );
    this.#give(system, { type: "PublishMarks", marks: marksDue(this.#data) });
  }

  /** Lets the windows of the last release run out. */
  end(): CohortEnd {
    this.#runTo(this.#nowMillis + END_MILLIS);
    return {
      month: this.#month,
      contracts: this.#contracts.map((contract) => this.#ended(contract)),
      fundStart: this.#fundStart,
      fundLow: this.#fundLow,
      fundEnd: this.#state.balance("guarantee"),
    };
  }

  #found(): void {
    const rules = { ...foundingRules, fundingLimitMicros: FUNDING_LIMIT };
    const version = DECIDER_VERSION;
    this.#give(system, { type: "Genesis", clock: "sandbox", chainId: "replay", rules, version });
    const { states } = this.#plan;
    const places = this.#past.places.filter(
      ({ node, prints }) =>
        prints.has(this.#month) && (states === undefined || states.includes(node.stateCode)),
    );
    this.#accept(
      this.#month,
      places.map(({ nodeId }) => nodeId),
      true,
    );
    const listings = places.flatMap(({ nodeId }) => this.#listing(nodeId) ?? []);
    const fund = micros(
      (BigInt(listings.length) * COVERAGE * BigInt(this.#plan.fundBps)) / 10_000n,
    );
    if (fund > 0n) this.#give(root, { type: "FundGuarantee", amountMicros: fund, memo: null });
    for (const listing of listings) this.#sell(listing);
    this.#fundStart = this.#state.balance("guarantee");
    this.#fundLow = this.#fundStart;
  }

  #listing(nodeId: NodeId): Listing | undefined {
    const { index } = this.#past;
    const { payoff } = this.#plan;
    const series = {
      index,
      nodeId,
      baselineMonth: this.#month,
      measurementMonth: this.lastMonth,
      payoff,
    };
    return listingFor(this.#data, formatSeriesId(series));
  }

  /** At the mark: no load of a quote helps the seller. */
  #sell(listing: Listing): void {
    const { marketId, terms } = listing;
    const { nodeId } = terms;
    const tick = Math.min(MAX_TICK, Math.max(MIN_TICK, listing.markTick));
    invariant(isTick(tick), `${tick} is a price`);
    const seller = this.#open(`seller ${marketId}`);
    const buyer = this.#open(`buyer ${marketId}`);
    this.#order(seller, { ...order, marketId, side: "SELL", priceTick: tick }, listing);
    this.#order(buyer, { ...order, marketId, side: "BUY", priceTick: tick }, null);
    const held = this.#state.position(buyer.id, marketId)?.heldLots;
    invariant(held === LOTS, `the buyer in ${marketId} holds its contract`);
    this.#withdraw(seller.id);
    this.#contracts.push({
      name: this.#past.geo.get(nodeId)?.name ?? nodeId,
      nodeId,
      marketId,
      seller: seller.id,
      buyer: buyer.id,
      premium: micros(LOTS * BigInt(tick)),
      sellerCash: this.#state.balance(cashOf(seller.id)),
      buyerCash: this.#state.balance(cashOf(buyer.id)),
    });
  }

  /** Without cash the order is refused, and the refusal says what the least is. */
  #order(trader: Trader, input: OrderInput, listing: Listing | null): void {
    const command: Command = { type: "PlaceOrder", order: input, listing };
    const asked = this.#ask(trader.actor, command);
    if (!isRejected(asked)) return;
    const { code, details } = asked.rejection;
    const amountMicros = details?.requiredMicros;
    invariant(
      code === "INSUFFICIENT_BALANCE" && amountMicros !== undefined,
      `only cash is missing, not ${code}`,
    );
    this.#give(root, { type: "FundAccount", accountId: trader.id, amountMicros, memo: null });
    this.#give(trader.actor, command);
  }

  /** The fee that its resting order held back is free again. */
  #withdraw(accountId: AccountId): void {
    const free = available(this.#state, accountId);
    if (free <= 0n) return;
    const amountMicros = micros(-free);
    this.#give(root, { type: "FundAccount", accountId, amountMicros, memo: null });
  }

  #open(name: string): Trader {
    const key = {
      label: "replay",
      prefix: "fp_test_repl",
      digest: name,
      permissions: [],
      ratePerMinute: null,
      expiresAtSeconds: null,
    };
    const events = this.#give(root, {
      type: "OpenAccount",
      name,
      role: "trader",
      address: `0x${name}`,
      key,
    });
    const made = events.find((event) => event.type === "KeyChanged");
    invariant(made?.type === "KeyChanged", "an account is opened with a key");
    const { accountId: id, id: keyId } = made.key;
    this.#give(root, {
      type: "DecideKyc",
      accountId: id,
      decision: "approve",
      tier: this.#plan.tier,
      countryCode: "US",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: true,
      listVersion: "replay",
      provider: "sandbox",
      accreditation: { basis: "replay", evidenceId: "replay", expiresAtSeconds: null },
    });
    return { id, actor: { type: "key", accountId: id, keyId } };
  }

  #accept(month: Month, nodes: readonly NodeId[], backfill: boolean): void {
    const observations = nodes.flatMap((nodeId) => {
      const print = this.#printOf(nodeId, month);
      return print === undefined ? [] : observationOf(nodeId, print, backfill);
    });
    this.#give(root, {
      type: "AcceptRelease",
      release: {
        id: releaseOf(month),
        provider: "zillow",
        index: this.#past.index,
        level: "replay",
        publishedAtMillis: this.#nowMillis,
        sha256: formatMonth(month),
        rows: observations.length,
        firstMonth: month,
        lastMonth: month,
        firstPrints: observations.length,
        revisions: 0,
        unchanged: 0,
        rescaled: 0,
        unmatched: 0,
        methodologyVersion: "1",
        printsDigest: "",
      },
      observations,
    });
  }

  #printOf(nodeId: NodeId, month: Month): NewPrint | undefined {
    return this.#past.byNode.get(nodeId)?.prints.get(month);
  }

  #runTo(millis: number): void {
    for (let due = nextDue(this.#state, millis); due; due = nextDue(this.#state, millis)) {
      this.#nowMillis = due.timeMillis;
      this.#give(system, due.command);
    }
    this.#nowMillis = millis;
  }

  #give(actor: Actor, command: Command): readonly Event[] {
    const outcome = this.#ask(actor, command);
    invariant(!isRejected(outcome), `a replay gives no ${command.type} that is refused`);
    return outcome.events;
  }

  #ask(actor: Actor, command: Command) {
    const envelope = {
      timeMillis: this.#nowMillis,
      actor,
      requestId: null,
      idempotency: null,
      command,
    };
    const outcome = apply(this.#state, envelope, this.#sequence + 1);
    if (isRejected(outcome)) return outcome;
    this.#sequence += 1;
    for (const event of outcome.events) this.#note(event);
    return outcome;
  }

  #note(event: Event): void {
    if (event.type === "AccountChanged" && event.account.marginStatus === "liquidation") {
      this.#called.add(event.account.id);
    }
    const fund = this.#state.balance("guarantee");
    if (fund < this.#fundLow) this.#fundLow = fund;
  }

  #ended({ name, marketId, seller, buyer, premium, sellerCash, buyerCash }: Contract): ContractEnd {
    const { resolution } = this.#state.market(marketId);
    const fraction = resolution === null ? undefined : BigInt(resolution.payoutMillionths);
    return {
      name,
      coverage: COVERAGE,
      sellerCash,
      premium,
      due: fraction === undefined ? undefined : (COVERAGE * fraction) / FULL_PAYOUT_MILLIONTHS,
      paid: this.#state.balance(cashOf(buyer)) - buyerCash,
      given: sellerCash - this.#state.balance(cashOf(seller)),
      called: this.#called.has(seller),
    };
  }
}

interface Trader {
  readonly id: AccountId;
  readonly actor: Actor;
}

const order = {
  outcomeIndex: 0,
  amountLots: LOTS,
  expirySeconds: 0,
  timeInForce: "GTC",
  postOnly: false,
  reduceOnly: false,
  clientOrderId: null,
  selfTradePrevention: "cancel_incoming",
} as const;

const publishedAt = (month: Month): number => expectedPublicationMillis("zillow", month);

/** A place's first print in an exchange has its history behind it: it is a backfill. */
const observationOf = (nodeId: NodeId, print: NewPrint, backfill: boolean): Observation => ({
  nodeId,
  month: print.month,
  valueE15: print.valueE15,
  levelE12: print.levelE12,
  link: print.link,
  backfill,
  gaps: [],
});
