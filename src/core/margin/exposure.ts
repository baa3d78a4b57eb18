// The exposure of each account, market by market: its position, and its open orders at their worst.
// Invariant: `locked` is the cash that cannot leave, whatever subset of the open orders fills.
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { costOf, type Lots, lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { buysYes, isOpen, remaining, yesTick } from "../book/order.ts";
import type { Market, Order, Position } from "../records.ts";
import { feeHeld } from "./fee.ts";
import {
  liabilityOf,
  type Marked,
  microsUp,
  PARTS_PER_MICRO,
  type ShortRate,
  shortRate,
  type Valuation,
  valuationOf,
} from "./requirement.ts";

/** One account in one market. */
interface ExposureCell {
  readonly heldLots: bigint;
  readonly buyLots: bigint;
  readonly sellLots: bigint;
  /** Micro-dollars that leave if every order fills that costs anything. */
  readonly outlay: bigint;
  /** Parts by which the orders that worsen a short worsen it, all together. */
  readonly opening: bigint;
  /** Micro-dollars that a void of the market would take back; none once it is final. */
  readonly flow: bigint;
}

/** The rates an account trades under. */
interface Rates {
  readonly feeBps: number;
  readonly requirementBps: number;
}

interface Totals {
  readonly lockedMicros: Micros;
  /** The cover that positions and open orders need, whatever a void would take back. */
  readonly coverMicros: Micros;
  /** Cash that leaves if every open order fills that costs anything. */
  readonly outlayMicros: Micros;
  /** Coverage at its worst, over all markets. */
  readonly coverageMicros: Micros;
  readonly openMicros: Micros;
  readonly openPositions: number;
  readonly openOrders: number;
}

/** The sums over an account's shorts; exact. */
export interface ShortTotals {
  readonly liabilityParts: bigint;
  readonly maintenanceParts: bigint;
  readonly initialParts: bigint;
  readonly shortLots: Lots;
}

export interface Short {
  readonly marketId: MarketId;
  readonly shortLots: Lots;
  /** The margin that one lot of it needs. */
  readonly rate: ShortRate;
}

interface AccountExposure {
  rates: Rates;
  readonly cells: Map<MarketId, ExposureCell>;
  readonly standing: Map<MarketId, Map<OrderId, Order>>;
  needParts: bigint;
  coverParts: bigint;
  outlay: bigint;
  liabilityParts: bigint;
  maintenanceParts: bigint;
  initialParts: bigint;
  shortLots: bigint;
  coverage: bigint;
  open: bigint;
  positions: number;
  orders: number;
}

/** An account's position in a market, and what its open orders could do to it. */
export interface Standing {
  readonly heldLots: bigint;
  readonly buyLots: bigint;
  readonly sellLots: bigint;
  readonly rate: ShortRate;
  readonly feeBps: number;
}

interface Valued {
  readonly valuation: Valuation;
  readonly isFinal: boolean;
  /** By requirement; there are as many as tiers. */
  readonly rates: Map<number, ShortRate>;
}

const noCell: ExposureCell = {
  heldLots: 0n,
  buyLots: 0n,
  sellLots: 0n,
  outlay: 0n,
  opening: 0n,
  flow: 0n,
};

export class Exposures {
  readonly #accounts = new Map<AccountId, AccountExposure>();
  readonly #valued = new Map<MarketId, Valued>();
  readonly #holders = new Map<MarketId, Set<AccountId>>();
  readonly #onRevalued: (account: AccountId) => void;

  /** `onRevalued` hears of every account whose position, rates or marks have changed. */
  constructor(onRevalued: (account: AccountId) => void = () => {}) {
    this.#onRevalued = onRevalued;
  }

  ratesChanged(account: AccountId, rates: Rates): void {
    const exposure = this.#of(account);
    if (sameRates(exposure.rates, rates)) return;
    const { cells } = exposure;
    for (const [market, cell] of cells) this.#count(exposure, market, cell, -1);
    exposure.rates = rates;
    for (const market of cells.keys()) cells.set(market, this.#drawn(exposure, market));
    for (const [market, cell] of cells) this.#count(exposure, market, cell, 1);
    this.#onRevalued(account);
  }

  marketChanged(market: Market): void {
    const before = this.#valued.get(market.id);
    const valuation = valuationOf(market);
    const isFinal = market.status === "FINALIZED" || market.status === "CANCELLED";
    const isSame = before !== undefined && sameValuation(before.valuation, valuation);
    if (isSame && before.isFinal === isFinal) return;
    const holders = [...(this.#holders.get(market.id) ?? [])];
    for (const holder of holders) this.#recount(holder, market.id, -1);
    this.#valued.set(market.id, { valuation, isFinal, rates: new Map() });
    for (const holder of holders) {
      const exposure = this.#of(holder);
      const cell = this.#drawn(exposure, market.id);
      if (isEmpty(cell)) this.#drop(holder, market.id);
      else exposure.cells.set(market.id, cell);
      this.#recount(holder, market.id, 1);
      this.#onRevalued(holder);
    }
  }

  /** Nobody holds or orders anything in it. */
  forgetMarket(market: MarketId): void {
    invariant((this.#holders.get(market)?.size ?? 0) === 0, `nobody holds anything in ${market}`);
    this.#holders.delete(market);
    this.#valued.delete(market);
  }

  orderChanged(before: Order | undefined, after: Order): void {
    const exposure = this.#of(after.accountId);
    const cell = exposure.cells.get(after.marketId) ?? noCell;
    const { feeBps } = exposure.rates;
    const rate = this.#rate(exposure, after.marketId);
    const without = before === undefined ? cell : withOrder(cell, before, -1n, feeBps, rate);
    this.#replace(after.accountId, after.marketId, withOrder(without, after, 1n, feeBps, rate));
    const standing = exposure.standing.get(after.marketId) ?? new Map<OrderId, Order>();
    if (isOpen(after)) standing.set(after.id, after);
    else standing.delete(after.id);
    if (standing.size === 0) exposure.standing.delete(after.marketId);
    else exposure.standing.set(after.marketId, standing);
    exposure.orders += (isOpen(after) ? 1 : 0) - (before !== undefined && isOpen(before) ? 1 : 0);
  }

  positionChanged({ accountId, marketId, heldLots, flowMicros }: Position): void {
    const cell = this.#of(accountId).cells.get(marketId) ?? noCell;
    const isFinal = this.#valued.get(marketId)?.isFinal === true;
    const flow = isFinal || flowMicros < 0n ? 0n : flowMicros;
    if (cell.heldLots === heldLots && cell.flow === flow) return;
    this.#replace(accountId, marketId, { ...cell, heldLots, flow });
    this.#onRevalued(accountId);
  }

  /** Cash that positions and open orders hold back. */
  locked(account: AccountId): Micros {
    return lockedOf(this.#accounts.get(account));
  }

  /** Whether less would have to be covered if this open order went. */
  holdsBack(order: Order): boolean {
    const exposure = this.#of(order.accountId);
    const cell = exposure.cells.get(order.marketId) ?? noCell;
    const rate = this.#rate(exposure, order.marketId);
    const without = withOrder(cell, order, -1n, exposure.rates.feeBps, rate);
    return coverNeed(without, rate) < coverNeed(cell, rate);
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
    const rate = this.#rate(exposure, market, fresh);
    return { ...standing, rate, feeBps: exposure.rates.feeBps };
  }

  shortTotals(account: AccountId): ShortTotals {
    const exposure = this.#accounts.get(account);
    return {
      liabilityParts: exposure?.liabilityParts ?? 0n,
      maintenanceParts: exposure?.maintenanceParts ?? 0n,
      initialParts: exposure?.initialParts ?? 0n,
      shortLots: lots(exposure?.shortLots ?? 0n),
    };
  }

  /** An account's shorts, the largest add-on first; equal ones by their market's id. */
  shorts(account: AccountId): readonly Short[] {
    const exposure = this.#of(account);
    const shorts = [...exposure.cells].flatMap(([marketId, { heldLots }]) =>
      heldLots < 0n
        ? [{ marketId, shortLots: lots(-heldLots), rate: this.#rate(exposure, marketId) }]
        : [],
    );
    return shorts.sort(worstFirst);
  }

  totals(account: AccountId): Totals {
    return asTotals(this.#accounts.get(account));
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
    const { feeBps } = exposure.rates;
    const trial: AccountExposure = { ...exposure, cells: new Map() };
    for (const [order, sign] of changes(orders, replaced)) {
      const cell = trial.cells.get(order.marketId) ?? exposure.cells.get(order.marketId) ?? noCell;
      const rate = this.#rate(exposure, order.marketId, fresh);
      const next = withOrder(cell, order, sign, feeBps, rate);
      trial.cells.set(order.marketId, next);
      count(trial, rate, cell, -1);
      count(trial, rate, next, 1);
      trial.orders += isOpen(order) ? Number(sign) : 0;
    }
    return asTotals(trial);
  }

  /** The largest position an account could end with in a market if these orders were open too. */
  coverageWith(
    account: AccountId,
    market: MarketId,
    orders: readonly Order[],
    replaced?: Order,
  ): Micros {
    return micros(worstLots(this.#lotsWith(account, market, orders, replaced)) * MICROS_PER_LOT);
  }

  #lotsWith(account: AccountId, market: MarketId, orders: readonly Order[], replaced?: Order) {
    let { heldLots, buyLots, sellLots } = this.#accounts.get(account)?.cells.get(market) ?? noCell;
    for (const [order, sign] of changes(orders, replaced)) {
      if (order.marketId !== market || !isOpen(order)) continue;
      if (buysYes(order)) buyLots += sign * remaining(order);
      else sellLots += sign * remaining(order);
    }
    return { heldLots, buyLots, sellLots };
  }

  #of(account: AccountId): AccountExposure {
    const existing = this.#accounts.get(account);
    if (existing !== undefined) return existing;
    const fresh: AccountExposure = {
      rates: { feeBps: 0, requirementBps: 10_000 },
      cells: new Map(),
      standing: new Map(),
      needParts: 0n,
      coverParts: 0n,
      outlay: 0n,
      liabilityParts: 0n,
      maintenanceParts: 0n,
      initialParts: 0n,
      shortLots: 0n,
      coverage: 0n,
      open: 0n,
      positions: 0,
      orders: 0,
    };
    this.#accounts.set(account, fresh);
    return fresh;
  }

  #replace(account: AccountId, market: MarketId, next: ExposureCell): void {
    const exposure = this.#of(account);
    this.#count(exposure, market, exposure.cells.get(market) ?? noCell, -1);
    if (isEmpty(next)) {
      this.#drop(account, market);
    } else {
      exposure.cells.set(market, next);
      const holders = this.#holders.get(market) ?? new Set();
      this.#holders.set(market, holders.add(account));
    }
    this.#count(exposure, market, next, 1);
  }

  #drop(account: AccountId, market: MarketId): void {
    this.#of(account).cells.delete(market);
    const holders = this.#holders.get(market);
    holders?.delete(account);
    if (holders?.size === 0) this.#holders.delete(market);
  }

  /** The cell drawn anew from its orders, at the rates and marks of now. */
  #drawn(exposure: AccountExposure, market: MarketId): ExposureCell {
    const { heldLots, flow } = exposure.cells.get(market) ?? noCell;
    const isFinal = this.#valued.get(market)?.isFinal === true;
    const rate = this.#rate(exposure, market);
    let cell: ExposureCell = { ...noCell, heldLots, flow: isFinal ? 0n : flow };
    for (const order of exposure.standing.get(market)?.values() ?? []) {
      cell = withOrder(cell, order, 1n, exposure.rates.feeBps, rate);
    }
    return cell;
  }

  #recount(account: AccountId, market: MarketId, sign: 1 | -1): void {
    const exposure = this.#of(account);
    const cell = exposure.cells.get(market);
    if (cell !== undefined) this.#count(exposure, market, cell, sign);
  }

  #count(exposure: AccountExposure, market: MarketId, cell: ExposureCell, sign: 1 | -1): void {
    if (!isEmpty(cell)) count(exposure, this.#rate(exposure, market), cell, sign);
  }

  #rate(
    { rates: { requirementBps } }: AccountExposure,
    market: MarketId,
    fresh?: ReadonlyMap<string, Marked>,
  ): ShortRate {
    const valued = this.#valued.get(market);
    if (valued === undefined) {
      const marked = fresh?.get(market);
      invariant(marked !== undefined, "a market has marks before it has orders");
      return shortRate(valuationOf(marked), requirementBps);
    }
    const known = valued.rates.get(requirementBps);
    if (known !== undefined) return known;
    const rate = shortRate(valued.valuation, requirementBps);
    valued.rates.set(requirementBps, rate);
    return rate;
  }
}

/** The orders to subtract and to add. */
const changes = (
  orders: readonly Order[],
  replaced: Order | undefined,
): readonly (readonly [Order, 1n | -1n])[] => [
  ...(replaced === undefined ? [] : [[replaced, -1n] as const]),
  ...orders.map((order) => [order, 1n] as const),
];

/** Adds a cell to an account's totals, or takes it out. */
function count(exposure: AccountExposure, rate: ShortRate, cell: ExposureCell, sign: 1 | -1): void {
  const worst = worstLots(cell);
  const times = BigInt(sign);
  exposure.needParts += times * needOf(cell, rate);
  exposure.coverParts += times * coverNeed(cell, rate);
  exposure.outlay += times * cell.outlay;
  exposure.coverage += times * worst * MICROS_PER_LOT;
  exposure.open += times * (cell.buyLots + cell.sellLots) * MICROS_PER_LOT;
  exposure.positions += worst === 0n ? 0 : sign;
  if (cell.heldLots >= 0n) return;
  const short = times * -cell.heldLots;
  exposure.liabilityParts += times * liabilityOf(-cell.heldLots, rate);
  exposure.maintenanceParts += short * rate.maintenance;
  exposure.initialParts += short * rate.initial;
  exposure.shortLots += short;
}

/** The amount one lot short holds back. */
const heldBackBy = ({ liability, initial }: ShortRate): bigint => liability + initial;

/**
 * The worst that can become of a position h when any of its open orders fill, in parts. Order i
 * moves the position by dᵢ lots and takes aᵢ out of the cash (a premium received counts against
 * it). A position x holds back max(0, −c·x), so a subset needs
 *
 *     max( Σ aᵢ , −c·h + Σ (aᵢ − c·dᵢ) )
 *
 * and the greatest of that over all subsets is the greater of each branch's own greatest: all
 * orders that cost anything, or all that worsen a short by more than they bring. No subset, and no
 * part of an order, is worse; one of the two is met exactly, whatever the requirement.
 */
function coverNeed({ heldLots, outlay, opening }: ExposureCell, rate: ShortRate): bigint {
  // Without an order, as every market whose payout is known.
  if (rate.isResolved) return heldLots < 0n ? liabilityOf(-heldLots, rate) : 0n;
  const endsLong = outlay * PARTS_PER_MICRO;
  const endsShort = opening - heldBackBy(rate) * heldLots;
  return endsLong > endsShort ? endsLong : endsShort;
}

/**
 * A void takes back what an account has received from a market, less what it has paid there. An
 * order that fills changes it by the cash that moves: a subset that takes a out of the cash leaves
 * flow − a to be locked, so that the flow of now is enough for every subset.
 */
function needOf(cell: ExposureCell, rate: ShortRate): bigint {
  const cover = coverNeed(cell, rate);
  const flow = cell.flow * PARTS_PER_MICRO;
  return cover > flow ? cover : flow;
}

function withOrder(
  cell: ExposureCell,
  order: Order,
  sign: 1n | -1n,
  feeBps: number,
  rate: ShortRate,
): ExposureCell {
  if (!isOpen(order)) return cell;
  const buys = buysYes(order);
  const quantity = remaining(order);
  const cost = costOf(quantity, yesTick(order));
  const paid = (buys ? cost : -cost) + feeHeld(order, feeBps);
  const cover = heldBackBy(rate) * quantity;
  const worsens = paid * PARTS_PER_MICRO + (buys ? -cover : cover);
  return {
    heldLots: cell.heldLots,
    buyLots: buys ? cell.buyLots + sign * quantity : cell.buyLots,
    sellLots: buys ? cell.sellLots : cell.sellLots + sign * quantity,
    outlay: paid > 0n ? cell.outlay + sign * paid : cell.outlay,
    opening: worsens > 0n ? cell.opening + sign * worsens : cell.opening,
    flow: cell.flow,
  };
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

function worstLots({
  heldLots,
  buyLots,
  sellLots,
}: Pick<ExposureCell, "heldLots" | "buyLots" | "sellLots">): bigint {
  const afterBuys = magnitude(heldLots + buyLots);
  const afterSells = magnitude(heldLots - sellLots);
  return afterBuys > afterSells ? afterBuys : afterSells;
}

const isEmpty = (cell: ExposureCell): boolean =>
  cell.heldLots === 0n && cell.buyLots === 0n && cell.sellLots === 0n && cell.flow === 0n;

const sameValuation = (a: Valuation, b: Valuation): boolean =>
  a.mark === b.mark && a.stressed === b.stressed && a.isResolved === b.isResolved;

const sameRates = (a: Rates, b: Rates): boolean =>
  a.feeBps === b.feeBps && a.requirementBps === b.requirementBps;

function worstFirst(a: Short, b: Short): number {
  const [first, second] = [addOnOf(a), addOnOf(b)];
  if (first !== second) return first > second ? -1 : 1;
  return a.marketId < b.marketId ? -1 : 1;
}

const addOnOf = ({ shortLots, rate }: Short): bigint => shortLots * rate.maintenance;

const lockedOf = (exposure: AccountExposure | undefined): Micros =>
  microsUp(exposure?.needParts ?? 0n);

const asTotals = (exposure: AccountExposure | undefined): Totals => ({
  lockedMicros: lockedOf(exposure),
  coverMicros: microsUp(exposure?.coverParts ?? 0n),
  outlayMicros: micros(exposure?.outlay ?? noMoney),
  coverageMicros: micros(exposure?.coverage ?? noMoney),
  openMicros: micros(exposure?.open ?? noMoney),
  openPositions: exposure?.positions ?? 0,
  openOrders: exposure?.orders ?? 0,
});
