// Somebody outside who reads what was asked and answered, and keeps every balance in books of his
// own: from deposits, fills, fees, prints, voids, premiums and takeovers, by his own arithmetic.
// Invariant: nothing of the core is called; of postings only two facts are taken, which depend on
// what else an account must cover: what it could give back to a void, and that a rest was seized.
import assert from "node:assert/strict";
import type { CommandOf, Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { Entry } from "#core/outcome.ts";
import type { Acceptance, Fill, Market, Position } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";
import type { State } from "#core/state.ts";
import { ceilDiv, lentOf, paidOf, payoutMillionths, shared } from "./arithmetic.ts";
import { assertChange, assertSchedule, dueBy } from "./premiums.ts";

const FUND = "guarantee";
const TEN_DAYS_MILLIS = 10 * 86_400_000;
const cashOf = (account: string): string => (account === FUND ? FUND : `cash:${account}`);

interface Holding {
  held: bigint;
  flow: bigint;
}

export class Auditor {
  readonly #ledger = new Map<string, bigint>();
  /** By market, in the order accounts came to it. */
  readonly #holdings = new Map<string, Map<string, Holding>>();
  readonly #fees = new Map<string, { house: bigint; fund: bigint }>();
  readonly #tiers = new Map<string, keyof Rules["tiers"]>();
  readonly #markets = new Map<string, Market>();
  readonly #acceptances = new Map<string, Acceptance>();
  /** Voids that one operator has proposed, and when. */
  readonly #proposals = new Map<string, { readonly by: string; readonly atMillis: number }>();
  #rules: Rules | undefined;
  /** Of this entry: what fees are due on, by the market and account of the taker's order. */
  readonly #bases = new Map<string, { market: string; account: string; base: bigint }>();
  readonly #premiums = new Map<string, bigint>();

  follow({ envelope, outcome }: Entry): void {
    if ("rejection" in outcome) return;
    const { command } = envelope;
    this.#premiums.clear();
    if (command.type === "FundAccount") {
      this.#move("external", cashOf(command.accountId), command.amountMicros);
    }
    if (command.type === "FundGuarantee") this.#move("external", FUND, command.amountMicros);
    if (command.type === "FinalizeMarket") this.#finalize(command.marketId);
    if (command.type === "VoidUnpublished") this.#void(command.marketId, outcome.events);
    if (command.type === "CancelMarket") this.#vote(envelope, command.marketId, outcome.events);
    if (command.type === "WithdrawVoid") this.#proposals.delete(command.marketId);
    if (command.type === "LapseVoid") this.#lapse(command.marketId, envelope.timeMillis);
    for (const event of outcome.events) this.#see(event, envelope);
    this.#chargeFees();
    if (command.type === "CollectPayment") this.#assertCollected(command, envelope.timeMillis);
  }

  /** Every balance, and the positions the entry changed. */
  compare(state: State, { outcome }: Entry): void {
    const shown: ReadonlyMap<string, bigint> = state.ledger;
    for (const [name, balance] of shown) {
      assert.equal(balance, this.#balance(name), `${name} is as the auditor has it`);
    }
    for (const [name, balance] of this.#ledger) {
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
    let count = 0;
    for (const holdings of this.#holdings.values()) count += holdings.size;
    assert.equal(state.positions.size, count, "the auditor knows as many positions");
    for (const position of state.positions.values()) this.#compareHolding(position);
  }

  #compareHolding({ accountId, marketId, heldLots, flowMicros }: Position): void {
    const { held, flow } = this.#holding(marketId, accountId);
    assert.equal(heldLots, held, `what ${accountId} holds of ${marketId}`);
    assert.equal(flowMicros, flow, `what ${accountId} had from ${marketId}`);
  }

  #see(event: Event, envelope: Envelope): void {
    switch (event.type) {
      case "RulesChanged":
        this.#rules = event.rules;
        return;
      case "AccountChanged": {
        const { id, kyc } = event.account;
        this.#tiers.set(id, kyc.tier === "none" ? "basic" : kyc.tier);
        return;
      }
      case "MarketChanged":
        this.#seeMarket(event.market);
        return;
      case "Filled":
        this.#fill(event.fill);
        return;
      case "AcceptanceChanged":
        this.#seeAcceptance(event.acceptance, envelope);
        return;
      case "PositionChanged":
        this.#seePosition(event.position);
        return;
      case "Posted":
        this.#seeSeizure(event);
        return;
      case "ReleaseAccepted": {
        const { id, clearance } = event.release;
        const words = new Set(clearance?.approvedBy);
        assert.ok(clearance === undefined || words.size === 2, `two operators released ${id}`);
        return;
      }
      default:
        return;
    }
  }

  #seeMarket(market: Market): void {
    this.#markets.set(market.id, market);
    const { resolution, terms } = market;
    if (market.status === "RESOLVED" || market.status === "CANCELLED") {
      this.#proposals.delete(market.id);
    }
    const isProposed = this.#proposals.has(market.id);
    assert.equal(market.voidProposal !== undefined, isProposed, `a void of ${market.id} waits`);
    if (resolution === null) return;
    const owed = payoutMillionths(terms, resolution);
    assert.equal(
      BigInt(resolution.payoutMillionths),
      owed,
      `${market.id} pays what its print says`,
    );
  }

  #fill({ marketId, yesTick, amountLots, buyer, seller, takerBuysYes, takerOrderId }: Fill): void {
    const price = BigInt(yesTick);
    const premium = price * amountLots;
    this.#move(cashOf(buyer), cashOf(seller), premium);
    this.#hold(marketId, buyer, amountLots, -premium);
    this.#hold(marketId, seller, -amountLots, premium);
    const account = takerBuysYes ? buyer : seller;
    const lower = price < 5_000n ? price : 10_000n - price;
    const before = this.#bases.get(takerOrderId)?.base ?? 0n;
    const base = before + lower * amountLots;
    this.#bases.set(takerOrderId, { market: marketId, account, base });
    this.#premiums.set(takerOrderId, (this.#premiums.get(takerOrderId) ?? 0n) + premium);
  }

  /** Rounded up once an order; the fund has half of it, rounded down. */
  #chargeFees(): void {
    for (const { market, account, base } of this.#bases.values()) {
      const tier = this.#tiers.get(account);
      assert.ok(tier !== undefined && this.#rules !== undefined, `${account} pays by its tier`);
      const fee = ceilDiv(base * BigInt(this.#rules.tiers[tier].feeBps), 10_000n);
      this.#move(cashOf(account), "fees", fee - fee / 2n);
      this.#move(cashOf(account), FUND, fee / 2n);
      this.#hold(market, account, 0n, -fee);
      const { house, fund } = this.#feesIn(market);
      this.#fees.set(market, { house: house + fee - fee / 2n, fund: fund + fee / 2n });
    }
    this.#bases.clear();
  }

  #seeAcceptance(acceptance: Acceptance, { command, timeMillis }: Envelope): void {
    const { id, accountId, orderId } = acceptance;
    const known = this.#acceptances.get(id);
    this.#acceptances.set(id, acceptance);
    if (known === undefined) {
      assert.equal(acceptance.createdAtMillis, timeMillis, `${id} is made now`);
      assertSchedule(acceptance);
      const lent = lentOf(acceptance.structure, this.#premiums.get(orderId) ?? 0n);
      assert.equal(acceptance.principalMicros, lent, `what ${id} was lent`);
      this.#move("financing", cashOf(accountId), lent);
      return;
    }
    assertChange(known, acceptance, command, timeMillis);
    const [before, after] = [paidOf(known), paidOf(acceptance)];
    this.#move(cashOf(accountId), "interest", after.interest - before.interest);
    this.#move(cashOf(accountId), "financing", after.principal - before.principal);
  }

  /** Open orders give way to a payment: who covers no short pays what is due, or all there is. */
  #assertCollected({ acceptanceId }: CommandOf<"CollectPayment">, nowMillis: number): void {
    const acceptance = this.#acceptances.get(acceptanceId);
    assert.ok(acceptance !== undefined, `${acceptanceId} is known`);
    const { accountId } = acceptance;
    const left = dueBy(acceptance, nowMillis);
    if (left === 0n || this.#isShortBeside(accountId, "")) return;
    assert.equal(this.#balance(cashOf(accountId)), 0n, `${accountId} pays what is due`);
  }

  /** A short that vanishes without a fill was taken over by the fund, at its mark, for the cash. */
  #seePosition({ accountId, marketId, heldLots }: Position): void {
    const { held } = this.#holding(marketId, accountId);
    if (accountId === FUND || held === heldLots) return;
    this.#chargeFees();
    assert.ok(held < 0n && heldLots === 0n, `${accountId} is rid of ${marketId} by the fund alone`);
    const market = this.#markets.get(marketId);
    assert.ok(market !== undefined, `${marketId} was listed`);
    const paidOut = market.resolution?.payoutMillionths;
    const worth =
      paidOut === undefined
        ? -held * BigInt(market.markTick)
        : ceilDiv(-held * BigInt(paidOut), 100n);
    const has = this.#balance(cashOf(accountId));
    const paid = worth < has ? worth : has;
    this.#move(cashOf(accountId), FUND, paid);
    this.#hold(marketId, accountId, -held, -paid);
    this.#hold(marketId, FUND, held, paid);
  }

  #seeSeizure({ posting }: EventOf<"Posted">): void {
    if (posting.reason !== "liquidation") return;
    this.#chargeFees();
    this.#move(posting.from, FUND, this.#balance(posting.from));
  }

  /** Longs get their part of the face, rounded down; shorts give that up, the fund what it has. */
  #finalize(id: string): void {
    const paid = this.#markets.get(id)?.resolution?.payoutMillionths;
    assert.ok(paid !== undefined, `${id} is resolved before it pays`);
    const all = [...this.#holdingsIn(id)];
    const longs = all.filter(([, { held }]) => held > 0n);
    const shorts = all.filter(([, { held }]) => held < 0n);
    const due = longs.map(([, { held }]) => (held * 10_000n * BigInt(paid)) / 1_000_000n);
    const owed = due.reduce((sum, one) => sum + one, 0n);
    const parts = shared(
      owed,
      shorts.map(([, { held }]) => -held),
    );
    let collected = 0n;
    for (const [at, [account]] of shorts.entries()) {
      const part = parts[at] ?? 0n;
      const has = this.#balance(cashOf(account));
      assert.ok(account === FUND || has >= part, `${account} can pay ${part} of ${id}`);
      const given = part < has ? part : has;
      collected += given;
      this.#settle(id, account, -given);
    }
    const payouts = collected === owed ? due : shared(collected, due);
    for (const [at, [account]] of longs.entries()) this.#settle(id, account, payouts[at] ?? 0n);
  }

  #settle(market: string, account: string, cash: bigint): void {
    this.#move(`market:${market}`, cashOf(account), cash);
    const { held } = this.#holding(market, account);
    this.#hold(market, account, -held, cash);
  }

  /** The first word moves no money; the second must be somebody else's. */
  #vote({ actor, timeMillis }: Envelope, id: string, events: readonly Event[]): void {
    const by = actor.type === "key" ? actor.accountId : actor.type;
    const status = this.#markets.get(id)?.status;
    assert.ok(status === "ACTIVE" || status === "PAUSED", `${id} is voided before it resolves`);
    const proposal = this.#proposals.get(id);
    if (proposal === undefined) {
      this.#proposals.set(id, { by, atMillis: timeMillis });
      return;
    }
    assert.notEqual(by, proposal.by, `two people void ${id}`);
    assert.ok(timeMillis <= proposal.atMillis + TEN_DAYS_MILLIS, `${id}: the first word stands`);
    this.#proposals.delete(id);
    this.#void(id, events);
  }

  #lapse(id: string, nowMillis: number): void {
    const proposal = this.#proposals.get(id);
    assert.ok(proposal !== undefined, `a void of ${id} was proposed`);
    assert.ok(nowMillis >= proposal.atMillis + TEN_DAYS_MILLIS, `${id}: ten days are over`);
    this.#proposals.delete(id);
  }

  /** Every flow is reversed: out of what can be given back, then out of the fund, then in parts. */
  #void(id: string, events: readonly Event[]): void {
    const clearing = `market:${id}`;
    const { house, fund } = this.#feesIn(id);
    this.#move("fees", clearing, house);
    this.#move(FUND, clearing, least(fund, this.#balance(FUND)));
    const all = [...this.#holdingsIn(id)].map(([account, { flow }]) => ({ account, flow }));
    for (const { account } of all) {
      this.#hold(id, account, -this.#holding(id, account).held, 0n);
    }
    for (const { account, flow } of all) {
      if (flow <= 0n) continue;
      const taken = this.#givenBack(account, id, flow, events);
      this.#move(cashOf(account), clearing, taken);
      this.#hold(id, account, 0n, -taken);
      this.#move(FUND, clearing, least(flow - taken, this.#balance(FUND)));
    }
    const payers = all.filter(({ flow }) => flow < 0n);
    const parts = shared(
      this.#balance(clearing),
      payers.map(({ flow }) => -flow),
    );
    for (const [at, { account }] of payers.entries()) {
      this.#move(clearing, cashOf(account), parts[at] ?? 0n);
      this.#hold(id, account, 0n, parts[at] ?? 0n);
    }
  }

  #givenBack(account: string, market: string, flow: bigint, events: readonly Event[]): bigint {
    const all = least(flow, this.#balance(cashOf(account)));
    if (account === FUND || !this.#isShortBeside(account, market)) return all;
    // It covers shorts elsewhere: how much of its cash is free, the postings say.
    let told = 0n;
    for (const event of events) {
      if (event.type !== "Posted" || event.posting.reason !== "void") continue;
      if (event.posting.from === cashOf(account)) told += event.posting.amountMicros;
    }
    assert.ok(told <= all, `${account} gives back ${told} of ${all} at most`);
    return told;
  }

  #isShortBeside(account: string, market: string): boolean {
    return [...this.#holdings].some(
      ([id, holdings]) => id !== market && (holdings.get(account)?.held ?? 0n) < 0n,
    );
  }

  #move(from: string, to: string, amount: bigint): void {
    this.#ledger.set(from, this.#balance(from) - amount);
    this.#ledger.set(to, this.#balance(to) + amount);
  }

  #balance(name: string): bigint {
    return this.#ledger.get(name) ?? 0n;
  }

  #feesIn(market: string): { readonly house: bigint; readonly fund: bigint } {
    return this.#fees.get(market) ?? { house: 0n, fund: 0n };
  }

  #holdingsIn(market: string): ReadonlyMap<string, Holding> {
    return this.#holdings.get(market) ?? new Map();
  }

  #holding(market: string, account: string): Readonly<Holding> {
    return this.#holdingsIn(market).get(account) ?? { held: 0n, flow: 0n };
  }

  #hold(market: string, account: string, lots: bigint, cash: bigint): void {
    const holdings = this.#holdings.get(market) ?? new Map<string, Holding>();
    const { held, flow } = this.#holding(market, account);
    holdings.set(account, { held: held + lots, flow: flow + cash });
    this.#holdings.set(market, holdings);
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
