// The auditor's own margin: what an account's positions may lose in the worst scenario, and the
// cash that neither they nor its open orders and quotes hold back.
// Invariant: nothing of the core is called; the rules are written out in test/core/margin-by-hand.
import assert from "node:assert/strict";
import { lots } from "#base/quantity.ts";
import type { Event } from "#core/event.ts";
import type { Market, Order } from "#core/records.ts";
import type { Rfq, RfqQuote } from "#core/rfq/record.ts";
import type { Rules } from "#core/rules.ts";
import {
  greatestOf,
  INITIAL,
  type InState,
  MAINTENANCE,
  needByColumn,
  paid,
  raisedByColumn,
  type TermsByHand,
  withStates,
} from "#test/core/margin-by-hand.ts";
import { atLeastZero, ceilDiv, least } from "./arithmetic.ts";
import { type Books, cashOf } from "./books.ts";
import { concentrationIn } from "./rulebook.ts";
import { buysYes, endsOf, unmoved } from "./worst-orders.ts";

/** A contract pays a dollar at most, and is a hundred lots. */
const MICROS_PER_LOT = 10_000n;

interface Quote {
  readonly account: string;
  readonly request: string;
  /** The cash that a fill could take, and the most its positions could lose. */
  readonly reserved: bigint;
  /** A long there offsets nothing while the quote stands. */
  readonly soldIn: readonly string[];
}

/** Positions alone; or beside them the worst of the open orders, and what voids would take back. */
type Counted = "positions" | "all";

export class Cover {
  readonly #books: Books;
  readonly #markets: Map<string, Market>;
  readonly #tiers: ReadonlyMap<string, keyof Rules["tiers"]>;
  /** Open ones, by account. */
  readonly #orders = new Map<string, Map<string, Order>>();
  readonly #requests = new Map<string, Rfq>();
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
      case "RfqOpened":
        this.#requests.set(event.rfq.id, event.rfq);
        return;
      case "RfqQuoteChanged":
        this.#quote(event.quote);
        return;
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
    return (this.#need(account, MAINTENANCE, "positions") - 4n * owed) / 4n;
  }

  /** Cash that neither positions nor the worst of the open orders and quotes hold back. */
  freeOf(account: string): bigint {
    const quotes = [...this.#quotes.values()].filter((one) => one.account === account);
    const reserved = quotes.reduce((sum, one) => sum + one.reserved, 0n);
    return this.#cashBeside(account, "all") - reserved - this.#toContribute(account);
  }

  /** With a target of the fund: a tenth of what shorts that its orders may open can come to lose. */
  #toContribute(account: string): bigint {
    if ((this.#rules?.fund?.targetMicros ?? 0n) === 0n) return 0n;
    const { shareBps, floorLots, rateBps } = this.#termsOf(account);
    let quarters = 0n;
    for (const [market, { held }] of this.#held(account)) {
      if (market.resolution !== null) continue;
      const alone = this.addOnOf(account, market, 1n);
      const most = 4n * (10_000n - BigInt(market.markTick));
      const more = alone + 4n * BigInt(rateBps);
      const [few, large] = [ceilDiv(alone, 10n), ceilDiv(more < most ? more : most, 10n)];
      const share = ((market.markedOpenLots ?? 0n) * BigInt(shareBps)) / 10_000n;
      const allowed = share > floorLots ? share : floorLots;
      const by = (short: bigint): bigint =>
        few * short + (large - few) * atLeastZero(rateBps === 0 ? 0n : short - allowed);
      const sells = this.#ordersIn(account, market.id).filter((order) => !buysYes(order));
      const sold = sells.reduce((sum, order) => sum + leftOf(order), 0n);
      quarters += by(atLeastZero(sold - held)) - by(atLeastZero(-held));
    }
    return ceilDiv(quarters, 4n);
  }

  /** Cash that covers no position: a void may take it, whatever else is open. */
  uncoveredOf(account: string): bigint {
    return this.#cashBeside(account, "positions");
  }

  /** A short by itself, however large: its maintenance beyond what it owes; in quarters. */
  addOnOf(account: string, { markTick, stressedTick, riskTicks }: Market, short: bigint): bigint {
    const values = { mark: markTick, stressed: stressedTick, values: riskTicks };
    const alone = { held: -short, ...values, offsets: false, payoutMillionths: null, open: 0n };
    const terms = { ...this.#termsOf(account), rateBps: 0 };
    const need = greatestOf(needByColumn(alone, terms, MAINTENANCE));
    return need - 4n * short * BigInt(markTick);
  }

  /** Health below 1: its cash is less than what its shorts owe, and their maintenance. */
  isCalled(account: string): boolean {
    const cash = this.#books.balance(cashOf(account));
    const shorts = [...this.#held(account)].map(([, { held }]) => atLeastZero(-held));
    const most = shorts.reduce((sum, one) => sum + one, 0n) * MICROS_PER_LOT;
    if (cash >= most) return false;
    return 4n * cash < this.#need(account, MAINTENANCE, "positions");
  }

  /** By market, the most that is paid for it or to it, whichever of its orders fill. */
  coverageOf(account: string): ReadonlyMap<string, bigint> {
    const coverage = new Map<string, bigint>();
    for (const [{ id }, { held }] of this.#held(account)) {
      let [most, fewest] = [held, held];
      for (const order of this.#ordersIn(account, id)) {
        if (buysYes(order)) most += leftOf(order);
        else fewest -= leftOf(order);
      }
      const furthest = greater(atLeastZero(most), atLeastZero(-fewest));
      if (furthest > 0n) coverage.set(id, furthest * MICROS_PER_LOT);
    }
    return coverage;
  }

  limitsOf(account: string) {
    const { maxPositionMicros, maxPositionSizeMicros, ...tier } = this.#tierOf(account);
    const position = least(maxPositionMicros, maxPositionSizeMicros);
    return { position, total: tier.maxTotalMicros, positions: BigInt(tier.maxOpenPositions) };
  }

  /** The word of `say` once `take` has moved positions to the account; nothing stays of it. */
  suppose<T>(account: string, take: () => void, say: () => T): T {
    return this.#books.suppose(() => {
      take();
      const open = this.#orders.get(account) ?? new Map<string, Order>();
      this.#orders.set(account, this.#fitting(account, open));
      const said = say();
      this.#orders.set(account, open);
      return said;
    });
  }

  /** Orders that may only reduce, cut to what there is to be reduced: the newest gives way. */
  #fitting(account: string, open: ReadonlyMap<string, Order>): Map<string, Order> {
    const claimed = new Map<string, bigint>();
    const fitting = new Map(open);
    const oldestFirst = [...open.values()].sort((a, b) => a.rank - b.rank);
    for (const order of oldestFirst) {
      if (!order.reduceOnly) continue;
      const { id, marketId, amountLots } = order;
      const { held } = this.#books.holding(marketId, account);
      const taken = claimed.get(marketId) ?? 0n;
      const room = atLeastZero((buysYes(order) ? -held : held) - taken);
      const left = least(leftOf(order), room);
      claimed.set(marketId, taken + left);
      if (left === 0n) fitting.delete(id);
      else fitting.set(id, { ...order, amountLots: lots(amountLots - leftOf(order) + left) });
    }
    return fitting;
  }

  #cashBeside(account: string, counted: Counted): bigint {
    const cash = this.#books.balance(cashOf(account));
    return cash - ceilDiv(this.#need(account, INITIAL, counted), 4n);
  }

  /** Quarters of a micro-dollar. */
  #need(account: string, times: bigint, counted: Counted): bigint {
    const terms = this.#termsOf(account);
    const all: InState[] = [];
    for (const [market, { held, flow }] of this.#held(account)) {
      const { terms: of, markTick, stressedTick, riskTicks, resolution } = market;
      const isHome = of.index === "zhvi" || of.index === "zori";
      const payoutMillionths = resolution?.payoutMillionths ?? null;
      const offered = this.#ordersIn(account, market.id);
      const isOffered = !offered.every(buysYes) || this.#isQuoted(account, market.id);
      const offsets = isHome && flow <= 0n && !isOffered;
      const one = {
        ...{ held, mark: markTick, stressed: stressedTick, values: riskTicks, payoutMillionths },
        open: market.markedOpenLots ?? 0n,
      };
      const ends = counted === "all" ? endsOf(offered, this.#feeBps(account)) : unmoved;
      const locked = counted === "all" && flow > 0n ? 4n * flow : undefined;
      const worst = (columnsOf: typeof needByColumn, offsets = false): readonly bigint[] =>
        ends
          .map(({ lots, paid }) =>
            columnsOf({ ...one, offsets, held: held + lots }, terms, times).map(
              (need) => need + 4n * paid,
            ),
          )
          .reduce((a, b) => a.map((need, at) => greater(need, b[at])))
          .map((need) => greater(need, locked));
      const isOpenYet = payoutMillionths === null;
      const hedged = {
        series: `${of.index} ${of.nodeId} ${paid(of)}`,
        month: of.measurementMonth,
        covered: worst(needsNothing),
        offsetting: worst(needByColumn, offsets),
      };
      const places = [of.nodeId, ...(market.within ?? [])];
      const state = places.find((place) => place.startsWith("state:"));
      all.push({
        state: isOpenYet ? state : undefined,
        hedged: isHome && isOpenYet ? hedged : undefined,
        need: worst(needByColumn),
        raised: worst(raisedByColumn),
      });
    }
    return greatestOf(withStates(all, terms, this.#openIn));
  }

  #termsOf(account: string): TermsByHand {
    const { shareBps, floorMicros, rateBps } = concentrationIn(this.#rules);
    const bps = this.#tierOf(account).requirementBps;
    return { bps, shareBps, floorLots: floorMicros / MICROS_PER_LOT, rateBps };
  }

  #feeBps = (account: string): number => this.#tierOf(account).feeBps;

  #tierOf(account: string): Rules["tiers"][keyof Rules["tiers"]] {
    const tier = this.#tiers.get(account);
    assert.ok(
      tier !== undefined && this.#rules !== undefined,
      `${account} is margined by its tier`,
    );
    return this.#rules.tiers[tier];
  }

  /** Markets that are not over in which the account holds something, or has orders. */
  *#held(account: string) {
    const ordered = [...(this.#orders.get(account)?.values() ?? [])];
    const ids = new Set([...this.#books.holdings.keys(), ...ordered.map((one) => one.marketId)]);
    for (const id of ids) {
      const market = this.#markets.get(id);
      const isKnown = this.#books.holdingsIn(id).has(account);
      if (market === undefined) continue;
      if (!isKnown && this.#ordersIn(account, id).length === 0) continue;
      if (market.status === "FINALIZED" || market.status === "CANCELLED") continue;
      yield [market, this.#books.holding(id, account)] as const;
    }
  }

  #ordersIn(account: string, market: string): readonly Order[] {
    const open = [...(this.#orders.get(account)?.values() ?? [])];
    return open.filter(({ marketId }) => marketId === market);
  }

  #isQuoted(account: string, market: string): boolean {
    return [...this.#quotes.values()].some(
      (one) => one.account === account && one.soldIn.includes(market),
    );
  }

  #order(order: Order): void {
    const open = this.#orders.get(order.accountId) ?? new Map<string, Order>();
    if (order.status === "OPEN" || order.status === "PARTIALLY_FILLED") open.set(order.id, order);
    else open.delete(order.id);
    this.#orders.set(order.accountId, open);
  }

  /** A maker of protection may lose what a lot pays beyond its price; a taker, the price. */
  #quote({ id, accountId: account, rfqId: request, ticks, status }: RfqQuote): void {
    this.#quotes.delete(id);
    if (status !== "open") return;
    const { legs, side } = this.#requests.get(request) ?? assert.fail(`${request} is known`);
    const reserved = legs.reduce((sum, { amountLots }, at) => {
      const tick = BigInt(ticks[at] ?? assert.fail(`${id} has a price a leg`));
      return sum + amountLots * (side === "BUY" ? 10_000n - tick : tick);
    }, 0n);
    const soldIn = side === "BUY" ? legs.map(({ listing }) => listing.marketId) : [];
    this.#quotes.set(id, { account, request, reserved, soldIn });
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

/** Without a position: what is left is the cost of orders. */
const needsNothing: typeof needByColumn = (one, terms, times) =>
  needByColumn({ ...one, held: 0n }, terms, times);

const leftOf = ({ amountLots, filledLots }: Order): bigint => amountLots - filledLots;

/** Of the two; an absent one is none. */
const greater = (one: bigint, other: bigint | undefined): bigint =>
  other !== undefined && other > one ? other : one;
