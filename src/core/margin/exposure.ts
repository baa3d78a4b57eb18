// The exposure of each account, market by market: its position, and its open orders at their worst.
// Invariant: `locked` is the cash that cannot leave, whatever subset of the open orders fills.
import type { AccountId, MarketId, NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { type Lots, lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { buysYes, isOpen, remaining } from "../book/order.ts";
import { isFinal } from "../market/life.ts";
import type { Market, Order, Position } from "../records.ts";
import type { Promised } from "../rfq/record.ts";
import { type AskedTotals, isAskedAgain } from "./asked-totals.ts";
import {
  drawn,
  type ExposureCell,
  isEmpty,
  isHedge,
  type MarketRates,
  noCell,
  type OpenLots,
  type OrderChanges,
  ratesOf,
  withOrders,
  worstLots,
} from "./one-market.ts";
import { liabilityOf, type ShortRate, shortRate } from "./requirement.ts";
import type { Marked } from "./risk.ts";
import {
  type AccountExposure,
  asTotals,
  type ColumnNeed,
  cellIn,
  copied,
  countOrders,
  coverRaised,
  coverRaisedBetween,
  forgetAnswers,
  forOrders,
  isBeyond,
  isLargeInState,
  lockedOf,
  mayBeHedged,
  needByColumn,
  noExposure,
  type OpenByState,
  type Rates,
  recount,
  type ShortTotals,
  sameRates,
  shortTotalsOf,
  stand,
  type Totals,
} from "./sums.ts";
import { markedOf, sameAllowed, sameValue, type Valued } from "./valued.ts";

export interface Short {
  readonly marketId: MarketId;
  readonly shortLots: Lots;
  /** The margin that one lot of it needs. */
  readonly rate: ShortRate;
}

/** An account's position in a market, and what its open orders could do to it. */
export interface Standing extends OpenLots {
  /** Parts of a lot short. */
  readonly liability: bigint;
  /** The account's maintenance if this were its position there; parts. */
  readonly maintenanceAt: (held: bigint) => bigint;
  readonly feeBps: number;
}

export class Exposures {
  readonly #accounts = new Map<AccountId, AccountExposure>();
  readonly #valued = new Map<MarketId, Valued>();
  readonly #holders = new Map<MarketId, Set<AccountId>>();
  /** Open orders of a snapshot, by account: in no cell and no sum until somebody asks about it. */
  readonly #undrawn = new Map<AccountId, Order[]>();
  readonly #onRevalued: (account: AccountId) => void;
  readonly #openIn: OpenByState | undefined;
  readonly #marketOf: (id: MarketId) => Market | undefined;
  /** The totals that were drawn last: guard after guard asks for those of the same orders. */
  #asked: AskedTotals | undefined;
  /** By the marks that a market would be listed with. */
  readonly #fresh = new WeakMap<Marked, { readonly terms: Rates; readonly rates: MarketRates }>();

  /**
   * `onRevalued` hears of every account whose position, rates or marks have changed. `marketOf`
   * gives a market that `marketChanged` has not told of, where these sums began after it did.
   */
  constructor(
    onRevalued: (account: AccountId) => void = () => {},
    openIn?: OpenByState,
    marketOf: (id: MarketId) => Market | undefined = () => undefined,
  ) {
    this.#onRevalued = onRevalued;
    this.#openIn = openIn;
    this.#marketOf = marketOf;
  }

  /** The open lots of some states were counted: accounts that are short there are valued anew. */
  statesCounted(stateIds: readonly NodeId[]): void {
    if (stateIds.length === 0) return;
    this.drawAccounts(Number.POSITIVE_INFINITY);
    for (const [account, exposure] of this.#accounts) {
      if (!stateIds.some((id) => exposure.states.has(id))) continue;
      forgetAnswers(exposure);
      this.#onRevalued(account);
    }
  }

  ratesChanged(account: AccountId, rates: Rates): void {
    const exposure = this.#known(account);
    if (sameRates(exposure.rates, rates)) return;
    this.#sumAnew(exposure, rates);
    this.#onRevalued(account);
  }

  marketChanged(market: Market): void {
    const before = this.#valued.get(market.id);
    const isDone = isFinal(market.status);
    const isSame = before !== undefined && sameValue(before.marked, market);
    const marked = markedOf(market);
    if (isSame && before.isFinal === isDone && sameAllowed(before, marked)) {
      this.#valued.set(market.id, { ...before, marked });
      return;
    }
    const holders = [...(this.#holders.get(market.id) ?? [])].map((holder) => {
      const known = this.#known(holder);
      const rates = this.#rates(known, market.id);
      // Nothing of it is in a sum: it is drawn once, at the new marks.
      if (!known.cells.has(market.id)) return { holder, exposure: undefined, rates };
      return { holder, exposure: this.#of(holder), rates };
    });
    this.#valued.set(market.id, newlyValued(market));
    this.#asked = undefined;
    for (const { holder, exposure, rates } of holders) {
      if (exposure) this.#replace(holder, market.id, this.#drawn(exposure, market.id), rates);
      this.#onRevalued(holder);
    }
  }

  /** Nobody holds or orders anything in it. */
  forgetMarket(market: MarketId): void {
    invariant((this.#holders.get(market)?.size ?? 0) === 0, `nobody holds anything in ${market}`);
    this.#holders.delete(market);
    this.#valued.delete(market);
    this.#asked = undefined;
  }

  orderChanged(before: Order | undefined, after: Order): void {
    const exposure = this.#of(after.accountId);
    const cell = cellIn(exposure, after.marketId);
    const { feeBps } = exposure.rates;
    const rates = this.#rates(exposure, after.marketId);
    const next = withOrders(cell, changes([after], before), feeBps, rates);
    this.#replace(after.accountId, after.marketId, next);
    // A long that is offered offsets nothing any more.
    if (cell.heldLots > 0n && isHedge(cell) !== isHedge(next)) this.#onRevalued(after.accountId);
    stand(exposure, after);
    exposure.orders += (isOpen(after) ? 1 : 0) - (before !== undefined && isOpen(before) ? 1 : 0);
  }

  /** Orders of a snapshot, none of which was there: each account is drawn once it matters. */
  ordersLoaded(orders: readonly Order[]): void {
    const loaded = Map.groupBy(orders.filter(isOpen), ({ accountId }) => accountId);
    for (const [account, open] of loaded) {
      this.#known(account);
      this.#undrawn.set(account, open);
      for (const { marketId } of open) this.#hold(account, marketId);
    }
  }

  /** Draws up to so many accounts that a snapshot has left; how many are left then. */
  drawAccounts(most: number): number {
    for (const account of this.#undrawn.keys().take(most)) this.#of(account);
    return this.#undrawn.size;
  }

  positionChanged({ accountId, marketId, heldLots, flowMicros }: Position): void {
    const known = this.#known(accountId);
    // A position that is new joins the orders when these are drawn.
    const cell = cellIn(known.cells.has(marketId) ? this.#of(accountId) : known, marketId);
    const isFinal = this.#valuedIn(marketId)?.isFinal === true;
    const flow = isFinal || flowMicros < 0n ? 0n : flowMicros;
    if (cell.heldLots === heldLots && cell.flow === flow) return;
    this.#replace(accountId, marketId, { ...cell, heldLots, flow });
    this.#onRevalued(accountId);
  }

  /** From now on all that the account's quotes for requests hold back; and where they sell. */
  reserve(account: AccountId, { reservedMicros, sells }: Promised): void {
    const exposure = this.#of(account);
    exposure.reserved = reservedMicros;
    forgetAnswers(exposure);
    for (const [market, isPromised] of sells) {
      if (isPromised) exposure.promised.add(market);
      else exposure.promised.delete(market);
      const cell = exposure.cells.get(market);
      if (cell === undefined || cell.isPromised === isPromised) continue;
      this.#replace(account, market, { ...cell, isPromised });
      this.#onRevalued(account);
    }
  }

  /** `locked`, if its quotes for requests changed so. */
  lockedWith(account: AccountId, { reservedMicros, sells }: Promised): Micros {
    const exposure = this.#of(account);
    const trial = { ...copied(exposure), reserved: reservedMicros };
    for (const [market, isPromised] of sells) {
      const cell = exposure.cells.get(market);
      if (cell === undefined || cell.isPromised === isPromised) continue;
      recount(trial, this.#rates(exposure, market), cell, { ...cell, isPromised });
    }
    return lockedOf(trial);
  }

  /** Cash that positions, open orders and quotes for requests hold back. */
  locked(account: AccountId): Micros {
    return lockedOf(this.#existing(account));
  }

  /** The cover that positions and open orders need, whatever a void would take back. */
  cover(account: AccountId): Micros {
    const exposure = this.#existing(account);
    if (exposure === undefined) return noMoney;
    const cover = this.#coverWith(exposure, new Map());
    return isBeyond(exposure) ? micros(cover.full) : lockedOf(cover);
  }

  /** Whether this open order adds to what must be covered beyond the cash there is. */
  holdsBack(order: Order, cash: Micros): boolean {
    const exposure = this.#of(order.accountId);
    const cell = cellIn(exposure, order.marketId);
    const rates = this.#rates(exposure, order.marketId);
    const without = withOrders(cell, [[order, -1n]], exposure.rates.feeBps, rates);
    const change = [order.marketId, { before: without, after: cell }] as const;
    return this.#coverRaised(exposure, cash, new Map([change])) > 0n;
  }

  /** The cover that these orders would add beyond the cash there is; at least 0. */
  coverRaised(
    account: AccountId,
    cash: Micros,
    orders: readonly Order[],
    fresh: ReadonlyMap<string, Marked>,
    replaced?: Order,
  ): Micros {
    const exposure = this.#of(account);
    const trial = this.#cellsWith(exposure, orders, fresh, replaced);
    const changes = [...trial].map(([market, after]) => {
      const before = cellIn(exposure, market);
      return [market, { before, after }] as const;
    });
    return this.#coverRaised(exposure, cash, new Map(changes), fresh);
  }

  /** As `totalsWith`, of one market. */
  standingWith(
    account: AccountId,
    market: MarketId,
    orders: readonly Order[],
    fresh: ReadonlyMap<string, Marked>,
    replaced?: Order,
  ): Standing {
    const exposure = this.#of(account);
    const standing = this.#lotsWith(account, market, orders, replaced);
    const rates = this.#rates(exposure, market, fresh);
    const cell = cellIn(exposure, market);
    const maintenanceAt = (heldLots: bigint): bigint => {
      const trial = copied(exposure);
      recount(trial, rates, cell, { ...cell, heldLots });
      return shortTotalsOf(trial).maintenanceParts;
    };
    const liability = liabilityOf(1n, rates.marked);
    return { ...standing, liability, maintenanceAt, feeBps: exposure.rates.feeBps };
  }

  shortTotals(account: AccountId): ShortTotals {
    return shortTotalsOf(this.#existing(account) ?? noExposure());
  }

  /** The need of positions and open orders, scenario by scenario. */
  byColumn(account: AccountId): readonly ColumnNeed[] {
    return needByColumn(this.#existing(account) ?? noExposure());
  }

  /** An account's shorts, the largest add-on first; equal ones by their market's id. */
  shorts(account: AccountId): readonly Short[] {
    const exposure = this.#of(account);
    const shorts = [...exposure.cells].flatMap(([marketId, { heldLots }]) =>
      heldLots < 0n
        ? [{ marketId, shortLots: lots(-heldLots), rate: this.#alone(exposure, marketId) }]
        : [],
    );
    return shorts.sort(worstFirst);
  }

  totals(account: AccountId): Totals {
    return asTotals(this.#existing(account));
  }

  /**
   * The totals if these orders were open too; nothing is changed.
   * `fresh` gives the first marks of markets that the orders themselves would list; `replaced` is
   * an open order that they take the place of.
   */
  totalsWith(
    account: AccountId,
    orders: readonly Order[],
    fresh: ReadonlyMap<string, Marked>,
    replaced?: Order,
  ): Totals {
    const exposure = this.#of(account);
    const asked = { exposure, changes: changes(orders, replaced), fresh };
    if (this.#asked !== undefined && isAskedAgain(this.#asked, asked)) return this.#asked.totals;
    const trial = forOrders(exposure);
    for (const [market, next] of this.#cellsWith(exposure, orders, fresh, replaced)) {
      const rates = this.#rates(exposure, market, fresh);
      countOrders(trial, rates, cellIn(exposure, market), next);
    }
    for (const [order, sign] of asked.changes) trial.orders += isOpen(order) ? Number(sign) : 0;
    this.#asked = { ...asked, version: exposure.version, totals: asTotals(trial) };
    return this.#asked.totals;
  }

  /** `totalsWith`'s locked cash, with the first of these orders, with the first two, and so on. */
  *lockedInTurn(
    account: AccountId,
    orders: readonly Order[],
    fresh: ReadonlyMap<string, Marked>,
  ): Generator<Micros, undefined> {
    const exposure = this.#of(account);
    const trial = forOrders(exposure);
    const cells = new Map<MarketId, ExposureCell>();
    for (const order of orders) {
      const { marketId } = order;
      const before = cells.get(marketId) ?? cellIn(exposure, marketId);
      const rates = this.#rates(exposure, marketId, fresh);
      const after = withOrders(before, [[order, 1n]], exposure.rates.feeBps, rates);
      countOrders(trial, rates, before, after);
      cells.set(marketId, after);
      yield lockedOf(trial);
    }
  }

  /** An account's position in a market, and what its open orders could add to it. */
  lotsIn(account: AccountId, market: MarketId): OpenLots {
    const cell = this.#existing(account)?.cells.get(market) ?? noCell;
    const { heldLots, buyLots, sellLots } = cell;
    return { heldLots, buyLots, sellLots };
  }

  /** The largest position it could end with there. */
  coverageIn(account: AccountId, market: MarketId): Micros {
    return micros(worstLots(this.lotsIn(account, market)) * MICROS_PER_LOT);
  }

  #lotsWith(account: AccountId, market: MarketId, orders: readonly Order[], replaced?: Order) {
    let { heldLots, buyLots, sellLots } = this.lotsIn(account, market);
    for (const [order, sign] of changes(orders, replaced)) {
      if (order.marketId !== market || !isOpen(order)) continue;
      if (buysYes(order)) buyLots += sign * remaining(order);
      else sellLots += sign * remaining(order);
    }
    return { heldLots, buyLots, sellLots };
  }

  #coverRaised(
    exposure: AccountExposure,
    cash: Micros,
    changes: ReadonlyMap<MarketId, { readonly before: ExposureCell; readonly after: ExposureCell }>,
    fresh?: ReadonlyMap<string, Marked>,
  ): Micros {
    const changed = [...changes].map(
      ([market, { before, after }]) =>
        [this.#rates(exposure, market, fresh), before, after] as const,
    );
    const isMarketsAlone = !isLargeInState(exposure, changed) && !mayBeHedged(exposure, changed);
    if (isBeyond(exposure) || isMarketsAlone) {
      return coverRaised(exposure, cash, changed);
    }
    const [from, to] = (["before", "after"] as const).map((side) => {
      const cells = [...changes].map(([market, change]) => [market, change[side]] as const);
      return this.#coverWith(exposure, new Map(cells), fresh);
    });
    invariant(from !== undefined && to !== undefined, "there is a before and an after");
    return coverRaisedBetween(exposure, cash, [from, to]);
  }

  /** The account's cells, these in place of its own, whatever a void would take back. */
  #coverWith(
    { rates, openIn, cells }: AccountExposure,
    replacing: ReadonlyMap<MarketId, ExposureCell>,
    fresh?: ReadonlyMap<string, Marked>,
  ): AccountExposure {
    const cover = noExposure(openIn, rates);
    for (const [market, cell] of new Map([...cells, ...replacing])) {
      // A long that brought in what it cost is no hedge, whatever a void would take back.
      const isPromised = cell.isPromised || cell.flow > 0n;
      const alone = { ...cell, isPromised, flow: 0n };
      recount(cover, this.#rates(cover, market, fresh), noCell, alone);
    }
    return cover;
  }

  /** With all its orders in its cells and sums. */
  #of(account: AccountId): AccountExposure {
    const exposure = this.#known(account);
    const orders = this.#undrawn.get(account);
    if (orders === undefined) return exposure;
    this.#undrawn.delete(account);
    for (const order of orders) stand(exposure, order);
    exposure.orders += orders.length;
    const markets = exposure.standing.keys();
    for (const market of markets) this.#replace(account, market, this.#drawn(exposure, market));
    return exposure;
  }

  #existing(account: AccountId): AccountExposure | undefined {
    return this.#accounts.has(account) ? this.#of(account) : undefined;
  }

  /** Whether its orders are drawn or not. */
  #known(account: AccountId): AccountExposure {
    const existing = this.#accounts.get(account);
    if (existing !== undefined) return existing;
    const fresh = noExposure(this.#openIn);
    this.#accounts.set(account, fresh);
    return fresh;
  }

  #hold(account: AccountId, market: MarketId): void {
    const holders = this.#holders.get(market) ?? new Set();
    this.#holders.set(market, holders.add(account));
  }

  /** `ratesBefore`: of the cell that is replaced, where the market had others. */
  #replace(
    account: AccountId,
    market: MarketId,
    next: ExposureCell,
    ratesBefore?: MarketRates,
  ): void {
    const exposure = this.#known(account);
    const before = cellIn(exposure, market);
    if (isEmpty(next)) {
      this.#drop(account, market);
    } else {
      exposure.cells.set(market, next);
      this.#hold(account, market);
    }
    const wasBeyond = isBeyond(exposure);
    recount(exposure, this.#rates(exposure, market), before, next, ratesBefore);
    // Doubles may have lost what they could not hold.
    if (wasBeyond && !isBeyond(exposure)) this.#sumAnew(exposure);
  }

  #drop(account: AccountId, market: MarketId): void {
    this.#known(account).cells.delete(market);
    const holders = this.#holders.get(market);
    holders?.delete(account);
    if (holders?.size === 0) this.#holders.delete(market);
  }

  /** The cells that change if these orders were open too. */
  #cellsWith(
    exposure: AccountExposure,
    orders: readonly Order[],
    fresh: ReadonlyMap<string, Marked>,
    replaced?: Order,
  ): ReadonlyMap<MarketId, ExposureCell> {
    const cells = new Map<MarketId, ExposureCell>();
    for (const change of changes(orders, replaced)) {
      const { marketId } = change[0];
      const cell = cells.get(marketId) ?? cellIn(exposure, marketId);
      const rates = this.#rates(exposure, marketId, fresh);
      cells.set(marketId, withOrders(cell, [change], exposure.rates.feeBps, rates));
    }
    return cells;
  }

  #drawn(exposure: AccountExposure, market: MarketId): ExposureCell {
    const { heldLots, flow, isPromised } = cellIn(exposure, market);
    const isFinal = this.#valuedIn(market)?.isFinal === true;
    const cell = { ...noCell, heldLots, flow: isFinal ? 0n : flow, isPromised };
    const rates = this.#rates(exposure, market);
    return drawn(cell, exposure.standing.get(market), exposure.rates.feeBps, rates);
  }

  /** Every sum of the account from its cells; under other rates these are drawn anew too. */
  #sumAnew(exposure: AccountExposure, rates = exposure.rates): void {
    const isSame = rates === exposure.rates;
    const { cells, standing, orders, openIn, reserved, promised, version } = exposure;
    const kept = { cells, standing, orders, reserved, promised, version };
    Object.assign(exposure, noExposure(openIn, rates), kept);
    forgetAnswers(exposure);
    if (!isSame) for (const id of cells.keys()) cells.set(id, this.#drawn(exposure, id));
    for (const [market, cell] of cells) {
      recount(exposure, this.#rates(exposure, market), noCell, cell);
    }
  }

  #rates(
    { rates: terms }: AccountExposure,
    market: MarketId,
    fresh?: ReadonlyMap<string, Marked>,
  ): MarketRates {
    const valued = this.#valuedIn(market);
    if (valued === undefined) {
      const marked = fresh?.get(market);
      invariant(marked !== undefined, "a market has marks before it has orders");
      return this.#ratesOfFresh(marked, terms);
    }
    const known = valued.rates.get(terms.requirementBps);
    const isSame =
      known?.concentration === terms.concentration && known.contributes === terms.contributes;
    if (known !== undefined && isSame) return known;
    const rates = ratesOf(valued.marked, terms);
    valued.rates.set(terms.requirementBps, rates);
    return rates;
  }

  /** Guard after guard asks for those of the same market, which nobody has listed. */
  #ratesOfFresh(marked: Marked, terms: Rates): MarketRates {
    const known = this.#fresh.get(marked);
    if (known?.terms === terms) return known.rates;
    const rates = ratesOf(marked, terms);
    this.#fresh.set(marked, { terms, rates });
    return rates;
  }

  /** The value of a market that these sums know, or can ask for. */
  #valuedIn(id: MarketId): Valued | undefined {
    const known = this.#valued.get(id);
    if (known !== undefined) return known;
    const market = this.#marketOf(id);
    if (market === undefined) return undefined;
    const valued = newlyValued(market);
    this.#valued.set(id, valued);
    return valued;
  }

  #alone(exposure: AccountExposure, market: MarketId): ShortRate {
    return shortRate(this.#rates(exposure, market).marked, exposure.rates.requirementBps);
  }
}

const newlyValued = (market: Market): Valued => ({
  marked: markedOf(market),
  isFinal: isFinal(market.status),
  rates: new Map(),
});

/** The orders to subtract and to add. */
const changes = (orders: readonly Order[], replaced: Order | undefined): OrderChanges => [
  ...(replaced === undefined ? [] : [[replaced, -1n] as const]),
  ...orders.map((order) => [order, 1n] as const),
];

function worstFirst(a: Short, b: Short): number {
  const [first, second] = [addOnOf(a), addOnOf(b)];
  if (first !== second) return first > second ? -1 : 1;
  return a.marketId < b.marketId ? -1 : 1;
}

const addOnOf = ({ shortLots, rate }: Short): bigint => shortLots * rate.maintenance;
