// A seed draws what traders and operators do: few prices, few markets, everything at every moment.
// Invariant: one seed is one run; nothing but the seed decides.
import { type AccountId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { QuotedSide } from "#core/order/quoted.ts";
import type { Outcome } from "#core/outcome.ts";
import { kycTiers, permissions } from "#core/records.ts";
import { Dice } from "./dice.ts";
import { RandomAuctions } from "./random-auctions.ts";
import { randomBid } from "./random-bids.ts";
import { randomCancel, randomLateness, randomName } from "./random-cancels.ts";
import { RandomDebts } from "./random-debts.ts";
import { anyMarket, RandomEnds } from "./random-ends.ts";
import { randomGroup, randomProtection } from "./random-groups.ts";
import { randomMandate } from "./random-mandates.ts";
import { RandomOperators } from "./random-operators.ts";
import { RandomPrints } from "./random-prints.ts";
import { randomRfq } from "./random-rfqs.ts";
import { fundOf, randomDeposit, randomMarks, randomRules } from "./random-rules.ts";
import { randomWindow } from "./random-windows.ts";
import { decision, order, root, type Trader, tick, World } from "./world.ts";

const DAY_MILLIS = 86_400_000;

const traderKinds = [
  "acceptance",
  "placement",
  "batch",
  "quoting",
  "amendment",
  "cancel",
  "guard",
  "group",
  "cancelAll",
  "bid",
  "mark",
  "rfq",
  "keys",
  "mandate",
] as const;
const operationKinds = [
  "funding",
  "kyc",
  "control",
  "dispute",
  "voiding",
  "fallback",
  "marks",
  "rule",
  "guarantee",
  "wait",
  "release",
  "quarantine",
  "heldPlace",
  "renaming",
  "places",
  "listing",
  "window",
  "operators",
] as const;
type TraderKind = (typeof traderKinds)[number];
type OperationKind = (typeof operationKinds)[number];
type TradingKind = TraderKind | OperationKind;
export const tradingKinds: readonly TradingKind[] = [...traderKinds, ...operationKinds];

/** The traders, the prices, and the other commands. */
export interface Mix {
  readonly traders: number;
  readonly prices: readonly string[];
  /** How many of the files that are published there are. */
  readonly sources: number;
  /** USD that the guarantee fund is to have from the start; 0 = nobody contributes. */
  readonly fundTarget: number;
  /** Defaults are waited for, and their auctions bid for by many, by dice of their own. */
  readonly isForAuctions?: boolean;
  /** Voids are proposed where somebody gained and no print has come: only these can lack money. */
  readonly isForVoids?: boolean;
  /** Premiums are lent and missed, by dice of their own: drawn by chance almost none is. */
  readonly isForDebts?: boolean;
  /** The frequency of each draw: parts of the sum of all. */
  readonly weights: Readonly<Record<TradingKind, number>>;
}

export const usualMix: Mix = {
  traders: 3,
  /** The last one is no price. */
  prices: ["0.0001", "0.05", "0.06", "0.5", "0.5", "0.94", "0.95", "0.9999", "1"],
  sources: 1,
  fundTarget: 0,
  weights: {
    acceptance: 70,
    placement: 530,
    batch: 90,
    quoting: 30,
    amendment: 35,
    cancel: 45,
    guard: 6,
    group: 8,
    cancelAll: 4,
    bid: 5,
    mark: 2,
    rfq: 50,
    keys: 10,
    mandate: 0,
    funding: 70,
    kyc: 30,
    control: 40,
    dispute: 40,
    voiding: 25,
    fallback: 3,
    marks: 25,
    rule: 5,
    guarantee: 4,
    wait: 12,
    release: 14,
    quarantine: 6,
    heldPlace: 12,
    renaming: 8,
    places: 2,
    listing: 3,
    window: 16,
    operators: 60,
  },
};

/** Where a market may stand in the reference model. */
const modelPrices = usualMix.prices.slice(0, -1);

export class RandomTrading {
  readonly world: World;
  readonly #mix: Mix;
  readonly #kinds: readonly TradingKind[];
  readonly #traders: Trader[] = [];
  readonly operators: RandomOperators;
  readonly #ends: RandomEnds;
  #listings: Listing[] = [];
  readonly #first: Listing;
  readonly #dice: Dice;
  readonly #prints: RandomPrints;
  readonly #auctions: RandomAuctions | undefined;
  readonly #debts: RandomDebts | undefined;

  constructor(seed: number, mix: Mix = usualMix, world: World = new World()) {
    this.#dice = new Dice(seed);
    this.world = world;
    this.#mix = mix;
    this.#kinds = tradingKinds.flatMap((kind) =>
      Array.from({ length: mix.weights[kind] }, () => kind),
    );
    this.world.judgesRefusals = false;
    this.operators = new RandomOperators(this.world, this.#dice);
    this.#ends = new RandomEnds(this.world, this.#dice, this.operators, mix.isForVoids);
    this.#prints = new RandomPrints(this.world, this.#dice, mix.sources);
    this.#first = this.#prints.listing();
    const ofAuctions = new Dice(seed ^ 0xb1d);
    if (mix.isForAuctions) this.#auctions = new RandomAuctions(this.world, ofAuctions);
    if (mix.isForDebts) this.#debts = new RandomDebts(this.world, new Dice(seed ^ 0xdeb7));
    const tiers = ["institutional", "enhanced", "basic"] as const;
    for (let at = 0; at < mix.traders; at += 1) {
      const tier = tiers[at % tiers.length] ?? "basic";
      this.#traders.push(this.world.trader(`${tier}-${at + 1}`, "200", tier));
    }
    this.#traders.push(this.world.open("unknown", "trader"));
    this.world.lend("1000");
    if (mix.fundTarget > 0) this.world.do(root, fundOf(mix.fundTarget));
    // The third may do nothing until it is given a key: a person of its own, for root is shown it.
    this.world.openIdle("third");
    for (const name of ["first", "second"]) this.world.open(name, "operator");
  }

  /** One command, whatever comes of it. */
  next(): Outcome {
    const [actor, command] = this.draw();
    const key = this.#chance(10) ? { key: `k${this.#below(1e9)}`, digest: "d" } : null;
    const timed = { ...command, ...randomLateness(this.#dice, this.world.nowMillis) };
    return this.world.try(actor, timed, key);
  }

  /** The next command; the clock may have gone on by then. */
  draw(): readonly [Actor, Command] {
    const about = this.#auctions?.next(this.#traders);
    if (about !== undefined) return this.operators.instead(about);
    const draft = (listing: Listing): OrderInput => this.#order(listing);
    const owed = this.#debts?.next(this.#traders, this.#listings, draft);
    if (owed !== undefined) return owed;
    const kind = this.#ends.urgent() ?? this.#pick(this.#kinds);
    const trader = this.#pick(this.#traders);
    switch (kind) {
      case "acceptance":
        return [trader.actor, this.#acceptance(trader.id)];
      case "placement":
        return [trader.actor, this.#placement()];
      case "batch":
        return [trader.actor, this.#batch()];
      case "quoting":
        return [trader.actor, this.#quoting()];
      case "amendment":
        return [trader.actor, this.#amendment()];
      case "cancel":
        return [
          trader.actor,
          { type: "CancelOrder", ...randomName(this.#dice, () => this.#anyOrder()) },
        ];
      case "guard":
        return this.#guard(trader);
      case "group":
        return [trader.actor, randomGroup(this.#dice)];
      case "cancelAll":
        return [trader.actor, randomCancel(this.#dice, this.#first, () => this.#anyOrder())];
      case "bid":
        return [trader.actor, randomBid(this.world.state, this.#dice)];
      case "mark":
        return [trader.actor, this.#ends.mark()];
      case "rfq":
        return this.#rfq();
      case "keys":
        return this.#keys(trader);
      case "mandate":
        return [trader.actor, randomMandate(this.world, this.#dice, trader, this.#listing())];
      default:
        return this.operators.instead(this.#operation(kind, trader));
    }
  }

  /** Draws commands of operators and the world outside, and traders' requests to them. */
  #operation(kind: OperationKind, trader: Trader): readonly [Actor, Command] {
    switch (kind) {
      case "funding":
        return [root, this.#funding(trader.id)];
      case "kyc":
        return this.#kyc(trader);
      case "control":
        return this.#control(trader.id);
      case "dispute":
        return this.#ends.dispute(trader);
      case "voiding":
        return this.#ends.voiding();
      case "fallback":
        return this.#ends.fallback();
      case "marks":
        return [{ type: "system" }, randomMarks(this.world.state, this.#dice, modelPrices)];
      case "rule":
        return [root, randomRules(this.world.state.rules, this.#dice)];
      case "guarantee":
        return [root, randomDeposit(this.#dice)];
      case "wait":
        this.#wait();
        return [root, this.#prints.release()];
      case "release":
        return this.#prints.publication(this.operators.actors);
      case "quarantine":
        return this.#prints.quarantine(this.operators.actors);
      case "heldPlace":
        return this.#prints.heldPlace(this.operators.actors);
      case "renaming":
        return this.#prints.renaming(this.operators.actors);
      case "places":
        return this.#prints.places();
      case "listing":
        return [root, this.#listLevel()];
      case "window":
        return randomWindow(this.world.state, this.#dice, this.#anyTerms().index);
      case "operators":
        return this.operators.next(trader);
    }
  }

  #below(bound: number): number {
    return this.#dice.below(bound);
  }

  #chance(percent: number): boolean {
    return this.#dice.chance(percent);
  }

  #pick<T>(from: readonly T[]): T {
    return this.#dice.pick(from);
  }

  #placement(): Command {
    const listing = this.#listing();
    return { type: "PlaceOrder", order: this.#order(listing), listing };
  }

  #batch(): Command {
    const listings = [this.#listing(), this.#listing()];
    const orders = Array.from({ length: 1 + this.#below(4) }, () =>
      this.#order(this.#pick(listings)),
    );
    const each = this.#chance(40) ? ({ each: true } as const) : {};
    return { type: "PlaceBatch", orders, listings, ...each };
  }

  #quoting(): Command {
    const listings = [this.#listing(), this.#listing()];
    const side = (): QuotedSide | null => {
      const { priceTick, amountLots } = this.#order(this.#pick(listings));
      return this.#chance(20) ? null : { priceTick, amountLots };
    };
    const quotes = listings.map(({ marketId }) => ({
      ...{ marketId, bid: side(), ask: side() },
      expirySeconds: this.#chance(10) ? Math.floor(this.world.nowMillis / 1000) + 80_000 : 0,
      ...(this.#chance(20) ? ({ cancelOnRelease: true } as const) : {}),
      ...(this.#chance(40) ? { group: "north" } : {}),
    }));
    return { type: "MassQuote", quotes, listings };
  }

  #rfq(): readonly [Actor, Command] {
    const [{ state, nowMillis }, dice, traders] = [this.world, this.#dice, this.#traders];
    const anyTick = (): Tick => {
      const { priceTick } = this.#order(this.#listing());
      return priceTick ?? tick("0.5");
    };
    const listings = [this.#listing(), this.#listing()];
    const drawn = { state, nowMillis, dice, traders, listings, tick: anyTick };
    const [{ actor }, command] = randomRfq(drawn);
    return [actor, command];
  }

  /** A quote accepted, mostly on the terms there are; or an earlier one paid. */
  #acceptance(id: AccountId): Command {
    const { world } = this;
    const own = [...world.state.acceptances.values()].filter(({ accountId }) => accountId === id);
    if (own.length > 0 && this.#chance(30)) {
      const { id: acceptanceId } = this.#pick(own);
      return { type: "PayAcceptance", acceptanceId, through: 1 + this.#below(4) };
    }
    const listing = this.#listing();
    const immediate = {
      outcomeIndex: 0,
      side: "BUY",
      timeInForce: "IOC",
      postOnly: false,
    } as const;
    const drawn = this.#order(listing);
    // Large, so that what falls due is now and then more than there is.
    const amountLots = lots(BigInt(1 + this.#below(40_000)));
    const more = { expirySeconds: 0, reduceOnly: false, clientOrderId: null, amountLots };
    const days = this.#below(60) - 5;
    const structure = this.#pick([
      { kind: "in_full" } as const,
      {
        kind: "installments",
        downPaymentBps: this.#pick([0, 1_000, 2_500, 9_999]),
        months: 1 + this.#below(4),
        aprBps: 900,
      } as const,
      {
        kind: "at_funding",
        fundsAtMillis: world.nowMillis + days * DAY_MILLIS,
        aprBps: this.#pick([600, 600, 500]),
      } as const,
    ]);
    const referenceTick = this.#pick([tick("0.9999"), tick("0.9999"), drawn.priceTick, null]);
    const order = { ...drawn, ...immediate, ...more };
    return { type: "AcceptQuote", order, listing, structure, referenceTick };
  }

  #order(listing: Listing): OrderInput {
    const size = this.#chance(8) ? 1 + this.#below(600_000) : 1 + this.#below(6_000);
    const { nowMillis } = this.world;
    return {
      ...order(listing, this.#pick(["BUY", "SELL"]), "1", this.#pick(this.#mix.prices)),
      amountLots: lots(BigInt(this.#chance(20) ? 1 : size)),
      outcomeIndex: this.#pick([0, 1]),
      timeInForce: this.#pick(["GTC", "GTC", "GTC", "GTC", "IOC", "FOK"]),
      postOnly: this.#chance(8),
      reduceOnly: this.#chance(12),
      ...(size % 10 === 3 ? ({ cancelOnRelease: true } as const) : {}),
      ...(size % 10 > 6 ? { group: size % 2 === 0 ? "north" : "south" } : {}),
      clientOrderId: this.#chance(5) ? `own-${this.#below(30)}` : null,
      selfTradePrevention: this.#pick(["cancel_incoming", "cancel_resting", "cancel_both"]),
      expirySeconds: this.#chance(10)
        ? Math.floor(nowMillis / 1000) + this.#below(20 * 86_400) - 80_000
        : 0,
    };
  }

  /** Of the trader's own orders or, now and then, somebody else's. */
  #amendment(): Command {
    const drawn = this.#order(this.#first);
    return {
      type: "AmendOrder",
      ...randomName(this.#dice, () => this.#anyOrder()),
      price: this.#chance(60) ? { tick: drawn.priceTick } : null,
      amountLots: this.#chance(60) ? drawn.amountLots : null,
      expirySeconds: this.#chance(20) ? drawn.expirySeconds : null,
    };
  }

  /** The switch and the protection, mostly short ones, so that they act. */
  #guard({ actor }: Trader): readonly [Actor, Command] {
    const { makerProtections } = this.world.state;
    const tripped = this.#traders.find(
      ({ id }) => (makerProtections.get(id)?.trippedAtMillis ?? null) !== null,
    );
    if (tripped !== undefined && this.#chance(50))
      return [tripped.actor, { type: "ResetProtection" }];
    if (this.#chance(30)) {
      const marketId = this.#chance(50) ? this.#anyMarket() : null;
      const seconds = this.#pick([0, 5, 3600, 86_400]);
      return [actor, { type: "SetCancelAfter", seconds, marketId }];
    }
    return [actor, randomProtection(this.#dice)];
  }

  /** Mostly a market already there; now and then a new series on the newest print. */
  #listing(): Listing {
    const { world } = this;
    const live = this.#listings.filter(({ marketId: id }) => {
      const status = world.state.markets.get(id)?.status;
      return status === undefined || status === "ACTIVE";
    });
    if (live.length === 0 || this.#chance(6)) return this.#remembered(this.#prints.listing());
    const newest = live.slice(-3);
    if (newest.length > 0 && this.#chance(95)) return this.#pick(newest);
    return this.#pick(this.#listings.length > 0 ? this.#listings : [this.#first]);
  }

  /** Lists a series that only an operator lists; orders may name it before. */
  #listLevel(): Command {
    const listing = this.#remembered(this.#prints.levelListing());
    const frontendId = this.#chance(70) ? null : `mkt-${1 + this.#below(9)}`;
    return { type: "ListMarket", listing, frontendId };
  }

  #remembered(listing: Listing): Listing {
    const known = this.#listings.some(({ marketId: id }) => id === listing.marketId);
    if (!known) this.#listings = [...this.#listings.slice(-8), listing];
    return listing;
  }

  /** Mostly an open one. */
  #anyOrder() {
    const open = [...this.world.state.openOrders.values()].flatMap((ids) => [...ids]);
    if (open.length > 0 && this.#chance(80)) return this.#pick(open);
    return orderId(`ord-${1 + this.#below(this.world.state.orders.size + 1)}`);
  }

  /** Deposits, withdrawals, and often all that may leave: what a void then finds missing. */
  #funding(id: AccountId): Command {
    const { state } = this.world;
    const free = state.balance(`cash:${id}`) - state.exposures.locked(id);
    const drawn = BigInt(this.#below(200_000_000) - 60_000_000);
    const amountMicros = micros(this.#chance(30) ? -free : drawn);
    return { type: "FundAccount", accountId: id, amountMicros, memo: null };
  }

  #kyc(trader: Trader): readonly [Actor, Command] {
    const tier = this.#pick(kycTiers);
    const { state } = this.world;
    const lapsed = this.#traders.find(({ id }) => state.account(id).kyc.status !== "approved");
    if (lapsed !== undefined) return [root, decision(lapsed.id, "approve", tier, true)];
    if (this.#chance(40)) return [trader.actor, { type: "RequestKyc", tier }];
    if (this.#chance(60)) return [root, decision(trader.id, "approve", tier, this.#chance(95))];
    return [root, decision(trader.id, "reject", null, this.#chance(50))];
  }

  #control(id: AccountId): readonly [Actor, Command] {
    const { state } = this.world;
    const reason = "drill";
    const halted = [...state.accounts.values()].find((account) => account.halted);
    if (state.exchange?.halted === true) return [root, { type: "ResumeExchange", reason }];
    if (halted !== undefined && this.#chance(70)) {
      return [root, { type: "ResumeAccount", accountId: halted.id, reason }];
    }
    const paused = [...state.markets.values()].find(({ status }) => status === "PAUSED");
    if (paused !== undefined && this.#chance(70)) {
      return [root, { type: "ResumeMarket", marketId: paused.id, reason }];
    }
    const at = this.#below(10);
    if (at === 0) return [root, { type: "HaltExchange", reason }];
    if (at < 4) return [root, { type: "HaltAccount", accountId: id, reason }];
    return [root, { type: "PauseMarket", marketId: this.#anyMarket(), reason }];
  }

  #anyMarket() {
    return anyMarket(this.world.state, this.#dice);
  }

  #keys(trader: Trader): readonly [Actor, Command] {
    const key = {
      label: "more",
      prefix: "fp_test_bbbb",
      digest: String(this.#below(1e9)),
      permissions: permissions.slice(this.#below(permissions.length)),
      ratePerMinute: this.#pick([null, 60, 60_000]),
      expiresAtSeconds: null,
    };
    return [trader.actor, { type: "CreateKey", key }];
  }

  #anyTerms = () => (this.world.state.markets.get(this.#anyMarket()) ?? this.#first).terms;

  #wait(): void {
    const days = this.#chance(8) ? 70 + this.#below(300) : this.#below(12);
    this.world.runTo(this.world.nowMillis + days * DAY_MILLIS + this.#below(DAY_MILLIS));
  }
}
