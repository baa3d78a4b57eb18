// The auditor's own margin: what an account's positions may lose in the worst scenario, and the
// cash that nothing holds back.
// Invariant: nothing of the core is called; the rules are written out in test/core/margin-by-hand.
import assert from "node:assert/strict";
import type { Event } from "#core/event.ts";
import type { Market, Order } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";
import {
  greatestOf,
  INITIAL,
  type InState,
  MAINTENANCE,
  needByColumn,
  raisedByColumn,
  type TermsByHand,
  withStates,
} from "#test/core/margin-by-hand.ts";
import { atLeastZero, ceilDiv } from "./arithmetic.ts";
import { type Books, cashOf } from "./books.ts";
import { concentrationIn } from "./rulebook.ts";

interface Quote {
  readonly account: string;
  readonly request: string;
}

export class Cover {
  readonly #books: Books;
  readonly #markets: Map<string, Market>;
  readonly #tiers: ReadonlyMap<string, keyof Rules["tiers"]>;
  /** Open ones, by account. */
  readonly #orders = new Map<string, Map<string, Order>>();
  /** Those that stand for a request. */
  readonly #quotes = new Map<string, Quote>();
  readonly #openIn = new Map<string, bigint>();
  #rules: Rules | undefined;

  constructor(
    books: Books,
    markets: Map<string, Market>,
    tiers: ReadonlyMap<string, keyof Rules["tiers"]>,
  ) {
    this.#books = books;
    this.#markets = markets;
    this.#tiers = tiers;
  }

  see(event: Event): void {
    switch (event.type) {
      case "RulesChanged":
        this.#rules = event.rules;
        return;
      case "OrderChanged":
        this.#order(event.order);
        return;
      case "RfqQuoteChanged": {
        const { id, accountId: account, rfqId: request, status } = event.quote;
        if (status === "open") this.#quotes.set(id, { account, request });
        else this.#quotes.delete(id);
        return;
      }
      case "RfqQuoteEnded":
        this.#quotes.delete(event.quoteId);
        return;
      case "RfqEnded":
        if (event.status === "closed") return;
        for (const [id, { request }] of this.#quotes) {
          if (request === event.rfqId) this.#quotes.delete(id);
        }
        return;
      case "OpenCounted":
        for (const { marketId, openLots } of event.markets) this.#counted(marketId, openLots);
        for (const { stateId, openLots } of event.states) this.#openIn.set(stateId, openLots);
        return;
      default:
        return;
    }
  }

  /** Beyond the marks and known payouts, in the worst scenario. */
  lossOf(account: string): bigint {
    let owed = 0n;
    for (const [{ markTick, resolution }, { held }] of this.#held(account)) {
      if (held >= 0n) continue;
      const paid = resolution?.payoutMillionths;
      owed += paid === undefined ? -held * BigInt(markTick) : ceilDiv(-held * BigInt(paid), 100n);
    }
    return (this.#need(account, MAINTENANCE, false) - 4n * owed) / 4n;
  }

  /**
   * Undefined where orders or quotes are open: of those the worst subset holds back, which tests
   * of the core try one by one.
   */
  freeOf(account: string): bigint | undefined {
    const quotes = [...this.#quotes.values()];
    const isQuoting = quotes.some((one) => one.account === account);
    if (isQuoting || (this.#orders.get(account)?.size ?? 0) > 0) return undefined;
    const cash = this.#books.balance(cashOf(account));
    return cash - ceilDiv(this.#need(account, INITIAL, true), 4n);
  }

  /** Quarters of a micro-dollar; locked: or, of a market, the cash that a void would take back. */
  #need(account: string, times: bigint, isLocked: boolean): bigint {
    const terms = this.#termsOf(account);
    const all: InState[] = [];
    for (const [market, { held, flow }] of this.#held(account)) {
      const { terms: of, markTick, stressedTick, riskTicks, resolution } = market;
      const isHome = of.index === "zhvi" || of.index === "zori";
      const payoutMillionths = resolution?.payoutMillionths ?? null;
      const one = {
        ...{ held, mark: markTick, stressed: stressedTick, values: riskTicks, payoutMillionths },
        offsets: isHome && flow <= 0n && !this.#isOffered(account, market.id),
        open: market.markedOpenLots ?? 0n,
      };
      const least = isLocked && flow > 0n ? 4n * flow : undefined;
      const atLeast = (columns: readonly bigint[]): readonly bigint[] =>
        columns.map((need) => (least !== undefined && least > need ? least : need));
      const places = [of.nodeId, ...(market.within ?? [])];
      const state = places.find((place) => place.startsWith("state:"));
      all.push({
        state: payoutMillionths === null ? state : undefined,
        need: atLeast(needByColumn(one, terms, times)),
        raised: atLeast(raisedByColumn(one, terms, times)),
      });
    }
    return greatestOf(withStates(all, terms, this.#openIn));
  }

  #termsOf(account: string): TermsByHand {
    const tier = this.#tiers.get(account);
    assert.ok(
      tier !== undefined && this.#rules !== undefined,
      `${account} is margined by its tier`,
    );
    const { shareBps, floorMicros, rateBps } = concentrationIn(this.#rules);
    const bps = this.#rules.tiers[tier].requirementBps;
    return { bps, shareBps, floorLots: floorMicros / 10_000n, rateBps };
  }

  /** In markets that are not over. */
  *#held(account: string) {
    for (const [id, holdings] of this.#books.holdings) {
      const holding = holdings.get(account);
      const market = this.#markets.get(id);
      if (holding === undefined || market === undefined) continue;
      if (market.status === "FINALIZED" || market.status === "CANCELLED") continue;
      yield [market, holding] as const;
    }
  }

  #isOffered(account: string, market: string): boolean {
    return [...(this.#orders.get(account)?.values() ?? [])].some(
      ({ marketId, side, outcomeIndex }) =>
        marketId === market && (side === "SELL") === (outcomeIndex === 0),
    );
  }

  #order(order: Order): void {
    const open = this.#orders.get(order.accountId) ?? new Map<string, Order>();
    if (order.status === "OPEN" || order.status === "PARTIALLY_FILLED") open.set(order.id, order);
    else open.delete(order.id);
    this.#orders.set(order.accountId, open);
  }

  /** The lots that are held long there now. */
  #counted(id: string, openLots: Market["markedOpenLots"] & bigint): void {
    const { markedOpenLots: _before, ...market } = this.#markets.get(id) ?? assert.fail(id);
    const longs = [...this.#books.holdingsIn(id).values()];
    const held = longs.reduce((sum, one) => sum + atLeastZero(one.held), 0n);
    assert.equal(openLots, held, `what is open in ${id}`);
    this.#markets.set(id, openLots === 0n ? market : { ...market, markedOpenLots: openLots });
  }
}
