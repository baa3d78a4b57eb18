// The exposures of the accounts that somebody asks about, each drawn when it is asked for first.
// Invariant: they are those that `Exposures` would hold, told of everything from the beginning.
import type { AccountId, MarketId, NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Micros } from "#base/money.ts";
import { marginRates } from "./kyc/tiers.ts";
import { Exposures } from "./margin/exposure.ts";
import type { Market, Order, Position } from "./records.ts";
import { type Promised, promisedTo } from "./rfq/record.ts";
import type { ExposureSums, State } from "./state.ts";

/** Beyond them all are let go, and drawn again when somebody asks. */
const MOST_DRAWN = 100;

/**
 * An account has at most a thousand open orders, so drawing it is quick, and nobody who only reads
 * pays for those who are not read about. One that was drawn is kept up by what is told.
 */
export class ExposuresOnDemand implements ExposureSums {
  readonly #state: State;
  readonly #drawn = new Set<AccountId>();
  #exposures: Exposures;
  #isDrawing = false;

  constructor(state: State) {
    this.#state = state;
    this.#exposures = this.#fresh();
  }

  ratesChanged(account: AccountId, rates: Parameters<Exposures["ratesChanged"]>[1]): void {
    if (this.#drawn.has(account)) this.#exposures.ratesChanged(account, rates);
  }

  marketChanged(market: Market): void {
    if (this.#drawn.size > 0) this.#exposures.marketChanged(market);
  }

  statesCounted(stateIds: readonly NodeId[]): void {
    this.#exposures.statesCounted(stateIds);
  }

  forgetMarket(market: MarketId): void {
    this.#exposures.forgetMarket(market);
  }

  orderChanged(before: Order | undefined, after: Order): void {
    if (!this.#drawn.has(after.accountId)) {
      this.#state.marginQueue.add(after.accountId);
      return;
    }
    this.#value(after.marketId);
    this.#exposures.orderChanged(before, after);
  }

  /** Of a snapshot, before anybody has asked: accounts are drawn from the state. */
  ordersLoaded(): void {
    invariant(this.#drawn.size === 0, "a snapshot is loaded before an account is drawn");
  }

  /** Nobody waits for an account that nobody asks about. */
  drawAccounts(): number {
    return 0;
  }

  positionChanged(position: Position): void {
    if (this.#drawn.has(position.accountId)) this.#exposures.positionChanged(position);
    else this.#state.marginQueue.add(position.accountId);
  }

  reserve(account: AccountId, promised: Promised): void {
    if (this.#drawn.has(account)) this.#exposures.reserve(account, promised);
  }

  lockedWith(account: AccountId, promised: Promised) {
    return this.#of(account).lockedWith(account, promised);
  }

  locked(account: AccountId) {
    return this.#of(account).locked(account);
  }

  cover(account: AccountId) {
    return this.#of(account).cover(account);
  }

  holdsBack(order: Order, cash: Micros) {
    return this.#of(order.accountId).holdsBack(order, cash);
  }

  coverRaised(...asked: Parameters<Exposures["coverRaised"]>) {
    const [account, , orders] = asked;
    const exposures = this.#of(account);
    for (const { marketId } of orders) this.#value(marketId);
    return exposures.coverRaised(...asked);
  }

  standingWith(...asked: Parameters<Exposures["standingWith"]>) {
    const [account, market] = asked;
    const exposures = this.#of(account);
    this.#value(market);
    return exposures.standingWith(...asked);
  }

  shortTotals(account: AccountId) {
    return this.#of(account).shortTotals(account);
  }

  byColumn(account: AccountId) {
    return this.#of(account).byColumn(account);
  }

  shorts(account: AccountId) {
    return this.#of(account).shorts(account);
  }

  totals(account: AccountId) {
    return this.#of(account).totals(account);
  }

  totalsWith(...asked: Parameters<Exposures["totalsWith"]>) {
    const [account, orders] = asked;
    const exposures = this.#of(account);
    for (const { marketId } of orders) this.#value(marketId);
    return exposures.totalsWith(...asked);
  }

  coverageWith(...asked: Parameters<Exposures["coverageWith"]>) {
    return this.#of(asked[0]).coverageWith(...asked);
  }

  #fresh(): Exposures {
    const { marginQueue } = this.#state;
    const isToldNow = (account: AccountId): void => {
      if (!this.#isDrawing) marginQueue.add(account);
    };
    return new Exposures(isToldNow, () => this.#state.openByState);
  }

  #of(account: AccountId): Exposures {
    if (this.#drawn.has(account)) return this.#exposures;
    if (this.#drawn.size >= MOST_DRAWN) {
      this.#drawn.clear();
      this.#exposures = this.#fresh();
    }
    this.#isDrawing = true;
    this.#draw(account);
    this.#isDrawing = false;
    this.#drawn.add(account);
    return this.#exposures;
  }

  #draw(id: AccountId): void {
    const state = this.#state;
    const account = state.accounts.get(id);
    if (account !== undefined) {
      this.#exposures.ratesChanged(id, marginRates(state.rules, account));
    }
    this.#exposures.reserve(id, promisedTo(state, id));
    for (const market of state.marketsHeldBy.get(id) ?? []) {
      const position = state.position(id, market);
      this.#value(market);
      if (position !== undefined) this.#exposures.positionChanged(position);
    }
    const orders = [...(state.openOrders.get(id) ?? [])].map((order) => state.order(order));
    for (const { marketId } of orders) this.#value(marketId);
    this.#exposures.ordersLoaded(orders);
  }

  /** Tells the marks of a market, where it is there: one that was not drawn has not been told. */
  #value(id: MarketId): void {
    const market = this.#state.markets.get(id);
    if (market !== undefined) this.#exposures.marketChanged(market);
  }
}
