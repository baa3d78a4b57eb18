// The exposures of the accounts that somebody asks about, each drawn when it is asked for first.
// Invariant: they are those that `Exposures` would hold, told of everything from the beginning.
import type { AccountId, MarketId, NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Micros } from "#base/money.ts";
import { marginRates } from "./kyc/tiers.ts";
import { Exposures } from "./margin/exposure.ts";
import type { Market, Order, Position } from "./records.ts";
import { promisedBy } from "./rfq/promises.ts";
import type { Promised } from "./rfq/record.ts";
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
    return this.#of(asked[0]).coverRaised(...asked);
  }

  standingWith(...asked: Parameters<Exposures["standingWith"]>) {
    return this.#of(asked[0]).standingWith(...asked);
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
    return this.#of(asked[0]).totalsWith(...asked);
  }

  lockedInTurn(...asked: Parameters<Exposures["lockedInTurn"]>) {
    return this.#of(asked[0]).lockedInTurn(...asked);
  }

  lotsIn(account: AccountId, market: MarketId) {
    return this.#of(account).lotsIn(account, market);
  }

  coverageIn(account: AccountId, market: MarketId) {
    return this.#of(account).coverageIn(account, market);
  }

  #fresh(): Exposures {
    const { marginQueue } = this.#state;
    const isToldNow = (account: AccountId): void => {
      if (!this.#isDrawing) marginQueue.add(account);
    };
    // Listed before an account was drawn, a market has not been told of: it is asked for.
    return new Exposures(
      isToldNow,
      () => this.#state.openByState,
      (id) => this.#state.markets.get(id),
    );
  }

  #of(account: AccountId): Exposures {
    if (this.#drawn.has(account)) return this.#exposures;
    if (this.#drawn.size >= MOST_DRAWN) this.#letGo();
    this.#isDrawing = true;
    try {
      this.#draw(account);
      this.#drawn.add(account);
    } catch (error) {
      // Half an account must not stay: the next question draws it again.
      this.#letGo();
      throw error;
    } finally {
      this.#isDrawing = false;
    }
    return this.#exposures;
  }

  #letGo(): void {
    this.#drawn.clear();
    this.#exposures = this.#fresh();
  }

  #draw(id: AccountId): void {
    const state = this.#state;
    const account = state.accounts.get(id);
    if (account !== undefined) {
      this.#exposures.ratesChanged(id, marginRates(state.rules, account));
    }
    this.#exposures.reserve(id, promisedBy(state, id));
    for (const market of state.marketsHeldBy.get(id) ?? []) {
      const position = state.position(id, market);
      if (position !== undefined) this.#exposures.positionChanged(position);
    }
    const orders = [...(state.openOrders.get(id) ?? [])].map((order) => state.order(order));
    this.#exposures.ordersLoaded(orders);
  }
}
