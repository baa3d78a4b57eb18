// What each account has at stake, market by market: its position, its open orders at their worst.
// Invariant: `locked` is the cash that cannot leave, whatever subset of the open orders fills.
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { costOf, lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { buysYes, isOpen, remaining, yesTick } from "../book/order.ts";
import type { Market, Order, Position } from "../records.ts";
import { feeHeld } from "./fee.ts";
import { coverOf, type Marks } from "./requirement.ts";

/** Open orders of one side, in YES terms. */
interface SideTotals {
  readonly openLots: bigint;
  readonly cost: bigint;
  /** Each order's fee is rounded by itself, as it will be charged. */
  readonly fee: bigint;
}

interface Cell {
  readonly heldLots: bigint;
  readonly buys: SideTotals;
  readonly sells: SideTotals;
}

/** The rates an account trades under. */
interface Rates {
  readonly feeBps: number;
  readonly requirementBps: number;
}

interface Totals {
  readonly lockedMicros: Micros;
  /** Coverage at its worst, over all markets. */
  readonly coverageMicros: Micros;
  readonly openMicros: Micros;
  readonly openPositions: number;
  readonly openOrders: number;
}

interface AccountExposure {
  rates: Rates;
  readonly cells: Map<MarketId, Cell>;
  readonly standing: Map<OrderId, Order>;
  locked: bigint;
  coverage: bigint;
  open: bigint;
  positions: number;
  orders: number;
}

const noSide: SideTotals = { openLots: 0n, cost: 0n, fee: 0n };
const noCell: Cell = { heldLots: 0n, buys: noSide, sells: noSide };

export class Exposures {
  readonly #accounts = new Map<AccountId, AccountExposure>();
  readonly #marks = new Map<MarketId, Marks>();
  readonly #holders = new Map<MarketId, Set<AccountId>>();

  ratesChanged(account: AccountId, rates: Rates): void {
    const exposure = this.#of(account);
    const before = exposure.rates;
    if (sameRates(before, rates)) return;
    for (const [market, cell] of exposure.cells) this.#count(exposure, market, cell, -1);
    exposure.rates = rates;
    for (const order of exposure.standing.values()) {
      const cell = exposure.cells.get(order.marketId) ?? noCell;
      const without = withOrder(cell, order, -1n, before.feeBps);
      exposure.cells.set(order.marketId, withOrder(without, order, 1n, rates.feeBps));
    }
    for (const [market, cell] of exposure.cells) this.#count(exposure, market, cell, 1);
  }

  marketChanged(market: Market): void {
    const before = this.#marks.get(market.id);
    if (before?.markTick === market.markTick && before.stressedTick === market.stressedTick) return;
    const holders = [...(this.#holders.get(market.id) ?? [])];
    for (const holder of holders) this.#recount(holder, market.id, -1);
    this.#marks.set(market.id, { markTick: market.markTick, stressedTick: market.stressedTick });
    for (const holder of holders) this.#recount(holder, market.id, 1);
  }

  orderChanged(before: Order | undefined, after: Order): void {
    const exposure = this.#of(after.accountId);
    const cell = exposure.cells.get(after.marketId) ?? noCell;
    const { feeBps } = exposure.rates;
    const without = before === undefined ? cell : withOrder(cell, before, -1n, feeBps);
    this.#replace(after.accountId, after.marketId, withOrder(without, after, 1n, feeBps));
    if (isOpen(after)) exposure.standing.set(after.id, after);
    else exposure.standing.delete(after.id);
    exposure.orders += (isOpen(after) ? 1 : 0) - (before !== undefined && isOpen(before) ? 1 : 0);
  }

  positionChanged(position: Position): void {
    const cell = this.#of(position.accountId).cells.get(position.marketId) ?? noCell;
    this.#replace(position.accountId, position.marketId, { ...cell, heldLots: position.heldLots });
  }

  /** Cash that positions and open orders hold back. */
  locked(account: AccountId): Micros {
    return micros(this.#accounts.get(account)?.locked ?? 0n);
  }

  totals(account: AccountId): Totals {
    return asTotals(this.#accounts.get(account));
  }

  /**
   * The totals if these orders were open too; nothing is changed.
   * `fresh` gives the first marks of markets that the orders themselves would list.
   */
  totalsWith(
    account: AccountId,
    orders: readonly Order[],
    fresh: ReadonlyMap<string, Marks>,
  ): Totals {
    const exposure = this.#of(account);
    const trial: AccountExposure = { ...exposure, cells: new Map() };
    for (const order of orders) {
      const cell = trial.cells.get(order.marketId) ?? exposure.cells.get(order.marketId) ?? noCell;
      const marks = this.#marks.get(order.marketId) ?? fresh.get(order.marketId);
      const next = withOrder(cell, order, 1n, exposure.rates.feeBps);
      trial.cells.set(order.marketId, next);
      count(trial, marks, cell, -1);
      count(trial, marks, next, 1);
      trial.orders += 1;
    }
    return asTotals(trial);
  }

  /** The largest position an account could end with in a market if these orders were open too. */
  coverageWith(account: AccountId, market: MarketId, orders: readonly Order[]): Micros {
    let cell = this.#accounts.get(account)?.cells.get(market) ?? noCell;
    for (const order of orders) if (order.marketId === market) cell = withOrder(cell, order, 1n, 0);
    return micros(worstLots(cell) * MICROS_PER_LOT);
  }

  #of(account: AccountId): AccountExposure {
    const existing = this.#accounts.get(account);
    if (existing !== undefined) return existing;
    const fresh: AccountExposure = {
      rates: { feeBps: 0, requirementBps: 10_000 },
      cells: new Map(),
      standing: new Map(),
      locked: 0n,
      coverage: 0n,
      open: 0n,
      positions: 0,
      orders: 0,
    };
    this.#accounts.set(account, fresh);
    return fresh;
  }

  #replace(account: AccountId, market: MarketId, next: Cell): void {
    const exposure = this.#of(account);
    this.#count(exposure, market, exposure.cells.get(market) ?? noCell, -1);
    if (isEmpty(next)) {
      exposure.cells.delete(market);
      this.#holders.get(market)?.delete(account);
    } else {
      exposure.cells.set(market, next);
      const holders = this.#holders.get(market) ?? new Set();
      this.#holders.set(market, holders.add(account));
    }
    this.#count(exposure, market, next, 1);
  }

  #recount(account: AccountId, market: MarketId, sign: 1 | -1): void {
    const exposure = this.#of(account);
    const cell = exposure.cells.get(market);
    if (cell !== undefined) this.#count(exposure, market, cell, sign);
  }

  #count(exposure: AccountExposure, market: MarketId, cell: Cell, sign: 1 | -1): void {
    count(exposure, this.#marks.get(market), cell, sign);
  }
}

/** Adds a cell to an account's totals, or takes it out. */
function count(
  exposure: AccountExposure,
  marks: Marks | undefined,
  cell: Cell,
  sign: 1 | -1,
): void {
  if (isEmpty(cell)) return;
  invariant(marks !== undefined, "a market has marks before it has orders");
  const worst = worstLots(cell);
  const times = BigInt(sign);
  exposure.locked += times * lockedBy(cell, marks, exposure.rates);
  exposure.coverage += times * worst * MICROS_PER_LOT;
  exposure.open += times * (cell.buys.openLots + cell.sells.openLots) * MICROS_PER_LOT;
  exposure.positions += worst === 0n ? 0 : sign;
}

/**
 * Cover of the position plus the worst corner of the open orders: none, all buys, all sells, all.
 * Under full collateral no subset is worse: a buy either closes a short (it frees 1 for less than
 * 1) or adds its whole cost, a sell mirrors it. A lower requirement would need more corners.
 */
function lockedBy(cell: Cell, marks: Marks, rates: Rates): bigint {
  const cover = (held: bigint): bigint => coverOf(lots(held), marks, rates.requirementBps);
  const { heldLots, buys, sells } = cell;
  const corners = [
    cover(heldLots),
    cover(heldLots + buys.openLots) + buys.cost + buys.fee,
    cover(heldLots - sells.openLots) - sells.cost + sells.fee,
    cover(heldLots + buys.openLots - sells.openLots) +
      (buys.cost + buys.fee) -
      (sells.cost - sells.fee),
  ];
  return corners.reduce((worst, corner) => (corner > worst ? corner : worst));
}

function withOrder(cell: Cell, order: Order, sign: 1n | -1n, feeBps: number): Cell {
  if (!isOpen(order)) return cell;
  const side = buysYes(order) ? "buys" : "sells";
  const quantity = remaining(order);
  const totals = cell[side];
  return {
    ...cell,
    [side]: {
      openLots: totals.openLots + sign * quantity,
      cost: totals.cost + sign * costOf(quantity, yesTick(order)),
      fee: totals.fee + sign * feeHeld(order, feeBps),
    },
  };
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

function worstLots(cell: Cell): bigint {
  const afterBuys = magnitude(cell.heldLots + cell.buys.openLots);
  const afterSells = magnitude(cell.heldLots - cell.sells.openLots);
  return afterBuys > afterSells ? afterBuys : afterSells;
}

const isEmpty = (cell: Cell): boolean =>
  cell.heldLots === 0n && cell.buys.openLots === 0n && cell.sells.openLots === 0n;

const sameRates = (a: Rates, b: Rates): boolean =>
  a.feeBps === b.feeBps && a.requirementBps === b.requirementBps;

const asTotals = (exposure: AccountExposure | undefined): Totals => ({
  lockedMicros: micros(exposure?.locked ?? 0n),
  coverageMicros: micros(exposure?.coverage ?? noMoney),
  openMicros: micros(exposure?.open ?? noMoney),
  openPositions: exposure?.positions ?? 0,
  openOrders: exposure?.orders ?? 0,
});
