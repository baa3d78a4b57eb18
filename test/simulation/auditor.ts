// Somebody outside who reads what was asked and answered, and keeps every balance in books of his
// own: from deposits, fills, fees, prints, voids, premiums and takeovers, by his own arithmetic.
// Invariant: nothing of the core is called, and no amount that is posted is taken as told.
import assert from "node:assert/strict";
import type { Command, Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { Entry } from "#core/outcome.ts";
import type { Fill, Market, Position } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";
import type { State } from "#core/state.ts";
import { atLeastZero, least, payoutMillionths, shared } from "./arithmetic.ts";
import { Bidders } from "./bidders.ts";
import { Books, cashOf, FUND } from "./books.ts";
import { Cover } from "./cover.ts";
import { Defaults } from "./defaults.ts";
import { Disputes } from "./disputes.ts";
import { Fallbacks } from "./fallbacks.ts";
import { Fees } from "./fees.ts";
import { Fund } from "./fund.ts";
import { HeldPlaces } from "./held-places.ts";
import { Loans } from "./loans.ts";
import { Marks } from "./marks.ts";
import { Payouts } from "./payouts.ts";
import { People } from "./people.ts";
import { Renames } from "./renames.ts";
import { bustIn, Rulebook } from "./rulebook.ts";
import { assertNoStake } from "./stakes.ts";
import { Windows } from "./windows.ts";

export class Auditor {
  /** The markets that the entry voids. */
  #voided: ReadonlySet<string> = new Set();
  readonly #books = new Books();
  readonly #fees = new Fees(this.#books);
  readonly #tiers = new Map<string, keyof Rules["tiers"]>();
  readonly #markets = new Map<string, Market>();
  readonly #rulebook = new Rulebook(this.#books, this.#tiers);
  readonly #people: People = new People(this.#rulebook, (name) => this.#holds(name));
  readonly #disputes = new Disputes(this.#books, this.#people);
  readonly #fallbacks = new Fallbacks(this.#markets);
  readonly #heldPlaces = new HeldPlaces();
  readonly #renames = new Renames();
  #rules: Rules | undefined;
  readonly #windows = new Windows();
  readonly #cover = new Cover(this.#books, this.#markets, this.#tiers);
  readonly #loans = new Loans(this.#books, this.#markets, this.#cover);
  readonly #fund = new Fund(this.#books, this.#markets, this.#cover);
  readonly #payouts = new Payouts(this.#books, this.#markets, this.#disputes, this.#fund);
  readonly #bidders = new Bidders(this.#cover, this.#loans, this.#people);
  readonly #defaults = new Defaults(this.#books, this.#markets, {
    fund: this.#fund,
    cover: this.#cover,
    bidders: this.#bidders,
  });
  readonly #marks = new Marks(this.#books, this.#people, this.#markets);

  /** Cases of its own judgement that it has met, in words. */
  get met(): ReadonlySet<string> {
    return this.#defaults.met;
  }

  follow({ envelope, outcome }: Entry): void {
    if ("rejection" in outcome) {
      this.#people.refused(envelope, outcome.rejection.code);
      this.#defaults.refused(envelope, outcome.rejection.code);
      return;
    }
    const { command } = envelope;
    this.#loans.begin();
    this.#windows.begin(command);
    const done = this.#people.follow(envelope, outcome.events);
    this.#rulebook.follow(envelope, done, outcome.events);
    if (done !== undefined) this.#deposit(done);
    this.#fees.bust(done, envelope.timeMillis, outcome.events, bustIn(this.#rules));
    this.#heldPlaces.follow(envelope, outcome.events);
    this.#renames.follow(envelope, outcome.events);
    assertNoStake(this.#books, this.#people, envelope, done, outcome.events);
    this.#fallbacks.follow(envelope, done);
    this.#marks.follow(envelope, done, outcome.events);
    if (done?.type === "SettleByFallback" && done.taken.step === "void") {
      this.#void(done.marketId);
    }
    if (command.type === "FinalizeMarket") {
      this.#payouts.finalize(command.marketId, envelope.timeMillis, outcome.events);
    }
    if (done?.type === "CancelMarket") this.#voidLive(done.marketId);
    if (command.type === "OpenDispute") this.#disputes.open(envelope, command.marketId);
    if (done?.type === "DecideDispute") this.#disputes.decide(envelope, done);
    if (command.type === "UpholdDispute") this.#disputes.uphold(envelope, command.marketId);
    const marked = command.type === "PublishMarks" ? outcome.events.findLastIndex(isMark) : -2;
    if (marked === -1) this.#setContributions();
    this.#voided = voidedIn(outcome.events);
    for (const [at, event] of outcome.events.entries()) {
      this.#cover.see(event);
      this.#loans.see(event);
      this.#bidders.see(event);
      this.#see(event, envelope, outcome.events.slice(at));
      if (at === marked) this.#setContributions();
    }
    this.#chargeFees();
    this.#marks.see(outcome.events, envelope.timeMillis);
    this.#fund.assertDone(outcome.events);
    this.#assertContributions(envelope, outcome.events);
    this.#fallbacks.see(outcome.events, envelope.timeMillis);
    this.#fees.assertStrays(outcome.events);
    this.#windows.follow(envelope, outcome.events);
    this.#loans.assertDone(envelope);
  }

  /** An account's cash, as any reader must be told. */
  cashOf(account: string): bigint {
    return this.#books.balance(cashOf(account));
  }

  /** The part of it that is free; undefined before the account has a tier. */
  freeOf(account: string): bigint | undefined {
    return this.#tiers.has(account) ? this.#cover.freeOf(account) : undefined;
  }

  holdingOf(market: string, account: string): { readonly held: bigint; readonly flow: bigint } {
    return this.#books.holding(market, account);
  }

  /** Every balance, and the positions the entry changed. */
  compare(state: State, { outcome }: Entry): void {
    const shown: ReadonlyMap<string, bigint> = state.ledger;
    for (const [name, balance] of shown) {
      assert.equal(balance, this.#books.balance(name), `${name} is as the auditor has it`);
    }
    for (const [name, balance] of this.#books.balances) {
      assert.ok(balance === 0n || shown.has(name), `${name} is as the auditor has it`);
    }
    if ("rejection" in outcome) return;
    for (const event of outcome.events) {
      if (event.type !== "PositionChanged") continue;
      const { accountId, marketId } = event.position;
      const position = state.position(accountId, marketId);
      if (position !== undefined) this.#compareHolding(position);
    }
  }

  compareAll(state: State): void {
    this.#people.compareAll(state);
    this.#rulebook.compareAll(state);
    this.#fees.compareAll(state);
    this.#defaults.compareAll(state);
    this.#fallbacks.compareAll(state);
    this.#fund.compareAll(state);
    this.#marks.compareAll(state);
    this.#renames.compareAll(state);
    let count = 0;
    for (const holdings of this.#books.holdings.values()) count += holdings.size;
    assert.equal(state.positions.size, count, "the auditor knows as many positions");
    for (const position of state.positions.values()) this.#compareHolding(position);
  }

  #compareHolding({ accountId, marketId, heldLots, flowMicros }: Position): void {
    const { held, flow } = this.#books.holding(marketId, accountId);
    assert.equal(heldLots, held, `what ${accountId} holds of ${marketId}`);
    assert.equal(flowMicros, flow, `what ${accountId} had from ${marketId}`);
  }

  /** `later`: it, and the events after it. */
  #see(event: Event, envelope: Envelope, later: readonly Event[]): void {
    switch (event.type) {
      case "RulesChanged":
        this.#rules = event.rules;
        return;
      case "AccountChanged": {
        const { id, kyc, inDefault, trust } = event.account;
        this.#defaults.trustChanged(id, trust);
        if (inDefault === undefined) this.#fund.defaultEnded(id);
        // The tier approved last, until a refusal.
        const isUp = kyc.status === "approved" && kyc.tier !== "none";
        if (isUp) this.#tiers.set(id, kyc.tier);
        else if (kyc.status === "rejected" || !this.#tiers.has(id)) this.#tiers.set(id, "basic");
        return;
      }
      case "MarketChanged":
        this.#seeMarket(event.market);
        return;
      case "MarketTraded":
        this.#markets.set(event.marketId, { ...this.#market(event.marketId), ...event });
        return;
      case "MarketMarked": {
        // Marks without an array replace those with one.
        const { riskTicks: _, ...before } = this.#market(event.marketId);
        this.#markets.set(event.marketId, { ...before, ...event });
        return;
      }
      case "Filled":
        this.#fill(event.fill);
        return;
      case "AcceptanceChanged":
        this.#chargeFees();
        this.#loans.changed(
          event.acceptance,
          envelope,
          this.#voided.has(event.acceptance.marketId),
        );
        return;
      case "PositionChanged":
        this.#seePosition(event.position, later);
        return;
      case "Posted":
        this.#seePosting(event, envelope);
        return;
      case "AuctionOpened":
        this.#defaults.opened(event, envelope);
        return;
      case "BidChanged":
        this.#defaults.bid(event, envelope);
        return;
      case "AuctionEnded":
        this.#chargeFees();
        this.#defaults.ended(event, envelope, later);
        return;
      case "ReleaseChanged":
        this.#payouts.resolved(event.release.id, event.release.resolvedMarkets);
        return;
      case "ReleaseAccepted": {
        const { id, clearance, resolvedMarkets } = event.release;
        this.#payouts.resolved(id, resolvedMarkets);
        if (clearance === undefined) return;
        const [first = "", second = first] = clearance.approvedBy;
        assert.ok(this.#people.areTwo(first, second), `two people released ${id}`);
        return;
      }
      default:
        return;
    }
  }

  #seeMarket(market: Market): void {
    this.#markets.set(market.id, market);
    const { resolution, terms } = market;
    if (resolution === null) return;
    const owed = payoutMillionths(terms, resolution);
    assert.equal(BigInt(resolution.payoutMillionths), owed, `${market.id} pays as printed`);
  }

  #market = (id: string): Market => this.#markets.get(id) ?? assert.fail(`${id} is known`);

  #fill(fill: Fill): void {
    const { marketId, yesTick, amountLots, buyer, seller } = fill;
    const price = BigInt(yesTick);
    const premium = price * amountLots;
    this.#books.move(cashOf(buyer), cashOf(seller), premium);
    this.#books.hold(marketId, buyer, amountLots, -premium);
    this.#books.hold(marketId, seller, -amountLots, premium);
    this.#fees.filled(fill, this.#market(marketId).markTick, bustIn(this.#rules).bandTicks);
    this.#loans.filled(fill);
  }

  #chargeFees(): void {
    const bpsOf = (account: string): number => {
      const tier = this.#tiers.get(account);
      assert.ok(tier !== undefined && this.#rules !== undefined, `${account} pays by its tier`);
      return this.#rules.tiers[tier].feeBps;
    };
    this.#fees.charge(bpsOf, (order) => this.#windows.isRest(order));
  }

  /** A short that vanishes without a fill or an auction: its payout is known, and not covered. */
  #seePosition({ accountId, marketId, heldLots }: Position, later: readonly Event[]): void {
    const { held } = this.#books.holding(marketId, accountId);
    if (accountId === FUND || held === heldLots) return;
    this.#chargeFees();
    assert.ok(held < 0n && heldLots === 0n, `${accountId} is rid of ${marketId} by the fund alone`);
    this.#defaults.known(accountId, later);
  }

  /** Once the marks are there; while an auction runs nobody is asked for more, or for less. */
  #setContributions(): void {
    const accounts = [...this.#tiers.keys()];
    if (this.#rules === undefined || this.#defaults.isAuctioning) return;
    const asked = accounts.filter((id) => !this.#defaults.isOf(id));
    this.#fund.setContributions(this.#rules, asked);
  }

  /** An account whose orders lost their cash meanwhile had none to contribute. */
  #assertContributions({ command }: Envelope, events: readonly Event[]): void {
    const rules = this.#rules;
    if (rules === undefined || command.type === "PublishMarks") return;
    const short = new Set<string>();
    for (const event of events) {
      if (event.type !== "PositionChanged" || event.position.heldLots >= 0n) continue;
      if (event.position.accountId !== FUND) short.add(event.position.accountId);
    }
    for (const event of events) {
      const isTaken = event.type === "OrderChanged" && event.order.cancelReason === "MARGIN";
      if (isTaken) short.delete(event.order.accountId);
      if (event.type === "AccountChanged" && event.account.inDefault)
        short.delete(event.account.id);
    }
    for (const id of short) {
      if (!this.#defaults.isOf(id)) this.#fund.assertOpened(rules, id);
    }
  }

  /** An account in default, or assessed, pays the fund from its free cash. */
  #seePosting(event: EventOf<"Posted">, { command }: Envelope): void {
    const { from, reason, reference } = event.posting;
    if (reason === "contribution" && command.type !== "PublishMarks") {
      this.#chargeFees();
      this.#fund.opened(this.#rules ?? assert.fail("there are rules"), reference);
      return;
    }
    if (reason !== "default-debt" && reason !== "assessment") return;
    this.#chargeFees();
    if (reason === "assessment") {
      this.#fund.paid(event);
      return;
    }
    const account = from.slice("cash:".length);
    this.#defaults.paid(event, account, this.#cover.freeOf(account));
  }

  #voidLive(id: string): void {
    const status = this.#markets.get(id)?.status;
    assert.ok(status === "ACTIVE" || status === "PAUSED", `${id} is voided before it resolves`);
    this.#void(id);
  }

  /** Whether a person has a position in any market, by whichever account. */
  #holds(name: string): boolean {
    for (const id of this.#markets.keys()) {
      for (const [account, { held }] of this.#books.holdingsIn(id)) {
        if (held !== 0n && account !== FUND && !this.#people.areTwo(account, name)) return true;
      }
    }
    return false;
  }

  #deposit(done: Command): void {
    const to =
      done.type === "FundAccount"
        ? cashOf(done.accountId)
        : done.type === "FundGuarantee"
          ? done.layer === "exchange"
            ? "exchange-layer"
            : FUND
          : "financing";
    const isFunding = to !== "financing" || done.type === "FundFinancing";
    if (isFunding && "amountMicros" in done) this.#books.move("external", to, done.amountMicros);
  }

  /** Every flow is reversed: out of what can be given back, then out of the fund, then in parts. */
  #void(id: string): void {
    const clearing = `market:${id}`;
    const { house, fund } = this.#fees.in(id);
    const all = [...this.#books.holdingsIn(id)].map(([account, { flow }]) => ({ account, flow }));
    for (const { account } of all) {
      this.#books.hold(id, account, -this.#books.holding(id, account).held, 0n);
    }
    this.#books.move("fees", clearing, house);
    this.#books.move(FUND, clearing, least(fund, this.#spareOfFund()));
    for (const { account, flow } of all) {
      if (flow <= 0n) continue;
      const taken = this.#givenBack(account, flow);
      this.#books.move(cashOf(account), clearing, taken);
      this.#books.hold(id, account, 0n, -taken);
      this.#books.move(FUND, clearing, least(flow - taken, this.#spareOfFund()));
    }
    const payers = all.filter(({ flow }) => flow < 0n);
    const parts = shared(
      this.#books.balance(clearing),
      payers.map(({ flow }) => -flow),
    );
    for (const [at, { account }] of payers.entries()) {
      this.#books.move(clearing, cashOf(account), parts[at] ?? 0n);
      this.#books.hold(id, account, 0n, parts[at] ?? 0n);
    }
  }

  /** The cash that covers no position elsewhere. */
  #givenBack(account: string, flow: bigint): bigint {
    const spare = account === FUND ? this.#spareOfFund() : this.#cover.uncoveredOf(account);
    return least(flow, atLeastZero(spare));
  }

  /** Cash needed for known payouts is lent to no void. */
  #spareOfFund(): bigint {
    const known = this.#fund.needs(({ resolution }) => resolution !== null);
    return atLeastZero(this.#books.balance(FUND) - known);
  }
}

/** Of marks and what is counted with them: after it contributions are set. */
const isMark = ({ type }: Event): boolean => type === "MarketMarked" || type === "OpenCounted";

const voidedIn = (events: readonly Event[]): ReadonlySet<string> =>
  new Set(
    events.flatMap((event) =>
      event.type === "MarketChanged" && event.market.status === "CANCELLED" ? event.market.id : [],
    ),
  );
