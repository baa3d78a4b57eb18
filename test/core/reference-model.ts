// The reference model of book and ledger: what the exchange must answer and become, command by
// command, written anew from the rules. It keeps orders, fills and every movement of money, and
// adds up all else from them each time it is asked. Slow, and plainly right. Left to other tests:
// margin below full collateral (and so marks and liquidation), lent premiums, KYC, keys, halts,
// makerProtections, switches, references of one's own, average cost, windows of files, and every
// limit but those on a position and on a day. The clock is in model-due.ts.
// Invariant: nothing of src/core is called; only its types and the terms are shared.
import { type AccountId, type MarketId, type OrderId, orderId } from "#base/ids.ts";
import type { Month } from "#base/month.ts";
import { isTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import type { CommandOf, OrderInput } from "#core/command.ts";
import type { CancelReason } from "#core/records.ts";
import type { RejectionCode } from "#core/rejection.ts";
import type { TierRules } from "#core/rules.ts";
import { ceilDiv } from "#test/simulation/arithmetic.ts";
import { chargesOf, feeOn, type ModelCharge } from "./model-fee.ts";
import {
  found,
  isOver,
  isTrading,
  type ModelFill,
  ModelLedger,
  type ModelWord,
  sum,
} from "./model-ledger.ts";
import { givenTo, type ModelMandate } from "./model-mandates.ts";
import {
  buysYes,
  FACE_MICROS,
  feeBase,
  furthest,
  idIn,
  isOpen,
  left,
  type ModelOrder,
  worst,
  yesTick,
} from "./model-order.ts";
import * as quoted from "./model-quotes.ts";
import { bestPriceOf, givableOf, meet } from "./model-uncross.ts";
import { DAY_MILLIS, holds, type ModelWindow } from "./model-window-times.ts";

type Refusal = RejectionCode | undefined;

export class ReferenceModel extends ModelLedger {
  readonly tiers: ReadonlyMap<AccountId, TierRules>;
  /** Of the accounts, those that trade. */
  traders: readonly AccountId[] = [];
  /** Time priority: who came to its present place earlier stands earlier. */
  orders: readonly ModelOrder[] = [];
  /** When each order was done; never, of one that left as it came. */
  done: ReadonlyMap<OrderId, number> = new Map();
  /** Orders that only the journal has. */
  gone: ReadonlySet<OrderId> = new Set();
  /** Markets without a trade and without an open order, and since when. */
  idle: ReadonlyMap<MarketId, number> = new Map();
  /** The newest month with a print. */
  newest: Month | null = null;
  window: ModelWindow | null = null;
  /** When orders that wait for each other meet; null: at the end of their auction. */
  meets: ReadonlyMap<MarketId, number | null> = new Map();
  nowMillis = 0;
  lastPrintMillis = 0;
  charges: ReadonlyMap<ModelFill, ModelCharge> = new Map();
  words: readonly ModelWord[] = [];
  /** The how-manieth to come to its present place each order was. */
  ages: ReadonlyMap<OrderId, number> = new Map();
  /** In the order in which they were set. */
  mandates: readonly ModelMandate[] = [];
  mandatesEver = 0;
  entered = 0;
  requests: readonly quoted.ModelRequest[] = [];
  quotes: readonly quoted.ModelQuote[] = [];
  people: ReadonlyMap<AccountId, quoted.Person> = new Map();

  constructor(tiers: ReadonlyMap<AccountId, TierRules>) {
    super();
    this.tiers = tiers;
  }

  /** Lists are replaced and never changed, so a copy goes its own way. */
  copy(): ReferenceModel {
    return Object.assign(new ReferenceModel(this.tiers), this);
  }

  /**
   * Reserves of quotes; and in each market the most that a subset of the orders takes out of the
   * cash or ties up (a known print: a short's payment), or, until it is final, all that came of it.
   */
  locked(account: AccountId, orders = this.open(account)): bigint {
    const ofMarkets = sum(this.markets, (market) => {
      const { id, payoutMillionths } = market;
      const received = isOver(market) ? 0n : this.flow(`cash:${account}`, id);
      if (payoutMillionths !== null) return most(this.covered(account, id), received);
      const here = orders.filter((order) => order.marketId === id && isOpen(order));
      return most(worst(this.held(account, id), here, this.#tier(account).feeBps), received);
    });
    return ofMarkets + quoted.reserved(this, account);
  }

  /** The same, whatever came from a market, and without quotes. */
  cover(account: AccountId, orders = this.open(account)): bigint {
    return sum(this.markets, ({ id, payoutMillionths }) => {
      if (payoutMillionths !== null) return this.covered(account, id);
      const here = orders.filter((order) => order.marketId === id && isOpen(order));
      return worst(this.held(account, id), here, this.#tier(account).feeBps);
    });
  }

  /** Of a short: what it may have to pay, or has to. */
  covered(account: AccountId, id: MarketId): bigint {
    const { payoutMillionths } = this.market(id);
    return ceilDiv(short(this.held(account, id)) * (payoutMillionths ?? 1_000_000n), 100n);
  }

  available(account: AccountId): bigint {
    return this.balance(`cash:${account}`) - this.locked(account);
  }

  open(account: AccountId | null, market: MarketId | null = null): readonly ModelOrder[] {
    const isMeant = ({ accountId, marketId }: ModelOrder): boolean =>
      (account ?? accountId) === accountId && (market ?? marketId) === marketId;
    return this.orders.filter((order) => isOpen(order) && isMeant(order));
  }

  /** The orders an incoming one would meet, in turn: best price first, then the oldest. */
  queue(market: MarketId, incomingBuys: boolean): readonly ModelOrder[] {
    const facing = this.open(null, market).filter((order) => buysYes(order) !== incomingBuys);
    const cheapestFirst = incomingBuys ? 1 : -1;
    return facing.toSorted((a, b) => cheapestFirst * (yesTick(a) - yesTick(b)));
  }

  order(id: OrderId): ModelOrder {
    return found(this.orders.find((order) => order.id === id));
  }

  withdraw(account: AccountId, amount: bigint): Refusal {
    if (amount > this.available(account)) return "INSUFFICIENT_BALANCE";
    this.move(`cash:${account}`, "external", amount);
    return undefined;
  }

  /** All are judged, each beside those before it, and paid for together, before one is entered. */
  place(account: AccountId, inputs: readonly OrderInput[], nowMillis: number): Refusal {
    const orders: ModelOrder[] = [];
    for (const { clientOrderId: _, priceTick, ...input } of inputs) {
      const market = this.markets.find(({ id }) => id === input.marketId);
      if (market === undefined) return "MARKET_NOT_FOUND";
      if (!isTrading(market)) return "MARKET_CLOSED";
      if (priceTick === null) return "INVALID_PRICE";
      if (isPast(input.expirySeconds, nowMillis)) return "EXPIRY_PAST";
      const id = orderId(`ord-${this.orders.length + orders.length + 1}`);
      const fresh = { accountId: account, status: "OPEN", filledLots: lots(0n) } as const;
      const order = this.#cut({ ...input, ...fresh, id, priceTick, cancelReason: null });
      if (this.#isTooMuch(order, orders)) return "POSITION_LIMIT";
      orders.push(order);
    }
    if (!this.#isPayable(account, orders)) return "INSUFFICIENT_BALANCE";
    for (const order of orders) {
      this.#enter(order);
      const { id, filledLots } = this.order(order.id);
      const isUseless = !isOpen(this.order(id)) && filledLots === 0n;
      if (isUseless) this.gone = new Set([...this.gone, id]);
    }
    return undefined;
  }

  amend(account: AccountId, command: CommandOf<"AmendOrder">, nowMillis: number): Refusal {
    const named = idIn(command);
    const order = this.orders.find(({ id }) => id === named);
    if (order !== undefined && this.gone.has(order.id)) return "ORDER_DONE";
    if (order?.accountId !== account) return "ORDER_NOT_FOUND";
    if (!isOpen(order)) return "ORDER_DONE";
    if (!isTrading(this.market(order.marketId))) return "MARKET_CLOSED";
    if (command.price?.tick === null) return "INVALID_PRICE";
    if (isPast(command.expirySeconds ?? 0, nowMillis)) return "EXPIRY_PAST";
    const amountLots = command.amountLots ?? order.amountLots;
    if (amountLots < order.filledLots) return "AMOUNT_BELOW_FILLED";
    const priceTick = command.price?.tick ?? order.priceTick;
    const expirySeconds = command.expirySeconds ?? order.expirySeconds;
    const timeInForce = expirySeconds === 0 ? "GTC" : "GTD";
    const status = amountLots === order.filledLots ? "FILLED" : order.status;
    const changes = { priceTick, amountLots, expirySeconds, timeInForce, status } as const;
    const after = this.#cut({ ...order, ...changes });
    const isNoMore = priceTick === order.priceTick && after.amountLots <= order.amountLots;
    const keepsPlace = isNoMore || !isOpen(after);
    const asNew = { ...after, amountLots: lots(left(after)), filledLots: lots(0n) };
    const judged = keepsPlace ? after : asNew;
    if (this.#isTooMuch(judged, [], order)) return "POSITION_LIMIT";
    if (!this.#isPayable(account, [judged], order)) return "INSUFFICIENT_BALANCE";
    if (keepsPlace) this.#put(after);
    else this.#enter(after);
    return undefined;
  }

  cancel(account: AccountId, id: OrderId): Refusal {
    const order = this.orders.find((one) => one.id === id);
    if (this.gone.has(id)) return "ORDER_DONE";
    if (order?.accountId !== account) return "ORDER_NOT_FOUND";
    if (!isOpen(order)) return "ORDER_DONE";
    this.end([order], "REQUESTED");
    return undefined;
  }

  /** After a command: what was done in it, and what is idle from it on. */
  note(nowMillis: number): void {
    for (const { id } of this.orders) {
      if (isOpen(this.order(id)) || this.done.has(id) || this.gone.has(id)) continue;
      this.done = new Map([...this.done, [id, nowMillis]]);
    }
    const idle = this.markets.filter(
      ({ id, status, dispute }) =>
        !this.fills.some(({ marketId }) => marketId === id) &&
        this.open(null, id).length === 0 &&
        status !== "PAUSED" &&
        dispute === null,
    );
    this.idle = new Map(idle.map(({ id }) => [id, this.idle.get(id) ?? nowMillis]));
  }

  forget(nowMillis: number): void {
    const isOld = (sinceMillis: number | undefined): boolean =>
      sinceMillis !== undefined && sinceMillis + DAY_MILLIS <= nowMillis;
    const old = [...this.done].flatMap(([id, at]) => (isOld(at) ? id : []));
    this.gone = new Set([...this.gone, ...old]);
    this.done = new Map([...this.done].filter(([id]) => !this.gone.has(id)));
    this.markets = this.markets.filter(({ id }) => !isOld(this.idle.get(id)));
    const isLeft = (subject: string): boolean =>
      !subject.startsWith("void ") || this.markets.some(({ id }) => subject === `void ${id}`);
    this.words = this.words.filter(({ subject }) => isLeft(subject));
  }

  isInWindow(): boolean {
    return this.window !== null && holds(this.window);
  }

  /** Markets with orders that would trade with each other. */
  get waiting(): readonly MarketId[] {
    return this.markets.flatMap(({ id }) => (this.bestPrice(id) === undefined ? [] : [id]));
  }

  /** Of every price: most trades, then least is left over, then nearest the mark, then lower. */
  bestPrice(market: MarketId, open = this.open(null, market)) {
    return bestPriceOf(open, this.market(market).markTick);
  }

  /**
   * Orders meet at one price, by their price and then by their age; of two that meet the later one
   * pays a fee on it, once for all its fills.
   */
  uncross(market: MarketId): void {
    const sides = [this.queue(market, true), this.queue(market, false)] as const;
    const { given, beyond } = givableOf(sides, {
      today: (account) => this.room(account),
      reducible: (order) => {
        const held = this.held(order.accountId, market);
        return most(0n, buysYes(order) ? -held : held);
      },
    });
    const best = this.bestPrice(market, given);
    if (best !== undefined) this.#meetAt(market, best.price);
    for (const { id, accountId } of beyond) {
      if (this.room(accountId) === 0n) this.#endOpen(id, "DAILY_LIMIT");
    }
  }

  /** Lots that an account may still trade today. */
  room(account: AccountId): bigint {
    const { maxDailyMicros, maxDailyVolumeMicros } = this.#tier(account);
    const dayOf = (millis: number): number => Math.floor(millis / DAY_MILLIS);
    const today = this.fills.filter(
      (one) =>
        dayOf(one.timeMillis) === dayOf(this.nowMillis) &&
        (one.buyer === account || one.seller === account) &&
        !this.busted.has(one),
    );
    const allowed = maxDailyMicros < maxDailyVolumeMicros ? maxDailyMicros : maxDailyVolumeMicros;
    const taken = sum(today, ({ amountLots }) => amountLots) + quoted.promised(this, account);
    return most(0n, allowed / FACE_MICROS - taken);
  }

  #meetAt(market: MarketId, price: number): void {
    const whole = new Set(this.orders.flatMap((one) => (one.filledLots === 0n ? one.id : [])));
    const before = this.fills.length;
    for (;;) {
      const mayTrade = ({ accountId }: ModelOrder) => this.room(accountId) > 0n;
      const buy = this.queue(market, false).find((one) => yesTick(one) >= price && mayTrade(one));
      const sell = this.queue(market, true).find((one) => yesTick(one) <= price && mayTrade(one));
      if (buy === undefined || sell === undefined) break;
      const fitting = [buy, sell].map((order) => this.#cut(order));
      for (const order of fitting) this.#put(order);
      // An order that was cut is looked up anew.
      if (fitting.some((order) => order !== buy && order !== sell)) continue;
      const [later, earlier] = this.#age(buy) > this.#age(sell) ? [buy, sell] : [sell, buy];
      this.#trade(later, earlier, price);
    }
    const met = this.fills.slice(before);
    for (const id of new Set(met.map(({ takerOrderId }) => takerOrderId))) {
      const own = met.filter(({ takerOrderId }) => takerOrderId === id);
      this.#settleFees(id, own, whole.has(id));
    }
  }

  end(orders: readonly ModelOrder[], cancelReason: CancelReason): void {
    for (const order of orders) this.#put({ ...order, status: "CANCELLED", cancelReason });
  }

  /** More than a position may become at worst, and more than without this order. */
  #isTooMuch(order: ModelOrder, before: readonly ModelOrder[], replaced?: ModelOrder): boolean {
    const { accountId, marketId } = order;
    const held = this.held(accountId, marketId);
    const most = (orders: readonly ModelOrder[]): bigint =>
      furthest(
        held,
        orders.filter((one) => one.marketId === marketId),
      );
    const without = [...this.open(accountId), ...quoted.quotedOrders(this, accountId), ...before];
    const then = most([...without.filter((one) => one !== replaced), order]);
    const wanted = isOpen(order) ? left(order) : 0n;
    const ofBefore = replaced === undefined ? 0n : left(replaced);
    if (wanted > this.room(accountId) && wanted > ofBefore) return true;
    return then > this.#tier(accountId).maxPositionMicros && then > most(without);
  }

  #isPayable(account: AccountId, orders: readonly ModelOrder[], replaced?: ModelOrder): boolean {
    const kept = this.open(account).filter((one) => one !== replaced);
    const required = this.locked(account, [...kept, ...orders]) - this.locked(account);
    return required <= 0n || required <= this.available(account);
  }

  /** An order that passed every check trades as it may; what may rest of it rests last. */
  #enter(accepted: ModelOrder): void {
    const { id, marketId, postOnly, timeInForce } = accepted;
    const mayTrade = !this.isInWindow() && !this.waiting.includes(marketId);
    this.orders = [...this.orders.filter((one) => one.id !== id), this.#cut(accepted)];
    this.entered += 1;
    this.ages = new Map([...this.ages, [id, this.entered]]);
    const before = this.fills.length;
    const trial = this.copy();
    trial.#match(id);
    const isGiven = mayTrade && this.#given(id, new Set()) !== undefined;
    const meets = this.#facing(id) !== undefined || isGiven;
    const fillsWhole = mayTrade && trial.order(id).status === "FILLED";
    if (postOnly && meets) this.#endOpen(id, "POST_ONLY_WOULD_CROSS");
    else if (timeInForce === "FOK" && !fillsWhole) this.#endOpen(id, "FILL_OR_KILL");
    else if (mayTrade) this.#match(id);
    else if (timeInForce !== "IOC") this.#meetOwn(id);
    if (timeInForce === "IOC") this.#endOpen(id, "UNFILLED_IMMEDIATE");
    this.#settleFees(id, this.fills.slice(before), true);
  }

  /** Of all that an order has just traded: rounded up, unless its first fee was. */
  #settleFees(id: OrderId, fills: readonly ModelFill[], isFirst: boolean): void {
    const { accountId, marketId } = this.order(id);
    const base = sum(fills, (one) => feeBase(one.amountLots, one.yesTick));
    const fee = feeOn(base, this.#tier(accountId).feeBps, isFirst);
    this.move(`cash:${accountId}`, "fees", fee - fee / 2n, marketId);
    this.move(`cash:${accountId}`, "guarantee", fee / 2n, marketId);
    const charges = chargesOf(fills, accountId, this.#tier(accountId).feeBps, isFirst);
    this.charges = new Map([...this.charges, ...charges]);
    for (const account of this.tiers.keys()) this.fit(account, marketId);
  }

  /** Two whole orders that were agreed on outside the book. */
  block(taker: ModelOrder, maker: ModelOrder): void {
    const before = this.fills.length;
    this.orders = [...this.orders, maker, taker];
    this.#trade(taker, maker);
    this.#settleFees(taker.id, this.fills.slice(before), true);
  }

  /** It would pass as an order of the account's own. */
  couldPlace(order: ModelOrder): boolean {
    return !this.#isTooMuch(order, []) && this.#isPayable(order.accountId, [order]);
  }

  #given(id: OrderId, spent: Set<AccountId>): ModelOrder | undefined {
    const order = this.order(id);
    return isOpen(order) ? givenTo(this, order, this.#facing(id), spent) : undefined;
  }

  #match(id: OrderId): void {
    const spent = new Set<AccountId>();
    for (;;) {
      const given = this.#given(id, spent);
      const resting = this.#facing(id);
      const order = this.order(id);
      if (given !== undefined) {
        this.orders = [...this.orders, given];
        this.#trade(order, given);
        continue;
      }
      if (resting === undefined) return;
      const fitting = this.#cut(resting);
      if (this.room(order.accountId) === 0n) this.end([order], "DAILY_LIMIT");
      else if (resting.accountId === order.accountId) {
        const rule = order.selfTradePrevention;
        if (rule !== "cancel_incoming") this.end([resting], "SELF_TRADE");
        if (rule !== "cancel_resting") this.end([order], "SELF_TRADE");
      } else if (left(fitting) < left(resting) || !isOpen(fitting)) this.#put(fitting);
      else if (this.room(resting.accountId) === 0n) this.end([resting], "DAILY_LIMIT");
      else this.#trade(order, resting);
    }
  }

  /** In an auction: of the orders of one account no two stay that would trade with each other. */
  #meetOwn(id: OrderId): void {
    const order = this.order(id);
    const own = this.queue(order.marketId, buysYes(order)).filter(
      (one) => one.accountId === order.accountId && meet(order, one),
    );
    const rule = order.selfTradePrevention;
    if (own.length === 0 || !isOpen(order)) return;
    if (rule !== "cancel_incoming") this.end(own, "SELF_TRADE");
    if (rule !== "cancel_resting") this.end([order], "SELF_TRADE");
  }

  /** The order it meets next of those before it; nothing when it is done or none crosses. */
  #facing(id: OrderId): ModelOrder | undefined {
    const order = this.order(id);
    const facing = this.queue(order.marketId, buysYes(order));
    const first = facing.find((one) => this.#age(one) < this.#age(order));
    if (first === undefined || !isOpen(order)) return undefined;
    return meet(order, first) ? first : undefined;
  }

  #trade(taker: ModelOrder, maker: ModelOrder, price: number = yesTick(maker)): void {
    const mayTrade = [taker, maker].flatMap((one) => [left(one), this.room(one.accountId)]);
    const amountLots = lots(mayTrade.reduce((fewest, one) => (one < fewest ? one : fewest)));
    const [buyer, seller] = buysYes(taker)
      ? [taker.accountId, maker.accountId]
      : [maker.accountId, taker.accountId];
    const fill = {
      marketId: taker.marketId,
      yesTick: found(toTick(price)),
      amountLots,
      buyer,
      seller,
      timeMillis: this.nowMillis,
      stood: { buyer: this.held(buyer, taker.marketId), seller: this.held(seller, taker.marketId) },
    };
    this.fills = [...this.fills, { ...fill, takerOrderId: taker.id, makerOrderId: maker.id }];
    const premium = amountLots * BigInt(fill.yesTick);
    this.move(`cash:${buyer}`, `cash:${seller}`, premium, fill.marketId);
    for (const order of [taker, maker]) {
      const filledLots = lots(order.filledLots + amountLots);
      const status = filledLots === order.amountLots ? "FILLED" : "PARTIALLY_FILLED";
      this.#put({ ...order, filledLots, status });
    }
  }

  /** A reduce-only order with no more left than what it can take off the position. */
  #cut(order: ModelOrder, claimed = 0n): ModelOrder {
    const held = this.held(order.accountId, order.marketId);
    const against = buysYes(order) ? -held : held;
    const room = against > claimed ? against - claimed : 0n;
    if (!order.reduceOnly || !isOpen(order) || left(order) <= room) return order;
    if (room === 0n) return { ...order, status: "CANCELLED", cancelReason: "REDUCE_ONLY" };
    return { ...order, amountLots: lots(order.filledLots + room) };
  }

  /** Reduce-only orders share the position, the oldest first. */
  fit(account: AccountId, market: MarketId): void {
    let claimed = 0n;
    for (const order of this.open(account, market).filter((one) => one.reduceOnly)) {
      const fitting = this.#cut(order, claimed);
      this.#put(fitting);
      if (isOpen(fitting)) claimed += left(fitting);
    }
  }

  #endOpen(id: OrderId, reason: CancelReason): void {
    if (isOpen(this.order(id))) this.end([this.order(id)], reason);
  }

  #put(order: ModelOrder): void {
    this.orders = this.orders.map((one) => (one.id === order.id ? order : one));
  }

  #age({ id }: ModelOrder): number {
    return found(this.ages.get(id));
  }

  #tier(account: AccountId): TierRules {
    return found(this.tiers.get(account));
  }
}

const toTick = (price: number): Tick | undefined => (isTick(price) ? price : undefined);

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const short = (held: bigint): bigint => (held < 0n ? -held : 0n);

const isPast = (seconds: number, nowMillis: number): boolean =>
  seconds !== 0 && seconds * 1000 <= nowMillis;
